//! Which data sets: what varies from the setting n = 100, N = 6, p = 500, η = 0.1, and over which levels.

use congraph::Scaling;
use congraph::simulate::{GraphModel, Settings};

/// What the consensus graph is drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    ErdosRenyi,
    BarabasiAlbert,
}

impl Family {
    pub(crate) const ALL: [Self; 2] = [Self::ErdosRenyi, Self::BarabasiAlbert];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ErdosRenyi => "ER",
            Self::BarabasiAlbert => "BA",
        }
    }

    pub(crate) fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.name() == name)
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::ErdosRenyi => "Erdős–Rényi",
            Self::BarabasiAlbert => "Barabási–Albert",
        }
    }

    fn model(self) -> GraphModel {
        match self {
            Self::ErdosRenyi => GraphModel::ErdosRenyi { probability: 0.1 },
            Self::BarabasiAlbert => GraphModel::BarabasiAlbert { growth: 5 },
        }
    }
}

/// What varies along a panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Varied {
    Views,
    Signals,
    Noise,
    Nodes,
}

impl Varied {
    /// The columns of the figures on F1.
    pub(crate) const OF_SCORES: [Self; 3] = [Self::Views, Self::Signals, Self::Noise];
    /// The panels of the figure on run times.
    pub(crate) const OF_TIMES: [Self; 2] = [Self::Nodes, Self::Views];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Views => "views",
            Self::Signals => "signals",
            Self::Noise => "noise",
            Self::Nodes => "nodes",
        }
    }

    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Views => "number of views N",
            Self::Signals => "number of signals p",
            Self::Noise => "noise η",
            Self::Nodes => "number of nodes n",
        }
    }

    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Self::Views => "N",
            Self::Signals => "p",
            Self::Noise => "η",
            Self::Nodes => "n",
        }
    }
}

/// What a data set is simulated with, apart from its seed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Setting {
    pub(crate) family: Family,
    pub(crate) n_nodes: usize,
    pub(crate) n_views: usize,
    pub(crate) n_signals: usize,
    pub(crate) noise: f64,
}

impl Setting {
    fn at(self, varied: Varied, level: f64) -> Self {
        let mut setting = self;
        match varied {
            Varied::Views => setting.n_views = level as usize,
            Varied::Signals => setting.n_signals = level as usize,
            Varied::Noise => setting.noise = level,
            Varied::Nodes => setting.n_nodes = level as usize,
        }
        setting
    }

    /// The simulation of one realisation. The same realisation has the same random numbers at every level of a sweep.
    pub(crate) fn simulated(&self, seed: u64) -> Settings {
        Settings {
            n_nodes: self.n_nodes,
            n_views: self.n_views,
            n_signals: vec![self.n_signals],
            graph: self.family.model(),
            noise: self.noise,
            seed,
            ..Settings::default()
        }
    }
}

/// One data set to score the methods on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Job {
    pub(crate) setting: Setting,
    pub(crate) realisation: usize,
}

/// All that is to be done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plan {
    pub(crate) views: bool,
    pub(crate) consensus: bool,
    pub(crate) runtime: bool,
    pub(crate) quick: bool,
    pub(crate) raw: bool,
    /// Whether methods are told both parameters and a threshold as well.
    pub(crate) told: bool,
    pub(crate) n_nodes: usize,
    pub(crate) realisations: usize,
    pub(crate) seed: u64,
}

impl Plan {
    /// The levels of a panel, and the setting at each.
    pub(crate) fn levels(&self, family: Family, varied: Varied) -> Vec<(f64, Setting)> {
        let levels: &[f64] = match (varied, self.quick) {
            (Varied::Views, false) => &[3.0, 6.0, 9.0, 12.0],
            (Varied::Views, true) => &[3.0, 6.0, 12.0],
            (Varied::Signals, false) => &[100.0, 250.0, 500.0, 750.0, 1000.0],
            (Varied::Signals, true) => &[100.0, 500.0, 1000.0],
            (Varied::Noise, false) => &[0.1, 0.2, 0.3, 0.4, 0.5],
            (Varied::Noise, true) => &[0.1, 0.3, 0.5],
            (Varied::Nodes, false) => &[50.0, 75.0, 100.0, 150.0, 200.0],
            (Varied::Nodes, true) => &[50.0, 100.0, 200.0],
        };
        let base = Setting {
            family,
            n_nodes: self.n_nodes,
            n_views: if varied == Varied::Nodes { 3 } else { 6 },
            n_signals: 500,
            noise: 0.1,
        };
        let level = |&level: &f64| match varied {
            // Other sizes keep the proportions.
            Varied::Nodes => (level * self.n_nodes as f64 / 100.0).round(),
            _ => level,
        };
        levels
            .iter()
            .map(level)
            .map(|level| (level, base.at(varied, level)))
            .collect()
    }

    /// Every data set that the figures on F1 need, once.
    pub(crate) fn jobs(&self) -> Vec<Job> {
        let mut settings: Vec<Setting> = Vec::new();
        if self.views || self.consensus {
            for family in Family::ALL {
                for varied in Varied::OF_SCORES {
                    for (_, setting) in self.levels(family, varied) {
                        if !settings.contains(&setting) {
                            settings.push(setting);
                        }
                    }
                }
            }
        }
        let of = |&setting: &Setting| (0..self.realisations).map(move |realisation| Job { setting, realisation });
        settings.iter().flat_map(of).collect()
    }

    /// The seed of a realisation.
    pub(crate) fn seed_of(&self, realisation: usize) -> u64 {
        self.seed.wrapping_mul(1000).wrapping_add(realisation as u64)
    }

    pub(crate) fn scaling(&self) -> Scaling {
        if self.raw { Scaling::RAW } else { Scaling::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn plan() -> Plan {
        Plan {
            views: true,
            consensus: true,
            runtime: false,
            quick: false,
            raw: false,
            told: false,
            n_nodes: 100,
            realisations: 10,
            seed: 1,
        }
    }

    #[test]
    fn the_setting_that_all_panels_share_is_simulated_once() {
        // 4 + 5 + 5 levels share one, in each of the two families.
        assert_eq!(plan().jobs().len(), 2 * 12 * 10);
        let both = Plan {
            consensus: false,
            ..plan()
        };
        assert_eq!(both.jobs(), plan().jobs());
    }

    #[test]
    fn realisations_of_other_seeds_do_not_overlap() {
        let other = Plan { seed: 2, ..plan() };
        assert!((0..10).all(|k| (0..10).all(|l| plan().seed_of(k) != other.seed_of(l))));
    }
}
