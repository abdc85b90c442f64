//! How many random problems of the likelihood are solved to a certified relative gap of 1e-8, by kind, and the worst.
//!
//! ```text
//! cargo run --release --example likelihood_random -- [PROBLEMS] [SEED] [MOST NODES] [hard] [l2|squared-l2]
//! ```
//!
//! `hard` makes them worse than data are: nodes of very different sizes, charges from hardly any to very many.

#[path = "../tests/likelihood/problems.rs"]
mod problems;

use congraph::methods::likelihood::{Coupling, Newton, certify};
use congraph::no_progress;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn main() {
    let argument = |k: usize, usual: u64| {
        std::env::args()
            .nth(k)
            .and_then(|text| text.parse().ok())
            .unwrap_or(usual)
    };
    let (n_problems, seed, most) = (argument(1, 500), argument(2, 1), argument(3, 60));
    let is_hard = std::env::args().any(|text| text == "hard");
    let coupling = std::env::args()
        .find_map(|text| Coupling::by_name(&text))
        .unwrap_or_default();
    let (mut reached, mut all, mut steps, mut total) = ([0; 3], [0; 3], [0; 3], [0; 3]);
    let mut worst = Vec::new();
    for number in 0..n_problems as usize {
        // Each problem has numbers of its own, so that one can be looked at alone.
        let mut rng = ChaCha8Rng::seed_from_u64(seed * 1_000_003 + number as u64);
        let mut parts = problems::numbered(number, most as usize, &mut rng);
        if is_hard {
            problems::harden(&mut parts, &mut rng);
        }
        let parts = problems::coupled_by(coupling, parts);
        let problem = parts.problem();
        let solved = Newton::default().solve(&problem, None, &no_progress);
        let again = certify(&problem, &solved.point, solved.dual.as_deref());
        let kind = number % 3;
        all[kind] += 1;
        steps[kind] = steps[kind].max(solved.iterations);
        total[kind] += solved.iterations;
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
            "{name}: {} of {} within 1e-8, {} steps at most, {:.2} on average",
            reached[kind],
            all[kind],
            steps[kind],
            total[kind] as f64 / f64::from(all[kind]).max(1.0)
        );
    }
    worst.sort_by(|x, y| {
        (y.0 > 1e-8, y.1, y.0)
            .partial_cmp(&(x.0 > 1e-8, x.1, x.0))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    worst.iter().take(12).for_each(|(_, _, told)| println!("{told}"));
}
