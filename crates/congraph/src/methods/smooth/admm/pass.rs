//! One iteration as one pass over the tiles.
//!
//! The w^i-step needs of all other edges only the levels g = λ/κ of the two ends, `w^i_e = (x_e − g_a − g_b)/(1+ρ)`
//! (see `degrees`), and these follow from the degrees of the right-hand side x. So each tile goes through all steps
//! while it is in the cache, and adds its share to the degrees of the *next* right-hand side:
//!
//! ```text
//! eq:admm_li_step   w^i ← (ρ (2z^i − p^i) − d^i − g_a − g_b)/(1+ρ)
//! eq:admm_vi_step   v^i ← prox of (τ/ρ) c at 2(z^i − z) − s^i
//! eq:admm_l_step    w   ← prox of (σ/ρ) r at 2z − r
//! over-relaxation   p^i += θ (w^i − z^i),   s^i += θ (v^i − z^i + z),   r += θ (w − z)
//! eq:admm_second    z, z^i
//! ```
//!
//! When ρ changes, the scaled multipliers are rescaled in the same pass: they are what lies between the points and
//! (z^i, z).

use pulp::{Simd, WithSimd};

use super::residuals::ResidualSums;
use super::tiles::{Tile, arguments, slack, width};
use super::{Admm, ZStep, z_step};
use crate::methods::smooth::{Parameters, Problem};
use crate::parallel::simd::{Column, Lanes};
use crate::penalties::{LANES, Penalty};
use crate::regularisers::Regulariser;

/// A stretch of tiles and what it alone writes to.
pub(super) struct Part<'a> {
    /// How many views have each edge.
    pub(super) n_views: usize,
    pub(super) columns: &'a mut [Column],
    /// The pairs of its edges.
    pub(super) pairs: &'a [[u32; 2]],
    /// For each tile and each of its views, the view of each lane; empty if all views have all edges.
    pub(super) views: &'a [[u32; LANES]],
    /// Its share of the degrees of the right-hand side: all nodes of the first view, then of the second, and so on.
    pub(super) degrees: &'a mut [f64],
    /// Rows of v^i, and then of the next argument of prox c; empty if the pass takes the prox itself.
    pub(super) differences: &'a mut [f64],
    /// The same for the consensus.
    pub(super) consensus: &'a mut [f64],
}

/// The edges of one tile: their pairs, and which views its columns are of, as in [`Part::views`].
#[derive(Clone, Copy)]
struct Ends<'a> {
    pairs: &'a [[u32; 2]],
    views: &'a [[u32; LANES]],
}

