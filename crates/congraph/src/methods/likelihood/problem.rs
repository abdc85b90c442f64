//! The problem: covariances and what edges cost; points, and the objective of one.

use std::sync::Arc;

use faer::Mat;

use super::coupling::{Coupling, Held};
use super::matrices::{Factor, symmetric_product};
use crate::edges::ViewMatrix;
use crate::error::Error;
use crate::options::option;

/// How often the filter is applied: the precision of the signals is M or M².
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Filter {
    /// x ~ N(0, M⁻¹): q = 1.
    Once,
    /// x = M⁻¹ · white noise, so that the precision is M²: q = 2, the paper's filter.
    Twice,
}

impl Filter {
    /// q.
    pub fn order(self) -> usize {
        match self {
            Self::Once => 1,
            Self::Twice => 2,
        }
    }
}

/// Which signs edges may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Signs {
    /// Weights are ≥ 0: neighbours pull each other along.
    #[default]
    Attractive,
    /// Weights of either sign.
    Both,
}

/// What the views have to do with each other.
#[derive(Clone, Debug, PartialEq)]
pub enum Tie {
    /// Nothing: there is no consensus.
    None,
    /// A consensus that is learned with them.
    Consensus,
    /// A consensus that is known: one weight per edge.
    Frozen(Vec<f64>),
}

/// What edges cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Charges {
    /// λ of each edge: what its weight costs, in every view.
    pub lambda: Vec<f64>,
    /// β of each edge: what a departure from the consensus costs.
    pub beta: Vec<f64>,
    /// γ of each edge: what the consensus costs; infinite where there can be none.
    pub gamma: Vec<f64>,
    /// How departures are charged.
    pub coupling: Coupling,
}

impl Charges {
    /// The same for `n` edges, departures by ℓ1.
    pub fn uniform(n: usize, lambda: f64, beta: f64, gamma: f64) -> Self {
        Self {
            lambda: vec![lambda; n],
            beta: vec![beta; n],
            gamma: vec![gamma; n],
            coupling: Coupling::L1,
        }
    }
}

/// One view: its covariance over the nodes it has.
#[derive(Clone, Debug)]
pub struct ViewTerm {
    /// Where each of the problem's nodes is in the matrix, [`ABSENT`] if the view lacks it.
    pub(super) places: Vec<u32>,
    /// S.
    pub(super) covariance: Mat<f64>,
    /// v: how much the view counts.
    pub(super) weight: f64,
}

/// The place of a node that a view lacks.
pub(super) const ABSENT: u32 = u32::MAX;

impl ViewTerm {
    /// The covariance over some of a problem's nodes, row after row, and how much the view counts.
    ///
    /// # Panics
    /// If the covariance is not as large as the nodes are many.
    pub fn new(n_nodes: usize, nodes: &[usize], covariance: &[f64], weight: f64) -> Self {
        let n = nodes.len();
        assert_eq!(covariance.len(), n * n, "one row and column for each node");
        let mut places = vec![ABSENT; n_nodes];
        for (place, &node) in nodes.iter().enumerate() {
            places[node] = place as u32;
        }
        Self {
            places,
            covariance: Mat::from_fn(n, n, |a, b| covariance[a * n + b]),
            weight,
        }
    }

    /// How many nodes the view has.
    pub fn n_nodes(&self) -> usize {
        self.covariance.nrows()
    }

    /// The places of an edge's ends, if the view has both.
    #[inline(always)]
    pub(super) fn ends(&self, [a, b]: [u32; 2]) -> Option<(usize, usize)> {
        let (a, b) = (self.places[a as usize], self.places[b as usize]);
        (a != ABSENT && b != ABSENT).then_some((a as usize, b as usize))
    }
}

/// Covariances, edges that may be present, and what they cost.
#[derive(Clone, Debug)]
pub struct Problem {
    pub(super) views: Arc<Vec<ViewTerm>>,
    /// Sorted, each with a < b.
    pub(super) edges: Arc<Vec<[u32; 2]>>,
    pub(super) charges: Charges,
    pub(super) filter: Filter,
    pub(super) signs: Signs,
    pub(super) tie: Tie,
    /// Which weights stay zero: one entry for each edge and view, none if all may move.
    fixed: Option<Vec<bool>>,
}

/// Weights, diagonals and the consensus: M^i = diag(t^i) − W^i.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// One row per edge.
    pub weights: ViewMatrix,
    /// For each view, of the nodes that it has.
    pub diagonals: Vec<Vec<f64>>,
    /// One weight per edge; of no meaning where nothing ties the views.
    pub consensus: Vec<f64>,
}

