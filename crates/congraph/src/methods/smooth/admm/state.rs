//! The variables of one ADMM run.

use rayon::prelude::*;

use super::Admm;
use super::degrees::DegreeSystem;
use super::groups::EdgeGroup;
use super::pass::{Part, Pass, takes_penalty, takes_regulariser};
use super::residuals::Residuals;
use super::start::EdgeStart;
use super::tiles::{arguments, slack_row, width};
use crate::edges::{ViewMatrix, Weights};
use crate::methods::smooth::certificate::{DualPoint, ProxPoints};
use crate::methods::smooth::{Parameters, Problem};
use crate::parallel::chunks;
use crate::penalties::LANES;

/// Nodes per block when the parts' degrees are put together.
const NODES: usize = 512;

/// Variables named as in the headers of [`super`] and of `tiles`.
pub(super) struct State {
    rho: f64,
    /// ρ after the next iteration, which rescales the multipliers.
    next_rho: f64,
    system: DegreeSystem,
    groups: Vec<EdgeGroup>,
    /// For each edge its group and its place there; empty if there is one group of all edges.
    places: Vec<[u32; 2]>,
    /// g, one row per node, and once more one view after the other.
    levels: ViewMatrix,
    levels_by_view: Vec<f64>,
    /// Where prox c is to be taken next; empty unless it must see all edges at once.
    differences: Vec<f64>,
    /// Where prox r is to be taken next; likewise.
    consensus: Vec<f64>,
}

impl State {
    /// Begins with what `begin` says of each edge and the views that have it.
    pub(super) fn new(problem: &Problem, rho: f64, begin: impl Fn(usize, &[u32], &mut EdgeStart) + Sync) -> Self {
        let (n_nodes, n_views, n_edges) = (problem.n_nodes(), problem.n_views(), problem.n_edges());
        let (groups, places) = EdgeGroup::all(problem, begin);
        let outside = |inside: bool, n: usize| vec![0.0; if inside { 0 } else { n }];
        let mut state = Self {
            rho,
            next_rho: rho,
            system: DegreeSystem::new(problem.distances()),
            groups,
            places,
            levels: ViewMatrix::zeros(n_nodes, n_views),
            levels_by_view: vec![0.0; n_nodes * n_views],
            differences: outside(takes_penalty(problem), n_edges * n_views),
            consensus: outside(takes_regulariser(problem), n_edges),
        };
        // The first right-hand side needs no levels; it gives those of the first iteration.
        let levels = std::mem::take(&mut state.levels_by_view);
        let pass = Pass::new(problem, &levels, (rho, rho), &Admm::default());
        state.over_parts(problem, |part| pass.prepare(part));
        state.levels_by_view = levels;
        state.update_levels();
        state
    }

    pub(super) fn rho(&self) -> f64 {
        self.rho
    }

    /// After the next iteration; the multipliers stay.
    pub(super) fn change_rho(&mut self, rho: f64) {
        self.next_rho = rho;
    }

    /// One iteration, and its residuals if they are `wanted`.
    pub(super) fn iterate(&mut self, problem: &Problem, settings: &Admm, wanted: bool) -> Option<Residuals> {
        let Parameters { beta, gamma, .. } = problem.parameters();
        let (unit, n_views) = (problem.kappa() * self.rho, problem.n_views());
        // A penalty that couples edges must see them all: eq:admm_vi_step and eq:admm_l_step before the pass.
        if !self.differences.is_empty() {
            problem.penalty().prox(&mut self.differences, n_views, beta / unit);
        }
        if !self.consensus.is_empty() {
            problem.regulariser().prox(&mut self.consensus, gamma / unit);
        }
        let levels = std::mem::take(&mut self.levels_by_view);
        let pass = Pass::new(problem, &levels, (self.rho, self.next_rho), settings);
        let sums = if wanted {
            self.over_parts(problem, |part| pass.iterate::<true>(part))
        } else {
            self.over_parts(problem, |part| pass.iterate::<false>(part))
        };
        let n_entries = || self.groups.iter().map(|group| group.n_entries(problem)).sum();
        let residuals = wanted.then(|| Residuals::new(&sums, self.rho, problem.n_edges(), n_entries()));
        self.levels_by_view = levels;
        self.rho = self.next_rho;
        self.update_levels();
        residuals
    }

