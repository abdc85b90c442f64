//! Keyword arguments as a learner and its targets.

use std::sync::Arc;

use congraph::methods::smooth::admm::ZStep;
use congraph::signals::{DistanceNorm, SampleNorm, Scale, Scaling};
use congraph::{
    Admm, Candidates, Code, DataError, Dial, EdgeCost, Learner, Model, Newton, Parameters, Solver, Targets, penalties,
    regularisers,
};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::failure;
use crate::fields::{Field, from_fields};
use crate::penalty::Written;
use crate::tables::chosen;

/// Alternations of the paper's block coordinate descent per iteration, as on the command line.
const SWEEPS: usize = 10;
const GIB: f64 = (1_u64 << 30) as f64;

/// How distances are made comparable.
pub(crate) struct Scales {
    scale: String,
    sample_norm: String,
    distance_norm: String,
}

from_fields!(Scales {
    scale,
    sample_norm,
    distance_norm
});

impl Scales {
    pub(crate) fn scaling(&self) -> PyResult<Scaling> {
        let scales = [
            ("zscore", Scale::Zscore),
            ("center", Scale::Center),
            ("none", Scale::None),
        ];
        let norms = [("mean", SampleNorm::Mean), ("sum", SampleNorm::Sum)];
        let divisors = [("max", DistanceNorm::Max), ("none", DistanceNorm::None)];
        Ok(Scaling {
            scale: chosen("scale", &self.scale, &scales)?,
            sample_norm: chosen("sample_norm", &self.sample_norm, &norms)?,
            distance_norm: chosen("distance_norm", &self.distance_norm, &divisors)?,
        })
    }
}

/// A penalty's name, or an object that is one.
#[derive(FromPyObject)]
pub(crate) enum PenaltyOption {
    Name(String),
    Written(Py<PyAny>),
}

impl<'py> Field<'py> for PenaltyOption {
    fn read(_: &str, value: &Bound<'py, PyAny>) -> PyResult<Self> {
        value.extract()
    }
}

/// The keyword arguments of an estimator.
pub(crate) struct Options<'py> {
    density: Option<f64>,
    similarity: Option<f64>,
    consensus_density: Option<f64>,
    alpha: Option<f64>,
    beta: Option<f64>,
    gamma: Option<f64>,
    penalty: PenaltyOption,
    regulariser: String,
    single: bool,
    solver: String,
    z_step: String,
    tol: f64,
    max_iter: Option<usize>,
    nearest: Option<usize>,
    pairs: Option<PyReadonlyArray2<'py, i64>>,
    cost_pairs: Option<PyReadonlyArray2<'py, i64>>,
    costs: Option<PyReadonlyArray1<'py, f64>>,
    check_outside: bool,
    seed: u64,
    memory: Option<f64>,
    scales: Scales,
}

from_fields!(Options<'py> {
    density, similarity, consensus_density, alpha, beta, gamma, penalty, regulariser, single,
    solver, z_step, tol, max_iter, nearest, pairs, cost_pairs, costs, check_outside, seed, memory,
    scales,
});

/// A learner, what it is to reach, and the penalty if it is written in Python.
pub(crate) struct Asked {
    pub(crate) learner: Learner,
    pub(crate) targets: Targets,
    pub(crate) written: Option<Arc<Written>>,
}