/// What is known of one view at a point: the objective's share, M⁻¹ and Γ.
pub(super) struct Evaluated {
    pub(super) value: f64,
    pub(super) inverse: Mat<f64>,
    /// Γ = S, or (MS + SM)/2 of a filter that is applied twice; of the former nothing is kept.
    pub(super) gamma: Option<Mat<f64>>,
}

impl Problem {
    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a charge that is out of range, [`Error::Invalid`] for parts that do not fit.
    pub fn new(
        views: Arc<Vec<ViewTerm>>,
        edges: Arc<Vec<[u32; 2]>>,
        charges: Charges,
        filter: Filter,
        signs: Signs,
        tie: Tie,
    ) -> Result<Self, Error> {
        let n = edges.len();
        let frozen = match &tie {
            Tie::Frozen(weights) => weights.len(),
            Tie::None | Tie::Consensus => n,
        };
        if [charges.lambda.len(), charges.beta.len(), charges.gamma.len(), frozen] != [n; 4] {
            return Err(Error::Invalid {
                what: "charges",
                message: format!("must have one number for each of the {n} edges"),
            });
        }
        let is_charge = |x: &f64| x.is_finite() && *x >= 0.0;
        if !charges.beta.iter().all(is_charge) || charges.gamma.iter().any(|x| x.is_nan() || *x < 0.0) {
            return Err(Error::Parameter {
                name: "beta",
                message: format!("and {} must be finite and not negative", option("gamma").bare()),
            });
        }
        if !charges.lambda.iter().all(|x| x.is_finite()) {
            return Err(Error::Invalid {
                what: "edge costs",
                message: "must be finite where an edge may be present".into(),
            });
        }
        Ok(Self {
            views,
            edges,
            charges,
            filter,
            signs,
            tie,
            fixed: None,
        })
    }

    /// The same where some weights stay zero: one entry for each edge and view, edge after edge.
    ///
    /// # Errors
    /// [`Error::Invalid`] if there are not as many.
    pub fn with_fixed(self, fixed: Vec<bool>) -> Result<Self, Error> {
        if fixed.len() != self.n_edges() * self.n_views() {
            return Err(Error::Invalid {
                what: "fixed weights",
                message: "must have one entry for each edge and view".into(),
            });
        }
        Ok(Self {
            fixed: Some(fixed),
            ..self
        })
    }

    /// The places of an edge's ends in a view, if its weight may move there.
    #[inline(always)]
    pub(super) fn movable(&self, e: usize, view: usize) -> Option<(usize, usize)> {
        match &self.fixed {
            Some(fixed) if fixed[e * self.n_views() + view] => None,
            _ => self.views[view].ends(self.edges[e]),
        }
    }

    /// How departures are charged. Beside a frozen consensus each view is on its own, and the length of one number is its
    /// size.
    #[inline(always)]
    pub(super) fn coupling(&self) -> Coupling {
        match (self.charges.coupling, &self.tie) {
            (Coupling::L2, Tie::Frozen(_)) => Coupling::L1,
            (coupling, _) => coupling,
        }
    }

    /// How many weights of an edge stay zero in views that have it.
    #[inline(always)]
    pub(super) fn n_fixed(&self, e: usize) -> usize {
        let Some(fixed) = &self.fixed else { return 0 };
        let fixed = &fixed[e * self.n_views()..][..self.n_views()];
        let stays = |(view, fixed): &(&ViewTerm, &bool)| **fixed && view.ends(self.edges[e]).is_some();
        self.views.iter().zip(fixed).filter(stays).count()
    }

    /// What pulls the consensus of an edge to zero beside the weights that may move: γ, and the weights that stay zero.
    #[inline(always)]
    pub(super) fn pull_of_rest(&self, e: usize) -> f64 {
        self.charges.gamma[e] + self.charges.beta[e] * self.n_fixed(e) as f64
    }

    /// What holds the views of an edge beside a coupling that is not ℓ1.
    #[inline(always)]
    pub(super) fn held(&self, e: usize) -> Held {
        Held {
            lambda: self.charges.lambda[e],
            gamma: self.charges.gamma[e],
            n_zero: self.n_fixed(e),
            is_signed: self.signs == Signs::Both,
        }
    }

    /// How many edges may be present.
    pub fn n_edges(&self) -> usize {
        self.edges.len()
    }

