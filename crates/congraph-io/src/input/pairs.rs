//! Lists of pairs of nodes: candidates for edges, or costs of some.
//!
//! A text table with the columns `source` and `target`, and `cost` where costs are asked for; other columns are left
//! alone, so that an `edges.tsv` of an earlier result will do. `inf` forbids an edge.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use congraph::options::option;
use congraph::{EdgeCost, Error};

use super::cells::number;
use super::faults::{Fault, fault, fault_at};
use super::records::{BadQuote, Records};
use super::sources::{Format, Source};
use super::text::separator;

const WHY: &str = "it says which pairs of nodes may be joined, or what joining them costs";

/// Reads pairs of the given nodes, with their cost (0 unless `with_cost`).
///
/// # Errors
/// E07 with file and line: a column is missing, a node is not known, a cost is no number, a pair joins a node with
/// itself.
pub fn read_pairs(path: &Path, nodes: &[String], with_cost: bool) -> Result<Vec<EdgeCost>, Error> {
    read(path, nodes, with_cost).map_err(|fault| Error::Data(vec![*fault]))
}

fn read(path: &Path, nodes: &[String], with_cost: bool) -> Result<Vec<EdgeCost>, Fault> {
    let source = Source::read_table(path, WHY)?;
    let Format::Text(ending) = source.format else {
        return Err(fault(
            path,
            "is not a text table",
            WHY,
            "give a .csv or .tsv with the columns source and target",
        ));
    };
    let text = source.text()?;
    let mut records = Records::new(&text, separator(&text, ending));
    let mut cells = Vec::new();
    let quote = |BadQuote { line }| {
        fault_at(
            path,
            line,
            "a quoted cell does not end where it should",
            WHY,
            "close the quote, or leave both out",
        )
    };
    records.next_row(&mut cells).map_err(quote)?;
    let columns = Columns::find(path, &cells, with_cost)?;
    let index: HashMap<&str, u32> = nodes
        .iter()
        .zip(0..)
        .map(|(name, node)| (name.as_str(), node))
        .collect();
    let mut pairs = Vec::new();
    while let Some(line) = records.next_row(&mut cells).map_err(quote)? {
        let row = Row {
            path,
            line,
            cells: &cells,
        };
        let pair = [row.node(&index, columns.source)?, row.node(&index, columns.target)?];
        if pair[0] == pair[1] {
            let what = format!("the pair joins `{}` to itself", nodes[pair[0] as usize]);
            return Err(fault_at(path, line, &what, WHY, "leave the row out"));
        }
        let cost = columns.cost.map_or(Ok(0.0), |at| row.cost(at))?;
        pairs.push(EdgeCost { pair, cost });
    }
    if pairs.is_empty() {
        return Err(fault(path, "holds no pairs", WHY, "give at least one row"));
    }
    Ok(pairs)
}

/// Which cells of a row are read.
struct Columns {
    source: usize,
    target: usize,
    cost: Option<usize>,
}

impl Columns {
    fn find(path: &Path, header: &[Cow<'_, str>], with_cost: bool) -> Result<Self, Fault> {
        let column = |name: &str| {
            let found = header.iter().position(|cell| cell == name);
            let columns = if with_cost {
                "source, target and cost"
            } else {
                "source and target"
            };
            found.ok_or_else(|| {
                let hint = format!("start the file with a line that names the columns {columns}");
                fault_at(path, 1, &format!("the column `{name}` is missing"), WHY, hint)
            })
        };
        Ok(Self {
            source: column("source")?,
            target: column("target")?,
            cost: with_cost.then(|| column("cost")).transpose()?,
        })
    }
}

/// One row of the table.
struct Row<'r> {
    path: &'r Path,
    line: usize,
    cells: &'r [Cow<'r, str>],
}

impl Row<'_> {
    fn cell(&self, at: usize) -> Result<&str, Fault> {
        self.cells.get(at).map(AsRef::as_ref).ok_or_else(|| {
            let hint = "give every row a cell for each column";
            fault_at(self.path, self.line, "the row is too short", WHY, hint)
        })
    }

    fn node(&self, index: &HashMap<&str, u32>, at: usize) -> Result<u32, Fault> {
        let (path, line, name) = (self.path, self.line, self.cell(at)?);
        index.get(name).copied().ok_or_else(|| {
            let hint = format!(
                "spell nodes as in the data; {} and {} leave some out",
                option("drop_nodes"),
                option("nodes").set_to("common")
            );
            fault_at(path, line, &format!("the node `{name}` is not in the data"), WHY, hint)
        })
    }

    fn cost(&self, at: usize) -> Result<f64, Fault> {
        let text = self.cell(at)?;
        let cost = number(text).filter(|cost| !cost.is_nan() && *cost > f64::NEG_INFINITY);
        cost.ok_or_else(|| {
            let hint = "a cost is a number (negative favours the edge), or `inf` to forbid it";
            fault_at(self.path, self.line, &format!("`{text}` is not a cost"), WHY, hint)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str, with_cost: bool) -> Result<Vec<EdgeCost>, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pairs.csv");
        std::fs::write(&path, text).unwrap();
        read_pairs(&path, &["a".into(), "b".into(), "c d".into()], with_cost)
    }

    #[test]
    fn pairs_and_costs_are_read_by_the_names_of_columns() {
        let found = read_text("x,target,source,cost\n1,b,a,inf\n2,c d,b,-0.5\n", true).unwrap();
        assert_eq!(found[0].pair, [0, 1]);
        assert_eq!(
            (found[0].cost, found[1].pair, found[1].cost),
            (f64::INFINITY, [1, 2], -0.5)
        );
        assert_eq!(read_text("source,target\na,b\n", false).unwrap()[0].cost, 0.0);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let message = |text: &str, with_cost| read_text(text, with_cost).unwrap_err().to_string();
        assert!(message("source,target\na,e\n", false).contains("line 2: the node `e` is not in the data"));
        assert!(message("source,target\na,b\nb,b\n", false).contains("line 3: the pair joins `b` to itself"));
        assert!(message("source,target\na,b\n", true).contains("the column `cost` is missing"));
        assert!(message("source,target,cost\na,b,cheap\n", true).contains("`cheap` is not a cost"));
        assert!(message("source,target\n", false).contains("holds no pairs"));
        assert!(message("source,target\na\n", false).contains("too short"));
    }
}
