//! How well learned graphs match known ones, and how smooth data are on them.
//!
//! ```text
//! precision = TP / (TP + FP)      recall = TP / (TP + FN)      F1 = 2 TP / (2 TP + FP + FN)
//! accuracy  = (TP + TN) / all     NMI    = 2 I / (H + H)       of the two edge sets, see `information.rs`
//! AUPRC     = average precision of the weights as a ranking of all pairs, see `ranking.rs`
//! correlation = Pearson's, of the learned and the true weights over all pairs
//! F1_view   = the mean of F1(G^i, Ĝ^i) over the views          F1_consensus = F1(G, Ĝ)
//! total variation = tr(XᵀLX), see `variation.rs`
//! log-likelihood  = of data on a graph, above that of independent nodes, see `likelihood.rs`
//! ```
//!
//! Of all n(n−1)/2 pairs of nodes TP are edges in both graphs, FP only in the learned one, FN only in the true one, and
//! TN in neither; of views that lack nodes, of the pairs that a view has on both sides, and of the consensus those that
//! some view has. An edge is present when its weight is not 0, and ranked by |weight|; of signed graphs there are the
//! same scores with signs too, see `signs.rs`. Nodes and views are matched by name. The cost is that of walking the
//! stored edges once, and of sorting them by weight; not all pairs of nodes.

mod edges;
mod information;
mod likelihood;
mod names;
mod ranking;
mod signs;
mod variation;

pub use self::edges::EdgeScore;
pub use self::information::nmi;
pub(crate) use self::likelihood::gain_of;
pub use self::likelihood::{best_precision, log_likelihood};
use self::names::{Sides, match_names};
pub use self::ranking::average_precision;
use self::ranking::average_precision_of;
pub use self::signs::SignedScore;
pub use self::variation::{Smoothness, TotalVariation, total_variation};
use crate::error::Error;
use crate::graph::{MultiviewGraph, is_edge, pearson};
use crate::views::Membership;

/// How a learned graph agrees with the true one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphScore {
    /// Which edges are found, missed and invented.
    pub edges: EdgeScore,
    /// The area under the precision–recall curve of the learned |weights|, absent pairs counting as weight 0: from the
    /// share of true edges (weights that say nothing) or less to 1 (every true edge above every other pair). Without
    /// any true edge it is 1 if none was learned either, else 0.
    pub auprc: f64,
    /// Pearson's correlation of the learned and the true weights over all pairs.
    ///
    /// Where both are constant it is 1 if neither or both graphs have edges, else 0; where one is, 0.
    pub correlation: f64,
    /// The same with signs, if any graph of either side has a negative weight; all of the above is without.
    pub signed: Option<SignedScore>,
}

impl GraphScore {
    /// Of the weights of all pairs that are an edge in either graph, and possibly others.
    fn of(weights: &[(f64, f64)], n_pairs: usize) -> Self {
        let edges = EdgeScore::of(weights, n_pairs);
        let ranked = weights.iter().filter(|(learned, _)| is_edge(*learned));
        let ranked: Vec<(f64, bool)> = ranked
            .map(|&(learned, truth)| (learned.abs(), is_edge(truth)))
            .collect();
        let n_rest = n_pairs - ranked.len();
        let n_learned = edges.true_positives + edges.false_positives;
        let n_true = edges.true_positives + edges.false_negatives;
        Self {
            edges,
            auprc: average_precision_of(ranked, n_rest, edges.false_negatives),
            correlation: if (n_learned == 0) == (n_true == 0) {
                pearson(weights.iter().copied(), n_pairs)
            } else {
                0.0
            },
            signed: None,
        }
    }

    /// The harmonic mean of precision and recall: see [`EdgeScore::f1`].
    pub fn f1(&self) -> f64 {
        self.edges.f1()
    }

    /// The share of the learned edges that are true: see [`EdgeScore::precision`].
    pub fn precision(&self) -> f64 {
        self.edges.precision()
    }

    /// The share of the true edges that were learned: see [`EdgeScore::recall`].
    pub fn recall(&self) -> f64 {
        self.edges.recall()
    }

    /// The share of the pairs of nodes on which both agree: see [`EdgeScore::accuracy`].
    pub fn accuracy(&self) -> f64 {
        self.edges.accuracy()
    }

    /// The normalised mutual information of the edge sets: see [`EdgeScore::nmi`].
    pub fn nmi(&self) -> f64 {
        self.edges.nmi()
    }
}

/// The scores of all graphs of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The score of each view with its name, in the order of the learned views.
    pub views: Vec<(String, GraphScore)>,
    /// The score of the consensus, if both sides have one.
    pub consensus: Option<GraphScore>,
}

