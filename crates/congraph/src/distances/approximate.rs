//! Nearest neighbours of very many nodes, approximately: random projection trees, then neighbours of neighbours.
//!
//! Comparing all pairs takes n² steps; this takes about n^1.1. Points that fall into the same leaf of a random tree are
//! likely neighbours; and a neighbour's neighbour is likely a neighbour (NN-descent, Dong et al. 2011). Each node looks
//! at candidates taken from an unchanged copy of the last round's lists and writes only its own list, so that the
//! result depends on the seed alone, not on the number of threads.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::quantised::mean_signal;
use crate::parallel::HugePageBuffer;
use crate::parallel::simd::{largest, vectorised};
use crate::signals::ViewSignals;

/// One view's signals in f32, without what all nodes have in common (unless edges are signed), relative to the largest
/// value.
pub(super) struct Cloud {
    values: HugePageBuffer<f32>,
    width: usize,
    signed: bool,
}

impl Cloud {
    pub(super) fn new(view: &ViewSignals, n_nodes: usize, signed: bool) -> Self {
        let width = view.n_samples;
        let centre = if signed {
            vec![0.0; width]
        } else {
            mean_signal(view, n_nodes)
        };
        let rows = || {
            (0..n_nodes)
                .into_par_iter()
                .with_min_len(32)
                .map(|node| view.node(node))
        };
        let most = rows().map(largest).reduce(|| 0.0, f64::max).max(largest(&centre));
        let inverse = if most > 0.0 { 1.0 / most } else { 1.0 };
        let mut values = HugePageBuffer::zeros(n_nodes * width);
        let out = values.values_mut().par_chunks_exact_mut(width).with_min_len(32);
        out.zip(rows()).for_each(|(out, row)| {
            for (value, (x, mean)) in out.iter_mut().zip(row.iter().zip(&centre)) {
                *value = (x * inverse - mean * inverse) as f32;
            }
        });
        Self { values, width, signed }
    }

    pub(super) fn points(&self) -> Points<'_> {
        Points {
            values: self.values.values(),
            width: self.width,
            signed: self.signed,
        }
    }
}

/// Points with `width` coordinates each, one after the other.
#[derive(Clone, Copy)]
pub(super) struct Points<'a> {
    pub(super) values: &'a [f32],
    pub(super) width: usize,
    /// Whether a point is the same as its opposite: the shorter of both distances counts.
    pub(super) signed: bool,
}

const TREES: u64 = 6;
const LEAF: usize = 40;
const MAX_ROUNDS: usize = 12;
/// A round that changes less than this share of all entries is the last.
const SETTLED: f64 = 0.001;
/// Nodes per block of work.
const BLOCK: usize = 512;
const NOBODY: u32 = u32::MAX;

impl<'a> Points<'a> {
    fn len(&self) -> usize {
        self.values.len() / self.width
    }

