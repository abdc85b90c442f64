//! What the paper says about learning the view graphs (its first figure).

use super::{Claim, Judged, Varied, claim, each, higher, level, moves, not_higher, over, similar, unaffected};
use crate::methods::{Method, SIMILARITY};
use crate::sweeps::{Series, Sweep};

const FIGURE: &str = "views";
/// The proposed models, and all methods.
const OURS: [Method; 2] = [Method::MvGl1, Method::MvGl2];
const OURS_TOLD: [Method; 2] = [Method::MvGl1Told, Method::MvGl2Told];
const ALL: [Method; 4] = [Method::SvGl, Method::JglNonZero, Method::MvGl1, Method::MvGl2];

fn above(sweep: &Sweep<'_>, ours: &[Method], other: Method) -> Judged {
    each(ours, |method| {
        let (holds, said) = higher(sweep, &sweep.view_f1(method), &sweep.view_f1(other), |_| true);
        (holds, format!("above {} {said}", other.label()))
    })
}

fn joint(sweep: &Sweep<'_>) -> Judged {
    similar(sweep, &sweep.view_f1(Method::MvGl1), &sweep.view_f1(Method::MvGl2))
}

fn both(one: &Judged, two: &Judged) -> Judged {
    (one.0 && two.0, format!("{}; {}", one.1, two.1))
}

/// The separate views are less alike than 0.8 in every data set.
fn less_alike(sweep: &Sweep<'_>) -> Judged {
    let series = sweep.series(Method::SvGl, |score| Some(score.similarity));
    let most = |values: &Vec<f64>| values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (place, most) = series
        .values
        .iter()
        .map(most)
        .enumerate()
        .fold(
            (0, f64::NEG_INFINITY),
            |best, next| if next.1 > best.1 { next } else { best },
        );
    (
        most < SIMILARITY,
        format!("svGL's correlation is at most {most:.3} ({})", level(sweep, place)),
    )
}

