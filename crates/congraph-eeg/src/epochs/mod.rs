//! Epochs: equal stretches of signal around events, and what is done to them.
//!
//! Every step is linear in the signals except leaving trials out, so the steps over channels (reference, CSD) and those
//! over time (filter, baseline) may change places: the filter runs on the continuous recording, the rest on the epochs
//! alone.

mod cut;

use std::ops::Range;

use congraph::{Code, DataError, Error, Table};

use crate::csd::SurfaceLaplacian;
use crate::filters::ZeroPhase;
pub use cut::{Cut, Cuts, Nothing, cut};
pub(crate) use cut::{Stop, try_cut};

/// Equal stretches of signal, one per trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Epochs {
    names: Vec<String>,
    sampling_hz: f64,
    /// The sample of the event, counted from the first of the epoch; negative if the epoch starts later.
    event_at: isize,
    n_times: usize,
    trials: Vec<String>,
    /// How many recordings they are from.
    n_recordings: usize,
    /// Trial after trial, channel after channel.
    values: Vec<f64>,
}

impl Epochs {
    /// Epochs of `values`: trial after trial, channel after channel, `n_times` samples each, the event at sample
    /// `event_at`.
    ///
    /// # Panics
    /// If there are not as many values as trials × channels × times.
    pub fn new(
        names: Vec<String>,
        sampling_hz: f64,
        event_at: isize,
        n_times: usize,
        trials: Vec<String>,
        values: Vec<f64>,
    ) -> Self {
        assert_eq!(
            values.len(),
            trials.len() * names.len() * n_times,
            "trials × channels × times values"
        );
        Self {
            names,
            sampling_hz,
            event_at,
            n_times,
            trials,
            n_recordings: 1,
            values,
        }
    }

    /// The names of the channels.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Samples per second.
    pub fn sampling_hz(&self) -> f64 {
        self.sampling_hz
    }

    /// How many samples an epoch has.
    pub fn n_times(&self) -> usize {
        self.n_times
    }

    /// The names of the trials.
    pub fn trials(&self) -> &[String] {
        &self.trials
    }

    /// How many trials.
    pub fn n_trials(&self) -> usize {
        self.trials.len()
    }

    /// The samples of one channel in one trial.
    pub fn values(&self, trial: usize, channel: usize) -> &[f64] {
        &self.values[(trial * self.names.len() + channel) * self.n_times..][..self.n_times]
    }

    fn trial_mut(&mut self, trial: usize) -> &mut [f64] {
        let size = self.names.len() * self.n_times;
        &mut self.values[trial * size..(trial + 1) * size]
    }

    /// The samples of a stretch of time around the event: from its first to before its last moment, each at the nearest
    /// sample.
    ///
    /// # Errors
    /// E05 if it holds no sample or reaches beyond the epoch.
    pub fn samples(&self, [from, to]: [f64; 2]) -> Result<Range<usize>, Error> {
        let place = |seconds: f64| (seconds * self.sampling_hz).round_ties_even() + self.event_at as f64;
        let (first, end) = (place(from), place(to));
        // Compared before they are whole numbers, which cannot hold every time that may be asked for.
        if !(first >= 0.0 && first < end && end <= self.n_times as f64) {
            let seconds = |sample: usize| (sample as f64 - self.event_at as f64) / self.sampling_hz;
            return Err(DataError::new(
                Code::E05,
                format!(
                    "{from}:{to} s around the event holds no sample or reaches beyond the epoch, which is {}:{} s at \
                    {} Hz",
                    seconds(0),
                    seconds(self.n_times),
                    self.sampling_hz
                ),
                "only what was cut out is there",
                "choose a stretch within the epoch, at least one sample long",
            )
            .into());
        }
        Ok(first as usize..end as usize)
    }

    /// Takes the mean of some channels out of all channels, sample by sample.
    pub fn reference(&mut self, channels: &[usize]) {
        let n_times = self.n_times;
        for trial in 0..self.n_trials() {
            let values = self.trial_mut(trial);
            let mut mean = vec![0.0; n_times];
            for &channel in channels {
                let row = &values[channel * n_times..][..n_times];
                mean.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
            }
            mean.iter_mut().for_each(|sum| *sum /= channels.len() as f64);
            for row in values.chunks_exact_mut(n_times) {
                row.iter_mut().zip(&mean).for_each(|(x, mean)| *x -= mean);
            }
        }
    }

