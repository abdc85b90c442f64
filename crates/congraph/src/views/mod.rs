//! Named views of signals over the same nodes: what every fit starts from.
//!
//! A [`Table`] is data as it was read: samples in rows, nodes in columns unless [`Orient`] says otherwise.
//! [`Views::assemble`] turns tables into [`Views`]: the nodes are matched **by name, never by position**, and
//! everything that would make a result meaningless (NaN, constant nodes, look-alike names, transposed tables, raw
//! counts, …) is refused with a stable [`Code`]. All views then have the same nodes in the same order.
//!
//! With [`Missing::Mask`] a node that a view lacks, or that cannot be used there (NaN, constant), is masked in that
//! view only. The nodes are then those of all views together, and [`Views::membership`] tells which view has which.
//!
//! Signals are kept node by node (each node's samples contiguous), which is what the distances read.

mod checks;
mod clocks;
mod effective;
mod gathering;
mod held;
mod matching;
mod membership;
mod missing;
mod options;
mod order;
mod pairwise;
mod rows;
mod subjects;
mod table;
mod turned;

use std::borrow::Cow;
use std::sync::Arc;

use gathering::gather;
use held::{Gathered, Holders};
pub use membership::Membership;
pub(crate) use membership::own_or_marked;
pub use options::{Kind, Missing, NanRule, NodeRule, Orient, ViewOptions};
pub use order::Order;
use rayon::prelude::*;
use rows::Rows;
pub use subjects::Subjects;
pub use table::Table;

use crate::error::{Code, DataError, Error, Warning};
use crate::options::option;
use crate::team::Team;
pub(crate) use matching::folded;

/// One view: its signals, node by node.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    name: String,
    n_samples: Option<usize>,
    /// How many independent samples they are worth, where known.
    n_effective: Option<f64>,
    rows: Rows,
    blocks: Option<Vec<String>>,
}

impl View {
    /// The view's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many samples it has; for precomputed matrices, only if known.
    pub fn n_samples(&self) -> Option<usize> {
        self.n_samples
    }

    /// Whether its signals are here, and not with another member of a team.
    pub fn is_here(&self) -> bool {
        self.rows.are_here()
    }

    /// The samples of one node (or, for precomputed matrices, its row).
    ///
    /// # Panics
    /// If its signals are with another member of a team.
    pub fn node(&self, node: usize) -> &[f64] {
        self.rows.row(node)
    }

    /// The resampling unit of each sample, if known.
    pub fn blocks(&self) -> Option<&[String]> {
        self.blocks.as_deref()
    }
}

/// N data sets over the same nodes, in the same order, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Views {
    kind: Kind,
    /// Whether they are covariances only because the signals have gaps.
    pairwise: bool,
    nodes: Vec<String>,
    views: Vec<View>,
    membership: Arc<Membership>,
    electrodes: bool,
    /// Who has the signals of which view, where not everybody has all.
    holders: Option<Holders>,
}

impl Views {
    /// Matches the tables' nodes by name, checks the values, and returns the views with the warnings they deserve.
    ///
    /// The nodes are in the order of the first table; those that it lacks follow as they come up in the others. Without
    /// any names they are called `0`, `1`, …
    ///
    /// # Errors
    /// [`Error::Data`] with every problem found at the first stage that found any.
    ///
    /// ```
    /// use congraph::{Table, ViewOptions, Views};
    ///
    /// let tables = vec![
    ///     Table::new("monday", 2, vec![1.0, 2.0, 3.0, 1.0]).with_columns(["left", "right"]),
    ///     Table::new("tuesday", 2, vec![0.5, 4.0, 1.5, 9.0]).with_columns(["right", "left"]),
    /// ];
    /// let (views, warnings) = Views::assemble(tables, &ViewOptions::default())?;
    /// assert_eq!(views.nodes(), ["left", "right"]);
    /// assert_eq!(views.view(1).node(0), [4.0, 9.0]);
    /// assert_eq!(warnings[0].code, "W02"); // tuesday was re-ordered
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn assemble(tables: Vec<Table>, options: &ViewOptions) -> Result<(Self, Vec<Warning>), Error> {
        Self::assemble_from(tables, options)
    }

