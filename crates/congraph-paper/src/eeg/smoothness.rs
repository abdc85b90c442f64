//! How smooth held-out trials are (`fig:eeg_smoothness_based_comparison`): every fifth trial to learn from, the other
//! four fifths to take the total variation of, over a range of densities.
//!
//! The figure shows the relative variation, the same up to a factor of each subject's that both methods share: the mean
//! distance along the edges over that of all pairs of nodes.

use congraph::metrics::total_variation;
use congraph::{Error, MultiviewGraph, Scaling};
use rayon::prelude::*;

use super::{Data, Plan, SIMILARITY, assembled, coupled, separate};
use crate::methods::above;

const DENSITIES: [f64; 8] = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4];
pub(super) const FOLDS: usize = 5;

/// What was learned at one density from one fold.
pub(super) struct Fold {
    pub(super) density: f64,
    pub(super) fold: usize,
    /// Of svGL and of mvGL-ℓ1.
    pub(super) methods: [Variation; 2],
}

pub(super) struct Variation {
    pub(super) density: f64,
    pub(super) similarity: f64,
    /// Of every subject.
    pub(super) total: Vec<f64>,
    pub(super) relative: Vec<f64>,
}

pub(super) const METHODS: [&str; 2] = ["svGL", "mvGL-l1"];
pub(super) const LABELS: [&str; 2] = ["svGL", "mvGL-ℓ1"];

pub(super) struct Smoothness {
    pub(super) folds: Vec<Fold>,
}

impl Smoothness {
    pub(super) fn densities(&self) -> Vec<f64> {
        let mut densities: Vec<f64> = self.folds.iter().map(|fold| fold.density).collect();
        densities.dedup();
        densities
    }

    /// Every subject's mean over the folds, at every density.
    pub(super) fn series(&self, method: usize) -> Vec<(f64, Vec<f64>)> {
        let at = |density: f64| {
            let folds: Vec<&Fold> = self.folds.iter().filter(|fold| fold.density == density).collect();
            let n_subjects = folds.first().map_or(0, |fold| fold.methods[method].relative.len());
            let mean = |subject: usize| {
                let sum: f64 = folds.iter().map(|fold| fold.methods[method].relative[subject]).sum();
                sum / folds.len() as f64
            };
            (density, (0..n_subjects).map(mean).collect())
        };
        self.densities().into_iter().map(at).collect()
    }
}

pub(super) fn run(plan: &Plan, data: &Data) -> Result<Smoothness, Error> {
    let densities: &[f64] = if plan.quick { &[0.05, 0.15, 0.3] } else { &DENSITIES };
    let jobs: Vec<(f64, usize)> = densities
        .iter()
        .flat_map(|&density| (0..FOLDS).map(move |fold| (density, fold)))
        .collect();
    let folds = jobs.par_iter().map(|&(density, k)| fold(data, density, k));
    Ok(Smoothness {
        folds: folds.collect::<Result<_, _>>()?,
    })
}

fn fold(data: &Data, density: f64, fold: usize) -> Result<Fold, Error> {
    let train = assembled(data.tables(|trial| trial % FOLDS == fold))?;
    let test = assembled(data.tables(|trial| trial % FOLDS != fold))?;
    let alone = separate(&train, density)?;
    let together = coupled(&train, density, above(alone.similarity(), SIMILARITY))?;
    let variation = |graph: &MultiviewGraph| -> Result<Variation, Error> {
        let found = total_variation(graph, &test, &Scaling::default())?.views;
        Ok(Variation {
            density: graph.mean_density(),
            similarity: graph.similarity().unwrap_or(1.0),
            total: found.iter().map(|(_, variation)| variation.total).collect(),
            relative: found
                .iter()
                .map(|(_, variation)| variation.relative.unwrap_or(1.0))
                .collect(),
        })
    };
    Ok(Fold {
        density,
        fold,
        methods: [variation(&alone)?, variation(&together)?],
    })
}
