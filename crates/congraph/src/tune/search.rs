//! Trials: fits at chosen parameters, each from the last one's multipliers, and what is known of them.

use std::sync::Arc;

use super::broyden::Slopes;
use super::scalar_root::{self, Ended, Value};
use crate::error::Error;
use crate::fit::{Fit, Session};
use crate::methods::smooth::working_set::Start;
use crate::methods::smooth::{Model, Newton, Parameters, Solver};
use crate::progress::{Progress, Status, Watch};

/// The unknowns, by place: α, β, γ.
pub(super) const N_UNKNOWNS: usize = 3;
/// Which unknown, and which value it is chosen for.
pub(super) const DENSITY: usize = 0;
pub(super) const SIMILARITY: usize = 1;
pub(super) const CONSENSUS: usize = 2;

/// The most problems that are solved for a set of targets, by each stage of a search.
const MOST_SOLVES: usize = 80;
/// How many steps in all unknowns at once before each is bracketed in turn.
const STEPS: usize = 14;
/// How often each unknown is bracketed in turn.
const ROUNDS: usize = 3;
/// The most Newton steps of a trial; a dozen are usual.
const TRIAL_STEPS: usize = 40;
/// How far apart two shares may be and still count as the same: ends of the scale of similarities.
const NEAR_FLOOR: f64 = 1e-4;
const NEAR_ONE: f64 = 1e-6;

/// What is measured of a fit, by the unknown that sets it.
pub(super) type Values = [f64; N_UNKNOWNS];

/// Why a search goes no further.
pub(super) enum Halt {
    /// It cannot.
    Failed(Error),
    /// Enough problems were solved: the best so far is taken.
    Spent,
    /// The caller asked to stop.
    Interrupted,
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// A target, how near is near enough, and the scale on which its value is nearly straight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aim {
    pub(super) target: f64,
    pub(super) tolerance: f64,
    pub(super) floor: f64,
}

/// Where the unknowns are: ln α, ln β, and for γ the logit of its distance from the limit at which the consensus is
/// empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    pub(super) at: [f64; N_UNKNOWNS],
    /// α of a point without an unknown one.
    pub(super) alpha: Option<f64>,
    /// β of a point without an unknown one; may be 0.
    pub(super) beta: Option<f64>,
    /// γ of a point without an unknown one.
    pub(super) gamma: Option<f64>,
}

/// One fit of a search.
pub(super) struct Trial {
    pub(super) point: Point,
    pub(super) fit: Fit,
    pub(super) values: Values,
    /// The largest distance from a target, in tolerances.
    pub(super) misses: f64,
}

/// Fits one after the other.
pub(super) struct Trials<'a, 'b> {
    pub(super) session: &'a Session<'b>,
    /// The penalty, the regulariser, and the parameters that are kept.
    pub(super) given: &'a Model,
    solver: Arc<dyn Solver>,
    watch: Watch<'a>,
    pub(super) solves: usize,
    /// How many there may be in this stage.
    most: usize,
    start: Option<Start>,
    /// γ at which the consensus is empty, in units of β; infinite if there is none.
    gamma_limit: f64,
    pub(super) aims: [Option<Aim>; N_UNKNOWNS],
    pub(super) best: Option<Trial>,
    /// Whether the trials are solved as the fit that is returned is.
    pub(super) is_exact: bool,
    /// The least and the largest of each value that a trial of this stage has had.
    pub(super) found: [[f64; 2]; N_UNKNOWNS],
}

/// Nothing found yet.
const NOTHING: [[f64; 2]; N_UNKNOWNS] = [[f64::INFINITY, f64::NEG_INFINITY]; N_UNKNOWNS];

impl<'a, 'b> Trials<'a, 'b> {
    pub(super) fn new(session: &'a Session<'b>, given: &'a Model, watch: Watch<'a>) -> Self {
        Self {
            session,
            given,
            solver: searching(session, given),
            watch,
            solves: 0,
            most: MOST_SOLVES,
            start: None,
            gamma_limit: given.penalty().gamma_limit(session.n_views()),
            aims: [None; N_UNKNOWNS],
            best: None,
            is_exact: false,
            found: NOTHING,
        }
    }

