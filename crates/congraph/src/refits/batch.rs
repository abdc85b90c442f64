//! Very many fits of resampled data: parts drawn with replacement, or given by counts, and fitted on all threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::units::Part;
use super::{Refit, Refits};
use crate::error::{Error, SHOWN};
use crate::fit::Learn;
use crate::graph::MultiviewGraph;
use crate::methods::Certified;
use crate::parallel::chunks::try_map;
use crate::progress::{Progress, Status, Watch};

impl Refits<'_> {
    /// The part in which each unit counts as often as is said, view by view (0: it is left out); where views are the
    /// units, a single row says which views there are, once each at most.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the counts are not one for each unit, or leave a view without any.
    pub fn counted(&self, counts: &[Vec<u32>]) -> Result<Part, Error> {
        let refuse = |message: String| {
            Err(Error::Invalid {
                what: "the counts",
                message,
            })
        };
        let asked: Vec<usize> = counts.iter().map(Vec::len).collect();
        let own = self.n_units();
        if asked != own {
            return refuse(self.other_units(&asked, &own));
        }
        if let Some(view) = counts.iter().position(|row| row.iter().all(|&count| count == 0)) {
            return refuse(format!("leave nothing of view {}", view + 1));
        }
        if self.units.are_views() {
            if counts[0].iter().any(|&count| count > 1) {
                return refuse("take a view twice: it would count as another view".into());
            }
            let views: Vec<usize> = (0..counts[0].len()).filter(|&view| counts[0][view] > 0).collect();
            let whole = self.whole();
            let units = views.iter().map(|&view| whole.units[view].clone()).collect();
            return Ok(Part { views, units });
        }
        let of_view = |row: &Vec<u32>| {
            let often = row.iter().enumerate();
            often
                .flat_map(|(unit, &count)| std::iter::repeat_n(unit, count as usize))
                .collect()
        };
        Ok(Part {
            views: (0..counts.len()).collect(),
            units: counts.iter().map(of_view).collect(),
        })
    }

    /// What is said of counts that are not one for each unit.
    fn other_units(&self, asked: &[usize], own: &[usize]) -> String {
        if self.units.are_views() {
            return format!("must be {} for the {} views", own[0], own[0]);
        }
        let names = self.views.names();
        let listed = |sizes: &[usize]| {
            let each: Vec<String> = sizes
                .iter()
                .zip(&names)
                .take(SHOWN)
                .map(|(n, name)| format!("{n} of `{name}`"))
                .collect();
            let more = if names.len() > SHOWN { ", …" } else { "" };
            format!("{} units ({}{more})", sizes.iter().sum::<usize>(), each.join(", "))
        };
        format!("are of {}, and the data have {}", listed(asked), listed(own))
    }

    /// Resample number `number`: of each view as many units as it has, drawn with replacement. What is drawn belongs to
    /// the number and to the view's place among all by name. Where views are the units, none is drawn twice: half of them
    /// are taken.
    ///
    /// # Errors
    /// E05 if views are the units and too few.
    pub fn resample(&self, seed: u64, number: u64) -> Result<Part, Error> {
        let whole = self.whole();
        if self.units.are_views() {
            let [half, _] = self.halves(&whole, seed, number)?;
            return Ok(half);
        }
        let mut part = whole;
        for (view, units) in part.units.iter_mut().enumerate() {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(number * self.views.n_views() as u64 + self.units.rank(view) as u64);
            let own = units.len();
            units.iter_mut().for_each(|unit| *unit = rng.random_range(0..own));
            units.sort_unstable();
        }
        Ok(part)
    }

    /// Learns the graphs of many parts, on all threads, in the order of the parts: none if the caller asked to stop. Parts
    /// of all views start from the solution of the whole data, each alike, so that neither their order nor the threads
    /// show. How exact fits are is for the method's solver to say: resamples seldom need more
    /// than a gap of 1e-5.
    ///
    /// # Errors
    /// What the method refuses.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use congraph::refits::{Refits, Unit};
    /// use congraph::simulate::{Settings, simulate};
    /// use congraph::{Newton, Smooth, ViewOptions, Views, no_progress};
    ///
    /// let simulation = simulate(&Settings { n_nodes: 20, n_views: 3, ..Settings::default() })?;
    /// let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
    /// let solver = Arc::new(Newton { tolerance: 1e-5, ..Newton::default() });
    /// let method = Smooth { solver, ..Smooth::new(0.05, 0.02) };
    /// let refits = Refits::new(&method, &views, Unit::Samples, 1 << 30)?;
    /// let parts = (0..50).map(|k| refits.resample(1, k)).collect::<Result<Vec<_>, _>>()?;
    /// let graphs = refits.fit_all(&method, &parts, &no_progress)?.unwrap_or_default();
    /// assert_eq!(graphs.len(), 50);
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn fit_all<M: Refit + Sync>(
        &self,
        method: &M,
        parts: &[Part],
        watch: Watch<'_>,
    ) -> Result<Option<Vec<MultiviewGraph>>, Error>
    where
        M::Start: Sync,
    {
        let whole = self.whole();
        let start = if parts.iter().any(|part| part.views == whole.views) {
            let data = self.data(&whole);
            let session = method.session(&data, watch)?;
            let fit = session.fit(method.model(), None, watch)?;
            if fit.solution.status() == Status::Interrupted {
                return Ok(None);
            }
            Some(fit.start())
        } else {
            None
        };
        let (stop, done) = (AtomicBool::new(false), AtomicUsize::new(0));
        // The fits are told of, not their iterations.
        let within = |_: &Progress| {
            if stop.load(Ordering::Relaxed) {
                std::ops::ControlFlow::Break(())
            } else {
                std::ops::ControlFlow::Continue(())
            }
        };
        let of_part = |part: &Part| {
            let start = start.as_ref().filter(|_| part.views == whole.views);
            let found = self.fit(method, part, start, &within)?;
            let progress = Progress::Fitted {
                done: done.fetch_add(1, Ordering::Relaxed) + 1,
                total: parts.len(),
            };
            if watch(&progress).is_break() {
                stop.store(true, Ordering::Relaxed);
            }
            Ok::<_, Error>(found)
        };
        let found: Vec<Option<MultiviewGraph>> = try_map(parts.par_iter(), of_part)?;
        let all: Option<Vec<MultiviewGraph>> = found.into_iter().collect();
        Ok(all.filter(|_| !stop.into_inner()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::smooth::Smooth;
    use crate::progress::no_progress;
    use crate::refits::Unit;
    use crate::simulate::{Settings, simulate};
    use crate::views::{ViewOptions, Views};

    #[test]
    fn resamples_are_those_of_their_counts_on_any_threads() {
        let settings = Settings {
            n_nodes: 15,
            n_views: 3,
            n_signals: vec![60],
            ..Settings::default()
        };
        let mut tables = simulate(&settings).unwrap().tables;
        for table in &mut tables {
            table.blocks = Some((0..table.n_rows).map(|row| format!("{:02}", row / 6)).collect());
        }
        let (views, _) = Views::assemble(tables, &ViewOptions::default()).unwrap();
        let method = Smooth::new(0.05, 0.02);
        let refits = Refits::new(&method, &views, Unit::Blocks, 1 << 30).unwrap();
        assert!(refits.has_sums());
        let parts: Vec<Part> = (0..7).map(|k| refits.resample(3, k).unwrap()).collect();
        assert!(parts[0] != parts[1] && parts[0].units.iter().all(|units| units.len() == 10));
        let counts = |part: &Part| -> Vec<Vec<u32>> {
            let of_view = |units: &Vec<usize>| {
                (0..10)
                    .map(|unit| units.iter().filter(|&&own| own == unit).count() as u32)
                    .collect()
            };
            part.units.iter().map(of_view).collect()
        };
        assert_eq!(refits.counted(&counts(&parts[2])).unwrap(), parts[2]);
        assert!(refits.counted(&[vec![0; 10], vec![1; 10], vec![1; 10]]).is_err());
        assert!(refits.counted(&[vec![1; 9]]).is_err());
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| refits.fit_all(&method, &parts, &no_progress).unwrap().unwrap())
        };
        let one = on(1);
        assert!(one == on(3));
        // The same from the samples, as far as sums of blocks round.
        let samples = Refits::new(&method, &views, Unit::Blocks, 0).unwrap();
        assert!(!samples.has_sums());
        let again = samples.fit_all(&method, &parts, &no_progress).unwrap().unwrap();
        for (one, two) in one.iter().zip(&again) {
            let both = one.adjacency(0).into_iter().zip(two.adjacency(0));
            assert!(both.into_iter().all(|(x, y)| (x - y).abs() < 1e-6));
        }
    }
}
