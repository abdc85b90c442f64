//! From views to graphs, for every method: the order of nodes and views, warm starts, timing, and the report of a fit.
//!
//! A fit runs with nodes and views in the method's own order (sorted by name) and its result is put back in the given
//! order, so that the answer is the same, to the bit, for any order of columns and files.
//!
//! ```text
//! session   the data made ready once, and fitted as often as needed
//! learned   a fit in the user's order, with its certificate, details and warnings
//! smooth, likelihood    what only sessions of one method can do
//! ```

mod learned;
mod likelihood;
mod session;
mod smooth;

pub use learned::{Learn, Learned};
pub use session::{Fit, Session};
