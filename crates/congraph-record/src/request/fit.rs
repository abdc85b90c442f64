//! Every option of a fit: its field, its id, what it means, and what it is refused for.
//!
//! An option that is added to a fit is added here, in all of these places: a field of [`FitRequest`] and its usual
//! value, its id in [`FitRequest::set`], its meaning in [`FitRequest::smooth`] and, if the result should tell it, in
//! [`FitRequest::echo`].

use std::sync::Arc;

use congraph::methods::graphical_lasso::Fusion;
use congraph::methods::likelihood::Proportional;
use congraph::methods::smooth::admm::ZStep;
use congraph::options::option;
use congraph::penalties::{Chain, Pairwise, Penalty, TwoLevels};
use congraph::regularisers::Regulariser;
use congraph::{
    Admm, Candidates, Code, DataError, Dial, DistanceNorm, EdgeCost, Error, Model, Newton, SampleNorm, Scale, Scaling,
    Smooth, Solver, Targets, Views, Watch, penalties, regularisers,
};
use serde_json::{Map, Value as Json};

use super::memory::GIB;
use super::{CandidateRequest, CostRequest, SpectrumRequest, Tables, Value};
use crate::choices::{Choice, FilterChoice, Method, Signed, SolverChoice, ViewCoupling, alternatives};
use crate::refusal::{Refusal, RequestError, check_range};

/// Everything that can be asked of a fit; what is not given is `None`, or what it usually is.
#[derive(Clone, Debug)]
pub struct FitRequest {
    /// What is learned.
    pub method: Method,
    /// The mean density of the views, for which α is found.
    pub density: Option<f64>,
    /// The mean correlation between views, for which β is found.
    pub similarity: Option<f64>,
    /// The density of the consensus, for which γ is found.
    pub consensus_density: Option<f64>,
    /// α: larger is denser.
    pub alpha: Option<f64>,
    /// β: larger makes the views more alike.
    pub beta: Option<f64>,
    /// γ: larger makes the consensus sparser.
    pub gamma: Option<f64>,
    /// λ1 of the joint graphical lasso: larger is sparser.
    pub lambda1: Option<f64>,
    /// λ2 of the joint graphical lasso: larger makes the views more alike.
    pub lambda2: Option<f64>,
    /// Whether the fused coupling of the joint graphical lasso has the diagonal in it; it usually has.
    pub fused_diagonal: Option<bool>,
    /// How a view's departure from the consensus is charged.
    pub penalty: PenaltyRequest,
    /// How views are coupled.
    pub coupling: ViewCoupling,
    /// Whether the views are of subjects: coupled to their subject's graph, and these to the consensus.
    pub subjects: bool,
    /// ρ = β₂/(C β₁) of views of subjects.
    pub subject_share: Option<f64>,
    /// What is asked of the consensus itself, by its name.
    pub regulariser: String,
    /// Whether pairs have negative edges, too.
    pub signed: Signed,
    /// How often the filter of the likelihood is applied.
    pub filter: FilterChoice,
    /// What the likelihood does with nodes that are multiples of each other.
    pub proportional: Proportional,
    /// Every view on its own, without a consensus.
    pub single: bool,
    /// Which pairs may be joined.
    pub candidates: CandidateRequest,
    /// The seed of the approximate neighbour search.
    pub seed: u64,
    /// What is added to the distances of some pairs.
    pub edge_costs: CostRequest,
    /// With candidates, whether pairs outside of them are counted that would have entered.
    pub check_outside: bool,
    /// How the problem is solved.
    pub solver: SolverChoice,
    /// With ADMM, how its second step is solved.
    pub z_step: ZStep,
    /// The relative gap at which the result counts as converged.
    pub tol: f64,
    /// The most iterations; the solver's own number otherwise.
    pub max_iterations: Option<usize>,
    /// How many GiB may be used to keep distances.
    pub memory: Option<f64>,
    /// How each node is scaled within its view: z-scored usually, and what suits the data in the likelihood.
    pub scale: Option<Scale>,
    /// How far signals are whitened before distances are taken.
    pub spectrum: SpectrumRequest,
    /// Whether costs are means or sums over samples.
    pub sample_norm: SampleNorm,
    /// What distances are divided by.
    pub distance_norm: DistanceNorm,
}

