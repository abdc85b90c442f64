//! The root of an increasing function of one unknown, by secants kept within a bracket.
//!
//! The functions here are logarithms of densities and similarities over logarithms of α, β and γ: nearly straight, but
//! with small steps, since edges come one by one. So a root may fall into a step; then the bracket closes without
//! finding one.

/// What a trial of the function tells.
pub(crate) struct Value {
    /// f(x).
    pub(crate) residual: f64,
    /// Whether that is near enough to 0.
    pub(crate) good: bool,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ended {
    /// A value was good.
    Found,
    /// The root lies in a step: the bracket closed.
    Step,
    /// Even the largest x gives less than 0.
    TooLow,
    /// Even the smallest x gives more than 0.
    TooHigh,
}

/// A bracket narrower than this has closed.
const CLOSED: f64 = 1e-6;
/// Trials keep this share of the bracket away from its ends.
const AWAY: f64 = 0.05;
/// How far one step goes without a bracket.
const FAR: f64 = 2.0;
/// The least step without a bracket; it doubles, so that a flat function is followed to its end in a dozen trials.
const LEAST: f64 = 1e-3;
/// A secant without a bracket goes a little further than it says, so that the root is bracketed.
const BEYOND: f64 = 1.1;

/// Looks for the root of `f` from `x` with a guess of its slope, between `limits`.
pub(crate) fn root<E>(
    mut x: f64,
    mut slope: f64,
    limits: [f64; 2],
    mut f: impl FnMut(f64) -> Result<Value, E>,
) -> Result<Ended, E> {
    let (mut low, mut high): (Option<[f64; 2]>, Option<[f64; 2]>) = (None, None);
    let mut last: Option<[f64; 2]> = None;
    let mut was_low = None;
    let (mut least, mut far) = (LEAST, FAR);
    x = x.clamp(limits[0], limits[1]);
    loop {
        let value = f(x)?;
        if value.good {
            return Ok(Ended::Found);
        }
        let here = [x, value.residual];
        let is_low = value.residual < 0.0;
        if let Some([x0, f0]) = last
            && (here[1] - f0) / (x - x0) > 0.1 * slope
        {
            slope = ((here[1] - f0) / (x - x0)).min(10.0 * slope);
        }
        last = Some(here);
        // An end that stays while the other moves twice counts half: the secant comes over to its side.
        let (moving, staying) = if is_low {
            (&mut low, &mut high)
        } else {
            (&mut high, &mut low)
        };
        *moving = Some(here);
        if was_low == Some(is_low)
            && let Some(end) = staying
        {
            end[1] *= 0.5;
        }
        was_low = Some(is_low);
        x = match (low, high) {
            (Some([x0, f0]), Some([x1, f1])) => {
                let width = x1 - x0;
                if width.abs() < CLOSED {
                    return Ok(Ended::Step);
                }
                let share = f0 / (f0 - f1);
                let share = if share.is_finite() { share } else { 0.5 };
                x0 + width * share.clamp(AWAY, 1.0 - AWAY)
            }
            (Some(_), None) if x >= limits[1] => return Ok(Ended::TooLow),
            (None, Some(_)) if x <= limits[0] => return Ok(Ended::TooHigh),
            _ => {
                let step = (-BEYOND * value.residual / slope).clamp(-far, far);
                let step = step.abs().max(least).copysign(step);
                far *= 1.5;
                least *= 2.0;
                (x + step).clamp(limits[0], limits[1])
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trials(f: impl Fn(f64) -> f64, x: f64, slope: f64, limits: [f64; 2]) -> (Ended, usize, f64) {
        let (mut count, mut best) = (0, f64::INFINITY);
        let ended = root::<()>(x, slope, limits, |x| {
            count += 1;
            let residual = f(x);
            best = best.min(residual.abs());
            Ok(Value {
                residual,
                good: residual.abs() < 1e-3,
            })
        });
        (ended.unwrap(), count, best)
    }

    #[test]
    fn curves_take_few_trials_from_far_away() {
        for start in [-8.0, -1.0, 0.3, 2.0, 9.0] {
            for slope in [0.3, 1.0, 3.0] {
                let (ended, count, _) = trials(|x| x + 0.3 * x.sin() - 0.5, start, slope, [-20.0, 20.0]);
                assert!(ended == Ended::Found && count <= 14, "{start} {slope}: {count}");
            }
        }
    }

    #[test]
    fn a_root_in_a_step_closes_the_bracket_on_it() {
        let (ended, count, best) = trials(|x| if x < 0.7 { -0.2 } else { 0.1 }, 0.0, 1.0, [-5.0, 5.0]);
        assert!(ended == Ended::Step && count < 40 && best == 0.1, "{count}");
    }

    #[test]
    fn what_is_out_of_reach_is_told() {
        assert_eq!(trials(|x| x.tanh() - 2.0, 0.0, 1.0, [-30.0, 30.0]).0, Ended::TooLow);
        assert_eq!(trials(|x| x.tanh() + 2.0, 0.0, 1.0, [-30.0, 30.0]).0, Ended::TooHigh);
        // Just missed, and flat all the way: the secants' steps are small, and the end is far.
        let (ended, count, _) = trials(|x| x.tanh() - 1.05, 3.0, 1.0, [-30.0, 30.0]);
        assert!(ended == Ended::TooLow && count < 20, "{count}");
    }
}
