//! From EEG recordings to views: every step of preprocessing as a function of its own, and all of them in order.
//!
//! ```text
//! recording   channels as digitised, annotations, gaps; events from annotations and trigger codes
//! filters     band → second-order sections, applied forwards and backwards
//! montage     labels → the 10-10 system; positions, built in or from files; the sphere that fits them
//! linear      Cholesky for as many unknowns as there are electrodes
//! csd         spherical-spline surface Laplacian
//! epochs      recording → filtered epochs; reference, baseline, window, stacking
//! prepare     which channels are electrodes, and all steps in order
//! ```
//!
//! ```
//! use congraph_eeg::{Band, Channel, Cut, Digits, Montage, Recording, Segment, Settings, prepare};
//!
//! // Ten seconds of three electrodes at 100 Hz; recordings are usually read by `congraph_io::read_recording`.
//! let channel = |label: &str, hz: f64| Channel {
//!     label: label.into(),
//!     unit: "uV".into(),
//!     sampling_hz: 100.0,
//!     samples_per_record: 100,
//!     gain: 0.1,
//!     offset: 0.0,
//!     digits: Digits::Narrow((0..1000).map(|k| (500.0 * (f64::from(k) * 0.0628 * hz).sin()) as i16).collect()),
//! };
//! let recording = Recording {
//!     name: "subject.edf".into(),
//!     channels: vec![channel("Fz..", 5.0), channel("CZ", 6.0), channel("EEG Pz-Ref", 6.5)],
//!     annotations: Vec::new(),
//!     record_seconds: 1.0,
//!     segments: vec![Segment { onset: 0.0, records: 0..10 }],
//! };
//! let settings = Settings { band: Some(Band::new(4.0, 7.0)), cut: Cut::Every(2.0), ..Settings::default() };
//! let prepared = prepare(&recording, &Montage::default(), None, &settings)?;
//! let table = prepared.epochs.first(3)?.stack("subject");
//! assert_eq!((table.n_rows, table.column_names.unwrap()), (600, vec!["Fz".into(), "Cz".into(), "Pz".into()]));
//! # Ok::<(), congraph::Error>(())
//! ```

mod csd;
mod epochs;
mod filters;
mod linear;
mod montage;
mod prepare;
mod recording;

pub use csd::{Head, SplineSettings, SurfaceLaplacian};
pub use epochs::{Cut, Cuts, Epochs, Nothing, cut};
pub use filters::{Band, Section, ZeroPhase, butterworth};
pub use montage::{Fiducials, HEAD_RADIUS, Montage, Position, Sphere, fit_sphere, standard_montage, standard_name};
pub use prepare::{Dropped, Picked, Prepared, Reference, Settings, attempt, pick, prepare};
pub use recording::{Annotation, Channel, Digits, Recording, Segment, Trigger, events, triggers};