/// All claims, in the order of the paper, and after them what else is of interest.
pub(super) fn claims(sweeps: &[Sweep<'_>], told: bool) -> Vec<Claim> {
    let mut claims = vec![claim(
        "V0",
        "a correlation of 0.8 is above that of the views of svGL in all considered experiments",
        FIGURE,
        sweeps,
        less_alike,
    )];
    claims.extend(over_views(sweeps));
    claims.extend(of_joint_learning(sweeps));
    claims.extend(over_signals(sweeps));
    claims.extend(over_noise(sweeps));
    claims.push(claim(
        "X1",
        "not in the paper: the proposed models are above JGL even when only its negative entries are edges",
        FIGURE,
        sweeps,
        |sweep| above(sweep, &OURS, Method::JglNegative),
    ));
    claims.push(claim(
        "X4",
        "not in the paper: the likelihood, told no truth, is above JGL with negative entries, which is told it",
        FIGURE,
        sweeps,
        |sweep| above(sweep, &[Method::Likelihood], Method::JglNegative),
    ));
    claims.push(claim(
        "X5",
        "not in the paper: mvGL-ℓ1 on signals whitened half-way is above mvGL-ℓ1",
        FIGURE,
        sweeps,
        |sweep| above(sweep, &[Method::Spectrum], Method::MvGl1),
    ));
    if told {
        claims.extend(among_told(sweeps));
    }
    claims
}

/// What is left of the comparison with JGL where the truth chooses both parameters and a threshold for every method.
fn among_told(sweeps: &[Sweep<'_>]) -> Vec<Claim> {
    vec![
        claim(
            "X1t",
            "as X1, with both parameters and a threshold told to each method on a whole grid",
            FIGURE,
            sweeps,
            |sweep| above(sweep, &OURS_TOLD, Method::JglTold),
        ),
        claim(
            "X8",
            "not in the paper: the likelihood, told no truth, is above JGL with negative entries that is told both \
             parameters and a threshold on a whole grid",
            FIGURE,
            sweeps,
            |sweep| above(sweep, &[Method::Likelihood], Method::JglTold),
        ),
    ]
}

/// How the methods compare for few and many views.
fn over_views(sweeps: &[Sweep<'_>]) -> Vec<Claim> {
    let few = |n_views: f64| n_views <= 6.0;
    let many = |n_views: f64| n_views > 6.0;
    vec![
        claim(
            "V1",
            "over N, the proposed models have very similar performance",
            FIGURE,
            over(sweeps, Varied::Views),
            joint,
        ),
        claim(
            "V2",
            "over N, both models have higher performance than svGL, whichever c is used",
            FIGURE,
            over(sweeps, Varied::Views),
            |sweep| above(sweep, &OURS, Method::SvGl),
        ),
        claim(
            "V3",
            "over N, JGL shows poor performance compared to the proposed models",
            FIGURE,
            over(sweeps, Varied::Views),
            |sweep| above(sweep, &OURS, Method::JglNonZero),
        ),
        claim(
            "V4",
            "JGL's performance is lower than or similar to svGL for N = 3 and N = 6",
            FIGURE,
            over(sweeps, Varied::Views),
            |sweep| not_higher(sweep, &f1(sweep, Method::JglNonZero), &f1(sweep, Method::SvGl), few),
        ),
        claim(
            "V5",
            "JGL performs better than svGL for higher values of N",
            FIGURE,
            over(sweeps, Varied::Views),
            |sweep| higher(sweep, &f1(sweep, Method::JglNonZero), &f1(sweep, Method::SvGl), many),
        ),
    ]
}

/// What more views do to each method.
fn of_joint_learning(sweeps: &[Sweep<'_>]) -> Vec<Claim> {
    vec![
        claim(
            "V6",
            "JGL's poor performance could be due to precision matrices not being Laplacians: it does better when only \
             negative entries are edges",
            FIGURE,
            over(sweeps, Varied::Views),
            |sweep| above(sweep, &[Method::JglNegative], Method::JglNonZero),
        ),
        claim(
            "V7",
            "the performance of joint learning methods improves with the number of views",
            FIGURE,
            over(sweeps, Varied::Views),
            |sweep| {
                each(&[Method::JglNonZero, Method::MvGl1, Method::MvGl2], |method| {
                    moves(&f1(sweep, method), 1.0)
                })
            },
        ),
        claim(
            "V8",
            "svGL is not affected by the number of views",
            FIGURE,
            over(sweeps, Varied::Views),
            |sweep| unaffected(&f1(sweep, Method::SvGl)),
        ),
    ]
}

fn over_signals(sweeps: &[Sweep<'_>]) -> Vec<Claim> {
    vec![
        claim(
            "V9",
            "over p, the proposed models have similar performance",
            FIGURE,
            over(sweeps, Varied::Signals),
            joint,
        ),
        claim(
            "V10",
            "over p, their F1 is higher than those of svGL and JGL",
            FIGURE,
            over(sweeps, Varied::Signals),
            |sweep| {
                both(
                    &above(sweep, &OURS, Method::SvGl),
                    &above(sweep, &OURS, Method::JglNonZero),
                )
            },
        ),
        claim(
            "V11",
            "the performance of all methods improves with the number of signals",
            FIGURE,
            over(sweeps, Varied::Signals),
            |sweep| each(&ALL, |method| moves(&f1(sweep, method), 1.0)),
        ),
    ]
}

fn over_noise(sweeps: &[Sweep<'_>]) -> Vec<Claim> {
    vec![
        claim(
            "V12",
            "over noise, the comparison between the methods is the same: the proposed ones similar to each other, \
             above svGL and JGL",
            FIGURE,
            over(sweeps, Varied::Noise),
            |sweep| {
                let others = both(
                    &above(sweep, &OURS, Method::SvGl),
                    &above(sweep, &OURS, Method::JglNonZero),
                );
                both(&joint(sweep), &others)
            },
        ),
        claim(
            "V13",
            "the performance of all methods drops with noise",
            FIGURE,
            over(sweeps, Varied::Noise),
            |sweep| each(&ALL, |method| moves(&f1(sweep, method), -1.0)),
        ),
    ]
}

fn f1(sweep: &Sweep<'_>, method: Method) -> Series {
    sweep.view_f1(method)
}
