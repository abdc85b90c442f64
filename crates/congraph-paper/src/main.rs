//! The program `congraph-paper`: the paper's experiments, and what it says about them. Those on simulated data (its
//! section "Simulated Datasets") are here, those on EEG in `eeg`.
//!
//! It speaks, is interrupted, resumes and ends as the command line of congraph does (`congraph_cli`), and is no part of
//! what users install.
//!
//! ```text
//! args        every option                             study       one run: the studies, the checkpoint, the files
//! plan        which data sets: two graph families, three settings that vary, levels, realisations
//! methods     one data set → the score of every method, its parameters chosen as the paper chooses them
//!             (protocol, over grids), the joint graphical lasso among them
//! runtime     how long every method takes
//! models      a study of its own: the likelihood, which is told no truth, against methods that know it
//! work        what is done so far, as JSON
//! statistics  means with 95 % bands, paired differences
//! sweeps      results arranged as the figures are
//! claims      every sentence of the paper about the figures, judged by the numbers
//! chart       SVG                                      tables      CSV, claims.tsv, README.md
//! ```
//!
//! Parameters, for each data set: α, γ and λ1 by the best mean F1 of the views over a grid, which takes the truth; β
//! and λ2, for each value of these, by a correlation of 0.8 between the views. No method gets a finer grid than
//! another.

mod args;
mod chart;
mod claims;
mod eeg;
mod methods;
mod models;
mod plan;
mod runtime;
mod statistics;
mod study;
mod sweeps;
mod tables;
mod work;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let args = args::PaperArgs::parse();
    congraph_cli::carry_out(&args.global, None, |console| study::run(&args, console))
}
