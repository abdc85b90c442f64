//! Are subjects told apart by their graphs? And is every fit certified, down to a single trial?
//!
//! ```text
//! cargo run --release -p congraph-io --example identification_study -- epochs.npz [REPETITIONS] [centred]
//! ```
//!
//! Epochs of several subjects (`data_uV`, subjects × trials × channels × samples) are band-passed, referenced to the
//! average and cut to 0–0.5 s. For each repetition two disjoint sets of trials of every subject are drawn; the graphs of
//! all subjects are learned from each set, and a subject of one set is looked for among those of the other by the
//! correlation of raw weights, and of their deviations from the consensus. Both directions count.
//!
//! One electrode of one subject varies more than 30 times as much as others, so that the likelihood z-scores all signals
//! and does not lift them; with the word `centred` they are centred, and lifted along the mean of all electrodes.

mod epochs;

use congraph::methods::likelihood::{Filter, Likelihood, Model};
use congraph::{Error, Learn, MultiviewGraph, Scale, Smooth, Table, Targets, ViewOptions, Views, no_progress, pearson};
use congraph_eeg::Epochs;

use epochs::prepared;

/// A small generator of its own: which trials are drawn must not depend on a library's version.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }

    /// `2k` different numbers below `n`.
    fn trials(&mut self, n: usize, k: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..n).collect();
        for at in 0..2 * k {
            let other = at + self.below(n - at);
            all.swap(at, other);
        }
        all.truncate(2 * k);
        all
    }
}

fn views(subjects: &[(String, Epochs)], trials: &[Vec<usize>]) -> Result<Views, Error> {
    let table = |((name, epochs), trials): (&(String, Epochs), &Vec<usize>)| -> Table {
        epochs.retain(|trial| trials.contains(&trial)).stack(name)
    };
    let tables = subjects.iter().zip(trials).map(table).collect();
    Ok(Views::assemble(tables, &ViewOptions::default())?.0)
}

/// The share of subjects that are found, by raw weights and by deviations from the consensus.
fn identified(one: &MultiviewGraph, other: &MultiviewGraph) -> [f64; 2] {
    let n = one.n_views();
    let rows = |graph: &MultiviewGraph, deviation: bool| -> Vec<Vec<f64>> {
        let consensus = graph.consensus_adjacency().unwrap_or_default();
        let of_view = |view: usize| {
            let mut weights = graph.adjacency(view);
            if deviation {
                weights.iter_mut().zip(&consensus).for_each(|(w, c)| *w -= c);
            }
            weights
        };
        (0..n).map(of_view).collect()
    };
    [false, true].map(|deviation| {
        let (a, b) = (rows(one, deviation), rows(other, deviation));
        let likeness = |i: usize, j: usize| pearson(a[i].iter().copied().zip(b[j].iter().copied()), a[i].len());
        let table: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| likeness(i, j)).collect()).collect();
        let best =
            |value: &dyn Fn(usize) -> f64| (0..n).fold(0, |best, j| if value(j) > value(best) { j } else { best });
        let forth = (0..n).filter(|&i| best(&|j| table[i][j]) == i).count();
        let back = (0..n).filter(|&j| best(&|i| table[i][j]) == j).count();
        (forth + back) as f64 / (2 * n) as f64
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("give the file of epochs")?;
    let repetitions: u64 = std::env::args().nth(2).and_then(|text| text.parse().ok()).unwrap_or(4);
    let is_centred = std::env::args().nth(3).is_some_and(|word| word == "centred");
    for band in [[8.0, 13.0], [4.0, 7.0]] {
        let subjects = prepared(&path, band)?;
        for k in [1, 2, 4, 8, 17] {
            let mut found = [[0.0; 2]; 3];
            let (mut worst, mut steps, mut time, mut fits) = ([0.0_f64; 2], [0; 2], [0.0; 2], 0);
            for repetition in 0..repetitions {
                let mut draw = Draw(1000 * k as u64 + repetition + 1);
                let drawn: Vec<Vec<usize>> = subjects
                    .iter()
                    .map(|(_, epochs)| draw.trials(epochs.n_trials(), k))
                    .collect();
                let halves: [Vec<Vec<usize>>; 2] =
                    [0, 1].map(|half| drawn.iter().map(|all| all[half * k..][..k].to_vec()).collect());
                let views = [views(&subjects, &halves[0])?, views(&subjects, &halves[1])?];
                for (number, filter) in [Filter::Once, Filter::Twice].into_iter().enumerate() {
                    let model = Model {
                        sparsity: congraph::methods::likelihood::Sparsity::All,
                        ..Model::attractive(filter, 1.0)
                    };
                    let mut method = Likelihood::new(model);
                    method.scale = is_centred.then_some(Scale::Center);
                    let learned = [
                        method.learn(&views[0], &no_progress)?,
                        method.learn(&views[1], &no_progress)?,
                    ];
                    for one in &learned {
                        worst[number] = worst[number].max(one.certificate.relative_gap);
                        steps[number] += one.iterations;
                        time[number] += one.solve_time.as_secs_f64();
                    }
                    let shares = identified(&learned[0].graph, &learned[1].graph);
                    found[number]
                        .iter_mut()
                        .zip(shares)
                        .for_each(|(sum, share)| *sum += share / repetitions as f64);
                }
                fits += 2;
                if k >= 4 {
                    let method = Smooth::default();
                    let learned: Result<Vec<_>, _> = views
                        .iter()
                        .map(|views| method.learn_to(views, &Targets::default(), &no_progress))
                        .collect();
                    let learned = learned?;
                    let shares = identified(&learned[0].learned.graph, &learned[1].learned.graph);
                    found[2]
                        .iter_mut()
                        .zip(shares)
                        .for_each(|(sum, share)| *sum += share / repetitions as f64);
                }
            }
            let shown = |found: [f64; 2]| format!("{:.3} | {:.3}", found[0], found[1]);
            let likelihood = |number: usize| {
                format!(
                    "{} (worst gap {:.0e}, {:.1} steps, {:.0} ms)",
                    shown(found[number]),
                    worst[number],
                    steps[number] as f64 / fits as f64,
                    1e3 * time[number] / fits as f64
                )
            };
            println!(
                "{}–{} Hz, {k:2} trials: q = 1 {}; q = 2 {}; smooth {}",
                band[0],
                band[1],
                likelihood(0),
                likelihood(1),
                shown(found[2])
            );
        }
    }
    Ok(())
}
