//! How many random problems of the likelihood are solved to a certified relative gap of 1e-8, by kind, and the worst.
//!
//! ```text
//! cargo run --release --example likelihood_random -- [PROBLEMS] [SEED] [MOST NODES] [hard]
//! ```
//!
//! `hard` makes them worse than data are: few samples, nodes of very different sizes, charges from hardly any to very many.

#[path = "../tests/likelihood/problems.rs"]
mod problems;

use congraph::methods::likelihood::{Newton, certify};
use congraph::no_progress;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Fewer samples, sizes that differ ten-thousandfold, charges over four decades, and some of them none or infinite.
fn harden(parts: &mut problems::Parts, rng: &mut ChaCha8Rng) {
    let sizes: Vec<f64> = (0..parts.n)
        .map(|_| 10.0_f64.powf(rng.random_range(-2.0..2.0)))
        .collect();
    let is_scaled = rng.random_bool(0.5);
    for view in &mut parts.views {
        let n = view.nodes.len();
        for k in (0..n * n).filter(|_| is_scaled) {
            view.covariance[k] *= sizes[view.nodes[k / n]] * sizes[view.nodes[k % n]];
        }
        view.weight *= 10.0_f64.powf(rng.random_range(-1.0..1.0));
    }
    let factor = 10.0_f64.powf(rng.random_range(-2.0..2.0));
    parts.beta.iter_mut().for_each(|beta| *beta *= factor);
    parts
        .beta
        .iter_mut()
        .filter(|_| rng.random_bool(0.1))
        .for_each(|beta| *beta = 0.0);
    parts
        .gamma
        .iter_mut()
        .filter(|_| rng.random_bool(0.1))
        .for_each(|gamma| *gamma = f64::INFINITY);
}

fn main() {
    let argument = |k: usize, usual: u64| {
        std::env::args()
            .nth(k)
            .and_then(|text| text.parse().ok())
            .unwrap_or(usual)
    };
    let (n_problems, seed, most) = (argument(1, 500), argument(2, 1), argument(3, 60));
    let is_hard = std::env::args().nth(4).is_some_and(|text| text == "hard");
    let (mut reached, mut all, mut steps) = ([0; 3], [0; 3], [0; 3]);
    let mut worst = Vec::new();
    for number in 0..n_problems as usize {
        // Each problem has numbers of its own, so that one can be looked at alone.
        let mut rng = ChaCha8Rng::seed_from_u64(seed * 1_000_003 + number as u64);
        let mut parts = problems::numbered(number, most as usize, &mut rng);
        if is_hard {
            harden(&mut parts, &mut rng);
        }
        let problem = parts.problem();
        let solved = Newton::default().solve(&problem, None, &no_progress);
        let again = certify(&problem, &solved.point, solved.dual.as_deref());
        let kind = number % 3;
        all[kind] += 1;
        steps[kind] = steps[kind].max(solved.iterations);
        reached[kind] += usize::from(again.relative_gap <= 1e-8);
        let told = format!(
            "{number}: gap {:.1e} (told {:.1e}), {:?} after {} steps, objective {:.6}; {}",
            again.relative_gap,
            solved.certificate.relative_gap,
            solved.status,
            solved.iterations,
            again.objective,
            problems::describe(&parts)
        );
        worst.push((again.relative_gap, solved.iterations, told));
    }
    for (kind, name) in ["attractive, q = 1", "attractive, q = 2", "signed, q = 1"]
        .iter()
        .enumerate()
    {
        println!(
            "{name}: {} of {} within 1e-8, {} steps at most",
            reached[kind], all[kind], steps[kind]
        );
    }
    worst.sort_by(|x, y| {
        (y.0 > 1e-8, y.1, y.0)
            .partial_cmp(&(x.0 > 1e-8, x.1, x.0))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    worst.iter().take(12).for_each(|(_, _, told)| println!("{told}"));
}
