//! Random geometric graphs: uniform points in the unit square, joined where they are close.
//!
//! ```text
//! radius r         a and b are an edge when ‖x_a − x_b‖ ≤ r
//! mean degree k    r is the distance that joins exactly round(n k / 2) pairs of the points drawn
//! ```
//!
//! Points are drawn again until the graph is connected. Aiming at the degree of the points themselves, rather than at
//! the expected one of a radius, makes graphs of different sizes and seeds equally dense; nodes at the border have
//! fewer neighbours either way. Cost: n²/2 distances.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::graphs::{Drawn, TRIES, is_connected};
use crate::error::Error;

/// How near two nodes of a random geometric graph must be to be joined.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reach {
    /// At most this far apart, above 0; the sides of the square are 1.
    Radius(f64),
    /// Chosen for this mean number of neighbours, above 0 and at most n − 1.
    MeanDegree(f64),
}

impl Reach {
    /// Refuses a reach that makes no graph of `n_nodes` nodes.
    pub(super) fn check(self, n_nodes: usize) -> Result<(), Error> {
        let most = (n_nodes - 1) as f64;
        match self {
            Self::Radius(radius) if !(radius > 0.0 && radius.is_finite()) => Err(Error::Parameter {
                name: "radius",
                message: format!("is {radius}: it must be above 0 (the nodes are in a square whose sides are 1)"),
            }),
            Self::MeanDegree(degree) if !(degree > 0.0 && degree <= most) => Err(Error::Parameter {
                name: "mean_degree",
                message: format!("is {degree}: with {n_nodes} nodes it must be above 0 and at most {most}"),
            }),
            _ => Ok(()),
        }
    }

    /// What is said when no connected graph was found. At the values advised few draws are connected, but enough that
    /// one of [`TRIES`] is.
    fn too_short(self, n_nodes: usize) -> Error {
        let n = n_nodes as f64;
        // Upwards, so that the advice is not too low.
        let (name, value, enough) = match self {
            Self::Radius(radius) => {
                let enough = 1.1 * (n.ln() / (std::f64::consts::PI * n)).sqrt();
                ("radius", radius, (1e3 * enough).ceil() / 1e3)
            }
            Self::MeanDegree(degree) => ("mean_degree", degree, (10.0 * (n.ln() + 0.5)).ceil() / 10.0),
        };
        Error::Parameter {
            name,
            message: format!(
                "is {value}: none of {TRIES} random geometric graphs with {n_nodes} nodes was connected; from about \
                 {enough} on would do"
            ),
        }
    }
}

/// A connected graph with the positions of its nodes.
pub(super) fn draw(n_nodes: usize, reach: Reach, rng: &mut ChaCha8Rng) -> Result<Drawn, Error> {
    for _ in 0..TRIES {
        let positions: Vec<[f64; 2]> = (0..n_nodes).map(|_| [rng.random(), rng.random()]).collect();
        let furthest = match reach {
            Reach::Radius(radius) => radius * radius,
            Reach::MeanDegree(degree) => squared_radius(&positions, (0.5 * n_nodes as f64 * degree).round() as usize),
        };
        let edges: Vec<[u32; 2]> = pairs(&positions)
            .filter(|&(_, squared)| squared <= furthest)
            .map(|(pair, _)| pair)
            .collect();
        if is_connected(n_nodes, &edges) {
            return Ok(Drawn {
                edges,
                positions: Some(positions),
            });
        }
    }
    Err(reach.too_short(n_nodes))
}

/// The squared distance that so many pairs are within.
fn squared_radius(positions: &[[f64; 2]], n_edges: usize) -> f64 {
    let Some(last) = n_edges.checked_sub(1) else {
        return -1.0;
    };
    let mut squared: Vec<f64> = pairs(positions).map(|(_, squared)| squared).collect();
    *squared.select_nth_unstable_by(last, f64::total_cmp).1
}