impl Default for FitRequest {
    fn default() -> Self {
        Self {
            method: Method::default(),
            density: None,
            similarity: None,
            consensus_density: None,
            alpha: None,
            beta: None,
            gamma: None,
            lambda1: None,
            lambda2: None,
            fused_diagonal: None,
            penalty: PenaltyRequest::default(),
            coupling: ViewCoupling::default(),
            subjects: false,
            subject_share: None,
            regulariser: USUAL_REGULARISER.into(),
            signed: Signed::default(),
            filter: FilterChoice::default(),
            proportional: Proportional::default(),
            single: false,
            candidates: CandidateRequest::default(),
            seed: 1,
            edge_costs: CostRequest::default(),
            check_outside: false,
            solver: SolverChoice::default(),
            z_step: ZStep::default(),
            tol: 1e-8,
            max_iterations: None,
            memory: None,
            scale: None,
            spectrum: SpectrumRequest::default(),
            sample_norm: SampleNorm::default(),
            distance_norm: DistanceNorm::default(),
        }
    }
}

const USUAL_PENALTY: &str = "l1";
const USUAL_REGULARISER: &str = "l1";
/// ρ, half-way between a consensus for each subject and one for all.
const USUAL_SHARE: f64 = 0.5;

/// A penalty by its name, or one that a face made.
#[derive(Clone, Debug)]
pub enum PenaltyRequest {
    /// One of [`penalties::registry`].
    Named(String),
    /// Any other, which is solved by ADMM: it need not have the joint minimiser that Newton's method works with.
    Given(Arc<dyn Penalty>),
}

impl Default for PenaltyRequest {
    fn default() -> Self {
        Self::Named(USUAL_PENALTY.into())
    }
}

/// What is to be learned, and how.
#[derive(Clone, Debug)]
pub struct Asked {
    /// How to learn.
    pub method: Smooth,
    /// What its parameters are found for.
    pub targets: Targets,
    /// Tables to read, and to hand in by [`Asked::on_pairs`], when the nodes are known.
    pub tables: Tables,
    /// Whether the method's memory was asked for; otherwise a face that knows the machine may choose it.
    pub is_memory_given: bool,
    /// Whether the exponent of the spectrum is still to be chosen: [`Asked::method_for`].
    pub is_spectrum_open: bool,
    /// What the record tells of the request beside what it tells of the method.
    pub echo: Map<String, Json>,
}

impl Asked {
    /// With what the tables held that had to be read.
    #[must_use]
    pub fn on_pairs(mut self, candidates: Option<Vec<[u32; 2]>>, costs: Option<Vec<EdgeCost>>) -> Self {
        if let Some(pairs) = candidates {
            self.method.candidates = Candidates::Listed(pairs);
        }
        if let Some(costs) = costs {
            self.method.edge_costs = costs;
        }
        self
    }

    /// The method for these views: where the exponent of the spectrum is left to the data, with the one that suits them
    /// best.
    ///
    /// # Errors
    /// What [`Smooth::choose_spectrum`] refuses.
    pub fn method_for(&self, views: &Views, watch: Watch<'_>) -> Result<Smooth, Error> {
        let mut method = self.method.clone();
        if self.is_spectrum_open {
            method.spectrum = method.choose_spectrum(&views.whole(), &self.targets, watch)?.spectrum;
        }
        Ok(method)
    }

    /// With this many bytes of memory, unless it was asked for.
    #[must_use]
    pub fn with_free_memory(mut self, bytes: Option<u64>) -> Self {
        if let Some(bytes) = bytes.filter(|_| !self.is_memory_given) {
            self.method.memory = bytes;
        }
        self
    }
}

