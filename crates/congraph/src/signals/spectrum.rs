//! The exponent of the spectrum: signals that are partly whitened before distances are taken.
//!
//! Smooth signals X = h(L) X₀ have the covariance h(L)², and a strong filter damps the fine structure of the graph, which
//! tells edges apart, far more than the coarse one. With the thin singular value decomposition of a z-scored view
//! (samples × nodes), an exponent a undoes part of it:
//!
//! ```text
//! X = V Σ Uᵀ     X̃ = V Σᵃ Uᵀ, z-scored again     or, of the correlations S:  Sᵃ with a diagonal of ones
//! ```
//!
//! a = 1 is the paper, a → 0 whitens. Everything behind it (distances, solvers, certificates) stays as it is.
//!
//! No decomposition of X itself is needed. With A, the signals as samples × nodes or nodes × samples, whichever has fewer
//! rows, X̃ is (A Aᵀ)^((a−1)/2) A, on the side of fewer rows: no matrix of nodes × nodes is formed where there are fewer
//! samples than nodes. Squaring costs half of the digits of small singular values: a direction that is r times the
//! strongest is known to about 1e-16/r², so that those above the cut have three digits or more, and those that matter
//! ten.
//!
//! Directions below a millionth of the strongest are what rounding left of none at all (centred data lack one, an average
//! reference loses another; data are rarely given to more than six digits), and stay away: a small exponent would raise
//! them to the size of the others.
//!
//! A view's own nodes alone take part, in the order of their names, so that neither the order of columns nor other views
//! matter; every product is made on one thread in blocks that do not depend on their number. Cost: n p min(n, p) for each
//! view, against n² p of the distances of all pairs.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular;
use faer::{Accum, Mat, MatRef, Par, Side};
use rayon::prelude::*;

use super::{Scale, Scaling, scale_into};
use crate::error::Error;
use crate::options::option;
use crate::parallel::chunks::try_map;
use crate::views::{Kind, View, Views};

/// Nodes per block of a product.
const BLOCK: usize = 128;
/// Squares of singular values below this share of the largest are rounding.
const ROUNDING: f64 = 1e-12;

/// To which power the singular values of every view are taken before distances are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spectrum {
    /// The exponent a: 1 leaves the signals as they are; smaller ones whiten them partly.
    pub exponent: f64,
    /// Whether it was chosen by the data, and not by the user.
    pub is_chosen: bool,
}

impl Default for Spectrum {
    /// The paper's: signals as they are.
    fn default() -> Self {
        Self::new(1.0)
    }
}

impl Spectrum {
    /// The least exponent. Below it a direction at the level of rounding, a millionth of the strongest, would come to more
    /// than half of it; and at 0 all signals of a view with more samples than nodes are equally far apart.
    pub const LEAST: f64 = 0.05;

    /// An exponent that the user chose.
    pub const fn new(exponent: f64) -> Self {
        Self {
            exponent,
            is_chosen: false,
        }
    }

    /// Whether signals stay as they are.
    pub fn is_plain(&self) -> bool {
        self.exponent == 1.0
    }

    /// Refuses exponents out of their range, and those that mean nothing with a scaling.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an exponent below [`Spectrum::LEAST`] or above 1, and for one other than 1 unless nodes
    /// are z-scored.
    pub fn check(&self, scaling: &Scaling) -> Result<(), Error> {
        let refuse = |message: String| {
            Err(Error::Parameter {
                name: "spectrum",
                message,
            })
        };
        let given = self.exponent;
        if given > 1.0 {
            return refuse(format!(
                "is {given}; it must be at most 1, which leaves the signals as they are: a larger exponent damps the fine \
                 structure, which tells edges apart, even more"
            ));
        }
        if given.is_nan() || given < Self::LEAST {
            return refuse(format!(
                "is {given}; it must be at least {} and at most 1: a smaller exponent makes rounding as strong as the \
                 signals, and 0 makes all pairs of nodes equally distant",
                Self::LEAST
            ));
        }
        if !self.is_plain() && scaling.scale != Scale::Zscore {
            return refuse(format!(
                "is {given}, and that needs {}: the directions of other signals depend on the units of the nodes, and \
                 what is left of a power of them has no unit",
                option("scale").set_to("zscore")
            ));
        }
        Ok(())
    }

