//! Nodes that a view lacks where [`Missing::Mask`](super::Missing::Mask) is set: the reasons, and the messages.

use super::{Kind, NanRule, View, ViewOptions, checks, fault};
use crate::error::{Code, DataError, Warning};
use crate::options::{names_listed, option, step};

/// Why a view lacks a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Lack {
    /// It is not in its table.
    Absent,
    /// It was left out of its table: a gene that is seen in too few cells.
    Seldom,
    /// This many of its values are NaN or infinite.
    NotFinite(usize),
    /// It has this value throughout.
    Constant(f64),
}

/// For each node of a view, why it is lacking if it is.
pub(super) type Lacking = Vec<Option<Lack>>;

impl Lack {
    fn code(self) -> Code {
        match self {
            Self::Absent | Self::Seldom => Code::E02,
            Self::NotFinite(_) => Code::E01,
            Self::Constant(_) => Code::E04,
        }
    }

    fn told(self) -> String {
        match self {
            Self::Absent => "not in its table".into(),
            Self::Seldom => format!("seen in too few cells: {}", option("min_cells_per_gene").bare()),
            Self::NotFinite(1) => "1 value NaN or infinite".into(),
            Self::NotFinite(count) => format!("{count} values NaN or infinite"),
            Self::Constant(value) => format!("constant, {value}"),
        }
    }
}

/// Adds the nodes that hold NaN or infinite values in `rows` of a table: any, or none but those where such samples are
/// left out.
pub(super) fn not_finite(
    lacking: &mut Lacking,
    columns: &[Option<usize>],
    n_rows: usize,
    at: impl Fn(usize, usize) -> f64,
    nodes: &[String],
    options: &ViewOptions,
) {
    if options.kind != Kind::Signals {
        return not_finite_of_matrix(lacking, columns, at, nodes);
    }
    for (lack, column) in lacking.iter_mut().zip(columns) {
        let Some(column) = *column else { continue };
        let broken = (0..n_rows).filter(|&row| !at(row, column).is_finite()).count();
        let spoils = match options.nan {
            NanRule::Error => broken > 0,
            NanRule::DropRows | NanRule::Pairwise => broken == n_rows,
        };
        if spoils {
            *lack = Some(Lack::NotFinite(broken));
        }
    }
}

/// An entry of a matrix belongs to two nodes. The node with most such entries goes first, until none is left; of equals
/// the first by name.
fn not_finite_of_matrix(
    lacking: &mut Lacking,
    columns: &[Option<usize>],
    at: impl Fn(usize, usize) -> f64,
    nodes: &[String],
) {
    loop {
        let own: Vec<(usize, usize)> = (0..nodes.len())
            .filter(|&node| lacking[node].is_none())
            .filter_map(|node| Some((node, columns[node]?)))
            .collect();
        let broken = |column: usize| own.iter().filter(|(_, other)| !at(column, *other).is_finite()).count();
        let worst = own
            .iter()
            .map(|&(node, column)| (broken(column), node))
            .max_by(|one, two| one.0.cmp(&two.0).then_with(|| nodes[two.1].cmp(&nodes[one.1])));
        match worst {
            Some((count, node)) if count > 0 => lacking[node] = Some(Lack::NotFinite(count)),
            _ => return,
        }
    }
}

/// Adds the nodes that do not vary, and zeroes their signals.
pub(super) fn constant(lacking: &mut Lacking, view: &mut View, kind: Kind) {
    let n_nodes = lacking.len();
    for node in checks::constant(view, n_nodes, kind) {
        if lacking[node].is_none() {
            let value = if kind == Kind::Signals { view.node(node)[0] } else { 0.0 };
            lacking[node] = Some(Lack::Constant(value));
            view.rows.clear(node);
        }
    }
}

/// What masks may not leave: a node that no view has, a view with fewer than two nodes.
pub(super) fn too_little(
    views: &[View],
    nodes: &[String],
    lacking: &[Lacking],
    options: &ViewOptions,
) -> Vec<DataError> {
    let mut errors = Vec::new();
    for (node, name) in nodes.iter().enumerate() {
        if !options.projected && lacking.iter().all(|lacking| lacking[node].is_some()) {
            errors.push(in_no_view(views, node, name, lacking));
        }
    }
    for (view, lacking) in views.iter().zip(lacking) {
        let n_own = lacking.iter().filter(|lack| lack.is_none()).count();
        if n_own < 2 {
            errors.push(too_few_own(view, n_own, nodes.len()));
        }
    }
    errors
}

