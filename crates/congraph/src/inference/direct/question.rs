//! Which columns the data allow, and why not.

use super::jackknife::{self, Counter, Estimate, Halt};
use super::moments::Moments;
use super::units::Places;
use super::{Absent, Direct, OfView, Settings, Units, summaries, tails, units};
use crate::error::list_names;
use crate::progress::Watch;
use crate::views::{Kind, Views};

/// A node's spread relative to the others may differ by this factor between views before nodes are z-scored.
const MOST_SPREAD: f64 = 3.0;
/// So many effective samples per node are needed,
const SAMPLES_PER_NODE: f64 = 2.0;
/// and in each view where views are compared.
const SAMPLES_PER_NODE_OF_VIEW: f64 = 4.0;
/// The share of the views' own z in that of all views together, where each view has so many.
const SHARE_OF_VIEWS: f64 = 0.2;
/// Fewer units than that do not tell a standard error.
const LEAST_UNITS: usize = 10;
/// Fewer nodes than that have no others to be conditioned on.
const LEAST_NODES: usize = 4;

/// The views with what is asked of them.
pub(super) struct Question<'a> {
    views: &'a Views,
    settings: Settings,
    units: Vec<Result<Places, String>>,
    effective: Vec<f64>,
    /// The nodes that all views have.
    common: Vec<usize>,
    zscored: bool,
}

impl<'a> Question<'a> {
    pub(super) fn new(views: &'a Views, settings: &Settings) -> Self {
        let n_views = views.n_views();
        let every = 0..n_views;
        let common: Vec<usize> = (0..views.n_nodes())
            .filter(|&node| every.clone().all(|view| views.has(view, node)))
            .collect();
        let are_signals = views.kind() == Kind::Signals;
        let effective: Vec<f64> = every
            .clone()
            .map(|view| views.effective_samples(view).unwrap_or(0.0))
            .collect();
        let units = every.clone().map(|view| match are_signals {
            true => units::of_view(views, view, settings.units, effective[view]),
            false => Err("the data are given as products of signals, without the samples".into()),
        });
        Self {
            views,
            settings: *settings,
            units: units.collect(),
            effective,
            zscored: are_signals && settings.zscore.unwrap_or_else(|| units_differ(views, &common)),
            common,
        }
    }

    /// None if the caller asked to stop.
    pub(super) fn answer(&self, watch: Watch<'_>) -> Option<Direct> {
        let n_views = self.views.n_views();
        let mut absent = Vec::new();
        let by_views = self.settings.units == Units::Views;
        let n_deletions = |units: &Result<Places, String>| units.as_ref().map_or(0, |units| units.samples.len());
        let total = if by_views {
            n_views
        } else {
            2 * self.units.iter().map(n_deletions).sum::<usize>()
        };
        let counter = Counter::new(watch, total);
        let pooled = self.pooled(&counter, &mut absent).ok()?;
        let mut each = Vec::with_capacity(n_views);
        for view in 0..n_views {
            each.push(self.single(view, &counter, &mut absent).ok()?);
        }
        let mut direct = Direct {
            settings: self.settings,
            zscored: self.zscored,
            n_nodes: self.views.n_nodes(),
            pooled: pooled.as_ref().map(summaries::pooled),
            q_most: None,
            n_views_at_least: summaries::n_views_at_least(&each, self.settings.level),
            views: each
                .iter()
                .enumerate()
                .map(|(view, found)| self.of_view(view, found.as_ref()))
                .collect(),
            absent,
        };
        if direct.n_views_at_least.is_none() {
            let reason = "no view has a `q_view`".to_owned();
            direct.absent.push(Absent {
                column: "n_views_at_least",
                view: None,
                reason,
            });
        }
        match self.comparable(&each) {
            Ok(each) => {
                direct.q_most = Some(summaries::q_most(&each));
                for (view, (z, q)) in direct.views.iter_mut().zip(summaries::differences(&each)) {
                    view.difference_z = Some(z);
                    view.q_difference = Some(q);
                }
            }
            Err(reason) => {
                let absent = |column| Absent {
                    column,
                    view: None,
                    reason: reason.clone(),
                };
                direct.absent.extend(["q_most", "q_difference"].map(absent));
            }
        }
        Some(direct)
    }

