//! Who differs: edges, nodes and whole graphs compared between groups of views, or between two conditions of the same
//! subjects.
//!
//! One fit of all views together treats them alike: exchange two views and their graphs are exchanged, nothing else.
//! If the groups do not differ, any relabelling of the views was as likely as the one observed, so **labels are permuted
//! on the weights of one fit** and the tests are exact for any statistic, however the views are coupled. A fit that
//! knew the labels (one consensus per group, a density tuned per group) breaks that, and calls differences in most
//! studies without any.
//!
//! ```text
//! y_e         the weights of edge e, one per view: their midranks (rank), as they are (t), or 1 where present (presence)
//! ε_e         y_e less what the covariates explain (at least the mean)
//! g           the labels less what the covariates explain, of length 1
//! c = gᵀPε    of a relabelling P;  S = ‖Pε‖² less what the covariates explain of it (Freedman and Lane)
//! z           c √(d/S), d = views − 1 − covariates (the rank-sum z);  t: c / √((S − c²)/(d − 1))
//! p_fwe       the share of relabellings, the observed one among them, whose largest |z| of all edges is at least |z_e|
//! component   connected edges of |z| > threshold; its intensity Σ(|z| − threshold) against the largest of each relabelling
//! threshold   3, or where fewer than half of the relabellings have an edge above that, so low that half of them have one
//! pairs       y_e = w_b − w_a of each pair, g = 1/√pairs, and P flips signs
//! groups > 2  c² is a sum over an orthonormal basis of the labels: Kruskal and Wallis's H = d c²/S (t: F), then all pairs
//!             of groups by their contrasts, with the largest over edges and pairs of groups
//! ```
//!
//! Edges that fewer than two views have are not tested, which no label decides. Weights are relative (they add up to the
//! number of nodes in every view): edges beside one that changed change too, and total weight is the same in all.
//!
//! ```text
//! design         labels, pairs and covariates, checked             model       what is summed over views, and how it is judged
//! ranks          midranks                                          relabelling all of them, or random ones by number
//! permutations   every statistic under every relabelling           components  connected edges above a threshold
//! thresholds     above what, so that components are found at all
//! measures       strength, density, uniqueness, modularity, efficiency of every view
//! samples        groups with more samples than others, and one draw that makes them equal
//! coupling       whether a fit knew what is tested                 parts       some relabellings here, others elsewhere
//! ```
//!
//! Costs relabellings × views × edges multiplications. Random relabellings are numbered and each is drawn from its own
//! stream, so that results are the same for any number of threads; views and nodes are taken in the order of their names.

mod components;
mod coupling;
mod design;
mod measures;
mod model;
mod outcome;
mod parts;
mod permutations;
mod ranks;
mod relabelling;
mod rows;
mod samples;
mod thresholds;

pub use coupling::check_coupling;
pub use design::{Covariate, CovariateValues, Design};
pub use outcome::{Comparison, compare, compare_watched};
pub use parts::{Comparing, Relabelled};
pub use rows::{ComponentRow, EdgeRow, FollowUpRow, Group, MeasureRow, NodeRow, Null};
pub use samples::{Equalised, SAMPLES_RATIO, check_samples, equalise, learn_equalised};
pub use thresholds::USUAL_THRESHOLD;

use crate::error::Error;

/// What edges are judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// The ranks of the weights: the rank-sum test, or of pairs the signed-rank test.
    Rank,
    /// The weights: Student's t.
    T,
    /// Whether there is an edge at all.
    Presence,
}

impl Statistic {
    /// Its word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rank => "rank",
            Self::T => "t",
            Self::Presence => "presence",
        }
    }
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// Every edge.
    Edges,
    /// Connected edges that differ together.
    Components,
    /// The strength of every node: the sum of its weights without their signs.
    Strength,
    /// The density of each graph.
    Density,
    /// How far each graph is from the consensus.
    Uniqueness,
    /// The modularity of each graph's communities.
    Modularity,
    /// The mean over pairs of nodes of one over the shortest path between them, where an edge is 1/|w| long.
    Efficiency,
}

impl Measure {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Edges,
        Self::Components,
        Self::Strength,
        Self::Density,
        Self::Uniqueness,
        Self::Modularity,
        Self::Efficiency,
    ];

    /// Its word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Edges => "edges",
            Self::Components => "components",
            Self::Strength => "strength",
            Self::Density => "density",
            Self::Uniqueness => "uniqueness",
            Self::Modularity => "modularity",
            Self::Efficiency => "efficiency",
        }
    }
}

/// How to compare.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// What edges are judged by; by default ranks, and of pairs t.
    pub statistic: Option<Statistic>,
    /// How many random relabellings; if there are not more than that, all of them.
    pub permutations: usize,
    /// The |z| above which edges form components; by default what `thresholds` says.
    pub threshold: Option<f64>,
    /// The level that a result should be able to reach.
    pub level: f64,
    /// The seed of the relabellings.
    pub seed: u64,
    /// What is compared.
    pub measures: Vec<Measure>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            statistic: None,
            permutations: 5000,
            threshold: None,
            level: 0.05,
            seed: 1,
            measures: vec![Measure::Edges, Measure::Components, Measure::Strength, Measure::Density],
        }
    }
}

impl Settings {
    fn wants(&self, measure: Measure) -> bool {
        self.measures.contains(&measure)
    }

    fn check(&self) -> Result<(), Error> {
        let refused = |name, message: String| Err(Error::Parameter { name, message });
        if self.permutations == 0 {
            return refused("permutations", "is 0; it must be at least 1".into());
        }
        if let Some(given) = self.threshold.filter(|given| !(*given > 0.0 && given.is_finite())) {
            return refused("nbs", format!("is {given}; it must be finite and positive"));
        }
        if !(self.level > 0.0 && self.level < 1.0) {
            return refused("level", format!("is {}; it must be between 0 and 1", self.level));
        }
        if self.measures.is_empty() {
            let words: Vec<&str> = Measure::ALL.iter().map(|measure| measure.name()).collect();
            return refused(
                "measures",
                format!("is empty; name one or more of {}", words.join(", ")),
            );
        }
        Ok(())
    }
}
