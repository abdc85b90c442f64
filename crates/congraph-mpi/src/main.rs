//! `mpirun -n R congraph-mpi learn …`: congraph with one fit, or many, shared out among the processes of MPI.
//!
//! The words, the files and the certificate are those of `congraph`, to the byte. Process 0 speaks and writes; whoever
//! cannot go on says who it is and why, and ends all.
//!
//! ```text
//! team     a team of MPI's processes
//! memory   says who ran out of it
//! ```

mod memory;
mod team;

use std::process::ExitCode;
use std::sync::Arc;

use congraph_cli::Speaker;
use mpi::environment::Threading;

fn main() -> ExitCode {
    // A fit runs on a thread of the pool; no two threads ever talk to others at the same time, but one that cannot go on
    // may end all while another waits.
    let Some((_universe, threading)) = mpi::initialize_with_threading(Threading::Multiple) else {
        congraph_cli::console::words("error: MPI cannot be started");
        return ExitCode::from(7);
    };
    let team = Arc::new(team::Processes::new());
    memory::is_process(team.name());
    if threading < Threading::Serialized {
        team.abort(
            6,
            "this MPI was built without threads (MPI_THREAD_SERIALIZED), and a fit runs on several\n  hint: use another \
             build of MPI",
        );
    }
    let code = congraph_cli::main_in_team(&team);
    // All have done their part before anybody leaves.
    team.wait_for_all();
    team.tell_traffic();
    code
}
