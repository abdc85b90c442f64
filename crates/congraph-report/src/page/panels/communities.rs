//! Communities, if they were looked for.

use congraph::findings::Findings;
use serde::Serialize;

use crate::svg::{SHAPES, Svg, mark};
use crate::words::significant;

/// Communities.
#[derive(Serialize)]
pub(in crate::page) struct Communities {
    headline: String,
    caption: String,
    groups: Vec<CommunityRow>,
    agreement: Vec<(String, String)>,
}

#[derive(Serialize)]
struct CommunityRow {
    number: usize,
    size: usize,
    key: String,
    members: String,
}

/// The most communities that are listed.
const COMMUNITIES: usize = 24;

impl Communities {
    pub(in crate::page) fn new(findings: &Findings) -> Option<Self> {
        let found = findings.known.communities.as_ref()?;
        let n = found.labels.iter().max().map_or(0, |most| most + 1);
        let members = |community: usize| -> Vec<&str> {
            let nodes = findings.graph.nodes().iter().zip(&found.labels);
            nodes
                .filter(|(_, label)| **label == community)
                .map(|(name, _)| name.as_str())
                .collect()
        };
        let row = |number: usize| {
            let names = members(number);
            let mut svg = Svg::figure(
                &format!("community-{number}"),
                18.0,
                18.0,
                &format!("Community {}", number + 1),
                "",
            );
            svg.path(&format!("node c{}", number % SHAPES), &mark(number, [9.0, 9.0], 6.0));
            CommunityRow {
                number: number + 1,
                size: names.len(),
                key: svg.finish(),
                members: names.join(", "),
            }
        };
        let told = found
            .modularity
            .map_or_else(String::new, |value| format!(", modularity {}", significant(value)));
        let listed = if n > COMMUNITIES {
            format!(" The {COMMUNITIES} largest of {n} are listed.")
        } else {
            String::new()
        };
        let names = findings.graph.views().iter().cloned();
        Some(Self {
            headline: format!("{n} {}{told}", if n == 1 { "community" } else { "communities" }),
            caption: format!(
                "Nodes that are joined more strongly than their strengths alone would let one expect (modularity, by Leiden).{listed} Agreement is the \
                 normalised mutual information between a view's own communities and these: 1 if they are the same."
            ),
            groups: (0..n.min(COMMUNITIES)).map(row).collect(),
            agreement: names
                .zip(found.agreement.iter().map(|value| format!("{value:.2}")))
                .collect(),
        })
    }
}
