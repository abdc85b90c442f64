//! Which pairs may be joined, and at what cost.
//!
//! Both can be a table whose nodes only the data name: no table is read here. What is resolved then says which ones a
//! face has to read and hand in ([`Asked::on_pairs`](super::Asked::on_pairs)).

use std::path::PathBuf;

use congraph::options::option;
use congraph::{Candidates, EdgeCost};

use crate::refusal::RequestError;

/// Which pairs may be joined.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum CandidateRequest {
    /// All.
    #[default]
    All,
    /// Each node's nearest neighbours in some view.
    Nearest(usize),
    /// These, by the numbers of their nodes.
    Listed(Vec<[u32; 2]>),
    /// Those of a table.
    Table(PathBuf),
}

impl CandidateRequest {
    /// From a word: `knn:K`, or the name of a table.
    ///
    /// # Errors
    /// If K is not a number of neighbours.
    pub fn of_word(word: &str) -> Result<Self, RequestError> {
        let Some(k) = word.strip_prefix("knn:") else {
            return Ok(Self::Table(word.into()));
        };
        match k.parse() {
            Ok(k) if k > 0 => Ok(Self::Nearest(k)),
            _ => Err(RequestError::usage(
                "candidates",
                format!(
                    "{}: `{k}` is not a number of neighbours",
                    option("candidates").set_to(word).bare()
                ),
                format!(
                    "such as {}, or a file with the columns source and target",
                    option("candidates").set_to("knn:20")
                ),
            )),
        }
    }

    /// What the library takes; all pairs in place of a table that is still to be read.
    pub(super) fn candidates(&self, seed: u64) -> Candidates {
        match self {
            Self::All | Self::Table(_) => Candidates::AllPairs,
            Self::Nearest(k) => Candidates::Nearest { k: *k, seed },
            Self::Listed(pairs) => Candidates::Listed(pairs.clone()),
        }
    }
}

/// What is added to the distances of some pairs.
#[derive(Clone, Debug, PartialEq)]
pub enum CostRequest {
    /// These costs; none usually.
    Listed(Vec<EdgeCost>),
    /// Those of a table.
    Table(PathBuf),
}

impl Default for CostRequest {
    fn default() -> Self {
        Self::Listed(Vec::new())
    }
}

impl CostRequest {
    /// What the library takes; nothing in place of a table that is still to be read.
    pub(super) fn costs(&self) -> Vec<EdgeCost> {
        match self {
            Self::Listed(costs) => costs.clone(),
            Self::Table(_) => Vec::new(),
        }
    }
}

/// Tables that a face has to read when the names of the nodes are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tables {
    /// Pairs that may be joined.
    pub candidates: Option<PathBuf>,
    /// Costs of pairs.
    pub edge_costs: Option<PathBuf>,
}

impl Tables {
    pub(super) fn of(candidates: &CandidateRequest, costs: &CostRequest) -> Self {
        Self {
            candidates: match candidates {
                CandidateRequest::Table(path) => Some(path.clone()),
                _ => None,
            },
            edge_costs: match costs {
                CostRequest::Table(path) => Some(path.clone()),
                CostRequest::Listed(_) => None,
            },
        }
    }
}
