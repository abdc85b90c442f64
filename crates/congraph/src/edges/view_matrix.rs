//! One row of N views for each edge or node: the storage that every kernel walks.
//!
//! Edge-major storage keeps the N values that a joint proximal map needs next to each other.

use crate::parallel::chunks;

/// A table with one column per view and one row per edge (or node), stored row after row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ViewMatrix {
    n_views: usize,
    values: Vec<f64>,
}

impl ViewMatrix {
    /// All zeros.
    pub fn zeros(n_rows: usize, n_views: usize) -> Self {
        Self::from_values(n_views, vec![0.0; n_rows * n_views])
    }

    /// No rows yet, with capacity for some.
    pub(crate) fn with_capacity(n_rows: usize, n_views: usize) -> Self {
        Self::from_values(n_views, Vec::with_capacity(n_rows * n_views))
    }

    /// From values given row after row.
    ///
    /// # Panics
    /// If `n_views` is 0 or `values` are not whole rows.
    pub fn from_values(n_views: usize, values: Vec<f64>) -> Self {
        assert!(n_views > 0, "at least one view");
        assert_eq!(values.len() % n_views, 0, "the values must fill whole rows");
        Self { n_views, values }
    }

    /// How many rows.
    pub fn n_rows(&self) -> usize {
        self.values.len() / self.n_views.max(1)
    }

    /// How many views (columns).
    pub fn n_views(&self) -> usize {
        self.n_views
    }

    /// One row: the values of all views.
    #[inline]
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.n_views..(row + 1) * self.n_views]
    }

    /// One row, to write.
    #[inline]
    pub fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.values[row * self.n_views..(row + 1) * self.n_views]
    }

    /// All rows in order.
    pub fn rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.values.chunks_exact(self.n_views)
    }

    /// All rows in order, to write.
    pub fn rows_mut(&mut self) -> std::slice::ChunksExactMut<'_, f64> {
        self.values.chunks_exact_mut(self.n_views)
    }

    /// The values of one view, over all rows.
    pub fn column(&self, view: usize) -> impl Iterator<Item = f64> + Clone + '_ {
        self.values.iter().skip(view).step_by(self.n_views).copied()
    }

    /// All values, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All values, row after row, to write.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Removes all rows and keeps the allocation.
    pub(crate) fn clear(&mut self) {
        self.values.clear();
    }

    /// Adds a row at the end.
    pub fn push_row(&mut self, row: &[f64]) {
        debug_assert_eq!(row.len(), self.n_views);
        self.values.extend_from_slice(row);
    }

    /// Appends some rows of another matrix.
    pub(crate) fn push_rows(&mut self, other: &Self, rows: std::ops::Range<usize>) {
        debug_assert_eq!(other.n_views, self.n_views);
        self.values
            .extend_from_slice(&other.values[rows.start * self.n_views..rows.end * self.n_views]);
    }

    /// Appends all rows of another matrix.
    pub(crate) fn append(&mut self, other: &mut Self) {
        debug_assert_eq!(other.n_views, self.n_views);
        self.values.append(&mut other.values);
    }

    /// Changes the number of rows; new ones are zero.
    pub(crate) fn resize(&mut self, n_rows: usize) {
        self.values.resize(n_rows * self.n_views, 0.0);
    }

    /// The sum of tables of the same size, added in order.
    pub(crate) fn sum(tables: Vec<Self>) -> Self {
        let mut tables = tables.into_iter();
        let mut sum = tables.next().unwrap_or_default();
        for table in tables {
            for (value, more) in sum.values.iter_mut().zip(&table.values) {
                *value += more;
            }
        }
        sum
    }

    /// The sum of each column.
    pub fn column_sums(&self) -> Vec<f64> {
        let parts = chunks::map(self.n_rows(), |range| {
            let mut sums = vec![0.0; self.n_views];
            for row in self.values[range.start * self.n_views..range.end * self.n_views].chunks_exact(self.n_views) {
                for (sum, value) in sums.iter_mut().zip(row) {
                    *sum += value;
                }
            }
            sums
        });
        let mut sums = vec![0.0; self.n_views];
        for part in parts {
            for (sum, more) in sums.iter_mut().zip(part) {
                *sum += more;
            }
        }
        sums
    }
}
