//! The comparison itself.

use super::components::{Component, Leaders};
use super::design::{Checked, Design};
use super::measures::{measured, places, strengths};
use super::model::Model;
use super::parts::Comparing;
use super::permutations::{Family, Network, Tally};
use super::relabelling::Relabellings;
use super::rows::{ComponentRow, EdgeRow, FollowUpRow, Group, MeasureRow, NodeRow, Null};
use super::thresholds::USUAL_THRESHOLD;
use super::{Measure, Settings, Statistic};
use crate::error::{Error, Warning};
use crate::graph::{MultiviewGraph, is_edge};
use crate::progress::{Watch, no_progress};

/// What a comparison of groups found. Groups are in the order of their names: a, b, and so on.
///
/// With two groups every statistic is a z (of [`Statistic::T`] a t), positive where group b has more; with more it is
/// Kruskal and Wallis's H (of [`Statistic::T`] an F), and `follow_ups` tell of each pair of groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The groups.
    pub groups: Vec<Group>,
    /// How many pairs of views were compared, if views are paired.
    pub n_pairs: Option<usize>,
    /// What edges were judged by.
    pub statistic: Statistic,
    /// How many relabellings were looked at.
    pub n_relabellings: usize,
    /// Whether these are all there are: p is then exact, else their share among random ones.
    pub exact: bool,
    /// The size above which edges form components.
    pub threshold: f64,
    /// How many edges that the graphs have were not tested, since fewer than two views have them.
    pub n_rare: usize,
    /// How many were not, since some view lacks a node of theirs.
    pub n_unmeasured: usize,
    /// The edges, in the order of the graphs.
    pub edges: Vec<EdgeRow>,
    /// Components of edges, the most intense first.
    pub components: Vec<ComponentRow>,
    /// The nodes that every view has, in the order of the graphs.
    pub nodes: Vec<NodeRow>,
    /// Measures of whole graphs.
    pub measures: Vec<MeasureRow>,
    /// Pairs of groups, if there are more than two: of every edge all of them.
    pub follow_ups: Vec<FollowUpRow>,
    /// The largest size of a statistic over all edges, under each relabelling.
    pub edge_null: Null,
    /// The largest intensity of a component.
    pub component_null: Null,
    /// The largest size over all nodes.
    pub node_null: Null,
    /// The largest size over all measures.
    pub measure_null: Null,
    /// The largest size over all edges and pairs of groups.
    pub follow_up_null: Null,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

impl Comparison {
    /// What a statistic is: `z`, `t`, and of more than two groups `h` or `f`.
    pub const fn column(&self) -> &'static str {
        match (self.statistic, self.groups.len()) {
            (Statistic::T, 2) => "t",
            (Statistic::T, _) => "f",
            (_, 2) => "z",
            _ => "h",
        }
    }
}

/// Compares groups of views, or two conditions of the same subjects, on the graphs of one fit of all of them.
///
/// The fit must not have known the labels: see [`check_coupling`](super::check_coupling), and
/// [`check_samples`](super::check_samples) for groups with more data.
///
/// # Errors
/// E17 if labels, pairs or covariates cannot be used, [`Error::Parameter`] if a setting is out of its range.
///
/// ```
/// use congraph::compare::{Design, Settings, compare};
/// use congraph::simulate::{self, simulate};
/// use congraph::{Learn, Smooth, ViewOptions, Views, no_progress};
///
/// let settings = simulate::Settings { n_nodes: 12, n_views: 10, n_signals: vec![60], ..Default::default() };
/// let (views, _) = Views::assemble(simulate(&settings)?.tables, &ViewOptions::default())?;
/// let fit = Smooth::new(0.07, 0.03).learn(&views, &no_progress)?;
///
/// let labels = ["old", "young"].iter().cycle().take(10).map(ToString::to_string).collect();
/// let design = Design { labels, ..Design::default() };
/// let found = compare(&fit.graph, &design, &Settings::default())?;
/// assert!(found.exact && found.n_relabellings == 252); // 10 views in two groups of 5
/// assert!(found.edges.iter().all(|edge| edge.p_fwe >= edge.p_uncorrected));
/// # Ok::<(), congraph::Error>(())
/// ```
pub fn compare(graph: &MultiviewGraph, design: &Design, settings: &Settings) -> Result<Comparison, Error> {
    let found = compare_watched(graph, design, settings, &no_progress)?;
    // It was never asked to stop.
    found.ok_or_else(|| Error::Invalid {
        what: "the comparison",
        message: "was interrupted".into(),
    })
}

/// As [`compare`], watched: none if the watch asked to stop.
///
/// # Errors
/// As [`compare`].
pub fn compare_watched(
    graph: &MultiviewGraph,
    design: &Design,
    settings: &Settings,
    watch: Watch<'_>,
) -> Result<Option<Comparison>, Error> {
    let comparing = Comparing::new(graph, design, settings)?;
    let numbers: Vec<usize> = (0..comparing.n_relabellings()).collect();
    Ok(comparing
        .relabelled(&numbers, watch)
        .map(|relabelled| comparing.found(relabelled)))
}

