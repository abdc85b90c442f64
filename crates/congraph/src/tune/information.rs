//! The likelihood's choices: the coupling b, the filter and the signs by Akaike's information criterion, or b for a
//! similarity.
//!
//! Models are compared by whole, certified fits with independent samples; from the strongest coupling downwards each
//! fit starts from the one before. What is returned is the refit of the best one on its edges. Where nothing in the
//! data goes beyond chance, and no density is asked for, that is a graph without edges.

use super::couplings::{
    Candidate, Limit, compare, is_as_dense, least, nothing, reach, take_dense, take_least, too_dense,
};
use super::{Dial, Targets};
use crate::chance::{self, Agreement, Correlations};
use crate::error::{Error, Warning, list_names};
use crate::fit::{Fit, Learn, Learned, Session};
use crate::graph::MultiviewGraph;
use crate::methods::likelihood::{
    Coupling, Filter, Lift, Likelihood, Merged, Model, Proportional, Signs, Solution, Sparsity, merge,
};
use crate::methods::smooth::Smooth;
use crate::options::option;
use crate::progress::Watch;
use crate::views::Views;

/// What is asked of a likelihood; what is not given is chosen by the information criterion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// The mean density of the views; without it, a threshold between the two heaps of weights.
    pub density: Option<f64>,
    /// The mean correlation between views, reached by b.
    pub similarity: Option<f64>,
    /// b itself.
    pub coupling: Option<f64>,
    /// How often the filter is applied.
    pub filter: Option<Filter>,
    /// Which signs edges may have; none lets the criterion choose.
    pub signs: Option<Signs>,
    /// Every view on its own.
    pub is_single: bool,
    /// γ in units of β.
    pub gamma: f64,
}

impl Default for Wanted {
    /// An attractive graph; the criterion chooses the rest.
    fn default() -> Self {
        Self {
            density: None,
            similarity: None,
            coupling: None,
            filter: None,
            signs: Some(Signs::Attractive),
            is_single: false,
            gamma: 0.0,
        }
    }
}

/// A model that was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried {
    /// How often the filter was applied.
    pub filter: Filter,
    /// Which signs edges could have.
    pub signs: Signs,
    /// b; none of views on their own.
    pub coupling: Option<f64>,
    /// Akaike's information criterion.
    pub aic: f64,
    /// The relative gap of the fit.
    pub relative_gap: f64,
    /// Whether it counts: only certified fits do.
    pub is_certified: bool,
}

/// The chosen fit.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// How it was learned.
    pub method: Likelihood,
    /// What was learned.
    pub learned: Learned<Likelihood>,
    /// The solution behind it, with nodes and views sorted by name.
    pub solution: Solution,
    /// All models that were compared, in the order in which they were tried.
    pub tried: Vec<Tried>,
    /// The similarity of the views when each is learned on its own; none for a single view.
    pub floor: Option<f64>,
    /// Whether the graph is empty because nothing goes beyond chance.
    pub is_noise: bool,
    /// How far graphs of the views, learned one by one, agree beyond chance; none for a single view, or where each is
    /// learned alone.
    pub agreement: Option<Agreement>,
    /// Nodes that were learned as one.
    pub merged: Vec<Merged>,
}

/// Which signs edges may have, and what was fitted to find out.
struct Compared {
    signs: Signs,
    /// The models of these signs; none where they were not compared yet.
    candidates: Option<Vec<Candidate>>,
    /// The models of other signs.
    others: Vec<Tried>,
}

impl Compared {
    fn not_yet(signs: Signs) -> Self {
        Self {
            signs,
            candidates: None,
            others: Vec::new(),
        }
    }

    /// With models of other signs that are no better.
    fn beside(mut self, others: &[Candidate]) -> Self {
        self.others.extend(others.iter().map(Candidate::tried));
        self
    }

    fn all_tried(self) -> Vec<Tried> {
        let own = self.candidates.iter().flatten().map(Candidate::tried);
        own.chain(self.others).collect()
    }
}

