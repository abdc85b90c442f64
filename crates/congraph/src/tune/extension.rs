//! Beyond the ends of a grid: the cells that are added where the choice lies at an end.

use super::path::{Cell, Grid, rounded};

/// Densities are added between these,
const DENSITIES: [f64; 2] = [0.005, 0.6];
/// and similarities between these.
const SIMILARITIES: [f64; 2] = [0.05, 0.99];
/// How many densities or similarities are added at once.
const AT_ONCE: usize = 2;
/// By how much similarities approach 1: the part of the way that is left after each.
const LEFT: f64 = 0.6;
/// The ratio of two densities where the grid has but one.
const RATIO: f64 = 1.3;

/// One density of a path with its similarities.
pub(super) type Row = (f64, Vec<f64>);

/// The ends of what was tried at which a choice lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ends {
    /// The lowest and the highest density.
    pub(super) density: [bool; 2],
    /// The lowest and the highest similarity.
    pub(super) similarity: [bool; 2],
}

impl Ends {
    /// Of a choice among these cells. The best cell counts as well: if it is the densest, one denser may be better, and
    /// the share of its gain that is kept would be another.
    pub(super) fn of(cells: &[Cell], [best, chosen]: [usize; 2]) -> Self {
        let densities = sorted(cells.iter().map(|cell| cell.density.target));
        let similarities = sorted(cells.iter().map(|cell| cell.similarity.target));
        let (best, chosen) = (&cells[best], &cells[chosen]);
        let is_first = |values: &[f64], value: f64| values.first() == Some(&value);
        let is_last = |values: &[f64], value: f64| values.last() == Some(&value);
        Self {
            density: [
                is_first(&densities, chosen.density.target),
                is_last(&densities, best.density.target),
            ],
            similarity: [
                is_first(&similarities, chosen.similarity.target),
                is_last(&similarities, chosen.similarity.target),
            ],
        }
    }
}

/// The rows that are to be added where a choice lies at these ends of the cells, in order of density: none if there is
/// nothing beyond.
pub(super) fn rows(grid: &Grid, cells: &[Cell], ends: Ends, floor: f64) -> Vec<Row> {
    let densities = sorted(cells.iter().map(|cell| cell.density.target));
    let tried = cells.iter().map(|cell| cell.similarity.target);
    let similarities = sorted(tried.chain(grid.similarities.iter().copied()));
    let mut more = Vec::new();
    if ends.similarity[0] {
        more.extend(less_alike(&similarities, floor));
    }
    if ends.similarity[1] {
        more.extend(more_alike(&similarities));
    }
    let mut rows: Vec<Row> = Vec::new();
    if !more.is_empty() {
        rows.extend(densities.iter().map(|&density| (density, more.clone())));
    }
    let all = sorted(similarities.into_iter().chain(more));
    for (end, is_there) in ends.density.into_iter().enumerate() {
        if is_there {
            let beyond = beyond(&densities, end == 1);
            rows.extend(beyond.into_iter().map(|density| (density, all.clone())));
        }
    }
    rows.sort_by(|one, two| one.0.total_cmp(&two.0));
    rows
}

/// The next densities below or above, with the ratio of the last two.
fn beyond(densities: &[f64], is_above: bool) -> Vec<f64> {
    let (end, before) = match (densities, is_above) {
        ([.., before, end], true) | ([end, before, ..], false) => (*end, *before),
        ([only], true) => (*only, only / RATIO),
        ([only], false) => (*only, only * RATIO),
        ([], _) => return Vec::new(),
    };
    let limit = DENSITIES[usize::from(is_above)];
    let is_within = |value: f64| if is_above { value <= limit } else { value >= limit };
    let mut found = Vec::new();
    let mut last = end;
    for _ in 0..AT_ONCE {
        let next = last * end / before;
        let next = rounded(if is_within(next) { next } else { limit });
        // The limit itself only if it is some way off.
        if !is_within(last) || (next / last - 1.0).abs() < 0.1 {
            break;
        }
        found.push(next);
        last = next;
    }
    found
}

/// The next similarities below, that views at the chosen density can have.
fn less_alike(similarities: &[f64], floor: f64) -> Vec<f64> {
    let first = similarities[0];
    let step = similarities.get(1).map_or(0.05, |second| second - first).max(0.02);
    let next = (1..=AT_ONCE).map(|k| rounded(first - step * k as f64));
    next.filter(|&value| value >= SIMILARITIES[0] && value > floor)
        .collect()
}

/// The next similarities above.
fn more_alike(similarities: &[f64]) -> Vec<f64> {
    let mut left = similarities.last().map_or(1.0, |last| 1.0 - last);
    let mut found = Vec::new();
    for _ in 0..AT_ONCE {
        left *= LEFT;
        found.push(rounded(1.0 - left));
    }
    found.retain(|&value| value <= SIMILARITIES[1]);
    found
}

/// In order, each once.
fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::smooth::Parameters;
    use crate::tune::Reach;

    fn cells(densities: &[f64], similarities: &[f64]) -> Vec<Cell> {
        let reach = |value: f64| Reach { target: value, value };
        let cell = |density: f64, similarity: f64| Cell {
            density: reach(density),
            similarity: reach(similarity),
            floor: 0.58,
            separate_alpha: 1.0,
            parameters: Parameters {
                alpha: 1.0,
                beta: 1.0,
                gamma: 0.0,
            },
            consensus_density: density,
            n_components: 1,
            solves: 1,
            time: std::time::Duration::ZERO,
        };
        let of_density = |&density: &f64| similarities.iter().map(move |&similarity| cell(density, similarity));
        densities.iter().flat_map(of_density).collect()
    }

    #[test]
    fn a_choice_inside_asks_for_nothing_and_one_at_an_end_for_what_is_beyond() {
        let grid = Grid {
            densities: vec![0.1, 0.2, 0.4],
            similarities: vec![0.7, 0.8, 0.9],
        };
        let cells = cells(&grid.densities, &grid.similarities);
        let asked = |best, chosen| rows(&grid, &cells, Ends::of(&cells, [best, chosen]), 0.58);
        assert!(asked(4, 4).is_empty());
        // The densest is the best: the limit follows.
        assert_eq!(asked(7, 4), [(0.6, vec![0.7, 0.8, 0.9])]);
        let below = asked(4, 1);
        assert_eq!(below.iter().map(|row| row.0).collect::<Vec<_>>(), [0.025, 0.05]);
        // Not below the floor; every density, and those that are added have all similarities.
        let less = asked(3, 0);
        assert_eq!(less.iter().filter(|row| row.1 == [0.6]).count(), 3);
        assert_eq!(less[0], (0.025, vec![0.6, 0.7, 0.8, 0.9]));
        assert_eq!(asked(5, 5)[0], (0.1, vec![0.94, 0.964]));
    }

    #[test]
    fn ends_come_to_an_end() {
        assert!(beyond(&[0.5, 0.58], true).is_empty());
        assert!(beyond(&[0.003, 0.004], false).is_empty());
        assert_eq!(beyond(&[0.1], true), [0.13, 0.169]);
        assert!(more_alike(&[0.9, 0.985]).is_empty());
    }
}
