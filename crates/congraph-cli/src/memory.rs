//! How much memory there is, and how much of it may be used.

use congraph_record::refusal::check_range;
use congraph_record::request::GIB;

use crate::args::Command;
use crate::failure::Failure;

/// How many GiB a command is asked to use at most.
pub(crate) fn asked(command: &Command) -> Option<f64> {
    match command {
        Command::Learn(args) => args.fit.memory,
        Command::Eeg(args) => args.fit.memory,
        Command::Tune(args) => args.memory,
        _ => None,
    }
}

/// Files are refused that would take more than may be used: the GiB that were asked for, or half of what is free.
pub(crate) fn limit(asked: Option<f64>) -> Result<(), Failure> {
    if let Some(gib) = asked {
        check_range("memory", gib, gib > 0.0, "finite and positive")?;
    }
    let bytes = asked.map(|gib| (gib * GIB) as u64).or_else(half_of_free);
    if let Some(bytes) = bytes {
        congraph_io::limit_memory(bytes);
    }
    Ok(())
}

/// Half of the bytes that are free, where the system tells: what may be used unless it is asked for.
pub(crate) fn half_of_free() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024 / 2)
}
