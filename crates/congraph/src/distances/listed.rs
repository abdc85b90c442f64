//! Squared distances between the nodes' signals: all that the problem needs of the data.
//!
//! ```text
//! D^i_e = ‖x^i_a − x^i_b‖²      (the paper's Sᵀd^i − 2k^i);      of a negative edge ‖x^i_a + x^i_b‖²
//! ```
//!
//! Three choices make α and β mean the same for every data set; each can be switched off:
//!
//! - every node is z-scored within its view ([`Scale`]), so that a loud node is not a distant one;
//! - costs are means over samples, not sums ([`SampleNorm`]), so that more samples do not mean another density;
//! - distances are divided by the largest one over all views ([`DistanceNorm`]), so that units do not matter.
//!
//! With all three off this is the paper's raw objective. The distances are `K_aa + K_bb − 2 K_ab` where that is far
//! from cancelling, and sums of squared differences for nearly equal signals. Cost: O(n² Σ p_i) time, O(n² N) memory.

use std::sync::Arc;

use crate::edges::candidates::EdgeCost;
use crate::edges::{Edges, ViewMatrix, both_signs, complete_index, is_negative, pair_of};
use crate::error::Error;
use crate::options::option;
use crate::parallel::simd::{largest, vectorised};
use crate::signals::{DistanceNorm, SampleNorm, Scale, Scaling, Signals, all_distances, all_sum_distances};
use crate::team::Share;
use crate::views::{Kind, Membership, View, Views};

/// Squared distances of every edge in every view; infinite where a view lacks one of its ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Distances {
    edges: Edges,
    values: ViewMatrix,
    divisor: f64,
    membership: Arc<Membership>,
    /// Which edges of a longer list these are, if they are a member's part of one.
    share: Option<Share>,
}

impl Distances {
    /// The distances of all pairs of nodes.
    ///
    /// # Errors
    /// [`Error::Parameter`] when Gram matrices are to be averaged over samples but their number is not known;
    /// [`Error::Invalid`] when the distances are too large for f64.
    pub fn from_views(views: &Views, scaling: &Scaling) -> Result<Self, Error> {
        let edges = Edges::complete(views.n_nodes());
        if views.kind() == Kind::Signals {
            let values = all_distances(views, scaling);
            return Self::masked(edges, values, scaling.distance_norm, Arc::clone(views.membership()));
        }
        let values = all_from_products(views, scaling)?;
        Self::masked(edges, values, scaling.distance_norm, Arc::clone(views.membership()))
    }

    /// The distances of the positive and the negative edge of all pairs of nodes.
    ///
    /// # Errors
    /// As [`Distances::from_views`].
    pub fn signed_from_views(views: &Views, scaling: &Scaling) -> Result<Self, Error> {
        let edges = Edges::complete_signed(views.n_nodes());
        let values = if views.kind() == Kind::Signals {
            let of_sign = [all_distances(views, scaling), all_sum_distances(views, scaling)];
            let mut values = ViewMatrix::with_capacity(edges.n_edges(), views.n_views());
            for &edge in edges.pairs() {
                let [a, b] = pair_of(edge).map(|node| node as usize);
                let rows = &of_sign[usize::from(is_negative(edge))];
                values.push_row(rows.row(complete_index(views.n_nodes(), a, b)));
            }
            values
        } else {
            from_all_products(views, scaling, &edges)?
        };
        Self::masked(edges, values, scaling.distance_norm, Arc::clone(views.membership()))
    }

    /// The same of chosen pairs a < b (sorted, each once), divided by the largest of theirs where that is asked for.
    ///
    /// # Errors
    /// As [`Distances::from_views`].
    pub(crate) fn signed_of_pairs(views: &Views, scaling: &Scaling, pairs: &[[u32; 2]]) -> Result<Self, Error> {
        some_pair(pairs)?;
        let edges = Edges::signed(views.n_nodes(), both_signs(pairs));
        let values = if views.kind() == Kind::Signals {
            Signals::new(views, scaling).distances(edges.pairs())
        } else {
            from_all_products(views, scaling, &edges)?
        };
        Self::masked(edges, values, scaling.distance_norm, Arc::clone(views.membership()))
    }

    /// The distances of chosen pairs a < b (sorted, each once), divided by the largest of theirs where that is asked
    /// for.
    ///
    /// # Errors
    /// As [`Distances::from_views`].
    pub(crate) fn of_pairs(views: &Views, scaling: &Scaling, pairs: Vec<[u32; 2]>) -> Result<Self, Error> {
        some_pair(&pairs)?;
        let values = if views.kind() == Kind::Signals {
            Signals::new(views, scaling).distances(&pairs)
        } else {
            let mut values = ViewMatrix::with_capacity(pairs.len(), views.n_views());
            let all = all_from_products(views, scaling)?;
            for &[a, b] in &pairs {
                values.push_row(all.row(complete_index(views.n_nodes(), a as usize, b as usize)));
            }
            values
        };
        let edges = Edges::listed(views.n_nodes(), pairs);
        Self::masked(edges, values, scaling.distance_norm, Arc::clone(views.membership()))
    }

