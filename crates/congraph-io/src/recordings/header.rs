//! The header of an EDF, EDF+, BDF or BDF+ file: 256 bytes, then 256 for each signal, all text of fixed width.
//!
//! ```text
//! fixed        8 version | 80 patient | 80 recording | 8 date | 8 time | 8 header bytes | 44 reserved
//!              8 records | 8 seconds per record | 4 signals
//! per signal,  16 label | 80 transducer | 8 unit | 8 physical min | 8 physical max | 8 digital min | 8 digital max
//! by field     80 filters | 8 samples per record | 32 reserved
//! ```
//!
//! Who was recorded and when is not kept: nothing downstream needs it, and it should not travel into result folders.

use std::io::Read;
use std::path::Path;

use super::fields::{number, shown, text, whole};
use crate::input::{Fault, fault};

/// What the fixed part and the signals' fields say, checked against each other.
#[derive(Clone, Debug)]
pub(super) struct Header {
    /// Bytes per sample: 2 (EDF) or 3 (BDF).
    pub(super) width: usize,
    /// Bytes before the first data record.
    pub(super) n_bytes: u64,
    /// How many records it claims; none if it was not known when it was written (−1).
    pub(super) claimed_records: Option<u64>,
    pub(super) record_seconds: f64,
    /// Whether time may jump between records (EDF+D, BDF+D).
    pub(super) is_discontinuous: bool,
    pub(super) signals: Vec<Signal>,
}

/// One signal of the file.
#[derive(Clone, Debug)]
pub(super) struct Signal {
    pub(super) label: String,
    pub(super) unit: String,
    pub(super) samples_per_record: usize,
    /// Gain and offset; none if the header gives no usable scale.
    pub(super) scale: Option<(f64, f64)>,
    /// The four limits as they stand in the header, for a message.
    pub(super) limits: String,
}

impl Signal {
    /// Whether it holds text instead of samples.
    pub(super) fn is_annotations(&self) -> bool {
        self.label == "EDF Annotations" || self.label == "BDF Annotations"
    }
}

impl Header {
    /// Reads the header of a file of `length` bytes and leaves `input` at the first data record.
    pub(super) fn read(path: &Path, input: &mut impl Read, length: u64) -> Result<Self, Fault> {
        // The fixed part. Every field is checked before anything that depends on it is read.
        let mut fixed = [0; 256];
        take(path, input, length, 256, &mut fixed)?;
        let width = sample_width(path, &fixed)?;
        let (n_signals, n_bytes) = sizes(path, &fixed)?;
        let claimed_records = match whole(&fixed[236..244]) {
            Some(-1) => None,
            Some(n) if n >= 0 => Some(n.unsigned_abs()),
            _ => {
                return Err(damaged(
                    path,
                    &claims("the number of data records is", &fixed[236..244]),
                ));
            }
        };
        let record_seconds = number(&fixed[244..252])
            // Sampling rates are divided by it: what is shorter than a microsecond is damage.
            .filter(|&seconds| seconds == 0.0 || seconds >= 1e-6)
            .ok_or_else(|| damaged(path, &claims("the duration of a data record is", &fixed[244..252])))?;
        let kind = text(&fixed[192..236]);
        // Before the fields of the signals: nothing is allocated for signals that are not there.
        if n_bytes > length {
            return Err(ends_in_header(path, length, n_bytes));
        }
        let mut rest = vec![0; 256 * n_signals];
        take(path, input, length, n_bytes, &mut rest)?;
        let signals = (0..n_signals)
            .map(|place| signal(path, &rest, n_signals, place))
            .collect::<Result<Vec<_>, _>>()?;
        // Only files of annotations alone may have records without a duration.
        let needs_time = signals.iter().any(|signal| !signal.is_annotations());
        if needs_time && record_seconds == 0.0 {
            let what = "says that a data record lasts 0 seconds, but has signals besides annotations";
            return Err(damaged(path, what));
        }
        Ok(Self {
            width,
            n_bytes,
            claimed_records,
            record_seconds,
            is_discontinuous: kind.starts_with("EDF+D") || kind.starts_with("BDF+D"),
            signals,
        })
    }

    /// Bytes per data record.
    pub(super) fn record_bytes(&self) -> u64 {
        let samples = self.signals.iter().map(|signal| signal.samples_per_record as u64);
        samples.sum::<u64>() * self.width as u64
    }
}

