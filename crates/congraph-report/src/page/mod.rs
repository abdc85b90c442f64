//! The page: what every panel says, in words. The HTML is in `templates/`.

mod methods;
mod panels;
mod tables;

use congraph::findings::Findings;
use minijinja::Environment;
use serde::Serialize;

use crate::drawings::{Network, heatmap, path_map};
use crate::{data, words};
use panels::{Artefact, Communities, Consensus, Convergence, Dials, Differences, Figure, Key, Ranking};
use tables::{EdgeRow, SimilarityTable, ViewTable};

/// The style sheet and the scripts, in the order in which they are put together.
const STYLE: &str = concat!(
    include_str!("../../assets/page.css"),
    include_str!("../../assets/drawings.css")
);
const SCRIPT: &str = concat!(
    "(function () {\n'use strict';\n",
    include_str!("../../assets/base.js"),
    include_str!("../../assets/network.js"),
    include_str!("../../assets/heatmap.js"),
    include_str!("../../assets/table.js"),
    include_str!("../../assets/dials.js"),
    include_str!("../../assets/downloads.js"),
    "})();\n"
);

/// The templates: the page, and one for each panel.
const TEMPLATES: [(&str, &str); 9] = [
    ("page.html", include_str!("../../templates/page.html")),
    ("figure.html", include_str!("../../templates/figure.html")),
    ("verdict.html", include_str!("../../templates/verdict.html")),
    ("consensus.html", include_str!("../../templates/consensus.html")),
    ("views.html", include_str!("../../templates/views.html")),
    ("edges.html", include_str!("../../templates/edges.html")),
    ("extras.html", include_str!("../../templates/extras.html")),
    ("quality.html", include_str!("../../templates/quality.html")),
    ("words.html", include_str!("../../templates/words.html")),
];

/// Everything that the templates show.
#[derive(Serialize)]
struct Page {
    title: String,
    sentences: Vec<String>,
    style: &'static str,
    script: &'static str,
    data: String,
    keys: Vec<Key>,
    warnings: Vec<panels::Warned>,
    consensus: Consensus,
    ranking: Option<Ranking>,
    heatmap: Option<Figure>,
    similarities: Option<SimilarityTable>,
    differences: Option<Differences>,
    edges: Vec<EdgeRow>,
    edge_note: String,
    has_consensus: bool,
    view_names: Vec<String>,
    communities: Option<Communities>,
    dials: Option<Dials>,
    artefact: Artefact,
    convergence: Convergence,
    views: ViewTable,
    methods: Vec<String>,
    citation: &'static str,
    version: String,
    command: Option<String>,
}

pub(crate) fn page(findings: &Findings) -> String {
    let network = Network::new(findings);
    let order = data::table_order(findings);
    let heat = heatmap::draw(findings);
    let path = path_map::draw(&findings.known.path);
    let graph = &findings.graph;
    let page = Page {
        title: format!(
            "congraph: {}, {}",
            words::plural(graph.n_views(), "view"),
            words::plural(graph.n_nodes(), "node")
        ),
        sentences: findings.verdict.sentences.clone(),
        style: STYLE,
        script: SCRIPT,
        data: data::data(findings, &network, &order, heat.as_ref(), path.as_ref()),
        keys: panels::keys(findings),
        warnings: panels::warnings(findings),
        consensus: Consensus::new(findings, &network, order.len()),
        ranking: Ranking::new(findings),
        heatmap: heat.map(|map| panels::similarity_figure(findings, map)),
        similarities: SimilarityTable::new(findings),
        differences: Differences::new(findings, &network),
        edges: tables::edges(findings, &order),
        edge_note: tables::edge_note(findings, &order),
        has_consensus: graph.consensus().is_some(),
        view_names: graph.views().to_vec(),
        communities: Communities::new(findings),
        dials: path.map(|map| Dials::new(findings, &network, map)),
        artefact: Artefact::new(findings),
        convergence: Convergence::new(findings),
        views: ViewTable::new(findings),
        methods: methods::paragraphs(findings),
        citation: methods::CITATION,
        version: findings
            .known
            .version
            .clone()
            .unwrap_or_else(|| env!("CARGO_PKG_VERSION").into()),
        command: findings.known.command.as_deref().map(without_folder),
    };
    let mut templates = Environment::new();
    templates.set_formatter(|out, state, value| match value.as_str() {
        Some(text) if !value.is_safe() && text != straight(text) => {
            minijinja::escape_formatter(out, state, &straight(text).into())
        }
        _ => minijinja::escape_formatter(out, state, value),
    });
    for (name, text) in TEMPLATES {
        templates
            .add_template(name, text)
            .expect("the templates are part of the program");
    }
    let page_template = templates.get_template("page.html").expect("it was added above");
    page_template.render(page).expect("what the templates name is there")
}

/// A text in which no mark turns the direction of what follows.
fn straight(text: &str) -> String {
    text.replace(crate::svg::turns, "\u{fffd}")
}

/// The command without the folder that the program is in.
fn without_folder(command: &str) -> String {
    let (program, rest) = command.split_once(' ').unwrap_or((command, ""));
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    format!("{name} {rest}").trim_end().to_owned()
}
