//! View F1 / consensus F1 of the likelihood without any oracle, on simulated data of which the truth is known.
//!
//! ```text
//! cargo run --release --example likelihood_study -- [SEEDS] [FIRST SEED] [NODES]
//! ```
//!
//! `usual` is what the best of the usual couplings gives, `here` that of those beyond them as well.

use congraph::methods::likelihood::Likelihood;
use congraph::simulate::{Filter, GraphModel, Reach, Settings, simulate};
use congraph::tune::{COUPLINGS, Chosen, Tried, Wanted};
use congraph::{Error, MultiviewGraph, ViewOptions, Views, metrics, no_progress};

fn settings(n_nodes: usize) -> Vec<(&'static str, &'static str, Settings)> {
    let base = Settings {
        n_nodes,
        ..Settings::default()
    };
    let few = |n: usize| Settings {
        n_signals: vec![n],
        ..base.clone()
    };
    let gaussian = |n: usize| Settings {
        filter: Filter::Gaussian,
        ..few(n)
    };
    let ba = |filter: Filter| Settings {
        graph: GraphModel::BarabasiAlbert { growth: 5 },
        filter,
        ..base.clone()
    };
    let geometric = |filter: Filter| Settings {
        graph: GraphModel::RandomGeometric {
            reach: Reach::MeanDegree(10.0),
        },
        weights: Some([0.5, 2.0]),
        filter,
        ..base.clone()
    };
    vec![
        ("P1-500", ".985/.996", base.clone()),
        ("P1-100", ".885/.946", few(100)),
        ("P5-500", ".905/.964", gaussian(500)),
        ("P5-100", ".634/.679", gaussian(100)),
        (
            "P1-500-n5",
            ".939/.984",
            Settings {
                noise: 0.5,
                ..base.clone()
            },
        ),
        (
            "P1-500-N3",
            ".985/.976",
            Settings {
                n_views: 3,
                ..base.clone()
            },
        ),
        (
            "P1-500-N12",
            ".985/1.000",
            Settings {
                n_views: 12,
                ..base.clone()
            },
        ),
        ("BA-P1-500", ".980/.996", ba(Filter::PseudoInverse)),
        ("BA-P5-500", ".900/.951", ba(Filter::Gaussian)),
        ("GEOw-P1-500", "", geometric(Filter::PseudoInverse)),
        ("GEOw-P5-500", "", geometric(Filter::Gaussian)),
        (
            "ERw-P1-250",
            "",
            Settings {
                weights: Some([0.5, 2.0]),
                ..few(250)
            },
        ),
    ]
}

/// What the best of the usual couplings gives.
fn usual(views: &Views, chosen: &Chosen) -> Result<Option<Chosen>, Error> {
    let is_usual = |tried: &&Tried| tried.is_certified && tried.coupling.is_some_and(|b| COUPLINGS.contains(&b));
    let best = chosen
        .tried
        .iter()
        .filter(is_usual)
        .min_by(|x, y| x.aic.total_cmp(&y.aic));
    let Some(best) = best.filter(|best| best.coupling != chosen.method.model.coupling) else {
        return Ok(None);
    };
    let wanted = Wanted {
        coupling: best.coupling,
        filter: Some(best.filter),
        ..Wanted::default()
    };
    Likelihood::default().learn_to(views, &wanted, &no_progress).map(Some)
}

fn scores(chosen: &Chosen, truth: &MultiviewGraph) -> Result<[f64; 2], Error> {
    let scores = metrics::evaluate(&chosen.learned.graph, truth)?;
    Ok([
        scores.mean_view_f1(),
        scores.consensus.map_or(0.0, |scores| scores.f1()),
    ])
}

fn main() -> Result<(), Error> {
    let argument = |k: usize, usual: u64| {
        std::env::args()
            .nth(k)
            .and_then(|text| text.parse().ok())
            .unwrap_or(usual)
    };
    let (n_seeds, first, n_nodes) = (argument(1, 3), argument(2, 9001), argument(3, 100) as usize);
    println!("setting        design      usual        here         density  gap    ms    q/b");
    for (name, design, settings) in settings(n_nodes) {
        let (mut found, mut by_usual) = ([0.0; 2], [0.0; 2]);
        let (mut time, mut gap, mut density) = (0.0, 0.0_f64, 0.0);
        let mut models = Vec::new();
        let n = n_seeds as f64;
        for seed in first..first + n_seeds {
            let simulation = simulate(&Settings {
                seed,
                ..settings.clone()
            })?;
            let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
            let clock = std::time::Instant::now();
            let chosen = Likelihood::default().learn_to(&views, &Wanted::default(), &no_progress)?;
            time += clock.elapsed().as_secs_f64() * 1e3 / n;
            let own = scores(&chosen, &simulation.truth)?;
            let before = match usual(&views, &chosen)? {
                Some(before) => scores(&before, &simulation.truth)?,
                None => own,
            };
            for k in 0..2 {
                found[k] += own[k] / n;
                by_usual[k] += before[k] / n;
            }
            density += chosen.learned.graph.mean_density() / n;
            gap = gap.max(chosen.learned.certificate.relative_gap);
            gap = chosen.tried.iter().fold(gap, |gap, tried| gap.max(tried.relative_gap));
            let model = chosen.method.model;
            models.push(format!("{}/{}", model.filter.order(), model.coupling.unwrap_or(0.0)));
        }
        println!(
            "{name:14} {design:11} {:.3}/{:.3}  {:.3}/{:.3}  {density:.3}    {gap:.0e}  {time:<4.0}  {}",
            by_usual[0],
            by_usual[1],
            found[0],
            found[1],
            models.join(" "),
        );
    }
    Ok(())
}
