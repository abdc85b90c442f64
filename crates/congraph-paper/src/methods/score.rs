//! The methods that are compared, and how well each did.

use congraph::metrics::evaluate;
use congraph::{Error, MultiviewGraph};

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    SvGl,
    JglNonZero,
    JglNegative,
    MvGl1,
    MvGl2,
    MvGl2Free,
    Median,
    Spectrum,
    Likelihood,
    MvGl1Told,
    MvGl2Told,
    SpectrumTold,
    JglTold,
}

impl Method {
    pub(crate) const ALL: [Self; 13] = [
        Self::SvGl,
        Self::JglNonZero,
        Self::JglNegative,
        Self::MvGl1,
        Self::MvGl2,
        Self::MvGl2Free,
        Self::Median,
        Self::Spectrum,
        Self::Likelihood,
        Self::MvGl1Told,
        Self::MvGl2Told,
        Self::SpectrumTold,
        Self::JglTold,
    ];
    /// Those that are told both parameters and a threshold.
    pub(crate) const TOLD: [Self; 4] = [Self::MvGl1Told, Self::MvGl2Told, Self::SpectrumTold, Self::JglTold];
    pub(crate) const OF_VIEWS: [Self; 8] = [
        Self::SvGl,
        Self::JglNonZero,
        Self::JglNegative,
        Self::MvGl1,
        Self::MvGl2,
        Self::Spectrum,
        Self::Likelihood,
        Self::JglTold,
    ];
    pub(crate) const OF_CONSENSUS: [Self; 7] = [
        Self::MvGl1,
        Self::MvGl2,
        Self::MvGl2Free,
        Self::Median,
        Self::Spectrum,
        Self::Likelihood,
        Self::JglTold,
    ];

    /// The name in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::SvGl => "svGL",
            Self::JglNonZero => "JGL",
            Self::JglNegative => "JGL-negative",
            Self::MvGl1 => "mvGL-l1",
            Self::MvGl2 => "mvGL-l2",
            Self::MvGl2Free => "mvGL-l2-without-r",
            Self::Median => "median-of-svGL",
            Self::Spectrum => "mvGL-l1-spectrum",
            Self::Likelihood => "likelihood",
            Self::MvGl1Told => "mvGL-l1-told",
            Self::MvGl2Told => "mvGL-l2-told",
            Self::SpectrumTold => "mvGL-l1-spectrum-told",
            Self::JglTold => "JGL-negative-told",
        }
    }

    pub(crate) fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// The name in figures.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::SvGl => "svGL",
            Self::JglNonZero => "JGL, non-zero entries",
            Self::JglNegative => "JGL, negative entries",
            Self::MvGl1 => "mvGL-ℓ1",
            Self::MvGl2 => "mvGL-ℓ2",
            Self::MvGl2Free => "mvGL-ℓ2 without r",
            Self::Median => "median of svGL",
            Self::Spectrum => "mvGL-ℓ1, spectrum ½",
            Self::Likelihood => "likelihood, no truth",
            Self::MvGl1Told => "mvGL-ℓ1, grid + thr",
            Self::MvGl2Told => "mvGL-ℓ2, grid + thr",
            Self::SpectrumTold => "spectrum ½, grid + thr",
            Self::JglTold => "JGL, negative, grid + thr",
        }
    }
}

/// How well one method did on one data set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Score {
    pub(crate) method: Method,
    pub(crate) view_f1: f64,
    pub(crate) density: f64,
    pub(crate) similarity: f64,
    /// F1, precision and density, of methods that have a consensus.
    pub(crate) consensus: Option<[f64; 3]>,
    /// α, β, γ; or λ1, λ2; or q, b and the threshold; of methods that are told, two and the threshold.
    pub(crate) parameters: [f64; 3],
}

impl Score {
    pub(super) fn of(
        method: Method,
        graph: &MultiviewGraph,
        truth: &MultiviewGraph,
        parameters: [f64; 3],
    ) -> Result<Self, Error> {
        let found = evaluate(graph, truth)?;
        let consensus = found.consensus.as_ref().zip(graph.consensus_density());
        Ok(Self {
            method,
            view_f1: found.mean_view_f1(),
            density: graph.mean_density(),
            similarity: graph.similarity().unwrap_or(1.0),
            consensus: consensus.map(|(score, density)| [score.f1(), score.precision(), density]),
            parameters,
        })
    }
}
