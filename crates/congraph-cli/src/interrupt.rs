//! Ctrl-C: at once while computing, since nothing has been written; after the files have been renamed while writing.

use std::sync::atomic::{AtomicBool, Ordering};

static WRITING: AtomicBool = AtomicBool::new(false);
static ASKED: AtomicBool = AtomicBool::new(false);

/// Ends the process with code 130 on Ctrl-C, leaving nothing half-written.
pub(crate) fn install() {
    // Without a handler Ctrl-C still ends the process, only less politely.
    let _ = ctrlc::set_handler(|| {
        if WRITING.load(Ordering::SeqCst) && !ASKED.swap(true, Ordering::SeqCst) {
            return;
        }
        eprintln!("interrupted: nothing was written");
        std::process::exit(130);
    });
}

/// Runs `write` to its end before an interruption takes effect.
pub(crate) fn uninterrupted<T>(write: impl FnOnce() -> T) -> T {
    WRITING.store(true, Ordering::SeqCst);
    let result = write();
    WRITING.store(false, Ordering::SeqCst);
    if ASKED.load(Ordering::SeqCst) {
        eprintln!("interrupted: the files were already complete");
        std::process::exit(130);
    }
    result
}
