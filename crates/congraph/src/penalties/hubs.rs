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
//! of the ball nearest to x/step: z_ab = x_ab / (1 + μ_a + μ_b) with a μ ≥ 0 for every node, found node by node. What is
//! left of x goes to the two ends in proportion to their μ.

use std::sync::Arc;

use super::{L1, Penalty};

/// The most rounds over all nodes.
const ROUNDS: usize = 2000;

/// The relative change at which a round is the last.
const SETTLED: f64 = 1e-13;

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
        for _ in 0..ROUNDS {
            let mut moved = 0.0_f64;
            for (node, star) in stars.iter().enumerate() {
                let share = share(star, x, &shares);
                moved = moved.max((share - shares[node]).abs() / (1.0 + share));
                shares[node] = share;
            }
            if moved < SETTLED {
                break;
            }
        }
        for (node, star) in stars.iter().enumerate() {
            for &(edge, other) in star.iter().filter(|(_, other)| *other > node) {
                x[edge] /= 1.0 + shares[node] + shares[other];
            }
        }
        // What rounding left outside goes inside, so that the bound of a certificate is one.
        let lengths: Vec<f64> = stars
            .iter()
            .map(|star| length(star.iter().map(|&(edge, _)| x[edge])))
            .collect();
        for (node, star) in stars.iter().enumerate() {
            for &(edge, other) in star.iter().filter(|(_, other)| *other > node) {
                x[edge] /= lengths[node].max(lengths[other]).max(1.0);
            }
        }
    }

    /// Ω, from above: differences are shared out anew in proportion to what the ends paid, until that changes nothing.
    fn norm(&self, v: &[f64]) -> f64 {
        let stars = self.stars.as_slice();
        let paid_of = |paid: &[f64]| -> Vec<f64> {
            let of_node = |(node, star): (usize, &Vec<(usize, usize)>)| {
                let part = |&(edge, other): &(usize, usize)| {
                    let both = paid[node] + paid[other];
                    if both > 0.0 {
                        v[edge] * paid[node] / both
                    } else {
                        0.5 * v[edge]
                    }
                };
                length(star.iter().map(part))
            };
            stars.iter().enumerate().map(of_node).collect()
        };
        let mut paid = vec![1.0; stars.len()];
        let mut sum = f64::INFINITY;
        for _ in 0..ROUNDS {
            paid = paid_of(&paid);
            let next: f64 = paid.iter().sum();
            if sum - next <= SETTLED * next {
                return next.min(sum);
            }
            sum = next;
        }
        sum
    }
}

/// μ of a node, given those of the others: 0 if what it holds is short enough, else the root of Σ (x/(1 + μ + μ'))² = 1.
fn share(star: &[(usize, usize)], x: &[f64], shares: &[f64]) -> f64 {
    let held = |share: f64| -> (f64, f64) {
        let (mut squares, mut slope) = (0.0, 0.0);
        for &(edge, other) in star {
            let divisor = 1.0 + share + shares[other];
            let square = (x[edge] / divisor).powi(2);
            squares += square;
            slope += square / divisor;
        }
        (squares, slope)
    };
    let (squares, _) = held(0.0);
    if squares <= 1.0 {
        return 0.0;
    }
    // 1/‖·‖ is nearly straight in μ, and concave: Newton's steps come from below and never pass the root.
    let mut share = 0.0;
    for _ in 0..60 {
        let (squares, slope) = held(share);
        let step = squares * (squares.sqrt() - 1.0) / slope;
        share += step.max(0.0);
        if step <= 1e-16 * (1.0 + share) {
            break;
        }
    }
    share
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
