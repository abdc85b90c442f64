//! Do two nodes depend directly on each other?
//!
//! A learned graph says which pairs explain the signals best at its density; it does not say which of them are sure. This
//! asks the data, without a graph and for all pairs: is the partial correlation of two nodes, given all others, above 0?
//!
//! ```text
//! C_i      covariance of view i without the signal that all nodes share, over its trace; nodes z-scored before if their
//!          spread differs between views
//! K        inverse of C = mean C_i, on signals that sum to 0       z = atanh(−K_ab/√(K_aa K_bb)) − s · o_ab
//! se²      Σ_i (B_i − 1)/B_i Σ_b (z_(ib) − z̄_(i·))²                stratified jackknife: z without block b of view i
//! p        P(t > z/se), Σ_i (B_i − 1) degrees of freedom           one-sided: an edge is a positive dependence
//! q        of Benjamini and Hochberg, over **all** pairs           never over those that were learned
//! ```
//!
//! The inverse of a mean is not the mean of inverses: where views have different graphs, K is not 0 for pairs that are edges
//! in none of them. The views' own z are free of that, and less sure. Where each view has four samples per node, a fifth of
//! their mean and four fifths of the pooled z are taken, deleted together.
//!
//! Deletions are exact, with the means, traces (and z-scores) of what is left. Blocks of few samples are taken out by
//! Woodbury's formula, n² flops per sample; for others the inverse is computed anew. What s · o_ab is for is said in
//! `constant`.
//!
//! The same for each view by itself gives `q_view`; from these come
//!
//! ```text
//! q_most              median over views of z_i, se² = 1.57 mean se_i²/N: is the pair dependent in most views?
//! n_views_at_least    the largest u for which "in fewer than u views" is refused (Fisher's partial conjunction)
//! difference_z        z_i − median of the other z, over its se; two-sided, q over all pairs × views
//! ```
//!
//! Every column has its conditions. Where they do not hold it is absent, and [`Direct::absent`] says why.
//!
//! **Nodes that a view lacks.** A partial correlation is one given the other nodes, and views with other nodes do not speak of
//! the same one. All views together are asked about the nodes that all have; each view by itself about those it has.
//! `q_most`, `n_views_at_least` and the differences of a pair are of the views that have both nodes.

mod constant;
mod jackknife;
mod mixture;
mod moments;
mod question;
mod summaries;
mod tails;
#[cfg(test)]
mod tests;
mod units;

use question::Question;

use crate::edges::{Edges, complete_index};
use crate::error::Error;
use crate::parallel::chunks::in_pool;
use crate::progress::Watch;
use crate::views::{Order, Views};

/// What is deleted, one at a time: what new data would bring more of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Units {
    /// The blocks (trials) of each view: speaks of new blocks of the same views. Where a view has none, its samples if they
    /// are independent; else pieces in a row of the series, if it is long enough.
    #[default]
    Blocks,
    /// The samples of each view, if they are independent.
    Samples,
    /// Whole views (subjects): speaks of new views.
    Views,
}

/// How to ask.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// What is deleted, one at a time.
    pub units: Units,
    /// The level of the partial conjunctions, and of [`Direct::supported`].
    pub level: f64,
    /// Whether nodes are divided by their standard deviation in each view; judged by the data if it is not said.
    pub zscore: Option<bool>,
    /// Which share of the dependence that taking out the constant signal makes by itself is taken off, from 0 (none of it)
    /// to 1; judged by the data if it is not said.
    pub constant_share: Option<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            units: Units::Blocks,
            level: 0.05,
            zscore: None,
            constant_share: None,
        }
    }
}

/// A column that is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    /// The column: `q_direct`, `q_most`, `q_view`, `n_views_at_least` or `q_difference`.
    pub column: &'static str,
    /// The view concerned, if it is one.
    pub view: Option<String>,
    /// Why, and what to do. Options are mentioned by their ids.
    pub reason: String,
}

/// What all views say together. Pairs are in the order of [`Edges::complete`]; NaN where a view lacks a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Pooled {
    /// The partial correlation.
    pub partial: Vec<f64>,
    /// How many standard errors it is above 0.
    pub direct_z: Vec<f64>,
    /// One-sided p.
    pub p_direct: Vec<f64>,
    /// The rate of false discoveries among the pairs with this q or a smaller one.
    pub q_direct: Vec<f64>,
    /// Degrees of freedom of the standard errors.
    pub df: f64,
    /// How much of what taking out the constant signal makes by itself was taken off: 0 for signals on a graph, 1 for
    /// independent ones.
    pub constant_share: f64,
}

