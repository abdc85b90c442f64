//! Two levels: views of one subject share the subject's graph, and the subjects' graphs share the consensus.

use std::sync::Arc;

use super::l1::{lowest_root, write_weights};
use super::{JointEdge, Penalty};

/// c(V) = Σ_e Σ_s min over v of Σ_c |V_esc − v| + b |v|, where v is the subject's departure w^s − w from the consensus:
///
/// ```text
/// β c  =  β₁ Σ_sc ‖w^sc − w^s‖₁ + β₂ Σ_s ‖w^s − w‖₁,     β₁ = β,  β₂ = b β₁
/// ```
///
/// b = ρ C, with C the largest number of views of a subject and ρ ∈ (0, 1] the [share](TwoLevels::new). At ρ = 1 no
/// subject's graph can pay for leaving the consensus: the fit is that of [`L1`](super::L1). Towards 0 every subject has a
/// consensus of its own.
///
/// The joint minimiser is nested. With g_s(v) = Σ_c clamp(v − u_sc, ±τ), a subject's graph is the consensus, held between
/// the lowest v with g_s(v) ≥ −bτ and the highest with g_s(v) ≤ bτ,
///
/// ```text
/// w^s = clamp(w, low_s, high_s)            Σ_s g_s(w^s) = −σ,  w ≥ 0
/// W_sc = max(0, w^s + soft(u_sc − w^s, τ))
/// ```
///
/// piecewise linear in w with breakpoints u ± τ, low and high: O(N log N), exact. Of equally good subject graphs the one
/// nearest to the consensus is taken; of an interval of equally good consensus weights, the middle.
///
/// Rows come [whole](Penalty::has_places): a view without the edge has a target of −∞, or a difference or weight of NaN.
#[derive(Clone, Debug)]
pub struct TwoLevels {
    share: f64,
    /// b = β₂/β₁.
    price: f64,
    /// The views of each subject; none before the subjects are known.
    members: Vec<Vec<u32>>,
    n_views: usize,
}

/// As for ℓ1: a γ off its limit by rounding is meant to be there.
const ALMOST: f64 = 1.0 - 1e-12;
/// Sums of pulls below this share of N τ are rounding.
const ROUNDING: f64 = 1e-13;

impl TwoLevels {
    /// Of subjects that the views will tell; ρ = β₂/(C β₁).
    pub fn new(share: f64) -> Self {
        Self {
            share,
            price: share,
            members: Vec::new(),
            n_views: 0,
        }
    }

    /// ρ.
    pub fn share(&self) -> f64 {
        self.share
    }

    /// β₂/β₁.
    pub fn price(&self) -> f64 {
        self.price
    }

    /// Calls with the members of each subject. A row of another number of views than the subjects have is of views that
    /// are strangers to each other: a new view beside a given consensus.
    fn each_subject(&self, n_views: usize, mut call: impl FnMut(&[u32])) {
        if n_views == self.n_views {
            self.members.iter().for_each(|members| call(members));
        } else {
            (0..n_views as u32).for_each(|view| call(&[view]));
        }
    }

    /// The subjects of a row, with their own entries in order and where their graph can be.
    fn subjects(&self, targets: &[f64], tau: f64) -> Vec<Held> {
        let mut subjects = Vec::with_capacity(self.members.len());
        self.each_subject(targets.len(), |members| {
            let mut own = Vec::with_capacity(members.len());
            own.extend(
                members
                    .iter()
                    .map(|&view| targets[view as usize])
                    .filter(|u| u.is_finite()),
            );
            if own.is_empty() {
                return;
            }
            own.sort_unstable_by(f64::total_cmp);
            let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
            if self.price < own.len() as f64 {
                low = lowest_root(&own, tau, self.price * tau);
                let mirrored: Vec<f64> = own.iter().rev().map(|u| -u).collect();
                high = -lowest_root(&mirrored, tau, self.price * tau);
            }
            subjects.push(Held { own, low, high });
        });
        subjects
    }

