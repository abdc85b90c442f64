//! GraphML and GEXF: nodes and weighted edges as XML.
//!
//! Nodes are identified by their names, so that networkx has them as they are; GraphML repeats each as its `name`,
//! which is where igraph looks.

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
    if graph.is_signed {
        writeln!(
            out,
            "  <key id=\"sign\" for=\"edge\" attr.name=\"sign\" attr.type=\"int\"/>"
        )?;
    }
    for (key, kind) in keys(graph) {
        let kind = if kind == "long" { "int" } else { kind };
        writeln!(
            out,
            "  <key id=\"{key}\" for=\"node\" attr.name=\"{key}\" attr.type=\"{kind}\"/>"
        )?;
    }
    writeln!(out, "  <graph id=\"{}\" edgedefault=\"undirected\">", text(graph.title))?;
    let strengths = graph.strengths();
    for &node in &graph.nodes {
        let name = text(&graph.names[node]);
        write!(out, "    <node id=\"{name}\"><data key=\"name\">{name}</data>")?;
        for (key, value) in values(graph, node, strengths[node]) {
            write!(out, "<data key=\"{key}\">{value}</data>")?;
        }
        writeln!(out, "</node>")?;
    }
    for &([a, b], weight) in &graph.edges {
        let [a, b] = [a, b].map(|node| text(&graph.names[node]));
        write!(
            out,
            "    <edge source=\"{a}\" target=\"{b}\"><data key=\"weight\">{weight:?}</data>"
        )?;
        if graph.is_signed {
            write!(out, "<data key=\"sign\">{}</data>", sign(weight))?;
        }
        writeln!(out, "</edge>")?;
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
        "  <graph mode=\"static\" defaultedgetype=\"undirected\">\n    <attributes class=\"node\">"
    )?;
    for (key, kind) in keys(graph) {
        writeln!(out, "      <attribute id=\"{key}\" title=\"{key}\" type=\"{kind}\"/>")?;
    }
    writeln!(out, "    </attributes>")?;
    if graph.is_signed {
        writeln!(out, "    <attributes class=\"edge\">")?;
        for (key, kind) in [("sign", "integer"), ("signed_weight", "double")] {
            writeln!(out, "      <attribute id=\"{key}\" title=\"{key}\" type=\"{kind}\"/>")?;
        }
        writeln!(out, "    </attributes>")?;
    }
    writeln!(out, "    <nodes>")?;
    let strengths = graph.strengths();
    for &node in &graph.nodes {
        let name = text(&graph.names[node]);
        write!(out, "      <node id=\"{name}\" label=\"{name}\"><attvalues>")?;
        for (key, value) in values(graph, node, strengths[node]) {
            write!(out, "<attvalue for=\"{key}\" value=\"{value}\"/>")?;
        }
        writeln!(out, "</attvalues></node>")?;
    }
    writeln!(out, "    </nodes>\n    <edges>")?;
    for (edge, &([a, b], weight)) in graph.edges.iter().enumerate() {
        let [a, b] = [a, b].map(|node| text(&graph.names[node]));
        // Programs that read GEXF draw a weight as a width.
        let width = weight.abs();
        write!(
            out,
            "      <edge id=\"{edge}\" source=\"{a}\" target=\"{b}\" weight=\"{width:?}\""
        )?;
        if graph.is_signed {
            write!(out, "><attvalues><attvalue for=\"sign\" value=\"{}\"/>", sign(weight))?;
            writeln!(
                out,
                "<attvalue for=\"signed_weight\" value=\"{weight:?}\"/></attvalues></edge>"
            )?;
        } else {
            writeln!(out, "/>")?;
        }
    }
    writeln!(out, "    </edges>\n  </graph>\n</gexf>")
}

/// 1 of a positive weight, −1 of a negative one.
fn sign(weight: f64) -> i8 {
    if weight < 0.0 { -1 } else { 1 }
}

/// What is told of nodes, and of which type it is.
fn keys(graph: &Single<'_>) -> Vec<(&'static str, &'static str)> {
    let axes = graph.facts.axes.iter().map(|axis| (*axis, "double"));
    let community = (!graph.communities.is_empty()).then_some(("community", "long"));
    [("strength", "double")]
        .into_iter()
        .chain(axes)
        .chain(community)
        .collect()
}

/// The same of one node, as far as it is known.
fn values(graph: &Single<'_>, node: usize, strength: f64) -> Vec<(&'static str, String)> {
    let at = graph.facts.places.get(node).and_then(Option::as_ref);
    let axes = graph.facts.axes.iter().copied();
    let at = axes
        .zip(at.into_iter().flatten())
        .map(|(axis, x)| (axis, format!("{x:?}")));
    let community = graph.communities.get(node).copied().flatten();
    let community = community.map(|label| ("community", label.to_string()));
    [("strength", format!("{strength:?}"))]
        .into_iter()
        .chain(at)
        .chain(community)
        .collect()
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
        let facts = crate::output::NodeFacts {
            axes: &["x", "y"],
            places: vec![Some(vec![0.5, 1.0]), None, None, Some(vec![-1.0, 2.0])],
            ..Default::default()
        };
        let graph = Single {
            title: "<all>",
            facts: &facts,
            communities: &[Some(1), None, Some(0), None],
            names: &names,
            nodes: vec![0, 2, 3],
            edges: vec![([0, 2], 0.1), ([2, 3], 1e-300)],
            is_signed: false,
        };
        for write in [graphml, gexf] {
            let mut bytes = Vec::new();
            write(&mut bytes, &graph).unwrap();
            let written = String::from_utf8(bytes.clone()).unwrap();
            assert_eq!(written.matches("0.5").count(), 1, "{written}");
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
