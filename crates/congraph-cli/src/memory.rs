//! How much memory there is.

/// Bytes in a GiB.
pub(crate) const GIB: f64 = (1_u64 << 30) as f64;

/// Bytes that are free, where the system tells.
pub(crate) fn free() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}