    /// argmin over w ≥ 0 of what the subjects make of it plus σ w.
    fn location(&self, subjects: &[Held], tau: f64, sigma: f64, points: &mut Vec<f64>) -> f64 {
        let limit: f64 = subjects
            .iter()
            .map(|subject| self.price.min(subject.own.len() as f64))
            .sum();
        if sigma >= limit * tau * ALMOST {
            return 0.0;
        }
        points.clear();
        let (mut largest, mut n) = (0.0_f64, 0.0);
        for subject in subjects {
            n += subject.own.len() as f64;
            for &u in &subject.own {
                largest = largest.max(u.abs());
                points.extend([u - tau, u + tau].map(|point| subject.graph(point)));
            }
            points.extend(
                [subject.low, subject.high]
                    .into_iter()
                    .filter(|point| point.is_finite()),
            );
        }
        points.sort_unstable_by(f64::total_cmp);
        let rounding = ROUNDING * n * tau + 4.0 * f64::EPSILON * largest;
        let pull = |w: f64| sigma + subjects.iter().map(|subject| subject.pull(w, tau)).sum::<f64>();
        if pull(0.0) > rounding {
            return 0.0;
        }
        let next = points
            .partition_point(|&point| pull(point) < -rounding)
            .min(points.len() - 1);
        let low = points[next];
        if pull(low) <= rounding {
            // The root, or the first of an interval of roots.
            let last = points.partition_point(|&point| pull(point) <= rounding).max(1) - 1;
            let high = points[last].max(low);
            return if high > low {
                0.5 * (low.max(0.0) + high.max(0.0))
            } else {
                low.max(0.0)
            };
        }
        let before = points[next.max(1) - 1];
        root_between(subjects, tau, sigma, before, low).max(0.0)
    }
}

/// A subject's targets in order, and the lowest and the highest weight that its graph can have.
struct Held {
    own: Vec<f64>,
    low: f64,
    high: f64,
}

impl Held {
    /// The subject's weight beside a consensus.
    fn graph(&self, consensus: f64) -> f64 {
        consensus.max(self.low).min(self.high)
    }

    /// g_s(w^s), how strongly the subject pulls the consensus down.
    fn pull(&self, consensus: f64, tau: f64) -> f64 {
        let weight = self.graph(consensus);
        self.own.iter().map(|u| (weight - u).clamp(-tau, tau)).sum()
    }
}

/// The root between two breakpoints, from the sums of what moves with the consensus there and what does not.
fn root_between(subjects: &[Held], tau: f64, sigma: f64, low: f64, high: f64) -> f64 {
    let middle = 0.5 * (low + high);
    let (mut moving, mut sum) = (0.0, -sigma);
    for subject in subjects {
        let held = subject.graph(middle) != middle;
        for &u in &subject.own {
            let apart = subject.graph(middle) - u;
            if !held && apart.abs() < tau {
                moving += 1.0;
                sum += u;
            } else {
                sum -= apart.clamp(-tau, tau);
            }
        }
    }
    // Nothing moves: every point between is a root.
    if moving == 0.0 {
        return 0.5 * (low.max(0.0) + high.max(0.0));
    }
    (sum / moving).max(low).min(high)
}

/// The subject's weight v for given weights of its views: the minimiser of Σ_c |W_c − v| + b |v − w| nearest to w.
/// `own` is put in order.
fn subject_weight(own: &mut [f64], price: f64, consensus: f64) -> f64 {
    let n = own.len();
    if own.is_empty() || price >= n as f64 {
        return consensus;
    }
    own.sort_unstable_by(f64::total_cmp);
    // The first place where those above no longer outweigh those below by more than b.
    let place = (((n as f64 - price) / 2.0).ceil() as usize).max(1) - 1;
    consensus.max(own[place]).min(own[n - 1 - place])
}

impl Penalty for TwoLevels {
    fn name(&self) -> &str {
        "two-levels"
    }

    fn label(&self) -> &str {
        "ℓ1 on two levels"
    }

