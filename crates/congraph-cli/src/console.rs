//! Words to stderr: notes, warnings, errors, progress. Results to stdout.
//!
//! A reader may go away (`congraph check … | head -1`): that is no error. Names come from files, so control characters
//! in them are shown, not sent to the terminal.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use congraph::{Progress, Warning};
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::Failure;

/// Without a terminal, a line this often.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// More threads than this are of no use to anybody.
const THREADS_PER_CORE: usize = 4;

/// A line of words on stderr; if nobody listens, there is nobody to tell.
pub fn words(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Prints a result on stdout, followed by a line end.
///
/// # Errors
///
/// If stdout cannot be written to. That nobody reads it is none.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(format!("{text}\n").as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::Stdout(error)),
        _ => Ok(()),
    }
}

/// The text with control characters other than line ends made visible: they could move the cursor or colour the screen.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for mark in text.chars() {
        if mark.is_control() && mark != '\n' {
            shown.extend(mark.escape_default());
        } else {
            shown.push(mark);
        }
    }
    shown
}

/// A number of things: `count(2, "view")` is `2 views`.
pub fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// Where words go, and how many.
pub struct Console {
    quiet: bool,
    verbose: bool,
    colour: bool,
    terminal: bool,
}

impl Console {
    /// One that says as much as is wanted: no notes, warnings and progress if `quiet`, details if `verbose`.
    pub fn new(quiet: bool, verbose: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let colour = terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self {
            quiet,
            verbose,
            colour,
            terminal,
        }
    }

    /// As many threads as were asked for, as far as that makes sense.
    pub fn at_most_threads(&self, asked: usize) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let most = THREADS_PER_CORE * cores;
        if asked > most {
            self.note(&format!(
                "note: --threads {asked} is more than {} can use; {most} are started",
                count(cores, "core")
            ));
        }
        asked.min(most)
    }

    /// Something worth knowing with `-v`.
    pub fn detail(&self, text: &str) {
        if self.verbose && !self.quiet {
            words(&visible(text));
        }
    }

    /// Something worth knowing.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            words(&visible(text));
        }
    }

    /// A warning about the data or the result.
    pub fn warning(&self, warning: &Warning) {
        if !self.quiet {
            let view = warning
                .view
                .as_ref()
                .map_or_else(String::new, |view| format!("view `{view}`: "));
            let label = self.painted("33;1", "warning:");
            let text = format!("{}: {view}{}", warning.code, warning.message);
            words(&format!("{label} {}", visible(&text)));
        }
    }

    /// Why the command ended; also told if quiet.
    pub fn error(&self, text: &str) {
        words(&format!("{} {}", self.painted("31;1", "error:"), visible(text)));
    }

    fn painted(&self, style: &str, text: &str) -> String {
        if self.colour {
            format!("\u{1b}[{style}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    /// Shows the progress of a fit: a line that renews itself on a terminal, else one every ten seconds.
    pub fn progress(&self) -> Reporter {
        let bar = (self.terminal && !self.quiet).then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        });
        let state = Arc::new(Mutex::new(State::new()));
        let (stop, stopped) = mpsc::channel();
        let (told, quiet) = (Arc::clone(&state), self.quiet || self.terminal);
        let lines = std::thread::spawn(move || {
            while stopped.recv_timeout(LINE_EVERY) == Err(mpsc::RecvTimeoutError::Timeout) {
                if let (false, Ok(state)) = (quiet, told.lock()) {
                    eprintln!("{}", state.text());
                }
            }
        });
        Reporter {
            bar,
            state,
            stop: Some(stop),
            lines: Some(lines),
        }
    }
}

/// Tells how far a fit is.
pub struct Reporter {
    bar: Option<ProgressBar>,
    state: Arc<Mutex<State>>,
    stop: Option<mpsc::Sender<()>>,
    lines: Option<std::thread::JoinHandle<()>>,
}

/// Where the fit is, and since when.
struct State {
    start: Instant,
    phase: Progress,
    phase_start: Instant,
    /// The gap at the start of the solving.
    first_gap: f64,
    /// Of a search or a path: what is done of it.
    around: Option<Progress>,
    /// What comes before any fit.
    before: Option<String>,
}

impl State {
    fn new() -> Self {
        Self {
            start: Instant::now(),
            phase: Progress::Distances(0.0),
            phase_start: Instant::now(),
            first_gap: f64::INFINITY,
            around: None,
            before: None,
        }
    }

