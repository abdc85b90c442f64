//! One data set → what every method scores on it, its parameters chosen as the paper chooses them.
//!
//! ```text
//! svGL           α by best view F1
//! mvGL-ℓ1        α by best view F1, for each α the β of a correlation of 0.8
//! mvGL-ℓ2 − r    the same, without a regulariser of the consensus
//! mvGL-ℓ2        from there γ by best view F1 (the largest of equals), then α once more
//! JGL            λ1 by best view F1, λ2 by correlation
//! median         no learning: the element-wise median of the views of svGL
//! spectrum       mvGL-ℓ1 on signals whose spectrum is taken to the power ½, chosen as mvGL-ℓ1 is
//! likelihood     knows no truth: it chooses for itself
//! … told         both parameters and a threshold of the weights by best view F1, on a whole grid: `told`
//! ```

mod grid;
mod joint;
mod likely;
pub(crate) mod oracle;
mod protocol;
mod score;
pub(crate) mod told;

use congraph::simulate::simulate;
use congraph::{Error, Learn, Model, MultiviewGraph, Parameters, Smooth, ViewOptions, Views, no_progress};

use crate::plan::{Job, Plan, Setting};
pub(crate) use joint::learner as joint_learner;
pub(crate) use protocol::{Protocol, SIMILARITY, above, l2};
pub(crate) use score::{Method, Score};

/// What came of one data set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) setting: Setting,
    pub(crate) realisation: usize,
    /// Of the pairs at which some true view differs from the true consensus: in how many views, on average.
    pub(crate) differing: f64,
    pub(crate) scores: Vec<Score>,
}

/// Simulates the data set and learns from it by every method whose score is not known; by the joint graphical lasso only
/// if the views are asked for.
pub(crate) fn outcome(plan: &Plan, job: &Job, with_joint: bool, known: &[Score]) -> Result<Outcome, Error> {
    let simulation = simulate(&job.setting.simulated(plan.seed_of(job.realisation)))?;
    let truth = &simulation.truth;
    let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
    let learner = Smooth {
        scaling: plan.scaling(),
        ..Smooth::default()
    };
    let protocol = Protocol {
        session: learner.session(&views, &no_progress)?,
        truth,
        similarity: SIMILARITY,
    };
    let mut scores = known.to_vec();
    let lacks = |method: Method| known.iter().all(|score| score.method != method);
    if lacks(Method::SvGl) {
        scores.extend(protocol.scores()?);
    }
    if with_joint && lacks(Method::JglNonZero) {
        scores.extend(joint::scores(plan, &views, truth)?);
    }
    if lacks(Method::Spectrum) {
        scores.push(likely::spectrum(&views, truth)?);
    }
    if lacks(Method::Likelihood) {
        scores.push(likely::likelihood(&views, truth)?);
    }
    for method in Method::TOLD {
        if plan.told && lacks(method) {
            scores.push(best_by_truth(method, &views, truth)?);
        }
    }
    Ok(Outcome {
        setting: job.setting,
        realisation: job.realisation,
        differing: differing(truth),
        scores,
    })
}

/// What a method scores that is told both parameters and a threshold.
fn best_by_truth(method: Method, views: &Views, truth: &MultiviewGraph) -> Result<Score, Error> {
    let told = match method {
        Method::MvGl2Told => told::smooth(views, truth, 1.0, |alpha, beta| Model {
            parameters: Parameters {
                alpha,
                beta,
                gamma: 0.0,
            },
            ..l2(alpha, 0.0)
        })?,
        Method::SpectrumTold => told::smooth(views, truth, 0.5, Model::l1)?,
        Method::JglTold => told::joint(views, truth)?,
        _ => told::smooth(views, truth, 1.0, Model::l1)?,
    };
    let [_, best] = told.found;
    let [one, two] = best.parameters;
    Score::of(method, &told.above(), truth, [one, two, best.scored.threshold])
}

/// Of the pairs at which some view differs from the consensus: in how many views, on average.
fn differing(truth: &MultiviewGraph) -> f64 {
    let consensus = truth.consensus().unwrap_or_default();
    let counts = truth
        .weights()
        .rows()
        .zip(consensus)
        .map(|(row, weight)| row.iter().filter(|own| (**own > 0.0) != (*weight > 0.0)).count());
    let counts: Vec<usize> = counts.filter(|&count| count > 0).collect();
    counts.iter().sum::<usize>() as f64 / counts.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use congraph::ViewMatrix;

    use super::*;

    fn graph(n_views: usize, rows: &[f64], consensus: &[f64]) -> MultiviewGraph {
        let names = |n: usize| (0..n).map(|k| format!("v{k}")).collect::<Vec<_>>();
        let pairs: Vec<[u32; 2]> = (0..consensus.len() as u32).map(|k| [k, k + 1]).collect();
        let weights = ViewMatrix::from_values(n_views, rows.to_vec());
        MultiviewGraph::new(
            names(consensus.len() + 1),
            names(n_views),
            &pairs,
            &weights,
            Some(consensus),
        )
    }

    /// Who may choose both parameters and a threshold is at least as good as who follows the protocol.
    #[test]
    fn the_truth_helps() {
        let settings = congraph::simulate::Settings {
            n_nodes: 20,
            n_views: 2,
            n_signals: vec![60],
            ..Default::default()
        };
        let simulation = simulate(&settings).unwrap();
        let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default()).unwrap();
        let truth = &simulation.truth;
        let told = |method| best_by_truth(method, &views, truth).unwrap();
        let learner = Smooth::default();
        let protocol = Protocol {
            session: learner.session(&views, &no_progress).unwrap(),
            truth,
            similarity: SIMILARITY,
        };
        let followed = protocol.coupled().unwrap();
        let followed = congraph::metrics::evaluate(&protocol.session.graph(&followed), truth).unwrap();
        let [one, joint] = [told(Method::MvGl1Told), told(Method::JglTold)];
        assert!(one.view_f1 >= followed.mean_view_f1() - 0.01, "{one:?}");
        assert!(joint.view_f1 > 0.5 && joint.consensus.is_some(), "{joint:?}");
        // The threshold is what the graphs were cut at.
        assert!(one.parameters[2] >= 0.0 && one.density > 0.0 && one.density < 0.5);
    }

    #[test]
    fn views_that_differ_are_counted_where_some_do() {
        let truth = graph(3, &[1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0], &[1.0, 1.0, 0.0]);
        assert_eq!(differing(&truth), 1.5);
    }
}
