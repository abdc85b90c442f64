//! How well a signed graph was found, signs included.
//!
//! An edge that was found with the wrong sign is two mistakes: an edge that is not there, and a true one that was
//! missed. It counts in FP and in FN. Precision, recall and F1 are then never larger than without signs; where no sign
//! is wrong they are the same, and so is AUPRC. AUPRC can be larger by a hair where hardly an edge is found: a true
//! edge of the wrong sign then ranks with all that has no weight, and may have ranked among worse.

use super::ranking::average_precision_of;
use crate::graph::is_edge;

/// How the edges of a learned graph agree with those of the true one, signs included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedScore {
    /// Edges in both graphs, with the same sign.
    pub true_positives: usize,
    /// Edges of the learned graph that the true one has not, or with the other sign.
    pub false_positives: usize,
    /// Edges of the true graph that the learned one has not, or with the other sign.
    pub false_negatives: usize,
    /// Edges in both graphs, with opposite signs: they count in both of the above.
    pub wrong_signs: usize,
    /// The area under the precision–recall curve of |weight|, where an edge of the wrong sign is a false one.
    pub auprc: f64,
}

impl SignedScore {
    /// Of weights in the learned and the true graph; the rest of all `n_pairs` pairs is absent from both.
    pub(super) fn of(weights: &[(f64, f64)], n_pairs: usize) -> Self {
        let is_right = |learned: f64, truth: f64| is_edge(truth) && (learned < 0.0) == (truth < 0.0);
        let learned = weights.iter().filter(|(learned, _)| is_edge(*learned));
        let ranked: Vec<(f64, bool)> = learned
            .map(|&(learned, truth)| (learned.abs(), is_right(learned, truth)))
            .collect();
        let true_positives = ranked.iter().filter(|(_, is_right)| *is_right).count();
        let false_positives = ranked.len() - true_positives;
        let n_true = weights.iter().filter(|(_, truth)| is_edge(*truth)).count();
        let in_both = |(learned, truth): &&(f64, f64)| is_edge(*learned) && is_edge(*truth);
        let wrong_signs = weights.iter().filter(in_both).count() - true_positives;
        let false_negatives = n_true - true_positives;
        // A true edge of the other sign was given no weight at all: it is one more of those.
        let n_rest = n_pairs - ranked.len() + wrong_signs;
        Self {
            true_positives,
            false_positives,
            false_negatives,
            wrong_signs,
            auprc: average_precision_of(ranked, n_rest, false_negatives),
        }
    }

    /// The share of the learned edges that are true and have the right sign; without any learned edge it is 1 if there
    /// is no true one either, else 0.
    pub fn precision(&self) -> f64 {
        self.share(self.true_positives, self.true_positives + self.false_positives)
    }

    /// The share of the true edges that were learned with the right sign; without any true edge it is 1 if none was
    /// learned either, else 0.
    pub fn recall(&self) -> f64 {
        self.share(self.true_positives, self.true_positives + self.false_negatives)
    }

    /// The harmonic mean of precision and recall; 1 for two graphs without edges.
    pub fn f1(&self) -> f64 {
        let hits = 2 * self.true_positives;
        self.share(hits, hits + self.false_positives + self.false_negatives)
    }

    fn share(&self, part: usize, whole: usize) -> f64 {
        match whole {
            0 if self.false_positives + self.false_negatives == 0 => 1.0,
            0 => 0.0,
            _ => part as f64 / whole as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::GraphScore;
    use super::*;

    #[test]
    fn by_hand() {
        // Right, wrong sign, invented, missed, and one pair of neither.
        let weights = [(3.0, 1.0), (-2.0, 1.0), (-1.0, 0.0), (0.0, -1.0)];
        let found = SignedScore::of(&weights, 5);
        let counts = [
            found.true_positives,
            found.false_positives,
            found.false_negatives,
            found.wrong_signs,
        ];
        assert_eq!(counts, [1, 2, 2, 1]);
        assert_eq!(
            (found.precision(), found.recall(), found.f1()),
            (1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0)
        );
        // The first is a hit; then all that has no weight enters at once: 3 hits of 3 + (5 − 3 + 1) items.
        assert!((found.auprc - (1.0 + 2.0 * 3.0 / 6.0) / 3.0).abs() < 1e-15);
        // Without signs, it is the edge of the wrong one that is found too.
        let unsigned = GraphScore::of(&weights, 5);
        assert_eq!((unsigned.precision(), unsigned.recall()), (2.0 / 3.0, 2.0 / 3.0));
        assert_eq!(SignedScore::of(&[], 3).f1(), 1.0);
        assert_eq!(SignedScore::of(&[(1.0, 0.0)], 3).recall(), 0.0);
    }

    proptest! {
        #[test]
        fn signs_only_make_it_harder_and_do_not_matter_where_they_agree(
            weights in prop::collection::vec((-3_i8..4, -2_i8..3), 1..40)
        ) {
            let weights: Vec<(f64, f64)> = weights.iter().map(|&(x, y)| (f64::from(x), f64::from(y))).collect();
            let n_pairs = weights.len() + 3;
            let (with, without) = (SignedScore::of(&weights, n_pairs), GraphScore::of(&weights, n_pairs));
            prop_assert!(with.f1() <= without.f1());
            prop_assert!(with.precision() <= without.precision() && with.recall() <= without.recall());
            // All signs of one side exchanged is the same as those of the other.
            let mirrored: Vec<(f64, f64)> = weights.iter().map(|&(x, y)| (-x, -y)).collect();
            prop_assert_eq!(SignedScore::of(&mirrored, n_pairs), with);
            let agreeing: Vec<(f64, f64)> = weights.iter().map(|&(x, y)| (x, y.abs() * x.signum())).collect();
            let (with, without) = (SignedScore::of(&agreeing, n_pairs), GraphScore::of(&agreeing, n_pairs));
            let values = [(with.f1(), without.f1()), (with.auprc, without.auprc), (with.recall(), without.recall())];
            for (with, without) in values {
                prop_assert_eq!(with, without);
            }
        }
    }
}
