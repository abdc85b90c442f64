//! Edge weights: 1 each, or drawn evenly from a range.
//!
//! The weight of a pair follows from the seed and the pair alone, so all views that have an edge give it the same weight,
//! and an edge that a view moved elsewhere has that of its new place. What else is simulated, the number of nodes
//! included, changes no weight.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::stream;
use crate::error::Error;

/// The random stream of the weights: one that neither views nor changes use.
const STREAM: u64 = u64::MAX - 1;
/// How many words of the stream a weight takes.
const WORDS: u128 = 2;

/// What edges weigh.
#[derive(Clone)]
pub(super) enum Weights {
    One,
    Drawn { rng: Box<ChaCha8Rng>, range: [f64; 2] },
}

impl Weights {
    /// Drawn from a range, if there is one.
    pub(super) fn new(range: Option<[f64; 2]>, seed: u64) -> Self {
        range.map_or(Self::One, |range| Self::Drawn {
            rng: Box::new(stream(seed, STREAM)),
            range,
        })
    }

    /// Refuses weights that no graph has.
    pub(super) fn check(range: Option<[f64; 2]>) -> Result<(), Error> {
        match range {
            Some([low, high]) if !(low > 0.0 && low <= high && high.is_finite()) => Err(Error::Parameter {
                name: "weights",
                message: format!(
                    "are from {low} to {high}: both must be above 0, and the first not above the second (0.5 to 2 \
                     lets weights differ by a factor of four)"
                ),
            }),
            _ => Ok(()),
        }
    }

    /// The weights of edges a < b.
    pub(super) fn of(&self, edges: &[[u32; 2]]) -> Vec<f64> {
        match self {
            Self::One => vec![1.0; edges.len()],
            Self::Drawn {
                rng,
                range: [low, high],
            } => {
                let mut rng = rng.clone();
                let weight = |&[a, b]: &[u32; 2]| {
                    // Pairs in an order that another number of nodes leaves as it is.
                    let place = u128::from(b) * u128::from(b.saturating_sub(1)) / 2 + u128::from(a);
                    rng.set_word_pos(WORDS * place);
                    low + (high - low) * rng.random::<f64>()
                };
                edges.iter().map(weight).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_is_that_of_its_pair_whatever_else_is_asked() {
        let weights = Weights::new(Some([0.5, 2.0]), 3);
        let pairs: Vec<[u32; 2]> = (1..60).flat_map(|b| (0..b).map(move |a| [a, b])).collect();
        let all = weights.of(&pairs);
        let backwards: Vec<[u32; 2]> = pairs.iter().rev().copied().collect();
        assert!(weights.of(&backwards).iter().rev().eq(&all));
        assert!(all.iter().all(|weight| (0.5..2.0).contains(weight)));
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        assert!((mean - 1.25).abs() < 0.05, "{mean}");
        // No two pairs share a draw, and another seed draws others.
        let mut sorted = all.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted.dedup();
        assert_eq!(sorted.len(), all.len());
        assert!(
            Weights::new(Some([0.5, 2.0]), 4)
                .of(&pairs)
                .iter()
                .zip(&all)
                .all(|(x, y)| x != y)
        );
        assert_eq!(Weights::new(None, 3).of(&pairs[..2]), [1.0, 1.0]);
    }

    #[test]
    fn weights_of_no_graph_are_refused() {
        for range in [[0.0, 1.0], [2.0, 1.0], [1.0, f64::INFINITY], [f64::NAN, 1.0]] {
            let text = Weights::check(Some(range)).unwrap_err().to_string();
            assert!(text.starts_with("weights are from "), "{text}");
        }
        assert!(Weights::check(Some([1.0, 1.0])).is_ok() && Weights::check(None).is_ok());
    }
}
