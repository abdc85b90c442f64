//! What is learned from views, and how: the words of `congraph learn` and `congraph eeg`.

use std::path::PathBuf;

use clap::Args;
use congraph::methods::likelihood::Proportional;
use congraph::methods::smooth::admm::ZStep;
use congraph_record::choices::{FilterChoice, Signed, SolverChoice, ViewCoupling};
use congraph_record::request::{CandidateRequest, CostRequest, PenaltyRequest, SpectrumRequest};
use congraph_record::{FitRequest, RequestError};

use super::ScalingArgs;
use super::choices::{choice, penalties, regularisers};

/// What is learned from views, however they were read: the dials, the candidates, the solver.
#[derive(Args, Debug)]
pub(crate) struct FitArgs {
    /// Write no report.html
    #[arg(long)]
    pub(crate) no_report: bool,
    /// Weight of ‖L‖²: larger is denser
    #[arg(long, allow_negative_numbers = true, value_name = "A", help_heading = "Model")]
    pub(crate) alpha: Option<f64>,
    /// Weight of the penalty: larger makes the views more alike. Of the likelihood in units of 1/√samples, and by
    /// default chosen by Akaike's criterion from 1 to 5.6
    #[arg(long, allow_negative_numbers = true, value_name = "B", help_heading = "Model")]
    pub(crate) beta: Option<f64>,
    /// Weight of the regulariser: larger makes the consensus sparser; of the likelihood in units of beta [default: 0]
    #[arg(long, allow_negative_numbers = true, value_name = "G", help_heading = "Model")]
    pub(crate) gamma: Option<f64>,
    /// Find alpha for this share of possible edges (mean of the views) [default: 0.15, at most 10
    /// neighbours per node: a guess, `tune` chooses; of the likelihood, what stands out from the heap of small weights]
    #[arg(long, allow_negative_numbers = true, value_name = "D", help_heading = "Model")]
    pub(crate) density: Option<f64>,
    /// Find beta for this mean correlation between views [default: half-way from separate views to 1; of the
    /// likelihood, none]
    #[arg(long, allow_negative_numbers = true, value_name = "S", help_heading = "Model")]
    pub(crate) similarity: Option<f64>,
    /// Find gamma for this density of the consensus
    #[arg(long, allow_negative_numbers = true, value_name = "D", help_heading = "Model")]
    pub(crate) consensus_density: Option<f64>,
    /// How a view's departure from the consensus is charged
    #[arg(long, default_value = "l1", value_parser = penalties(), help_heading = "Model")]
    pub(crate) penalty: String,
    /// What each view is drawn to: the consensus, its neighbours in the order in which views are given (graphs that change
    /// with time), or every other view
    #[arg(long, default_value = "consensus", value_parser = choice::<ViewCoupling>(), help_heading = "Model")]
    pub(crate) coupling: ViewCoupling,
    /// With subjects, how strongly their graphs are drawn to the consensus: 1 is one consensus for all views, near 0 one
    /// for each subject [default: 0.5]
    #[arg(long, allow_negative_numbers = true, value_name = "R", help_heading = "Model")]
    pub(crate) subject_share: Option<f64>,
    /// What is asked of the consensus itself, weighed by gamma
    #[arg(long, default_value = "l1", value_parser = regularisers(), help_heading = "Model")]
    pub(crate) regulariser: String,
    /// How far to whiten the signals first: their singular values are taken to this power, from 0.05 to 1. `auto` chooses
    /// it by held-out likelihood
    #[arg(
        long,
        allow_negative_numbers = true,
        default_value = "1",
        value_name = "A|auto",
        help_heading = "Model"
    )]
    pub(crate) spectrum: String,
    /// Give every pair of nodes a negative edge beside the positive one: weights below 0 for opposite signals. `auto`
    /// lets Akaike's criterion choose, with the likelihood
    #[arg(
        long,
        default_value = "no",
        default_missing_value = "yes",
        num_args = 0..=1,
        require_equals = true,
        value_parser = choice::<Signed>(),
        help_heading = "Model"
    )]
    pub(crate) signed: Signed,
    /// With the likelihood, how often the graph's filter made the signals: 1 is a Gaussian field, 2 the paper's filter.
    /// `auto` lets Akaike's criterion choose
    #[arg(
        long,
        default_value = "auto",
        value_parser = choice::<FilterChoice>(),
        help_heading = "Model"
    )]
    pub(crate) filter: FilterChoice,
    /// With the likelihood, what to do with nodes that are multiples of each other in every view: `merge` learns them as one,
    /// named by the first of them
    #[arg(
        long,
        default_value = "refuse",
        value_parser = choice::<Proportional>(),
        help_heading = "Model"
    )]
    pub(crate) proportional: Proportional,
    /// Learn every view on its own, without a consensus
    #[arg(long, help_heading = "Model")]
    pub(crate) single: bool,
    /// Which pairs may be joined: `knn:K` (each node's K nearest neighbours in any view, approximate above
    /// 1 000 000 nodes) or a table of pairs with the columns source and target [default: all pairs]
    #[arg(long, value_name = "knn:K|FILE", help_heading = "Support")]
    pub(crate) candidates: Option<String>,
    /// A table with the columns source, target and cost: added to a pair's distance in every view; negative favours the
    /// edge, `inf` forbids it
    #[arg(long, value_name = "FILE", help_heading = "Support")]
    pub(crate) edge_costs: Option<PathBuf>,
    /// With --candidates, count the pairs outside that would have entered
    #[arg(long, requires = "candidates", help_heading = "Support")]
    pub(crate) check_outside: bool,
    /// The seed of the approximate neighbour search
    #[arg(long, default_value_t = 1, help_heading = "Support")]
    pub(crate) seed: u64,
    /// How much memory may be used, in GiB [default: half of what is free]; a fit that needs more is refused
    #[arg(long, value_name = "GIB", help_heading = "Solver")]
    pub(crate) memory: Option<f64>,
    /// How to solve the problem: newton is fast, admm is the paper's algorithm
    #[arg(long, default_value = "newton", value_parser = choice::<SolverChoice>(), help_heading = "Solver")]
    pub(crate) solver: SolverChoice,
    /// The relative gap at which the result counts as converged
    #[arg(
        long,
        allow_negative_numbers = true,
        default_value = "1e-8",
        value_name = "GAP",
        help_heading = "Solver"
    )]
    pub(crate) tol: f64,
    /// The maximum number of iterations [default: 200 for newton, 50000 for admm, 60 for the likelihood]
    #[arg(long, value_name = "N", help_heading = "Solver")]
    pub(crate) max_iterations: Option<usize>,
    /// With admm, how to solve its (z^i, z)-step: exactly, or by the paper's block coordinate descent
    #[arg(long, default_value = "exact", value_parser = choice::<ZStep>(), help_heading = "Solver")]
    pub(crate) z_step: ZStep,
    /// Fail with exit code 5 if the result has not converged
    #[arg(long, help_heading = "Solver")]
    pub(crate) strict: bool,
}

