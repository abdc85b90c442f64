//! Where time jumps between data records.
//!
//! Each record of EDF+ and BDF+ says when it starts. Files that are marked as discontinuous (EDF+D, BDF+D) are split
//! where a record starts later than the one before it ended; all others are read as continuous, and told when their
//! records disagree.

use std::path::Path;

use congraph_eeg::Segment;

use super::annotations::Notes;
use super::header::{Header, damaged};
use crate::input::Fault;

/// The stretches of records without a gap between them.
pub(super) fn segments(
    path: &Path,
    header: &Header,
    notes: &Notes,
    n_records: usize,
    warn: &mut impl FnMut(String),
) -> Result<Vec<Segment>, Fault> {
    let whole = Segment {
        onset: 0.0,
        records: 0..n_records,
    };
    // Half of the shortest sample: less than that is rounding in the text of the onsets.
    let samples = header.signals.iter().filter(|signal| !signal.is_annotations());
    let Some(most) = samples.map(|signal| signal.samples_per_record).max() else {
        return Ok(vec![whole]);
    };
    let slack = 0.5 * header.record_seconds / most as f64;
    if header.is_discontinuous {
        return split_at_gaps(path, header, notes, n_records, slack);
    }
    if let Some((n_off, first)) = off_times(header, notes, slack) {
        warn(format!(
            "says that it is continuous, but {n_off} of its {n_records} data records start at another time, the first \
             of them record {first}; it was read as continuous"
        ));
    }
    Ok(vec![whole])
}

/// How many records of a continuous file say that they start at another time, and the number of the first of them.
fn off_times(header: &Header, notes: &Notes, slack: f64) -> Option<(usize, usize)> {
    let start = notes.start();
    let expected = |record: usize| start + record as f64 * header.record_seconds;
    let is_off = |(record, onset): (usize, &Option<f64>)| {
        onset
            .filter(|onset| (onset - expected(record)).abs() > slack)
            .map(|_| record)
    };
    let off: Vec<usize> = notes.record_onsets.iter().enumerate().filter_map(is_off).collect();
    off.first().map(|first| (off.len(), first + 1))
}

/// Records that follow one another without a gap become one segment.
fn split_at_gaps(
    path: &Path,
    header: &Header,
    notes: &Notes,
    n_records: usize,
    slack: f64,
) -> Result<Vec<Segment>, Fault> {
    let start = notes.start();
    let mut segments: Vec<Segment> = Vec::new();
    for record in 0..n_records {
        let onset = notes.record_onsets.get(record).copied().flatten().ok_or_else(|| {
            let what = format!(
                "is discontinuous, and its data record {} does not say when it starts",
                record + 1
            );
            damaged(path, &what)
        })?;
        let onset = onset - start;
        if let Some(last) = segments.last_mut() {
            let end = last.onset + last.records.len() as f64 * header.record_seconds;
            if onset < end - slack {
                let record = record + 1;
                let what =
                    format!("is discontinuous, and its data record {record} starts before the one before it ends");
                return Err(damaged(path, &what));
            }
            // It goes on where the last one ended.
            if onset <= end + slack {
                last.records.end = record + 1;
                continue;
            }
        }
        segments.push(Segment {
            onset,
            records: record..record + 1,
        });
    }
    Ok(segments)
}