    /// The same with costs added to some pairs (sorted; to both edges of signed ones), and without those that are forbidden.
    ///
    /// # Errors
    /// [`Error::Parameter`] if no pair is left.
    pub(crate) fn with_costs(self, costs: &[EdgeCost]) -> Result<Self, Error> {
        if costs.is_empty() {
            return Ok(self);
        }
        let mut pairs = Vec::with_capacity(self.edges.n_edges());
        let mut values = ViewMatrix::with_capacity(self.edges.n_edges(), self.values.n_views());
        for (&pair, row) in self.edges.pairs().iter().zip(self.values.rows()) {
            let cost = costs
                .binary_search_by_key(&pair_of(pair), |cost| cost.pair)
                .map_or(0.0, |found| costs[found].cost);
            if cost < f64::INFINITY {
                pairs.push(pair);
                values.push_row(row);
                let last = pairs.len() - 1;
                values.row_mut(last).iter_mut().for_each(|distance| *distance += cost);
            }
        }
        if pairs.is_empty() {
            return Err(Error::Parameter {
                name: "edge_costs",
                message: "forbid every pair: no edge could be present".into(),
            });
        }
        Ok(Self {
            edges: self.edges.with_pairs(pairs),
            values,
            divisor: self.divisor,
            membership: self.membership,
            share: None,
        })
    }

    /// From distances computed elsewhere, one row per edge of `edges` and one column per view.
    ///
    /// # Errors
    /// [`Error::Invalid`] if a distance is negative or not finite, or their number does not fit.
    pub fn new(edges: Edges, values: ViewMatrix, norm: DistanceNorm) -> Result<Self, Error> {
        let membership = Membership::total(edges.n_nodes(), values.n_views());
        Self::masked(edges, values, norm, Arc::new(membership))
    }

    /// The same where views lack nodes: whatever distances these have there does not matter, and pairs that no view has
    /// are left out.
    ///
    /// # Errors
    /// As [`Distances::new`]; also if the membership is of other nodes or views.
    pub fn masked(
        edges: Edges,
        mut values: ViewMatrix,
        norm: DistanceNorm,
        membership: Arc<Membership>,
    ) -> Result<Self, Error> {
        let refuse = |message: String| {
            Err(Error::Invalid {
                what: "distances",
                message,
            })
        };
        if edges.n_nodes() < 2 || edges.n_edges() != values.n_rows() {
            return refuse(format!(
                "have {} rows for {} edges between {} nodes; at least two nodes and one row per edge are needed",
                values.n_rows(),
                edges.n_edges(),
                edges.n_nodes()
            ));
        }
        let mut edges = edges;
        let is_fine = |value: f64| (0.0..f64::INFINITY).contains(&value);
        let all_are_fine = vectorised(
            #[inline(always)]
            || values.values().iter().fold(true, |all, &value| all & is_fine(value)),
        );
        let find = || values.values().iter().copied().find(|&value| !is_fine(value));
        let mut broken = if all_are_fine { None } else { find() };
        if (membership.n_nodes(), membership.n_views()) != (edges.n_nodes(), values.n_views()) {
            return refuse("and the mask are of different nodes or views".into());
        }
        if !membership.is_total() {
            (edges, values, broken) = without_lacking(&membership, &edges, &values);
        }
        if let Some(value) = broken {
            return refuse(format!(
                "must be finite and not negative, and one is {value}; signals this large need {}",
                option("scale").set_to("zscore")
            ));
        }
        let mut divisor = 1.0;
        if norm == DistanceNorm::Max {
            let most = if membership.is_total() {
                vectorised(
                    #[inline(always)]
                    || largest(values.values()),
                )
            } else {
                let known = values.values().iter().filter(|value| value.is_finite());
                known.fold(0.0_f64, |most, &value| most.max(value))
            };
            if most > 0.0 {
                divisor = most;
                vectorised(
                    #[inline(always)]
                    || values.values_mut().iter_mut().for_each(|value| *value /= most),
                );
            }
        }
        Ok(Self {
            edges,
            values,
            divisor,
            membership,
            share: None,
        })
    }

    /// The same divided by what those of another fit were divided by.
    #[must_use]
    pub(crate) fn divided_by(mut self, divisor: f64) -> Self {
        self.values.values_mut().iter_mut().for_each(|value| *value /= divisor);
        self.divisor *= divisor;
        self
    }

    /// Distances of a list of pairs that have been divided and marked already.
    pub(crate) fn listed(edges: Edges, values: ViewMatrix, divisor: f64, membership: Arc<Membership>) -> Self {
        Self {
            edges,
            values,
            divisor,
            membership,
            share: None,
        }
    }

    /// The same as a member's part of a longer list.
    #[must_use]
    pub(crate) fn part_of(self, share: Share) -> Self {
        debug_assert_eq!(share.edges().len(), self.edges.n_edges());
        Self {
            share: Some(share),
            ..self
        }
    }

