//! The path: fits over a grid of densities and similarities, each from its neighbour.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::reach::along;
use super::{Reach, Targets};
use crate::error::Error;
use crate::fit::{Fit, Session};
use crate::methods::smooth::Parameters;
use crate::progress::{Progress, Watch};

/// The targets of a path, both in increasing order.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Mean densities of the views.
    pub densities: Vec<f64>,
    /// Similarities; those below a density's floor are left out there.
    pub similarities: Vec<f64>,
}

/// How many densities and similarities there usually are.
const N_DENSITIES: usize = 9;
const N_SIMILARITIES: usize = 6;

impl Grid {
    /// Usual steps between two densities and two similarities: equal ratios of the former, equal distances of the
    /// latter.
    pub fn between(density: [f64; 2], similarity: [f64; 2]) -> Self {
        let share = |k: usize, n: usize| k as f64 / (n - 1) as f64;
        let densities = (0..N_DENSITIES).map(|k| {
            let at = density[0].ln() + (density[1] / density[0]).ln() * share(k, N_DENSITIES);
            rounded(at.exp())
        });
        let similarities = (0..N_SIMILARITIES)
            .map(|k| rounded(similarity[0] + (similarity[1] - similarity[0]) * share(k, N_SIMILARITIES)));
        let (mut densities, mut similarities): (Vec<f64>, Vec<f64>) = (densities.collect(), similarities.collect());
        densities.dedup();
        similarities.dedup();
        Self {
            densities,
            similarities,
        }
    }

    /// From a third of the usual density of n nodes to three times as much, and from 0.7 to 0.95.
    pub fn usual(n_nodes: usize) -> Self {
        let usual = Targets::usual_density(n_nodes);
        Self::between([usual / 3.0, (3.0 * usual).min(0.5)], [0.7, 0.95])
    }

    /// The usual grid of n nodes, with other ends where these are given.
    ///
    /// # Errors
    /// If ends are not two numbers above 0 and at most 1, the smaller first.
    pub fn asked(n_nodes: usize, density: Option<[f64; 2]>, similarity: Option<[f64; 2]>) -> Result<Self, Error> {
        let usual = Self::usual(n_nodes);
        let ends = |name: &'static str, given: Option<[f64; 2]>, usual: &[f64]| {
            let [low, high] = given.unwrap_or([usual[0], usual[usual.len() - 1]]);
            if low > 0.0 && low <= high && high <= 1.0 {
                return Ok([low, high]);
            }
            Err(Error::Parameter {
                name,
                message: "must be two numbers above 0 and at most 1, the smaller first, such as (0.05, 0.40)".into(),
            })
        };
        Ok(Self::between(
            ends("density", density, &usual.densities)?,
            ends("similarity", similarity, &usual.similarities)?,
        ))
    }
}

/// Three digits, so that a cell can be asked for again by its targets.
pub(super) fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let unit = 10_f64.powi(2 - value.abs().log10().floor() as i32);
    (value * unit).round() / unit
}

/// One fit of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The mean density of the views.
    pub density: Reach,
    /// Their similarity.
    pub similarity: Reach,
    /// The similarity of separate views at that density.
    pub floor: f64,
    /// α at which separate views have that density.
    pub separate_alpha: f64,
    /// α, β and γ.
    pub parameters: Parameters,
    /// The density of the consensus.
    pub consensus_density: f64,
    /// How many connected parts the consensus has.
    pub n_components: usize,
    /// How many problems were solved.
    pub solves: usize,
    /// How long that took.
    pub time: Duration,
}

impl Session<'_> {
    /// The fits of one density of a grid, in order of their similarities; `each` is shown every cell with its fit.
    /// Cells that cannot be reached are left out.
    ///
    /// # Errors
    /// What the solver refuses.
    pub fn path_row(
        &self,
        density: f64,
        similarities: &[f64],
        watch: Watch<'_>,
        each: &mut dyn FnMut(Cell, &Fit),
    ) -> Result<(), Error> {
        let mut clock = Instant::now();
        // The trials of a cell are of no interest; whether to stop still is.
        let inner = |progress: &Progress| match progress {
            Progress::Tried { .. } => std::ops::ControlFlow::Continue(()),
            other => watch(other),
        };
        along(
            self,
            density,
            similarities,
            &inner,
            &mut |fit, reached, separate_alpha| {
                let (Some(density), Some(similarity)) = (reached.density, reached.similarity) else {
                    return;
                };
                let cell = Cell {
                    density,
                    similarity,
                    floor: reached.floor.unwrap_or(f64::NAN),
                    separate_alpha,
                    parameters: reached.parameters,
                    consensus_density: fit.consensus_density(),
                    n_components: self.graph(&fit).components().0,
                    solves: reached.solves,
                    time: clock.elapsed(),
                };
                clock = Instant::now();
                each(cell, &fit);
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_rounded_to_itself() {
        assert_eq!(rounded(0.0), 0.0);
        assert_eq!(rounded(0.123_456), 0.123);
        assert_eq!(rounded(-0.001_234_5), -0.001_23);
    }

    #[test]
    fn grids_hold_their_ends_and_round_numbers() {
        let grid = Grid::between([0.05, 0.4], [0.6, 0.95]);
        assert_eq!((grid.densities[0], grid.densities[N_DENSITIES - 1]), (0.05, 0.4));
        assert_eq!(grid.similarities, [0.6, 0.67, 0.74, 0.81, 0.88, 0.95]);
        assert!(grid.densities.is_sorted());
        assert_eq!(Grid::between([0.1, 0.1], [0.8, 0.8]).densities, [0.1]);
        let asked = Grid::asked(50, Some([0.05, 0.4]), None).unwrap();
        assert_eq!(asked.densities, grid.densities);
        assert_eq!(asked.similarities, Grid::usual(50).similarities);
        for wrong in [[0.4, 0.05], [0.0, 0.4], [0.1, 1.5], [f64::NAN, 0.4]] {
            assert!(Grid::asked(50, Some(wrong), None).is_err(), "{wrong:?}");
        }
        assert!(Grid::usual(1001).densities.iter().all(|d| (0.003..0.04).contains(d)));
    }
}
