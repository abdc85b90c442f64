//! Signals with gaps: moments of every pair of nodes from the samples that both have.
//!
//! ```text
//! r_ab   Pearson's correlation over the samples in which a and b are both finite
//! s_a    the standard deviation of a over all of its own finite samples
//! C      = D R' D, with D = diag(s) and R' the correlation matrix nearest to R
//! ```
//!
//! Correlations of different samples need not fit together: R can have negative eigenvalues, and no signals then have
//! these correlations. R' is the nearest matrix (in the Frobenius norm) with ones on its diagonal and no eigenvalue below
//! 0, by alternating projections with Dykstra's correction (Higham 2002). A warning (W20) says how far that is.
//!
//! The views become covariances: what needs samples (halves, blocks) cannot be asked of them. Cost: O(n² p) for the
//! moments, O(n³) for each projection.

use faer::{Mat, Side};
use rayon::prelude::*;

use super::{Missing, Table, ViewOptions, fault};
use crate::error::{Code, DataError, Warning};
use crate::options::option;

/// The fewest common samples of which a correlation is made.
const FEWEST: usize = 3;
/// Eigenvalues above this are none below 0, but rounding.
const ROUNDING: f64 = -1e-10;
/// The most projections, and the change of an entry at which they end.
const MOST: usize = 200;
const ENOUGH: f64 = 1e-9;

/// Covariances in place of signals, where any of these has a gap; what was done to each view, and what is wrong.
pub(super) type Filled = (Vec<Table>, Vec<Warning>, Vec<DataError>);

/// Whether any value is not finite.
pub(super) fn has_gaps<Values: AsRef<[f64]>>(tables: &[Table<Values>]) -> bool {
    tables
        .iter()
        .any(|table| table.cells().iter().any(|value| !value.is_finite()))
}

