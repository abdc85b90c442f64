//! Views → covariances in comparable units, and what the fits of the same views share.
//!
//! Signals in the same unit are centred and keep their sizes; others are z-scored. Each covariance is divided by its
//! mean variance. An M-matrix has its largest variance along the mean of all nodes. Where the data lack that direction
//! (an average reference, or a filter L†, removes it) it is put back: the covariance is *lifted* along it.

use std::sync::Arc;

use faer::{Mat, Side};
use rayon::prelude::*;

use super::matrices::{dot, lower_product, mirror};
use super::problem::{ABSENT, ViewTerm};
use crate::edges::candidates::{Candidates, EdgeCost, placed_costs, tidy};
use crate::error::{Code, DataError, Error, list_names};
use crate::findings::relative_variances;
use crate::options::option;
use crate::parallel::chunks::try_map;
use crate::signals::{DistanceNorm, SampleNorm, Scale, Scaling, ViewSignals};
use crate::views::{Kind, Membership, Order, View, Views};

/// Signals whose sizes differ by more than this are not in the same unit.
const SAME_UNIT: f64 = 30.0;
/// The mean of all nodes is lifted where its variance is below this share of the mean variance,
const LACKING: f64 = 0.5;
/// to so many times the largest variance of any other direction.
const LIFT: f64 = 16.0;
/// A direction whose variance is below this share of the next is missing.
const MISSING: f64 = 0.2;
/// It is one that a reference took if it is the sum of all nodes but for signs: cos² of the angle between the two. A
/// direction without a pattern has 2/π, and one of k of n nodes at most k/n.
const WHOLE: f64 = 0.75;

/// What is done with a direction that the data lack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lift {
    /// Centred signals are lifted along the mean of all nodes if they lack it.
    #[default]
    Mean,
    /// If the views together lack the sum of all nodes, each with a sign of its own, it gets the mean variance: for
    /// graphs of both signs. A few nodes that nearly add up to nothing are a relation, and stay one.
    Missing,
    /// Along the mean of all nodes, as in a fit whose data lacked it.
    Always,
    /// Nothing.
    None,
}

/// Covariances, candidate edges and samples: what all fits of the same views share.
#[derive(Clone, Debug)]
pub struct Data {
    pub(super) terms: Arc<Vec<ViewTerm>>,
    pub(super) edges: Arc<Vec<[u32; 2]>>,
    /// What each edge costs beside λ.
    pub(super) costs: Vec<f64>,
    /// How many independent samples each view's are worth,
    pub(super) samples: Vec<f64>,
    /// and a view's on average, in the fit that charges are measured by.
    mean_samples: f64,
    /// The mean variance of each view's scaled signals, which its covariance was divided by.
    pub(super) variances: Vec<f64>,
    /// How the signals were scaled.
    pub(super) scale: Scale,
    /// Whether the mean of all nodes, or a missing direction, was put back.
    pub(super) is_lifted: bool,
    /// Which view has which node.
    pub(super) membership: Arc<Membership>,
}

impl Data {
    /// The mean number of independent samples of a view.
    pub(super) fn mean_samples(&self) -> f64 {
        self.mean_samples
    }

    /// The same for charges that are measured by a fit whose views have this many samples on average.
    pub(super) fn measured_by(mut self, mean_samples: f64) -> Self {
        let weighed = |(term, samples): (&ViewTerm, &f64)| ViewTerm {
            weight: samples / mean_samples,
            ..term.clone()
        };
        self.terms = Arc::new(self.terms.iter().zip(&self.samples).map(weighed).collect());
        self.mean_samples = mean_samples;
        self
    }

    /// Whether a direction that the data lack was put back.
    pub fn is_lifted(&self) -> bool {
        self.is_lifted
    }

    /// With only the edges of some pairs. `check` refuses what no likelihood can be of.
    pub(super) fn new(
        views: &Views,
        order: &Order,
        scale: Option<Scale>,
        lift: Lift,
        (candidates, costs): (&Candidates, &[EdgeCost]),
        check: fn(&Views, &[Mat<f64>]) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let samples = samples(views)?;
        let scale = scale.unwrap_or_else(|| unit(views));
        let (edges, costs) = edges(views, order, candidates, costs)?;
        let (mut matrices, variances): (Vec<Mat<f64>>, Vec<f64>) = covariances(views, scale)?.into_iter().unzip();
        check(views, &matrices)?;
        let is_lifted = match lift {
            Lift::Mean if scale != Scale::Zscore => lacks_mean(&matrices) && lift_means(&mut matrices),
            Lift::Always => lift_means(&mut matrices),
            Lift::Missing => raise_missing(views, &mut matrices),
            Lift::Mean | Lift::None => false,
        };
        let mean = samples.iter().sum::<f64>() / samples.len() as f64;
        let term = |(view, covariance): (usize, Mat<f64>)| ViewTerm {
            places: places(views, view),
            covariance,
            weight: samples[view] / mean,
        };
        Ok(Self {
            terms: Arc::new(matrices.into_iter().enumerate().map(term).collect()),
            edges: Arc::new(edges),
            costs,
            variances,
            scale,
            is_lifted,
            samples,
            mean_samples: mean,
            membership: Arc::clone(views.membership()),
        })
    }
}

