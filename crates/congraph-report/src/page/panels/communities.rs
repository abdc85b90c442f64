//! Communities, if they were looked for.

use congraph::findings::{Findings, visible};
use serde::Serialize;

use crate::drawings::communities;
use crate::svg::{Svg, mark};
use crate::words::{plural, significant};

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
    number: String,
    size: String,
    key: String,
    members: Vec<String>,
}

/// The most communities that are listed.
const COMMUNITIES: usize = 24;

impl Communities {
    pub(in crate::page) fn new(findings: &Findings) -> Option<Self> {
        let found = findings.known.communities.as_ref()?;
        let n = found.labels.iter().max().map_or(0, |most| most + 1);
        let members = |community: usize| -> Vec<String> {
            let nodes = findings.graph.nodes().iter().zip(&found.labels);
            let own = nodes.filter(|(_, label)| **label == community);
            own.map(|(name, _)| visible(name)).collect()
        };
        let marks = communities::marks(findings);
        // Nodes on their own come last, and are one row.
        let n_several = (0..n).take_while(|&number| members(number).len() > 1).count();
        let key = |number: usize, title: &str| {
            let mut svg = Svg::figure(&format!("community-{number}"), 18.0, 18.0, title, "");
            let (shape, class) = &marks[number];
            svg.path(class, &mark(*shape, [9.0, 9.0], 5.5));
            svg.finish()
        };
        let row = |number: usize| {
            let names = members(number);
            CommunityRow {
                number: (number + 1).to_string(),
                size: plural(names.len(), "node"),
                key: key(number, &format!("Community {}", number + 1)),
                members: names,
            }
        };
        let mut groups: Vec<CommunityRow> = (0..n_several.min(COMMUNITIES)).map(row).collect();
        if n_several < n {
            groups.push(CommunityRow {
                number: if n_several + 1 == n {
                    n.to_string()
                } else {
                    format!("{}–{n}", n_several + 1)
                },
                size: format!("{} alone", plural(n - n_several, "node")),
                key: key(n_several, "Nodes on their own"),
                members: (n_several..n).flat_map(members).collect(),
            });
        }
        let told = found
            .modularity
            .map_or_else(String::new, |value| format!(", modularity {}", significant(value)));
        let listed = if n_several > COMMUNITIES {
            format!(" The {COMMUNITIES} largest of {n_several} are listed.")
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
            groups,
            agreement: names
                .zip(found.agreement.iter().map(|value| format!("{value:.2}")))
                .collect(),
        })
    }
}
