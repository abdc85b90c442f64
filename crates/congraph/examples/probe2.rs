use congraph::pairs::AllPairs;
use congraph::*;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;
use std::time::Instant;
fn main() {
    let a: Vec<f64> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let (n, nv, p, alpha, beta) = (a[0] as usize, a[1] as usize, a[2] as usize, a[3], a[4]);
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(3);
    let k = 20;
    let load: Vec<f64> = (0..n * k).map(|_| rng.sample::<f64, _>(StandardNormal)).collect();
    let tables: Vec<Table> = (0..nv)
        .map(|v| {
            let pert: Vec<f64> = (0..n * k)
                .map(|i| load[i] + 0.3 * rng.sample::<f64, _>(StandardNormal))
                .collect();
            let mut x = vec![0.0; p * n];
            for s in 0..p {
                let f: Vec<f64> = (0..k).map(|_| rng.sample::<f64, _>(StandardNormal)).collect();
                for a in 0..n {
                    x[s * n + a] =
                        (0..k).map(|j| pert[a * k + j] * f[j]).sum::<f64>() + rng.sample::<f64, _>(StandardNormal);
                }
            }
            Table::new(format!("v{v}"), n, x).with_columns((0..n).map(|i| format!("n{i:07}")))
        })
        .collect();
    let (views, _) = Views::assemble(tables, &ViewOptions::default()).unwrap();
    for _ in 0..2 {
        let t = Instant::now();
        let all = AllPairs::new(&views, &Scaling::default(), 5, 4 << 30).unwrap();
        let t1 = t.elapsed().as_secs_f64();
        let ws = Newton {
            tolerance: 1e-9,
            ..Newton::default()
        }
        .working_set()
        .unwrap();
        let f = ws
            .solve(&all, &Model::l1(alpha, beta), None, &solvers::unwatched)
            .unwrap();
        let t2 = t.elapsed().as_secs_f64();
        let e = f.solution.weights.views().values().iter().filter(|w| **w > 0.0).count();
        println!(
            "n {n}: pairs {t1:.3} solve {:.3} total {t2:.3}; it {} passes {} gap {:.1e} {:?} set {} present {} mean degree {:.1} nearest {}",
            t2 - t1,
            f.solution.iterations,
            f.passes,
            f.solution.certificate.relative_gap,
            f.solution.status,
            f.distances.edges().n_edges(),
            f.solution.weights.edges().len(),
            2.0 * e as f64 / (n * nv) as f64,
            all.nearest().len()
        );
    }
    if n <= 1000 {
        let d = std::sync::Arc::new(Distances::from_views(&views, &Scaling::default()).unwrap());
        let prob = Problem::new(d.clone(), Model::l1(alpha, beta)).unwrap();
        let t = Instant::now();
        let s = Newton {
            tolerance: 1e-9,
            ..Newton::default()
        }
        .solve(&prob, None, &solvers::unwatched)
        .unwrap();
        println!(
            "dense {:.3}: obj {} dual {} it {} edges {} div {}",
            t.elapsed().as_secs_f64(),
            s.certificate.objective,
            s.certificate.dual_objective,
            s.iterations,
            s.weights.edges().len(),
            d.divisor()
        );
    }
}
