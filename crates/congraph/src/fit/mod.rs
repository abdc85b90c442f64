//! From views to graphs, whatever the method: the order of nodes and views, warm starts, timing, and what is told of a
//! fit.
//!
//! A fit runs with nodes and views in the method's own order (sorted by name) and its result is put back in the given
//! order, so that the answer is the same, to the bit, for any order of columns and files.
//!
//! ```text
//! session   the data made ready once, and fitted as often as needed
//! learned   a fit in the user's order, with all that is told of it
//! smooth    what is asked of sessions of the paper's model alone
//! ```

mod learned;
mod session;
mod smooth;

pub use learned::{Learn, Learned};
pub use session::{Fit, Session};
