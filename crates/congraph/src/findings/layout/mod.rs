//! Where nodes are drawn: on the head or the map if their positions are known, else by forces.

mod force;
mod tree;

use std::f64::consts::FRAC_PI_2;

use serde::Serialize;

use super::positions::Positions;
use crate::graph::MultiviewGraph;

/// How nodes were placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LayoutKind {
    /// Seen from above, the nose up: the head is the unit circle.
    Head,
    /// As on a map, or seen from above.
    Map,
    /// By forces: only which nodes are joined has a meaning.
    Force,
}

/// A place for each node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Layout {
    /// How they were placed.
    pub kind: LayoutKind,
    /// x to the right and y up. On a head the unit is its radius, else all lie within −1 and 1.
    pub points: Vec<[f64; 2]>,
}

impl Layout {
    /// From positions if they are known, else by forces along the shared weights.
    pub fn of(graph: &MultiviewGraph, shared: &[f64], positions: Option<&Positions>) -> Self {
        let (kind, points) = match positions {
            Some(Positions::Head(points)) => {
                let points = points.iter().map(|&at| azimuthal(at)).collect();
                return Self {
                    kind: LayoutKind::Head,
                    points,
                };
            }
            Some(Positions::Space(points)) => (LayoutKind::Map, points.iter().map(|&[x, y, _]| [x, y]).collect()),
            Some(Positions::Plane(points)) => (LayoutKind::Map, points.clone()),
            Some(Positions::Globe(points)) => (LayoutKind::Map, flattened(points)),
            None => (LayoutKind::Force, force::layout(graph, shared)),
        };
        Self {
            kind,
            points: fitted(points),
        }
    }

    /// All in one place: they are not drawn.
    pub fn nowhere(n_nodes: usize) -> Self {
        Self {
            kind: LayoutKind::Force,
            points: vec![[0.0; 2]; n_nodes],
        }
    }
}

/// Azimuthal equidistant: the angle from the top of the head becomes the distance from the middle, a right angle 1.
fn azimuthal([x, y, z]: [f64; 3]) -> [f64; 2] {
    let across = x.hypot(y);
    if across == 0.0 {
        return [0.0, 0.0];
    }
    let radius = across.atan2(z) / FRAC_PI_2;
    [radius * x / across, radius * y / across]
}

/// Degrees of longitude shrink with the latitude.
fn flattened(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let middle = points.iter().map(|at| at[1]).sum::<f64>() / points.len().max(1) as f64;
    let shrink = middle.to_radians().cos().max(0.05);
    points.iter().map(|&[east, north]| [east * shrink, north]).collect()
}

/// Shifted and scaled, both axes alike, to fill −1 to 1.
fn fitted(points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for at in &points {
        for axis in 0..2 {
            low[axis] = low[axis].min(at[axis]);
            high[axis] = high[axis].max(at[axis]);
        }
    }
    let middle = [0, 1].map(|axis| 0.5 * (low[axis] + high[axis]));
    let reach = (0.5 * (high[0] - low[0])).max(0.5 * (high[1] - low[1]));
    let scale = if reach > 0.0 { 1.0 / reach } else { 0.0 };
    points
        .into_iter()
        .map(|at| [0, 1].map(|axis| (at[axis] - middle[axis]) * scale))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_is_seen_from_above() {
        let near = |one: [f64; 2], two: [f64; 2]| (one[0] - two[0]).abs() + (one[1] - two[1]).abs() < 1e-12;
        assert!(near(azimuthal([0.0, 0.0, 0.1]), [0.0, 0.0]));
        assert!(near(azimuthal([0.0, 0.1, 0.0]), [0.0, 1.0]), "the nose is up");
        assert!(
            near(azimuthal([0.1, 0.0, 0.0]), [1.0, 0.0]),
            "the right ear is on the right"
        );
        assert!(near(azimuthal([0.1, 0.0, 0.1]), [0.5, 0.0]));
        assert!(
            azimuthal([0.1, 0.0, -0.02])[0] > 1.0,
            "below the equator is outside the circle"
        );
    }

    #[test]
    fn maps_keep_their_proportions() {
        let points = fitted(vec![[0.0, 0.0], [10.0, 0.0], [10.0, 5.0]]);
        assert_eq!(points, [[-1.0, -0.5], [1.0, -0.5], [1.0, 0.5]]);
        assert_eq!(fitted(vec![[3.0, 3.0]]), [[0.0, 0.0]]);
    }
}
