//! Tables that may be the other way round: nodes where samples are expected.
//!
//! Views have the same nodes and may have any number of samples. So tables that agree in their number of rows alone
//! look transposed, but a view that lacks a channel gives the same picture. What tells the two apart:
//!
//! ```text
//! names       the rows of all tables have the same names                        transposed, whatever the shapes
//! shapes      fewer rows than columns everywhere; many rows only if the number
//!             of columns varies from table to table, as lengths of recordings do  transposed
//! otherwise   the views have different nodes: E02 says which has how many
//! ```
//!
//! Where the shapes agree nothing can be refused, but two things deserve a warning (W16): fewer samples than nodes
//! where nodes are in the thousands, and nodes that follow each other as smoothly as points in time do, as in an array
//! of trials × channels × times.

use std::collections::{HashMap, HashSet};

use super::matching::folded;
use super::{Kind, Missing, Orient, Table, View, ViewOptions, Views, fault};
use crate::error::{Code, DataError, Warning};
use crate::options::{option, step};

/// So many rows are more often samples than nodes.
const MANY_ROWS: usize = 100;
/// So many nodes that fewer samples than nodes are noticed.
const MANY_NODES: usize = 1000;
/// How much nodes next to each other resemble each other where they look like points in time: with fewer
/// samples than nodes, and without that.
const SMOOTH: [f64; 2] = [0.3, 0.5];
/// How much more than samples next to each other do, in the same two cases.
const SMOOTHER: [f64; 2] = [0.0, 0.25];
/// The fewest nodes, and the most views, by which that is judged.
const ENOUGH_NODES: usize = 8;
const ENOUGH_VIEWS: usize = 8;

/// Tables that only make sense the other way round.
pub(super) fn looks_transposed<Values: AsRef<[f64]>>(
    tables: &[Table<Values>],
    options: &ViewOptions,
) -> Option<DataError> {
    if tables.len() < 2 || options.kind != Kind::Signals {
        return None;
    }
    let orient = options.orient;
    let (first, n_first) = (&tables[0], tables[0].n_nodes(orient));
    let across = |table: &Table<Values>| table.n_rows + table.n_columns - table.n_nodes(orient);
    let other = tables.iter().find(|table| table.n_nodes(orient) != n_first)?;
    if tables.iter().any(|table| across(table) != across(first)) {
        return None;
    }
    if let (Some(ours), Some(theirs)) = (first.node_names(orient), other.node_names(orient)) {
        let ours: HashSet<String> = ours.iter().map(|name| folded(name)).collect();
        if theirs.iter().any(|name| ours.contains(&folded(name))) {
            return None;
        }
    }
    if options.missing == Missing::Mask && share_names(tables, orient) {
        return None;
    }
    if !(have_the_same_across(tables, orient) || shapes_tell(tables, orient)) {
        return None;
    }
    let (turned, nodes, samples) = match orient {
        Orient::SamplesByNodes => ("nodes-by-samples", "rows", "columns"),
        Orient::NodesBySamples => ("samples-by-nodes", "columns", "rows"),
    };
    Some(fault(
        Code::E08,
        &other.name,
        format!(
            "view `{}` is {} rows × {} columns and view `{}` is {} × {}: the tables look transposed",
            first.name, first.n_rows, first.n_columns, other.name, other.n_rows, other.n_columns
        ),
        "the number of nodes must agree, and here it is the number of samples that does; nothing is transposed \
         silently",
        format!(
            "{} if {nodes} are nodes and {samples} are samples; if not, give every view the same nodes, by name",
            option("orient").set_to(turned).added()
        ),
    ))
}

/// Whether equal numbers of rows and different numbers of columns are better explained by nodes in rows.
fn shapes_tell<Values: AsRef<[f64]>>(tables: &[Table<Values>], orient: Orient) -> bool {
    let n_across = tables[0].n_rows + tables[0].n_columns - tables[0].n_nodes(orient);
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for table in tables {
        *counts.entry(table.n_nodes(orient)).or_default() += 1;
    }
    let fewest_nodes = counts.keys().min().copied().unwrap_or_default();
    let commonest = counts.values().max().copied().unwrap_or_default();
    n_across < fewest_nodes && (n_across < MANY_ROWS || 2 * commonest <= tables.len())
}

