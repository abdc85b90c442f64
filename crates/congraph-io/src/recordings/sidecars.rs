//! The tables that BIDS keeps beside a recording: `_events.tsv` and `_channels.tsv`.
//!
//! A first line of names, tabs between cells, `n/a` where nothing is known. Other columns than those read are left
//! alone.

use std::path::Path;

use congraph::options::option;
use congraph::{Error, list_names};
use congraph_eeg::Annotation;

use super::unreadable;
use crate::input::records::{BadQuote, Records, Separator};
use crate::input::{Fault, fault, regular};

/// Far more than any recording has events.
const LARGEST: u64 = 1 << 28;

/// What `_channels.tsv` says of the channels of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChannelNotes {
    /// Those with the status `bad`.
    pub bad: Vec<String>,
    /// Those of another type than EEG: eyes, heart, triggers.
    pub other: Vec<String>,
}

/// Reads the events of a `_events.tsv`: their onsets and durations in seconds, and their texts from one column; by
/// default `trial_type` if it tells any, else `value`.
///
/// # Errors
/// E07 with the file and line, or the columns that are there.
pub fn read_events(path: &Path, column: Option<&str>) -> Result<Vec<Annotation>, Error> {
    events(path, column).map_err(|fault| Error::from(*fault))
}

/// Reads which channels a `_channels.tsv` calls bad, and which are not EEG.
///
/// # Errors
/// E07 with the file and line.
pub fn read_channels(path: &Path) -> Result<ChannelNotes, Error> {
    channels(path).map_err(|fault| Error::from(*fault))
}

fn events(path: &Path, column: Option<&str>) -> Result<Vec<Annotation>, Fault> {
    let sheet = Sheet::read(path, "it tells when the events were")?;
    let onset = sheet.column("onset")?;
    let duration = sheet.find("duration");
    let texts = match column {
        Some(column) => sheet.column(column)?,
        None => {
            let tells = |at: &usize| sheet.rows.iter().any(|row| row.cell(*at).is_some());
            let usual = ["trial_type", "value"].map(|name| sheet.find(name).filter(tells));
            match usual.into_iter().flatten().next() {
                Some(at) => at,
                None => sheet.column("trial_type")?,
            }
        }
    };
    let mut events = Vec::new();
    for row in &sheet.rows {
        // Without a time there is nothing to cut around, and without a text nothing to choose it by.
        let (Some(onset), Some(text)) = (row.cell(onset), row.cell(texts)) else {
            continue;
        };
        let seconds = |cell: &str| {
            let number = cell.parse::<f64>().ok().filter(|seconds| seconds.is_finite());
            number.ok_or_else(|| sheet.odd(row.line, &format!("`{cell}` is not a time in seconds")))
        };
        events.push(Annotation {
            onset: seconds(onset)?,
            duration: duration.and_then(|at| row.cell(at)).map_or(Ok(0.0), seconds)?,
            text: text.to_owned(),
        });
    }
    events.sort_by(|a, b| a.onset.total_cmp(&b.onset));
    Ok(events)
}

fn channels(path: &Path) -> Result<ChannelNotes, Fault> {
    let sheet = Sheet::read(path, "it tells which channels are bad")?;
    let name = sheet.column("name")?;
    let (kind, status) = (sheet.find("type"), sheet.find("status"));
    let mut notes = ChannelNotes::default();
    for row in &sheet.rows {
        let Some(name) = row.cell(name) else { continue };
        let says = |at: Option<usize>| at.and_then(|at| row.cell(at));
        if says(kind).is_some_and(|kind| !kind.eq_ignore_ascii_case("eeg")) {
            notes.other.push(name.to_owned());
        } else if says(status).is_some_and(|status| status.eq_ignore_ascii_case("bad")) {
            notes.bad.push(name.to_owned());
        }
    }
    Ok(notes)
}

struct Sheet<'p> {
    path: &'p Path,
    why: &'static str,
    columns: Vec<String>,
    rows: Vec<Row>,
}

struct Row {
    line: usize,
    cells: Vec<String>,
}

impl Row {
    /// What a cell says, if anything.
    fn cell(&self, at: usize) -> Option<&str> {
        let cell = self.cells.get(at)?.trim();
        (!cell.is_empty() && !cell.eq_ignore_ascii_case("n/a")).then_some(cell)
    }
}

