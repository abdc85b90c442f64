//! Where electrodes are: built in, or read from a file.
//!
//! Positions are in metres, x to the right, y to the front, z up. What a file gives is brought there: by its fiducials,
//! if it has all three, into the head frame (origin on the line between the ears, below the nasion), and by its size
//! into metres, for few formats say their unit.

mod names;
mod position;
mod sphere;
mod standard;

use congraph::{Code, DataError, Error};

use names::bare;
pub use names::standard_name;
pub use position::Position;
use position::{cross, length};
pub(crate) use position::{dot, minus, unit};
pub use sphere::{Sphere, fit_sphere};
pub use standard::{HEAD_RADIUS, standard_montage};

/// The points that define the head frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fiducials {
    /// Between the eyes, at the root of the nose.
    pub nasion: Position,
    /// Before the left ear.
    pub left: Position,
    /// Before the right ear.
    pub right: Position,
}

/// Named positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Montage {
    /// What messages call it: its file, or `built-in 10-10`.
    pub name: String,
    electrodes: Vec<(String, Position)>,
}

impl Default for Montage {
    /// The built-in 10-10 system.
    fn default() -> Self {
        Self {
            name: "built-in 10-10 montage".into(),
            electrodes: standard_montage().to_vec(),
        }
    }
}

impl Montage {
    /// A montage of positions in any unit, brought into the head frame if the fiducials are known and into metres by
    /// their size.
    ///
    /// # Errors
    /// E07 if a position is not finite or all are the same point; E06 if a name occurs twice.
    pub fn new(
        name: impl Into<String>,
        mut electrodes: Vec<(String, Position)>,
        fiducials: Option<Fiducials>,
    ) -> Result<Self, Error> {
        let name = name.into();
        let why = "distances between electrodes, and with them every map, would be wrong";
        let fault = |code, what: String| DataError::new(code, what, why, "check the file of positions");
        if let Some((bad, _)) = electrodes.iter().find(|(_, at)| !at.iter().all(|c| c.is_finite())) {
            return Err(
                fault(Code::E07, format!("`{name}`: the position of `{bad}` is not a number"))
                    .at_node(bad)
                    .into(),
            );
        }
        for (k, (label, _)) in electrodes.iter().enumerate() {
            if electrodes[..k]
                .iter()
                .any(|(other, _)| other.eq_ignore_ascii_case(label))
            {
                return Err(
                    fault(Code::E06, format!("`{name}`: the electrode `{label}` occurs twice"))
                        .at_node(label)
                        .into(),
                );
            }
        }
        // First the frame, then the unit: sizes do not change under rotation.
        if let Some(fiducials) = fiducials {
            let frame = HeadFrame::new(&fiducials)
                .ok_or_else(|| fault(Code::E07, format!("`{name}`: its fiducials lie on one line")))?;
            electrodes.iter_mut().for_each(|(_, at)| *at = frame.apply(*at));
        }
        let unit = metres_per_unit(&electrodes)
            .ok_or_else(|| fault(Code::E07, format!("`{name}`: its electrodes all lie on one point")))?;
        electrodes.iter_mut().flat_map(|(_, at)| at).for_each(|c| *c *= unit);
        Ok(Self { name, electrodes })
    }

    /// All electrodes in the order of the file.
    pub fn electrodes(&self) -> &[(String, Position)] {
        &self.electrodes
    }

    /// The name and position for a channel's label: the same letters, else the same 10-10 name.
    pub fn find(&self, label: &str) -> Option<(&str, Position)> {
        let label = label.trim();
        let exact = |wanted: &str| {
            self.electrodes
                .iter()
                .find(|(name, _)| name.eq_ignore_ascii_case(wanted))
        };
        let standard = || {
            let wanted = standard_name(label)?;
            self.electrodes
                .iter()
                .find(|(name, _)| standard_name(name) == Some(wanted))
        };
        let (name, at) = exact(label).or_else(|| exact(bare(label))).or_else(standard)?;
        Some((standard_name(name).unwrap_or(name), *at))
    }
}

