//! SVG as text: every attribute and every text is escaped, and numbers have one decimal.
//!
//! Many like things are one element: edges of a weight class or cells of a colour are one path. A thousand nodes then
//! still draw at once.

use std::fmt::Write;

/// A drawing in the making.
pub(crate) struct Svg {
    text: String,
    open: Vec<&'static str>,
}

/// The text with what has a meaning in HTML and SVG made harmless.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for mark in text.chars() {
        match mark {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // Not allowed in XML, and a downloaded figure is XML.
            mark if mark.is_control() || turns(mark) => safe.push('\u{fffd}'),
            mark => safe.push(mark),
        }
    }
    safe
}

/// Whether a mark turns the direction of the text after it. Names that isolate themselves do not.
pub(crate) fn turns(mark: char) -> bool {
    matches!(
        mark,
        '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}' | '\u{2067}'
    )
}

/// A coordinate.
pub(crate) fn at(value: f64) -> String {
    let text = format!("{value:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".into(),
        Some(whole) => whole.into(),
        None => text,
    }
}

impl Svg {
    /// A figure with a name for assistive technology; `id` is its own in the page.
    pub(crate) fn figure(id: &str, width: f64, height: f64, title: &str, description: &str) -> Self {
        let mut svg = Self {
            text: String::new(),
            open: Vec::new(),
        };
        let (view_box, labels) = (
            format!("0 0 {} {}", at(width), at(height)),
            format!("{id}-title {id}-description"),
        );
        svg.open(
            "svg",
            &[
                ("id", id),
                ("viewBox", &view_box),
                ("role", "img"),
                ("aria-labelledby", &labels),
                ("xmlns", "http://www.w3.org/2000/svg"),
            ],
        );
        let _ = write!(
            svg.text,
            "<title id=\"{id}-title\">{}</title><desc id=\"{id}-description\">{}</desc>",
            escaped(title),
            escaped(description)
        );
        svg
    }

    /// Opens an element, to be closed by [`Svg::close`].
    pub(crate) fn open(&mut self, name: &'static str, attributes: &[(&str, &str)]) {
        self.start(name, attributes);
        self.text.push('>');
        self.open.push(name);
    }

    /// Closes the element that was opened last.
    pub(crate) fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            let _ = write!(self.text, "</{name}>");
        }
    }

    /// An element without content.
    pub(crate) fn element(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.start(name, attributes);
        self.text.push_str("/>");
    }

    /// A path of a class.
    pub(crate) fn path(&mut self, class: &str, data: &str) {
        if !data.is_empty() {
            self.element("path", &[("class", class), ("d", data)]);
        }
    }

    /// A straight line.
    pub(crate) fn line(&mut self, class: &str, from: [f64; 2], to: [f64; 2]) {
        self.path(class, &segment(from, to));
    }

    /// A line of text; `class` tells its size and where it is anchored.
    pub(crate) fn text(&mut self, class: &str, place: [f64; 2], text: &str) {
        self.start("text", &[("class", class), ("x", &at(place[0])), ("y", &at(place[1]))]);
        let _ = write!(self.text, ">{}</text>", escaped(text));
    }

    /// The whole drawing.
    pub(crate) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }

    fn start(&mut self, name: &str, attributes: &[(&str, &str)]) {
        let _ = write!(self.text, "<{name}");
        for (key, value) in attributes {
            let _ = write!(self.text, " {key}=\"{}\"", escaped(value));
        }
    }
}

/// Path data of a line.
pub(crate) fn segment(from: [f64; 2], to: [f64; 2]) -> String {
    format!("M{} {}L{} {}", at(from[0]), at(from[1]), at(to[0]), at(to[1]))
}

/// Path data of a rectangle.
pub(crate) fn rectangle(x: f64, y: f64, width: f64, height: f64) -> String {
    // From rounded corner to rounded corner: neighbours meet without a seam.
    let tenth = |value: f64| (10.0 * value).round() / 10.0;
    let (width, height) = (tenth(x + width) - tenth(x), tenth(y + height) - tenth(y));
    format!("M{} {}h{}v{}h{}z", at(x), at(y), at(width), at(height), at(-width))
}

