//! Communities, if they were looked for.

use congraph_record::findings::{Findings, MOST_DRAWN, visible};
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
    /// How many are not listed.
    more: Option<String>,
}

/// The most communities that are listed.
const COMMUNITIES: usize = 24;
/// The most members that are listed of each, where nodes are too many to draw.
const MEMBERS: usize = 60;

impl Communities {
    pub(in crate::page) fn new(findings: &Findings) -> Option<Self> {
        let found = findings.known.communities.as_ref()?;
        let n = found.labels.iter().max().map_or(0, |most| most + 1);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (node, &label) in found.labels.iter().enumerate() {
            members[label].push(node);
        }
        let most = if found.labels.len() > MOST_DRAWN {
            MEMBERS
        } else {
            usize::MAX
        };
        let names = |own: &[usize]| -> (Vec<String>, Option<String>) {
            let listed = own
                .iter()
                .take(most)
                .map(|&node| visible(&findings.graph.nodes()[node]));
            let more = own.len().saturating_sub(most);
            (listed.collect(), (more > 0).then(|| format!("and {more} more")))
        };
        let marks = communities::marks(findings);
        // Nodes on their own come last, and are one row.
        let n_several = (0..n).take_while(|&number| members[number].len() > 1).count();
        let key = |number: usize, title: &str| {
            let mut svg = Svg::figure(&format!("community-{number}"), 18.0, 18.0, title, "");
            let (shape, class) = &marks[number];
            svg.path(class, &mark(*shape, [9.0, 9.0], 5.5));
            svg.finish()
        };
        let row = |number: usize| {
            let own = &members[number];
            let (names, more) = names(own);
            CommunityRow {
                number: (number + 1).to_string(),
                size: plural(own.len(), "node"),
                key: key(number, &format!("Community {}", number + 1)),
                members: names,
                more,
            }
        };
        let mut groups: Vec<CommunityRow> = (0..n_several.min(COMMUNITIES)).map(row).collect();
        if n_several < n {
            let (alone, more) = names(&members[n_several..].concat());
            groups.push(CommunityRow {
                number: if n_several + 1 == n {
                    n.to_string()
                } else {
                    format!("{}–{n}", n_several + 1)
                },
                size: format!("{} alone", plural(n - n_several, "node")),
                key: key(n_several, "Nodes on their own"),
                members: alone,
                more,
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
        let signs = match found.signs.as_deref() {
            Some("positive") => " Negative weights are left out.",
            Some("signed") => {
                " Negative weights count too: nodes that they join are better apart, and nodes that avoid the same others \
                 may be together without an edge."
            }
            _ => "",
        };
        let views = findings.graph.views().iter().cloned();
        Some(Self {
            headline: format!("{n} {}{told}", if n == 1 { "community" } else { "communities" }),
            caption: format!(
                "Nodes that are joined more strongly than their strengths alone would suggest (modularity, by \
                 Leiden).{signs}{listed} Agreement is the normalised mutual information between a view's own communities and \
                 these: 1 if they are the same."
            ),
            groups,
            agreement: views
                .zip(found.agreement.iter().map(|value| format!("{value:.2}")))
                .collect(),
        })
    }
}
