//! Partial correlations, and how far they move when one unit is deleted.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use faer::Mat;
use rayon::prelude::*;

use super::constant;
use super::moments::{Deletions, Moments, conditioning, inverse};
use crate::progress::{Progress, Watch};

/// Units at a time: what they give is held in memory, and added in order.
const WAVE: usize = 32;
/// Directions with less than this share of the mean variance are what rounding left of none.
const SINGULAR: f64 = 1e-10;

/// Fisher-transformed partial correlations of all pairs, with their standard errors.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Estimate {
    /// atanh r.
    pub(super) z: Vec<f64>,
    pub(super) se: Vec<f64>,
    pub(super) df: f64,
    /// What taking out the constant signal made by itself, if the nodes are independent,
    pub(super) offsets: Vec<f64>,
    /// and which share of it was taken off z.
    pub(super) constant_share: f64,
}

/// Why there is no estimate.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Halt {
    /// The caller asked to stop.
    Interrupted,
    /// Signals depend on each other exactly, or too few are left without a unit.
    Singular,
}

/// Counts deletions for the caller.
pub(super) struct Counter<'a> {
    watch: Watch<'a>,
    done: AtomicUsize,
    total: usize,
}

impl<'a> Counter<'a> {
    pub(super) fn new(watch: Watch<'a>, total: usize) -> Self {
        Self {
            watch,
            done: AtomicUsize::new(0),
            total,
        }
    }

    fn add(&self, count: usize) -> Result<(), Halt> {
        let done = self.done.fetch_add(count, Ordering::Relaxed) + count;
        match (self.watch)(&Progress::Fitted {
            done,
            total: self.total,
        }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Halt::Interrupted),
        }
    }
}

/// How far the deletions of one stratum moved every pair.
struct Moves {
    count: usize,
    sums: Vec<f64>,
    squares: Vec<f64>,
}

impl Moves {
    fn new(n_pairs: usize) -> Self {
        Self {
            count: 0,
            sums: vec![0.0; n_pairs],
            squares: vec![0.0; n_pairs],
        }
    }

    /// Deletes every unit; the results are added in their order.
    fn over<T: Sync>(
        units: &[T],
        z: &[f64],
        counter: &Counter<'_>,
        without: impl Fn(&T) -> Option<Vec<f64>> + Sync,
    ) -> Result<Self, Halt> {
        let mut moves = Self::new(z.len());
        for wave in units.chunks(WAVE) {
            let deleted: Vec<Option<Vec<f64>>> = wave.par_iter().map(&without).collect();
            for found in deleted {
                moves.add(&found.ok_or(Halt::Singular)?, z);
            }
            counter.add(wave.len())?;
        }
        Ok(moves)
    }

    fn add(&mut self, found: &[f64], z: &[f64]) {
        self.count += 1;
        for (pair, (found, z)) in found.iter().zip(z).enumerate() {
            let moved = found - z;
            self.sums[pair] += moved;
            self.squares[pair] += moved * moved;
        }
    }

    /// (B − 1)/B Σ (z_(b) − z̄)² for each pair, added to the variances of other strata.
    fn add_to(&self, variances: &mut [f64]) {
        let count = self.count as f64;
        for (variance, (sum, square)) in variances.iter_mut().zip(self.sums.iter().zip(&self.squares)) {
            *variance += (count - 1.0) / count * (square - sum * sum / count).max(0.0);
        }
    }
}

