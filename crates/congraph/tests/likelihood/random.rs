//! Random problems of all kinds are solved, and certified. `examples/likelihood_random.rs` does the same for many more.

use super::problems::{describe, numbered};
use crate::support::rng;
use congraph::methods::likelihood::{Newton, certify};
use congraph::{Status, no_progress};

#[test]
fn random_problems_are_certified() {
    let mut worst = (0.0_f64, 0);
    for number in 0..150 {
        let parts = numbered(number, 40, &mut rng(1_000 + number as u64));
        let problem = parts.problem();
        let solved = Newton::default().solve(&problem, None, &no_progress);
        let again = certify(&problem, &solved.point, solved.dual.as_deref());
        assert!(
            solved.status == Status::Converged && again.relative_gap <= 1e-8,
            "{number}: {:?} after {} steps, {again:?}; {}",
            solved.status,
            solved.iterations,
            describe(&parts)
        );
        worst = (worst.0.max(again.relative_gap), worst.1.max(solved.iterations));
    }
    println!("gaps up to {:.1e}, {} steps at most", worst.0, worst.1);
}
