//! Solves a likelihood read from a file of raw numbers, some times over, and prints its certificate and the time.
//!
//! ```text
//! cargo run --release -p congraph --example likelihood_raw -- FILE [TIMES]
//! ```
//!
//! The file holds f64: nodes n, views N, filter order q, λ, β, whether signed, γ, N view weights, N covariances (n × n).

use congraph::methods::likelihood::*;
use congraph::no_progress;
use std::sync::Arc;
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let bytes = std::fs::read(path).unwrap();
    let x: Vec<f64> = bytes
        .chunks_exact(8)
        .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
        .collect();
    let (n, nv, q, lam, beta) = (x[0] as usize, x[1] as usize, x[2] as usize, x[3], x[4]);
    let signs = if x[5] > 0.0 { Signs::Both } else { Signs::Attractive };
    let gamma = x[6];
    let v = &x[7..7 + nv];
    let all: Vec<usize> = (0..n).collect();
    let views: Vec<ViewTerm> = (0..nv)
        .map(|i| ViewTerm::new(n, &all, &x[7 + nv + i * n * n..][..n * n], v[i]))
        .collect();
    let edges: Vec<[u32; 2]> = (0..n as u32)
        .flat_map(|a| (a + 1..n as u32).map(move |b| [a, b]))
        .collect();
    let m = edges.len();
    let problem = Problem::new(
        Arc::new(views),
        Arc::new(edges),
        Charges::uniform(m, lam, beta, gamma),
        if q == 1 { Filter::Once } else { Filter::Twice },
        signs,
        if nv > 1 && beta > 0.0 {
            Tie::Consensus
        } else {
            Tie::None
        },
    )
    .unwrap();
    for _ in 0..std::env::args().nth(2).map_or(1, |x| x.parse().unwrap()) {
        let clock = std::time::Instant::now();
        let s = rayon::scope(|_| Newton::default().solve(&problem, None, &no_progress));
        let time = clock.elapsed().as_secs_f64();
        let dens = s.point.weights.values().iter().filter(|w| **w != 0.0).count() as f64 / (m * nv) as f64;
        let again = certify(&problem, &s.point, s.dual.as_deref());
        println!(
            "{:?} it {} P {:.12} gap {:.2e} ({:.2e}, {:.2e}) dens {dens:.3} {:.1} ms",
            s.status,
            s.iterations,
            s.certificate.objective,
            s.certificate.relative_gap,
            again.relative_gap,
            certify(&problem, &s.point, None).relative_gap,
            time * 1e3
        );
    }
}
