//! The model's curvature times a direction on a face.

use std::ops::Range;

use faer::Mat;
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::super::matrices::{Sparse, dot_with, dots_with, sparse_product_transposed};
use super::super::problem::{Filter, Problem};
use super::face::{Entry, Face, State};
use super::quadratic::{Quadratic, ViewModel};

/// Where the weights of one view that move stand in its matrix, one column after the other, each behind the diagonal
/// entry; with their unknowns.
pub(super) struct Pattern {
    starts: Vec<usize>,
    items: Vec<(u32, u32)>,
}

impl Pattern {
    pub(super) fn of(n_nodes: usize, entries: &[Entry]) -> Self {
        let mut starts: Vec<usize> = (0..=n_nodes).collect();
        for entry in entries {
            starts[entry.a as usize + 1] += 1;
            starts[entry.b as usize + 1] += 1;
        }
        for node in 1..n_nodes {
            // Each already counts the diagonal entries before it.
            starts[node + 1] += starts[node] - node;
        }
        let mut next: Vec<usize> = starts[..n_nodes].iter().map(|start| start + 1).collect();
        let mut items = vec![(0, 0); n_nodes + 2 * entries.len()];
        for (node, &start) in starts[..n_nodes].iter().enumerate() {
            items[start] = (node as u32, 0);
        }
        for entry in entries {
            for (node, other) in [(entry.a, entry.b), (entry.b, entry.a)] {
                items[next[node as usize]] = (other, entry.slot);
                next[node as usize] += 1;
            }
        }
        Self { starts, items }
    }

    /// D of a direction.
    fn matrix(&self, unknowns: &[f64], diagonal: &[f64]) -> Sparse {
        // The slots of diagonal entries mean nothing; there may be no unknown at all.
        let value = |slot: u32| unknowns.get(slot as usize).map_or(0.0, |x| -x);
        let mut matrix = Sparse {
            starts: self.starts.clone(),
            items: self.items.iter().map(|&(node, slot)| (node, value(slot))).collect(),
        };
        for (&start, &value) in self.starts.iter().zip(diagonal) {
            matrix.items[start].1 = value;
        }
        matrix
    }
}

impl Quadratic<'_> {
    /// The model's curvature times a direction, in unknowns that carry their diagonals.
    pub(super) fn product(&mut self, face: &Face, direction: &State) -> State {
        let problem = self.problem;
        let shares: Vec<(Vec<f64>, Vec<f64>)> = self
            .views
            .par_iter_mut()
            .enumerate()
            .map(|(view, model)| {
                let entries = &face.entries[view];
                let mut diagonal = direction.diagonals[view].clone();
                for entry in entries {
                    let x = direction.unknowns[entry.slot as usize];
                    diagonal[entry.a as usize] += entry.carry[0] * x;
                    diagonal[entry.b as usize] += entry.carry[1] * x;
                }
                let step = face.patterns[view].matrix(&direction.unknowns, &diagonal);
                model.multiply(problem, view, entries, &step)
            })
            .collect();
        let mut product = State::zeros(problem, direction.unknowns.len());
        for (view, (along, diagonal)) in shares.into_iter().enumerate() {
            for (entry, along) in face.entries[view].iter().zip(along) {
                product.unknowns[entry.slot as usize] += along;
            }
            product.diagonals[view] = diagonal;
        }
        for bundle in &face.bundles {
            bundle.add_product(&direction.unknowns, &mut product.unknowns);
        }
        product
    }
}

impl ViewModel {
    /// v (YDY + [twice] (SD + DS)/2) along each entry with what it carries, and along the diagonal.
    fn multiply(&mut self, problem: &Problem, view: usize, entries: &[Entry], step: &Sparse) -> (Vec<f64>, Vec<f64>) {
        // Room that nothing else needs while a face is solved for.
        sparse_product_transposed(&mut self.filtered, &self.inverse, step);
        let term = &problem.views[view];
        pulp::Arch::new().dispatch(Product {
            inverse: &self.inverse,
            right: &self.filtered,
            filtered: (problem.filter == Filter::Twice).then_some((&term.covariance, step)),
            weight: term.weight,
            entries,
        })
    }
}