    fn point(&self, index: usize) -> &'a [f32] {
        &self.values[index * self.width..(index + 1) * self.width]
    }

    #[inline(always)]
    fn distance(&self, a: usize, b: usize) -> f32 {
        let distance = self.distance_of::<false>(a, b);
        if self.signed {
            return distance.min(self.distance_of::<true>(a, b));
        }
        distance
    }

    /// ‖x − y‖², or ‖x + y‖².
    #[inline(always)]
    fn distance_of<const NEGATIVE: bool>(&self, a: usize, b: usize) -> f32 {
        let apart = |x: f32, y: f32| if NEGATIVE { x + y } else { x - y };
        const LANES: usize = 16;
        let mut sums = [0.0_f32; LANES];
        let (head_x, tail_x) = self.point(a).as_chunks::<LANES>();
        let (head_y, tail_y) = self.point(b).as_chunks::<LANES>();
        for (x, y) in head_x.iter().zip(head_y) {
            for lane in 0..LANES {
                let difference = apart(x[lane], y[lane]);
                sums[lane] += difference * difference;
            }
        }
        let tail = tail_x.iter().zip(tail_y).map(|(&x, &y)| apart(x, y) * apart(x, y));
        sums.iter().sum::<f32>() + tail.sum::<f32>()
    }

    /// The points in the order of the leaves of one tree.
    pub(super) fn tree_order(self, seed: u64) -> Vec<usize> {
        let tree = Tree::grow(self, seed, TREES);
        tree.order.into_iter().map(|point| point as usize).collect()
    }

    /// For each point k likely nearest neighbours, nearest first; fewer only if there are not as many points.
    pub(super) fn neighbours(self, k: usize, seed: u64, tell: &(dyn Fn(f64) + Sync)) -> Vec<u32> {
        let n = self.len();
        let k = k.min(n - 1);
        // Longer lists than asked for find more.
        let mut lists = Lists::new(n, (k + k / 4 + 3).min(n - 1));
        let trees: Vec<Tree> = (0..TREES)
            .into_par_iter()
            .map(|tree| Tree::grow(self, seed, tree))
            .collect();
        for (place, tree) in trees.iter().enumerate() {
            tell(0.1 + 0.2 * place as f64 / trees.len() as f64);
            lists.improve(self, |a, try_one| {
                for &b in tree.leaf_of(a) {
                    try_one(b);
                }
            });
        }
        drop(trees);
        // Nobody has been introduced to a neighbour's neighbour yet.
        lists.fresh.fill(true);
        for round in 0..MAX_ROUNDS {
            // The first rounds change most and take longest.
            tell(1.0 - 0.7 * 0.5_f64.powi(round as i32));
            let around = Around::new(&lists);
            let changed = lists.improve(self, |a, try_one| {
                for (x, x_is_new) in around.of(a) {
                    for (b, b_is_new) in around.of(x as usize) {
                        // Two old acquaintances have been introduced before.
                        if x_is_new || b_is_new {
                            try_one(b);
                        }
                    }
                }
            });
            if (changed as f64) < SETTLED * lists.neighbours.len() as f64 {
                break;
            }
        }
        lists
            .neighbours
            .chunks_exact(lists.k)
            .flat_map(|row| &row[..k])
            .copied()
            .collect()
    }
}

/// The nearest so far of every point.
struct Lists {
    k: usize,
    distances: Vec<f32>,
    neighbours: Vec<u32>,
    /// Entries that came in the last round.
    fresh: Vec<bool>,
}

impl Lists {
    fn new(n: usize, k: usize) -> Self {
        Self {
            k,
            distances: vec![f32::INFINITY; n * k],
            neighbours: vec![NOBODY; n * k],
            fresh: vec![false; n * k],
        }
    }

    /// Lets every point try its candidates; returns how many entries changed.
    fn improve(&mut self, points: Points<'_>, candidates: impl Fn(usize, &mut dyn FnMut(u32)) + Sync) -> usize {
        let k = self.k;
        let n = points.len();
        self.distances
            .par_chunks_mut(BLOCK * k)
            .zip(self.neighbours.par_chunks_mut(BLOCK * k))
            .zip(self.fresh.par_chunks_mut(BLOCK * k))
            .enumerate()
            .map_init(
                || (vec![NOBODY; n], Vec::new()),
                |(seen, tries), (block, ((distances, neighbours), fresh))| {
                    let mut changed = 0;
                    let rows = distances
                        .chunks_exact_mut(k)
                        .zip(neighbours.chunks_exact_mut(k))
                        .zip(fresh.chunks_exact_mut(k));
                    for (row, ((distances, neighbours), fresh)) in rows.enumerate() {
                        let a = block * BLOCK + row;
                        fresh.fill(false);
                        seen[a] = a as u32;
                        for &b in neighbours.iter().filter(|&&b| b != NOBODY) {
                            seen[b as usize] = a as u32;
                        }
                        tries.clear();
                        candidates(a, &mut |b| {
                            if std::mem::replace(&mut seen[b as usize], a as u32) != a as u32 {
                                tries.push((0.0_f32, b));
                            }
                        });
                        vectorised(
                            #[inline(always)]
                            || {
                                for (distance, b) in tries.iter_mut() {
                                    *distance = points.distance(a, *b as usize);
                                }
                            },
                        );
                        for &(distance, b) in tries.iter() {
                            if distance < distances[k - 1] {
                                let place = distances.partition_point(|&other| other <= distance);
                                distances[place..].rotate_right(1);
                                neighbours[place..].rotate_right(1);
                                fresh[place..].rotate_right(1);
                                (distances[place], neighbours[place], fresh[place]) = (distance, b, true);
                                changed += 1;
                            }
                        }
                    }
                    changed
                },
            )
            .sum()
    }
}

