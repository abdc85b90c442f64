//! Band-pass filters: designed as second-order sections, applied forwards and backwards.

mod butterworth;
mod zero_phase;

pub use butterworth::{Band, Section, butterworth};
pub use zero_phase::ZeroPhase;