    /// As [`Views::assemble`], of tables whose values need not be their own.
    ///
    /// # Errors
    /// As [`Views::assemble`].
    ///
    /// ```
    /// use congraph::{Table, ViewOptions, Views};
    ///
    /// let mine = [1.0, 2.0, 3.0, 1.0];
    /// let (views, _) = Views::assemble_from(vec![Table::new("monday", 2, &mine)], &ViewOptions::default())?;
    /// assert_eq!(views.view(0).node(0), [1.0, 3.0]);
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn assemble_from<Values: AsRef<[f64]> + Send + Sync>(
        tables: Vec<Table<Values>>,
        options: &ViewOptions,
    ) -> Result<(Self, Vec<Warning>), Error> {
        Self::assembled(tables, options, None)
    }

    /// As [`Views::assemble`], of tables that the members of a team have read for each other: member `ranks[k]` has the
    /// values of table k, and the others all the rest of it. Everybody calls it. What is wrong with values is told by who
    /// has them; whoever gets an error ends the team.
    ///
    /// [`Learn`](crate::Learn)ing with [`Smooth`](crate::Smooth) works on such views, and gives the result of whole ones;
    /// for anything else take the [whole](Views::whole) ones.
    ///
    /// # Errors
    /// As [`Views::assemble`].
    ///
    /// # Panics
    /// If there is not one rank for each table.
    pub fn assemble_held(
        tables: Vec<Table>,
        options: &ViewOptions,
        team: &Arc<dyn Team>,
        ranks: Vec<usize>,
    ) -> Result<(Self, Vec<Warning>), Error> {
        assert_eq!(tables.len(), ranks.len(), "one member for each table");
        Self::assembled(tables, options, Some(Holders::new(team, ranks)))
    }

    fn assembled<Values: AsRef<[f64]> + Send + Sync>(
        tables: Vec<Table<Values>>,
        options: &ViewOptions,
        holders: Option<Holders>,
    ) -> Result<(Self, Vec<Warning>), Error> {
        if tables.is_empty() {
            return Err(Error::Invalid {
                what: "views",
                message: "are empty: at least one data set is needed".into(),
            });
        }
        stage(checks::shapes(&tables, options))?;
        let labels: Vec<Option<String>> = tables.iter().map(|table| table.subject.clone()).collect();
        let names: Vec<String> = tables.iter().map(|table| table.name.clone()).collect();
        let (views, warnings) = Self::in_columns(tables, options, holders)?;
        if labels.iter().all(Option::is_none) {
            return Ok((views, warnings));
        }
        let told = labels.into_iter().zip(names).map(|(label, view)| {
            label.ok_or_else(|| Error::Parameter {
                name: "subjects",
                message: format!("do not tell whose view `{view}` is; every view must be some subject's"),
            })
        });
        let labels = told.collect::<Result<Vec<String>, Error>>()?;
        Ok((views.with_subjects(&labels)?, warnings))
    }

    /// Turns tables of sound shapes so that they have their nodes in columns, and matches them.
    fn in_columns<Values: AsRef<[f64]> + Send + Sync>(
        tables: Vec<Table<Values>>,
        options: &ViewOptions,
        holders: Option<Holders>,
    ) -> Result<(Self, Vec<Warning>), Error> {
        if options.kind == Kind::Signals && options.orient == Orient::NodesBySamples {
            return Self::without_gaps(tables.into_iter().map(Table::transposed).collect(), options, holders);
        }
        Self::without_gaps(tables, options, holders)
    }

    /// Turns signals with gaps into covariances where that is asked, and matches.
    fn without_gaps<Values: AsRef<[f64]> + Send + Sync>(
        tables: Vec<Table<Values>>,
        options: &ViewOptions,
        holders: Option<Holders>,
    ) -> Result<(Self, Vec<Warning>), Error> {
        let is_asked = options.kind == Kind::Signals && options.nan == NanRule::Pairwise;
        if !is_asked || !pairwise::has_gaps(&tables) {
            return Self::match_up(tables, options, holders);
        }
        let (covariances, mut told, errors) = pairwise::covariances(&tables, options);
        stage(errors)?;
        drop(tables);
        let of_matrices = ViewOptions {
            kind: Kind::Covariance,
            ..options.clone()
        };
        let (views, noticed) = Self::match_up(covariances, &of_matrices, holders)?;
        told.extend(noticed);
        let pairwise = true;
        Ok((Self { pairwise, ..views }, told))
    }

