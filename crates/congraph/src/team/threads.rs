//! A team of threads in one process.

use std::any::Any;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::{Ended, Load, Team, Traffic};

/// A team of threads, each of which has a pool of its own: what processes do, without processes.
#[derive(Clone, Copy, Debug)]
pub struct Threads {
    size: usize,
    shares_set: bool,
}

/// A member: what all members share, and who this one is.
pub struct Member {
    rank: usize,
    shares_set: bool,
    table: Arc<Table>,
    /// What it has sent.
    pub traffic: Traffic,
}

/// Where members put what they have for others.
struct Table {
    size: usize,
    state: Mutex<State>,
    turned: Condvar,
}

#[derive(Default)]
struct State {
    /// What each member has for each.
    parts: Vec<Option<Vec<Vec<u8>>>>,
    /// How many have taken theirs.
    taken: usize,
    /// How often the table was cleared.
    round: u64,
    ended: Option<String>,
}

impl Threads {
    /// A team of so many.
    ///
    /// # Panics
    /// If there is nobody.
    pub fn new(size: usize) -> Self {
        assert!(size > 0, "a team has members");
        Self { size, shares_set: true }
    }

    /// The same with the whole working set at every member.
    #[must_use]
    pub fn with_whole_set(self) -> Self {
        Self {
            shares_set: false,
            ..self
        }
    }

    /// Runs work at every member; what they return, in the order of ranks.
    ///
    /// # Errors
    /// Why the team ended, if a member panicked or said so.
    pub fn run<T: Send>(&self, work: impl Fn(Arc<Member>) -> T + Sync) -> Result<Vec<T>, String> {
        let table = Arc::new(Table {
            size: self.size,
            state: Mutex::new(State {
                parts: (0..self.size).map(|_| None).collect(),
                ..State::default()
            }),
            turned: Condvar::new(),
        });
        let member = |rank: usize| {
            let member = Arc::new(Member {
                rank,
                shares_set: self.shares_set,
                table: Arc::clone(&table),
                traffic: Traffic::default(),
            });
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(1)
                .build()
                .map_err(|error| error.to_string())?;
            let found = std::panic::catch_unwind(AssertUnwindSafe(|| pool.install(|| work(member))));
            found.map_err(|cause| table.end(&reason(cause.as_ref(), rank)))
        };
        std::thread::scope(|scope| {
            let members: Vec<_> = (0..self.size).map(|rank| scope.spawn(move || member(rank))).collect();
            let ended = |_| Err("a member ended without a word".to_owned());
            let found: Vec<Result<T, String>> = members
                .into_iter()
                .map(|one| one.join().unwrap_or_else(ended))
                .collect();
            found.into_iter().collect()
        })
    }
}

fn reason(cause: &(dyn Any + Send), rank: usize) -> String {
    if let Some(Ended(why)) = cause.downcast_ref() {
        return why.clone();
    }
    let text = cause.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| cause.downcast_ref::<String>().cloned());
    format!("member {rank}: {}", text.unwrap_or_else(|| "panicked".into()))
}

impl Table {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the team, unless it has ended; why it did.
    fn end(&self, why: &str) -> String {
        let mut state = self.lock();
        let why = state.ended.get_or_insert_with(|| why.to_owned()).clone();
        self.turned.notify_all();
        why
    }

    /// Waits until `ready`, or unwinds if the team has ended.
    fn wait<'a>(&'a self, mut state: MutexGuard<'a, State>, ready: impl Fn(&State) -> bool) -> MutexGuard<'a, State> {
        while !ready(&state) {
            if let Some(why) = &state.ended {
                let why = why.clone();
                drop(state);
                // Not a panic of this member: no words are printed.
                std::panic::resume_unwind(Box::new(Ended(why)));
            }
            state = self.turned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }

    /// Part r of what each member puts down goes to member r.
    fn swap(&self, rank: usize, parts: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let mut state = self.lock();
        let round = state.round;
        state.parts[rank] = Some(parts);
        self.turned.notify_all();
        let mut state = self.wait(state, |state| {
            state.round > round || state.parts.iter().all(Option::is_some)
        });
        let take = |parts: &mut Option<Vec<Vec<u8>>>| parts.as_mut().map(|parts| std::mem::take(&mut parts[rank]));
        let own = state
            .parts
            .iter_mut()
            .map(|parts| take(parts).unwrap_or_default())
            .collect();
        state.taken += 1;
        if state.taken == self.size {
            state.taken = 0;
            state.round += 1;
            state.parts.iter_mut().for_each(|parts| *parts = None);
            self.turned.notify_all();
        }
        // Nobody puts down anything new before all have taken theirs.
        drop(self.wait(state, |state| state.round > round));
        own
    }
}

impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "member {} of {}", self.rank, self.table.size)
    }
}

impl Team for Member {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.table.size
    }

    fn gather(&self, own: &[u8]) -> Vec<Vec<u8>> {
        self.traffic.count_gathered(own.len(), self.size());
        self.table.swap(self.rank, vec![own.to_vec(); self.table.size])
    }

    fn exchange(&self, parts: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        self.traffic.count_exchanged(&parts, self.rank);
        self.table.swap(self.rank, parts)
    }

    fn sends(&self, load: Load) {
        self.traffic.set_load(load);
    }

    fn shares_set(&self) -> bool {
        self.shares_set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_gets_what_is_theirs() {
        for size in [1, 2, 3, 7] {
            let found = Threads::new(size).run(|team| {
                let rank = team.rank() as u8;
                let all = team.gather(&vec![rank; team.rank()]);
                let parts = (0..size as u8).map(|to| vec![rank, to]).collect();
                (all, team.exchange(parts))
            });
            for (rank, (all, own)) in found.unwrap().into_iter().enumerate() {
                assert!(
                    all.iter()
                        .enumerate()
                        .all(|(from, bytes)| *bytes == vec![from as u8; from])
                );
                assert!(
                    own.iter()
                        .enumerate()
                        .all(|(from, bytes)| *bytes == [from as u8, rank as u8])
                );
            }
        }
    }

    #[test]
    fn who_fails_ends_all_and_is_named() {
        let found = Threads::new(3).run(|team| {
            if team.rank() == 1 {
                std::panic::resume_unwind(Box::new("its file is damaged"));
            }
            (0..1000).map(|_| team.gather(&[0]).len()).sum::<usize>()
        });
        assert_eq!(found.unwrap_err(), "member 1: its file is damaged");
    }

    #[test]
    fn members_at_different_numbers_are_told() {
        let found = Threads::new(2).run(|team| {
            let team: &dyn Team = team.as_ref();
            team.any_at(false, &[if team.rank() == 0 { 1.0 } else { 1.0 + f64::EPSILON }])
        });
        assert!(found.unwrap_err().contains("different numbers"));
    }
}
