//! Every sample of every file below a folder of recordings, against what pyEDFlib and MNE read.
//!
//! Needs files that are not part of this repository, so it runs only when asked to: see
//! `tests/fixtures/eeg_readings.py`.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::{Path, PathBuf};

use congraph_eeg::{Cut, Settings, SplineSettings, prepare, triggers};
use congraph_io::{read_montage, read_recording};
use serde_json::Value;

fn folder(name: &str) -> PathBuf {
    std::env::var(name).unwrap_or_else(|_| panic!("set {name}")).into()
}

fn floats(path: &Path) -> Vec<f64> {
    let bytes = std::fs::read(path).unwrap();
    bytes
        .as_chunks::<8>()
        .0
        .iter()
        .map(|&b| f64::from_le_bytes(b))
        .collect()
}

#[test]
#[ignore = "needs CONGRAPH_EEG_SAMPLES and CONGRAPH_EEG_READINGS, see tests/fixtures/eeg_readings.py"]
fn every_file_is_read_as_other_tools_read_it() {
    let (samples, readings) = (folder("CONGRAPH_EEG_SAMPLES"), folder("CONGRAPH_EEG_READINGS"));
    let told: Value = serde_json::from_slice(&std::fs::read(readings.join("readings.json")).unwrap()).unwrap();
    let mut failures = Vec::new();
    for (name, told) in told.as_object().unwrap() {
        match read_recording(&samples.join(name)) {
            Ok(loaded) => {
                let warnings: Vec<&str> = loaded.warnings.iter().map(|warning| &warning.message[..]).collect();
                let faults = differences(
                    &loaded.recording,
                    &warnings,
                    told,
                    &readings.join(name.replace('/', "__") + ".f64"),
                );
                println!("{name}: {}", if faults.is_empty() { "equal" } else { "DIFFERS" });
                warnings.iter().for_each(|warning| println!("    warning: {warning}"));
                failures.extend(faults.into_iter().map(|fault| format!("{name}: {fault}")));
            }
            Err(error) => {
                println!("{name}: {}", error.to_string().lines().next().unwrap());
                if !name.starts_with("made_malformed/") {
                    failures.push(format!("{name} is refused: {error}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
#[ignore = "needs CONGRAPH_EEG_SAMPLES and CONGRAPH_EEG_READINGS, see tests/fixtures/eeg_readings.py"]
fn current_source_densities_of_whole_files_are_mnes() {
    let (samples, readings) = (folder("CONGRAPH_EEG_SAMPLES"), folder("CONGRAPH_EEG_READINGS"));
    let told: Value = serde_json::from_slice(&std::fs::read(readings.join("readings.json")).unwrap()).unwrap();
    for (name, told) in told.as_object().unwrap() {
        if told["has_csd"] != true {
            continue;
        }
        let recording = read_recording(&samples.join(name)).unwrap().recording;
        let file = readings.join(name.replace('/', "__"));
        let montage = read_montage(&PathBuf::from(format!("{}.tsv", file.display()))).unwrap();
        let expected = floats(&PathBuf::from(format!("{}.csd.f64", file.display())));
        let n_times = expected.len() / 64;
        let settings = Settings {
            csd: Some(SplineSettings::default()),
            cut: Cut::Every(n_times as f64 / recording.channels[0].sampling_hz),
            ..Settings::default()
        };
        let epochs = prepare(&recording, &montage, None, &settings).unwrap().epochs;
        let size = expected.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let mut worst = 0_f64;
        for (channel, expected) in expected.chunks_exact(n_times).enumerate() {
            let found = epochs.values(0, channel).iter().zip(expected);
            worst = found.fold(worst, |most, (a, b)| most.max((a - b).abs() / size));
        }
        println!("{name}: {n_times} samples, worst difference {worst:.1e} of the largest density");
        assert!(worst < 1e-6);
    }
}

fn differences(recording: &congraph_eeg::Recording, warnings: &[&str], told: &Value, values: &Path) -> Vec<String> {
    let mut faults = Vec::new();
    if told["error"].is_string() {
        return vec![format!("was read, where others say {}", told["error"])];
    }
    let expected = floats(values);
    let labels = told["labels"].as_array().unwrap();
    let lengths = told["lengths"].as_array().unwrap();
    let is_mne = told["tool"] == "mne";
    let (mut at, mut worst, mut n_left_out) = (0, 0_f64, 0);
    for (label, length) in labels.iter().zip(lengths) {
        let length = length.as_u64().unwrap() as usize;
        let expected = &expected[at..at + length];
        at += length;
        // A channel of this name and with these values: labels may occur twice.
        let named: Vec<_> = recording
            .channels
            .iter()
            .filter(|c| c.label == *label.as_str().unwrap())
            .collect();
        // Left out, and said so.
        let is_told = |warning: &&str| {
            warning.contains("was left out") && warning.contains(&format!("`{}`", label.as_str().unwrap()))
        };
        if named.is_empty() && warnings.iter().any(is_told) {
            n_left_out += 1;
            continue;
        }
        // MNE reads trigger channels as whole numbers, not as what they are scaled to.
        if is_mne && named.iter().any(|channel| channel.is_trigger()) {
            continue;
        }
        let off = named.iter().map(|channel| {
            let found = channel.values(0..channel.n_samples());
            let largest = expected
                .iter()
                .fold(f64::MIN_POSITIVE, |most, value| most.max(value.abs()));
            let off = found.iter().zip(expected).fold(0.0, |most: f64, (a, b)| {
                most.max((a - b).abs() / b.abs().max(1e-6 * largest))
            });
            if found.len() == length { off } else { f64::INFINITY }
        });
        let off = off.fold(f64::INFINITY, f64::min);
        worst = worst.max(off);
        if off.is_nan() || off > 1e-9 {
            faults.push(format!("channel {label} differs by {off:e} relative"));
        }
    }
    println!("  {} channels, worst relative difference {worst:.1e}", labels.len());
    if recording.channels.len() + n_left_out != labels.len() {
        faults.push(format!(
            "has {} channels where others find {}",
            recording.channels.len(),
            labels.len()
        ));
    }
    let notes = told["notes"].as_array().unwrap();
    if recording.annotations.len() != notes.len() {
        faults.push(format!(
            "has {} annotations where others find {}",
            recording.annotations.len(),
            notes.len()
        ));
    }
    for (note, told) in recording.annotations.iter().zip(notes) {
        let (onset, duration) = (told[0].as_f64().unwrap(), told[1].as_f64().unwrap());
        // pyEDFlib counts in steps of 1e-7 s.
        let is_same = (note.onset - onset).abs() <= 1.01e-7
            && (note.duration - duration).abs() <= 1.01e-7
            && note.text == told[2].as_str().unwrap();
        if !is_same {
            faults.push(format!("{note:?} is {told}"));
        }
    }
    if let Some(told) = told["triggers"].as_array() {
        let status = recording.channels.iter().find(|channel| channel.is_trigger()).unwrap();
        let found: Vec<[i64; 3]> = triggers(status)
            .iter()
            .map(|t| [t.sample as i64, t.before.into(), t.code.into()])
            .collect();
        let told: Vec<[i64; 3]> = told.iter().map(|t| [0, 1, 2].map(|k| t[k].as_i64().unwrap())).collect();
        if found != told {
            faults.push(format!("triggers {found:?} are {told:?}"));
        }
    }
    faults
}

#[test]
#[ignore = "needs CONGRAPH_EEG_SAMPLES, see tests/fixtures/eeg_readings.py"]
fn damage_to_any_file_is_refused_or_survived() {
    let mut files = vec![folder("CONGRAPH_EEG_SAMPLES")];
    let mut at = 0;
    while at < files.len() {
        if files[at].is_dir() {
            files.extend(
                std::fs::read_dir(&files[at])
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        }
        at += 1;
    }
    files.retain(|path| {
        path.extension()
            .is_some_and(|ending| ending == "edf" || ending == "bdf")
    });
    files.sort();
    let scratch = tempfile::tempdir().unwrap();
    let damaged = scratch.path().join("damaged.edf");
    // xorshift64*: the same damage every time.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |n: usize| {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n.max(1)
    };
    let (mut n_read, mut n_refused) = (0, 0);
    for path in &files {
        let good = std::fs::read(path).unwrap();
        for _ in 0..60 {
            let mut bytes = good.clone();
            let header = bytes.len().min(256 * 12);
            for _ in 0..below(6) {
                let reach = if below(4) == 0 { bytes.len() } else { header };
                let place = below(reach);
                match bytes.get_mut(place) {
                    Some(byte) if below(2) == 0 => *byte ^= 1 << below(8),
                    Some(byte) => *byte = b"0123456789-+. eE"[below(16)],
                    None => {}
                }
            }
            if below(3) == 0 {
                bytes.truncate(below(bytes.len()));
            }
            std::fs::write(&damaged, &bytes).unwrap();
            match read_recording(&damaged) {
                Ok(loaded) => {
                    let n: usize = loaded
                        .recording
                        .channels
                        .iter()
                        .map(|channel| channel.n_samples())
                        .sum();
                    assert!(n <= bytes.len());
                    let _ = prepare(
                        &loaded.recording,
                        &congraph_eeg::Montage::default(),
                        None,
                        &Settings::default(),
                    );
                    n_read += 1;
                }
                Err(error) => {
                    assert!(error.to_string().starts_with("E07"), "{error}");
                    n_refused += 1;
                }
            }
        }
    }
    println!(
        "{} files, {n_read} damaged ones read or repaired, {n_refused} refused",
        files.len()
    );
}
