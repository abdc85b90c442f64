//! A team of MPI's processes.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use congraph::team::{Load, Team, Traffic};
use congraph_cli::{Speaker, console};
use mpi::Count;
use mpi::datatype::{Partition, PartitionMut};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives};
use rustix::time::{ClockId, clock_gettime};

/// MPI counts in 32 bits: what is longer goes in pieces.
const LONGEST: usize = i32::MAX as usize;

/// The processes that `mpirun` or `srun` started.
pub(crate) struct Processes {
    rank: usize,
    size: usize,
    shares_set: bool,
    traffic: Traffic,
    /// What talking and waiting took, of the clock and of the processor.
    waited: AtomicU64,
    polled: AtomicU64,
}

impl fmt::Debug for Processes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} of {}", self.rank, self.size)
    }
}

impl Processes {
    pub(crate) fn new() -> Self {
        let world = SimpleCommunicator::world();
        Self {
            rank: world.rank() as usize,
            size: world.size() as usize,
            shares_set: std::env::var_os("CONGRAPH_WHOLE_SET").is_none_or(|value| value != "1"),
            traffic: Traffic::default(),
            waited: AtomicU64::new(0),
            polled: AtomicU64::new(0),
        }
    }

    /// Who this is, in messages.
    pub(crate) fn name(&self) -> String {
        format!("process {} of {}", self.rank, self.size)
    }

    pub(crate) fn wait_for_all(&self) {
        SimpleCommunicator::world().barrier();
    }

    /// With CONGRAPH_TRAFFIC=1, what this process sent, how long it worked and waited, and the memory that it needed.
    pub(crate) fn tell_traffic(&self) {
        if std::env::var_os("CONGRAPH_TRAFFIC").is_none_or(|value| value != "1") {
            return;
        }
        let seconds = |nanoseconds: &AtomicU64| nanoseconds.load(Ordering::Relaxed) as f64 * 1e-9;
        let [n_gathers, n_exchanges] = self.traffic.calls();
        let worked = cpu_time(ClockId::ProcessCPUTime) as f64 * 1e-9 - seconds(&self.polled);
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .unwrap_or("?");
        console::words(&format!(
            "{}: sent {} bytes to all and {} to some, in {n_gathers} and {n_exchanges} exchanges: {} in {} sums, {} of \
             signals, {} of pairs; {worked:.3} CPU s of work, {:.3} s of waiting; at most {}",
            self.name(),
            self.traffic.gathered(),
            self.traffic.exchanged(),
            self.traffic.sent_for(Load::Sums),
            self.traffic.sums(),
            self.traffic.sent_for(Load::Signals),
            self.traffic.sent_for(Load::Pairs),
            seconds(&self.waited),
            peak.trim()
        ));
    }

    fn timed<T>(&self, work: impl FnOnce(&SimpleCommunicator) -> T) -> T {
        let (clock, cpu) = (Instant::now(), cpu_time(ClockId::ThreadCPUTime));
        let done = work(&SimpleCommunicator::world());
        self.waited
            .fetch_add(clock.elapsed().as_nanos() as u64, Ordering::Relaxed);
        self.polled
            .fetch_add(cpu_time(ClockId::ThreadCPUTime) - cpu, Ordering::Relaxed);
        done
    }

    /// The most bytes of one process for another, or for all, in one piece.
    fn piece(&self) -> usize {
        LONGEST / self.size
    }

    /// How many bytes each has.
    fn lengths(&self, world: &SimpleCommunicator, own: usize) -> Vec<usize> {
        let mut all = vec![0_u64; self.size];
        world.all_gather_into(&(own as u64), &mut all[..]);
        all.into_iter().map(|length| length as usize).collect()
    }
}

/// For tests that need a process in the middle of a fit, however fast the machine: with CONGRAPH_TEST_HOLD=FILE it makes that
/// file before its first sum over edges, and waits until somebody takes it away.
#[cfg(debug_assertions)]
fn hold() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let Some(file) = std::env::var_os("CONGRAPH_TEST_HOLD").map(std::path::PathBuf::from) else {
            return;
        };
        let held = std::fs::write(&file, "");
        debug_assert!(
            held.is_ok(),
            "the file of CONGRAPH_TEST_HOLD cannot be written: {held:?}"
        );
        let start = Instant::now();
        while file.exists() && start.elapsed().as_secs() < 60 {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    });
}

