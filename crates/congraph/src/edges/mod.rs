//! Edges and what is stored for each: the pairs of nodes that may be joined, one row of N views per edge, weights.
//!
//! ```text
//! list         the pairs, with S and Sᵀ as loops over them
//! view_matrix  one row of N views for each edge or node: the storage that every kernel walks
//! weights      weights of the edges that are present
//! candidates   which pairs may be joined, and what is known of some beforehand
//! ```

pub(crate) mod candidates;
mod list;
mod view_matrix;
mod weights;

pub use candidates::{Candidates, EdgeCost};
pub use list::{Edges, complete_index};
pub(crate) use list::{both_signs, incidence, is_negative, pair_of};
pub use view_matrix::ViewMatrix;
pub use weights::Weights;