    /// Matches and checks tables of sound shapes that have their nodes in columns.
    fn match_up<Values: AsRef<[f64]> + Send + Sync>(
        tables: Vec<Table<Values>>,
        options: &ViewOptions,
        holders: Option<Holders>,
    ) -> Result<(Self, Vec<Warning>), Error> {
        let mut warnings = Vec::new();
        let matched = matching::match_nodes(&tables, options, &mut warnings)?;
        let gathered = |(table, columns): (Table<Values>, &Vec<Option<usize>>)| {
            let (mut errors, mut warnings) = (Vec::new(), Vec::new());
            if table.is_elsewhere() {
                return (Gathered::elsewhere(table.name), errors);
            }
            let (mut view, mut lacks) = gather(table, columns, options, &matched.nodes, &mut errors, &mut warnings);
            if options.missing == Missing::Mask && !options.allow_constant && view.rows.stride() >= 2 {
                missing::constant(&mut lacks, &mut view, options.kind);
            }
            // What is not finite has no spread to be judged by.
            if errors.is_empty() {
                errors.extend(checks::values(&view, &matched.nodes, &lacks, options));
            }
            let gathered = Gathered {
                view,
                lacking: lacks,
                warnings,
            };
            (gathered, errors)
        };
        let all: Vec<_> = tables.into_par_iter().zip(&matched.columns).map(gathered).collect();
        let (mut all, errors): (Vec<Gathered>, Vec<Vec<DataError>>) = all.into_iter().unzip();
        let mut errors = errors.concat();
        if let Some(holders) = &holders {
            // The others cannot be told what is wrong here; they are ended.
            stage(std::mem::take(&mut errors))?;
            holders.complete(&mut all, matched.nodes.len());
        }
        let mut views = Vec::with_capacity(all.len());
        let mut lacking = Vec::with_capacity(all.len());
        for gathered in all {
            views.push(gathered.view);
            lacking.push(gathered.lacking);
            warnings.extend(gathered.warnings);
        }
        errors.extend(missing::too_little(&views, &matched.nodes, &lacking, options));
        stage(errors)?;
        warnings.extend(missing::warnings(&views, &matched.nodes, &lacking));
        let membership = Membership::new(matched.nodes.len(), views.len(), |view, node| {
            lacking[view][node].is_some()
        });
        let views = Self {
            kind: options.kind,
            pairwise: false,
            nodes: matched.nodes,
            views,
            membership: Arc::new(membership),
            electrodes: options.electrodes,
            holders,
        };
        warnings.extend(checks::samples(&views));
        warnings.extend(turned::warning(&views, options));
        warnings.extend(clocks::warning(&views, options));
        Ok((views, warnings))
    }

    /// Which view has which node.
    pub fn membership(&self) -> &Arc<Membership> {
        &self.membership
    }

    /// Which views are of one subject, if that was told.
    pub fn subjects(&self) -> Option<&Subjects> {
        self.membership.subjects()
    }

    /// The same views with the name of each one's subject.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there is not one name for each view, or the names make no two levels: all views are of one
    /// subject, or no subject has two.
    pub fn with_subjects(self, labels: &[impl AsRef<str>]) -> Result<Self, Error> {
        let refuse = |message: String| {
            Err(Error::Parameter {
                name: "subjects",
                message,
            })
        };
        if labels.len() != self.n_views() {
            return refuse(format!("name {} subjects for {} views", labels.len(), self.n_views()));
        }
        let subjects = Subjects::new(labels);
        if subjects.n_subjects() == 1 && self.n_views() > 1 {
            return refuse(format!(
                "say that every view is of `{}`: with one subject there is one level, so leave {} out",
                subjects.names()[0],
                option("subjects").bare()
            ));
        }
        if subjects.most_views() < 2 {
            return refuse(format!(
                "give every view a subject of its own: with one view each, a subject's graph is its view's; leave {} out",
                option("subjects").bare()
            ));
        }
        let membership = Membership::clone(&self.membership).with_subjects(subjects);
        Ok(Self {
            membership: Arc::new(membership),
            ..self
        })
    }

    /// Whether a view has a node.
    pub fn has(&self, view: usize, node: usize) -> bool {
        self.membership.has(view, node)
    }

    /// How many pairs of nodes some view has.
    pub fn n_pairs(&self) -> usize {
        self.membership.n_pairs()
    }