/// What is tested, in the order of names.
pub(super) struct Tested {
    /// The edges' places in the graph.
    pub(super) edges: Vec<usize>,
    /// Their nodes' places among the names.
    pub(super) pairs: Vec<[u32; 2]>,
    /// Nodes and their strengths in each view.
    pub(super) strengths: Vec<(usize, Vec<f64>)>,
    pub(super) measures: Vec<(Measure, Vec<f64>)>,
    n_rare: usize,
    n_unmeasured: usize,
}

impl Tested {
    pub(super) fn new(graph: &MultiviewGraph, settings: &Settings) -> Result<Self, Error> {
        let mut order: Vec<usize> = (0..graph.n_nodes()).collect();
        order.sort_by_key(|&node| &graph.nodes()[node]);
        let places = places(&order);
        let all_have = |node: usize| (0..graph.n_views()).all(|view| graph.has(view, node));
        let mut tested = Self {
            edges: Vec::new(),
            pairs: Vec::new(),
            strengths: Vec::new(),
            measures: Vec::new(),
            n_rare: 0,
            n_unmeasured: 0,
        };
        if settings.wants(Measure::Edges) || settings.wants(Measure::Components) {
            let mut kept: Vec<([u32; 2], usize)> = Vec::new();
            for (edge, pair) in graph.pairs().iter().enumerate() {
                let n_present = graph
                    .weights()
                    .row(edge)
                    .iter()
                    .filter(|&&weight| is_edge(weight))
                    .count();
                if !pair.iter().all(|&node| all_have(node as usize)) {
                    tested.n_unmeasured += 1;
                } else if n_present < 2 {
                    tested.n_rare += 1;
                } else {
                    let [one, two] = pair.map(|node| places[node as usize]);
                    kept.push(([one.min(two), one.max(two)], edge));
                }
            }
            kept.sort_unstable();
            (tested.pairs, tested.edges) = kept.into_iter().unzip();
        }
        if settings.wants(Measure::Strength) {
            let rows = order.iter().copied().zip(strengths(graph, &order));
            tested.strengths = rows.filter(|(node, _)| all_have(*node)).collect();
        }
        let mut measures = settings.measures.clone();
        measures.sort_unstable();
        measures.dedup();
        let is_global =
            |measure: &Measure| !matches!(measure, Measure::Edges | Measure::Components | Measure::Strength);
        for measure in measures.into_iter().filter(is_global) {
            tested.measures.push((measure, measured(graph, measure, &order)?));
        }
        Ok(tested)
    }
}

/// Everything that the rows of a comparison are made of.
pub(super) struct Told<'t> {
    pub(super) graph: &'t MultiviewGraph,
    pub(super) design: &'t Checked,
    pub(super) tested: &'t Tested,
    pub(super) model: &'t Model,
    pub(super) sums_model: &'t Model,
    pub(super) relabellings: &'t Relabellings,
}

