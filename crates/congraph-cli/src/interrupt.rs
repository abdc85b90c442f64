//! Ctrl-C: at once while computing, when there is nothing on disk yet; after the files are in place while writing.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::console;

/// Held while files are written.
static WRITING: Mutex<()> = Mutex::new(());
static ASKED: AtomicBool = AtomicBool::new(false);
/// Where the work so far is kept, if it is.
static KEPT: Mutex<Option<String>> = Mutex::new(None);

/// From now on an interruption tells that the work so far is kept there.
pub(crate) fn kept_in(place: &std::path::Path) {
    if let Ok(mut kept) = KEPT.lock() {
        *kept = Some(place.display().to_string());
    }
}

/// Says what an interruption leaves behind, and ends the process.
fn leave(otherwise: &str) -> ! {
    match KEPT.lock().ok().and_then(|kept| kept.clone()) {
        Some(place) => console::words(&format!(
            "interrupted: the work so far is kept in {}; the same command with --resume goes on from there",
            console::visible(&place)
        )),
        None => console::words(otherwise),
    }
    std::process::exit(130);
}

/// Ends the process with code 130 on Ctrl-C, leaving nothing half-written.
pub(crate) fn install() {
    // Without a handler Ctrl-C still ends the process, only less politely.
    let _ = ctrlc::set_handler(|| match WRITING.try_lock() {
        // Held until the process is gone, so that no writing begins meanwhile.
        Ok(_guard) => leave("interrupted: nothing was written"),
        Err(_) => ASKED.store(true, Ordering::SeqCst),
    });
}

/// Runs `write` to its end before an interruption takes effect. If it fails, that is told instead.
pub(crate) fn uninterrupted<T, E>(write: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let guard = WRITING.lock();
    let result = write();
    drop(guard);
    if result.is_ok() && ASKED.load(Ordering::SeqCst) {
        leave("interrupted: the files were already complete");
    }
    result
}
