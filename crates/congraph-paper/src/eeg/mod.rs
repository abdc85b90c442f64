//! The paper's experiments on EEG (its section "EEG Dataset"), on epochs that the user brings, and what it says about
//! them.
//!
//! ```text
//! data         .npz → per subject the first 34 trials: CSD, 4–7 Hz, 0–100 ms
//! recovery     graphs from a few trials against those of all trials
//! smoothness   total variation of held-out trials, over a range of densities
//! communities  how consistent the communities of the consensus are with those of the subjects
//! scalp        the picture of the latter               claims, tables   what is said, and written
//! ```
//!
//! The paper's recordings are private; its protocol is not: density 0.15, and β by a correlation of 0.75 between
//! subjects, or by what separately learned graphs have plus 0.01 where that is more.

mod claims;
mod communities;
mod data;
mod recovery;
mod scalp;
mod smoothness;
mod tables;

use std::path::Path;

use congraph::{Error, MultiviewGraph, Smooth, Table, Targets, ViewMatrix, ViewOptions, Views};
use congraph_cli::console::Reporter;
use congraph_cli::failure::Failure;
use congraph_io::Folder;

use crate::claims::Claim;
pub(crate) use data::Data;

/// How many trials of each subject there are.
pub(crate) const TRIALS: usize = 34;
const BAND: [f64; 2] = [4.0, 7.0];
const WINDOW: [f64; 2] = [0.0, 0.1];
const DENSITY: f64 = 0.15;
const SIMILARITY: f64 = 0.75;

/// Which of the experiments, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plan {
    pub(crate) recovery: bool,
    pub(crate) smoothness: bool,
    pub(crate) communities: bool,
    /// Fewer levels, for a first look.
    pub(crate) quick: bool,
    /// The average reference instead of current source densities.
    pub(crate) average: bool,
    pub(crate) seed: u64,
}

/// What came of them.
pub(crate) struct Results {
    plan: Plan,
    data: Data,
    recovery: Option<recovery::Recovery>,
    smoothness: Option<smoothness::Smoothness>,
    communities: Option<communities::Consistency>,
}

/// Runs the experiments on the epochs of a file or a folder.
pub(crate) fn run(plan: Plan, path: &Path, progress: &Reporter) -> Result<Results, Failure> {
    progress.say("reading epochs".into());
    let data = Data::read(path, plan.average)?;
    let step = |asked: bool, what: &str| {
        if asked {
            progress.say(what.into());
        }
        asked
    };
    let recovery = step(plan.recovery, "recovery from few trials").then(|| recovery::run(&plan, &data));
    let recovery = recovery.transpose()?;
    let smoothness = step(plan.smoothness, "smoothness of held-out trials").then(|| smoothness::run(&plan, &data));
    let smoothness = smoothness.transpose()?;
    let communities = step(plan.communities, "communities").then(|| communities::run(&plan, &data));
    let communities = communities.transpose()?;
    Ok(Results {
        plan,
        data,
        recovery,
        smoothness,
        communities,
    })
}

impl Results {
    /// What the paper says of them, judged.
    pub(crate) fn claims(&self) -> Vec<Claim> {
        claims::all(self)
    }

    /// Writes the tables and figures.
    pub(crate) fn write(&self, folder: &Folder) -> Result<(), Failure> {
        tables::write(self, folder)
    }

    /// What was run, for readers.
    pub(crate) fn summary(&self) -> String {
        tables::summary(self)
    }
}

fn assembled(tables: Vec<Table>) -> Result<Views, Error> {
    let options = ViewOptions {
        allow_counts: true,
        ..ViewOptions::default()
    };
    Views::assemble(tables, &options).map(|(views, _)| views)
}

/// Views on their own at a mean density.
fn separate(views: &Views, density: f64) -> Result<MultiviewGraph, Error> {
    let learner = Smooth::default().uncoupled();
    let targets = Targets::new(density, 1.0);
    let tuned = learner.learn_to(views, &targets, &congraph::no_progress)?;
    Ok(tuned.learned.graph)
}

/// mvGL-ℓ1 at a mean density and the similarity that is asked for.
fn coupled(views: &Views, density: f64, similarity: f64) -> Result<MultiviewGraph, Error> {
    let targets = Targets::new(density, similarity);
    let tuned = Smooth::default().learn_to(views, &targets, &congraph::no_progress)?;
    Ok(tuned.learned.graph)
}

/// One graph per view from matrices of weights.
fn from_matrices(nodes: &[String], views: &[String], matrices: &[Vec<f64>]) -> MultiviewGraph {
    let n = nodes.len();
    let pairs: Vec<[u32; 2]> = (0..n as u32)
        .flat_map(|a| (a + 1..n as u32).map(move |b| [a, b]))
        .collect();
    let row = |&[a, b]: &[u32; 2]| matrices.iter().map(move |matrix| matrix[a as usize * n + b as usize]);
    let values = pairs.iter().flat_map(row).collect();
    let weights = ViewMatrix::from_values(views.len(), values);
    MultiviewGraph::new(nodes.to_vec(), views.to_vec(), &pairs, &weights, None)
}