impl FitRequest {
    /// Sets an option by its id.
    ///
    /// # Errors
    /// If it is not an option of a fit, or the value is of another kind than it takes.
    pub fn set(&mut self, id: &str, value: &Value) -> Result<(), RequestError> {
        match id {
            "method" => self.method = value.choice()?,
            "coupling" => self.method = value.choice::<Fusion>()?.into(),
            "view_coupling" => self.coupling = value.choice()?,
            "subjects" => self.subjects = value.flag("subjects")?,
            "subject_share" => self.subject_share = value.maybe_number("subject_share")?,
            "density" => self.density = value.maybe_number("density")?,
            "similarity" => self.similarity = value.maybe_number("similarity")?,
            "consensus_density" => self.consensus_density = value.maybe_number("consensus_density")?,
            "alpha" => self.alpha = value.maybe_number("alpha")?,
            "beta" => self.beta = value.maybe_number("beta")?,
            "gamma" => self.gamma = value.maybe_number("gamma")?,
            "lambda1" => self.lambda1 = value.maybe_number("lambda1")?,
            "lambda2" => self.lambda2 = value.maybe_number("lambda2")?,
            "fused_diagonal" => self.fused_diagonal = Some(value.flag("fused_diagonal")?),
            "penalty" => self.penalty = value.penalty("penalty")?,
            "regulariser" => self.regulariser = value.word("regulariser")?.into(),
            "signed" => self.signed = value.signed()?,
            "filter" => self.filter = value.filter()?,
            "proportional" => self.proportional = value.choice()?,
            "single" => self.single = value.flag("single")?,
            "candidates" => self.candidates = value.candidates("candidates")?,
            "seed" => self.seed = value.count("seed")?,
            "edge_costs" => self.edge_costs = value.costs("edge_costs")?,
            "check_outside" => self.check_outside = value.flag("check_outside")?,
            "solver" => self.solver = value.choice()?,
            "z_step" => self.z_step = value.choice()?,
            "tol" => self.tol = value.number("tol")?,
            "max_iterations" | "max_iter" => self.max_iterations = value.maybe_size("max_iterations")?,
            "memory" => self.memory = value.maybe_number("memory")?,
            "scale" => self.scale = value.maybe_choice()?,
            "spectrum" => self.spectrum = value.spectrum("spectrum")?,
            "sample_norm" => self.sample_norm = value.choice()?,
            "distance_norm" => self.distance_norm = value.choice()?,
            other => {
                return Err(RequestError::usage(
                    "options",
                    format!("`{other}` is not an option of a fit"),
                    "",
                ));
            }
        }
        Ok(())
    }

    /// What the record is to tell of options that it has no field of its own for: ids and values.
    pub fn echo(&self) -> Map<String, Json> {
        // Everything that can be asked for today is told of the method.
        Map::new()
    }

    /// How signals and distances are made comparable.
    pub fn scaling(&self) -> Scaling {
        Scaling {
            scale: self.scale.unwrap_or_default(),
            sample_norm: self.sample_norm,
            distance_norm: self.distance_norm,
        }
    }

    /// congraph's own method ([`Smooth`]), whatever [`FitRequest::method`] says.
    ///
    /// # Errors
    /// As [`FitRequest::resolve`].
    pub fn smooth(&self) -> Result<Asked, RequestError> {
        self.refuse_lambdas()?;
        self.refuse_of_likelihood()?;
        self.check_dials()?;
        let (penalty, regulariser) = (self.coupled_penalty()?, self.named_regulariser()?);
        // Of what a target is to find, these are placeholders.
        let (alpha, beta) = (self.alpha.unwrap_or(1.0), self.beta.unwrap_or(1.0));
        let gamma = self.gamma.unwrap_or(0.0);
        check_range("alpha", alpha, alpha.is_normal() && alpha > 0.0, "finite and positive")?;
        check_range("beta", beta, beta >= 0.0, "finite and non-negative")?;
        check_range("gamma", gamma, gamma >= 0.0, "finite and non-negative")?;
        check_range("tol", self.tol, self.tol > 0.0, "finite and positive")?;
        let usual = Smooth::new(alpha, beta);
        let memory = match self.memory {
            None => usual.memory,
            Some(gib) => {
                check_range("memory", gib, gib > 0.0, "finite and positive")?;
                (gib * GIB) as u64
            }
        };
        let method = Smooth {
            scaling: self.scaling(),
            spectrum: self.spectrum.spectrum(&self.scaling())?,
            model: if self.single {
                Model::uncoupled(alpha)
            } else {
                Model::new(alpha, beta, penalty).regularised(gamma, regulariser)
            },
            solver: self.chosen_solver(),
            candidates: self.candidates.candidates(self.seed),
            edge_costs: self.edge_costs.costs(),
            check_outside: self.check_outside,
            signed: self.signed == Signed::Yes,
            memory,
            team: usual.team,
        };
        Ok(Asked {
            method,
            targets: self.targets(),
            tables: Tables::of(&self.candidates, &self.edge_costs),
            is_memory_given: self.memory.is_some(),
            is_spectrum_open: self.spectrum == SpectrumRequest::Auto,
            echo: self.echo(),
        })
    }