    /// From now on trials are solved as the fit that is returned is, and what was found so far is forgotten.
    pub(super) fn solve_exactly(&mut self) {
        self.solver = Arc::clone(&self.session.method().solver);
        self.is_exact = true;
        self.aims = [None; N_UNKNOWNS];
        self.best = None;
        self.begin_stage();
    }

    /// A stage of its own may solve as many problems as one before it.
    pub(super) fn begin_stage(&mut self) {
        self.most = self.solves + MOST_SOLVES;
        self.found = NOTHING;
    }

    /// The next fit starts from this one.
    pub(super) fn start_from(&mut self, start: Option<Start>) {
        self.start = start;
    }

    /// Forgets the best of an earlier stage, which was for other aims.
    pub(super) fn take_best(&mut self) -> Option<Trial> {
        self.best.take()
    }

    /// The model at a point.
    pub(super) fn model(&self, point: &Point) -> Model {
        let alpha = point.alpha.unwrap_or_else(|| point.at[DENSITY].exp());
        let beta = point.beta.unwrap_or_else(|| point.at[SIMILARITY].exp());
        if !self.given.has_consensus() || beta == 0.0 {
            return Model::uncoupled(alpha);
        }
        let gamma = point.gamma.unwrap_or_else(|| self.gamma(beta, point.at[CONSENSUS]));
        self.given.at(Parameters { alpha, beta, gamma })
    }

    /// A larger place gives a smaller γ, and so a denser consensus.
    fn gamma(&self, beta: f64, place: f64) -> f64 {
        if self.gamma_limit.is_finite() {
            beta * self.gamma_limit / (1.0 + place.exp())
        } else {
            beta * (-place).exp()
        }
    }

    /// Solves at a point.
    pub(super) fn try_at(&mut self, point: Point) -> Result<Values, Halt> {
        if self.solves >= self.most {
            return Err(Halt::Spent);
        }
        let model = self.model(&point);
        let fit = self
            .session
            .fit_with(self.solver.as_ref(), &model, self.start.as_ref(), self.watch)?;
        self.solves += 1;
        // Neighbouring trials have neighbouring solutions.
        self.start = Some(fit.start());
        let values = values_of(&fit);
        let interrupted = fit.solution.status == Status::Interrupted;
        let told = Progress::Tried {
            solves: self.solves,
            density: values[DENSITY],
            similarity: (self.session.n_views() > 1).then_some(values[SIMILARITY]),
        };
        let stop = (self.watch)(&told).is_break();
        for (found, value) in self.found.iter_mut().zip(values) {
            *found = [found[0].min(value), found[1].max(value)];
        }
        let misses = self.misses(&values);
        if self.best.as_ref().is_none_or(|best| misses < best.misses) {
            self.best = Some(Trial {
                point,
                fit,
                values,
                misses,
            });
        }
        if stop || interrupted {
            return Err(Halt::Interrupted);
        }
        Ok(values)
    }

    fn misses(&self, values: &Values) -> f64 {
        let miss =
            |(aim, value): (&Option<Aim>, &f64)| aim.map_or(0.0, |aim: Aim| (value - aim.target).abs() / aim.tolerance);
        self.aims.iter().zip(values).map(miss).fold(0.0, f64::max)
    }

    /// Whether the best so far meets every aim.
    pub(super) fn is_met(&self) -> bool {
        self.best.as_ref().is_some_and(|best| best.misses <= 1.0)
    }

