//! What cannot be said of the edges, and why.

use super::{Absent, CALIBRATED_UNITS, Halvings};
use crate::error::{Code, DataError, Error, Warning};
use crate::options::{option, step};
use crate::refits::{Refit, Unit, lag_one};

/// Samples whose correlation with the next is above this are no independent units.
const SERIES: f64 = 0.2;

impl<M: Refit> Halvings<'_, M> {
    /// What is not told, and why.
    pub(super) fn absent(&self) -> Vec<Absent> {
        let mut absent = Vec::new();
        let units = match self.unit {
            Unit::Blocks => "blocks",
            Unit::Samples => "samples",
            Unit::Views => "views",
        };
        if !self.is_calibrated() {
            let fewest = self.refits.n_units().into_iter().min().unwrap_or(0);
            absent.push(Absent {
                columns: &["replicates"],
                reason: format!(
                    "halves are halved again to see what comes back, which needs {CALIBRATED_UNITS} {units}{}; there are \
                     {fewest}",
                    if self.unit == Unit::Views { "" } else { " in every view" }
                ),
            });
        }
        if self.unit == Unit::Views {
            absent.push(Absent {
                columns: &["views"],
                reason: "views were halved, so that each is in one half only".into(),
            });
        }
        absent
    }

    /// W10 if samples that follow each other like a time series were halved one by one.
    pub(super) fn warnings(&self) -> Vec<Warning> {
        let correlated = lag_one(self.refits.views(), SERIES);
        let (Unit::Samples, Some(correlated)) = (self.unit, correlated) else {
            return Vec::new();
        };
        vec![Warning::new(
            "W10",
            format!(
                "a sample resembles the one before, as in a time series (correlation {correlated:.2}), and samples are \
                 halved one by one as if they were independent: edges look surer than they are. Name trials or sessions \
                 with {}",
                step("tell_blocks", "`block_column`")
            ),
        )]
    }
}

/// Halves of views would part the views of a subject, which the fit couples.
pub(super) fn parted_subjects() -> Error {
    DataError::new(
        Code::E05,
        "the fit couples the views of each subject, and halves of the views would part them",
        "halves must be fitted as the whole was, with all views of a subject",
        format!(
            "halve blocks or samples with {}; to speak of other subjects, learn a graph for each subject from all its samples",
            option("units").set_to("blocks")
        ),
    )
    .into()
}
