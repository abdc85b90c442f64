//! Relabellings of views or pairs: all of them where they are few, else random ones, each from a stream of its own.

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::design::Checked;

/// How many relabellings find a threshold.
const APART: usize = 512;

/// What was observed, under other labels.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Relabelling {
    /// Each view gets the row of another.
    Order(Vec<u32>),
    /// Some pairs are turned round.
    Flips(Vec<bool>),
}

/// The relabellings of a design.
pub(super) struct Relabellings {
    /// All distinct ones, the observed one among them; else they are drawn.
    all: Option<Vec<Relabelling>>,
    n_drawn: usize,
    /// The number of the first that is drawn.
    first: u64,
    n_units: usize,
    is_paired: bool,
    seed: u64,
}

impl Relabellings {
    /// All where there are no more than `most`, else that many random ones.
    ///
    /// With covariates it is residuals that are permuted, and no number of them makes the test exact.
    pub(super) fn of(design: &Checked, most: usize, seed: u64) -> Self {
        let is_exact = design.n_distinct() <= most as f64 && !design.has_covariates();
        let all = is_exact.then(|| match design.is_paired() {
            true => all_flips(design.n_units()),
            false => all_orders(&design.unit_groups),
        });
        Self {
            all,
            n_drawn: most,
            first: 0,
            n_units: design.n_units(),
            is_paired: design.is_paired(),
            seed,
        }
    }

    /// All of them where these are all; else a few random ones that are not among these.
    pub(super) fn apart(&self) -> Self {
        Self {
            all: self.all.clone(),
            n_drawn: APART,
            first: 1 << 32,
            ..*self
        }
    }

    pub(super) fn is_exact(&self) -> bool {
        self.all.is_some()
    }

    /// How many are looked at.
    pub(super) fn len(&self) -> usize {
        self.all.as_ref().map_or(self.n_drawn, Vec::len)
    }

    /// The share of all that are looked at of which this many are at least as extreme; of random ones the observed
    /// labels are one more.
    pub(super) fn share(&self, n_extreme: usize) -> f64 {
        match self.is_exact() {
            true => n_extreme as f64 / self.len() as f64,
            false => (n_extreme + 1) as f64 / (self.len() + 1) as f64,
        }
    }

    /// One by its number.
    pub(super) fn get(&self, number: usize) -> Relabelling {
        if let Some(all) = &self.all {
            return all[number].clone();
        }
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(self.first + number as u64);
        if self.is_paired {
            return Relabelling::Flips((0..self.n_units).map(|_| rng.next_u32() & 1 == 1).collect());
        }
        let mut order: Vec<u32> = (0..self.n_units as u32).collect();
        order.shuffle(&mut rng);
        Relabelling::Order(order)
    }
}

/// The smallest p that a design without covariates can have: turning all groups of equal size round changes no |z|.
pub(super) fn least_share(design: &Checked) -> f64 {
    let n_alike = match (design.is_paired(), &design.sizes[..]) {
        (true, _) => 2.0,
        (false, [one, two]) if one == two => 2.0,
        _ => 1.0,
    };
    n_alike / design.n_distinct()
}

fn all_flips(n_units: usize) -> Vec<Relabelling> {
    let flips = |bits: usize| Relabelling::Flips((0..n_units).map(|unit| bits >> unit & 1 == 1).collect());
    (0..1_usize << n_units).map(flips).collect()
}

/// All distinct arrangements of the groups of views, in lexicographic order. Each view gets the row of some view that
/// has the group it is given: without covariates these rows are all alike.
fn all_orders(groups: &[usize]) -> Vec<Relabelling> {
    let mut arrangement = groups.to_vec();
    arrangement.sort_unstable();
    let mut first = vec![0_u32; groups.len() + 1];
    for (view, &group) in groups.iter().enumerate().rev() {
        first[group] = view as u32;
    }
    let mut all = Vec::new();
    loop {
        all.push(Relabelling::Order(
            arrangement.iter().map(|&group| first[group]).collect(),
        ));
        if !advance(&mut arrangement) {
            return all;
        }
    }
}

/// The next arrangement in lexicographic order; false after the last.
fn advance(arrangement: &mut [usize]) -> bool {
    let Some(at) = arrangement.windows(2).rposition(|two| two[0] < two[1]) else {
        return false;
    };
    // There is a larger one behind, if only the next.
    let other = arrangement
        .iter()
        .rposition(|&group| group > arrangement[at])
        .unwrap_or(at + 1);
    arrangement.swap(at, other);
    arrangement[at + 1..].reverse();
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_arrangement_comes_once() {
        let all = all_orders(&[1, 0, 0, 1, 2]);
        // 5! / (2! 2! 1!)
        assert_eq!(all.len(), 30);
        assert!(all.iter().enumerate().all(|(k, one)| !all[..k].contains(one)));
        assert!(all.contains(&Relabelling::Order(vec![0, 1, 1, 0, 4])));
        assert_eq!(all_flips(3).len(), 8);
        assert_eq!(all_flips(3)[5], Relabelling::Flips(vec![true, false, true]));
    }
}