impl Evaluation {
    /// The mean F1 of the views, the paper's F1_view.
    pub fn mean_view_f1(&self) -> f64 {
        self.mean_view(GraphScore::f1)
    }

    /// The mean precision of the views.
    pub fn mean_view_precision(&self) -> f64 {
        self.mean_view(GraphScore::precision)
    }

    /// The mean recall of the views.
    pub fn mean_view_recall(&self) -> f64 {
        self.mean_view(GraphScore::recall)
    }

    /// The mean of any measure over the views.
    ///
    /// ```
    /// use congraph::metrics::{GraphScore, evaluate};
    /// use congraph::simulate::{Settings, simulate};
    ///
    /// let truth = simulate(&Settings::default())?.truth;
    /// let evaluation = evaluate(&truth, &truth)?;
    /// assert_eq!(evaluation.mean_view(GraphScore::nmi), 1.0);
    /// assert_eq!(evaluation.mean_view(|score| score.auprc), 1.0);
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn mean_view(&self, measure: impl Fn(&GraphScore) -> f64) -> f64 {
        self.views.iter().map(|(_, score)| measure(score)).sum::<f64>() / self.views.len() as f64
    }
}

/// Scores learned graphs against the true ones. A single true graph is that of every view, and of the consensus.
///
/// # Errors
/// [`Error::Data`] with [`Code::E02`](crate::Code::E02) if the two sides do not have the same nodes or the same views,
/// in whatever order, and with [`Code::E06`](crate::Code::E06) if a name occurs twice.
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
    let node_of = match_names("nodes", learned.nodes(), truth.nodes(), &Sides::TRUTH, &mut errors);
    let is_one_for_all = truth.n_views() == 1 && learned.n_views() > 1;
    let view_of = if is_one_for_all {
        vec![0; learned.n_views()]
    } else {
        match_names("views", learned.views(), truth.views(), &Sides::TRUTH, &mut errors)
    };
    if !errors.is_empty() {
        return Err(Error::Data(errors));
    }

    let in_truth = |pair: &[u32; 2]| {
        let [a, b] = pair.map(|node| node_of[node as usize] as u32);
        truth.pairs().binary_search(&[a.min(b), a.max(b)]).ok()
    };
    let true_rows: Vec<Option<usize>> = learned.pairs().iter().map(in_truth).collect();
    let mut is_shared = vec![false; truth.pairs().len()];
    true_rows.iter().flatten().for_each(|&row| is_shared[row] = true);
    // Which pairs of the learned graphs count: of a view, or of the consensus.
    let membership = common_membership(learned, truth, &node_of, &view_of);
    let counts = |view: Option<usize>, pair: [u32; 2]| match view {
        Some(view) => membership.has_pair(view, pair),
        None => membership.some_has(pair),
    };
    let mut node_in_learned = vec![0_u32; node_of.len()];
    node_of
        .iter()
        .enumerate()
        .for_each(|(node, &place)| node_in_learned[place] = node as u32);
    let is_signed = learned.is_signed() || truth.is_signed();
    let score = |view: Option<usize>, learned_weights: &mut dyn Iterator<Item = f64>, true_weights: &[f64]| {
        let stored = learned_weights.zip(&true_rows).zip(learned.pairs());
        let stored = stored.filter(|(_, pair)| counts(view, **pair));
        let stored = stored.map(|((weight, row), _)| (weight, row.map_or(0.0, |row| true_weights[row])));
        let only_true = true_weights.iter().zip(&is_shared).zip(truth.pairs());
        let only_true = only_true.filter(|((_, is_shared), pair)| {
            !**is_shared && counts(view, pair.map(|node| node_in_learned[node as usize]))
        });
        let weights: Vec<(f64, f64)> = stored.chain(only_true.map(|((&weight, _), _)| (0.0, weight))).collect();
        let n_pairs = view.map_or(membership.n_pairs(), |view| membership.n_pairs_of(view));
        GraphScore {
            signed: is_signed.then(|| SignedScore::of(&weights, n_pairs)),
            ..GraphScore::of(&weights, n_pairs)
        }
    };

    let views = learned.views().iter().zip(&view_of).enumerate();
    let views = views.map(|(view, (name, &true_view))| {
        let true_weights: Vec<f64> = truth.weights().column(true_view).collect();
        let mut weights = learned.weights().column(view);
        (name.clone(), score(Some(view), &mut weights, &true_weights))
    });
    let only: Vec<f64> = truth.weights().column(0).collect();
    let shared = truth.consensus().or(is_one_for_all.then_some(&only[..]));
    Ok(Evaluation {
        views: views.collect(),
        consensus: learned
            .consensus()
            .zip(shared)
            .map(|(learned, truth)| score(None, &mut learned.iter().copied(), truth)),
    })
}

