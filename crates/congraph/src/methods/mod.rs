//! Models of several graphs, one folder each.

pub mod graphical_lasso;
pub mod smooth;
