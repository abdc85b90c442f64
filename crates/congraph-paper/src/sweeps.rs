//! Results arranged as the figures are: one sweep per panel, one series per line.

use crate::methods::{Method, Outcome, Score};
use crate::plan::{Family, Plan, Varied};
use crate::statistics::Band;

/// One line of a panel: at each level, one value per realisation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    pub(crate) values: Vec<Vec<f64>>,
}

impl Series {
    pub(crate) fn bands(&self) -> Vec<Band> {
        self.values.iter().map(|values| Band::of(values)).collect()
    }

    pub(crate) fn means(&self) -> Vec<f64> {
        self.bands().iter().map(|band| band.mean).collect()
    }
}

/// One panel of a figure on F1.
pub(crate) struct Sweep<'a> {
    pub(crate) family: Family,
    pub(crate) varied: Varied,
    pub(crate) levels: Vec<f64>,
    /// The outcomes at each level, in the order of the realisations.
    outcomes: Vec<Vec<&'a Outcome>>,
}

impl<'a> Sweep<'a> {
    /// All panels, a to f.
    pub(crate) fn all(plan: &Plan, outcomes: &'a [Outcome]) -> Vec<Self> {
        let panel = |family: Family, varied: Varied| {
            let levels = plan.levels(family, varied);
            let at = |setting| outcomes.iter().filter(|outcome| outcome.setting == setting).collect();
            Self {
                family,
                varied,
                outcomes: levels.iter().map(|&(_, setting)| at(setting)).collect(),
                levels: levels.into_iter().map(|(level, _)| level).collect(),
            }
        };
        Family::ALL
            .into_iter()
            .flat_map(|family| Varied::OF_SCORES.map(|varied| panel(family, varied)))
            .collect()
    }

    /// A measure of a method, where it has it.
    pub(crate) fn series(&self, method: Method, measure: impl Fn(&Score) -> Option<f64>) -> Series {
        let value = |outcome: &&&Outcome| {
            let score = outcome.scores.iter().find(|score| score.method == method)?;
            measure(score)
        };
        let values = self.outcomes.iter();
        Series {
            values: values
                .map(|level| level.iter().filter_map(|outcome| value(&outcome)).collect())
                .collect(),
        }
    }

    pub(crate) fn view_f1(&self, method: Method) -> Series {
        self.series(method, |score| Some(score.view_f1))
    }

    pub(crate) fn consensus_f1(&self, method: Method) -> Series {
        self.series(method, |score| score.consensus.map(|[f1, _, _]| f1))
    }

    /// The outcomes of each level with the level.
    pub(crate) fn by_level(&self) -> impl Iterator<Item = (f64, &[&'a Outcome])> {
        self.levels.iter().copied().zip(self.outcomes.iter().map(Vec::as_slice))
    }

    /// `a` to `f`.
    pub(crate) fn letter(&self) -> char {
        let column = Varied::OF_SCORES.iter().position(|varied| *varied == self.varied);
        let row = Family::ALL.iter().position(|family| *family == self.family);
        ['a', 'b', 'c', 'd', 'e', 'f'][3 * row.unwrap_or(0) + column.unwrap_or(0)]
    }
}
