//! How well learned graphs match known ones: which edges were found, missed, or invented.
//!
//! ```text
//! precision = TP / (TP + FP)      recall = TP / (TP + FN)      F1 = 2 TP / (2 TP + FP + FN)
//! F1_view   = the mean of F1(G^i, Ĝ^i) over the views          F1_consensus = F1(G, Ĝ)
//! ```
//!
//! TP edges are in both graphs, FP only in the learned one, FN only in the true one. An edge is present when its weight is
//! above 0; the weights themselves are not compared. Nodes and views are matched by name. The cost is that of walking the
//! stored edges once, not all pairs of nodes.

use std::collections::HashMap;

use crate::error::{Code, DataError, Error, list_names};
use crate::graph::MultiviewGraph;

/// How the edges of a learned graph agree with those of the true one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeScore {
    /// Edges in both graphs.
    pub true_positives: usize,
    /// Edges in the learned graph only.
    pub false_positives: usize,
    /// Edges in the true graph only.
    pub false_negatives: usize,
}

impl EdgeScore {
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
    /// let score = EdgeScore { true_positives: 3, false_positives: 1, false_negatives: 2 };
    /// assert_eq!(score.f1(), 6.0 / 9.0);
    /// assert_eq!(EdgeScore::default().f1(), 1.0);
    /// ```
    pub fn f1(&self) -> f64 {
        let hits = 2 * self.true_positives;
        self.share(hits, hits + self.false_positives + self.false_negatives)
    }

    fn share(&self, part: usize, whole: usize) -> f64 {
        match whole {
            0 if *self == Self::default() => 1.0,
            0 => 0.0,
            _ => part as f64 / whole as f64,
        }
    }
}

/// The scores of all graphs of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The score of each view with its name, in the order of the learned views.
    pub views: Vec<(String, EdgeScore)>,
    /// The score of the consensus, if both sides have one.
    pub consensus: Option<EdgeScore>,
}

impl Evaluation {
    /// The mean F1 of the views, the paper's F1_view.
    pub fn mean_view_f1(&self) -> f64 {
        self.mean(EdgeScore::f1)
    }

    /// The mean precision of the views.
    pub fn mean_view_precision(&self) -> f64 {
        self.mean(EdgeScore::precision)
    }

    /// The mean recall of the views.
    pub fn mean_view_recall(&self) -> f64 {
        self.mean(EdgeScore::recall)
    }

    fn mean(&self, measure: impl Fn(&EdgeScore) -> f64) -> f64 {
        self.views.iter().map(|(_, score)| measure(score)).sum::<f64>() / self.views.len() as f64
    }
}

/// Scores learned graphs against the true ones.
///
/// # Errors
/// [`Error::Data`] with [`Code::E02`] if the two sides do not have the same nodes or the same views, in whatever order, and
/// with [`Code::E06`] if a name occurs twice.
///
/// ```
/// use congraph::metrics::evaluate;
/// use congraph::simulate::{Settings, simulate};
///
/// let truth = simulate(&Settings::default())?.truth;
/// assert_eq!(evaluate(&truth, &truth)?.mean_view_f1(), 1.0);
/// # Ok::<(), congraph::Error>(())
/// ```
pub fn evaluate(learned: &MultiviewGraph, truth: &MultiviewGraph) -> Result<Evaluation, Error> {
    let mut errors = Vec::new();
    let node_of = match_names("nodes", learned.nodes(), truth.nodes(), &mut errors);
    let view_of = match_names("views", learned.views(), truth.views(), &mut errors);
    if !errors.is_empty() {
        return Err(Error::Data(errors));
    }

    // The rows of the pairs that both sides store: only these can hold an edge in both.
    let in_truth = |pair: &[u32; 2]| {
        let [a, b] = pair.map(|node| node_of[node as usize] as u32);
        truth.pairs().binary_search(&[a.min(b), a.max(b)]).ok()
    };
    let rows: Vec<(usize, usize)> = learned
        .pairs()
        .iter()
        .enumerate()
        .filter_map(|(row, pair)| Some((row, in_truth(pair)?)))
        .collect();

    let views = learned.views().iter().zip(&view_of).enumerate();
    let views = views.map(|(view, (name, &true_view))| {
        let both = rows
            .iter()
            .filter(|&&(row, true_row)| {
                learned.weights().row(row)[view] > 0.0 && truth.weights().row(true_row)[true_view] > 0.0
            })
            .count();
        let n_learned = count(learned.weights().column(view));
        let n_true = count(truth.weights().column(true_view));
        (name.clone(), score(both, n_learned, n_true))
    });
    let consensus = learned.consensus().zip(truth.consensus()).map(|(learned, truth)| {
        let both = rows
            .iter()
            .filter(|&&(row, true_row)| learned[row] > 0.0 && truth[true_row] > 0.0);
        score(
            both.count(),
            count(learned.iter().copied()),
            count(truth.iter().copied()),
        )
    });
    Ok(Evaluation {
        views: views.collect(),
        consensus,
    })
}

