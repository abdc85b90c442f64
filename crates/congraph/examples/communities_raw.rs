//! Communities of one network for the benchmarks: reads the number of nodes and then one link per line (two nodes from 0 and a
//! weight), and prints one line of JSON. Reading is not timed.
//!
//! `cargo run --release -p congraph --example communities_raw -- FILE RUNS SEED ROUNDS`; repeats it ROUNDS times
//! and prints the seconds of the fastest.

use std::time::Instant;

use congraph::communities::{Leiden, Network};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, n_runs, seed, rounds] = words.as_slice() else {
        return Err("FILE RUNS SEED ROUNDS".into());
    };
    let text = std::fs::read_to_string(file)?;
    let mut words = text.split_whitespace();
    let mut next = || words.next().ok_or("a line is not whole");
    let n_nodes: usize = next()?.parse()?;
    let (mut pairs, mut weights) = (Vec::new(), Vec::new());
    while let Ok(a) = next() {
        pairs.push([a.parse()?, next()?.parse()?]);
        weights.push(next()?.parse()?);
    }
    let leiden = Leiden {
        n_runs: n_runs.parse()?,
        seed: seed.parse()?,
        ..Leiden::default()
    };
    let mut seconds = f64::INFINITY;
    let mut found = None;
    for _ in 0..rounds.parse()? {
        let start = Instant::now();
        let network = Network::new(n_nodes, &pairs, &weights)?;
        found = Some(leiden.communities(&network)?);
        seconds = seconds.min(start.elapsed().as_secs_f64());
    }
    let found = found.ok_or("ROUNDS is at least 1")?;
    let labels = found.partition.labels();
    println!(
        "{{\"seconds\": {seconds:e}, \"modularity\": {:?}, \"labels\": {labels:?}}}",
        found.modularity
    );
    Ok(())
}
