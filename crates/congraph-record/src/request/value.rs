//! Values of options as a face has them, before it is known what the option takes.

use std::sync::Arc;

use congraph::EdgeCost;
use congraph::penalties::Penalty;

use super::{CandidateRequest, CostRequest, PenaltyRequest, SpectrumRequest};
use crate::choices::{Choice, FilterChoice, Signed};
use crate::refusal::RequestError;

/// What an option is set to.
#[derive(Clone, Debug)]
pub enum Value {
    /// Nothing.
    Missing,
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Whole(i128),
    /// A whole number that is too large to count with.
    Huge(f64),
    /// Any number.
    Number(f64),
    /// A word.
    Word(String),
    /// Pairs of nodes, by their numbers.
    Pairs(Vec<[u32; 2]>),
    /// Costs of pairs of nodes.
    Costs(Vec<EdgeCost>),
    /// A penalty that a face made.
    Penalty(Arc<dyn Penalty>),
    /// Something else.
    Other,
}

impl Value {
    /// A number.
    pub(super) fn number(&self, id: &'static str) -> Result<f64, RequestError> {
        match self {
            Self::Number(value) | Self::Huge(value) => Ok(*value),
            Self::Whole(value) => Ok(*value as f64),
            Self::Flag(value) => Ok(f64::from(u8::from(*value))),
            _ => Err(RequestError::kind(id, "a number")),
        }
    }

    /// A number, or none.
    pub(super) fn maybe_number(&self, id: &'static str) -> Result<Option<f64>, RequestError> {
        match self {
            Self::Missing => Ok(None),
            given => given.number(id).map(Some),
        }
    }

    /// A whole number that is not negative.
    pub(super) fn count(&self, id: &'static str) -> Result<u64, RequestError> {
        match *self {
            Self::Whole(value) if value < 0 => Err(RequestError::count(id, "0 or more")),
            Self::Whole(value) => u64::try_from(value).map_err(|_| RequestError::count(id, "smaller")),
            Self::Huge(value) if value < 0.0 => Err(RequestError::count(id, "0 or more")),
            Self::Huge(_) => Err(RequestError::count(id, "smaller")),
            Self::Flag(value) => Ok(u64::from(value)),
            _ => Err(RequestError::kind(id, "a whole number")),
        }
    }

    /// The same as a size.
    pub(super) fn size(&self, id: &'static str) -> Result<usize, RequestError> {
        usize::try_from(self.count(id)?).map_err(|_| RequestError::count(id, "smaller"))
    }

    /// The same, or none.
    pub(super) fn maybe_size(&self, id: &'static str) -> Result<Option<usize>, RequestError> {
        match self {
            Self::Missing => Ok(None),
            given => given.size(id).map(Some),
        }
    }

    /// Yes or no.
    pub(super) fn flag(&self, id: &'static str) -> Result<bool, RequestError> {
        match self {
            Self::Flag(value) => Ok(*value),
            _ => Err(RequestError::kind(id, "true or false")),
        }
    }

    /// A word.
    pub(super) fn word(&self, id: &'static str) -> Result<&str, RequestError> {
        match self {
            Self::Word(word) => Ok(word),
            _ => Err(RequestError::kind(id, "a word")),
        }
    }

    /// What a word stands for.
    pub(super) fn choice<C: Choice>(&self) -> Result<C, RequestError> {
        C::from_word(self.word(C::ID)?)
    }

    /// What a word stands for, or none.
    pub(super) fn maybe_choice<C: Choice>(&self) -> Result<Option<C>, RequestError> {
        match self {
            Self::Missing => Ok(None),
            given => given.choice().map(Some),
        }
    }

    /// How often the filter is applied: its word, or a number.
    pub(super) fn filter(&self) -> Result<FilterChoice, RequestError> {
        match self {
            Self::Whole(number) => FilterChoice::from_word(&number.to_string()),
            Self::Word(_) => self.choice(),
            _ => Err(RequestError::kind(FilterChoice::ID, "1, 2 or \"auto\"")),
        }
    }

    /// Whether edges have signs: its word, or yes or no.
    pub(super) fn signed(&self) -> Result<Signed, RequestError> {
        match self {
            Self::Flag(true) => Ok(Signed::Yes),
            Self::Flag(false) => Ok(Signed::No),
            Self::Word(_) => self.choice(),
            _ => Err(RequestError::kind(Signed::ID, "true or false, or a word")),
        }
    }

    /// The name of a penalty, or one that a face made.
    pub(super) fn penalty(&self, id: &'static str) -> Result<PenaltyRequest, RequestError> {
        match self {
            Self::Word(name) => Ok(PenaltyRequest::Named(name.clone())),
            Self::Penalty(given) => Ok(PenaltyRequest::Given(Arc::clone(given))),
            _ => Err(RequestError::kind(id, "a word")),
        }
    }

    /// Which pairs may be joined.
    pub(super) fn candidates(&self, id: &'static str) -> Result<CandidateRequest, RequestError> {
        match self {
            Self::Missing => Ok(CandidateRequest::All),
            Self::Word(word) => CandidateRequest::of_word(word),
            Self::Pairs(pairs) => Ok(CandidateRequest::Listed(pairs.clone())),
            _ => Err(RequestError::kind(id, "a word, or pairs of nodes")),
        }
    }

    /// An exponent, or `auto`.
    pub(super) fn spectrum(&self, id: &'static str) -> Result<SpectrumRequest, RequestError> {
        match self {
            Self::Word(word) => SpectrumRequest::of_word(word),
            Self::Number(_) | Self::Whole(_) | Self::Huge(_) => Ok(SpectrumRequest::Exponent(self.number(id)?)),
            _ => Err(RequestError::kind(id, "a number, or \"auto\"")),
        }
    }

    /// Costs of pairs.
    pub(super) fn costs(&self, id: &'static str) -> Result<CostRequest, RequestError> {
        match self {
            Self::Missing => Ok(CostRequest::default()),
            Self::Costs(costs) => Ok(CostRequest::Listed(costs.clone())),
            _ => Err(RequestError::kind(id, "costs of pairs of nodes")),
        }
    }
}
