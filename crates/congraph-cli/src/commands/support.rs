//! Which pairs a fit could join and what it charged for them: read from options, kept in the result folder, read back.
//!
//! ```text
//! summary.json     candidates: all, knn:K or candidates.tsv (of knn also candidates_seed); edge_costs: null or edge_costs.tsv
//! candidates.tsv   source  target
//! edge_costs.tsv   source  target  cost
//! ```

use std::path::Path;

use congraph::{Candidates, EdgeCost};
use congraph_io::{Folder, read_pairs, write_rows};
use serde_json::{Value, json};

use crate::failure::Failure;

const CANDIDATES: &str = "candidates.tsv";
const EDGE_COSTS: &str = "edge_costs.tsv";

/// The candidates that an option names: `knn:K` or a file.
pub(super) fn read_candidates(text: &str, seed: u64, nodes: &[String]) -> Result<Candidates, Failure> {
    match text.strip_prefix("knn:") {
        Some(k) => match k.parse() {
            Ok(k) if k > 0 => Ok(Candidates::Nearest { k, seed }),
            _ => Err(Failure::usage(
                format!("--candidates {text}: `{k}` is not a number of neighbours"),
                "such as `--candidates knn:20`, or a file with the columns source and target",
            )),
        },
        None => listed(Path::new(text), nodes),
    }
}

fn listed(path: &Path, nodes: &[String]) -> Result<Candidates, Failure> {
    let pairs = read_pairs(path, nodes, false)?;
    Ok(Candidates::Listed(pairs.iter().map(|listed| listed.pair).collect()))
}

/// What the summary says of them.
pub(crate) fn tell(summary: &mut Value, support: &Candidates, edge_costs: &[EdgeCost]) {
    summary["candidates"] = match support {
        Candidates::AllPairs => json!("all"),
        Candidates::Nearest { k, .. } => json!(format!("knn:{k}")),
        Candidates::Listed(_) => json!(CANDIDATES),
    };
    if let Candidates::Nearest { seed, .. } = support {
        summary["candidates_seed"] = json!(seed);
    }
    if edge_costs.is_empty() {
        summary["edge_costs"] = Value::Null;
    } else {
        summary["edge_costs"] = json!(EDGE_COSTS);
        summary["n_edge_costs"] = json!(edge_costs.len());
    }
}

/// Writes the tables that the summary names.
pub(super) fn write(
    folder: &Folder,
    support: &Candidates,
    edge_costs: &[EdgeCost],
    nodes: &[String],
) -> Result<(), Failure> {
    let named = |pair: [u32; 2]| pair.map(|node| nodes[node as usize].clone()).to_vec();
    if let Candidates::Listed(pairs) = support {
        let rows: Vec<Vec<String>> = pairs.iter().map(|&pair| named(pair)).collect();
        write_rows(folder, CANDIDATES, &["source", "target"], &rows)?;
    }
    if !edge_costs.is_empty() {
        let row = |cost: &EdgeCost| [named(cost.pair), vec![format!("{:?}", cost.cost)]].concat();
        let rows: Vec<Vec<String>> = edge_costs.iter().map(row).collect();
        write_rows(folder, EDGE_COSTS, &["source", "target", "cost"], &rows)?;
    }
    Ok(())
}

/// What a folder's summary tells, if it tells: an older one does not.
pub(super) fn read_back(
    folder: &Path,
    summary: &Value,
    nodes: &[String],
) -> Result<Option<(Candidates, Vec<EdgeCost>)>, Failure> {
    let Some(candidates) = summary["candidates"].as_str() else {
        return Ok(None);
    };
    let support = match candidates {
        "all" => Candidates::AllPairs,
        CANDIDATES => listed(&folder.join(CANDIDATES), nodes)?,
        nearest => read_candidates(nearest, summary["candidates_seed"].as_u64().unwrap_or(1), nodes)?,
    };
    let edge_costs = match summary["edge_costs"].as_str() {
        None => Vec::new(),
        Some(_) => read_pairs(&folder.join(EDGE_COSTS), nodes, true)?,
    };
    Ok(Some((support, edge_costs)))
}