/// The covariances of centred signals over the mean variance of their view, row after row, and those mean variances.
///
/// # Errors
/// E04 where a node does not vary; [`Error::Invalid`] for values whose squares no f64 holds.
pub(crate) fn plain_covariances(views: &Views) -> Result<(Vec<Vec<f64>>, Vec<f64>), Error> {
    let found = covariances(views, Scale::Center)?;
    let rows = |(matrix, _): &(Mat<f64>, f64)| {
        let columns = (0..matrix.ncols()).flat_map(|b| matrix.col_as_slice(b));
        columns.copied().collect()
    };
    Ok((
        found.iter().map(rows).collect(),
        found.iter().map(|(_, mean)| *mean).collect(),
    ))
}

/// Whether views in one unit lack the mean of all nodes.
///
/// # Errors
/// As [`plain_covariances`].
pub(crate) fn views_lack_mean(views: &Views) -> Result<bool, Error> {
    let matrices: Vec<Mat<f64>> = covariances(views, Scale::Center)?
        .into_iter()
        .map(|(matrix, _)| matrix)
        .collect();
    Ok(unit(views) == Scale::Center && lacks_mean(&matrices))
}

/// Where each node is in a view's matrices.
fn places(views: &Views, view: usize) -> Vec<u32> {
    let mut next = 0;
    let place = |node: usize| {
        if views.has(view, node) {
            next += 1;
            next - 1
        } else {
            ABSENT
        }
    };
    (0..views.n_nodes()).map(place).collect()
}

/// The independent samples of each view.
fn samples(views: &Views) -> Result<Vec<f64>, Error> {
    let mut few = Vec::new();
    let mut found = Vec::with_capacity(views.n_views());
    for (index, view) in views.iter().enumerate() {
        let Some(samples) = views.effective_samples(index) else {
            return Err(Error::Parameter {
                name: "samples",
                message: format!(
                    "is not told for view `{}`: how strongly views are coupled, and which model explains them best, \
                     depends on how many samples a matrix was made from",
                    view.name()
                ),
            });
        };
        if samples < 2.0 || view.n_samples().is_some_and(|n| n < 2) {
            let name = view.name();
            few.push(
                DataError::new(
                    Code::E05,
                    format!("view `{name}` has {samples:.1} independent samples; the likelihood needs 2 at least"),
                    "from a single sample no covariance can be estimated",
                    "leave the view out, or learn it by the method `smooth`",
                )
                .in_view(name),
            );
        }
        found.push(samples);
    }
    if few.is_empty() {
        Ok(found)
    } else {
        Err(Error::Data(few))
    }
}

/// Whether signals are in one unit, by the sizes of the nodes' standard deviations. Values whose squares no f64 holds are
/// z-scored.
pub(super) fn unit(views: &Views) -> Scale {
    let variance = |view: &View, node: usize| match views.kind() {
        Kind::Signals => {
            let values = view.node(node);
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / values.len() as f64
        }
        Kind::Gram | Kind::Covariance => view.node(node)[node].max(0.0),
    };
    let is_one = views.iter().enumerate().all(|(index, view)| {
        let own = (0..views.n_nodes()).filter(|&node| views.has(index, node));
        let (least, most) = own.fold((f64::INFINITY, 0.0_f64), |(least, most), node| {
            let variance = variance(view, node);
            (least.min(variance), most.max(variance))
        });
        most.is_normal() && most.sqrt() <= SAME_UNIT * least.sqrt()
    });
    if is_one { Scale::Center } else { Scale::Zscore }
}