    /// Which part of a list these are: all of it, unless it is shared out.
    pub(crate) fn share(&self) -> Share {
        let whole = || Share::whole(self.edges.n_nodes(), self.edges.n_edges());
        self.share.clone().unwrap_or_else(whole)
    }

    /// Which view has which node.
    pub fn membership(&self) -> &Arc<Membership> {
        &self.membership
    }

    /// The pairs of nodes.
    pub fn edges(&self) -> &Edges {
        &self.edges
    }

    /// The distances, one row per edge.
    pub fn values(&self) -> &ViewMatrix {
        &self.values
    }

    /// What they were divided by.
    pub fn divisor(&self) -> f64 {
        self.divisor
    }
}

/// The pairs that some view has with their distances, marked where a view lacks them; and a distance that cannot be
/// used, if any is.
fn without_lacking(membership: &Membership, edges: &Edges, values: &ViewMatrix) -> (Edges, ViewMatrix, Option<f64>) {
    let kept = |place: &usize| membership.some_has(edges.pairs()[*place]);
    let kept: Vec<usize> = (0..edges.n_edges()).filter(kept).collect();
    let mut rows = ViewMatrix::with_capacity(kept.len(), values.n_views());
    let mut broken = None;
    for &place in &kept {
        let pair = edges.pairs()[place];
        for (view, value) in values.row(place).iter().enumerate() {
            if (!value.is_finite() || *value < 0.0) && membership.has_pair(view, pair) {
                broken = Some(*value);
            }
        }
        rows.push_row(values.row(place));
    }
    let pairs: Vec<[u32; 2]> = kept.iter().map(|&place| edges.pairs()[place]).collect();
    membership.mark(&pairs, &mut rows);
    (edges.with_pairs(pairs), rows, broken)
}

/// Refuses a list without any pair.
fn some_pair(pairs: &[[u32; 2]]) -> Result<(), Error> {
    if pairs.is_empty() {
        return Err(Error::Parameter {
            name: "candidates",
            message: "are empty: no edge could be present".into(),
        });
    }
    Ok(())
}

/// The distances of all pairs from sums of products or covariances.
pub(crate) fn all_from_products(views: &Views, scaling: &Scaling) -> Result<ViewMatrix, Error> {
    from_all_products(views, scaling, &Edges::complete(views.n_nodes()))
}

/// The distances of some edges from sums of products or covariances.
fn from_all_products(views: &Views, scaling: &Scaling, edges: &Edges) -> Result<ViewMatrix, Error> {
    let mut values = ViewMatrix::zeros(edges.n_edges(), views.n_views());
    for (index, view) in views.iter().enumerate() {
        let distances = from_products(view, views.kind(), edges, scaling)?;
        for (row, distance) in values.rows_mut().zip(distances) {
            row[index] = distance;
        }
    }
    Ok(values)
}

/// Distances from sums of products or covariances. Z-scoring divides by the diagonal, which for Gram matrices supposes
/// signals of mean zero.
fn from_products(view: &View, kind: Kind, edges: &Edges, scaling: &Scaling) -> Result<Vec<f64>, Error> {
    let n = edges.n_nodes();
    let diagonal: Vec<f64> = (0..n).map(|node| view.node(node)[node]).collect();
    // Z-scored entries and covariances are means over the samples, raw Gram entries are sums.
    let is_mean = scaling.scale == Scale::Zscore || kind == Kind::Covariance;
    let factor = match (is_mean, scaling.sample_norm) {
        (true, SampleNorm::Mean) | (false, SampleNorm::Sum) => 1.0,
        (false, SampleNorm::Mean) => 1.0 / n_samples(view)?,
        (true, SampleNorm::Sum) => n_samples(view)?,
    };
    let distance = |edge: usize| {
        let pair = edges.pairs()[edge];
        let [a, b] = pair_of(pair).map(|node| node as usize);
        let product = if is_negative(pair) {
            -view.node(a)[b]
        } else {
            view.node(a)[b]
        };
        let distance = match scaling.scale {
            Scale::Zscore => 2.0 - 2.0 * product / (diagonal[a].sqrt() * diagonal[b].sqrt()),
            Scale::Center | Scale::None => diagonal[a] + diagonal[b] - 2.0 * product,
        };
        (distance * factor).max(0.0)
    };
    Ok((0..edges.n_edges()).map(distance).collect())
}

pub(crate) fn n_samples(view: &View) -> Result<f64, Error> {
    match view.n_samples() {
        Some(n_samples) if n_samples > 0 => Ok(n_samples as f64),
        _ => Err(Error::Parameter {
            name: "samples",
            message: format!(
                "is needed for view `{}`: a precomputed matrix does not say how many samples it was made from, and \
                 these {} and {} depend on it",
                view.name(),
                option("scale"),
                option("sample_norm")
            ),
        }),
    }
}
