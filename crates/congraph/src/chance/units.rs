//! Correlations of signals in blocks (trials), and their moments when whole blocks change sign.
//!
//! Samples within a trial may depend on each other in any way. If trials are independent, so are the signs of a node's
//! signal in them. With c_k = Σ_{t in block k} x_a x_b / p the correlation is r = Σ_k c_k, and under random signs
//!
//! ```text
//! E r² = Σ c_k²        Var r² = 2 ( (Σ c_k²)² − Σ c_k⁴ )
//! ```
//!
//! Two or three blocks are too few to be judged as wholes; their samples are then judged as stretches of a series.

use std::ops::Range;

use super::correlations::Pairs;
use crate::parallel::simd::vectorised;
use crate::signals::{Scale, scale_into};
use crate::views::View;

/// Fewer blocks are too few to judge: of two, the mean that was taken off makes one the other's opposite.
pub(super) const LEAST_BLOCKS: usize = 4;

/// The correlations of chosen nodes with their moments; none if there are no blocks, or too few.
pub(super) fn of(view: &View, nodes: &[usize], own: &[bool]) -> Option<Pairs> {
    let order = in_blocks(view.blocks()?)?;
    let n_samples: usize = order.iter().map(Vec::len).sum();
    let p = n_samples as f64;
    // Mostly blocks lie one after the other, as they are multiplied.
    let is_sorted = order.iter().flatten().copied().eq(0..n_samples);
    // Zeros where the view lacks a node, or it does not vary.
    let mut rows = vec![0.0; nodes.len() * n_samples];
    vectorised(
        #[inline(always)]
        || {
            let mut gathered = Vec::new();
            let all = nodes.iter().zip(own).zip(rows.chunks_exact_mut(n_samples));
            for ((&node, _), out) in all.filter(|((_, own), _)| **own) {
                let signal = view.node(node);
                if is_sorted {
                    scale_into(signal, Scale::Zscore, out);
                } else {
                    gathered.clear();
                    gathered.extend(order.iter().flatten().map(|&sample| signal[sample]));
                    scale_into(&gathered, Scale::Zscore, out);
                }
            }
        },
    );
    let mut end = 0;
    let ends: Vec<usize> = order
        .iter()
        .map(|block| {
            end += block.len();
            end
        })
        .collect();
    let mut pairs = sums_of_blocks(&rows, n_samples, &ends);
    pairs.divide(p);
    // The mean over all samples was taken off, and with it a share of every block.
    let n_blocks = order.len() as f64;
    let correction = n_blocks / (n_blocks - 1.0);
    pairs.square.iter_mut().for_each(|square| *square *= correction);
    pairs
        .excess
        .iter_mut()
        .for_each(|excess| *excess *= correction * correction);
    Some(pairs)
}

/// Nodes on the right that are multiplied at a time, one in each lane, and on the left.
const LANES: usize = 8;
const SIDE: usize = 4;

/// Σ c, Σ c² and Σ c⁴ of all pairs of rows of `p` samples, with c the product of two rows in a block; where blocks end
/// is told by `ends`. Sums stay in registers from the first block to the last.
fn sums_of_blocks(rows: &[f64], p: usize, ends: &[usize]) -> Pairs {
    let n = rows.len() / p;
    let n_pairs = n * (n - 1) / 2;
    let mut pairs = Pairs {
        // A sum over few blocks has tails of its own.
        strongest: None,
        n_samples: p as f64,
        r: vec![0.0; n_pairs],
        square: vec![0.0; n_pairs],
        excess: vec![0.0; n_pairs],
        higher: Vec::new(),
    };
    let row = |node: usize| &rows[node * p..(node + 1) * p];
    let mut group = vec![[0.0; LANES]; p];
    vectorised(
        #[inline(always)]
        || {
            for first in (0..n).step_by(LANES) {
                let last = n.min(first + LANES);
                // Beyond the last node some are multiplied twice, and not asked.
                let right: [&[f64]; LANES] = std::array::from_fn(|lane| row((first + lane).min(n - 1)));
                // Squares of eight samples of eight nodes, turned.
                let squares: [&[[f64; LANES]]; LANES] = std::array::from_fn(|lane| right[lane].as_chunks::<LANES>().0);
                let (turned, rest) = group.as_chunks_mut::<LANES>();
                for (place, square) in turned.iter_mut().enumerate() {
                    let rows: [&[f64; LANES]; LANES] = std::array::from_fn(|lane| &squares[lane][place]);
                    for t in 0..LANES {
                        for lane in 0..LANES {
                            square[t][lane] = rows[lane][t];
                        }
                    }
                }
                for (lanes, t) in rest.iter_mut().zip(p - p % LANES..) {
                    for lane in 0..LANES {
                        lanes[lane] = right[lane][t];
                    }
                }
                for start in (0..last).step_by(SIDE) {
                    let left: [&[f64]; SIDE] = std::array::from_fn(|k| row((start + k).min(n - 1)));
                    let sums = tile_sums(left, &group, ends);
                    for (k, a) in (start..last.min(start + SIDE)).enumerate() {
                        let nodes = first.max(a + 1)..last;
                        let pair = a * (2 * n - a - 1) / 2 + nodes.start.saturating_sub(a + 1);
                        let (own, lanes) = (
                            pair..pair + nodes.len(),
                            nodes.start - first..nodes.len() + nodes.start - first,
                        );
                        pairs.r[own.clone()].copy_from_slice(&sums[k].first[lanes.clone()]);
                        pairs.square[own.clone()].copy_from_slice(&sums[k].second[lanes.clone()]);
                        pairs.excess[own].copy_from_slice(&sums[k].fourth[lanes]);
                    }
                }
            }
        },
    );
    pairs
}

