//! Is `q_direct` honest? Its null tail, false discoveries and power where the graphs are known, and what it says of noise.
//!
//! ```text
//! cargo run -p congraph --example direct_study -- [SETS OF EACH KIND] [FIRST SEED] [SETS OF NOISE] [WORD]
//! ```
//!
//! Graphs of 50 nodes, six views, 20 blocks each, a tenth of the edges moved and a tenth of noise unless the row says
//! otherwise. A pair is null if no view has the edge; for a view, if it has not. "letter" is the test without the
//! correction for the constant signal, "s = 1" with all of it. A word leaves the rows whose name has it.

use congraph::direct::{Direct, Settings, of_views};
use congraph::simulate::{self, Filter, GraphModel, Simulation, simulate};
use congraph::{Edges, Error, Table, ViewOptions, Views, no_progress};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{ChiSquared, StandardNormal, StudentT};

const N_NODES: usize = 50;
const N_VIEWS: usize = 6;
const N_BLOCKS: usize = 20;
const ER: GraphModel = GraphModel::ErdosRenyi { probability: 0.1 };

/// What is done to simulated signals.
#[derive(Clone, Copy, PartialEq)]
enum Change {
    None,
    /// AR(1) with 0.8 within blocks.
    Slow,
    /// AR(1) with 0.8 through all samples, without blocks.
    Series,
    /// A signal that all nodes share, twice as strong as a node.
    Global,
    /// t₅ tails: every sample has a strength of its own.
    Tails,
    /// An average reference.
    Referenced,
    /// Gains of nodes, e^(0.6 z), anew in each view.
    Gains,
    /// The same, and then an average reference.
    GainsReferenced,
    /// Samples as units, no blocks.
    NoBlocks,
}