    /// Filters each channel of each trial on its own, for epochs whose recording is not at hand. Filtering before
    /// cutting knows more at both ends.
    ///
    /// # Errors
    /// As [`ZeroPhase::apply`].
    pub fn filter(&mut self, filter: &ZeroPhase) -> Result<(), Error> {
        self.values
            .chunks_exact_mut(self.n_times)
            .try_for_each(|row| filter.apply(row))
    }

    /// Turns potentials into current source densities.
    pub fn csd(&mut self, laplacian: &SurfaceLaplacian) {
        let n_times = self.n_times;
        for trial in 0..self.n_trials() {
            laplacian.apply(self.trial_mut(trial), n_times);
        }
    }

    /// Takes each channel's mean over a stretch of time out of it, trial by trial.
    ///
    /// # Errors
    /// As [`Epochs::samples`].
    pub fn baseline(&mut self, stretch: [f64; 2]) -> Result<(), Error> {
        let samples = self.samples(stretch)?;
        for row in self.values.chunks_exact_mut(self.n_times) {
            let mean = row[samples.clone()].iter().sum::<f64>() / samples.len() as f64;
            row.iter_mut().for_each(|x| *x -= mean);
        }
        Ok(())
    }

    /// The largest peak-to-peak amplitude of a trial over its channels, and the channel that has it.
    pub fn amplitude(&self, trial: usize) -> (f64, usize) {
        let range = |channel: usize| {
            let row = self.values(trial, channel).iter();
            let (low, high) = row.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| {
                (x.min(low), x.max(high))
            });
            (high - low, channel)
        };
        let larger = |a: (f64, usize), b: (f64, usize)| if b.0 > a.0 { b } else { a };
        (0..self.names.len()).map(range).fold((0.0, 0), larger)
    }

    /// The trials that `keep` says yes to.
    #[must_use]
    pub fn retain(&self, mut keep: impl FnMut(usize) -> bool) -> Self {
        let kept: Vec<usize> = (0..self.n_trials()).filter(|&trial| keep(trial)).collect();
        let size = self.names.len() * self.n_times;
        Self {
            names: self.names.clone(),
            trials: kept.iter().map(|&trial| self.trials[trial].clone()).collect(),
            values: kept
                .iter()
                .flat_map(|&trial| &self.values[trial * size..(trial + 1) * size])
                .copied()
                .collect(),
            ..*self
        }
    }

    /// The channels at some places, and a stretch of time.
    ///
    /// # Errors
    /// As [`Epochs::samples`].
    pub fn window(&self, channels: &[usize], stretch: [f64; 2]) -> Result<Self, Error> {
        let samples = self.samples(stretch)?;
        let mut values = Vec::with_capacity(self.n_trials() * channels.len() * samples.len());
        for trial in 0..self.n_trials() {
            for &channel in channels {
                values.extend_from_slice(&self.values(trial, channel)[samples.clone()]);
            }
        }
        Ok(Self {
            names: channels.iter().map(|&channel| self.names[channel].clone()).collect(),
            event_at: self.event_at - samples.start as isize,
            n_times: samples.len(),
            trials: self.trials.clone(),
            values,
            ..*self
        })
    }

    /// The first `n` trials.
    ///
    /// # Errors
    /// E05 if there are fewer.
    pub fn first(&self, n: usize) -> Result<Self, Error> {
        if self.n_trials() < n || n == 0 {
            return Err(DataError::new(
                Code::E05,
                format!("{n} trials are asked for, and {} are left", self.n_trials()),
                "every view should rest on the same number of trials",
                "ask for at most as many and at least one, or reject fewer",
            )
            .into());
        }
        Ok(self.retain(|trial| trial < n))
    }

    /// The trials of another recording of the same subject after these.
    ///
    /// # Errors
    /// E02 unless channels, sampling rate and length are the same.
    pub fn append(&mut self, other: &Self) -> Result<(), Error> {
        let fits =
            (self.sampling_hz, self.event_at, self.n_times) == (other.sampling_hz, other.event_at, other.n_times);
        if self.names != other.names || !fits {
            return Err(DataError::new(
                Code::E02,
                format!(
                    "two recordings of one subject differ in channels, sampling rate or length of epochs: {} channels \
                     at {} Hz, and {} channels at {} Hz",
                    self.names.len(),
                    self.sampling_hz,
                    other.names.len(),
                    other.sampling_hz
                ),
                "their trials are stacked into one view",
                "name the channels that are bad in one of them as bad in all",
            )
            .into());
        }
        self.n_recordings += 1;
        // Trials of two recordings have the same names, and must not become one block.
        let renamed = other
            .trials
            .iter()
            .map(|trial| format!("{}/{trial}", self.n_recordings));
        self.trials.extend(renamed);
        self.values.extend_from_slice(&other.values);
        Ok(())
    }

    /// All trials under one another: a table of samples × channels whose blocks are the trials.
    pub fn stack(&self, view: impl Into<String>) -> Table {
        self.clone().into_table(view)
    }

    /// The same without a copy of the values.
    pub fn into_table(mut self, view: impl Into<String>) -> Table {
        let (n_channels, n_times) = (self.names.len(), self.n_times);
        // Each trial is transposed in place, channels × times → times × channels, with one trial of spare memory.
        let mut trial = Vec::with_capacity(n_channels * n_times);
        for values in self.values.chunks_exact_mut((n_channels * n_times).max(1)) {
            trial.clear();
            trial.extend_from_slice(values);
            for (time, sample) in values.chunks_exact_mut(n_channels).enumerate() {
                for (channel, value) in sample.iter_mut().enumerate() {
                    *value = trial[channel * n_times + time];
                }
            }
        }
        let mut table = Table::new(view, n_channels, self.values).with_columns(self.names);
        let repeated = |trial: &String| std::iter::repeat_n(trial.clone(), n_times);
        table.blocks = Some(self.trials.iter().flat_map(repeated).collect());
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epochs() -> Epochs {
        let names = vec!["a".into(), "b".into()];
        let values = (0..12).map(f64::from).collect();
        Epochs::new(names, 10.0, 1, 3, vec!["1".into(), "2".into()], values)
    }

    #[test]
    fn trials_are_stacked_to_samples_and_kept_as_blocks() {
        let table = epochs().stack("subject");
        assert_eq!((table.n_rows, table.n_columns), (6, 2));
        assert_eq!(
            table.values,
            [0.0, 3.0, 1.0, 4.0, 2.0, 5.0, 6.0, 9.0, 7.0, 10.0, 8.0, 11.0]
        );
        assert_eq!(table.blocks.unwrap(), ["1", "1", "1", "2", "2", "2"]);
    }

    #[test]
    fn stretches_are_half_open_and_stay_within_the_epoch() {
        assert_eq!(epochs().samples([0.0, 0.2]).unwrap(), 1..3);
        assert_eq!(epochs().samples([-0.1, 0.0]).unwrap(), 0..1);
        for outside in [
            [0.0, 0.3],
            [-0.2, 0.1],
            [0.0, 0.01],
            [0.1, 0.0],
            [f64::NAN, f64::INFINITY],
        ] {
            assert!(matches!(epochs().samples(outside), Err(Error::Data(errors)) if errors[0].code == Code::E05));
        }
        let window = epochs().window(&[1], [0.1, 0.2]).unwrap();
        assert_eq!(
            (window.values(1, 0), window.names()),
            (&[11.0][..], &["b".to_owned()][..])
        );
        assert_eq!(window.samples([0.1, 0.2]).unwrap(), 0..1);
    }

    #[test]
    fn baseline_reference_and_amplitudes() {
        let mut all = epochs();
        all.baseline([-0.1, 0.1]).unwrap();
        assert_eq!(all.values(1, 1), [-0.5, 0.5, 1.5]);
        assert_eq!(all.amplitude(0), (2.0, 0));
        let mut all = epochs();
        all.reference(&[0, 1]);
        assert_eq!((all.values(0, 0), all.values(0, 1)), (&[-1.5; 3][..], &[1.5; 3][..]));
        assert_eq!(all.first(1).unwrap().n_trials(), 1);
        assert!(all.first(3).is_err() && all.first(0).is_err());
        let more = all.clone();
        all.append(&more).unwrap();
        assert_eq!(all.trials(), ["1", "2", "2/1", "2/2"]);
        let band = crate::Band {
            low_hz: 1.0,
            high_hz: 2.0,
            order: 1,
        };
        assert!(all.filter(&ZeroPhase::new(band, 10.0).unwrap()).is_err());
        let mut long = Epochs::new(vec!["a".into()], 10.0, 0, 40, vec!["1".into()], vec![5.0; 40]);
        long.filter(&ZeroPhase::new(band, 10.0).unwrap()).unwrap();
        assert!(long.values(0, 0).iter().all(|x| x.abs() < 1e-12));
        assert!(all.append(&more.window(&[0], [0.0, 0.1]).unwrap()).is_err());
    }
}
