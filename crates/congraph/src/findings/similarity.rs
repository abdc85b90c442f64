//! How alike the views are, and an order that puts like next to like.
//!
//! Average linkage on 1 − correlation; of the two ways to join two rows of views, and their mirror images, the one
//! whose ends that meet are most alike. Cost: O(N² m + N³).

use serde::Serialize;

use crate::graph::MultiviewGraph;
use crate::parallel::chunks;

/// Correlations between the weights of the views.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Similarities {
    /// The correlation of each two views, in the graph's order.
    pub values: Vec<Vec<f64>>,
    /// The views in an order that puts like next to like.
    pub order: Vec<usize>,
    /// The mean over all pairs of views.
    pub mean: f64,
    /// The two views that are most alike, and their correlation.
    pub nearest: ([usize; 2], f64),
    /// The two views that are least alike, and their correlation.
    pub farthest: ([usize; 2], f64),
}

impl Similarities {
    /// Of the views of a graph; none of one view.
    pub fn of(graph: &MultiviewGraph) -> Option<Self> {
        let mean = graph.similarity()?;
        let views: Vec<usize> = (0..graph.n_views()).collect();
        // One triangle, and its mirror image.
        let mut values = chunks::map_items(&views, |&i| -> Vec<f64> {
            let below = (0..i).map(|j| graph.correlation(i, j));
            below.chain([1.0]).collect()
        });
        for i in views {
            for j in i + 1..graph.n_views() {
                let value = values[j][i];
                values[i].push(value);
            }
        }
        let mut pairs: Vec<([usize; 2], f64)> = Vec::new();
        for (i, row) in values.iter().enumerate() {
            pairs.extend(row[..i].iter().enumerate().map(|(j, &value)| ([j, i], value)));
        }
        let nearest = *pairs.iter().max_by(|one, two| one.1.total_cmp(&two.1))?;
        let farthest = *pairs.iter().min_by(|one, two| one.1.total_cmp(&two.1))?;
        Some(Self {
            order: clustered(&values, graph.views()),
            values,
            mean,
            nearest,
            farthest,
        })
    }
}

/// An order of leaves along an average-linkage tree.
fn clustered(values: &[Vec<f64>], names: &[String]) -> Vec<usize> {
    // By name first, so that ties do not depend on the order of files.
    let mut by_name: Vec<usize> = (0..names.len()).collect();
    by_name.sort_by_key(|&view| &names[view]);
    let mut groups: Vec<Vec<usize>> = by_name.into_iter().map(|view| vec![view]).collect();
    let mut linkage: Vec<Vec<f64>> = groups
        .iter()
        .map(|one| groups.iter().map(|two| values[one[0]][two[0]]).collect())
        .collect();
    while groups.len() > 1 {
        let (mut best, mut at) = (f64::NEG_INFINITY, (0, 1));
        for (j, row) in linkage.iter().enumerate() {
            for (i, &value) in row[..j].iter().enumerate() {
                if value > best {
                    (best, at) = (value, (i, j));
                }
            }
        }
        let (i, j) = at;
        let second = groups.remove(j);
        let share = groups[i].len() as f64 / (groups[i].len() + second.len()) as f64;
        let from_second = linkage.remove(j);
        for (k, row) in linkage.iter_mut().enumerate() {
            let column = if k < j { k } else { k + 1 };
            let joined = share * row[i] + (1.0 - share) * from_second[column];
            row[i] = joined;
            row.remove(j);
        }
        linkage[i] = linkage.iter().map(|row| row[i]).collect();
        groups[i] = joined(&groups[i], second, values);
    }
    groups.pop().unwrap_or_default()
}

fn joined(first: &[usize], second: Vec<usize>, values: &[Vec<f64>]) -> Vec<usize> {
    let turned = |row: &[usize]| -> Vec<usize> { row.iter().rev().copied().collect() };
    let meeting = |one: &[usize], two: &[usize]| values[one[one.len() - 1]][two[0]];
    let choices = [
        (first.to_vec(), second.clone()),
        (turned(first), second.clone()),
        (first.to_vec(), turned(&second)),
        (turned(first), turned(&second)),
    ];
    let mut best = (f64::NEG_INFINITY, Vec::new());
    for (mut one, two) in choices {
        let value = meeting(&one, &two);
        if value > best.0 {
            one.extend(two);
            best = (value, one);
        }
    }
    if best.1.is_empty() {
        return first.iter().copied().chain(second).collect();
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_is_next_to_like() {
        // Two groups, interleaved: even views are alike, odd views are alike.
        let values: Vec<Vec<f64>> = (0..6)
            .map(|i| {
                (0..6)
                    .map(|j| {
                        if i == j {
                            1.0
                        } else if (i + j) % 2 == 0 {
                            0.9
                        } else {
                            0.1
                        }
                    })
                    .collect()
            })
            .collect();
        let names: Vec<String> = (0..6).map(|i| format!("v{i}")).collect();
        let order = clustered(&values, &names);
        let parity: Vec<usize> = order.iter().map(|view| view % 2).collect();
        assert!(
            parity == [0, 0, 0, 1, 1, 1] || parity == [1, 1, 1, 0, 0, 0],
            "{order:?}"
        );
        let mut sorted = order;
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2, 3, 4, 5]);
    }
}
