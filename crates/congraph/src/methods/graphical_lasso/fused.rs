//! The fused coupling: every difference between two views is charged.
//!
//! ```text
//! P(x) = Σ_{k<l} |x_k − x_l|        over all pairs of views, whatever their order
//! ```
//!
//! Sorted upwards, P(x) = Σ_r (2r − N + 1) x_(r) with r from 0: a straight line. The proximal map keeps the order of
//! its argument, so it is the isotonic regression of y_(r) − step (2r − N + 1): sort, subtract, pool adjacent
//! violators. Exact, O(N log N) for any number of views, and views that are pooled are equal to the bit.

/// P(x).
pub(super) fn value(row: &[f64]) -> f64 {
    let apart = |(k, x): (usize, &f64)| row[..k].iter().map(|y| (x - y).abs()).sum::<f64>();
    row.iter().enumerate().map(apart).sum()
}

/// x ← argmin_y step · P(y) + ½‖y − x‖².
pub(super) fn prox(row: &mut [f64], step: f64, pools: &mut Vec<Pool>) {
    let n = row.len();
    if n == 2 {
        let half = 0.5 * (row[1] - row[0]);
        if half.abs() <= step {
            row.fill(row[0] + half);
        } else {
            let pull = step.copysign(half);
            row[0] += pull;
            row[1] -= pull;
        }
        return;
    }
    // Before the pools, the values in sorted order, each with its view in place of a size.
    pools.clear();
    pools.extend(row.iter().enumerate().map(|(size, &value)| Pool { value, size }));
    pools.sort_unstable_by(|one, two| one.value.total_cmp(&two.value));
    if pools[0].value == pools[n - 1].value {
        return;
    }
    for r in 0..n {
        let mut pool = Pool {
            value: pools[r].value - step * (2 * r) as f64 + step * (n - 1) as f64,
            size: 1,
        };
        // Equal values fall with their places, so that they are always pooled: they stay equal.
        while pools.len() > n && pools[pools.len() - 1].value >= pool.value {
            pool = pools[pools.len() - 1].joined(pool);
            pools.pop();
        }
        pools.push(pool);
    }
    let (sorted, pools) = pools.split_at(n);
    let mut sorted = sorted.iter();
    for pool in pools {
        for Pool { size: view, .. } in sorted.by_ref().take(pool.size) {
            row[*view] = pool.value;
        }
    }
}

/// Neighbours in sorted order that have become equal.
#[derive(Clone, Copy, Debug)]
pub struct Pool {
    value: f64,
    size: usize,
}

impl Pool {
    fn joined(self, other: Self) -> Self {
        let size = self.size + other.size;
        let share = other.size as f64 / size as f64;
        Self {
            value: self.value + share * (other.value - self.value),
            size,
        }
    }
}
