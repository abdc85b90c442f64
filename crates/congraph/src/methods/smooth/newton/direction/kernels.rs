//! The loops of a product with the Hessian, unrolled for few views, and compiled for each vector unit.

use super::{Hessian, Partial};
use crate::parallel::simd::{LANES, vectorised};
use crate::team::MOST_LEAVES;

/// The loops of a product for one number of views.
pub(super) struct Kernels {
    pub(super) apply: Apply,
    /// out += x.
    pub(super) add: fn(&[f64], &mut [f64]),
    pub(super) gather: Gather,
    pub(super) at_node: AddAtNode,
    pub(super) sums: AddProducts,
}

/// J (x_a + x_b) of edges with these ends and Jacobians, one row per edge; a row has this many views.
pub(super) type Apply = fn(&[[u32; 2]], &[f32], usize, &[f64], &mut [f64]);
/// out += the rows of some edges.
pub(super) type Gather = fn(&[u32], &[f64], &mut [f64]);
/// out_a and out_b += J (x_a + x_b) over edges with these ends and Jacobians; a row has this many views.
pub(super) type AddProducts = fn(&[[u32; 2]], &[f32], usize, &[f64], &mut [f64]);

/// The rows of the edges at a node added up, leaf by leaf, and added to another.
pub(super) type AddAtNode = fn(&Hessian, usize, &[f64], &mut Partial, &mut [f64]);

/// Unrolled for the usual few views.
pub(super) fn kernels(n_views: usize, has_sets: bool) -> Kernels {
    if has_sets {
        return Kernels {
            apply: apply_sets,
            add: add_any,
            gather: gather_any,
            at_node: at_node_any,
            sums: sums_of::<true>,
        };
    }
    macro_rules! fixed {
        ($($n:literal),*) => {
            match n_views {
                $($n => Kernels {
                    apply: apply_fixed::<$n>,
                    add: add_fixed::<$n>,
                    gather: gather_fixed::<$n>,
                    at_node: at_node_fixed::<$n>,
                    sums: sums_fixed::<$n>,
                },)*
                _ => Kernels {
                    apply: apply_any,
                    add: add_any,
                    gather: gather_any,
                    at_node: at_node_any,
                    sums: sums_of::<false>,
                },
            }
        };
    }
    fixed!(1, 2, 3, 4, 5, 6, 7, 8)
}

#[inline(always)]
fn moved<const N: usize>(jacobian: &[f32], x: &[f64; N], y: &[f64; N]) -> [f64; N] {
    let [diagonal, factors @ ..] = jacobian.as_chunks::<N>().0 else {
        return [0.0; N];
    };
    let sums: [f64; N] = std::array::from_fn(|i| x[i] + y[i]);
    let mut out: [f64; N] = std::array::from_fn(|i| f64::from(diagonal[i]) * sums[i]);
    for factor in factors {
        let factor: [f64; N] = std::array::from_fn(|i| f64::from(factor[i]));
        // A rank-one term: v vᵀ (x + y).
        let mut along = 0.0;
        for i in 0..N {
            along += factor[i] * sums[i];
        }
        for i in 0..N {
            out[i] += along * factor[i];
        }
    }
    out
}

fn apply_fixed<const N: usize>(ends: &[[u32; 2]], jacobians: &[f32], _: usize, x: &[f64], rows: &mut [f64]) {
    let (width, x) = (width_of(ends, jacobians), x.as_chunks::<N>().0);
    vectorised(
        #[inline(always)]
        || {
            let edges = ends.iter().zip(jacobians.chunks_exact(width));
            for ((&[a, b], jacobian), row) in edges.zip(rows.as_chunks_mut::<N>().0) {
                *row = moved::<N>(jacobian, &x[a as usize], &x[b as usize]);
            }
        },
    );
}

/// Values per Jacobian.
fn width_of(ends: &[[u32; 2]], jacobians: &[f32]) -> usize {
    (jacobians.len() / ends.len().max(1)).max(1)
}

