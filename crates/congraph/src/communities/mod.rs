//! Communities: nodes that are joined more strongly than chance would have it.
//!
//! ```text
//! modularity Q = Σ_c { W_c / m − γ (K_c / 2m)² }     weight within c, less what its nodes' strengths let one expect
//! Leiden       a partition of a network with a large Q, in connected communities
//! group        the partition that those of many views have in common, by consensus clustering
//! ```
//!
//! A signed graph has the communities of its positive weights unless its negative ones shall count too
//! ([`Signs`]): then Q is that of the positive weights less that of the negative ones.
//!
//! γ is the resolution, m the total weight, W_c the weight within community c and K_c the sum of its nodes' strengths.
//!
//! ```text
//! network           weighted graphs, modularity, merging
//! partition         canonical labels: they depend only on which nodes are together
//! leiden            one run: moving, refining, merging
//! search            many runs, and the best of them
//! coclassification  how often two nodes are in the same community
//! consensus         what many partitions have in common
//! signs             what becomes of negative weights
//! views             all of it for learned graphs: [`communities`]
//! ```
//!
//! Everything follows from a seed, whatever the number of threads. Labels are 0, 1, … by size, then by first node.

mod coclassification;
mod consensus;
mod leiden;
mod moving;
mod network;
mod partition;
mod refining;
mod scratch;
mod search;
mod signs;
mod views;

pub use self::coclassification::Coclassification;
pub use self::consensus::{ConsensusClustering, Group};
pub use self::network::Network;
pub use self::partition::Partition;
pub use self::search::{Communities, Leiden};
pub use self::signs::Signs;
pub use self::views::{GraphCommunities, communities, communities_watched};
