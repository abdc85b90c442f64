//! The words that an option may take.

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use congraph::{Missing, NanRule, NodeRule, Orient};
use congraph_io::Header;
use congraph_record::Choice;

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
    Pairwise,
}

impl From<NanArg> for NanRule {
    fn from(arg: NanArg) -> Self {
        match arg {
            NanArg::Error => Self::Error,
            NanArg::DropRows => Self::DropRows,
            NanArg::Pairwise => Self::Pairwise,
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

/// The words of an option that has a list of them, as what they stand for.
pub(super) fn choice<C: Choice + Send + Sync>() -> impl TypedValueParser<Value = C> {
    let all: Vec<C> = C::WORDS.iter().map(|(_, choice)| *choice).collect();
    choice_of(&all)
}

/// Some of them.
pub(super) fn choice_of<C: Choice + Send + Sync>(some: &[C]) -> impl TypedValueParser<Value = C> + use<C> {
    let word = |choice: &C| {
        let former = C::FORMER.iter().filter(|(_, former)| former == choice);
        PossibleValue::new(choice.word()).aliases(former.map(|(word, _)| *word))
    };
    let parser = PossibleValuesParser::new(some.iter().map(word).collect::<Vec<_>>());
    parser.try_map(|word| C::of_word(&word).ok_or("is not known"))
}

/// The penalties, as the library offers them.
pub(super) fn penalties() -> PossibleValuesParser {
    names(congraph::penalties::names().into_iter())
}

/// The regularisers, as the library offers them.
pub(super) fn regularisers() -> PossibleValuesParser {
    names(
        congraph::regularisers::registry()
            .iter()
            .map(|regulariser| regulariser.name().to_owned()),
    )
}

fn names(names: impl Iterator<Item = String>) -> PossibleValuesParser {
    names.collect::<Vec<_>>().into()
}
