//! How well weights rank the true edges above the others, whatever the threshold: the area under the precision–recall
//! curve.
//!
//! ```text
//! AUPRC = Σ_k (R_k − R_{k−1}) P_k        over the distinct weights, from the largest down; P_k and R_k are the
//!                                        precision and recall of all pairs whose weight is at least the k-th
//! ```
//!
//! This is the average precision (as scikit-learn's), without interpolation, which would be too optimistic. Pairs of
//! equal weight enter together, so that no order among them is invented. All absent pairs are one such group, of
//! weight 0. Cost: a sort.

/// The average precision of scores, where a higher score means more likely true.
///
/// Scores that say nothing have the share of true items. If no item is true, it is 1 if no score is above 0, else 0.
///
/// # Panics
/// If the lengths differ.
///
/// ```
/// use congraph::metrics::average_precision;
///
/// assert_eq!(average_precision(&[0.9, 0.4, 0.4, 0.0], &[true, true, false, false]), 0.5 + 0.5 * 2.0 / 3.0);
/// assert_eq!(average_precision(&[1.0; 4], &[true, false, false, false]), 0.25);
/// ```
pub fn average_precision(scores: &[f64], truth: &[bool]) -> f64 {
    assert_eq!(scores.len(), truth.len(), "one score per item");
    let ranked = scores.iter().copied().zip(truth.iter().copied()).collect();
    average_precision_of(ranked, 0, 0)
}

/// The same when `n_rest` further items, `n_rest_true` of them true, are ranked below all those listed.
pub(super) fn average_precision_of(mut ranked: Vec<(f64, bool)>, n_rest: usize, n_rest_true: usize) -> f64 {
    let n_true = n_rest_true + ranked.iter().filter(|(_, is_true)| *is_true).count();
    if n_true == 0 {
        return f64::from(u8::from(ranked.iter().all(|&(score, _)| score <= 0.0)));
    }
    ranked.sort_unstable_by(|one, other| other.0.total_cmp(&one.0));
    let (mut n_seen, mut n_hits, mut area) = (0, 0, 0.0);
    let mut enter = |n_items: usize, n_hits_here: usize| {
        n_seen += n_items;
        n_hits += n_hits_here;
        if n_hits_here > 0 {
            area += n_hits_here as f64 / n_true as f64 * (n_hits as f64 / n_seen as f64);
        }
    };
    for tied in ranked.chunk_by(|one, other| one.0 == other.0) {
        enter(tied.len(), tied.iter().filter(|(_, is_true)| *is_true).count());
    }
    enter(n_rest, n_rest_true);
    area.min(1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rankings_that_say_all_or_nothing() {
        assert_eq!(average_precision(&[3.0, 2.0, 1.0], &[true, true, false]), 1.0);
        assert_eq!(average_precision(&[1.0, 2.0, 3.0], &[true, false, false]), 1.0 / 3.0);
        assert_eq!(average_precision(&[0.0; 5], &[true, false, true, false, false]), 0.4);
        assert_eq!(average_precision(&[0.0; 3], &[true; 3]), 1.0);
        assert_eq!(average_precision(&[0.0; 3], &[false; 3]), 1.0);
        assert_eq!(average_precision(&[0.0, 0.1], &[false; 2]), 0.0);
        assert_eq!(average_precision(&[], &[]), 1.0);
        // Both zeros are one group.
        assert_eq!(average_precision(&[0.0, -0.0], &[true, false]), 0.5);
    }

    /// Precision and recall of every threshold, counted anew.
    fn by_thresholds(items: &[(f64, bool)]) -> f64 {
        let mut thresholds: Vec<f64> = items.iter().map(|item| item.0).collect();
        thresholds.sort_by(|one, other| other.total_cmp(one));
        thresholds.dedup();
        let n_true = items.iter().filter(|item| item.1).count() as f64;
        let (mut area, mut before) = (0.0, 0.0);
        for threshold in thresholds {
            let above: Vec<_> = items.iter().filter(|item| item.0 >= threshold).collect();
            let hits = above.iter().filter(|item| item.1).count() as f64;
            area += (hits / n_true - before) * hits / above.len() as f64;
            before = hits / n_true;
        }
        area
    }

    proptest! {
        #[test]
        fn ties_are_exact_and_only_the_order_of_weights_counts(
            (items, shuffled) in prop::collection::vec((0_u8..8, any::<bool>()), 1..50)
                .prop_map(|items| items.into_iter().map(|(score, is)| (f64::from(score), is)).collect::<Vec<_>>())
                .prop_flat_map(|items| (Just(items.clone()), Just(items).prop_shuffle()))
        ) {
            prop_assume!(items.iter().any(|item| item.1));
            let value = average_precision_of(items.clone(), 0, 0);
            prop_assert!((value - by_thresholds(&items)).abs() < 1e-14);
            prop_assert_eq!(average_precision_of(shuffled, 0, 0), value);
            let stretched = items.iter().map(|&(score, is)| (score.powi(3) + 1.0, is)).collect();
            prop_assert_eq!(average_precision_of(stretched, 0, 0), value);
            // Zeros told one by one or as a rest.
            let zeros: Vec<bool> = items.iter().filter(|item| item.0 == 0.0).map(|item| item.1).collect();
            let above = items.iter().copied().filter(|item| item.0 > 0.0).collect();
            let n_true = zeros.iter().filter(|is| **is).count();
            prop_assert_eq!(average_precision_of(above, zeros.len(), n_true), value);
            // At worst the true items come last.
            let (n, n_true) = (items.len(), items.iter().filter(|item| item.1).count());
            let last = (1..=n_true).map(|k| k as f64 / (n - n_true + k) as f64).sum::<f64>() / n_true as f64;
            prop_assert!((last - 1e-14..=1.0).contains(&value));
        }
    }
}
