//! One figure, one file: findings in, SVG out. Classes are coloured by the style sheet, so that dark mode and print
//! need no other drawing.

mod axis;
pub(crate) mod communities;
pub(crate) mod confidence;
pub(crate) mod gap;
pub(crate) mod groups;
pub(crate) mod heatmap;
mod key;
pub(crate) mod labels;
pub(crate) mod lengths;
pub(crate) mod multiples;
pub(crate) mod network;
pub(crate) mod path_map;
pub(crate) mod ranking;
pub(crate) mod scatter;

pub(crate) use network::Network;
