//! The likelihood that was asked for.

use congraph::methods::likelihood::{Coupling, Likelihood, Model, Newton, Signs};
use congraph::options::option;
use congraph::tune::Wanted;
use congraph::{Candidates, EdgeCost};
use serde_json::{Map, Value as Json};

use super::memory::GIB;
use super::{FitRequest, PenaltyRequest, Tables};
use crate::choices::{Choice, FilterChoice, Method, Signed};
use crate::refusal::{RequestError, check_range, check_tolerance};

/// What is to be learned, and how.
#[derive(Clone, Debug)]
pub struct LikelihoodAsked {
    /// How to learn.
    pub method: Likelihood,
    /// What is given; the information criterion chooses the rest.
    pub wanted: Wanted,
    /// Tables to read, and to hand in by [`LikelihoodAsked::on_pairs`], when the nodes are known.
    pub tables: Tables,
    /// Whether the method's memory was asked for; otherwise a face that knows the machine may choose it.
    pub is_memory_given: bool,
    /// What the record tells of the request beside what it tells of the method.
    pub echo: Map<String, Json>,
}

impl LikelihoodAsked {
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

    /// With this many bytes of memory, unless it was asked for.
    #[must_use]
    pub fn with_free_memory(mut self, bytes: Option<u64>) -> Self {
        if let Some(bytes) = bytes.filter(|_| !self.is_memory_given) {
            self.method.memory = bytes;
        }
        self
    }

    /// What the information criterion is left to choose for this many views, by ids. With a similarity b is found for
    /// it, and views on their own have none.
    pub fn open(&self, n_views: usize) -> Vec<&'static str> {
        let wanted = &self.wanted;
        let is_coupled = !wanted.is_single && n_views > 1;
        let open = [
            ("filter", wanted.filter.is_none() && wanted.signs != Some(Signs::Both)),
            (
                "beta",
                is_coupled && wanted.coupling.is_none() && wanted.similarity.is_none(),
            ),
            ("signed", wanted.signs.is_none()),
        ];
        open.into_iter()
            .filter(|(_, is_open)| *is_open)
            .map(|(id, _)| id)
            .collect()
    }
}

impl FitRequest {
    /// The likelihood ([`Likelihood`]), whatever [`FitRequest::method`] says.
    ///
    /// # Errors
    /// As [`FitRequest::resolve`].
    pub fn likelihood(&self) -> Result<LikelihoodAsked, RequestError> {
        self.refuse_of_smooth()?;
        self.refuse_lambdas()?;
        self.check_dials()?;
        self.check_charges()?;
        let signs = match self.signed {
            Signed::No => Some(Signs::Attractive),
            Signed::Yes => Some(Signs::Both),
            Signed::Auto => None,
        };
        let usual = Likelihood::new(match signs {
            Some(Signs::Both) => Model::signed(),
            _ => Model::default(),
        });
        let model = Model {
            penalty: self.departures()?,
            ..usual.model
        };
        let newton = Newton::default();
        let method = Likelihood {
            scale: self.scale.or(usual.scale),
            solver: Newton {
                tolerance: self.tol,
                max_iterations: self.max_iterations.unwrap_or(newton.max_iterations),
            },
            candidates: self.candidates.candidates(self.seed),
            edge_costs: self.edge_costs.costs(),
            memory: self.memory.map_or(usual.memory, |gib| (gib * GIB) as u64),
            model,
            proportional: self.proportional,
            ..usual
        };
        Ok(LikelihoodAsked {
            method,
            wanted: Wanted {
                density: self.density,
                similarity: self.similarity,
                coupling: self.beta,
                filter: self.filter.filter(),
                signs,
                is_single: self.single,
                gamma: self.gamma.unwrap_or(0.0),
            },
            tables: Tables::of(&self.candidates, &self.edge_costs),
            is_memory_given: self.memory.is_some(),
            echo: self.echo(),
        })
    }

    /// How departures from the consensus are charged.
    fn departures(&self) -> Result<Coupling, RequestError> {
        let named = match &self.penalty {
            PenaltyRequest::Named(name) => Coupling::by_name(name),
            PenaltyRequest::Given(_) => None,
        };
        named.ok_or_else(|| {
            let penalty = option("penalty");
            let given = match &self.penalty {
                PenaltyRequest::Named(name) => penalty.clone().set_to(name).bare(),
                PenaltyRequest::Given(_) => penalty.clone().bare(),
            };
            RequestError::usage(
                "penalty",
                format!(
                    "{given} means nothing with {}",
                    option("method").set_to(Method::Likelihood.word()).bare()
                ),
                format!(
                    "it takes l1, l2 and squared-l2; {} learns every view on its own",
                    option("single").bare()
                ),
            )
        })
    }

    /// Numbers in their ranges, and a filter that graphs of both signs can have.
    fn check_charges(&self) -> Result<(), RequestError> {
        if let Some(beta) = self.beta {
            check_range("beta", beta, beta > 0.0, "finite and positive")?;
        }
        if let Some(gamma) = self.gamma {
            check_range("gamma", gamma, gamma >= 0.0, "finite and non-negative")?;
        }
        if let Some(gib) = self.memory {
            check_range("memory", gib, gib > 0.0, "finite and positive")?;
        }
        check_tolerance(self.tol)?;
        if (self.filter, self.signed) != (FilterChoice::Twice, Signed::Yes) {
            return Ok(());
        }
        let filter = option("filter");
        Err(RequestError::usage(
            "filter",
            format!(
                "{} is for graphs without negative edges, and {} asks for them",
                filter.clone().set_to(self.filter.word()).bare(),
                option("signed").set_to(self.signed.word()).bare()
            ),
            format!(
                "leave out {filter}: a graph of both signs is learned with {}",
                filter.clone().set_to(1)
            ),
        ))
    }

    /// What only congraph's own method has.
    fn refuse_of_smooth(&self) -> Result<(), RequestError> {
        const HAS: [&str; 12] = [
            "beta",
            "penalty",
            "gamma",
            "density",
            "similarity",
            "signed",
            "candidates",
            "edge_costs",
            "memory",
            "filter",
            "proportional",
            "scale",
        ];
        let more = [
            ("sample_norm", self.sample_norm != congraph::SampleNorm::default()),
            ("check_outside", self.check_outside),
        ];
        let lacks = |(id, is_given): &(&'static str, bool)| *is_given && !HAS.contains(id);
        let Some((id, _)) = self.own_options().into_iter().chain(more).find(lacks) else {
            return Ok(());
        };
        let likelihood = option("method").set_to(Method::Likelihood.word()).bare();
        let hint = match id {
            "alpha" => format!(
                "{} says how many edges are kept; without it a threshold is found",
                option("density").bare()
            ),
            "consensus_density" => format!(
                "{} makes the consensus sparser, and {} is that of the views",
                option("gamma").bare(),
                option("density").bare()
            ),
            "spectrum" => format!(
                "{} is the likelihood's own way to undo a filter; leave it out",
                option("filter").bare()
            ),
            _ => format!(
                "leave it out, or learn by {}",
                option("method").set_to(Method::Smooth.word())
            ),
        };
        Err(RequestError::usage(
            id,
            format!("{} means nothing with {likelihood}", option(id).bare()),
            hint,
        ))
    }
}
