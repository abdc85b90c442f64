//! One data set → what every method scores on it.
//!
//! ```text
//! smooth       the paper's model with ℓ1 coupling: α and β by best view F1 over a grid
//! spectrum     the same on signals whose spectrum is taken to the power ½
//! JGL          fused joint graphical lasso, negative entries as edges, the median of the views as consensus: λ1 and λ2
//!              by best view F1 over a grid
//! likelihood   no truth: q and b by the information criterion, edges by Otsu's threshold
//!
//! + threshold  the best threshold by view F1 as well; of the likelihood, the best b too
//! ```

use congraph::methods::graphical_lasso::{self, EdgeRule, Fusion, GraphicalLasso};
use congraph::methods::likelihood::{self, Likelihood, Sparsity};
use congraph::simulate::simulate;
use congraph::tune::{COUPLINGS, Wanted};
use congraph::{
    Certified, Error, Fit, Learn, Model, MultiviewGraph, Smooth, Spectrum, ViewOptions, Views, no_progress,
};

use super::oracle::{Found, Lattice, RULES, Scored, scored};
use super::plan::{Job, Plan};
use super::rows::{Contender, Row};
use crate::methods::with_median;

/// α and β of `smooth`.
const SMOOTH: Lattice = Lattice {
    least: [0.0125, 0.004],
    ratio: 2.0,
    counts: [5, 6],
};
/// λ1 and λ2 of the joint graphical lasso.
const JOINT: Lattice = Lattice {
    least: [5e-4, 5e-4],
    ratio: 2.0,
    counts: [9, 7],
};
/// Edges are the same far above this gap.
const TOLERANCE: f64 = 1e-4;
/// Where next to nothing is charged, some fits would take thousands; those count as they are, and are counted.
const MOST_ITERATIONS: usize = 1000;

/// Simulates the data set and learns from it by every method.
pub(super) fn rows(plan: &Plan, job: Job) -> Result<Vec<Row>, Error> {
    let setting = &plan.settings[job.setting];
    let simulation = simulate(&congraph::simulate::Settings {
        seed: job.seed,
        ..setting.settings.clone()
    })?;
    let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
    let truth = &simulation.truth;
    let mut rows = Vec::new();
    let mut add = |contenders: [Contender; RULES], (found, unconverged): ([Found; RULES], usize)| {
        let of = |(contender, found)| Row::of(setting.name, job.seed, contender, &found, unconverged);
        rows.extend(contenders.into_iter().zip(found).map(of));
    };
    add([Contender::Smooth, Contender::SmoothAbove], smooth(&views, truth, 1.0)?);
    add(
        [Contender::Spectrum, Contender::SpectrumAbove],
        smooth(&views, truth, 0.5)?,
    );
    add([Contender::Joint, Contender::JointAbove], joint(&views, truth)?);
    add(
        [Contender::Likelihood, Contender::LikelihoodAbove],
        likely(&views, truth)?,
    );
    Ok(rows)
}

/// The best of a method without and with a threshold, and how many of its fits did not converge.
type Outcome = ([Found; RULES], usize);

fn smooth(views: &Views, truth: &MultiviewGraph, exponent: f64) -> Result<Outcome, Error> {
    let learner = Smooth {
        spectrum: Spectrum::new(exponent),
        ..Smooth::default()
    };
    let session = learner.session(views, &no_progress)?;
    let mut before: Option<Fit> = None;
    let mut unconverged = 0;
    let found = SMOOTH.search(|[alpha, beta]| {
        let start = before.as_ref().map(Fit::start);
        let fit = session.fit(&Model::l1(alpha, beta), start.as_ref(), &no_progress)?;
        unconverged += usize::from(!fit.solution.converged());
        let scores = scored(&session.graph(&fit), truth);
        before = Some(fit);
        Ok::<_, Error>(scores)
    })?;
    Ok((found, unconverged))
}

fn joint(views: &Views, truth: &MultiviewGraph) -> Result<Outcome, Error> {
    let learner = GraphicalLasso {
        solver: graphical_lasso::Admm {
            tolerance: TOLERANCE,
            max_iterations: MOST_ITERATIONS,
            ..graphical_lasso::Admm::default()
        },
        ..GraphicalLasso::new(Fusion::Fused, 1.0, 1.0)
    };
    let session = learner.session(views, &no_progress)?;
    let mut before: Option<Fit<GraphicalLasso>> = None;
    let mut unconverged = 0;
    let found = JOINT.search(|[lambda1, lambda2]| {
        let start = before.as_ref().map(Fit::start);
        let fit = session.fit_at(lambda1, lambda2, start.as_ref(), &no_progress)?;
        unconverged += usize::from(!fit.solution.converged());
        let scores = scored(&with_median(&session.graph_by(&fit, EdgeRule::Negative)), truth);
        before = Some(fit);
        Ok::<_, Error>(scores)
    })?;
    Ok((found, unconverged))
}

/// First without any truth; then with the best of the same couplings b and the best threshold, for the same q.
fn likely(views: &Views, truth: &MultiviewGraph) -> Result<Outcome, Error> {
    let chosen = Likelihood::default().learn_to(views, &Wanted::default(), &no_progress)?;
    let order = chosen.method.model.filter.order() as f64;
    let [alone, _] = scored(&chosen.learned.graph, truth);
    let alone = Found {
        scored: Scored {
            threshold: chosen.learned.details.threshold,
            ..alone
        },
        parameters: [order, chosen.method.model.coupling.unwrap_or(0.0)],
        is_inside: true,
    };
    let session = chosen.method.session(views, &no_progress)?;
    let mut unconverged = chosen.tried.iter().filter(|tried| !tried.is_certified).count();
    let mut start = None;
    let mut best: Option<Found> = None;
    for (place, coupling) in COUPLINGS.into_iter().enumerate() {
        let model = likelihood::Model {
            coupling: Some(coupling),
            sparsity: Sparsity::All,
            ..chosen.method.model
        };
        let whole = session.whole(&model, start.as_ref(), &no_progress)?;
        start = Some(whole.point.clone());
        let fit = session.fit_from(&model, whole, &no_progress)?;
        unconverged += usize::from(!fit.solution.converged());
        let [_, above] = scored(&session.graph(&fit), truth);
        if best.is_none_or(|best| above.view_f1 > best.scored.view_f1) {
            best = Some(Found {
                scored: above,
                parameters: [order, coupling],
                is_inside: place > 0 && place + 1 < COUPLINGS.len(),
            });
        }
    }
    Ok(([alone, best.unwrap_or(alone)], unconverged))
}
