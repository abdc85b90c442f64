//! The consensus graph. Node area is strength, line width is weight in six steps, shape and colour are the community.
//!
//! Edges are drawn in six classes of weight, one path each. The scripts draw other edges with the same classes and
//! places.
//!
//! Where weights are negative, those edges are in six more paths: in another colour, and dashed.

use congraph_record::findings::{Findings, LayoutKind};

use super::{communities, key, labels};
use crate::svg::{self, Svg, at};
use crate::words;

/// The width of the figure, and of the margin around its nodes.
pub(crate) const WIDTH: f64 = 760.0;
const MARGIN: f64 = 44.0;
/// The least and the most height.
const HEIGHTS: [f64; 2] = [300.0, 680.0];
/// The radius of the strongest node among few, and the share of it that the smallest mark has.
const RADIUS: f64 = 8.2;
const SMALLEST: f64 = 0.27;
/// Among more nodes lines are thinner.
pub(super) const FINE: usize = 200;
/// Classes of weight.
pub(crate) const CLASSES: usize = 6;

/// Where everything is on the figure.
pub(crate) struct Network {
    pub(crate) height: f64,
    pub(crate) points: Vec<[f64; 2]>,
    pub(crate) radii: Vec<f64>,
    /// The strength of the strongest node, and its radius.
    pub(super) largest: f64,
    unit: f64,
    /// The middle and the radius of the head, if there is one.
    head: Option<([f64; 2], f64)>,
    /// How many of the strongest edges are drawn at first.
    pub(crate) shown: usize,
    /// Whether any weight is negative.
    pub(super) is_signed: bool,
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
        // Marks shrink with the number of nodes, as areas: what 64 have is the largest.
        let unit = RADIUS * (64.0 / n as f64).sqrt().clamp(0.3, 1.0);
        let radii = findings
            .strengths
            .iter()
            .map(|&strength| radius(strength / largest, unit));
        Self {
            height,
            points: layout.points.iter().map(place).collect(),
            radii: radii.collect(),
            largest,
            unit,
            head: is_head.then(|| (place(&[0.0, 0.0]), scale)),
            shown: findings.verdict.n_shared.min((2 * n).max(60)),
            is_signed: findings.graph.is_signed(),
        }
    }

    /// Its area is in proportion to the strength, down to a mark that can still be seen.
    pub(super) fn radius(&self, strength: f64) -> f64 {
        radius(strength / self.largest, self.unit)
    }

    /// The least strength whose mark is to scale.
    pub(super) fn least(&self) -> f64 {
        SMALLEST * SMALLEST * self.largest
    }

    /// The figure.
    pub(crate) fn draw(&self, findings: &Findings) -> String {
        let strongest = findings.strongest();
        let hub =
            (0..findings.strengths.len()).max_by(|&a, &b| findings.strengths[a].total_cmp(&findings.strengths[b]));
        let description = format!(
            "{} nodes, joined by the {} strongest of {} edges{}. The node with the largest strength is {}. The table of \
             edges below holds the same as text.",
            self.points.len(),
            self.shown,
            strongest.len(),
            if self.is_signed {
                format!(", {} of them negative", findings.verdict.n_negative)
            } else {
                String::new()
            },
            hub.map_or("none", |hub| findings.graph.nodes()[hub].as_str())
        );
        let key_height = if strongest.is_empty() {
            0.0
        } else {
            key::height(self.is_signed)
        };
        let height = self.height + key_height;
        let mut svg = Svg::figure("network", WIDTH, height, title(findings), &description);
        self.outline(&mut svg);
        let heaviest = strongest.first().map_or(1.0, |&edge| findings.shared[edge].abs());
        let drawn = strongest.iter().take(self.shown);
        let edges = drawn.map(|&edge| (findings.graph.pairs()[edge], findings.shared[edge] / heaviest));
        self.edges(&mut svg, edges);
        svg.element("path", &[("class", "chosen-edges"), ("d", "")]);
        if self.is_signed {
            svg.element("path", &[("class", "chosen-negative"), ("d", "")]);
        }
        self.nodes(&mut svg, findings);
        labels::draw(&mut svg, self, findings);
        if !strongest.is_empty() {
            key::draw(&mut svg, self, heaviest, weight_name(findings));
        }
        svg.finish()
    }

    /// The same places with the consensus of another fit, for the dials: no names, which are the same. `n_edges` is how
    /// many it has.
    pub(crate) fn draw_cell(
        &self,
        findings: &Findings,
        edges: &[([u32; 2], f64)],
        n_edges: usize,
        title: &str,
    ) -> String {
        let drawn = &edges[..edges.len().min(3 * self.shown)];
        let how_many = if drawn.len() < n_edges {
            format!("The {} heaviest of {n_edges} edges", drawn.len())
        } else {
            words::plural(n_edges, "edge")
        };
        let description = format!("{how_many} among the same nodes as in the first figure.");
        let mut svg = Svg::figure("dial", WIDTH, self.height, title, &description);
        self.outline(&mut svg);
        let heaviest = edges.iter().map(|edge| edge.1.abs()).fold(f64::MIN_POSITIVE, f64::max);
        let shares = drawn.iter().map(|&(pair, weight)| (pair, weight / heaviest));
        self.edges(&mut svg, shares);
        self.nodes(&mut svg, findings);
        svg.finish()
    }

    /// Edges with weights from −1 to 1, the lightest classes first; the negative ones after the others.
    pub(crate) fn edges(&self, svg: &mut Svg, edges: impl Iterator<Item = ([u32; 2], f64)>) {
        let mut paths = vec![String::new(); if self.is_signed { 2 * CLASSES } else { CLASSES }];
        for (pair, share) in edges {
            // By the square root: most weights are small, and would all be of the thinnest class.
            let class = ((CLASSES as f64 * share.abs().sqrt()).ceil() as usize).clamp(1, CLASSES);
            let first = if share < 0.0 { CLASSES } else { 0 };
            if let Some(path) = paths.get_mut(first + class - 1) {
                path.push_str(&self.segment(pair));
            }
        }
        let class = if self.points.len() > FINE {
            "edges fine"
        } else {
            "edges"
        };
        svg.open("g", &[("class", class)]);
        for (k, path) in paths.iter().enumerate() {
            // Empty ones too: the scripts fill them.
            let sign = if k < CLASSES { "" } else { "negative " };
            let class = format!("edge {sign}e{}", k % CLASSES + 1);
            svg.element("path", &[("class", &class), ("d", path)]);
        }
        svg.close();
    }

    pub(crate) fn segment(&self, [a, b]: [u32; 2]) -> String {
        svg::segment(self.points[a as usize], self.points[b as usize])
    }

    pub(super) fn nodes(&self, svg: &mut Svg, findings: &Findings) {
        svg.open("g", &[("class", "nodes")]);
        let marks = communities::marks(findings);
        let labels = findings.known.communities.as_ref().map(|found| &found.labels);
        for (node, (&point, &radius)) in self.points.iter().zip(&self.radii).enumerate() {
            let (shape, class) = match labels {
                Some(labels) => (marks[labels[node]].0, marks[labels[node]].1.as_str()),
                None => (0, "node c7"),
            };
            svg.path(class, &svg::mark(shape, point, radius));
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

fn radius(share: f64, unit: f64) -> f64 {
    unit * share.max(0.0).sqrt().max(SMALLEST)
}

fn title(findings: &Findings) -> &'static str {
    match (findings.graph.consensus(), findings.graph.n_views()) {
        (Some(_), _) => "The consensus graph",
        (None, 1) => "The graph",
        (None, _) => "The mean of the graphs",
    }
}

fn weight_name(findings: &Findings) -> &'static str {
    if findings.graph.consensus().is_some() || findings.graph.n_views() == 1 {
        "weight"
    } else {
        "mean weight over the views"
    }
}

