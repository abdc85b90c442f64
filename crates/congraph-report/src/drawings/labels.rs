//! Names beside nodes, where there is room: the strongest nodes choose first, and a name that would cover another or a
//! node is left out.

use congraph_record::findings::Findings;

use super::network::{Network, WIDTH};
use crate::svg::Svg;
use crate::words;

/// At most this many names.
const MOST: usize = 150;

/// left, top, right, bottom
type Room = [f64; 4];

/// Names for a page of usual width, larger ones for paper, where the drawing is smaller, and fewer for a narrow page,
/// where it is shrunk.
pub(super) fn draw(svg: &mut Svg, network: &Network, findings: &Findings) {
    let n = network.points.len();
    let most = if n <= MOST { n } else { MOST / 3 };
    for (class, size, most) in [
        ("labels", 11.0, most),
        ("labels-print", 15.0, most),
        ("labels-narrow", 22.0, most.min(20)),
    ] {
        svg.open("g", &[("class", class)]);
        place(svg, network, findings, size, most);
        svg.close();
    }
}

fn place(svg: &mut Svg, network: &Network, findings: &Findings, size: f64, most: usize) {
    let n = network.points.len();
    let names = words::nodes(findings);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| findings.strengths[b].total_cmp(&findings.strengths[a]));
    // Nodes take room before any name does.
    let mut taken: Vec<Room> = (0..n)
        .map(|node| {
            let ([x, y], r) = (network.points[node], network.radii[node]);
            [x - r, y - r, x + r, y + r]
        })
        .collect();
    for &node in order.iter().take(most) {
        let text = &names[node];
        let (wide, r) = (size * words::width(text), network.radii[node] + 2.5);
        let [x, y] = network.points[node];
        // The anchor's class, the baseline's middle, and the left edge.
        // Eight places: below first, where readers look for a caption; then the sides, above, and the corners.
        let choices = [
            ("middle", [x, y + r + 0.8 * size], x - 0.5 * wide),
            ("start", [x + r, y + 0.36 * size], x + r),
            ("end", [x - r, y + 0.36 * size], x - r - wide),
            ("middle", [x, y - r - 0.1 * size], x - 0.5 * wide),
            ("start", [x + 0.7 * r, y + r + 0.4 * size], x + 0.7 * r),
            ("end", [x - 0.7 * r, y + r + 0.4 * size], x - 0.7 * r - wide),
            ("start", [x + 0.7 * r, y - 0.7 * r], x + 0.7 * r),
            ("end", [x - 0.7 * r, y - 0.7 * r], x - 0.7 * r - wide),
        ];
        let found = choices.iter().find_map(|&(anchor, place, left)| {
            let room = [
                left - 1.0,
                place[1] - 0.78 * size,
                left + wide + 1.0,
                place[1] + 0.22 * size,
            ];
            let inside = room[0] > 0.0 && room[2] < WIDTH && room[1] > 0.0 && room[3] < network.height;
            let free = inside
                && !taken
                    .iter()
                    .enumerate()
                    .any(|(k, other)| k != node && overlap(&room, other));
            free.then_some((anchor, place, room))
        });
        if let Some((anchor, place, room)) = found {
            svg.text(&format!("label {anchor}"), place, text);
            taken.push(room);
        }
    }
}

fn overlap(one: &Room, two: &Room) -> bool {
    one[0] < two[2] && two[0] < one[2] && one[1] < two[3] && two[1] < one[3]
}
