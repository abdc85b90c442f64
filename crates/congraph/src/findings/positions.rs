//! Positions of the nodes.

use serde::Serialize;

/// Where nodes are, in the order of the graph's nodes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Positions {
    /// Electrodes on a head around the origin: x to the right, y to the front, z up.
    Head(Vec<[f64; 3]>),
    /// Points of space: x to the right, y to the front, z up.
    Space(Vec<[f64; 3]>),
    /// Points of a plane.
    Plane(Vec<[f64; 2]>),
    /// Longitude and latitude, in degrees.
    Globe(Vec<[f64; 2]>),
}

impl Positions {
    /// Points of space: on a head if they lie on a shell around the origin, as electrodes do and voxels do not.
    pub fn in_space(points: Vec<[f64; 3]>) -> Self {
        let radii = points
            .iter()
            .map(|at| at.iter().map(|value| value * value).sum::<f64>().sqrt());
        let (low, high) = radii.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), r| {
            (low.min(r), high.max(r))
        });
        if high > 0.0 && low > 0.5 * high {
            Self::Head(points)
        } else {
            Self::Space(points)
        }
    }

    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Self::Head(points) | Self::Space(points) => points.len(),
            Self::Plane(points) | Self::Globe(points) => points.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Points of space whose distances are those between the nodes; on the globe a unit sphere's chords, which order as
    /// its great circles do.
    pub fn points(&self) -> Vec<[f64; 3]> {
        match self {
            Self::Head(points) | Self::Space(points) => points.clone(),
            Self::Plane(points) => points.iter().map(|&[x, y]| [x, y, 0.0]).collect(),
            Self::Globe(points) => {
                let on_sphere = |&[longitude, latitude]: &[f64; 2]| {
                    let (east, north) = (longitude.to_radians(), latitude.to_radians());
                    [north.cos() * east.cos(), north.cos() * east.sin(), north.sin()]
                };
                points.iter().map(on_sphere).collect()
            }
        }
    }
}
