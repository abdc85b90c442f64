//! What is summed over views, and how the sums are judged.
//!
//! Every statistic is made of products of rows with what is left of an edge's values: the rows of the labels (`tested`),
//! of the covariates (`nuisance`), and for more than two groups of each pair of groups (`contrasts`). All rows have length 1.

use super::Statistic;
use super::design::{Checked, basis, left_over, remove};
use super::ranks::{midranks, signed_midranks};
use crate::graph::is_edge;

/// The variance below which what is left of an edge is rounding, relative to its values.
const ROUNDING: f64 = 1e-24;
/// The least residual variance of a t, relative to the whole.
const FLOOR: f64 = 1e-12;

/// How a design is tested.
pub(super) struct Model {
    pub(super) tested: Vec<Vec<f64>>,
    pub(super) nuisance: Vec<Vec<f64>>,
    /// The rows of pairs of groups: positive where the second has more.
    pub(super) contrasts: Vec<([usize; 2], Vec<f64>)>,
    pairs: Option<Vec<[usize; 2]>>,
    views: Vec<usize>,
    statistic: Statistic,
    /// What the variance is divided by: of all that is left, or of what is left by the labels (t).
    freedom: f64,
    /// The constant and the covariates.
    removed: Vec<Vec<f64>>,
}

/// What is left of some values once covariates are taken out, and its sum of squares.
pub(super) struct Rest {
    pub(super) values: Vec<f64>,
    pub(super) square: f64,
}

impl Model {
    pub(super) fn new(design: &Checked, statistic: Statistic) -> Self {
        let n = design.n_units();
        if let Some(pairs) = &design.pairs {
            return Self {
                tested: vec![vec![1.0 / (n as f64).sqrt(); n]],
                nuisance: Vec::new(),
                contrasts: Vec::new(),
                pairs: Some(pairs.clone()),
                views: design.views.clone(),
                statistic,
                freedom: if statistic == Statistic::T {
                    n as f64 - 1.0
                } else {
                    n as f64
                },
                removed: Vec::new(),
            };
        }
        let removed = basis(&design.covariates, n);
        // Groups in the order in which they come up, so that their names decide nothing but signs.
        let mut order: Vec<usize> = Vec::new();
        for group in &design.unit_groups {
            if !order.contains(group) {
                order.push(*group);
            }
        }
        let indicator = |group: usize| -> Vec<f64> {
            let views = design.unit_groups.iter();
            views.map(|other| f64::from(*other == group)).collect()
        };
        let mut all = removed.clone();
        for &group in &order[1..] {
            // None of them follows from the others: that was checked.
            all.extend(left_over(&indicator(group), &all));
        }
        let mut tested = all.split_off(removed.len());
        let n_groups = order.len();
        let mut contrasts = Vec::new();
        if n_groups == 2 {
            // Positive where the second group has more.
            if order[0] == 1 {
                tested[0].iter_mut().for_each(|x| *x = -*x);
            }
        } else {
            contrasts = pairwise(design, &order, &removed, &indicator);
        }
        let explained = removed.len() + if statistic == Statistic::T { n_groups - 1 } else { 0 };
        Self {
            tested,
            nuisance: removed[1..].to_vec(),
            contrasts,
            pairs: None,
            views: design.views.clone(),
            statistic,
            freedom: (n - explained) as f64,
            removed,
        }
    }

    /// How many units a row has.
    pub(super) fn n_units(&self) -> usize {
        self.tested[0].len()
    }

    /// What is tested of one value per view, which are in the order of the graphs.
    pub(super) fn rest(&self, values: &[f64]) -> Rest {
        let presence = |value: f64| f64::from(is_edge(value));
        let mut rest: Vec<f64> = match &self.pairs {
            Some(pairs) => pairs
                .iter()
                .map(|&[one, two]| match self.statistic {
                    Statistic::Presence => presence(values[two]) - presence(values[one]),
                    _ => values[two] - values[one],
                })
                .collect(),
            None => self.views.iter().map(|&view| values[view]).collect(),
        };
        match (self.statistic, self.pairs.is_some()) {
            (Statistic::Rank, true) => rest = signed_midranks(&rest),
            (Statistic::Rank, false) => rest = midranks(&rest),
            (Statistic::Presence, false) => rest.iter_mut().for_each(|value| *value = presence(*value)),
            _ => {}
        }
        let square = |rest: &[f64]| rest.iter().map(|x| x * x).sum::<f64>();
        let whole = square(&rest);
        remove(&mut rest, &self.removed);
        let left = square(&rest);
        if left <= ROUNDING * whole {
            rest.fill(0.0);
            return Rest {
                values: rest,
                square: 0.0,
            };
        }
        Rest {
            values: rest,
            square: left,
        }
    }

    /// Whether [`Model::scale`] is the same under all relabellings.
    pub(super) fn has_fixed_scale(&self) -> bool {
        self.nuisance.is_empty() && self.statistic != Statistic::T
    }

    /// What a sum over the rows of the labels is divided by: F is a mean of what they can do, H a sum.
    pub(super) fn n_averaged(&self) -> f64 {
        if self.statistic == Statistic::T {
            self.tested.len() as f64
        } else {
            1.0
        }
    }

    /// What a product is multiplied by: one over the standard deviation of what is left.
    pub(super) fn scale(&self, by_labels: f64, nuisance: f64, square: f64) -> f64 {
        if square == 0.0 {
            return 0.0;
        }
        let all = (square - nuisance).max(FLOOR * square);
        let left = match self.statistic {
            Statistic::T => (all - by_labels).max(FLOOR * all),
            Statistic::Rank | Statistic::Presence => all,
        };
        (self.freedom / left).sqrt()
    }

    /// The size of a statistic: |z| or |t|; of more than two groups the root of H or F.
    pub(super) fn size(&self, statistic: f64) -> f64 {
        if self.tested.len() == 1 {
            statistic.abs()
        } else {
            statistic.max(0.0).sqrt()
        }
    }
}

/// A row for each pair of groups: what its product tells is the difference between them, all groups being in the model.
fn pairwise(
    design: &Checked,
    order: &[usize],
    removed: &[Vec<f64>],
    indicator: &dyn Fn(usize) -> Vec<f64>,
) -> Vec<([usize; 2], Vec<f64>)> {
    let mut contrasts = Vec::new();
    for (k, &one) in order.iter().enumerate() {
        for &two in &order[k + 1..] {
            // The effect of `two` with `one` as the reference: what no other group and no covariate explains.
            let mut others = removed.to_vec();
            for &group in order.iter().filter(|group| ![one, two].contains(group)) {
                others.extend(left_over(&indicator(group), &others));
            }
            let Some(mut row) = left_over(&indicator(two), &others) else {
                continue;
            };
            if one > two {
                row.iter_mut().for_each(|x| *x = -*x);
            }
            contrasts.push(([one.min(two), one.max(two)], row));
        }
    }
    debug_assert_eq!(contrasts.len(), design.groups.len() * (design.groups.len() - 1) / 2);
    contrasts.sort_by_key(|(pair, _)| *pair);
    contrasts
}
