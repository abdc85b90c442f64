//! Signals that end a process: at once while computing, when no result is on disk yet; after the files are in place
//! while writing.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};

use crate::console;

/// Held while files are written.
static WRITING: Mutex<()> = Mutex::new(());
static ASKED: AtomicBool = AtomicBool::new(false);
/// While work is done that comes to a point where it can be kept when it is asked to.
static GENTLE: AtomicBool = AtomicBool::new(false);
/// Where the work so far is kept, if it is.
static KEPT: Mutex<Option<String>> = Mutex::new(None);

/// From now on an interruption tells that the work so far is kept there.
pub(crate) fn kept_in(place: &std::path::Path) {
    if let Ok(mut kept) = KEPT.lock() {
        *kept = Some(place.display().to_string());
    }
}

/// The work is in its place, and kept nowhere else.
pub(crate) fn kept_nowhere() {
    if let Ok(mut kept) = KEPT.lock() {
        *kept = None;
    }
}

/// Of a member of a team: whether it tells what happens, and what ends the others.
static MEMBER: OnceLock<(bool, Box<dyn Fn() + Send + Sync>)> = OnceLock::new();

/// From now on an interruption ends the others, too, and is told by the member that leads.
pub(crate) fn for_all(leads: bool, end: impl Fn() + Send + Sync + 'static) {
    let _ = MEMBER.set((leads, Box::new(end)));
}

/// From now on an interruption does not end this process: the first is writing, and all end with it.
pub(crate) fn leave_it_to_the_first() {
    std::mem::forget(WRITING.lock());
}

const NOTHING_WRITTEN: &str = "interrupted: nothing was written";

/// Says what an interruption leaves behind, and ends the process.
fn leave(otherwise: &str) -> ! {
    match KEPT.lock().ok().and_then(|kept| kept.clone()) {
        _ if MEMBER.get().is_some_and(|(leads, _)| !leads) => {}
        Some(place) => console::words(&format!(
            "interrupted: the work so far is kept in {}; the same command with --resume continues from there",
            console::visible(&place)
        )),
        None => console::words(otherwise),
    }
    // Destructors do not run from here.
    congraph_io::abandon();
    if let Some((_, end)) = MEMBER.get() {
        end();
    }
    std::process::exit(130);
}

/// Ends the process with code 130 when it is asked to end, leaving nothing half-written: Ctrl-C, and the signals of a
/// batch system or a container (SIGTERM) and of a terminal that closes (SIGHUP).
pub(crate) fn install() {
    // Without a handler a signal still ends the process, only less politely.
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let mut heard = vec![SIGINT, SIGTERM];
        // `nohup` asks for just that: to go on when the terminal closes.
        heard.extend((!is_ignored(SIGHUP)).then_some(SIGHUP));
        if let Ok(mut signals) = signal_hook::iterator::Signals::new(heard) {
            std::thread::spawn(move || signals.forever().for_each(|_| end()));
        }
    }
    #[cfg(not(unix))]
    let _ = ctrlc::set_handler(end);
}

/// Ends the process, or has it end as soon as the files are in place.
fn end() {
    // Asked again, it ends at once.
    if GENTLE.load(Ordering::SeqCst) && !ASKED.swap(true, Ordering::SeqCst) {
        return;
    }
    match WRITING.try_lock() {
        // Held until the process is gone, so that no writing begins meanwhile.
        Ok(_guard) => leave(NOTHING_WRITTEN),
        Err(_) => ASKED.store(true, Ordering::SeqCst),
    }
}

/// Whether whoever started this process had it ignore a signal; where the system does not tell, no.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Work that looks at [`is_asked`] and ends early then; a second signal ends the process at once. What was done is the
/// caller's to keep, and [`leave_if_asked`] ends the process.
pub(crate) fn gently<T>(work: impl FnOnce() -> T) -> T {
    GENTLE.store(true, Ordering::SeqCst);
    let done = work();
    GENTLE.store(false, Ordering::SeqCst);
    done
}

/// Whether the process was asked to end.
pub(crate) fn is_asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

/// Ends the process if it was asked to.
pub(crate) fn leave_if_asked() {
    if is_asked() {
        leave(NOTHING_WRITTEN);
    }
}

/// Runs `write` to its end before an interruption takes effect. If it fails, that is told instead.
///
/// # Errors
///
/// Those of `write`.
pub fn uninterrupted<T, E>(write: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    to_its_end(write, "interrupted: the files were already complete")
}

/// The same of what comes before any result is written, such as locking its place.
///
/// # Errors
///
/// Those of `prepare`.
pub(crate) fn before_writing<T, E>(prepare: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    to_its_end(prepare, NOTHING_WRITTEN)
}

fn to_its_end<T, E>(work: impl FnOnce() -> Result<T, E>, told: &str) -> Result<T, E> {
    let guard = WRITING.lock();
    let result = work();
    drop(guard);
    if result.is_ok() && is_asked() {
        leave(told);
    }
    result
}
