//! Line charts with shaded bands as SVG, laid out as the paper's figures are: panels side by side, one legend below.
//!
//! Colours are those of Okabe and Ito and a grey, which colour-blind readers can tell apart; marks and dashes differ as well. Text
//! is in whatever sans-serif font the reader has.

use std::fmt::Write;

use crate::statistics::Band;

/// One line.
pub(crate) struct Line {
    pub(crate) label: String,
    pub(crate) points: Vec<(f64, Band)>,
}

/// One panel; lines of the same place have the same style in all panels.
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) x_label: String,
    pub(crate) lines: Vec<Line>,
}

/// A figure.
pub(crate) struct Chart {
    pub(crate) title: String,
    pub(crate) y_label: String,
    /// Both axes in powers.
    pub(crate) logarithmic: bool,
    pub(crate) columns: usize,
    pub(crate) panels: Vec<Panel>,
}

const COLOURS: [&str; 8] = [
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#D55E00", "#0072B2", "#CC79A7", "#7F7F7F",
];
const DASHES: [&str; 8] = ["none", "6 3", "2 2", "none", "8 3 2 3", "4 2", "1 2", "10 4"];

const WIDTH: f64 = 330.0;
const HEIGHT: f64 = 250.0;
/// Left, top, right and below the lines of a panel.
const MARGIN: [f64; 4] = [58.0, 30.0, 14.0, 46.0];
const HEAD: f64 = 34.0;
const LEGEND_ROW: f64 = 22.0;

impl Chart {
    pub(crate) fn svg(&self) -> String {
        let rows = self.panels.len().div_ceil(self.columns);
        let labels: Vec<&str> = self.panels.first().map_or_else(Vec::new, |panel| {
            panel.lines.iter().map(|line| line.label.as_str()).collect()
        });
        let width = WIDTH * self.columns as f64;
        let per_row = ((width - 20.0) / LEGEND_WIDTH).max(1.0) as usize;
        let legend_top = HEAD + HEIGHT * rows as f64 + 8.0;
        let height = legend_top + LEGEND_ROW * labels.len().div_ceil(per_row) as f64 + 8.0;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n<title>{title}</title>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n<text x=\"{middle}\" y=\"21\" \
             text-anchor=\"middle\" font-size=\"15\">{title}</text>\n",
            title = escaped(&self.title),
            middle = width / 2.0,
        );
        let y = self.y_axis();
        for (place, panel) in self.panels.iter().enumerate() {
            let left = WIDTH * (place % self.columns) as f64;
            let top = HEAD + HEIGHT * (place / self.columns) as f64;
            self.panel(&mut out, panel, &y, left, top);
        }
        for (place, label) in labels.iter().enumerate() {
            let x = 16.0 + LEGEND_WIDTH * (place % per_row) as f64;
            let y = legend_top + LEGEND_ROW * (place / per_row) as f64 + 8.0;
            let _ = writeln!(
                out,
                "<path d=\"M{x} {y}h34\" {}/>{}<text x=\"{}\" y=\"{}\">{}</text>",
                stroke(place),
                mark(place, x + 17.0, y),
                x + 42.0,
                y + 4.0,
                escaped(label)
            );
        }
        out.push_str("</svg>\n");
        out
    }

    fn y_axis(&self) -> Axis {
        let ends = self
            .panels
            .iter()
            .flat_map(|panel| &panel.lines)
            .flat_map(|line| &line.points)
            .flat_map(|(_, band)| [band.low, band.high, band.mean]);
        if self.logarithmic {
            // A band may reach below zero, a time may not.
            Axis::powers(ends.filter(|value| *value > 0.0))
        } else {
            Axis::linear(ends.map(|value| value.clamp(0.0, 1.0)))
        }
    }

    fn panel(&self, out: &mut String, panel: &Panel, y: &Axis, left: f64, top: f64) {
        let [west, north, east, south] = MARGIN;
        let (x0, x1) = (left + west, left + WIDTH - east);
        let (y0, y1) = (top + HEIGHT - south, top + north);
        let levels: Vec<f64> = panel
            .lines
            .iter()
            .flat_map(|line| line.points.iter().map(|point| point.0))
            .collect();
        let frame = Frame {
            x: Axis::of_levels(&levels, self.logarithmic),
            y,
            x0,
            x1,
            y0,
            y1,
        };
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" font-weight=\"bold\">{}</text>",
            x0,
            y1 - 10.0,
            escaped(&panel.title)
        );
        self.axes(out, &panel.x_label, &frame);
        for (place, line) in panel.lines.iter().enumerate() {
            if !line.points.is_empty() {
                draw_line(out, line, place, &frame);
            }
        }
    }

    /// Grid lines, ticks, the axes and what they are called.
    fn axes(&self, out: &mut String, x_label: &str, frame: &Frame<'_>) {
        let Frame { x, y, x0, x1, y0, y1 } = frame;
        for &tick in &y.ticks {
            let _ = writeln!(
                out,
                "<path d=\"M{x0} {0:.2}H{x1}\" stroke=\"#dddddd\"/><text x=\"{1}\" y=\"{2:.2}\" \
                text-anchor=\"end\">{3}</text>",
                frame.at_y(tick),
                x0 - 6.0,
                frame.at_y(tick) + 4.0,
                shown(tick)
            );
        }
        for &tick in &x.ticks {
            let _ = writeln!(
                out,
                "<path d=\"M{0:.2} {y0}v5\" stroke=\"#000000\"/><text x=\"{0:.2}\" y=\"{1}\" \
                text-anchor=\"middle\">{2}</text>",
                frame.at_x(tick),
                y0 + 18.0,
                shown(tick)
            );
        }
        let _ = writeln!(
            out,
            "<path d=\"M{x0} {y1}V{y0}H{x1}\" fill=\"none\" stroke=\"#000000\"/>\n\
             <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n\
             <text transform=\"translate({} {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            0.5 * (x0 + x1),
            y0 + 36.0,
            escaped(x_label),
            x0 - MARGIN[0] + 16.0,
            0.5 * (y0 + y1),
            escaped(&self.y_label)
        );
    }
}

