//! Recovery from few trials (`fig:eeg_gt_based_comparison`): the "true" graph is what svGL learns from all trials at a
//! density of 0.15,
//!
//! ```text
//! a   of each subject           b   of all trials of all subjects together
//! ```
//!
//! and svGL, mvGL-ℓ1 and the consensus of the latter are learned from the first ⌊34ρ⌋ trials. α is that of the best
//! mean F1 of the subjects, as in the simulated experiments.

use congraph::metrics::evaluate;
use congraph::{Error, Learn, MultiviewGraph, Parameters, Smooth, Table, no_progress};
use rayon::prelude::*;

use super::{DENSITY, Data, Plan, SIMILARITY, TRIALS, assembled, from_matrices, separate};
use crate::methods::Protocol;

const SHARES: [f64; 8] = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4];

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Learned {
    SvGl,
    MvGl1,
    Consensus,
}

impl Learned {
    pub(super) const ALL: [Self; 3] = [Self::SvGl, Self::MvGl1, Self::Consensus];

    /// The name in tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::SvGl => "svGL",
            Self::MvGl1 => "mvGL-l1",
            Self::Consensus => "mvGL-l1-consensus",
        }
    }

    /// The name in figures.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::SvGl => "svGL",
            Self::MvGl1 => "mvGL-ℓ1",
            Self::Consensus => "consensus of mvGL-ℓ1",
        }
    }
}

/// What was learned at one share of the trials, against one truth.
pub(super) struct Point {
    pub(super) learned: Learned,
    /// Of every subject.
    pub(super) f1: Vec<f64>,
    pub(super) density: f64,
    pub(super) similarity: f64,
    pub(super) parameters: Parameters,
}

/// One share of the trials.
pub(super) struct Level {
    pub(super) share: f64,
    pub(super) n_trials: usize,
    /// Against each truth.
    pub(super) points: [Vec<Point>; 2],
}

pub(super) struct Recovery {
    pub(super) levels: Vec<Level>,
    /// The mean density of each truth.
    pub(super) densities: [f64; 2],
    /// The mean correlation between the subjects' true graphs.
    pub(super) similarity: f64,
}

impl Recovery {
    /// The F1 of every subject at every level.
    pub(super) fn series(&self, truth: usize, learned: Learned) -> Vec<(f64, &[f64])> {
        let f1 = |level: &'_ Level| {
            let place = level.points[truth].iter().position(|point| point.learned == learned);
            place.map(|place| (level.share, place))
        };
        let found = self
            .levels
            .iter()
            .filter_map(|level| f1(level).map(|(share, place)| (share, level, place)));
        found
            .map(|(share, level, place)| (share, &level.points[truth][place].f1[..]))
            .collect()
    }
}

pub(super) fn run(plan: &Plan, data: &Data) -> Result<Recovery, Error> {
    let truths = truths(data)?;
    let shares: &[f64] = if plan.quick { &[0.1, 0.25, 0.4] } else { &SHARES };
    let levels = shares.par_iter().map(|&share| level(data, &truths, share));
    Ok(Recovery {
        levels: levels.collect::<Result<_, _>>()?,
        densities: [truths[0].mean_density(), truths[1].mean_density()],
        similarity: truths[0].similarity().unwrap_or(1.0),
    })
}

/// The graphs of all trials: of each subject, and of all subjects together.
fn truths(data: &Data) -> Result<[MultiviewGraph; 2], Error> {
    let tables = data.tables(|_| true);
    let all = Table::new(
        "all",
        data.nodes.len(),
        tables.iter().flat_map(|table| &table.values).copied().collect(),
    )
    .with_columns(data.nodes.iter().cloned());
    let matrix = |table: Table| -> Result<Vec<f64>, Error> {
        let graph = separate(&assembled(vec![table])?, DENSITY)?;
        Ok(graph.adjacency(0))
    };
    let names = data.names();
    let own: Vec<Vec<f64>> = tables.into_par_iter().map(matrix).collect::<Result<_, _>>()?;
    let common = vec![matrix(all)?; names.len()];
    Ok([own, common].map(|matrices| from_matrices(&data.nodes, &names, &matrices)))
}

fn level(data: &Data, truths: &[MultiviewGraph; 2], share: f64) -> Result<Level, Error> {
    // A share such as 0.15 is not exact: 34 · 0.5 must not become 16.
    let n_trials = ((share * TRIALS as f64 + 1e-9).floor() as usize).max(1);
    let views = assembled(data.tables(|trial| trial < n_trials))?;
    let learner = Smooth::default();
    let points = |truth: &MultiviewGraph| -> Result<Vec<Point>, Error> {
        let protocol = Protocol {
            session: learner.session(&views, &no_progress)?,
            truth,
            similarity: SIMILARITY,
        };
        let (single, joint) = (protocol.separate()?, protocol.coupled()?);
        let point = |learned: Learned, graph: &MultiviewGraph, parameters| -> Result<Point, Error> {
            Ok(Point {
                learned,
                f1: evaluate(graph, truth)?
                    .views
                    .iter()
                    .map(|(_, score)| score.f1())
                    .collect(),
                density: graph.mean_density(),
                similarity: graph.similarity().unwrap_or(1.0),
                parameters,
            })
        };
        let (alone, together) = (protocol.session.graph(&single), protocol.session.graph(&joint));
        let consensus = together.consensus_adjacency().unwrap_or_default();
        let everyone = from_matrices(together.nodes(), together.views(), &vec![consensus; together.n_views()]);
        Ok(vec![
            point(Learned::SvGl, &alone, single.model.parameters)?,
            point(Learned::MvGl1, &together, joint.model.parameters)?,
            point(Learned::Consensus, &everyone, joint.model.parameters)?,
        ])
    };
    Ok(Level {
        share,
        n_trials,
        points: [points(&truths[0])?, points(&truths[1])?],
    })
}