impl<'p> Sheet<'p> {
    fn read(path: &'p Path, why: &'static str) -> Result<Self, Fault> {
        let length = regular(path).map_err(|error| unreadable(path, &error))?;
        if length > LARGEST {
            let what = format!("has {length} bytes, too many for such a table");
            return Err(fault(path, &what, why, "check the file"));
        }
        let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
        let text = super::fields::text(&bytes);
        let mut sheet = Self {
            path,
            why,
            columns: Vec::new(),
            rows: Vec::new(),
        };
        let mut records = Records::new(text.trim_start_matches('\u{feff}'), Separator::Byte(b'\t'));
        let mut cells = Vec::new();
        loop {
            let line = match records.next_row(&mut cells) {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(BadQuote { line }) => return Err(sheet.odd(line, "a quoted cell does not end where it should")),
            };
            let cells: Vec<String> = cells.iter().map(ToString::to_string).collect();
            if sheet.columns.is_empty() {
                sheet.columns = cells.iter().map(|cell| cell.trim().to_owned()).collect();
            } else {
                sheet.rows.push(Row { line, cells });
            }
        }
        Ok(sheet)
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.eq_ignore_ascii_case(name))
    }

    fn column(&self, name: &str) -> Result<usize, Fault> {
        self.find(name).ok_or_else(|| {
            let there = list_names(&self.columns);
            let what = format!("has no column `{name}`; its columns are {there}");
            fault(
                self.path,
                &what,
                self.why,
                "name the columns in the first line, with tabs between them",
            )
        })
    }

    fn odd(&self, line: usize, what: &str) -> Fault {
        let what = format!("cannot be read: line {line}: {what}");
        fault(
            self.path,
            &what,
            self.why,
            format!(
                "mend the line, or ignore the tables beside recordings with {}",
                option("no_sidecars").bare()
            ),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written<T>(text: &str, read: impl Fn(&Path) -> Result<T, Error>) -> Result<T, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sub-1_events.tsv");
        std::fs::write(&path, text).unwrap();
        read(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn events_are_read_by_the_column_that_tells_them() {
        let text = "onset\tduration\ttrial_type\tvalue\n2.5\tn/a\terror\t12\n1\t0.5\tcorrect\t11\nn/a\t0\terror\t12\n\
            3\t0\tn/a\t13\n";
        let found = written(text, |path| read_events(path, None)).unwrap();
        let told: Vec<_> = found
            .iter()
            .map(|event| (event.onset, event.duration, event.text.as_str()))
            .collect();
        assert_eq!(told, [(1.0, 0.5, "correct"), (2.5, 0.0, "error")]);
        let codes = written(text, |path| read_events(path, Some("value"))).unwrap();
        assert_eq!(
            codes.iter().map(|event| event.text.as_str()).collect::<Vec<_>>(),
            ["11", "12", "13"]
        );
        let untold = "onset\ttrial_type\tvalue\n1\tn/a\t7\n";
        assert_eq!(written(untold, |path| read_events(path, None)).unwrap()[0].text, "7");
    }

    #[test]
    fn bad_and_other_channels_are_told_apart() {
        let text =
            "name\ttype\tunits\tstatus\nFp1\tEEG\tuV\tbad\nFp2\tEEG\tuV\tgood\nVEOG\tEOG\tuV\tbad\nCz\teeg\tuV\tn/a\n";
        let notes = written(text, read_channels).unwrap();
        assert_eq!(
            (notes.bad, notes.other),
            (vec!["Fp1".to_owned()], vec!["VEOG".to_owned()])
        );
        assert_eq!(written("name\nFp1\n", read_channels).unwrap(), ChannelNotes::default());
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let events = |text: &str| written(text, |path| read_events(path, None)).unwrap_err();
        assert!(
            events("onset\tduration\n1\t1\n")
                .contains("no column `trial_type`; its columns are `onset` and `duration`")
        );
        assert!(events("time\ttrial_type\n1\t1\n").contains("no column `onset`"));
        assert!(events("onset\ttrial_type\nsoon\tx\n").contains("line 2: `soon` is not a time"));
        assert!(events("onset\ttrial_type\ninf\tx\n").contains("line 2"));
        assert!(events("onset\ttrial_type\n1\t\"x\n").contains("line 2"));
        assert!(written("", read_channels).unwrap_err().contains("no column `name`"));
    }
}
