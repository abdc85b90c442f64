//! How much memory a fit needs at least: what cannot fit is refused before any work is done.

use std::sync::Arc;

use congraph::options::option;
use congraph::{Candidates, Newton, Smooth, Views};

use crate::refusal::RequestError;

/// Bytes in a GiB.
pub const GIB: f64 = (1_u64 << 30) as f64;

/// Refuses what needs more memory than the method may use.
///
/// # Errors
/// One that says what would do with less.
pub fn check_memory(method: &Smooth, views: &Views) -> Result<(), RequestError> {
    let needed = method.least_memory(views);
    if needed <= method.memory {
        return Ok(());
    }
    let gib = |bytes: u64| format!("{:.1} GiB", bytes as f64 / GIB);
    let (n_nodes, n_views) = (views.n_nodes(), views.n_views());
    let enough = format!("{:.0}", (needed as f64 / GIB).ceil());
    let mut hints = vec![format!("{} if the machine has it", option("memory").set_to(enough))];
    if method.candidates == Candidates::AllPairs {
        let newton = Smooth {
            solver: Arc::new(Newton::default()),
            ..method.clone()
        };
        let with_newton = newton.least_memory(views);
        if method.solver.working_set().is_none() && with_newton <= method.memory {
            hints.push(format!(
                "{} needs {}",
                option("solver").set_to("newton"),
                gib(with_newton)
            ));
        }
        let nearest = Smooth {
            candidates: Candidates::Nearest { k: 20, seed: 1 },
            ..newton
        };
        let with_candidates = nearest.least_memory(views);
        if with_candidates <= method.memory {
            let candidates = option("candidates").set_to("knn:20");
            hints.push(format!("{candidates} needs {}", gib(with_candidates)));
        }
    }
    Err(RequestError::usage(
        "memory",
        format!(
            "{n_nodes} nodes × {n_views} views need at least {} of memory, and {} may be used",
            gib(needed),
            gib(method.memory)
        ),
        hints.join("; "),
    ))
}