/// All pairs in order, with their squared distances.
fn pairs(positions: &[[f64; 2]]) -> impl Iterator<Item = ([u32; 2], f64)> + '_ {
    let n = positions.len();
    (0..n).flat_map(move |a| {
        (a + 1..n).map(move |b| {
            let ([xa, ya], [xb, yb]) = (positions[a], positions[b]);
            ([a as u32, b as u32], (xa - xb).powi(2) + (ya - yb).powi(2))
        })
    })
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    /// Edges and positions.
    type Placed = (Vec<[u32; 2]>, Vec<[f64; 2]>);

    fn drawn(n_nodes: usize, reach: Reach, seed: u64) -> Result<Placed, Error> {
        reach.check(n_nodes)?;
        let drawn = draw(n_nodes, reach, &mut ChaCha8Rng::seed_from_u64(seed))?;
        Ok((drawn.edges, drawn.positions.unwrap()))
    }

    #[test]
    fn the_edges_are_the_pairs_within_the_radius() {
        for seed in 0..5 {
            let (edges, positions) = drawn(60, Reach::Radius(0.3), seed).unwrap();
            assert!(edges.is_sorted() && is_connected(60, &edges));
            assert!(positions.as_flattened().iter().all(|value| (0.0..1.0).contains(value)));
            for a in 0..60 {
                for b in a + 1..60 {
                    let [dx, dy] = [0, 1].map(|axis| positions[a][axis] - positions[b][axis]);
                    assert_eq!(edges.contains(&[a as u32, b as u32]), dx.hypot(dy) <= 0.3);
                }
            }
        }
    }

    #[test]
    fn the_mean_degree_is_met_to_one_edge() {
        for (n_nodes, degree) in [(2, 1.0), (20, 7.3), (100, 10.0), (300, 9.99), (12, 11.0)] {
            let (edges, positions) = drawn(n_nodes, Reach::MeanDegree(degree), 4).unwrap();
            assert_eq!(edges.len(), (0.5 * n_nodes as f64 * degree).round() as usize);
            // No absent pair is nearer than a present one.
            let (mut longest, mut shortest_absent) = (0.0_f64, f64::INFINITY);
            for (pair, squared) in pairs(&positions) {
                match edges.binary_search(&pair) {
                    Ok(_) => longest = longest.max(squared),
                    Err(_) => shortest_absent = shortest_absent.min(squared),
                }
            }
            assert!(longest < shortest_absent);
        }
    }

    #[test]
    fn the_share_of_pairs_within_a_radius_is_that_of_the_square() {
        // Two uniform points of the unit square are within r ≤ 1 with probability πr² − 8r³/3 + r⁴/2.
        let (n_nodes, r): (usize, f64) = (100, 0.4);
        let expected = std::f64::consts::PI * r.powi(2) - 8.0 / 3.0 * r.powi(3) + r.powi(4) / 2.0;
        let n_draws = 100;
        let counts = (0..n_draws).map(|seed| drawn(n_nodes, Reach::Radius(r), seed).unwrap().0.len());
        let share = counts.sum::<usize>() as f64 / (n_draws * 4950) as f64;
        // The standard deviation of a draw's share is about 0.020, found by drawing, and that of the mean of 100 draws
        // 0.002.
        assert!((share - expected).abs() < 0.005, "{share} instead of {expected}");
    }

    #[test]
    fn a_reach_too_short_to_connect_is_refused_with_advice_that_works() {
        for n_nodes in [30, 100, 1000] {
            for (short, advised) in [
                (Reach::Radius(0.01), Reach::Radius as fn(f64) -> Reach),
                (Reach::MeanDegree(1.0), Reach::MeanDegree),
            ] {
                let text = drawn(n_nodes, short, 1).unwrap_err().to_string();
                let advice = text.split("from about ").nth(1).and_then(|rest| rest.split(' ').next());
                let value: f64 = advice.unwrap().parse().unwrap();
                assert!(drawn(n_nodes, advised(value), 1).is_ok(), "{text}");
            }
        }
    }

    #[test]
    fn values_out_of_range_are_refused() {
        for radius in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let text = drawn(9, Reach::Radius(radius), 1).unwrap_err().to_string();
            assert!(text.starts_with("radius is "), "{text}");
        }
        for degree in [0.0, -1.0, 8.5, f64::NAN] {
            let text = drawn(9, Reach::MeanDegree(degree), 1).unwrap_err().to_string();
            assert!(text.contains("above 0 and at most 8"), "{text}");
        }
        assert!(drawn(9, Reach::Radius(2.0), 1).is_ok_and(|(edges, _)| edges.len() == 36));
    }
}