/// Who is near a point, in either direction, as of the last round.
struct Around {
    starts: Vec<u32>,
    entries: Vec<(u32, bool)>,
}

impl Around {
    fn new(lists: &Lists) -> Self {
        let (k, n) = (lists.k, lists.neighbours.len() / lists.k);
        // Own neighbours, and up to as many that have the point as theirs.
        let mut counts = vec![0_u32; n];
        for (a, row) in lists.neighbours.chunks_exact(k).enumerate() {
            for &b in row.iter().filter(|&&b| b != NOBODY) {
                counts[a] += 1;
                if counts[b as usize] < 2 * k as u32 {
                    counts[b as usize] += 1;
                }
            }
        }
        let mut starts = vec![0_u32; n + 1];
        for a in 0..n {
            starts[a + 1] = starts[a] + counts[a].min(2 * k as u32);
        }
        let mut entries = vec![(NOBODY, false); starts[n] as usize];
        let mut next = starts.clone();
        let mut put = |a: usize, entry: (u32, bool)| {
            if next[a] < starts[a + 1] {
                entries[next[a] as usize] = entry;
                next[a] += 1;
            }
        };
        for (a, row) in lists.neighbours.chunks_exact(k).enumerate() {
            for (place, &b) in row.iter().enumerate().filter(|&(_, &b)| b != NOBODY) {
                put(a, (b, lists.fresh[a * k + place]));
            }
        }
        for (a, row) in lists.neighbours.chunks_exact(k).enumerate() {
            for (place, &b) in row.iter().enumerate().filter(|&(_, &b)| b != NOBODY) {
                put(b as usize, (a as u32, lists.fresh[a * k + place]));
            }
        }
        Self { starts, entries }
    }

    fn of(&self, a: usize) -> impl Iterator<Item = (u32, bool)> + '_ {
        let entries = &self.entries[self.starts[a] as usize..self.starts[a + 1] as usize];
        entries.iter().copied().filter(|&(b, _)| b != NOBODY)
    }
}

/// A random projection tree: the points in the order of its leaves.
struct Tree {
    order: Vec<u32>,
    /// For each point, the leaf's place in `order`.
    leaves: Vec<(u32, u32)>,
}

impl Tree {
    fn grow(points: Points<'_>, seed: u64, tree: u64) -> Self {
        let n = points.len();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(tree);
        let mut order: Vec<u32> = (0..n as u32).collect();
        let mut leaves = vec![(0, 0); n];
        let mut waiting = vec![(0, n)];
        while let Some((start, end)) = waiting.pop() {
            let part = &mut order[start..end];
            if part.len() <= LEAF {
                for &a in part.iter() {
                    leaves[a as usize] = (start as u32, end as u32);
                }
                continue;
            }
            let middle = start + split(points, part, &mut rng);
            waiting.push((start, middle));
            waiting.push((middle, end));
        }
        Self { order, leaves }
    }

    fn leaf_of(&self, a: usize) -> &[u32] {
        let (start, end) = self.leaves[a];
        &self.order[start as usize..end as usize]
    }
}

