//! Recordings: what other programs wrote is read as it was written, and damage never brings the program down.
//!
//! `made.*` and `pipeline.json` are made by `tests/fixtures/eeg_reference.py`.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::{Path, PathBuf};

use congraph::{Code, Error};
use congraph_eeg::{Band, Cut, Digits, Montage, Reference, Settings, SplineSettings, events, prepare, triggers};
use congraph_io::{LoadedRecording, read_montage, read_recording};
use proptest::prelude::*;
use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/eeg").join(name)
}

fn told(name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(fixture(name)).unwrap()).unwrap()
}

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data/eeg/S001R03.edf")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// A file with these signals (label, samples per record) and records of bytes, and whatever else the header says.
fn file(kind: &[u8; 8], reserved: &str, seconds: &str, signals: &[(&str, usize)], records: &[Vec<u8>]) -> Vec<u8> {
    let n = signals.len();
    let mut bytes = kind.to_vec();
    let mut field = |text: &str, width: usize| bytes.extend(format!("{text:<width$}").bytes());
    field("", 80);
    field("", 80);
    field("01.02.03", 8);
    field("04.05.06", 8);
    field(&(256 * (n + 1)).to_string(), 8);
    field(reserved, 44);
    field(&records.len().to_string(), 8);
    field(seconds, 8);
    field(&n.to_string(), 4);
    let wide = kind[0] == 0xff;
    let limits = if wide {
        ["-8388608", "8388607"]
    } else {
        ["-32768", "32767"]
    };
    for (column, width) in [
        (0, 16),
        (1, 80),
        (2, 8),
        (3, 8),
        (4, 8),
        (5, 8),
        (6, 8),
        (7, 80),
        (8, 8),
        (9, 32),
    ] {
        for (label, samples) in signals {
            let samples = samples.to_string();
            let text = match column {
                0 => label,
                2 => "uV",
                3 | 5 => limits[0],
                4 | 6 => limits[1],
                8 => &samples,
                _ => "",
            };
            field(text, width);
        }
    }
    records.iter().for_each(|record| bytes.extend(record));
    bytes
}

const EDF: &[u8; 8] = b"0       ";
const BDF: &[u8; 8] = b"\xffBIOSEMI";

fn record(samples: &[i16], note: &str, note_bytes: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = samples.iter().flat_map(|x| x.to_le_bytes()).collect();
    let mut note = note.as_bytes().to_vec();
    note.resize(note_bytes, 0);
    bytes.extend(note);
    bytes
}

fn loaded(bytes: &[u8]) -> Result<LoadedRecording, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.edf");
    std::fs::write(&path, bytes).unwrap();
    read_recording(&path)
}

fn refused(bytes: &[u8]) -> String {
    match loaded(bytes) {
        Err(Error::Data(errors)) => {
            assert_eq!(errors[0].code, Code::E07);
            errors[0].what.clone()
        }
        other => panic!("expected an error, found {other:?}"),
    }
}

/// Two records of one second: channels of 4 and 2 samples, and annotations.
fn good() -> Vec<u8> {
    let signals = [("Fp1", 4), ("Cz", 2), ("EDF Annotations", 12)];
    let notes = ["+0.5\x14\x14\0+0.75\x14go\x14\0", "+1.5\x14\x14\0"];
    let records = [
        record(&[1, 2, 3, 4, -1, -2], notes[0], 24),
        record(&[5, 6, 7, 8, -3, -4], notes[1], 24),
    ];
    file(EDF, "EDF+C", "1", &signals, &records)
}

#[test]
fn files_of_other_writers_are_read_as_they_were_written() {
    let told = told("made.json");
    for name in ["made.edf", "made.bdf"] {
        let told = &told[name];
        let LoadedRecording {
            recording, warnings, ..
        } = read_recording(&fixture(name)).unwrap();
        assert_eq!(warnings, []);
        assert_eq!(recording.channels.len(), told["labels"].as_array().unwrap().len());
        for (k, channel) in recording.channels.iter().enumerate() {
            assert_eq!(channel.label, told["labels"][k].as_str().unwrap());
            assert_eq!(channel.sampling_hz, told["rates"][k].as_f64().unwrap());
            let values = numbers(&told["values"][k]);
            let size = values.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            let found = channel.values(0..channel.n_samples());
            assert_eq!(found.len(), values.len());
            assert!(
                found.iter().zip(&values).all(|(a, b)| (a - b).abs() <= 1e-9 * size),
                "{name} {}",
                channel.label
            );
        }
        let notes: Vec<Value> = recording
            .annotations
            .iter()
            .map(|note| serde_json::json!([note.onset, note.duration, note.text]))
            .collect();
        assert_eq!(Value::from(notes), told["notes"]);
    }
    let recording = read_recording(&fixture("made.bdf")).unwrap().recording;
    let found: Vec<Value> = triggers(&recording.channels[1])
        .iter()
        .map(|t| serde_json::json!([t.sample, t.before, t.code]))
        .collect();
    assert_eq!(Value::from(found), told["made.bdf"]["triggers"]);
    let all: Vec<String> = events(&recording)
        .iter()
        .map(|event| format!("{} {}", event.onset, event.text))
        .collect();
    assert_eq!(all, ["0.35 5", "0.5 left", "1.5 200", "1.75 right"]);
}

