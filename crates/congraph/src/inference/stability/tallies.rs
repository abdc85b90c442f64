//! What is counted over the halves. Everything is a whole number or belongs to one pair of halves, so that the sum of
//! any parts is the same to the bit: threads, interruptions and shards change nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::calibration::Histogram;
use super::entries::Entries;
use super::fingerprint::Matches;

/// Squares are kept in units of 2^−80 of the square of the graphs' largest weight.
const FRACTION: i32 = 80;
/// No difference is larger than this many times the largest weight.
const MOST: f64 = 1048576.0;

/// A sum of squares without rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Squares(u128);

impl Squares {
    fn add(&mut self, difference: f64) {
        let difference = difference.abs().min(MOST);
        // Exact powers of two: nothing is rounded but the last bit.
        self.0 = self
            .0
            .saturating_add((difference * difference * 2_f64.powi(FRACTION)) as u128);
    }

    fn value(self) -> f64 {
        self.0 as f64 * 2_f64.powi(-FRACTION)
    }
}

impl Serialize for Squares {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("{:x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Squares {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        u128::from_str_radix(&text, 16)
            .map(Self)
            .map_err(serde::de::Error::custom)
    }
}

/// The counts of one edge: those of the consensus first, then the views' by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeCounts {
    /// How many halves have it.
    pub halves: Vec<u32>,
    /// How many pairs of halves have it in both.
    pub both: Vec<u32>,
    /// The sum over the pairs of (w_A − w_B)².
    pub squares: Vec<Squares>,
}

/// What was counted so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tallies {
    /// The jobs that are done.
    pub jobs: BTreeSet<usize>,
    /// The edges that any half had, by the ranks of their nodes' names; of negative ones the larger first.
    #[serde(with = "as_list")]
    pub edges: BTreeMap<[u32; 2], EdgeCounts>,
    /// Of the consensus, and of the views: how often edges in halves of a half came back in the other.
    pub calibration: [Vec<[u64; 2]>; 2],
    /// Which views were recognised, by their weights and by their deviations.
    pub matches: [Matches; 2],
}

/// Keys of JSON are text: a list of edges instead.
mod as_list {
    use super::{BTreeMap, Deserialize, Deserializer, EdgeCounts, Serializer};

    pub(super) fn serialize<S: Serializer>(edges: &BTreeMap<[u32; 2], EdgeCounts>, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(edges)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<[u32; 2], EdgeCounts>, D::Error> {
        let list = Vec::<([u32; 2], EdgeCounts)>::deserialize(from)?;
        Ok(list.into_iter().collect())
    }
}

impl Tallies {
    /// Adds what other jobs counted.
    ///
    /// The jobs must be others: those of both would count twice.
    pub fn merge(&mut self, other: Self) {
        self.jobs.extend(other.jobs);
        for (key, theirs) in other.edges {
            let mine = self.edges.entry(key).or_default();
            let width = theirs.halves.len();
            mine.halves.resize(width, 0);
            mine.both.resize(width, 0);
            mine.squares.resize(width, Squares::default());
            for k in 0..width {
                mine.halves[k] += theirs.halves[k];
                mine.both[k] += theirs.both[k];
                mine.squares[k].0 = mine.squares[k].0.saturating_add(theirs.squares[k].0);
            }
        }
        for (mine, theirs) in self.calibration.iter_mut().zip(other.calibration) {
            let mut sum = Histogram {
                counts: std::mem::take(mine),
            };
            sum.merge(&Histogram { counts: theirs });
            *mine = sum.counts;
        }
        for (mine, theirs) in self.matches.iter_mut().zip(&other.matches) {
            mine.merge(theirs);
        }
    }

    /// Whether these can be counts of so many jobs, of which `n_pairs` are pairs of halves, on so many nodes and views.
    pub fn fits(&self, n_jobs: usize, n_pairs: usize, n_nodes: usize, width: usize) -> bool {
        let is_edge = |(key, counts): (&[u32; 2], &EdgeCounts)| {
            let is_pair = key[0] != key[1] && key.iter().all(|&node| (node as usize) < n_nodes);
            let lengths = [counts.halves.len(), counts.both.len(), counts.squares.len()];
            let few = counts.halves.iter().all(|&count| count as usize <= 2 * n_pairs);
            is_pair && lengths == [width; 3] && few
        };
        let n_views = width - 1;
        let is_square = |matches: &Matches| matches.best.is_empty() || matches.best.len() == n_views * n_views;
        self.jobs.iter().all(|&job| job < n_jobs)
            && self.edges.iter().all(is_edge)
            && self.matches.iter().all(is_square)
    }

    /// Counts a pair of halves; differences are in units of `largest`.
    pub(super) fn count_pair(&mut self, [one, other]: [&Entries; 2], largest: f64) {
        let width = one.width();
        let nothing = vec![0.0; width];
        for (a, b) in one.joined(other) {
            let key = a.map_or_else(|| b.map_or([0, 0], |b| other.key(b)), |a| one.key(a));
            let x = a.map_or(&nothing[..], |a| one.row(a));
            let y = b.map_or(&nothing[..], |b| other.row(b));
            let counts = self.edges.entry(key).or_insert_with(|| EdgeCounts {
                halves: vec![0; width],
                both: vec![0; width],
                squares: vec![Squares::default(); width],
            });
            for k in 0..width {
                let [one, two] = [x[k] != 0.0, y[k] != 0.0];
                counts.halves[k] += u32::from(one) + u32::from(two);
                counts.both[k] += u32::from(one && two);
                counts.squares[k].add((x[k] - y[k]) / largest);
            }
        }
    }

    /// Counts which edges of the halves of a half came back in the `other`.
    pub(super) fn count_nested(&mut self, halves: &[Entries], other: &Entries) {
        let width = other.width();
        let mut counts: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
        for half in halves {
            for row in 0..half.len() {
                let counts = counts.entry(half.key(row)).or_insert_with(|| vec![0; width]);
                let present = counts.iter_mut().zip(half.row(row));
                present.for_each(|(count, &weight)| *count += usize::from(weight != 0.0));
            }
        }
        let nothing = vec![0.0; width];
        let mut back: BTreeMap<[u32; 2], &[f64]> =
            (0..other.len()).map(|row| (other.key(row), other.row(row))).collect();
        let mut histograms = [Histogram::default(), Histogram::default()];
        for (key, counts) in counts {
            let row = back.remove(&key).unwrap_or(&nothing);
            for (k, (&count, &weight)) in counts.iter().zip(row).enumerate() {
                if count > 0 {
                    histograms[usize::from(k > 0)].add(count, weight != 0.0);
                }
            }
        }
        for (sum, more) in self.calibration.iter_mut().zip(histograms) {
            let mut all = Histogram {
                counts: std::mem::take(sum),
            };
            all.merge(&more);
            *sum = all.counts;
        }
    }

    /// √(mean over the pairs of (w_A − w_B)²) / 2 of an edge's weight.
    pub(super) fn standard_error(counts: &EdgeCounts, column: usize, n_pairs: usize, largest: f64) -> f64 {
        0.5 * (counts.squares[column].value() / n_pairs as f64).sqrt() * largest
    }
}