/// Whether what is across the nodes has the same names in all tables, and not just numbers.
fn have_the_same_across<Values: AsRef<[f64]>>(tables: &[Table<Values>], orient: Orient) -> bool {
    let across = |table: &Table<Values>| -> Option<HashSet<String>> {
        let names = match orient {
            Orient::SamplesByNodes => table.row_names.as_deref(),
            Orient::NodesBySamples => table.column_names.as_deref(),
        }?;
        Some(names.iter().cloned().collect())
    };
    let Some(first) = across(&tables[0]).filter(|names| !names.iter().all(|name| is_number(name))) else {
        return false;
    };
    tables.iter().all(|table| across(table).as_ref() == Some(&first))
}

/// Whether every table has a node in common with another, as views that may lack nodes should.
fn share_names<Values: AsRef<[f64]>>(tables: &[Table<Values>], orient: Orient) -> bool {
    let names: Vec<&[String]> = tables
        .iter()
        .map(|table| table.node_names(orient).unwrap_or_default())
        .collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for name in names.iter().copied().flatten() {
        *counts.entry(name).or_default() += 1;
    }
    let is_shared = |name: &String| counts[name.as_str()] > 1;
    names.iter().all(|names| names.iter().any(is_shared))
}

fn is_number(name: &str) -> bool {
    name.trim().parse::<f64>().is_ok()
}

/// A warning for views that agree in their shapes but look transposed.
pub(super) fn warning(views: &Views, options: &ViewOptions) -> Option<Warning> {
    if views.kind() != Kind::Signals || options.projected {
        return None;
    }
    let most = views.iter().filter_map(View::n_samples).max()?;
    let few = most < views.n_nodes();
    let orient = option("orient").set_to("nodes-by-samples");
    let (turn, nodes, samples) = match options.orient {
        Orient::SamplesByNodes => (orient.added().to_string(), "columns", "rows"),
        Orient::NodesBySamples => (format!("leave out {orient}"), "rows", "columns"),
    };
    if let Some([along, across]) = smoothness(views, few) {
        let trials = if views.n_views() > 1 {
            format!(
                ". An array of trials × channels × times is read as one view per trial; to learn one graph of all \
                 trials, {}",
                step("join_trials", "join them in time")
            )
        } else {
            String::new()
        };
        return Some(Warning::new(
            "W16",
            format!(
                "the {nodes} are taken for nodes, and follow each other like points in time: neighbouring {nodes} \
                 correlate {along:.2}, neighbouring {samples} {across:.2}. If {samples} are the nodes, {turn}{trials}"
            ),
        ));
    }
    (few && views.n_nodes() >= MANY_NODES).then(|| {
        Warning::new(
            "W16",
            format!(
                "every view has fewer samples (at most {most}) than nodes ({}), as tables have that are the other way \
                 round. If {samples} are the nodes, {turn}; if not, expect many chance edges",
                views.n_nodes()
            ),
        )
    })
}

/// How much nodes next to each other resemble each other, and samples; where nodes have no names of their own and look
/// like points in time.
fn smoothness(views: &Views, few_samples: bool) -> Option<[f64; 2]> {
    if views.n_nodes() < ENOUGH_NODES || !views.nodes().iter().all(|name| is_number(name)) {
        return None;
    }
    let mut order: Vec<usize> = (0..views.n_views()).collect();
    order.sort_by_key(|&view| views.view(view).name());
    order.truncate(ENOUGH_VIEWS);
    let found = views.ask_of(&order, |view| {
        let own: Vec<usize> = (0..views.n_nodes()).filter(|&node| views.has(view, node)).collect();
        let standard: Vec<Vec<f64>> = own
            .iter()
            .map(|&node| standardised(views.view(view).node(node)))
            .collect();
        let n_samples = standard.first().map_or(0, Vec::len);
        if own.len() < ENOUGH_NODES || n_samples < 3 {
            return Vec::new();
        }
        let [along, across] = neighbours(standard);
        vec![along, across, (own.len() * (n_samples - 1)) as f64]
    });
    let (mut sums, mut n_values) = ([0.0; 2], 0.0);
    for found in &found {
        let &[along, across, n_own] = &found[..] else {
            return None;
        };
        let both = sums.iter_mut().zip([along, across]);
        both.for_each(|(sum, one)| *sum += one / order.len() as f64);
        n_values += n_own;
    }
    let [along, across] = sums;
    let case = usize::from(!few_samples);
    let chance = 4.0 / n_values.sqrt();
    (along > SMOOTH[case] + chance && along > across + SMOOTHER[case]).then_some(sums)
}