impl Likelihood {
    /// Learns what is wanted, and chooses the rest.
    ///
    /// # Errors
    /// E10 if the density or the similarity cannot be reached; what [`Learn::learn`] refuses.
    ///
    /// ```
    /// use congraph::methods::likelihood::{Filter, Likelihood};
    /// use congraph::simulate::{Settings, simulate};
    /// use congraph::tune::Wanted;
    /// use congraph::{ViewOptions, Views, no_progress};
    ///
    /// let simulation = simulate(&Settings { n_nodes: 30, n_views: 3, ..Settings::default() })?;
    /// let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
    /// let chosen = Likelihood::default().learn_to(&views, &Wanted::default(), &no_progress)?;
    /// assert_eq!(chosen.method.model.filter, Filter::Twice); // as the data were made
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn learn_to(&self, views: &Views, wanted: &Wanted, watch: Watch<'_>) -> Result<Chosen, Error> {
        rayon::scope(|_| {
            check(wanted)?;
            self.check_chosen(views, wanted)?;
            if self.proportional == Proportional::Merge
                && let Some(merged) = merge(views, self.scale, &self.candidates, &self.edge_costs)?
            {
                let method = Self {
                    proportional: Proportional::Refuse,
                    candidates: merged.candidates,
                    edge_costs: merged.edge_costs,
                    ..self.clone()
                };
                let mut chosen = method.learn_to(&merged.views, wanted, watch)?;
                chosen.learned.warnings.extend(Merged::warning(&merged.merged));
                chosen.merged = merged.merged;
                return Ok(chosen);
            }
            let compared = match wanted.signs {
                Some(signs) => Compared::not_yet(signs),
                None => self.choose_signs(views, wanted, watch)?,
            };
            self.with_signs(compared.signs)
                .learn_signed(views, wanted, compared, watch)
        })
    }

    /// The criterion counts distinct weights, which is right where views that agree share one. Where departures are charged
    /// otherwise, weights are shrunk and hardly any are shared: b is not chosen by it.
    fn check_chosen(&self, views: &Views, wanted: &Wanted) -> Result<(), Error> {
        let is_found = wanted.coupling.is_some() || (wanted.similarity.is_some() && wanted.signs.is_some());
        if self.model.penalty == Coupling::L1 || wanted.is_single || views.n_views() < 2 || is_found {
            return Ok(());
        }
        Err(Error::Parameter {
            name: "beta",
            message: format!(
                "must be given with {}, or {} for it: Akaike's criterion counts distinct weights, and this penalty shrinks \
                 differences without making weights equal, so that it cannot choose how strongly views are coupled{}",
                option("penalty").set_to(self.model.penalty.name()).bare(),
                option("similarity").bare(),
                if wanted.signs.is_none() && wanted.similarity.is_some() {
                    format!("; with {} it would have to", option("signed").set_to("auto").bare())
                } else {
                    String::new()
                }
            ),
        })
    }

    /// The settings for graphs of these signs.
    fn with_signs(&self, signs: Signs) -> Self {
        if signs == self.model.signs {
            return self.clone();
        }
        let usual = Self::new(match signs {
            Signs::Attractive => Model::default(),
            Signs::Both => Model::signed(),
        });
        Self {
            scale: usual.scale.or(self.scale),
            lift: usual.lift,
            model: Model {
                penalty: self.model.penalty,
                ..usual.model
            },
            ..self.clone()
        }
    }

    /// Attractive or of both signs: the better of the two by the criterion, each in the units that suit it, judged by
    /// the likelihood of the same data.
    fn choose_signs(&self, views: &Views, wanted: &Wanted, watch: Watch<'_>) -> Result<Compared, Error> {
        let attractive = self.with_signs(Signs::Attractive);
        let plain = Self {
            lift: Lift::None,
            ..attractive.clone()
        };
        let plain = plain.session(views, watch)?;
        let mut best: Option<(f64, Compared)> = None;
        let mut lacks_mean = false;
        for method in [attractive, self.with_signs(Signs::Both)] {
            let signs = method.model.signs;
            let method = method.at_first(wanted, views.n_views());
            let session = method.session(views, watch)?;
            lacks_mean |= signs == Signs::Attractive && session.data().is_lifted();
            let candidates = compare(&session, wanted, watch)?;
            let Some(Candidate { model, whole }) = least(&candidates) else {
                continue;
            };
            let aic = Self::information_in(session.data(), model, whole, plain.data(), lacks_mean)?;
            best = Some(match best.take() {
                Some((other, compared)) if other <= aic => (other, compared.beside(&candidates)),
                before => {
                    let others = before.map_or_else(Vec::new, |(_, compared)| compared.all_tried());
                    (
                        aic,
                        Compared {
                            signs,
                            candidates: Some(candidates),
                            others,
                        },
                    )
                }
            });
        }
        Ok(best.map_or_else(|| Compared::not_yet(Signs::Attractive), |(_, compared)| compared))
    }

