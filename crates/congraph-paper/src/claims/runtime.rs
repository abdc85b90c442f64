//! What the paper says about run times (its third figure), of its own algorithm (ADMM) and of Newton.
//!
//! Times are means over the realisations; "the same time" is within a factor of 2.

use super::{Claim, Judged};
use crate::methods::Method;
use crate::plan::Varied;
use crate::runtime::{Timed, Timing};
use crate::statistics::exponent;

/// Exponents of n this near to 2 or 3 are taken for them.
const NEAR: f64 = 0.5;

/// Mean seconds at the levels of a panel.
pub(crate) fn means(timings: &[Timing], varied: Varied, timed: Timed) -> Vec<(f64, f64)> {
    let mut found: Vec<(f64, f64, f64)> = Vec::new();
    for timing in timings
        .iter()
        .filter(|timing| (timing.varied, timing.timed) == (varied, timed))
    {
        match found.iter_mut().find(|(level, _, _)| *level == timing.level) {
            Some((_, total, count)) => {
                *total += timing.seconds;
                *count += 1.0;
            }
            None => found.push((timing.level, timing.seconds, 1.0)),
        }
    }
    found
        .into_iter()
        .map(|(level, total, count)| (level, total / count))
        .collect()
}

/// One takes longer than two at every level.
fn slower(one: &[(f64, f64)], two: &[(f64, f64)]) -> (bool, f64) {
    let ratio = one
        .iter()
        .zip(two)
        .map(|(x, y)| x.1 / y.1)
        .fold(f64::INFINITY, f64::min);
    (ratio > 1.0, ratio)
}

fn rising(points: &[(f64, f64)]) -> bool {
    points.windows(2).all(|step| step[1].1 > step[0].1)
}

fn milliseconds(points: &[(f64, f64)]) -> String {
    match points {
        [first, .., last] => format!("{:.1} → {:.1} ms", 1e3 * first.1, 1e3 * last.1),
        _ => "–".into(),
    }
}

type Solver = (&'static str, &'static str, fn(Method) -> Timed);

const SOLVERS: [Solver; 2] = [("a", "ADMM", Timed::Admm), ("n", "Newton", Timed::Newton)];

pub(super) fn claims(timings: &[Timing]) -> Vec<Claim> {
    let mut claims = Vec::new();
    for (letter, solver, with) in SOLVERS {
        let mut add = |number: usize, panel: &str, sentence: &str, (holds, numbers): Judged| {
            claims.push(Claim {
                id: format!("R{number}{letter}"),
                sentence: format!("{sentence} ({solver})"),
                figure: format!("runtime {panel}"),
                holds,
                numbers,
            });
        };
        let panels = Varied::OF_TIMES.map(|varied| {
            let of = |timed| means(timings, varied, timed);
            Of {
                single: of(with(Method::SvGl)),
                one: of(with(Method::MvGl1)),
                two: of(with(Method::MvGl2)),
                joint: of(Timed::Joint),
            }
        });
        let [nodes, views] = &panels;
        add(
            1,
            "a",
            "all methods have longer run times with increasing number of nodes",
            nodes.all_rise(),
        );
        add(2, "a", "svGL is the fastest method", nodes.single_fastest());
        add(
            3,
            "a",
            "svGL is followed by the proposed models, and JGL is the slowest",
            nodes.joint_slowest(),
        );
        add(
            4,
            "a",
            "the proposed models have the same time complexity",
            nodes.same_time(),
        );
        add(
            5,
            "a",
            "JGL's computational complexity is cubic in n, while that of the other methods is quadratic",
            nodes.exponents(),
        );
        add(6, "b", "over N, the fastest method is svGL", views.single_fastest());
        add(7, "b", "over N, the slowest method is JGL", views.joint_slowest());
        add(
            8,
            "b",
            "run times of all methods increase with the number of views",
            views.all_rise(),
        );
    }
    claims
}

/// The lines of one panel.
struct Of {
    single: Vec<(f64, f64)>,
    one: Vec<(f64, f64)>,
    two: Vec<(f64, f64)>,
    joint: Vec<(f64, f64)>,
}

impl Of {
    fn named(&self) -> [(&'static str, &[(f64, f64)]); 4] {
        [
            ("svGL", &self.single),
            ("mvGL-ℓ1", &self.one),
            ("mvGL-ℓ2", &self.two),
            ("JGL", &self.joint),
        ]
    }

    fn all_rise(&self) -> Judged {
        let said = self
            .named()
            .map(|(name, points)| format!("{name} {}", milliseconds(points)));
        (self.named().iter().all(|(_, points)| rising(points)), said.join(", "))
    }

    fn single_fastest(&self) -> Judged {
        let others = [("mvGL-ℓ1", &self.one), ("mvGL-ℓ2", &self.two), ("JGL", &self.joint)];
        let found = others.map(|(name, points)| (name, slower(points, &self.single)));
        let said = found.map(|(name, (_, ratio))| format!("{name} takes at least {ratio:.2} times as long"));
        (found.iter().all(|(_, (holds, _))| *holds), said.join(", "))
    }

    fn joint_slowest(&self) -> Judged {
        let others = [("svGL", &self.single), ("mvGL-ℓ1", &self.one), ("mvGL-ℓ2", &self.two)];
        let found = others.map(|(name, points)| (name, slower(&self.joint, points)));
        let said = found.map(|(name, (_, ratio))| format!("JGL takes at least {ratio:.2} times as long as {name}"));
        (found.iter().all(|(_, (holds, _))| *holds), said.join(", "))
    }

    fn same_time(&self) -> Judged {
        let ratios = self.one.iter().zip(&self.two).map(|(x, y)| y.1 / x.1);
        let (least, most) = ratios.fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), x| (x.min(a), x.max(b)));
        (
            least >= 0.5 && most <= 2.0,
            format!("mvGL-ℓ2 takes {least:.2} to {most:.2} times as long as mvGL-ℓ1"),
        )
    }

    fn exponents(&self) -> Judged {
        let found = self.named().map(|(name, points)| (name, exponent(points)));
        let fits = |&(name, power): &(&str, f64)| (power - if name == "JGL" { 3.0 } else { 2.0 }).abs() <= NEAR;
        let said = found.map(|(name, power)| format!("{name} n^{power:.1}"));
        (found.iter().all(fits), said.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timings(joint: f64) -> Vec<Timing> {
        let mut timings = Vec::new();
        for (varied, levels) in [(Varied::Nodes, [50.0, 100.0, 200.0]), (Varied::Views, [3.0, 6.0, 12.0])] {
            for level in levels {
                for timed in Timed::ALL {
                    let factor = match timed {
                        Timed::Newton(Method::SvGl) | Timed::Admm(Method::SvGl) => 1.0,
                        Timed::Joint => joint * level,
                        _ => 2.0,
                    };
                    timings.push(Timing {
                        varied,
                        level,
                        realisation: 0,
                        timed,
                        seconds: 1e-6 * factor * level * level,
                        iterations: 10,
                        relative_gap: 1e-7,
                    });
                }
            }
        }
        timings
    }

    #[test]
    fn times_as_the_paper_tells_them() {
        for claim in claims(&timings(3.0)) {
            assert!(claim.holds, "{claim:?}");
        }
    }

    #[test]
    fn a_fast_joint_graphical_lasso_is_told() {
        let claims = claims(&timings(0.001));
        let of = |id: &str| claims.iter().find(|claim| claim.id == id).unwrap().holds;
        assert!(!of("R3a") && !of("R2n") && of("R5n") && of("R4a"));
    }
}