/// A node that every view lacks, and why each does.
fn in_no_view(views: &[View], node: usize, name: &String, lacking: &[Lacking]) -> DataError {
    let reasons: Vec<(&str, Lack)> = views
        .iter()
        .zip(lacking)
        .filter_map(|(view, lacking)| Some((view.name.as_str(), lacking[node]?)))
        .collect();
    let code = reasons
        .iter()
        .map(|(_, lack)| lack.code())
        .find(|&code| code != Code::E02);
    let shown: Vec<String> = reasons
        .iter()
        .take(SHOWN)
        .map(|(view, lack)| format!("`{view}`: {}", lack.told()))
        .collect();
    let more = match reasons.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    DataError::new(
        code.unwrap_or(Code::E02),
        format!("no view is left with the node `{name}` ({}{more})", shown.join(", ")),
        "a node that is masked in every view has no data to place it by",
        format!(
            "leave it out of all views with {}",
            option("drop_nodes").set_to(names_listed(&[name]))
        ),
    )
    .at_node(name)
}

/// A view that is left with too few nodes for an edge.
fn too_few_own(view: &View, n_own: usize, n_nodes: usize) -> DataError {
    fault(
        Code::E05,
        &view.name,
        format!(
            "view `{}` is left with {} of the {} nodes; at least 2 are needed",
            view.name, n_own, n_nodes
        ),
        "an edge joins two nodes, and this view has none to learn",
        format!(
            "leave the view out, or check what is wrong with its nodes: {} without {} tells",
            step("check", "a check"),
            option("missing").set_to("mask")
        ),
    )
}

/// How many nodes or views are named in a message.
const SHOWN: usize = 5;
/// Of more views than this it is said at once.
const TOLD_APART: usize = 3;

/// What was masked, in one sentence: of a few views with the nodes and why, of many with their numbers.
pub(super) fn warnings<'a>(views: &'a [View], nodes: &[String], lacking: &[Lacking]) -> Vec<Warning> {
    let counts = lacking.iter().map(|lacking| lacking.iter().flatten().count());
    let mut some: Vec<(&View, usize)> = views.iter().zip(counts).filter(|(_, count)| *count > 0).collect();
    if some.len() > TOLD_APART {
        some.sort_by(|one, two| two.1.cmp(&one.1).then_with(|| one.0.name.cmp(&two.0.name)));
        let mut shown: Vec<String> = some
            .iter()
            .take(SHOWN)
            .map(|(view, count)| format!("`{}` {count}", view.name))
            .collect();
        if some.len() > SHOWN {
            shown.push(format!("and {} more", some.len() - SHOWN));
        }
        let message = format!(
            "{} of {} views lack nodes, and take part with the others: of {} nodes are masked in {}",
            some.len(),
            views.len(),
            nodes.len(),
            shown.join(", ")
        );
        return vec![Warning::new("W03", message)];
    }
    // What each of the few views lacks, and how many nodes that are.
    let masked = |(view, lacking): (&'a View, &Lacking)| {
        let masked: Vec<(&String, Lack)> = nodes
            .iter()
            .zip(lacking)
            .filter_map(|(name, lack)| Some((name, (*lack)?)))
            .collect();
        // A reason that all have is told once.
        let first = masked.first().map(|(_, lack)| lack.told());
        let shared = first.filter(|first| masked.len() > 1 && masked.iter().all(|(_, lack)| lack.told() == *first));
        let mut shown: Vec<String> = masked
            .iter()
            .take(SHOWN)
            .map(|(name, lack)| match &shared {
                Some(_) => format!("`{name}`"),
                None => format!("`{name}` ({})", lack.told()),
            })
            .collect();
        if masked.len() > SHOWN {
            shown.push(format!("and {} more", masked.len() - SHOWN));
        }
        let why = shared.map_or_else(String::new, |why| format!(" (each {why})"));
        let shown = shown.join(", ") + &why;
        (!masked.is_empty()).then_some((view, masked.len(), shown))
    };
    let told: Vec<(&View, usize, String)> = views.iter().zip(lacking).filter_map(masked).collect();
    match &told[..] {
        [] => Vec::new(),
        [(view, count, shown)] => {
            let message = format!(
                "{count} of the {} nodes {} masked, and it takes part with the others: {shown}",
                nodes.len(),
                if *count == 1 { "is" } else { "are" },
            );
            vec![Warning::new("W03", message).in_view(&view.name)]
        }
        several => {
            let each: Vec<String> = several
                .iter()
                .map(|(view, _, shown)| format!("`{}` without {shown}", view.name))
                .collect();
            let message = format!(
                "{} of {} views lack some of the {} nodes, and take part with the others: {}",
                several.len(),
                views.len(),
                nodes.len(),
                each.join("; ")
            );
            let mut warning = Warning::new("W03", message);
            warning.views = several.iter().map(|(view, ..)| view.name.clone()).collect();
            vec![warning]
        }
    }
}