/// The covariances of tables that have their nodes in columns.
pub(super) fn covariances<Values: AsRef<[f64]> + Send + Sync>(
    tables: &[Table<Values>],
    options: &ViewOptions,
) -> Filled {
    let found: Vec<_> = tables.iter().map(|table| covariance(table, options)).collect();
    let (mut filled, mut warnings, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for (table, told, wrong) in found {
        filled.push(table);
        warnings.extend(told);
        errors.extend(wrong);
    }
    (filled, warnings, errors)
}

/// The columns of a table, node by node.
fn columns<Values: AsRef<[f64]>>(table: &Table<Values>) -> Vec<Vec<f64>> {
    let cells = table.cells();
    let column = |column: usize| {
        (0..table.n_rows)
            .map(|row| cells[row * table.n_columns + column])
            .collect()
    };
    (0..table.n_columns).map(column).collect()
}

fn covariance<Values: AsRef<[f64]>>(
    table: &Table<Values>,
    options: &ViewOptions,
) -> (Table, Option<Warning>, Option<DataError>) {
    let n = table.n_columns;
    let columns = columns(table);
    let row = |a: usize| -> Vec<(f64, usize)> { (0..=a).map(|b| correlation(&columns[a], &columns[b])).collect() };
    let moments: Vec<Vec<(f64, usize)>> = (0..n).into_par_iter().map(row).collect();
    let own = used(&moments, table, options);
    let spread: Vec<f64> = columns.iter().map(|column| deviation(column)).collect();
    let raw = Mat::from_fn(own.len(), own.len(), |i, j| {
        let (a, b) = (own[i].max(own[j]), own[i].min(own[j]));
        if a == b { 1.0 } else { moments[a][b].0 }
    });
    let unknown = if options.missing == Missing::Mask {
        None
    } else {
        apart(table, &moments)
    };
    let nearest = nearest(&raw);
    let counts: Vec<usize> = own
        .iter()
        .flat_map(|&a| own.iter().filter(move |&&b| b < a).map(move |&b| (a, b)))
        .map(|(a, b)| moments[a][b].1)
        .collect();
    let mut values = vec![f64::NAN; n * n];
    for (i, &a) in own.iter().enumerate() {
        for (j, &b) in own.iter().enumerate() {
            values[a * n + b] = nearest.matrix[(i, j)] * spread[a] * spread[b];
        }
    }
    let told = told(table, &columns, &counts, &nearest);
    let mean = counts.iter().sum::<usize>() as f64 / counts.len().max(1) as f64;
    let filled = Table {
        name: table.name.clone(),
        column_names: table.column_names.clone(),
        row_names: table.column_names.clone(),
        blocks: None,
        n_rows: n,
        n_columns: n,
        values,
        n_samples: Some(mean.round() as usize),
        n_effective: None,
        subject: table.subject.clone(),
        seldom: table.seldom.clone(),
    };
    (filled, told, unknown)
}

/// The nodes that have a correlation with each other: with masks, nodes without are left out, those with most gaps first.
fn used<Values: AsRef<[f64]>>(
    moments: &[Vec<(f64, usize)>],
    table: &Table<Values>,
    options: &ViewOptions,
) -> Vec<usize> {
    let mut own: Vec<usize> = (0..moments.len()).collect();
    if options.missing == Missing::Error {
        return own;
    }
    let name = |node: usize| table.column_names.as_ref().map(|names| names[node].as_str());
    loop {
        let lacking = |a: usize| {
            let unknown = |&&b: &&usize| moments[a.max(b)][a.min(b)].1 < FEWEST;
            own.iter().filter(unknown).count()
        };
        let worst = own.iter().map(|&a| (lacking(a), a));
        let worst = worst.max_by(|one, two| one.0.cmp(&two.0).then_with(|| name(two.1).cmp(&name(one.1))));
        match worst {
            Some((count, node)) if count > 0 => own.retain(|&other| other != node),
            _ => return own,
        }
    }
}

/// E01 for pairs that are never seen together.
fn apart<Values: AsRef<[f64]>>(table: &Table<Values>, moments: &[Vec<(f64, usize)>]) -> Option<DataError> {
    let pairs = moments.iter().enumerate().flat_map(|(a, row)| {
        let few = row.iter().enumerate().filter(|(_, (_, count))| *count < FEWEST);
        few.map(move |(b, (_, count))| (a, b, *count))
    });
    let all: Vec<(usize, usize, usize)> = pairs.collect();
    let &(a, b, count) = all.first()?;
    let name = |node: usize| match &table.column_names {
        Some(names) => names[node].clone(),
        None => node.to_string(),
    };
    let view = &table.name;
    let what = if a == b {
        format!("node `{}` of view `{view}` has {count} finite values", name(a))
    } else {
        format!(
            "nodes `{}` and `{}` of view `{view}` have {count} samples in common",
            name(b),
            name(a)
        )
    };
    let more = if all.len() > 1 {
        format!(", and so have {} other pairs", all.len() - 1)
    } else {
        String::new()
    };
    Some(fault(
        Code::E01,
        view,
        format!("{what}{more}; at least {FEWEST} are needed"),
        "the correlation of a pair is made from the samples that both have",
        format!(
            "{} leaves such nodes out of this view",
            option("missing").set_to("mask")
        ),
    ))
}

/// The correlation over common finite samples, and how many there are; 0 where one does not vary.
fn correlation(one: &[f64], other: &[f64]) -> (f64, usize) {
    let common = || one.iter().zip(other).filter(|(x, y)| x.is_finite() && y.is_finite());
    let count = common().count();
    if count < FEWEST {
        return (0.0, count);
    }
    let n = count as f64;
    let (sum_x, sum_y) = common().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
    let (mean_x, mean_y) = (sum_x / n, sum_y / n);
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (x, y) in common() {
        let (x, y) = (x - mean_x, y - mean_y);
        xx += x * x;
        yy += y * y;
        xy += x * y;
    }
    let norm = (xx * yy).sqrt();
    let correlation = if norm > 0.0 { (xy / norm).clamp(-1.0, 1.0) } else { 0.0 };
    (correlation, count)
}

/// The standard deviation of the finite values.
fn deviation(values: &[f64]) -> f64 {
    let finite = || values.iter().filter(|value| value.is_finite());
    let n = finite().count().max(1) as f64;
    let mean = finite().sum::<f64>() / n;
    (finite().map(|value| (value - mean).powi(2)).sum::<f64>() / n).sqrt()
}

/// A correlation matrix near to what was asked for, and how far it is.
struct Nearest {
    matrix: Mat<f64>,
    /// ‖R' − R‖ / ‖R‖, in the Frobenius norm.
    distance: f64,
    /// The largest change of a correlation.
    largest: f64,
}

fn nearest(raw: &Mat<f64>) -> Nearest {
    let n = raw.nrows();
    let mut matrix = raw.clone();
    let mut correction = Mat::<f64>::zeros(n, n);
    for round in 0..MOST {
        let shifted = Mat::from_fn(n, n, |i, j| matrix[(i, j)] - correction[(i, j)]);
        let Some(valid) = without_negative(&shifted, round == 0) else {
            break;
        };
        let mut change: f64 = 0.0;
        for j in 0..n {
            for i in 0..n {
                correction[(i, j)] = valid[(i, j)] - shifted[(i, j)];
                let next = if i == j { 1.0 } else { valid[(i, j)] };
                change = change.max((next - matrix[(i, j)]).abs());
                matrix[(i, j)] = next;
            }
        }
        if change < ENOUGH {
            break;
        }
    }
    // What is left of negative eigenvalues goes, and diagonals are ones again.
    if let Some(valid) = without_negative(&matrix, true) {
        let scale: Vec<f64> = (0..n).map(|i| valid[(i, i)].max(f64::MIN_POSITIVE).sqrt()).collect();
        matrix = Mat::from_fn(n, n, |i, j| {
            let entry = 0.5 * (valid[(i, j)] + valid[(j, i)]) / (scale[i] * scale[j]);
            if i == j { 1.0 } else { entry }
        });
    }
    let (mut far, mut norm, mut largest) = (0.0_f64, 0.0_f64, 0.0_f64);
    for j in 0..n {
        for i in 0..n {
            let change = matrix[(i, j)] - raw[(i, j)];
            far += change * change;
            norm += raw[(i, j)] * raw[(i, j)];
            largest = largest.max(change.abs());
        }
    }
    Nearest {
        matrix,
        distance: (far / norm.max(f64::MIN_POSITIVE)).sqrt(),
        largest,
    }
}

/// The nearest matrix without eigenvalues below 0; none if there are none, and it is enough to know that.
fn without_negative(matrix: &Mat<f64>, is_enough: bool) -> Option<Mat<f64>> {
    let n = matrix.nrows();
    let eigen = matrix.self_adjoint_eigen(Side::Lower).ok()?;
    let (vectors, values) = (eigen.U(), eigen.S());
    if is_enough && (0..n).all(|k| values[k] >= ROUNDING) {
        return None;
    }
    let scaled = Mat::from_fn(n, n, |i, k| vectors[(i, k)] * values[k].max(0.0));
    Some(&scaled * vectors.transpose())
}

/// W20: how much is missing, and how far the nearest valid matrix is.
fn told<Values: AsRef<[f64]>>(
    table: &Table<Values>,
    columns: &[Vec<f64>],
    counts: &[usize],
    nearest: &Nearest,
) -> Option<Warning> {
    let gaps = columns.iter().flatten().filter(|value| !value.is_finite()).count();
    if gaps == 0 {
        return None;
    }
    let share = 100.0 * gaps as f64 / (table.n_rows * table.n_columns).max(1) as f64;
    let least = counts.iter().min().copied().unwrap_or_default();
    let fit = if nearest.largest > 0.0 {
        format!(
            "They did not fit together, and were moved to the nearest that do: by {:.4} at most, {:.3} % of all \
             (Frobenius norm)",
            nearest.largest,
            100.0 * nearest.distance
        )
    } else {
        "They fit together as they are".into()
    };
    let message = format!(
        "{share:.2} % of the values are missing; the correlation of two nodes is from the samples that both have, {least} \
         at least. {fit}"
    );
    Some(Warning::new("W20", message).in_view(&table.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_of_highams_example() {
        // Higham (2002), section 4: the nearest correlation matrix of tridiag(1, 1, 1).
        let raw = Mat::from_fn(3, 3, |i, j| if i == j || i + 1 == j || j + 1 == i { 1.0 } else { 0.0 });
        let found = nearest(&raw);
        for (at, value) in [((0, 1), 0.7607), ((0, 2), 0.1573), ((1, 2), 0.7607)] {
            assert!((found.matrix[at] - value).abs() < 1e-4, "{at:?}: {}", found.matrix[at]);
        }
        assert!((found.largest - 0.2393).abs() < 1e-4 && found.distance > 0.1);
    }

    #[test]
    fn a_valid_matrix_stays_as_it_is() {
        let raw = Mat::from_fn(4, 4, |i, j| if i == j { 1.0 } else { 0.3 });
        let found = nearest(&raw);
        assert_eq!(found.largest, 0.0);
    }

    #[test]
    fn a_pair_counts_only_common_samples() {
        let (x, y) = ([1.0, 2.0, f64::NAN, 4.0], [2.0, 4.0, 9.0, 8.0]);
        let (correlation, count) = correlation(&x, &y);
        assert!((correlation - 1.0).abs() < 1e-15 && count == 3);
    }
}