fn count(weights: impl Iterator<Item = f64>) -> usize {
    weights.filter(|&weight| weight > 0.0).count()
}

fn score(both: usize, learned: usize, truth: usize) -> EdgeScore {
    EdgeScore {
        true_positives: both,
        false_positives: learned - both,
        false_negatives: truth - both,
    }
}

/// For each learned name its place among the true ones; complete unless an error is added.
fn match_names(what: &'static str, learned: &[String], truth: &[String], errors: &mut Vec<DataError>) -> Vec<usize> {
    let learned_places = places(what, learned, errors);
    let true_places = places(what, truth, errors);
    let lacking = |names: &[String], places: &HashMap<&str, usize>| -> Vec<String> {
        let lacking = names.iter().filter(|name| !places.contains_key(name.as_str()));
        lacking.cloned().collect()
    };
    let only_learned = lacking(learned, &true_places);
    let only_true = lacking(truth, &learned_places);
    if !(only_learned.is_empty() && only_true.is_empty()) {
        errors.push(DataError::new(
            Code::E02,
            format!(
                "the learned and the true graphs have different {what}: only the learned have {}, only the true have {}",
                list_names(&only_learned),
                list_names(&only_true)
            ),
            format!("{what} are matched by name, never by position"),
            "evaluate against the truth of the same data",
        ));
    }
    learned
        .iter()
        .filter_map(|name| true_places.get(name.as_str()).copied())
        .collect()
}

