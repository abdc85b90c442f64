//! Normalised mutual information of two labelings of the same items.
//!
//! ```text
//! NMI(A, B) = 2 I(A; B) / (H(A) + H(B))        I = Σ p_ab ln(p_ab / (p_a p_b)),   H(A) = −Σ p_a ln p_a
//! ```
//!
//! Normalised by the arithmetic mean of the entropies, as in Danon et al. (2005), which the paper uses for communities,
//! as in the graph learning literature for edge sets, and as scikit-learn does. Only which items share a label counts,
//! not the labels themselves. Cost: O(items · log(labels)).

use std::collections::BTreeMap;

/// The normalised mutual information of two labelings, such as the communities of two graphs, from 0 to 1.
///
/// It is 1 for labelings that are equal up to the names of their labels, and so for two that put all items together; 0
/// if just one of them does. Without any items it is 1.
///
/// # Panics
/// If the two do not label the same number of items.
///
/// ```
/// use congraph::metrics::nmi;
///
/// assert_eq!(nmi(&[0, 0, 1, 1], &[7, 7, 3, 3]), 1.0);
/// assert_eq!(nmi(&[0, 0, 1, 1], &[0, 1, 0, 1]), 0.0);
/// ```
pub fn nmi(one: &[usize], other: &[usize]) -> f64 {
    assert_eq!(one.len(), other.len(), "both label the same items");
    let mut counts: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (&a, &b) in one.iter().zip(other) {
        *counts.entry((a, b)).or_default() += 1;
    }
    let cells: Vec<(usize, usize, usize)> = counts.into_iter().map(|((a, b), count)| (a, b, count)).collect();
    nmi_of_counts(&cells)
}

/// The same from the numbers of items with the labels (a, b).
pub(super) fn nmi_of_counts(cells: &[(usize, usize, usize)]) -> f64 {
    let (mut with_a, mut with_b) = (BTreeMap::new(), BTreeMap::new());
    let cells = || cells.iter().filter(|(_, _, count)| *count > 0);
    for &(a, b, count) in cells() {
        *with_a.entry(a).or_insert(0) += count;
        *with_b.entry(b).or_insert(0) += count;
    }
    if with_a.len() <= 1 && with_b.len() <= 1 {
        return 1.0;
    }
    let n: usize = with_a.values().sum();
    let n = n as f64;
    let entropy = |counts: &BTreeMap<usize, usize>| {
        let terms = counts.values().map(|&count| count as f64 / n * (n / count as f64).ln());
        sum(terms.collect())
    };
    let terms = cells().map(|&(a, b, count)| {
        let count = count as f64;
        count / n * (count * n / (with_a[&a] as f64 * with_b[&b] as f64)).ln()
    });
    let information = sum(terms.collect());
    (2.0 * information / (entropy(&with_a) + entropy(&with_b))).clamp(0.0, 1.0)
}

/// The sum in an order that does not depend on the names of the labels.
fn sum(mut terms: Vec<f64>) -> f64 {
    terms.sort_unstable_by(f64::total_cmp);
    terms.iter().sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn by_hand() {
        // Labels (0,0) (0,0) (0,1) (1,1): p_ab = ½, ¼, ¼; p_a = ¾, ¼; p_b = ½, ½.
        let ln = f64::ln;
        let information = 0.5 * ln(4.0 / 3.0) + 0.25 * ln(2.0 / 3.0) + 0.25 * ln(2.0);
        let entropies = 0.75 * ln(4.0 / 3.0) + 0.25 * ln(4.0) + ln(2.0);
        let found = nmi(&[0, 0, 0, 1], &[0, 0, 1, 1]);
        assert!((found - 2.0 * information / entropies).abs() < 1e-15);
    }

    #[test]
    fn labelings_without_information() {
        assert_eq!(nmi(&[], &[]), 1.0);
        assert_eq!(nmi(&[3, 3], &[5, 5]), 1.0);
        assert_eq!(nmi(&[3, 3], &[5, 6]), 0.0);
        assert_eq!(nmi(&[1, 2], &[5, 5]), 0.0);
    }

    fn labelings() -> impl Strategy<Value = Vec<(usize, usize)>> {
        prop::collection::vec((0_usize..4, 0_usize..6), 1..60)
    }

    proptest! {
        #[test]
        fn it_is_symmetric_bounded_and_knows_neither_order_nor_names(
            (items, shuffled) in labelings().prop_flat_map(|items| (Just(items.clone()), Just(items).prop_shuffle()))
        ) {
            let (one, other): (Vec<_>, Vec<_>) = items.iter().copied().unzip();
            let value = nmi(&one, &other);
            prop_assert!((0.0..=1.0).contains(&value));
            prop_assert_eq!(nmi(&other, &one), value);
            prop_assert_eq!(nmi(&one, &one), 1.0);
            let (one_shuffled, other_shuffled): (Vec<_>, Vec<_>) = shuffled.iter().copied().unzip();
            prop_assert_eq!(nmi(&one_shuffled, &other_shuffled), value);
            let renamed: Vec<usize> = one.iter().map(|label| 100 - 7 * label).collect();
            prop_assert_eq!(nmi(&renamed, &other), value);
            prop_assert_eq!(nmi(&renamed, &one), 1.0);
        }
    }
}
