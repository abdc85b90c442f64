//! `congraph evaluate`: how well learned graphs match true ones, and how smooth data are on them.

use congraph::methods::graphical_lasso::EdgeRule;
use congraph::metrics::{
    EdgeScore, Evaluation, GraphScore, SignedScore, Smoothness, TotalVariation, evaluate, total_variation,
};
use congraph::{Missing, MultiviewGraph, SampleNorm, Scale, Scaling, ViewOptions, Views};
use congraph_io::{Input, ReadOptions, read_graph, read_precisions, read_run};
use serde_json::{Map, Value, json};

use crate::args::{EvaluateArgs, Global};
use crate::console::{self, Console};
use crate::failure::Failure;
use crate::words;

/// A score: the head of its column, its name in JSON, and its value.
type Measure = (&'static str, &'static str, fn(&GraphScore) -> f64);

const MEASURES: [Measure; 7] = [
    ("F1", "f1", GraphScore::f1),
    ("precision", "precision", GraphScore::precision),
    ("recall", "recall", GraphScore::recall),
    ("AUPRC", "auprc", |score| score.auprc),
    ("accuracy", "accuracy", GraphScore::accuracy),
    ("NMI", "nmi", GraphScore::nmi),
    ("correlation", "correlation", |score| score.correlation),
];

/// The same of signed graphs, with signs.
type SignedMeasure = (&'static str, &'static str, fn(&SignedScore) -> f64);

const SIGNED_MEASURES: [SignedMeasure; 4] = [
    ("F1 ±", "f1", SignedScore::f1),
    ("precision ±", "precision", SignedScore::precision),
    ("recall ±", "recall", SignedScore::recall),
    ("AUPRC ±", "auprc", |score| score.auprc),
];

/// What the columns of signed graphs mean.
const SIGNED: &str = "some weights are negative: ± is with signs, where an edge of the wrong sign is a false positive and a \
                      missed edge";

pub(crate) fn run(args: &EvaluateArgs, global: &Global, console: &Console) -> Result<(), Failure> {
    let (run, learned) = read_run(&args.folder)?;
    let precisions = read_precisions(&args.folder, &learned)?;
    run.check_again()?;
    let against = Against {
        truth: args.truth.as_deref().map(read_graph).transpose()?,
        data: match args.data[..] {
            [] => None,
            _ => Some(data(args, &learned, console)?),
        },
    };
    if let Some(precisions) = precisions {
        return by_edge_rules(&learned, &precisions, &against, global);
    }
    let truth_without = against.truth.as_ref().map(|truth| truth.consensus().is_none());
    if truth_without.is_some_and(|without| without || learned.consensus().is_none()) {
        console.note("note: one of the two has no consensus, so only the views are scored");
    }
    let lines = against.lines(&learned)?;
    if lines.iter().any(|line| line.signed.is_some()) {
        console.note(&format!("note: {SIGNED}"));
    }
    if global.json {
        console::print(&report(&lines).to_string())
    } else {
        console::print(&table(&lines))
    }
}

/// Precision matrices are scored by both edge rules: which entries are edges decides more than anything else.
fn by_edge_rules(
    learned: &MultiviewGraph,
    precisions: &[Vec<f64>],
    against: &Against,
    global: &Global,
) -> Result<(), Failure> {
    let by = |rule: EdgeRule| -> Result<Vec<Line>, Failure> {
        let graph = rule.graph(learned.nodes().to_vec(), learned.views().to_vec(), precisions);
        let mut lines = against.lines(&graph)?;
        // These rules make graphs without signs, whose signs cannot be wrong.
        lines
            .iter_mut()
            .for_each(|line| (line.signed, line.signed_edges) = (None, None));
        Ok(lines)
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
        table(&nonzero),
        table(&negative)
    ))
}

/// What graphs are compared with: true graphs, data, or both.
struct Against {
    truth: Option<MultiviewGraph>,
    data: Option<(Views, Scaling)>,
}

