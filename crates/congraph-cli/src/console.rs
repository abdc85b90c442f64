//! Words to stderr: notes, warnings, errors, progress. Results are not its business.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use congraph::Warning;
use congraph::solvers::Progress;
use indicatif::{ProgressBar, ProgressStyle};

/// Without a terminal, a line this often.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Where words go, and how many.
pub(crate) struct Console {
    quiet: bool,
    verbose: bool,
    colour: bool,
    terminal: bool,
}

impl Console {
    pub(crate) fn new(quiet: bool, verbose: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let colour = terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self {
            quiet,
            verbose,
            colour,
            terminal,
        }
    }

    /// Something worth knowing with `-v`.
    pub(crate) fn detail(&self, text: &str) {
        if self.verbose && !self.quiet {
            eprintln!("{text}");
        }
    }

    /// Something worth knowing.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            eprintln!("{text}");
        }
    }

    pub(crate) fn warning(&self, warning: &Warning) {
        if !self.quiet {
            let view = warning
                .view
                .as_ref()
                .map_or_else(String::new, |view| format!("view `{view}`: "));
            let label = self.painted("33;1", "warning:");
            eprintln!("{label} {}: {view}{}", warning.code, warning.message);
        }
    }

    pub(crate) fn error(&self, text: &str) {
        eprintln!("{} {text}", self.painted("31;1", "error:"));
    }

    fn painted(&self, style: &str, text: &str) -> String {
        if self.colour {
            format!("\u{1b}[{style}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    /// Shows a solver's progress: a spinner on a terminal, else a line now and then.
    pub(crate) fn progress(&self, what: &str) -> Reporter {
        let bar = (self.terminal && !self.quiet).then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        });
        Reporter {
            what: what.to_owned(),
            bar,
            silent: self.quiet,
            start: Instant::now(),
            last: Mutex::new(Instant::now()),
        }
    }
}

/// Tells how far a solver is.
pub(crate) struct Reporter {
    what: String,
    bar: Option<ProgressBar>,
    silent: bool,
    start: Instant,
    last: Mutex<Instant>,
}

impl Reporter {
    pub(crate) fn step(&self, progress: &Progress) -> ControlFlow<()> {
        let text = || {
            format!(
                "{}: iteration {}, gap {:.1e}",
                self.what, progress.iteration, progress.gap
            )
        };
        if let Some(bar) = &self.bar {
            bar.set_message(text());
        } else if !self.silent
            && let Ok(mut last) = self.last.lock()
            && last.elapsed() >= LINE_EVERY
        {
            *last = Instant::now();
            eprintln!("{} after {:.0} s", text(), self.start.elapsed().as_secs_f64());
        }
        ControlFlow::Continue(())
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
