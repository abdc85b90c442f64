//! Several unknowns at once: Broyden's method, with steps kept short and a Jacobian kept sensible.
//!
//! ```text
//! s = −J⁻¹ f(x)      J ← J + (f(x + s) − f(x) − J s) sᵀ / sᵀs
//! ```
//!
//! Each unknown has its own equation, on which it acts most: J has a positive diagonal of about the guessed size.

/// The slopes ∂f_i/∂x_j, learned from steps.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Slopes {
    /// The guess for the diagonal.
    guess: Vec<f64>,
    rows: Vec<Vec<f64>>,
}

/// Steps shorter than this tell more of single edges than of slopes.
const TELLING: f64 = 0.02;
/// The diagonal stays within this factor of the guess.
const TRUSTED: f64 = 20.0;
/// The longest step in each unknown.
const LONGEST: f64 = 1.2;

impl Slopes {
    /// Each unknown acts on its own equation only, as far as is known.
    pub(super) fn diagonal(guess: &[f64]) -> Self {
        let row = |i: usize| (0..guess.len()).map(|j| if i == j { guess[i] } else { 0.0 }).collect();
        Self {
            guess: guess.to_vec(),
            rows: (0..guess.len()).map(row).collect(),
        }
    }

    /// The next step from residuals f.
    pub(super) fn step(&self, residuals: &[f64]) -> Vec<f64> {
        let mut step = solve(self.rows.clone(), residuals);
        let sensible = step.iter().all(|s| s.is_finite());
        for (k, s) in step.iter_mut().enumerate() {
            *s = if sensible { -*s } else { -residuals[k] / self.guess[k] };
            *s = s.clamp(-LONGEST, LONGEST);
        }
        step
    }

    /// Learns from a step and the change of the residuals along it.
    pub(super) fn learn(&mut self, step: &[f64], change: &[f64]) {
        let length: f64 = step.iter().map(|s| s * s).sum();
        if length.sqrt() < TELLING {
            return;
        }
        for (i, row) in self.rows.iter_mut().enumerate() {
            let told: f64 = row.iter().zip(step).map(|(slope, s)| slope * s).sum();
            let wrong = (change[i] - told) / length;
            for (slope, s) in row.iter_mut().zip(step) {
                *slope += wrong * s;
            }
            row[i] = row[i].clamp(self.guess[i] / TRUSTED, self.guess[i] * TRUSTED);
            let bound = 2.0 * self.guess[i];
            for (j, slope) in row.iter_mut().enumerate() {
                if j != i {
                    *slope = slope.clamp(-bound, bound);
                }
            }
        }
    }
}

/// A x = b for up to three unknowns, by elimination with pivots.
fn solve(mut rows: Vec<Vec<f64>>, right: &[f64]) -> Vec<f64> {
    let n = right.len();
    let mut x = right.to_vec();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| rows[i][k].abs().total_cmp(&rows[j][k].abs()));
        let pivot = pivot.unwrap_or(k);
        rows.swap(k, pivot);
        x.swap(k, pivot);
        let (above, below) = rows.split_at_mut(k + 1);
        let pivot = &above[k];
        for (i, row) in below.iter_mut().enumerate() {
            let factor = row[k] / pivot[k];
            for (entry, over) in row.iter_mut().zip(pivot).skip(k) {
                *entry -= factor * over;
            }
            x[k + 1 + i] -= factor * x[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| rows[k][j] * x[j]).sum();
        x[k] = (x[k] - known) / rows[k][k];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coupled_curves_are_solved_in_a_few_steps() {
        let f = |x: &[f64]| {
            [
                x[0] + 0.4 * x[1] + 0.1 * x[0] * x[0] - 1.0,
                1.5 * x[1] - 0.5 * x[0] + 0.2 * x[1].sin() + 0.7,
            ]
        };
        let mut x = vec![0.0, 0.0];
        let mut slopes = Slopes::diagonal(&[1.0, 1.0]);
        let mut at = f(&x);
        for _ in 0..10 {
            let step = slopes.step(&at);
            x.iter_mut().zip(&step).for_each(|(x, s)| *x += s);
            let next = f(&x);
            slopes.learn(&step, &[next[0] - at[0], next[1] - at[1]]);
            at = next;
        }
        assert!(at.iter().all(|f| f.abs() < 1e-3), "{at:?}");
    }

    #[test]
    fn elimination_needs_no_pivot_on_the_diagonal() {
        let x = solve(
            vec![vec![0.0, 2.0, 0.0], vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 4.0]],
            &[2.0, 3.0, 9.0],
        );
        assert_eq!(x, [3.0, 1.0, 2.0]);
    }
}
