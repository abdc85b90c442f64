//! The built-in montage: the 10-10 system on a sphere, from its own rules.
//!
//! On a unit sphere with Cz on top, the nasion (Nz), T9, the inion (Iz) and T10 lie on the equator, x to the right, y
//! to the front, z up:
//!
//! ```text
//! midline           Nz, Fpz, AFz, Fz, FCz, Cz, CPz, Pz, POz, Oz, Iz      10 % of the half circle, 18°, apart
//! upper ring        Fpz, Fp1, AF7, F7, FT7, T7, TP7, P7, PO7, O1, Oz     level of Fpz and Oz, 18° of azimuth apart
//! equator           Nz, N1, AF9, F9, FT9, T9, TP9, P9, PO9, I1, Iz       18° apart
//! between           the arc through 7, z and 8 of a row in quarters      5, 3, 1
//! ```
//!
//! after Jurcak et al. (2007) and Oostenveld and Praamstra (2001). These are the positions of the package eeg_positions
//! and of MNE's `spherical_1005`, to the four decimals that those are published with; they are not measured on a head,
//! as MNE's `standard_1005` is.

use std::f64::consts::PI;
use std::sync::LazyLock;

use super::position::Position;

/// The radius of the built-in head, in metres; as in MNE.
pub const HEAD_RADIUS: f64 = 0.095;

/// A row of electrodes: its name at the sides (7 to 10), its name between them, and how many steps of 18° it is from
/// the nasion.
const ROWS: [(&str, &str, f64); 7] = [
    ("AF", "AF", 2.0),
    ("F", "F", 3.0),
    ("FT", "FC", 4.0),
    ("T", "C", 5.0),
    ("TP", "CP", 6.0),
    ("P", "P", 7.0),
    ("PO", "PO", 8.0),
];

static ELECTRODES: LazyLock<Vec<(String, Position)>> = LazyLock::new(electrodes);

/// The electrodes of the 10-10 system and where they are, in metres.
pub fn standard_montage() -> &'static [(String, Position)] {
    &ELECTRODES
}

fn electrodes() -> Vec<(String, Position)> {
    let mut all = Vec::with_capacity(85);
    let mut add = |name: String, [x, y, z]: Position| all.push((name, [x, y, z].map(|c| c * HEAD_RADIUS)));
    for (name, step) in [("Nz", 0.0), ("Fpz", 1.0), ("Oz", 9.0), ("Iz", 10.0)] {
        add(name.into(), midline(step));
    }
    for (row, step, level) in [("N", 1.0, 0.0), ("Fp", 1.0, 1.0), ("O", 9.0, 1.0), ("I", 9.0, 0.0)] {
        for (number, side) in [(1, -1.0), (2, 1.0)] {
            add(format!("{row}{number}"), ring(step, level, side));
        }
    }
    for (outer, inner, step) in ROWS {
        add(format!("{inner}z"), midline(step));
        for (odd, side) in [(true, -1.0), (false, 1.0)] {
            let number = |odd_number: usize| if odd { odd_number } else { odd_number + 1 };
            for (quarter, column) in [(1.0, 1), (2.0, 3), (3.0, 5)] {
                add(format!("{inner}{}", number(column)), between(step, quarter / 4.0, side));
            }
            add(format!("{outer}{}", number(7)), ring(step, 1.0, side));
            add(format!("{outer}{}", number(9)), ring(step, 0.0, side));
        }
    }
    all
}

fn angle(steps: f64) -> f64 {
    steps * PI / 10.0
}

fn midline(step: f64) -> Position {
    [0.0, angle(step).cos(), angle(step).sin()]
}

/// A point `step` steps of azimuth from the front, `level` steps above the equator.
fn ring(step: f64, level: f64, side: f64) -> Position {
    let (sin, cos) = angle(step).sin_cos();
    let (height, reach) = angle(level).sin_cos();
    [side * sin * reach, cos * reach, height]
}

/// A point on the circle through 7, z and 8 of a row, a part of the way from z to the side.
fn between(step: f64, part: f64, side: f64) -> Position {
    let [_, top_y, top_z] = midline(step);
    let [width, foot_y, foot_z] = ring(step, 1.0, 1.0);
    // In the plane of the circle: `width` from the middle of the chord to its end, `rise` from there to z.
    let rise = (top_y - foot_y).hypot(top_z - foot_z);
    let centre = (rise * rise - width * width) / (2.0 * rise);
    let radius = rise - centre;
    // The arc from z to the side spans the angle of (width, −centre); a part of it is taken.
    let (sin, cos) = (part * width.atan2(-centre)).sin_cos();
    let up = (centre + radius * cos) / rise;
    [
        side * radius * sin,
        foot_y + up * (top_y - foot_y),
        foot_z + up * (top_z - foot_z),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_that_are_published() {
        // From MNE's spherical_1005.tsv (eeg_positions), rounded there to four decimals.
        for (name, told) in [
            ("AF1", [-0.1608, 0.8064, 0.5692]),
            ("AF3", [-0.3130, 0.7986, 0.5142]),
            ("AF10", [0.5878, 0.8090, 0.0]),
            ("F5", [-0.6408, 0.5708, 0.5135]),
            ("FT7", [-0.9045, 0.2939, 0.3090]),
            ("C1", [-0.3090, 0.0, 0.9511]),
            ("CP3", [-0.5547, -0.3048, 0.7742]),
            ("P1", [-0.2394, -0.5858, 0.7743]),
            ("O1", [-0.2939, -0.9045, 0.3090]),
            ("I1", [-0.3090, -0.9511, 0.0]),
            ("TP9", [-0.9511, -0.3090, 0.0]),
        ] {
            let (_, found) = standard_montage().iter().find(|(known, _)| known == name).unwrap();
            for (found, told) in found.iter().zip(told) {
                // CP3 and P1 were made in single steps of rounded numbers there.
                assert!((found / HEAD_RADIUS - told).abs() < 1.1e-4, "{name}: {found} {told}");
            }
        }
    }

    #[test]
    fn all_lie_on_the_sphere_once_and_left_mirrors_right() {
        let all = standard_montage();
        assert_eq!(all.len(), 89);
        for (k, (name, [x, y, z])) in all.iter().enumerate() {
            assert!(
                ((x * x + y * y + z * z).sqrt() / HEAD_RADIUS - 1.0).abs() < 1e-12,
                "{name}"
            );
            assert!(all[..k].iter().all(|(other, _)| other != name), "{name}");
            let mirrored = |other: &Position| other.iter().zip([-x, *y, *z]).all(|(a, b)| (a - b).abs() < 1e-12);
            assert!(all.iter().any(|(_, other)| mirrored(other)), "{name}");
        }
    }
}
