//! Which mark a community has: seven shapes in seven colours are 49 marks before one comes again.

use congraph_record::findings::Findings;

use crate::svg::SHAPES;

/// The shape and the class of each community's mark. Nodes on their own, and communities after the last mark, are
/// hollow circles.
pub(crate) fn marks(findings: &Findings) -> Vec<(usize, String)> {
    let Some(found) = &findings.known.communities else {
        return Vec::new();
    };
    let mut sizes = vec![0_usize; found.labels.iter().max().map_or(0, |most| most + 1)];
    for &label in &found.labels {
        sizes[label] += 1;
    }
    let mark = |(k, &size): (usize, &usize)| {
        if size < 2 || k >= SHAPES * SHAPES {
            (0, "node hollow".to_owned())
        } else {
            // Each round of shapes starts with another colour.
            (k % SHAPES, format!("node c{}", (k + k / SHAPES) % SHAPES))
        }
    };
    sizes.iter().enumerate().map(mark).collect()
}

/// What the caption says of them.
pub(crate) fn caption(findings: &Findings) -> &'static str {
    let marks = marks(findings);
    let is_hollow = |(_, class): &(usize, String)| class.ends_with("hollow");
    match (
        marks.is_empty(),
        marks.iter().any(is_hollow),
        marks.len() > SHAPES * SHAPES,
    ) {
        (true, ..) => "",
        (_, false, _) => " Shape and colour together tell the community.",
        (_, true, false) => " Shape and colour together tell the community; hollow nodes are in none with others.",
        (_, true, true) => {
            " Shape and colour together tell the community; nodes of the smallest ones, and those on their own, are \
            hollow."
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use congraph::{MultiviewGraph, ViewMatrix};
    use congraph_record::findings::{Findings, Known, KnownCommunities};

    #[test]
    fn no_mark_comes_twice() {
        let n = 120;
        let graph = MultiviewGraph::new(
            (0..n).map(|k| k.to_string()).collect(),
            vec!["a".into()],
            &[],
            &ViewMatrix::zeros(0, 1),
            None,
        );
        // 30 communities of two, then nodes on their own.
        let labels: Vec<usize> = (0..n).map(|k| if k < 60 { k / 2 } else { k - 30 }).collect();
        let known = Known {
            communities: Some(KnownCommunities {
                labels,
                ..KnownCommunities::default()
            }),
            ..Known::default()
        };
        let marks = super::marks(&Findings::of(&graph, known));
        assert_eq!(marks[..30].iter().collect::<HashSet<_>>().len(), 30);
        assert!(marks[30..].iter().all(|(_, class)| class == "node hollow"));
    }
}
