//! View × view similarity in clustered order. One path per colour; numbers in the cells where there is room. Of signed
//! graphs that are unlike each other the colours go both ways from 0.

use congraph_record::findings::{Findings, Similarities};

use super::axis;
use crate::svg::{self, Svg, at};
use crate::words;

/// Steps of the colour scale.
pub(crate) const STEPS: usize = 9;
/// Up to this many views the cells hold their numbers.
const NUMBERED: usize = 14;
/// Up to this many views the rows are named: in full size, a little smaller, or tiny.
const NAMED: usize = 60;
const LARGE: usize = 30;
const MEDIUM: usize = 44;
const WIDTH: f64 = 760.0;
/// The height of the colour scale.
const SCALE: f64 = 135.0;

/// Where the cells are, for the scripts.
pub(crate) struct Heatmap {
    pub(crate) svg: String,
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) cell: f64,
}

/// The drawing; none if there is but one view.
pub(crate) fn draw(findings: &Findings) -> Option<Heatmap> {
    let similarities = findings.similarities.as_ref()?;
    let labels = words::views(findings);
    let names: Vec<&str> = similarities.order.iter().map(|&view| labels[view].as_str()).collect();
    let is_diverging = findings.graph.is_signed() && similarities.farthest.1 < 0.0;
    let (low, high, ticks) = if is_diverging {
        symmetric(similarities.farthest.1, similarities.nearest.1)
    } else {
        limits(similarities.farthest.1, similarities.nearest.1)
    };
    let mut layout = Layout::new(&names, [low, high]);
    layout.is_diverging = is_diverging;
    let Layout { left, top, cell, .. } = layout;
    let height = (top + layout.side() + 12.0).max(top + SCALE + 30.0);
    let mut svg = Svg::figure(
        "heatmap",
        WIDTH,
        height,
        "How alike the views are",
        &description(findings, similarities),
    );
    let order = &similarities.order;
    let value = |row: usize, column: usize| similarities.values[order[row]][order[column]];
    shades(&mut svg, &layout, &value);
    svg.line("self", [left, top], [left + layout.side(), top + layout.side()]);
    if layout.n <= NUMBERED {
        numbers(&mut svg, &layout, &value);
    }
    if layout.is_named() {
        rows_and_columns(&mut svg, &layout, &names);
    }
    scale(&mut svg, &layout, &ticks);
    // The scripts move this frame to the cell that is pointed at.
    svg.element("path", &[("class", "cursor"), ("d", "")]);
    Some(Heatmap {
        svg: svg.finish(),
        left,
        top,
        cell,
    })
}

/// Where everything goes.
struct Layout {
    /// How many views.
    n: usize,
    left: f64,
    top: f64,
    cell: f64,
    /// The left edge of the colour scale.
    legend: f64,
    /// The size of names.
    size: f64,
    /// The similarities at the ends of the colour scale.
    range: [f64; 2],
    /// Whether the colours go both ways from 0.
    is_diverging: bool,
}

/// The size of names of so many views.
fn name_size(n: usize) -> f64 {
    match n {
        0..=LARGE => 12.5,
        n if n <= MEDIUM => 10.5,
        _ => 8.0,
    }
}

impl Layout {
    fn new(names: &[&str], range: [f64; 2]) -> Self {
        let n = names.len();
        let is_named = n <= NAMED;
        let longest = names.iter().map(|name| words::width(name)).fold(1.0, f64::max);
        let size = name_size(n);
        // The widths are an estimate: fonts differ by a tenth.
        let left = if is_named { 16.0 + 1.1 * size * longest } else { 20.0 };
        // Names above the columns are turned by 45 degrees.
        let top = if is_named { 24.0 + 0.8 * size * longest } else { 24.0 };
        let cell = ((WIDTH - left - 120.0) / n as f64).min(44.0);
        let side = cell * n as f64;
        let legend = left + side + 26.0 + if is_named { 0.5 * size * longest } else { 0.0 };
        Self {
            n,
            left,
            top,
            cell,
            legend,
            size,
            range,
            is_diverging: false,
        }
    }

