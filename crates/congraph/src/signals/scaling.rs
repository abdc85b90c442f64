//! How signals and costs are made comparable, so that α and β mean the same for every data set; each choice can be
//! switched off.
//!
//! - every node is z-scored within its view ([`Scale`]), so that a loud node is not a distant one;
//! - costs are means over samples, not sums ([`SampleNorm`]), so that more samples do not mean another density;
//! - distances are divided by the largest one over all views ([`DistanceNorm`]), so that units do not matter.

use crate::views::View;

/// How each node's signal is scaled within its view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Mean 0 and standard deviation 1 (population, as scikit-learn does).
    #[default]
    Zscore,
    /// Mean 0.
    Center,
    /// As it is.
    None,
}

/// Whether costs are means over samples or sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SampleNorm {
    /// Divided by the view's number of samples.
    #[default]
    Mean,
    /// Summed over the samples.
    Sum,
}

/// Whether distances are divided by the largest one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DistanceNorm {
    /// Divided by the largest distance over all views.
    #[default]
    Max,
    /// As they are.
    None,
}

/// The three choices together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scaling {
    /// How each node's signal is scaled within its view.
    pub scale: Scale,
    /// Whether costs are means over samples or sums.
    pub sample_norm: SampleNorm,
    /// Whether distances are divided by the largest one.
    pub distance_norm: DistanceNorm,
}

impl Scaling {
    /// The paper's raw objective: nothing is scaled.
    pub const RAW: Self = Self {
        scale: Scale::None,
        sample_norm: SampleNorm::Sum,
        distance_norm: DistanceNorm::None,
    };
}

impl Scaling {
    /// The squared distance between unrelated signals of a view, where it does not depend on the data.
    pub(crate) fn unrelated(&self, view: &View) -> Option<f64> {
        let factor = match self.sample_norm {
            SampleNorm::Mean => 1.0,
            SampleNorm::Sum => view.n_samples()? as f64,
        };
        (self.scale == Scale::Zscore).then_some(2.0 * factor)
    }
}
