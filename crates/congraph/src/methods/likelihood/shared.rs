//! Which edges the consensus has: those of half of the views or more.
//!
//! Where departures cost their size and the consensus itself nothing, any median of an edge's weights is optimal for c. Of
//! an even number of views, half of which have the edge, that is everything from 0 to the least of their weights: the
//! convex problem does not say whether the edge is shared. If views move edges independently of each other, an edge in
//! half of them is far more likely a shared one that the others moved than one that so many of them made. So the median is
//! taken as the mean of the two in the middle, which is such an edge's if half of the views have it.

use super::coupling::Coupling;
use super::problem::{Point, Problem};

/// Whether c is any median: it is free, and departures cost their size.
fn is_median(problem: &Problem, edge: usize) -> bool {
    problem.is_coupled() && problem.charges.coupling == Coupling::L1 && problem.charges.gamma[edge] == 0.0
}

/// The median of the weights of the views that have both nodes of an edge.
fn median(problem: &Problem, edge: usize, row: &[f64]) -> f64 {
    let ends = problem.edges[edge];
    let own = problem.views.iter().zip(row);
    let own = own.filter(|(view, _)| view.ends(ends).is_some());
    middle(own.map(|(_, &weight)| weight).collect())
}

/// The value in the middle, or the mean of the two that are there; 0 if these have different signs: views that disagree about
/// the sign share no edge.
fn middle(mut weights: Vec<f64>) -> f64 {
    weights.sort_unstable_by(f64::total_cmp);
    let n = weights.len();
    if n == 0 {
        return 0.0;
    }
    let (low, high) = (weights[(n - 1) / 2], weights[n / 2]);
    if low * high < 0.0 { 0.0 } else { 0.5 * (low + high) }
}

/// Whether the consensus may have an edge, of a solution whose weights above a threshold are edges.
pub(super) fn is_shared(problem: &Problem, point: &Point, edge: usize, is_edge: impl Fn(f64) -> bool) -> bool {
    if !is_median(problem, edge) {
        return is_edge(point.consensus[edge]);
    }
    let row = point.weights.row(edge).iter();
    let cut: Vec<f64> = row.map(|&weight| if is_edge(weight) { weight } else { 0.0 }).collect();
    median(problem, edge, &cut) != 0.0
}

/// Puts the consensus in the middle of what is optimal for it.
pub(super) fn settle(problem: &Problem, point: &mut Point) {
    for edge in 0..problem.n_edges() {
        if is_median(problem, edge) {
            point.consensus[edge] = median(problem, edge, point.weights.row(edge));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_of_half_of_the_views_is_shared_and_one_of_fewer_is_not() {
        assert_eq!(middle(vec![0.0, 2.0, 0.0, 3.0, 0.0, 4.0]), 1.0);
        assert_eq!(middle(vec![0.0, 2.0, 0.0, 3.0, 0.0, 0.0]), 0.0);
        assert_eq!(middle(vec![0.0, 2.0, 0.0]), 0.0);
        assert_eq!(middle(vec![1.0, 2.0, 0.0]), 1.0);
        // Equal ones are told as they are, to the bit.
        assert_eq!(middle(vec![0.1 + 0.2; 4]), 0.1 + 0.2);
        assert_eq!(middle(Vec::new()), 0.0);
    }

    #[test]
    fn views_that_disagree_about_the_sign_share_no_edge() {
        assert_eq!(middle(vec![-1.0, 2.0]), 0.0);
        assert_eq!(middle(vec![-1.0, -2.0, 0.0, 0.0]), -0.5);
    }
}
