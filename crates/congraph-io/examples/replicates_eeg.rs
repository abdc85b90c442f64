//! Does `replicates` keep its word on recordings? What is said of one run of every subject is looked for in the next.
//!
//! ```text
//! cargo run --release -p congraph-io --example replicates_eeg -- epochs.npz [TRIALS [LOW HIGH]]
//! ```
//!
//! Epochs of several subjects (`data_uV`, subjects × trials × channels × samples) are band-passed (4–7 Hz), cut to 0–0.5 s
//! and referenced to the average. The graphs of all subjects are learned together from the first `TRIALS` trials of each
//! (15: the first run), at the usual density and similarity; trials are halved. `back` is the share of edges that a fit with
//! the same α and β to the next `TRIALS` trials has. Edges are all that any half had.

mod epochs;

use congraph::stability::Stability;
use congraph::{Error, Learn, MultiviewGraph, Smooth, Table, Targets, ViewMatrix, ViewOptions, Views, no_progress};
use congraph_eeg::Epochs;

use epochs::prepared;

const BINS: [f64; 7] = [0.0, 0.2, 0.5, 0.8, 0.9, 0.98, 1.01];
/// A bin with fewer edges says nothing.
const FEWEST: usize = 100;

fn views(subjects: &[(String, Epochs)], trials: &std::ops::Range<usize>) -> Result<Views, Error> {
    let table =
        |(name, epochs): &(String, Epochs)| -> Table { epochs.retain(|trial| trials.contains(&trial)).stack(name) };
    Ok(Views::assemble(subjects.iter().map(table).collect(), &ViewOptions::default())?.0)
}

/// What was said of edges in each bin: how many there are, the sum of what was said, and how many came back.
fn told(judged: &[(f64, bool)]) -> String {
    let mut bins = vec![(0, 0.0, 0); BINS.len() - 1];
    for &(said, back) in judged {
        let bin = BINS.iter().rposition(|&from| said >= from).unwrap_or(0);
        let (n, sum, n_back) = &mut bins[bin.min(BINS.len() - 2)];
        *n += 1;
        *sum += said;
        *n_back += usize::from(back);
    }
    let cell = |&(n, sum, back): &(usize, f64, usize)| {
        let (said, back) = (sum / n as f64, back as f64 / n as f64);
        format!(
            "{:>20}",
            if n < FEWEST {
                format!("({n})")
            } else {
                format!("{said:.2} → {back:.2} ({n})")
            }
        )
    };
    bins.iter().map(cell).collect()
}

/// A graph that lists all pairs, so that something is said of each.
fn all_pairs(views: &Views) -> MultiviewGraph {
    let n = views.n_nodes() as u32;
    let pairs: Vec<[u32; 2]> = (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b])).collect();
    let weights = ViewMatrix::from_values(views.n_views(), vec![1.0; pairs.len() * views.n_views()]);
    let consensus = vec![1.0; pairs.len()];
    MultiviewGraph::new(
        views.nodes().to_vec(),
        views.names(),
        &pairs,
        &weights,
        Some(&consensus),
    )
}

fn main() -> Result<(), Error> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some(path) = words.first() else {
        println!("give the path of an .npz with epochs");
        return Ok(());
    };
    let number = |at: usize, usual: f64| words.get(at).and_then(|word| word.parse().ok()).unwrap_or(usual);
    let trials = number(1, 15.0) as usize;
    let subjects = prepared(path, [number(2, 4.0), number(3, 7.0)])?;
    let (first, next) = (
        views(&subjects, &(0..trials))?,
        views(&subjects, &(trials..2 * trials))?,
    );
    let fit = Smooth::default().learn_to(&first, &Targets::default(), &no_progress)?;
    let method = fit.method;
    let halvings = Stability::default().of(&method, &first, &no_progress)?;
    let tallies = halvings.run_all(&no_progress)?;
    let everything = all_pairs(&first);
    let found = halvings.found(&tallies, &everything);
    let back = method.learn(&next, &no_progress)?.graph;
    let (n, n_views) = (first.n_nodes(), first.n_views());
    println!(
        "{n_views} subjects, {n} nodes, {trials} trials and the next {trials}; consensus of {} edges",
        halvings
            .graph()
            .consensus()
            .map_or(0, |all| all.iter().filter(|weight| **weight > 0.0).count())
    );
    let graphs: Vec<Vec<f64>> = (0..n_views).map(|view| back.adjacency(view)).collect();
    let consensus = back.consensus_adjacency().unwrap_or_default();
    let mut judged = [[Vec::new(), Vec::new()], [Vec::new(), Vec::new()]];
    for (k, &[a, b]) in everything.pairs().iter().enumerate() {
        let at = a as usize * n + b as usize;
        let own = found
            .views
            .iter()
            .flat_map(|all| (0..n_views).map(move |view| (1, &all[k * n_views + view], view)));
        let shared = found.consensus.iter().map(|all| (0, &all[k], 0));
        for (which, figures, view) in shared.chain(own) {
            let came_back = if which == 0 { consensus[at] } else { graphs[view][at] } > 0.0;
            if figures.frequency > 0.0 {
                judged[which][0].push((figures.frequency, came_back));
                judged[which][1].extend(figures.replicates.map(|said| (said, came_back)));
            }
        }
    }
    println!("bins of what is said: {BINS:?}");
    for (what, judged) in ["consensus", "views"].iter().zip(&judged) {
        for (name, judged) in ["frequency", "replicates"].iter().zip(judged) {
            println!("{what:10} {name:11}{}", told(judged));
        }
    }
    Ok(())
}
