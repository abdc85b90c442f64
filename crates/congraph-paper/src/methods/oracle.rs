//! What a known truth allows, the same for every method: the best threshold of a fit, and the best of a grid of two
//! parameters.

use congraph::{MultiviewGraph, is_edge};

/// How well the graphs above a threshold did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scored {
    /// The mean F1 of the views.
    pub(crate) view_f1: f64,
    pub(crate) consensus_f1: f64,
    /// The mean density of the views.
    pub(crate) density: f64,
    /// Weights above this are edges.
    pub(crate) threshold: f64,
}

/// Whether edges are all weights that are not zero, or those above the best threshold: the rules by which the best of a
/// grid is chosen.
pub(crate) const RULES: usize = 2;

/// The score of all edges, and that above the threshold with the best mean F1 of the views, which the views and the
/// consensus share. The graphs have the nodes and views of the truth in its order, and no negative weights.
pub(crate) fn scored(graph: &MultiviewGraph, truth: &MultiviewGraph) -> [Scored; RULES] {
    let n_views = graph.n_views();
    let place = |pair| truth.pairs().binary_search(pair).ok();
    let true_rows: Vec<Option<usize>> = graph.pairs().iter().map(place).collect();
    // Every edge, the strongest first: its weight, its view, and whether it is true.
    let mut edges: Vec<(f64, usize, bool)> = Vec::new();
    for (row, at) in graph.weights().rows().zip(&true_rows) {
        for (view, &weight) in row.iter().enumerate().filter(|(_, weight)| is_edge(**weight)) {
            let is_true = at.is_some_and(|at| is_edge(truth.weights().row(at)[view]));
            edges.push((weight, view, is_true));
        }
    }
    edges.sort_unstable_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
    let n_true: Vec<usize> = (0..n_views)
        .map(|view| truth.weights().column(view).filter(|&weight| is_edge(weight)).count())
        .collect();
    let (mut found, mut right) = (vec![0_usize; n_views], vec![0_usize; n_views]);
    let mut f1_sum = 0.0;
    let mut best = Best::default();
    let mut n_edges = 0;
    while n_edges < edges.len() {
        let weight = edges[n_edges].0;
        // Equal weights are kept or left together.
        while n_edges < edges.len() && edges[n_edges].0 == weight {
            let (_, view, is_true) = edges[n_edges];
            f1_sum -= f1(right[view], found[view], n_true[view]);
            found[view] += 1;
            right[view] += usize::from(is_true);
            f1_sum += f1(right[view], found[view], n_true[view]);
            n_edges += 1;
        }
        let next = edges.get(n_edges).map_or(0.0, |edge| edge.0);
        let view_f1 = f1_sum / n_views as f64;
        best.offer(view_f1, n_edges, 0.5 * (weight + next));
    }
    let n_pairs = (n_views * graph.n_pairs()).max(1) as f64;
    let at = |view_f1: f64, n_edges: usize, threshold: f64| Scored {
        view_f1,
        consensus_f1: consensus_f1(graph, truth, &true_rows, threshold),
        density: n_edges as f64 / n_pairs,
        threshold,
    };
    let all = at(f1_sum / n_views as f64, edges.len(), 0.0);
    // A sum that was updated thousands of times is off by rounding; equal sets of edges have equal scores.
    let above = match best.n_edges == edges.len() {
        true => all,
        false => at(best.view_f1, best.n_edges, best.threshold),
    };
    [all, above]
}

/// The best threshold so far.
#[derive(Default)]
struct Best {
    view_f1: f64,
    n_edges: usize,
    threshold: f64,
}

impl Best {
    fn offer(&mut self, view_f1: f64, n_edges: usize, threshold: f64) {
        if view_f1 > self.view_f1 {
            *self = Self {
                view_f1,
                n_edges,
                threshold,
            };
        }
    }
}

fn f1(right: usize, found: usize, n_true: usize) -> f64 {
    2.0 * right as f64 / (found + n_true).max(1) as f64
}

