//! Many runs of Leiden, and the best that can be made of them.
//!
//! Modularity has many good local maxima, and which one Leiden ends in depends on its random numbers. So the best run
//! is only a start.
//!
//! - The runs are crossed in rounds, two by two: the parts of the network that both put together are merged into nodes,
//!   Leiden looks for the best communities of these, then again of single nodes, and the best of the three is kept.
//!   What good partitions agree on is mostly right (Ovelgönne and Geyer-Schulz, 2012), and the search can spend itself
//!   on the rest. Equal partitions cost nothing to cross.
//! - From the winner, three times as many searches as there are runs start with about half of its communities
//!   dissolved, and the best is kept.
//! - It alone is iterated until nothing moves: on hard networks the last of many iterations gain less than the above.
//!
//! Nothing of this lowers modularity. It takes about twice as long as the runs themselves.
//!
//! Every run, crossing and search has a random stream of its own: the result depends on the seed alone, not on threads.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::leiden::improve;
use super::network::Network;
use super::partition::{Partition, compact};
use super::scratch::LabelSums;
use crate::error::Error;

/// How often communities of the best partition are dissolved, in as many searches as there are runs.
const KICKS: usize = 3;

/// The most iterations of Leiden, except for the winner.
const ITERATIONS: usize = 4;

/// Whether to stop: asked before every search, from any thread. What is found after it said yes is discarded.
pub(super) type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// A [`Stop`] that never does.
pub(super) fn never() -> bool {
    false
}

/// How to look for communities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leiden {
    /// The resolution γ, above 0: larger makes more and smaller communities. 1 is the usual modularity.
    pub resolution: f64,
    /// How many runs to choose the best from, at least 1.
    pub n_runs: usize,
    /// The seed that everything random follows from.
    pub seed: u64,
}

impl Default for Leiden {
    fn default() -> Self {
        Self {
            resolution: 1.0,
            n_runs: 100,
            seed: 1,
        }
    }
}

/// Communities of a network, each of them connected unless the network is signed.
#[derive(Clone, Debug, PartialEq)]
pub struct Communities {
    /// The communities.
    pub partition: Partition,
    /// The modularity, at the resolution that was asked for.
    pub modularity: f64,
}

impl Leiden {
    /// The communities of a network with the largest modularity that was found.
    ///
    /// # Errors
    /// [`Error::Parameter`] if a setting is out of its range.
    ///
    /// ```
    /// use congraph::communities::{Leiden, Network};
    ///
    /// // Two triangles, joined by a weak link.
    /// let pairs = [[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5], [2, 3]];
    /// let network = Network::new(6, &pairs, &[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.1])?;
    /// let found = Leiden::default().communities(&network)?;
    /// assert_eq!(found.partition.labels(), [0, 0, 0, 1, 1, 1]);
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn communities(&self, network: &Network) -> Result<Communities, Error> {
        let runs = self.runs(network)?;
        Ok(self.best(network, runs, &never))
    }

    /// What each run of Leiden found.
    ///
    /// # Errors
    /// [`Error::Parameter`] if a setting is out of its range.
    pub fn runs(&self, network: &Network) -> Result<Vec<Communities>, Error> {
        self.check()?;
        Ok(self.runs_until(network, &never))
    }

    /// As [`Leiden::runs`], of settings that were checked.
    pub(super) fn runs_until(&self, network: &Network, stop: Stop<'_>) -> Vec<Communities> {
        let runs = (0..self.n_runs).into_par_iter();
        runs.map(|run| self.run(network, run, stop)).collect()
    }

    fn run(&self, network: &Network, stream: usize, stop: Stop<'_>) -> Communities {
        let alone = (0..network.n_nodes() as u32).collect();
        self.improved(network, alone, ITERATIONS, &mut self.stream(stream), stop)
    }

    /// The best that the runs lead to; at least as good as the best of them.
    pub(super) fn best(&self, network: &Network, runs: Vec<Communities>, stop: Stop<'_>) -> Communities {
        let mut n_streams = self.n_runs;
        // First the runs are crossed.
        let mut best = self.crossed(network, runs, &mut n_streams, stop);
        // Then half of the winner is dissolved, several times.
        for _ in 0..KICKS {
            let search = |stream| {
                let mut rng = self.stream(stream);
                let labels = dissolved(&best.partition, &mut rng);
                self.improved(network, labels, ITERATIONS, &mut rng, stop)
            };
            let streams = n_streams..n_streams + self.n_runs;
            n_streams = streams.end;
            let found: Vec<Communities> = streams.into_par_iter().map(search).collect();
            best = found.into_iter().fold(best, better);
        }
        // At last the best is iterated to the end.
        let labels = best.partition.labels().iter().map(|&label| label as u32).collect();
        let stable = self.improved(network, labels, usize::MAX, &mut self.stream(n_streams), stop);
        better(best, stable)
    }

