//! Who is compared with whom: labels, pairs and covariates of the views, checked before anything is computed.

use super::Settings;
use super::relabelling::least_share;
use crate::error::{Code, DataError, Error, list_names};
use crate::options::option;

/// How many groups can be told apart by letters.
const MOST_GROUPS: usize = 26;
/// The length below which what is left of a column, after others explained it, is rounding.
const ROUNDING: f64 = 1e-9;

/// The labels of views, in the order of the graphs, and what else is known of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Design {
    /// The group or condition of each view.
    pub labels: Vec<String>,
    /// The subject of each view, if each has one view in both of two conditions.
    pub pairs: Option<Vec<String>>,
    /// What else may explain differences between groups.
    pub covariates: Vec<Covariate>,
}

/// Something that may explain differences between groups, such as age.
#[derive(Clone, Debug, PartialEq)]
pub struct Covariate {
    /// Its name.
    pub name: String,
    /// Its value for each view.
    pub values: CovariateValues,
}

/// The values of a covariate.
#[derive(Clone, Debug, PartialEq)]
pub enum CovariateValues {
    /// Numbers; NaN where it is missing.
    Numbers(Vec<f64>),
    /// Words such as `f` and `m`; empty where it is missing. Each but one has an effect of its own.
    Levels(Vec<String>),
}

impl CovariateValues {
    fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Levels(values) => values.len(),
        }
    }

    fn is_missing(&self, view: usize) -> bool {
        match self {
            Self::Numbers(values) => !values[view].is_finite(),
            Self::Levels(values) => values[view].is_empty(),
        }
    }

    /// As columns of numbers, with the views in this order.
    fn columns(&self, order: &[usize]) -> Vec<Vec<f64>> {
        let levels = match self {
            Self::Numbers(values) => return vec![order.iter().map(|&view| values[view]).collect()],
            Self::Levels(levels) => levels,
        };
        let mut words: Vec<&String> = levels.iter().collect();
        words.sort_unstable();
        words.dedup();
        let column = |word: &&String| order.iter().map(|&view| f64::from(levels[view] == **word)).collect();
        // The first is what the others differ from; a single one is a constant, and told as such.
        let first = usize::from(words.len() > 1);
        words[first..].iter().map(column).collect()
    }
}

/// A design that can be tested, with views sorted by name.
#[derive(Clone, Debug)]
pub(super) struct Checked {
    /// The names of the groups, sorted.
    pub(super) groups: Vec<String>,
    /// How many views each has.
    pub(super) sizes: Vec<usize>,
    /// The group of each view, in the order of the graphs.
    pub(super) group_of: Vec<usize>,
    /// The views sorted by name.
    pub(super) views: Vec<usize>,
    /// The group of each of these.
    pub(super) unit_groups: Vec<usize>,
    /// The two views of each pair, that of the first group first.
    pub(super) pairs: Option<Vec<[usize; 2]>>,
    /// The columns that may explain differences, with the views sorted by name.
    pub(super) covariates: Vec<Vec<f64>>,
}

impl Checked {
    /// A design for the views of these names.
    ///
    /// # Errors
    /// E17 with every view or pair that cannot be used.
    pub(super) fn new(design: &Design, names: &[String], settings: &Settings) -> Result<Self, Error> {
        for (what, n) in lengths(design) {
            if n != names.len() {
                let message = format!("are {n}, and there are {} views: give one for each", names.len());
                return Err(Error::Invalid { what, message });
            }
        }
        let unlabelled: Vec<&String> = named(names, |view| design.labels[view].is_empty());
        if !unlabelled.is_empty() {
            let what = format!("{} no label: {}", views_have(unlabelled.len()), list_names(&unlabelled));
            let hint = "give each a label, or learn the graphs again without these views";
            return Err(refused(
                what,
                "every view of the fit belongs to one of the groups",
                hint,
            ));
        }
        let mut groups = design.labels.clone();
        groups.sort_unstable();
        groups.dedup();
        let group = |label: &String| groups.binary_search(label).unwrap_or_default();
        let group_of: Vec<usize> = design.labels.iter().map(group).collect();
        let mut views: Vec<usize> = (0..names.len()).collect();
        views.sort_by_key(|&view| &names[view]);
        let mut checked = Self {
            sizes: (0..groups.len())
                .map(|group| group_of.iter().filter(|other| **other == group).count())
                .collect(),
            unit_groups: views.iter().map(|&view| group_of[view]).collect(),
            groups,
            group_of,
            views,
            pairs: None,
            covariates: Vec::new(),
        };
        checked.check_groups(design.pairs.is_some())?;
        if let Some(pairs) = &design.pairs {
            checked.pairs = Some(checked.paired(pairs, names, !design.covariates.is_empty())?);
        }
        for covariate in &design.covariates {
            checked.add(covariate, names)?;
        }
        checked.check_reach(settings)?;
        Ok(checked)
    }

