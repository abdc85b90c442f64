//! Halves of every view's samples: by blocks where there are any, else sample by sample, or the first and the second.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::error::{Code, DataError, Error};
use crate::options::{names_listed, option, step};
use crate::views::{Kind, View, Views};

/// How often a half in which a node does not vary is drawn anew.
const TRIES: usize = 100;

/// What halves are made for.
struct Purpose {
    /// Whether samples without blocks are halved in their order, as long as every node varies in both halves.
    in_order: bool,
    /// Why halves are needed.
    why: &'static str,
    /// What to do where there are none.
    instead: String,
}

/// The two halves number `number` of a seed, in the order of the views; what is drawn is the same for any order of them.
///
/// # Errors
/// E05 if a view cannot be halved.
pub(super) fn halves(views: &Views, seed: u64, number: u64) -> Result<[Views; 2], Error> {
    let purpose = Purpose {
        in_order: false,
        why: "how well a fit suits other samples is seen by learning from halves of the data",
        instead: format!(
            "choose {} and {} yourself and {}",
            option("density"),
            option("similarity"),
            step("learn_once", "learn once, without halves")
        ),
    };
    halves_for(&purpose, views, seed, number)
}

/// The first and the second half of every view's samples, for what neighbours in time should not tell of each other.
/// Blocks are drawn as for [`halves`], and so are samples where a node would not vary. `why` they are needed, and what
/// to do `instead`, is told where there are none.
///
/// # Errors
/// E05 if a view cannot be halved.
pub(super) fn ordered_halves(views: &Views, why: &'static str, instead: String) -> Result<[Views; 2], Error> {
    let purpose = Purpose {
        in_order: true,
        why,
        instead,
    };
    halves_for(&purpose, views, 1, 0)
}

fn halves_for(purpose: &Purpose, views: &Views, seed: u64, number: u64) -> Result<[Views; 2], Error> {
    let mut samples = [Vec::new(), Vec::new()];
    for (index, view) in views.iter().enumerate() {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let rank = views.iter().filter(|other| other.name() < view.name()).count();
        rng.set_stream(number * views.n_views() as u64 + rank as u64);
        let [one, other] = halved(purpose, view, index, views, &mut rng)?;
        samples[0].push(one);
        samples[1].push(other);
    }
    Ok(samples.map(|samples| views.with_samples(&samples)))
}

/// The samples of one view in two parts, in both of which every node varies.
fn halved(
    purpose: &Purpose,
    view: &View,
    index: usize,
    views: &Views,
    rng: &mut ChaCha8Rng,
) -> Result<[Vec<usize>; 2], Error> {
    let mut units = units(view);
    let enough = units.len() >= 4 || (view.blocks().is_some() && units.len() >= 2);
    let mut still = None;
    if views.kind() == Kind::Signals && enough {
        for number in 0..TRIES {
            if number > 0 || !purpose.in_order || view.blocks().is_some() {
                units.shuffle(rng);
            }
            let parts = split(&units);
            still = unvarying(&parts, index, views);
            if still.is_none() {
                return Ok(parts);
            }
        }
    }
    Err(not_halved(purpose, view, views, units.len(), still))
}

/// The samples of the first and of the second half of the units.
fn split(units: &[Vec<usize>]) -> [Vec<usize>; 2] {
    let (one, other) = units.split_at(units.len() / 2);
    [one, other].map(|part| {
        let mut samples = part.concat();
        samples.sort_unstable();
        samples
    })
}

/// A node of a view that does not vary in one of two parts.
fn unvarying(parts: &[Vec<usize>; 2], index: usize, views: &Views) -> Option<usize> {
    let varies = |part: &Vec<usize>, node: usize| {
        let signal = views.view(index).node(node);
        part.iter().any(|&sample| signal[sample] != signal[part[0]])
    };
    let mut own = (0..views.n_nodes()).filter(|&node| views.has(index, node));
    own.find(|&node| !parts.iter().all(|part| varies(part, node)))
}

/// Why a view cannot be halved: too few units, or a node that stays `still`.
fn not_halved(purpose: &Purpose, view: &View, views: &Views, n_units: usize, still: Option<usize>) -> Error {
    let once = &purpose.instead;
    let (what, hint) = match (views.kind(), still.map(|node| views.nodes()[node].as_str())) {
        (Kind::Gram | Kind::Covariance, _) => (
            format!("{} have no samples to halve", views.matrices()),
            format!("{}, or {once}", views.for_samples()),
        ),
        (_, None) => (
            match n_units {
                1 => "one sample or block cannot be halved".into(),
                _ => format!("{n_units} samples or blocks cannot be halved"),
            },
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
    DataError::new(Code::E05, what, purpose.why, hint)
        .in_view(view.name())
        .into()
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
