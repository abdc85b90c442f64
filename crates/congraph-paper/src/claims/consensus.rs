//! What the paper says about learning the consensus graph (its second figure).

use super::{Claim, Judged, Varied, claim, each, higher, moves, over};
use crate::methods::{Method, Score};
use crate::sweeps::Sweep;

const FIGURE: &str = "consensus";
/// Densities within this factor are similar.
const SIMILAR_DENSITY: f64 = 1.3;

fn above(sweep: &Sweep<'_>, one: Method, two: Method) -> Judged {
    higher(sweep, &sweep.consensus_f1(one), &sweep.consensus_f1(two), |_| true)
}

/// Denser, and with a smaller share of true edges, without r.
fn denser(sweep: &Sweep<'_>) -> Judged {
    let of = |method, measure: fn([f64; 3]) -> f64| sweep.series(method, |score: &Score| score.consensus.map(measure));
    let density = |method| of(method, |[_, _, density]| density);
    let precision = |method| of(method, |[_, precision, _]| precision);
    let (more, said) = higher(sweep, &density(Method::MvGl2Free), &density(Method::MvGl2), |_| true);
    let (purer, of_precision) = higher(sweep, &precision(Method::MvGl2), &precision(Method::MvGl2Free), |_| {
        true
    });
    (
        more && purer,
        format!("denser without r {said}, precision higher with r {of_precision}"),
    )
}

/// The most and the least that consensus and views differ in density, over all data sets of the panel.
fn as_sparse(sweep: &Sweep<'_>) -> Judged {
    let ratio = |score: &Score| score.consensus.map(|[_, _, density]| density / score.density);
    let means = sweep.series(Method::MvGl1, ratio).means();
    let (least, most) = means
        .iter()
        .fold((f64::INFINITY, 0.0), |(a, b), &mean| (mean.min(a), mean.max(b)));
    (
        least >= 1.0 / SIMILAR_DENSITY && most <= SIMILAR_DENSITY,
        format!("its density is {least:.2} to {most:.2} times that of the views"),
    )
}

/// Where some view departs from the consensus, fewer than half of them do.
fn few_differ(sweep: &Sweep<'_>) -> Judged {
    let mut said = Vec::new();
    let mut holds = true;
    for (_, outcomes) in sweep.by_level() {
        for outcome in outcomes {
            holds &= outcome.differing < 0.5 * outcome.setting.n_views as f64;
            said.push(outcome.differing);
        }
    }
    let (least, most) = said
        .iter()
        .fold((f64::INFINITY, 0.0), |(a, b), &x| (x.min(a), x.max(b)));
    (holds, format!("{least:.2} to {most:.2} views on average"))
}

/// All claims, in the order of the paper, and after them what else is of interest.
pub(super) fn claims(sweeps: &[Sweep<'_>], told: bool) -> Vec<Claim> {
    let mut claims = of_methods(sweeps);
    claims.extend(of_settings(sweeps));
    claims.extend(beyond_the_paper(sweeps));
    if told {
        claims.push(claim(
            "X9",
            "not in the paper: the consensus of the likelihood, told no truth, is better than the median of the views \
             of JGL with negative entries that is told both parameters and a threshold on a whole grid",
            FIGURE,
            sweeps,
            |sweep| above(sweep, Method::Likelihood, Method::JglTold),
        ));
    }
    claims
}

/// How the methods compare.
fn of_methods(sweeps: &[Sweep<'_>]) -> Vec<Claim> {
    vec![
        claim(
            "C1",
            "mvGL-ℓ1 is better than mvGL-ℓ2 in identifying the consensus graph",
            FIGURE,
            sweeps,
            |sweep| above(sweep, Method::MvGl1, Method::MvGl2),
        ),
        claim(
            "C2",
            "if an edge differs across views, only a few views are different from the consensus graph",
            FIGURE,
            sweeps,
            few_differ,
        ),
        claim(
            "C3",
            "including r in mvGL-ℓ2 improves its performance",
            FIGURE,
            sweeps,
            |sweep| above(sweep, Method::MvGl2, Method::MvGl2Free),
        ),
        claim(
            "C4",
            "without r, the learned consensus graph is denser and includes more erroneous edges",
            FIGURE,
            sweeps,
            denser,
        ),
        claim(
            "C5",
            "the consensus of mvGL-ℓ1 has a sparsity level similar to the individual views",
            FIGURE,
            sweeps,
            as_sparse,
        ),
    ]
}

/// What more views, more signals and more noise do.
fn of_settings(sweeps: &[Sweep<'_>]) -> Vec<Claim> {
    let learned = [Method::MvGl1, Method::MvGl2, Method::MvGl2Free];
    let along =
        |sweep: &Sweep<'_>, direction: f64| each(&learned, |method| moves(&sweep.consensus_f1(method), direction));
    vec![
        claim(
            "C6",
            "increasing the number of views leads to better inference of the consensus",
            FIGURE,
            over(sweeps, Varied::Views),
            |sweep| along(sweep, 1.0),
        ),
        claim(
            "C7",
            "increasing the number of signals leads to better inference of the consensus",
            FIGURE,
            over(sweeps, Varied::Signals),
            |sweep| along(sweep, 1.0),
        ),
        claim(
            "C8",
            "increasing the noise reduces the performance on the consensus",
            FIGURE,
            over(sweeps, Varied::Noise),
            |sweep| along(sweep, -1.0),
        ),
    ]
}

fn beyond_the_paper(sweeps: &[Sweep<'_>]) -> Vec<Claim> {
    vec![
        claim(
            "X2",
            "not in the paper: the consensus of mvGL-ℓ1 is better than the element-wise median of separately learned \
            views",
            FIGURE,
            sweeps,
            |sweep| above(sweep, Method::MvGl1, Method::Median),
        ),
        claim(
            "X3",
            "not in the paper: the consensus of mvGL-ℓ2 is better than the element-wise median of separately learned \
            views",
            FIGURE,
            sweeps,
            |sweep| above(sweep, Method::MvGl2, Method::Median),
        ),
        claim(
            "X6",
            "not in the paper: the consensus of the likelihood, told no truth, is better than that of mvGL-ℓ1",
            FIGURE,
            sweeps,
            |sweep| above(sweep, Method::Likelihood, Method::MvGl1),
        ),
        claim(
            "X7",
            "not in the paper: the consensus of mvGL-ℓ1 on signals whitened half-way is better than that of mvGL-ℓ1",
            FIGURE,
            sweeps,
            |sweep| above(sweep, Method::Spectrum, Method::MvGl1),
        ),
    ]
}
