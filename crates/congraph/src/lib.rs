//! Learn, from N data sets over the same nodes, **one sparse graph per data set and the consensus graph they share**.
//!
//! Smooth signals vary little across the edges of their graph. With the squared distances `D^i_e = ‖x^i_a − x^i_b‖²`
//! between the signals of nodes a and b in view i, the graphs' edge weights solve
//!
//! ```text
//! minimise over w^1..w^N, w :
//!     Σ_i { D^iᵀ w^i + α ( ‖S w^i‖² + 2‖w^i‖² ) } + β c({w^i − w}) + γ r(w)
//! subject to  w^i ≥ 0,  1ᵀ w^i = n,  w ≥ 0
//! ```
//!
//! where `S w` are the degrees. α sets the density, β how alike the views are, γ how sparse the consensus w is. This is
//! the problem of *Multiview Graph Learning with Consensus Graph* (Karaaslanli and Aviyente) written in weights instead
//! of Laplacian entries; `docs/notation.md` relates the two.
//!
//! ```
//! use congraph::simulate::{Settings, simulate};
//! use congraph::{Learn, Smooth, ViewOptions, Views, metrics, no_progress};
//!
//! // Six data sets of 500 signals on 100 nodes, whose graphs share 90 % of their edges.
//! let simulation = simulate(&Settings::default())?;
//! let (views, _warnings) = Views::assemble(simulation.tables, &ViewOptions::default())?;
//!
//! let learned = Smooth::new(0.07, 0.03).learn(&views, &no_progress)?;
//!
//! assert!(learned.certificate.relative_gap < 1e-8); // how far from the optimum at most
//! let scores = metrics::evaluate(&learned.graph, &simulation.truth)?;
//! assert!(scores.mean_view_f1() > 0.9);
//! assert!(scores.consensus.unwrap().f1() > 0.95);
//! # Ok::<(), congraph::Error>(())
//! ```
//!
//! # Modules
//!
//! Data flows one way, from views to graphs and what is said of them:
//!
//! ```text
//! views         tables → views whose nodes are matched by name and whose values are checked; which nodes a view lacks
//! signals       views → scaled signals, so that α and β mean the same everywhere
//! distances     signals → squared distances: of listed pairs, or of all pairs of many nodes
//! edges         which pairs may be joined (candidates), one row of N views per edge, weights
//! penalties     c: one penalty, one file
//! regularisers  r: one regulariser, one file
//! methods       smooth: the paper's problem, its solvers (newton, admm) and its certificate;
//!               graphical_lasso: the joint graphical lasso, to compare with
//! fit           a session: the data prepared once, fits as often as needed, warm starts, warnings
//! tune          α, β, γ for a density and a similarity; the path; the choice by stability
//! inference     what a fit says of new data: the graph of a new view against its consensus
//! graph         weighted graphs: density, similarity, uniqueness, components
//! chance        what chance alone would give: do the data hold anything, and do the views share it?
//! communities   communities of the learned graphs (Leiden), and what those of the views have in common
//! metrics       how well known graphs were found
//! simulate      data whose graphs are known
//! findings      what graphs say by themselves, as plain data for a report
//! options       what a user can set, named once
//! progress      progress, how to stop, why a solver stopped
//! parallel      chunks of work in a fixed order, vector units, buffers
//! error         errors and warnings, with stable codes
//! ```
//!
//! Tables of EEG recordings are made by `congraph-eeg`. This crate reads no files and prints nothing. Results do not
//! depend on the number of threads (rayon's current pool).

pub mod chance;
pub mod communities;
mod distances;
mod edges;
mod error;
pub mod findings;
mod fit;
mod graph;
mod inference;
pub mod methods;
pub mod metrics;
pub mod options;
mod parallel;
pub mod penalties;
mod progress;
pub mod regularisers;
mod signals;
pub mod simulate;
pub mod tune;
mod views;

pub use distances::{AllPairs, Distances};
pub use edges::candidates::{CHECKED_OUTSIDE, EXACT_NEIGHBOURS};
pub use edges::{Candidates, EdgeCost, Edges, ViewMatrix, Weights, complete_index};
pub use error::{Code, DataError, Error, Warning, grouped, list_names};
pub use fit::{Fit, Learn, Learned, Session};
pub use graph::{MultiviewGraph, pearson};
pub use inference::{Departure, Projection, Projector};
pub use methods::graphical_lasso::GraphicalLasso;
pub use methods::smooth::{Admm, Coupling, Model, Newton, Parameters, Problem, Smooth, Solution, Solver};
pub use methods::{Certificate, Certified, Method, Told};
pub use progress::{Progress, Status, Watch, no_progress};
pub use signals::{DistanceNorm, SampleNorm, Scale, Scaling};
pub use tune::{Dial, Targets, Tuned};
pub use views::{Kind, Membership, Missing, NanRule, NodeRule, Order, Orient, Table, View, ViewOptions, Views};

/// The code in the README and in CONTRIBUTING is compiled and run.
#[cfg(doctest)]
mod guides {
    #[doc = include_str!("../../../README.md")]
    mod readme {}
    #[doc = include_str!("../../../CONTRIBUTING.md")]
    mod contributing {}
}