    fn of_view(&self, view: usize, found: Option<&Estimate>) -> OfView {
        let direct_z = found.map(summaries::t);
        OfView {
            n_units: self.units[view].as_ref().map_or(0, |units| units.samples.len()),
            are_pieces: self.units[view].as_ref().is_ok_and(|units| units.are_pieces),
            effective_samples: self.effective[view],
            q_view: found.map(|found| tails::false_discovery(&summaries::p(found))),
            direct_z,
            ..OfView::default()
        }
    }

    /// All views together, on the nodes that all have; other pairs are NaN.
    fn pooled(&self, counter: &Counter<'_>, absent: &mut Vec<Absent>) -> Result<Option<Estimate>, Halt> {
        let mut say = |reason: String| {
            absent.push(Absent {
                column: "q_direct",
                view: None,
                reason,
            });
        };
        if let Err(reason) = self.can_pool() {
            say(reason);
            return Ok(None);
        }
        let moments: Vec<Moments> = self
            .views
            .iter()
            .map(|view| Moments::of(view, &self.common, self.zscored))
            .collect();
        let moments: Vec<&Moments> = moments.iter().collect();
        let found = if self.settings.units == Units::Views {
            jackknife::over_views(&moments, counter)
        } else {
            let units: Vec<&[Vec<usize>]> = self
                .units
                .iter()
                .flatten()
                .map(|units| units.samples.as_slice())
                .collect();
            jackknife::pooled(&moments, &units, self.share_of_views(), counter)
        };
        match found {
            Ok(found) => {
                absent.extend(self.not_common());
                Ok(Some(summaries::spread(
                    self.judged(found),
                    &self.common,
                    self.views.n_nodes(),
                )))
            }
            Err(Halt::Singular) => {
                say(singular("all views together"));
                Ok(None)
            }
            Err(halt) => Err(halt),
        }
    }

    fn can_pool(&self) -> Result<(), String> {
        let mut n_units = 0;
        for (view, units) in self.units.iter().enumerate() {
            let n_own = units.as_ref().map_err(Clone::clone)?.samples.len();
            if self.settings.units != Units::Views && n_own < 2 {
                return Err(format!(
                    "view `{}` has a single block, and without it nothing of the view is left; with many views, they can \
                     be the units",
                    self.views.view(view).name()
                ));
            }
            n_units += n_own;
        }
        if self.settings.units == Units::Views {
            n_units = self.views.n_views();
        }
        enough_units(
            n_units,
            if self.settings.units == Units::Views {
                "views"
            } else {
                "blocks in all views"
            },
        )?;
        enough_nodes(self.common.len(), "all views")?;
        enough_samples(
            self.effective.iter().sum(),
            self.common.len(),
            SAMPLES_PER_NODE,
            "all views together",
        )
    }

    /// The share of the views' own estimates in that of all views together: none unless each has enough samples for it.
    fn share_of_views(&self) -> f64 {
        let enough = SAMPLES_PER_NODE_OF_VIEW * self.common.len() as f64;
        let is_enough = self.effective.len() > 1 && self.effective.iter().all(|effective| *effective >= enough);
        if is_enough { SHARE_OF_VIEWS } else { 0.0 }
    }

    /// What is said of the nodes that some views lack: the column is there, and they are not in it.
    fn not_common(&self) -> Option<Absent> {
        let views = self.views;
        let lacking: Vec<&str> = (0..views.n_nodes())
            .filter(|node| self.common.binary_search(node).is_err())
            .map(|node| views.nodes()[node].as_str())
            .collect();
        let reason = format!(
            "{}. Direct dependence is one given the other nodes, and all views together are only asked about the {} nodes that \
             all have; a node that is left out can make its neighbours look directly dependent",
            list_names(&lacking),
            self.common.len()
        );
        (!lacking.is_empty()).then_some(Absent {
            column: "q_direct of nodes that some views lack",
            view: None,
            reason,
        })
    }

    fn judged(&self, found: Estimate) -> Estimate {
        found.without_constant(self.settings.constant_share)
    }