    fn coupling(&self) -> Option<&'static str> {
        Some("subjects")
    }

    fn charge(&self) -> &str {
        "l1"
    }

    fn subject_share(&self) -> Option<f64> {
        Some(self.share)
    }

    fn value(&self, differences: &[f64], n_views: usize) -> f64 {
        let mut sum = 0.0;
        let mut own = Vec::new();
        for row in differences.chunks_exact(n_views.max(1)) {
            self.each_subject(n_views, |members| {
                own.clear();
                own.extend(members.iter().map(|&view| row[view as usize]).filter(|v| !v.is_nan()));
                let departure = subject_weight(&mut own, self.price, 0.0);
                sum += own.iter().map(|v| (v - departure).abs()).sum::<f64>() + self.price * departure.abs();
            });
        }
        sum
    }

    fn prox(&self, differences: &mut [f64], n_views: usize, step: f64) {
        for row in differences.chunks_exact_mut(n_views.max(1)) {
            let mut subjects = self.subjects(row, step).into_iter();
            self.each_subject(n_views, |members| {
                if !members.iter().any(|&view| row[view as usize].is_finite()) {
                    return;
                }
                let departure = subjects.next().map_or(0.0, |subject| subject.graph(0.0));
                for &view in members {
                    let v = &mut row[view as usize];
                    let apart = *v - departure;
                    *v = if apart.abs() <= step {
                        departure
                    } else {
                        *v - step.copysign(apart)
                    };
                }
            });
        }
    }

    fn joint(&self) -> Option<&dyn JointEdge> {
        Some(self)
    }

    fn needs_subjects(&self) -> bool {
        self.members.is_empty()
    }

    fn has_places(&self) -> bool {
        true
    }

    fn of_subjects(&self, of_views: &[u32]) -> Option<Arc<dyn Penalty>> {
        let n_subjects = of_views.iter().max().map_or(0, |&last| last as usize + 1);
        let mut members = vec![Vec::new(); n_subjects];
        for (view, &subject) in of_views.iter().enumerate() {
            members[subject as usize].push(view as u32);
        }
        let most = members.iter().map(Vec::len).max().unwrap_or(1);
        let price = self.share * most as f64;
        // A whole number of views is meant to be one: there, which of several graphs are as good is decided by counting.
        let whole = price.round();
        let price = if (price - whole).abs() <= 1e-12 * whole {
            whole
        } else {
            price
        };
        Some(Arc::new(Self {
            share: self.share,
            price,
            members,
            n_views: of_views.len(),
        }))
    }

    fn subject_weights(&self, weights: &[f64], consensus: f64) -> Option<Vec<f64>> {
        let mut found = Vec::with_capacity(self.members.len());
        let mut own = Vec::new();
        self.each_subject(weights.len(), |members| {
            own.clear();
            own.extend(
                members
                    .iter()
                    .map(|&view| weights[view as usize])
                    .filter(|w| !w.is_nan()),
            );
            // A subject that has the edge in no view has no say, and no weight.
            let none = own.is_empty();
            found.push(if none {
                f64::NAN
            } else {
                subject_weight(&mut own, self.price, consensus)
            });
        });
        Some(found)
    }

    /// Σ_s min(C_s, b) if all subjects have as many views.
    fn gamma_limit(&self, n_views: usize) -> f64 {
        if self.members.is_empty() {
            return self.share * n_views as f64;
        }
        self.members
            .iter()
            .map(|members| self.price.min(members.len() as f64))
            .sum()
    }
}

impl JointEdge for TwoLevels {
    fn minimise(&self, targets: &[f64], tau: f64, sigma: f64, weights: &mut [f64], scratch: &mut Vec<f64>) -> f64 {
        if self.is_absent(targets, tau, sigma) {
            weights.fill(0.0);
            return 0.0;
        }
        let subjects = self.subjects(targets, tau);
        let consensus = self.location(&subjects, tau, sigma, scratch);
        let mut next = subjects.iter();
        self.each_subject(targets.len(), |members| {
            let is_there = members.iter().any(|&view| targets[view as usize].is_finite());
            let subject = if is_there { next.next() } else { None };
            let graph = subject.map_or(0.0, |subject| subject.graph(consensus).max(0.0));
            for &view in members {
                let view = view as usize;
                write_weights(&targets[view..=view], tau, graph, &mut weights[view..=view]);
                if !targets[view].is_finite() {
                    weights[view] = 0.0;
                }
            }
        });
        consensus
    }

