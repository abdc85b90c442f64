//! The head from above, nose up, with electrodes in the colours of their communities, as SVG.
//!
//! Azimuthal equidistant projection: an electrode's distance from the middle is its angle from the top of the head, so
//! that nothing near the rim is squeezed. Colours are those of Okabe and Ito, which colour-blind readers can tell
//! apart; electrodes bear their names, and beyond eight communities also a number.

use std::fmt::Write;

use congraph_eeg::{Position, fit_sphere};

use crate::chart::escaped;

/// Fill and the colour of a name upon it.
const COLOURS: [(&str, &str); 8] = [
    ("#E69F00", "#000000"),
    ("#56B4E9", "#000000"),
    ("#009E73", "#ffffff"),
    ("#F0E442", "#000000"),
    ("#0072B2", "#ffffff"),
    ("#D55E00", "#ffffff"),
    ("#CC79A7", "#000000"),
    ("#BBBBBB", "#000000"),
];

const HEAD: f64 = 215.0;
const WIDTH: f64 = 500.0;
const HEIGHT: f64 = 560.0;
/// The share of the head's radius at which the outermost electrode is.
const RIM: f64 = 0.93;

/// One head.
pub(super) struct Picture<'a> {
    pub(super) title: String,
    /// The community of each electrode.
    pub(super) labels: &'a [usize],
    /// Which electrodes are joined, and how strongly.
    pub(super) edges: Vec<([usize; 2], f64)>,
}

/// Directions from the middle of the head.
pub(super) struct Globe {
    pub(super) radius: f64,
    directions: Vec<Position>,
}

impl Globe {
    pub(super) fn of(positions: &[Position]) -> Self {
        let (centre, radius) = fit_sphere(positions).map_or(([0.0; 3], 0.095), |sphere| (sphere.centre, sphere.radius));
        let direction = |at: &Position| unit([at[0] - centre[0], at[1] - centre[1], at[2] - centre[2]]);
        Self {
            radius,
            directions: positions.iter().map(direction).collect(),
        }
    }

    /// The direction of the middle of some electrodes.
    pub(super) fn middle(&self, own: impl Iterator<Item = usize>) -> Position {
        let sum = own.fold([0.0; 3], |sum, node| {
            [0, 1, 2].map(|axis| sum[axis] + self.directions[node][axis])
        });
        unit(sum)
    }

    /// Metres along the head from an electrode to a direction.
    pub(super) fn far(&self, node: usize, to: Position) -> f64 {
        let cosine: f64 = self.directions[node].iter().zip(to).map(|(x, y)| x * y).sum();
        self.radius * cosine.clamp(-1.0, 1.0).acos()
    }

    /// Places on the picture: right and up, the outermost at the rim.
    fn projected(&self) -> Vec<[f64; 2]> {
        let flat = |&[x, y, z]: &Position| {
            let (angle, across) = (z.clamp(-1.0, 1.0).acos(), x.hypot(y).max(1e-12));
            [angle * x / across, angle * y / across]
        };
        let places: Vec<[f64; 2]> = self.directions.iter().map(flat).collect();
        let most = places.iter().map(|[x, y]| x.hypot(*y)).fold(1e-9, f64::max);
        places.into_iter().map(|place| place.map(|c| c * RIM / most)).collect()
    }
}

fn unit(at: Position) -> Position {
    let length = at.iter().map(|c| c * c).sum::<f64>().sqrt().max(1e-12);
    at.map(|c| c / length)
}

/// The labels of `other` renamed so that communities that share most nodes with one of `one` have its label.
pub(super) fn matched(one: &[usize], other: &[usize]) -> Vec<usize> {
    let n = 1 + one.iter().chain(other).max().copied().unwrap_or(0);
    let mut common = vec![vec![0_usize; n]; n];
    one.iter().zip(other).for_each(|(&a, &b)| common[b][a] += 1);
    let mut name = vec![None; n];
    let mut taken = vec![false; 2 * n];
    loop {
        let open = (0..n).filter(|&b| name[b].is_none());
        let best = open
            .flat_map(|b| (0..n).map(move |a| (b, a)))
            .filter(|&(_, a)| !taken[a]);
        // Greedy: the pair with most nodes in common first, ties by the smaller labels.
        match best.max_by_key(|&(b, a)| (common[b][a], std::cmp::Reverse((a, b)))) {
            Some((b, a)) if common[b][a] > 0 => {
                name[b] = Some(a);
                taken[a] = true;
            }
            _ => break,
        }
    }
    let mut free = (0..2 * n).filter(|&a| !taken[a]);
    let mut names: Vec<usize> = Vec::with_capacity(n);
    for given in name {
        names.push(given.or_else(|| free.next()).unwrap_or(0));
    }
    other.iter().map(|&b| names[b]).collect()
}

pub(super) fn svg(title: &str, nodes: &[String], globe: &Globe, pictures: &[Picture<'_>]) -> String {
    let width = WIDTH * pictures.len() as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {HEIGHT}\" width=\"{width}\" \
         height=\"{HEIGHT}\" font-family=\"sans-serif\" role=\"img\">\n<title>{0}</title>\n<rect width=\"{width}\" \
         height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n<text x=\"{1}\" y=\"24\" text-anchor=\"middle\" \
         font-size=\"16\">{0}</text>\n",
        escaped(title),
        width / 2.0
    );
    let places = globe.projected();
    for (k, picture) in pictures.iter().enumerate() {
        head(&mut out, picture, nodes, &places, WIDTH * (k as f64 + 0.5), 305.0);
    }
    out.push_str("</svg>\n");
    out
}

