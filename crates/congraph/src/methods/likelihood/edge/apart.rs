//! One edge whose departures from the consensus are charged by ℓ2 or by squared ℓ2.
//!
//! ```text
//! minimise over w and c:   Σ_i { h_i/2 (w_i − u_i)² + λ |w_i| } + ρ/2 { Σ_i (w_i − c)² + m c² } + γ |c|
//! ```
//!
//! with m weights that stay zero. Given c each weight is (h_i u_i + ρ c ∓ λ)/(h_i + ρ) or zero, and c is the root of an
//! increasing piecewise linear function: Newton's steps end after a few pieces. That is squared ℓ2 with ρ = 2β. For ℓ2 it
//! is the same with ρ = β/‖w − c‖: ρ ‖w − c‖ grows with ρ, and 1/‖w − c‖ is nearly a straight line in it, so that Newton's
//! steps find the ρ at which it is β.

use super::super::coupling::Held;

/// Targets and curvatures of an edge's views, and what holds them.
#[derive(Clone, Copy)]
pub(in super::super) struct Edge<'e> {
    pub(in super::super) targets: &'e [f64],
    pub(in super::super) curvatures: &'e [f64],
    pub(in super::super) beta: f64,
    pub(in super::super) held: Held,
}

/// Room to work in.
#[derive(Default)]
pub(in super::super) struct Scratch {
    pulls: Vec<f64>,
    multipliers: Vec<f64>,
}

/// Newton's steps towards ρ at most.
const MOST_STEPS: usize = 200;

