//! Filtering forwards and backwards, so that nothing is delayed.
//!
//! The gain is that of the filter squared. Both ends are extended by a piece of the signal turned about its end value
//! (odd extension), and the filter starts in the state in which it would have come to rest on the first value: what
//! SciPy's `sosfiltfilt` does by default.

use congraph::Error;

use super::butterworth::{Band, Section, butterworth};

/// A filter that is applied forwards and backwards.
#[derive(Clone, Debug, PartialEq)]
pub struct ZeroPhase {
    sections: Vec<Section>,
    band: Band,
}

impl ZeroPhase {
    /// A Butterworth band-pass at a sampling rate.
    ///
    /// # Errors
    /// As [`butterworth`].
    pub fn new(band: Band, sampling_hz: f64) -> Result<Self, Error> {
        Ok(Self {
            sections: butterworth(&band, sampling_hz)?,
            band,
        })
    }

    /// How many values each end is extended by; a signal must be longer.
    pub fn padding(&self) -> usize {
        3 * (2 * self.sections.len() + 1)
    }

    /// Filters a signal.
    ///
    /// # Errors
    /// [`Error::Parameter`] if it is not longer than [`ZeroPhase::padding`].
    pub fn apply(&self, signal: &mut [f64]) -> Result<(), Error> {
        let (n, padding) = (signal.len(), self.padding());
        if n <= padding {
            let (low, high) = (self.band.low_hz, self.band.high_hz);
            return Err(Error::Parameter {
                name: "band",
                message: format!(
                    "{low}:{high} needs more than {padding} consecutive samples to filter, and there are {n}"
                ),
            });
        }
        // Odd extension: the padding is the signal near the end, turned by 180° about its end value.
        let (first, last) = (signal[0], signal[n - 1]);
        let mut extended = Vec::with_capacity(n + 2 * padding);
        extended.extend(signal[1..=padding].iter().rev().map(|x| 2.0 * first - x));
        extended.extend_from_slice(signal);
        extended.extend(signal[n - 1 - padding..n - 1].iter().rev().map(|x| 2.0 * last - x));
        self.run(extended.iter_mut());
        self.run(extended.iter_mut().rev());
        signal.copy_from_slice(&extended[padding..padding + n]);
        Ok(())
    }

    /// Filters in one direction, the one in which the iterator runs.
    fn run<'a>(&self, signal: impl Iterator<Item = &'a mut f64>) {
        let mut signal = signal.peekable();
        let start = signal.peek().map_or(0.0, |first| **first);
        let mut states = self.resting(start);
        for value in signal {
            for (section, state) in self.sections.iter().zip(&mut states) {
                *value = section.step(*value, state);
            }
        }
    }

    /// The states on a constant signal after an infinite time.
    fn resting(&self, mut level: f64) -> Vec<[f64; 2]> {
        let rest = |section: &Section| {
            let ([b0, b1, b2], [a1, a2]) = (section.above, section.below);
            // z = 1 in the transfer function: what comes out of a constant in the end.
            let out = level * (b0 + b1 + b2) / (1.0 + a1 + a2);
            let second = b2 * level - a2 * out;
            let first = b1 * level - a1 * out + second;
            level = out;
            [first, second]
        };
        self.sections.iter().map(rest).collect()
    }
}

impl Section {
    /// One value through the section (direct form II, transposed).
    #[inline]
    fn step(&self, value: f64, state: &mut [f64; 2]) -> f64 {
        let ([b0, b1, b2], [a1, a2]) = (self.above, self.below);
        let out = b0 * value + state[0];
        state[0] = b1 * value - a1 * out + state[1];
        state[1] = b2 * value - a2 * out;
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_inside_the_band_passes_and_what_is_outside_does_not() {
        let filter = ZeroPhase::new(Band::new(4.0, 7.0), 160.0).unwrap();
        let wave = |hz: f64| -> Vec<f64> {
            let mut wave: Vec<f64> = (0..1600)
                .map(|k| 3.0 + (std::f64::consts::TAU * hz * k as f64 / 160.0).sin())
                .collect();
            filter.apply(&mut wave).unwrap();
            wave[400..1200].to_vec()
        };
        let largest = |wave: &[f64]| wave.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        assert!((largest(&wave(5.29)) - 1.0).abs() < 0.01);
        assert!(largest(&wave(1.0)) < 1e-3);
        assert!(largest(&wave(30.0)) < 1e-4);
    }

    #[test]
    fn bands_that_cannot_be_are_refused_with_what_could() {
        let message = |low, high, hz| Error::to_string(&ZeroPhase::new(Band::new(low, high), hz).unwrap_err());
        assert!(
            message(4.0, 90.0, 160.0).contains("80 Hz"),
            "{}",
            message(4.0, 90.0, 160.0)
        );
        assert!(message(7.0, 4.0, 160.0).contains("lower one first"));
        assert!(message(0.0, 4.0, 160.0).contains("above 0 Hz"));
        assert!(message(f64::NAN, 4.0, 160.0).contains("above 0 Hz"));
        let filter = ZeroPhase::new(Band::new(4.0, 7.0), 160.0).unwrap();
        assert!(filter.apply(&mut [0.0; 27]).is_err());
        assert!(filter.apply(&mut [0.0; 28]).is_ok());
    }
}