/// Why a view's covariances cannot be used: a node that does not vary, or values whose squares no f64 holds.
fn unsound(views: &Views, index: usize, matrix: &Mat<f64>, own: &[usize]) -> Error {
    let view = views.view(index);
    let is_constant = |node: usize| match views.kind() {
        Kind::Signals => view.node(node).windows(2).all(|two| two[0] == two[1]),
        Kind::Gram | Kind::Covariance => view.node(node)[node] == 0.0,
    };
    let constant: Vec<usize> = own.iter().copied().filter(|&node| is_constant(node)).collect();
    let Some(&first) = constant.first() else {
        let largest = own
            .iter()
            .flat_map(|&node| view.node(node))
            .fold(0.0_f64, |most, x| most.max(x.abs()));
        let is_small = (0..own.len()).any(|a| matrix[(a, a)] < 1.0);
        return Error::Invalid {
            what: "covariances",
            message: format!(
                "{} in view `{}`: values this {} (at most {largest:.1e}) need {}",
                if is_small { "underflow" } else { "overflow" },
                view.name(),
                if is_small { "small" } else { "large" },
                option("scale").set_to("zscore")
            ),
        };
    };
    let names: Vec<&str> = constant.iter().map(|&node| views.nodes()[node].as_str()).collect();
    let (is, it) = if names.len() == 1 {
        ("is", "it")
    } else {
        ("are", "them")
    };
    let word = match views.kind() {
        Kind::Signals => "constant",
        Kind::Gram | Kind::Covariance => "without variance",
    };
    DataError::new(
        Code::E04,
        format!("view `{}`: {} {is} {word}", view.name(), list_names(&names)),
        "the likelihood needs every node to vary: of a variance of 0 it has no maximum",
        format!(
            "{} leaves {it} out of all views, {} with {} masks {it} in this view; or learn by the method `smooth`, which \
             keeps {it}",
            option("drop_nodes").set_to(names.join(",")),
            option("missing").set_to("mask"),
            option("scale").set_to("zscore")
        ),
    )
    .in_view(view.name())
    .at_node(&views.nodes()[first])
    .into()
}

/// One matrix per view over its own nodes, with a mean variance of 1, and what it was divided by.
pub(super) fn covariances(views: &Views, scale: Scale) -> Result<Vec<(Mat<f64>, f64)>, Error> {
    let scaling = Scaling {
        scale,
        sample_norm: SampleNorm::Mean,
        distance_norm: DistanceNorm::None,
    };
    let of_view = |(index, view): (usize, &View)| {
        let own: Vec<usize> = (0..views.n_nodes()).filter(|&node| views.has(index, node)).collect();
        let n = own.len();
        let mut matrix = if views.kind() == Kind::Signals {
            let signals = ViewSignals::new(view, views.n_nodes(), &scaling);
            let columns = Mat::from_fn(signals.n_samples, n, |sample, k| signals.node(own[k])[sample]);
            let rows = columns.transpose().to_owned();
            let mut matrix = Mat::zeros(n, n);
            lower_product(&mut matrix, &rows, &columns);
            mirror(&mut matrix);
            matrix *= faer::Scale(1.0 / signals.n_samples as f64);
            matrix
        } else {
            let size = |k: usize| match scale {
                Scale::Zscore => view.node(own[k])[own[k]].sqrt(),
                Scale::Center | Scale::None => 1.0,
            };
            let entry = |a: usize, b: usize| 0.5 * (view.node(own[a])[own[b]] + view.node(own[b])[own[a]]);
            Mat::from_fn(n, n, |a, b| entry(a, b) / (size(a) * size(b)))
        };
        let mean = (0..n).map(|a| matrix[(a, a)]).sum::<f64>() / n as f64;
        let is_sound = (0..n).all(|a| matrix[(a, a)] > 0.0) && mean.is_normal();
        if !is_sound {
            return Err(unsound(views, index, &matrix, &own));
        }
        for b in 0..n {
            matrix.col_as_slice_mut(b).iter_mut().for_each(|x| *x /= mean);
        }
        Ok((matrix, mean))
    };
    let all: Vec<(usize, &View)> = views.iter().enumerate().collect();
    try_map(all.into_par_iter(), of_view)
}

/// Whether the covariances lack the mean of all nodes, on average over the views.
fn lacks_mean(matrices: &[Mat<f64>]) -> bool {
    let sum = matrices.iter().map(along_mean).sum::<f64>();
    sum / (matrices.len() as f64) < LACKING
}

/// Lifts all covariances along the mean of all nodes; true.
fn lift_means(matrices: &mut [Mat<f64>]) -> bool {
    matrices.par_iter_mut().for_each(|matrix| {
        let n = matrix.nrows();
        let added = (LIFT * largest_beside_mean(matrix) - along_mean(matrix)).max(0.0) / n as f64;
        for b in 0..n {
            matrix.col_as_slice_mut(b).iter_mut().for_each(|x| *x += added);
        }
    });
    true
}

/// uᵀ S u for u = 1/√n.
fn along_mean(matrix: &Mat<f64>) -> f64 {
    let n = matrix.ncols();
    let sum = (0..n).map(|b| matrix.col_as_slice(b).iter().sum::<f64>()).sum::<f64>();
    sum / n as f64
}

