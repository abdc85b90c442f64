//! Headlines of real fits: noise is called noise, structure is not, and agreement that only the coupling makes is told
//! of.

use congraph::simulate::{Settings, simulate};
use congraph::{Smooth, Table, Targets, Tuned, ViewOptions, Views, no_progress};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::{Findings, Known};
use crate::record::FitRecord;

/// The headline of the report of a fit.
fn headline(tables: Vec<Table>) -> Vec<String> {
    let (views, _) = Views::assemble(tables, &ViewOptions::default()).unwrap();
    let tuned = Smooth::default().learn_to(&views, &Targets::default(), &no_progress);
    let Tuned {
        method,
        learned,
        reached,
    } = tuned.unwrap();
    let known = Known {
        summary: Some(FitRecord::of(
            &method,
            &learned,
            Some(&reached),
            &learned.warnings,
            None,
        )),
        ..Known::default()
    };
    Findings::of(&learned.graph, known).verdict.sentences
}

fn simulated(n_views: usize, seed: u64) -> Vec<Table> {
    let settings = Settings {
        n_nodes: 30,
        n_views,
        n_signals: vec![100],
        seed,
        ..Settings::default()
    };
    simulate(&settings).unwrap().tables
}

#[test]
fn noise_gets_no_confident_headline() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut table = |view: usize| {
        let values = (0..19 * 2000).map(|_| StandardNormal.sample(&mut rng)).collect();
        Table::new(format!("v{view:02}"), 19, values)
    };
    let sentences = headline((0..12).map(&mut table).collect());
    assert!(
        sentences[0].starts_with("Nothing in these data goes beyond chance"),
        "{sentences:?}"
    );
    assert!(
        !sentences.iter().any(|sentence| sentence.contains("stand")),
        "{sentences:?}"
    );
}

#[test]
fn what_views_share_is_told_as_shared() {
    for seed in 1..3 {
        assert!(headline(simulated(4, seed))[0].starts_with("4 views share"));
    }
}

#[test]
fn agreement_that_the_coupling_makes_is_told_of() {
    let alone = |view: usize| {
        let mut table = simulated(1, 50 + view as u64).swap_remove(0);
        table.name = format!("v{view}");
        table
    };
    assert!(headline((0..4).map(alone).collect())[0].contains("none that they share"));
}
