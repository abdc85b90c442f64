//! What a member has sent to others, counted.

use std::sync::atomic::{AtomicU64, Ordering};

/// What a member has sent to others, in bytes.
#[derive(Debug, Default)]
pub struct Traffic {
    gathered: AtomicU64,
    exchanged: AtomicU64,
    n_gathers: AtomicU64,
    n_exchanges: AtomicU64,
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

    /// Counts bytes that everybody of a team gets.
    pub fn count_gathered(&self, bytes: usize, size: usize) {
        self.gathered.fetch_add((bytes * (size - 1)) as u64, Ordering::Relaxed);
        self.n_gathers.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts bytes that single members get.
    pub fn count_exchanged(&self, parts: &[Vec<u8>], rank: usize) {
        let sent = parts.iter().enumerate().filter(|(to, _)| *to != rank);
        let sent: usize = sent.map(|(_, part)| part.len()).sum();
        self.exchanged.fetch_add(sent as u64, Ordering::Relaxed);
        self.n_exchanges.fetch_add(1, Ordering::Relaxed);
    }
}