/// Metres per unit of a file, from how large the head in it is. A head of radius 1, as files of ideal positions have
/// it, gets the built-in radius.
fn metres_per_unit(electrodes: &[(String, Position)]) -> Option<f64> {
    let n = electrodes.len() as f64;
    let mean = [0, 1, 2].map(|axis| electrodes.iter().map(|(_, at)| at[axis]).sum::<f64>() / n);
    // The median, because a misplaced electrode or one on the neck must not change the unit.
    let mut reach: Vec<f64> = electrodes.iter().map(|(_, at)| length(minus(*at, mean))).collect();
    reach.sort_by(f64::total_cmp);
    let reach = *reach.get(reach.len() / 2)?;
    // Around the centroid the reach is a bit less than the radius: about 0.08 m.
    match reach {
        0.0 => None,
        r if r < 0.3 => Some(1.0),
        r if r < 2.0 => Some(HEAD_RADIUS),
        r if r < 30.0 => Some(0.01),
        r if r < 300.0 => Some(0.001),
        r => Some(HEAD_RADIUS / r),
    }
}

/// The head frame: x from the left ear to the right, y to the nasion at a right angle, z up.
struct HeadFrame {
    origin: Position,
    axes: [Position; 3],
}

impl HeadFrame {
    fn new(fiducials: &Fiducials) -> Option<Self> {
        let x = unit(minus(fiducials.right, fiducials.left))?;
        let ahead = minus(fiducials.nasion, fiducials.left);
        // The origin is the foot of the perpendicular from the nasion onto the line between the ears.
        let along = dot(ahead, x);
        let origin = [0, 1, 2].map(|axis| fiducials.left[axis] + along * x[axis]);
        let y = unit(minus(fiducials.nasion, origin))?;
        Some(Self {
            origin,
            axes: [x, y, cross(x, y)],
        })
    }

    fn apply(&self, at: Position) -> Position {
        self.axes.map(|axis| dot(minus(at, self.origin), axis))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fiducials_bring_any_frame_into_that_of_the_head() {
        // BioSemi's caps: x points to the back, y to the right.
        let fiducials = Fiducials {
            nasion: [-91.0, 0.0, -42.0],
            left: [0.0, -91.0, -42.0],
            right: [0.0, 91.0, -42.0],
        };
        let electrodes = vec![
            ("Fp1".into(), [-95.0, -31.0, -3.0]),
            ("Cz".into(), [0.0, 0.0, 95.0]),
            ("Oz".into(), [95.0, 0.0, -3.0]),
        ];
        let montage = Montage::new("cap.hpts", electrodes, Some(fiducials)).unwrap();
        let close = |name: &str, told: Position| {
            let (_, at) = montage.find(name).unwrap();
            assert!(length(minus(at, told)) < 1e-12, "{name} {at:?}");
        };
        close("Fp1", [-0.031, 0.095, 0.039]);
        close("EEG CZ-Ref", [0.0, 0.0, 0.137]);
        close("oz.", [0.0, -0.095, 0.039]);
    }

    #[test]
    fn odd_montages_are_refused() {
        let at = |name: &str, x: f64| (name.to_owned(), [x, 0.0, 0.0]);
        let code_with = |electrodes, fiducials| match Montage::new("m", electrodes, fiducials) {
            Err(Error::Data(errors)) => errors[0].code,
            other => panic!("{other:?}"),
        };
        let code = |electrodes| code_with(electrodes, None);
        assert_eq!(code(vec![at("a", f64::NAN), at("b", 1.0)]), Code::E07);
        assert_eq!(code(vec![at("a", 1.0), at("A", 2.0)]), Code::E06);
        assert_eq!(code(vec![at("a", 1.0), at("b", 1.0)]), Code::E07);
        assert_eq!(code(Vec::new()), Code::E07);
        let flat = Fiducials {
            nasion: [0.0; 3],
            left: [0.0; 3],
            right: [1.0, 0.0, 0.0],
        };
        assert_eq!(code_with(vec![at("a", 1.0), at("b", 2.0)], Some(flat)), Code::E07);
    }
}
