//! What the sizes mean, below the graph: areas of nodes as strengths, widths of lines as weights.
//!
//! Inside the drawing, so that it scales with it and is in the downloaded figure. Narrow pages have a larger one with
//! fewer entries.

use super::network::{CLASSES, FINE, Network};
use crate::svg::{self, Svg, at};
use crate::words;

/// Its height, with a row more where there are signs.
pub(super) fn height(is_signed: bool) -> f64 {
    if is_signed { 98.0 } else { 66.0 }
}

/// `heaviest` is the weight of the widest lines, `weight` what the weights are called.
pub(super) fn draw(svg: &mut Svg, network: &Network, heaviest: f64, weight: &str) {
    let strengths = strengths(network);
    let wide = Rows {
        size: 11.0,
        nodes: [40.0, 18.0, 42.0],
        lines: [306.0, 18.0, 42.0],
        classes: &[1, 2, 3, 4, 5, 6],
        step: [72.0, 73.0],
    };
    let fine = if network.points.len() > FINE { " fine" } else { "" };
    svg.open("g", &[("class", &format!("key{fine}"))]);
    wide.draw(
        svg,
        network,
        &strengths,
        heaviest,
        [
            "area of a node: its strength",
            &format!("width of a line: its {weight}, in six steps up to"),
        ],
    );
    if network.is_signed {
        signs(
            svg,
            network,
            [40.0, 72.0],
            11.0,
            ["positive", "negative: opposite signals"],
        );
    }
    svg.close();
    let narrow = Rows {
        size: 22.0,
        nodes: [20.0, 24.0, 24.0],
        lines: [20.0, 56.0, 56.0],
        classes: &[2, 4, 6],
        step: [130.0, 130.0],
    };
    svg.open("g", &[("class", &format!("key-narrow{fine}"))]);
    narrow.draw(
        svg,
        network,
        &strengths,
        heaviest,
        ["node area: strength", "line width: weight"],
    );
    if network.is_signed {
        signs(svg, network, [20.0, 88.0], 22.0, ["positive weight", "negative weight"]);
    }
    svg.close();
}

/// Which lines are positive weights, and which negative ones.
fn signs(svg: &mut Svg, network: &Network, [mut x, y]: [f64; 2], size: f64, words: [&str; 2]) {
    let (line, baseline) = (3.6 * size, network.height + y);
    for (class, text) in ["key-line e4", "key-line negative e4"].into_iter().zip(words) {
        svg.path(
            class,
            &format!("M{} {}h{}", at(x), at(baseline - 0.36 * size), at(line)),
        );
        svg.text("tick start", [x + line + 0.5 * size, baseline], text);
        x += line + size * (words::width(text) + 3.0);
    }
}

/// Where the two rows are: x, the baseline of the words, and that of the marks.
struct Rows<'k> {
    size: f64,
    nodes: [f64; 3],
    lines: [f64; 3],
    classes: &'k [usize],
    step: [f64; 2],
}

impl Rows<'_> {
    fn draw(&self, svg: &mut Svg, network: &Network, strengths: &[f64], heaviest: f64, words: [&str; 2]) {
        let top = network.height;
        let is_narrow = self.nodes[1] == self.nodes[2];
        let text = |svg: &mut Svg, x: f64, y: f64, text: &str| svg.text("tick start", [x, top + y], text);
        let start = |x: f64, title: &str| {
            if is_narrow {
                x + self.size * words::width(title) + 30.0
            } else {
                x
            }
        };
        text(svg, self.nodes[0], self.nodes[1], words[0]);
        let mut x = start(self.nodes[0], words[0]);
        for &strength in strengths {
            let r = network.radius(strength);
            svg.path(
                "node c7",
                &svg::mark(0, [x + 8.0, top + self.nodes[2] - 0.36 * self.size], r),
            );
            text(svg, x + 20.0, self.nodes[2], &words::significant(strength));
            x += self.step[0];
        }
        text(svg, self.lines[0], self.lines[1], words[1]);
        let mut x = start(self.lines[0], words[1]);
        for &class in self.classes {
            let y = top + self.lines[2] - 0.36 * self.size;
            svg.path(&format!("key-line e{class}"), &format!("M{} {}h24", at(x), at(y)));
            // The inverse of the classes in `Network::edges`.
            let most = heaviest * (class as f64 / CLASSES as f64).powi(2);
            text(svg, x + 28.0, self.lines[2], &words::two_digits(most));
            x += self.step[1];
        }
    }
}

/// Round strengths: one near the largest, a quarter of it, and the least that is drawn to scale.
fn strengths(network: &Network) -> Vec<f64> {
    let unit = 10_f64.powf(network.largest.log10().floor());
    let round = [5.0, 2.0, 1.0]
        .into_iter()
        .find(|k| k * unit <= network.largest)
        .unwrap_or(1.0)
        * unit;
    vec![round, 0.25 * round, network.least()]
}
