//! Random halves of every view's samples: by blocks where there are any, else sample by sample.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::error::{Code, DataError, Error};
use crate::options::{names_listed, option, step};
use crate::views::{Kind, View, Views};

/// How often a half in which a node does not vary is drawn anew.
const TRIES: usize = 100;

/// The two halves number `number` of a seed, in the order of the views; what is drawn is the same for any order of them.
///
/// # Errors
/// E05 if a view cannot be halved.
pub(super) fn halves(views: &Views, seed: u64, number: u64) -> Result<[Views; 2], Error> {
    let mut samples = [Vec::new(), Vec::new()];
    for (index, view) in views.iter().enumerate() {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let rank = views.iter().filter(|other| other.name() < view.name()).count();
        rng.set_stream(number * views.n_views() as u64 + rank as u64);
        let [one, other] = halved(view, index, views, &mut rng)?;
        samples[0].push(one);
        samples[1].push(other);
    }
    Ok(samples.map(|samples| views.with_samples(&samples)))
}

/// The samples of one view in two parts, in both of which every node varies.
fn halved(view: &View, index: usize, views: &Views, rng: &mut ChaCha8Rng) -> Result<[Vec<usize>; 2], Error> {
    let mut units = units(view);
    let enough = units.len() >= 4 || (view.blocks().is_some() && units.len() >= 2);
    let mut still = None;
    if views.kind() == Kind::Signals && enough {
        for _ in 0..TRIES {
            units.shuffle(rng);
            let (one, other) = units.split_at(units.len() / 2);
            let parts = [one, other].map(|part| {
                let mut samples = part.concat();
                samples.sort_unstable();
                samples
            });
            let varies = |part: &Vec<usize>, node: usize| {
                let signal = view.node(node);
                part.iter().any(|&sample| signal[sample] != signal[part[0]])
            };
            let own = (0..views.n_nodes()).filter(|&node| views.has(index, node));
            still = own
                .into_iter()
                .find(|&node| !parts.iter().all(|part| varies(part, node)));
            if still.is_none() {
                return Ok(parts);
            }
        }
    }
    let once = format!(
        "choose {} and {} yourself and {}",
        option("density"),
        option("similarity"),
        step("learn_once", "learn once, without halves")
    );
    let (what, hint) = match (views.kind(), still.map(|node| views.nodes()[node].as_str())) {
        (Kind::Gram | Kind::Covariance, _) => (
            "precomputed matrices have no samples to halve".into(),
            format!("give the signals, or {once}"),
        ),
        (_, None) => (
            format!("{} samples or blocks cannot be halved", units.len()),
            format!("give more samples or smaller blocks, leave the view out, or {once}"),
        ),
        (_, Some(node)) => (
            format!("the node `{node}` does not vary in one half or the other, however the samples are halved"),
            format!(
                "leave it out of all views with {}, or {once}",
                option("drop_nodes").set_to(names_listed(&[node]))
            ),
        ),
    };
    Err(DataError::new(
        Code::E05,
        what,
        "which edges are stable is seen by learning from halves of the data",
        hint,
    )
    .in_view(view.name())
    .into())
}

/// The samples that stay together: a block's, or each on its own.
fn units(view: &View) -> Vec<Vec<usize>> {
    let n_samples = view.node(0).len();
    let Some(blocks) = view.blocks() else {
        return (0..n_samples).map(|sample| vec![sample]).collect();
    };
    let mut order: Vec<usize> = (0..n_samples).collect();
    order.sort_by_key(|&sample| &blocks[sample]);
    let same = |one: &usize, two: &usize| blocks[*one] == blocks[*two];
    order.chunk_by(same).map(<[usize]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::{Table, ViewOptions};

    fn views(blocks: Option<usize>) -> Views {
        let table = |name: &str, shift: usize| Table {
            blocks: blocks.map(|length| (0..12).map(|row| format!("b{}", row / length)).collect()),
            ..Table::new(name, 2, (0..24).map(|k| ((k * k + shift) % 7) as f64).collect())
        };
        let options = ViewOptions {
            allow_counts: true,
            ..ViewOptions::default()
        };
        Views::assemble(vec![table("x", 0), table("y", 3)], &options).unwrap().0
    }

    #[test]
    fn halves_share_nothing_and_lack_nothing() {
        let views = views(None);
        let [one, other] = halves(&views, 1, 0).unwrap();
        for view in 0..2 {
            let mut all: Vec<f64> = one.view(view).node(0).to_vec();
            all.extend(other.view(view).node(0));
            let mut expected = views.view(view).node(0).to_vec();
            all.sort_by(f64::total_cmp);
            expected.sort_by(f64::total_cmp);
            assert_eq!(all, expected);
            assert_eq!(one.view(view).n_samples(), Some(6));
        }
        assert_eq!(halves(&views, 1, 0).unwrap()[0], one);
        assert_ne!(halves(&views, 1, 1).unwrap()[0], one);
        assert_ne!(halves(&views, 2, 0).unwrap()[0], one);
    }

    #[test]
    fn blocks_stay_together() {
        let [one, other] = halves(&views(Some(3)), 1, 0).unwrap();
        for view in one.iter().chain(other.iter()) {
            let mut blocks = view.blocks().unwrap().to_vec();
            assert_eq!(blocks.len(), 6);
            blocks.dedup();
            assert_eq!(blocks.len(), 2);
        }
    }

    #[test]
    fn a_single_block_cannot_be_halved() {
        let Err(Error::Data(errors)) = halves(&views(Some(12)), 1, 0) else {
            panic!("halved");
        };
        assert_eq!(errors[0].code, Code::E05);
    }
}
