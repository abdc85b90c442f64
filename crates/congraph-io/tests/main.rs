//! Files in and out, whole and damaged.
//!
//! One binary, so that the crate and its dependencies are linked once: `cargo test --workspace --test io formats::`
//! runs what is in `formats.rs`. A new file needs its line here; `./test` fails without.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used, clippy::panic)]

mod arrays;
mod damage;
mod files;
mod formats;
mod graph;
mod long;
mod recording_samples;
mod recordings;
mod text;