/// What one view says. Pairs are in the order of [`Edges::complete`]; NaN where the view lacks a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OfView {
    /// How many units were deleted, one at a time.
    pub n_units: usize,
    /// Whether these are pieces in a row of a series that came without blocks.
    pub are_pieces: bool,
    /// How many independent samples there are, as used.
    pub effective_samples: f64,
    /// Of this view by itself: how many standard errors the partial correlation is above 0.
    pub direct_z: Option<Vec<f64>>,
    /// Of this view by itself: the rate of false discoveries.
    pub q_view: Option<Vec<f64>>,
    /// By how many standard errors the pair is stronger here than in the other views; below 0, weaker.
    pub difference_z: Option<Vec<f64>>,
    /// The rate of false discoveries among differences, over all pairs and views.
    pub q_difference: Option<Vec<f64>>,
}

/// What the data say of every pair.
#[derive(Clone, Debug, PartialEq)]
pub struct Direct {
    /// How it was asked.
    pub settings: Settings,
    /// Whether nodes were z-scored in each view.
    pub zscored: bool,
    /// How many nodes there are.
    pub n_nodes: usize,
    /// All views together.
    pub pooled: Option<Pooled>,
    /// The rate of false discoveries of "dependent in most views".
    pub q_most: Option<Vec<f64>>,
    /// In how many views the pair is dependent at least; 0 where none lets it say.
    pub n_views_at_least: Option<Vec<u32>>,
    /// The views, in their order.
    pub views: Vec<OfView>,
    /// What is not there, and why.
    pub absent: Vec<Absent>,
}

impl Direct {
    /// The rate of false discoveries of a pair of nodes, if it was judged.
    pub fn q_direct(&self, a: usize, b: usize) -> Option<f64> {
        let q = self.pooled.as_ref()?.q_direct[complete_index(self.n_nodes, a.min(b), a.max(b))];
        (!q.is_nan()).then_some(q)
    }

    /// The pairs whose direct dependence is supported at the level.
    pub fn supported(&self) -> Vec<[u32; 2]> {
        let q = self.pooled.iter().flat_map(|pooled| &pooled.q_direct);
        let edges = Edges::complete(self.n_nodes);
        let pairs = edges.pairs().iter().zip(q);
        pairs
            .filter(|(_, q)| **q <= self.settings.level)
            .map(|(pair, _)| *pair)
            .collect()
    }
}

/// Asks the data about every pair of nodes. None if `watch` asked to stop.
///
/// # Errors
/// [`Error::Parameter`] for a level that is not between 0 and 1, or a share that is not from 0 to 1.
///
/// ```
/// use congraph::direct::{Settings, of_views};
/// use congraph::simulate::{self, Filter, simulate};
/// use congraph::{ViewOptions, Views, no_progress};
///
/// let settings = simulate::Settings { n_nodes: 20, filter: Filter::Gaussian, ..Default::default() };
/// let simulation = simulate(&settings)?;
/// let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
/// let direct = of_views(&views, &Settings::default(), &no_progress)?.unwrap();
/// assert!(direct.supported().len() > 10);
/// # Ok::<(), congraph::Error>(())
/// ```
pub fn of_views(views: &Views, settings: &Settings, watch: Watch<'_>) -> Result<Option<Direct>, Error> {
    if !(settings.level > 0.0 && settings.level < 1.0) {
        return Err(Error::Parameter {
            name: "level",
            message: format!("is {}: it must be between 0 and 1", settings.level),
        });
    }
    if let Some(share) = settings.constant_share.filter(|share| !(0.0..=1.0).contains(share)) {
        return Err(Error::Invalid {
            what: "the share of the constant signal",
            message: format!("is {share}: it must be from 0 to 1"),
        });
    }
    let (sorted, order) = views.sorted();
    let found = in_pool(|| Question::new(&sorted, settings).answer(watch));
    Ok(found.map(|direct| direct.in_order(&order)))
}

impl Direct {
    /// The same of nodes and views as they were given.
    fn in_order(mut self, order: &Order) -> Self {
        let places = order.places();
        let edges = Edges::complete(self.n_nodes);
        let from: Vec<usize> = edges
            .pairs()
            .iter()
            .map(|pair| {
                let [a, b] = pair.map(|node| places[node as usize] as usize);
                complete_index(self.n_nodes, a.min(b), a.max(b))
            })
            .collect();
        let moved = |values: &mut Vec<f64>| *values = from.iter().map(|&pair| values[pair]).collect();
        if let Some(pooled) = &mut self.pooled {
            let columns = [
                &mut pooled.partial,
                &mut pooled.direct_z,
                &mut pooled.p_direct,
                &mut pooled.q_direct,
            ];
            columns.into_iter().for_each(moved);
        }
        self.q_most.iter_mut().for_each(moved);
        if let Some(counts) = &mut self.n_views_at_least {
            *counts = from.iter().map(|&pair| counts[pair]).collect();
        }
        let mut views = vec![OfView::default(); self.views.len()];
        for (mut view, &place) in self.views.into_iter().zip(&order.views) {
            let columns = [
                &mut view.direct_z,
                &mut view.q_view,
                &mut view.difference_z,
                &mut view.q_difference,
            ];
            columns.into_iter().flatten().for_each(moved);
            views[place] = view;
        }
        self.views = views;
        self
    }
}
