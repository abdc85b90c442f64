//! Refuses values and shapes that would make a result meaningless.

use super::effective::{fewer_than, own_by_name};
use super::missing::Lacking;
use super::{Kind, Orient, Table, View, ViewOptions, Views, fault, turned};
use crate::error::{Code, DataError, Warning, list_names};
use crate::options::{names_listed, option};

/// A signal whose spread is below this share of its size is rounding noise around a constant.
const CONSTANT_SPREAD: f64 = 1e-13;
/// Two precomputed entries that differ by less than this share of the largest are the same.
const SYMMETRY: f64 = 1e-9;
/// Views with fewer samples than this deserve a warning.
const FEW_SAMPLES: usize = 20;
/// Samples that are worth more than this share of their number are not called dependent: by chance, independent ones
/// hardly ever seem to be worth less.
const DEPENDENT: f64 = 0.4;

/// Checks that need only the tables' shapes: before anything is transposed or matched.
pub(super) fn shapes<Values: AsRef<[f64]>>(tables: &[Table<Values>], options: &ViewOptions) -> Vec<DataError> {
    let mut errors = Vec::new();
    for table in tables.iter().filter(|table| !table.is_elsewhere()) {
        match options.kind {
            Kind::Signals => errors.extend(connectivity_matrix(table)),
            Kind::Gram | Kind::Covariance => errors.extend(not_symmetric(table)),
        }
    }
    if errors.is_empty() {
        errors.extend(turned::looks_transposed(tables, options));
    }
    if errors.is_empty() && options.kind == Kind::Signals {
        errors.extend(tables.iter().filter_map(|table| too_few_samples(table, options)));
    }
    errors
}

fn is_symmetric<Values: AsRef<[f64]>>(table: &Table<Values>) -> bool {
    let n = table.n_columns;
    if table.n_rows != n {
        return false;
    }
    let finite = table.cells().iter().filter(|value| value.is_finite());
    let largest = finite.fold(0.0_f64, |largest, value| largest.max(value.abs()));
    (0..n).all(|row| {
        (0..row).all(|column| {
            let difference = table.cells()[row * n + column] - table.cells()[column * n + row];
            // A NaN is not an asymmetry; it has a check of its own.
            difference.is_nan() || difference.abs() <= SYMMETRY * largest
        })
    })
}

fn connectivity_matrix<Values: AsRef<[f64]>>(table: &Table<Values>) -> Option<DataError> {
    // Two samples of two nodes can be symmetric by chance.
    if table.n_columns < 3 || !is_symmetric(table) {
        return None;
    }
    let n = table.n_columns;
    Some(fault(
        Code::E13,
        &table.name,
        format!(
            "view `{}` is a square symmetric table ({n} × {n}): it looks like a connectivity matrix",
            table.name
        ),
        "signals are expected: one row per sample, one column per node",
        format!(
            "give the signals; or, for a matrix of covariances or of sums of products, {} or {}",
            option("covariance").added(),
            option("gram")
        ),
    ))
}

fn not_symmetric<Values: AsRef<[f64]>>(table: &Table<Values>) -> Option<DataError> {
    let positive = (0..table.n_columns.min(table.n_rows)).all(|k| {
        let value = table.cells()[k * table.n_columns + k];
        value >= 0.0 || value.is_nan()
    });
    if let (Some(rows), Some(columns)) = (&table.row_names, &table.column_names)
        && is_symmetric(table)
        && let Some(k) = (0..columns.len()).find(|&k| rows[k] != columns[k])
    {
        return Some(fault(
            Code::E13,
            &table.name,
            format!(
                "view `{}` is a square symmetric table, but row {} is called `{}` and column {} `{}`",
                table.name,
                k + 1,
                rows[k],
                k + 1,
                columns[k]
            ),
            "a Gram or covariance matrix has its nodes in the same order both ways",
            "name the rows as the columns, or leave the names of the rows out".into(),
        ));
    }
    if is_symmetric(table) && positive {
        return None;
    }
    Some(fault(
        Code::E13,
        &table.name,
        format!(
            "view `{}` ({} rows × {} columns) is not a square symmetric matrix with a non-negative diagonal",
            table.name, table.n_rows, table.n_columns
        ),
        "a Gram or covariance matrix has one row and one column per node, and is the same both ways",
        format!(
            "leave out {}/{} if the table holds signals",
            option("gram"),
            option("covariance")
        ),
    ))
}

