//! The engine of the Python package `congraph`: arrays in, arrays out.
//!
//! Everything that a user sees (classes, defaults, conversions) is plain Python in `python/congraph`; everything that
//! computes is the library. This crate is the seam between the two, one function for each thing that Python asks for:
//!
//! ```text
//! tables      NumPy arrays → tables, without a copy      graphs       learned graphs ⇄ arrays
//! request     keyword arguments → a request              failure      errors of the library → Python exceptions
//! running     the interpreter let go of, Ctrl-C, progress
//! penalty     a penalty written in Python                parts        parts of a sweep as bytes
//! learn, project, refits, stability, compare, tune, methods, joint, communities, metrics, report, simulate, folder     one call each
//! ```
//!
//! Results cross as dictionaries of arrays and names, so that a fitted model in Python holds nothing but arrays, and
//! can be pickled.

mod communities;
mod compare;
mod failure;
mod fields;
mod folder;
mod graphs;
mod joint;
mod learn;
mod methods;
mod metrics;
mod parts;
mod penalty;
mod project;
mod refits;
mod report;
mod request;
mod running;
mod simulate;
mod stability;
mod tables;
mod tune;

/// A fit takes and gives back megabytes many times a second; the system's allocator returns them to the kernel each
/// time, and touching them again was half of a small fit.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The module `congraph._engine`.
#[pyo3::pymodule]
mod _engine {
    #[pymodule_export]
    use super::communities::communities;
    #[pymodule_export]
    use super::compare::{compare, compare_jobs, compare_part};
    #[pymodule_export]
    use super::folder::{load, save};
    #[pymodule_export]
    use super::graphs::edge_means;
    #[pymodule_export]
    use super::joint::joint_graphical_lasso;
    #[pymodule_export]
    use super::learn::learn;
    #[pymodule_export]
    use super::methods::compare_methods;
    #[pymodule_export]
    use super::metrics::{evaluate, log_likelihood, nmi, total_variation};
    #[pymodule_export]
    use super::project::project;
    #[pymodule_export]
    use super::refits::refits;
    #[pymodule_export]
    use super::report::{follows_distance, report};
    #[pymodule_export]
    use super::simulate::simulate;
    #[pymodule_export]
    use super::stability::{stability, stability_jobs, stability_part};
    #[pymodule_export]
    use super::tune::{tune, tune_part, tune_round};

    /// The version of the engine.
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