type Row = (&'static str, usize, GraphModel, Filter, f64, Change, Option<bool>);

fn scenarios() -> Vec<Row> {
    let (gauss, pinv, tikhonov) = (Filter::Gaussian, Filter::PseudoInverse, Filter::Tikhonov { t: 1.0 });
    let dense = GraphModel::ErdosRenyi { probability: 0.25 };
    vec![
        ("er p=40", 40, ER, gauss, 0.1, Change::None, None),
        ("er p=60", 60, ER, gauss, 0.1, Change::None, None),
        ("er p=100", 100, ER, gauss, 0.1, Change::None, None),
        ("er p=300", 300, ER, gauss, 0.1, Change::None, None),
        ("ar p=300", 300, ER, gauss, 0.1, Change::Slow, None),
        ("pinv p=300", 300, ER, pinv, 0.1, Change::None, None),
        (
            "ba p=100",
            100,
            GraphModel::BarabasiAlbert { growth: 2 },
            gauss,
            0.1,
            Change::None,
            None,
        ),
        ("(I+L)^-1 p=300", 300, ER, tikhonov, 0.1, Change::None, None),
        ("40 % moved p=200", 200, ER, gauss, 0.4, Change::None, None),
        ("global signal p=200", 200, ER, gauss, 0.1, Change::Global, None),
        ("t5 tails p=200", 200, ER, gauss, 0.1, Change::Tails, None),
        ("density .25 p=200", 200, dense, gauss, 0.1, Change::None, None),
        ("referenced p=200", 200, ER, gauss, 0.1, Change::Referenced, None),
        ("samples as units p=200", 200, ER, gauss, 0.1, Change::NoBlocks, None),
        ("* gains, raw p=200", 200, ER, gauss, 0.1, Change::Gains, Some(false)),
        (
            "* gains, z-scored p=200",
            200,
            ER,
            gauss,
            0.1,
            Change::Gains,
            Some(true),
        ),
        ("* gains, as judged p=200", 200, ER, gauss, 0.1, Change::Gains, None),
        (
            "* gains, then referenced p=200",
            200,
            ER,
            gauss,
            0.1,
            Change::GainsReferenced,
            None,
        ),
        ("series p=150", 150, ER, gauss, 0.1, Change::Series, None),
        ("series p=300", 300, ER, gauss, 0.1, Change::Series, None),
        ("series p=1000", 1000, ER, gauss, 0.1, Change::Series, None),
    ]
}

fn labels(n_samples: usize, n_blocks: usize) -> Option<Vec<String>> {
    Some(
        (0..n_samples)
            .map(|sample| format!("b{}", sample * n_blocks / n_samples))
            .collect(),
    )
}

fn change(table: &mut Table, change: Change, rng: &mut ChaCha8Rng) {
    let (n, p) = (table.n_columns, table.n_rows);
    table.blocks = labels(p, N_BLOCKS).filter(|_| !matches!(change, Change::NoBlocks | Change::Series));
    let strength = (table.values.iter().map(|x| x * x).sum::<f64>() / table.values.len() as f64).sqrt();
    let gains: Vec<f64> = (0..n)
        .map(|_| (0.6 * rng.sample::<f64, _>(StandardNormal)).exp())
        .collect();
    let chi = ChiSquared::new(5.0).ok();
    for row in table.values.chunks_mut(n) {
        match change {
            Change::Global => {
                let common = 2.0 * strength * rng.sample::<f64, _>(StandardNormal);
                row.iter_mut().for_each(|x| *x += common);
            }
            Change::Tails => {
                let factor = chi.map_or(1.0, |chi: ChiSquared<f64>| (5.0 / rng.sample(chi)).sqrt());
                row.iter_mut().for_each(|x| *x *= factor);
            }
            Change::Referenced => {
                let mean = row.iter().sum::<f64>() / n as f64;
                row.iter_mut().for_each(|x| *x -= mean);
            }
            Change::Gains => row.iter_mut().zip(&gains).for_each(|(x, gain)| *x *= gain),
            Change::GainsReferenced => {
                row.iter_mut().zip(&gains).for_each(|(x, gain)| *x *= gain);
                let mean = row.iter().sum::<f64>() / n as f64;
                row.iter_mut().for_each(|x| *x -= mean);
            }
            _ => {}
        }
    }
    if matches!(change, Change::Slow | Change::Series) {
        for sample in 1..p {
            let is_first = change == Change::Slow && sample * N_BLOCKS / p != (sample - 1) * N_BLOCKS / p;
            if !is_first {
                for k in sample * n..(sample + 1) * n {
                    table.values[k] = 0.8 * table.values[k - n] + 0.6 * table.values[k];
                }
            }
        }
    }
}

/// Sums over data sets.
#[derive(Default)]
struct Sums(Vec<(f64, f64)>);

impl Sums {
    fn add(&mut self, place: usize, value: Option<f64>) {
        self.0.resize(self.0.len().max(place + 1), (0.0, 0.0));
        if let Some(value) = value {
            self.0[place].0 += value;
            self.0[place].1 += 1.0;
        }
    }

    fn told(&self, place: usize) -> String {
        match self.0.get(place) {
            Some((sum, count)) if *count > 0.0 => format!("{:.3}", sum / count),
            _ => "–".into(),
        }
    }
}

/// The share of false ones among the found, and of the found among the wanted.
fn judged(q: &[f64], level: f64, is_false: impl Fn(usize) -> bool, is_wanted: impl Fn(usize) -> bool) -> (f64, f64) {
    let found: Vec<usize> = (0..q.len()).filter(|&pair| q[pair] <= level).collect();
    let n_false = found.iter().filter(|&&pair| is_false(pair)).count() as f64;
    let n_wanted = (0..q.len()).filter(|&pair| is_wanted(pair)).count().max(1) as f64;
    let n_met = found.iter().filter(|&&pair| is_wanted(pair)).count() as f64;
    (n_false / found.len().max(1) as f64, n_met / n_wanted)
}

fn add(sums: &mut Sums, direct: &Direct, simulation: &Simulation) {
    let truth = &simulation.truth;
    let pairs = Edges::complete(N_NODES);
    let mut has = vec![[false; N_VIEWS + 1]; pairs.pairs().len()];
    for (place, pair) in truth.pairs().iter().enumerate() {
        let k = congraph::complete_index(N_NODES, pair[0] as usize, pair[1] as usize);
        truth
            .weights()
            .row(place)
            .iter()
            .enumerate()
            .for_each(|(view, w)| has[k][view] = *w > 0.0);
        has[k][N_VIEWS] = truth.consensus().is_some_and(|consensus| consensus[place] > 0.0);
    }
    let n_with = |pair: usize| has[pair][..N_VIEWS].iter().filter(|has| **has).count();
    let wanted = |pair: usize| has[pair][N_VIEWS];
    if let Some(pooled) = &direct.pooled {
        let null: Vec<usize> = (0..has.len()).filter(|&pair| n_with(pair) == 0).collect();
        let tail =
            |level: f64| null.iter().filter(|&&k| pooled.p_direct[k] <= level).count() as f64 / null.len() as f64;
        sums.add(0, Some(tail(0.05)));
        sums.add(1, Some(tail(0.01)));
        let (fdp, power) = judged(&pooled.q_direct, 0.10, |pair| n_with(pair) == 0, wanted);
        sums.add(2, Some(fdp));
        sums.add(3, Some(power));
        let (fdp, power) = judged(&pooled.q_direct, 0.05, |pair| n_with(pair) == 0, wanted);
        sums.add(4, Some(fdp));
        sums.add(5, Some(power));
        sums.add(6, Some(pooled.constant_share));
    }
    if let Some(q) = &direct.q_most {
        let (fdp, power) = judged(q, 0.10, |pair| 2 * n_with(pair) <= N_VIEWS, wanted);
        sums.add(7, Some(fdp));
        sums.add(8, Some(power));
    }
    for (view, of_view) in direct.views.iter().enumerate() {
        if let Some(q) = &of_view.q_view {
            let (fdp, power) = judged(q, 0.10, |pair| !has[pair][view], |pair| has[pair][view]);
            sums.add(9, Some(fdp));
            sums.add(10, Some(power));
        }
        if let Some(q) = &of_view.q_difference {
            let others = |pair: usize| n_with(pair) - usize::from(has[pair][view]);
            let differs = |pair: usize| has[pair][view] != (2 * others(pair) >= N_VIEWS);
            let (fdp, power) = judged(q, 0.10, |pair| !differs(pair), differs);
            sums.add(12, Some(fdp));
            sums.add(13, Some(power));
        }
    }
    if let Some(counts) = &direct.n_views_at_least {
        let high = (0..has.len())
            .filter(|&pair| counts[pair] as usize > n_with(pair))
            .count();
        sums.add(11, Some(high as f64 / has.len() as f64));
    }
}

/// Whether a row's name has the word that was given.
fn is_asked(name: &str) -> bool {
    std::env::args().nth(4).is_none_or(|word| name.contains(&word))
}

fn known(sets: u64, first: u64) -> Result<(), Error> {
    println!(
        "| scenario | null P(t) 0.05 / 0.01 | letter 0.05 | BH 0.10: FDP / power | BH 0.05: FDP / power | share s | `q_most`: FDP / power | `q_view`: FDP / power | `n_views_at_least` too high | `q_difference`: FDP / power |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (name, p, graph, filter, shuffled, how, zscore) in scenarios() {
        if !is_asked(name) {
            continue;
        }
        let (mut sums, mut letter) = (Sums::default(), Sums::default());
        for seed in first..first + sets {
            let settings = simulate::Settings {
                n_nodes: N_NODES,
                n_views: N_VIEWS,
                n_signals: vec![p],
                graph,
                filter,
                shuffled,
                seed,
                ..Default::default()
            };
            let mut simulation = simulate(&settings)?;
            let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0xD1_2EC7);
            let mut tables = std::mem::take(&mut simulation.tables);
            tables.iter_mut().for_each(|table| change(table, how, &mut rng));
            let (views, _) = Views::assemble(tables, &ViewOptions::default())?;
            for (share, sums) in [(None, &mut sums), (Some(0.0), &mut letter)] {
                let settings = Settings {
                    zscore,
                    constant_share: share,
                    ..Settings::default()
                };
                if let Some(direct) = of_views(&views, &settings, &no_progress)? {
                    add(sums, &direct, &simulation);
                }
            }
        }
        let [
            tail,
            rare,
            fdp,
            power,
            fdp5,
            power5,
            share,
            most,
            most_power,
            view,
            view_power,
            high,
            differs,
            differs_power,
        ] = std::array::from_fn(|k| sums.told(k));
        println!(
            "| {name} | {tail} / {rare} | {} | {fdp} / {power} | {fdp5} / {power5} | {share} | {most} / {most_power} | {view} / {view_power} | {high} | {differs} / {differs_power} |",
            letter.told(0)
        );
    }
    Ok(())
}

