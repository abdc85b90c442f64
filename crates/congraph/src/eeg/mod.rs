//! From recordings to views.
mod recording;
mod triggers;
pub use recording::{Annotation, Channel, Digits, Recording, Segment};
pub use triggers::{Trigger, triggers};
