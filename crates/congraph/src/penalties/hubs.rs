//! Differences that gather at a few nodes: the row–column overlap norm of Mohan and others (2014).
//!
//! ```text
//! c(V) = Σ_i Ω(V^i)        Ω(v) = min { Σ_j ‖u_j‖₂ :  u_a + u_b = v at every edge ab }
//! ```
//!
//! Each difference is shared out between the two ends of its edge, and each node pays the length of what it takes on. A
//! node that takes on the differences of all its edges pays little more than for one of them, so that a view departs
//! from the consensus at whole nodes. The norm couples all edges: [`Admm`](crate::methods::smooth::Admm) solves it.
//!
//! The dual ball is {z : ‖z at the edges of j‖₂ ≤ 1 for every node j}. By Moreau, prox(x) = x − step · z with z the point
//! of the ball nearest to x/step: z_ab = x_ab / (1 + μ_a + μ_b) with a μ ≥ 0 for every node, which Newton's method finds.
//! What is left of x goes to the two ends in proportion to their μ; without the 1, μ is what each node pays of Ω.

use std::sync::Arc;

use super::{L1, Penalty};

/// The most steps of Newton's method; about ten are taken.
const STEPS: usize = 200;

/// How far from 1 the squared length of what a node holds may be.
const SETTLED: f64 = 1e-13;

/// What is added to both ends' shares when a norm is shared out, next to the largest difference: less and less, so that
/// nodes that take on nothing do not stop the method.
const OFFSETS: [f64; 4] = [1e-1, 1e-4, 1e-7, 1e-10];

/// Differences that gather at nodes.
#[derive(Clone, Debug, Default)]
pub struct Hubs {
    /// The edges at every node, and the node at their other end. As long as nobody told, no edges share a node, and the
    /// norm is the sum of the sizes.
    stars: Arc<Vec<Vec<(usize, usize)>>>,
}

impl Hubs {
    /// For these edges.
    pub fn new(pairs: &[[u32; 2]]) -> Self {
        let n_nodes = pairs.iter().flatten().max().map_or(0, |&last| last as usize + 1);
        let mut stars = vec![Vec::new(); n_nodes];
        for (edge, &[a, b]) in pairs.iter().enumerate() {
            stars[a as usize].push((edge, b as usize));
            stars[b as usize].push((edge, a as usize));
        }
        Self { stars: Arc::new(stars) }
    }

    /// Replaces x by the point of the dual ball next to it.
    fn project(&self, x: &mut [f64]) {
        let stars = self.stars.as_slice();
        let mut shares = vec![0.0; stars.len()];
        self.share_out(x, 1.0, &mut shares);
        for (node, star) in stars.iter().enumerate() {
            for &(edge, other) in star.iter().filter(|(_, other)| *other > node) {
                x[edge] /= 1.0 + shares[node] + shares[other];
            }
        }
        // What rounding left outside goes inside, so that the bound of a certificate is one.
        let held = |star: &Vec<(usize, usize)>| length(star.iter().map(|&(edge, _)| x[edge]));
        let lengths: Vec<f64> = stars.iter().map(held).collect();
        for (node, star) in stars.iter().enumerate() {
            for &(edge, other) in star.iter().filter(|(_, other)| *other > node) {
                x[edge] /= lengths[node].max(lengths[other]).max(1.0);
            }
        }
    }

    /// Ω, from above: what the ends pay if differences are shared out in proportion to what they pay.
    fn norm(&self, v: &[f64]) -> f64 {
        let stars = self.stars.as_slice();
        let largest = v.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        if largest == 0.0 {
            return 0.0;
        }
        let mut shares = vec![0.0; stars.len()];
        for offset in OFFSETS {
            self.share_out(v, offset * largest, &mut shares);
        }
        let least = 0.5 * OFFSETS[OFFSETS.len() - 1] * largest;
        let paid = |(node, star): (usize, &Vec<(usize, usize)>)| {
            let own = shares[node] + least;
            let part = |&(edge, other): &(usize, usize)| v[edge] * own / (own + shares[other] + least);
            length(star.iter().map(part))
        };
        stars.iter().enumerate().map(paid).sum()
    }

