//! The stages of a search: the floor, then α and β, then γ, then one exact fit.

use super::scalar_root::Ended;
use super::search::{Aim, CONSENSUS, DENSITY, Halt, Point, SIMILARITY, Trial, Trials, Values, values_of};
use super::unreachable::{shown, similarity_hint, unreachable};
use super::{Dial, Reach, Reached, Targets, initial_guess};
use crate::chance::Agreement;
use crate::error::{Code, DataError, Error};
use crate::fit::{Fit, Session};
use crate::methods::smooth::working_set::Start;
use crate::methods::smooth::{Model, Parameters};
use crate::progress::Watch;

/// Densities this near to their target are near enough, or this share of it if that is less; half an edge always is.
const DENSITY_TOLERANCE: f64 = 0.002;
const DENSITY_SHARE: f64 = 0.02;
/// Similarities this near are near enough.
const SIMILARITY_TOLERANCE: f64 = 0.002;
/// What was asked for by number must be hit at least this nearly, or within half an edge.
const HIT: f64 = 0.005;
/// How ln density grows with ln α, the logit of the similarity with ln β, ln consensus density with the place of γ:
/// about.
const SLOPES: [f64; 3] = [0.8, 1.5, 0.5];
/// How far ln β may be from its guess, and where the place of γ may be.
const BETA_RANGE: [f64; 2] = [-14.0, 9.0];
const GAMMA_RANGE: [f64; 2] = [-12.0, 16.0];
/// Where the place of γ starts: at a quarter of the γ at which the consensus is empty.
const FIRST_GAMMA: f64 = 1.1;
/// What is chosen for, by the unknown that sets it.
const NAMES: [&str; 3] = ["density", "similarity", "consensus density"];

pub(super) fn reach(
    session: &Session<'_>,
    given: &Model,
    targets: &Targets,
    watch: Watch<'_>,
) -> Result<(Fit, Reached), Error> {
    let mut stages = Stages::new(session, given, targets, watch)?;
    if let Some(found) = stages.attempt(targets, watch)? {
        return Ok(found);
    }
    // The trials are solved a little less exactly than the fit that is returned. On data with ties that decides whether
    // edges are present, so the search is run again with fits that are not refined afterwards.
    let mut stages = Stages::new(session, given, targets, watch)?;
    stages.search.solve_exactly();
    stages.outcome(targets)?;
    stages.finish(watch)
}

struct Stages<'a, 'b> {
    search: Trials<'a, 'b>,
    point: Point,
    alpha_limits: [f64; 2],
    floor: Option<f64>,
    agreement: Option<Agreement>,
    density: Option<Aim>,
    /// Whether the views are coupled.
    joint: bool,
    /// Which targets were asked for by number; the others are met as nearly as possible.
    asked: [bool; 3],
}

impl<'a, 'b> Stages<'a, 'b> {
    fn new(session: &'a Session<'b>, given: &'a Model, targets: &Targets, watch: Watch<'a>) -> Result<Self, Error> {
        let parameters = given.parameters;
        let n = session.n_nodes();
        let target = match targets.density {
            Dial::Fixed => None,
            Dial::Usual => Some(Targets::usual_density(n)),
            Dial::At(target) => Some(target),
        };
        for (name, dial, least) in [
            ("density", targets.density, 0.0),
            ("similarity", targets.similarity, -1.0),
            ("consensus_density", targets.consensus_density, 0.0),
        ] {
            if let Dial::At(target) = dial
                && !(target > least && target <= 1.0)
            {
                return Err(Error::Parameter {
                    name,
                    message: format!("is {target}; it must be above {least} and at most 1"),
                });
            }
        }
        // Only an α that is looked for needs distances to begin with.
        let (alpha, alpha_limits) = target.map_or((parameters.alpha, [parameters.alpha; 2]), |target| {
            let short = session.short_distances();
            (
                initial_guess::alpha(&short, target),
                initial_guess::alpha_limits(&short),
            )
        });
        if !(alpha > 0.0 && alpha.is_finite()) {
            return Err(Error::Parameter {
                name: "alpha",
                message: format!("is {alpha}; it must be positive and finite"),
            });
        }
        Ok(Self {
            alpha_limits,
            density: target.map(|target| density_aim(target, n)),
            joint: given.has_consensus(),
            search: Trials::new(session, given, watch),
            point: Point {
                at: [alpha.ln(), 0.0, 0.0],
                alpha: target.is_none().then_some(alpha),
                beta: Some(parameters.beta),
                gamma: Some(parameters.gamma),
            },
            floor: None,
            agreement: None,
            asked: [targets.density, targets.similarity, targets.consensus_density]
                .map(|dial| matches!(dial, Dial::At(_))),
        })
    }