    /// The winner of crossing the runs.
    fn crossed(
        &self,
        network: &Network,
        mut runs: Vec<Communities>,
        n_streams: &mut usize,
        stop: Stop<'_>,
    ) -> Communities {
        while runs.len() > 1 {
            let first_stream = *n_streams;
            *n_streams += runs.len() / 2;
            runs = runs
                .par_chunks(2)
                .enumerate()
                .map(|(k, pair)| match pair {
                    [one, two] => self.cross(network, [one, two], &mut self.stream(first_stream + k), stop),
                    _ => pair[0].clone(),
                })
                .collect();
        }
        // There is at least one run.
        runs.pop().unwrap_or_else(|| self.run(network, 0, stop))
    }

    /// The best of two partitions and of what comes of the parts they agree on.
    fn cross(
        &self,
        network: &Network,
        [one, two]: [&Communities; 2],
        rng: &mut ChaCha8Rng,
        stop: Stop<'_>,
    ) -> Communities {
        let parents = better(one.clone(), two.clone());
        if one.partition == two.partition || stop() {
            return parents;
        }
        // What both agree on moves as one.
        let (parts, n_parts) = agreement(network, &one.partition, &two.partition);
        let merged = network.merged(&parts, n_parts, &mut LabelSums::new(n_parts));
        let mut labels: Vec<u32> = (0..n_parts as u32).collect();
        improve(&merged, self.resolution, &mut labels, ITERATIONS, rng);
        let labels = parts.iter().map(|&part| labels[part as usize]).collect();
        better(parents, self.improved(network, labels, ITERATIONS, rng, stop))
    }

    /// What Leiden makes of these communities, in so many iterations.
    fn improved(
        &self,
        network: &Network,
        mut labels: Vec<u32>,
        max_iterations: usize,
        rng: &mut ChaCha8Rng,
        stop: Stop<'_>,
    ) -> Communities {
        if !stop() {
            improve(network, self.resolution, &mut labels, max_iterations, rng);
        }
        let partition = Partition::from_compact(&labels);
        Communities {
            modularity: network.modularity(&partition, self.resolution),
            partition,
        }
    }

    fn stream(&self, stream: usize) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(stream as u64);
        rng
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        let refuse = |name, message| Err(Error::Parameter { name, message });
        let resolution = self.resolution;
        if !(resolution > 0.0 && resolution.is_finite()) {
            return refuse(
                "resolution",
                format!("is {resolution}: a finite number above 0 is needed"),
            );
        }
        if self.n_runs == 0 {
            return refuse("n_runs", "is 0: at least one run is needed".into());
        }
        Ok(())
    }
}

/// The one with the larger modularity; of equals the first.
fn better(one: Communities, two: Communities) -> Communities {
    if two.modularity > one.modularity { two } else { one }
}

/// Labels below the number of nodes, with the nodes of about half of the communities on their own.
fn dissolved(partition: &Partition, rng: &mut ChaCha8Rng) -> Vec<u32> {
    let n = partition.n_communities();
    let is_dissolved: Vec<bool> = (0..n).map(|_| rng.random()).collect();
    let label = |(node, &label): (usize, &usize)| if is_dissolved[label] { n + node } else { label };
    let mut labels: Vec<u32> = partition
        .labels()
        .iter()
        .enumerate()
        .map(|of| label(of) as u32)
        .collect();
    compact(&mut labels, n + partition.n_nodes());
    labels
}

/// The connected parts of the network that both partitions put together, and their number.
fn agreement(network: &Network, one: &Partition, two: &Partition) -> (Vec<u32>, usize) {
    let n_labels = two.n_communities();
    let both = one.labels().iter().zip(two.labels());
    let both: Vec<usize> = both.map(|(one, two)| one * n_labels + two).collect();
    let mut parts: Vec<u32> = Partition::from_labels(&both)
        .labels()
        .iter()
        .map(|&label| label as u32)
        .collect();
    network.connected_parts(&mut parts);
    let n_parts = compact(&mut parts, network.n_nodes());
    (parts, n_parts)
}
