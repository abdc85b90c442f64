//! Nodes are matched by name, never by position.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Missing, NodeRule, Orient, Table, ViewOptions, fault};
use crate::error::{Code, DataError, Error, SHOWN, Warning, list_names, list_some};
use crate::options::option;

/// How many numbers of nodes are listed when views differ.
const LISTED: usize = 5;

/// The nodes, and for each table the column of each node that it has.
pub(super) struct Matched {
    pub(super) nodes: Vec<String>,
    pub(super) columns: Vec<Vec<Option<usize>>>,
}

/// Tables are samples by nodes here.
pub(super) fn match_nodes<Values: AsRef<[f64]>>(
    tables: &[Table<Values>],
    options: &ViewOptions,
    warnings: &mut Vec<Warning>,
) -> Result<Matched, Error> {
    super::stage(repeated_views(tables))?;
    let mut made_up = Vec::new();
    let names = column_names(tables, options, &mut made_up)?;
    // Where all views have the same list of names, what holds for the first holds for all.
    let is_same = |other: &&[String]| std::ptr::eq(*other, names[0]) || *other == names[0];
    let are_same = names[1..].iter().all(is_same);
    let is_sound = are_same && check_names(&tables[..1], &names[..1]).is_ok();
    let looked_at = if is_sound { 1 } else { names.len() };
    if !is_sound {
        check_names(tables, &names)?;
    }
    let index: Vec<HashMap<&str, usize>> = names[..looked_at]
        .iter()
        .map(|names| names.iter().enumerate().map(|(k, name)| (name.as_str(), k)).collect())
        .collect();
    if !options.projected {
        check_dropped(&options.drop_nodes, &index, &names)?;
    }
    let dropped: HashSet<&str> = options.drop_nodes.iter().map(String::as_str).collect();
    let wanted = |name: &String| !dropped.contains(name.as_str());
    let in_all = |name: &String| index.iter().all(|view| view.contains_key(name.as_str()));
    let union = union(&names[..looked_at], &wanted);
    let masks = options.missing == Missing::Mask && options.nodes == NodeRule::Same;
    if options.nodes == NodeRule::Same && !masks {
        super::stage(missing_nodes(tables, &union, &index))?;
    }
    let nodes: Vec<String> = union
        .iter()
        .copied()
        .filter(|name| masks || in_all(name))
        .cloned()
        .collect();
    if nodes.len() < 2 {
        return Err(too_few_nodes(nodes.len()).into());
    }
    let mut columns: Vec<Vec<Option<usize>>> = index
        .iter()
        .map(|view| nodes.iter().map(|name| view.get(name.as_str()).copied()).collect())
        .collect();
    columns.resize(names.len(), columns[0].clone());
    for (table, columns) in tables.iter().zip(&columns) {
        warnings.extend(other_order(&table.name, columns, &nodes, &index[0]));
    }
    let others: Vec<&String> = union.into_iter().filter(|name| !masks && !in_all(name)).collect();
    if !others.is_empty() {
        warnings.push(Warning::new(
            "W03",
            format!(
                "the views share {} nodes; {} {} left out",
                nodes.len(),
                list_names(&others),
                if others.len() == 1 { "was" } else { "were" }
            ),
        ));
    }
    Ok(Matched { nodes, columns })
}

/// Refuses names that are cut, repeated, or the same but for case and spaces.
fn check_names<Values: AsRef<[f64]>>(tables: &[Table<Values>], names: &[&[String]]) -> Result<(), Error> {
    super::stage(cut_names(tables, names))?;
    super::stage(repeated_nodes(tables, names))?;
    super::stage(look_alikes(tables, names))
}

/// Refuses nodes to drop that no view has: most likely a name is misspelled.
fn check_dropped(drop_nodes: &[String], index: &[HashMap<&str, usize>], names: &[&[String]]) -> Result<(), Error> {
    let unknown: Vec<&str> = drop_nodes
        .iter()
        .map(String::as_str)
        .filter(|name| !index.iter().any(|view| view.contains_key(name)))
        .collect();
    if unknown.is_empty() {
        return Ok(());
    }
    Err(Error::Parameter {
        name: "drop_nodes",
        message: format!(
            "names {}, which no view has; the nodes are {}",
            list_names(&unknown),
            list_names(names[0])
        ),
    })
}

/// A warning if a view has the nodes of the first view in another order.
fn other_order(
    view: &str,
    columns: &[Option<usize>],
    nodes: &[String],
    first: &HashMap<&str, usize>,
) -> Option<Warning> {
    let of_first = nodes
        .iter()
        .zip(columns)
        .filter(|(name, _)| first.contains_key(name.as_str()))
        .filter_map(|(_, column)| *column);
    let message = "its nodes are in another order than those of the first view; they were matched by name";
    (!of_first.is_sorted()).then(|| Warning::new("W02", message).in_view(view))
}

