//! What a member has sent to others, counted.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// What bytes are sent for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Load {
    /// Pairs that were found, their distances and weights, and whatever else.
    #[default]
    Pairs,
    /// Signals in bytes, and what belongs to them.
    Signals,
    /// Sums over edges, one number per node and view.
    Sums,
}

/// What a member has sent to others, in bytes.
#[derive(Debug, Default)]
pub struct Traffic {
    gathered: AtomicU64,
    exchanged: AtomicU64,
    n_gathers: AtomicU64,
    n_exchanges: AtomicU64,
    /// What is being sent, and how much was sent for each.
    load: AtomicU8,
    loads: [AtomicU64; 3],
    n_sums: AtomicU64,
}

impl Traffic {
    /// What everybody got: counted once for each of the others.
    pub fn gathered(&self) -> u64 {
        self.gathered.load(Ordering::Relaxed)
    }

    /// What single members got.
    pub fn exchanged(&self) -> u64 {
        self.exchanged.load(Ordering::Relaxed)
    }

    /// How often everybody got something, and how often single members did.
    pub fn calls(&self) -> [u64; 2] {
        [&self.n_gathers, &self.n_exchanges].map(|count| count.load(Ordering::Relaxed))
    }

    /// How much was sent for one thing.
    pub fn sent_for(&self, load: Load) -> u64 {
        self.loads[load as usize].load(Ordering::Relaxed)
    }

    /// How many sums there were.
    pub fn sums(&self) -> u64 {
        self.n_sums.load(Ordering::Relaxed)
    }

    /// What comes now is sent for this.
    pub fn set_load(&self, load: Load) {
        self.load.store(load as u8, Ordering::Relaxed);
        self.n_sums.fetch_add(u64::from(load == Load::Sums), Ordering::Relaxed);
    }

    fn count(&self, bytes: usize) {
        let load = usize::from(self.load.load(Ordering::Relaxed));
        self.loads[load].fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Counts bytes that everybody of a team gets.
    pub fn count_gathered(&self, bytes: usize, size: usize) {
        self.gathered.fetch_add((bytes * (size - 1)) as u64, Ordering::Relaxed);
        self.count(bytes * (size - 1));
        self.n_gathers.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts bytes that single members get.
    pub fn count_exchanged(&self, parts: &[Vec<u8>], rank: usize) {
        let sent = parts.iter().enumerate().filter(|(to, _)| *to != rank);
        let sent: usize = sent.map(|(_, part)| part.len()).sum();
        self.exchanged.fetch_add(sent as u64, Ordering::Relaxed);
        self.count(sent);
        self.n_exchanges.fetch_add(1, Ordering::Relaxed);
    }
}
