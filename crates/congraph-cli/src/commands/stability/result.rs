//! What `congraph stability` adds to the folder, and tells.

use std::path::Path;
use std::time::Instant;

use congraph::direct::Direct;
use congraph::findings::shared_weights;
use congraph::stability::EdgeStability;
use congraph_io::{Folder, STABILITY_TABLES, reseal, write_json, write_stability};
use congraph_record::findings::Support;
use congraph_record::record::{StabilityColumns, StabilityRecord, n_frequent};

use super::{FILES, Fit};
use crate::commands::report;
use crate::console::count;
use crate::failure::Failure;

/// The frequency from on which the result line counts edges.
const STABLE: f64 = 0.9;

/// Puts the columns and the record into the folder.
pub(super) fn write(
    mut folder: Folder,
    fit: &Fit,
    found: &EdgeStability,
    direct: Option<&Direct>,
    record: &StabilityRecord,
) -> Result<(), Failure> {
    let graph = &fit.graph;
    let edges = StabilityColumns::of_edges(graph, found, direct);
    let views = StabilityColumns::of_views(graph, found, direct);
    write_stability::<Failure>(&folder, folder.target(), graph, &edges, &views)?;
    write_json(&folder, FILES[0], record)?;
    reseal(&folder, &STABILITY_TABLES)?;
    report::renew(&mut folder, graph)?;
    Ok(folder.commit()?)
}

/// The result in one line.
pub(super) fn line(
    out: &Path,
    fit: &Fit,
    found: &EdgeStability,
    direct: Option<&Direct>,
    record: &StabilityRecord,
    start: Instant,
) -> String {
    let told = match n_frequent(found, &fit.graph, STABLE) {
        Some([stable, all]) => {
            let bounds = found.bounds.as_ref();
            let row = bounds.and_then(|bounds| bounds.rows.iter().find(|row| row.threshold == STABLE));
            let chance = row.map_or_else(String::new, |row| {
                format!(
                    ", of which at most {:.1} are expected to be chance picks of the halving",
                    row.chance
                )
            });
            format!(
                "{stable} of {} of the consensus are in at least {:.0} % of the halves{chance}",
                count(all, "edge"),
                100.0 * STABLE
            )
        }
        None => "how sure each view's edges are is in edges_long.tsv".into(),
    };
    format!(
        "{}: {}{told}; {} halved, {} fits, {:.2} s",
        out.display(),
        supported(fit, found, direct),
        record.units,
        record.fits,
        start.elapsed().as_secs_f64()
    )
}

/// How many of the edges are supported, first of all: the other figures do not say that there is anything.
fn supported(fit: &Fit, found: &EdgeStability, direct: Option<&Direct>) -> String {
    let columns = StabilityColumns::of_edges(&fit.graph, found, direct);
    let q = columns.0.into_iter().find(|(name, _)| *name == "q_direct");
    let Some((direct, (_, q))) = direct.zip(q) else {
        return "which edges are supported was not asked, or cannot be told; ".into();
    };
    let support = Support::of(
        &shared_weights(&fit.graph),
        q.into_iter().map(Some),
        direct.settings.level,
    );
    let pairs = count(direct.supported().len(), "pair");
    let noise = if fit.is_noise {
        support.of_noise()
    } else {
        String::new()
    };
    format!("{}{noise}, {pairs} of all directly dependent; ", support.words())
}
