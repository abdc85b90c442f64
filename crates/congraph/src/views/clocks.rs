//! Columns that count: a clock or a row number that a table has beside its signals, and that would be a node (W21).
//!
//! Loggers write the time first, and tables that were written with their row numbers and read again keep those. All views have
//! such a column, so nothing lacks anywhere. What tells it: from sample to sample it rises, or falls, by the same step, in
//! every view.

use super::{Kind, ViewOptions, Views};
use crate::error::{Warning, list_names};
use crate::options::option;

/// Fewer samples may do that by chance.
const ENOUGH_SAMPLES: usize = 8;
/// Steps are equal if they differ by less than this share of one: times are written with a few digits.
const EQUAL: f64 = 0.02;

/// A warning, if some nodes count.
pub(super) fn warning(views: &Views, options: &ViewOptions) -> Option<Warning> {
    if views.kind() != Kind::Signals || options.projected {
        return None;
    }
    let of_views = views.ask(|index| {
        let view = views.view(index);
        let counts = |node: &usize| views.has(index, *node) && rises_evenly(view.node(*node));
        (0..views.n_nodes()).filter(counts).map(|node| node as u64).collect()
    });
    let counts_in = |view: usize, node: usize| of_views[view].binary_search(&(node as u64)).is_ok();
    let counting = |node: &usize| {
        let mut having = (0..views.n_views()).filter(|&view| views.has(view, *node)).peekable();
        having.peek().is_some() && having.all(|view| counts_in(view, *node))
    };
    let found: Vec<&str> = (0..views.n_nodes())
        .filter(counting)
        .map(|node| views.nodes()[node].as_str())
        .collect();
    let (does, it_looks, it) = match found.len() {
        0 => return None,
        1 => ("rises by equal steps", "It looks like a clock or a row number", "it"),
        _ => ("rise by equal steps", "They look like clocks or row numbers", "them"),
    };
    Some(Warning::new(
        "W21",
        format!(
            "{} {does} in every view. {it_looks}, which is no signal and goes along with whatever drifts; {} leaves {it} out",
            list_names(&found),
            option("drop_nodes").set_to(found.join(","))
        ),
    ))
}

/// Whether values rise or fall by the same step from the first to the last.
fn rises_evenly(signal: &[f64]) -> bool {
    let (Some(first), Some(last)) = (signal.first(), signal.last()) else {
        return false;
    };
    let step = (last - first) / (signal.len().max(2) - 1) as f64;
    let is_even = |two: &[f64]| (two[1] - two[0] - step).abs() <= EQUAL * step.abs();
    signal.len() >= ENOUGH_SAMPLES && step != 0.0 && step.is_finite() && signal.windows(2).all(is_even)
}

#[cfg(test)]
mod tests {
    use super::super::{Table, Views};
    use super::*;

    fn told(tables: Vec<Table>) -> Option<String> {
        let (_, warnings) = Views::assemble(tables, &ViewOptions::default()).unwrap();
        let found = warnings.into_iter().find(|warning| warning.code == "W21");
        found.map(|warning| warning.message)
    }

    /// Three columns of which one is told.
    fn table(name: &str, n_rows: usize, first: impl Fn(usize) -> f64) -> Table {
        let row = |k: usize| {
            let k = k as f64;
            [first(k as usize), (12.9 * k).sin(), (7.7 * k * k).cos()]
        };
        let values = (0..n_rows).flat_map(row).collect();
        Table::new(name, 3, values).with_columns(["time", "x", "y"].map(String::from))
    }

    #[test]
    fn clocks_and_row_numbers_are_told() {
        let rounded = |k: usize| (k as f64 / 160.0 * 1e5).round() / 1e5;
        let found = told(vec![table("a", 40, rounded), table("b", 30, |k| 7.0 - k as f64)]).unwrap();
        assert!(
            found.contains("`time`") && found.contains("rises by equal steps in every view"),
            "{found}"
        );
    }

    #[test]
    fn what_counts_in_one_view_alone_or_unevenly_does_not() {
        let count = |k: usize| k as f64;
        assert_eq!(
            told(vec![table("a", 40, count), table("b", 40, |k| (k as f64).sin())]),
            None
        );
        assert_eq!(
            told(vec![table("a", 40, |k| (k as f64).powi(2)), table("b", 40, count)]),
            None
        );
        // Of few samples nobody knows.
        assert_eq!(told(vec![table("a", 7, count), table("b", 7, count)]), None);
    }
}
