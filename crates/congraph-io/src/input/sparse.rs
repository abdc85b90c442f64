//! Sparse matrices, stored by rows (CSR) or by columns (CSC), written out in full.
//!
//! The lines of a matrix (rows or columns) follow each other in `places` and `values`; line k is what stands between
//! `starts[k]` and `starts[k + 1]`. Entries that occur twice are added up.

/// A matrix may have this many entries whatever it holds, and beyond that so many for each that it stores.
const ENTRIES: usize = 1 << 24;
const ENTRIES_PER_STORED: usize = 1 << 12;

/// A length or place; anything else becomes too large to be one.
pub(super) fn place(x: f64) -> usize {
    if (0.0..9e15).contains(&x) {
        x as usize
    } else {
        usize::MAX
    }
}

/// A sparse matrix as it is stored.
pub(super) struct Stored<'a> {
    pub(super) starts: &'a [usize],
    /// Where in its line each entry stands.
    pub(super) places: &'a [usize],
    pub(super) values: &'a [f64],
}

impl Stored<'_> {
    /// A matrix stored by rows: some of its columns (all without a list), row after row.
    #[cfg_attr(not(feature = "hdf5"), allow(dead_code, reason = "only AnnData files are stored so"))]
    pub(super) fn rows(&self, n_rows: usize, n_columns: usize, kept: Option<&[usize]>) -> Result<Vec<f64>, String> {
        let width = kept.map_or(n_columns, <[usize]>::len);
        let column_of = kept_place(n_columns, kept);
        let mut dense = self.room(n_rows, n_rows, width)?;
        self.each(n_rows, n_columns, |row, place, value| {
            if let Some(column) = column_of(place) {
                dense[row * width + column] += value;
            }
        })?;
        Ok(dense)
    }

    /// A matrix stored by columns: some of them (all without a list), row after row.
    pub(super) fn columns(&self, n_rows: usize, n_columns: usize, kept: Option<&[usize]>) -> Result<Vec<f64>, String> {
        let width = kept.map_or(n_columns, <[usize]>::len);
        let column_of = kept_place(n_columns, kept);
        let mut dense = self.room(n_columns, n_rows, width)?;
        self.each(n_columns, n_rows, |line, row, value| {
            if let Some(column) = column_of(line) {
                dense[row * width + column] += value;
            }
        })?;
        Ok(dense)
    }

    /// Zeros for a matrix of n × m entries, if the numbers fit each other.
    fn room(&self, n_lines: usize, n: usize, m: usize) -> Result<Vec<f64>, String> {
        let n_stored = self.starts.last().copied().unwrap_or(0);
        // Lengths come from the file, and a few bytes can claim a huge matrix: nothing is allocated before they fit.
        if self.starts.len() != n_lines.saturating_add(1) || n_stored > self.places.len().min(self.values.len()) {
            return Err("a sparse matrix has fewer entries than it says".into());
        }
        match n.checked_mul(m) {
            Some(entries) if entries <= ENTRIES.max(n_stored.saturating_mul(ENTRIES_PER_STORED)) => {
                Ok(vec![0.0; entries])
            }
            _ => Err(format!(
                "a sparse matrix of {n} × {m} with {n_stored} entries is too large to be written out"
            )),
        }
    }

    /// Every entry: its line, its place in the line, its value.
    fn each(&self, n_lines: usize, length: usize, mut entry: impl FnMut(usize, usize, f64)) -> Result<(), String> {
        for (line, ends) in self.starts.windows(2).enumerate().take(n_lines) {
            let stored = self.places.get(ends[0]..ends[1]).zip(self.values.get(ends[0]..ends[1]));
            let (places, values) = stored.ok_or("the lines of a sparse matrix do not follow each other")?;
            for (&place, &value) in places.iter().zip(values) {
                if place >= length {
                    return Err(format!("a sparse matrix has an entry beyond its size of {length}"));
                }
                entry(line, place, value);
            }
        }
        Ok(())
    }
}

/// Where a column stands among those that are kept.
fn kept_place(n_columns: usize, kept: Option<&[usize]>) -> impl Fn(usize) -> Option<usize> {
    let places = kept.map(|kept| {
        let mut places = vec![None; n_columns.min(kept.iter().max().map_or(0, |&last| last + 1))];
        for (place, &column) in kept.iter().enumerate() {
            if let Some(slot) = places.get_mut(column) {
                *slot = Some(place);
            }
        }
        places
    });
    move |column| match &places {
        None => Some(column),
        Some(places) => places.get(column).copied().flatten(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 0 2
    /// 0 0 3
    const BY_ROWS: Stored<'static> = Stored {
        starts: &[0, 2, 3],
        places: &[0, 2, 2],
        values: &[1.0, 2.0, 3.0],
    };
    const BY_COLUMNS: Stored<'static> = Stored {
        starts: &[0, 1, 1, 3],
        places: &[0, 0, 1],
        values: &[1.0, 2.0, 3.0],
    };

    #[test]
    fn both_orders_give_the_same_matrix() {
        let whole = vec![1.0, 0.0, 2.0, 0.0, 0.0, 3.0];
        assert_eq!(BY_ROWS.rows(2, 3, None), Ok(whole.clone()));
        assert_eq!(BY_COLUMNS.columns(2, 3, None), Ok(whole));
        assert_eq!(BY_ROWS.rows(2, 3, Some(&[1, 2])), Ok(vec![0.0, 2.0, 0.0, 3.0]));
        assert_eq!(BY_COLUMNS.columns(2, 3, Some(&[1, 2])), Ok(vec![0.0, 2.0, 0.0, 3.0]));
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        assert!(BY_ROWS.rows(3, 3, None).is_err());
        assert!(BY_ROWS.rows(2, 2, None).is_err());
        assert!(BY_ROWS.rows(2, usize::MAX, None).is_err());
        assert!(BY_ROWS.rows(2, 1 << 40, None).is_err());
        let backwards = Stored {
            starts: &[0, 3, 2],
            ..BY_ROWS
        };
        assert!(backwards.rows(2, 3, None).is_err());
    }
}
