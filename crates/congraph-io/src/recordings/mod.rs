//! EEG recordings in: EDF, EDF+, BDF and BDF+.
//!
//! ```text
//! header        fixed-width text → sizes, rates and scales, checked against each other and against the file's length
//! fields        one field → text or a number
//! annotations   the text inside EDF+ and BDF+ records
//! segments      where time jumps (EDF+D, BDF+D)
//! stream        data records → channels of whole numbers, one pass, hashed on the way
//! positions     .hpts .tsv .sfp .elc → where the electrodes are
//! epochs        .npz of epochs that were cut elsewhere
//! files         a list, a glob or a BIDS folder → recordings, whose they are, and the tables beside them
//! grouping      which of them are used, and which become one view
//! sidecars      _events.tsv and _channels.tsv → events, bad channels
//! ```
//!
//! Our own reader, because a header may claim anything: every size is bounded by the bytes that are there before it is
//! used. What is refused and what is repaired:
//!
//! ```text
//! not the mark of EDF/BDF, fields that are no numbers, wrong header length, no whole record    refused (E07)
//! wrong or unknown (−1) number of records; bytes after the last one                            whole records kept, W08
//! no scale for a channel (digital minimum = maximum, …)                                        channel left out, W08
//! annotations that cannot be read                                                              left out, W08
//! gaps in time (EDF+D, BDF+D)                                                                  split into segments
//! ```

mod annotations;
mod epochs;
mod fields;
mod files;
mod grouping;
mod header;
mod positions;
mod segments;
mod sidecars;
mod stream;

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use congraph::{Error, Warning};
use congraph_eeg::Recording;

use crate::input::{Fault, fault, reason};
pub use epochs::{EpochsFile, read_epochs};
pub use files::{RecordingFile, find_recordings};
pub use grouping::{Entities, Entity, Grouping};
use header::Header;
pub use positions::read_montage;
pub use sidecars::{ChannelNotes, read_channels, read_events};
use stream::Hashing;

/// A recording with where it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedRecording {
    /// The recording, called by its path.
    pub recording: Recording,
    /// The SHA-256 of the file's bytes, in hexadecimal.
    pub sha256: String,
    /// What was repaired.
    pub warnings: Vec<Warning>,
}

/// Reads an EDF, EDF+, BDF or BDF+ file; which of them its first bytes tell, not its ending.
///
/// Memory: 2 bytes per sample of EDF and 4 of BDF.
///
/// # Errors
/// [`Error::Data`] with code E07 if the file cannot be read or its header cannot be trusted.
pub fn read_recording(path: &Path) -> Result<LoadedRecording, Error> {
    read(path).map_err(|fault| Error::from(*fault))
}

fn read(path: &Path) -> Result<LoadedRecording, Fault> {
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    if !metadata.is_file() {
        let hint = "give the recordings in it: FOLDER/*.edf";
        let why = "every recording is read from a file of its own";
        return Err(fault(path, "is not a file", why, hint));
    }
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let mut input = BufReader::with_capacity(1 << 18, Hashing::new(file));
    let header = Header::read(path, &mut input, metadata.len())?;
    let (recording, warnings) = stream::records(path, &mut input, &header, metadata.len())?;
    let sha256 = stream::finish(path, input)?;
    Ok(LoadedRecording {
        recording,
        sha256,
        warnings,
    })
}

fn unreadable(path: &Path, error: &std::io::Error) -> Fault {
    let hint = match error.kind() {
        std::io::ErrorKind::NotFound => "check the path",
        std::io::ErrorKind::PermissionDenied => "check that you may read it",
        _ => "check the file and the disk it is on",
    };
    fault(
        path,
        &format!("cannot be read: {}", reason(error)),
        "every recording given is used, and none is left out silently",
        hint,
    )
}
