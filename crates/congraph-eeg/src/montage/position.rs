//! Points and directions in the head's frame.

/// x (right), y (front) and z (up), in metres.
pub type Position = [f64; 3];

pub(crate) fn minus(a: Position, b: Position) -> Position {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn dot(a: Position, b: Position) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn length(a: Position) -> f64 {
    dot(a, a).sqrt()
}

/// The direction of a vector; none if it is (nearly) nought.
pub(crate) fn unit(a: Position) -> Option<Position> {
    let length = length(a);
    (length > 1e-12).then(|| a.map(|c| c / length))
}

/// The direction at right angles to both, by the right-hand rule.
pub(super) fn cross(a: Position, b: Position) -> Position {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}
