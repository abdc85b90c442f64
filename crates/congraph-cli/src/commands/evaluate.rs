//! `congraph evaluate`: how well learned graphs match true ones.

use congraph::MultiviewGraph;
use congraph::baselines::EdgeRule;
use congraph::metrics::{EdgeScore, Evaluation, evaluate};
use congraph_io::{read_graph, read_precisions};
use serde_json::{Value, json};

use crate::args::{EvaluateArgs, Global};
use crate::console::{self, Console};
use crate::failure::Failure;

pub(crate) fn run(args: &EvaluateArgs, global: &Global, console: &Console) -> Result<(), Failure> {
    let learned = read_graph(&args.folder)?;
    let truth = read_graph(&args.truth)?;
    if let Some(precisions) = read_precisions(&args.folder, &learned)? {
        return by_edge_rules(&learned, &precisions, &truth, global);
    }
    let evaluation = evaluate(&learned, &truth)?;
    if evaluation.consensus.is_none() {
        console.note("note: one of the two has no consensus, so only the views are scored");
    }
    if global.json {
        return console::print(&report(&evaluation).to_string());
    }
    console::print(&scores(&evaluation))
}

/// Precision matrices are scored by both edge rules: which entries are edges decides more than anything else.
fn by_edge_rules(
    learned: &MultiviewGraph,
    precisions: &[Vec<f64>],
    truth: &MultiviewGraph,
    global: &Global,
) -> Result<(), Failure> {
    let by = |rule: EdgeRule| {
        let graph = rule.graph(learned.nodes().to_vec(), learned.views().to_vec(), precisions);
        evaluate(&graph, truth)
    };
    let (nonzero, negative) = (by(EdgeRule::NonZero)?, by(EdgeRule::Negative)?);
    if global.json {
        // Above, as in every evaluation, the usual rule; below, both by name.
        let mut whole = report(&nonzero);
        whole["edge_rules"] = json!({
            EdgeRule::NonZero.name(): report(&nonzero),
            EdgeRule::Negative.name(): report(&negative),
        });
        return console::print(&whole.to_string());
    }
    console::print(&format!(
        "every entry that is not zero is an edge:\n{}\n\nonly negative entries are edges, as in a Laplacian:\n{}",
        scores(&nonzero),
        scores(&negative)
    ))
}

fn scores(evaluation: &Evaluation) -> String {
    let mut table = vec![["graph", "F1", "precision", "recall"].map(String::from)];
    for (name, score) in &evaluation.views {
        table.push(row(name, score.f1(), score.precision(), score.recall()));
    }
    table.push(row(
        "mean of the views",
        evaluation.mean_view_f1(),
        evaluation.mean_view_precision(),
        evaluation.mean_view_recall(),
    ));
    if let Some(score) = &evaluation.consensus {
        table.push(row("consensus", score.f1(), score.precision(), score.recall()));
    }
    super::table(&table)
}

/// One row of scores, to three digits.
pub(super) fn row(name: &str, f1: f64, precision: f64, recall: f64) -> [String; 4] {
    [
        name.to_owned(),
        format!("{f1:.3}"),
        format!("{precision:.3}"),
        format!("{recall:.3}"),
    ]
}

fn report(evaluation: &Evaluation) -> Value {
    let score = |score: &EdgeScore| {
        json!({
            "f1": score.f1(),
            "precision": score.precision(),
            "recall": score.recall(),
            "true_positives": score.true_positives,
            "false_positives": score.false_positives,
            "false_negatives": score.false_negatives,
        })
    };
    let mut views = serde_json::Map::new();
    for (name, view) in &evaluation.views {
        views.insert(name.clone(), score(view));
    }
    json!({
        "schema": "congraph.evaluation/1",
        "mean_views": {
            "f1": evaluation.mean_view_f1(),
            "precision": evaluation.mean_view_precision(),
            "recall": evaluation.mean_view_recall(),
        },
        "consensus": evaluation.consensus.as_ref().map(score),
        "views": views,
    })
}