    /// The shares μ ≥ 0 that minimise Σ_ab x_ab²/(offset + μ_a + μ_b) + Σ_j μ_j, from given ones: Newton's method on
    /// those that are not held at 0.
    fn share_out(&self, x: &[f64], offset: f64, shares: &mut [f64]) {
        let stars = self.stars.as_slice();
        let value = |shares: &[f64]| -> f64 {
            let of_node = |(node, star): (usize, &Vec<(usize, usize)>)| -> f64 {
                let edges = star.iter().filter(|(_, other)| *other > node);
                let sum: f64 = edges
                    .map(|&(edge, other)| x[edge] * (x[edge] / (offset + shares[node] + shares[other])))
                    .sum();
                sum + shares[node]
            };
            stars.iter().enumerate().map(of_node).sum()
        };
        let mut now = value(shares);
        for _ in 0..STEPS {
            let held = |node: usize| -> f64 {
                let own = shares[node];
                let part = |&(edge, other): &(usize, usize)| (x[edge] / (offset + own + shares[other])).powi(2);
                stars[node].iter().map(part).sum()
            };
            let slopes: Vec<f64> = (0..stars.len()).map(|node| 1.0 - held(node)).collect();
            let is_free = |node: &usize| shares[*node] > 0.0 || slopes[*node] < 0.0;
            let free: Vec<usize> = (0..stars.len()).filter(is_free).collect();
            if free.iter().all(|&node| slopes[node].abs() <= SETTLED) {
                return;
            }
            let step = self.newton_step(x, offset, shares, &slopes, &free);
            let Some((next, then)) = shortened(shares, &free, &step, now, &slopes, value) else {
                return;
            };
            shares.copy_from_slice(&next);
            now = then;
        }
    }

    /// −H⁻¹ · slopes on the free nodes.
    fn newton_step(&self, x: &[f64], offset: f64, shares: &[f64], slopes: &[f64], free: &[usize]) -> Vec<f64> {
        let n = free.len();
        let mut place = vec![usize::MAX; shares.len()];
        free.iter().enumerate().for_each(|(k, &node)| place[node] = k);
        let mut matrix = vec![0.0; n * n];
        for (k, &node) in free.iter().enumerate() {
            for &(edge, other) in &self.stars[node] {
                let divisor = offset + shares[node] + shares[other];
                let curvature = 2.0 * (x[edge] / divisor).powi(2) / divisor;
                matrix[k * n + k] += curvature;
                if place[other] != usize::MAX {
                    matrix[k * n + place[other]] = curvature;
                }
            }
        }
        for k in 0..n {
            // Two nodes that share a single edge cannot be told apart.
            matrix[k * n + k] *= 1.0 + 1e-12;
            matrix[k * n + k] += f64::MIN_POSITIVE;
        }
        let mut step: Vec<f64> = free.iter().map(|&node| -slopes[node]).collect();
        solve(&mut matrix, &mut step);
        step
    }
}

/// The longest of the steps 1, ½, ¼ … that makes the value smaller, cut off at 0; none where rounding allows no more.
fn shortened(
    shares: &[f64],
    free: &[usize],
    step: &[f64],
    now: f64,
    slopes: &[f64],
    value: impl Fn(&[f64]) -> f64,
) -> Option<(Vec<f64>, f64)> {
    let mut size = 1.0;
    for _ in 0..40 {
        let mut next = shares.to_vec();
        let mut promised = 0.0;
        for (&node, step) in free.iter().zip(step) {
            next[node] = (shares[node] + size * step).max(0.0);
            promised += slopes[node] * (next[node] - shares[node]);
        }
        let then = value(&next);
        if promised < 0.0 && then <= now + 1e-4 * promised && then < now {
            return Some((next, then));
        }
        size *= 0.5;
    }
    None
}

/// Replaces b by A⁻¹ b, A symmetric and positive; by Cholesky's factors.
fn solve(a: &mut [f64], b: &mut [f64]) {
    let n = b.len();
    for k in 0..n {
        for j in 0..k {
            let dot: f64 = (0..j).map(|i| a[k * n + i] * a[j * n + i]).sum();
            a[k * n + j] = (a[k * n + j] - dot) / a[j * n + j];
        }
        let squares: f64 = (0..k).map(|i| a[k * n + i].powi(2)).sum();
        a[k * n + k] = (a[k * n + k] - squares).max(f64::EPSILON * a[k * n + k]).sqrt();
        let dot: f64 = (0..k).map(|i| a[k * n + i] * b[i]).sum();
        b[k] = (b[k] - dot) / a[k * n + k];
    }
    for k in (0..n).rev() {
        let dot: f64 = (k + 1..n).map(|i| a[i * n + k] * b[i]).sum();
        b[k] = (b[k] - dot) / a[k * n + k];
    }
}

