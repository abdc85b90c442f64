//! Correlations of signals in blocks (trials), and their moments when whole blocks change sign.
//!
//! Samples within a trial may depend on each other in any way. If trials are independent, so are the signs of a node's
//! signal in them. With c_k = Σ_{t in block k} x_a x_b / p the correlation is r = Σ_k c_k, and under random signs
//!
//! ```text
//! E r² = Σ c_k²        Var r² = 2 ( (Σ c_k²)² − Σ c_k⁴ )
//! ```

use super::correlations::Pairs;
use super::residuals::{products, standardised};
use crate::views::View;

/// Fewer blocks are too few to judge.
const LEAST_BLOCKS: usize = 8;

/// The correlations of chosen nodes with their moments; none if there are no blocks, or too few.
pub(super) fn of(view: &View, nodes: &[usize], own: &[bool]) -> Option<Pairs> {
    let order = in_blocks(view.blocks()?)?;
    let gathered = |node: usize| -> Vec<f64> {
        let signal = view.node(node);
        order.iter().flatten().map(|&sample| signal[sample]).collect()
    };
    let row = |(&node, &own): (&usize, &bool)| own.then(|| standardised(&gathered(node))).flatten();
    let rows: Vec<Option<Vec<f64>>> = nodes.iter().zip(own).map(row).collect();
    let n_pairs = nodes.len() * (nodes.len() - 1) / 2;
    let n_samples: usize = order.iter().map(Vec::len).sum();
    let p = n_samples as f64;
    let mut pairs = Pairs {
        // A sum over few blocks has tails of its own.
        strongest: None,
        n_samples: p,
        r: vec![0.0; n_pairs],
        square: vec![0.0; n_pairs],
        excess: vec![0.0; n_pairs],
    };
    let mut first = 0;
    for block in &order {
        let own = products(&rows, first..first + block.len());
        first += block.len();
        for (pair, product) in own.into_iter().enumerate() {
            let c = product / p;
            pairs.r[pair] += c;
            pairs.square[pair] += c * c;
            pairs.excess[pair] -= 2.0 * c.powi(4);
        }
    }
    // The mean over all samples was taken off, and with it a share of every block.
    let n_blocks = order.len() as f64;
    let correction = n_blocks / (n_blocks - 1.0);
    pairs.square.iter_mut().for_each(|square| *square *= correction);
    pairs
        .excess
        .iter_mut()
        .for_each(|excess| *excess *= correction * correction);
    Some(pairs)
}

/// Whether the samples come in blocks of several.
pub(super) fn are_told(view: &View) -> bool {
    view.blocks().is_some_and(|blocks| {
        let different: std::collections::HashSet<&String> = blocks.iter().collect();
        different.len() < blocks.len()
    })
}

/// The samples of each block, if there are enough blocks of more than one sample.
fn in_blocks(blocks: &[String]) -> Option<Vec<Vec<usize>>> {
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by_key(|&sample| &blocks[sample]);
    let parts: Vec<Vec<usize>> = order
        .chunk_by(|one, two| blocks[*one] == blocks[*two])
        .map(<[usize]>::to_vec)
        .collect();
    (parts.len() >= LEAST_BLOCKS && parts.len() < blocks.len()).then_some(parts)
}
