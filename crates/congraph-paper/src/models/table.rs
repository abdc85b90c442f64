//! What the rows say: means with their bands, and the claims.

use std::fmt::Write;

use super::plan::{Plan, Setting};
use super::rows::{Contender, Row};
use crate::claims::Claim;

/// Means this near count as equal where ties count.
const TIE: f64 = 0.003;
/// What stands where a figure cannot be told.
const NONE: &str = "–";
/// In so many settings, of twelve, the consensus is to be as good.
const MOST_OF: [usize; 2] = [10, 12];

/// The values of one method in one setting, over the seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    pub(super) count: usize,
    pub(super) mean: f64,
    /// The standard error of the mean; none of one value.
    pub(super) error: Option<f64>,
    pub(super) least: f64,
    pub(super) most: f64,
}

impl Spread {
    pub(super) fn of(values: &[f64]) -> Self {
        let count = values.len();
        let n = count as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
        Self {
            count,
            mean,
            error: (count > 1).then(|| (squares / (n - 1.0) / n).sqrt()),
            least: values.iter().copied().fold(f64::INFINITY, f64::min),
            most: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// View F1 or consensus F1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    Views,
    Consensus,
}

impl Measure {
    const ALL: [Self; 2] = [Self::Views, Self::Consensus];

    fn of(self, row: &Row) -> f64 {
        match self {
            Self::Views => row.view_f1,
            Self::Consensus => row.consensus_f1,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Views => "views",
            Self::Consensus => "consensus",
        }
    }
}

/// All rows, by settings.
pub(super) struct Results<'a> {
    pub(super) plan: &'a Plan,
    pub(super) rows: &'a [Row],
}

impl Results<'_> {
    fn values(&self, setting: &str, contender: Contender, measure: Measure) -> Vec<f64> {
        let of = self
            .rows
            .iter()
            .filter(|row| row.setting == setting && row.contender == contender);
        of.map(|row| measure.of(row)).collect()
    }

    fn spread(&self, setting: &str, contender: Contender, measure: Measure) -> Spread {
        Spread::of(&self.values(setting, contender, measure))
    }

    /// The settings that have rows.
    fn settings(&self) -> impl Iterator<Item = &Setting> {
        let is_there = |setting: &&Setting| self.rows.iter().any(|row| row.setting == setting.name);
        self.plan.settings.iter().filter(is_there)
    }

    /// One row per setting, method and measure.
    pub(super) fn summary_rows(&self) -> Vec<Vec<String>> {
        let mut rows = Vec::new();
        for setting in self.settings() {
            for contender in Contender::ALL {
                for measure in Measure::ALL {
                    let Spread {
                        count,
                        mean,
                        error,
                        least,
                        most,
                    } = self.spread(setting.name, contender, measure);
                    let numbers = [Some(mean), error, Some(least), Some(most)];
                    let numbers =
                        numbers.map(|number| number.map_or_else(|| NONE.into(), |number| format!("{number:.4}")));
                    let mut cells = vec![setting.name.into(), contender.name().into(), measure.name().into()];
                    cells.push(count.to_string());
                    cells.extend(numbers);
                    rows.push(cells);
                }
            }
        }
        rows
    }

    /// For readers.
    pub(super) fn markdown(&self, claims: &[Claim]) -> String {
        let mut text = self.head();
        let names: Vec<&str> = Contender::ALL.iter().map(|contender| contender.label()).collect();
        let _ = write!(text, "\n| setting | seeds | {} |\n|", names.join(" | "));
        text.push_str(&" --- |".repeat(names.len() + 2));
        text.push('\n');
        for setting in self.settings() {
            let count = self.spread(setting.name, Contender::Likelihood, Measure::Views).count;
            let _ = write!(text, "| {} | {count} |", setting.name);
            for contender in Contender::ALL {
                let [views, consensus] = Measure::ALL.map(|measure| self.spread(setting.name, contender, measure).mean);
                let _ = write!(text, " {views:.3} / {consensus:.3} |");
            }
            text.push('\n');
        }
        text.push_str(&self.differences());
        text.push_str(&self.ends());
        text.push_str("\n## Claims\n\n");
        for claim in claims {
            let verdict = if claim.holds { "holds" } else { "does not hold" };
            let _ = writeln!(
                text,
                "* **{} {verdict}.** {}: {}",
                claim.id, claim.sentence, claim.numbers
            );
        }
        text
    }