/// What one iteration is made of.
pub(super) struct Pass<'a> {
    n_nodes: usize,
    /// g, stored as [`Part::degrees`].
    levels: &'a [f64],
    rho: f64,
    /// ρ of the next iteration.
    next_rho: f64,
    relaxation: f64,
    z_step: ZStep,
    /// c and its step, if it is separable and counts.
    penalty: Option<(&'a dyn Penalty, f64)>,
    /// r and its step, likewise.
    regulariser: Option<(&'a dyn Regulariser, f64)>,
}

/// Columns in between, one for each view.
struct Scratch {
    /// g_a + g_b, then w^i; at last the next x.
    weights: Vec<Column>,
    /// v^i.
    differences: Vec<Column>,
    /// z^i before.
    before: Vec<Column>,
}

impl Scratch {
    fn new(n_views: usize) -> Self {
        let columns = || vec![[0.0; LANES]; n_views];
        Self {
            weights: columns(),
            differences: columns(),
            before: columns(),
        }
    }
}

/// Whether c is taken tile by tile.
pub(super) fn takes_penalty(problem: &Problem) -> bool {
    problem.parameters().beta == 0.0 || problem.penalty().is_separable()
}

/// Whether r is taken tile by tile.
pub(super) fn takes_regulariser(problem: &Problem) -> bool {
    problem.parameters().gamma == 0.0 || problem.regulariser().slope().is_some()
}

impl<'a> Pass<'a> {
    pub(super) fn new(problem: &'a Problem, levels: &'a [f64], (rho, next_rho): (f64, f64), settings: &Admm) -> Self {
        let Parameters { beta, gamma, .. } = problem.parameters();
        let unit = problem.kappa() * rho;
        let penalty = (beta > 0.0 && takes_penalty(problem)).then(|| (problem.penalty(), beta / unit));
        let regulariser = (gamma > 0.0 && takes_regulariser(problem)).then(|| (problem.regulariser(), gamma / unit));
        Self {
            n_nodes: problem.n_nodes(),
            levels,
            rho,
            next_rho,
            relaxation: settings.relaxation,
            z_step: settings.z_step,
            penalty,
            regulariser,
        }
    }

    /// One iteration of a part's edges; sums of residuals only if they are to be `MEASURED`.
    pub(super) fn iterate<const MEASURED: bool>(&self, part: &mut Part<'_>) -> ResidualSums {
        pulp::Arch::new().dispatch(IterateKernel::<MEASURED> { pass: self, part })
    }

    /// Only the right-hand side of the first iteration, and where proximal maps that are taken outside are to be taken.
    pub(super) fn prepare(&self, part: &mut Part<'_>) {
        pulp::Arch::new().dispatch(PrepareKernel { pass: self, part });
    }

    /// Does some work with each tile, then takes its next right-hand side.
    #[inline(always)]
    fn over<S: Simd>(
        &self,
        simd: S,
        part: &mut Part<'_>,
        mut work: impl FnMut(&mut [Column], Ends<'_>, (&[f64], &[f64]), &mut Scratch),
    ) {
        let n_views = part.n_views;
        let mut scratch = Scratch::new(n_views);
        part.degrees.fill(0.0);
        let tiles = part.columns.chunks_exact_mut(width(n_views));
        for (k, (columns, pairs)) in tiles.zip(part.pairs.chunks(LANES)).enumerate() {
            let edges = k * LANES..k * LANES + pairs.len();
            let rows = edges.start * n_views..edges.end * n_views;
            let differences = part.differences.get_mut(rows).unwrap_or_default();
            let consensus = part.consensus.get_mut(edges).unwrap_or_default();
            let ends = Ends {
                pairs,
                views: part.views.get(k * n_views..(k + 1) * n_views).unwrap_or_default(),
            };
            // All steps of the tile while it is in the cache, then x of the next iteration in place of the weights.
            work(columns, ends, (differences, consensus), &mut scratch);
            self.right_hand_side(simd, columns, &mut scratch.weights);
            scatter(simd, ends, &scratch.weights, self.n_nodes, part.degrees);
            arguments(columns, n_views, differences, consensus);
        }
    }

    #[inline(always)]
    fn tile<S: Simd, const MEASURED: bool>(
        &self,
        simd: S,
        columns: &mut [Column],
        n_edges: usize,
        outside: (&[f64], &[f64]),
        scratch: &mut Scratch,
        sums: &mut ResidualSums,
    ) {
        let mut tile = Tile::new(columns);
        let mut consensus = *tile.pull;
        self.first(simd, &tile, scratch, &mut consensus);
        self.proximal(n_edges, outside, &mut scratch.differences, &mut consensus);
        // The last tile may be short: its empty lanes stay at zero and add nothing to the residuals.
        for k in n_edges..LANES {
            scratch.weights.iter_mut().for_each(|w| w[k] = 0.0);
        }
        self.second::<S, MEASURED>(simd, &mut tile, scratch, &consensus, sums);
    }

    /// `eq:admm_li_step`, and the arguments of the two proximal maps.
    #[inline(always)]
    fn first<S: Simd>(&self, simd: S, tile: &Tile<'_>, scratch: &mut Scratch, consensus: &mut Column) {
        let splat = |value| Lanes::splat(simd, value);
        let (rho, inverse) = (splat(self.rho), splat(1.0 / (1.0 + self.rho)));
        for q in 0..Lanes::<S>::PER_COLUMN {
            let z = Lanes::load(simd, tile.consensus, q);
            let made = scratch.weights.iter_mut().zip(&mut scratch.differences);
            for ([d, p, s], ((w, v), before)) in tile.views.iter().zip(made.zip(&mut scratch.before)) {
                let [d, p, s, ends] = [d, p, s, &*w].map(|column| Lanes::load(simd, column, q));
                // z^i is not stored: it follows from p^i, s^i and z.
                let own = slack(p, s, z);
                own.store(before, q);
                // eq:admm_li_step: z^i + y^i = 2z^i − p^i; `w` held g_a + g_b until now.
                ((rho * (own + own - p) - d - ends) * inverse).store(w, q);
                // Where prox c is taken (eq:admm_vi_step), and below where prox r is (eq:admm_l_step).
                (own - z + (own - z) - s).store(v, q);
            }
            let r = Lanes::load(simd, tile.pull, q);
            (z + z - r).store(consensus, q);
        }
    }

    /// `eq:admm_vi_step` and `eq:admm_l_step`. Lanes without an edge stay at zero, whatever the proximal maps make of
    /// it.
    #[inline(always)]
    fn proximal(&self, n_edges: usize, outside: (&[f64], &[f64]), v: &mut [Column], consensus: &mut Column) {
        // eq:admm_vi_step, unless c was taken over all edges at once.
        if let Some((penalty, step)) = self.penalty {
            penalty.prox_columns(v, step);
        }
        for (k, row) in outside.0.chunks_exact(v.len()).enumerate() {
            for (v, value) in v.iter_mut().zip(row) {
                v[k] = *value;
            }
        }
        // eq:admm_l_step, likewise.
        if let Some((regulariser, step)) = self.regulariser {
            regulariser.prox(consensus, step);
        }
        consensus[..outside.1.len()].copy_from_slice(outside.1);
        for k in n_edges..LANES {
            consensus[k] = 0.0;
            v.iter_mut().for_each(|v| v[k] = 0.0);
        }
    }

    /// Over-relaxation, `eq:admm_second` and, if ρ is to change, the multipliers' new scale.
    #[inline(always)]
    fn second<S: Simd, const MEASURED: bool>(
        &self,
        simd: S,
        tile: &mut Tile<'_>,
        scratch: &Scratch,
        consensus: &Column,
        sums: &mut ResidualSums,
    ) {
        let relaxation = Lanes::splat(simd, self.relaxation);
        let factor = Lanes::splat(simd, self.rho / self.next_rho);
        let consensus_before = *tile.consensus;
        for q in 0..Lanes::<S>::PER_COLUMN {
            let load = |column: &Column| Lanes::load(simd, column, q);
            // The multiplier steps: adding θ (w − z) to the points moves multipliers and over-relaxes at once.
            let (old, l) = (load(&consensus_before), load(consensus));
            for (i, [_, p, s]) in tile.views.iter_mut().enumerate() {
                let (w, v) = (load(&scratch.weights[i]), load(&scratch.differences[i]));
                let before = load(&scratch.before[i]);
                (load(p) + relaxation * (w - before)).store(p, q);
                (load(s) + relaxation * (v - (before - old))).store(s, q);
            }
            (load(tile.pull) + relaxation * (l - old)).store(tile.pull, q);
        }
        // eq:admm_second: z from the new points; z^i follows from it.
        z_step::step(simd, self.z_step, tile.views, tile.pull, tile.consensus);
        if !MEASURED && self.next_rho == self.rho {
            return;
        }
        for q in 0..Lanes::<S>::PER_COLUMN {
            let load = |column: &Column| Lanes::load(simd, column, q);
            let (old, z, l, r) = (
                load(&consensus_before),
                load(tile.consensus),
                load(consensus),
                load(tile.pull),
            );
            if MEASURED {
                for (i, [_, p, s]) in tile.views.iter().enumerate() {
                    let (p, s, before) = (load(p), load(s), load(&scratch.before[i]));
                    let own = slack(p, s, z);
                    let (w, v) = (load(&scratch.weights[i]), load(&scratch.differences[i]));
                    // Primal residuals compare the copies w^i, v^i, w with z^i, z^i − z, z; dual ones compare z with
                    // before.
                    sums.add((0, q), (own, before), w, own - p);
                    sums.add((1, q), (own - z, before - old), v, s - (own - z));
                }
                sums.add((2, q), (z, old), l, z - r);
            }
            if self.next_rho != self.rho {
                for [_, p, s] in tile.views.iter_mut() {
                    // Scaled multipliers are y/ρ: what lies between points and (z^i, z) shrinks as ρ grows.
                    let (at_p, at_s) = (load(p), load(s));
                    let own = slack(at_p, at_s, z);
                    (own + factor * (at_p - own)).store(p, q);
                    (own - z + factor * (at_s - (own - z))).store(s, q);
                }
                (z + factor * (r - z)).store(tile.pull, q);
            }
        }
    }

    /// x = ρ (z^i + y^i) − d^i.
    #[inline(always)]
    fn right_hand_side<S: Simd>(&self, simd: S, columns: &mut [Column], x: &mut [Column]) {
        let tile = Tile::new(columns);
        let rho = Lanes::splat(simd, self.next_rho);
        for q in 0..Lanes::<S>::PER_COLUMN {
            let load = |column: &Column| Lanes::load(simd, column, q);
            let z = load(tile.consensus);
            for (x, view) in x.iter_mut().zip(tile.views.iter()) {
                let [d, p, s] = view.each_ref().map(load);
                let own = slack(p, s, z);
                (rho * (own + own - p) - d).store(x, q);
            }
        }
    }

    /// g_a + g_b.
    #[inline(always)]
    fn gather<S: Simd>(&self, simd: S, Ends { pairs, views }: Ends<'_>, sums: &mut [Column]) {
        // Where views lack edges, each lane has views of its own: no vector loads.
        if !views.is_empty() {
            for (sums, views) in sums.iter_mut().zip(views) {
                for (sum, (&[a, b], view)) in sums.iter_mut().zip(pairs.iter().zip(views)) {
                    let levels = &self.levels[*view as usize * self.n_nodes..];
                    *sum = levels[a as usize] + levels[b as usize];
                }
            }
            return;
        }
        let run = run(pairs);
        for (levels, sums) in self.levels.chunks_exact(self.n_nodes).zip(sums) {
            if let Some((a, b)) = run
                && let Some(at_b) = levels[b..].first_chunk()
            {
                let at_a = Lanes::splat(simd, levels[a]);
                for q in 0..Lanes::<S>::PER_COLUMN {
                    (at_a + Lanes::load(simd, at_b, q)).store(sums, q);
                }
            } else {
                for (sum, &[a, b]) in sums.iter_mut().zip(pairs) {
                    *sum = levels[a as usize] + levels[b as usize];
                }
            }
        }
    }
}

/// [`Pass::iterate`] for some vector unit.
struct IterateKernel<'a, 'b, 'c, const MEASURED: bool> {
    pass: &'a Pass<'a>,
    part: &'b mut Part<'c>,
}

impl<const MEASURED: bool> WithSimd for IterateKernel<'_, '_, '_, MEASURED> {
    type Output = ResidualSums;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> ResidualSums {
        let mut sums = ResidualSums::default();
        self.pass.over(
            simd,
            self.part,
            #[inline(always)]
            |columns, ends, outside, scratch| {
                self.pass.gather(simd, ends, &mut scratch.weights);
                self.pass
                    .tile::<S, MEASURED>(simd, columns, ends.pairs.len(), outside, scratch, &mut sums);
            },
        );
        sums
    }
}

