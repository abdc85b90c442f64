//! From recordings to graphs, step by step:
//!
//! ```sh
//! cargo run --release -p congraph-io --example eeg_views -- examples/data/eeg/*.edf
//! ```

use std::path::Path;
use std::time::Instant;

use congraph::{Error, Learn, Smooth, ViewOptions, Views, no_progress};
use congraph_eeg::{Band, Cut, Montage, Reference, Settings, SplineSettings, prepare};
use congraph_io::read_recording;

fn main() -> Result<(), Error> {
    let settings = Settings {
        reference: Reference::Average,
        csd: Some(SplineSettings::default()),
        band: Some(Band::new(4.0, 7.0)),
        cut: Cut::Events(vec!["T1".into(), "T2".into()]),
        window: [0.0, 0.5],
        ..Settings::default()
    };
    let montage = Montage::default();
    let start = Instant::now();
    let mut tables = Vec::new();
    for path in std::env::args().skip(1) {
        let recording = read_recording(Path::new(&path))?.recording;
        let prepared = prepare(&recording, &montage, None, &settings)?;
        let (epochs, dropped) = (&prepared.epochs, prepared.dropped_channels.len());
        println!(
            "{path}: {} electrodes, {dropped} other channels, {} trials",
            epochs.names().len(),
            epochs.n_trials()
        );
        tables.push(epochs.stack(path));
    }
    println!("views after {:.2} s", start.elapsed().as_secs_f64());
    let (views, _) = Views::assemble(tables, &ViewOptions::default())?;
    let learned = Smooth::new(0.05, 0.03).learn(&views, &no_progress)?;
    let n_edges = learned
        .graph
        .consensus()
        .map_or(0, |weights| weights.iter().filter(|weight| **weight > 0.0).count());
    println!(
        "consensus of {n_edges} edges after {:.2} s",
        start.elapsed().as_secs_f64()
    );
    Ok(())
}