    fn step(&mut self, progress: &Progress) {
        self.before = None;
        if matches!(progress, Progress::Tried { .. } | Progress::Fitted { .. }) {
            self.around = Some(*progress);
            return;
        }
        if matches!(progress, Progress::Compared { .. }) {
            // Of one fit among many nothing is told.
            if !matches!(self.around, Some(Progress::Fitted { .. })) {
                self.around = Some(*progress);
            }
            return;
        }
        if std::mem::discriminant(progress) != std::mem::discriminant(&self.phase) {
            self.phase_start = Instant::now();
            self.first_gap = f64::INFINITY;
        }
        if let Progress::Solving { gap, .. } = progress
            && !self.first_gap.is_finite()
        {
            self.first_gap = *gap;
            self.phase_start = Instant::now();
        }
        self.phase = *progress;
    }

    fn text(&self) -> String {
        if let Some(before) = &self.before {
            return format!("{before} ({:.0} s)", self.start.elapsed().as_secs_f64());
        }
        let (what, share) = match self.phase {
            Progress::Distances(share) => (format!("distances {:.0} %", 100.0 * share), share),
            Progress::Neighbours(share) => (format!("nearest neighbours {:.0} %", 100.0 * share), share),
            Progress::Checking(share) => (format!("checking all pairs {:.0} %", 100.0 * share), share),
            Progress::Solving {
                iteration,
                gap,
                tolerance,
            } => {
                // Gaps shrink by about the same factor in the same time, or faster.
                let share = (self.first_gap / gap).ln() / (self.first_gap / tolerance).ln();
                (format!("solving: iteration {iteration}, gap {gap:.1e}"), share)
            }
            // These stand around the others.
            Progress::Tried { .. } | Progress::Compared { .. } | Progress::Fitted { .. } => (String::new(), 0.0),
        };
        let total = self.start.elapsed().as_secs_f64();
        match self.around {
            Some(Progress::Fitted { done, total: all }) => {
                let left = total * (all - done.min(all)) as f64 / done.max(1) as f64;
                return format!("fit {done} of {all} ({total:.0} s, about {left:.0} s left)");
            }
            Some(Progress::Tried {
                solves,
                density,
                similarity,
            }) => {
                let likeness = similarity.map_or_else(String::new, |value| format!(", similarity {value:.3}"));
                return format!("fit {solves}: density {density:.3}{likeness}; {what} ({total:.0} s)");
            }
            Some(Progress::Compared { done, total: all }) if done < all => {
                return format!("fit {} of {all}; {what} ({total:.0} s)", done + 1);
            }
            _ => {}
        }
        let spent = self.phase_start.elapsed().as_secs_f64();
        let left = spent * (1.0 - share) / share;
        let eta = if left.is_finite() && spent > 1.0 {
            format!(", about {left:.0} s left")
        } else {
            String::new()
        };
        format!("{what} ({:.0} s{eta})", self.start.elapsed().as_secs_f64())
    }
}

impl Reporter {
    /// Tells what is done before any fit.
    pub fn say(&self, what: String) {
        if let Ok(mut state) = self.state.lock() {
            state.before = Some(what);
            if let Some(bar) = &self.bar {
                bar.set_message(state.text());
            }
        }
    }

    /// Tells a step of a fit; it never asks to stop.
    pub fn step(&self, progress: &Progress) -> ControlFlow<()> {
        if let Ok(mut state) = self.state.lock() {
            state.step(progress);
            if let Some(bar) = &self.bar {
                bar.set_message(state.text());
            }
        }
        ControlFlow::Continue(())
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(lines) = self.lines.take() {
            // It ends as soon as it is told to; a panic in it is no concern of the result.
            let _ = lines.join();
        }
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_that_are_compared_are_counted_unless_they_are_part_of_more() {
        let mut state = State::new();
        state.step(&Progress::Compared { done: 2, total: 12 });
        let solving = Progress::Solving {
            iteration: 7,
            gap: 1e-3,
            tolerance: 1e-8,
        };
        state.step(&solving);
        assert_eq!(state.text(), "fit 3 of 12; solving: iteration 7, gap 1.0e-3 (0 s)");
        state.step(&Progress::Compared { done: 12, total: 12 });
        assert!(state.text().starts_with("solving: iteration 7"), "{}", state.text());
        state.step(&Progress::Fitted { done: 1, total: 4 });
        state.step(&Progress::Compared { done: 2, total: 12 });
        assert!(state.text().starts_with("fit 1 of 4 ("), "{}", state.text());
    }
}