fn length(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|x| x * x).sum::<f64>().sqrt()
}

/// One view after the other.
fn each_view(rows: &[f64], n_views: usize, mut of_view: impl FnMut(usize, Vec<f64>)) {
    for view in 0..n_views {
        of_view(view, rows.iter().skip(view).step_by(n_views).copied().collect());
    }
}

impl Penalty for Hubs {
    fn name(&self) -> &str {
        "hubs"
    }

    fn label(&self) -> &str {
        "hubs (row–column overlap norm)"
    }

    fn value(&self, differences: &[f64], n_views: usize) -> f64 {
        if self.stars.is_empty() {
            return L1.value(differences, n_views);
        }
        let mut sum = 0.0;
        each_view(differences, n_views, |_, column| sum += self.norm(&column));
        sum
    }

    fn prox(&self, differences: &mut [f64], n_views: usize, step: f64) {
        if self.stars.is_empty() {
            return L1.prox(differences, n_views, step);
        }
        if step <= 0.0 {
            return;
        }
        let before = differences.to_vec();
        each_view(&before, n_views, |view, mut column| {
            column.iter_mut().for_each(|x| *x /= step);
            self.project(&mut column);
            let entries = differences.iter_mut().skip(view).step_by(n_views);
            entries.zip(column).for_each(|(x, held)| *x -= step * held);
        });
    }

    fn of_pairs(&self, pairs: &[[u32; 2]]) -> Option<Arc<dyn Penalty>> {
        Some(Arc::new(Self::new(pairs)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete(n: u32) -> Vec<[u32; 2]> {
        (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b])).collect()
    }

    /// A few numbers without any chance in them.
    fn numbers(n: usize, seed: f64) -> Vec<f64> {
        (0..n)
            .map(|k| ((k as f64 + 1.0) * 12.9898 * seed).sin() * 3.0)
            .collect()
    }

    #[test]
    fn what_gathers_at_one_node_costs_its_length() {
        let pairs = complete(5);
        let hubs = Hubs::new(&pairs);
        let star: Vec<f64> = pairs.iter().map(|[a, _]| if *a == 0 { 1.0 } else { 0.0 }).collect();
        assert!((hubs.value(&star, 1) - 2.0).abs() < 1e-9);
        // Two edges that share no node cannot share a length.
        let apart: Vec<f64> = pairs
            .iter()
            .map(|pair| if *pair == [0, 1] || *pair == [2, 3] { 1.0 } else { 0.0 })
            .collect();
        assert!((hubs.value(&apart, 1) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn the_prox_is_optimal_by_duality() {
        let pairs = complete(8);
        let hubs = Hubs::new(&pairs);
        for (seed, step) in [(1.0, 0.3), (1.7, 1.0), (2.3, 2.0), (0.4, 9.0)] {
            let x = numbers(pairs.len(), seed);
            let mut y = x.clone();
            hubs.prox(&mut y, 1, step);
            // z = (x − y)/step is in the dual ball and ⟨z, y⟩ = Ω(y): that is what optimal means.
            let z: Vec<f64> = x.iter().zip(&y).map(|(x, y)| (x - y) / step).collect();
            for star in hubs.stars.iter() {
                assert!(length(star.iter().map(|&(edge, _)| z[edge])) <= 1.0 + 1e-12);
            }
            let inner: f64 = z.iter().zip(&y).map(|(z, y)| z * y).sum();
            assert!((hubs.value(&y, 1) - inner).abs() <= 1e-8 * (1.0 + inner), "{inner}");
        }
    }

    #[test]
    fn views_are_charged_one_by_one() {
        let pairs = complete(5);
        let hubs = Hubs::new(&pairs);
        let (one, two) = (numbers(10, 1.0), numbers(10, 2.0));
        let rows: Vec<f64> = one.iter().zip(&two).flat_map(|(x, y)| [*x, *y]).collect();
        let apart = hubs.value(&one, 1) + hubs.value(&two, 1);
        assert!((hubs.value(&rows, 2) - apart).abs() < 1e-12 * apart);
        let (mut rows, mut one) = (rows, one);
        hubs.prox(&mut rows, 2, 0.7);
        hubs.prox(&mut one, 1, 0.7);
        assert!(rows.iter().step_by(2).zip(&one).all(|(x, y)| x == y));
    }
}
