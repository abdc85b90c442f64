//! One command, one file.

mod again;
mod candidates;
mod check;
mod communities;
mod compare;
mod completions;
mod demo;
mod eeg;
mod evaluate;
mod export;
mod fit;
mod held;
pub(crate) mod in_team;
mod input;
mod jgl;
mod learn;
mod likelihood;
mod merge;
mod methods;
mod places;
mod project;
mod report;
mod simulate;
mod stability;
mod tune;

use crate::args::{Cli, Command};
use crate::console::{Console, visible};
use crate::failure::Failure;

pub(crate) use merge::{check_place, finish, part_of};

/// Carries out the command that was asked for.
pub(crate) fn run(cli: &Cli, console: &Console) -> Result<(), Failure> {
    match &cli.command {
        Command::Demo(args) => demo::run(args, &cli.global, console),
        Command::Check(args) => check::run(args, &cli.global, console),
        Command::Learn(args) => learn::run(args, &cli.global, console),
        Command::Tune(args) => tune::run(args, &cli.global, console),
        Command::Stability(args) => stability::run(args, &cli.global, console),
        Command::Merge(args) => merge::run(args, &cli.global, console),
        Command::Simulate(args) => simulate::run(args, &cli.global, console),
        Command::Evaluate(args) => evaluate::run(args, &cli.global, console),
        Command::Communities(args) => communities::run(args, &cli.global, console),
        Command::Compare(args) => compare::run(args, &cli.global, console),
        Command::Project(args) => project::run(args, &cli.global, console),
        Command::Report(args) => report::run(args, &cli.global, console),
        Command::Eeg(args) => eeg::run(args, &cli.global, console),
        Command::Export(args) => export::run(args, &cli.global, console),
        Command::Completions(args) => completions::run(args),
    }
}

/// Rows of cells in columns: the first to the left, the others to the right.
fn table<R: AsRef<[String]>>(rows: &[R]) -> String {
    let shown = |row: &R| -> Vec<String> {
        let cells = row.as_ref().iter();
        cells.map(|cell| visible(cell).replace('\n', "⏎")).collect()
    };
    let rows: Vec<Vec<String>> = rows.iter().map(shown).collect();
    let mut widths = vec![0; rows.iter().map(Vec::len).max().unwrap_or(0)];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut lines = Vec::with_capacity(rows.len());
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(k, (cell, &width))| match k {
            0 => format!("{cell:width$}"),
            _ => format!("{cell:>width$}"),
        });
        lines.push(cells.collect::<Vec<_>>().join("  ").trim_end().to_owned());
    }
    lines.join("\n")
}