    /// The settings that data are made ready with.
    fn at_first(&self, wanted: &Wanted, n_views: usize) -> Self {
        Self {
            model: first_model(self, wanted, n_views),
            ..self.clone()
        }
    }

    fn learn_signed(
        &self,
        views: &Views,
        wanted: &Wanted,
        compared: Compared,
        watch: Watch<'_>,
    ) -> Result<Chosen, Error> {
        let start = self.at_first(wanted, views.n_views());
        let session = start.session(views, watch)?;
        let (is_noise, agreement) = judge(views, wanted.is_single, watch)?;
        let sparsity = match (wanted.density, is_noise) {
            (Some(density), _) => Sparsity::Density(density),
            (None, true) => Sparsity::Empty,
            (None, false) => Sparsity::Automatic,
        };
        let mut tried = compared.others;
        let chosen = match wanted.similarity {
            Some(target) => {
                tried.extend(compared.candidates.iter().flatten().map(Candidate::tried));
                reach(&session, wanted, target, sparsity, &mut tried, watch)?
            }
            None => {
                let candidates = match compared.candidates {
                    Some(candidates) => candidates,
                    None => compare(&session, wanted, watch)?,
                };
                tried.extend(candidates.iter().map(Candidate::tried));
                match wanted.density {
                    Some(density) => take_dense(&session, wanted, density, candidates, &mut tried, watch)?,
                    None => take_least(candidates).ok_or_else(nothing)?,
                }
            }
        };
        let model = Model {
            sparsity,
            ..chosen.model
        };
        check_density(&chosen, wanted, &session)?;
        let fit = session.fit_from(&model, chosen.whole, watch)?;
        let floor = floor(&session, &model, &fit, watch)?;
        let solution = fit.solution.clone();
        let mut learned = session.learned(fit, watch)?;
        if agreement.as_ref().is_some_and(Agreement::is_certain) {
            learned.warnings.retain(|warning| warning.code != "W13");
        }
        add_warnings(&mut learned, agreement.as_ref(), is_noise);
        let method = Self { model, ..start.clone() };
        Ok(Chosen {
            method,
            learned,
            solution,
            tried,
            floor,
            is_noise,
            agreement,
            merged: Vec::new(),
        })
    }
}

fn check(wanted: &Wanted) -> Result<(), Error> {
    for (name, value, least) in [
        ("density", wanted.density, 0.0),
        ("similarity", wanted.similarity, -1.0),
    ] {
        if let Some(target) = value
            && !(target > least && target <= 1.0)
        {
            return Err(Error::Parameter {
                name,
                message: format!("is {target}; it must be above {least} and at most 1"),
            });
        }
    }
    Ok(())
}

/// A model to make the data ready with: coupled, if views are to be.
fn first_model(method: &Likelihood, wanted: &Wanted, n_views: usize) -> Model {
    let model = method.model;
    Model {
        coupling: if wanted.is_single {
            None
        } else {
            Some(wanted.coupling.or(model.coupling).unwrap_or(1.0))
        },
        gamma: if n_views > 1 { wanted.gamma } else { 0.0 },
        filter: wanted
            .filter
            .filter(|_| model.signs == Signs::Attractive)
            .unwrap_or(model.filter),
        ..model
    }
}