fn too_few_samples<Values: AsRef<[f64]>>(table: &Table<Values>, options: &ViewOptions) -> Option<DataError> {
    let n_samples = match options.orient {
        Orient::SamplesByNodes => table.n_rows,
        Orient::NodesBySamples => table.n_columns,
    };
    // One sample has no spread to scale by; unscaled it is still a signal.
    let needed = if options.allow_constant { 1 } else { 2 };
    (n_samples < needed).then(|| {
        fault(
            Code::E05,
            &table.name,
            format!(
                "view `{}` has {}; at least {needed} are needed",
                table.name,
                counted(n_samples)
            ),
            "with fewer there is no variation to learn a graph from",
            if options.projected {
                "add samples, or leave the view out".into()
            } else {
                format!(
                    "add samples, or leave the view out; {} accepts a single sample",
                    option("scale").set_to("none")
                )
            },
        )
    })
}

fn counted(n_samples: usize) -> String {
    match n_samples {
        0 => "no sample".into(),
        1 => "1 sample".into(),
        _ => format!("{n_samples} samples"),
    }
}

/// Whether there is no NaN and no infinite value at all; told fast, since that is usual.
pub(super) fn all_finite(values: &[f64]) -> bool {
    let is_part_finite = |part: &[f64]| part.iter().fold(true, |so_far, value| so_far & value.is_finite());
    values.chunks(4096).all(is_part_finite)
}

/// NaN and infinite values in the rows and columns in use.
pub(super) fn finite<Values: AsRef<[f64]>>(
    table: &Table<Values>,
    columns: &[usize],
    nodes: &[String],
    rows: &[usize],
    kind: Kind,
) -> Option<DataError> {
    if all_finite(table.cells()) {
        return None;
    }
    let (counts, first) = broken_values(table, columns, nodes, rows)?;
    let total: usize = counts.iter().map(|&(count, _)| count).sum();
    let shown: Vec<String> = counts
        .iter()
        .take(3)
        .map(|&(count, node)| format!("`{node}` ({count})"))
        .collect();
    let more = if counts.len() > 3 { ", …" } else { "" };
    let names: Vec<&str> = counts.iter().map(|(_, node)| node.as_str()).collect();
    Some(
        fault(
            Code::E01,
            &table.name,
            format!(
                "view `{}` has {total} {} NaN or infinite, in {} of {} nodes: {}{more}; the first is in {} {}",
                table.name,
                if total == 1 { "value that is" } else { "values that are" },
                counts.len(),
                nodes.len(),
                shown.join(", "),
                if kind == Kind::Signals { "sample" } else { "row" },
                first + 1
            ),
            "one such value spoils every distance of its node",
            without_broken_values(&names, kind),
        )
        .at_node(counts[0].1),
    )
}

