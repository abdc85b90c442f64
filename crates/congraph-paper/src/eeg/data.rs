//! Epochs → per subject the first 34 trials of the window, filtered, as current source densities.

use std::path::{Path, PathBuf};

use congraph::{Table, list_names};
use congraph_cli::failure::Failure;
use congraph_eeg::{Band, Epochs, Montage, Position, SplineSettings, SurfaceLaplacian, ZeroPhase};
use congraph_io::{read_epochs, read_montage};

use super::{BAND, TRIALS, WINDOW};

/// What the experiments are done on.
pub(crate) struct Data {
    /// The file's name.
    pub(super) name: String,
    pub(super) sha256: String,
    pub(super) sampling_hz: f64,
    pub(super) nodes: Vec<String>,
    pub(super) positions: Vec<Position>,
    pub(super) subjects: Vec<(String, Epochs)>,
    /// Whether potentials became current source densities.
    pub(super) is_csd: bool,
}

impl Data {
    pub(super) fn read(path: &Path, average: bool) -> Result<Self, Failure> {
        let file = file(path)?;
        // Positions beside the epochs are those of their cap.
        let beside = file.with_file_name("electrodes.csv");
        let montage = if beside.is_file() {
            read_montage(&beside)?
        } else {
            Montage::default()
        };
        let found = read_epochs(&file, &montage)?;
        let laplacian = SurfaceLaplacian::new(&found.positions, &SplineSettings::default())?;
        let mut subjects = Vec::with_capacity(found.subjects.len());
        let (mut nodes, mut sampling_hz) = (Vec::new(), 0.0);
        for (subject, epochs) in found.subjects {
            let mut epochs = epochs.first(TRIALS).map_err(|error| named(&subject, error))?;
            sampling_hz = epochs.sampling_hz();
            epochs.filter(&ZeroPhase::new(Band::new(BAND[0], BAND[1]), sampling_hz)?)?;
            let all: Vec<usize> = (0..epochs.names().len()).collect();
            epochs = epochs.window(&all, WINDOW).map_err(|error| named(&subject, error))?;
            if average {
                epochs.reference(&all);
            } else {
                epochs.csd(&laplacian);
            }
            nodes = epochs.names().to_vec();
            subjects.push((subject, epochs));
        }
        Ok(Self {
            name: file
                .file_name()
                .map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            sha256: found.sha256,
            sampling_hz,
            nodes,
            positions: found.positions,
            subjects,
            is_csd: !average,
        })
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.subjects.iter().map(|(name, _)| name.clone()).collect()
    }

    /// A table per subject of the trials that `keep` says yes to.
    pub(super) fn tables(&self, keep: impl Fn(usize) -> bool) -> Vec<Table> {
        let table = |(name, epochs): &(String, Epochs)| epochs.retain(&keep).stack(name);
        self.subjects.iter().map(table).collect()
    }
}

/// The archive that a path means.
fn file(path: &Path) -> Result<PathBuf, Failure> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let unreadable =
        |error: std::io::Error| Failure::usage(format!("--data {}: {error}", path.display()), "check the path");
    let mut archives = Vec::new();
    for entry in std::fs::read_dir(path).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        if file.extension().is_some_and(|ending| ending == "npz") {
            archives.push(file);
        }
    }
    archives.sort_unstable();
    match &archives[..] {
        [one] => Ok(one.clone()),
        [] => Err(Failure::usage(
            format!("--data {} holds no .npz of epochs", path.display()),
            "save trials × channels × times with the names `ch_names` and the rate `sfreq`",
        )),
        several => {
            let names: Vec<String> = several.iter().map(|file| file.display().to_string()).collect();
            Err(Failure::usage(
                format!(
                    "--data {} holds several archives: {}",
                    path.display(),
                    list_names(&names)
                ),
                "give one of these files",
            ))
        }
    }
}

fn named(subject: &str, error: congraph::Error) -> congraph::Error {
    match error {
        congraph::Error::Data(mut errors) => {
            errors
                .iter_mut()
                .for_each(|error| error.what = format!("subject `{subject}`: {}", error.what));
            congraph::Error::Data(errors)
        }
        other => other,
    }
}