impl Against {
    fn lines(&self, learned: &MultiviewGraph) -> Result<Vec<Line>, Failure> {
        let evaluation = self.truth.as_ref().map(|truth| evaluate(learned, truth)).transpose()?;
        let smoothness = match &self.data {
            None => None,
            Some((views, scaling)) => Some(total_variation(learned, views, scaling)?),
        };
        Ok(lines(learned, evaluation.as_ref(), smoothness.as_ref()))
    }
}

/// The signals of `--data`, and how they are scaled.
fn data(args: &EvaluateArgs, learned: &MultiviewGraph, console: &Console) -> Result<(Views, Scaling), Failure> {
    let scaling = Scaling {
        scale: args.scale,
        sample_norm: SampleNorm::Mean,
        ..Scaling::default()
    };
    let inputs: Vec<Input> = args.data.iter().map(|file| Input::parse(file)).collect();
    let tables = congraph_io::read(&inputs, &ReadOptions::default())?;
    let options = ViewOptions {
        allow_constant: scaling.scale != Scale::Zscore,
        // Views that were learned without some nodes may come without them again.
        missing: if learned.membership().is_total() {
            Missing::Error
        } else {
            Missing::Mask
        },
        ..ViewOptions::default()
    };
    let (views, warnings) = Views::assemble(tables.into_iter().map(|loaded| loaded.table).collect(), &options)?;
    for warning in &words::spelled(warnings) {
        console.warning(warning);
    }
    Ok((views, scaling))
}

/// What a line of the table is about.
enum Of {
    View(String),
    Mean,
    Consensus,
}

/// All there is to say about one graph.
struct Line {
    of: Of,
    scores: Option<[f64; MEASURES.len()]>,
    edges: Option<EdgeScore>,
    signed: Option<[f64; SIGNED_MEASURES.len()]>,
    signed_edges: Option<SignedScore>,
    variation: Option<TotalVariation>,
}

fn lines(learned: &MultiviewGraph, evaluation: Option<&Evaluation>, smoothness: Option<&Smoothness>) -> Vec<Line> {
    let line = |of, score: Option<&GraphScore>, variation: Option<TotalVariation>| Line {
        of,
        scores: score.map(|score| MEASURES.map(|(_, _, measure)| measure(score))),
        edges: score.map(|score| score.edges),
        signed: score
            .and_then(|score| score.signed)
            .map(|score| SIGNED_MEASURES.map(|(_, _, of)| of(&score))),
        signed_edges: score.and_then(|score| score.signed),
        variation,
    };
    let mut lines = Vec::with_capacity(learned.n_views() + 2);
    for (view, name) in learned.views().iter().enumerate() {
        let score = evaluation.map(|evaluation| &evaluation.views[view].1);
        let variation = smoothness.map(|smoothness| smoothness.views[view].1);
        lines.push(line(Of::View(name.clone()), score, variation));
    }
    lines.push(Line {
        of: Of::Mean,
        scores: evaluation.map(|evaluation| MEASURES.map(|(_, _, measure)| evaluation.mean_view(measure))),
        edges: None,
        signed: evaluation.and_then(mean_signed),
        signed_edges: None,
        variation: smoothness.map(Smoothness::mean_view),
    });
    let score = evaluation.and_then(|evaluation| evaluation.consensus.as_ref());
    let variation = smoothness.and_then(|smoothness| smoothness.consensus);
    if score.is_some() || variation.is_some() {
        lines.push(line(Of::Consensus, score, variation));
    }
    lines
}

/// The mean over the views of the scores with signs, if there are any.
fn mean_signed(evaluation: &Evaluation) -> Option<[f64; SIGNED_MEASURES.len()]> {
    let scores: Option<Vec<SignedScore>> = evaluation.views.iter().map(|(_, score)| score.signed).collect();
    let scores = scores.filter(|scores| !scores.is_empty())?;
    Some(SIGNED_MEASURES.map(|(_, _, of)| scores.iter().map(of).sum::<f64>() / scores.len() as f64))
}

