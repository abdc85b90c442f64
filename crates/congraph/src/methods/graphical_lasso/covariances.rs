//! Views → covariance matrices, scaled as the distances are.
//!
//! ```text
//! zscore    correlations                center    covariances (divided by p)         none    X Xᵀ / p
//! ```
//!
//! Divided by the number of samples p, never by p − 1, as scikit-learn does.

use faer::Mat;
use rayon::prelude::*;

use super::matrices::{mirrored, squared};
use crate::distances::n_samples;
use crate::error::{Code, DataError, Error};
use crate::options::{names_listed, option};
use crate::signals::{SampleNorm, Scale, Scaling, Signals};
use crate::views::{Kind, View, Views};

/// One matrix per view, row after row.
///
/// # Errors
/// [`Code::E04`] for a node without variance; [`Error::Parameter`] if the number of samples of a Gram matrix is needed
/// and not known.
pub(super) fn covariances(views: &Views, scaling: &Scaling) -> Result<Vec<Vec<f64>>, Error> {
    let found: Vec<Vec<f64>> = if views.kind() == Kind::Signals {
        let signals = Signals::new(views, scaling);
        let of_view = |view: &crate::signals::ViewSignals| {
            let columns = Mat::from_fn(view.n_samples, views.n_nodes(), |sample, node| view.node(node)[sample]);
            mirrored(&squared(columns.transpose(), 1.0 / view.n_samples as f64))
        };
        signals.views.par_iter().map(of_view).collect()
    } else {
        let of_view = |view: &View| from_products(view, views.kind(), views.n_nodes(), scaling.scale);
        views.iter().map(of_view).collect::<Result<_, _>>()?
    };
    for (view, matrix) in views.iter().zip(&found) {
        if let Some(node) = (0..views.n_nodes()).find(|&node| matrix[node * views.n_nodes() + node] <= 0.0) {
            let name = &views.nodes()[node];
            let error = DataError::new(
                Code::E04,
                format!("node `{name}` of view `{}` has no variance", view.name()),
                "its precision would be infinite",
                format!(
                    "leave it out of all views with {}",
                    option("drop_nodes").set_to(names_listed(&[name]))
                ),
            );
            return Err(error.in_view(view.name()).at_node(name).into());
        }
    }
    Ok(found)
}

fn from_products(view: &View, kind: Kind, n: usize, scale: Scale) -> Result<Vec<f64>, Error> {
    let divisor = if kind == Kind::Gram && scale != Scale::Zscore {
        n_samples(view)?
    } else {
        1.0
    };
    let entry = |i: usize, j: usize| {
        // The two triangles may differ by rounding.
        let product = 0.5 * (view.node(i)[j] + view.node(j)[i]);
        match scale {
            Scale::Zscore if i == j => 1.0,
            Scale::Zscore => product / (view.node(i)[i] * view.node(j)[j]).sqrt(),
            Scale::Center | Scale::None => product / divisor,
        }
    };
    Ok((0..n)
        .flat_map(|i| (0..n).map(move |j| (i, j)))
        .map(|(i, j)| entry(i, j))
        .collect())
}

/// The weights c_k: 1, or the numbers of samples where costs are sums over them.
pub(super) fn view_weights(views: &Views, norm: SampleNorm) -> Result<Vec<f64>, Error> {
    match norm {
        SampleNorm::Mean => Ok(vec![1.0; views.n_views()]),
        SampleNorm::Sum => views.iter().map(n_samples).collect(),
    }
}