    /// Some g with g ≥ u, |g_sc| ≤ τ, |Σ_c g_sc| ≤ bτ and Σg ≤ σ: the least Σ_c g_sc is Σ_c max(u_sc, −τ), but for −bτ.
    fn is_absent(&self, targets: &[f64], tau: f64, sigma: f64) -> bool {
        let (mut is_held, mut total) = (true, 0.0);
        self.each_subject(targets.len(), |members| {
            let mut pull = 0.0;
            for &view in members {
                let target = targets[view as usize];
                is_held &= target <= tau;
                if target.is_finite() {
                    pull += target.max(-tau);
                }
            }
            is_held &= pull <= self.price * tau;
            total += pull.max(-self.price * tau);
        });
        is_held && total <= sigma
    }

    fn rank(&self) -> usize {
        2
    }

    fn has_sets(&self) -> bool {
        true
    }

    /// Views fused with the consensus move together, views fused with their subject's graph alone do, and the other
    /// positive ones move on their own.
    fn jacobian(
        &self,
        _tau: f64,
        _sigma: f64,
        weights: &[f64],
        consensus: f64,
        diagonal: &mut [f64],
        factors: &mut [f64],
    ) {
        let n = weights.len();
        let (shares, sets) = factors.split_at_mut(n);
        let fused = |weight: f64| consensus > 0.0 && weight == consensus;
        let count = weights.iter().filter(|&&weight| fused(weight)).count();
        let first = weights.iter().position(|&weight| fused(weight)).unwrap_or(0);
        let mut own = Vec::new();
        self.each_subject(n, |members| {
            own.clear();
            own.extend(
                members
                    .iter()
                    .map(|&view| weights[view as usize])
                    .filter(|w| !w.is_nan()),
            );
            let graph = subject_weight(&mut own, self.price, consensus);
            let same = || members.iter().filter(|&&view| weights[view as usize] == graph);
            for &view in members {
                let view = view as usize;
                let weight = weights[view];
                let (size, set) = if fused(weight) {
                    (count, first)
                } else if weight == graph {
                    (same().count(), same().next().map_or(view, |&first| first as usize))
                } else {
                    (1, view)
                };
                (diagonal[view], shares[view], sets[view]) = match size {
                    1 if weight > 0.0 => (1.0, 0.0, view as f64),
                    size if weight > 0.0 => (0.0, (size as f64).sqrt().recip(), set as f64),
                    _ => (0.0, 0.0, view as f64),
                };
            }
        });
    }

    fn frozen_slope(&self, _tau: f64, difference: f64) -> f64 {
        // Held at the consensus, or moving on its own.
        if difference == 0.0 { 0.0 } else { 1.0 }
    }

    /// The slope of what the subjects pay is Σ_s clamp(#{W ≤ w} − #{W > w}, ±b): steps at the weights.
    fn consensus(&self, weights: &[f64], ratio: f64, scratch: &mut Vec<f64>) -> f64 {
        let slope = |w: f64| {
            let mut sum = ratio;
            self.each_subject(weights.len(), |members| {
                let mut balance = 0.0;
                for &view in members {
                    let weight = weights[view as usize];
                    if !weight.is_nan() {
                        balance += if weight <= w { 1.0 } else { -1.0 };
                    }
                }
                sum += f64::clamp(balance, -self.price, self.price);
            });
            sum
        };
        scratch.clear();
        scratch.extend(weights.iter().filter(|weight| !weight.is_nan()));
        scratch.sort_unstable_by(f64::total_cmp);
        let rounding = 1e-12 * scratch.len() as f64;
        if slope(f64::NEG_INFINITY) >= -rounding {
            return 0.0;
        }
        let first = scratch.partition_point(|&w| slope(w) < -rounding);
        let last = scratch.partition_point(|&w| slope(w) <= rounding);
        match (scratch.get(first), scratch.get(last)) {
            (Some(low), Some(high)) => 0.5 * (low + high),
            (Some(low), None) => *low,
            _ => 0.0,
        }
    }
}