    /// What only the likelihood can choose.
    fn refuse_of_likelihood(&self) -> Result<(), RequestError> {
        let (id, word) = match (self.filter, self.signed, self.proportional) {
            (FilterChoice::Auto, Signed::No | Signed::Yes, Proportional::Refuse) => return Ok(()),
            (FilterChoice::Auto, Signed::No | Signed::Yes, merge) => (Proportional::ID, merge.word()),
            (FilterChoice::Auto, signed, _) => (Signed::ID, signed.word()),
            (filter, ..) => (FilterChoice::ID, filter.word()),
        };
        Err(RequestError::usage(
            id,
            format!("{} is for the likelihood", option(id).set_to(word).bare()),
            format!(
                "{}, or leave it out",
                option("method").set_to(Method::Likelihood.word()).added()
            ),
        ))
    }

    /// The options of the joint graphical lasso mean nothing without it.
    pub(super) fn refuse_lambdas(&self) -> Result<(), RequestError> {
        let given = [
            ("lambda1", self.lambda1.is_some()),
            ("lambda2", self.lambda2.is_some()),
            ("fused_diagonal", self.fused_diagonal.is_some()),
        ];
        let Some((id, _)) = given.into_iter().find(|(_, given)| *given) else {
            return Ok(());
        };
        Err(RequestError::usage(
            id,
            format!("{} is an option of the joint graphical lasso", option(id).bare()),
            format!(
                "{} or {}, or leave it out; congraph's own parameters are {}, {} and {}",
                option("method").set_to("jgl-fused").added(),
                option("method").set_to("jgl-group"),
                option("alpha").bare(),
                option("beta").bare(),
                option("gamma").bare()
            ),
        ))
    }

    /// A dial and its parameter contradict each other, and views on their own share nothing.
    pub(super) fn check_dials(&self) -> Result<(), RequestError> {
        let dials = [
            ("density", self.density, "alpha", self.alpha),
            ("similarity", self.similarity, "beta", self.beta),
            ("consensus_density", self.consensus_density, "gamma", self.gamma),
        ];
        for (dial, target, parameter, value) in dials {
            let Some(target) = target else { continue };
            let (named, its_parameter) = (option(dial), option(parameter));
            if value.is_some() {
                let error = DataError::new(
                    Code::E12,
                    format!("{named} and {its_parameter} are both given"),
                    format!("{named} is a target for which {its_parameter} is found; only one of them can be obeyed"),
                    format!("leave out {named} or {its_parameter}"),
                );
                return Err(RequestError {
                    option: dial,
                    refusal: Refusal::Coded(Box::new(error)),
                });
            }
            if self.single && dial != "density" {
                let single = option("single");
                return Err(RequestError::usage(
                    dial,
                    format!(
                        "{} is about what views share, and {} learns each on its own",
                        named.clone().bare(),
                        single.clone().bare()
                    ),
                    format!("leave out {named} or {single}"),
                ));
            }
            check_range(dial, target, target > 0.0 && target <= 1.0, "above 0 and at most 1")?;
        }
        Ok(())
    }

    /// The penalty with what it couples. Couplings other than each view to the consensus charge by ℓ1.
    fn coupled_penalty(&self) -> Result<Arc<dyn Penalty>, RequestError> {
        let is_flat = self.coupling == ViewCoupling::Consensus;
        if self.subject_share.is_some() && !self.subjects {
            let share = option("subject_share").bare();
            return Err(RequestError::usage(
                "subject_share",
                format!("{share} is for views of subjects, and no subjects are told"),
                format!("leave it out, or tell whose views they are by {}", option("subjects")),
            ));
        }
        if is_flat && !self.subjects {
            return self.named_penalty();
        }
        self.check_coupling()?;
        if self.subjects {
            let share = self.subject_share.unwrap_or(USUAL_SHARE);
            check_range(
                "subject_share",
                share,
                share > 0.0 && share <= 1.0,
                "above 0 and at most 1",
            )?;
            return Ok(Arc::new(TwoLevels::new(share)));
        }
        Ok(match self.coupling {
            ViewCoupling::Chain => Arc::new(Chain),
            _ => Arc::new(Pairwise),
        })
    }