    fn head(&self) -> String {
        let mut options = format!("--realisations {} --seed {}", self.plan.realisations, self.plan.seed);
        if self.plan.n_nodes != 100 {
            let _ = write!(options, " --nodes {}", self.plan.n_nodes);
        }
        if self.plan.quick {
            options.push_str(" --quick");
        }
        format!(
            "# Models: which method finds the truer graphs\n\n`congraph-paper models {options}`, version {}.\n\nMean \
             view F1 / consensus F1 over the seeds. The base is Erdős–Rényi with p = 0.1, n = {}, N = 6, 500 signals, \
             noise 0.1, a tenth of the edges moved. P1: filter L†; P5: its square root; the number after it: signals; \
             n5: noise 0.5; BA: Barabási–Albert, m = 5; GEO: random geometric, mean degree 10; w: weights drawn from \
             0.5 to 2. `heat` is exp(−0.1 L), `tikhonov` (I + L)⁻¹.\n\nEvery method but the last knows the truth: its \
             two parameters are the best by view F1 over a grid in ratios of 2, which goes on past its ends while that \
             is better, and of √2 around the best. With *+ thr* it has the best threshold for its weights as well. \
             λ1 and λ2 of the joint graphical lasso begin at 5e-4; its consensus is the median of its views. The \
             likelihood with an oracle has the best of its six couplings and the best threshold, and q by the \
             information criterion. **The likelihood without one is told nothing.** Every row is in `scores.tsv`, \
             standard errors and ranges in `means.tsv`.\n",
            env!("CARGO_PKG_VERSION"),
            self.plan.n_nodes,
        )
    }

    /// Paired differences of the likelihood from the joint graphical lasso.
    fn differences(&self) -> String {
        let mut text = String::from(
            "\nLikelihood without oracle minus fused JGL, negative, with oracle: mean ± standard error [least, most] \
             of the paired differences.\n\n| setting | views | consensus | views, JGL + thr | consensus, JGL + thr |\n\
             | --- | --- | --- | --- | --- |\n",
        );
        for setting in self.settings() {
            let _ = write!(text, "| {} |", setting.name);
            for other in [Contender::Joint, Contender::JointAbove] {
                for measure in Measure::ALL {
                    let own = self.values(setting.name, Contender::Likelihood, measure);
                    let others = self.values(setting.name, other, measure);
                    let differences: Vec<f64> = own.iter().zip(&others).map(|(x, y)| x - y).collect();
                    let Spread {
                        mean,
                        error,
                        least,
                        most,
                        ..
                    } = Spread::of(&differences);
                    let error = error.map_or_else(|| NONE.into(), |error| format!("{error:.3}"));
                    let _ = write!(text, " {mean:+.3} ± {error} [{least:+.3}, {most:+.3}] |");
                }
            }
            text.push('\n');
        }
        text
    }

    /// Where the best was at the end of its grid, and where fits did not converge.
    fn ends(&self) -> String {
        let mut text = String::new();
        for contender in Contender::ALL {
            let of = || self.rows.iter().filter(|row| row.contender == contender);
            let ends: Vec<String> = self
                .settings()
                .filter_map(|setting| {
                    let n = of().filter(|row| row.setting == setting.name && !row.is_inside).count();
                    (n > 0).then(|| format!("{} ({n})", setting.name))
                })
                .collect();
            if !ends.is_empty() {
                let _ = writeln!(text, "* {}: {}", contender.name(), ends.join(", "));
            }
        }
        let head = "\nData sets whose best is at an end of the grid, so that the score is a lower bound:";
        let unconverged: usize = self
            .rows
            .iter()
            .filter(|row| row.contender == Contender::Joint)
            .map(|row| row.unconverged)
            .sum();
        let said = if text.is_empty() {
            format!("{head} none.\n")
        } else {
            format!("{head}\n\n{text}")
        };
        format!("{said}\nFits of the joint graphical lasso that stopped at the most iterations: {unconverged}.\n")
    }