/// Nanoseconds of processor time.
fn cpu_time(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Where each of some stretches begins.
fn places(counts: &[Count]) -> Vec<Count> {
    let mut place = 0;
    let next = |count: &Count| {
        place += count;
        place - count
    };
    counts.iter().map(next).collect()
}

/// A piece of a stretch of bytes.
fn piece_of(bytes: &[u8], round: usize, piece: usize) -> &[u8] {
    // Rust's address of nothing is 1, which is what Open MPI calls MPI_IN_PLACE: nothing is a part of something here.
    const SOMETHING: &[u8] = &[0];
    let start = (round * piece).min(bytes.len());
    let piece = &bytes[start..bytes.len().min(start + piece)];
    if piece.is_empty() { &SOMETHING[..0] } else { piece }
}

impl Speaker for Processes {
    fn abort(&self, code: u8, why: &str) -> ! {
        console::words(&format!("error: {}: {}", self.name(), console::visible(why)));
        self.end_all(code)
    }

    fn end_all(&self, code: u8) -> ! {
        SimpleCommunicator::world().abort(i32::from(code))
    }
}

impl Team for Processes {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn gather(&self, own: &[u8]) -> Vec<Vec<u8>> {
        // A panic while others wait is what a test asks for.
        debug_assert!(std::env::var_os("CONGRAPH_TEST_PANIC").is_none(), "a test asked for it");
        self.traffic.count_gathered(own.len(), self.size);
        self.timed(|world| {
            let lengths = self.lengths(world, own.len());
            let mut all: Vec<Vec<u8>> = lengths.iter().map(|&length| Vec::with_capacity(length)).collect();
            let piece = self.piece();
            let longest = lengths.iter().copied().max().unwrap_or(0);
            for round in 0..longest.div_ceil(piece) {
                let count = |&length: &usize| length.saturating_sub(round * piece).min(piece) as Count;
                let counts: Vec<Count> = lengths.iter().map(count).collect();
                let places = places(&counts);
                let mut received = vec![0_u8; counts.iter().sum::<Count>() as usize + 1];
                let mut parts = PartitionMut::new(&mut received[..], &counts[..], &places[..]);
                world.all_gather_varcount_into(piece_of(own, round, piece), &mut parts);
                for (bytes, (place, count)) in all.iter_mut().zip(places.iter().zip(&counts)) {
                    bytes.extend_from_slice(&received[*place as usize..(place + count) as usize]);
                }
            }
            all
        })
    }

    fn exchange(&self, parts: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        self.traffic.count_exchanged(&parts, self.rank);
        self.timed(|world| {
            let own: Vec<u64> = parts.iter().map(|part| part.len() as u64).collect();
            let mut lengths = vec![0_u64; self.size];
            world.all_to_all_into(&own[..], &mut lengths[..]);
            let lengths: Vec<usize> = lengths.into_iter().map(|length| length as usize).collect();
            let mut all: Vec<Vec<u8>> = lengths.iter().map(|&length| Vec::with_capacity(length)).collect();
            let piece = self.piece();
            let longest = own
                .iter()
                .map(|&length| length as usize)
                .chain(lengths.iter().copied())
                .max();
            // As many rounds as anybody needs.
            let mut rounds = longest.unwrap_or(0).div_ceil(piece);
            if piece < LONGEST {
                rounds = self.lengths(world, rounds).into_iter().max().unwrap_or(0);
            }
            for round in 0..rounds {
                let sent: Vec<&[u8]> = parts.iter().map(|part| piece_of(part, round, piece)).collect();
                let send_counts: Vec<Count> = sent.iter().map(|part| part.len() as Count).collect();
                let count = |&length: &usize| length.saturating_sub(round * piece).min(piece) as Count;
                let counts: Vec<Count> = lengths.iter().map(count).collect();
                let (send_places, places) = (places(&send_counts), places(&counts));
                // One byte more, so that there is an address.
                let sent = {
                    let length: usize = sent.iter().map(|part| part.len()).sum();
                    let mut all = Vec::with_capacity(length + 1);
                    sent.iter().for_each(|part| all.extend_from_slice(part));
                    all.push(0);
                    all
                };
                let mut received = vec![0_u8; counts.iter().sum::<Count>() as usize + 1];
                let from = Partition::new(&sent[..], &send_counts[..], &send_places[..]);
                let mut to = PartitionMut::new(&mut received[..], &counts[..], &places[..]);
                world.all_to_all_varcount_into(&from, &mut to);
                for (bytes, (place, count)) in all.iter_mut().zip(places.iter().zip(&counts)) {
                    bytes.extend_from_slice(&received[*place as usize..(place + count) as usize]);
                }
            }
            all
        })
    }

    fn sends(&self, load: Load) {
        #[cfg(debug_assertions)]
        if matches!(load, Load::Sums) {
            hold();
        }
        self.traffic.set_load(load);
    }

    fn shares_set(&self) -> bool {
        self.shares_set
    }

    fn end(&self, why: &str) -> ! {
        self.abort(7, why)
    }
}
