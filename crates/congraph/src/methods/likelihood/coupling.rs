//! How a departure from the consensus is charged, and how far the views of an edge can be held back by it.
//!
//! With d the departures of an edge's views from its consensus, weights that stay zero among them:
//!
//! ```text
//! L1           β Σ_i |d_i|
//! L2           β ‖d‖              views leave the consensus together, or not at all
//! SquaredL2    β Σ_i d_i²         nothing is ever exactly equal
//! ```
//!
//! Seen from the dual, a coupling pulls each view by s_i. What pulls a view beside it, g_i, must be held by λ: g_i − s_i ≤
//! λ (in size, for graphs of both signs), and the consensus by γ: |Σ s_i| ≤ γ. Within that, what the coupling can do
//! depends on the length of s alone: ‖s‖ ≤ β for ℓ2, a cost of ‖s‖²/4β for squared ℓ2. So the shortest s is all that is
//! asked for.

/// How a departure from the consensus is charged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coupling {
    /// β Σ |w^i − w|: views that agree share the consensus, each for itself.
    #[default]
    L1,
    /// β ‖(w^i − w)_i‖: all views share the consensus of an edge, or each may leave it.
    L2,
    /// β Σ (w^i − w)²: views are drawn together, and none is ever equal to the consensus.
    SquaredL2,
}

impl Coupling {
    /// The name by which users choose it, that of a [penalty](crate::penalties::Penalty).
    pub fn name(self) -> &'static str {
        match self {
            Self::L1 => "l1",
            Self::L2 => "l2",
            Self::SquaredL2 => "squared-l2",
        }
    }

    /// The coupling of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        [Self::L1, Self::L2, Self::SquaredL2]
            .into_iter()
            .find(|coupling| coupling.name() == name)
    }

    /// What departures cost, without β.
    #[inline(always)]
    pub(super) fn value(self, departures: impl Iterator<Item = f64>) -> f64 {
        match self {
            Self::L1 => departures.map(f64::abs).sum(),
            Self::L2 => departures.map(|d| d * d).sum::<f64>().sqrt(),
            Self::SquaredL2 => departures.map(|d| d * d).sum(),
        }
    }
}

/// What holds the views of an edge beside the coupling.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) lambda: f64,
    pub(super) gamma: f64,
    /// How many weights stay zero: they, too, hold the consensus.
    pub(super) n_zero: usize,
    pub(super) is_signed: bool,
}

impl Held {
    /// Between which numbers s_i must lie.
    #[inline(always)]
    fn bounds(self, pull: f64) -> (f64, f64) {
        let most = if self.is_signed {
            pull + self.lambda
        } else {
            f64::INFINITY
        };
        (pull - self.lambda, most)
    }

    /// Writes the shortest s of the views that may move, and returns its squared length with those that stay zero. None if
    /// no s will do: then the views pull the consensus along by more than γ.
    pub(super) fn shortest(self, pulls: &[f64], multipliers: &mut Vec<f64>) -> Option<f64> {
        let at = |theta: f64| pulls.iter().map(move |&pull| clamped(-theta, self.bounds(pull)));
        let sum: f64 = at(0.0).sum();
        let theta = if sum.abs() <= self.gamma {
            0.0
        } else {
            let side = sum.signum();
            side * self.balance(pulls, side)?
        };
        multipliers.clear();
        multipliers.extend(at(theta));
        let own: f64 = multipliers.iter().map(|s| s * s).sum();
        Some(own + self.n_zero as f64 * theta * theta)
    }

    /// θ > 0 such that Σ clamp(−θ, bounds) − n_zero θ is γ, of the pulls' negatives if `side` is −1: between two of its
    /// breakpoints it is a straight line.
    fn balance(self, pulls: &[f64], side: f64) -> Option<f64> {
        let bounds = |pull: f64| {
            let (least, most) = self.bounds(pull);
            if side > 0.0 { (least, most) } else { (-most, -least) }
        };
        let excess = |theta: f64| {
            let views = pulls.iter().map(|&pull| clamped(-theta, bounds(pull)));
            views.sum::<f64>() - self.n_zero as f64 * theta - self.gamma
        };
        let mut breaks: Vec<f64> = pulls
            .iter()
            .flat_map(|&pull| <[f64; 2]>::from(bounds(pull)))
            .map(|bound| -bound)
            .filter(|theta| theta.is_finite() && *theta > 0.0)
            .collect();
        breaks.sort_unstable_by(f64::total_cmp);
        let (mut low, mut at_low) = (0.0, excess(0.0));
        for high in breaks {
            let at_high = excess(high);
            if at_high <= 0.0 {
                return Some(low + (high - low) * at_low / (at_low - at_high));
            }
            (low, at_low) = (high, at_high);
        }
        (self.n_zero > 0).then(|| low + at_low / self.n_zero as f64)
    }

    /// Changes pulls until some s holds them, as evenly as can be, and writes the shortest one; its squared length, and
    /// whether any pull changed.
    pub(super) fn hold(self, pulls: &mut [f64], multipliers: &mut Vec<f64>) -> (f64, bool) {
        if let Some(length) = self.shortest(pulls, multipliers) {
            return (length, false);
        }
        let ends = |side: f64| move |&pull: &f64| side * pull - self.lambda;
        let sum = |side: f64| pulls.iter().map(ends(side)).sum::<f64>();
        let side = if sum(1.0) > self.gamma { 1.0 } else { -1.0 };
        let each = side * (sum(side) - self.gamma) / pulls.len() as f64;
        pulls.iter_mut().for_each(|pull| *pull -= each);
        multipliers.clear();
        multipliers.extend(pulls.iter().map(|pull| pull - side * self.lambda));
        (multipliers.iter().map(|s| s * s).sum(), true)
    }

    /// Changes pulls until they are held by an s that is given.
    pub(super) fn clip(self, pulls: &mut [f64], multipliers: &[f64]) {
        for (pull, s) in pulls.iter_mut().zip(multipliers) {
            *pull = pull.min(s + self.lambda);
            if self.is_signed {
                *pull = pull.max(s - self.lambda);
            }
        }
    }
}

#[inline(always)]
fn clamped(x: f64, (least, most): (f64, f64)) -> f64 {
    x.min(most).max(least)
}
