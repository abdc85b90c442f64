//! The consensus graph. Node area is strength, line width is weight, shape and colour are the community.
//!
//! Edges are drawn in six classes of weight, one path each. The scripts draw other edges with the same classes and places.

use congraph::findings::{Findings, LayoutKind};

use super::labels;
use crate::svg::{self, SHAPES, Svg, at};
use crate::words;

/// The width of the figure, and of the margin around its nodes.
pub(crate) const WIDTH: f64 = 760.0;
const MARGIN: f64 = 44.0;
/// The least and the most height.
const HEIGHTS: [f64; 2] = [300.0, 680.0];
/// Classes of weight.
pub(crate) const CLASSES: usize = 6;

/// Where everything is on the figure.
pub(crate) struct Network {
    pub(crate) height: f64,
    pub(crate) points: Vec<[f64; 2]>,
    pub(crate) radii: Vec<f64>,
    /// The middle and the radius of the head, if there is one.
    head: Option<([f64; 2], f64)>,
    /// How many of the strongest edges are drawn at first.
    pub(crate) shown: usize,
}

impl Network {
    pub(crate) fn new(findings: &Findings) -> Self {
        let layout = &findings.layout;
        let is_head = layout.kind == LayoutKind::Head;
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        // The head with its nose and ears belongs to the picture.
        let corners: &[[f64; 2]] = if is_head { &[[-1.09, -1.02], [1.09, 1.14]] } else { &[] };
        for point in layout.points.iter().chain(corners) {
            for axis in 0..2 {
                low[axis] = low[axis].min(point[axis]);
                high[axis] = high[axis].max(point[axis]);
            }
        }
        let span = [0, 1].map(|axis| (high[axis] - low[axis]).max(1e-9));
        let inner = WIDTH - 2.0 * MARGIN;
        let mut scale = inner / span[0];
        let tallest = HEIGHTS[1] - 2.0 * MARGIN;
        scale = scale.min(tallest / span[1]);
        if layout.points.len() == 1 {
            scale = 0.0;
        }
        let height = (scale * span[1] + 2.0 * MARGIN).max(HEIGHTS[0]);
        let middle = [0, 1].map(|axis| 0.5 * (low[axis] + high[axis]));
        let place = |point: &[f64; 2]| {
            [
                0.5 * WIDTH + scale * (point[0] - middle[0]),
                0.5 * height - scale * (point[1] - middle[1]),
            ]
        };
        let n = layout.points.len();
        let largest = findings
            .strengths
            .iter()
            .copied()
            .fold(0.0, f64::max)
            .max(f64::MIN_POSITIVE);
        let size = (64.0 / n as f64).sqrt().clamp(0.3, 1.0);
        let radii = findings
            .strengths
            .iter()
            .map(|strength| size * (2.4 + 5.8 * (strength / largest).sqrt()));
        Self {
            height,
            points: layout.points.iter().map(place).collect(),
            radii: radii.collect(),
            head: is_head.then(|| (place(&[0.0, 0.0]), scale)),
            shown: findings.verdict.n_shared.min((2 * n).max(60)),
        }
    }

    /// The figure.
    pub(crate) fn draw(&self, findings: &Findings) -> String {
        let strongest = findings.strongest();
        let hub =
            (0..findings.strengths.len()).max_by(|&a, &b| findings.strengths[a].total_cmp(&findings.strengths[b]));
        let description = format!(
            "{} nodes, joined by the {} strongest of {} edges. The node with the largest strength is {}. The table of edges below holds \
             the same as text.",
            self.points.len(),
            self.shown,
            strongest.len(),
            hub.map_or("none", |hub| findings.graph.nodes()[hub].as_str())
        );
        let title = match (findings.graph.consensus(), findings.graph.n_views()) {
            (Some(_), _) => "The consensus graph",
            (None, 1) => "The graph",
            (None, _) => "The mean of the graphs",
        };
        let mut svg = Svg::figure("network", WIDTH, self.height, title, &description);
        self.outline(&mut svg);
        let heaviest = strongest.first().map_or(1.0, |&edge| findings.shared[edge]);
        let drawn = strongest.iter().take(self.shown);
        let edges = drawn.map(|&edge| (findings.graph.pairs()[edge], findings.shared[edge] / heaviest));
        self.edges(&mut svg, edges);
        svg.element("path", &[("class", "chosen-edges"), ("d", "")]);
        self.nodes(&mut svg, findings);
        labels::draw(&mut svg, self, findings);
        svg.finish()
    }