    /// Does some work with each part, whose edges and order do not depend on the number of threads.
    fn over_parts<T: Send>(&mut self, problem: &Problem, work: impl Fn(&mut Part<'_>) -> T + Send + Sync) -> Vec<T> {
        let all_pairs = problem.distances().edges().pairs();
        // Proximal maps outside the pass see all edges in order: then there is one group.
        let part = self.groups[0].part;
        let (mut differences, mut consensus) = (
            self.differences.chunks_mut(part * problem.n_views()),
            self.consensus.chunks_mut(part),
        );
        let mut parts: Vec<Part<'_>> = Vec::new();
        for group in &mut self.groups {
            let n_views = group.n_views;
            let members = group.members.as_ref();
            let columns = group.tiles.chunks_mut(group.part / LANES * width(n_views));
            let pairs = members.map_or(all_pairs, |members| &members.pairs).chunks(group.part);
            let views = members.map_or(&[][..], |members| &members.views);
            let mut views = views.chunks(group.part / LANES * n_views);
            for ((columns, pairs), degrees) in columns.zip(pairs).zip(&mut group.degrees) {
                parts.push(Part {
                    n_views,
                    columns,
                    pairs,
                    views: views.next().unwrap_or_default(),
                    degrees,
                    differences: differences.next().unwrap_or_default(),
                    consensus: consensus.next().unwrap_or_default(),
                });
            }
        }
        match parts.as_mut_slice() {
            [only] => vec![work(only)],
            parts => parts.par_iter_mut().map(work).collect(),
        }
    }

    /// g, from the parts' degrees.
    fn update_levels(&mut self) {
        let (n_nodes, n_views) = (self.levels.n_rows(), self.levels.n_views());
        let mut degrees = ViewMatrix::zeros(n_nodes, n_views);
        chunks::map_mut_by(NODES, degrees.values_mut(), n_views, |first, rows| {
            // Parts in their own order: the sum does not depend on the threads.
            for part in self.groups.iter().flat_map(|group| &group.degrees) {
                for (view, part) in part.chunks_exact(n_nodes).enumerate() {
                    for (row, degree) in rows.chunks_exact_mut(n_views).zip(&part[first..]) {
                        row[view] += degree;
                    }
                }
            }
        });
        // The global part of eq:admm_li_step of the next iteration.
        self.levels = self.system.levels(1.0 + self.rho, &degrees);
        for (view, levels) in self.levels_by_view.chunks_exact_mut(n_nodes).enumerate() {
            for (level, row) in levels.iter_mut().zip(self.levels.rows()) {
                *level = row[view];
            }
        }
    }

    /// The slack variables are the feasible-signed, exactly sparse copy of the weights. Where it can be told, the
    /// consensus is the best one for them: nothing holds the slack variable when nothing couples the views.
    pub(super) fn weights(&self, problem: &Problem) -> Weights {
        let n_views = problem.n_views();
        let term = problem.edge_term();
        let blocks = chunks::map(problem.n_edges(), |range| {
            let mut present = Weights::empty(n_views);
            let (mut buffer, mut row) = (vec![0.0; n_views], vec![0.0; n_views]);
            let mut scratch = Vec::new();
            for edge in range {
                let (group, place) = self.place(edge);
                let own = &mut buffer[..group.n_views];
                let mut consensus = slack_row(group.tile(place), place % LANES, own);
                let empty = own.iter().all(|&weight| weight == 0.0);
                consensus = match term {
                    // Of views without the edge the consensus is without it, too.
                    _ if empty => 0.0,
                    Some(term) => term.consensus(own, &mut scratch),
                    // Nor does it exceed all of them, as the certificate has it: what does is what iterations left.
                    None => own
                        .iter()
                        .fold(0.0, |most: f64, &weight| most.max(weight))
                        .min(consensus),
                };
                if !empty || consensus > 0.0 {
                    group.spread(place, own, &mut row);
                    present.push(edge, &row, consensus);
                }
            }
            present
        });
        let mut weights = Weights::empty(n_views);
        for mut block in blocks {
            weights.append(&mut block);
        }
        weights
    }

    /// The group of an edge, and its place there.
    fn place(&self, edge: usize) -> (&EdgeGroup, usize) {
        match self.places.get(edge) {
            Some(&[group, place]) => (&self.groups[group as usize], place as usize),
            None => (&self.groups[0], edge),
        }
    }

    /// λ = κ g, and where the proximal maps are to be taken next, for those that must be certified through them.
    pub(super) fn dual_point(&self, problem: &Problem) -> DualPoint {
        let kappa = problem.kappa();
        let Parameters { beta, gamma, .. } = problem.parameters();
        let mut multipliers = self.levels.clone();
        multipliers.values_mut().iter_mut().for_each(|value| *value *= kappa);
        let prox_points = problem.edge_term().is_none().then(|| {
            let (differences, consensus) = self.prox_arguments(problem);
            ProxPoints {
                differences,
                difference_step: beta / (kappa * self.rho),
                consensus,
                consensus_step: gamma / (kappa * self.rho),
            }
        });
        DualPoint {
            multipliers,
            prox_points,
        }
    }

    /// Where both proximal maps are to be taken next.
    fn prox_arguments(&self, problem: &Problem) -> (ViewMatrix, Vec<f64>) {
        let (n_edges, n_views) = (problem.n_edges(), problem.n_views());
        let mut differences = ViewMatrix::zeros(n_edges, n_views);
        let mut consensus = vec![0.0; n_edges];
        let tiles = self.groups[0].tiles.chunks_exact(width(n_views));
        let rows = differences.values_mut().chunks_mut(n_views * LANES);
        for ((columns, rows), consensus) in tiles.zip(rows).zip(consensus.chunks_mut(LANES)) {
            arguments(columns, n_views, rows, consensus);
        }
        (differences, consensus)
    }
}