/// Unrelated signals in blocks, of sizes that are drawn.
fn noise(kind: &str, seed: u64) -> Vec<Table> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (n, n_views, n_blocks) = (
        rng.random_range(15..60),
        rng.random_range(2..7),
        rng.random_range(10..26),
    );
    let length: usize = if kind.contains("many") {
        rng.random_range(50..100)
    } else {
        rng.random_range(3..20)
    };
    let tails = StudentT::new(3.0).ok();
    let gains: Vec<f64> = (0..n)
        .map(|_| (0.5 * rng.sample::<f64, _>(StandardNormal)).exp())
        .collect();
    let mut table = |view: usize| {
        let mut gains = gains.clone();
        if kind.contains("of each view") {
            let mut own = ChaCha8Rng::seed_from_u64(seed ^ (0x6A15 + view as u64));
            gains.fill_with(|| own.random_range(0.5..3.0));
        }
        let mut values = Vec::with_capacity(n * n_blocks * length);
        for _ in 0..n_blocks {
            let mut state: Vec<f64> = (0..n).map(|_| rng.sample(StandardNormal)).collect();
            for _ in 0..length {
                for x in &mut state {
                    let fresh: f64 = match (kind, tails) {
                        ("heavy-tailed", Some(tails)) => rng.sample(tails),
                        _ => rng.sample(StandardNormal),
                    };
                    *x = if kind == "AR(.8) within blocks" {
                        0.8 * *x + 0.6 * fresh
                    } else {
                        fresh
                    };
                }
                let mean = if kind.contains("referenced") {
                    state.iter().sum::<f64>() / n as f64
                } else {
                    0.0
                };
                let gain = |a: usize| if kind.contains("unequal") { gains[a] } else { 1.0 };
                let mut sample: Vec<f64> = state.iter().enumerate().map(|(a, x)| (x - mean) * gain(a)).collect();
                if kind.contains("to their mean") {
                    let mean = sample.iter().sum::<f64>() / n as f64;
                    sample.iter_mut().for_each(|x| *x -= mean);
                }
                values.extend(sample);
            }
        }
        Table {
            blocks: labels(n_blocks * length, n_blocks),
            ..Table::new(format!("view{view}"), n, values)
        }
    };
    (0..n_views).map(&mut table).collect()
}