    fn is_named(&self) -> bool {
        self.n <= NAMED
    }

    fn side(&self) -> f64 {
        self.cell * self.n as f64
    }

    /// The class of a step of the colour scale.
    fn class(&self, step: usize) -> String {
        format!("{}{step}", if self.is_diverging { "d" } else { "h" })
    }

    /// Whether words on a step need the colour for dark ground.
    fn is_dark(&self, step: usize) -> bool {
        if self.is_diverging {
            step.abs_diff(STEPS / 2) > 2
        } else {
            step > STEPS / 2
        }
    }

    /// The step of the colour scale for a similarity.
    fn step(&self, value: f64) -> usize {
        let [low, high] = self.range;
        (((value - low) / (high - low) * STEPS as f64).max(0.0) as usize).min(STEPS - 1)
    }
}

fn description(findings: &Findings, similarities: &Similarities) -> String {
    let name = |view: usize| findings.views[view].name.as_str();
    let (near, far) = (similarities.nearest, similarities.farthest);
    format!(
        "Correlations between the weights of {} views, {}. Most alike: {} and {} ({}). Least alike: {} and {} ({}).",
        similarities.order.len(),
        if findings.in_time.is_some() {
            "in the order of time"
        } else {
            "ordered so that like is next to like"
        },
        name(near.0[0]),
        name(near.0[1]),
        words::significant(near.1),
        name(far.0[0]),
        name(far.0[1]),
        words::significant(far.1)
    )
}

/// The cells, one path per colour.
fn shades(svg: &mut Svg, layout: &Layout, value: &impl Fn(usize, usize) -> f64) {
    let n = layout.n;
    let mut paths = vec![String::new(); STEPS];
    for row in 0..n {
        // Neighbours of one colour are one rectangle. A view against itself says nothing.
        let mut column = 0;
        while column < n {
            if column == row {
                column += 1;
                continue;
            }
            let class = layout.step(value(row, column));
            // Up to the next other colour, or the diagonal.
            let end = (column..n)
                .find(|&k| k == row || layout.step(value(row, k)) != class)
                .unwrap_or(n);
            let (x, y) = (
                layout.left + layout.cell * column as f64,
                layout.top + layout.cell * row as f64,
            );
            paths[class].push_str(&svg::rectangle(x, y, layout.cell * (end - column) as f64, layout.cell));
            column = end;
        }
    }
    for (class, path) in paths.iter().enumerate() {
        svg.path(&layout.class(class), path);
    }
}

/// The similarities in the cells.
fn numbers(svg: &mut Svg, layout: &Layout, value: &impl Fn(usize, usize) -> f64) {
    let decimals = if layout.range[1] - layout.range[0] < 0.05 { 3 } else { 2 };
    for row in 0..layout.n {
        for column in (0..layout.n).filter(|&column| column != row) {
            let value = value(row, column);
            let class = if layout.is_dark(layout.step(value)) {
                "cell middle on-dark"
            } else {
                "cell middle"
            };
            let place = [
                layout.left + layout.cell * (column as f64 + 0.5),
                layout.top + layout.cell * (row as f64 + 0.5) + 4.0,
            ];
            svg.text(class, place, &format!("{value:.decimals$}"));
        }
    }
}

/// The names of the views at the rows and, turned, above the columns.
fn rows_and_columns(svg: &mut Svg, layout: &Layout, names: &[&str]) {
    let Layout { left, top, size, .. } = *layout;
    let class = match layout.n {
        0..=LARGE => "name",
        n if n <= MEDIUM => "medium",
        _ => "tiny",
    };
    for (k, name) in names.iter().enumerate() {
        let middle = layout.cell * (k as f64 + 0.5);
        svg.text(&format!("{class} end"), [left - 6.0, top + middle + 0.35 * size], name);
        let turn = format!("translate({} {}) rotate(-45)", at(left + middle), at(top - 6.0));
        svg.open("g", &[("transform", &turn)]);
        svg.text(&format!("{class} start"), [0.0, 0.0], name);
        svg.close();
    }
}

