//! View F1 / consensus F1 of the likelihood without any oracle, on simulated data of which the truth is known.
//!
//! ```text
//! cargo run --release --example likelihood_study -- [SEEDS] [FIRST SEED]
//! ```

use congraph::methods::likelihood::Likelihood;
use congraph::simulate::{Filter, GraphModel, Reach, Settings, simulate};
use congraph::tune::Wanted;
use congraph::{ViewOptions, Views, metrics, no_progress};

fn settings() -> Vec<(&'static str, &'static str, Settings)> {
    let base = Settings::default();
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

fn main() -> Result<(), congraph::Error> {
    let argument = |k: usize, usual: u64| {
        std::env::args()
            .nth(k)
            .and_then(|text| text.parse().ok())
            .unwrap_or(usual)
    };
    let (n_seeds, first) = (argument(1, 3), argument(2, 9001));
    println!("setting        design      here         q  b     density  gap      ms");
    for (name, design, settings) in settings() {
        let (mut views_f1, mut consensus_f1, mut time, mut gap, mut density) = (0.0, 0.0, 0.0, 0.0_f64, 0.0);
        let mut models = Vec::new();
        for seed in first..first + n_seeds {
            let simulation = simulate(&Settings {
                seed,
                ..settings.clone()
            })?;
            let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
            let clock = std::time::Instant::now();
            let chosen = Likelihood::default().learn_to(&views, &Wanted::default(), &no_progress)?;
            time += clock.elapsed().as_secs_f64() * 1e3;
            let scores = metrics::evaluate(&chosen.learned.graph, &simulation.truth)?;
            views_f1 += scores.mean_view_f1();
            consensus_f1 += scores.consensus.map_or(0.0, |scores| scores.f1());
            density += chosen.learned.graph.mean_density();
            gap = gap.max(chosen.learned.certificate.relative_gap);
            gap = chosen.tried.iter().fold(gap, |gap, tried| gap.max(tried.relative_gap));
            if std::env::var_os("TRIED").is_some() {
                println!("{:?}", chosen.learned.details);
                for tried in &chosen.tried {
                    println!("    {tried:?}");
                }
            }
            models.push(format!(
                "{}/{}",
                chosen.method.model.filter.order(),
                chosen.method.model.coupling.unwrap_or(0.0)
            ));
        }
        let n = n_seeds as f64;
        println!(
            "{name:14} {design:11} {:.3}/{:.3}  {}  {:.3}  {gap:.0e}  {:.0}",
            views_f1 / n,
            consensus_f1 / n,
            models.join(" "),
            density / n,
            time / n
        );
    }
    Ok(())
}