/// The largest eigenvalue of P S P with P = I − uuᵀ, by repeated products; four digits are plenty.
fn largest_beside_mean(matrix: &Mat<f64>) -> f64 {
    let n = matrix.ncols();
    let centre = |x: &mut [f64]| {
        let mean = x.iter().sum::<f64>() / n as f64;
        x.iter_mut().for_each(|x| *x -= mean);
    };
    let widest = (0..n).fold(
        0,
        |best, a| if matrix[(a, a)] > matrix[(best, best)] { a } else { best },
    );
    let mut x = matrix.col_as_slice(widest).to_vec();
    centre(&mut x);
    let mut value = 0.0;
    for _ in 0..200 {
        let length = dot(&x, &x).sqrt();
        if length == 0.0 || length.is_nan() {
            return value;
        }
        x.iter_mut().for_each(|x| *x /= length);
        let mut next: Vec<f64> = (0..n).map(|b| dot(matrix.col_as_slice(b), &x)).collect();
        centre(&mut next);
        let found = dot(&next, &x);
        let is_settled = (found - value).abs() <= 1e-5 * found;
        (value, x) = (found, next);
        if is_settled {
            break;
        }
    }
    value
}

/// Gives the direction that the views together lack, if there is one, the mean variance; whether there was one.
fn raise_missing(views: &Views, matrices: &mut [Mat<f64>]) -> bool {
    if !views.membership().is_total() {
        return false;
    }
    let n = views.n_nodes();
    let mut pooled = Mat::<f64>::zeros(n, n);
    for matrix in &*matrices {
        pooled += matrix;
    }
    let Ok(eigen) = pooled.self_adjoint_eigen(Side::Lower) else {
        return false;
    };
    let (values, vectors) = (eigen.S(), eigen.U());
    if n < 2 || values[0] >= MISSING * values[1] {
        return false;
    }
    let direction: Vec<f64> = (0..n).map(|a| vectors[(a, 0)]).collect();
    if !is_whole(views, &direction) {
        return false;
    }
    for matrix in matrices {
        let moved: Vec<f64> = (0..n).map(|b| dot(matrix.col_as_slice(b), &direction)).collect();
        let added = (1.0 - dot(&moved, &direction)).max(0.0);
        for b in 0..n {
            let column = matrix.col_as_slice_mut(b).iter_mut().zip(&direction);
            column.for_each(|(x, u)| *x += added * u * direction[b]);
        }
    }
    true
}

/// Whether a direction of length 1 is the sum of all nodes but for their signs. Where Σ ±x_a = 0, the z-scored signals
/// add up to nothing with the sizes of the x_a as factors; signals that came without their sizes may hide them.
fn is_whole(views: &Views, direction: &[f64]) -> bool {
    let along = |sizes: &[f64]| {
        let sum = direction.iter().zip(sizes).map(|(u, size)| u.abs() * size).sum::<f64>();
        sum.powi(2) / dot(sizes, sizes)
    };
    let sizes = relative_variances(views).map(|found| found.iter().map(|x| x.sqrt()).collect::<Vec<f64>>());
    along(&vec![1.0; direction.len()]) > WHOLE || sizes.is_some_and(|sizes| along(&sizes) > WHOLE)
}

/// The pairs that may be joined, sorted, and what each costs; forbidden ones are left out.
fn edges(
    views: &Views,
    order: &Order,
    candidates: &Candidates,
    costs: &[EdgeCost],
) -> Result<(Vec<[u32; 2]>, Vec<f64>), Error> {
    let n = views.n_nodes() as u32;
    let pairs = match candidates {
        Candidates::AllPairs => (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b])).collect(),
        Candidates::Listed(pairs) => {
            let place = order.places();
            let moved: Vec<[u32; 2]> = tidy(pairs, views.n_nodes())?
                .iter()
                .map(|pair| pair.map(|node| place[node as usize]))
                .collect();
            tidy(&moved, views.n_nodes())?
        }
        Candidates::Nearest { .. } => {
            return Err(Error::Parameter {
                name: "candidates",
                message: "knn is for the method `smooth`: the likelihood looks at all pairs, or at a list of them"
                    .into(),
            });
        }
    };
    let places: Vec<Option<u32>> = order.places().into_iter().map(Some).collect();
    let placed = placed_costs(costs, &places)?;
    let cost = |pair: &[u32; 2]| {
        let found = placed.binary_search_by_key(pair, |cost| cost.pair);
        found.map_or(0.0, |k| placed[k].cost)
    };
    let is_possible = |pair: &[u32; 2]| views.membership().some_has(*pair) && cost(pair) < f64::INFINITY;
    let edges: Vec<[u32; 2]> = pairs.into_iter().filter(is_possible).collect();
    let costs = edges.iter().map(cost).collect();
    Ok((edges, costs))
}