    pub(super) fn is_paired(&self) -> bool {
        self.pairs.is_some()
    }

    pub(super) fn has_covariates(&self) -> bool {
        !self.covariates.is_empty()
    }

    /// How many views, or pairs of them, there are.
    pub(super) fn n_units(&self) -> usize {
        self.pairs.as_ref().map_or(self.views.len(), Vec::len)
    }

    /// How many distinct relabellings there are, the observed one among them.
    pub(super) fn n_distinct(&self) -> f64 {
        if self.is_paired() {
            return 2.0_f64.powi(self.n_units() as i32);
        }
        let (mut n_distinct, mut n_views) = (1.0, 0.0);
        for &size in &self.sizes {
            for k in 1..=size {
                n_views += 1.0;
                // Whole after every step: a binomial coefficient.
                n_distinct = n_distinct * n_views / k as f64;
            }
        }
        n_distinct
    }

    fn check_groups(&self, is_paired: bool) -> Result<(), Error> {
        let why = "a comparison is between groups of several views";
        if let [group] = &self.groups[..] {
            let what = format!("all {} views have the label `{group}`", self.views.len());
            return Err(refused(what, why, "give labels that tell groups apart"));
        }
        if is_paired {
            return Ok(());
        }
        let alone = |group: &usize| self.sizes[*group] == 1;
        let alone: Vec<&String> = (0..self.groups.len())
            .filter(alone)
            .map(|group| &self.groups[group])
            .collect();
        if !alone.is_empty() {
            let groups = if alone.len() == 1 { "group has" } else { "groups have" };
            let what = format!("{} {groups} one view only: {}", alone.len(), list_names(&alone));
            let hint = "leave these views out of the fit, or join groups; are these labels, and not names or numbers?";
            return Err(refused(
                what,
                "one view says nothing of how much the views of a group differ",
                hint,
            ));
        }
        if self.groups.len() > MOST_GROUPS {
            let what = format!(
                "there are {} groups, and {MOST_GROUPS} at most can be compared",
                self.groups.len()
            );
            return Err(refused(what, why, "are these labels, and not numbers? Join groups"));
        }
        Ok(())
    }

    /// The two views of every pair.
    fn paired(&self, subjects: &[String], names: &[String], has_covariates: bool) -> Result<Vec<[usize; 2]>, Error> {
        let why = "each subject is compared with itself: once in one condition, once in the other";
        if self.groups.len() != 2 {
            let what = format!(
                "pairs need two conditions, and the labels are {}: {}",
                self.groups.len(),
                list_names(&self.groups)
            );
            return Err(refused(what, why, "learn from the views of two conditions only"));
        }
        if has_covariates {
            let what = "covariates cannot be used with pairs";
            let why = "a difference within a subject is free of what belongs to the subject, such as its age";
            return Err(refused(what.into(), why, format!("leave out {}", option("covariates"))));
        }
        let lost: Vec<&String> = named(names, |view| subjects[view].is_empty());
        if !lost.is_empty() {
            let what = format!("{} no subject: {}", views_have(lost.len()), list_names(&lost));
            return Err(refused(what, why, "name the subject of every view"));
        }
        let mut known: Vec<&String> = subjects.iter().collect();
        known.sort_unstable();
        known.dedup();
        let mut views_of = vec![[Vec::new(), Vec::new()]; known.len()];
        for (view, subject) in subjects.iter().enumerate() {
            let subject = known.binary_search(&subject).unwrap_or_default();
            views_of[subject][self.group_of[view]].push(view);
        }
        let odd = |views: &[Vec<usize>; 2]| views.iter().any(|views| views.len() != 1);
        let odd: Vec<&String> = known
            .iter()
            .zip(&views_of)
            .filter(|(_, of)| odd(of))
            .map(|(name, _)| *name)
            .collect();
        if !odd.is_empty() {
            let what = format!(
                "{} of {} subjects {} not have one view in each of `{}` and `{}`: {}",
                odd.len(),
                known.len(),
                if odd.len() == 1 { "does" } else { "do" },
                self.groups[0],
                self.groups[1],
                list_names(&odd)
            );
            let hint = "leave their views out of the fit; groups of different subjects are compared without pairs";
            return Err(refused(what, why, hint));
        }
        Ok(views_of.iter().map(|[one, two]| [one[0], two[0]]).collect())
    }

