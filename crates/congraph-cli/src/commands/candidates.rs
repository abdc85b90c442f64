//! Which pairs a fit could join and what it charged for them: tables that options name, kept in the result folder, read
//! back.
//!
//! ```text
//! summary.json     candidates: all, knn:K or candidates.tsv (of knn also candidates_seed)
//!                  edge_costs: null or edge_costs.tsv
//! candidates.tsv   source  target
//! edge_costs.tsv   source  target  cost
//! ```

use std::path::Path;

use congraph::{Candidates, EdgeCost};
use congraph_io::{Folder, read_pairs, write_rows};
use congraph_record::FitRecord;
use congraph_record::record::{CANDIDATES_TABLE, EDGE_COSTS_TABLE};
use congraph_record::request::{CandidateRequest, Tables};

use crate::failure::Failure;

/// Pairs that may be joined and costs of pairs, where there are tables of them.
pub(super) type Tabled = (Option<Vec<[u32; 2]>>, Option<Vec<EdgeCost>>);

/// What the tables hold that a request names, whose nodes only the data tell.
pub(super) fn read_tables(tables: &Tables, nodes: &[String]) -> Result<Tabled, Failure> {
    let candidates = tables.candidates.as_deref();
    let candidates = candidates.map(|path| pairs(path, nodes)).transpose()?;
    let costs = tables.edge_costs.as_deref();
    let costs = costs.map(|path| read_pairs(path, nodes, true)).transpose()?;
    Ok((candidates, costs))
}

/// The candidates that an option names: `knn:K` or a file.
pub(super) fn read_candidates(text: &str, seed: u64, nodes: &[String]) -> Result<Candidates, Failure> {
    Ok(match CandidateRequest::of_word(text)? {
        CandidateRequest::All => Candidates::AllPairs,
        CandidateRequest::Nearest(k) => Candidates::Nearest { k, seed },
        CandidateRequest::Listed(pairs) => Candidates::Listed(pairs),
        CandidateRequest::Table(path) => Candidates::Listed(pairs(&path, nodes)?),
    })
}

fn pairs(path: &Path, nodes: &[String]) -> Result<Vec<[u32; 2]>, Failure> {
    let listed = read_pairs(path, nodes, false)?;
    Ok(listed.iter().map(|listed| listed.pair).collect())
}

/// Writes the tables that the summary names.
pub(super) fn write(
    folder: &Folder,
    candidates: &Candidates,
    edge_costs: &[EdgeCost],
    nodes: &[String],
) -> Result<(), Failure> {
    let named = |pair: [u32; 2]| pair.map(|node| nodes[node as usize].clone()).to_vec();
    if let Candidates::Listed(pairs) = candidates {
        let rows: Vec<Vec<String>> = pairs.iter().map(|&pair| named(pair)).collect();
        write_rows(folder, CANDIDATES_TABLE, &["source", "target"], &rows)?;
    }
    if !edge_costs.is_empty() {
        let row = |cost: &EdgeCost| [named(cost.pair), vec![format!("{:?}", cost.cost)]].concat();
        let rows: Vec<Vec<String>> = edge_costs.iter().map(row).collect();
        write_rows(folder, EDGE_COSTS_TABLE, &["source", "target", "cost"], &rows)?;
    }
    Ok(())
}

/// What a folder's summary tells, if it tells: an older one does not.
pub(super) fn read_back(
    folder: &Path,
    summary: &FitRecord,
    nodes: &[String],
) -> Result<Option<(Candidates, Vec<EdgeCost>)>, Failure> {
    let Some(word) = summary.candidates.as_deref() else {
        return Ok(None);
    };
    let candidates = match word {
        "all" => Candidates::AllPairs,
        CANDIDATES_TABLE => Candidates::Listed(pairs(&folder.join(CANDIDATES_TABLE), nodes)?),
        nearest => read_candidates(nearest, summary.candidates_seed.unwrap_or(1), nodes)?,
    };
    let edge_costs = match summary.edge_costs {
        None | Some(None) => Vec::new(),
        Some(Some(_)) => read_pairs(&folder.join(EDGE_COSTS_TABLE), nodes, true)?,
    };
    Ok(Some((candidates, edge_costs)))
}
