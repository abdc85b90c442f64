//! Data records → channels, in one pass over the file.
//!
//! A record holds, one signal after the other, that signal's samples as little-endian whole numbers of 2 or 3 bytes.
//! One signal of one record is in memory beside the channels. The file is hashed while it is read.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use congraph::{Warning, list_names};
use congraph_eeg::{Channel, Digits, Recording};
use sha2::{Digest, Sha256};

use super::annotations::Notes;
use super::header::{Header, Signal, damaged};
use super::segments::segments;
use super::unreadable;
use crate::input::{Fault, hexadecimal};

/// A file whose bytes are hashed as they are read.
pub(super) struct Hashing {
    file: File,
    hash: Sha256,
}

impl Hashing {
    pub(super) fn new(file: File) -> Self {
        Self {
            file,
            hash: Sha256::new(),
        }
    }
}

impl Read for Hashing {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let n = self.file.read(into)?;
        self.hash.update(&into[..n]);
        Ok(n)
    }
}

/// Reads what is left of the file, and returns the SHA-256 of all of it.
pub(super) fn finish(path: &Path, mut input: BufReader<Hashing>) -> Result<String, Fault> {
    std::io::copy(&mut input, &mut std::io::sink()).map_err(|error| unreadable(path, &error))?;
    Ok(hexadecimal(&input.into_inner().hash.finalize()))
}

/// Reads the data records of a file of `length` bytes.
pub(super) fn records(
    path: &Path,
    input: &mut impl Read,
    header: &Header,
    length: u64,
) -> Result<(Recording, Vec<Warning>), Fault> {
    let mut warnings = Vec::new();
    let mut warn = |message: String| warnings.push(Warning::new("W08", format!("`{}` {message}", path.display())));
    let n_records = n_records(path, header, length, &mut warn)?;
    let mut channels = empty_channels(header, n_records);
    let mut notes = Notes::default();
    let mut bytes = Vec::new();
    for record in 0..n_records {
        // Only the first annotation signal of a record tells when the record starts.
        let mut tells_time = true;
        for (signal, channel) in header.signals.iter().zip(&mut channels) {
            bytes.resize(signal.samples_per_record * header.width, 0);
            input.read_exact(&mut bytes).map_err(|error| unreadable(path, &error))?;
            if signal.is_annotations() {
                notes.add(record, &bytes, tells_time);
                tells_time = false;
            } else if let Some(channel) = channel {
                decode(&bytes, &mut channel.digits);
            }
        }
    }
    without_scale(header, &mut warn);
    let channels: Vec<Channel> = channels.into_iter().flatten().collect();
    if channels.is_empty() && header.signals.iter().any(|signal| !signal.is_annotations()) {
        let labels: Vec<&String> = header.signals.iter().map(|signal| &signal.label).collect();
        let what = format!(
            "gives no usable scale for any of its channels ({})",
            list_names(&labels)
        );
        return Err(damaged(path, &what));
    }
    if notes.n_damaged > 0 {
        warn(format!(
            "holds {} annotations that cannot be read, the first in data record {}; they were left out",
            notes.n_damaged,
            notes.first_damaged + 1
        ));
    }
    let segments = segments(path, header, &notes, n_records, &mut warn)?;
    let recording = Recording {
        name: path.display().to_string(),
        channels,
        annotations: notes.sorted(),
        record_seconds: header.record_seconds,
        segments,
    };
    Ok((recording, warnings))
}

/// A channel for every signal, without samples yet; none for annotations and for signals without a usable scale.
fn empty_channels(header: &Header, n_records: usize) -> Vec<Option<Channel>> {
    let channel = |signal: &Signal| {
        let (gain, offset) = signal.scale.filter(|_| !signal.is_annotations())?;
        // Bounded by the file's length: every record is there.
        let n_samples = n_records * signal.samples_per_record;
        Some(Channel {
            label: signal.label.clone(),
            unit: signal.unit.clone(),
            sampling_hz: signal.samples_per_record as f64 / header.record_seconds,
            samples_per_record: signal.samples_per_record,
            gain,
            offset,
            digits: match header.width {
                2 => Digits::Narrow(Vec::with_capacity(n_samples)),
                _ => Digits::Wide(Vec::with_capacity(n_samples)),
            },
        })
    };
    header.signals.iter().map(channel).collect()
}

/// Tells which channels are left out because nothing says what their numbers mean.
fn without_scale(header: &Header, warn: &mut impl FnMut(String)) {
    for signal in &header.signals {
        if signal.scale.is_none() && !signal.is_annotations() {
            warn(format!(
                "gives no usable scale for the channel `{}` ({}); the channel was left out",
                signal.label, signal.limits
            ));
        }
    }
}

/// How many whole records there are, whatever the header claims.
fn n_records(path: &Path, header: &Header, length: u64, warn: &mut impl FnMut(String)) -> Result<usize, Fault> {
    let bytes = length - header.n_bytes;
    let there = bytes / header.record_bytes();
    if there == 0 {
        let what = format!(
            "ends in its first data record: {bytes} bytes follow the header, and a record has {}",
            header.record_bytes()
        );
        return Err(damaged(path, &what));
    }
    let n = match header.claimed_records {
        Some(0) => return Err(damaged(path, "says in its header that it has no data records")),
        Some(claimed) => claimed.min(there),
        None => there,
    };
    let rest = bytes - n * header.record_bytes();
    match header.claimed_records {
        None => warn(format!(
            "does not say how many data records it has (−1); {n} were found"
        )),
        Some(claimed) if claimed > n => warn(format!(
            "should have {claimed} data records and has {n} whole ones: it was cut short, and {n} were read"
        )),
        Some(_) if rest > 0 => warn(format!(
            "goes on for {rest} bytes after the {n} data records that it should have; they were not read"
        )),
        _ => {}
    }
    Ok(n as usize)
}

fn decode(bytes: &[u8], into: &mut Digits) {
    match into {
        Digits::Narrow(digits) => {
            let (samples, _) = bytes.as_chunks::<2>();
            digits.extend(samples.iter().map(|&sample| i16::from_le_bytes(sample)));
        }
        Digits::Wide(digits) => {
            let (samples, _) = bytes.as_chunks::<3>();
            // Into the upper bytes first, so that shifting down brings the sign along.
            digits.extend(
                samples
                    .iter()
                    .map(|&[low, middle, high]| i32::from_le_bytes([0, low, middle, high]) >> 8),
            );
        }
    }
}