/// From the least to the largest similarity of two views, rounded outwards.
fn limits(least: f64, largest: f64) -> (f64, f64, Vec<f64>) {
    // Equal ones are equal: a scale of rounding errors would say otherwise.
    let room = if largest - least < 1e-6 { 0.02 } else { 0.0 };
    let (low, high, ticks) = axis::round_range(least - room, (largest + room).min(1.0), 6);
    // No correlation is above 1.
    let ticks: Vec<f64> = ticks.into_iter().filter(|tick| *tick <= 1.0 + 1e-9).collect();
    (low, high.min(1.0), ticks)
}

/// The same to both sides of 0.
fn symmetric(least: f64, largest: f64) -> (f64, f64, Vec<f64>) {
    let reach = least.abs().max(largest.abs()).max(1e-6);
    let (_, high, _) = axis::round_range(0.0, reach.min(1.0), 3);
    let high = high.min(1.0);
    (-high, high, vec![-high, -0.5 * high, 0.0, 0.5 * high, high])
}

/// The colours and what they mean.
fn scale(svg: &mut Svg, layout: &Layout, ticks: &[f64]) {
    let ([x, y], [low, high]) = ([layout.legend, layout.top], layout.range);
    let step = SCALE / STEPS as f64;
    svg.text("tick start", [x, y - 6.0], "similarity");
    for class in 0..STEPS {
        let k = (STEPS - 1 - class) as f64;
        svg.path(&layout.class(class), &svg::rectangle(x, y + step * k + 4.0, 16.0, step));
    }
    for &tick in ticks {
        let up = y + 4.0 + SCALE * (high - tick) / (high - low);
        svg.line("axis", [x + 16.0, up], [x + 20.0, up]);
        svg.text("tick start", [x + 24.0, up + 4.0], &axis::label(tick, ticks));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_spans_the_data_and_no_more() {
        for (least, largest) in [
            (0.9931, 0.9979),
            (0.31, 0.95),
            (0.906, 0.906),
            (1.0, 1.0),
            (-0.2, 0.1),
            (0.9999, 1.0),
            (0.999_1, 0.999_4),
        ] {
            let (low, high, ticks) = limits(least, largest);
            assert!(
                low <= least && largest <= high && high <= 1.0 && low < high,
                "{least} {largest}: {low} {high}"
            );
            assert!(
                high - low < 3.0 * (largest - least) || largest == least,
                "{least} {largest}: {low} {high}"
            );
            assert!(ticks.len() > 1, "{ticks:?}");
        }
    }

    #[test]
    fn a_scale_of_both_signs_has_0_in_its_middle() {
        for (least, largest) in [(-0.9, 0.2), (-0.01, 0.99), (-1.0, -0.3)] {
            let (low, high, ticks) = symmetric(least, largest);
            assert!(
                low == -high && high <= 1.0 && low <= least && largest <= high,
                "{low} {high}"
            );
            assert_eq!(ticks[2], 0.0);
        }
    }

    /// L* of a colour written as #rrggbb.
    fn lightness(colour: &str) -> f64 {
        let channel = |k: usize| {
            let value = f64::from(u8::from_str_radix(&colour[k..k + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        let y = 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
        116.0 * y.cbrt() - 16.0
    }

    #[test]
    fn equal_steps_look_equal() {
        let sheet = include_str!("../../assets/drawings.css");
        let ramps: Vec<Vec<f64>> = sheet
            .lines()
            .filter(|line| line.contains("--h0:"))
            .map(|line| {
                let colours = (0..STEPS).map(|k| line.split(&format!("--h{k}: ")).nth(1).unwrap());
                colours.map(|text| lightness(&text[..7])).collect()
            })
            .collect();
        assert_eq!(ramps.len(), 3, "light, dark, print");
        for ramp in ramps {
            let steps: Vec<f64> = ramp.windows(2).map(|two| two[1] - two[0]).collect();
            let mean = steps.iter().sum::<f64>() / steps.len() as f64;
            assert!(
                mean.abs() > 8.0 && steps.iter().all(|step| (step - mean).abs() < 0.8),
                "{ramp:?}"
            );
        }
    }
}
