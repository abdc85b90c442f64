//! Trials left out by their amplitude.

use congraph::{Code, DataError};

use crate::epochs::Epochs;
use crate::recording::Recording;

/// The trials whose peak-to-peak amplitude stays within a limit, in microvolts; an error if there are none.
pub(super) fn reject(recording: &Recording, epochs: Epochs, limit: f64) -> Result<Epochs, Box<DataError>> {
    let amplitudes: Vec<(f64, usize)> = (0..epochs.n_trials()).map(|trial| epochs.amplitude(trial)).collect();
    if amplitudes.iter().all(|(amplitude, _)| *amplitude <= limit) {
        return Ok(epochs);
    }
    let kept = epochs.retain(|trial| amplitudes[trial].0 <= limit);
    if kept.n_trials() > 0 {
        return Ok(kept);
    }
    let least = amplitudes
        .iter()
        .map(|(amplitude, _)| *amplitude)
        .fold(f64::INFINITY, f64::min);
    let blamed = |channel: usize| amplitudes.iter().filter(|(_, largest)| *largest == channel).count();
    let worst = (0..epochs.names().len())
        .max_by_key(|&channel| blamed(channel))
        .unwrap_or(0);
    let error = DataError::new(
        Code::E05,
        format!(
            "`{}`: all {} trials have amplitudes above {limit} µV; the quietest reaches {least:.1} µV, and `{}` is \
            the largest in {} of them",
            recording.name,
            epochs.n_trials(),
            epochs.names()[worst],
            blamed(worst)
        ),
        "there would be nothing to learn from",
        "allow larger amplitudes, or name channels as bad that are large in most trials",
    )
    .at_node(&epochs.names()[worst]);
    Err(Box::new(error))
}