/// Σ c, Σ c² and Σ c⁴ of one row with each of a group.
#[derive(Clone, Copy, Default)]
struct Sums {
    first: [f64; LANES],
    second: [f64; LANES],
    fourth: [f64; LANES],
}

impl Sums {
    #[inline(always)]
    fn add(&mut self, products: &[f64; LANES]) {
        let mut powers = *products;
        self.first.iter_mut().zip(products).for_each(|(sum, x)| *sum += x);
        powers.iter_mut().for_each(|x| *x *= *x);
        self.second.iter_mut().zip(&powers).for_each(|(sum, x)| *sum += x);
        self.fourth.iter_mut().zip(&powers).for_each(|(sum, x)| *sum += x * x);
    }
}

/// The sums of a few rows with a group of others.
#[inline(always)]
fn tile_sums(left: [&[f64]; SIDE], group: &[[f64; LANES]], ends: &[usize]) -> [Sums; SIDE] {
    // Each by its own name: then they stay in registers.
    let [mut a, mut b, mut c, mut d] = [Sums::default(); SIDE];
    let mut start = 0;
    for &end in ends {
        let right = &group[start..end];
        let [one, two, three, four] = left.map(|row| &row[start..end]);
        let mut products = [[0.0; LANES]; SIDE];
        for ((((y, &one), &two), &three), &four) in right.iter().zip(one).zip(two).zip(three).zip(four) {
            for (products, x) in products.iter_mut().zip([one, two, three, four]) {
                for lane in 0..LANES {
                    products[lane] = x.mul_add(y[lane], products[lane]);
                }
            }
        }
        a.add(&products[0]);
        b.add(&products[1]);
        c.add(&products[2]);
        d.add(&products[3]);
        start = end;
    }
    [a, b, c, d]
}

impl Pairs {
    /// The moments of products that are divided by p from their sums.
    fn divide(&mut self, p: f64) {
        let powers = [
            (&mut self.r, 1, 1.0),
            (&mut self.square, 2, 1.0),
            (&mut self.excess, 4, -2.0),
        ];
        for (values, power, factor) in powers {
            let factor = factor * p.powi(-power);
            values.iter_mut().for_each(|value| *value *= factor);
        }
    }
}

/// The stretches of samples that follow each other, in the order of the samples: those of blocks, or all. Blocks that are one
/// sample each tell nothing of what follows what.
pub(super) fn stretches(view: &View) -> Vec<Range<usize>> {
    let n_samples = view.node(0).len();
    let runs = view.blocks().map(runs_of).unwrap_or_default();
    if runs.is_empty() || runs.len() == n_samples {
        return std::iter::once(0..n_samples).collect();
    }
    runs
}

/// The runs of samples of one block.
fn runs_of(blocks: &[String]) -> Vec<Range<usize>> {
    let mut next = 0;
    let mut runs: Vec<Range<usize>> = Vec::new();
    for run in blocks.chunk_by(|one, two| one == two) {
        runs.push(next..next + run.len());
        next += run.len();
    }
    runs
}

/// The samples of each block, if there are enough blocks of more than one sample.
fn in_blocks(blocks: &[String]) -> Option<Vec<Vec<usize>>> {
    let mut runs = runs_of(blocks);
    let name = |run: &Range<usize>| &blocks[run.start];
    runs.sort_by(|one, two| name(one).cmp(name(two)));
    let parts: Vec<Vec<usize>> = runs
        .chunk_by(|one, two| name(one) == name(two))
        .map(|runs| runs.iter().cloned().flatten().collect())
        .collect();
    (parts.len() >= LEAST_BLOCKS && parts.len() < blocks.len()).then_some(parts)
}
