//! Long work beside a Python interpreter: let go of while it lasts, asked for Ctrl-C, shown progress.
//!
//! The work runs on a thread of a pool while the calling thread waits and, a few times a second, returns to the
//! interpreter: only there (and on Python's main thread) do signals arrive, and only there may a notebook be written
//! to. The work asks after every iteration whether to stop.

use std::ops::ControlFlow;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use congraph::{Error, Progress, Watch};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure;
use crate::fields::from_fields;

/// How long the calling thread waits before it looks at signals and shows progress.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// How to run.
pub(crate) struct Running {
    /// How many threads; all cores if not given. The result does not depend on it.
    n_jobs: Option<usize>,
    /// Called with a text now and then.
    progress: Option<Py<PyAny>>,
}

from_fields!(Running { n_jobs, progress });

/// Short work without holding the interpreter.
pub(crate) fn briefly<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let pool = shared_pool()?;
    Ok(py.detach(|| pool.install(work)))
}

/// What a penalty written in Python raised, if it did.
pub(crate) type Raised = Mutex<Option<PyErr>>;

impl Running {
    /// Does the work without holding the interpreter.
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        raised: Option<&Raised>,
        work: impl FnOnce(Watch<'_>) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let pool = self.pool()?;
        let stop = AtomicBool::new(false);
        let latest = Mutex::new(None);
        let watch = |progress: &Progress| {
            *latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(*progress);
            if stop.load(Ordering::Relaxed) || raised.is_some_and(has_raised) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let watch: Watch<'_> = &watch;
        let mut result = None;
        let interruption = py.detach(|| {
            let (done, finished) = channel::<()>();
            let place = &mut result;
            // The calling thread waits, and one of the pool's works.
            pool.in_place_scope(|scope| {
                scope.spawn(move |_| {
                    *place = Some(work(watch));
                    drop(done);
                });
                let mut interruption = None;
                while finished.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                    if interruption.is_none() {
                        interruption = Python::attach(|py| self.poll(py, &latest)).err();
                        stop.store(interruption.is_some(), Ordering::Relaxed);
                    }
                }
                interruption
            })
        });
        if let Some(error) = raised.and_then(|raised| raised.lock().unwrap_or_else(PoisonError::into_inner).take()) {
            return Err(error);
        }
        match (interruption, result) {
            (Some(interruption), _) => Err(interruption),
            (None, Some(Ok(value))) => Ok(value),
            (None, Some(Err(error))) => Err(failure::exception(py, &error)),
            // A panic has ended the scope.
            (None, None) => Err(PyRuntimeError::new_err("the engine ended without a result")),
        }
    }

    fn pool(&self) -> PyResult<Arc<ThreadPool>> {
        if self.n_jobs == Some(0) {
            return Err(PyValueError::new_err(
                "n_jobs is 0; it must be 1 or more, -1 for all cores, or None",
            ));
        }
        match self.n_jobs {
            Some(threads) => started(threads).map(Arc::new),
            None => shared_pool(),
        }
    }

    fn poll(&self, py: Python<'_>, latest: &Mutex<Option<Progress>>) -> PyResult<()> {
        py.check_signals()?;
        let seen = *latest.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(show), Some(seen)) = (&self.progress, seen) {
            show.call1(py, (in_words(&seen),))?;
        }
        Ok(())
    }
}

/// More threads than this are of no use to anybody.
const THREADS_PER_CORE: usize = 4;

/// A pool of so many threads, as far as that makes sense; 0 for one per core.
fn started(threads: usize) -> PyResult<ThreadPool> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads.min(THREADS_PER_CORE * cores))
        .build();
    pool.map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// The pool of all cores, kept between calls. A forked child inherits the memory of its parent but none of the threads,
/// and would wait for them forever: it starts its own.
fn shared_pool() -> PyResult<Arc<ThreadPool>> {
    static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let mut kept = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let own = process::id();
    if let Some((owner, pool)) = &*kept
        && *owner == own
    {
        return Ok(Arc::clone(pool));
    }
    let pool = Arc::new(started(0)?);
    // To drop the parent's would be to wait for its threads.
    std::mem::forget(kept.replace((own, Arc::clone(&pool))));
    Ok(pool)
}

pub(crate) fn has_raised(raised: &Raised) -> bool {
    raised.lock().unwrap_or_else(PoisonError::into_inner).is_some()
}

/// Progress in a few words.
fn in_words(progress: &Progress) -> String {
    match progress {
        Progress::Distances(share) => format!("distances {:.0} %", 100.0 * share),
        Progress::Neighbours(share) => format!("nearest neighbours {:.0} %", 100.0 * share),
        Progress::Checking(share) => format!("checking all pairs {:.0} %", 100.0 * share),
        Progress::Solving { iteration, gap, .. } => format!("solving: iteration {iteration}, gap {gap:.1e}"),
        Progress::Tried {
            solves,
            density,
            similarity,
        } => {
            let likeness = similarity.map_or_else(String::new, |value| format!(", similarity {value:.3}"));
            format!("fit {solves}: density {density:.3}{likeness}")
        }
        Progress::Compared { done, total } => format!("{done} of {total} models fitted"),
        Progress::Fitted { done, total } => format!("fit {done} of {total}"),
    }
}