/// What is left of a product once D Y is known.
struct Product<'p> {
    inverse: &'p Mat<f64>,
    /// D Y.
    right: &'p Mat<f64>,
    /// S and D, where the filter is applied twice.
    filtered: Option<(&'p Mat<f64>, &'p Sparse)>,
    weight: f64,
    entries: &'p [Entry],
}

impl WithSimd for Product<'_> {
    type Output = (Vec<f64>, Vec<f64>);

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let n = self.inverse.ncols();
        let (mut diagonal, mut along) = (vec![0.0; n], vec![0.0; self.entries.len()]);
        let n_rows = (NEAR / (2 * size_of::<f64>() * n.max(1))).max(LEAST_ROWS);
        for from in (0..n).step_by(n_rows) {
            self.add_band(simd, from..n.min(from + n_rows), &mut diagonal, &mut along);
        }
        if let Some((covariance, step)) = self.filtered {
            for (a, x) in diagonal.iter_mut().enumerate() {
                *x += sparse_dot(covariance.col_as_slice(a), step.column(a));
            }
            for (entry, along) in self.entries.iter().zip(&mut along) {
                let (a, b) = (entry.a as usize, entry.b as usize);
                *along += 0.5
                    * (sparse_dot(covariance.col_as_slice(a), step.column(b))
                        + sparse_dot(covariance.col_as_slice(b), step.column(a)));
            }
        }
        diagonal.iter_mut().for_each(|x| *x *= self.weight);
        for (entry, along) in self.entries.iter().zip(&mut along) {
            let (a, b) = (entry.a as usize, entry.b as usize);
            *along = entry.carry[0] * diagonal[a] + entry.carry[1] * diagonal[b] - 2.0 * self.weight * *along;
        }
        (along, diagonal)
    }
}

/// So many bytes of two matrices stay in the second cache.
const NEAR: usize = 768 << 10;
/// A band of rows is not made smaller than this.
const LEAST_ROWS: usize = 64;
/// Entries of the same first node that are taken together.
const TOGETHER: usize = 4;

impl Product<'_> {
    /// What some rows of Y and D Y add to the entries of YDY, on the diagonal and where weights move.
    #[inline(always)]
    fn add_band<S: Simd>(&self, simd: S, rows: Range<usize>, diagonal: &mut [f64], along: &mut [f64]) {
        for (a, x) in diagonal.iter_mut().enumerate() {
            let own = &self.inverse.col_as_slice(a)[rows.clone()];
            *x += dot_with(simd, own, &self.right.col_as_slice(a)[rows.clone()]);
        }
        let mut k = 0;
        while k < self.entries.len() {
            let a = self.entries[k].a;
            let own = &self.inverse.col_as_slice(a as usize)[rows.clone()];
            let right = |entry: &Entry| &self.right.col_as_slice(entry.b as usize)[rows.clone()];
            let next = self.entries[k..].first_chunk::<TOGETHER>();
            if let Some(next) = next.filter(|next| next[TOGETHER - 1].a == a) {
                let dots = dots_with(simd, own, next.each_ref().map(right));
                for (along, dot) in along[k..].iter_mut().zip(dots) {
                    *along += dot;
                }
                k += TOGETHER;
            } else {
                along[k] += dot_with(simd, own, right(&self.entries[k]));
                k += 1;
            }
        }
    }
}

/// Σ x y over the entries of y; four sums run side by side.
#[inline(always)]
fn sparse_dot(x: &[f64], y: &[(u32, f64)]) -> f64 {
    let (chunks, rest) = y.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for chunk in chunks {
        for (sum, &(place, value)) in sums.iter_mut().zip(chunk) {
            *sum += value * x[place as usize];
        }
    }
    for (sum, &(place, value)) in sums.iter_mut().zip(rest) {
        *sum += value * x[place as usize];
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}
