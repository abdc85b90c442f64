//! The model's curvature times a direction on a face.

use std::ops::Range;

use faer::Mat;
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::super::matrices::{Sparse, dot_with, dots_with, sparse_product, sparse_product_transposed};
use super::super::problem::{Filter, Problem};
use super::face::{Entry, Face, State};
use super::quadratic::{Quadratic, ViewModel};

/// Where the weights of one view that move stand in its matrix, one column after the other, each behind the diagonal
/// entry; with their unknowns, and room for a product.
#[derive(Clone)]
pub(super) struct Pattern {
    /// D of a direction.
    step: Sparse,
    /// The unknown of each of its items; those of diagonal entries mean nothing.
    slots: Vec<u32>,
    /// The product along each entry, with what it carries.
    along: Vec<f64>,
    /// Whether S D is had more cheaply as a whole than where weights move.
    is_dense: bool,
}

/// A whole product of a dense and a sparse matrix is so many times cheaper than its entries one by one.
const WHOLE_GAIN: usize = 24;

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
        let mut items = vec![(0, 0.0); n_nodes + 2 * entries.len()];
        let mut slots = vec![0; items.len()];
        for (node, &start) in starts[..n_nodes].iter().enumerate() {
            items[start].0 = node as u32;
        }
        for entry in entries {
            for (node, other) in [(entry.a, entry.b), (entry.b, entry.a)] {
                let place = &mut next[node as usize];
                items[*place].0 = other;
                slots[*place] = entry.slot;
                *place += 1;
            }
        }
        Self {
            step: Sparse { starts, items },
            slots,
            along: vec![0.0; entries.len()],
            is_dense: n_nodes * n_nodes < WHOLE_GAIN * entries.len(),
        }
    }

    /// Sets D to a direction.
    fn set(&mut self, unknowns: &[f64], diagonal: &[f64]) {
        for ((_, value), &slot) in self.step.items.iter_mut().zip(&self.slots) {
            // There may be no unknown at all.
            *value = unknowns.get(slot as usize).map_or(0.0, |x| -x);
        }
        for (&start, &value) in self.step.starts.iter().zip(diagonal) {
            self.step.items[start].1 = value;
        }
    }
}

impl Quadratic<'_> {
    /// The model's curvature times a direction, in unknowns that carry their diagonals.
    pub(super) fn product(&mut self, face: &Face, patterns: &mut [Pattern], direction: &State, product: &mut State) {
        let problem = self.problem;
        let views = self.views.par_iter_mut().zip(patterns.par_iter_mut());
        views
            .zip(&mut product.diagonals)
            .enumerate()
            .for_each(|(view, ((model, pattern), diagonal))| {
                let entries = &face.entries[view];
                diagonal.copy_from_slice(&direction.diagonals[view]);
                for entry in entries {
                    let x = direction.unknowns[entry.slot as usize];
                    diagonal[entry.a as usize] += entry.carry[0] * x;
                    diagonal[entry.b as usize] += entry.carry[1] * x;
                }
                pattern.set(&direction.unknowns, diagonal);
                model.multiply(problem, view, entries, pattern, diagonal);
            });
        product.unknowns.fill(0.0);
        for (entries, pattern) in face.entries.iter().zip(patterns) {
            for (entry, along) in entries.iter().zip(&pattern.along) {
                product.unknowns[entry.slot as usize] += along;
            }
        }
        for bundle in &face.bundles {
            bundle.add_product(&direction.unknowns, &mut product.unknowns);
        }
    }
}

impl ViewModel {
    /// v (YDY + [twice] (SD + DS)/2) along each entry with what it carries, and along the diagonal.
    fn multiply(
        &mut self,
        problem: &Problem,
        view: usize,
        entries: &[Entry],
        pattern: &mut Pattern,
        diagonal: &mut [f64],
    ) {
        let Pattern {
            step, along, is_dense, ..
        } = pattern;
        let (term, step) = (&problem.views[view], &*step);
        // Room that nothing else needs while a face is solved for.
        sparse_product_transposed(&mut self.filtered, &self.inverse, step);
        let filtered = if problem.filter == Filter::Once {
            Filtered::None
        } else if *is_dense {
            sparse_product(&mut self.left, &term.covariance, step);
            Filtered::Whole(&self.left)
        } else {
            Filtered::Of(&term.covariance, step)
        };
        pulp::Arch::new().dispatch(Product {
            inverse: &self.inverse,
            right: &self.filtered,
            filtered,
            weight: term.weight,
            entries,
            along,
            diagonal,
        });
    }
}

/// What a filter that is applied twice adds.
#[derive(Clone, Copy)]
enum Filtered<'p> {
    None,
    /// S D.
    Whole(&'p Mat<f64>),
    /// S and D.
    Of(&'p Mat<f64>, &'p Sparse),
}

/// What is left of a product once D Y is known.
struct Product<'p> {
    inverse: &'p Mat<f64>,
    /// D Y.
    right: &'p Mat<f64>,
    filtered: Filtered<'p>,
    weight: f64,
    entries: &'p [Entry],
    along: &'p mut [f64],
    diagonal: &'p mut [f64],
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let n = self.inverse.ncols();
        self.along.fill(0.0);
        self.diagonal.fill(0.0);
        let n_rows = (NEAR / (2 * size_of::<f64>() * n.max(1))).max(LEAST_ROWS);
        for from in (0..n).step_by(n_rows) {
            self.add_band(simd, from..n.min(from + n_rows));
        }
        let Self {
            entries,
            along,
            diagonal,
            weight,
            ..
        } = self;
        match self.filtered {
            Filtered::None => {}
            Filtered::Whole(product) => {
                for (a, x) in diagonal.iter_mut().enumerate() {
                    *x += product[(a, a)];
                }
                for (entry, along) in entries.iter().zip(&mut *along) {
                    let (a, b) = (entry.a as usize, entry.b as usize);
                    *along += 0.5 * (product[(a, b)] + product[(b, a)]);
                }
            }
            Filtered::Of(covariance, step) => {
                for (a, x) in diagonal.iter_mut().enumerate() {
                    *x += sparse_dot(covariance.col_as_slice(a), step.column(a));
                }
                for (entry, along) in entries.iter().zip(&mut *along) {
                    let (a, b) = (entry.a as usize, entry.b as usize);
                    *along += 0.5
                        * (sparse_dot(covariance.col_as_slice(a), step.column(b))
                            + sparse_dot(covariance.col_as_slice(b), step.column(a)));
                }
            }
        }
        diagonal.iter_mut().for_each(|x| *x *= weight);
        for (entry, along) in entries.iter().zip(along) {
            let (a, b) = (entry.a as usize, entry.b as usize);
            *along = entry.carry[0] * diagonal[a] + entry.carry[1] * diagonal[b] - 2.0 * weight * *along;
        }
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
    fn add_band<S: Simd>(&mut self, simd: S, rows: Range<usize>) {
        for (a, x) in self.diagonal.iter_mut().enumerate() {
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
                for (along, dot) in self.along[k..].iter_mut().zip(dots) {
                    *along += dot;
                }
                k += TOGETHER;
            } else {
                self.along[k] += dot_with(simd, own, right(&self.entries[k]));
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
