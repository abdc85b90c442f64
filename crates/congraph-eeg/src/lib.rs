//! From EEG recordings to views: every step of preprocessing as a function of its own, and all of them in order.
//!
//! ```text
//! recording     channels as digitised, annotations, gaps            triggers      codes of a Status channel → events
//! names         labels → the 10-10 system                           pick          which channels are electrodes
//! standard      the 10-10 system on a sphere                        montage       positions, also from files, in the head frame
//! butterworth   band → second-order sections                        zero_phase    filtering forwards and backwards
//! sphere        the sphere that fits electrodes                     csd           spherical-spline surface Laplacian
//! cut           recording → filtered epochs                         epochs        reference, baseline, window, stacking
//! prepare       all of it in order
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

mod butterworth;
mod csd;
mod cut;
mod epochs;
mod linear;
mod montage;
mod names;
mod pick;
mod prepare;
mod recording;
mod sphere;
mod standard;
mod triggers;
mod zero_phase;

pub use butterworth::{Band, Section, butterworth};
pub use csd::{Head, SplineSettings, SurfaceLaplacian};
pub use cut::{Cut, Cuts, Nothing, cut, events};
pub use epochs::Epochs;
pub use montage::{Fiducials, Montage, Position};
pub use names::standard_name;
pub use pick::{Dropped, Picked, pick};
pub use prepare::{Prepared, Reference, Settings, attempt, prepare};
pub use recording::{Annotation, Channel, Digits, Recording, Segment};
pub use sphere::{Sphere, fit_sphere};
pub use standard::{HEAD_RADIUS, standard_montage};
pub use triggers::{Trigger, triggers};
pub use zero_phase::ZeroPhase;
