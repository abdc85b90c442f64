//! From views to graphs: the order of nodes and views, warm starts, timing, and what the user should be warned of.

mod learner;
pub mod negative;
mod session;

pub(crate) use learner::{DEFAULT_MEMORY, MANY_NODES, NEIGHBOURS, doubts, fit_graph};
pub use learner::{Learned, Learner};
pub use session::{Fit, Prepared};
