//! Views that the members of a team hold for each other: each has the signals of some, and everybody all the rest.
//!
//! Whoever needs something of every view's signals [asks](Views::ask) for it: who has them finds it out and tells the
//! others. Of views that are all here this is a loop over the views.

use std::borrow::Cow;
use std::sync::Arc;

use bytemuck::Pod;
use rayon::prelude::*;

use super::missing::{Lack, Lacking};
use super::rows::Rows;
use super::{View, Views};
use crate::error::Warning;
use crate::team::Team;

/// Who has the signals of which view.
#[derive(Clone, Debug)]
pub(super) struct Holders {
    team: Arc<dyn Team>,
    ranks: Vec<usize>,
}

impl PartialEq for Holders {
    fn eq(&self, other: &Self) -> bool {
        let who = |holders: &Self| (holders.team.rank(), holders.team.size());
        self.ranks == other.ranks && who(self) == who(other)
    }
}

/// What was made of a table.
pub(super) struct Gathered {
    pub(super) view: View,
    pub(super) lacking: Lacking,
    pub(super) warnings: Vec<Warning>,
}

impl Gathered {
    /// Of a table whose values another member has; the rest is told by it.
    pub(super) fn elsewhere(name: String) -> Self {
        let view = View {
            name,
            n_samples: None,
            n_effective: None,
            rows: Rows::elsewhere(0),
            blocks: None,
        };
        Self {
            view,
            lacking: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// All but the signals.
    fn told(&self) -> Vec<u8> {
        let mut words = Words::default();
        words.number(self.view.rows.stride() as u64);
        words.option(self.view.n_samples.map(|n| n as u64));
        words.option(self.view.n_effective.map(f64::to_bits));
        words.option(self.view.blocks.as_ref().map(|blocks| blocks.len() as u64));
        for block in self.view.blocks.iter().flatten() {
            words.text(block);
        }
        let lacks = self.lacking.iter().enumerate();
        let lacks: Vec<(usize, Lack)> = lacks.filter_map(|(node, lack)| Some((node, (*lack)?))).collect();
        words.number(lacks.len() as u64);
        for (node, lack) in lacks {
            let [why, what] = match lack {
                Lack::Absent => [0, 0],
                Lack::NotFinite(count) => [1, count as u64],
                Lack::Constant(value) => [2, value.to_bits()],
                Lack::Seldom => [3, 0],
            };
            [node as u64, why, what].into_iter().for_each(|x| words.number(x));
        }
        words.number(self.warnings.len() as u64);
        for warning in &self.warnings {
            words.text(&warning.message);
        }
        words.0
    }

    /// Adds what was told of a view.
    fn complete(&mut self, told: &[u8], n_nodes: usize) {
        let mut told = Told(told);
        self.view.rows = Rows::elsewhere(told.number() as usize);
        self.view.n_samples = told.option().map(|n| n as usize);
        self.view.n_effective = told.option().map(f64::from_bits);
        self.view.blocks = told.option().map(|n| (0..n).map(|_| told.text()).collect());
        self.lacking = vec![None; n_nodes];
        for _ in 0..told.number() {
            let (node, why, what) = (told.number() as usize, told.number(), told.number());
            self.lacking[node] = Some(match why {
                0 => Lack::Absent,
                1 => Lack::NotFinite(what as usize),
                2 => Lack::Constant(f64::from_bits(what)),
                _ => Lack::Seldom,
            });
        }
        for _ in 0..told.number() {
            // Samples that were left out: all that is noticed of the values of one table.
            self.warnings
                .push(Warning::new("W05", told.text()).in_view(&self.view.name));
        }
    }
}

impl Holders {
    pub(super) fn new(team: &Arc<dyn Team>, ranks: Vec<usize>) -> Self {
        Self {
            team: Arc::clone(team),
            ranks,
        }
    }

    /// Those of some views.
    pub(super) fn of_views(&self, views: &[usize]) -> Self {
        Self::new(&self.team, views.iter().map(|&view| self.ranks[view]).collect())
    }

    fn is_here(&self, view: usize) -> bool {
        self.ranks[view] == self.team.rank()
    }

    /// Adds to every view what only its holder knows.
    pub(super) fn complete(&self, all: &mut [Gathered], n_nodes: usize) {
        let views: Vec<usize> = (0..all.len()).collect();
        let told = self.tell(&views, |view| all[view].told());
        for (view, told) in told.iter().enumerate().filter(|(view, _)| !self.is_here(*view)) {
            all[view].complete(told, n_nodes);
        }
    }

    /// What holders of some views have to tell of them.
    fn tell<T: Pod + Send>(&self, some: &[usize], of_view: impl Fn(usize) -> Vec<T> + Sync) -> Vec<Vec<T>> {
        let own: Vec<usize> = some.iter().copied().filter(|&view| self.is_here(view)).collect();
        let own: Vec<Vec<T>> = own.into_par_iter().map(&of_view).collect();
        let lengths: Vec<u64> = own.iter().map(|values| values.len() as u64).collect();
        let lengths = self.team.gather_values(&lengths);
        let values = self.team.gather_values(&own.concat());
        drop(own);
        let mut next = vec![(0, 0); self.team.size()];
        let of_view = |&view: &usize| {
            let rank = self.ranks[view];
            let (which, start) = next[rank];
            let end = start + lengths[rank][which] as usize;
            next[rank] = (which + 1, end);
            values[rank][start..end].to_vec()
        };
        some.iter().map(of_view).collect()
    }
}

impl Views {
    /// Whether members of a team hold the signals for each other: not everybody has those of all views.
    pub fn are_held(&self) -> bool {
        self.holders.is_some()
    }

    /// Who has the signals of a view: the rank of a member; none if everybody has them.
    pub fn holder(&self, view: usize) -> Option<usize> {
        self.holders.as_ref().map(|holders| holders.ranks[view])
    }

    /// What is to be known of every view, from whoever has its signals, in the order of the views. Every member of a team
    /// asks the same.
    pub(crate) fn ask<T: Pod + Send>(&self, of_view: impl Fn(usize) -> Vec<T> + Sync) -> Vec<Vec<T>> {
        let all: Vec<usize> = (0..self.n_views()).collect();
        self.ask_of(&all, of_view)
    }

    /// The same of some views.
    pub(crate) fn ask_of<T: Pod + Send>(
        &self,
        some: &[usize],
        of_view: impl Fn(usize) -> Vec<T> + Sync,
    ) -> Vec<Vec<T>> {
        match &self.holders {
            None => some.par_iter().map(|&view| of_view(view)).collect(),
            Some(holders) => holders.tell(some, of_view),
        }
    }

    /// How many views can be asked of at a time without anybody having much to do for two of them.
    pub(crate) fn at_once(&self) -> usize {
        self.holders.as_ref().map_or(1, |holders| holders.team.size())
    }

    /// The same views with all signals at every member. Everybody calls it.
    #[must_use]
    pub fn whole(&self) -> Cow<'_, Self> {
        let Some(holders) = &self.holders else {
            return Cow::Borrowed(self);
        };
        let of_view = |(index, view): (usize, &View)| {
            let mut told = holders.tell(&[index], |_| view.rows.to_vec());
            View {
                rows: Rows::new(told.swap_remove(0), view.rows.stride()),
                ..view.clone()
            }
        };
        Cow::Owned(Self {
            views: self.views.iter().enumerate().map(of_view).collect(),
            holders: None,
            nodes: self.nodes.clone(),
            membership: Arc::clone(&self.membership),
            ..*self
        })
    }
}

/// Numbers and texts as bytes, for members of one program.
#[derive(Default)]
struct Words(Vec<u8>);

impl Words {
    fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn option(&mut self, number: Option<u64>) {
        self.number(u64::from(number.is_some()));
        self.number(number.unwrap_or(0));
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }
}

/// The same, read.
struct Told<'a>(&'a [u8]);

impl Told<'_> {
    fn number(&mut self) -> u64 {
        let (number, rest) = self.0.split_first_chunk().expect("what was told");
        self.0 = rest;
        u64::from_le_bytes(*number)
    }

    fn option(&mut self) -> Option<u64> {
        let is_some = self.number() == 1;
        let number = self.number();
        is_some.then_some(number)
    }

    fn text(&mut self) -> String {
        let length = self.number() as usize;
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        String::from_utf8_lossy(text).into_owned()
    }
}