    /// How far an aim is missed, on its own scale.
    fn residual(&self, unknown: usize, values: &Values) -> Value {
        let Some(aim) = self.aims[unknown] else {
            return Value {
                residual: 0.0,
                good: true,
            };
        };
        let value = values[unknown];
        let scale = |value: f64| match unknown {
            SIMILARITY => {
                // The logit of the way from the floor to 1: nearly straight in ln β.
                let share = (value - aim.floor) / (1.0 - aim.floor).max(f64::MIN_POSITIVE);
                let share = share.clamp(NEAR_FLOOR, 1.0 - NEAR_ONE);
                (share / (1.0 - share)).ln()
            }
            _ => value.max(1e-12).ln(),
        };
        Value {
            residual: scale(value) - scale(aim.target),
            good: (value - aim.target).abs() <= aim.tolerance,
        }
    }

    /// Looks for one unknown, the others staying as they are.
    pub(super) fn bracket(
        &mut self,
        unknown: usize,
        point: Point,
        slope: f64,
        limits: [f64; 2],
    ) -> Result<Ended, Halt> {
        scalar_root::root(point.at[unknown], slope, limits, |x| {
            let mut trial = point;
            trial.at[unknown] = x;
            let values = self.try_at(trial)?;
            Ok(self.residual(unknown, &values))
        })
    }

    /// Looks for several unknowns at once from a point, and for each in turn where that fails.
    pub(super) fn solve(
        &mut self,
        mut point: Point,
        guess: [f64; N_UNKNOWNS],
        limits: [[f64; 2]; N_UNKNOWNS],
    ) -> Result<Option<(usize, Ended)>, Halt> {
        let unknowns: Vec<usize> = (0..N_UNKNOWNS).filter(|&k| self.aims[k].is_some()).collect();
        // One unknown: a bracketed root is safe and as fast.
        if let [only] = unknowns[..] {
            let ended = self.bracket(only, point, guess[only], limits[only])?;
            return Ok(Some((only, ended)));
        }
        let mut slopes = Slopes::diagonal(&unknowns.iter().map(|&k| guess[k]).collect::<Vec<_>>());
        let residuals = |search: &Self, values: &Values| -> Vec<f64> {
            unknowns.iter().map(|&k| search.residual(k, values).residual).collect()
        };
        let values = self.try_at(point)?;
        let mut at = residuals(self, &values);
        for _ in 0..STEPS {
            if self.is_met() {
                return Ok(None);
            }
            // Broyden: all unknowns at once, with slopes learned on the way.
            let mut step = slopes.step(&at);
            for (s, &k) in step.iter_mut().zip(&unknowns) {
                let from = point.at[k];
                point.at[k] = (from + *s).clamp(limits[k][0], limits[k][1]);
                // What was not cut off at the limits is what the slopes learn from.
                *s = point.at[k] - from;
            }
            let values = self.try_at(point)?;
            let next = residuals(self, &values);
            let change: Vec<f64> = next.iter().zip(&at).map(|(next, at)| next - at).collect();
            slopes.learn(&step, &change);
            at = next;
        }
        let mut ended = None;
        // Where that fails (steps, plateaus), each unknown in turn.
        for _ in 0..ROUNDS {
            for &k in &unknowns {
                if self.is_met() {
                    return Ok(None);
                }
                let from = self.best.as_ref().map_or(point, |best| best.point);
                ended = Some((k, self.bracket(k, from, guess[k], limits[k])?));
            }
        }
        Ok(ended)
    }
}

/// What is measured of a fit; a single view counts as equal to itself.
pub(super) fn values_of(fit: &Fit) -> Values {
    [fit.density(), fit.similarity().unwrap_or(1.0), fit.consensus_density()]
}

/// The solver of the trials: Newton where it can be used, since its optimum is that of any other, without the polish
/// that only the last fit needs.
fn searching(session: &Session<'_>, model: &Model) -> Arc<dyn Solver> {
    if !model.has_edge_minimiser() {
        return Arc::clone(&session.method().solver);
    }
    Arc::new(Newton {
        polish: false,
        max_iterations: TRIAL_STEPS,
        ..Newton::default()
    })
}
