//! Data as they were read.

use super::Orient;

/// One data set as it was read: numbers in rows and columns, with whatever names came along.
///
/// The values are its own unless it says otherwise: a `Table<&[f64]>` leaves them with whoever has them, and they are
/// read from there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table<Values = Vec<f64>> {
    /// The view's name.
    pub name: String,
    /// Names of the columns, if the source has any.
    pub column_names: Option<Vec<String>>,
    /// Names of the rows, if the source has any.
    pub row_names: Option<Vec<String>>,
    /// The resampling unit (trial, session, …) of each row, if known.
    pub blocks: Option<Vec<String>>,
    /// How many rows.
    pub n_rows: usize,
    /// How many columns.
    pub n_columns: usize,
    /// The values, row after row.
    pub values: Values,
    /// For Gram matrices: how many samples were summed.
    pub n_samples: Option<usize>,
    /// How many independent samples the rows are worth, if their source knows; see
    /// [`Views::effective_samples`](super::Views::effective_samples).
    pub n_effective: Option<f64>,
    /// Whose data they are, if views are of subjects that were measured in several conditions.
    pub subject: Option<String>,
    /// Genes that were left out of it because they are seen in too few of its cells.
    pub seldom: Vec<String>,
}

impl<Values: AsRef<[f64]>> Table<Values> {
    /// A table of `values` given row after row.
    ///
    /// # Panics
    /// If `values` is not a whole number of rows of `n_columns` values.
    pub fn new(name: impl Into<String>, n_columns: usize, values: Values) -> Self {
        let n_values = values.as_ref().len();
        let n_rows = n_values.checked_div(n_columns).unwrap_or(0);
        assert_eq!(n_rows * n_columns, n_values, "the values must fill whole rows");
        Self {
            name: name.into(),
            column_names: None,
            row_names: None,
            blocks: None,
            n_rows,
            n_columns,
            values,
            n_samples: None,
            n_effective: None,
            subject: None,
            seldom: Vec::new(),
        }
    }

    /// The same table with names for its columns.
    ///
    /// # Panics
    /// If there are not as many names as columns.
    #[must_use]
    pub fn with_columns<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        assert_eq!(names.len(), self.n_columns, "one name per column");
        self.column_names = Some(names);
        self
    }

    pub(super) fn node_names(&self, orient: Orient) -> Option<&[String]> {
        match orient {
            Orient::SamplesByNodes => self.column_names.as_deref(),
            Orient::NodesBySamples => self.row_names.as_deref(),
        }
    }

    pub(super) fn n_nodes(&self, orient: Orient) -> usize {
        match orient {
            Orient::SamplesByNodes => self.n_columns,
            Orient::NodesBySamples => self.n_rows,
        }
    }

    /// The values, row after row.
    pub(super) fn cells(&self) -> &[f64] {
        self.values.as_ref()
    }

    /// Whether another member of a team has its values.
    pub(super) fn is_elsewhere(&self) -> bool {
        self.cells().is_empty() && self.n_rows * self.n_columns > 0
    }

    /// The same table the other way round.
    pub(super) fn transposed(self) -> Table {
        let (rows, columns) = (self.n_rows, self.n_columns);
        let mut values = if self.is_elsewhere() {
            Vec::new()
        } else {
            vec![0.0; rows * columns]
        };
        for (row, source) in self.cells().chunks_exact(columns.max(1)).enumerate() {
            for (column, &value) in source.iter().enumerate() {
                values[column * rows + row] = value;
            }
        }
        Table {
            name: self.name,
            column_names: self.row_names,
            row_names: None,
            blocks: self.blocks,
            n_rows: columns,
            n_columns: rows,
            values,
            n_samples: self.n_samples,
            n_effective: self.n_effective,
            subject: self.subject,
            seldom: self.seldom,
        }
    }
}