/// What the figure's caption says of places and sizes.
pub(crate) fn caption(findings: &Findings) -> String {
    let is_empty = findings.verdict.n_shared == 0;
    let places = match findings.layout.kind {
        LayoutKind::Head => "Electrodes seen from above, the nose up; the circle is the widest part of the head.",
        LayoutKind::Map => "Nodes at their places.",
        LayoutKind::Force if is_empty => "No edge is drawn; nodes that the views join are near each other.",
        LayoutKind::Force => "Nodes that are joined are near each other; apart from that, places have no meaning.",
    };
    let colours = communities::caption(findings);
    if is_empty {
        return format!("{places}{colours}");
    }
    let is_smooth = findings
        .known
        .summary
        .as_ref()
        .is_none_or(|summary| summary.method.is_none());
    let (strength, signs) = match (findings.graph.is_signed(), is_smooth) {
        (true, true) => (
            "the sum of its weights without their signs",
            " Edges of negative weight are dashed and in another colour: the signals of their two nodes are nearly each \
             other's opposites.",
        ),
        (true, false) => (
            "the sum of its weights without their signs",
            " Edges of negative weight are dashed and in another colour: given all other nodes, where the signal of one \
             end is high, that of the other is low (a negative partial correlation).",
        ),
        (false, _) => ("the sum of its weights", ""),
    };
    format!(
        "{places} The area of a node is in proportion to its strength ({strength}), down to a smallest mark; the width \
         of a line tells its {} in six steps.{signs}{colours}",
        weight_name(findings)
    )
}

/// The heaviest edges in words, for the panel's headline.
pub(crate) fn headline(findings: &Findings) -> String {
    let strongest = findings.strongest();
    let Some(&first) = strongest.first() else {
        return "It has no edge".into();
    };
    let labels = words::nodes(findings);
    let name = |node: usize| words::unbroken(&labels[node]);
    let names = findings.graph.pairs()[first].map(|node| name(node as usize));
    let hub = (0..findings.degrees.len()).max_by(|&a, &b| findings.strengths[a].total_cmp(&findings.strengths[b]));
    let negative = if findings.shared[first] < 0.0 {
        " (negative)"
    } else {
        ""
    };
    match hub {
        Some(hub) if strongest.len() > 1 => format!(
            "{}–{} is the strongest connection{negative}; {} is the most strongly connected node",
            names[0],
            names[1],
            name(hub)
        ),
        _ => format!("{}–{} is the only connection{negative}", names[0], names[1]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_in_proportion_to_strength() {
        for share in [1.0, 0.5, 0.1] {
            let area = radius(share, RADIUS).powi(2) / radius(1.0, RADIUS).powi(2);
            assert!((area - share).abs() < 1e-12, "{share} {area}");
        }
        assert_eq!(
            radius(0.0, RADIUS),
            SMALLEST * RADIUS,
            "what has no edge can still be seen"
        );
    }
}
