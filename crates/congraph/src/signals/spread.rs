//! Whether the nodes of every view differ by more than rounding.
//!
//! Signals that are multiples of each other are the same signal once they are z-scored: their distances are the squares
//! of rounding errors, and an optimal graph of those is still a graph. Values so small that their squares underflow
//! leave distances of 0. Both are refused, each view at the cost of one pair of its nodes as long as these differ.

use super::{largest, scale_into};
use crate::error::{Code, DataError, Error};
use crate::options::option;
use crate::signals::{Scale, Scaling};
use crate::views::{Kind, View, Views};

/// Mean squared differences below this share of the mean squares are what is left of equal signals: data are rarely
/// given to more than six digits. Signals as they are may lie far from 0; there only the rounding of f64 itself counts.
const ROUNDING: f64 = 1e-10;
const ROUNDING_OF_OFFSETS: f64 = 1e-26;
/// Values whose squares are no longer normal numbers of f64.
const UNDERFLOW: f64 = 1e-150;

/// What is known of a pair of nodes.
struct Difference {
    /// The larger of the two, at its largest.
    size: f64,
    /// The squared difference as a share of the squares.
    share: f64,
}

/// Refuses views whose distances would be rounding, or would underflow.
///
/// # Errors
/// E04 for each view whose nodes all carry the same signal; [`Error::Invalid`] for values that are too small.
pub(crate) fn check_spread(views: &Views, scaling: &Scaling) -> Result<(), Error> {
    let limit = match (views.kind(), scaling.scale) {
        (Kind::Signals, Scale::None) => ROUNDING_OF_OFFSETS,
        _ => ROUNDING,
    };
    let found = views.ask(|index| {
        let view = views.view(index);
        let own: Vec<usize> = (0..views.n_nodes()).filter(|&node| views.has(index, node)).collect();
        let (mut is_fine, mut size) = (own.len() < 2, 0.0_f64);
        let first = scaled(view, own.first().copied().unwrap_or(0), views.kind(), scaling.scale);
        for &node in own.iter().skip(1) {
            let found = match views.kind() {
                Kind::Signals => difference(&first, &scaled(view, node, Kind::Signals, scaling.scale)),
                Kind::Gram | Kind::Covariance => products(view, own[0], node, scaling.scale),
            };
            size = size.max(found.size);
            if found.size >= UNDERFLOW && found.share > limit {
                is_fine = true;
                break;
            }
        }
        vec![f64::from(u8::from(is_fine)), size]
    });
    let mut same = Vec::new();
    for (index, (view, found)) in views.iter().zip(&found).enumerate() {
        let (is_fine, size) = (found[0] > 0.0, found[1]);
        if !is_fine && size < UNDERFLOW {
            return Err(Error::Invalid {
                what: "distances",
                message: format!(
                    "underflow in view `{}`: values this small (at most {size:.1e}) need {}",
                    view.name(),
                    option("scale").set_to("zscore")
                ),
            });
        }
        if !is_fine {
            same.push(identical(
                view.name(),
                views.membership().n_nodes_of(index),
                scaling.scale,
            ));
        }
    }
    if same.is_empty() {
        Ok(())
    } else {
        Err(Error::Data(same))
    }
}

/// The signal of a node as distances see it.
fn scaled(view: &View, node: usize, kind: Kind, scale: Scale) -> Vec<f64> {
    let signal = view.node(node);
    let mut out = vec![0.0; signal.len()];
    if kind == Kind::Signals {
        scale_into(signal, scale, &mut out);
    }
    out
}

fn difference(one: &[f64], other: &[f64]) -> Difference {
    let size = largest(one).max(largest(other));
    let (mut apart, mut total) = (0.0, 0.0);
    if size > 0.0 {
        for (x, y) in one.iter().zip(other) {
            let (x, y) = (x / size, y / size);
            apart += (x - y) * (x - y);
            total += x * x + y * y;
        }
    }
    Difference {
        size,
        share: if total > 0.0 { apart / total } else { 0.0 },
    }
}