fn main() -> Result<(), Error> {
    let argument = |k: usize, usual: u64| {
        std::env::args()
            .nth(k)
            .and_then(|text| text.parse().ok())
            .unwrap_or(usual)
    };
    let (sets, first, noisy) = (argument(1, 20), argument(2, 15_000_001), argument(3, 200));
    if sets > 0 {
        known(sets, first)?;
    }
    println!(
        "\n| noise | sets without a supported pair | letter | s = 1 | `q_view`: views without | share s | not judged |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let kinds = [
        "white",
        "heavy-tailed",
        "AR(.8) within blocks",
        "white, many samples",
        "referenced, many samples",
        "unequal, many samples",
        "unequal, to their mean, many samples",
        "unequal, of each view, many samples",
        "unequal, of each view, to their mean, many samples",
    ];
    for kind in kinds.into_iter().filter(|kind| is_asked(kind)) {
        let (mut quiet, mut fixed, mut quiet_views, mut n_views) = (0, [0, 0], 0, 0);
        let (mut judged, mut absent, mut shares) = (0, 0, 0.0);
        for seed in first.. {
            if judged == noisy {
                break;
            }
            let (views, _) = Views::assemble(noise(kind, seed), &ViewOptions::default())?;
            let Some(direct) = of_views(&views, &Settings::default(), &no_progress)? else {
                continue;
            };
            let Some(pooled) = &direct.pooled else {
                absent += 1;
                continue;
            };
            judged += 1;
            shares += pooled.constant_share;
            quiet += u64::from(direct.supported().is_empty());
            for q in direct.views.iter().filter_map(|view| view.q_view.as_ref()) {
                n_views += 1;
                quiet_views += u64::from(q.iter().all(|q| q.is_nan() || *q > 0.05));
            }
            for (share, quiet) in [0.0, 1.0].into_iter().zip(&mut fixed) {
                let plain = Settings {
                    constant_share: Some(share),
                    ..Settings::default()
                };
                let plain = of_views(&views, &plain, &no_progress)?;
                *quiet += u64::from(plain.is_some_and(|direct| direct.supported().is_empty()));
            }
        }
        let share = shares / judged.max(1) as f64;
        let [letter, all] = fixed;
        println!(
            "| {kind} | {quiet} of {judged} | {letter} | {all} | {quiet_views} of {n_views} | {share:.2} | {absent} |"
        );
    }
    Ok(())
}
