//! View × view similarity in clustered order. One path per colour; numbers in the cells where there is room.

use congraph::findings::Findings;

use crate::svg::{self, Svg, at};
use crate::words;

/// Steps of the colour scale.
pub(crate) const STEPS: usize = 9;
/// Up to this many views the cells hold their numbers.
const NUMBERED: usize = 14;
/// Up to this many views the rows are named.
const NAMED: usize = 60;
const WIDTH: f64 = 760.0;

/// Where the cells are, for the scripts.
pub(crate) struct Heatmap {
    pub(crate) svg: String,
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) cell: f64,
}

/// None of one view.
pub(crate) fn draw(findings: &Findings) -> Option<Heatmap> {
    let similarities = findings.similarities.as_ref()?;
    let order = &similarities.order;
    let n = order.len();
    let names: Vec<String> = order
        .iter()
        .map(|&view| words::short(&findings.views[view].name, words::NAME))
        .collect();
    let is_named = n <= NAMED;
    let longest = names.iter().map(|name| words::width(name)).fold(1.0, f64::max);
    let size = if n <= 30 { 12.0 } else { 8.0 };
    let left = if is_named { 14.0 + size * longest } else { 20.0 };
    // Names above the columns are turned by 45 degrees.
    let top = if is_named { 14.0 + 0.72 * size * longest } else { 12.0 };
    let cell = ((WIDTH - left - 120.0) / n as f64).min(44.0);
    let side = cell * n as f64;
    let legend = left + side + 26.0;
    let height = (top + side + 12.0).max(190.0);
    // The scale starts a little below the lowest value, so that differences show.
    let low = (20.0 * similarities.farthest.1 - 1e-9).floor() / 20.0;
    let low = low.min(0.95);
    let step = |value: f64| (((value - low) / (1.0 - low) * STEPS as f64) as usize).min(STEPS - 1);
    let value = |row: usize, column: usize| similarities.values[order[row]][order[column]];
    let name = |view: usize| findings.views[view].name.as_str();
    let (near, far) = (similarities.nearest, similarities.farthest);
    let description = format!(
        "Correlations between the weights of {n} views, ordered so that like is next to like. Most alike: {} and {} ({}). Least alike: \
         {} and {} ({}).",
        name(near.0[0]),
        name(near.0[1]),
        words::significant(near.1),
        name(far.0[0]),
        name(far.0[1]),
        words::significant(far.1)
    );
    let mut svg = Svg::figure("heatmap", WIDTH, height, "How alike the views are", &description);
    let mut paths = vec![String::new(); STEPS];
    for row in 0..n {
        // Neighbours of one colour are one rectangle.
        let mut column = 0;
        while column < n {
            let class = step(value(row, column));
            let end = (column..n).find(|&k| step(value(row, k)) != class).unwrap_or(n);
            let (x, y) = (left + cell * column as f64, top + cell * row as f64);
            paths[class].push_str(&svg::rectangle(x, y, cell * (end - column) as f64, cell));
            column = end;
        }
    }
    for (class, path) in paths.iter().enumerate() {
        svg.path(&format!("h{class}"), path);
    }
    if n <= NUMBERED {
        for row in 0..n {
            for column in (0..n).filter(|&column| column != row) {
                let value = value(row, column);
                let class = if step(value) > STEPS / 2 {
                    "cell middle on-dark"
                } else {
                    "cell middle"
                };
                let place = [
                    left + cell * (column as f64 + 0.5),
                    top + cell * (row as f64 + 0.5) + 4.0,
                ];
                svg.text(class, place, &format!("{value:.2}"));
            }
        }
    }
    if is_named {
        for (k, name) in names.iter().enumerate() {
            let middle = cell * (k as f64 + 0.5);
            let class = if n <= 30 { "name" } else { "tiny" };
            svg.text(&format!("{class} end"), [left - 6.0, top + middle + 0.35 * size], name);
            let turn = format!("translate({} {}) rotate(-45)", at(left + middle), at(top - 6.0));
            svg.open("g", &[("transform", &turn)]);
            svg.text(&format!("{class} start"), [0.0, 0.0], name);
            svg.close();
        }
    }
    scale(&mut svg, [legend, top], low);
    svg.element("path", &[("class", "cursor"), ("d", "")]);
    Some(Heatmap {
        svg: svg.finish(),
        left,
        top,
        cell,
    })
}

/// The colours and what they mean.
fn scale(svg: &mut Svg, [x, y]: [f64; 2], low: f64) {
    let step = 15.0;
    svg.text("tick start", [x, y - 5.0], "similarity");
    for class in 0..STEPS {
        let k = (STEPS - 1 - class) as f64;
        svg.path(&format!("h{class}"), &svg::rectangle(x, y + step * k + 4.0, 16.0, step));
    }
    for k in [0, STEPS / 3, 2 * STEPS / 3, STEPS] {
        let value = low + (1.0 - low) * k as f64 / STEPS as f64;
        let place = [x + 22.0, y + step * (STEPS - k) as f64 + 8.0];
        svg.text("tick start", place, &format!("{value:.2}"));
    }
}