impl Options<'_> {
    pub(crate) fn asked(&self, py: Python<'_>) -> PyResult<Asked> {
        self.check(py)?;
        let mut written = None;
        let penalty = match &self.penalty {
            PenaltyOption::Name(name) => penalties::by_name(name).ok_or_else(|| {
                let known: Vec<String> = penalties::registry()
                    .iter()
                    .map(|one| format!("{:?}", one.name()))
                    .collect();
                unknown("penalty", name, &known, ", or an object with `value` and `prox`")
            })?,
            PenaltyOption::Written(object) => {
                let penalty = Arc::new(Written::new(py, object)?);
                written = Some(Arc::clone(&penalty));
                penalty
            }
        };
        let regulariser = regularisers::by_name(&self.regulariser).ok_or_else(|| {
            let known = regularisers::registry();
            let known: Vec<String> = known.iter().map(|one| format!("{:?}", one.name())).collect();
            unknown("regulariser", &self.regulariser, &known, "")
        })?;
        // Of what a target is to find, these are placeholders.
        let (alpha, beta) = (self.alpha.unwrap_or(1.0), self.beta.unwrap_or(1.0));
        let usual = Learner::new(alpha, beta);
        let learner = Learner {
            scaling: self.scales.scaling()?,
            model: Model {
                parameters: Parameters {
                    alpha,
                    beta,
                    gamma: self.gamma.unwrap_or(0.0),
                },
                penalty,
                regulariser,
            },
            solver: self.solver()?,
            single: self.single,
            support: self.support()?,
            edge_costs: self.edge_costs()?,
            check_outside: self.check_outside,
            memory: self.memory.map_or(usual.memory, |gib| (gib * GIB) as u64),
        };
        Ok(Asked {
            learner,
            targets: self.targets(),
            written,
        })
    }

    fn targets(&self) -> Targets {
        let dial = |target: Option<f64>, value: Option<f64>, otherwise: Dial| match (target, value) {
            (Some(target), _) => Dial::At(target),
            (None, Some(_)) => Dial::Fixed,
            (None, None) => otherwise,
        };
        Targets {
            density: dial(self.density, self.alpha, Dial::Usual),
            similarity: dial(self.similarity, self.beta, Dial::Usual),
            consensus_density: dial(self.consensus_density, self.gamma, Dial::Fixed),
        }
    }

    /// What contradicts itself or cannot be meant is refused before any work.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        let dials = [
            ("density", self.density, "alpha", self.alpha),
            ("similarity", self.similarity, "beta", self.beta),
            ("consensus_density", self.consensus_density, "gamma", self.gamma),
        ];
        for (dial, target, parameter, value) in dials {
            let Some(target) = target else { continue };
            if value.is_some() {
                let error = DataError::new(
                    Code::E12,
                    format!("`{dial}` and `{parameter}` are both given"),
                    format!("`{dial}` is a target for which `{parameter}` is found; only one of them can be obeyed"),
                    format!("leave out `{dial}` or `{parameter}`"),
                );
                return Err(failure::of_data(py, error));
            }
            in_range(dial, target, target > 0.0 && target <= 1.0, "above 0, at most 1")?;
        }
        for (name, value) in [("beta", self.beta), ("gamma", self.gamma)] {
            let value = value.unwrap_or(0.0);
            in_range(name, value, value >= 0.0, "0 or positive")?;
        }
        let alpha = self.alpha.unwrap_or(1.0);
        in_range("alpha", alpha, alpha.is_normal() && alpha > 0.0, "positive")?;
        in_range("tol", self.tol, self.tol > 0.0, "positive")?;
        let memory = self.memory.unwrap_or(1.0);
        in_range("memory", memory, memory > 0.0, "positive")
    }

    fn solver(&self) -> PyResult<Arc<dyn Solver>> {
        #[derive(Clone, Copy)]
        enum Known {
            Newton,
            Admm,
        }
        let steps = [
            ("exact", ZStep::Exact),
            ("bcd", ZStep::BlockCoordinateDescent { sweeps: SWEEPS }),
        ];
        let z_step = chosen("z_step", &self.z_step, &steps)?;
        let known = chosen(
            "solver",
            &self.solver,
            &[("newton", Known::Newton), ("admm", Known::Admm)],
        )?;
        let newton = || {
            let usual = Newton::default();
            Newton {
                tolerance: self.tol,
                max_iterations: self.max_iter.unwrap_or(usual.max_iterations),
                ..usual
            }
        };
        let admm = || {
            let usual = Admm::default();
            Admm {
                tolerance: self.tol,
                max_iterations: self.max_iter.unwrap_or(usual.max_iterations),
                z_step,
                ..usual
            }
        };
        Ok(match (known, &self.penalty) {
            // A penalty from Python has no joint minimiser, which Newton needs.
            (Known::Admm, _) | (_, PenaltyOption::Written(_)) => Arc::new(admm()),
            (Known::Newton, PenaltyOption::Name(_)) => Arc::new(newton()),
        })
    }

    fn support(&self) -> PyResult<Candidates> {
        Ok(match (self.nearest, &self.pairs) {
            (Some(k), _) => Candidates::Nearest { k, seed: self.seed },
            (None, Some(pairs)) => Candidates::Listed(node_pairs("candidates", pairs)?),
            (None, None) => Candidates::AllPairs,
        })
    }

    fn edge_costs(&self) -> PyResult<Vec<EdgeCost>> {
        let (Some(pairs), Some(costs)) = (&self.cost_pairs, &self.costs) else {
            return Ok(Vec::new());
        };
        let pairs = node_pairs("edge_costs", pairs)?;
        let costs = costs.as_array();
        if pairs.len() != costs.len() {
            return Err(PyValueError::new_err("edge_costs must have one cost per pair"));
        }
        let cost = |(pair, &cost): ([u32; 2], &f64)| EdgeCost { pair, cost };
        Ok(pairs.into_iter().zip(costs).map(cost).collect())
    }
}

fn node_pairs(option: &str, pairs: &PyReadonlyArray2<'_, i64>) -> PyResult<Vec<[u32; 2]>> {
    let refuse = || PyValueError::new_err(format!("{option} must be pairs of node numbers, 0 or more"));
    let pairs = pairs.as_array();
    if pairs.ncols() != 2 {
        return Err(refuse());
    }
    let node = |number: i64| u32::try_from(number).map_err(|_| refuse());
    pairs
        .rows()
        .into_iter()
        .map(|pair| Ok([node(pair[0])?, node(pair[1])?]))
        .collect()
}

fn unknown(option: &str, name: &str, known: &[String], or: &str) -> PyErr {
    PyValueError::new_err(format!(
        "{option} {name:?} is not known: it must be {}{or}",
        known.join(", ")
    ))
}

pub(crate) fn in_range(name: &str, value: f64, is_fine: bool, range: &str) -> PyResult<()> {
    if is_fine && value.is_finite() {
        return Ok(());
    }
    Err(PyValueError::new_err(format!(
        "{name} is {value:?}; it must be {range}, and finite"
    )))
}
