//! Small multiples: what each view adds to the consensus (solid) and what it lacks (dashed), on the same places. Edges of
//! negative weight are dotted and dash-dotted.

use congraph_record::findings::{Findings, ViewFinding};

use super::network::{Network, WIDTH};
use crate::svg::Svg;
use crate::words;

/// The most views that are drawn, the furthest first.
pub(crate) const MOST: usize = 24;
/// The most edges of a kind that are drawn, the heaviest first: more would be a blot.
pub(crate) const EDGES: usize = 150;

/// One small figure.
pub(crate) struct Multiple<'f> {
    pub(crate) view: &'f ViewFinding,
    pub(crate) svg: String,
}

/// The views that differ most, each on the nodes' places. `ranked` has the last first.
pub(crate) fn draw<'f>(findings: &'f Findings, network: &Network, ranked: &[&'f ViewFinding]) -> Vec<Multiple<'f>> {
    let graph = &findings.graph;
    let negative = |view: &ViewFinding, edge: usize| {
        let at = graph.views().iter().position(|name| *name == view.name).unwrap_or(0);
        graph.weights().row(edge)[at] < 0.0
    };
    drawn(findings, network, ranked, "multiple", &negative)
}

/// The same of subjects.
pub(crate) fn subjects<'f>(findings: &'f Findings, network: &Network) -> Vec<Multiple<'f>> {
    let negative = |subject: &ViewFinding, edge: usize| {
        let at = findings.subjects.iter().position(|one| one.name == subject.name);
        let weights = findings.graph.subject_weights();
        weights.zip(at).is_some_and(|(weights, at)| weights.row(edge)[at] < 0.0)
    };
    let all: Vec<&ViewFinding> = findings.subjects.iter().rev().collect();
    drawn(findings, network, &all, "subject", &negative)
}

fn drawn<'f>(
    findings: &'f Findings,
    network: &Network,
    ranked: &[&'f ViewFinding],
    name: &str,
    negative: &dyn Fn(&ViewFinding, usize) -> bool,
) -> Vec<Multiple<'f>> {
    let dots = dots(network);
    let one = |(k, view): (usize, &&'f ViewFinding)| {
        let description = format!(
            "{} joins {} that the consensus does not, and lacks {} that it has.{}",
            view.name,
            words::plural(view.added.len(), "pair"),
            words::plural(view.missing.len(), "pair"),
            if view.added.len().max(view.missing.len()) > EDGES {
                format!(" The {EDGES} heaviest of a kind are drawn.")
            } else {
                String::new()
            }
        );
        let id = format!("{name}-{k}");
        let mut svg = Svg::figure(
            &id,
            WIDTH,
            network.height,
            &format!("{} against the consensus", view.name),
            &description,
        );
        network.outline(&mut svg);
        svg.path("dots", &dots);
        let graph = &findings.graph;
        let own = |edge: usize| negative(view, edge);
        let path = |edges: &[usize], is_drawn: &dyn Fn(usize) -> bool| -> String {
            let pairs = edges.iter().take(EDGES).filter(|&&edge| is_drawn(edge));
            pairs.map(|&edge| network.segment(graph.pairs()[edge])).collect()
        };
        let shared = |edge: usize| findings.shared[edge] < 0.0;
        svg.path("missing", &path(&view.missing, &|edge| !shared(edge)));
        svg.path("added", &path(&view.added, &|edge| !own(edge)));
        if graph.is_signed() {
            svg.path("missing negative", &path(&view.missing, &shared));
            svg.path("added negative", &path(&view.added, &own));
        }
        Multiple {
            view,
            svg: svg.finish(),
        }
    };
    ranked.iter().rev().take(MOST).enumerate().map(one).collect()
}

/// All nodes as one path of small squares: they are only there to show where one is.
fn dots(network: &Network) -> String {
    let size = if network.points.len() > 200 { 3.0 } else { 6.0 };
    let dot = |point: &[f64; 2]| crate::svg::rectangle(point[0] - 0.5 * size, point[1] - 0.5 * size, size, size);
    network.points.iter().map(dot).collect()
}