fn too_few_nodes(n_nodes: usize) -> DataError {
    DataError::new(
        Code::E05,
        match n_nodes {
            0 => "the views have no node in common; a graph needs at least 2".into(),
            _ => format!("there is only {n_nodes} node; a graph needs at least 2"),
        },
        "an edge joins two nodes",
        format!(
            "check that the files have a column per node, and what {}, {} and {} leave of them",
            option("drop_nodes"),
            option("nodes"),
            option("orient")
        ),
    )
}

/// The names of each table's columns, made up as `0`, `1`, … when no table has any.
fn column_names<'t, Values: AsRef<[f64]>>(
    tables: &'t [Table<Values>],
    options: &ViewOptions,
    made_up: &'t mut Vec<String>,
) -> Result<Vec<&'t [String]>, Error> {
    let named: Vec<&[String]> = (tables.iter())
        .filter_map(|table| table.column_names.as_deref())
        .collect();
    let n_named = named.len();
    if n_named == tables.len() {
        return Ok(named);
    }
    if n_named > 0 {
        let without: Vec<&str> = tables
            .iter()
            .filter(|table| table.column_names.is_none())
            .map(|table| table.name.as_str())
            .collect();
        let hint = format!(
            "name the nodes of every view, or of none: {}",
            where_names_are(options.orient)
        );
        return Err(DataError::new(
            Code::E02,
            format!(
                "some views name their nodes and {} {} not",
                list_names(&without),
                if without.len() == 1 { "does" } else { "do" }
            ),
            "nodes are matched by name, never by position",
            hint,
        )
        .in_view(without[0])
        .into());
    }
    let n_nodes = tables[0].n_columns;
    if tables.iter().any(|table| table.n_columns != n_nodes) {
        return Err(different_numbers(tables, options.orient).into());
    }
    made_up.extend((0..n_nodes).map(|k| k.to_string()));
    Ok(vec![made_up; tables.len()])
}

/// Where the names of nodes are read from.
fn where_names_are(orient: Orient) -> &'static str {
    match orient {
        Orient::SamplesByNodes => {
            "in a header row of text files, in `nodes` of .npz and .mat files, in columns of data frames"
        }
        Orient::NodesBySamples => {
            "in the first column of text files, in `nodes` of .npz and .mat files, in the index of data frames"
        }
    }
}

/// Views without names that have different numbers of nodes: which has how many, the commonest number first.
fn different_numbers<Values: AsRef<[f64]>>(tables: &[Table<Values>], orient: Orient) -> DataError {
    let mut numbers: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for table in tables {
        numbers.entry(table.n_columns).or_default().push(&table.name);
    }
    let mut numbers: Vec<(usize, Vec<&str>)> = numbers.into_iter().collect();
    numbers.sort_by_key(|(number, names)| std::cmp::Reverse((names.len(), *number)));
    let said = |(number, names): &(usize, Vec<&str>)| {
        let noun = if *number == 1 { "node" } else { "nodes" };
        format!(
            "{} {} {number} {noun}",
            list_names(names),
            if names.len() == 1 { "has" } else { "have" }
        )
    };
    let mut list: Vec<String> = numbers.iter().take(LISTED).map(said).collect();
    if numbers.len() > LISTED {
        list.push(format!("there are {} other numbers", numbers.len() - LISTED));
    }
    let odd = numbers.last().map_or("", |(_, names)| names[0]);
    fault(
        Code::E02,
        odd,
        format!(
            "the views have different numbers of nodes, and the nodes have no names: {}",
            list.join("; ")
        ),
        "without names all views must have the same nodes in the same order",
        format!(
            "name the nodes: {}. {} or {} then take views that lack some",
            where_names_are(orient),
            option("missing").set_to("mask"),
            option("nodes").set_to("common")
        ),
    )
}

fn repeated<S: AsRef<str>>(names: &[S]) -> Option<(&str, usize, usize)> {
    let mut seen = HashMap::new();
    for (k, name) in names.iter().enumerate() {
        if let Some(first) = seen.insert(name.as_ref(), k) {
            return Some((name.as_ref(), first, k));
        }
    }
    None
}

fn repeated_views<Values: AsRef<[f64]>>(tables: &[Table<Values>]) -> Vec<DataError> {
    let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
    repeated(&names)
        .map(|(name, first, second)| {
            fault(
                Code::E06,
                name,
                format!(
                    "two views are called `{name}` (the {} and the {} given)",
                    ordinal(first + 1),
                    ordinal(second + 1)
                ),
                "results are told apart by the views' names",
                format!("give one another name: `NAME=FILE` in place of the file, such as `{name}-2=FILE`"),
            )
        })
        .into_iter()
        .collect()
}

