//! Random problems of all kinds are solved, and certified. `examples/likelihood_random.rs` does the same for many more.

use super::problems::{Parts, coupled_by, describe, harden, numbered};
use crate::support::rng;
use congraph::methods::likelihood::{Coupling, Newton, certify};
use congraph::{Status, no_progress};

fn assert_certified(number: usize, parts: &Parts) -> (f64, usize) {
    let problem = parts.problem();
    let solved = Newton::default().solve(&problem, None, &no_progress);
    let again = certify(&problem, &solved.point, solved.dual.as_deref());
    assert!(
        solved.status == Status::Converged && again.relative_gap <= 1e-8,
        "{number}: {:?} after {} steps, {again:?}; {}",
        solved.status,
        solved.iterations,
        describe(parts)
    );
    (again.relative_gap, solved.iterations)
}

#[test]
fn random_problems_are_certified() {
    for number in 0..150 {
        assert_certified(number, &numbered(number, 40, &mut rng(1_000 + number as u64)));
    }
}

/// Nodes of very different sizes, charges of hardly anything and of very much. Of the first three, steps on the face lead
/// nowhere for a while, and the usual start is worse than no edges by orders of magnitude.
#[test]
fn hard_problems_are_certified() {
    for number in [79, 352, 919].into_iter().chain(0..60) {
        let mut rng = rng(3_000_009 + number as u64);
        let mut parts = numbered(number, 30, &mut rng);
        harden(&mut parts, &mut rng);
        assert_certified(number, &parts);
    }
}

#[test]
fn other_couplings_are_certified() {
    for coupling in [Coupling::L2, Coupling::SquaredL2] {
        let mut steps = 0;
        for number in 0..150 {
            let parts = numbered(number, 40, &mut rng(11_000 + number as u64));
            steps += assert_certified(number, &coupled_by(coupling, parts)).1;
        }
        println!("{coupling:?}: {:.1} steps", steps as f64 / 150.0);
    }
}

#[test]
fn hard_problems_of_other_couplings_are_certified() {
    for coupling in [Coupling::L2, Coupling::SquaredL2] {
        for number in 0..60 {
            let mut rng = rng(5_000_009 + number as u64);
            let mut parts = numbered(number, 30, &mut rng);
            harden(&mut parts, &mut rng);
            assert_certified(number, &coupled_by(coupling, parts));
        }
    }
}
