//! Midranks: equal values share the mean of their places.

/// The midranks of some values, from 1.
pub(super) fn midranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&one, &two| values[one].total_cmp(&values[two]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    // Compared as numbers: −0 and 0 are equal.
    for tied in order.chunk_by(|&one, &two| values[one] == values[two]) {
        let rank = before as f64 + (tied.len() + 1) as f64 / 2.0;
        tied.iter().for_each(|&at| ranks[at] = rank);
        before += tied.len();
    }
    ranks
}

/// The midranks of the sizes of all values other than 0, with the signs of the values; 0 stays 0.
pub(super) fn signed_midranks(values: &[f64]) -> Vec<f64> {
    let there: Vec<usize> = (0..values.len()).filter(|&at| values[at] != 0.0).collect();
    let sizes: Vec<f64> = there.iter().map(|&at| values[at].abs()).collect();
    let mut ranks = vec![0.0; values.len()];
    for (&at, rank) in there.iter().zip(midranks(&sizes)) {
        ranks[at] = rank.copysign(values[at]);
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn midranks_are_those_of_counting() {
        let values = [0.0, 3.0, -0.0, 1.5, 3.0, -2.0, 0.0, 3.0, 1.5, 8.0];
        let naive = |value: f64| {
            let below = values.iter().filter(|&&other| other < value).count();
            let equal = values.iter().filter(|&&other| other == value).count();
            below as f64 + (equal + 1) as f64 / 2.0
        };
        assert_eq!(midranks(&values), values.map(naive));
        assert_eq!(midranks(&[]), [0.0; 0]);
        assert_eq!(
            signed_midranks(&[0.0, -2.0, 1.0, 2.0, -0.5]),
            [0.0, -3.5, 2.0, 3.5, -1.0]
        );
    }
}