    /// Whether there are several views: a consensus is what they share.
    ///
    /// # Errors
    /// E09 for a single one.
    pub fn check_several(&self) -> Result<(), Error> {
        let [view] = &self.views[..] else { return Ok(()) };
        let name = view.name();
        Err(fault(
            Code::E09,
            name,
            format!("there is only one view (`{name}`), and a consensus is asked"),
            "a consensus is what several views share",
            format!(
                "give more views, or {} to learn this view's graph alone",
                option("single").added()
            ),
        )
        .into())
    }

    /// Whether every view has a pair of nodes in common with another: without one nothing couples it to the others.
    ///
    /// # Errors
    /// E02 for each view that has none.
    pub fn check_coupled(&self) -> Result<(), Error> {
        let membership = &self.membership;
        if membership.is_total() {
            return Ok(());
        }
        let is_alone = |view: &usize| {
            let mut others = (0..self.n_views()).filter(|other| other != view);
            self.n_views() > 1 && others.all(|other| membership.n_common_pairs(*view, other) == 0)
        };
        let alone = (0..self.n_views()).filter(is_alone).map(|view| {
            let name = self.views[view].name();
            fault(
                Code::E02,
                name,
                format!(
                    "view `{name}` has {} of the {} nodes, and no pair of them in common with any other view",
                    membership.n_nodes_of(view),
                    self.n_nodes()
                ),
                "views are coupled edge by edge, and this one shares none with another",
                format!(
                    "leave the view out, or {} to learn every view on its own",
                    option("single").added()
                ),
            )
        });
        stage(alone.collect())
    }

    /// How many independent samples those of a view are worth.
    ///
    /// A sample that resembles the ones before adds little: p samples in a row count as p / (1 + 2 Σ max(0, mean
    /// r(k)² − (1 − k/p)/p)), with the autocorrelations r(k) of the nodes at lags k up to p/4; blocks are judged one by
    /// one and added up. Independent samples keep their number. What [`Table::n_effective`] told goes before. None for
    /// precomputed matrices whose samples are not told.
    ///
    /// ```
    /// use congraph::{Table, ViewOptions, Views};
    ///
    /// let slow = |k: usize| [(k as f64 / 50.0).sin(), (k as f64 / 60.0).cos()];
    /// let table = Table::new("slow", 2, (0..400).flat_map(slow).collect());
    /// let (views, warnings) = Views::assemble(vec![table], &ViewOptions::default())?;
    /// assert!(views.effective_samples(0).unwrap() < 20.0);
    /// assert_eq!(warnings[0].code, "W05");
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn effective_samples(&self, view: usize) -> Option<f64> {
        let told = self.views[view].n_effective;
        match self.kind {
            Kind::Signals => Some(
                told.unwrap_or_else(|| effective::effective(&self.views[view], &effective::own_by_name(self, view))),
            ),
            Kind::Gram | Kind::Covariance => told.or(self.views[view].n_samples.map(|n| n as f64)),
        }
    }

    /// Whether the nodes are electrodes.
    pub fn are_electrodes(&self) -> bool {
        self.electrodes
    }

    /// What the numbers are.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What they are if they are not signals, in the words of a message; who gave signals with gaps gave no matrices.
    pub(crate) fn matrices(&self) -> String {
        if self.pairwise {
            format!(
                "covariances of signals with gaps ({})",
                option("nan").set_to("pairwise")
            )
        } else {
            "precomputed matrices".into()
        }
    }

    /// What to do where samples are needed, and these are not signals.
    pub(crate) fn for_samples(&self) -> String {
        if self.pairwise {
            format!(
                "leave out the samples with gaps ({}) or the nodes with gaps ({} in place of {})",
                option("nan").set_to("drop-rows"),
                option("missing").set_to("mask"),
                option("nan").set_to("pairwise")
            )
        } else {
            "give the signals".into()
        }
    }

    /// The names of the nodes.
    pub fn nodes(&self) -> &[String] {
        &self.nodes
    }

    /// How many nodes.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// How many views.
    pub fn n_views(&self) -> usize {
        self.views.len()
    }

    /// One view.
    pub fn view(&self, view: usize) -> &View {
        &self.views[view]
    }