fn consensus_f1(graph: &MultiviewGraph, truth: &MultiviewGraph, true_rows: &[Option<usize>], threshold: f64) -> f64 {
    let of_truth = truth.consensus().unwrap_or_default();
    let own = graph.consensus().unwrap_or_default().iter().zip(true_rows);
    let (mut found, mut right) = (0, 0);
    for (_, at) in own.filter(|(weight, _)| **weight > threshold) {
        found += 1;
        right += usize::from(at.is_some_and(|at| is_edge(of_truth[at])));
    }
    f1(right, found, of_truth.iter().filter(|&&weight| is_edge(weight)).count())
}

/// Pairs of parameters in equal ratios.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lattice {
    /// The least of both.
    pub(crate) least: [f64; 2],
    /// From one value to the next.
    pub(crate) ratio: f64,
    /// How many values of each.
    pub(crate) counts: [i32; 2],
}

/// The best of a grid by one rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) scored: Scored,
    pub(crate) parameters: [f64; 2],
    /// Whether both neighbours in both parameters were tried, and none was better.
    pub(crate) is_inside: bool,
}

/// How often the best may move beyond the grid, or to a finer place.
const MOVES: usize = 10;
/// Lattice places between values of the grid, and of the finer one around the best.
const STEPS: [i32; 2] = [2, 1];

impl Lattice {
    fn values(&self, place: [i32; 2]) -> [f64; 2] {
        [0, 1].map(|k| self.least[k] * self.ratio.powf(f64::from(place[k]) / f64::from(STEPS[0])))
    }

    /// The best by each rule: of the whole grid; then, as long as a neighbour is better, of the neighbours, beyond the
    /// ends of the grid as well; then of those half a step away. Neighbours are tried one after another, the larger
    /// parameters first.
    pub(crate) fn search<E>(
        &self,
        mut trial: impl FnMut([f64; 2]) -> Result<[Scored; RULES], E>,
    ) -> Result<[Found; RULES], E> {
        let mut tried: Vec<([i32; 2], [Scored; RULES])> = Vec::new();
        let mut at = |place: [i32; 2], tried: &mut Vec<([i32; 2], [Scored; RULES])>| -> Result<(), E> {
            if tried.iter().all(|(other, _)| *other != place) {
                let scores = trial(self.values(place))?;
                tried.push((place, scores));
            }
            Ok(())
        };
        let [coarse, _] = STEPS;
        for (turn, one) in (0..self.counts[0]).rev().enumerate() {
            for k in 0..self.counts[1] {
                // There and back again: each trial is next to the one before, and can start from it.
                let two = if turn % 2 == 0 { self.counts[1] - 1 - k } else { k };
                at([coarse * one, coarse * two], &mut tried)?;
            }
        }
        let mut is_inside = [true; RULES];
        for (rule, is_inside) in is_inside.iter_mut().enumerate() {
            for step in STEPS {
                *is_inside = false;
                for _ in 0..MOVES {
                    let place = tried[best(&tried, rule)].0;
                    let [x, y] = place;
                    for next in [[x + step, y], [x, y + step], [x - step, y], [x, y - step]] {
                        at(next, &mut tried)?;
                    }
                    if tried[best(&tried, rule)].0 == place {
                        *is_inside = true;
                        break;
                    }
                }
            }
        }
        Ok(std::array::from_fn(|rule| {
            let (place, scores) = tried[best(&tried, rule)];
            Found {
                scored: scores[rule],
                parameters: self.values(place),
                is_inside: is_inside[rule],
            }
        }))
    }
}

/// The first of the best.
fn best(tried: &[([i32; 2], [Scored; RULES])], rule: usize) -> usize {
    let score = |place: usize| tried[place].1[rule].view_f1;
    (1..tried.len()).fold(0, |best, next| if score(next) > score(best) { next } else { best })
}

