//! What is written: a CSV and an SVG per figure, `claims.tsv`, and `summary.md`.
//!
//! A CSV has one row per method, level and realisation, and one with `mean` in the column `realisation` and the ends of
//! the 95 % band in `low` and `high`.

use std::fmt::Write;

use crate::chart::{Chart, Line, Panel};
use crate::claims::Claim;
use crate::methods::{Method, Score};
use crate::plan::{Plan, Varied};
use crate::runtime::{TOLERANCE, Timed, Timing};
use crate::statistics::Band;
use crate::sweeps::Sweep;
use crate::work::Work;

/// One figure of F1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Figure {
    Views,
    Consensus,
}

impl Figure {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Views => "views",
            Self::Consensus => "consensus",
        }
    }

    fn methods(self, plan: &Plan) -> Vec<Method> {
        let all: &[Method] = match self {
            Self::Views => &Method::OF_VIEWS,
            Self::Consensus => &Method::OF_CONSENSUS,
        };
        let is_there = |method: &&Method| plan.told || !Method::TOLD.contains(method);
        all.iter().filter(is_there).copied().collect()
    }

    fn f1(self, score: &Score) -> Option<f64> {
        match self {
            Self::Views => Some(score.view_f1),
            Self::Consensus => score.consensus.map(|[f1, _, _]| f1),
        }
    }

    pub(crate) fn csv(self, plan: &Plan, work: &Work) -> String {
        let mut text = String::from(
            "panel,graph,varied,level,method,realisation,f1,low,high,density,similarity,consensus_precision,\
             consensus_density,parameter1,parameter2,parameter3\n",
        );
        let mut methods = self.methods(plan);
        let told = Method::TOLD.into_iter().filter(|method| !methods.contains(method));
        methods.extend(told.filter(|_| plan.told).collect::<Vec<_>>());
        for sweep in Sweep::all(plan, &work.outcomes) {
            let place = format!("{},{},{}", sweep.letter(), sweep.family.name(), sweep.varied.name());
            for &method in &methods {
                let bands = sweep.series(method, |score| self.f1(score)).bands();
                for ((level, outcomes), band) in sweep.by_level().zip(bands) {
                    let row = format!("{place},{level},{}", method.name());
                    for outcome in outcomes {
                        let Some(score) = outcome.scores.iter().find(|score| score.method == method) else {
                            continue;
                        };
                        let Some(f1) = self.f1(score) else { continue };
                        let consensus = match score.consensus {
                            Some([_, precision, density]) => format!("{precision},{density}"),
                            None => ",".into(),
                        };
                        let [one, two, three] = score.parameters;
                        let _ = writeln!(
                            text,
                            "{row},{},{f1},,,{},{},{consensus},{one},{two},{three}",
                            outcome.realisation + 1,
                            score.density,
                            score.similarity
                        );
                    }
                    let Band { mean, low, high } = band;
                    let _ = writeln!(text, "{row},mean,{mean},{low},{high},,,,,,,");
                }
            }
        }
        text
    }

    pub(crate) fn chart(self, plan: &Plan, work: &Work) -> Chart {
        let panel = |sweep: &Sweep<'_>| {
            let line = |&method: &Method| {
                let bands = sweep.series(method, |score| self.f1(score)).bands();
                Line {
                    label: method.label().into(),
                    points: sweep.levels.iter().copied().zip(bands).collect(),
                }
            };
            Panel {
                title: format!("{}. {}", sweep.letter(), sweep.family.title()),
                x_label: sweep.varied.label().into(),
                lines: self.methods(plan).iter().map(line).collect(),
            }
        };
        Chart {
            title: match self {
                Self::Views => "Learning the view graphs".into(),
                Self::Consensus => "Learning the consensus graph".into(),
            },
            y_label: match self {
                Self::Views => "mean F1 of the views".into(),
                Self::Consensus => "F1 of the consensus".into(),
            },
            logarithmic: false,
            columns: Varied::OF_SCORES.len(),
            panels: Sweep::all(plan, &work.outcomes).iter().map(panel).collect(),
        }
    }
}

/// The seconds of one method at every level of a panel of the figure on run times, one per realisation.
fn times(timings: &[Timing], varied: Varied, timed: Timed) -> Vec<(f64, Vec<&Timing>)> {
    let mut levels: Vec<(f64, Vec<&Timing>)> = Vec::new();
    for timing in timings {
        if (timing.varied, timing.timed) != (varied, timed) {
            continue;
        }
        match levels.iter_mut().find(|(level, _)| *level == timing.level) {
            Some((_, found)) => found.push(timing),
            None => levels.push((timing.level, vec![timing])),
        }
    }
    levels
}

fn band(timings: &[&Timing]) -> Band {
    Band::of(&timings.iter().map(|timing| timing.seconds).collect::<Vec<_>>())
}