/// How many NaN and infinite values each node has, the most first; and the first row with one. None without any.
fn broken_values<'n, Values: AsRef<[f64]>>(
    table: &Table<Values>,
    columns: &[usize],
    nodes: &'n [String],
    rows: &[usize],
) -> Option<(Vec<(usize, &'n String)>, usize)> {
    let mut counts = Vec::new();
    let mut first = None;
    for (&column, node) in columns.iter().zip(nodes) {
        let broken = rows
            .iter()
            .filter(|&&row| !table.cells()[row * table.n_columns + column].is_finite());
        let count = broken.clone().count();
        if let Some(&row) = broken.min() {
            counts.push((count, node));
            first = Some(first.map_or(row, |earlier: usize| earlier.min(row)));
        }
    }
    counts.sort_by_key(|&(count, _)| std::cmp::Reverse(count));
    Some((counts, first?))
}

/// The hint for nodes with NaN or infinite values.
fn without_broken_values(names: &[&str], kind: Kind) -> String {
    format!(
        "{}{} masks {} in this view, {} leaves {} out of all views",
        if kind == Kind::Signals {
            format!("{} leaves out those samples, ", option("nan").set_to("drop-rows"))
        } else {
            String::new()
        },
        option("missing").set_to("mask"),
        if names.len() == 1 { "the node" } else { "the nodes" },
        option("drop_nodes").set_to(names_listed(names)),
        if names.len() == 1 { "it" } else { "them" }
    )
}

/// Checks of the values of one matched view's own nodes.
pub(super) fn values(view: &View, nodes: &[String], lacking: &Lacking, options: &ViewOptions) -> Vec<DataError> {
    let mut errors = Vec::new();
    if options.kind != Kind::Signals {
        if !options.allow_constant {
            errors.extend(constant_nodes(view, nodes, lacking, options));
        }
        return errors;
    }
    let needed = if options.allow_constant { 1 } else { 2 };
    if view.rows.stride() < needed {
        errors.push(fault(
            Code::E05,
            &view.name,
            format!(
                "view `{}` has {} left; at least {needed} are needed",
                view.name,
                counted(view.rows.stride())
            ),
            "with fewer there is no variation to learn a graph from",
            "add samples, or leave the view out".into(),
        ));
        return errors;
    }
    if !options.allow_constant {
        errors.extend(constant_nodes(view, nodes, lacking, options));
    }
    if !options.allow_counts {
        errors.extend(raw_counts(view, lacking));
    }
    errors
}

/// The nodes that do not vary.
pub(super) fn constant(view: &View, n_nodes: usize, kind: Kind) -> Vec<usize> {
    let is_constant = |&node: &usize| {
        let signal = view.node(node);
        if kind != Kind::Signals {
            return signal[node] == 0.0;
        }
        let (low, high) = range(signal);
        high - low <= CONSTANT_SPREAD * high.abs().max(low.abs())
    };
    (0..n_nodes).filter(is_constant).collect()
}

/// The smallest and the largest value. Several at a time: one running minimum would wait for itself at every value.
fn range(values: &[f64]) -> (f64, f64) {
    const LANES: usize = 8;
    let (mut low, mut high) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
    let (parts, rest) = values.as_chunks::<LANES>();
    for part in parts {
        for lane in 0..LANES {
            low[lane] = low[lane].min(part[lane]);
            high[lane] = high[lane].max(part[lane]);
        }
    }
    let lowest = low.iter().chain(rest).fold(f64::INFINITY, |low, &x| low.min(x));
    let highest = high.iter().chain(rest).fold(f64::NEG_INFINITY, |high, &x| high.max(x));
    (lowest, highest)
}

fn constant_nodes(view: &View, nodes: &[String], lacking: &Lacking, options: &ViewOptions) -> Option<DataError> {
    let mut constant = constant(view, nodes.len(), options.kind);
    constant.retain(|&node| lacking[node].is_none());
    let (word, value) = match options.kind {
        Kind::Signals => ("constant", view.node(*constant.first()?)[0]),
        Kind::Gram | Kind::Covariance => ("without variance", 0.0),
    };
    constant.first()?;
    let names: Vec<&str> = constant.iter().map(|&node| nodes[node].as_str()).collect();
    let it = if names.len() == 1 { "it" } else { "them" };
    Some(
        fault(
            Code::E04,
            &view.name,
            format!(
                "view `{}`: {} {} {word} ({}{} throughout)",
                view.name,
                list_names(&names),
                if names.len() == 1 { "is" } else { "are" },
                if names.len() == 1 {
                    String::new()
                } else {
                    format!("`{}` is ", names[0])
                },
                value
            ),
            "it cannot be z-scored, and as a flat line it would be close to every node and look like a hub",
            format!(
                "{} masks {it} in this view, {} leaves {it} out of all views{}",
                option("missing").set_to("mask"),
                option("drop_nodes").set_to(names_listed(&names)),
                if options.projected {
                    String::new()
                } else {
                    let scale = |value: &str| option("scale").set_to(value);
                    format!(
                        ", {} or {} keep {it} (for the method `smooth`)",
                        scale("none"),
                        scale("center")
                    )
                }
            ),
        )
        .at_node(names[0]),
    )
}

/// Non-negative whole numbers with many zeros or a long tail: read counts, spike counts.
fn raw_counts(view: &View, lacking: &Lacking) -> Option<DataError> {
    let (mut zeros, mut count, mut largest) = (0_usize, 0_usize, 0.0_f64);
    let own = (0..lacking.len()).filter(|&node| lacking[node].is_none());
    for &value in own.flat_map(|node| view.node(node)) {
        if value < 0.0 || value.fract() != 0.0 {
            return None;
        }
        zeros += usize::from(value == 0.0);
        count += 1;
        largest = largest.max(value);
    }
    let many_zeros = zeros * 20 >= count;
    if !(many_zeros && largest >= 2.0) {
        return None;
    }
    Some(fault(
        Code::E15,
        &view.name,
        format!(
            "view `{}` looks like raw counts: whole numbers from 0 to {largest}, {} % of them zero",
            view.name,
            100 * zeros / count.max(1)
        ),
        "counts grow with sequencing depth and their few large values dominate every distance",
        format!(
            "log-normalise them first (for example log(1 + counts per 10 000)), or {}",
            option("allow_counts").added()
        ),
    ))
}

/// What is said if the samples of a view are few, or worth few.
fn few_samples(views: &Views, index: usize) -> Option<String> {
    let view = views.view(index);
    let n_samples = view.n_samples()?;
    let few = FEW_SAMPLES as f64;
    let told = view.n_effective.filter(|n| *n < few && *n < n_samples as f64);
    let found = || {
        let judged = views.kind == Kind::Signals && view.n_effective.is_none() && n_samples >= FEW_SAMPLES;
        let limit = few.min(DEPENDENT * n_samples as f64);
        judged
            .then(|| fewer_than(limit, view, &own_by_name(views, index)))
            .flatten()
    };
    let message = if let Some(worth) = told.or_else(found) {
        let worth = if worth < 10.0 {
            format!("{worth:.1}")
        } else {
            format!("{worth:.0}")
        };
        format!(
            "its {n_samples} samples are worth about {worth} independent ones, since each resembles those before; \
             expect many chance edges"
        )
    } else if n_samples < FEW_SAMPLES {
        format!("only {n_samples} samples; expect many chance edges")
    } else {
        return None;
    };
    Some(message)
}

/// Warnings about the numbers of samples.
pub(super) fn samples(views: &Views) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let counts: Vec<usize> = views.iter().filter_map(View::n_samples).collect();
    let few = views.ask(|view| few_samples(views, view).map_or_else(Vec::new, String::into_bytes));
    let told = few
        .into_iter()
        .zip(views.iter())
        .filter(|(message, _)| !message.is_empty());
    warnings.extend(told.map(|(message, view)| {
        let message = String::from_utf8_lossy(&message).into_owned();
        Warning::new("W05", message).in_view(view.name())
    }));
    if let (Some(&fewest), Some(&most)) = (counts.iter().min(), counts.iter().max())
        && most > 3 * fewest
    {
        warnings.push(Warning::new(
            "W06",
            format!(
                "the views have between {fewest} and {most} samples; costs are means over samples by default so that \
                 this does not change a view's density, but the smaller views are noisier"
            ),
        ));
    }
    warnings
}