    /// How many views.
    pub fn n_views(&self) -> usize {
        self.views.len()
    }

    /// Whether a consensus is learned.
    pub(super) fn is_coupled(&self) -> bool {
        self.tie == Tie::Consensus
    }

    /// Σ_e λ_e |W_e|, β_e times the departures W_e − c_e, and γ |c|.
    pub(super) fn penalty(&self, point: &Point) -> f64 {
        let mut sum = 0.0;
        for (e, &edge) in self.edges.iter().enumerate() {
            let (lambda, row) = (self.charges.lambda[e], point.weights.row(e));
            let beta = match self.tie {
                Tie::None => 0.0,
                Tie::Consensus | Tie::Frozen(_) => self.charges.beta[e],
            };
            let consensus = point.consensus[e];
            if consensus == 0.0 && row.iter().all(|&weight| weight == 0.0) {
                continue;
            }
            let having = || {
                let views = self.views.iter().zip(row);
                views
                    .filter(|(view, _)| view.ends(edge).is_some())
                    .map(|(_, &weight)| weight)
            };
            match self.coupling() {
                Coupling::L1 => {
                    for weight in having() {
                        sum += lambda * weight.abs() + beta * (weight - consensus).abs();
                    }
                }
                coupling => {
                    sum += lambda * having().map(f64::abs).sum::<f64>();
                    if beta > 0.0 {
                        sum += beta * coupling.value(having().map(|weight| weight - consensus));
                    }
                }
            }
            if self.is_coupled() && consensus != 0.0 {
                sum += self.charges.gamma[e] * consensus.abs();
            }
        }
        sum
    }

    /// M of one view.
    pub(super) fn matrix(&self, view: usize, point: &Point) -> Mat<f64> {
        let (term, diagonal) = (&self.views[view], &point.diagonals[view]);
        let n = term.n_nodes();
        let mut matrix = Mat::zeros(n, n);
        for (a, &t) in diagonal.iter().enumerate() {
            matrix[(a, a)] = t;
        }
        for (&edge, row) in self.edges.iter().zip(point.weights.rows()) {
            if row[view] != 0.0
                && let Some((a, b)) = term.ends(edge)
            {
                matrix[(a, b)] = -row[view];
                matrix[(b, a)] = -row[view];
            }
        }
        matrix
    }

    /// v [tr(S M^q)/q − log det M] with what its gradient is made of; none unless M is positive definite.
    pub(super) fn evaluate(&self, view: usize, point: &Point) -> Option<Evaluated> {
        let matrix = self.matrix(view, point);
        let factor = Factor::of(&matrix)?;
        let term = &self.views[view];
        let (trace, gamma) = trace_term(self.filter, &matrix, &term.covariance);
        let value = term.weight * (trace - factor.log_det());
        value.is_finite().then(|| Evaluated {
            value,
            inverse: factor.inverse(),
            gamma,
        })
    }

    /// The objective; infinite unless every M is positive definite and every weight has a sign it may have.
    pub fn objective(&self, point: &Point) -> f64 {
        let is_negative = |&weight: &f64| weight < 0.0;
        if self.signs == Signs::Attractive
            && (point.weights.values().iter().any(is_negative) || point.consensus.iter().any(is_negative))
        {
            return f64::INFINITY;
        }
        let of_view = |view: usize| {
            let matrix = self.matrix(view, point);
            let term = &self.views[view];
            let log_det = Factor::of(&matrix).map_or(f64::NEG_INFINITY, |factor| factor.log_det());
            term.weight * (trace_term(self.filter, &matrix, &term.covariance).0 - log_det)
        };
        let sum: f64 = (0..self.n_views()).map(of_view).sum();
        if sum.is_finite() {
            sum + self.penalty(point)
        } else {
            f64::INFINITY
        }
    }
}

/// tr(S M^q)/q, and Γ where it is not S.
pub(super) fn trace_term(filter: Filter, matrix: &Mat<f64>, covariance: &Mat<f64>) -> (f64, Option<Mat<f64>>) {
    let n = matrix.nrows();
    let dot = |one: &Mat<f64>, other: &Mat<f64>| {
        let of_column = |k: usize| super::matrices::dot(one.col_as_slice(k), other.col_as_slice(k));
        (0..n).map(of_column).sum::<f64>()
    };
    match filter {
        Filter::Once => (dot(matrix, covariance), None),
        Filter::Twice => {
            let gamma = symmetric_product(covariance, matrix);
            (0.5 * dot(&gamma, matrix), Some(gamma))
        }
    }
}
