//! One joint graphical lasso for the benchmarks: reads little-endian f64 covariance matrices (nodes × nodes, one file per
//! view), solves, and prints one line of JSON. Reading is not timed.
//!
//! `cargo run --release -p congraph --example jgl_raw -- fused|group N_NODES LAMBDA1 LAMBDA2 TOLERANCE FILE…`; the diagonal is left
//! out of the fused coupling, as other packages do. With `CONGRAPH_PRECISIONS=FILE` the precision matrices go there.

use std::time::Instant;

use congraph::methods::graphical_lasso;
use congraph::methods::graphical_lasso::Fusion;
use congraph::no_progress;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [coupling, n_nodes, lambda1, lambda2, tolerance, files @ ..] = words.as_slice() else {
        return Err("fused|group N_NODES LAMBDA1 LAMBDA2 TOLERANCE FILE…".into());
    };
    let mut covariances = Vec::new();
    for file in files {
        let bytes = std::fs::read(file)?;
        let (values, _) = bytes.as_chunks::<8>();
        covariances.push(values.iter().map(|b| f64::from_le_bytes(*b)).collect());
    }
    let penalty = graphical_lasso::Model {
        fusion: if coupling == "group" {
            Fusion::Group
        } else {
            Fusion::Fused
        },
        lambda1: lambda1.parse()?,
        lambda2: lambda2.parse()?,
        fused_diagonal: false,
    };
    let solver = graphical_lasso::Admm {
        tolerance: tolerance.parse()?,
        ..graphical_lasso::Admm::default()
    };
    let n_nodes: usize = n_nodes.parse()?;
    let start = Instant::now();
    let problem = graphical_lasso::Problem::new(n_nodes, covariances, vec![1.0; files.len()], penalty)?;
    let solution = solver.run(&problem, None, &no_progress)?;
    let seconds = start.elapsed().as_secs_f64();
    let n_entries = solution
        .iterate
        .precisions
        .iter()
        .flatten()
        .filter(|&&x| x != 0.0)
        .count();
    println!(
        "{{\"seconds\": {seconds:.6}, \"iterations\": {}, \"objective\": {:?}, \"lower_bound\": {:?}, \"gap\": {:e}, \"status\": \"{}\", \
         \"components\": {}, \"density\": {:.4}}}",
        solution.iterations,
        solution.certificate.objective,
        solution.certificate.dual_objective,
        solution.certificate.relative_gap,
        solution.status,
        solution.n_components,
        (n_entries - n_nodes * files.len()) as f64 / (files.len() * n_nodes * (n_nodes - 1)) as f64,
    );
    if let Some(path) = std::env::var_os("CONGRAPH_PRECISIONS") {
        let bytes: Vec<u8> = solution
            .iterate
            .precisions
            .iter()
            .flatten()
            .flat_map(|x| x.to_le_bytes())
            .collect();
        std::fs::write(path, bytes)?;
    }
    Ok(())
}