#[test]
fn all_steps_together_are_those_of_mne_and_scipy() {
    let told = told("pipeline.json");
    let recording = read_recording(&example()).unwrap().recording;
    let montage = read_montage(&fixture("positions.tsv")).unwrap();
    let settings = Settings {
        reference: Reference::Average,
        csd: Some(SplineSettings::default()),
        band: Some(Band::new(4.0, 7.0)),
        cut: Cut::Events(vec!["T1".into(), "T2".into()]),
        baseline: Some([-0.2, 0.0]),
        window: [0.0, 0.1],
        ..Settings::default()
    };
    let prepared = prepare(&recording, &montage, None, &settings).unwrap();
    let names: Vec<&str> = told["names"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    assert_eq!(prepared.epochs.names(), names);
    let windows = told["window"].as_array().unwrap();
    assert_eq!(prepared.epochs.n_trials(), windows.len());
    let size = windows
        .iter()
        .flat_map(|t| t.as_array().unwrap())
        .flat_map(numbers)
        .fold(0.0, |m: f64, x| m.max(x.abs()));
    for (trial, channels) in windows.iter().enumerate() {
        for (channel, values) in channels.as_array().unwrap().iter().enumerate() {
            let found = prepared.epochs.values(trial, channel);
            let told = numbers(values);
            assert_eq!(found.len(), told.len());
            assert!(
                found.iter().zip(&told).all(|(a, b)| (a - b).abs() < 1e-9 * size),
                "{trial} {channel} {found:?} {told:?}"
            );
        }
    }
    let table = prepared.epochs.stack("S001");
    assert_eq!((table.n_rows, table.n_columns), (16 * windows.len(), 32));
    assert_eq!(table.blocks.unwrap()[16], "2:T1");
}

#[test]
fn time_counts_from_the_first_sample_and_rates_may_differ() {
    let LoadedRecording {
        recording,
        warnings,
        sha256,
    } = loaded(&good()).unwrap();
    assert_eq!((warnings.len(), sha256.len()), (0, 64));
    assert_eq!(recording.annotations[0].onset, 0.25);
    assert_eq!(recording.channels[0].digits, Digits::Narrow((1..9).collect()));
    assert_eq!(
        (recording.channels[1].sampling_hz, recording.channels[1].n_samples()),
        (2.0, 4)
    );
    assert_eq!(recording.seconds(), 2.0);
}

#[test]
fn samples_of_24_bits_have_their_sign() {
    let record = vec![vec![
        0xff, 0xff, 0xff, 0x00, 0x00, 0x80, 0xff, 0xff, 0x7f, 0x01, 0x02, 0x03,
    ]];
    let recording = loaded(&file(BDF, "24BIT", "1", &[("Cz", 4)], &record))
        .unwrap()
        .recording;
    assert_eq!(
        recording.channels[0].digits,
        Digits::Wide(vec![-1, -8_388_608, 8_388_607, 0x03_0201])
    );
}

#[test]
fn gaps_split_a_discontinuous_recording() {
    let signals = [("Fp1", 2), ("EDF Annotations", 8)];
    let parts = |onsets: [&str; 3]| -> Vec<Vec<u8>> {
        onsets
            .iter()
            .map(|onset| record(&[1, 2], &format!("{onset}\x14\x14\0"), 16))
            .collect()
    };
    let read = |kind: &str, onsets| loaded(&file(EDF, kind, "1", &signals, &parts(onsets)));
    let told = |recording: &congraph_eeg::Recording| -> Vec<_> {
        recording
            .segments
            .iter()
            .map(|segment| (segment.onset, segment.records.clone()))
            .collect()
    };
    let split = read("EDF+D", ["+0.5", "+1.5", "+9"]).unwrap();
    assert_eq!(told(&split.recording), [(0.0, 0..2), (8.5, 2..3)]);
    assert_eq!(
        told(&read("EDF+D", ["+0", "+1", "+2"]).unwrap().recording),
        [(0.0, 0..3)]
    );
    // Said to be continuous: read so, and told.
    let odd = read("EDF+C", ["+0", "+1", "+5"]).unwrap();
    assert_eq!((told(&odd.recording), odd.warnings.len()), (vec![(0.0, 0..3)], 1));
    assert!(
        read("EDF+D", ["+0", "+0.2", "+5"])
            .unwrap_err()
            .to_string()
            .contains("record 2")
    );
    assert!(
        read("EDF+D", ["+0", "x", "+5"])
            .unwrap_err()
            .to_string()
            .contains("record 2")
    );
    assert!(
        read("EDF+D", ["", "+1", "+5"])
            .unwrap_err()
            .to_string()
            .contains("record 1")
    );
}

#[test]
fn headers_that_contradict_the_file_are_refused_or_repaired_with_a_word() {
    let good = good();
    let with = |at: usize, text: &str| {
        let mut bytes = good.clone();
        bytes[at..at + text.len()].copy_from_slice(text.as_bytes());
        bytes
    };
    let n = 3;
    for (bytes, said) in [
        (Vec::new(), "is empty"),
        (good[..100].to_vec(), "ends in its header"),
        (good[..700].to_vec(), "ends in its header"),
        (good[..1024 + 20].to_vec(), "ends in its first data record"),
        (with(0, "NOTEDF!!"), "instead of the mark"),
        (with(184, "768 "), "its length in bytes"),
        (with(236, "abc "), "number of data records"),
        (with(236, "-2  "), "number of data records"),
        (with(236, "0   "), "no data records"),
        (with(244, "-1  "), "duration"),
        (with(244, "nan "), "duration"),
        (with(244, "1e-320"), "duration"),
        (with(244, "0   "), "0 seconds"),
        (with(252, "9999"), "its length in bytes"),
        (with(252, "-1  "), "number of signals"),
        (with(252, "abcd"), "number of signals"),
        (with(256 + 216 * n, "0       "), "samples per data record"),
        (with(256 + 216 * n, "99999999"), "first data record"),
        (with(256 + 216 * n, "1e99    "), "samples per data record"),
    ] {
        let what = refused(&bytes);
        assert!(what.contains(said), "{what}");
    }
    let mut longer = good.clone();
    longer.extend([0; 9]);
    for (bytes, said, n_records) in [
        (with(236, "-1  "), "does not say how many", 2),
        (with(236, "7   "), "cut short", 2),
        (good[..good.len() - 1].to_vec(), "cut short", 1),
        (longer, "9 bytes after", 2),
        (with(236, "1   "), "36 bytes after", 1),
    ] {
        let loaded = loaded(&bytes).unwrap();
        assert_eq!((loaded.warnings.len(), loaded.warnings[0].code), (1, "W08"));
        assert!(
            loaded.warnings[0].message.contains(said),
            "{}",
            loaded.warnings[0].message
        );
        assert_eq!(loaded.recording.channels[0].n_samples(), 4 * n_records);
    }
    // No scale: digital minimum = maximum, physical minimum = maximum.
    for at in [256 + 128 * n, 256 + 112 * n] {
        let loaded = loaded(&with(at, "-32768  ")).unwrap();
        assert!(loaded.warnings[0].message.contains("`Fp1`"));
        assert_eq!(loaded.recording.channels.len(), 1);
    }
    let damaged = loaded(&with(1024 + 12, "x")).unwrap();
    assert!(damaged.warnings[0].message.contains("annotations that cannot be read"));
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path(), &folder.path().join("none.edf")] {
        assert!(matches!(read_recording(path), Err(Error::Data(errors)) if errors[0].code == Code::E07));
    }
}

