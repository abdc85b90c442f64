//! Epochs of several subjects as the studies take them.

use congraph::Error;
use congraph_eeg::{Band, Epochs, Montage, ZeroPhase};
use congraph_io::{read_epochs, read_montage};

/// Band-passed, cut to 0–0.5 s and referenced to the average; electrodes are in a file beside it, if there is one.
pub(crate) fn prepared(path: &str, band: [f64; 2]) -> Result<Vec<(String, Epochs)>, Error> {
    let file = std::path::Path::new(path);
    let beside = file.with_file_name("electrodes.csv");
    let montage = if beside.is_file() {
        read_montage(&beside)?
    } else {
        Montage::default()
    };
    let mut subjects = Vec::new();
    for (subject, mut epochs) in read_epochs(file, &montage)?.subjects {
        epochs.filter(&ZeroPhase::new(Band::new(band[0], band[1]), epochs.sampling_hz())?)?;
        let all: Vec<usize> = (0..epochs.names().len()).collect();
        let mut epochs = epochs.window(&all, [0.0, 0.5])?;
        epochs.reference(&all);
        subjects.push((subject, epochs));
    }
    Ok(subjects)
}