/// Path data of a mark around a point: a circle, or another shape of the same area, so that colour is never alone and
/// size can be compared.
pub(crate) fn mark(shape: usize, [x, y]: [f64; 2], radius: f64) -> String {
    use std::f64::consts::{PI, TAU};
    // Small marks need a second decimal, or their areas are off by a tenth.
    let fine = |value: f64| (100.0 * value).round() / 100.0;
    let corners = |turn: f64, n: usize| {
        let size = radius * (PI / (0.5 * n as f64 * (TAU / n as f64).sin())).sqrt();
        let mut data = String::new();
        for k in 0..n {
            let angle = TAU * (turn + k as f64 / n as f64);
            let corner = [x + size * angle.sin(), y - size * angle.cos()];
            let letter = if k == 0 { 'M' } else { 'L' };
            let _ = write!(data, "{letter}{} {}", fine(corner[0]), fine(corner[1]));
        }
        data + "z"
    };
    match shape % SHAPES {
        1 => corners(0.125, 4),
        2 => corners(0.0, 3),
        3 => corners(0.0, 4),
        4 => corners(0.5, 3),
        5 => corners(0.0, 6),
        6 => corners(0.0, 5),
        _ => {
            // Two halves: the second end is where the first arc began, so the width must be twice the radius to the
            // digit.
            let r = fine(radius);
            let (left, d) = (fine(x - r), fine(2.0 * r));
            format!("M{left} {}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0z", fine(y))
        }
    }
}

/// How many shapes there are before they repeat.
pub(crate) const SHAPES: usize = 7;

#[cfg(test)]
mod tests {
    use super::*;

    /// The corners of a path of straight lines, or of a circle's arcs as a polygon.
    fn outline(data: &str) -> Vec<[f64; 2]> {
        let numbers =
            |text: &str| -> Vec<f64> { text.split([' ', 'z']).filter_map(|word| word.parse().ok()).collect() };
        if let Some((start, arcs)) = data.split_once('a') {
            let (start, arc) = (numbers(&start[1..]), numbers(arcs.split('a').next().unwrap()));
            let (r, d) = (arc[0], arc[5]);
            assert_eq!(d, 2.0 * r, "half a circle: {data}");
            let turn = |k: i32| std::f64::consts::TAU * f64::from(k) / 720.0;
            return (0..720)
                .map(|k| [start[0] + r + r * turn(k).cos(), start[1] + r * turn(k).sin()])
                .collect();
        }
        let corners = data
            .trim_end_matches('z')
            .split(['M', 'L'])
            .filter(|text| !text.is_empty());
        corners.map(|text| [numbers(text)[0], numbers(text)[1]]).collect()
    }

    #[test]
    fn marks_of_a_size_have_the_same_area() {
        for radius in [1.23, 2.2, 6.66, 8.2] {
            for shape in 0..SHAPES {
                let corners = outline(&mark(shape, [100.04, 57.96], radius));
                let next = corners.iter().cycle().skip(1);
                let area: f64 = corners
                    .iter()
                    .zip(next)
                    .map(|(a, b)| 0.5 * (a[0] * b[1] - a[1] * b[0]))
                    .sum();
                let expected = std::f64::consts::PI * radius * radius;
                assert!(
                    (area.abs() / expected - 1.0).abs() < 0.03,
                    "{shape} {radius}: {area} {expected}"
                );
            }
        }
    }

    #[test]
    fn texts_and_attributes_are_escaped() {
        let mut svg = Svg::figure("f", 10.0, 10.0, "<script>", "a & \"b\"");
        svg.text("label", [1.04, -0.04], "</text><script>'\u{1b}");
        let text = svg.finish();
        assert!(!text.contains("<script"), "{text}");
        assert!(text.contains("x=\"1\" y=\"0\""), "{text}");
        assert!(text.ends_with("</text></svg>"));
        assert!(!text.contains('\u{1b}'));
    }
}