#[cfg(test)]
mod tests {
    use congraph::metrics::evaluate;
    use congraph::simulate::{Settings, simulate};
    use congraph::{Learn, Smooth, ViewMatrix, ViewOptions, Views, no_progress};

    use super::*;

    fn graph(n_views: usize, rows: &[f64], consensus: &[f64]) -> MultiviewGraph {
        let names = |n: usize| (0..n).map(|k| format!("v{k}")).collect::<Vec<_>>();
        let pairs: Vec<[u32; 2]> = (0..consensus.len() as u32).map(|k| [k, k + 1]).collect();
        let weights = ViewMatrix::from_values(n_views, rows.to_vec());
        MultiviewGraph::new(
            names(consensus.len() + 1),
            names(n_views),
            &pairs,
            &weights,
            Some(consensus),
        )
    }

    #[test]
    fn the_best_threshold_parts_true_from_false_in_all_views_together() {
        let truth = graph(2, &[1.0, 1.0, 1.0, 0.0, 0.0, 0.0], &[1.0, 1.0, 0.0]);
        let learned = graph(2, &[5.0, 5.0, 3.0, 1.0, 2.0, 1.0], &[5.0, 2.4, 2.4]);
        let [all, above] = scored(&learned, &truth);
        // 2·2/(3 + 2) and 2·1/(3 + 1); every edge of both views.
        assert!((all.view_f1 - 0.5 * (0.8 + 0.5)).abs() < 1e-15);
        assert_eq!((all.threshold, above.threshold), (0.0, 2.5));
        assert_eq!(above.view_f1, 1.0);
        // Above 2.5 one of the two true edges of the consensus is left.
        assert!((above.consensus_f1 - 2.0 / 3.0).abs() < 1e-15);
        assert!((all.consensus_f1 - 0.8).abs() < 1e-15);
        assert!((above.density - 3.0 / 12.0).abs() < 1e-15);
    }

    #[test]
    fn without_a_threshold_it_is_what_congraph_evaluates() {
        let settings = Settings {
            n_nodes: 25,
            n_views: 3,
            ..Settings::default()
        };
        let simulation = simulate(&settings).unwrap();
        let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default()).unwrap();
        let learned = Smooth::new(0.03, 0.02).learn(&views, &no_progress).unwrap().graph;
        let [all, above] = scored(&learned, &simulation.truth);
        let expected = evaluate(&learned, &simulation.truth).unwrap();
        assert!((all.view_f1 - expected.mean_view_f1()).abs() < 1e-12);
        assert!((all.consensus_f1 - expected.consensus.unwrap().f1()).abs() < 1e-12);
        assert!((all.density - learned.mean_density()).abs() < 1e-12);
        assert!(above.view_f1 >= all.view_f1);
    }

    #[test]
    fn the_best_is_found_inside_the_grid_and_beyond_it_for_each_rule() {
        let lattice = Lattice {
            least: [1.0, 1.0],
            ratio: 2.0,
            counts: [4, 3],
        };
        let of = |view_f1: f64| Scored {
            view_f1,
            consensus_f1: 0.0,
            density: 0.0,
            threshold: 0.0,
        };
        let peaks = [[3.0, 1.5], [0.2, 30.0]];
        let score = |[x, y]: [f64; 2], [a, b]: [f64; 2]| of(-(x / a).ln().abs() - (y / b).ln().abs());
        let found = lattice
            .search(|at| Ok::<_, ()>(peaks.map(|peak| score(at, peak))))
            .unwrap();
        for (found, peak) in found.iter().zip(peaks) {
            assert!(found.is_inside);
            for (x, y) in found.parameters.iter().zip(peak) {
                assert!((x / y).ln().abs() <= 0.25 * 2.0_f64.ln() + 1e-12, "{x} for {y}");
            }
        }
        // What never ends is said to lie at an end.
        let found = lattice.search(|[x, _]| Ok::<_, ()>([of(-x), of(-x)])).unwrap();
        assert!(!found[0].is_inside);
    }
}
