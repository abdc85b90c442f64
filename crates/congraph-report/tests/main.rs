//! The page and its words.
//!
//! One binary, so that the crate and its dependencies are linked once: `cargo test --workspace --test report words::`
//! runs what is in `words.rs`. A new file needs its line here; `./test` fails without.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used, clippy::panic)]

mod inference;
mod report;
mod words;