/// Splits points by which of two random ones is nearer; in the middle if that is lopsided (many equal points).
fn split(points: Points<'_>, part: &mut [u32], rng: &mut ChaCha8Rng) -> usize {
    let one = part[rng.random_range(0..part.len())] as usize;
    let two = part[rng.random_range(0..part.len())] as usize;
    let (p, q) = (points.point(one), points.point(two));
    if points.signed {
        return balanced(part, |point| {
            let product = |q: &[f32]| -> f32 { points.point(point).iter().zip(q).map(|(x, y)| x * y).sum() };
            let square = |q: &[f32]| -> f32 { q.iter().map(|y| y * y).sum() };
            (product(p).abs() - 0.5 * square(p)) - (product(q).abs() - 0.5 * square(q))
        });
    }
    let normal: Vec<f32> = p.iter().zip(q).map(|(p, q)| p - q).collect();
    let offset: f32 = p.iter().zip(q).map(|(p, q)| 0.5 * (p * p - q * q)).sum();
    balanced(part, |point| {
        points.point(point).iter().zip(&normal).map(|(x, d)| x * d).sum::<f32>() - offset
    })
}

/// Puts the points on the positive side first, and tells how many these are; half of all if that is lopsided.
fn balanced(part: &mut [u32], side: impl Fn(usize) -> f32) -> usize {
    let mut middle = 0;
    for k in 0..part.len() {
        if side(part[k] as usize) > 0.0 {
            part.swap(k, middle);
            middle += 1;
        }
    }
    let least = part.len() / 8;
    if middle < least || middle > part.len() - least {
        part.len() / 2
    } else {
        middle
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_distr::StandardNormal;

    #[test]
    fn most_neighbours_are_found_whatever_the_number_of_threads() {
        let (n, width, k) = (3000, 12, 10);
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let values: Vec<f32> = (0..n * width).map(|_| rng.sample::<f32, _>(StandardNormal)).collect();
        let points = Points {
            values: &values,
            width,
            signed: false,
        };
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| points.neighbours(k, 7, &|_| ()))
        };
        let found = on(1);
        assert_eq!(found, on(3));
        let mut hits = 0;
        for a in 0..n {
            let mut all: Vec<(f32, u32)> = (0..n)
                .filter(|&b| b != a)
                .map(|b| (points.distance(a, b), b as u32))
                .collect();
            all.sort_by(|x, y| x.0.total_cmp(&y.0));
            hits += all[..k]
                .iter()
                .filter(|(_, b)| found[a * k..(a + 1) * k].contains(b))
                .count();
        }
        let recall = hits as f64 / (n * k) as f64;
        assert!(recall > 0.97, "{recall}");
    }

    #[test]
    fn opposite_points_are_near_where_signs_do_not_matter() {
        let (n, width, k) = (3000, 12, 10);
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let values: Vec<f32> = (0..n * width).map(|_| rng.sample::<f32, _>(StandardNormal)).collect();
        let points = Points {
            values: &values,
            width,
            signed: true,
        };
        let found = points.neighbours(k, 7, &|_| ());
        let hits: usize = (0..n)
            .step_by(7)
            .map(|a| {
                let mut all: Vec<(f32, u32)> = (0..n)
                    .filter(|&b| b != a)
                    .map(|b| (points.distance(a, b), b as u32))
                    .collect();
                all.sort_by(|x, y| x.0.total_cmp(&y.0));
                let is_found = |(_, b): &&(f32, u32)| found[a * k..(a + 1) * k].contains(b);
                all[..k].iter().filter(is_found).count()
            })
            .sum();
        let recall = hits as f64 / (n.div_ceil(7) * k) as f64;
        assert!(recall > 0.95, "{recall}");
    }

    #[test]
    fn few_points_and_equal_points() {
        let points = Points {
            values: &[1.0; 200],
            width: 2,
            signed: false,
        };
        let found = points.neighbours(5, 1, &|_| ());
        assert!(found.iter().all(|&b| b != NOBODY));
        let points = Points {
            values: &[1.0, 2.0, 5.0],
            width: 1,
            signed: false,
        };
        assert_eq!(points.neighbours(9, 1, &|_| ()), [1, 2, 0, 2, 1, 0]);
    }
}
