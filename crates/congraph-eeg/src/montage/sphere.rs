//! The sphere that fits electrodes best: |x − c|² = r² is linear in c and r² − |c|².
//!
//! Least squares by its 4 × 4 normal equations, as MNE fits it for its CSD: points below and before the origin
//! (`z < 0`, `y > 0`), which lie on the face, do not count.

use super::position::{Position, length, minus};
use crate::linear::Cholesky;

/// A sphere, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Its centre.
    pub centre: Position,
    /// Its radius.
    pub radius: f64,
}

/// The sphere that fits the points best; none if fewer than four count or they lie in a plane.
pub fn fit_sphere(points: &[Position]) -> Option<Sphere> {
    let on_the_face = |at: &&Position| at[2] < -1e-6 && at[1] > 1e-6;
    let points: Vec<Position> = points.iter().filter(|at| !on_the_face(at)).copied().collect();
    if points.len() < 4 {
        return None;
    }
    // Centred and scaled first, because normal equations square the condition number.
    let n = points.len() as f64;
    let mean = [0, 1, 2].map(|axis| points.iter().map(|at| at[axis]).sum::<f64>() / n);
    let spread = points.iter().map(|at| length(minus(*at, mean))).sum::<f64>() / n;
    // Each point is a row [2x 2y 2z 1] · [c, r² − |c|²] = |x|².
    let mut normal = vec![0.0; 16];
    let mut right = vec![0.0; 4];
    for at in &points {
        let [x, y, z] = minus(*at, mean).map(|c| c / spread);
        let row = [2.0 * x, 2.0 * y, 2.0 * z, 1.0];
        let value = x * x + y * y + z * z;
        for (i, a) in row.iter().enumerate() {
            right[i] += a * value;
            for (j, b) in row.iter().enumerate() {
                normal[4 * i + j] += a * b;
            }
        }
    }
    let factor = Cholesky::new(normal, 4, 1e-12)?;
    factor.solve(&mut right);
    // Back from the scaled frame; the last unknown is r² − |c|².
    let [x, y, z, rest] = [right[0], right[1], right[2], right[3]];
    let radius = spread * (x * x + y * y + z * z + rest).sqrt();
    let centre = [x * spread + mean[0], y * spread + mean[1], z * spread + mean[2]];
    (radius.is_finite() && radius > 0.0).then_some(Sphere { centre, radius })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::standard_montage;

    #[test]
    fn a_sphere_is_found_again_wherever_it_is() {
        let moved: Vec<Position> = standard_montage()
            .iter()
            .map(|(_, [x, y, z])| [x + 0.01, y - 0.02, z + 0.05])
            .collect();
        let sphere = fit_sphere(&moved).unwrap();
        assert!((sphere.radius - 0.095).abs() < 1e-14);
        for (found, told) in sphere.centre.iter().zip([0.01, -0.02, 0.05]) {
            assert!((found - told).abs() < 1e-14);
        }
    }

    #[test]
    fn points_in_a_plane_have_no_sphere() {
        let flat: Vec<Position> = (0..9).map(|k| [f64::from(k % 3), f64::from(k / 3), 0.0]).collect();
        assert_eq!(fit_sphere(&flat), None);
        assert_eq!(fit_sphere(&flat[..3]), None);
    }
}