    /// One view by itself, on the nodes it has; other pairs are NaN.
    fn single(&self, view: usize, counter: &Counter<'_>, absent: &mut Vec<Absent>) -> Result<Option<Estimate>, Halt> {
        let name = self.views.view(view).name();
        let mut say = |reason: String| {
            absent.push(Absent {
                column: "q_view",
                view: Some(name.to_owned()),
                reason,
            });
            Ok(None)
        };
        let nodes: Vec<usize> = self.views.membership().nodes_of(view).collect();
        let whole = format!("view `{name}`");
        let can = || {
            if self.settings.units == Units::Views {
                return Err("whole views are the units, and a view by itself is one of them".to_owned());
            }
            let units = &self.units[view].as_ref().map_err(Clone::clone)?.samples;
            enough_units(units.len(), &format!("blocks in {whole}"))?;
            enough_nodes(nodes.len(), &whole)?;
            enough_samples(self.effective[view], nodes.len(), SAMPLES_PER_NODE, &whole)?;
            Ok(units)
        };
        let units = match can() {
            Ok(units) => units,
            Err(reason) => return say(reason),
        };
        let moments = Moments::of(self.views.view(view), &nodes, self.zscored);
        match jackknife::pooled(&[&moments], &[units], 0.0, counter) {
            Ok(found) => Ok(Some(summaries::spread(
                self.judged(found),
                &nodes,
                self.views.n_nodes(),
            ))),
            Err(Halt::Singular) => say(singular(&whole)),
            Err(halt) => Err(halt),
        }
    }

    /// The estimates of all views, if they can be compared.
    fn comparable<'e>(&self, each: &'e [Option<Estimate>]) -> Result<Vec<&'e Estimate>, String> {
        if each.len() < 2 {
            return Err("there is only one view".into());
        }
        if self.settings.units == Units::Views {
            return Err("whole views are the units, and single ones are not judged".into());
        }
        for (view, found) in each.iter().enumerate() {
            let name = self.views.view(view).name();
            if found.is_none() {
                return Err(format!("view `{name}` has no `q_view`"));
            }
            let n_own = self.views.membership().n_nodes_of(view);
            enough_samples(
                self.effective[view],
                n_own,
                SAMPLES_PER_NODE_OF_VIEW,
                &format!("view `{name}`"),
            )?;
        }
        Ok(each.iter().flatten().collect())
    }
}

fn singular(whole: &str) -> String {
    format!(
        "the signals of {whole} depend on each other exactly, beyond a common reference, or do so without one of the \
         units: two nodes may be copies, or components were removed; leave out nodes, or use data from before that step"
    )
}

fn enough_units(n_units: usize, of: &str) -> Result<(), String> {
    if n_units >= LEAST_UNITS {
        return Ok(());
    }
    Err(format!(
        "there are {n_units} {of}, and a standard error needs {LEAST_UNITS} at least"
    ))
}

fn enough_nodes(n_nodes: usize, whole: &str) -> Result<(), String> {
    if n_nodes >= LEAST_NODES {
        return Ok(());
    }
    Err(format!(
        "a dependence given the other nodes needs {LEAST_NODES} nodes at least, and {n_nodes} are in {whole}"
    ))
}

fn enough_samples(effective: f64, n_nodes: usize, per_node: f64, whole: &str) -> Result<(), String> {
    let needed = per_node * n_nodes as f64;
    if effective >= needed {
        return Ok(());
    }
    Err(format!(
        "the samples of {whole} are worth {effective:.0} independent ones, and {n_nodes} nodes need {needed:.0}, \
         {per_node:.0} each"
    ))
}

/// Whether the spread of some node, relative to the others of its view, differs much between views.
fn units_differ(views: &Views, common: &[usize]) -> bool {
    let spreads: Vec<Vec<f64>> = views
        .iter()
        .map(|view| Moments::relative_spreads(view, common))
        .collect();
    (0..common.len()).any(|place| {
        let of_node = || spreads.iter().map(|spreads| spreads[place]);
        of_node().fold(0.0, f64::max) > MOST_SPREAD * of_node().fold(f64::INFINITY, f64::min)
    })
}
