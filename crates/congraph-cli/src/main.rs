//! The program `congraph`; all it does is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    congraph_cli::main()
}
