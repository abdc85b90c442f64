//! A comparison in parts: some relabellings here, others elsewhere, and then all of them together.

use std::collections::BTreeSet;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::design::{Checked, Design};
use super::model::Model;
use super::outcome::{Comparison, Tested, Told};
use super::permutations::{Family, Network, Tally, permuted};
use super::relabelling::Relabellings;
use super::thresholds::{self, USUAL_THRESHOLD};
use super::{Measure, Settings, Statistic};
use crate::error::Error;
use crate::graph::MultiviewGraph;
use crate::progress::Watch;

/// A comparison that can be made in parts: some relabellings here, others elsewhere, and then all of them together.
///
/// ```
/// use congraph::compare::{Comparing, Design, Settings, compare};
/// use congraph::simulate::{self, simulate};
/// use congraph::{Learn, Smooth, ViewOptions, Views, no_progress};
///
/// let settings = simulate::Settings { n_nodes: 12, n_views: 8, n_signals: vec![60], ..Default::default() };
/// let (views, _) = Views::assemble(simulate(&settings)?.tables, &ViewOptions::default())?;
/// let fit = Smooth::new(0.07, 0.03).learn(&views, &no_progress)?;
/// let labels = ["old", "young"].iter().cycle().take(8).map(ToString::to_string).collect();
/// let design = Design { labels, ..Design::default() };
///
/// let settings = Settings::default();
/// let comparing = Comparing::new(&fit.graph, &design, &settings)?;
/// let part = |first: usize| {
///     let numbers: Vec<usize> = (first..comparing.n_relabellings()).step_by(2).collect();
///     comparing.relabelled(&numbers, &no_progress).unwrap()
/// };
/// let together = part(1).with(part(0)).unwrap();
/// assert_eq!(comparing.found(together), compare(&fit.graph, &design, &settings)?);
/// # Ok::<(), congraph::Error>(())
/// ```
pub struct Comparing<'g> {
    graph: &'g MultiviewGraph,
    settings: &'g Settings,
    design: Checked,
    statistic: Statistic,
    model: Model,
    sums_model: Model,
    tested: Tested,
    relabellings: Relabellings,
}

/// What some of the relabellings of a comparison gave. Counts are whole numbers and sizes belong to one relabelling, so
/// that the sum of any parts is the same to the bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Relabelled {
    /// Which relabellings these are.
    pub numbers: BTreeSet<usize>,
    /// Above what size edges form components. No label decides it, and all parts find the same.
    threshold: f64,
    families: Vec<Tally>,
}

impl Relabelled {
    /// Together with what other relabellings gave; none if some are the same, or are not of the same comparison.
    #[must_use]
    pub fn with(mut self, other: Self) -> Option<Self> {
        let is_same =
            self.threshold.to_bits() == other.threshold.to_bits() && self.families.len() == other.families.len();
        if !is_same || !self.numbers.is_disjoint(&other.numbers) {
            return None;
        }
        self.numbers.extend(other.numbers);
        let both = self.families.into_iter().zip(other.families);
        self.families = both.map(|(mine, theirs)| mine.add(theirs)).collect();
        Some(self)
    }
}

impl<'g> Comparing<'g> {
    /// Checks what is asked.
    ///
    /// # Errors
    /// As [`compare`](super::compare).
    pub fn new(graph: &'g MultiviewGraph, design: &Design, settings: &'g Settings) -> Result<Self, Error> {
        settings.check()?;
        let design = Checked::new(design, graph.views(), settings)?;
        let default = if design.is_paired() {
            Statistic::T
        } else {
            Statistic::Rank
        };
        let statistic = settings.statistic.unwrap_or(default);
        // Every node has a strength and every graph a density: presence tells nothing of them.
        let of_sums = if statistic == Statistic::Presence {
            Statistic::Rank
        } else {
            statistic
        };
        Ok(Self {
            graph,
            settings,
            statistic,
            model: Model::new(&design, statistic),
            sums_model: Model::new(&design, of_sums),
            tested: Tested::new(graph, settings)?,
            relabellings: Relabellings::of(&design, settings.permutations, settings.seed),
            design,
        })
    }

    /// How many relabellings there are; they are numbered from 0 on, and each depends on its number alone.
    pub fn n_relabellings(&self) -> usize {
        self.relabellings.len()
    }

    /// What the relabellings of some numbers give; none if the watch asked to stop.
    pub fn relabelled(&self, numbers: &[usize], watch: Watch<'_>) -> Option<Relabelled> {
        let families = self.families();
        let threshold = match self.settings.threshold {
            None if self.with_components() => thresholds::found(&families[0], &self.relabellings, watch)?,
            given => given.unwrap_or(USUAL_THRESHOLD),
        };
        let network = self.network(threshold);
        Some(Relabelled {
            numbers: numbers.iter().copied().collect(),
            threshold,
            families: permuted(&families, network, &self.relabellings, numbers, watch)?,
        })
    }

    /// Whether this can be what some relabellings of this comparison gave.
    pub fn fits(&self, relabelled: &Relabelled) -> bool {
        let families = self.families();
        let n = relabelled.numbers.len();
        relabelled.families.len() == families.len()
            && relabelled.numbers.iter().all(|&number| number < self.n_relabellings())
            && relabelled.threshold > 0.0
            && (relabelled.families.iter().zip(&families).enumerate())
                .all(|(k, (tally, family))| tally.fits(family, k == 0 && self.with_components(), n))
    }

    /// What all relabellings say.
    pub fn found(&self, relabelled: Relabelled) -> Comparison {
        let Relabelled {
            threshold,
            families: tallies,
            ..
        } = relabelled;
        let network = self.network(threshold);
        let given = network.filter(|_| self.settings.threshold.is_some());
        let unreached = given.zip(tallies.first()).and_then(|(network, edges)| {
            thresholds::out_of_reach(
                network.threshold,
                &edges.intensities,
                &edges.largest,
                self.settings.level,
            )
        });
        let told = Told {
            graph: self.graph,
            design: &self.design,
            tested: &self.tested,
            model: &self.model,
            sums_model: &self.sums_model,
            relabellings: &self.relabellings,
        };
        let mut found = told.comparison(&self.families(), tallies, network, self.statistic);
        found.threshold = threshold;
        found.warnings.extend(unreached);
        found
    }

    fn with_components(&self) -> bool {
        self.settings.wants(Measure::Components)
    }

    /// Edges, nodes, and measures of whole graphs.
    fn families(&self) -> [Family<'_>; 3] {
        let Self { graph, tested, .. } = self;
        let edges = tested.edges.par_iter().map(|&edge| graph.weights().row(edge));
        [
            Family::new(&self.model, edges, self.design.groups.len() > 2),
            Family::new(
                &self.sums_model,
                tested.strengths.par_iter().map(|(_, row)| &row[..]),
                false,
            ),
            Family::new(
                &self.sums_model,
                tested.measures.par_iter().map(|(_, row)| &row[..]),
                false,
            ),
        ]
    }

    /// Where components are looked for, if they are asked for.
    fn network(&self, threshold: f64) -> Option<Network<'_>> {
        let network = Network {
            n_nodes: self.graph.n_nodes(),
            pairs: &self.tested.pairs,
            threshold,
        };
        self.with_components().then_some(network)
    }
}