#[test]
fn truncated_and_flipped_recordings_are_refused_or_read() {
    let good = good();
    for end in 0..good.len() {
        let _ = loaded(&good[..end]);
    }
    // Patient, recording, transducers and filters are text that is not looked at.
    for at in (0..8)
        .chain(184..272)
        .chain(256 + 96 * 3..256 + 136 * 3)
        .chain(256 + 216 * 3..good.len())
    {
        for bit in 0..8 {
            let mut bad = good.clone();
            bad[at] ^= 1 << bit;
            if let Ok(loaded) = loaded(&bad) {
                let n: usize = loaded
                    .recording
                    .channels
                    .iter()
                    .map(|channel| channel.n_samples())
                    .sum();
                assert!(n <= good.len());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_damage_to_any_fixture_is_survived(
        which in 0..3_usize,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        header_only in any::<bool>(),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = match which {
            0 => good(),
            1 => std::fs::read(fixture("made.edf")).unwrap(),
            _ => std::fs::read(fixture("made.bdf")).unwrap(),
        };
        let reach = if header_only { 1024 } else { bytes.len() };
        for (at, byte) in damage {
            let at = at.index(reach);
            // Digits and signs get deeper into the reader than any byte would.
            bytes[at] = if byte < 160 { b"0123456789-+. eE"[usize::from(byte % 16)] } else { byte };
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(LoadedRecording { recording, .. }) = loaded(&bytes) {
            let n: usize = recording.channels.iter().map(|channel| channel.n_samples()).sum();
            prop_assert!(n <= bytes.len());
            let settings = Settings { channels: Some(vec!["Fp1".into(), "Cz".into()]), ..Settings::default() };
            let _ = prepare(&recording, &Montage::default(), None, &settings);
            let _ = events(&recording);
        }
    }
}
