//! Groups whose views have more samples than others: graphs from fewer samples are other graphs, whatever the group.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::edges::ViewMatrix;
use crate::error::{Code, DataError, Error, Warning};
use crate::fit::Learn;
use crate::graph::MultiviewGraph;
use crate::options::option;
use crate::progress::Watch;
use crate::views::{Kind, View, Views};

/// Medians of samples per view may differ by this factor between groups.
pub const SAMPLES_RATIO: f64 = 1.1;

/// How often samples in which a node does not vary are drawn anew.
const TRIES: usize = 100;

/// Checks that labels do not explain the number of samples: the medians of samples per view of any two groups differ by
/// no more than [`SAMPLES_RATIO`]. Views whose samples are not known are left out.
///
/// # Errors
/// E16 with the groups that differ most.
pub fn check_samples(samples: &[Option<usize>], labels: &[String]) -> Result<(), Error> {
    let mut groups: Vec<&String> = labels.iter().collect();
    groups.sort_unstable();
    groups.dedup();
    let median = |group: &String| {
        let own = samples.iter().zip(labels).filter(|(_, label)| *label == group);
        let mut own: Vec<usize> = own.filter_map(|(n, _)| *n).collect();
        own.sort_unstable();
        let (low, high) = (own.get(own.len().wrapping_sub(1) / 2)?, own.get(own.len() / 2)?);
        Some((*low + *high) as f64 / 2.0)
    };
    let known = groups.iter().filter_map(|group| Some((*group, median(group)?)));
    let medians: Vec<(&String, f64)> = known.collect();
    let by_median = |one: &&(&String, f64), two: &&(&String, f64)| one.1.total_cmp(&two.1);
    let (Some((fewer, low)), Some((more, high))) = (medians.iter().min_by(by_median), medians.iter().max_by(by_median))
    else {
        return Ok(());
    };
    if high / low <= SAMPLES_RATIO {
        return Ok(());
    }
    Err(DataError::new(
        Code::E16,
        format!("views of `{more}` have {high} samples (median), those of `{fewer}` {low}"),
        "graphs from fewer samples look different in any group, so that a difference between groups would be found \
         without one",
        format!(
            "{} draws equally many for every view, and the graphs are learned again",
            option("equalise").set_to("auto")
        ),
    )
    .into())
}

/// The same views with `n_samples` samples each, drawn once without replacement: blocks whole where there are blocks, as
/// many as fit. What is drawn is the same for any order of the views.
///
/// One draw only: a mean over the weights of several draws is denser where draws differ, which groups with more samples do
/// less.
///
/// # Errors
/// E05 for precomputed matrices, for a view with fewer samples than that or whose blocks are all longer, and if a node
/// does not vary in what is drawn.
///
/// ```
/// use congraph::compare::equalise;
/// use congraph::simulate::{Settings, simulate};
/// use congraph::{ViewOptions, Views};
///
/// let settings = Settings { n_nodes: 10, n_views: 2, n_signals: vec![50, 120], ..Settings::default() };
/// let (views, _) = Views::assemble(simulate(&settings)?.tables, &ViewOptions::default())?;
/// let equal = equalise(&views, 50, 1)?;
/// assert!(equal.iter().all(|view| view.n_samples() == Some(50)));
/// # Ok::<(), congraph::Error>(())
/// ```
pub fn equalise(views: &Views, n_samples: usize, seed: u64) -> Result<Views, Error> {
    let mut drawn = Vec::with_capacity(views.n_views());
    for (index, view) in views.iter().enumerate() {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let rank = views.iter().filter(|other| other.name() < view.name()).count();
        rng.set_stream(rank as u64);
        drawn.push(draw(views, index, n_samples, &mut rng)?);
    }
    Ok(views.with_samples(&drawn))
}

/// Graphs that were learned again, from equally many samples of every view.
#[derive(Clone, Debug)]
pub struct Equalised {
    /// The graphs, with nodes and views in the order of those that they are compared instead of.
    pub graph: MultiviewGraph,
    /// How many samples every view was given.
    pub n_samples: usize,
    /// What the fit warned of.
    pub warnings: Vec<Warning>,
}

