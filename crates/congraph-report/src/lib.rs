//! Findings → drawings → **one self-contained HTML file**: no network, no fonts, no libraries.
//!
//! ```text
//! drawings/    one figure, one file: findings → SVG
//! svg          elements with escaped text, numbers of few digits
//! words        numbers and names for people
//! data         what the scripts need, as JSON inside the page
//! packed       columns of numbers as short text
//! page         the texts of the panels; templates/ are their HTML
//! assets/      style sheet and scripts, put together into the page
//! ```
//!
//! The page is complete without scripts: every figure is drawn here, and the first rows of every table are written.
//! Scripts add sliders, search, sorting and downloads. A content security policy in the page forbids it to load
//! anything.
//!
//! ```
//! use congraph_record::findings::{Findings, Known};
//! use congraph::simulate::{Settings, simulate};
//!
//! let truth = simulate(&Settings { n_nodes: 20, n_views: 3, ..Settings::default() })?.truth;
//! let page = congraph_report::write(&Findings::of(&truth, Known::default()));
//! assert!(page.starts_with("<!doctype html>"));
//! # Ok::<(), congraph::Error>(())
//! ```

mod data;
mod drawings;
mod packed;
mod page;
mod svg;
mod words;

use congraph_record::findings::Findings;

/// The report as one HTML file. Of more than [`MOST_DRAWN`](congraph_record::findings::MOST_DRAWN) nodes there is no picture,
/// and the page says so.
pub fn write(findings: &Findings) -> String {
    page::page(findings)
}