/// Bytes per sample, by the mark that the file starts with.
fn sample_width(path: &Path, fixed: &[u8; 256]) -> Result<usize, Fault> {
    match &fixed[..8] {
        b"0       " => Ok(2),
        b"\xffBIOSEMI" => Ok(3),
        other => Err(damaged(
            path,
            &format!("starts with {} instead of the mark of an EDF or BDF file", shown(other)),
        )),
    }
}

/// How many signals there are, and how many bytes the header has, which must agree.
fn sizes(path: &Path, fixed: &[u8; 256]) -> Result<(usize, u64), Fault> {
    let n_signals = whole(&fixed[252..256])
        .and_then(|n| usize::try_from(n).ok())
        .filter(|&n| n > 0)
        .ok_or_else(|| damaged(path, &claims("the number of signals is", &fixed[252..256])))?;
    let n_bytes = 256 * (n_signals as u64 + 1);
    if whole(&fixed[184..192]) != i64::try_from(n_bytes).ok() {
        let claim = claims("its length in bytes is", &fixed[184..192]);
        return Err(damaged(
            path,
            &format!("{claim}, but the header of {n_signals} signals has {n_bytes}"),
        ));
    }
    Ok((n_signals, n_bytes))
}

/// The fields of one signal out of all signals' fields.
fn signal(path: &Path, fields: &[u8], n_signals: usize, place: usize) -> Result<Signal, Fault> {
    // `before` bytes of each signal stand in the fields before this one.
    let field = |before: usize, width: usize| &fields[before * n_signals + place * width..][..width];
    let label = text(field(0, 16));
    let samples_per_record = whole(field(216, 8))
        .and_then(|n| u32::try_from(n).ok())
        .filter(|&n| n > 0)
        .ok_or_else(|| {
            let claim = claims("the number of samples per data record is", field(216, 8));
            damaged(path, &format!("{claim} (signal {}, `{label}`)", place + 1))
        })?;
    let [physical_min, physical_max, digital_min, digital_max] = [104, 112, 120, 128].map(|at| field(at, 8));
    let limits = format!(
        "physical {} to {}, digital {} to {}",
        shown(physical_min),
        shown(physical_max),
        shown(digital_min),
        shown(digital_max)
    );
    Ok(Signal {
        unit: text(field(96, 8)),
        samples_per_record: samples_per_record as usize,
        scale: scale([physical_min, physical_max, digital_min, digital_max].map(number)),
        label,
        limits,
    })
}

/// Gain and offset of physical = digital · gain + offset. The physical limits may be the wrong way round (an inverted
/// channel), the digital ones not.
fn scale(limits: [Option<f64>; 4]) -> Option<(f64, f64)> {
    let [physical_min, physical_max, digital_min, digital_max] = limits;
    let (physical_min, physical_max) = (physical_min?, physical_max?);
    let (digital_min, digital_max) = (digital_min?, digital_max?);
    let gain = (physical_max - physical_min) / (digital_max - digital_min);
    // Not physical_min − digital_min · gain: this way the offset of symmetric limits is 0 and not what rounding leaves
    // of it.
    let offset = (physical_min * digital_max - physical_max * digital_min) / (digital_max - digital_min);
    (digital_max > digital_min && gain != 0.0 && gain.is_finite() && offset.is_finite()).then_some((gain, offset))
}

fn take(path: &Path, input: &mut impl Read, length: u64, needed: u64, into: &mut [u8]) -> Result<(), Fault> {
    if length == 0 {
        let hint = "check how it was written, or copy it again";
        return Err(fault(path, "is empty", "there is nothing to read", hint));
    }
    if length < needed {
        return Err(ends_in_header(path, length, needed));
    }
    input.read_exact(into).map_err(|error| super::unreadable(path, &error))
}

fn ends_in_header(path: &Path, length: u64, needed: u64) -> Fault {
    damaged(
        path,
        &format!("ends in its header: it has {length} bytes and the header {needed}"),
    )
}

fn claims(what: &str, field: &[u8]) -> String {
    format!("says in its header that {what} {}", shown(field))
}

/// An E07 about a header that contradicts itself or the format.
pub(super) fn damaged(path: &Path, what: &str) -> Fault {
    fault(
        path,
        what,
        "sizes and scales of all samples come from the header, and would be wrong",
        "copy the file again from where it was recorded, or export it anew as EDF or BDF",
    )
}