fn table(lines: &[Line]) -> String {
    let has_scores = lines.iter().any(|line| line.scores.is_some());
    let has_variation = lines.iter().any(|line| line.variation.is_some());
    let mut head = vec!["graph".to_owned()];
    if has_scores {
        head.extend(MEASURES.map(|(column, _, _)| column.to_owned()));
    }
    let has_signed = lines.iter().any(|line| line.signed.is_some());
    if has_signed {
        head.extend(SIGNED_MEASURES.map(|(column, _, _)| column.to_owned()));
    }
    if has_variation {
        head.extend(["variation", "relative"].map(String::from));
    }
    let mut rows = vec![head];
    for line in lines {
        let mut row = vec![match &line.of {
            Of::View(name) => name.clone(),
            Of::Mean => "mean of the views".into(),
            Of::Consensus => "consensus".into(),
        }];
        let digits = |value: f64| format!("{value:.3}");
        let missing = || "–".to_owned();
        if has_scores {
            let cells = line.scores.map(|scores| scores.map(digits).to_vec());
            row.extend(cells.unwrap_or_else(|| vec![missing(); MEASURES.len()]));
        }
        if has_signed {
            let cells = line.signed.map(|scores| scores.map(digits).to_vec());
            row.extend(cells.unwrap_or_else(|| vec![missing(); SIGNED_MEASURES.len()]));
        }
        if let Some(variation) = line.variation {
            row.push(significant(variation.total));
            row.push(variation.relative.map_or_else(missing, digits));
        } else if has_variation {
            row.extend([missing(), missing()]);
        }
        rows.push(row);
    }
    super::table(&rows)
}

/// Four digits, however large the total is.
fn significant(value: f64) -> String {
    if value == 0.0 || (1e-2..1e5).contains(&value) {
        format!("{value:.3}")
    } else {
        format!("{value:.3e}")
    }
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

/// The scores with signs, and what they were counted from if it is one graph's.
fn signed_values(scores: [f64; SIGNED_MEASURES.len()], edges: Option<&SignedScore>) -> Value {
    let scores = SIGNED_MEASURES.iter().zip(scores);
    let mut values: Map<String, Value> = scores
        .map(|((_, name, _), value)| ((*name).to_owned(), json!(value)))
        .collect();
    if let Some(edges) = edges {
        values.insert("true_positives".into(), json!(edges.true_positives));
        values.insert("false_positives".into(), json!(edges.false_positives));
        values.insert("false_negatives".into(), json!(edges.false_negatives));
        values.insert("wrong_signs".into(), json!(edges.wrong_signs));
    }
    values.into()
}

fn report(lines: &[Line]) -> Value {
    let (mut views, mut mean, mut consensus) = (Map::new(), Value::Null, Value::Null);
    for line in lines {
        let mut values = Map::new();
        if let Some(scores) = line.scores {
            values.extend(
                MEASURES
                    .iter()
                    .zip(scores)
                    .map(|((_, name, _), value)| ((*name).to_owned(), json!(value))),
            );
        }
        if let Some(edges) = line.edges {
            values.insert("true_positives".into(), json!(edges.true_positives));
            values.insert("false_positives".into(), json!(edges.false_positives));
            values.insert("false_negatives".into(), json!(edges.false_negatives));
            values.insert("true_negatives".into(), json!(edges.true_negatives));
        }
        if let Some(scores) = line.signed {
            values.insert("signed".into(), signed_values(scores, line.signed_edges.as_ref()));
        }
        if let Some(variation) = line.variation {
            values.insert("total_variation".into(), json!(variation.total));
            values.insert("relative_variation".into(), json!(variation.relative));
        }
        match &line.of {
            Of::View(name) => drop(views.insert(name.clone(), values.into())),
            Of::Mean => mean = values.into(),
            Of::Consensus => consensus = values.into(),
        }
    }
    json!({
        "schema": "congraph.evaluation/1",
        "mean_views": mean,
        "consensus": consensus,
        "views": views,
    })
}
