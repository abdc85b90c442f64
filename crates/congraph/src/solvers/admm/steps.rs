//! The steps of one ADMM iteration, each over all edges.

use rayon::prelude::*;

use super::ZStep;
use super::degrees::DegreeSystem;
use super::state::Residuals;
use crate::blocks;
use crate::penalties::Penalty;
use crate::problem::Problem;
use crate::rows::ViewRows;

/// Edges per block: fixed, so that sums do not depend on the number of threads.
const BLOCK: usize = 2048;

/// `eq:admm_li_step`: w^i ← Π₁ (½SᵀS + aI)⁻¹ x with a = 1 + ρ and x = ρ (z^i + y^i) − d^i. Returns the multipliers of the
/// totals.
pub(super) fn views(
    problem: &Problem,
    rho: f64,
    z: &ViewRows,
    y: &ViewRows,
    system: &mut DegreeSystem,
    out: &mut ViewRows,
) -> Vec<f64> {
    let n_views = problem.n_views();
    let edges = problem.distances().edges();
    let n = problem.n_nodes() as f64;
    let inverse = 1.0 / problem.kappa();
    let distances = problem.distances().values();
    blocks::map_mut(out.values_mut(), n_views, |first, rows| {
        let range = first * n_views..first * n_views + rows.len();
        let inputs = z.values()[range.clone()].iter().zip(&y.values()[range.clone()]);
        for ((out, (z, y)), d) in rows.iter_mut().zip(inputs).zip(&distances.values()[range]) {
            *out = rho * (z + y) - d * inverse;
        }
    });
    let a = 1.0 + rho;
    let degrees = edges.degrees(out);
    let correction = system.correction(edges, a, &degrees);
    let sums = blocks::map_mut(out.values_mut(), n_views, |first, rows| {
        let mut sums = vec![0.0; n_views];
        for (k, row) in rows.chunks_exact_mut(n_views).enumerate() {
            let (u, v) = edges.ends(first + k);
            let ends = correction.row(u).iter().zip(correction.row(v));
            for ((value, (at_u, at_v)), sum) in row.iter_mut().zip(ends).zip(&mut sums) {
                *value = (*value - at_u - at_v) / a;
                *sum += *value;
            }
        }
        sums
    });
    // Onto the right total, along the inverse of 1.
    let (along, total) = system.along(edges, a);
    let multiplier = |view: usize| (n - sums.iter().map(|block| block[view]).sum::<f64>()) / total;
    let multipliers: Vec<f64> = (0..n_views).map(multiplier).collect();
    blocks::map_mut(out.values_mut(), n_views, |first, rows| {
        for (k, row) in rows.chunks_exact_mut(n_views).enumerate() {
            let along = if along.len() == 1 { along[0] } else { along[first + k] };
            for (value, multiplier) in row.iter_mut().zip(&multipliers) {
                *value += multiplier * along;
            }
        }
    });
    multipliers
}

/// The argument of prox c: z^i − z − dual_differences.
pub(super) fn differences(z: &ViewRows, shared: &[f64], dual: &ViewRows, out: &mut ViewRows) {
    let n_views = z.n_views();
    blocks::map_mut(out.values_mut(), n_views, |first, rows| {
        for (k, row) in rows.chunks_exact_mut(n_views).enumerate() {
            let edge = first + k;
            for (out, (z, u)) in row.iter_mut().zip(z.row(edge).iter().zip(dual.row(edge))) {
                *out = z - shared[edge] - u;
            }
        }
    });
}

/// prox c in place; separable penalties block by block.
pub(super) fn prox(penalty: &dyn Penalty, differences: &mut ViewRows, step: f64) {
    let n_views = differences.n_views();
    if penalty.joint().is_some() {
        blocks::map_mut(differences.values_mut(), n_views, |_, rows| {
            penalty.prox(rows, n_views, step);
        });
    } else {
        penalty.prox(differences.values_mut(), n_views, step);
    }
}

