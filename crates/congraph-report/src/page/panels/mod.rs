//! What the panels with figures say: one panel, one file.

mod artefact;
mod communities;
mod confidence;
mod consensus;
mod convergence;
mod dials;
mod differences;
mod groups;
mod models;
mod ranking;
mod subjects;
mod there;
mod verdict;
mod warnings;

use serde::Serialize;

pub(super) use artefact::Artefact;
pub(super) use communities::Communities;
pub(super) use confidence::Confidence;
pub(super) use consensus::Consensus;
pub(super) use convergence::Convergence;
pub(super) use dials::Dials;
pub(super) use differences::{Differences, similarity_figure};
pub(super) use groups::Groups;
pub(super) use models::{Models, choice, chosen};
pub(super) use ranking::Ranking;
pub(super) use subjects::Subjects;
pub(super) use there::There;
pub(super) use verdict::{Key, is_met, keys};
pub(super) use warnings::{Warned, warnings};

/// A drawing with its words.
#[derive(Serialize)]
pub(super) struct Figure {
    name: &'static str,
    headline: String,
    svg: String,
    caption: String,
}
