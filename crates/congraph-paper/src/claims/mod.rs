//! Every sentence of the paper that says something about these figures, in short, and whether the numbers agree.
//!
//! The words become comparisons of means over the realisations, the same for all methods and panels:
//!
//! ```text
//! higher, better     the mean is higher at every level
//! similar            means differ by at most 0.02 at every level
//! improves, drops    paired over realisations, the last level differs from the first (95 %), and no step goes back by
//!                    more than 0.01
//! not affected       means differ by at most 0.01 between any two levels
//! ```

mod consensus;
mod runtime;
mod views;

use crate::methods::Method;
use crate::plan::{Family, Plan, Varied};
use crate::statistics::Band;
use crate::sweeps::{Series, Sweep};
use crate::work::Work;

/// Means this near are similar.
pub(crate) const SIMILAR: f64 = 0.02;
/// Means this near are the same.
const SAME: f64 = 0.01;

/// A sentence and what the numbers say to it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Claim {
    /// V of views, C of consensus, R of run times; X is ours, not the paper's.
    pub(crate) id: String,
    pub(crate) sentence: String,
    /// The figure and its panels.
    pub(crate) figure: String,
    pub(crate) holds: bool,
    pub(crate) numbers: String,
}

/// All claims that the results can be asked about.
pub(crate) fn all(plan: &Plan, work: &Work) -> Vec<Claim> {
    let sweeps = Sweep::all(plan, &work.outcomes);
    let mut claims = Vec::new();
    if plan.views {
        claims.extend(views::claims(&sweeps, plan.told));
    }
    if plan.consensus {
        claims.extend(consensus::claims(&sweeps, plan.told));
    }
    if plan.runtime {
        claims.extend(runtime::claims(&work.timings));
    }
    claims
}

/// Whether something holds, and the numbers.
type Judged = (bool, String);

/// A claim about several panels: it holds if it holds in each.
fn claim<'a>(
    id: &str,
    sentence: &str,
    figure: &str,
    sweeps: impl IntoIterator<Item = &'a Sweep<'a>>,
    judge: impl Fn(&Sweep<'_>) -> Judged,
) -> Claim {
    let mut holds = true;
    let (mut panels, mut numbers) = (String::new(), Vec::new());
    for sweep in sweeps {
        let (in_panel, said) = judge(sweep);
        holds &= in_panel;
        panels.push(sweep.letter());
        numbers.push(format!(
            "{} over {}: {said}",
            sweep.family.name(),
            sweep.varied.symbol()
        ));
    }
    Claim {
        id: id.into(),
        sentence: sentence.into(),
        figure: format!("{figure} {panels}"),
        holds,
        numbers: numbers.join("; "),
    }
}

/// The panels of one column.
fn over<'a>(sweeps: &'a [Sweep<'a>], varied: Varied) -> impl Iterator<Item = &'a Sweep<'a>> {
    Family::ALL.into_iter().flat_map(move |family| {
        sweeps
            .iter()
            .filter(move |sweep| (sweep.family, sweep.varied) == (family, varied))
    })
}

fn level(sweep: &Sweep<'_>, place: usize) -> String {
    format!("{} = {}", sweep.varied.symbol(), sweep.levels[place])
}

/// One is higher than two at the levels that are asked about.
fn higher(sweep: &Sweep<'_>, one: &Series, two: &Series, about: impl Fn(f64) -> bool) -> Judged {
    let mut least: Option<(usize, f64)> = None;
    let (mut wins, mut all) = (0, 0);
    for place in (0..sweep.levels.len()).filter(|&place| about(sweep.levels[place])) {
        let (one, two) = (&one.values[place], &two.values[place]);
        let difference = Band::of_differences(one, two).mean;
        if least.is_none_or(|(_, other)| difference < other) {
            least = Some((place, difference));
        }
        wins += one.iter().zip(two).filter(|(x, y)| x > y).count();
        all += one.len();
    }
    match least {
        None => (true, "no such level".into()),
        Some((place, difference)) => (
            difference > 0.0,
            format!(
                "by {difference:+.3} at least ({}), in {wins} of {all} data sets",
                level(sweep, place)
            ),
        ),
    }
}

/// One is at most similar to two at the levels that are asked about.
fn not_higher(sweep: &Sweep<'_>, one: &Series, two: &Series, about: impl Fn(f64) -> bool) -> Judged {
    let differences = (0..sweep.levels.len())
        .filter(|&place| about(sweep.levels[place]))
        .map(|place| (place, Band::of_differences(&one.values[place], &two.values[place]).mean));
    match differences.max_by(|x, y| x.1.total_cmp(&y.1)) {
        None => (true, "no such level".into()),
        Some((place, most)) => (most <= SIMILAR, format!("at most {most:+.3} ({})", level(sweep, place))),
    }
}

fn similar(sweep: &Sweep<'_>, one: &Series, two: &Series) -> Judged {
    let difference = |place: usize| Band::of_differences(&one.values[place], &two.values[place]).mean;
    let (place, most) =
        (0..sweep.levels.len())
            .map(|place| (place, difference(place)))
            .fold(
                (0, 0.0_f64),
                |most, next| if next.1.abs() > most.1.abs() { next } else { most },
            );
    (
        most.abs() <= SIMILAR,
        format!("they differ by {most:+.3} at most ({})", level(sweep, place)),
    )
}

