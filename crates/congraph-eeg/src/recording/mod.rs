//! A recording as it was digitised: channels of whole numbers with their scale, annotations, and where time jumps.
//!
//! Samples stay whole numbers until a channel is asked for, because a recording of 16-bit numbers is four times as
//! large in f64: physical value = digital · gain + offset.

mod events;

use std::ops::Range;

pub use events::{Trigger, events, triggers};

/// The numbers of one channel as the converter gave them.
#[derive(Clone, Debug, PartialEq)]
pub enum Digits {
    /// 16 bits each (EDF).
    Narrow(Vec<i16>),
    /// 24 bits each (BDF).
    Wide(Vec<i32>),
}

impl Digits {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Narrow(digits) => digits.len(),
            Self::Wide(digits) => digits.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All of them in order.
    pub fn iter(&self) -> impl Iterator<Item = i32> + '_ {
        let (narrow, wide) = match self {
            Self::Narrow(digits) => (&digits[..], &[][..]),
            Self::Wide(digits) => (&[][..], &digits[..]),
        };
        narrow.iter().map(|&digit| i32::from(digit)).chain(wide.iter().copied())
    }
}

/// One channel of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Its label as it stands in the file.
    pub label: String,
    /// The unit of its physical values, as it stands in the file.
    pub unit: String,
    /// Samples per second.
    pub sampling_hz: f64,
    /// Samples in each data record.
    pub samples_per_record: usize,
    /// Physical units per digital step; negative where the channel is inverted.
    pub gain: f64,
    /// The physical value of a digital zero.
    pub offset: f64,
    /// The samples.
    pub digits: Digits,
}

impl Channel {
    /// How many samples it has.
    pub fn n_samples(&self) -> usize {
        self.digits.len()
    }

    /// The samples of a stretch in physical units; those beyond the end are left out.
    pub fn values(&self, samples: Range<usize>) -> Vec<f64> {
        let scaled = |digit: i32| f64::from(digit) * self.gain + self.offset;
        let end = samples.end.min(self.n_samples());
        let samples = samples.start.min(end)..end;
        match &self.digits {
            Digits::Narrow(digits) => digits[samples].iter().map(|&digit| scaled(digit.into())).collect(),
            Digits::Wide(digits) => digits[samples].iter().map(|&digit| scaled(digit)).collect(),
        }
    }

    /// How many microvolts one physical unit is; none if the unit is not one of voltage.
    pub fn microvolts_per_unit(&self) -> Option<f64> {
        match self.unit.trim() {
            // The sign for micro has two code points, and a byte of its own in Latin-1.
            "uV" | "µV" | "μV" | "UV" | "uv" => Some(1.0),
            "nV" | "nv" => Some(1e-3),
            "mV" | "mv" | "MV" => Some(1e3),
            "V" | "v" => Some(1e6),
            _ => None,
        }
    }

    /// Whether its label is that of a channel of trigger codes.
    pub fn is_trigger(&self) -> bool {
        let label = self.label.trim().to_ascii_lowercase();
        matches!(label.as_str(), "status" | "trigger" | "sti 014")
    }
}

/// A note in a recording: what happened, when, and for how long.
#[derive(Clone, Debug, PartialEq)]
pub struct Annotation {
    /// Seconds from the first sample.
    pub onset: f64,
    /// Seconds; 0 if none is given.
    pub duration: f64,
    /// Its text.
    pub text: String,
}

/// A stretch of data records without a gap.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// When it starts, in seconds from the first sample of the recording.
    pub onset: f64,
    /// Its data records.
    pub records: Range<usize>,
}

/// One recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// What messages call it: its file.
    pub name: String,
    /// Its channels, without those that hold annotations.
    pub channels: Vec<Channel>,
    /// Its annotations, in order of time.
    pub annotations: Vec<Annotation>,
    /// Seconds per data record.
    pub record_seconds: f64,
    /// The stretches without a gap, in order of time; more than one only in discontinuous files.
    pub segments: Vec<Segment>,
}

impl Recording {
    /// Seconds of signal, gaps not counted.
    pub fn seconds(&self) -> f64 {
        let n_records: usize = self.segments.iter().map(|segment| segment.records.len()).sum();
        n_records as f64 * self.record_seconds
    }

    /// The samples of a channel in one segment.
    pub fn samples_of(&self, segment: &Segment, samples_per_record: usize) -> Range<usize> {
        segment.records.start * samples_per_record..segment.records.end * samples_per_record
    }

    /// The segment and the sample at which an event falls: the nearest sample, half-way ones to the even. None in a gap
    /// or outside the recording.
    pub fn sample_at(&self, onset: f64, samples_per_record: usize) -> Option<(usize, usize)> {
        let sampling_hz = samples_per_record as f64 / self.record_seconds;
        self.segments.iter().enumerate().find_map(|(place, segment)| {
            let samples = self.samples_of(segment, samples_per_record);
            let within = ((onset - segment.onset) * sampling_hz).round_ties_even();
            (within >= 0.0 && within < samples.len() as f64).then(|| (place, samples.start + within as usize))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_fall_on_samples_of_their_segment_and_not_into_gaps() {
        let recording = Recording {
            name: "r".into(),
            channels: Vec::new(),
            annotations: Vec::new(),
            record_seconds: 1.0,
            segments: vec![
                Segment {
                    onset: 0.0,
                    records: 0..2,
                },
                Segment {
                    onset: 10.5,
                    records: 2..3,
                },
            ],
        };
        assert_eq!(recording.sample_at(1.26, 10), Some((0, 13)));
        assert_eq!(recording.sample_at(2.0, 10), None);
        assert_eq!(recording.sample_at(10.5, 10), Some((1, 20)));
        assert_eq!(recording.sample_at(11.4, 10), Some((1, 29)));
        assert_eq!(recording.sample_at(-0.2, 10), None);
        assert_eq!(recording.sample_at(f64::NAN, 10), None);
        assert_eq!(recording.seconds(), 3.0);
    }
}
