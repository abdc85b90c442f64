//! The contract between congraph and its faces, as types: what was asked, what was found, and how each face spells an option.
//!
//! ```text
//! spelling    option ids → words of the command line, keywords of Python
//! ```

pub mod spelling;

pub use spelling::{CommandLine, Python};