/// A signal with mean 0 and a mean square of 1, or 0 throughout.
fn standardised(signal: &[f64]) -> Vec<f64> {
    let n = signal.len() as f64;
    let largest = signal.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    // Squares of what is very large or very small are no numbers.
    let unit = if largest > 0.0 { largest.recip() } else { 0.0 };
    let mean = signal.iter().map(|x| x * unit).sum::<f64>() / n;
    let square = signal.iter().map(|x| (x * unit - mean).powi(2)).sum::<f64>() / n;
    let scale = if square > 0.0 { square.sqrt().recip() } else { 0.0 };
    signal.iter().map(|x| (x * unit - mean) * scale).collect()
}

/// How much neighbours resemble each other, nodes and samples, in what is left of standardised signals without what all
/// nodes have in common.
fn neighbours(mut signals: Vec<Vec<f64>>) -> [f64; 2] {
    let (n, n_samples) = (signals.len() as f64, signals[0].len() as f64);
    let mut common = vec![0.0; signals[0].len()];
    for signal in &signals {
        common.iter_mut().zip(signal).for_each(|(sum, x)| *sum += x / n);
    }
    for signal in &mut signals {
        signal.iter_mut().zip(&common).for_each(|(x, mean)| *x -= mean);
    }
    let square: f64 = signals.iter().flatten().map(|x| x * x).sum();
    if square <= 1e-9 * n * n_samples {
        return [0.0; 2];
    }
    let product = |two: &[Vec<f64>]| two[0].iter().zip(&two[1]).map(|(x, y)| x * y).sum::<f64>();
    let along: f64 = signals.windows(2).map(product).sum();
    let succession = |signal: &Vec<f64>| signal.windows(2).map(|two| two[0] * two[1]).sum::<f64>();
    let across: f64 = signals.iter().map(succession).sum();
    [
        along / square * n / (n - 1.0),
        across / square * n_samples / (n_samples - 1.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::options::Plain;

    /// Numbers without any order in them.
    fn noise(seed: u64, n: usize) -> Vec<f64> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        let next = |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(u32::MAX) - 0.25
        };
        (0..n).map(next).collect()
    }

    fn tables(shapes: &[[usize; 2]]) -> Vec<Table> {
        let table = |(k, &[n_rows, n_columns]): (usize, &[usize; 2])| {
            Table::new(format!("v{k}"), n_columns, noise(k as u64 + 1, n_rows * n_columns))
        };
        shapes.iter().enumerate().map(table).collect()
    }

    fn refused(tables: Vec<Table>, options: &ViewOptions) -> DataError {
        match Views::assemble(tables, options) {
            Err(Error::Data(mut errors)) => errors.remove(0),
            other => panic!("{other:?}"),
        }
    }

    fn warned(tables: Vec<Table>, options: &ViewOptions) -> Option<String> {
        let (_, warnings) = Views::assemble(tables, options).unwrap();
        let mut found = warnings.into_iter().filter(|warning| warning.code == "W16");
        found.next().map(|warning| warning.spelled(&Plain).message)
    }

    #[test]
    fn a_view_that_lacks_nodes_is_not_transposed() {
        let usual = ViewOptions::default();
        for shapes in [
            vec![[200, 30], [200, 30], [200, 30], [200, 30], [200, 30], [200, 29]],
            vec![[200, 30], [200, 29]],
            vec![[1000, 64], [1000, 60], [1000, 62]],
            // Fewer rows than columns, but so many that they are samples as well as not.
            vec![[200, 300], [200, 300], [200, 300], [200, 280]],
        ] {
            let error = refused(tables(&shapes), &usual);
            assert_eq!(error.code, Code::E02, "{shapes:?}");
            assert!(
                !error.hint.contains("orient") && !error.what.contains("transposed"),
                "{error}"
            );
        }
        let error = refused(tables(&[[200, 30], [200, 29], [200, 30]]), &usual);
        assert_eq!(error.view.as_deref(), Some("v1"));
        assert!(
            error.what.contains("`v0` and `v2` have 30 nodes; `v1` has 29 nodes"),
            "{error}"
        );
    }

    #[test]
    fn tables_with_nodes_in_rows_are_told_so() {
        let usual = ViewOptions::default();
        for shapes in [
            vec![[4, 30], [4, 40]],
            vec![[30, 200], [30, 200], [30, 199]],
            vec![[200, 300], [200, 412], [200, 280]],
        ] {
            let error = refused(tables(&shapes), &usual);
            assert_eq!(error.code, Code::E08, "{shapes:?}");
            assert!(error.to_string().contains("orient = nodes-by-samples"), "{error}");
        }
        // Genes in rows, cells in columns: names tell what shapes do not.
        let mut named = tables(&[[300, 40], [300, 50]]);
        for table in &mut named {
            table.row_names = Some((0..300).map(|k| format!("gene{k}")).collect());
        }
        assert_eq!(refused(named.clone(), &usual).code, Code::E08);
        for table in &mut named {
            table.row_names = Some((0..300).map(|k| k.to_string()).collect());
        }
        assert_eq!(refused(named, &usual).code, Code::E02);
    }

    #[test]
    fn thousands_of_nodes_with_fewer_samples_are_noticed() {
        let usual = ViewOptions::default();
        let told = warned(tables(&[[30, 1200], [30, 1200]]), &usual).unwrap();
        assert!(told.contains("at most 30") && told.contains("nodes (1200)"), "{told}");
        assert_eq!(warned(tables(&[[30, 900], [30, 900]]), &usual), None);
        assert_eq!(warned(tables(&[[30, 1200], [1300, 1200]]), &usual), None);
        let turned = ViewOptions {
            orient: Orient::NodesBySamples,
            ..usual
        };
        assert_eq!(warned(tables(&[[30, 1200], [30, 1200]]), &turned), None);
        let told = warned(tables(&[[1200, 30], [1200, 30]]), &turned).unwrap();
        assert!(told.contains("leave out `orient = nodes-by-samples`"), "{told}");
    }

    /// Channels × times: each channel a moving mean of noise, with an offset and a scale of its own.
    fn recording(seed: u64, n_channels: usize, n_times: usize) -> Table {
        let mut values = Vec::new();
        for channel in 0..n_channels {
            let raw = noise(seed * 1000 + channel as u64, n_times + 7);
            let (offset, scale) = (channel as f64 * 3.0, 1.0 + channel as f64);
            values.extend(raw.windows(8).map(|some| offset + scale * some.iter().sum::<f64>()));
        }
        Table::new(format!("trial{seed}"), n_times, values)
    }

    #[test]
    fn times_for_nodes_are_noticed_and_nodes_for_times_are_not() {
        let usual = ViewOptions::default();
        let turned = ViewOptions {
            orient: Orient::NodesBySamples,
            ..usual.clone()
        };
        for (n_channels, n_times) in [(12, 80), (64, 40), (19, 500)] {
            let trials = || {
                (1..5)
                    .map(|seed| recording(seed, n_channels, n_times))
                    .collect::<Vec<_>>()
            };
            let told = warned(trials(), &usual).unwrap_or_else(|| panic!("{n_channels} × {n_times}"));
            assert!(
                told.contains("orient = nodes-by-samples") && told.contains("per trial"),
                "{told}"
            );
            assert_eq!(warned(trials(), &turned), None);
            // Names of their own say what they are.
            let named = |table: Table| {
                let names: Vec<String> = (0..table.n_columns).map(|k| format!("gene{k}")).collect();
                table.with_columns(names)
            };
            assert_eq!(warned(trials().into_iter().map(named).collect(), &usual), None);
        }
        for shapes in [[[200, 30]; 3], [[20, 60]; 3], [[4, 40]; 3]] {
            assert_eq!(warned(tables(&shapes), &usual), None);
        }
    }
}
