//! The joint graphical lasso that was asked for.

use congraph::methods::graphical_lasso;
use congraph::methods::graphical_lasso::{Fusion, GraphicalLasso};
use congraph::options::{Mention, option};

use super::FitRequest;
use crate::refusal::{RequestError, check_range};

impl FitRequest {
    pub(super) fn graphical_lasso(&self, fusion: Fusion) -> Result<GraphicalLasso, RequestError> {
        self.refuse_others(fusion)?;
        let (lambda1, lambda2) = self.lambdas(fusion)?;
        check_range("lambda1", lambda1, lambda1 >= 0.0, "finite and non-negative")?;
        check_range("lambda2", lambda2, lambda2 >= 0.0, "finite and non-negative")?;
        check_range("tol", self.tol, self.tol > 0.0, "finite and positive")?;
        let usual = graphical_lasso::Admm::default();
        Ok(GraphicalLasso {
            scaling: self.scaling(),
            model: graphical_lasso::Model {
                fusion,
                lambda1,
                lambda2,
                fused_diagonal: self.fused_diagonal.unwrap_or(true),
            },
            solver: graphical_lasso::Admm {
                tolerance: self.tol,
                max_iterations: self.max_iterations.unwrap_or(usual.max_iterations),
                ..usual
            },
        })
    }

    /// congraph's own options mean nothing with it.
    fn refuse_others(&self, fusion: Fusion) -> Result<(), RequestError> {
        let is_free = self.fused_diagonal == Some(false);
        let free = ("fused_diagonal", is_free && fusion == Fusion::Group);
        let others = self.own_options().into_iter().chain([free]);
        let Some((id, _)) = others.into_iter().find(|(_, given)| *given) else {
            return Ok(());
        };
        if id == "signed" {
            return Err(RequestError::usage(
                id,
                format!("{} means nothing with {}", option(id).bare(), with(fusion)),
                format!(
                    "leave out {}: precision matrices have both signs as they are",
                    option(id)
                ),
            ));
        }
        Err(RequestError::usage(
            id,
            format!("{} means nothing with {}", option(id).bare(), with(fusion)),
            format!(
                "its parameters are {} (sparsity) and {} (how alike the views are)",
                option("lambda1").bare(),
                option("lambda2").bare()
            ),
        ))
    }

    /// λ1 and λ2; views on their own are not coupled.
    fn lambdas(&self, fusion: Fusion) -> Result<(f64, f64), RequestError> {
        let missing = |id: &'static str, hint: String| {
            let message = format!("{} is missing, which {} needs", option(id).bare(), with(fusion));
            RequestError::usage(id, message, hint)
        };
        let Some(lambda1) = self.lambda1 else {
            let start = option("lambda1").set_to(0.1);
            return Err(missing(
                "lambda1",
                format!("with the default scaling, {start} is a start; a larger one is sparser"),
            ));
        };
        match (self.lambda2, self.single) {
            (Some(lambda2), false) => Ok((lambda1, lambda2)),
            (None, true) => Ok((lambda1, 0.0)),
            (Some(_), true) => Err(RequestError::usage(
                "lambda2",
                format!(
                    "{} couples the views, and {} learns each on its own",
                    option("lambda2").bare(),
                    option("single").bare()
                ),
                "leave out one of them",
            )),
            (None, false) => Err(missing(
                "lambda2",
                format!(
                    "with the default scaling, {} is a start; {} learns each view on its own (the plain graphical \
                     lasso)",
                    option("lambda2").set_to(0.02),
                    option("single")
                ),
            )),
        }
    }
}

fn with(fusion: Fusion) -> Mention {
    option("method").set_to(fusion.name()).bare()
}