/// `eq:admm_second`, the multipliers and the residuals: everything that is left is separate for each edge.
pub(super) struct EdgeStep {
    pub(super) z_step: ZStep,
    pub(super) relaxation: f64,
    pub(super) rho: f64,
}

/// Sums of squares of one block.
#[derive(Clone, Copy, Default)]
struct Sums {
    primal: f64,
    dual: f64,
    first: f64,
    second: f64,
    multipliers: f64,
}

impl EdgeStep {
    pub(super) fn all(
        &self,
        (views, differences, consensus): (&ViewRows, &ViewRows, &[f64]),
        (z, shared): (&mut ViewRows, &mut [f64]),
        (y, u, y_shared): (&mut ViewRows, &mut ViewRows, &mut [f64]),
    ) -> Residuals {
        let n_views = views.n_views();
        let width = BLOCK * n_views;
        let dimension = (consensus.len() * (2 * n_views + 1)) as f64;
        let sums: Vec<Sums> = z
            .values_mut()
            .par_chunks_mut(width)
            .zip(shared.par_chunks_mut(BLOCK))
            .zip(y.values_mut().par_chunks_mut(width))
            .zip(u.values_mut().par_chunks_mut(width))
            .zip(y_shared.par_chunks_mut(BLOCK))
            .zip(views.values().par_chunks(width))
            .zip(differences.values().par_chunks(width))
            .zip(consensus.par_chunks(BLOCK))
            .map(|(((((((z, shared), y), u), y_shared), w), v), l)| {
                let mut sums = Sums::default();
                let mut scratch = Scratch::new(n_views);
                for k in 0..shared.len() {
                    let row = k * n_views..(k + 1) * n_views;
                    self.edge(
                        (&w[row.clone()], &v[row.clone()], l[k]),
                        (&mut z[row.clone()], &mut shared[k]),
                        (&mut y[row.clone()], &mut u[row], &mut y_shared[k]),
                        &mut scratch,
                        &mut sums,
                    );
                }
                sums
            })
            .collect();
        let total = |part: fn(&Sums) -> f64| sums.iter().map(part).sum::<f64>().sqrt();
        Residuals {
            primal: total(|sums| sums.primal),
            dual: self.rho * total(|sums| sums.dual),
            primal_size: total(|sums| sums.first).max(total(|sums| sums.second)),
            dual_size: self.rho * total(|sums| sums.multipliers),
            dimension,
        }
    }

    fn edge(
        &self,
        (w, v, l): (&[f64], &[f64], f64),
        (z, shared): (&mut [f64], &mut f64),
        (y, u, y_shared): (&mut [f64], &mut [f64], &mut f64),
        scratch: &mut Scratch,
        sums: &mut Sums,
    ) {
        let n_views = w.len();
        let keep = 1.0 - self.relaxation;
        let before = *shared;
        scratch.before.copy_from_slice(z);
        // Over-relaxed copies of the first block, shifted by the multipliers: what z^i, z^i − z and z should be.
        let relaxed_shared = self.relaxation * l + keep * before;
        for i in 0..n_views {
            scratch.views[i] = self.relaxation * w[i] + keep * z[i] - y[i];
            scratch.gaps[i] = self.relaxation * v[i] + keep * (z[i] - before) + u[i];
        }
        let pull = relaxed_shared - *y_shared;
        *shared = match self.z_step {
            ZStep::Exact => exact(&scratch.views, &scratch.gaps, pull, z),
            ZStep::BlockCoordinateDescent { sweeps } => {
                alternate(&scratch.views, &scratch.gaps, pull, before, sweeps, z)
            }
        };
        let moved = *shared - before;
        *y_shared = *shared - pull;
        sums.primal += (*shared - l).powi(2);
        sums.dual += moved * moved;
        sums.first += l * l;
        sums.second += *shared * *shared;
        sums.multipliers += *y_shared * *y_shared;
        for i in 0..n_views {
            let gap = z[i] - *shared;
            y[i] = z[i] - scratch.views[i];
            u[i] = scratch.gaps[i] - gap;
            let step = z[i] - scratch.before[i];
            sums.primal += (z[i] - w[i]).powi(2) + (v[i] - gap).powi(2);
            sums.dual += step * step + (step - moved).powi(2);
            sums.first += w[i] * w[i] + v[i] * v[i];
            sums.second += z[i] * z[i] + gap * gap;
            sums.multipliers += y[i] * y[i] + u[i] * u[i];
        }
    }
}

