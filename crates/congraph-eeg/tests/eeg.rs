//! EEG preprocessing against SciPy and MNE; the fixtures are made by `tests/fixtures/eeg_reference.py`.

#![allow(clippy::unwrap_used, clippy::panic)]

use congraph::{Code, DataError, Error};
use congraph_eeg::{
    Annotation, Band, Channel, Cut, Digits, Dropped, Head, Montage, Position, Prepared, Recording, Reference, Segment,
    Settings, SplineSettings, SurfaceLaplacian, ZeroPhase, prepare,
};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// The largest difference, relative to the largest value.
fn off(found: &[f64], told: &[f64]) -> f64 {
    assert_eq!(found.len(), told.len());
    let size = told.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    found
        .iter()
        .zip(told)
        .fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()))
        / size
}

#[test]
fn band_passes_are_scipys_forwards_and_backwards() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("data/eeg/filters.json")).unwrap();
    for case in &cases {
        let rate = case["rate"].as_f64().unwrap();
        for band in case["bands"].as_array().unwrap() {
            let wanted = Band {
                low_hz: band["low"].as_f64().unwrap(),
                high_hz: band["high"].as_f64().unwrap(),
                order: band["order"].as_u64().unwrap() as usize,
            };
            let mut signal = numbers(&case["signal"]);
            ZeroPhase::new(wanted, rate).unwrap().apply(&mut signal).unwrap();
            let off = off(&signal, &numbers(&band["output"]));
            println!("{rate} Hz, {wanted:?}: {off:.1e}");
            assert!(off < 1e-10, "{rate} Hz, {wanted:?}: {off:e}");
        }
    }
}

#[test]
fn current_source_densities_are_mnes() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("data/eeg/csd.json")).unwrap();
    for case in &cases {
        let positions: Vec<Position> = case["positions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|at| numbers(at).try_into().unwrap())
            .collect();
        let rows = |key: &str| -> Vec<Vec<f64>> { case[key].as_array().unwrap().iter().map(numbers).collect() };
        let n_times = rows("signal")[0].len();
        let mut values = rows("signal").concat();
        let head = if case["fits"] == true {
            Head::Fitted
        } else {
            Head::default()
        };
        let settings = SplineSettings {
            head,
            ..SplineSettings::default()
        };
        let laplacian = SurfaceLaplacian::new(&positions, &settings).unwrap();
        laplacian.apply(&mut values, n_times);
        let off = off(&values, &rows("density").concat());
        println!("{}: {off:.1e}", case["montage"]);
        assert!(off < 1e-6, "{}: {off:e}", case["montage"]);
    }
}

/// Two stretches of ten and of five seconds at 100 Hz with events every second, the second stretch after a gap.
fn recording(labels: &[&str]) -> Recording {
    let channel = |(place, label): (usize, &&str)| Channel {
        label: (*label).into(),
        unit: "uV".into(),
        sampling_hz: 100.0,
        samples_per_record: 100,
        gain: 0.5,
        offset: 0.0,
        digits: Digits::Narrow(
            (0..1500)
                .map(|k| ((k * (37 + 11 * place) + k * k) % (401 + place)) as i16)
                .collect(),
        ),
    };
    let note = |k: usize| Annotation {
        onset: k as f64,
        duration: 0.0,
        text: if k.is_multiple_of(2) { "left" } else { "right" }.into(),
    };
    let stretch = |onset, records| Segment { onset, records };
    Recording {
        name: "data/subject.edf".into(),
        channels: labels.iter().enumerate().map(channel).collect(),
        annotations: (0..26).map(note).collect(),
        record_seconds: 1.0,
        segments: vec![stretch(0.0, 0..10), stretch(20.0, 10..15)],
    }
}

fn around(labels: &[&str]) -> Settings {
    Settings {
        cut: Cut::Events(labels.iter().map(|label| (*label).to_owned()).collect()),
        window: [0.0, 0.5],
        ..Settings::default()
    }
}

fn run(recording: &Recording, settings: &Settings) -> Result<Prepared, Error> {
    prepare(recording, &Montage::default(), None, settings)
}

const CAP: [&str; 6] = ["Fp1.", "EEG T3-Ref", "CZ", "pz", "EOG", "Oz"];

#[test]
fn epochs_never_reach_over_a_gap() {
    let recording = recording(&CAP);
    let prepared = run(&recording, &around(&["left", "right"])).unwrap();
    // Ten seconds, then five; the events from 10 to 19 s and at 25 s are not recorded.
    assert_eq!(
        (prepared.n_events, prepared.n_outside, prepared.epochs.n_trials()),
        (26, 11, 15)
    );
    assert_eq!(prepared.warnings[0].code, "W05");
    assert_eq!(prepared.epochs.names(), ["Fp1", "T7", "Cz", "Pz", "Oz"]);
    assert_eq!(prepared.dropped_channels, [("EOG".to_owned(), Dropped::NotAnElectrode)]);
    let values = recording.channels[2].values(1100..1150);
    assert_eq!(prepared.epochs.values(11, 2), values);
    assert_eq!(prepared.epochs.trials()[11], "12:right");
    let longer = Settings {
        baseline: Some([-0.2, 0.0]),
        ..around(&["left"])
    };
    assert_eq!(run(&recording, &longer).unwrap().n_outside, 13 - 6);
}

