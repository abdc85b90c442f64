//! A last resort around libraries that panic on damaged files: the panic becomes an error about the file.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is reading a file through a library whose panics are caught. A panic hook that speaks to users
/// should be silent then: what they need to know is in the error that follows.
pub fn is_guarded() -> bool {
    GUARDED.get()
}

/// The result of reading, or why the library gave up.
pub(super) fn guarded<T>(read: impl FnOnce() -> T) -> Result<T, &'static str> {
    GUARDED.set(true);
    // What was read is dropped after a panic: nothing half-made is seen again.
    let outcome = catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(false);
    outcome.map_err(|_| "its parts do not fit each other")
}
