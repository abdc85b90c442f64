use congraph::distances::DistanceNorm;
use congraph::*;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;
use std::sync::Arc;
fn main() {
    let (n, nv, p) = (100usize, 6usize, 500usize);
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(3);
    // ring-ish smooth data: positions in 3-D + kernels
    let k = 30;
    let load: Vec<f64> = (0..n * k).map(|_| rng.sample::<f64, _>(StandardNormal)).collect();
    let tables: Vec<Table> = (0..nv)
        .map(|v| {
            let pert: Vec<f64> = (0..n * k)
                .map(|i| load[i] + 0.5 * rng.sample::<f64, _>(StandardNormal))
                .collect();
            let mut x = vec![0.0; p * n];
            for s in 0..p {
                let f: Vec<f64> = (0..k).map(|_| rng.sample::<f64, _>(StandardNormal)).collect();
                for a in 0..n {
                    x[s * n + a] =
                        (0..k).map(|j| pert[a * k + j] * f[j]).sum::<f64>() + rng.sample::<f64, _>(StandardNormal);
                }
            }
            Table::new(format!("v{v}"), n, x)
        })
        .collect();
    let (views, _) = Views::assemble(tables, &ViewOptions::default()).unwrap();
    let d = Arc::new(Distances::from_views(&views, &Scaling::default()).unwrap());
    let _ = DistanceNorm::Max;
    let which = std::env::args().nth(1).unwrap_or("newton".into());
    for pen in ["l1", "l2", "squared-l2"] {
        for gamma_ratio in [0.0, 0.5] {
            for la in [-4.0, -3.0, -2.5, -2.0, -1.5, -1.0, 0.0, 1.0f64] {
                for lb in [-6.0, -4.0, -3.0, -2.0, -1.0, 0.0, 2.0f64] {
                    let beta = 10f64.powf(lb);
                    let par = Parameters {
                        alpha: 10f64.powf(la),
                        beta,
                        gamma: gamma_ratio * beta * (nv as f64).sqrt(),
                    };
                    let prob = Problem::new(
                        d.clone(),
                        par,
                        penalties::by_name(pen).unwrap(),
                        regularisers::by_name("l1").unwrap(),
                    )
                    .unwrap();
                    let t = std::time::Instant::now();
                    let s = if which == "newton" {
                        Newton {
                            tolerance: 1e-9,
                            ..Default::default()
                        }
                        .solve(&prob, None, &solvers::unwatched)
                        .unwrap()
                    } else {
                        Admm {
                            tolerance: 1e-6,
                            ..Default::default()
                        }
                        .solve(&prob, None, &solvers::unwatched)
                        .unwrap()
                    };
                    println!(
                        "{pen} g{gamma_ratio} a=1e{la} b=1e{lb}: it {} gap {:.1e} {:?} edges {} ({:.3}) {:.1} ms",
                        s.iterations,
                        s.certificate.relative_gap,
                        s.status,
                        s.weights.edges().len(),
                        s.weights.views().values().iter().filter(|w| **w > 0.0).count() as f64 / (nv * 4950) as f64,
                        t.elapsed().as_secs_f64() * 1e3
                    );
                }
            }
        }
    }
}