    /// All views in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &View> {
        self.views.iter()
    }

    /// The same views with nodes and views sorted by name, and where each stood.
    pub fn sorted(&self) -> (Cow<'_, Self>, Order) {
        let mut views: Vec<usize> = (0..self.n_views()).collect();
        views.sort_by_key(|&view| &self.views[view].name);
        self.with_nodes_sorted(views)
    }

    /// The same with nodes sorted by name and views as they were given: for what depends on the order of the views.
    pub fn sorted_nodes(&self) -> (Cow<'_, Self>, Order) {
        self.with_nodes_sorted((0..self.n_views()).collect())
    }

    /// Where each node stands among all by name.
    pub(crate) fn ranks_by_name(&self) -> Vec<u32> {
        let mut nodes: Vec<usize> = (0..self.n_nodes()).collect();
        nodes.sort_by_key(|&node| &self.nodes[node]);
        Order {
            nodes,
            views: Vec::new(),
            flipped: Vec::new(),
        }
        .places()
    }

    fn with_nodes_sorted(&self, views: Vec<usize>) -> (Cow<'_, Self>, Order) {
        let mut nodes: Vec<usize> = (0..self.n_nodes()).collect();
        nodes.sort_by_key(|&node| &self.nodes[node]);
        let order = Order {
            nodes,
            views,
            flipped: Vec::new(),
        };
        if order.nodes.is_sorted() && order.views.is_sorted() {
            return (Cow::Borrowed(self), order);
        }
        (Cow::Owned(self.arranged(&order)), order)
    }

    /// The same with nodes and views in another order, and signals with the signs of that order.
    pub(crate) fn arranged(&self, order: &Order) -> Self {
        let places = Arc::new(order.nodes.iter().map(|&node| node as u32).collect());
        let arranged = |&view: &usize| {
            let source = &self.views[view];
            let rows = if !source.is_here() || self.kind == Kind::Signals && order.flipped.is_empty() {
                source.rows.in_order(&places)
            } else if self.kind == Kind::Signals {
                let mut values = Vec::with_capacity(order.nodes.len() * source.rows.stride());
                for (&node, &flip) in order.nodes.iter().zip(&order.flipped) {
                    let signs = source.node(node).iter().map(|&value| if flip { -value } else { value });
                    values.extend(signs);
                }
                Rows::new(values, source.rows.stride())
            } else if !order.flipped.is_empty() {
                let nodes = || order.nodes.iter().zip(&order.flipped);
                let entry = |(&row, &flip): (&usize, &bool)| {
                    nodes().map(move |(&column, &other)| {
                        let value = source.node(row)[column];
                        if flip == other { value } else { -value }
                    })
                };
                Rows::new(nodes().flat_map(entry).collect(), order.nodes.len())
            } else {
                let entry = |&row: &usize| order.nodes.iter().map(move |&column| source.node(row)[column]);
                Rows::new(order.nodes.iter().flat_map(entry).collect(), order.nodes.len())
            };
            View {
                name: source.name.clone(),
                n_samples: source.n_samples,
                n_effective: source.n_effective,
                rows,
                blocks: source.blocks.clone(),
            }
        };
        Self {
            kind: self.kind,
            pairwise: self.pairwise,
            nodes: order.nodes.iter().map(|&node| self.nodes[node].clone()).collect(),
            views: order.views.par_iter().map(arranged).collect(),
            membership: Arc::new(self.membership.arranged(order)),
            electrodes: self.electrodes,
            holders: self.holders.as_ref().map(|holders| holders.of_views(&order.views)),
        }
    }

    /// One view with some of the nodes that it has, in this order.
    pub(crate) fn single(&self, view: usize, nodes: &[usize]) -> Self {
        debug_assert!(nodes.iter().all(|&node| self.has(view, node)));
        let order = Order {
            nodes: nodes.to_vec(),
            views: vec![view],
            flipped: Vec::new(),
        };
        Self {
            membership: Arc::new(Membership::total(nodes.len(), 1)),
            ..self.arranged(&order)
        }
    }

    /// The same views with some of the nodes, in this order.
    pub(crate) fn with_nodes(&self, nodes: &[usize]) -> Self {
        let order = Order {
            nodes: nodes.to_vec(),
            views: (0..self.n_views()).collect(),
            flipped: Vec::new(),
        };
        let lacks = |view: usize, place: usize| !self.has(view, nodes[place]);
        Self {
            membership: Arc::new(Membership::new(nodes.len(), self.n_views(), lacks)),
            ..self.arranged(&order)
        }
    }

    /// The same views with only these samples of each, in this order.
    ///
    /// # Panics
    /// If the views are not signals, or there is no such sample.
    pub(crate) fn with_samples(&self, samples: &[Vec<usize>]) -> Self {
        assert_eq!(self.kind, Kind::Signals, "only signals have samples");
        let chosen = |(view, samples): (&View, &Vec<usize>)| View {
            name: view.name.clone(),
            n_samples: Some(samples.len()),
            n_effective: None,
            rows: Rows::new(
                (0..self.n_nodes())
                    .flat_map(|node| samples.iter().map(move |&sample| view.node(node)[sample]))
                    .collect(),
                samples.len(),
            ),
            blocks: view
                .blocks
                .as_ref()
                .map(|blocks| samples.iter().map(|&sample| blocks[sample].clone()).collect()),
        };
        Self {
            kind: self.kind,
            pairwise: self.pairwise,
            nodes: self.nodes.clone(),
            views: self.views.iter().zip(samples).map(chosen).collect(),
            membership: Arc::clone(&self.membership),
            electrodes: self.electrodes,
            holders: self.holders.clone(),
        }
    }

    /// Some of the views, in this order.
    pub(crate) fn with_views(&self, views: &[usize]) -> Self {
        Self {
            kind: self.kind,
            pairwise: self.pairwise,
            nodes: self.nodes.clone(),
            views: views.iter().map(|&view| self.views[view].clone()).collect(),
            membership: self.membership_of(views),
            electrodes: self.electrodes,
            holders: self.holders.as_ref().map(|holders| holders.of_views(views)),
        }
    }

    /// Some of the views as covariances, nodes × nodes each, made from so many samples that are worth so many.
    pub(crate) fn as_covariances(&self, views: &[usize], values: Vec<Vec<f64>>, samples: &[(usize, f64)]) -> Self {
        let covariance = |((&view, values), &(n_samples, worth)): ((&usize, Vec<f64>), &(usize, f64))| View {
            name: self.views[view].name.clone(),
            n_samples: Some(n_samples),
            n_effective: Some(worth),
            rows: Rows::new(values, self.n_nodes()),
            blocks: None,
        };
        Self {
            kind: Kind::Covariance,
            pairwise: self.pairwise,
            nodes: self.nodes.clone(),
            views: views.iter().zip(values).zip(samples).map(covariance).collect(),
            membership: self.membership_of(views),
            electrodes: self.electrodes,
            holders: self.holders.as_ref().map(|holders| holders.of_views(views)),
        }
    }

    /// Which of some views has which node.
    fn membership_of(&self, views: &[usize]) -> Arc<Membership> {
        if views.len() == self.n_views() && views.is_sorted() {
            return Arc::clone(&self.membership);
        }
        let lacks = |view: usize, node: usize| !self.has(views[view], node);
        Arc::new(Membership::new(self.n_nodes(), views.len(), lacks))
    }

    /// The same views with other values, in as many rows as each has.
    pub(crate) fn with_values(&self, values: Vec<Vec<f64>>) -> Self {
        let replaced = |(view, values): (&View, Vec<f64>)| View {
            name: view.name.clone(),
            n_samples: view.n_samples,
            n_effective: view.n_effective,
            rows: Rows::new(values, view.rows.stride()),
            blocks: view.blocks.clone(),
        };
        Self {
            kind: self.kind,
            pairwise: self.pairwise,
            nodes: self.nodes.clone(),
            views: self.views.iter().zip(values).map(replaced).collect(),
            membership: Arc::clone(&self.membership),
            electrodes: self.electrodes,
            holders: self.holders.clone(),
        }
    }

    /// The names of the views.
    pub fn names(&self) -> Vec<String> {
        self.views.iter().map(|view| view.name.clone()).collect()
    }
}

/// Ends the assembly if a stage found anything.
fn stage(errors: Vec<DataError>) -> Result<(), Error> {
    if errors.is_empty() {
        Ok(())
    } else {
        Err(Error::Data(errors))
    }
}

/// Shared by the checks: an error about one view.
fn fault(code: Code, view: &str, what: String, why: &str, hint: String) -> DataError {
    DataError::new(code, what, why, hint).in_view(view)
}
