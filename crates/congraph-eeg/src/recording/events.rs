//! The events of a recording: its annotations, and trigger codes from a channel of them, such as BioSemi's Status.
//!
//! The lower 16 bits of a sample are the state of the trigger lines; above them BioSemi keeps flags of its own
//! (electrodes in range, battery, start of an epoch). An event is where the code **rises**: a falling code is the end
//! of a pulse. This is what MNE finds with `find_events(raw, mask=0xffff, shortest_event=1)`.

use super::{Annotation, Channel, Digits, Recording};

const LINES: i32 = 0xffff;

/// A rise of the trigger code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// The first sample with the code.
    pub sample: usize,
    /// The code before.
    pub before: i32,
    /// The code.
    pub code: i32,
}

/// All rises of the code in a channel.
///
/// Codes of 24-bit channels are their bits as recorded, whatever scale the header claims for them; those of 16-bit
/// channels are the physical values, to which some writers scale them.
pub fn triggers(channel: &Channel) -> Vec<Trigger> {
    let code = |digit: i32| match channel.digits {
        Digits::Wide(_) => digit & LINES,
        // Saturates; no scale can bring this out of range.
        Digits::Narrow(_) => (f64::from(digit) * channel.gain + channel.offset).round() as i32 & LINES,
    };
    let mut before = None;
    let mut found = Vec::new();
    for (sample, digit) in channel.digits.iter().enumerate() {
        let code = code(digit);
        match before {
            Some(before) if code > before => found.push(Trigger { sample, before, code }),
            _ => {}
        }
        before = Some(code);
    }
    found
}

/// The events of a recording: its annotations, and the rises of its trigger channels with the code as text.
pub fn events(recording: &Recording) -> Vec<Annotation> {
    let mut events = recording.annotations.clone();
    for channel in recording.channels.iter().filter(|channel| channel.is_trigger()) {
        // Samples are counted over all segments, times within theirs.
        let onset = |sample: usize| {
            let record = sample / channel.samples_per_record;
            let segment = recording
                .segments
                .iter()
                .find(|segment| segment.records.contains(&record))?;
            let start = segment.records.start * channel.samples_per_record;
            Some(segment.onset + (sample - start) as f64 / channel.sampling_hz)
        };
        events.extend(triggers(channel).iter().filter_map(|trigger| {
            Some(Annotation {
                onset: onset(trigger.sample)?,
                duration: 0.0,
                text: trigger.code.to_string(),
            })
        }));
    }
    events.sort_by(|a, b| a.onset.total_cmp(&b.onset));
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rises_of_the_lower_bits_are_events_and_flags_are_not() {
        let wide = |digits: &[i32]| Channel {
            label: "Status".into(),
            unit: "Boolean".into(),
            sampling_hz: 4.0,
            samples_per_record: 4,
            gain: 0.02,
            offset: 0.0,
            digits: Digits::Wide(digits.to_vec()),
        };
        let flags = -0x70_0000;
        let found = triggers(&wide(&[7, 7, 5, 9 | flags, 9, 0, 0x1_0000, 1, 1, 3]));
        let told: Vec<_> = found.iter().map(|t| (t.sample, t.before, t.code)).collect();
        assert_eq!(told, [(3, 5, 9), (7, 0, 1), (9, 1, 3)]);
        assert!(wide(&[]).is_trigger() && triggers(&wide(&[])).is_empty());
    }
}
