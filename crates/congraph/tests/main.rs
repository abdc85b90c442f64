//! The mathematics, tested from outside: laws, oracles, limits and symmetries.
//!
//! One binary, so that the crate and its dependencies are linked once: `cargo test --workspace --test math oracle::` runs what is in
//! `oracle.rs`. A new file needs its line here; `./test` fails without.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used, clippy::panic)]

mod candidates;
mod chance;
mod communities;
mod compare;
mod couplings;
mod degenerate;
mod departures;
mod edge_stability;
mod explained;
mod facts;
mod graphical_lasso;
mod grid;
mod laws;
mod likelihood;
mod masks;
mod metrics;
mod negative;
mod oracle;
mod paper;
mod project;
mod signed;
mod simulation;
mod spectrum;
mod stability;
mod support;
mod targets;
mod team;
mod working_set;