/// From the first level to the last, `direction` being 1 for up and −1 for down.
fn moves(series: &Series, direction: f64) -> Judged {
    let means = series.means();
    let (Some(first), Some(last)) = (series.values.first(), series.values.last()) else {
        return (true, "no level".into());
    };
    let band = Band::of_differences(last, first);
    let beyond = if direction > 0.0 {
        band.low > 0.0
    } else {
        band.high < 0.0
    };
    let steady = means.windows(2).all(|step| direction * (step[1] - step[0]) >= -SAME);
    let (from, to) = (means[0], means[means.len() - 1]);
    (
        beyond && steady,
        format!("{from:.3} → {to:.3} ({:+.3} to {:+.3})", band.low, band.high),
    )
}

/// Several series, each by its name.
fn each(methods: &[Method], judge: impl Fn(Method) -> Judged) -> Judged {
    let mut holds = true;
    let said: Vec<String> = methods
        .iter()
        .map(|&method| {
            let (one, numbers) = judge(method);
            holds &= one;
            format!("{} {numbers}", method.label())
        })
        .collect();
    (holds, said.join(", "))
}

fn unaffected(series: &Series) -> Judged {
    let means = series.means();
    let (least, most) = means.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &mean| {
        (mean.min(a), mean.max(b))
    });
    (most - least <= SAME, format!("means from {least:.3} to {most:.3}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::Outcome;
    use crate::work::tests::score;

    fn plan() -> Plan {
        Plan {
            views: true,
            consensus: true,
            runtime: false,
            quick: false,
            raw: false,
            told: true,
            n_nodes: 100,
            realisations: 3,
            seed: 1,
        }
    }

    /// Results as the paper tells them, with small differences between realisations.
    fn as_told(joint_gain: f64) -> Work {
        let outcome = |job: crate::plan::Job| {
            let wobble = 0.001 * job.realisation as f64;
            let setting = job.setting;
            let base = 0.8 + 0.1 * (setting.n_signals as f64 / 1000.0) - 0.2 * setting.noise + wobble;
            let shared = joint_gain + 0.004 * setting.n_views as f64;
            let consensus = |gain: f64, density: f64| Some([base + shared + gain, 0.9 - density, density]);
            Outcome {
                setting,
                realisation: job.realisation,
                differing: 1.2,
                scores: vec![
                    crate::methods::Score {
                        similarity: 0.6,
                        ..score(Method::SvGl, base, None)
                    },
                    score(Method::JglNonZero, base - 0.03 + 0.005 * setting.n_views as f64, None),
                    score(Method::JglNegative, base + 0.01 + 0.004 * setting.n_views as f64, None),
                    score(Method::MvGl1, base + shared, consensus(0.03, 0.1)),
                    score(Method::MvGl2, base + shared + 0.001, consensus(0.02, 0.1)),
                    score(Method::MvGl2Free, base + shared, consensus(-0.1, 0.2)),
                    score(Method::Median, base, consensus(-0.05, 0.1)),
                    score(Method::Spectrum, base + shared + 0.01, consensus(0.04, 0.1)),
                    score(Method::Likelihood, base + shared + 0.02, consensus(0.05, 0.1)),
                    score(Method::MvGl1Told, base + shared, consensus(0.03, 0.1)),
                    score(Method::MvGl2Told, base + shared, consensus(0.03, 0.1)),
                    score(Method::SpectrumTold, base + shared + 0.01, consensus(0.04, 0.1)),
                    score(
                        Method::JglTold,
                        base + 0.012 + 0.004 * setting.n_views as f64,
                        consensus(0.01, 0.1),
                    ),
                ],
            }
        };
        Work {
            outcomes: plan().jobs().into_iter().map(outcome).collect(),
            ..Work::default()
        }
    }

    #[test]
    fn results_as_the_paper_tells_them_bear_it_out() {
        let claims = all(&plan(), &as_told(0.05));
        assert!(claims.len() > 15);
        for claim in &claims {
            assert!(claim.holds, "{claim:?}");
        }
        let mut ids: Vec<&str> = claims.iter().map(|claim| claim.id.as_str()).collect();
        ids.dedup();
        assert_eq!(ids.len(), claims.len());
    }

    #[test]
    fn results_that_contradict_it_are_told() {
        let claims = all(&plan(), &as_told(-0.1));
        let of = |id: &str| claims.iter().find(|claim| claim.id == id).unwrap().clone();
        assert!(!of("V2").holds, "{}", of("V2").numbers);
        assert!(of("V1").holds);
        assert!(
            of("V2").numbers.contains("in 0 of 12 data sets"),
            "{}",
            of("V2").numbers
        );
    }

    #[test]
    fn a_fall_on_the_way_up_is_no_improvement() {
        let series = |means: [f64; 3]| Series {
            values: means.map(|mean| vec![mean, mean + 0.001, mean - 0.001]).to_vec(),
        };
        assert!(moves(&series([0.5, 0.6, 0.7]), 1.0).0);
        assert!(!moves(&series([0.5, 0.8, 0.7]), 1.0).0);
        assert!(!moves(&series([0.5, 0.6, 0.7]), -1.0).0);
        assert!(moves(&series([0.7, 0.7, 0.6]), -1.0).0);
        assert!(!moves(&series([0.7, 0.7, 0.7]), 1.0).0);
        assert!(unaffected(&series([0.7, 0.705, 0.7])).0 && !unaffected(&series([0.7, 0.72, 0.7])).0);
    }
}
