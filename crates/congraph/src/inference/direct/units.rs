//! What may be deleted: the blocks of each view; without blocks its samples where these are independent, or pieces in a row of
//! a series that is long enough.

use std::collections::HashMap;

use super::Units;
use crate::options::step;
use crate::views::{View, Views};

/// Samples that resemble the one before more than this are no units of their own.
const MOST_AUTOCORRELATED: f64 = 0.2;
/// Into so many pieces a series is cut at most, and at least.
const PIECES: usize = 20;
const LEAST_PIECES: usize = 5;
/// A piece is worth so many independent samples: neighbours then have little in common.
const SAMPLES_OF_PIECE: f64 = 4.0;

/// The places of the samples of each unit of a view.
pub(super) struct Places {
    pub(super) samples: Vec<Vec<usize>>,
    /// Whether these are pieces of a series that came without blocks.
    pub(super) are_pieces: bool,
}

impl Places {
    fn new(samples: Vec<Vec<usize>>, are_pieces: bool) -> Self {
        Self { samples, are_pieces }
    }
}

/// The units of a view whose samples are worth `effective` ones, or why it has none. Views as units need no smaller ones.
pub(super) fn of_view(views: &Views, view: usize, units: Units, effective: f64) -> Result<Places, String> {
    let source = views.view(view);
    let n_samples = source.n_samples().unwrap_or(0);
    let blocks = source.blocks().map(in_blocks);
    let is_series = blocks.is_none();
    let blocks = match (units, blocks) {
        (Units::Views, _) => return Ok(Places::new(Vec::new(), false)),
        (Units::Blocks, Some(blocks)) => return Ok(Places::new(blocks, false)),
        (_, blocks) => blocks.unwrap_or_else(|| vec![(0..n_samples).collect()]),
    };
    let lag = autocorrelation(views, view, &blocks);
    if lag <= MOST_AUTOCORRELATED {
        return Ok(Places::new((0..n_samples).map(|sample| vec![sample]).collect(), false));
    }
    let n_pieces = ((effective / SAMPLES_OF_PIECE) as usize).min(PIECES);
    if units == Units::Blocks && is_series && n_pieces >= LEAST_PIECES {
        let piece = |piece: usize| (piece * n_samples / n_pieces..(piece + 1) * n_samples / n_pieces).collect();
        return Ok(Places::new((0..n_pieces).map(piece).collect(), true));
    }
    let name = source.name();
    let too_short =
        format!(" and the series, worth {effective:.0} independent samples, is too short to be cut in pieces");
    Err(format!(
        "the samples of view `{name}` resemble those before them (correlation {lag:.2} at lag 1){}: deleting one at a time \
         would find every pair too sure; tell which samples belong together ({})",
        if units == Units::Blocks { &too_short } else { "" },
        step("tell_blocks", "`block_column`")
    ))
}

/// The samples of each block, blocks in the order in which they first come up.
fn in_blocks(labels: &[String]) -> Vec<Vec<usize>> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    for (sample, label) in labels.iter().enumerate() {
        let place = *places.entry(label).or_insert_with(|| {
            blocks.push(Vec::new());
            blocks.len() - 1
        });
        blocks[place].push(sample);
    }
    blocks
}

/// How much samples resemble the one before in their block: the median over the nodes that a view has.
fn autocorrelation(views: &Views, view: usize, blocks: &[Vec<usize>]) -> f64 {
    let own = views.membership().nodes_of(view);
    let mut each: Vec<f64> = own.map(|node| of_node(views.view(view), node, blocks)).collect();
    each.sort_by(f64::total_cmp);
    each.get(each.len() / 2).copied().unwrap_or(0.0)
}

fn of_node(view: &View, node: usize, blocks: &[Vec<usize>]) -> f64 {
    let signal = view.node(node);
    let mean = signal.iter().sum::<f64>() / signal.len() as f64;
    let square: f64 = signal.iter().map(|x| (x - mean) * (x - mean)).sum();
    let steps = blocks.iter().flat_map(|block| block.windows(2));
    let product: f64 = steps
        .map(|step| (signal[step[0]] - mean) * (signal[step[1]] - mean))
        .sum();
    if square > 0.0 { product / square } else { 0.0 }
}