/// The same from a matrix of products.
fn products(view: &View, a: usize, b: usize, scale: Scale) -> Difference {
    let (one, other) = (view.node(a)[a], view.node(b)[b]);
    let (size, total) = match scale {
        Scale::Zscore => (1.0, 2.0 * (one.sqrt() * other.sqrt())),
        Scale::Center | Scale::None => (one.max(other).sqrt(), one + other),
    };
    let share = if total > 0.0 {
        1.0 - 2.0 * view.node(a)[b] / total
    } else {
        0.0
    };
    Difference { size, share }
}

fn identical(view: &str, n_nodes: usize, scale: Scale) -> DataError {
    let scaled = if scale == Scale::Zscore { " up to its size" } else { "" };
    DataError::new(
        Code::E04,
        format!(
            "{} of view `{view}` carry the same signal{scaled}: {} rounding noise",
            if n_nodes == 2 {
                "both nodes".into()
            } else {
                format!("all {n_nodes} nodes")
            },
            if n_nodes == 2 {
                "the distance between them is"
            } else {
                "the distances between them are"
            }
        ),
        "a graph of rounding noise has no meaning, and through the consensus it would spoil the graphs of the other \
         views",
        "leave this view out; if it was measured, look for a dead amplifier, a shared reference or a copied column",
    )
    .in_view(view)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::{Table, ViewOptions};

    fn checked(values: &[f64], n_nodes: usize, scale: Scale) -> Result<(), Error> {
        let table = Table::new("x", n_nodes, values.to_vec());
        let options = ViewOptions {
            allow_constant: scale != Scale::Zscore,
            ..ViewOptions::default()
        };
        let (views, _) = Views::assemble(vec![table], &options)?;
        let scaling = Scaling {
            scale,
            ..Scaling::default()
        };
        check_spread(&views, &scaling)
    }

    fn multiples(factors: &[f64]) -> Vec<f64> {
        let signal = [0.3, -1.2, 2.5, 0.7, -0.4, 1.9, -2.2];
        signal
            .iter()
            .flat_map(|t| factors.iter().map(move |factor| t * factor))
            .collect()
    }

    #[test]
    fn multiples_are_the_same_signal_only_once_scaled() {
        let values = multiples(&[1.0, 3.0, 7.0, 0.1, 11.0]);
        let Err(Error::Data(errors)) = checked(&values, 5, Scale::Zscore) else {
            panic!("accepted");
        };
        assert_eq!(errors[0].code, Code::E04);
        assert_eq!(
            errors[0].what,
            "all 5 nodes of view `x` carry the same signal up to its size: the distances between them are rounding noise"
        );
        let Err(Error::Data(errors)) = checked(&multiples(&[1.0, 3.0]), 2, Scale::Zscore) else {
            panic!("accepted");
        };
        assert_eq!(
            errors[0].what,
            "both nodes of view `x` carry the same signal up to its size: the distance between them is rounding noise"
        );
        assert_eq!(checked(&values, 5, Scale::Center), Ok(()));
        assert_eq!(checked(&values, 5, Scale::None), Ok(()));
        // One node that is its own, and one that is the others' negative.
        assert_eq!(checked(&multiples(&[1.0, 3.0, -7.0]), 3, Scale::Zscore), Ok(()));
    }

    #[test]
    fn values_too_small_to_square_are_refused_unless_scaled() {
        let mut values = multiples(&[1e-165, 2e-165]);
        values[0] = 3e-165;
        assert_eq!(checked(&values, 2, Scale::Zscore), Ok(()));
        for scale in [Scale::Center, Scale::None] {
            let Err(Error::Invalid { message, .. }) = checked(&values, 2, scale) else {
                panic!("accepted");
            };
            assert!(message.contains("underflow"), "{message}");
        }
    }
}
