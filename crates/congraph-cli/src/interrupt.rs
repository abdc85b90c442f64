//! Ctrl-C: at once while computing, when there is nothing on disk yet; after the files are in place while writing.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::console;

/// Held while files are written.
static WRITING: Mutex<()> = Mutex::new(());
static ASKED: AtomicBool = AtomicBool::new(false);

/// Ends the process with code 130 on Ctrl-C, leaving nothing half-written.
pub(crate) fn install() {
    // Without a handler Ctrl-C still ends the process, only less politely.
    let _ = ctrlc::set_handler(|| match WRITING.try_lock() {
        // Held until the process is gone, so that no writing begins meanwhile.
        Ok(_guard) => {
            console::words("interrupted: nothing was written");
            std::process::exit(130);
        }
        Err(_) => ASKED.store(true, Ordering::SeqCst),
    });
}

/// Runs `write` to its end before an interruption takes effect. If it fails, that is told instead.
pub(crate) fn uninterrupted<T, E>(write: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let guard = WRITING.lock();
    let result = write();
    drop(guard);
    if result.is_ok() && ASKED.load(Ordering::SeqCst) {
        console::words("interrupted: the files were already complete");
        std::process::exit(130);
    }
    result
}