fn gather_fixed<const N: usize>(edges: &[u32], rows: &[f64], out: &mut [f64]) {
    let rows = rows.as_chunks::<N>().0;
    vectorised(
        #[inline(always)]
        || {
            if let [out] = out.as_chunks_mut::<N>().0 {
                for &edge in edges {
                    for (out, x) in out.iter_mut().zip(&rows[edge as usize]) {
                        *out += x;
                    }
                }
            }
        },
    );
}

fn gather_any(edges: &[u32], rows: &[f64], out: &mut [f64]) {
    let n_views = out.len();
    vectorised(
        #[inline(always)]
        || {
            for &edge in edges {
                let row = &rows[edge as usize * n_views..][..n_views];
                out.iter_mut().zip(row).for_each(|(out, x)| *out += x);
            }
        },
    );
}

fn add_fixed<const N: usize>(x: &[f64], out: &mut [f64]) {
    if let ([x], [out]) = (x.as_chunks::<N>().0, out.as_chunks_mut::<N>().0) {
        for i in 0..N {
            out[i] += x[i];
        }
    }
}

fn at_node_any(hessian: &Hessian, node: usize, rows: &[f64], partial: &mut Partial, out: &mut [f64]) {
    let width = out.len();
    let add = |edge: usize, sum: &mut [f64]| add_any(&rows[edge * width..(edge + 1) * width], sum);
    hessian.add_by_leaves(node, partial, add, out);
}

/// The same additions as [`Hessian::add_by_leaves`] makes, in registers.
fn at_node_fixed<const N: usize>(hessian: &Hessian, node: usize, rows: &[f64], _: &mut Partial, out: &mut [f64]) {
    let (rows, [out]) = (rows.as_chunks::<N>().0, out.as_chunks_mut::<N>().0) else {
        return;
    };
    let plus = |x: [f64; N], y: &[f64; N]| -> [f64; N] { std::array::from_fn(|i| x[i] + y[i]) };
    let (mut sums, mut leaves) = ([[0.0; N]; MOST_LEAVES], [0_u8; MOST_LEAVES]);
    let (mut count, mut leaf, mut end) = (0, 0, 0);
    let mut sum = [0.0; N];
    for &edge in hessian.at(node) {
        let edge = edge as usize;
        if edge >= end {
            if count > 0 {
                sums[count - 1] = sum;
            }
            while hessian.leaf_starts[leaf + 1] <= edge {
                leaf += 1;
            }
            end = hessian.leaf_starts[leaf + 1];
            leaves[count] = leaf as u8;
            (sum, count) = ([0.0; N], count + 1);
        }
        sum = plus(sum, &rows[edge]);
    }
    if count == 0 {
        return;
    }
    sums[count - 1] = sum;
    // Leaves in pairs, pairs of pairs, …: what is not there is 0.
    while count > 1 {
        let (mut kept, mut k) = (0, 0);
        while k < count {
            let parent = leaves[k] / 2;
            let mut sum = sums[k];
            k += 1;
            if k < count && leaves[k] / 2 == parent {
                sum = plus(sum, &sums[k]);
                k += 1;
            }
            (sums[kept], leaves[kept]) = (sum, parent);
            kept += 1;
        }
        count = kept;
    }
    *out = plus(*out, &sums[0]);
}

fn sums_fixed<const N: usize>(ends: &[[u32; 2]], jacobians: &[f32], _: usize, x: &[f64], out: &mut [f64]) {
    let (width, x) = (width_of(ends, jacobians), x.as_chunks::<N>().0);
    vectorised(
        #[inline(always)]
        || {
            let out = out.as_chunks_mut::<N>().0;
            for (&[a, b], jacobian) in ends.iter().zip(jacobians.chunks_exact(width)) {
                let (a, b) = (a as usize, b as usize);
                let moved = moved(jacobian, &x[a], &x[b]);
                for i in 0..N {
                    out[a][i] += moved[i];
                }
                for i in 0..N {
                    out[b][i] += moved[i];
                }
            }
        },
    );
}

fn apply_any(ends: &[[u32; 2]], jacobians: &[f32], n_views: usize, x: &[f64], rows: &mut [f64]) {
    let width = width_of(ends, jacobians);
    vectorised(
        #[inline(always)]
        || {
            let edges = ends.iter().zip(jacobians.chunks_exact(width));
            for ((ends, jacobian), row) in edges.zip(rows.chunks_exact_mut(n_views)) {
                let [a, b] = ends.map(|node| &x[node as usize * n_views..][..n_views]);
                moved_by_any(jacobian, a, b, row);
            }
        },
    );
}

