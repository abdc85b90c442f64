//! Which nodes can be solved apart from the others.
//!
//! If −c_k S^k_ij, over the views, is in the set C of multipliers for every pair (i, j) between two groups of nodes,
//! then precision matrices without any entry between the groups satisfy the optimality conditions there, and each group
//! is a problem of its own. A row of numbers is in C exactly when its proximal map at step 1 is 0, so the penalty
//! itself is the test, for any coupling and any number of views. The groups are the connected parts of the pairs that
//! fail it: the finest partition there is. O(n² N log N), against O(n³ N) for each iteration of the solver.

use super::model::Scratch;
use super::problem::Problem;

/// The groups of nodes, each sorted, in the order of their first nodes.
pub(super) fn components(problem: &Problem) -> Vec<Vec<usize>> {
    let n = problem.n_nodes();
    let mut row = vec![0.0; problem.n_views()];
    let mut scratch = Scratch::new();
    let mut joined = |i: usize, j: usize| {
        for (view, (value, weight)) in row.iter_mut().zip(problem.view_weights()).enumerate() {
            *value = weight * problem.covariance(view)[i * n + j];
        }
        problem.model().prox(&mut row, 1.0, &mut scratch);
        row.iter().any(|&value| value != 0.0)
    };
    let mut unseen: Vec<usize> = (0..n).collect();
    let mut groups = Vec::new();
    while !unseen.is_empty() {
        let mut group = vec![unseen.remove(0)];
        let mut next = 0;
        // Each pair of a group member and a node not reached yet is tested once.
        while next < group.len() && !unseen.is_empty() {
            let from = group[next];
            unseen.retain(|&node| {
                let reached = joined(from, node);
                if reached {
                    group.push(node);
                }
                !reached
            });
            next += 1;
        }
        group.sort_unstable();
        groups.push(group);
    }
    groups
}
