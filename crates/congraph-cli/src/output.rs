//! Where the result of a command goes.

use std::path::Path;

use congraph_io::{Folder, OutputError};

use crate::interrupt;

/// The place of the result, before any work: nothing is there until the result is complete, and no other run can write
/// it.
///
/// # Errors
///
/// If the folder is not empty and `force` is not given, is no folder, is being written by another run, or cannot be
/// made.
pub fn place(out: &Path, force: bool) -> Result<Folder, OutputError> {
    interrupt::before_writing(|| Folder::create(out, force))
}
