//! Learn, from N data sets over the same nodes, **one sparse graph per data set and the consensus graph they share**.
//!
//! Smooth signals vary little across the edges of their graph. With the squared distances
//! $D^i_e = \lVert x^i_a - x^i_b \rVert^2$ between the signals of nodes $a$ and $b$ in view $i$, the graphs' edge weights solve
//!
//! $$
//! \begin{aligned}
//! \min_{w^1, \dots, w^N, w} \quad & \sum_i \Big\lbrace D^{i\top} w^i
//!     + \alpha \big( \lVert S w^i \rVert^2 + 2 \lVert w^i \rVert^2 \big) \Big\rbrace
//!     + \beta \thinspace c\big(\lbrace w^i - w \rbrace\big) + \gamma \thinspace r(w) \cr
//! \text{subject to} \quad & w^i \ge 0, \quad 1^\top w^i = n, \quad w \ge 0
//! \end{aligned}
//! $$
//!
//! where $S w$ are the degrees. $\alpha$ sets the density, $\beta$ how alike the views are, $\gamma$ how sparse the consensus $w$ is. This
//! is the problem of *Multiview Graph Learning with Consensus Graph* (Karaaslanli and Aviyente) written in weights instead
//! of Laplacian entries; `docs/notation.md` relates the two.
//!
//! Signed graphs ([`Smooth::signed`](Smooth)) have a negative edge for every pair beside the positive one, with the distance
//! $\lVert x^i_a + x^i_b \rVert^2$: the same problem on twice the edges, of which the graphs tell $w^+ - w^-$.
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
//! # What you need
//!
//! | to | take |
//! | --- | --- |
//! | bring data | [`Table`], [`Views`], [`ViewOptions`]; [`Scaling`] to make signals comparable, [`Spectrum`] to whiten |
//! | learn | a [`Method`] ([`Smooth`], [`GraphicalLasso`]) and [`Learn`]; [`Model`] and [`Coupling`] for its terms |
//! | learn for a density and a similarity | [`Targets`], [`Smooth::learn_to`] |
//! | fit many times | [`Session`], [`Fit`]: the data are made ready once, each fit starts from its neighbour |
//! | trust a result | [`Certificate`], [`Learned::warnings`](Learned), [`chance`]; [`direct`]: which pairs depend directly |
//! | read graphs | [`MultiviewGraph`], [`Membership`] for who has which node |
//! | know how sure an edge is | [`stability`] |
//! | compare groups of views | [`compare`] |
//! | learn a new view against the consensus | [`Projector`] |
//! | fit on several machines | [`team`] |
//! | extend it | [`penalties`], [`regularisers`], [`Solver`], [`Method`]; CONTRIBUTING has a recipe for each |
//!
//! # Rooms
//!
//! Data flows one way: no two rooms import each other (`tests/rooms.py` checks that).
//!
//! ```text
//! error, options   what goes wrong; options by id, spelled by each face        progress   what long work tells
//! parallel         chunks in a fixed order, vector units, buffers
//! team             several processes that work on one fit
//! edges            pairs of nodes, one row of N views per edge, weights, candidates
//! views            tables → views whose nodes are matched by name and whose values are checked
//! signals          scaled signals, their spectrum    distances   squared distances, listed or of all pairs
//! penalties        c: one penalty, one file          regularisers    r: one regulariser, one file
//! graph            weighted graphs: density, similarity, uniqueness, components
//! chance, findings what chance alone would give; what graphs say by themselves
//! methods          prepare · fit (warm) · certify · graph
//!   smooth           the paper's model: problem, edge subproblem, certificate, Newton, ADMM, working set
//!   graphical_lasso  the joint graphical lasso, to compare with
//! fit              sessions: order, warm starts, timing, warnings
//! tune             α, β, γ for a density and a similarity; the path; the choice by halves
//! refits           fits to halves and other parts of the data
//! inference        how sure a fit's edges are, who differs, and what it says of new data
//! metrics, communities, simulate     what is read from graphs, and data whose graphs are known
//! ```
//!
//! Tables of EEG recordings are made by `congraph-eeg`. This crate reads no files and prints nothing. Results do not depend on
//! the number of threads (rayon's current pool).

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
pub mod refits;
pub mod regularisers;
mod signals;
pub mod simulate;
pub mod team;
pub mod tune;
mod views;

pub use distances::{AllPairs, Distances};
pub use edges::candidates::EXACT_NEIGHBOURS;
pub use edges::{Candidates, EdgeCost, Edges, ViewMatrix, Weights, complete_index};
pub use error::{Code, DataError, Error, Warning, grouped, list_names};
pub use fit::{Fit, Learn, Learned, Session};
pub use graph::{MultiviewGraph, is_edge, pearson};
pub use inference::{Departure, Projection, Projector, compare, direct, stability};
pub use methods::graphical_lasso::GraphicalLasso;
pub use methods::smooth::{Admm, Coupling, Model, Newton, Parameters, Problem, Smooth, Solution, Solver};
pub use methods::{Arranged, Certificate, Certified, FitContext, Method};
pub use progress::{Progress, Status, Watch, no_progress};
pub use signals::{DistanceNorm, SampleNorm, Scale, Scaling, Spectrum};
pub use tune::{Dial, Targets, Tuned};
pub use views::{
    Kind, Membership, Missing, NanRule, NodeRule, Order, Orient, Subjects, Table, View, ViewOptions, Views,
};

/// The code in the README and in CONTRIBUTING is compiled and run.
#[cfg(doctest)]
mod guides {
    #[doc = include_str!("../../../README.md")]
    mod readme {}
    #[doc = include_str!("../../../CONTRIBUTING.md")]
    mod contributing {}
}