#[test]
fn references_and_channels_that_are_left_out() {
    let recording = recording(&CAP);
    let plain = run(&recording, &around(&["left"])).unwrap().epochs;
    let with = |settings: Settings| run(&recording, &settings).unwrap();
    let average = with(Settings {
        reference: Reference::Average,
        bads: vec!["T7".into(), "M1".into()],
        ..around(&["left"])
    });
    assert_eq!(average.epochs.names(), ["Fp1", "Cz", "Pz", "Oz"]);
    assert!(average.warnings.iter().any(|warning| warning.message.contains("`M1`")));
    let sum: f64 = (0..4).map(|channel| average.epochs.values(3, channel)[7]).sum();
    assert!(sum.abs() < 1e-9);
    // To a channel that is no electrode, and to one that is: the latter is zero afterwards, and goes.
    let named = |name: &str| {
        with(Settings {
            reference: Reference::Channels(vec![name.into()]),
            ..around(&["left"])
        })
    };
    let eye = named("eog").epochs;
    assert_eq!(
        (eye.names(), eye.values(0, 2)[3]),
        (
            plain.names(),
            plain.values(0, 2)[3] - recording.channels[4].values(3..4)[0]
        )
    );
    let top = named("Cz");
    assert_eq!(top.epochs.names(), ["Fp1", "T7", "Pz", "Oz"]);
    assert!(top.dropped_channels.contains(&("Cz".to_owned(), Dropped::Reference)));
    assert_eq!(
        top.epochs.values(0, 2)[5],
        plain.values(0, 3)[5] - plain.values(0, 2)[5]
    );
    let asked = with(Settings {
        channels: Some(vec!["EOG".into(), "Oz".into()]),
        ..around(&["left"])
    });
    assert_eq!(
        (asked.epochs.names(), asked.positions[0].is_none()),
        (&["EOG".to_owned(), "Oz".into()][..], true)
    );
}

#[test]
fn stretches_end_to_end_without_events() {
    let prepared = run(
        &recording(&CAP),
        &Settings {
            cut: Cut::Every(4.0),
            ..Settings::default()
        },
    )
    .unwrap();
    assert_eq!((prepared.epochs.n_trials(), prepared.epochs.n_times()), (3, 400));
}

#[test]
fn what_is_not_there_is_told_with_the_file_and_what_is() {
    let told = |recording: &Recording, settings: &Settings, montage: &Montage| -> DataError {
        match prepare(recording, montage, None, settings).unwrap_err() {
            Error::Data(mut errors) => errors.remove(0),
            other => panic!("{other}"),
        }
    };
    let (good, built_in) = (recording(&CAP), Montage::default());
    let left = || around(&["left"]);
    let mut slow = recording(&CAP);
    slow.channels[3].samples_per_record = 50;
    slow.channels[3].sampling_hz = 50.0;
    let at = |name: &str, x: f64, z: f64| (name.to_owned(), [x, 0.03, z]);
    let other = Montage::new(
        "cap.sfp",
        vec![at("E1", 0.1, 0.0), at("Cz", 0.0, 0.1), at("Pz", 0.0, 0.0)],
        None,
    )
    .unwrap();
    let all = Some(["Fp1", "Cz", "Pz"].map(String::from).to_vec());
    for (recording, montage, settings, code, said) in [
        (
            &good,
            &built_in,
            around(&["left", "up"]),
            Code::E07,
            ["no event `up`", "`left (13×)` and `right (13×)`"],
        ),
        (
            &good,
            &built_in,
            Settings {
                window: [0.0, 20.0],
                ..left()
            },
            Code::E05,
            ["lasts 15 s in 2 stretches", "0:20 s"],
        ),
        (
            &good,
            &built_in,
            Settings {
                band: Some(Band::new(4.0, 60.0)),
                ..left()
            },
            Code::E07,
            ["4:60 Hz", "100 Hz"],
        ),
        (
            &good,
            &built_in,
            Settings {
                reject_microvolts: Some(1.0),
                ..left()
            },
            Code::E05,
            ["above 1 µV", "quietest"],
        ),
        (
            &good,
            &built_in,
            Settings {
                channels: Some(vec!["Fz".into(), "Cz".into()]),
                ..left()
            },
            Code::E02,
            ["no channel `Fz`", "`EEG T3-Ref`"],
        ),
        (
            &good,
            &built_in,
            Settings {
                reference: Reference::Channels(vec!["M1".into()]),
                ..left()
            },
            Code::E02,
            ["`M1`", "`Fp1.`"],
        ),
        (
            &good,
            &other,
            Settings {
                channels: all,
                csd: Some(SplineSettings::default()),
                ..left()
            },
            Code::E02,
            ["no position is known for `Fp1`", "cap.sfp"],
        ),
        (
            &recording(&["A1", "A2", "Status"]),
            &built_in,
            left(),
            Code::E02,
            ["0 channels that are electrodes", "`Status`"],
        ),
        (
            &recording(&["Cz", "CZ.."]),
            &built_in,
            left(),
            Code::E06,
            ["`Cz` and `CZ..`", "both `Cz`"],
        ),
        (&slow, &built_in, left(), Code::E07, ["`pz (50 Hz)`", "100 Hz"]),
    ] {
        let error = told(recording, &settings, montage);
        assert_eq!(error.code, code, "{error}");
        assert!(error.what.contains("`data/subject.edf`"), "{error}");
        assert!(said.iter().all(|part| error.what.contains(part)), "{error}");
    }
}