/// Learns the graphs of one draw of equally many samples of every view, as many as the shortest has. `labels` are in the
/// order of the views of `graph`, whose place these graphs take.
///
/// # Errors
/// As [`equalise`], E16 if blocks that are drawn whole leave groups that differ, and what the method refuses.
pub fn learn_equalised<M: Learn>(
    method: &M,
    views: &Views,
    graph: &MultiviewGraph,
    labels: &[String],
    seed: u64,
    watch: Watch<'_>,
) -> Result<Equalised, Error> {
    let n_samples = views.iter().filter_map(View::n_samples).min().unwrap_or(0);
    let drawn = equalise(views, n_samples, seed)?;
    let n_drawn: Vec<Option<usize>> = drawn.iter().map(View::n_samples).collect();
    let place = |view: &View| graph.views().iter().position(|name| name == view.name());
    let in_order: Vec<String> = drawn
        .iter()
        .map(|view| place(view).map_or_else(String::new, |at| labels[at].clone()))
        .collect();
    check_samples(&n_drawn, &in_order)?;
    let learned = method.learn(&drawn, watch)?;
    Ok(Equalised {
        graph: like(graph, &learned.graph),
        n_samples,
        warnings: learned.warnings,
    })
}

/// Graphs with nodes and views in the order of others.
fn like(order: &MultiviewGraph, graph: &MultiviewGraph) -> MultiviewGraph {
    let place = |names: &[String], name: &String| names.iter().position(|other| other == name).unwrap_or(0);
    let views: Vec<usize> = order.views().iter().map(|name| place(graph.views(), name)).collect();
    let nodes: Vec<u32> = graph
        .nodes()
        .iter()
        .map(|name| place(order.nodes(), name) as u32)
        .collect();
    let moved = |pair: &[u32; 2]| {
        let mut pair = pair.map(|node| nodes[node as usize]);
        pair.sort_unstable();
        pair
    };
    let pairs: Vec<[u32; 2]> = graph.pairs().iter().map(moved).collect();
    let values = graph
        .weights()
        .rows()
        .flat_map(|row| views.iter().map(|&view| row[view]))
        .collect();
    let weights = ViewMatrix::from_values(views.len(), values);
    let names = (order.nodes().to_vec(), order.views().to_vec());
    MultiviewGraph::new(names.0, names.1, &pairs, &weights, graph.consensus())
        .with_membership(order.membership().clone())
}

fn draw(views: &Views, index: usize, n_samples: usize, rng: &mut ChaCha8Rng) -> Result<Vec<usize>, Error> {
    let view = views.view(index);
    let why = "every view is given the same number of samples";
    let refused =
        |what: String, hint: &str| Err(DataError::new(Code::E05, what, why, hint).in_view(view.name()).into());
    if views.kind() != Kind::Signals {
        return refused(
            format!("{} have no samples to draw", views.matrices()),
            &views.for_samples(),
        );
    }
    let mut units = units(view);
    for _ in 0..TRIES {
        units.shuffle(rng);
        let mut samples = Vec::with_capacity(n_samples);
        for unit in &units {
            if samples.len() + unit.len() <= n_samples {
                samples.extend(unit);
            }
        }
        if samples.len() < 2 {
            let what = format!("no block of view `{}` has {n_samples} samples or fewer", view.name());
            return refused(
                what,
                "leave out the view with the fewest samples, or learn with shorter blocks",
            );
        }
        samples.sort_unstable();
        if (0..views.n_nodes()).all(|node| !views.has(index, node) || varies(view.node(node), &samples)) {
            return Ok(samples);
        }
    }
    let what = format!(
        "a node of view `{}` does not vary in {n_samples} of its samples",
        view.name()
    );
    refused(what, "leave that node, or the view with the fewest samples, out")
}

fn varies(signal: &[f64], samples: &[usize]) -> bool {
    samples.iter().any(|&sample| signal[sample] != signal[samples[0]])
}

/// The samples that stay together: a block's, or each on its own.
fn units(view: &View) -> Vec<Vec<usize>> {
    let n_samples = view.node(0).len();
    let Some(blocks) = view.blocks() else {
        return (0..n_samples).map(|sample| vec![sample]).collect();
    };
    let mut order: Vec<usize> = (0..n_samples).collect();
    order.sort_by_key(|&sample| &blocks[sample]);
    let same = |one: &usize, two: &usize| blocks[*one] == blocks[*two];
    order.chunk_by(same).map(<[usize]>::to_vec).collect()
}