    /// What is claimed, of the settings that claims are about.
    pub(super) fn claims(&self) -> Vec<Claim> {
        let one = Contender::Likelihood;
        let mut claims = Vec::new();
        for (k, other) in [Contender::Joint, Contender::JointAbove].into_iter().enumerate() {
            claims.push(self.claim(&format!("M{}", 2 * k + 1), one, other, Measure::Views, false));
            claims.push(self.claim(&format!("M{}", 2 * k + 2), one, other, Measure::Consensus, true));
        }
        claims.push(self.claim("M5", one, Contender::SmoothAbove, Measure::Views, false));
        claims.push(self.claim("M6", one, Contender::SmoothAbove, Measure::Consensus, true));
        claims.push(self.claim("M7", Contender::Spectrum, Contender::Smooth, Measure::Views, false));
        claims
    }

    /// That one is at least as good as the other in every setting; or, if ties count, in ten of twelve.
    fn claim(&self, id: &str, one: Contender, other: Contender, measure: Measure, with_ties: bool) -> Claim {
        let tie = if with_ties { TIE } else { 0.0 };
        let (mut n_good, mut n_all) = (0, 0);
        let mut losses = Vec::new();
        for setting in self.settings().filter(|setting| setting.is_main) {
            let mean = |contender| self.spread(setting.name, contender, measure).mean;
            let (own, others) = (mean(one), mean(other));
            n_all += 1;
            if own >= others - tie {
                n_good += 1;
            } else {
                losses.push(format!("{} {own:.4} against {others:.4}", setting.name));
            }
        }
        let [most, of] = MOST_OF;
        let needed = if with_ties { n_all * most / of } else { n_all };
        let where_ = if with_ties {
            format!("in {most} of {of} settings, ties within {TIE} counted")
        } else {
            "in every setting".into()
        };
        let lost = if losses.is_empty() {
            "no loss".into()
        } else {
            format!("lost: {}", losses.join(", "))
        };
        Claim {
            id: id.into(),
            sentence: format!(
                "{} ≥ {}, mean {} F1, {where_}",
                one.name(),
                other.name(),
                match measure {
                    Measure::Views => "view",
                    Measure::Consensus => "consensus",
                }
            ),
            figure: "models".into(),
            holds: n_good >= needed,
            numbers: format!("{n_good} of {n_all}; {lost}"),
        }
    }
}

pub(super) const SUMMARY_COLUMNS: [&str; 8] = [
    "setting",
    "method",
    "of",
    "seeds",
    "mean",
    "standard_error",
    "least",
    "most",
];

#[cfg(test)]
mod tests {
    use super::super::rows::tests::data_set;
    use super::*;

    fn rows(lost: &[&str]) -> (Plan, Vec<Row>) {
        let plan = Plan::new(100, false, 2, 1);
        let mut rows = Vec::new();
        for setting in &plan.settings {
            for seed in [70_001, 70_002] {
                let wobble = 0.01 * (seed - 70_001) as f64;
                let gain = if lost.contains(&setting.name) { -0.1 } else { 0.1 };
                rows.extend(data_set(setting.name, seed, |contender| match contender {
                    Contender::Likelihood => [0.8 + gain + wobble, 0.798 + wobble],
                    _ => [0.8 + wobble, 0.8 + wobble],
                }));
            }
        }
        (plan, rows)
    }

    #[test]
    fn a_loss_is_named_with_its_numbers_and_a_tie_is_none() {
        let (plan, rows) = rows(&["BA-P1-500", "heat-500"]);
        let results = Results {
            plan: &plan,
            rows: &rows,
        };
        let claims = results.claims();
        assert!(!claims[0].holds && claims[1].holds);
        // Of heat nothing is claimed.
        assert_eq!(claims[0].numbers, "11 of 12; lost: BA-P1-500 0.7050 against 0.8050");
        assert_eq!(claims[1].numbers, "12 of 12; no loss");
        let text = results.markdown(&claims);
        assert!(
            text.contains("* **M1 does not hold.**") && text.contains("JGL-negative: P1-500 (2), "),
            "{text}"
        );
        assert_eq!(results.summary_rows().len(), 20 * 8 * 2);
    }

    #[test]
    fn spreads() {
        let spread = Spread::of(&[1.0, 2.0, 3.0]);
        assert_eq!(
            (spread.count, spread.mean, spread.least, spread.most),
            (3, 2.0, 1.0, 3.0)
        );
        assert!(
            spread
                .error
                .is_some_and(|error| (error - (1.0_f64 / 3.0).sqrt()).abs() < 1e-15)
        );
        assert_eq!(Spread::of(&[4.0]).error, None);
    }
}
