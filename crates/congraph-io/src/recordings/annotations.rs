//! Time-stamped annotation lists (TALs) of EDF+ and BDF+.
//!
//! ```text
//! +onset [0x15 duration] 0x14 text 0x14 text 0x14 … 0x00       again and again, padded with 0x00
//! ```
//!
//! The first list of the first annotation signal in a record has an empty first text; its onset is when the record
//! starts. Onsets count from the start time in the header, which is a whole second: what the first record says is taken
//! off, so that 0 is the first sample.

use congraph_eeg::Annotation;

const TEXT_MARK: u8 = 0x14;
const DURATION_MARK: u8 = 0x15;

/// What is in the annotation signals of a whole file.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// In the order of the file, onsets as they stand there.
    pub(super) annotations: Vec<Annotation>,
    /// When each record starts, as far as it is told.
    pub(super) record_onsets: Vec<Option<f64>>,
    /// How many lists could not be read.
    pub(super) n_damaged: usize,
    /// The record of the first of them.
    pub(super) first_damaged: usize,
}

impl Notes {
    /// Adds what one annotation signal holds in one record; `tells_time` in the first such signal of a record.
    pub(super) fn add(&mut self, record: usize, bytes: &[u8], tells_time: bool) {
        let mut onset_of_record = None;
        for (place, list) in bytes
            .split(|&byte| byte == 0)
            .filter(|list| !list.is_empty())
            .enumerate()
        {
            let Some((onset, duration, texts)) = parse(list) else {
                if self.n_damaged == 0 {
                    self.first_damaged = record;
                }
                self.n_damaged += 1;
                continue;
            };
            // The list that keeps time: the first of its record, with an empty first text.
            if place == 0 && texts.first().is_some_and(|text| text.is_empty()) {
                onset_of_record = Some(onset);
            }
            let texts = texts.into_iter().filter(|text| !text.is_empty());
            self.annotations.extend(texts.map(|text| Annotation {
                onset,
                duration,
                text: super::fields::text(text),
            }));
        }
        if tells_time {
            self.record_onsets.push(onset_of_record);
        }
    }

    /// The annotations in order of time, from the first sample on.
    pub(super) fn sorted(&mut self) -> Vec<Annotation> {
        let start = self.start();
        let mut annotations = std::mem::take(&mut self.annotations);
        for annotation in &mut annotations {
            annotation.onset -= start;
        }
        // Stable, so that annotations of the same moment stay in the order of the file.
        annotations.sort_by(|a, b| a.onset.total_cmp(&b.onset));
        annotations
    }

    /// When the first record starts, in seconds after the start time in the header.
    pub(super) fn start(&self) -> f64 {
        self.record_onsets.first().copied().flatten().unwrap_or(0.0)
    }
}

/// Onset, duration and texts of one list.
fn parse(list: &[u8]) -> Option<(f64, f64, Vec<&[u8]>)> {
    let mut parts = list.split(|&byte| byte == TEXT_MARK);
    let mut times = parts.next()?.split(|&byte| byte == DURATION_MARK);
    let onset = times
        .next()
        .filter(|onset| matches!(onset.first(), Some(b'+' | b'-')))?;
    let duration = times.next();
    let mut texts: Vec<&[u8]> = parts.collect();
    // Every text is closed by a mark, so that nothing follows the last one.
    let is_closed = texts.pop().is_some_and(<[u8]>::is_empty);
    if !is_closed || texts.is_empty() || times.next().is_some() {
        return None;
    }
    let onset = seconds(&onset[1..]).map(|size| if onset[0] == b'-' { -size } else { size })?;
    let duration = match duration {
        None | Some([]) => 0.0,
        Some(duration) => seconds(duration)?,
    };
    Some((onset, duration, texts))
}

/// Digits with at most one point among them; no sign, no exponent.
fn seconds(text: &[u8]) -> Option<f64> {
    let is_plain =
        text.first().is_some_and(u8::is_ascii_digit) && text.iter().all(|&byte| byte.is_ascii_digit() || byte == b'.');
    let value: f64 = std::str::from_utf8(text).ok().filter(|_| is_plain)?.parse().ok()?;
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_several_texts_are_read_and_time_counts_from_the_first_sample() {
        let mut notes = Notes::default();
        notes.add(0, b"+0.5\x14\x14\0+1.25\x150.5\x14a\x14\xe4\xbb\xb0\x14\0\0\0", true);
        notes.add(0, b"+0.75\x14second signal\x14\0", false);
        notes.add(1, b"+1.5\x14\x14\0\0", true);
        let annotations = notes.sorted();
        let told: Vec<_> = annotations.iter().map(|a| (a.onset, a.duration, &a.text[..])).collect();
        assert_eq!(
            told,
            [(0.25, 0.0, "second signal"), (0.75, 0.5, "a"), (0.75, 0.5, "仰")]
        );
        assert_eq!(notes.record_onsets, [Some(0.5), Some(1.5)]);
        assert_eq!(notes.n_damaged, 0);
    }

    #[test]
    fn damaged_lists_are_counted_and_left_out() {
        let mut notes = Notes::default();
        for bad in [
            &b"1.5\x14a\x14\0"[..],
            b"+1.5\x14a\0",
            b"+1.5\0",
            b"+1e9\x14a\x14\0",
            b"+1.5\x15x\x14a\x14\0",
            b"+1.5\x151\x151\x14a\x14\0",
            b"+\x14a\x14\0",
            b"+1.2.3\x14a\x14\0",
        ] {
            notes.add(3, bad, true);
        }
        assert_eq!((notes.n_damaged, notes.first_damaged), (8, 3));
        assert!(notes.annotations.is_empty());
    }
}