/// Whether the data are noise as far as can be told, and how far the views agree on their own (not asked of a single
/// view, or where each is to be learned alone). Both questions are asked of the data by the paper's model at its usual
/// density, whatever method then learns from them.
///
/// # Errors
/// What [`Learn::session`] refuses.
pub fn judge(views: &Views, is_single: bool, watch: Watch<'_>) -> Result<(bool, Option<Agreement>), Error> {
    let is_weak = Correlations::of(views).is_some_and(|found| !found.is_beyond_chance());
    if views.n_views() < 2 || is_single {
        return Ok((is_weak, None));
    }
    let alone = Smooth::default().uncoupled();
    let targets = Targets {
        density: Dial::Usual,
        similarity: Dial::Fixed,
        consensus_density: Dial::Fixed,
    };
    // Data that the paper's model cannot learn from are judged by their correlations alone.
    let Ok(session) = alone.session(views, watch) else {
        return Ok((is_weak, None));
    };
    let Ok((fit, _)) = session.reach(&targets, watch) else {
        return Ok((is_weak, None));
    };
    let agreement = session.agreement_of(&fit);
    let is_certain = agreement.as_ref().is_some_and(Agreement::is_certain);
    Ok((is_weak && !is_certain, agreement))
}

/// W13, if the data are noise as far as [`judge`] can tell.
///
/// # Errors
/// What [`Learn::session`] refuses.
pub fn noise(views: &Views, watch: Watch<'_>) -> Result<Option<Warning>, Error> {
    let found = Correlations::of(views).as_ref().and_then(Correlations::warning);
    match found {
        Some(warning) if judge(views, false, watch)?.0 => Ok(Some(warning)),
        _ => Ok(None),
    }
}

fn add_warnings(learned: &mut Learned<Likelihood>, agreement: Option<&Agreement>, is_noise: bool) {
    let first = usize::from(!learned.converged());
    let is_said = learned.warnings.iter().any(|warning| warning.code == "W13");
    if let Some(warning) = agreement
        .filter(|_| !is_noise && !is_said)
        .and_then(|agreement| chance::imposed_warning(agreement, &learned.warnings))
    {
        learned.warnings.insert(first, warning);
    }
    learned.warnings.extend(of_components(&learned.graph));
}

/// W07 for nodes without an edge, in a graph that has any.
fn of_components(graph: &MultiviewGraph) -> Option<Warning> {
    let (n_components, isolated) = graph.components();
    if isolated.is_empty() || isolated.len() == n_components {
        return None;
    }
    let what = match (graph.consensus(), graph.n_views()) {
        (Some(_), _) => "the consensus",
        (None, 1) => "the graph",
        (None, _) => "the union of the graphs",
    };
    let names: Vec<&String> = isolated.iter().map(|&node| &graph.nodes()[node]).collect();
    let alone = match names.len() {
        1 => "one isolated node".to_owned(),
        many => format!("{many} isolated nodes"),
    };
    let message = format!(
        "{what} has {n_components} components, with {alone} ({}); a higher density joins more nodes",
        list_names(&names)
    );
    Some(Warning::new("W07", message))
}

/// E10 if the whole fit is sparser than what is asked for.
fn check_density(chosen: &Candidate, wanted: &Wanted, session: &Session<'_, Likelihood>) -> Result<(), Error> {
    match wanted.density {
        Some(density) if !is_as_dense(session, chosen, density) => {
            let most = session.density_of(&chosen.whole);
            Err(too_dense(density, most, Limit::Similarity))
        }
        _ => Ok(()),
    }
}

/// The similarity of the views when each is learned on its own, at the density of a fit.
fn floor(
    session: &Session<'_, Likelihood>,
    model: &Model,
    fit: &Fit<Likelihood>,
    watch: Watch<'_>,
) -> Result<Option<f64>, Error> {
    if !model.is_coupled() || session.n_views() < 2 || model.sparsity == Sparsity::Empty {
        return Ok(None);
    }
    let alone = Model {
        coupling: None,
        sparsity: Sparsity::Density(session.arranged_graph(fit).mean_density().max(f64::MIN_POSITIVE)),
        ..*model
    };
    let whole = session.whole(&alone, Some(&fit.solution.whole.point), watch)?;
    let separate = session.fit_from(&alone, whole, watch)?;
    Ok(session.arranged_graph(&separate).similarity())
}
