//! A table of edges: source, target, weight, tab separated.

use std::io::{self, Write};

use super::Single;
use crate::output::tables::{exact, table};

pub(super) fn table_of(out: &mut dyn Write, graph: &Single<'_>) -> io::Result<()> {
    let mut table = table(out, &["source", "target", "weight"])?;
    for &([a, b], weight) in &graph.edges {
        table.write_record([&graph.names[a], &graph.names[b], &exact(weight)])?;
    }
    table.flush()
}
