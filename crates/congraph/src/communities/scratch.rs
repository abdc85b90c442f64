//! Sums of weights by community, cleared in the time it took to fill them.

/// A sum for each label, of which few are not zero.
#[derive(Debug, Default)]
pub(super) struct LabelSums {
    values: Vec<f64>,
    is_touched: Vec<bool>,
    touched: Vec<u32>,
}

impl LabelSums {
    /// For labels below `n_labels`.
    pub(super) fn new(n_labels: usize) -> Self {
        Self {
            values: vec![0.0; n_labels],
            is_touched: vec![false; n_labels],
            touched: Vec::with_capacity(n_labels),
        }
    }

    /// Adds a weight.
    #[inline]
    pub(super) fn add(&mut self, label: u32, weight: f64) {
        // Not told by a sum of 0, which weights of both signs may come back to.
        if !std::mem::replace(&mut self.is_touched[label as usize], true) {
            self.touched.push(label);
        }
        self.values[label as usize] += weight;
    }

    #[inline]
    pub(super) fn of(&self, label: u32) -> f64 {
        self.values[label as usize]
    }

    /// The sums that something was added to, in order of first occurrence.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, f64)> {
        self.touched.iter().map(|&label| (label, self.values[label as usize]))
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        for label in self.touched.drain(..) {
            self.values[label as usize] = 0.0;
            self.is_touched[label as usize] = false;
        }
    }
}
