//! One edge: what its weights are, given where each view would have them.
//!
//! ```text
//! minimise over w and c:   Σ_i { h_i/2 (w_i − u_i)² + λ |w_i| + β |w_i − c| } + γ |c|        (w, c ≥ 0 if attractive)
//! ```
//!
//! For c > 0 the derivative in c of what the views are left with is Σ_i clamp(h_i (c − u_i) + λ, −β, β) + γ, which never
//! falls: its root is found among the sorted breakpoints. Where it is flat at the root, c is the middle of the stretch.
//! Departures that are charged otherwise are in [`apart`].

pub(super) mod apart;

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
    pub(super) apart: apart::Scratch,
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
    if scratch.targets.iter().all(|&u| u <= 0.0) {
        weights.fill(0.0);
        return 0.0;
    }
    let consensus = if falls_from_zero(&scratch.targets, curvatures, charge) {
        location(&scratch.targets, curvatures, charge, &mut scratch.breaks).max(0.0)
    } else {
        0.0
    };
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

/// Whether [`location`] may be above zero. Where most views have no edge it is not, and nothing need be sorted.
fn falls_from_zero(targets: &[f64], curvatures: &[f64], Charge { beta, gamma, .. }: Charge) -> bool {
    let of_view = |(u, h): (&f64, &f64)| (-h * u).clamp(-beta, beta);
    let slope = targets.iter().zip(curvatures).map(of_view).sum::<f64>() + gamma;
    slope <= FLAT * beta * targets.len() as f64
}