/// The place of each name, which may occur only once.
fn places<'a>(what: &'static str, names: &'a [String], errors: &mut Vec<DataError>) -> HashMap<&'a str, usize> {
    let mut places = HashMap::with_capacity(names.len());
    for (place, name) in names.iter().enumerate() {
        if places.insert(name.as_str(), place).is_some() {
            errors.push(DataError::new(
                Code::E06,
                format!("two {what} are called `{name}`"),
                format!("{what} are matched by name"),
                "give one of them another name",
            ));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rows::ViewRows;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    fn truth() -> MultiviewGraph {
        MultiviewGraph::new(
            names(&["a", "b", "c", "d"]),
            names(&["x", "y"]),
            &[[0, 1], [0, 2], [1, 2], [2, 3]],
            &ViewRows::from_values(2, vec![1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0]),
            Some(&[1.0, 0.0, 0.0, 1.0]),
        )
    }

    #[test]
    fn scores_by_hand_with_nodes_and_views_in_another_order() {
        // x: {ab, ac, cd} is true and {ab, bd} learned; y: {ab, bc, cd} is true and learned.
        let learned = MultiviewGraph::new(
            names(&["d", "c", "b", "a"]),
            names(&["y", "x"]),
            &[[2, 3], [1, 2], [0, 1], [0, 2]],
            &ViewRows::from_values(2, vec![0.2, 3.0, 0.1, 0.0, 7.0, 0.0, 0.0, 1e-9]),
            Some(&[0.5, 0.5, 0.0, 0.0]),
        );
        let evaluation = evaluate(&learned, &truth()).unwrap();
        assert_eq!(
            evaluation.views,
            [("y".to_string(), score(3, 3, 3)), ("x".to_string(), score(1, 2, 3))]
        );
        assert_eq!(evaluation.consensus, Some(score(1, 2, 2)));
        assert_eq!(evaluation.mean_view_precision(), 0.75);
        assert_eq!(evaluation.mean_view_recall(), (1.0 + 1.0 / 3.0) / 2.0);
        assert_eq!(evaluation.mean_view_f1(), (1.0 + 2.0 / 5.0) / 2.0);
    }

    #[test]
    fn a_graph_without_edges_scores_1_against_another_one_only() {
        let values = |score: EdgeScore| [score.precision(), score.recall(), score.f1()];
        assert_eq!(values(score(0, 0, 0)), [1.0; 3]);
        assert_eq!(values(score(0, 0, 5)), [0.0; 3]);
        assert_eq!(values(score(0, 5, 0)), [0.0; 3]);
        assert_eq!(values(score(2, 4, 8)), [0.5, 0.25, 1.0 / 3.0]);
    }

    #[test]
    fn no_consensus_is_scored_unless_both_sides_have_one() {
        let truth = truth();
        let nodes = truth.nodes().to_vec();
        let alone = MultiviewGraph::new(nodes, truth.views().to_vec(), truth.pairs(), truth.weights(), None);
        assert_eq!(evaluate(&alone, &truth).unwrap().consensus, None);
        assert_eq!(evaluate(&truth, &alone).unwrap().consensus, None);
        assert_eq!(evaluate(&alone, &truth).unwrap().mean_view_f1(), 1.0);
    }

    fn errors(nodes: &[&str], views: &[&str]) -> Vec<DataError> {
        let weights = ViewRows::zeros(0, views.len());
        let learned = MultiviewGraph::new(names(nodes), names(views), &[], &weights, None);
        match evaluate(&learned, &truth()) {
            Err(Error::Data(errors)) => errors,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn other_names_are_refused_and_listed() {
        let found = errors(&["a", "b", "c", "D"], &["x", "y", "z"]);
        assert_eq!(found.iter().map(|error| error.code).collect::<Vec<_>>(), [Code::E02; 2]);
        assert!(
            found[0]
                .what
                .ends_with("nodes: only the learned have `D`, only the true have `d`")
        );
        assert!(
            found[1]
                .what
                .ends_with("views: only the learned have `z`, only the true have none")
        );
        // A subset is not enough, in either direction.
        assert_eq!(errors(&["a", "b", "c"], &["x", "y"]).len(), 1);
        assert_eq!(errors(&["a", "b", "c", "d"], &["x"]).len(), 1);
    }

    #[test]
    fn a_name_that_occurs_twice_is_refused() {
        let found = errors(&["a", "b", "c", "d", "a"], &["x", "y"]);
        assert_eq!((found.len(), found[0].code), (1, Code::E06));
        assert_eq!(found[0].what, "two nodes are called `a`");
    }

    const N_NODES: usize = 6;
    const N_VIEWS: usize = 3;

    /// Graphs over all pairs in random weights, many of them 0, with names in a random order.
    fn any_graph() -> impl Strategy<Value = MultiviewGraph> {
        let n_pairs = N_NODES * (N_NODES - 1) / 2;
        let weight = prop_oneof![3 => Just(0.0), 2 => 1e-12..10.0];
        (
            Just(names(&["a", "b", "c", "d", "e", "f"])).prop_shuffle(),
            Just(names(&["x", "y", "z"])).prop_shuffle(),
            prop::collection::vec(weight, n_pairs * (N_VIEWS + 1)),
        )
            .prop_map(move |(nodes, views, weights)| {
                let (weights, consensus) = weights.split_at(n_pairs * N_VIEWS);
                MultiviewGraph::new(
                    nodes,
                    views,
                    crate::Edges::complete(N_NODES).pairs(),
                    &ViewRows::from_values(N_VIEWS, weights.to_vec()),
                    Some(consensus),
                )
            })
    }

    /// Counts over all pairs of names in two dense matrices.
    fn brute_force(learned: (&[String], &[f64]), truth: (&[String], &[f64])) -> EdgeScore {
        let present = |(names, matrix): (&[String], &[f64]), a: &String, b: &String| {
            let place = |name| names.iter().position(|other| other == name).unwrap();
            matrix[place(a) * names.len() + place(b)] > 0.0
        };
        let mut found = EdgeScore::default();
        for a in learned.0 {
            for b in learned.0.iter().filter(|b| a < b) {
                match (present(learned, a, b), present(truth, a, b)) {
                    (true, true) => found.true_positives += 1,
                    (true, false) => found.false_positives += 1,
                    (false, true) => found.false_negatives += 1,
                    (false, false) => {}
                }
            }
        }
        found
    }

    proptest! {
        #[test]
        fn the_scores_are_those_of_dense_matrices(learned in any_graph(), truth in any_graph()) {
            let evaluation = evaluate(&learned, &truth).unwrap();
            for (view, (name, score)) in evaluation.views.iter().enumerate() {
                prop_assert_eq!(name, &learned.views()[view]);
                let true_view = truth.views().iter().position(|other| other == name).unwrap();
                let (found, expected) = (learned.adjacency(view), truth.adjacency(true_view));
                prop_assert_eq!(*score, brute_force((learned.nodes(), &found), (truth.nodes(), &expected)));
            }
            let (found, expected) = (learned.consensus_adjacency().unwrap(), truth.consensus_adjacency().unwrap());
            let expected = brute_force((learned.nodes(), &found), (truth.nodes(), &expected));
            prop_assert_eq!(evaluation.consensus, Some(expected));
        }

        #[test]
        fn exchanging_the_sides_exchanges_precision_and_recall(learned in any_graph(), truth in any_graph()) {
            let (there, back) = (evaluate(&learned, &truth).unwrap(), evaluate(&truth, &learned).unwrap());
            prop_assert!((there.mean_view_f1() - back.mean_view_f1()).abs() < 1e-15);
            prop_assert!((there.mean_view_precision() - back.mean_view_recall()).abs() < 1e-15);
            prop_assert_eq!(evaluate(&learned, &learned).unwrap().mean_view_f1(), 1.0);
        }
    }
}
