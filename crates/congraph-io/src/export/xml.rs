//! GraphML and GEXF: nodes and weighted edges as XML.
//!
//! Nodes are identified by their names, so that networkx has them as they are; GraphML repeats each as its `name`, which is where
//! igraph looks.

use std::borrow::Cow;
use std::io::{self, Write};

use quick_xml::escape::escape;

use super::Single;

/// A GraphML file.
pub(super) fn graphml(out: &mut dyn Write, graph: &Single<'_>) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">")?;
    writeln!(
        out,
        "  <key id=\"name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>"
    )?;
    writeln!(
        out,
        "  <key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>"
    )?;
    writeln!(out, "  <graph id=\"{}\" edgedefault=\"undirected\">", text(graph.title))?;
    for &node in &graph.nodes {
        let name = text(&graph.names[node]);
        writeln!(out, "    <node id=\"{name}\"><data key=\"name\">{name}</data></node>")?;
    }
    for &([a, b], weight) in &graph.edges {
        let [a, b] = [a, b].map(|node| text(&graph.names[node]));
        writeln!(
            out,
            "    <edge source=\"{a}\" target=\"{b}\"><data key=\"weight\">{weight:?}</data></edge>"
        )?;
    }
    writeln!(out, "  </graph>\n</graphml>")
}

/// A GEXF file.
pub(super) fn gexf(out: &mut dyn Write, graph: &Single<'_>) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<gexf xmlns=\"http://www.gexf.net/1.2draft\" version=\"1.2\">")?;
    let creator = concat!("congraph ", env!("CARGO_PKG_VERSION"));
    let title = text(graph.title);
    writeln!(
        out,
        "  <meta><creator>{creator}</creator><description>{title}</description></meta>"
    )?;
    writeln!(
        out,
        "  <graph mode=\"static\" defaultedgetype=\"undirected\">\n    <nodes>"
    )?;
    for &node in &graph.nodes {
        let name = text(&graph.names[node]);
        writeln!(out, "      <node id=\"{name}\" label=\"{name}\"/>")?;
    }
    writeln!(out, "    </nodes>\n    <edges>")?;
    for (edge, &([a, b], weight)) in graph.edges.iter().enumerate() {
        let [a, b] = [a, b].map(|node| text(&graph.names[node]));
        writeln!(
            out,
            "      <edge id=\"{edge}\" source=\"{a}\" target=\"{b}\" weight=\"{weight:?}\"/>"
        )?;
    }
    writeln!(out, "    </edges>\n  </graph>\n</gexf>")
}

/// A name as XML may hold it: marks with a meaning escaped, white space kept, control characters shown as unknown.
fn text(name: &str) -> Cow<'_, str> {
    if name.contains(char::is_control) {
        let shown: String = name
            .chars()
            .map(|mark| if mark.is_control() { '\u{fffd}' } else { mark })
            .collect();
        return Cow::Owned(escape(shown).into_owned());
    }
    escape(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_the_file() {
        let names = ["a<b", "lacking", "\"c\" & 'd'", "e\u{1}f"].map(String::from);
        let graph = Single {
            title: "<all>",
            names: &names,
            nodes: vec![0, 2, 3],
            edges: vec![([0, 2], 0.1), ([2, 3], 1e-300)],
        };
        for write in [graphml, gexf] {
            let mut bytes = Vec::new();
            write(&mut bytes, &graph).unwrap();
            let mut reader = quick_xml::Reader::from_reader(&bytes[..]);
            let mut ids = Vec::new();
            loop {
                match reader.read_event().unwrap() {
                    quick_xml::events::Event::Eof => break,
                    quick_xml::events::Event::Start(tag) | quick_xml::events::Event::Empty(tag)
                        if tag.name().as_ref() == "node" =>
                    {
                        let id = tag.try_get_attribute("id").unwrap().unwrap();
                        ids.push(quick_xml::escape::unescape(&id.value).unwrap().into_owned());
                    }
                    _ => {}
                }
            }
            assert_eq!(ids, ["a<b", "\"c\" & 'd'", "e\u{fffd}f"]);
        }
    }
}