impl FitArgs {
    /// What is asked of a fit of views that are scaled so.
    pub(crate) fn request(&self, scaling: &ScalingArgs) -> Result<FitRequest, RequestError> {
        let candidates = self.candidates.as_deref().map(CandidateRequest::of_word).transpose()?;
        Ok(FitRequest {
            density: self.density,
            similarity: self.similarity,
            consensus_density: self.consensus_density,
            alpha: self.alpha,
            beta: self.beta,
            gamma: self.gamma,
            penalty: PenaltyRequest::Named(self.penalty.clone()),
            coupling: self.coupling,
            subject_share: self.subject_share,
            regulariser: self.regulariser.clone(),
            signed: self.signed,
            filter: self.filter,
            proportional: self.proportional,
            single: self.single,
            candidates: candidates.unwrap_or_default(),
            seed: self.seed,
            edge_costs: self
                .edge_costs
                .clone()
                .map_or_else(CostRequest::default, CostRequest::Table),
            check_outside: self.check_outside,
            solver: self.solver,
            z_step: self.z_step,
            tol: self.tol,
            max_iterations: self.max_iterations,
            memory: self.memory,
            scale: scaling.scale,
            spectrum: SpectrumRequest::of_word(&self.spectrum)?,
            sample_norm: scaling.sample_norm,
            distance_norm: scaling.distance_norm,
            ..FitRequest::default()
        })
    }
}