    /// The same places with the consensus of another fit, for the dials: no names, which are the same.
    pub(crate) fn draw_cell(&self, findings: &Findings, edges: &[([u32; 2], f64)], title: &str) -> String {
        let description = format!("{} edges among the same nodes as in the first figure.", edges.len());
        let mut svg = Svg::figure("dial", WIDTH, self.height, title, &description);
        self.outline(&mut svg);
        let heaviest = edges.iter().map(|edge| edge.1).fold(f64::MIN_POSITIVE, f64::max);
        self.edges(
            &mut svg,
            edges
                .iter()
                .take(3 * self.shown)
                .map(|&(pair, weight)| (pair, weight / heaviest)),
        );
        self.nodes(&mut svg, findings);
        svg.finish()
    }

    /// Edges with weights from 0 to 1, the lightest classes first.
    pub(crate) fn edges(&self, svg: &mut Svg, edges: impl Iterator<Item = ([u32; 2], f64)>) {
        let mut paths = vec![String::new(); CLASSES];
        for (pair, share) in edges {
            let class = ((CLASSES as f64 * share.sqrt()).ceil() as usize).clamp(1, CLASSES);
            paths[class - 1].push_str(&self.segment(pair));
        }
        svg.open("g", &[("class", "edges")]);
        for (k, path) in paths.iter().enumerate() {
            // Empty ones too: the scripts fill them.
            svg.element("path", &[("class", &format!("edge e{}", k + 1)), ("d", path)]);
        }
        svg.close();
    }

    pub(crate) fn segment(&self, [a, b]: [u32; 2]) -> String {
        svg::segment(self.points[a as usize], self.points[b as usize])
    }

    fn nodes(&self, svg: &mut Svg, findings: &Findings) {
        svg.open("g", &[("class", "nodes")]);
        let labels = findings.known.communities.as_ref().map(|found| &found.labels);
        for (node, (&point, &radius)) in self.points.iter().zip(&self.radii).enumerate() {
            let community = labels.map_or(0, |labels| labels[node]);
            let class = format!("node c{}", if labels.is_some() { community % SHAPES } else { SHAPES });
            svg.path(&class, &svg::mark(community, point, radius));
        }
        svg.close();
    }

    /// Head, nose and ears.
    pub(crate) fn outline(&self, svg: &mut Svg) {
        let Some(([x, y], r)) = self.head else { return };
        let mut data = svg::mark(0, [x, y], r);
        let nose = 0.12 * r;
        data += &format!(
            "M{} {}L{} {}L{} {}",
            at(x - nose),
            at(y - 0.993 * r),
            at(x),
            at(y - 1.11 * r),
            at(x + nose),
            at(y - 0.993 * r)
        );
        for side in [-1.0, 1.0] {
            data += &format!(
                "M{} {}q{} {} 0 {}",
                at(x + side * 0.985 * r),
                at(y - 0.16 * r),
                at(side * 0.16 * r),
                at(0.16 * r),
                at(0.32 * r)
            );
        }
        svg.path("outline", &data);
    }
}

/// What the figure's caption says of places and sizes.
pub(crate) fn caption(findings: &Findings) -> String {
    let places = match findings.layout.kind {
        LayoutKind::Head => "Electrodes seen from above, the nose up; the circle is the widest part of the head.",
        LayoutKind::Map => "Nodes at their places.",
        LayoutKind::Force => "Nodes that are joined are near each other; apart from that, places have no meaning.",
    };
    let colours = match &findings.known.communities {
        Some(_) => " Shape and colour tell the community.",
        None => "",
    };
    let weight = if findings.graph.consensus().is_some() || findings.graph.n_views() == 1 {
        "weight"
    } else {
        "mean weight over the views"
    };
    format!(
        "{places} The area of a node is its strength (the sum of its weights), the width of a line its {weight}.{colours}"
    )
}

/// The heaviest edges in words, for the panel's headline.
pub(crate) fn headline(findings: &Findings) -> String {
    let strongest = findings.strongest();
    let Some(&first) = strongest.first() else {
        return "It has no edge".into();
    };
    let names =
        findings.graph.pairs()[first].map(|node| words::short(&findings.graph.nodes()[node as usize], words::NAME));
    let hub = (0..findings.degrees.len()).max_by(|&a, &b| findings.strengths[a].total_cmp(&findings.strengths[b]));
    match hub {
        Some(hub) if strongest.len() > 1 => format!(
            "{}–{} is the strongest connection; {} is the most strongly connected node",
            names[0],
            names[1],
            words::short(&findings.graph.nodes()[hub], words::NAME)
        ),
        _ => format!("{}–{} is the only connection", names[0], names[1]),
    }
}
