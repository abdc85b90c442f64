//! One edge: what its weights are, given where each view would have them.
//!
//! ```text
//! minimise over w and c:   Σ_i { h_i/2 (w_i − u_i)² + λ |w_i| + β |w_i − c| } + γ |c|        (w, c ≥ 0 if attractive)
//! ```
//!
//! For c > 0 the derivative in c of what the views are left with is Σ_i clamp(h_i (c − u_i) + λ, −β, β) + γ, which never
//! falls: its root is found among the sorted breakpoints. Where it is flat at the root, c is the middle of the stretch.

/// What one edge costs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Charge {
    pub(super) lambda: f64,
    pub(super) beta: f64,
    pub(super) gamma: f64,
}

/// Room for the breakpoints.
#[derive(Default)]
pub(super) struct Scratch {
    breaks: Vec<f64>,
    targets: Vec<f64>,
}

/// Writes the weights and returns c, both ≥ 0.
pub(super) fn attractive(
    targets: &[f64],
    curvatures: &[f64],
    charge: Charge,
    weights: &mut [f64],
    scratch: &mut Scratch,
) -> f64 {
    let Charge { lambda, beta, .. } = charge;
    scratch.targets.clear();
    scratch
        .targets
        .extend(targets.iter().zip(curvatures).map(|(u, h)| u - lambda / h));
    let consensus = location(&scratch.targets, curvatures, charge, &mut scratch.breaks).max(0.0);
    for ((weight, &u), &h) in weights.iter_mut().zip(&scratch.targets).zip(curvatures) {
        *weight = near(u, consensus, beta / h).max(0.0);
    }
    consensus
}

/// Writes the weights and returns c, of either sign.
pub(super) fn signed(
    targets: &[f64],
    curvatures: &[f64],
    charge: Charge,
    weights: &mut [f64],
    scratch: &mut Scratch,
) -> f64 {
    let Charge { lambda, beta, gamma } = charge;
    // At c = 0 a view pulls c by anything between these two.
    let (mut least, mut most) = (0.0, 0.0);
    for (&u, &h) in targets.iter().zip(curvatures) {
        least += (-h * u - lambda).clamp(-beta, beta);
        most += (-h * u + lambda).clamp(-beta, beta);
    }
    let side = if most < -gamma {
        1.0
    } else if least > gamma {
        -1.0
    } else {
        0.0
    };
    scratch.targets.clear();
    scratch
        .targets
        .extend(targets.iter().zip(curvatures).map(|(u, h)| side * u - lambda / h));
    let consensus = if side == 0.0 {
        0.0
    } else {
        side * location(&scratch.targets, curvatures, charge, &mut scratch.breaks).max(0.0)
    };
    for ((weight, &u), &h) in weights.iter_mut().zip(targets).zip(curvatures) {
        *weight = given(u, h, lambda, beta, consensus);
    }
    consensus
}

/// The weight of a view of an attractive graph, given the consensus.
pub(super) fn attractive_given(u: f64, h: f64, lambda: f64, beta: f64, consensus: f64) -> f64 {
    near(u - lambda / h, consensus, beta / h).max(0.0)
}

/// The weight of a view of a signed graph, given the consensus.
pub(super) fn given(u: f64, h: f64, lambda: f64, beta: f64, consensus: f64) -> f64 {
    if consensus < 0.0 {
        return -given(-u, h, lambda, beta, -consensus);
    }
    if consensus == 0.0 {
        return u - u.clamp(-(lambda + beta) / h, (lambda + beta) / h);
    }
    let above = u - (lambda + beta) / h;
    if above > consensus {
        return above;
    }
    let below = u - (lambda - beta) / h;
    if below >= consensus {
        return consensus;
    }
    if below > 0.0 {
        return below;
    }
    (u + (lambda + beta) / h).min(0.0)
}

/// c + soft(u − c, τ), exactly c within τ.
#[inline(always)]
fn near(u: f64, consensus: f64, tau: f64) -> f64 {
    let apart = u - consensus;
    if apart > tau {
        u - tau
    } else if apart < -tau {
        u + tau
    } else {
        consensus
    }
}

/// The root of Σ clamp(h_i (c − u_i), −β, β) + γ; −∞ if there is none.
fn location(targets: &[f64], curvatures: &[f64], charge: Charge, breaks: &mut Vec<f64>) -> f64 {
    let Charge { beta, gamma, .. } = charge;
    let n = targets.len();
    let total = beta * n as f64;
    if n == 0 || total <= gamma {
        return f64::NEG_INFINITY;
    }
    let slope = |c: f64| -> f64 {
        let of_view = |(u, h): (&f64, &f64)| (h * (c - u)).clamp(-beta, beta);
        targets.iter().zip(curvatures).map(of_view).sum::<f64>() + gamma
    };
    let tolerance = 1e-13 * total;
    breaks.clear();
    for (&u, &h) in targets.iter().zip(curvatures) {
        breaks.extend([u - beta / h, u + beta / h]);
    }
    breaks.sort_unstable_by(f64::total_cmp);
    let (mut low, mut high) = (0, 2 * n - 1);
    while high - low > 1 {
        let middle = usize::midpoint(low, high);
        if slope(breaks[middle]) >= -tolerance {
            high = middle;
        } else {
            low = middle;
        }
    }
    let (at_low, at_high) = (slope(breaks[low]), slope(breaks[high]));
    if at_high > tolerance {
        return breaks[low] - at_low * (breaks[high] - breaks[low]) / (at_high - at_low);
    }
    let mut end = high;
    while end + 1 < 2 * n && slope(breaks[end + 1]) <= tolerance {
        end += 1;
    }
    0.5 * (breaks[high] + breaks[end])
}