    /// Searches, and fits where the search ended; none if that fit misses what the search had found.
    fn attempt(&mut self, targets: &Targets, watch: Watch<'_>) -> Result<Option<(Fit, Reached)>, Error> {
        let is_complete = self.outcome(targets)?;
        let found = self.finish(watch)?;
        let missed = is_complete && self.missed(&values_of(&found.0)).is_some();
        Ok((!missed).then_some(found))
    }

    /// Searches; whether to the end, and not until the caller asked to stop.
    fn outcome(&mut self, targets: &Targets) -> Result<bool, Error> {
        match self.run(targets) {
            Ok(()) | Err(Halt::Spent) => match self.check_hit() {
                Ok(()) => Ok(true),
                Err(error) => self.give_way(error),
            },
            Err(Halt::Interrupted) => Ok(false),
            Err(Halt::Failed(error)) => Err(error),
        }
    }

    /// Two targets were not met together: if only one was asked for, the usual one gives way to it.
    fn give_way(&mut self, error: Error) -> Result<bool, Error> {
        let (kept, given_up) = match self.asked {
            [true, false, _] => (DENSITY, SIMILARITY),
            [false, true, _] => (SIMILARITY, DENSITY),
            _ => return Err(error),
        };
        if self.search.aims[given_up].is_none() || self.search.aims[kept].is_none() {
            return Err(error);
        }
        let Some(best) = self.search.take_best() else {
            return Err(error);
        };
        let model = self.search.model(&best.point);
        self.point = best.point;
        match given_up {
            SIMILARITY => self.point.beta = Some(model.parameters.beta),
            _ => self.point.alpha = Some(model.parameters.alpha),
        }
        // From the best so far, with the other parameter held.
        self.search.aims[given_up] = None;
        self.search.start_from(Some(best.fit.start()));
        self.search.begin_stage();
        match self.solve() {
            Ok(()) | Err(Halt::Spent) => self.check_hit().map(|()| true),
            Err(Halt::Interrupted) => Ok(false),
            Err(Halt::Failed(error)) => Err(error),
        }
    }

    fn run(&mut self, targets: &Targets) -> Result<(), Halt> {
        let find_beta = self.joint && targets.similarity != Dial::Fixed;
        if !self.joint || find_beta {
            match self.separate() {
                // The nearest that was found gives the floor; the search for the coupled views goes on.
                Err(Halt::Spent) if find_beta => {}
                ended => ended?,
            }
        }
        if !self.joint {
            return Ok(());
        }
        if find_beta {
            let Some(separate) = self.search.take_best() else {
                return Err(Halt::Spent);
            };
            self.couple(&separate, targets.similarity)?;
        } else {
            self.search.aims[DENSITY] = self.density;
            self.point.beta = Some(self.search.given.parameters.beta);
        }
        if let Dial::At(target) = targets.consensus_density {
            return self.consensus(target);
        }
        self.solve()
    }

    /// Every view on its own at the density: the whole search without coupling, and else the floor.
    fn separate(&mut self) -> Result<(), Halt> {
        self.search.aims[DENSITY] = self.density;
        self.point.beta = Some(0.0);
        self.solve()
    }

    /// The floor, what is asked for above it, and where β may be.
    fn couple(&mut self, separate: &Trial, dial: Dial) -> Result<(), Halt> {
        let floor = separate.values[SIMILARITY];
        if self.floor.is_none() {
            self.tell_apart(&separate.fit);
        }
        let target = match dial {
            Dial::At(target) => target,
            _ => Targets::usual_similarity(floor),
        };
        if target < floor - SIMILARITY_TOLERANCE {
            return Err(unreachable("similarity", target, floor, 1.0, &similarity_hint(floor)).into());
        }
        self.search.aims[SIMILARITY] = Some(Aim {
            target,
            tolerance: SIMILARITY_TOLERANCE,
            floor,
        });
        self.point = Point {
            at: [separate.point.at[DENSITY], self.first_beta(separate).ln(), 0.0],
            beta: None,
            ..self.point
        };
        self.search.start_from(Some(separate.fit.start()));
        self.search.begin_stage();
        Ok(())
    }

    /// What the views have in common when each is learned on its own.
    fn tell_apart(&mut self, separate: &Fit) {
        self.floor = separate.similarity();
        self.agreement = self.search.session.agreement_of(separate);
    }

    /// A β that brings the views about half way from their floor to equality.
    fn first_beta(&self, separate: &Trial) -> f64 {
        let alpha = separate.point.at[DENSITY].exp();
        let spread = initial_guess::spread(&separate.fit).max(1e-9 * alpha);
        let n_views = self.search.session.n_views();
        self.search.given.penalty().first_beta(spread, alpha, n_views)
    }

