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

use congraph::Error;
use congraph::error::list_names;
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
    let (mut blocks, mut names, mut subjects) = (Vec::new(), None, None);
    let (mut sampling_hz, mut start, mut there) = (None, 0.0, Vec::new());
    each_array(path, &bytes, WHY, |name, array| {
        let refused = |Refused { what, hint }| fault(path, &format!("array `{name}` {what}"), WHY, hint);
        there.push(format!("{name} ({})", array.show_shape()));
        match (name.as_str(), array.shape.len(), array.is_text()) {
            ("ch_names" | "channels" | "nodes", 1, true) => names = Some(array.strings().map_err(refused)?),
            ("subjects" | "view_names", 1, true) => subjects = Some(array.strings().map_err(refused)?),
            ("sfreq" | "sampling_hz", 0 | 1, false) => sampling_hz = array.numbers().map_err(refused)?.first().copied(),
            ("tmin", 0 | 1, false) => start = array.numbers().map_err(refused)?.first().copied().unwrap_or(0.0),
            (_, 3 | 4, false) if !array.shape.contains(&0) => {
                let (shape, values) = (array.shape.clone(), array.numbers().map_err(refused)?);
                blocks.push(Block { name, shape, values });
            }
            _ => {}
        }
        Ok(())
    })?;
    let odd = |what: String| {
        let what = format!("{what}; it holds {}", list_names(&there));
        fault(
            path,
            &what,
            WHY,
            "save trials × channels × times with the names `ch_names` and the rate `sfreq`",
        )
    };
    let names: Vec<String> = names.ok_or_else(|| odd("has no names of channels (`ch_names`)".into()))?;
    let sampling_hz = sampling_hz
        .filter(|hz: &f64| hz.is_finite() && *hz > 0.0)
        .ok_or_else(|| odd("has no sampling rate (`sfreq`)".into()))?;
    if !(start.is_finite() && start.abs() * sampling_hz < 1e9) {
        return Err(odd(format!("starts at {start} s, which is no time")));
    }
    let known: Vec<(usize, &str, Position)> = names
        .iter()
        .enumerate()
        .filter_map(|(place, label)| montage.find(label).map(|(name, at)| (place, name, at)))
        .collect();
    if known.len() < 2 {
        return Err(odd(format!(
            "has no channels that `{}` knows; they are {}",
            montage.name,
            list_names(&names)
        )));
    }
    let mut found = EpochsFile {
        subjects: Vec::new(),
        positions: known.iter().map(|(_, _, at)| *at).collect(),
        dropped: names
            .iter()
            .filter(|label| montage.find(label).is_none())
            .cloned()
            .collect(),
        sha256,
    };
    for block in blocks {
        let (called, [n_trials, n_channels, n_times]) = match (block.shape[..].try_into(), &subjects) {
            (Ok(shape), _) => (vec![block.name.clone()], shape),
            (Err(_), Some(subjects)) if subjects.len() == block.shape[0] => {
                (subjects.clone(), [block.shape[1], block.shape[2], block.shape[3]])
            }
            _ => {
                return Err(odd(format!(
                    "has no names for the subjects of `{}` (`subjects`)",
                    block.name
                )));
            }
        };
        if n_channels != names.len() {
            return Err(odd(format!(
                "has {} names for the {n_channels} channels of `{}`",
                names.len(),
                block.name
            )));
        }
        let unit = microvolts(&block.name)
            .or_else(|| microvolts(&path.file_stem()?.to_string_lossy()))
            .unwrap_or(1.0);
        for (subject, values) in called
            .into_iter()
            .zip(block.values.chunks_exact(n_trials * n_channels * n_times))
        {
            let mut kept = Vec::with_capacity(n_trials * known.len() * n_times);
            for trial in values.chunks_exact(n_channels * n_times) {
                for (place, _, _) in &known {
                    kept.extend(trial[place * n_times..][..n_times].iter().map(|x| x * unit));
                }
            }
            let epochs = Epochs::new(
                known.iter().map(|(_, name, _)| (*name).to_owned()).collect(),
                sampling_hz,
                (-start * sampling_hz).round() as isize,
                n_times,
                (1..=n_trials).map(|trial| trial.to_string()).collect(),
                kept,
            );
            found.subjects.push((subject, epochs));
        }
    }
    if found.subjects.is_empty() {
        return Err(odd("holds no epochs: no array of three or four axes".into()));
    }
    Ok(found)
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
            (vec![labels(), rate(), ("tmin", numbers(&[], &[f64::NAN]))], "no time"),
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