/// What views have on both sides, in the order of the learned graphs.
fn common_membership(
    learned: &MultiviewGraph,
    truth: &MultiviewGraph,
    node_of: &[usize],
    view_of: &[usize],
) -> Membership {
    Membership::new(learned.n_nodes(), learned.n_views(), |view, node| {
        !learned.has(view, node) || !truth.has(view_of[view], node_of[node])
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::edges::ViewMatrix;
    use crate::error::{Code, DataError};

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    fn truth() -> MultiviewGraph {
        MultiviewGraph::new(
            names(&["a", "b", "c", "d"]),
            names(&["x", "y"]),
            &[[0, 1], [0, 2], [1, 2], [2, 3]],
            &ViewMatrix::from_values(2, vec![1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0]),
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
            &ViewMatrix::from_values(2, vec![0.2, 3.0, 0.1, 0.0, 7.0, 0.0, 0.0, 1e-9]),
            Some(&[0.5, 0.5, 0.0, 0.0]),
        );
        let evaluation = evaluate(&learned, &truth()).unwrap();
        let scores: Vec<(&str, EdgeScore)> = evaluation
            .views
            .iter()
            .map(|(name, score)| (&**name, score.edges))
            .collect();
        assert_eq!(scores, [("y", counts(3, 3, 3)), ("x", counts(1, 2, 3))]);
        assert_eq!(evaluation.consensus.unwrap().edges, counts(1, 2, 2));
        // x: ab first, then bd, then all of ac, cd and two false pairs at once.
        assert!((evaluation.views[1].1.auprc - (1.0 + 2.0 * 3.0 / 6.0) / 3.0).abs() < 1e-15);
        assert_eq!(evaluation.views[0].1.auprc, 1.0);
        assert_eq!(evaluation.mean_view_precision(), 0.75);
        assert_eq!(evaluation.mean_view_recall(), (1.0 + 1.0 / 3.0) / 2.0);
        assert_eq!(evaluation.mean_view_f1(), (1.0 + 2.0 / 5.0) / 2.0);
    }

    fn counts(both: usize, learned: usize, truth: usize) -> EdgeScore {
        EdgeScore {
            true_positives: both,
            false_positives: learned - both,
            false_negatives: truth - both,
            true_negatives: 6 + both - learned - truth,
        }
    }

    /// AUPRC and correlation of the weights of six pairs.
    fn ranked(learned: [f64; 6], truth: [f64; 6]) -> [f64; 2] {
        let weights: Vec<(f64, f64)> = learned.into_iter().zip(truth).collect();
        let score = GraphScore::of(&weights, 6);
        // Pairs that are absent from both need not be listed.
        let stored: Vec<(f64, f64)> = weights
            .into_iter()
            .filter(|&(one, two)| is_edge(one) || is_edge(two))
            .collect();
        assert_eq!(GraphScore::of(&stored, 6), score);
        [score.auprc, score.correlation]
    }

    #[test]
    fn empty_and_complete_graphs_have_defined_scores() {
        let (empty, complete) = ([0.0; 6], [2.0; 6]);
        let half = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
        assert_eq!(ranked(empty, empty), [1.0, 1.0]);
        assert_eq!(ranked(complete, complete), [1.0, 1.0]);
        assert_eq!(ranked(complete, empty), [0.0, 0.0]);
        assert_eq!(ranked(empty, complete), [1.0, 0.0]);
        assert_eq!(ranked(empty, half), [0.5, 0.0]);
        assert_eq!(ranked(complete, half), [0.5, 0.0]);
        assert_eq!(ranked(half, complete), [1.0, 0.0]);
        assert_eq!(ranked(half, empty), [0.0, 0.0]);
        assert_eq!(ranked(half, half), [1.0, 1.0]);
    }

    #[test]
    fn signs_are_scored_where_either_side_has_any() {
        let truth = truth();
        let flipped = |graph: &MultiviewGraph| {
            let weights = graph.weights().values().iter().map(|weight| -weight).collect();
            let weights = ViewMatrix::from_values(2, weights);
            let consensus = graph.consensus();
            MultiviewGraph::new(
                graph.nodes().to_vec(),
                graph.views().to_vec(),
                graph.pairs(),
                &weights,
                consensus,
            )
        };
        assert!(
            evaluate(&truth, &truth)
                .unwrap()
                .views
                .iter()
                .all(|(_, score)| score.signed.is_none())
        );
        for (learned, truth) in [(&flipped(&truth), &truth), (&truth, &flipped(&truth))] {
            let found = evaluate(learned, truth).unwrap();
            for (_, score) in &found.views {
                let signed = score.signed.unwrap();
                assert_eq!((score.f1(), signed.f1(), signed.wrong_signs), (1.0, 0.0, 3));
                assert!((score.correlation + 1.0).abs() < 1e-14);
            }
            // The consensus has none, and is told all the same: the graphs are of one kind.
            assert_eq!(found.consensus.unwrap().signed.unwrap().f1(), 1.0);
        }
        let same = evaluate(&flipped(&truth), &flipped(&truth)).unwrap();
        assert!(
            same.views
                .iter()
                .all(|(_, score)| score.signed.unwrap().f1() == 1.0 && score.f1() == 1.0)
        );
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
        let weights = ViewMatrix::zeros(0, views.len());
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
        assert!(found[1].what.ends_with("views: only the learned have `z`"));
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
        let weight = prop_oneof![3 => Just(0.0), 2 => 1e-12..10.0, 1 => -10.0..-1e-12];
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
                    &ViewMatrix::from_values(N_VIEWS, weights.to_vec()),
                    Some(consensus),
                )
            })
    }

    /// Counts over all pairs of names in two dense matrices.
    fn brute_force(learned: (&[String], &[f64]), truth: (&[String], &[f64])) -> EdgeScore {
        let present = |(names, matrix): (&[String], &[f64]), a: &String, b: &String| {
            let place = |name| names.iter().position(|other| other == name).unwrap();
            matrix[place(a) * names.len() + place(b)] != 0.0
        };
        let mut found = EdgeScore::default();
        for a in learned.0 {
            for b in learned.0.iter().filter(|b| a < b) {
                match (present(learned, a, b), present(truth, a, b)) {
                    (true, true) => found.true_positives += 1,
                    (true, false) => found.false_positives += 1,
                    (false, true) => found.false_negatives += 1,
                    (false, false) => found.true_negatives += 1,
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
                prop_assert_eq!(score.edges, brute_force((learned.nodes(), &found), (truth.nodes(), &expected)));
            }
            let (found, expected) = (learned.consensus_adjacency().unwrap(), truth.consensus_adjacency().unwrap());
            let expected = brute_force((learned.nodes(), &found), (truth.nodes(), &expected));
            prop_assert_eq!(evaluation.consensus.unwrap().edges, expected);
        }

        #[test]
        fn exchanging_the_sides_exchanges_precision_and_recall(learned in any_graph(), truth in any_graph()) {
            let (there, back) = (evaluate(&learned, &truth).unwrap(), evaluate(&truth, &learned).unwrap());
            prop_assert!((there.mean_view_f1() - back.mean_view_f1()).abs() < 1e-15);
            prop_assert!((there.mean_view_precision() - back.mean_view_recall()).abs() < 1e-15);
            prop_assert_eq!(evaluate(&learned, &learned).unwrap().mean_view_f1(), 1.0);
            for measure in [GraphScore::accuracy, GraphScore::nmi, |score: &GraphScore| score.correlation] {
                prop_assert!((there.mean_view(measure) - back.mean_view(measure)).abs() < 1e-14);
                prop_assert!((evaluate(&learned, &learned).unwrap().mean_view(measure) - 1.0).abs() < 1e-14);
            }
        }

        #[test]
        fn scores_are_bounded_and_only_correlation_and_ranking_know_weights(
            learned in any_graph(),
            truth in any_graph(),
        ) {
            let scores = evaluate(&learned, &truth).unwrap().views;
            for (_, score) in &scores {
                let all = [score.f1(), score.precision(), score.recall(), score.accuracy(), score.nmi(), score.auprc];
                for value in all {
                    prop_assert!((0.0..=1.0).contains(&value));
                }
                prop_assert!((-1.0..=1.0).contains(&score.correlation));
            }
            // Twice the weights is the same ranking and the same correlation.
            let doubled = learned.weights().values().iter().map(|weight| 2.0 * weight).collect();
            let doubled = MultiviewGraph::new(
                learned.nodes().to_vec(),
                learned.views().to_vec(),
                learned.pairs(),
                &ViewMatrix::from_values(N_VIEWS, doubled),
                None,
            );
            for ((_, one), (_, two)) in scores.iter().zip(&evaluate(&doubled, &truth).unwrap().views) {
                prop_assert_eq!((one.edges, one.auprc), (two.edges, two.auprc));
                prop_assert!((one.correlation - two.correlation).abs() < 1e-14);
            }
        }
    }
}
