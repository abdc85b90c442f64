//! The command line as its users run it.
//!
//! One binary, so that the crate and its dependencies are linked once: `cargo test --workspace --test cli errors::`
//! runs what is in `errors.rs`. A new file needs its line here; `./test` fails without.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used, clippy::panic)]

mod blocks;
mod commands;
mod communities;
mod compare;
mod couplings;
mod eeg;
mod errors;
mod interrupt;
mod jgl;
mod likelihood;
mod masks;
mod place;
mod project;
mod report;
mod results;
mod shards;
mod spectrum;
mod stability;
mod store;
mod support;
mod tune;
mod words;
