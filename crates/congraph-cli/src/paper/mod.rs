//! The paper's experiments, and what it says about them: those on simulated data (its section "Simulated Datasets") here, those on EEG in `eeg`.
//!
//! ```text
//! plan        which data sets: two graph families, three settings that vary, levels, realisations
//! methods     one data set → the score of every method, its parameters chosen as the paper chooses them
//! grid        the grid search for the best F1          joint       the joint graphical lasso over its grid
//! runtime     how long every method takes
//! work        what is done so far, as JSON
//! statistics  means with 95 % bands, paired differences
//! sweeps      results arranged as the figures are
//! claims      every sentence of the paper about the figures, judged by the numbers
//! chart       SVG                                      tables      CSV, claims.tsv, README.md
//! ```
//!
//! Parameters, for each data set: α, γ and λ1 by the best mean F1 of the views over a grid, which takes the truth; β and λ2,
//! for each value of these, by a correlation of 0.8 between the views. No method gets a finer grid than another.

pub(crate) mod chart;
pub(crate) mod claims;
pub(crate) mod eeg;
mod grid;
mod joint;
pub(crate) mod methods;
pub(crate) mod plan;
pub(crate) mod runtime;
pub(crate) mod statistics;
pub(crate) mod sweeps;
pub(crate) mod tables;
pub(crate) mod work;