/// Where a panel's values go on the drawing.
struct Frame<'a> {
    x: Axis,
    y: &'a Axis,
    /// The ends of the axes: left and right, below and above.
    x0: f64,
    x1: f64,
    y0: f64,
    y1: f64,
}

impl Frame<'_> {
    fn at_x(&self, value: f64) -> f64 {
        self.x0 + (self.x1 - self.x0) * self.x.share(value)
    }

    fn at_y(&self, value: f64) -> f64 {
        self.y0 + (self.y1 - self.y0) * self.y.share(value)
    }
}

/// A line with its band and marks, in the style of its place.
fn draw_line(out: &mut String, line: &Line, place: usize, frame: &Frame<'_>) {
    let corner = |level: f64, value: f64| format!("{:.2} {:.2}", frame.at_x(level), frame.at_y(value));
    let upper = line.points.iter().map(|(level, band)| corner(*level, band.high));
    let lower = line.points.iter().rev().map(|(level, band)| corner(*level, band.low));
    let band: Vec<String> = upper.chain(lower).collect();
    let path: Vec<String> = line
        .points
        .iter()
        .map(|(level, band)| corner(*level, band.mean))
        .collect();
    let _ = writeln!(
        out,
        "<path d=\"M{}Z\" fill=\"{}\" fill-opacity=\"0.15\"/><path d=\"M{}\" {}/>",
        band.join("L"),
        COLOURS[place % COLOURS.len()],
        path.join("L"),
        stroke(place)
    );
    for (level, band) in &line.points {
        out.push_str(&mark(place, frame.at_x(*level), frame.at_y(band.mean)));
    }
    out.push('\n');
}

const LEGEND_WIDTH: f64 = 190.0;

fn stroke(place: usize) -> String {
    format!(
        "fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" stroke-dasharray=\"{}\"",
        COLOURS[place % COLOURS.len()],
        DASHES[place % DASHES.len()]
    )
}

/// Disc, square, triangle, diamond, cross, triangle on its head, plus, hourglass.
fn mark(place: usize, x: f64, y: f64) -> String {
    let path = match place % 8 {
        0 => "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0",
        1 => "m-3.2 -3.2h6.4v6.4h-6.4z",
        2 => "m0 -4.2l4 7.4h-8z",
        3 => "m0 -4.6l4.6 4.6l-4.6 4.6l-4.6 -4.6z",
        4 => "m-3.5 -3.5l7 7m-7 0l7 -7",
        5 => "m0 4.2l4 -7.4h-8z",
        6 => "m-4.4 0h8.8m-4.4 -4.4v8.8",
        _ => "m-3.5 -3.5h7l-7 7h7z",
    };
    let colour = COLOURS[place % COLOURS.len()];
    format!("<path d=\"M{x:.2} {y:.2}{path}\" fill=\"{colour}\" stroke=\"{colour}\" stroke-width=\"1.2\"/>")
}

/// Where values are between two ends, and which are written beside the axis.
struct Axis {
    low: f64,
    high: f64,
    ticks: Vec<f64>,
    logarithmic: bool,
}

