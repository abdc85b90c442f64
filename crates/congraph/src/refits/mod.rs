//! Fits to parts of the data: halves of trials, halves of halves, some of the views.
//!
//! ```text
//! units    what stays together when data are divided (blocks, samples, views), and random halves of it
//! sums     n, Σx and Σxxᵀ of every unit: the covariance of a part is a sum of stored matrices, whatever its samples
//! batch    resamples by number or by counts, and very many fits of them at once
//! ```
//!
//! A [`Refits`] holds the views with their units. [`Refits::halves`] draws two complementary halves of a [`Part`], and
//! [`Refits::fit`] learns the graphs of one with everything anew (z-scores, the divisor of the distances), as if it were
//! all there is; [`Refits::fit_all`] learns those of many on all threads. Where the method needs no more than covariances and the units' sums fit into memory, no fit passes over
//! the samples again.

mod batch;
mod sums;
mod units;

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::edges::Candidates;
use crate::error::Error;
use crate::fit::Learn;
use crate::graph::MultiviewGraph;
use crate::methods::graphical_lasso::GraphicalLasso;
use crate::methods::likelihood::Likelihood;
use crate::methods::smooth::{MANY_NODES, Smooth};
use crate::methods::{Certified, Method};
use crate::progress::{Status, Watch};
use crate::signals::Scale;
use crate::views::Views;

pub use sums::BlockSums;
use units::Units;
pub use units::{Part, Unit, lag_one};

/// A method that can be fitted to parts of the data.
pub trait Refit: Method {
    /// Whether covariances are all that it needs of these views, and how nodes are to be scaled in them.
    fn scale_of_sums(&self, views: &Views) -> Option<Scale>;

    /// How many pairs of nodes may be joined, if they are listed.
    fn n_listed(&self) -> Option<usize> {
        None
    }

    /// Whether a fit that starts from another one's solution is sooner done.
    fn is_warm(&self) -> bool {
        false
    }
}

impl Refit for Smooth {
    /// Another spectrum is that of the samples; and many nodes are fitted from a working set, which needs them, too.
    fn scale_of_sums(&self, views: &Views) -> Option<Scale> {
        let needs_samples = matches!(self.candidates, Candidates::Nearest { .. }) || views.n_nodes() >= MANY_NODES;
        (self.spectrum.is_plain() && !needs_samples).then_some(self.scaling.scale)
    }

    fn n_listed(&self) -> Option<usize> {
        listed(&self.candidates)
    }
}

impl Refit for Likelihood {
    fn scale_of_sums(&self, _: &Views) -> Option<Scale> {
        Some(Scale::Center)
    }

    fn n_listed(&self) -> Option<usize> {
        listed(&self.candidates)
    }

    fn is_warm(&self) -> bool {
        true
    }
}

impl Refit for GraphicalLasso {
    fn scale_of_sums(&self, _: &Views) -> Option<Scale> {
        Some(self.scaling.scale)
    }
}

/// How many pairs are in a list, each counted once.
fn listed(candidates: &Candidates) -> Option<usize> {
    let Candidates::Listed(pairs) = candidates else {
        return None;
    };
    let distinct: BTreeSet<[u32; 2]> = pairs.iter().map(|&[a, b]| [a.min(b), a.max(b)]).collect();
    Some(distinct.len())
}

/// Views with what stays together in them.
#[derive(Clone, Debug)]
pub struct Refits<'v> {
    views: &'v Views,
    units: Units,
    sums: Option<BlockSums>,
}

impl<'v> Refits<'v> {
    /// Finds the units, and their sums if the method needs no more and `memory` bytes hold them.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there are no such units: a view without blocks, or matrices without samples.
    pub fn new<M: Refit>(method: &M, views: &'v Views, unit: Unit, memory: u64) -> Result<Self, Error> {
        let units = Units::of(views, unit)?;
        let scale = method.scale_of_sums(views);
        let pays = scale.is_some() && units.pay() && BlockSums::memory(views, &units) <= memory;
        let sums = scale.filter(|_| pays).map(|scale| BlockSums::new(views, &units, scale));
        Ok(Self { views, units, sums })
    }

    /// The views.
    pub fn views(&self) -> &'v Views {
        self.views
    }

    /// Whether fits are made from sums, without passing over samples.
    pub fn has_sums(&self) -> bool {
        self.sums.is_some()
    }

    /// How many units each view has; where views are the units, how many views there are, once.
    pub fn n_units(&self) -> Vec<usize> {
        self.units.counts()
    }

    /// All of the data.
    pub fn whole(&self) -> Part {
        self.units.whole()
    }

    /// The two halves number `number` of a part; what is drawn is the same for any order of nodes and views.
    ///
    /// # Errors
    /// E05 if a view cannot be halved.
    pub fn halves(&self, part: &Part, seed: u64, number: u64) -> Result<[Part; 2], Error> {
        self.units.halves(self.views, part, seed, number)
    }

    /// The data of a part: signals, or covariances where sums are kept.
    pub fn data(&self, part: &Part) -> Cow<'v, Views> {
        match &self.sums {
            Some(sums) => Cow::Owned(sums.data(self.views, part)),
            None => self.units.data(self.views, part),
        }
    }

    /// Learns the graphs of a part, in the order of the views' nodes and of the part's views; none if the caller asked
    /// to stop.
    ///
    /// # Errors
    /// What the method refuses.
    pub fn fit<M: Refit>(
        &self,
        method: &M,
        part: &Part,
        start: Option<&M::Start>,
        watch: Watch<'_>,
    ) -> Result<Option<MultiviewGraph>, Error> {
        let data = self.data(part);
        let session = method.session(&data, watch)?;
        let fit = session.fit(method.model(), start, watch)?;
        Ok((fit.solution.status() != Status::Interrupted).then(|| session.graph(&fit)))
    }
}