/// Slopes below this share of the largest are rounding.
const FLAT: f64 = 1e-13;

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
    let tolerance = FLAT * total;
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

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// One edge with random numbers: often views that agree, charges of zero, and one view.
    struct Case {
        targets: Vec<f64>,
        curvatures: Vec<f64>,
        charge: Charge,
        is_signed: bool,
    }

    impl Case {
        fn random(number: usize, rng: &mut ChaCha8Rng) -> Self {
            let n = rng.random_range(1..=6);
            let (centre, equal) = (rng.random_range(-1.5..1.5), number.is_multiple_of(7));
            let targets = (0..n)
                .map(|_| {
                    if equal {
                        centre
                    } else {
                        centre + rng.random_range(-1.0..1.0)
                    }
                })
                .collect();
            let curvatures = (0..n).map(|_| 10.0_f64.powf(rng.random_range(-1.0..1.0))).collect();
            let maybe = |rng: &mut ChaCha8Rng, most: f64| {
                if rng.random_bool(0.3) {
                    0.0
                } else {
                    rng.random_range(0.0..most)
                }
            };
            let beta = rng.random_range(0.01..2.0);
            let gamma = if rng.random_bool(0.05) {
                f64::INFINITY
            } else {
                maybe(rng, 1.2) * beta * n as f64
            };
            let lambda = maybe(rng, 1.0);
            Self {
                targets,
                curvatures,
                charge: Charge { lambda, beta, gamma },
                is_signed: number.is_multiple_of(2),
            }
        }

        fn cost_of_view(&self, view: usize, w: f64, c: f64) -> f64 {
            let (u, h, Charge { lambda, beta, .. }) = (self.targets[view], self.curvatures[view], self.charge);
            0.5 * h * (w - u).powi(2) + lambda * w.abs() + beta * (w - c).abs()
        }

        fn cost(&self, weights: &[f64], c: f64) -> f64 {
            let views = weights
                .iter()
                .enumerate()
                .map(|(view, &w)| self.cost_of_view(view, w, c));
            views.sum::<f64>() + if c == 0.0 { 0.0 } else { self.charge.gamma * c.abs() }
        }

        fn least(&self) -> f64 {
            if self.is_signed { -6.0 } else { 0.0 }
        }

        /// The least cost of a view for a consensus: golden section, for the cost is convex.
        fn best_of_view(&self, view: usize, c: f64) -> f64 {
            golden(self.least(), 6.0, |w| self.cost_of_view(view, w, c))
        }

        fn best(&self) -> f64 {
            let at = |c: f64| {
                let views = (0..self.targets.len()).map(|view| self.best_of_view(view, c));
                views.sum::<f64>() + if c == 0.0 { 0.0 } else { self.charge.gamma * c.abs() }
            };
            if self.charge.gamma.is_infinite() {
                at(0.0)
            } else {
                golden(self.least(), 6.0, at).min(at(0.0))
            }
        }

        fn minimise(&self) -> (Vec<f64>, f64) {
            let minimise = if self.is_signed { signed } else { attractive };
            let mut weights = vec![0.0; self.targets.len()];
            let c = minimise(
                &self.targets,
                &self.curvatures,
                self.charge,
                &mut weights,
                &mut Scratch::default(),
            );
            (weights, c)
        }
    }

    /// The least value of a convex function.
    fn golden(mut low: f64, mut high: f64, of: impl Fn(f64) -> f64) -> f64 {
        let ratio = 0.5 * (5.0_f64.sqrt() - 1.0);
        let (mut x, mut y) = (high - ratio * (high - low), low + ratio * (high - low));
        let (mut at_x, mut at_y) = (of(x), of(y));
        for _ in 0..60 {
            if at_x <= at_y {
                (high, y, at_y) = (y, x, at_x);
                x = high - ratio * (high - low);
                at_x = of(x);
            } else {
                (low, x, at_x) = (x, y, at_y);
                y = low + ratio * (high - low);
                at_y = of(y);
            }
        }
        at_x.min(at_y).min(of(low)).min(of(high))
    }

    #[test]
    fn the_minimiser_is_as_good_as_a_search() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for number in 0..1500 {
            let case = Case::random(number, &mut rng);
            let (weights, c) = case.minimise();
            let (found, best) = (case.cost(&weights, c), case.best());
            assert!(
                (found - best).abs() <= 1e-9 * (1.0 + best.abs()),
                "{number}: {found} is not {best}: u {:?}, h {:?}, {:?}, signed {}; w {weights:?}, c {c}",
                case.targets,
                case.curvatures,
                case.charge,
                case.is_signed
            );
            assert!(case.is_signed || (c >= 0.0 && weights.iter().all(|&w| w >= 0.0)));
        }
    }

    /// Weights that share the consensus are that number, not nearly: nothing lies between.
    #[test]
    fn fused_weights_are_the_consensus_to_the_bit() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut n_fused = 0;
        for number in 0..4000 {
            let case = Case::random(number, &mut rng);
            let (weights, c) = case.minimise();
            for (view, &w) in weights.iter().enumerate() {
                assert!(
                    w == c || (w - c).abs() > 1e-13 * (1.0 + c.abs()),
                    "{number}: {w} beside {c}"
                );
                // Where the view alone would be indifferent between c and its place, they are one.
                let (h, Charge { lambda, beta, .. }) = (case.curvatures[view], case.charge);
                let slope = h * (c - case.targets[view]) + lambda * c.signum();
                if c != 0.0 && slope.abs() < beta * (1.0 - 1e-9) {
                    assert!(
                        w == c,
                        "{number}: {w} is not {c}, although it is held with {slope} of {beta}"
                    );
                    n_fused += 1;
                }
            }
        }
        assert!(n_fused > 1000, "{n_fused}");
    }

    /// With a consensus that is given.
    #[test]
    fn given_the_consensus_a_weight_is_as_good_as_a_search() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for number in 0..2000 {
            let case = Case::random(number, &mut rng);
            let size = if rng.random_bool(0.2) {
                0.0
            } else {
                rng.random_range(0.0..2.0)
            };
            let c = if case.is_signed && rng.random_bool(0.5) {
                -size
            } else {
                size
            };
            let Charge { lambda, beta, .. } = case.charge;
            let of_view = if case.is_signed { given } else { attractive_given };
            let w = of_view(case.targets[0], case.curvatures[0], lambda, beta, c);
            let (found, best) = (case.cost_of_view(0, w, c), case.best_of_view(0, c));
            assert!(
                (found - best).abs() <= 1e-10 * (1.0 + best.abs()),
                "{number}: {found} is not {best}: {w} {c}"
            );
        }
    }

    /// Turning all targets turns the result, to the bit.
    #[test]
    fn signs_are_alike() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        for number in 0..2000 {
            let mut case = Case::random(2 * number, &mut rng);
            let (weights, c) = case.minimise();
            case.targets.iter_mut().for_each(|u| *u = -*u);
            let (turned, other) = case.minimise();
            assert!(
                c == -other && weights.iter().zip(&turned).all(|(x, y)| *x == -*y),
                "{number}: {weights:?} {turned:?}"
            );
        }
    }
}
