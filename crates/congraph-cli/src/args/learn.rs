//! The words of `congraph learn`.

use clap::Args;

use congraph_record::choices::Method;
use congraph_record::{FitRequest, RequestError};

use super::choices::choice;
use super::{FitArgs, InputArgs, OutputArgs};

/// What its help ends with.
pub(super) const AFTER_HELP: &str = "\
Examples:
  congraph learn sub-*.csv -o out
  congraph learn sub-*.csv --density 0.15 --similarity 0.9 -o out
  congraph learn trials.csv --view-column subject --penalty l2 --consensus-density 0.1 -o out
  congraph learn trials.csv --subject-column subject --condition-column task -o out
  congraph learn one.csv --single --density 0.1 -o out
  congraph learn cov-*.npy --covariance --alpha 0.02 --beta 0.03 -o out
  congraph learn sub-*.csv --method likelihood -o out-likely
  congraph learn sub-*.csv --method jgl-fused --lambda1 0.1 --lambda2 0.02 -o out-jgl";

#[derive(Args, Debug)]
pub(crate) struct LearnArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// What to learn: graphs with a consensus, from the smoothness of the signals or by their likelihood (up to a
    /// thousand nodes or so), or precision matrices by the joint graphical lasso, fused or group, to compare with
    #[arg(long, default_value = "smooth", value_parser = choice::<Method>(), help_heading = "Model")]
    pub(crate) method: Method,
    /// With --method jgl-…: weight of Σ|θ_ij| off the diagonal; larger is sparser
    #[arg(
        long,
        allow_negative_numbers = true,
        value_name = "L",
        help_heading = "Joint graphical lasso"
    )]
    pub(crate) lambda1: Option<f64>,
    /// With --method jgl-…: weight of the coupling; larger makes the views more alike
    #[arg(
        long,
        allow_negative_numbers = true,
        value_name = "L",
        help_heading = "Joint graphical lasso"
    )]
    pub(crate) lambda2: Option<f64>,
    /// With --method jgl-fused: leave the diagonals out of the coupling, as some packages do
    #[arg(long, help_heading = "Joint graphical lasso")]
    pub(crate) free_diagonal: bool,
    #[command(flatten)]
    pub(crate) fit: FitArgs,
}

impl LearnArgs {
    /// What is asked of the fit.
    pub(crate) fn request(&self) -> Result<FitRequest, RequestError> {
        Ok(FitRequest {
            method: self.method,
            lambda1: self.lambda1,
            lambda2: self.lambda2,
            subjects: self.input.subjects.are_told(),
            fused_diagonal: self.free_diagonal.then_some(false),
            ..self.fit.request(&self.input.scaling)?
        })
    }
}