/// [`Pass::prepare`] for some vector unit.
struct PrepareKernel<'a, 'b, 'c> {
    pass: &'a Pass<'a>,
    part: &'b mut Part<'c>,
}

impl WithSimd for PrepareKernel<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        self.pass.over(simd, self.part, |_, _, _, _| {});
    }
}

/// Whether the pairs are (a, b), (a, b+1), … for a whole tile, as nearly all are when all pairs are candidates: no
/// gather then.
#[inline(always)]
fn run(pairs: &[[u32; 2]]) -> Option<(usize, usize)> {
    match *pairs {
        [[a, b], .., [last_a, last_b]] if pairs.len() == LANES && a == last_a && last_b - b == LANES as u32 - 1 => {
            Some((a as usize, b as usize))
        }
        _ => None,
    }
}

/// Adds x to the degrees of both ends.
#[inline(always)]
fn scatter<S: Simd>(simd: S, Ends { pairs, views }: Ends<'_>, x: &[Column], n_nodes: usize, degrees: &mut [f64]) {
    if !views.is_empty() {
        for (x, views) in x.iter().zip(views) {
            for (x, (&[a, b], view)) in x.iter().zip(pairs.iter().zip(views)) {
                let degrees = &mut degrees[*view as usize * n_nodes..];
                degrees[a as usize] += x;
                degrees[b as usize] += x;
            }
        }
        return;
    }
    let run = run(pairs);
    for (degrees, x) in degrees.chunks_exact_mut(n_nodes).zip(x) {
        if let Some((a, b)) = run
            && let Some(at_b) = degrees[b..].first_chunk_mut()
        {
            for q in 0..Lanes::<S>::PER_COLUMN {
                (Lanes::load(simd, at_b, q) + Lanes::load(simd, x, q)).store(at_b, q);
            }
            // A fixed tree of additions: the same bits on any vector unit.
            degrees[a] += ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]));
        } else {
            for (&[a, b], x) in pairs.iter().zip(x) {
                degrees[a as usize] += x;
                degrees[b as usize] += x;
            }
        }
    }
}