impl Told<'_> {
    pub(super) fn comparison(
        &self,
        families: &[Family<'_>; 3],
        tallies: Vec<Tally>,
        network: Option<Network<'_>>,
        statistic: Statistic,
    ) -> Comparison {
        let mut tallies = tallies.into_iter();
        let mut next = || tallies.next().unwrap_or_default();
        let (mut edge_tally, mut node_tally, mut measure_tally) = (next(), next(), next());
        let take = |values: &mut Vec<f64>| Null::new(std::mem::take(values));
        let edge_null = take(&mut edge_tally.largest);
        let component_null = take(&mut edge_tally.intensities);
        let follow_up_null = take(&mut edge_tally.largest_contrasts);
        let (node_null, measure_null) = (take(&mut node_tally.largest), take(&mut measure_tally.largest));
        let components = network.map_or_else(Vec::new, |network| self.components(&families[0], network));
        let names = self.design.groups.iter().zip(&self.design.sizes);
        let mut edges = self.edges(&families[0], &edge_tally, &edge_null, &components);
        edges.sort_by_key(|(edge, _)| *edge);
        let mut follow_ups = self.follow_ups(&families[0], &edge_tally, &follow_up_null);
        follow_ups.sort_by_key(|(edge, row)| (*edge, row.groups));
        Comparison {
            groups: names
                .map(|(name, &n_views)| Group {
                    name: name.clone(),
                    n_views,
                })
                .collect(),
            n_pairs: self.design.pairs.as_ref().map(Vec::len),
            statistic,
            n_relabellings: self.relabellings.len(),
            exact: self.relabellings.is_exact(),
            threshold: USUAL_THRESHOLD,
            n_rare: self.tested.n_rare,
            n_unmeasured: self.tested.n_unmeasured,
            edges: edges.into_iter().map(|(_, row)| row).collect(),
            components: components
                .iter()
                .map(|one| self.component(one, &component_null))
                .collect(),
            nodes: self.nodes(&families[1], &node_tally, &node_null),
            measures: self.measures(&families[2], &measure_tally, &measure_null),
            follow_ups: follow_ups.into_iter().map(|(_, row)| row).collect(),
            edge_null,
            component_null,
            node_null,
            measure_null,
            follow_up_null,
            warnings: Vec::new(),
        }
    }

    /// The mean of one value per view in each group.
    fn means(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.design.groups.len()];
        for (&view, &group) in self.design.views.iter().zip(&self.design.unit_groups) {
            sums[group] += values[view];
        }
        sums.iter()
            .zip(&self.design.sizes)
            .map(|(sum, &n)| sum / n as f64)
            .collect()
    }

    fn p_fwe(&self, null: &Null, size: f64) -> f64 {
        self.relabellings.share(null.n_reaching(size))
    }

    fn components(&self, family: &Family<'_>, network: Network<'_>) -> Vec<Component> {
        let sizes = family
            .observed
            .iter()
            .map(|statistic| self.model.size(*statistic))
            .enumerate();
        let above = sizes.filter(|(_, size)| *size > network.threshold);
        let above: Vec<(u32, f64)> = above
            .map(|(edge, size)| (edge as u32, size - network.threshold))
            .collect();
        Leaders::new(network.n_nodes).all(network.pairs, &above)
    }

    fn component(&self, component: &Component, null: &Null) -> ComponentRow {
        let mut nodes: Vec<u32> = component
            .edges
            .iter()
            .flat_map(|&edge| self.tested.pairs[edge])
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        ComponentRow {
            n_nodes: nodes.len(),
            n_edges: component.edges.len(),
            intensity: component.intensity,
            p_fwe: self.p_fwe(null, component.intensity),
        }
    }

    fn ends(&self, edge: usize) -> [usize; 2] {
        self.graph.pairs()[edge].map(|node| node as usize)
    }

    /// Edges by their places in the graph.
    fn edges(
        &self,
        family: &Family<'_>,
        tally: &Tally,
        null: &Null,
        components: &[Component],
    ) -> Vec<(usize, EdgeRow)> {
        let mut component_of = vec![None; self.tested.edges.len()];
        for (place, component) in components.iter().enumerate() {
            component
                .edges
                .iter()
                .for_each(|&edge| component_of[edge] = Some(place));
        }
        let row = |(k, &edge): (usize, &usize)| {
            let weights = self.graph.weights().row(edge);
            let mut present = vec![0; self.design.groups.len()];
            for (&group, &weight) in self.design.group_of.iter().zip(weights) {
                present[group] += usize::from(is_edge(weight));
            }
            let statistic = family.observed[k];
            let row = EdgeRow {
                pair: self.ends(edge),
                present,
                means: self.means(weights),
                statistic,
                p_uncorrected: self.relabellings.share(tally.extreme[k]),
                p_fwe: self.p_fwe(null, self.model.size(statistic)),
                component: component_of[k],
            };
            (edge, row)
        };
        self.tested.edges.iter().enumerate().map(row).collect()
    }

    fn nodes(&self, family: &Family<'_>, tally: &Tally, null: &Null) -> Vec<NodeRow> {
        let row = |(k, (node, values)): (usize, &(usize, Vec<f64>))| NodeRow {
            node: *node,
            means: self.means(values),
            statistic: family.observed[k],
            p_uncorrected: self.relabellings.share(tally.extreme[k]),
            p_fwe: self.p_fwe(null, self.sums_model.size(family.observed[k])),
        };
        let mut rows: Vec<NodeRow> = self.tested.strengths.iter().enumerate().map(row).collect();
        rows.sort_by_key(|row| row.node);
        rows
    }

    fn measures(&self, family: &Family<'_>, tally: &Tally, null: &Null) -> Vec<MeasureRow> {
        let row = |(k, (measure, values)): (usize, &(Measure, Vec<f64>))| MeasureRow {
            measure: *measure,
            means: self.means(values),
            statistic: family.observed[k],
            p_uncorrected: self.relabellings.share(tally.extreme[k]),
            p_fwe: self.p_fwe(null, self.sums_model.size(family.observed[k])),
        };
        self.tested.measures.iter().enumerate().map(row).collect()
    }

    /// Pairs of groups of edges, by the edges' places in the graph.
    fn follow_ups(&self, family: &Family<'_>, tally: &Tally, null: &Null) -> Vec<(usize, FollowUpRow)> {
        let mut rows = Vec::new();
        for (k, &edge) in self.tested.edges.iter().enumerate() {
            let means = self.means(self.graph.weights().row(edge));
            let observed = &family.observed_contrasts[k];
            for (c, ((groups, _), &statistic)) in self.model.contrasts.iter().zip(observed).enumerate() {
                let row = FollowUpRow {
                    pair: self.ends(edge),
                    groups: *groups,
                    difference: means[groups[1]] - means[groups[0]],
                    statistic,
                    p_uncorrected: self.relabellings.share(tally.extreme_contrasts[k * observed.len() + c]),
                    p_fwe: self.p_fwe(null, statistic.abs()),
                };
                rows.push((edge, row));
            }
        }
        rows
    }
}