    /// Takes a covariate up.
    fn add(&mut self, covariate: &Covariate, names: &[String]) -> Result<(), Error> {
        let name = &covariate.name;
        let missing: Vec<&String> = named(names, |view| covariate.values.is_missing(view));
        if !missing.is_empty() {
            let what = format!("{} no `{name}`: {}", views_have(missing.len()), list_names(&missing));
            let hint = format!(
                "fill it in, learn without these views, or leave `{name}` out of {}",
                option("covariates")
            );
            return Err(refused(
                what,
                "a covariate is taken out of the weights of every view",
                hint,
            ));
        }
        let hint = format!("leave it out of {}", option("covariates"));
        let mut basis = basis(&self.covariates, self.views.len());
        for column in covariate.values.columns(&self.views) {
            if left_over(&column, &basis[..1]).is_none() {
                let what = format!("the covariate `{name}` is the same for all views");
                return Err(refused(what, "it explains nothing", hint));
            }
            let Some(direction) = left_over(&column, &basis) else {
                let what = format!("the covariate `{name}` follows from the covariates before it");
                return Err(refused(what, "what they explain cannot be told apart", hint));
            };
            basis.push(direction);
            self.covariates.push(column);
        }
        for group in 1..self.groups.len() {
            let label: Vec<f64> = self
                .unit_groups
                .iter()
                .map(|other| f64::from(*other == group))
                .collect();
            match left_over(&label, &basis) {
                Some(direction) => basis.push(direction),
                None => {
                    let what = format!("`{name}` and the covariates before it say which group a view is of");
                    let why = "what the groups and what the covariates explain cannot be told apart";
                    let hint = format!("{hint}, or compare groups that overlap in it");
                    return Err(refused(what, why, hint));
                }
            }
        }
        if basis.len() + 1 > self.views.len() {
            let what = format!(
                "{} covariates are too many for {} views",
                self.covariates.len(),
                self.views.len()
            );
            return Err(refused(what, "they explain all there is", hint));
        }
        Ok(())
    }

    /// Whether any result could reach the level.
    fn check_reach(&self, settings: &Settings) -> Result<(), Error> {
        let level = settings.level;
        let least = least_share(self);
        if least > level {
            let units = if self.is_paired() { "pairs" } else { "views" };
            let what = format!(
                "{} {units} can be relabelled in {:.0} ways, so that no p is below {}, and the level is {level}",
                self.n_units(),
                self.n_distinct(),
                rounded(least),
            );
            let hint = format!(
                "compare more {units}, or choose a level that can be reached with {}",
                option("level")
            );
            return Err(refused(what, "whatever the data, nothing could be found", hint));
        }
        let least = 1.0 / (settings.permutations + 1) as f64;
        if least > level && self.n_distinct() > settings.permutations as f64 {
            let message = format!(
                "is {}: no p is below {}, and the level is {level}; give at least {:.0}",
                settings.permutations,
                rounded(least),
                (1.0 / level - 1.0).ceil()
            );
            let name = "permutations";
            return Err(Error::Parameter { name, message });
        }
        Ok(())
    }
}

/// What is given for each view, and for how many.
fn lengths(design: &Design) -> Vec<(&'static str, usize)> {
    let mut lengths = vec![("labels", design.labels.len())];
    lengths.extend(design.pairs.iter().map(|pairs| ("pairs", pairs.len())));
    lengths.extend(
        design
            .covariates
            .iter()
            .map(|one| ("values of a covariate", one.values.len())),
    );
    lengths
}

fn rounded(share: f64) -> String {
    format!("{share:.4}").trim_end_matches('0').to_owned()
}

/// The names of the views of which something holds.
fn named(names: &[String], holds: impl Fn(usize) -> bool) -> Vec<&String> {
    let views = (0..names.len()).filter(|&view| holds(view));
    views.map(|view| &names[view]).collect()
}

fn views_have(n: usize) -> String {
    if n == 1 {
        "1 view has".into()
    } else {
        format!("{n} views have")
    }
}

fn refused(what: String, why: impl Into<String>, hint: impl Into<String>) -> Error {
    DataError::new(Code::E17, what, why, hint).into()
}

/// An orthonormal basis of the constant and some columns, of which none follows from those before it.
pub(super) fn basis(columns: &[Vec<f64>], n: usize) -> Vec<Vec<f64>> {
    let mut basis = vec![vec![1.0 / (n as f64).sqrt(); n]];
    for column in columns {
        if let Some(direction) = left_over(column, &basis) {
            basis.push(direction);
        }
    }
    basis
}

/// What is left of a column after an orthonormal basis explained it, of length 1; none if nothing is.
pub(super) fn left_over(column: &[f64], basis: &[Vec<f64>]) -> Option<Vec<f64>> {
    let length = |column: &[f64]| column.iter().map(|x| x * x).sum::<f64>().sqrt();
    let whole = length(column);
    let mut rest = column.to_vec();
    remove(&mut rest, basis);
    let left = length(&rest);
    if left <= ROUNDING * whole {
        return None;
    }
    rest.iter_mut().for_each(|x| *x /= left);
    Some(rest)
}

/// Takes out of a column what an orthonormal basis explains; twice, since rounding leaves some of it the first time.
pub(super) fn remove(column: &mut [f64], basis: &[Vec<f64>]) {
    for direction in basis.iter().chain(basis) {
        let share: f64 = column.iter().zip(direction).map(|(x, y)| x * y).sum();
        column.iter_mut().zip(direction).for_each(|(x, y)| *x -= share * y);
    }
}
