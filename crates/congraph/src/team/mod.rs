//! Several processes that work on one fit, and how they talk.
//!
//! Every member of a [`Team`] runs the same program on the same data and calls the same functions in the same order. What
//! is shared out is the work on pairs of nodes, and the signals, where members hold views for each other
//! ([`Views::assemble_held`](crate::Views::assemble_held)); multipliers and everything else with one value per node is
//! everywhere.
//!
//! ```text
//! team      everyone's bytes for everyone, and some for each
//! alone     one process: everybody is oneself (the default)
//! threads   a team of threads, each with a pool of its own: for tests, and for those who write a team of their own
//! leaves    sums over the edges in a fixed tree, whoever has which of them
//! share     the part of a list of edges that a member has
//! traffic   what a member has sent, counted
//! ```
//!
//! The result is the same, to the bit, for any number of members: what is found is put together in an order of its own, and
//! sums are taken in a tree that depends on the problem alone.

mod leaves;
mod share;
mod threads;
mod traffic;

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

pub(crate) use leaves::{MOST_LEAVES, fold_few};
pub(crate) use share::Share;
pub use threads::{Member, Threads};
pub use traffic::{Load, Traffic};

/// Members that work on one fit. All call the same methods in the same order; each returns when all have called it.
///
/// A member that cannot go on ends the whole team: no method returns without everybody's answer. (MPI aborts all
/// processes; [`Threads`] ends all threads.)
pub trait Team: fmt::Debug + Send + Sync {
    /// Which member this is, from 0 on.
    fn rank(&self) -> usize;

    /// How many there are.
    fn size(&self) -> usize;

    /// Everyone's bytes, in the order of ranks.
    fn gather(&self, own: &[u8]) -> Vec<Vec<u8>>;

    /// Part r goes to member r: what all had for this one, in the order of ranks.
    fn exchange(&self, parts: Vec<Vec<u8>>) -> Vec<Vec<u8>>;

    /// Whether members keep parts of the working set for themselves, instead of all holding all of it: less memory and less
    /// work for each, for some hundred sums over the network in a fit.
    fn shares_set(&self) -> bool {
        true
    }

    /// Told what is sent next, for those who count.
    fn sends(&self, _load: Load) {}

    /// Ends the team: it cannot go on.
    fn end(&self, why: &str) -> ! {
        // Not a panic: no words are printed, and whoever runs the member tells why.
        std::panic::resume_unwind(Box::new(Ended(why.to_owned())))
    }
}

/// One process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Alone;

impl Team for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn gather(&self, own: &[u8]) -> Vec<Vec<u8>> {
        vec![own.to_vec()]
    }

    fn exchange(&self, parts: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        parts
    }
}

static OF_PROCESS: RwLock<Option<Arc<dyn Team>>> = RwLock::new(None);

/// Makes this process a member of a team: from now on every new [`Smooth`](crate::Smooth) works with it.
pub fn join(team: Arc<dyn Team>) {
    *OF_PROCESS.write().unwrap_or_else(PoisonError::into_inner) = Some(team);
}

/// The team of this process: [`Alone`] unless it has [joined](join) one.
pub fn of_process() -> Arc<dyn Team> {
    let team = OF_PROCESS.read().unwrap_or_else(PoisonError::into_inner).clone();
    team.unwrap_or_else(|| Arc::new(Alone))
}

/// What teams do beyond handing out bytes.
impl dyn Team + '_ {
    /// Whether there is anybody else.
    pub(crate) fn is_alone(&self) -> bool {
        self.size() == 1
    }

    /// Whether one of several equal pieces of work is this member's, where the work of piece k falls with k: the first goes
    /// with the last.
    pub(crate) fn has_piece(&self, piece: usize, n_pieces: usize) -> bool {
        piece.min(n_pieces - 1 - piece) % self.size() == self.rank()
    }

    /// Everyone's values, in the order of ranks.
    pub(crate) fn gather_values<T: bytemuck::Pod>(&self, own: &[T]) -> Vec<Vec<T>> {
        let all = self.gather(bytemuck::cast_slice(own));
        all.iter().map(|bytes| values_of(bytes)).collect()
    }

    /// As [`Team::exchange`].
    pub(crate) fn exchange_values<T: bytemuck::Pod>(&self, parts: &[Vec<T>]) -> Vec<Vec<T>> {
        let parts = parts.iter().map(|part| bytemuck::cast_slice(part).to_vec()).collect();
        let all = self.exchange(parts);
        all.iter().map(|bytes| values_of(bytes)).collect()
    }

    /// The largest of everyone's values; not a number if one is none.
    pub(crate) fn largest(&self, own: f64) -> f64 {
        if self.is_alone() {
            return own;
        }
        let all = self.gather_values(&[own]);
        let larger = |x: f64, y: f64| if y > x || y.is_nan() { y } else { x };
        all.into_iter().flatten().fold(f64::NEG_INFINITY, larger)
    }

    /// Whether somebody says so.
    pub(crate) fn any(&self, own: bool) -> bool {
        if self.is_alone() {
            return own;
        }
        self.gather(&[u8::from(own)]).concat().contains(&1)
    }

    /// Whether somebody says so; and ends the team if members are not at the same point, by the bits of some values.
    pub(crate) fn any_at(&self, own: bool, at: &[f64]) -> bool {
        if self.is_alone() {
            return own;
        }
        // FNV-1a, over whole numbers.
        let hash = at.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, value| {
            (hash ^ value.to_bits()).wrapping_mul(0x0100_0000_01b3)
        });
        let all = self.gather_values(&[hash, u64::from(own)]);
        if let Some(other) = all.iter().position(|found| found[0] != hash) {
            self.end(&format!(
                "processes {} and {other} have come to different numbers: they run on different processors, or have \
                 different data; start the job on nodes of one kind",
                self.rank()
            ));
        }
        all.iter().any(|found| found[1] == 1)
    }
}

fn values_of<T: bytemuck::Pod>(bytes: &[u8]) -> Vec<T> {
    let mut values = vec![T::zeroed(); bytes.len() / size_of::<T>()];
    bytemuck::cast_slice_mut(&mut values).copy_from_slice(bytes);
    values
}

/// Why a team could not go on: what its members unwind with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended(pub String);

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
