//! λ1 and λ2 of the joint graphical lasso that explain held-out samples best.
//!
//! A few pairs that are far apart are looked at first, because a hill need not be the highest. From the best of them the
//! search goes, in steps of two and then of √2, to a better neighbour until there is none, so that the best is never at the
//! end of a grid. Each fit begins at its neighbour's end and goes only as far as the comparison needs: a
//! relative gap is in nats per node and sample, the unit of what is compared. The best is then fitted as exactly as by
//! itself, and judged again.

use super::methods::{Explained, Halves, Learnt};
use crate::error::Error;
use crate::fit::{Fit, Learn, Session};
use crate::methods::graphical_lasso::{Admm, Fusion, GraphicalLasso, Iterate, Model};
use crate::progress::{Status, Watch};

/// Where the search begins: λ1, and λ2 for both couplings, of the fused one for all partners of a view together.
const LAMBDA1: f64 = 0.02;
const FUSED: f64 = 0.06;
const GROUPED: f64 = 0.01;
/// What is looked at first, λ1 by λ2 in steps of √2: four by 64 to one.
const FAR_APART: [[i32; 2]; 12] = [
    [0, 0],
    [0, -6],
    [0, -12],
    [-4, -12],
    [-4, -6],
    [-4, 0],
    [-4, 6],
    [0, 6],
    [4, 6],
    [4, 0],
    [4, -6],
    [4, -12],
];
/// How far the neighbours are that it is gone to, first and then, in steps of √2.
const STRIDES: [i32; 2] = [2, 1];
/// The neighbours of a pair.
const AROUND: [[i32; 2]; 8] = [[0, -1], [-1, 0], [0, 1], [1, 0], [-1, -1], [1, 1], [-1, 1], [1, -1]];
/// The gap at which fits are compared, and after how many iterations they are taken as they are.
const LOOSE: f64 = 1e-5;
const MOST: usize = 4000;
/// A neighbour is better if it gains more than this: where a λ does next to nothing the search ends.
const BETTER: f64 = 1e-4;
/// λ1 and λ2 are followed over so many steps of √2 at most, up and down.
const FARTHEST: i32 = 24;

/// One pair of λ1 and λ2.
struct Tried {
    place: [i32; 2],
    explained: Explained,
    /// Where its neighbours begin, in both halves.
    starts: [Iterate; 2],
    is_interrupted: bool,
}

/// The best that the search finds.
pub(super) fn follow(fusion: Fusion, halves: &Halves, watch: Watch<'_>) -> Result<Explained, Error> {
    let lambda2 = match fusion {
        // Each view has as many partners as there are others.
        Fusion::Fused => FUSED / (halves.halves[0].n_views() as f64 - 1.0).max(1.0),
        Fusion::Group => GROUPED,
    };
    let method = GraphicalLasso::new(fusion, LAMBDA1, lambda2);
    let loose = GraphicalLasso {
        solver: Admm {
            tolerance: LOOSE,
            max_iterations: MOST,
            ..method.solver
        },
        ..method
    };
    let mut tried: Vec<Tried> = Vec::new();
    for place in FAR_APART {
        if tried.last().is_some_and(|last| last.is_interrupted) {
            break;
        }
        let start = nearest(&tried, place).map(|near| &near.starts);
        tried.push(fitted(&loose, place, halves, start, watch)?);
    }
    let mut best = 0;
    for (k, one) in tried.iter().enumerate() {
        if one.explained.gain > tried[best].explained.gain {
            best = k;
        }
    }
    for stride in STRIDES {
        let mut directions = AROUND;
        'moved: loop {
            for k in 0..directions.len() {
                let place = [0, 1].map(|axis: usize| tried[best].place[axis] + stride * directions[k][axis]);
                let is_known = tried.iter().any(|other| other.place == place);
                let is_interrupted = tried.iter().any(|other| other.is_interrupted);
                if is_known || place.iter().any(|step| step.abs() > FARTHEST) || is_interrupted {
                    continue;
                }
                let next = fitted(&loose, place, halves, Some(&tried[best].starts), watch)?;
                let is_better = next.explained.gain > tried[best].explained.gain + BETTER;
                tried.push(next);
                if is_better {
                    best = tried.len() - 1;
                    // What was better once is tried first.
                    directions[..=k].rotate_right(1);
                    continue 'moved;
                }
            }
            break;
        }
    }
    let found = &tried[best];
    let exact = fitted(&method, found.place, halves, Some(&found.starts), watch)?;
    Ok(Explained {
        n_settings: tried.len(),
        ..exact.explained
    })
}

/// What was tried nearest to a place.
fn nearest(tried: &[Tried], place: [i32; 2]) -> Option<&Tried> {
    let far = |one: &&Tried| one.place.iter().zip(place).map(|(x, y)| x.abs_diff(y)).sum::<u32>();
    tried.iter().min_by_key(far)
}

/// So many steps of √2 away, to four digits: what is told can be typed.
fn stepped(lambda: f64, steps: i32) -> f64 {
    let there = lambda * 2.0_f64.powf(0.5 * f64::from(steps));
    let scale = 10.0_f64.powi(3 - there.log10().floor() as i32);
    (there * scale).round() / scale
}

fn fitted(
    method: &GraphicalLasso,
    place: [i32; 2],
    halves: &Halves,
    starts: Option<&[Iterate; 2]>,
    watch: Watch<'_>,
) -> Result<Tried, Error> {
    let model = Model {
        lambda1: stepped(method.model.lambda1, place[0]),
        lambda2: stepped(method.model.lambda2, place[1]),
        ..method.model
    };
    let of_half = |half: usize| -> Result<(Learnt, Fit<GraphicalLasso>), Error> {
        let session: Session<'_, GraphicalLasso> = method.session(&halves.halves[half], watch)?;
        let fit = session.fit(&model, starts.map(|starts| &starts[half]), watch)?;
        Ok((Learnt::of_lasso(&session, &fit, &halves.units[half]), fit))
    };
    let [(one, first), (two, second)] = [of_half(0)?, of_half(1)?];
    Ok(Tried {
        place,
        explained: halves.judge(method.model.fusion.name(), &[one, two]),
        is_interrupted: [&first, &second]
            .iter()
            .any(|fit| fit.solution.status == Status::Interrupted),
        starts: [first.start(), second.start()],
    })
}
