//! The page: what every panel says, in words. The HTML is in `templates/`.

mod inference;
mod methods;
mod panels;
mod preparation;
mod shell;
mod tables;

use congraph_record::FitRecord;
use congraph_record::findings::{Findings, MOST_DRAWN, short_names};
use minijinja::Environment;
use serde::Serialize;

use crate::drawings::{Network, heatmap, path_map};
use crate::{data, words};
use panels::{
    Artefact, Communities, Confidence, Consensus, Convergence, Dials, Differences, Figure, Groups, Key, Models,
    Ranking, Subjects, There,
};
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
    include_str!("../../assets/downloads.js")
);
/// What pages of signed graphs have beside them.
const SIGNED_STYLE: &str = include_str!("../../assets/signs.css");
const SIGNED_SCRIPT: &str = include_str!("../../assets/signs.js");
/// What pages have beside them that tell how sure edges are, or who differs.
const INFERENCE_STYLE: &str = include_str!("../../assets/inference.css");
const INFERENCE_SCRIPT: &str = include_str!("../../assets/inference.js");
const SCRIPT_END: &str = "})();\n";

/// The templates: the page, and one for each panel.
const TEMPLATES: [(&str, &str); 13] = [
    ("page.html", include_str!("../../templates/page.html")),
    ("figure.html", include_str!("../../templates/figure.html")),
    ("verdict.html", include_str!("../../templates/verdict.html")),
    ("there.html", include_str!("../../templates/there.html")),
    ("subjects.html", include_str!("../../templates/subjects.html")),
    ("groups.html", include_str!("../../templates/groups.html")),
    ("sure.html", include_str!("../../templates/sure.html")),
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
    style: String,
    script: String,
    data: String,
    keys: Vec<Key>,
    warnings: Vec<panels::Warned>,
    there: Option<There>,
    consensus: Consensus,
    confidence: Option<Confidence>,
    groups: Option<Groups>,
    subjects: Option<Subjects>,
    ranking: Option<Ranking>,
    heatmap: Option<Figure>,
    similarities: Option<SimilarityTable>,
    differences: Option<Differences>,
    edges: Vec<EdgeRow>,
    edge_note: String,
    has_consensus: bool,
    kind: Kind,
    view_names: Vec<String>,
    communities: Option<Communities>,
    dials: Option<Dials>,
    artefact: Artefact,
    convergence: Convergence,
    /// The likelihoods that were compared.
    models: Option<Models>,
    views: ViewTable,
    methods: Vec<String>,
    references: Vec<&'static str>,
    version: String,
    command: Option<String>,
    /// Whether the command named files with their folders.
    is_cut: bool,
}

pub(crate) fn page(findings: &Findings) -> String {
    let network = (findings.graph.n_nodes() <= MOST_DRAWN).then(|| Network::new(findings));
    let network = network.as_ref();
    let order = data::table_order(findings);
    let heat = heatmap::draw(findings);
    let path = path_map::draw(&findings.known.path);
    let graph = &findings.graph;
    let page = Page {
        title: title(findings),
        sentences: findings.verdict.sentences.clone(),
        style: [
            STYLE,
            INFERENCE_STYLE,
            if graph.is_signed() { SIGNED_STYLE } else { "" },
        ]
        .concat(),
        script: [
            SCRIPT,
            if graph.is_signed() { SIGNED_SCRIPT } else { "" },
            if findings.known.stability.is_some() {
                INFERENCE_SCRIPT
            } else {
                ""
            },
            SCRIPT_END,
        ]
        .concat(),
        data: data::data(findings, network, &order, heat.as_ref(), path.as_ref()),
        keys: panels::keys(findings),
        warnings: panels::warnings(findings),
        there: There::new(findings),
        consensus: Consensus::new(findings, network, order.len()),
        confidence: Confidence::new(findings, network),
        groups: Groups::new(findings, network),
        subjects: Subjects::new(findings, network),
        ranking: Ranking::new(findings),
        heatmap: heat.map(|map| panels::similarity_figure(findings, map)),
        similarities: SimilarityTable::new(findings),
        differences: network.and_then(|network| Differences::new(findings, network)),
        edges: tables::edges(findings, &order),
        edge_note: tables::edge_note(findings, &order),
        has_consensus: graph.consensus().is_some(),
        kind: Kind::of(findings),
        view_names: graph.views().to_vec(),
        communities: Communities::new(findings),
        dials: path.map(|map| Dials::new(findings, network, map)),
        artefact: Artefact::new(findings),
        convergence: Convergence::new(findings),
        models: Models::new(findings),
        views: ViewTable::new(findings),
        methods: methods::paragraphs(findings),
        references: methods::references(findings),
        version: findings
            .known
            .version
            .clone()
            .unwrap_or_else(|| env!("CARGO_PKG_VERSION").into()),
        command: findings.known.command.as_deref().map(shell::command),
        is_cut: findings.known.command.as_deref().is_some_and(shell::is_cut),
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

/// What the graphs are, where the page's words depend on it.
#[derive(Serialize)]
struct Kind {
    /// Graphs that make the signals likely.
    is_likelihood: bool,
    /// Precision matrices of a joint graphical lasso, and the share of their edges that stand for positive entries, if
    /// known.
    is_precision: bool,
    positive_share: Option<String>,
    /// New views against the consensus of an earlier fit.
    is_projection: bool,
    /// Whether views lack nodes.
    is_masked: bool,
    /// One graph alone.
    is_one: bool,
    /// Whether any weight is negative.
    is_signed: bool,
}

impl Kind {
    fn of(findings: &Findings) -> Self {
        let summary = findings.known.summary.as_ref();
        let density = summary.map(|summary| &summary.density);
        let positive = density.and_then(|density| Some(1.0 - density.views_negative? / density.views?));
        Self {
            is_precision: summary.is_some_and(FitRecord::is_joint),
            is_likelihood: summary.is_some_and(FitRecord::is_likelihood),
            positive_share: positive.filter(|share| share.is_finite()).map(words::percent),
            is_projection: is_projection(findings),
            is_masked: !findings.graph.membership().is_total(),
            is_one: findings.graph.n_views() == 1,
            is_signed: findings.graph.is_signed(),
        }
    }
}

/// Whether the views are new ones against the consensus of an earlier fit: one view has no consensus of its own.
fn is_projection(findings: &Findings) -> bool {
    let summary = findings.known.summary.as_ref();
    findings.graph.consensus().is_some()
        && (findings.graph.n_views() == 1 || summary.is_some_and(FitRecord::is_projection))
}

/// Which result this is: of several reports in one browser each has its own.
fn title(findings: &Findings) -> String {
    let (graph, known) = (&findings.graph, &findings.known);
    let noun = if is_projection(findings) { "new view" } else { "view" };
    let told = [
        known
            .folder
            .as_ref()
            .map(|folder| short_names(std::slice::from_ref(folder), 60).concat()),
        Some(words::plural(graph.n_views(), noun)),
        Some(words::plural(graph.n_nodes(), "node")),
        known.finished.map(words::day),
    ];
    format!(
        "congraph: {}",
        told.into_iter().flatten().collect::<Vec<_>>().join(", ")
    )
}
