//! From estimates to columns: p and q values, and what several views say together.

use super::Pooled;
use super::jackknife::Estimate;
use super::tails::{at_least, false_discovery, t_upper};
use crate::edges::complete_index;

/// The variance of a median over that of a mean, for many normal values; of two they are the same.
const OF_MEDIAN: f64 = std::f64::consts::FRAC_PI_2;

/// An estimate on some nodes as one on all of them: NaN at the others.
pub(super) fn spread(estimate: Estimate, nodes: &[usize], n_nodes: usize) -> Estimate {
    if nodes.len() == n_nodes {
        return estimate;
    }
    let n_pairs = n_nodes * n_nodes.saturating_sub(1) / 2;
    let mut all = Estimate {
        z: vec![f64::NAN; n_pairs],
        se: vec![f64::NAN; n_pairs],
        ..estimate
    };
    let mut pairs = estimate.z.iter().zip(&estimate.se);
    for (place, &a) in nodes.iter().enumerate() {
        for (&b, (z, se)) in nodes[place + 1..].iter().zip(&mut pairs) {
            let pair = complete_index(n_nodes, a, b);
            (all.z[pair], all.se[pair]) = (*z, *se);
        }
    }
    all
}

pub(super) fn t(estimate: &Estimate) -> Vec<f64> {
    estimate.z.iter().zip(&estimate.se).map(|(z, se)| z / se).collect()
}

/// One-sided p values.
pub(super) fn p(estimate: &Estimate) -> Vec<f64> {
    t(estimate).into_iter().map(|t| t_upper(t, estimate.df)).collect()
}

pub(super) fn pooled(estimate: &Estimate) -> Pooled {
    let p_direct = p(estimate);
    Pooled {
        partial: estimate.z.iter().map(|z| z.tanh()).collect(),
        direct_z: t(estimate),
        q_direct: false_discovery(&p_direct),
        p_direct,
        df: estimate.df,
        constant_share: estimate.constant_share,
    }
}

/// In how many views each pair is dependent at least; none if no view was judged.
pub(super) fn n_views_at_least(each: &[Option<Estimate>], level: f64) -> Option<Vec<u32>> {
    let each: Vec<Vec<f64>> = each.iter().flatten().map(p).collect();
    let n_pairs = each.first()?.len();
    let mut own = Vec::with_capacity(each.len());
    let of_pair = |pair: usize| {
        own.clear();
        own.extend(each.iter().map(|p| p[pair]).filter(|p| !p.is_nan()));
        at_least(&mut own, level)
    };
    Some((0..n_pairs).map(of_pair).collect())
}

/// The median of the z of some views that have a pair, its variance, and the degrees of freedom of that.
fn median<'e>(estimates: impl Iterator<Item = &'e Estimate>, pair: usize) -> Option<(f64, f64, f64)> {
    let own: Vec<&Estimate> = estimates.filter(|estimate| !estimate.z[pair].is_nan()).collect();
    let mut z: Vec<f64> = own.iter().map(|estimate| estimate.z[pair]).collect();
    z.sort_by(f64::total_cmp);
    let count = z.len() as f64;
    let middle = match z.len() {
        0 => return None,
        n if n % 2 == 1 => z[n / 2],
        n => 0.5 * (z[n / 2 - 1] + z[n / 2]),
    };
    let mean = own.iter().map(|estimate| estimate.se[pair].powi(2)).sum::<f64>() / count;
    let factor = if z.len() > 2 { OF_MEDIAN } else { 1.0 };
    Some((
        middle,
        factor * mean / count,
        own.iter().map(|estimate| estimate.df).sum(),
    ))
}

/// The q of "dependent in most of the views that have the pair"; NaN where fewer than two have it.
pub(super) fn q_most(each: &[&Estimate]) -> Vec<f64> {
    let n_pairs = each.first().map_or(0, |first| first.z.len());
    let of_pair = |pair: usize| {
        let n_views = each.iter().filter(|estimate| !estimate.z[pair].is_nan()).count();
        match median(each.iter().copied(), pair) {
            Some((z, variance, df)) if n_views > 1 => t_upper(z / variance.sqrt(), df),
            _ => f64::NAN,
        }
    };
    false_discovery(&(0..n_pairs).map(of_pair).collect::<Vec<_>>())
}

/// For each view by how many standard errors every pair is stronger than in the others, and the q of that over all pairs
/// and views. Degrees of freedom are those of Welch and Satterthwaite.
pub(super) fn differences(each: &[&Estimate]) -> Vec<(Vec<f64>, Vec<f64>)> {
    let n_pairs = each.first().map_or(0, |first| first.z.len());
    let (mut z, mut p) = (Vec::new(), Vec::new());
    for (view, estimate) in each.iter().enumerate() {
        let others = || {
            each.iter()
                .enumerate()
                .filter(|(other, _)| *other != view)
                .map(|(_, estimate)| *estimate)
        };
        for pair in 0..n_pairs {
            let found = match median(others(), pair) {
                Some((middle, variance, df)) if !estimate.z[pair].is_nan() => {
                    let own = estimate.se[pair].powi(2);
                    let df = (own + variance).powi(2) / (own * own / estimate.df + variance * variance / df);
                    let t = (estimate.z[pair] - middle) / (own + variance).sqrt();
                    (t, (2.0 * t_upper(t.abs(), df)).min(1.0))
                }
                _ => (f64::NAN, f64::NAN),
            };
            z.push(found.0);
            p.push(found.1);
        }
    }
    let q = false_discovery(&p);
    let chunks = z.chunks(n_pairs.max(1)).zip(q.chunks(n_pairs.max(1)));
    chunks.map(|(z, q)| (z.to_vec(), q.to_vec())).collect()
}
