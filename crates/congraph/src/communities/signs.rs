//! What becomes of negative weights.

use super::network::Network;
use crate::error::Error;

/// Whether negative weights count when communities are looked for. Graphs without any have the same ones either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Signs {
    /// They do not: communities are those of the positive weights.
    #[default]
    Positive,
    /// They do: nodes that they join are better apart, and nodes that avoid the same others better together (Gómez,
    /// Jensen and Arenas, 2009). Communities need not be connected.
    Signed,
}

impl Signs {
    /// The network of weights, of which negative ones are left out or not.
    pub(super) fn network(self, n_nodes: usize, pairs: &[[u32; 2]], mut weights: Vec<f64>) -> Result<Network, Error> {
        if self == Self::Signed {
            return Network::signed(n_nodes, pairs, &weights);
        }
        for weight in weights.iter_mut().filter(|weight| **weight < 0.0) {
            *weight = 0.0;
        }
        Network::new(n_nodes, pairs, &weights)
    }
}