/// Of all views together: each has its units, and one at a time is deleted, the other views being whole. `own` is the share
/// of the views' own z, their mean, in what is told: none where one of them cannot be had.
pub(super) fn pooled(
    views: &[&Moments],
    units: &[&[Vec<usize>]],
    own: f64,
    counter: &Counter<'_>,
) -> Result<Estimate, Halt> {
    let covariances: Vec<Mat<f64>> = views.iter().map(|view| view.without(&[])).collect();
    let mean = mean_of(covariances.iter().cloned(), views.len());
    let (precision, mut z) = of_all(&mean)?;
    let alone: Result<Vec<Vec<f64>>, Halt> = match own > 0.0 {
        true => covariances.iter().map(|own| Ok(of_all(own)?.1)).collect(),
        false => Err(Halt::Singular),
    };
    let own = if alone.is_ok() { own } else { 0.0 };
    let each = own / views.len() as f64;
    z.iter_mut().for_each(|z| *z *= 1.0 - own);
    for alone in alone.iter().flatten() {
        add(&mut z, alone, each);
    }
    let mut variances = vec![0.0; z.len()];
    let mut df = 0.0;
    for (place, (&view, units)) in views.iter().zip(units).enumerate() {
        let together = Deletions::new(view, &mean, views.len(), units);
        let single = alone
            .is_ok()
            .then(|| Deletions::new(view, &covariances[place], 1, units));
        let without = |unit: &Vec<usize>| {
            let mut found = transformed(&together.precision(unit)?);
            found.iter_mut().for_each(|z| *z *= 1.0 - own);
            if let (Some(single), Ok(alone)) = (&single, &alone) {
                add(&mut found, &transformed(&single.precision(unit)?), each);
                let others = alone.iter().enumerate().filter(|(other, _)| *other != place);
                others.for_each(|(_, alone)| add(&mut found, alone, each));
            }
            Some(found)
        };
        Moves::over(units, &z, counter, without)?.add_to(&mut variances);
        df += units.len() as f64 - 1.0;
    }
    Ok(estimate(&precision, z, &variances, df))
}

/// Adds a multiple of other values.
fn add(sums: &mut [f64], values: &[f64], factor: f64) {
    sums.iter_mut()
        .zip(values)
        .for_each(|(sum, value)| *sum += factor * value);
}

/// Of all views together, which are the units: one at a time is deleted.
pub(super) fn over_views(views: &[&Moments], counter: &Counter<'_>) -> Result<Estimate, Halt> {
    let covariances: Vec<Mat<f64>> = views.iter().map(|view| view.without(&[])).collect();
    let mean = mean_of(covariances.iter().cloned(), views.len());
    let (precision, z) = of_all(&mean)?;
    let without = |left_out: &usize| {
        let others = covariances.iter().enumerate().filter(|(view, _)| view != left_out);
        let mean = mean_of(others.map(|(_, covariance)| covariance.clone()), views.len() - 1);
        Some(transformed(&inverse(&mean)?))
    };
    let places: Vec<usize> = (0..views.len()).collect();
    let mut variances = vec![0.0; z.len()];
    Moves::over(&places, &z, counter, without)?.add_to(&mut variances);
    Ok(estimate(&precision, z, &variances, views.len() as f64 - 1.0))
}

fn mean_of(covariances: impl Iterator<Item = Mat<f64>>, count: usize) -> Mat<f64> {
    let sum = covariances.reduce(|sum, covariance| sum + covariance);
    sum.unwrap_or_else(|| Mat::zeros(0, 0)) * faer::Scale(1.0 / count as f64)
}

fn of_all(mean: &Mat<f64>) -> Result<(Mat<f64>, Vec<f64>), Halt> {
    let condition = conditioning(mean);
    if condition.is_nan() || condition <= SINGULAR {
        return Err(Halt::Singular);
    }
    let precision = inverse(mean).ok_or(Halt::Singular)?;
    let z = transformed(&precision);
    Ok((precision, z))
}

fn estimate(precision: &Mat<f64>, z: Vec<f64>, variances: &[f64], df: f64) -> Estimate {
    Estimate {
        z,
        se: variances.iter().map(|variance| variance.sqrt()).collect(),
        df,
        offsets: constant::offsets(precision),
        constant_share: 0.0,
    }
}

impl Estimate {
    /// Takes off what taking out the constant signal made by itself: a given share of it, or the one that the data say.
    pub(super) fn without_constant(mut self, given: Option<f64>) -> Self {
        self.constant_share = given.unwrap_or_else(|| constant::share(&self.z, &self.se, &self.offsets));
        for (z, offset) in self.z.iter_mut().zip(&self.offsets) {
            *z -= self.constant_share * offset;
        }
        self
    }
}

/// atanh of −K_ab/√(K_aa K_bb) for all pairs.
fn transformed(precision: &Mat<f64>) -> Vec<f64> {
    const MOST: f64 = 1.0 - 1e-15;
    let n = precision.nrows();
    let roots: Vec<f64> = (0..n).map(|a| precision[(a, a)].sqrt()).collect();
    let mut z = Vec::with_capacity(n * n.saturating_sub(1) / 2);
    for a in 0..n {
        let column = precision.col_as_slice(a);
        z.extend((a + 1..n).map(|b| (-column[b] / (roots[a] * roots[b])).clamp(-MOST, MOST).atanh()));
    }
    z
}