impl Edge<'_> {
    /// Squared ℓ2: writes the weights and returns c.
    pub(in super::super) fn squared(self, weights: &mut [f64], scratch: &mut Scratch) -> f64 {
        self.gather(scratch);
        self.drawn(&scratch.pulls, 2.0 * self.beta, weights)
    }

    /// Squared ℓ2 with a consensus that is given.
    pub(in super::super) fn squared_given(self, consensus: f64, weights: &mut [f64]) {
        let rho = 2.0 * self.beta;
        for ((weight, u), h) in weights.iter_mut().zip(self.targets).zip(self.curvatures) {
            *weight = self.shrunk(h * u + rho * consensus) / (h + rho);
        }
    }

    /// ℓ2: writes the weights and returns c; where they are equal, to the bit.
    pub(in super::super) fn length(self, weights: &mut [f64], scratch: &mut Scratch) -> f64 {
        self.gather(scratch);
        let Scratch { pulls, multipliers } = scratch;
        let mut pull = match self.held.shortest(pulls, multipliers) {
            Some(squares) if squares <= self.beta * self.beta => {
                weights.fill(0.0);
                return 0.0;
            }
            Some(squares) => squares.sqrt(),
            None => 2.0 * self.beta,
        };
        if let Some((consensus, squares)) = self.fused(pulls) {
            if squares <= self.beta * self.beta {
                weights.fill(consensus);
                return consensus;
            }
            pull = squares.sqrt();
        }
        // Exact where all views have the same curvature and no weight is zero.
        let mean = self.curvatures.iter().sum::<f64>() / self.curvatures.len() as f64;
        self.balanced(pulls, mean * self.beta / (pull - self.beta), weights)
    }

    fn gather(self, scratch: &mut Scratch) {
        scratch.pulls.clear();
        scratch
            .pulls
            .extend(self.targets.iter().zip(self.curvatures).map(|(u, h)| h * u));
    }

    /// What λ leaves of a pull.
    #[inline(always)]
    fn shrunk(self, pull: f64) -> f64 {
        let lambda = self.held.lambda;
        if pull > lambda {
            pull - lambda
        } else if self.held.is_signed && pull < -lambda {
            pull + lambda
        } else {
            0.0
        }
    }

    /// The weight that all views would share, and the squared length of what holds them there; none if it is zero.
    fn fused(self, pulls: &[f64]) -> Option<(f64, f64)> {
        let Held {
            lambda,
            gamma,
            n_zero,
            is_signed,
        } = self.held;
        let sum: f64 = pulls.iter().sum();
        let side = if is_signed && sum < 0.0 { -1.0 } else { 1.0 };
        let size = (side * sum - pulls.len() as f64 * lambda - gamma) / self.curvatures.iter().sum::<f64>();
        if n_zero > 0 || size.is_nan() || size <= 0.0 {
            return None;
        }
        let held = |(pull, h): (&f64, &f64)| (side * pull - h * size - lambda).powi(2);
        Some((side * size, pulls.iter().zip(self.curvatures).map(held).sum()))
    }

    /// The weights and c for a ρ.
    fn drawn(self, pulls: &[f64], rho: f64, weights: &mut [f64]) -> f64 {
        let gamma = self.held.gamma / rho;
        let views = || pulls.iter().zip(self.curvatures);
        let at_zero: f64 = views().map(|(pull, h)| self.shrunk(*pull) / (h + rho)).sum();
        let side = if at_zero > gamma {
            1.0
        } else if at_zero < -gamma {
            -1.0
        } else {
            0.0
        };
        let size = if side == 0.0 { 0.0 } else { self.size(pulls, side, rho) };
        for (weight, (pull, h)) in weights.iter_mut().zip(views()) {
            *weight = self.shrunk(pull + side * rho * size) / (h + rho);
        }
        side * size
    }

    /// The size of c on a side: the root of (n + m) c − Σ w_i(c) + γ/ρ.
    fn size(self, pulls: &[f64], side: f64, rho: f64) -> f64 {
        let (mut low, mut high, mut c) = (0.0, f64::INFINITY, 0.0);
        for _ in 0..4 * pulls.len() + 64 {
            let (mut sum, mut slope) = (-self.held.gamma / rho, self.held.n_zero as f64);
            for (pull, h) in pulls.iter().zip(self.curvatures) {
                let pull = side * pull;
                let left = self.shrunk(pull + rho * c);
                if left == 0.0 {
                    slope += 1.0;
                    continue;
                }
                // n + m − Σ ρ/(h + ρ), without the cancellation for large ρ.
                slope += h / (h + rho);
                sum += (pull - self.held.lambda * left.signum()) / (h + rho);
            }
            let next = sum / slope;
            if next > c {
                low = c;
            } else {
                high = c;
            }
            if next == c {
                break;
            }
            // For graphs of both signs Newton's steps could go to and fro between two pieces.
            c = if next > low && next < high {
                next
            } else {
                0.5 * (low + high)
            };
            if high.is_finite() && high - low <= 1e-16 * high {
                break;
            }
        }
        c
    }

    /// The ρ at which ρ ‖w − c‖ is β.
    fn balanced(self, pulls: &[f64], first: f64, weights: &mut [f64]) -> f64 {
        let (mut low, mut high) = (0.0_f64, f64::INFINITY);
        let mut rho = if first.is_finite() && first > 0.0 { first } else { 1.0 };
        let mut consensus = 0.0;
        for _ in 0..MOST_STEPS {
            consensus = self.drawn(pulls, rho, weights);
            let (length, growth) = self.departure(pulls, rho, consensus, weights);
            if length == 0.0 {
                break;
            }
            let value = 1.0 / length - rho / self.beta;
            if value > 0.0 {
                low = rho;
            } else {
                high = rho;
            }
            let newton = rho - value / (-growth / (length * length) - 1.0 / self.beta);
            let next = if newton > low && newton < high {
                newton
            } else if high.is_infinite() {
                4.0 * low
            } else if low == 0.0 {
                0.25 * high
            } else {
                (low * high).sqrt()
            };
            if (next - rho).abs() <= 2e-16 * rho || high <= low * (1.0 + 4e-16) {
                break;
            }
            rho = next;
        }
        consensus
    }

    /// ‖w − c‖, and how it grows with ρ. Departures are written without the cancellation near fusion.
    fn departure(self, pulls: &[f64], rho: f64, consensus: f64, weights: &[f64]) -> (f64, f64) {
        let Held {
            lambda, gamma, n_zero, ..
        } = self.held;
        let of = |(weight, (pull, h)): (&f64, (&f64, &f64))| {
            if *weight == 0.0 {
                -consensus
            } else {
                (pull - h * consensus - lambda * weight.signum()) / (h + rho)
            }
        };
        let views = || weights.iter().zip(pulls.iter().zip(self.curvatures));
        let mut squares = n_zero as f64 * consensus * consensus;
        // How c moves with ρ, and then each departure.
        let (mut change, mut slope) = (gamma * consensus.signum() / (rho * rho), n_zero as f64);
        for view in views() {
            let d = of(view);
            squares += d * d;
            let (weight, (_, h)) = view;
            if *weight == 0.0 {
                slope += 1.0;
            } else {
                slope += h / (h + rho);
                change -= d / (h + rho);
            }
        }
        let moved = if consensus == 0.0 { 0.0 } else { change / slope };
        let mut growth = n_zero as f64 * consensus * moved;
        for view in views() {
            let d = of(view);
            let (weight, (_, h)) = view;
            let own = if *weight == 0.0 {
                -moved
            } else {
                -(h * moved + d) / (h + rho)
            };
            growth += d * own;
        }
        let length = squares.sqrt();
        (length, growth / length.max(f64::MIN_POSITIVE))
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::super::super::coupling::{Coupling, Held};
    use super::*;

    struct Case {
        targets: Vec<f64>,
        curvatures: Vec<f64>,
        beta: f64,
        held: Held,
        coupling: Coupling,
    }

    impl Case {
        fn random(number: usize, rng: &mut ChaCha8Rng) -> Self {
            let n = rng.random_range(1..=6);
            let (centre, equal) = (rng.random_range(-1.5..1.5), number.is_multiple_of(7));
            let spread = if equal {
                0.0
            } else {
                10.0_f64.powf(rng.random_range(-3.0..0.3))
            };
            let targets = (0..n).map(|_| centre + spread * rng.random_range(-1.0..1.0)).collect();
            let curvatures = (0..n).map(|_| 10.0_f64.powf(rng.random_range(-1.0..1.0))).collect();
            let mut maybe = |most: f64| {
                if rng.random_bool(0.3) {
                    0.0
                } else {
                    rng.random_range(0.0..most)
                }
            };
            let (lambda, gamma) = (maybe(1.0), maybe(1.0));
            Self {
                targets,
                curvatures,
                beta: 10.0_f64.powf(rng.random_range(-2.0..1.0)),
                held: Held {
                    lambda,
                    gamma: if rng.random_bool(0.05) { f64::INFINITY } else { gamma },
                    n_zero: if rng.random_bool(0.3) {
                        rng.random_range(1..=3)
                    } else {
                        0
                    },
                    is_signed: number.is_multiple_of(2),
                },
                coupling: if number.is_multiple_of(3) {
                    Coupling::SquaredL2
                } else {
                    Coupling::L2
                },
            }
        }

        fn minimise(&self) -> (Vec<f64>, f64) {
            let edge = Edge {
                targets: &self.targets,
                curvatures: &self.curvatures,
                beta: self.beta,
                held: self.held,
            };
            let mut weights = vec![0.0; self.targets.len()];
            let c = match self.coupling {
                Coupling::SquaredL2 => edge.squared(&mut weights, &mut Scratch::default()),
                _ => edge.length(&mut weights, &mut Scratch::default()),
            };
            (weights, c)
        }

        fn cost(&self, weights: &[f64], c: f64) -> f64 {
            let own = |((w, u), h): ((&f64, &f64), &f64)| 0.5 * h * (w - u).powi(2) + self.held.lambda * w.abs();
            let views = weights
                .iter()
                .zip(&self.targets)
                .zip(&self.curvatures)
                .map(own)
                .sum::<f64>();
            let zeros = std::iter::repeat_n(-c, self.held.n_zero);
            let departures = weights.iter().map(|w| w - c).chain(zeros);
            let consensus = if c == 0.0 { 0.0 } else { self.held.gamma * c.abs() };
            views + self.beta * self.coupling.value(departures) + consensus
        }

        /// A lower bound of all costs, by the multipliers s that the result itself suggests: Σ_i min over w of h/2 (w − u)² +
        /// λ|w| + s w, less ‖s‖²/4β for squares, if ‖s‖ ≤ β for ℓ2 and |Σ s| ≤ γ.
        fn bound(&self, weights: &[f64], c: f64) -> f64 {
            let zeros = std::iter::repeat_n(-c, self.held.n_zero);
            let departures: Vec<f64> = weights.iter().map(|w| w - c).chain(zeros).collect();
            let length = departures.iter().map(|d| d * d).sum::<f64>().sqrt();
            let mut s: Vec<f64> = match self.coupling {
                Coupling::SquaredL2 => departures.iter().map(|d| 2.0 * self.beta * d).collect(),
                _ if length > 0.0 => departures.iter().map(|d| self.beta * d / length).collect(),
                _ if c != 0.0 => {
                    let held = |(u, h): (&f64, &f64)| h * (u - c) - self.held.lambda * c.signum();
                    self.targets.iter().zip(&self.curvatures).map(held).collect()
                }
                _ => {
                    let pulls: Vec<f64> = self.targets.iter().zip(&self.curvatures).map(|(u, h)| h * u).collect();
                    let mut s = Vec::new();
                    let squares = self.held.shortest(&pulls, &mut s).unwrap();
                    assert!(squares <= self.beta * self.beta * (1.0 + 1e-12));
                    let own: f64 = s.iter().map(|s| s * s).sum();
                    let each = (squares - own).max(0.0).sqrt() / (self.held.n_zero.max(1) as f64).sqrt();
                    let side = -s.iter().sum::<f64>().signum();
                    s.extend(std::iter::repeat_n(side * each, self.held.n_zero));
                    s
                }
            };
            let sum: f64 = s.iter().sum();
            assert!(
                sum.abs() <= self.held.gamma + 1e-9 * (1.0 + self.beta) || (!self.held.is_signed && sum < 0.0),
                "{sum}"
            );
            let squares: f64 = s.iter().map(|s| s * s).sum();
            if self.coupling == Coupling::L2 {
                assert!(squares.sqrt() <= self.beta * (1.0 + 1e-9));
            }
            s.truncate(weights.len());
            let own = |((s, u), h): ((&f64, &f64), &f64)| {
                let pull = h * u - s;
                let left = if self.held.is_signed { pull.abs() } else { pull } - self.held.lambda;
                0.5 * h * u * u - 0.5 * left.max(0.0).powi(2) / h
            };
            let views: f64 = s.iter().zip(&self.targets).zip(&self.curvatures).map(own).sum();
            let taken = if self.coupling == Coupling::L2 {
                0.0
            } else {
                squares / (4.0 * self.beta)
            };
            views - taken
        }
    }

    #[test]
    fn the_minimiser_costs_what_its_multipliers_prove() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let (mut n_fused, mut n_apart, mut n_absent) = (0, 0, 0);
        for number in 0..20_000 {
            let case = Case::random(number, &mut rng);
            let (weights, c) = case.minimise();
            let (cost, bound) = (case.cost(&weights, c), case.bound(&weights, c));
            assert!(
                (cost - bound).abs() <= 1e-9 * (1.0 + cost.abs()),
                "{number}: {cost} is not {bound}: u {:?}, h {:?}, beta {}, {:?}, {:?}; w {weights:?}, c {c}",
                case.targets,
                case.curvatures,
                case.beta,
                case.held,
                case.coupling
            );
            assert!(case.held.is_signed || (c >= 0.0 && weights.iter().all(|&w| w >= 0.0)));
            if c == 0.0 && weights.iter().all(|&w| w == 0.0) {
                n_absent += 1;
            } else if weights.iter().all(|&w| w == c) {
                n_fused += 1;
            } else {
                n_apart += 1;
            }
        }
        assert!(
            n_fused > 2000 && n_apart > 2000 && n_absent > 2000,
            "{n_fused} {n_apart} {n_absent}"
        );
    }

    /// Turning all targets turns the result, to the bit.
    #[test]
    fn signs_are_alike() {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
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