    /// What goes with no coupling but that of each view to the consensus.
    fn check_coupling(&self) -> Result<(), RequestError> {
        let is_flat = self.coupling == ViewCoupling::Consensus;
        let (id, named) = if is_flat {
            ("subjects", option("subjects").bare())
        } else {
            ("coupling", option("coupling").set_to(self.coupling.word()).bare())
        };
        let is_l1 = matches!(&self.penalty, PenaltyRequest::Named(name) if name == USUAL_PENALTY);
        // A chain and pairs leave the consensus out: it is told, and nothing can be asked of it.
        let asks_consensus = !is_flat && (self.gamma.unwrap_or(0.0) != 0.0 || self.consensus_density.is_some());
        let of_consensus = if self.gamma.is_some() {
            "gamma"
        } else {
            "consensus_density"
        };
        let against = [
            (
                !is_flat && self.subjects,
                "subjects",
                "subjects are coupled through a consensus",
            ),
            (!is_l1, "penalty", "it charges differences by ℓ1"),
            (self.single, "single", "views on their own are not coupled"),
            (
                asks_consensus,
                of_consensus,
                "the consensus is only told there: the median of the views",
            ),
        ];
        match against.into_iter().find(|(is_there, ..)| *is_there) {
            None => Ok(()),
            Some((_, other, why)) => Err(RequestError::usage(
                id,
                format!("{named} does not go with {}: {why}", option(other).bare()),
                format!("leave out {} or {}", option(other), option(id)),
            )),
        }
    }

    fn named_penalty(&self) -> Result<Arc<dyn Penalty>, RequestError> {
        let name = match &self.penalty {
            PenaltyRequest::Given(penalty) => return Ok(Arc::clone(penalty)),
            PenaltyRequest::Named(name) => name,
        };
        penalties::by_name(name).ok_or_else(|| {
            let known = penalties::names();
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            unknown("penalty", name, &known, Some("an object with `value` and `prox`"))
        })
    }

    fn named_regulariser(&self) -> Result<Arc<dyn Regulariser>, RequestError> {
        regularisers::by_name(&self.regulariser).ok_or_else(|| {
            let known = regularisers::registry();
            let known: Vec<&str> = known.iter().map(|one| one.name()).collect();
            unknown("regulariser", &self.regulariser, &known, None)
        })
    }

    fn chosen_solver(&self) -> Arc<dyn Solver> {
        // A penalty that couples the edges has no minimiser for one of them.
        let is_joint = match &self.penalty {
            PenaltyRequest::Named(name) => penalties::by_name(name).is_none_or(|penalty| penalty.joint().is_some()),
            PenaltyRequest::Given(_) => false,
        };
        match (self.solver, is_joint) {
            (SolverChoice::Newton, true) => {
                let usual = Newton::default();
                Arc::new(Newton {
                    tolerance: self.tol,
                    max_iterations: self.max_iterations.unwrap_or(usual.max_iterations),
                    ..usual
                })
            }
            (SolverChoice::Admm, _) | (_, false) => {
                let usual = Admm::default();
                Arc::new(Admm {
                    tolerance: self.tol,
                    max_iterations: self.max_iterations.unwrap_or(usual.max_iterations),
                    z_step: self.z_step,
                    ..usual
                })
            }
        }
    }

    /// What is to be found, and for which targets: whatever is neither given nor fixed gets a usual one.
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

    /// Whether each of congraph's own options was set to something unusual: what another method cannot obey.
    pub(super) fn own_options(&self) -> [(&'static str, bool); 21] {
        let is_usual =
            |penalty: &PenaltyRequest| matches!(penalty, PenaltyRequest::Named(name) if name == USUAL_PENALTY);
        [
            ("alpha", self.alpha.is_some()),
            ("beta", self.beta.is_some()),
            ("gamma", self.gamma.is_some()),
            ("density", self.density.is_some()),
            ("similarity", self.similarity.is_some()),
            ("consensus_density", self.consensus_density.is_some()),
            ("penalty", !is_usual(&self.penalty)),
            ("coupling", self.coupling != ViewCoupling::default()),
            ("subjects", self.subjects),
            ("subject_share", self.subject_share.is_some()),
            ("regulariser", self.regulariser != USUAL_REGULARISER),
            ("signed", self.signed != Signed::default()),
            ("candidates", self.candidates != CandidateRequest::All),
            ("edge_costs", self.edge_costs != CostRequest::default()),
            ("memory", self.memory.is_some()),
            ("solver", self.solver != SolverChoice::default()),
            ("z_step", self.z_step != ZStep::default()),
            ("distance_norm", self.distance_norm != DistanceNorm::default()),
            ("spectrum", self.spectrum != SpectrumRequest::default()),
            ("filter", self.filter != FilterChoice::default()),
            ("proportional", self.proportional != Proportional::default()),
        ]
    }
}

fn unknown(id: &'static str, name: &str, known: &[&str], or: Option<&str>) -> RequestError {
    let known = known.iter().map(|name| format!("{name:?}"));
    let known: Vec<String> = known.chain(or.map(str::to_owned)).collect();
    RequestError::about(
        id,
        format!("{name:?} is not known: it must be {}", alternatives(&known)),
    )
}
