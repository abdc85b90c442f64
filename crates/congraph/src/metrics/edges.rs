//! Which pairs of nodes are edges of the learned graph, of the true one, of both or of neither.

use super::information::nmi_of_counts;
use crate::graph::is_edge;

/// How the edges of a learned graph agree with those of the true one.
///
/// The two sides of precision, recall, F1 and NMI can be exchanged (precision with recall); accuracy is near 1 for
/// every two sparse graphs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeScore {
    /// Edges in both graphs.
    pub true_positives: usize,
    /// Edges in the learned graph only.
    pub false_positives: usize,
    /// Edges in the true graph only.
    pub false_negatives: usize,
    /// Pairs of nodes that are edges in neither.
    pub true_negatives: usize,
}

impl EdgeScore {
    /// Of weights in the learned and the true graph, of which those other than 0 are edges; the rest of all `n_pairs` pairs
    /// is absent from both.
    pub(super) fn of(weights: &[(f64, f64)], n_pairs: usize) -> Self {
        let mut score = Self::default();
        for &(learned, truth) in weights {
            match (is_edge(learned), is_edge(truth)) {
                (true, true) => score.true_positives += 1,
                (true, false) => score.false_positives += 1,
                (false, true) => score.false_negatives += 1,
                (false, false) => {}
            }
        }
        score.true_negatives = n_pairs - score.n_present();
        score
    }

    /// Pairs that are an edge in either graph.
    fn n_present(&self) -> usize {
        self.true_positives + self.false_positives + self.false_negatives
    }

    /// The share of the learned edges that are true.
    ///
    /// Without any learned edge it is 1 if there is no true one either, else 0.
    pub fn precision(&self) -> f64 {
        self.share(self.true_positives, self.true_positives + self.false_positives)
    }

    /// The share of the true edges that were learned.
    ///
    /// Without any true edge it is 1 if none was learned either, else 0.
    pub fn recall(&self) -> f64 {
        self.share(self.true_positives, self.true_positives + self.false_negatives)
    }

    /// The harmonic mean of precision and recall; 1 for two graphs without edges.
    ///
    /// ```
    /// use congraph::metrics::EdgeScore;
    ///
    /// let score = EdgeScore { true_positives: 3, false_positives: 1, false_negatives: 2, true_negatives: 9 };
    /// assert_eq!(score.f1(), 6.0 / 9.0);
    /// assert_eq!(score.accuracy(), 12.0 / 15.0);
    /// assert_eq!(EdgeScore::default().f1(), 1.0);
    /// ```
    pub fn f1(&self) -> f64 {
        let hits = 2 * self.true_positives;
        self.share(hits, hits + self.false_positives + self.false_negatives)
    }

    /// The share of all pairs of nodes on which the two graphs agree; 1 if there are no pairs.
    pub fn accuracy(&self) -> f64 {
        let agreed = self.true_positives + self.true_negatives;
        match agreed + self.false_positives + self.false_negatives {
            0 => 1.0,
            n_pairs => agreed as f64 / n_pairs as f64,
        }
    }

    /// The normalised mutual information 2 I / (H + H) between the two edge sets, as [`nmi`](super::nmi) of two
    /// labelings of all pairs of nodes: present or absent.
    ///
    /// It is 0 where one graph tells nothing about the other, above all if just one of them is empty or complete; 1 if
    /// both are equal, but also if each is the complement of the other.
    pub fn nmi(&self) -> f64 {
        nmi_of_counts(&[
            (1, 1, self.true_positives),
            (1, 0, self.false_positives),
            (0, 1, self.false_negatives),
            (0, 0, self.true_negatives),
        ])
    }

    fn share(&self, part: usize, whole: usize) -> f64 {
        match whole {
            0 if self.n_present() == 0 => 1.0,
            0 => 0.0,
            _ => part as f64 / whole as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(both: usize, learned: usize, truth: usize) -> EdgeScore {
        EdgeScore {
            true_positives: both,
            false_positives: learned - both,
            false_negatives: truth - both,
            true_negatives: 10 + both - learned - truth,
        }
    }

    #[test]
    fn empty_and_complete_graphs() {
        let values = |score: EdgeScore| {
            [
                score.precision(),
                score.recall(),
                score.f1(),
                score.accuracy(),
                score.nmi(),
            ]
        };
        assert_eq!(values(score(0, 0, 0)), [1.0; 5]);
        assert_eq!(values(score(10, 10, 10)), [1.0; 5]);
        assert_eq!(values(EdgeScore::default()), [1.0; 5]);
        assert_eq!(values(score(0, 0, 5)), [0.0, 0.0, 0.0, 0.5, 0.0]);
        assert_eq!(values(score(0, 5, 0)), [0.0, 0.0, 0.0, 0.5, 0.0]);
        assert_eq!(values(score(5, 10, 5)), [0.5, 1.0, 2.0 / 3.0, 0.5, 0.0]);
        // A graph and its complement: no edge in common, and yet each tells all of the other.
        assert_eq!(values(score(0, 5, 5)), [0.0, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!(values(score(0, 0, 10)), [0.0, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!(values(score(2, 4, 5))[..4], [0.5, 0.4, 4.0 / 9.0, 0.5]);
    }
}