pub(crate) fn runtime_csv(work: &Work) -> String {
    let mut text = String::from("panel,varied,level,method,realisation,seconds,low,high,iterations,relative_gap\n");
    for (letter, varied) in ["a", "b"].into_iter().zip(Varied::OF_TIMES) {
        for timed in Timed::ALL {
            for (level, timings) in times(&work.timings, varied, timed) {
                let row = format!("{letter},{},{level},{}", varied.name(), timed.name());
                for timing in &timings {
                    let _ = writeln!(
                        text,
                        "{row},{},{:.6},,,{},{:e}",
                        timing.realisation + 1,
                        timing.seconds,
                        timing.iterations,
                        timing.relative_gap
                    );
                }
                let Band { mean, low, high } = band(&timings);
                let _ = writeln!(text, "{row},mean,{mean:.6},{low:.6},{high:.6},,");
            }
        }
    }
    text
}

pub(crate) fn runtime_chart(work: &Work) -> Chart {
    let panel = |(letter, varied): (&str, Varied)| {
        let line = |timed: Timed| {
            let levels = times(&work.timings, varied, timed).into_iter();
            Line {
                label: timed.label(),
                points: levels.map(|(level, timings)| (level, band(&timings))).collect(),
            }
        };
        Panel {
            title: format!("{letter}. Erdős–Rényi"),
            x_label: varied.label().into(),
            lines: Timed::ALL.into_iter().map(line).collect(),
        }
    };
    Chart {
        title: format!("Run times to a relative gap of {TOLERANCE:e}"),
        y_label: "seconds".into(),
        logarithmic: true,
        columns: 2,
        panels: ["a", "b"].into_iter().zip(Varied::OF_TIMES).map(panel).collect(),
    }
}

pub(crate) const CLAIM_COLUMNS: [&str; 5] = ["id", "claim", "figure", "verdict", "numbers"];

fn verdict(claim: &Claim) -> &'static str {
    if claim.holds { "holds" } else { "does not hold" }
}

pub(crate) fn claim_rows(claims: &[Claim]) -> Vec<Vec<String>> {
    let row = |claim: &Claim| {
        vec![
            claim.id.clone(),
            claim.sentence.clone(),
            claim.figure.clone(),
            verdict(claim).into(),
            claim.numbers.clone(),
        ]
    };
    claims.iter().map(row).collect()
}

/// What was run on simulated data, for readers.
pub(crate) fn summary(plan: &Plan, seconds: f64, threads: usize) -> String {
    let studies = [
        ("views", plan.views),
        ("consensus", plan.consensus),
        ("runtime", plan.runtime),
    ];
    let studies: Vec<&str> = studies.iter().filter(|study| study.1).map(|study| study.0).collect();
    let mut options = format!(
        "{} --seed {} --realisations {}",
        studies.join(" "),
        plan.seed,
        plan.realisations
    );
    if plan.n_nodes != 100 {
        let _ = write!(options, " --nodes {}", plan.n_nodes);
    }
    for (option, given) in [(" --quick", plan.quick), (" --raw", plan.raw)] {
        if given {
            options.push_str(option);
        }
    }
    format!(
        "# The paper's simulated experiments\n\n`congraph-paper {options}`, version {}: {seconds:.0} s with {threads} \
         thread{}.\n\nn = {}; Erdős–Rényi with p = 0.1 and Barabási–Albert with m = 5; each view moves 10 % of the \
         edges. Panels a–c and d–f vary from N = 6, p = 500, η = 0.1; run times over n have N = 3. Signals are {}. \
         Realisation r of seed {} is simulated with the seed {}·1000 + r − 1, the same at every level.\n\nα, γ and λ1 \
         are those of the best mean view F1, β and λ2 those of a correlation of 0.8 between the views; the likelihood \
         chooses for itself, without any truth.\n",
        env!("CARGO_PKG_VERSION"),
        if threads == 1 { "" } else { "s" },
        plan.n_nodes,
        if plan.raw {
            "not scaled (the paper's raw objective)"
        } else {
            "scaled by the defaults of `congraph learn`"
        },
        plan.seed,
        plan.seed
    )
}

/// What came of it.
pub(crate) fn verdicts(claims: &[Claim]) -> String {
    let held = claims.iter().filter(|claim| claim.holds).count();
    let mut text = format!(
        "\n{held} of {} claims hold. Numbers are in `claims.tsv`; figures in the `.svg` files, with every value in the \
         `.csv` files.\n\n| id | claim | figure | verdict |\n| --- | --- | --- | --- |\n",
        claims.len()
    );
    for claim in claims {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            claim.id,
            claim.sentence,
            claim.figure,
            verdict(claim)
        );
    }
    text
}