fn apply_sets(ends: &[[u32; 2]], jacobians: &[f32], n_views: usize, x: &[f64], rows: &mut [f64]) {
    let edges = ends.iter().zip(jacobians.chunks_exact(width_of(ends, jacobians)));
    for ((ends, jacobian), row) in edges.zip(rows.chunks_exact_mut(n_views)) {
        let [a, b] = ends.map(|node| &x[node as usize * n_views..][..n_views]);
        moved_by_sets(jacobian, a, b, row);
    }
}

/// out = J (x + y).
#[inline(always)]
fn moved_by_any(jacobian: &[f32], x: &[f64], y: &[f64], out: &mut [f64]) {
    let n_views = out.len();
    let (diagonal, factors) = jacobian.split_at(n_views);
    for (out, (&entry, (x, y))) in out.iter_mut().zip(diagonal.iter().zip(x.iter().zip(y))) {
        *out = f64::from(entry) * (x + y);
    }
    for factor in factors.chunks_exact(n_views) {
        let along = along_any(factor, x, y);
        for (out, &v) in out.iter_mut().zip(factor) {
            *out += along * f64::from(v);
        }
    }
}

/// vᵀ (x + y), in as many sums as stand side by side.
#[inline(always)]
fn along_any(factor: &[f32], x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let ((v, v_tail), (x, x_tail), (y, y_tail)) = (factor.as_chunks(), x.as_chunks(), y.as_chunks());
    for ((v, x), y) in v.iter().zip(x).zip(y) {
        let (v, x, y): (&[f32; LANES], &[f64; LANES], &[f64; LANES]) = (v, x, y);
        for lane in 0..LANES {
            sums[lane] += f64::from(v[lane]) * (x[lane] + y[lane]);
        }
    }
    let tail = v_tail.iter().zip(x_tail.iter().zip(y_tail));
    sums.iter().sum::<f64>() + tail.map(|(&v, (x, y))| f64::from(v) * (x + y)).sum::<f64>()
}

pub(super) fn add_any(x: &[f64], out: &mut [f64]) {
    for (out, x) in out.iter_mut().zip(x) {
        *out += x;
    }
}

/// As [`moved_by_any`] where the terms are of disjoint sets of views: their sums are kept at the first view of each set until
/// all views after it are done.
#[inline(always)]
fn moved_by_sets(jacobian: &[f32], x: &[f64], y: &[f64], out: &mut [f64]) {
    let n_views = out.len();
    let (diagonal, factors) = jacobian.split_at(n_views);
    let (shares, firsts) = factors.split_at(n_views);
    out.fill(0.0);
    for (view, (&share, &first)) in shares.iter().zip(firsts).enumerate() {
        out[first as usize] += f64::from(share) * (x[view] + y[view]);
    }
    for view in (0..n_views).rev() {
        let along = out[firsts[view] as usize];
        out[view] = f64::from(diagonal[view]) * (x[view] + y[view]) + along * f64::from(shares[view]);
    }
}

fn sums_of<const SETS: bool>(ends: &[[u32; 2]], jacobians: &[f32], n_views: usize, x: &[f64], out: &mut [f64]) {
    let width = width_of(ends, jacobians);
    let mut moved = vec![0.0; n_views];
    vectorised(
        #[inline(always)]
        || {
            for (&[a, b], jacobian) in ends.iter().zip(jacobians.chunks_exact(width)) {
                let [a, b] = [a, b].map(|node| node as usize * n_views..(node as usize + 1) * n_views);
                match SETS {
                    true => moved_by_sets(jacobian, &x[a.clone()], &x[b.clone()], &mut moved),
                    false => moved_by_any(jacobian, &x[a.clone()], &x[b.clone()], &mut moved),
                }
                for own in [a, b] {
                    out[own].iter_mut().zip(&moved).for_each(|(out, x)| *out += x);
                }
            }
        },
    );
}