struct Scratch {
    before: Vec<f64>,
    views: Vec<f64>,
    gaps: Vec<f64>,
}

impl Scratch {
    fn new(n_views: usize) -> Self {
        let zeros = || vec![0.0; n_views];
        Self {
            before: zeros(),
            views: zeros(),
            gaps: zeros(),
        }
    }
}

/// argmin over z^i ≥ 0, z ≥ 0 of Σ_i { (z^i − p_i)² + (z^i − z − s_i)² } + (z − r)².
///
/// z^i = max(0, (p_i + s_i + z)/2) leaves (N+1) z + Σs_i − r − Σz^i = 0, concave and increasing in z: Newton from the left
/// ends after at most N pieces.
fn exact(p: &[f64], s: &[f64], r: f64, out: &mut [f64]) -> f64 {
    let n = p.len() as f64;
    let offset = r - s.iter().sum::<f64>();
    let mut z = 0.0_f64;
    for _ in 0..=p.len() {
        let (mut free, mut sum) = (0.0, 0.0);
        for (p, s) in p.iter().zip(s) {
            if p + s + z > 0.0 {
                free += 1.0;
                sum += p + s;
            }
        }
        let next = (offset + 0.5 * sum) / (n + 1.0 - 0.5 * free);
        if next <= z {
            break;
        }
        z = next;
    }
    for (out, (p, s)) in out.iter_mut().zip(p.iter().zip(s)) {
        *out = (0.5 * (p + s + z)).max(0.0);
    }
    z
}

/// The paper's block coordinate descent on the same problem: `eq:admm_zi_step` and `eq:admm_z_step` in turn.
fn alternate(p: &[f64], s: &[f64], r: f64, start: f64, sweeps: usize, out: &mut [f64]) -> f64 {
    let n = p.len() as f64;
    let mut z = start;
    for _ in 0..sweeps {
        for (out, (p, s)) in out.iter_mut().zip(p.iter().zip(s)) {
            *out = (0.5 * (p + s + z)).max(0.0);
        }
        let pull: f64 = out.iter().zip(s).map(|(z_i, s)| z_i - s).sum();
        z = ((pull + r) / (n + 1.0)).max(0.0);
    }
    z
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_coordinate_descent_tends_to_the_exact_step() {
        let cases: [(&[f64], &[f64], f64); 4] = [
            (&[1.0, -2.0, 0.5], &[0.1, 0.2, -0.3], 0.4),
            (&[-1.0, -2.0], &[0.1, 0.2], -5.0),
            (&[3.0], &[-4.0], 9.0),
            (&[0.3, 0.2, 0.1, -0.9], &[-2.0, 1.0, 0.0, 0.5], 0.0),
        ];
        for (p, s, r) in cases {
            let (mut by_sweeps, mut at_once) = (vec![0.0; p.len()], vec![0.0; p.len()]);
            let z = exact(p, s, r, &mut at_once);
            let z_sweeps = alternate(p, s, r, 0.0, 400, &mut by_sweeps);
            assert!((z - z_sweeps).abs() < 1e-12, "{z} {z_sweeps}");
            for (x, y) in at_once.iter().zip(&by_sweeps) {
                assert!((x - y).abs() < 1e-12, "{at_once:?} {by_sweeps:?}");
            }
        }
    }
}