impl Axis {
    /// From 0 to 1, or less where the values leave room.
    fn linear(values: impl Iterator<Item = f64>) -> Self {
        let least = values.fold(1.0, f64::min);
        let low = (10.0 * least).floor() / 10.0;
        let low = low.clamp(0.0, 0.9);
        let step = if low < 0.5 { 0.2 } else { 0.1 };
        let n = ((1.0 - low) / step).round() as i32;
        Self {
            low,
            high: 1.0,
            ticks: (0..=n)
                .map(|k| 1.0 - step * f64::from(n - k))
                .filter(|tick| *tick >= low - 1e-9)
                .collect(),
            logarithmic: false,
        }
    }

    /// Whole powers of ten around the values.
    fn powers(values: impl Iterator<Item = f64>) -> Self {
        let (least, most) = values.fold((f64::INFINITY, 0.0), |(a, b), x| (x.min(a), x.max(b)));
        let (low, high) = if most > 0.0 {
            (least.log10().floor(), most.log10().ceil())
        } else {
            (-1.0, 0.0)
        };
        let high = high.max(low + 1.0);
        Self {
            low: 10_f64.powf(low),
            high: 10_f64.powf(high),
            ticks: (low as i32..=high as i32).map(|power| 10_f64.powi(power)).collect(),
            logarithmic: true,
        }
    }

    /// The levels themselves, with room at both ends.
    fn of_levels(levels: &[f64], logarithmic: bool) -> Self {
        let mut ticks = levels.to_vec();
        ticks.sort_unstable_by(f64::total_cmp);
        ticks.dedup();
        let (least, most) = match ticks[..] {
            [] => (0.5, 1.0),
            [only] => (0.9 * only, 1.1 * only),
            [first, .., last] => (first, last),
        };
        let (low, high) = if logarithmic {
            let room = (most / least).powf(0.05);
            (least / room, most * room)
        } else {
            let room = 0.05 * (most - least);
            (least - room, most + room)
        };
        Self {
            low,
            high,
            ticks,
            logarithmic,
        }
    }

    fn share(&self, value: f64) -> f64 {
        let share = if self.logarithmic {
            (value.max(f64::MIN_POSITIVE) / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        share.clamp(0.0, 1.0)
    }
}

fn shown(value: f64) -> String {
    if value >= 1.0 || value == 0.0 {
        format!("{value:.0}")
    } else if value >= 0.04 {
        format!("{value:.2}").trim_end_matches('0').to_owned()
    } else {
        format!("{value:.0e}")
    }
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every tag is closed in order, and nothing else is outside of them than text.
    fn check_well_formed(svg: &str) {
        let mut open: Vec<&str> = Vec::new();
        let mut rest = svg;
        while let Some(start) = rest.find('<') {
            assert!(!rest[..start].contains('>'), "a stray > in {:?}", &rest[..start]);
            let end = start + rest[start..].find('>').unwrap();
            let tag = &rest[start + 1..end];
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
            assert!(!tag.contains('<'), "{tag}");
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name));
            } else if !tag.ends_with('/') {
                open.push(tag.split(' ').next().unwrap());
            }
            rest = &rest[end + 1..];
        }
        assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest:?}");
        for entity in svg.match_indices('&').map(|(at, _)| &svg[at..]) {
            assert!(
                ["&amp;", "&lt;", "&gt;", "&quot;"]
                    .iter()
                    .any(|known| entity.starts_with(known))
            );
        }
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    fn chart(logarithmic: bool, points: &[(f64, Band)]) -> Chart {
        let line = |label: &str| Line {
            label: label.into(),
            points: points.to_vec(),
        };
        let panel = |title: &str| Panel {
            title: title.into(),
            x_label: "n & more".into(),
            lines: vec![line("a < b"), line("\"c\"")],
        };
        Chart {
            title: "F1 <of> all".into(),
            y_label: "F1".into(),
            logarithmic,
            columns: 2,
            panels: vec![panel("a."), panel("b."), panel("c.")],
        }
    }

    #[test]
    fn the_figure_is_well_formed() {
        let points = vec![(3.0, Band::of(&[0.7, 0.8])), (12.0, Band::of(&[0.95, 0.99]))];
        for logarithmic in [false, true] {
            check_well_formed(&chart(logarithmic, &points).svg());
            check_well_formed(&chart(logarithmic, &points[..1]).svg());
            check_well_formed(&chart(logarithmic, &[]).svg());
        }
    }

    #[test]
    fn axes_hold_all_values() {
        let axis = Axis::linear([0.63, 0.97].into_iter());
        assert_eq!((axis.low, axis.high), (0.6, 1.0));
        assert_eq!(axis.ticks.len(), 5);
        let axis = Axis::powers([0.004, 3.0].into_iter());
        assert_eq!((axis.low, axis.high), (0.001, 10.0));
        assert!((axis.share(0.1) - 0.5).abs() < 1e-12);
    }
}
