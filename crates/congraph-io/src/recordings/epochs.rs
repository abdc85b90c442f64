//! Epochs that were cut elsewhere, as NumPy archives hold them: `.npz`.
//!
//! ```text
//! 4-D array           subjects × trials × channels × times, with the names `subjects`
//! or 3-D arrays       trials × channels × times, one per subject, called as the array is
//! ch_names  sfreq     names of the channels, samples per second
//! tmin                seconds from the event to the first sample; 0 if it is not there
//! ```
//!
//! The unit is told by the end of the array's or the file's name (`data_uV`, `study_nV.npz`), and taken for microvolts
//! otherwise. Other arrays are left alone.

use std::path::Path;

use congraph::{Error, list_names};
use congraph_eeg::{Epochs, Montage, Position};

use crate::input::{Fault, Refused, each_array, fault, read_bytes};

const WHY: &str = "epochs are arrays of trials × channels × times";

/// Epochs of several subjects, with 10-10 names and positions.
#[derive(Clone, Debug, PartialEq)]
pub struct EpochsFile {
    /// Every subject's epochs, in microvolts, over the same electrodes.
    pub subjects: Vec<(String, Epochs)>,
    /// Where these electrodes are.
    pub positions: Vec<Position>,
    /// Channels that the montage does not know, and which were left out.
    pub dropped: Vec<String>,
    /// The SHA-256 of the file's bytes, in hexadecimal.
    pub sha256: String,
}

/// Numbers and their axes.
struct Block {
    name: String,
    shape: Vec<usize>,
    values: Vec<f64>,
}

/// Reads epochs of several subjects and keeps the electrodes that the montage knows.
///
/// # Errors
/// E07 with what is there instead if the file is not such an archive.
pub fn read_epochs(path: &Path, montage: &Montage) -> Result<EpochsFile, Error> {
    read(path, montage).map_err(|fault| Error::from(*fault))
}

fn read(path: &Path, montage: &Montage) -> Result<EpochsFile, Fault> {
    let (bytes, sha256) = read_bytes(path)?;
    let mut archive = Archive::read(path, &bytes)?;
    let blocks = std::mem::take(&mut archive.blocks);
    let odd = |what: String| archive.odd(path, &what);
    let names = archive
        .names
        .as_deref()
        .ok_or_else(|| odd("has no names of channels (`ch_names`)".into()))?;
    let sampling_hz = archive
        .sampling_hz
        .filter(|hz| hz.is_finite() && *hz > 0.0)
        .ok_or_else(|| odd("has no sampling rate (`sfreq`)".into()))?;
    let start = archive.start;
    if !(start.is_finite() && start.abs() * sampling_hz < 1e9) {
        return Err(odd(format!("starts at {start} s, which is not a time")));
    }
    let known: Vec<Electrode<'_>> = names
        .iter()
        .enumerate()
        .filter_map(|(place, label)| montage.find(label).map(|(name, at)| Electrode { place, name, at }))
        .collect();
    if known.len() < 2 {
        return Err(odd(format!(
            "has no channels that `{}` knows; they are {}",
            montage.name,
            list_names(names)
        )));
    }
    let mut subjects = Vec::new();
    // One after the other, so that each is freed when its epochs are made.
    for block in blocks {
        let (called, shape) = archive.axes(path, &block, names.len())?;
        let unit = microvolts(&block.name)
            .or_else(|| microvolts(&path.file_stem()?.to_string_lossy()))
            .unwrap_or(1.0);
        let parts = block.values.chunks_exact(shape.iter().product());
        for (subject, values) in called.iter().zip(parts) {
            let epochs = epochs_of(values, shape, &known, unit, sampling_hz, start);
            subjects.push((subject.clone(), epochs));
        }
    }
    if subjects.is_empty() {
        return Err(odd("holds no epochs: no array of three or four axes".into()));
    }
    Ok(EpochsFile {
        subjects,
        positions: known.iter().map(|electrode| electrode.at).collect(),
        dropped: names
            .iter()
            .filter(|label| montage.find(label).is_none())
            .cloned()
            .collect(),
        sha256,
    })
}

