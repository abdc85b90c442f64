//! How well each method explains samples that it has not seen, on epochs or gene expression.
//!
//! ```text
//! cargo run --release -p congraph-io --example held_out_study -- epochs.npz       [SUBJECTS]
//! cargo run --release -p congraph-io --example held_out_study -- expression.h5ad  [GENES] [COLUMN OF obs]
//! ```
//!
//! Epochs of several subjects are band-passed to 8–13 and to 4–7 Hz, referenced to the average and cut to 0–0.5 s; trials
//! are the blocks that are halved. Of gene expression the raw layer is read, the seven most frequent groups of cells are
//! the views, and the nodes are the genes that vary most among those that a fifth of the cells of each group express.
//!
//! Every method learns from one half of each view and is judged by the other: nats per node and sample above independent
//! nodes. The likelihood chooses for itself, attractive and signed. The paper's model has the best of five densities. λ1 and
//! λ2 of the fused graphical lasso are followed, in steps of two and then of √2, until no neighbour is better, so that its
//! best is never at the end of a grid: chosen by the halves that judge, which favours it a little.

mod epochs;

use std::ops::ControlFlow;
use std::time::Instant;

use congraph::methods::graphical_lasso::Fusion;
use congraph::methods::likelihood::{Likelihood, Model, Signs};
use congraph::tune::{Contender, Explained, Wanted, compare_methods};
use congraph::{Error, Progress, Smooth, Table, ViewOptions, Views};
use congraph_io::{Input, ReadOptions, read};

use epochs::prepared;

const BANDS: [[f64; 2]; 2] = [[8.0, 13.0], [4.0, 7.0]];
/// Of gene expression: how many groups of cells, and the least share of a group's cells that express a gene.
const GROUPS: usize = 7;
const EXPRESSED: f64 = 0.2;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let word = |k: usize| std::env::args().nth(k);
    let path = word(1).ok_or("give a file of epochs (.npz) or of gene expression (.h5ad)")?;
    let size = word(2).and_then(|text| text.parse().ok());
    println!("data                      method              gain   ±      density  settings");
    if path.ends_with(".npz") {
        for band in BANDS {
            let subjects = prepared(&path, band)?.into_iter().take(size.unwrap_or(usize::MAX));
            let tables = subjects.map(|(subject, epochs)| epochs.stack(&subject)).collect();
            explain(&format!("{}–{} Hz", band[0], band[1]), tables)?;
        }
    } else {
        let column = word(3).unwrap_or_else(|| "bulk_labels".into());
        let tables = expression(&path, &column, size.unwrap_or(100))?;
        explain("genes", tables)?;
    }
    Ok(())
}

/// The most frequent groups of cells, with the genes that vary most.
fn expression(path: &str, column: &str, n_genes: usize) -> Result<Vec<Table>, Error> {
    let options = ReadOptions {
        groupby: Some(column.into()),
        layer: Some("raw".into()),
        ..ReadOptions::default()
    };
    let mut tables: Vec<Table> = read(&[Input::parse(path)], &options)?
        .into_iter()
        .map(|loaded| loaded.table)
        .collect();
    tables.sort_by(|x, y| y.n_rows.cmp(&x.n_rows).then_with(|| x.name.cmp(&y.name)));
    tables.truncate(GROUPS);
    let n = tables.first().map_or(0, |table| table.n_columns);
    let values = |gene: usize| {
        let of = |table: &Table| table.values.iter().skip(gene).step_by(n).copied().collect::<Vec<f64>>();
        tables.iter().map(of).collect::<Vec<_>>()
    };
    let mut genes: Vec<(f64, usize)> = Vec::new();
    for gene in 0..n {
        let groups = values(gene);
        let share = |group: &Vec<f64>| group.iter().filter(|x| **x > 0.0).count() as f64 / group.len() as f64;
        if groups.iter().all(|group| share(group) >= EXPRESSED) {
            let all = groups.concat();
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            genes.push((all.iter().map(|x| (x - mean).powi(2)).sum::<f64>(), gene));
        }
    }
    genes.sort_by(|x, y| y.0.total_cmp(&x.0));
    genes.truncate(n_genes);
    println!("{} genes, {} groups of cells", genes.len(), tables.len());
    let cut = |table: &Table| {
        let rows = table.values.chunks(n);
        let values = rows.flat_map(|row| genes.iter().map(|&(_, gene)| row[gene]));
        let names = table.column_names.as_ref();
        let names: Option<Vec<String>> =
            names.map(|names| genes.iter().map(|&(_, gene)| names[gene].clone()).collect());
        let cut = Table::new(table.name.clone(), genes.len(), values.collect());
        match names {
            Some(names) => cut.with_columns(names),
            None => cut,
        }
    };
    Ok(tables.iter().map(cut).collect())
}

fn explain(data: &str, tables: Vec<Table>) -> Result<(), Error> {
    let (views, _) = Views::assemble(tables, &ViewOptions::default())?;
    let signed = Wanted {
        signs: Some(Signs::Both),
        ..Wanted::default()
    };
    let contenders = [
        (
            "likelihood",
            Contender::likelihood(Likelihood::default(), Wanted::default()),
        ),
        (
            "likelihood, signed",
            Contender::likelihood(Likelihood::new(Model::signed()), signed),
        ),
        ("smooth", Contender::smooth(Smooth::default())),
        ("fused JGL", Contender::graphical_lasso(Fusion::Fused)),
    ];
    for (name, contender) in contenders {
        let clock = Instant::now();
        let found = compare_methods(&views, &[contender], &told)?;
        tell(data, name, found.first(), clock);
    }
    Ok(())
}

/// Says how far long fits are.
fn told(progress: &Progress) -> ControlFlow<()> {
    if let Progress::Solving { iteration, gap, .. } = progress
        && iteration.is_multiple_of(500)
    {
        eprintln!("iteration {iteration}, gap or residual {gap:.1e}");
    }
    ControlFlow::Continue(())
}

fn tell(data: &str, name: &str, found: Option<&Explained>, clock: Instant) {
    let Some(found) = found else {
        println!("{data:<25} {name:<19} out of reach");
        return;
    };
    let n = found.views.len() as f64;
    let variance = found.views.iter().map(|gain| (gain - found.gain).powi(2)).sum::<f64>() / (n - 1.0);
    println!(
        "{data:<25} {name:<19} {:.3}  {:.3}  {:.2}     {} ({:.0} s)",
        found.gain,
        (variance / n).sqrt(),
        found.density,
        found.settings,
        clock.elapsed().as_secs_f64()
    );
}