/// A name with a NUL in it: most formats end a text there, and two names would become one.
fn cut_names<Values: AsRef<[f64]>>(tables: &[Table<Values>], names: &[&[String]]) -> Vec<DataError> {
    let mut errors = Vec::new();
    for (table, names) in tables.iter().zip(names) {
        let nodes = names.iter().map(|name| ("a node", name));
        let mut cut = std::iter::once(("a view", &table.name)).chain(nodes);
        if let Some((what, name)) = cut.find(|(_, name)| name.contains('\0')) {
            errors.push(fault(
                Code::E07,
                &table.name,
                format!(
                    "{what} is called `{}`, with a NUL character in its name",
                    name.escape_default()
                ),
                "result files end a name there, and it would be taken for another",
                "rename it".into(),
            ));
        }
    }
    errors
}

fn repeated_nodes<Values: AsRef<[f64]>>(tables: &[Table<Values>], names: &[&[String]]) -> Vec<DataError> {
    let mut errors = Vec::new();
    for (table, names) in tables.iter().zip(names) {
        if let Some((name, first, second)) = repeated(names) {
            errors.push(
                fault(
                    Code::E06,
                    &table.name,
                    format!(
                        "view `{}` has two nodes called `{name}` (the {} and the {})",
                        table.name,
                        ordinal(first + 1),
                        ordinal(second + 1)
                    ),
                    "nodes are matched by name",
                    "rename or remove one of them".into(),
                )
                .at_node(name),
            );
        }
    }
    errors
}

/// Names that are the same once case and spaces are ignored.
pub(crate) fn folded(name: &str) -> String {
    name.chars()
        .filter(|c| !c.is_whitespace())
        .flat_map(char::to_lowercase)
        .collect()
}

fn look_alikes<Values: AsRef<[f64]>>(tables: &[Table<Values>], names: &[&[String]]) -> Vec<DataError> {
    let mut spelling: HashMap<String, (&str, &str)> = HashMap::new();
    let mut reported = HashSet::new();
    let mut errors = Vec::new();
    for (table, names) in tables.iter().zip(names) {
        for name in *names {
            let key = folded(name);
            match spelling.get(&key) {
                None => {
                    spelling.insert(key, (name, &table.name));
                }
                Some(&(other, view)) if other != name && reported.insert(key) => errors.push(
                    fault(
                        Code::E03,
                        &table.name,
                        format!(
                            "`{other}` in view `{view}` and `{name}` in view `{}` differ only by case or spaces",
                            table.name
                        ),
                        "nodes are matched by their exact names, and nothing is matched by position",
                        "spell the node the same way in all views".into(),
                    )
                    .at_node(name),
                ),
                Some(_) => {}
            }
        }
    }
    errors
}

/// The nodes of all views that are wanted, as they come up.
fn union<'n>(names: &[&'n [String]], wanted: &dyn Fn(&String) -> bool) -> Vec<&'n String> {
    let mut seen = HashSet::new();
    let is_new = |name: &&'n String| wanted(name) && seen.insert(name.as_str());
    names.iter().copied().flatten().filter(is_new).collect()
}

fn missing_nodes<Values: AsRef<[f64]>>(
    tables: &[Table<Values>],
    union: &[&String],
    index: &[HashMap<&str, usize>],
) -> Vec<DataError> {
    // Views may be many and have few nodes in common: nothing here goes through all nodes of all views for each of
    // them.
    let wanted: HashSet<&str> = union.iter().map(|name| name.as_str()).collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for &name in index.iter().flat_map(HashMap::keys) {
        *counts.entry(name).or_default() += 1;
    }
    let is_common = |name: &&&String| counts.get(name.as_str()) == Some(&tables.len());
    let n_common = union.iter().filter(is_common).count();
    let (mask, common) = (option("missing").set_to("mask"), option("nodes").set_to("common"));
    let mut errors = Vec::new();
    for (table, index) in tables.iter().zip(index) {
        let n_missing = union.len() - index.keys().filter(|name| wanted.contains(*name)).count();
        if n_missing == 0 {
            continue;
        }
        let lacking = union.iter().copied().filter(|name| !index.contains_key(name.as_str()));
        let missing: Vec<&String> = lacking.take(SHOWN).collect();
        errors.push(
            fault(
                Code::E02,
                &table.name,
                format!(
                    "view `{}` lacks {} of the {} nodes that occur in the views: {}",
                    table.name,
                    n_missing,
                    union.len(),
                    list_some(&missing, n_missing)
                ),
                "a consensus needs the same nodes in every view",
                match n_common {
                    0 | 1 => format!(
                        "check that the files belong together: {} in all views, too few for {common}; {mask} lets \
                         every view take part with the nodes it has",
                        if n_common == 0 { "no node is" } else { "only 1 node is" }
                    ),
                    _ => format!(
                        "{mask} lets every view take part with the nodes it has; {common} keeps the {n_common} nodes \
                         that all views have"
                    ),
                },
            )
            .at_node(missing[0]),
        );
    }
    errors
}

fn ordinal(k: usize) -> String {
    let suffix = match (k % 10, k % 100) {
        (1, x) if x != 11 => "st",
        (2, x) if x != 12 => "nd",
        (3, x) if x != 13 => "rd",
        _ => "th",
    };
    format!("{k}{suffix}")
}
