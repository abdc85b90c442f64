//! Words to stderr: notes, warnings, errors, progress. Results to stdout.
//!
//! A reader may go away (`congraph check … | head -1`): that is no error. Names come from files, so control characters
//! in them are shown, not sent to the terminal.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use congraph::Warning;
use congraph::solvers::Progress;
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::Failure;

/// Without a terminal, a line this often.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// A line of words on stderr; if nobody listens, there is nobody to tell.
pub(crate) fn words(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Prints a result on stdout, followed by a line end.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(format!("{text}\n").as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::Stdout(error)),
        _ => Ok(()),
    }
}

/// The text with control characters other than line ends made visible: they could move the cursor or colour the screen.
pub(crate) fn visible(text: &str) -> String {
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
            words(&visible(text));
        }
    }

    /// Something worth knowing.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            words(&visible(text));
        }
    }

    pub(crate) fn warning(&self, warning: &Warning) {
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

    pub(crate) fn error(&self, text: &str) {
        words(&format!("{} {}", self.painted("31;1", "error:"), visible(text)));
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
            words(&format!("{} after {:.0} s", text(), self.start.elapsed().as_secs_f64()));
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