/// One head: its outline, the edges, the electrodes above them, and the communities below.
fn head(out: &mut String, picture: &Picture<'_>, nodes: &[String], places: &[[f64; 2]], cx: f64, cy: f64) {
    let (left, right, top) = (cx - HEAD, cx + HEAD, cy - HEAD);
    let _ = writeln!(
        out,
        "<text x=\"{cx}\" y=\"54\" text-anchor=\"middle\" font-size=\"13\" font-weight=\"bold\">{title}</text>\n\
         <g fill=\"none\" stroke=\"#666666\" stroke-width=\"1.5\">\
         <path d=\"M{cx} {tip}l-20 22M{cx} {tip}l20 22\"/>\
         <path d=\"M{left} {ear}q-14 -6 -14 38q0 44 14 38\"/><path d=\"M{right} {ear}q14 -6 14 38q0 44 -14 38\"/>\
         <circle cx=\"{cx}\" cy=\"{cy}\" r=\"{HEAD}\" fill=\"#ffffff\"/></g>",
        title = escaped(&picture.title),
        tip = top - 20.0,
        ear = cy - 38.0,
    );
    let at = |node: usize| (cx + HEAD * places[node][0], cy - HEAD * places[node][1]);
    edges(out, picture, at);
    electrodes(out, picture, nodes, at);
    legend(out, picture, cx);
}

/// The wider, the heavier; edges between communities in grey.
fn edges(out: &mut String, picture: &Picture<'_>, at: impl Fn(usize) -> (f64, f64)) {
    let largest = picture.edges.iter().map(|(_, weight)| *weight).fold(0.0, f64::max);
    for ([a, b], weight) in &picture.edges {
        let ((x0, y0), (x1, y1)) = (at(*a), at(*b));
        let within = picture.labels[*a] == picture.labels[*b];
        let colour = if within {
            COLOURS[picture.labels[*a] % COLOURS.len()].0
        } else {
            "#999999"
        };
        let _ = writeln!(
            out,
            "<path d=\"M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}\" stroke=\"{colour}\" stroke-opacity=\"{}\" \
            stroke-width=\"{:.2}\"/>",
            if within { 0.75 } else { 0.45 },
            0.4 + 4.0 * weight / largest.max(1e-300)
        );
    }
}

fn electrodes(out: &mut String, picture: &Picture<'_>, nodes: &[String], at: impl Fn(usize) -> (f64, f64)) {
    let many = picture.labels.iter().any(|&label| label >= COLOURS.len());
    for (node, name) in nodes.iter().enumerate() {
        let ((x, y), label) = (at(node), picture.labels[node]);
        let (fill, ink) = COLOURS[label % COLOURS.len()];
        let number = if many {
            format!("·{}", label + 1)
        } else {
            String::new()
        };
        let _ = writeln!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"12.5\" fill=\"{fill}\" stroke=\"#333333\" stroke-width=\"0.8\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"8.5\" fill=\"{ink}\">{}{number}</text>",
            y + 3.0,
            escaped(name)
        );
    }
}

/// The communities in their colours, with their sizes.
fn legend(out: &mut String, picture: &Picture<'_>, cx: f64) {
    let n = 1 + picture.labels.iter().max().copied().unwrap_or(0);
    let present: Vec<usize> = (0..n).filter(|label| picture.labels.contains(label)).collect();
    let step = 74.0_f64.min((WIDTH - 20.0) / present.len().max(1) as f64);
    for (k, label) in present.iter().enumerate() {
        let x = cx + step * (k as f64 - 0.5 * (present.len() as f64 - 1.0)) - 18.0;
        let size = picture.labels.iter().filter(|other| *other == label).count();
        let _ = writeln!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{}\" r=\"6\" fill=\"{}\" stroke=\"#333333\" stroke-width=\"0.8\"/>\
             <text x=\"{:.1}\" y=\"{}\" font-size=\"11\">{size} sites</text>",
            HEIGHT - 16.0,
            COLOURS[label % COLOURS.len()].0,
            x + 10.0,
            HEIGHT - 12.0
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn communities_keep_the_colour_of_those_they_share_most_with() {
        let one = [0, 0, 0, 1, 1, 2];
        assert_eq!(matched(&one, &[1, 1, 1, 0, 0, 2]), one);
        assert_eq!(matched(&one, &[0, 0, 1, 1, 1, 1]), [0, 0, 1, 1, 1, 1]);
        assert_eq!(matched(&[0, 0, 0, 0], &[0, 0, 0, 1]), [0, 0, 0, 1]);
    }

    #[test]
    fn the_nose_is_up_and_distances_run_along_the_head() {
        let positions = [
            [0.0, 0.09, 0.0],
            [0.09, 0.0, 0.0],
            [0.0, 0.0, 0.09],
            [-0.09, 0.0, 0.0],
            [0.0, -0.09, 0.0],
        ];
        let globe = Globe::of(&positions);
        let places = globe.projected();
        assert!(places[0][1] > 0.9 && places[1][0] > 0.9 && places[2][0].hypot(places[2][1]) < 1e-6);
        let told = 0.09 * std::f64::consts::FRAC_PI_2;
        assert!((globe.far(0, globe.middle([1].into_iter())) - told).abs() < 1e-6);
    }
}