    /// The views as distances are to see them: the signals, or the matrices that stand for them, with their spectrum to
    /// the power. None where they stay as they are.
    ///
    /// # Errors
    /// As [`Spectrum::check`]; [`Error::Invalid`] if a view has no eigenvalues in f64.
    pub fn applied(&self, views: &Views, scaling: &Scaling) -> Result<Option<Views>, Error> {
        self.check(scaling)?;
        if self.is_plain() {
            return Ok(None);
        }
        let of_view = |view: usize| {
            let mut own: Vec<usize> = views.membership().nodes_of(view).collect();
            own.sort_by_key(|&node| &views.nodes()[node]);
            let view = views.view(view);
            let values = match views.kind() {
                Kind::Signals => signals(view, views.n_nodes(), &own, self.exponent),
                Kind::Gram | Kind::Covariance => products(view, views.n_nodes(), &own, self.exponent),
            };
            values.ok_or_else(|| Error::Invalid {
                what: "spectrum",
                message: format!(
                    "cannot be computed: the signals of view `{}` have no eigenvalues in f64; {} does without",
                    view.name(),
                    option("spectrum").set_to(1)
                ),
            })
        };
        let values = try_map((0..views.n_views()).into_par_iter(), of_view)?;
        Ok(Some(views.with_values(values)))
    }
}

/// The signals of a view, node by node, with their spectrum to a power; 0 where it lacks nodes.
fn signals(view: &View, n_nodes: usize, own: &[usize], exponent: f64) -> Option<Vec<f64>> {
    let n_samples = view.node(0).len();
    let few_samples = n_samples < own.len();
    let signals = z_scored(view, own, n_samples, few_samples);
    let power = map_eigenvalues(&gram(signals.as_ref()), |value| value.powf(0.5 * (exponent - 1.0)))?;
    let mut values = vec![0.0; n_nodes * n_samples];
    let blocks: Vec<(usize, Mat<f64>)> = (0..own.len())
        .into_par_iter()
        .step_by(BLOCK)
        .map(|first| {
            let n = BLOCK.min(own.len() - first);
            let block = if few_samples {
                product(power.as_ref(), signals.as_ref().subcols(first, n))
            } else {
                product(power.as_ref().subrows(first, n), signals.as_ref())
            };
            (first, block)
        })
        .collect();
    for (first, block) in blocks {
        for (k, &node) in own[first..].iter().take(BLOCK).enumerate() {
            let out = &mut values[node * n_samples..(node + 1) * n_samples];
            for (sample, out) in out.iter_mut().enumerate() {
                *out = if few_samples {
                    block[(sample, k)]
                } else {
                    block[(k, sample)]
                };
            }
        }
    }
    Some(values)
}

/// The z-scored signals of some nodes: samples × nodes if there are fewer samples, else nodes × samples. In storage of
/// faer's own, whose alignment never varies.
fn z_scored(view: &View, own: &[usize], n_samples: usize, few_samples: bool) -> Mat<f64> {
    let mut signals = if few_samples {
        Mat::zeros(n_samples, own.len())
    } else {
        Mat::zeros(own.len(), n_samples)
    };
    let mut signal = vec![0.0; n_samples];
    for (k, &node) in own.iter().enumerate() {
        scale_into(view.node(node), Scale::Zscore, &mut signal);
        for (sample, &x) in signal.iter().enumerate() {
            let at = if few_samples { (sample, k) } else { (k, sample) };
            signals[at] = x;
        }
    }
    signals
}

