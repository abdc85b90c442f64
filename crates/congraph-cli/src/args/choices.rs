//! The words that an option may take.

use clap::ValueEnum;
use congraph::methods::graphical_lasso::Coupling;
use congraph::signals::Scale;
use congraph::views::{Missing, NanRule, NodeRule, Orient};
use congraph_io::Header;

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OrientArg {
    SamplesByNodes,
    NodesBySamples,
}

impl From<OrientArg> for Orient {
    fn from(arg: OrientArg) -> Self {
        match arg {
            OrientArg::SamplesByNodes => Self::SamplesByNodes,
            OrientArg::NodesBySamples => Self::NodesBySamples,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum HeaderArg {
    Auto,
    Yes,
    No,
}

impl From<HeaderArg> for Header {
    fn from(arg: HeaderArg) -> Self {
        match arg {
            HeaderArg::Auto => Self::Auto,
            HeaderArg::Yes => Self::Yes,
            HeaderArg::No => Self::No,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum NodesArg {
    Same,
    Common,
}

impl From<NodesArg> for NodeRule {
    fn from(arg: NodesArg) -> Self {
        match arg {
            NodesArg::Same => Self::Same,
            NodesArg::Common => Self::Common,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum NanArg {
    Error,
    DropRows,
}

impl From<NanArg> for NanRule {
    fn from(arg: NanArg) -> Self {
        match arg {
            NanArg::Error => Self::Error,
            NanArg::DropRows => Self::DropRows,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MissingArg {
    Error,
    Mask,
}

impl From<MissingArg> for Missing {
    fn from(arg: MissingArg) -> Self {
        match arg {
            MissingArg::Error => Self::Error,
            MissingArg::Mask => Self::Mask,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum ScaleArg {
    Zscore,
    Center,
    None,
}

impl From<ScaleArg> for Scale {
    fn from(arg: ScaleArg) -> Self {
        match arg {
            ScaleArg::Zscore => Self::Zscore,
            ScaleArg::Center => Self::Center,
            ScaleArg::None => Self::None,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum SampleNormArg {
    Mean,
    Sum,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DistanceNormArg {
    Max,
    None,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MethodArg {
    Congraph,
    JglFused,
    JglGroup,
}

impl MethodArg {
    /// The coupling of the joint graphical lasso, if it is one.
    pub(crate) fn coupling(self) -> Option<Coupling> {
        match self {
            Self::Congraph => None,
            Self::JglFused => Some(Coupling::Fused),
            Self::JglGroup => Some(Coupling::Group),
        }
    }
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SolverArg {
    Newton,
    Admm,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ZStepArg {
    Exact,
    Bcd,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum GraphArg {
    Er,
    Ba,
    Rgg,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FilterArg {
    Pinv,
    Gaussian,
    Heat,
    Tikhonov,
}

/// The penalties, as the library offers them.
pub(super) fn penalties() -> clap::builder::PossibleValuesParser {
    names(
        congraph::penalties::registry()
            .iter()
            .map(|penalty| penalty.name().to_owned()),
    )
}

/// The regularisers, as the library offers them.
pub(super) fn regularisers() -> clap::builder::PossibleValuesParser {
    names(
        congraph::regularisers::registry()
            .iter()
            .map(|regulariser| regulariser.name().to_owned()),
    )
}

fn names(names: impl Iterator<Item = String>) -> clap::builder::PossibleValuesParser {
    names.collect::<Vec<_>>().into()
}
