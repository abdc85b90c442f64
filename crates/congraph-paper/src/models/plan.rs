//! Which data sets: a setting at a time departs from the base (Erdős–Rényi with p = 0.1, n = 100, N = 6, 500 signals,
//! noise 0.1, the filter L†, a tenth of the edges moved).

use congraph::simulate::{Filter, GraphModel, Reach, Settings};

/// Between which numbers edges of weighted graphs weigh.
const WEIGHTS: [f64; 2] = [0.5, 2.0];
/// The first seed is one more than this, times the seed that is asked for; no method was developed on those of seed 1.
const BEFORE_FIRST: u64 = 70_000;

/// The word for all settings that claims are about.
const MAIN: &str = "main";

/// What a data set is simulated with, apart from its seed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Setting {
    pub(super) name: &'static str,
    /// Whether the claims are about it; the others only widen the view.
    pub(super) is_main: bool,
    pub(super) settings: Settings,
}

impl Setting {
    /// Whether it is meant by a name, or by the word for all that claims are about.
    fn is_called(&self, name: &str) -> bool {
        name == self.name || (name == MAIN && self.is_main)
    }
}

/// All that is to be done.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    pub(super) settings: Vec<Setting>,
    pub(super) n_nodes: usize,
    pub(super) quick: bool,
    pub(super) realisations: usize,
    pub(super) seed: u64,
}

/// One data set: a setting, by its place, and the seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) setting: usize,
    pub(super) seed: u64,
}

impl Plan {
    pub(super) fn new(n_nodes: usize, quick: bool, realisations: usize, seed: u64) -> Self {
        let all = settings(n_nodes);
        // For a first look: one of each graph, both filters, weights, and one that no claim is about.
        let few = ["P1-100", "BA-P5-500", "GEOw-P1-500", "ERw-P1-250", "heat-500"];
        Self {
            settings: all
                .into_iter()
                .filter(|one| !quick || few.contains(&one.name))
                .collect(),
            n_nodes,
            quick,
            realisations,
            seed,
        }
    }

    /// The first name that is no setting's.
    pub(super) fn unknown<'a>(&self, only: &'a [String]) -> Option<&'a String> {
        only.iter()
            .find(|name| !self.settings.iter().any(|setting| setting.is_called(name)))
    }

    /// Every data set: those that claims are about first, and each seed for all of them before the next, so that what an
    /// interrupted study leaves is of use.
    /// `only` names the settings; none means all.
    pub(super) fn jobs(&self, only: &[String]) -> Vec<Job> {
        let first = self.seed.wrapping_mul(BEFORE_FIRST).wrapping_add(1);
        let mut jobs = Vec::new();
        for is_main in [true, false] {
            for seed in (0..self.realisations as u64).map(|r| first.wrapping_add(r)) {
                let is_asked = |place: &usize| {
                    let setting = &self.settings[*place];
                    setting.is_main == is_main && (only.is_empty() || only.iter().any(|name| setting.is_called(name)))
                };
                let places = (0..self.settings.len()).filter(is_asked);
                jobs.extend(places.map(|setting| Job { setting, seed }));
            }
        }
        jobs
    }
}

fn settings(n_nodes: usize) -> Vec<Setting> {
    let base = Settings {
        n_nodes,
        ..Settings::default()
    };
    let of = |is_main: bool| {
        move |name: &'static str, settings: Settings| Setting {
            name,
            is_main,
            settings,
        }
    };
    let (main, other) = (of(true), of(false));
    let with = |n_signals: usize, filter: Filter| Settings {
        n_signals: vec![n_signals],
        filter,
        ..base.clone()
    };
    let (p1, p5) = (Filter::PseudoInverse, Filter::Gaussian);
    let ba = |filter: Filter| Settings {
        graph: GraphModel::BarabasiAlbert { growth: 5 },
        ..with(500, filter)
    };
    let geometric = |filter: Filter| Settings {
        graph: GraphModel::RandomGeometric {
            reach: Reach::MeanDegree(10.0),
        },
        weights: Some(WEIGHTS),
        ..with(500, filter)
    };
    let views = |n_views: usize| Settings {
        n_views,
        ..base.clone()
    };
    let nodes = |n_nodes: usize| Settings {
        n_nodes,
        ..base.clone()
    };
    vec![
        main("P1-500", base.clone()),
        main("P1-100", with(100, p1)),
        main("P5-500", with(500, p5)),
        main("P5-100", with(100, p5)),
        main(
            "P1-500-n5",
            Settings {
                noise: 0.5,
                ..base.clone()
            },
        ),
        main("P1-500-N3", views(3)),
        main("P1-500-N12", views(12)),
        main("BA-P1-500", ba(p1)),
        main("BA-P5-500", ba(p5)),
        main("GEOw-P1-500", geometric(p1)),
        main("GEOw-P5-500", geometric(p5)),
        main(
            "ERw-P1-250",
            Settings {
                weights: Some(WEIGHTS),
                ..with(250, p1)
            },
        ),
        other("heat-500", with(500, Filter::Heat { t: 0.1 })),
        other("tikhonov-500", with(500, Filter::Tikhonov { t: 1.0 })),
        other("P1-50", with(50, p1)),
        other("P1-250", with(250, p1)),
        other("P1-1000", with(1000, p1)),
        other(
            "P1-500-shuffled3",
            Settings {
                shuffled: 0.3,
                ..base.clone()
            },
        ),
        other("P1-500-half-n", nodes(n_nodes / 2)),
        other("P1-500-double-n", nodes(2 * n_nodes)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_that_claims_are_about_come_first_and_seed_by_seed() {
        let plan = Plan::new(100, false, 10, 1);
        let jobs = plan.jobs(&[]);
        assert_eq!(plan.jobs(&["main".into()]), jobs[..120]);
        assert_eq!(plan.jobs(&["heat-500".into()]).len(), 10);
        assert_eq!(plan.unknown(&["main".into(), "cold".into()]), Some(&"cold".into()));
        assert_eq!(jobs.len(), 20 * 10);
        assert_eq!(
            (jobs[0], jobs[11].seed, jobs[12].seed),
            (
                Job {
                    setting: 0,
                    seed: 70_001
                },
                70_001,
                70_002
            )
        );
        assert!(jobs[..120].iter().all(|job| plan.settings[job.setting].is_main));
        assert!(jobs.iter().all(|job| (70_001..=70_010).contains(&job.seed)));
        let other = Plan::new(100, false, 10, 2).jobs(&[]);
        assert!(other.iter().all(|job| job.seed > 140_000));
    }

    #[test]
    fn each_setting_has_a_name_of_its_own_and_departs_from_the_base() {
        let settings = settings(100);
        assert_eq!(settings.iter().filter(|one| one.is_main).count(), 12);
        for (place, one) in settings.iter().enumerate() {
            assert!(
                settings[..place]
                    .iter()
                    .all(|other| other.name != one.name && other.settings != one.settings)
            );
        }
        assert_eq!(settings[0].settings, Settings::default());
    }
}
