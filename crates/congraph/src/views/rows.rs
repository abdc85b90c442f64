//! The numbers of a view, row after row, which views with the nodes in another order share.

use std::sync::Arc;

#[derive(Clone, Debug)]
pub(super) struct Rows {
    values: Arc<Vec<f64>>,
    stride: usize,
    /// Where each row is kept, if not in the order they are counted in.
    places: Option<Arc<Vec<u32>>>,
}

impl Rows {
    pub(super) fn new(values: Vec<f64>, stride: usize) -> Self {
        Self {
            values: Arc::new(values),
            stride,
            places: None,
        }
    }

    /// Rows of this length, kept elsewhere.
    pub(super) fn elsewhere(stride: usize) -> Self {
        Self::new(Vec::new(), stride)
    }

    pub(super) fn are_here(&self) -> bool {
        !self.values.is_empty()
    }

    /// The length of a row.
    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    pub(super) fn row(&self, row: usize) -> &[f64] {
        let place = self.places.as_ref().map_or(row, |places| places[row] as usize);
        &self.values[place * self.stride..(place + 1) * self.stride]
    }

    pub(super) fn clear(&mut self, row: usize) {
        debug_assert!(self.places.is_none(), "nothing is cleared once rows were moved");
        let (stride, values) = (self.stride, Arc::make_mut(&mut self.values));
        values[row * stride..(row + 1) * stride].fill(0.0);
    }

    /// Some of the rows, in this order. Nothing is copied.
    pub(super) fn in_order(&self, rows: &Arc<Vec<u32>>) -> Self {
        let places = match &self.places {
            _ if !self.are_here() => None,
            None => Some(Arc::clone(rows)),
            Some(places) => Some(Arc::new(rows.iter().map(|&row| places[row as usize]).collect())),
        };
        Self { places, ..self.clone() }
    }

    /// All numbers, row after row.
    pub(super) fn to_vec(&self) -> Vec<f64> {
        self.iter().flatten().copied().collect()
    }

    fn iter(&self) -> impl Iterator<Item = &[f64]> {
        let n_kept = self.values.len() / self.stride.max(1);
        (0..self.places.as_ref().map_or(n_kept, |places| places.len())).map(|row| self.row(row))
    }
}

impl PartialEq for Rows {
    fn eq(&self, other: &Self) -> bool {
        self.stride == other.stride && self.iter().eq(other.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_in_another_order_are_the_same_numbers() {
        let rows = Rows::new(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2);
        let turned = rows.in_order(&Arc::new(vec![2, 0, 1]));
        assert!(Arc::ptr_eq(&rows.values, &turned.values), "nothing is copied");
        assert_eq!(turned.to_vec(), [5.0, 6.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(turned, Rows::new(turned.to_vec(), 2));
        assert_ne!(turned, rows);
        let back = turned.in_order(&Arc::new(vec![1, 2, 0]));
        assert_eq!(back, rows);
        assert_eq!(turned.in_order(&Arc::new(vec![1])).to_vec(), [1.0, 2.0]);
    }

    #[test]
    fn a_cleared_row_leaves_what_others_share() {
        let rows = Rows::new(vec![1.0, 2.0], 1);
        let mut mine = rows.clone();
        mine.clear(0);
        assert_eq!((mine.to_vec(), rows.to_vec()), (vec![0.0, 2.0], vec![1.0, 2.0]));
    }

    #[test]
    fn what_is_elsewhere_stays_there() {
        let rows = Rows::elsewhere(7);
        assert!(!rows.in_order(&Arc::new(vec![1, 0])).are_here());
        assert_eq!(rows.stride(), 7);
    }
}