/// A channel that the montage knows.
struct Electrode<'m> {
    /// Its place among all channels.
    place: usize,
    name: &'m str,
    at: Position,
}

/// What an archive holds.
#[derive(Default)]
struct Archive {
    blocks: Vec<Block>,
    names: Option<Vec<String>>,
    subjects: Option<Vec<String>>,
    sampling_hz: Option<f64>,
    /// Seconds from the event to the first sample.
    start: f64,
    /// All arrays with their shapes, for messages.
    there: Vec<String>,
}

impl Archive {
    fn read(path: &Path, bytes: &[u8]) -> Result<Self, Fault> {
        let mut found = Self::default();
        each_array(path, bytes, WHY, |name, array| {
            let refused = |Refused { what, hint }| fault(path, &format!("array `{name}` {what}"), WHY, hint);
            found.there.push(format!("{name} ({})", array.show_shape()));
            match (name.as_str(), array.shape.len(), array.is_text()) {
                ("ch_names" | "channels" | "nodes", 1, true) => found.names = Some(array.strings().map_err(refused)?),
                ("subjects" | "view_names", 1, true) => found.subjects = Some(array.strings().map_err(refused)?),
                ("sfreq" | "sampling_hz", 0 | 1, false) => {
                    found.sampling_hz = array.numbers().map_err(refused)?.first().copied();
                }
                ("tmin", 0 | 1, false) => {
                    found.start = array.numbers().map_err(refused)?.first().copied().unwrap_or(0.0);
                }
                (_, 3 | 4, false) if !array.shape.contains(&0) => {
                    let (shape, values) = (array.shape.clone(), array.numbers().map_err(refused)?);
                    found.blocks.push(Block { name, shape, values });
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// The names of a block's subjects, and its trials, channels and times.
    fn axes(&self, path: &Path, block: &Block, n_names: usize) -> Result<(Vec<String>, [usize; 3]), Fault> {
        let (called, shape) = match (block.shape[..].try_into(), &self.subjects) {
            (Ok(shape), _) => (vec![block.name.clone()], shape),
            (Err(_), Some(subjects)) if subjects.len() == block.shape[0] => {
                (subjects.clone(), [block.shape[1], block.shape[2], block.shape[3]])
            }
            _ => {
                let what = format!("has no names for the subjects of `{}` (`subjects`)", block.name);
                return Err(self.odd(path, &what));
            }
        };
        let n_channels = shape[1];
        if n_channels != n_names {
            let what = format!("has {n_names} names for the {n_channels} channels of `{}`", block.name);
            return Err(self.odd(path, &what));
        }
        Ok((called, shape))
    }

    /// An E07 with what the archive holds instead.
    fn odd(&self, path: &Path, what: &str) -> Fault {
        fault(
            path,
            &format!("{what}; it holds {}", list_names(&self.there)),
            WHY,
            "save trials × channels × times with the names `ch_names` and the rate `sfreq`",
        )
    }
}

/// One subject's epochs over the electrodes that are known, in microvolts.
fn epochs_of(
    values: &[f64],
    [n_trials, n_channels, n_times]: [usize; 3],
    known: &[Electrode<'_>],
    unit: f64,
    sampling_hz: f64,
    start: f64,
) -> Epochs {
    let mut kept = Vec::with_capacity(n_trials * known.len() * n_times);
    for trial in values.chunks_exact(n_channels * n_times) {
        for electrode in known {
            kept.extend(trial[electrode.place * n_times..][..n_times].iter().map(|x| x * unit));
        }
    }
    Epochs::new(
        known.iter().map(|electrode| electrode.name.to_owned()).collect(),
        sampling_hz,
        (-start * sampling_hz).round() as isize,
        n_times,
        (1..=n_trials).map(|trial| trial.to_string()).collect(),
        kept,
    )
}

/// How many microvolts the unit at the end of a name is.
fn microvolts(name: &str) -> Option<f64> {
    match name.rsplit('_').next()? {
        "uV" => Some(1.0),
        "nV" => Some(1e-3),
        "mV" => Some(1e3),
        "V" => Some(1e6),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::npy::{write_header, write_numbers, write_strings};

    fn numbers(shape: &[usize], values: &[f64]) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_header(&mut bytes, "<f8", shape).unwrap();
        write_numbers(&mut bytes, values).unwrap();
        bytes
    }

    fn text(names: &[&str]) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_strings(&mut bytes, &names.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap();
        bytes
    }

    fn read_arrays(file: &str, arrays: &[(&str, Vec<u8>)]) -> Result<EpochsFile, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(file);
        let mut archive = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
        for (name, bytes) in arrays {
            let options = zip::write::SimpleFileOptions::default();
            archive.start_file(format!("{name}.npy"), options).unwrap();
            archive.write_all(bytes).unwrap();
        }
        archive.finish().unwrap();
        read_epochs(&path, &Montage::default()).map_err(|error| error.to_string())
    }

    #[test]
    fn both_layouts_hold_the_same() {
        let values: Vec<f64> = (0..24).map(f64::from).collect();
        let shared = || {
            let labels = ["EOG", "Fc5.", "CZ"];
            vec![
                ("ch_names", text(&labels)),
                ("sfreq", numbers(&[], &[10.0])),
                ("tmin", numbers(&[1], &[-0.1])),
            ]
        };
        let mut one = shared();
        one.push(("data_uV", numbers(&[2, 2, 3, 2], &values)));
        one.push(("subjects", text(&["a", "b"])));
        one.push(("condition", numbers(&[2, 2], &[1.0; 4])));
        let mut two = shared();
        let thousand: Vec<f64> = values.iter().map(|x| 1000.0 * x).collect();
        two.push(("a", numbers(&[2, 3, 2], &thousand[..12])));
        two.push(("b", numbers(&[2, 3, 2], &thousand[12..])));
        let (one, two) = (
            read_arrays("x.npz", &one).unwrap(),
            read_arrays("x_nV.npz", &two).unwrap(),
        );
        assert_eq!((&one.subjects, &one.positions), (&two.subjects, &two.positions));
        assert_eq!(one.dropped, ["EOG"]);
        let (name, epochs) = &one.subjects[1];
        assert_eq!(
            (name.as_str(), epochs.names()),
            ("b", &["FC5".to_owned(), "Cz".to_owned()][..])
        );
        assert_eq!(epochs.values(1, 0), [20.0, 21.0]);
        assert_eq!(epochs.samples([0.0, 0.1]).unwrap(), 1..2);
    }

    #[test]
    fn what_is_missing_is_told_with_what_is_there() {
        let labels = || ("ch_names", text(&["Cz", "Pz"]));
        let rate = || ("sfreq", numbers(&[], &[10.0]));
        let cases = [
            (vec![rate()], "no names of channels"),
            (vec![labels()], "no sampling rate"),
            (vec![labels(), ("sfreq", numbers(&[], &[0.0]))], "no sampling rate"),
            (vec![labels(), rate()], "holds no epochs"),
            (
                vec![labels(), rate(), ("tmin", numbers(&[], &[f64::NAN]))],
                "not a time",
            ),
            (
                vec![labels(), rate(), ("a", numbers(&[1, 3, 2], &[0.0; 6]))],
                "2 names for the 3 channels of `a`",
            ),
            (
                vec![labels(), rate(), ("a", numbers(&[1, 1, 2, 2], &[0.0; 4]))],
                "no names for the subjects",
            ),
            (
                vec![("ch_names", text(&["X", "Y"])), rate()],
                "no channels that `built-in 10-10 montage` knows",
            ),
        ];
        for (arrays, said) in cases {
            let message = read_arrays("x.npz", &arrays).unwrap_err();
            assert!(message.contains(said) && message.contains("it holds"), "{message}");
        }
    }

    #[test]
    fn the_unit_is_told_by_the_name() {
        assert_eq!(microvolts("data_uV"), Some(1.0));
        assert_eq!(microvolts("study_16subj_nV"), Some(1e-3));
        assert_eq!(microvolts("data"), None);
    }
}
