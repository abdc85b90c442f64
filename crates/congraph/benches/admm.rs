//! How long an iteration of ADMM takes against the least it could: reading and writing once what it keeps of the edges.
//!
//! `cargo bench -p congraph --bench admm`

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use congraph::methods::smooth::{Admm, Solver};
use congraph::{DistanceNorm, Distances, Edges, Model, Problem, Progress, ViewMatrix};
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

const N_VIEWS: usize = 6;
const ITERATIONS: usize = 100;
const REPEATS: usize = 7;

fn main() -> Result<(), congraph::Error> {
    // `cargo test` runs benches too, to see that they run: one small case will do.
    let quick = !std::env::args().any(|word| word == "--bench");
    let sizes: &[usize] = if quick { &[20] } else { &[100, 400, 1000] };
    println!(
        "best of {REPEATS} in turns, {} threads, N = {N_VIEWS}\n",
        rayon::current_num_threads()
    );
    println!("    n  bytes per edge  ms per iteration  ns per edge   floor, ms   GB/s    ratio");
    for &n_nodes in sizes {
        let edges = Edges::complete(n_nodes);
        let n_edges = edges.n_edges();
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let values = (0..n_edges * N_VIEWS).map(|_| rng.random_range(0.1..1.0)).collect();
        let distances = Distances::new(edges, ViewMatrix::from_values(N_VIEWS, values), DistanceNorm::Max)?;
        let problem = Problem::new(Arc::new(distances), Model::l1(0.07, 0.03))?;
        // Never converged. ADMM reports every tenth iteration: the best stretch between two reports is free of start and end,
        // and of most of what else the machine does.
        let admm = Admm {
            tolerance: 0.0,
            max_iterations: ITERATIONS,
            absolute_tolerance: 0.0,
            relative_tolerance: 0.0,
            ..Admm::default()
        };
        let reports = Mutex::new(Vec::new());
        let watch = |_: &Progress| {
            if let Ok(mut reports) = reports.lock() {
                reports.push(Instant::now());
            }
            ControlFlow::Continue(())
        };
        let mut floor_of = Floor::new(n_edges);
        let (mut iteration, mut floor) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..REPEATS {
            admm.solve(&problem, None, &watch)?;
            let times = reports
                .lock()
                .map(|mut reports| std::mem::take(&mut *reports))
                .unwrap_or_default();
            for pair in times.windows(2) {
                iteration = iteration.min((pair[1] - pair[0]).as_secs_f64() / 10.0);
            }
            floor = (0..10).fold(floor, |floor, _| floor.min(floor_of.pass()));
        }
        let bytes = 8 * (READ + WRITTEN) + 8;
        println!(
            "{n_nodes:5}  {bytes:14}  {:16.3}  {:11.1}  {:10.3}  {:5.1}  {:7.2}",
            1e3 * iteration,
            1e9 * iteration / n_edges as f64,
            1e3 * floor,
            1e-9 * (bytes * n_edges) as f64 / floor,
            iteration / floor
        );
    }
    Ok(())
}

/// Numbers of an edge that an iteration reads and writes.
const READ: usize = 3 * N_VIEWS + 2;
const WRITTEN: usize = 2 * N_VIEWS + 2;

/// The same bytes, with next to no arithmetic: tiles of eight edges, of which all is read and a part written, and the ends.
struct Floor {
    tiles: Vec<f64>,
    ends: Vec<u64>,
}

impl Floor {
    fn new(n_edges: usize) -> Self {
        let tiles = n_edges.div_ceil(8);
        Self {
            tiles: vec![1.0; tiles * 8 * READ],
            ends: vec![0; tiles * 8],
        }
    }

    fn pass(&mut self) -> f64 {
        let start = Instant::now();
        let tiles = self.tiles.par_chunks_mut(1024 * 8 * READ);
        tiles.zip(self.ends.par_chunks(1024 * 8)).for_each(|(tiles, ends)| {
            for (tile, ends) in tiles.chunks_exact_mut(8 * READ).zip(ends.chunks_exact(8)) {
                let (read, written) = tile.split_at_mut(8 * (READ - WRITTEN));
                let mut sums: [f64; 8] = std::array::from_fn(|k| ends[k] as f64);
                for column in read.as_chunks::<8>().0 {
                    sums = std::array::from_fn(|k| sums[k] + column[k]);
                }
                for column in written.as_chunks_mut::<8>().0 {
                    *column = std::array::from_fn(|k| 0.5 * (column[k] + sums[k]));
                }
            }
        });
        start.elapsed().as_secs_f64()
    }
}