    fn limits(&self) -> [[f64; 2]; 3] {
        let beta = self.point.at[SIMILARITY];
        [
            self.alpha_limits.map(f64::ln),
            BETA_RANGE.map(|reach| beta + reach),
            GAMMA_RANGE,
        ]
    }

    /// Reaches the aims from the point where the last stage ended.
    fn solve(&mut self) -> Result<(), Halt> {
        if self.search.aims.iter().all(Option::is_none) {
            // A fixed fit is the last one too, unless it tells the floor.
            if self.joint && self.point.beta == Some(0.0) {
                self.search.try_at(self.point)?;
            }
            return Ok(());
        }
        let limits = self.limits();
        match self.search.solve(self.point, SLOPES, limits)? {
            Some((unknown, Ended::TooLow | Ended::TooHigh)) if self.asked[unknown] => Err(self.out_of_reach(unknown)),
            Some((DENSITY, Ended::TooLow | Ended::TooHigh)) => {
                self.settle();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The usual density is out of reach (few candidates, few nodes): the nearest there is becomes the target.
    /// Otherwise the search for β would keep missing it, and the user would be told that it was asked for.
    fn settle(&mut self) {
        if let (Some(aim), Some(best)) = (&mut self.density, &mut self.search.best) {
            aim.target = best.values[DENSITY];
            best.misses = 0.0;
        }
        self.search.aims[DENSITY] = self.density;
    }

    /// γ: first without, which tells how dense the consensus can be.
    fn consensus(&mut self, target: f64) -> Result<(), Halt> {
        // γ only takes edges away: without it the consensus is densest.
        self.point.gamma = Some(0.0);
        self.solve()?;
        let Some(dense) = self.search.take_best() else {
            return Err(Halt::Spent);
        };
        let aim = density_aim(target, self.search.session.n_nodes());
        let most = dense.values[CONSENSUS];
        self.search.aims[CONSENSUS] = Some(aim);
        if (target - most).abs() <= aim.tolerance {
            self.search.best = Some(dense);
            return Ok(());
        }
        if target > most {
            let hint = "ask for at most that, or for denser or more similar views";
            return Err(unreachable("consensus density", target, 0.0, most, hint).into());
        }
        self.search.start_from(Some(dense.fit.start()));
        self.point = dense.point;
        self.point.gamma = None;
        self.point.at[CONSENSUS] = FIRST_GAMMA;
        self.solve()
    }

    /// The error that tells between which values a target must be: those that were found, the ends of the search among
    /// them.
    fn out_of_reach(&mut self, unknown: usize) -> Halt {
        let limits = self.limits()[unknown];
        let from = self.search.best.as_ref().map_or(self.point, |best| best.point);
        for limit in limits {
            let mut point = from;
            point.at[unknown] = limit;
            match self.search.try_at(point) {
                // The range found so far is reported.
                Ok(_) | Err(Halt::Spent) => {}
                Err(halt) => return halt,
            }
        }
        let target = self.search.aims[unknown].map_or(f64::NAN, |aim| aim.target);
        let [low, high] = self.search.found[unknown];
        // Where whole groups of edges come or go at once, a target can be skipped, or met by one of the last trials.
        if (low..=high).contains(&target) {
            return match self.check_hit() {
                Ok(()) => Halt::Spent,
                Err(error) => Halt::Failed(error),
            };
        }
        let hint = match unknown {
            SIMILARITY => similarity_hint(self.floor.unwrap_or(low)),
            _ => String::from("ask for a density in that range"),
        };
        unreachable(NAMES[unknown], target, low, high, &hint).into()
    }

    /// Which target that was asked for by number is missed by these values, if any is.
    fn missed(&self, values: &Values) -> Option<usize> {
        let n = self.search.session.n_nodes();
        let edge = 2.0 / (n * (n - 1)) as f64;
        let enough = [HIT.max(0.5 * edge), HIT, HIT.max(0.5 * edge)];
        (0..NAMES.len()).find(|&k| {
            let is_far = |aim: Aim| (values[k] - aim.target).abs() > 1.001 * enough[k];
            self.asked[k] && self.search.aims[k].is_some_and(is_far)
        })
    }

    /// Refuses a fit that misses a target given by number: two targets can contradict each other, or a step can be too
    /// wide.
    fn check_hit(&self) -> Result<(), Error> {
        let Some(best) = &self.search.best else { return Ok(()) };
        if self.missed(&best.values).is_none() {
            return Ok(());
        }
        let aims = || NAMES.iter().zip(&self.search.aims).zip(best.values);
        let list = |text: &dyn Fn(&str, f64, f64) -> String| -> String {
            let parts = aims().filter_map(|((name, aim), value)| Some(text(name, (*aim)?.target, value)));
            parts.collect::<Vec<_>>().join(" and ")
        };
        let together = if aims().filter(|((_, aim), _)| aim.is_some()).count() > 1 {
            " together"
        } else {
            ""
        };
        Err(DataError::new(
            Code::E10,
            format!(
                "{} cannot be reached{together}: the nearest that was found is {}",
                list(&|name, target, _| format!("a {name} of {}", shown(target))),
                list(&|name, _, value| format!("a {name} of {}", shown(value)))
            ),
            "graphs change edge by edge, and on these data whole groups of edges come or go at once there",
            "ask for what was found, or for a higher density or similarity",
        )
        .into())
    }

    /// One fit with the solver and the accuracy that were asked for.
    fn finish(&mut self, watch: Watch<'_>) -> Result<(Fit, Reached), Error> {
        let at = self.search.take_best();
        if let Some(best) = &at {
            self.point = best.point;
        }
        let model = self.search.model(&self.point);
        // Trials of an exact search are final; others are refined once.
        let fit = match at {
            Some(best) if self.search.is_exact => best.fit,
            at => {
                let start = at.map(|best| best.fit.start());
                self.search.session.fit(&model, start.as_ref(), watch)?
            }
        };
        if self.joint && self.floor.is_none() {
            let separate = self.search.session.separate(&fit, watch)?;
            self.tell_apart(&separate);
        }
        let search = &self.search;
        let reach = |unknown: usize, value: f64| {
            search.aims[unknown].map(|aim| Reach {
                target: aim.target,
                value,
            })
        };
        let reached = Reached {
            parameters: Parameters { ..model.parameters },
            density: reach(DENSITY, fit.density()),
            similarity: reach(SIMILARITY, fit.similarity().unwrap_or(1.0)),
            consensus_density: reach(CONSENSUS, fit.consensus_density()),
            floor: self.floor,
            agreement: self.agreement,
            solves: search.solves + 1,
        };
        Ok((fit, reached))
    }
}

/// The fits along one density of a path: each similarity from the one before. What cannot be reached is left out.
pub(super) fn along(
    session: &Session<'_>,
    density: f64,
    similarities: &[f64],
    watch: Watch<'_>,
    each: &mut dyn FnMut(Fit, Reached, f64),
) -> Result<(), Error> {
    let targets = Targets {
        density: Dial::At(density),
        ..Targets::default()
    };
    let mut stages = Stages::new(session, &session.method().model, &targets, watch)?;
    // The floor once for the whole row of the path.
    let Some(()) = ended(stages.separate())? else {
        return Ok(());
    };
    let Some(separate) = stages.search.take_best() else {
        return Ok(());
    };
    let separate_alpha = separate.point.at[DENSITY].exp();
    let floor = separate.values[SIMILARITY];
    let mut beside: Option<(Point, Start)> = None;
    for &similarity in similarities {
        if similarity <= floor + SIMILARITY_TOLERANCE {
            continue;
        }
        let dial = Dial::At(similarity);
        let Some(()) = ended(stages.couple(&separate, dial))? else {
            continue;
        };
        // The cell before is nearer than the views on their own.
        if let Some((point, start)) = beside.take() {
            stages.point = point;
            stages.search.start_from(Some(start));
        }
        stages.asked = [true, true, false];
        let solved = match stages.solve() {
            Ok(()) | Err(Halt::Spent) => stages.check_hit().map_err(Halt::Failed),
            other => other,
        };
        if ended(solved)?.is_none() {
            stages.search.take_best();
            stages.search.solves = 0;
            continue;
        }
        let (fit, reached) = stages.finish(watch)?;
        stages.search.solves = 0;
        beside = Some((stages.point, fit.start()));
        each(fit, reached, separate_alpha);
    }
    Ok(())
}

/// None where a target is out of reach or the caller asked to stop.
fn ended(outcome: Result<(), Halt>) -> Result<Option<()>, Error> {
    match outcome {
        Ok(()) | Err(Halt::Spent) => Ok(Some(())),
        Err(Halt::Interrupted) => Ok(None),
        Err(Halt::Failed(Error::Data(errors))) if errors.iter().all(|error| error.code == Code::E10) => Ok(None),
        Err(Halt::Failed(error)) => Err(error),
    }
}

fn density_aim(target: f64, n_nodes: usize) -> Aim {
    let edge = 2.0 / (n_nodes * (n_nodes - 1)) as f64;
    Aim {
        target,
        tolerance: DENSITY_TOLERANCE.min(DENSITY_SHARE * target).max(0.501 * edge),
        floor: 0.0,
    }
}