/// The correlations of a precomputed matrix to a power, with a diagonal of ones; 0 where the view lacks nodes.
fn products(view: &View, n_nodes: usize, own: &[usize], exponent: f64) -> Option<Vec<f64>> {
    let deviation: Vec<f64> = own.iter().map(|&node| view.node(node)[node].sqrt()).collect();
    let mut correlations = Mat::zeros(own.len(), own.len());
    for b in 0..own.len() {
        for a in b..own.len() {
            let size = deviation[a] * deviation[b];
            if size > 0.0 {
                correlations[(a, b)] = view.node(own[a])[own[b]] / size;
            }
        }
    }
    let power = map_eigenvalues(&correlations, |value| value.powf(exponent))?;
    let size: Vec<f64> = (0..own.len()).map(|k| power[(k, k)].sqrt()).collect();
    let mut values = vec![0.0; n_nodes * n_nodes];
    for (a, &row) in own.iter().enumerate() {
        for (b, &column) in own.iter().enumerate() {
            let size = size[a] * size[b];
            values[row * n_nodes + column] = match size > 0.0 {
                true if a == b => 1.0,
                true => power[(a.max(b), a.min(b))] / size,
                false => 0.0,
            };
        }
    }
    Some(values)
}

/// A Aᵀ, of which the lower triangle is filled, block by block.
fn gram(signals: MatRef<'_, f64>) -> Mat<f64> {
    let n = signals.nrows();
    let starts: Vec<usize> = (0..n).step_by(BLOCK).collect();
    let pairs = starts
        .iter()
        .flat_map(|&a| starts.iter().filter(move |&&b| b <= a).map(move |&b| (a, b)));
    let pairs: Vec<(usize, usize)> = pairs.collect();
    let rows = |first: usize| signals.subrows(first, BLOCK.min(n - first));
    let block = |&(a, b): &(usize, usize)| product(rows(a), rows(b).transpose());
    let blocks: Vec<Mat<f64>> = pairs.par_iter().map(block).collect();
    let mut gram = Mat::zeros(n, n);
    for (&(a, b), block) in pairs.iter().zip(&blocks) {
        let mut place = gram.as_mut().submatrix_mut(a, b, block.nrows(), block.ncols());
        place.copy_from(block);
    }
    gram
}

fn product(left: MatRef<'_, f64>, right: MatRef<'_, f64>) -> Mat<f64> {
    let mut product = Mat::zeros(left.nrows(), right.ncols());
    matmul(product.as_mut(), Accum::Replace, left, right, 1.0, Par::Seq);
    product
}

/// Q f(Λ/λ₁) Qᵀ, whole, for f ≥ 0 and eigenvalues above rounding; the others become 0. Of the matrix the lower triangle
/// is read. None if there is no decomposition.
fn map_eigenvalues(matrix: &Mat<f64>, f: impl Fn(f64) -> f64) -> Option<Mat<f64>> {
    let n = matrix.nrows();
    let eigen = matrix.self_adjoint_eigen(Side::Lower).ok()?;
    let (mut vectors, values) = (eigen.U().to_owned(), eigen.S());
    let largest = (0..n).map(|k| values[k]).fold(0.0_f64, f64::max);
    for k in 0..n {
        let share = values[k] / largest;
        let factor = if share > ROUNDING { f(share).sqrt() } else { 0.0 };
        if !factor.is_finite() {
            return None;
        }
        vectors.col_mut(k).iter_mut().for_each(|x| *x *= factor);
    }
    let mut mapped = Mat::zeros(n, n);
    triangular::matmul(
        mapped.as_mut(),
        triangular::BlockStructure::TriangularLower,
        Accum::Replace,
        vectors.as_ref(),
        triangular::BlockStructure::Rectangular,
        vectors.transpose(),
        triangular::BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
    for column in 0..n {
        for row in 0..column {
            mapped[(row, column)] = mapped[(column, row)];
        }
    }
    Some(mapped)
}
