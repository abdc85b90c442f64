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

use congraph::methods::likelihood::{self, Likelihood, Sparsity};
use congraph::simulate::simulate;
use congraph::tune::{COUPLINGS, Wanted};
use congraph::{Certified, Error, Learn, Model, MultiviewGraph, ViewOptions, Views, no_progress};

use super::plan::{Job, Plan};
use super::rows::{Contender, Row, has};
use crate::methods::oracle::{Found, Scored, scored};
use crate::methods::told::{Told, joint, smooth};

/// Simulates the data set and learns from it by every method that is not among the earlier rows.
pub(super) fn rows(plan: &Plan, job: Job, earlier: &[Row]) -> Result<Vec<Row>, Error> {
    let setting = &plan.settings[job.setting];
    let simulation = simulate(&congraph::simulate::Settings {
        seed: job.seed,
        ..setting.settings.clone()
    })?;
    let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
    let truth = &simulation.truth;
    let mut rows = Vec::new();
    for method in Contender::METHODS {
        if has(earlier, setting.name, job.seed, method) {
            continue;
        }
        let Told { found, unconverged, .. } = match method[0] {
            Contender::Smooth | Contender::SmoothAbove => smooth(&views, truth, 1.0, Model::l1)?,
            Contender::Spectrum | Contender::SpectrumAbove => smooth(&views, truth, 0.5, Model::l1)?,
            Contender::Joint | Contender::JointAbove => joint(&views, truth)?,
            Contender::Likelihood | Contender::LikelihoodAbove => likely(&views, truth)?,
        };
        let of = |(contender, found)| Row::of(setting.name, job.seed, contender, &found, unconverged);
        rows.extend(method.into_iter().zip(found).map(of));
    }
    Ok(rows)
}

/// First without any truth; then with the best of the same couplings b and the best threshold, for the same q.
fn likely(views: &Views, truth: &MultiviewGraph) -> Result<Told, Error> {
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
    Ok(Told {
        found: [alone, best.unwrap_or(alone)],
        unconverged,
        graph: chosen.learned.graph,
    })
}
