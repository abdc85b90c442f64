//! What is done so far, as JSON: one object per data set, and one array per run that was timed.

use congraph_cli::checkpoint::Resumable;
use serde_json::{Value, json};

use crate::methods::{Method, Outcome, Score};
use crate::plan::{Family, Job, Setting, Varied};
use crate::runtime::{Timed, Timing};

/// The work so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Work {
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) timings: Vec<Timing>,
    /// The seconds that earlier runs of the same study took.
    pub(crate) seconds: f64,
}

impl Work {
    /// What is known of a data set, perhaps of some methods only.
    pub(crate) fn known(&self, job: &Job) -> Vec<Score> {
        let is_of = |outcome: &&Outcome| outcome.setting == job.setting && outcome.realisation == job.realisation;
        self.outcomes
            .iter()
            .find(is_of)
            .map_or_else(Vec::new, |outcome| outcome.scores.clone())
    }

    /// Adds an outcome, in place of what was known of its data set.
    pub(crate) fn put(&mut self, outcome: Outcome) {
        let of = |outcome: &Outcome| (outcome.setting, outcome.realisation);
        self.outcomes.retain(|other| of(other) != of(&outcome));
        self.outcomes.push(outcome);
    }

    /// Whether all methods of a figure have been scored on a data set.
    pub(crate) fn has(&self, job: &Job, told: bool) -> bool {
        let known = self.known(job);
        let of_figures = Method::ALL
            .iter()
            .filter(|method| Method::OF_CONSENSUS.contains(method) || Method::TOLD.contains(method));
        let mut needed = of_figures.filter(|method| told || !Method::TOLD.contains(method));
        needed.all(|&method| known.iter().any(|score| score.method == method))
    }

    /// In the order of the plan, whatever order the threads came in.
    pub(crate) fn sort(&mut self, jobs: &[Job]) {
        let place = |outcome: &Outcome| {
            let is_of = |job: &Job| outcome.setting == job.setting && outcome.realisation == job.realisation;
            jobs.iter().position(is_of).unwrap_or(jobs.len())
        };
        self.outcomes.sort_by_key(place);
    }
}

impl Resumable for Work {
    const COMMAND: &'static str = "paper";

    fn to_json(&self) -> Value {
        let outcomes: Vec<Value> = self.outcomes.iter().map(outcome).collect();
        let timings: Vec<Value> = self.timings.iter().map(timing).collect();
        json!({"outcomes": outcomes, "timings": timings, "seconds": self.seconds})
    }

    fn from_json(value: &Value) -> Option<Self> {
        let outcomes = value["outcomes"].as_array()?.iter();
        let timings = value["timings"].as_array()?.iter();
        Some(Self {
            outcomes: outcomes.map(outcome_from).collect::<Option<_>>()?,
            timings: timings.map(timing_from).collect::<Option<_>>()?,
            seconds: value["seconds"].as_f64()?,
        })
    }
}

fn outcome(outcome: &Outcome) -> Value {
    let score = |score: &Score| {
        json!({
            "method": score.method.name(),
            "view_f1": score.view_f1,
            "density": score.density,
            "similarity": score.similarity,
            "consensus": score.consensus,
            "parameters": score.parameters,
        })
    };
    let Setting {
        family,
        n_nodes,
        n_views,
        n_signals,
        noise,
    } = outcome.setting;
    json!({
        "setting": [family.name(), n_nodes, n_views, n_signals, noise],
        "realisation": outcome.realisation,
        "differing": outcome.differing,
        "scores": outcome.scores.iter().map(score).collect::<Vec<_>>(),
    })
}

fn outcome_from(value: &Value) -> Option<Outcome> {
    let setting = &value["setting"];
    let score = |value: &Value| {
        let consensus = &value["consensus"];
        Some(Score {
            method: Method::by_name(value["method"].as_str()?)?,
            view_f1: value["view_f1"].as_f64()?,
            density: value["density"].as_f64()?,
            similarity: value["similarity"].as_f64()?,
            consensus: if consensus.is_null() {
                None
            } else {
                Some(three(consensus)?)
            },
            parameters: three(&value["parameters"])?,
        })
    };
    Some(Outcome {
        setting: Setting {
            family: Family::by_name(setting[0].as_str()?)?,
            n_nodes: whole(&setting[1])?,
            n_views: whole(&setting[2])?,
            n_signals: whole(&setting[3])?,
            noise: setting[4].as_f64()?,
        },
        realisation: whole(&value["realisation"])?,
        differing: value["differing"].as_f64()?,
        scores: value["scores"].as_array()?.iter().map(score).collect::<Option<_>>()?,
    })
}

fn timing(timing: &Timing) -> Value {
    json!([
        timing.varied.name(),
        timing.level,
        timing.realisation,
        timing.timed.name(),
        timing.seconds,
        timing.iterations,
        timing.relative_gap,
    ])
}

fn timing_from(value: &Value) -> Option<Timing> {
    let name = value[0].as_str()?;
    Some(Timing {
        varied: Varied::OF_TIMES.into_iter().find(|varied| varied.name() == name)?,
        level: value[1].as_f64()?,
        realisation: whole(&value[2])?,
        timed: Timed::by_name(value[3].as_str()?)?,
        seconds: value[4].as_f64()?,
        iterations: whole(&value[5])?,
        relative_gap: value[6].as_f64()?,
    })
}

fn whole(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

fn three(value: &Value) -> Option<[f64; 3]> {
    Some([value[0].as_f64()?, value[1].as_f64()?, value[2].as_f64()?])
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn score(method: Method, view_f1: f64, consensus: Option<[f64; 3]>) -> Score {
        Score {
            method,
            view_f1,
            density: 0.1,
            similarity: 0.8,
            consensus,
            parameters: [0.1, 1.0 / 3.0, 0.0],
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let setting = Setting {
            family: Family::BarabasiAlbert,
            n_nodes: 40,
            n_views: 3,
            n_signals: 100,
            noise: 0.1,
        };
        let work = Work {
            outcomes: vec![Outcome {
                setting,
                realisation: 4,
                differing: 1.3,
                scores: vec![
                    score(Method::SvGl, 0.1 + 0.2, None),
                    score(Method::MvGl1, 0.9, Some([0.9, 1.0, 0.1])),
                ],
            }],
            timings: vec![Timing {
                varied: Varied::Nodes,
                level: 50.0,
                realisation: 1,
                timed: Timed::Admm(Method::MvGl2),
                seconds: 0.25,
                iterations: 70,
                relative_gap: 9e-7,
            }],
            seconds: 12.5,
        };
        let text = work.to_json().to_string();
        let read = Work::from_json(&serde_json::from_str(&text).unwrap()).unwrap();
        assert_eq!(read, work);
        let job = Job {
            setting,
            realisation: 4,
        };
        // Methods are missing, so it is not done, and what is known is taken on.
        assert!(!work.has(&job, false));
        assert_eq!(work.known(&job).len(), 2);
        let mut work = work;
        let is_told = |method: &Method| Method::TOLD.contains(method);
        let of_figure = Method::OF_CONSENSUS.into_iter().filter(|method| !is_told(method));
        let scores: Vec<Score> = of_figure
            .map(|method| score(method, 0.9, Some([0.9, 1.0, 0.1])))
            .collect();
        work.put(Outcome {
            scores,
            ..work.outcomes[0].clone()
        });
        assert!(work.has(&job, false) && !work.has(&job, true) && work.outcomes.len() == 1);
        assert_eq!(Work::from_json(&json!({"outcomes": [{"setting": []}]})), None);
    }
}
