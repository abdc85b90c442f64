//! A path → its format by ending, its bytes, and their SHA-256.
//!
//! A compressed file may claim to hold anything, so what comes out of one is limited: 64 times its size, but at least
//! 1 GiB and at most 16 GiB. Tables of numbers shrink 2 to 50 times. Nothing may take more memory than there is to use
//! ([`limit_memory`]), and only regular files are read: a pipe or a device may never end.

use congraph::options::option;
use std::borrow::Cow;
use std::fmt::Write;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;
use sha2::{Digest, Sha256};

use super::faults::{Fault, fault};

pub(super) const GIB: u64 = 1 << 30;
const READABLE: &str = "tables can be read from .csv, .tsv and .txt (also compressed: .csv.gz …), .npy, .npz, \
    .parquet, .mat and .h5ad";

/// The kinds of text table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Csv,
    Tsv,
    Txt,
}

/// What a file's ending says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Text(Ending),
    Npy,
    Npz,
    Parquet,
    Mat,
    H5ad,
}

/// A file in memory.
pub(super) struct Source<'p> {
    path: &'p Path,
    pub(super) format: Format,
    is_compressed: bool,
    pub(super) bytes: Vec<u8>,
    pub(super) sha256: String,
}

/// How many bytes one file may take.
static MEMORY: AtomicU64 = AtomicU64::new(u64::MAX);

/// Files up to this size are read, however little memory a fit may use.
const SMALL: u64 = 64 << 20;

/// From now on, a file that would take more bytes of memory than this (but at least 64 MiB) is refused, however it is
/// packed.
pub fn limit_memory(bytes: u64) {
    MEMORY.store(bytes.max(SMALL), Ordering::Relaxed);
}

/// How many bytes one file may take.
pub(super) fn memory() -> u64 {
    MEMORY.load(Ordering::Relaxed)
}

/// Bytes for people.
pub(super) fn size(bytes: u64) -> String {
    const MIB: u64 = 1 << 20;
    match bytes {
        0..MIB => format!("{bytes} bytes"),
        MIB..GIB => format!("{:.0} MiB", bytes as f64 / MIB as f64),
        _ => format!("{:.1} GiB", bytes as f64 / GIB as f64),
    }
}

/// A file that is too large for the memory that may be used.
pub(super) fn too_large(path: &Path, what: &str) -> Fault {
    fault(
        path,
        &format!("{what}, and {} of memory may be used for one file", size(memory())),
        "tables are read whole",
        format!(
            "give more with {} if the machine has it, or fewer samples or nodes; {} takes matrices made elsewhere",
            option("memory").set_to("GIB"),
            option("covariance")
        ),
    )
}

/// How many bytes may come out of a compressed file of this size.
pub(super) fn decompressed_limit(compressed: usize) -> u64 {
    (compressed as u64)
        .saturating_mul(64)
        .clamp(GIB, 16 * GIB)
        .min(memory())
}

/// The length of a file, which must be one: reading a pipe or a device may never end.
pub(crate) fn regular(path: &Path) -> std::io::Result<u64> {
    let found = fs::metadata(path)?;
    if found.is_file() {
        return Ok(found.len());
    }
    let what = if found.is_dir() {
        "it is a folder"
    } else {
        "it is not a file but a pipe or a device, which may never end"
    };
    Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, what))
}

/// The bytes of a regular file.
pub(crate) fn read_regular(path: &Path) -> std::io::Result<Vec<u8>> {
    regular(path)?;
    fs::read(path)
}

/// The text of a regular file.
pub(crate) fn read_regular_text(path: &Path) -> std::io::Result<String> {
    regular(path)?;
    fs::read_to_string(path)
}

/// A file's name without its ending, or without both if it is compressed.
pub(super) fn stem(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let name = without_gz(&name).unwrap_or(&name);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem.into(),
        _ => name.into(),
    }
}

fn without_gz(name: &str) -> Option<&str> {
    let (stem, ending) = name.rsplit_once('.')?;
    ending.eq_ignore_ascii_case("gz").then_some(stem)
}

fn format(path: &Path) -> Result<(Format, bool), Fault> {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let unpacked = without_gz(&name);
    let ending = unpacked
        .unwrap_or(&name)
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_lowercase());
    let format = match (ending.as_deref(), unpacked.is_some()) {
        (Some("csv"), _) => Format::Text(Ending::Csv),
        (Some("tsv"), _) => Format::Text(Ending::Tsv),
        (Some("txt"), _) => Format::Text(Ending::Txt),
        (Some("npy"), false) => Format::Npy,
        (Some("npz"), false) => Format::Npz,
        (Some("parquet" | "pq"), false) => Format::Parquet,
        (Some("mat"), false) => Format::Mat,
        (Some("h5ad"), false) => Format::H5ad,
        (ending, packed) => {
            let what = match ending {
                Some(ending) if packed => format!("has an ending that is not known: `.{ending}.gz`"),
                Some(ending) => format!("has an ending that is not known: `.{ending}`"),
                None => "has no ending that tells its format".into(),
            };
            return Err(fault(path, &what, "the ending tells how a file is read", READABLE));
        }
    };
    Ok((format, unpacked.is_some()))
}

/// What to give in place of a folder: a table in parts as one file, or the files in it.
fn folder_hint(path: &Path) -> String {
    let ending_of = |path: &Path| path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    if ending_of(path).is_some_and(|ending| ending == "parquet" || ending == "pq") {
        return "write its parts as one file: in pandas `read_parquet(FOLDER).to_parquet(FILE)`".into();
    }
    let mut files: Vec<_> = fs::read_dir(path)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    files.sort();
    let readable = files
        .iter()
        .filter(|file| format(file).is_ok())
        .find_map(|file| ending_of(file));
    format!(
        "give the files in it: FOLDER/*.{}",
        readable.as_deref().unwrap_or("csv")
    )
}

/// The bytes of a `.npz` archive, and their SHA-256.
pub(crate) fn read_bytes(path: &Path) -> Result<(Vec<u8>, String), Fault> {
    let source = Source::read(path)?;
    Ok((source.bytes, source.sha256))
}

impl<'p> Source<'p> {
    /// Reads the file of a view whole.
    pub(super) fn read(path: &'p Path) -> Result<Self, Fault> {
        let why = "every file given is a view, and none is left out silently";
        let unfound = "check the path; a name for the view goes before it: NAME=FILE";
        Self::read_for(path, why, unfound, &folder_hint)
    }

    /// Reads a table that is no view, and says what it is for.
    pub(super) fn read_table(path: &'p Path, why: &str) -> Result<Self, Fault> {
        Self::read_for(path, why, "check the path", &|_| {
            "give the table itself, a .csv or .tsv".into()
        })
    }

    fn read_for(path: &'p Path, why: &str, unfound: &str, folder: &dyn Fn(&Path) -> String) -> Result<Self, Fault> {
        let unreadable = |error: std::io::Error| {
            let hint = match error.kind() {
                std::io::ErrorKind::NotFound => unfound,
                std::io::ErrorKind::PermissionDenied => "check that you may read it",
                _ => "check the file and the disk it is on",
            };
            fault(path, &format!("cannot be read: {}", reason(&error)), why, hint)
        };
        if fs::metadata(path).map_err(unreadable)?.is_dir() {
            return Err(fault(path, "is a folder, not a file", why, folder(path)));
        }
        let (format, is_compressed) = format(path)?;
        let length = regular(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::InvalidInput => {
                let hint = "write what comes out of it to a file, and give that";
                fault(path, &format!("cannot be read: {error}"), why, hint)
            }
            _ => unreadable(error),
        })?;
        if length > memory() {
            return Err(too_large(path, &format!("has {}", size(length))));
        }
        let bytes = fs::read(path).map_err(unreadable)?;
        if bytes.is_empty() {
            return Err(fault(
                path,
                "is empty",
                "there are no numbers to read",
                "check how it was written",
            ));
        }
        let sha256 = hexadecimal(&Sha256::digest(&bytes));
        Ok(Self {
            path,
            format,
            is_compressed,
            bytes,
            sha256,
        })
    }

    /// The text in the file, decompressed, without a byte order mark.
    pub(super) fn text(&self) -> Result<Cow<'_, str>, Fault> {
        let why = "text tables are read as UTF-8";
        let bytes = if self.is_compressed {
            Cow::Owned(self.decompressed()?)
        } else {
            Cow::Borrowed(&self.bytes[..])
        };
        let from = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let is_utf16 = bytes.starts_with(b"\xff\xfe")
            || bytes.starts_with(b"\xfe\xff")
            || bytes.iter().take(64).any(|&byte| byte == 0);
        if is_utf16 {
            let hint = "save it as UTF-8: in Excel “CSV UTF-8”, in a shell `iconv -f UTF-16 -t UTF-8`";
            return Err(fault(self.path, "is UTF-16 text, or not text at all", why, hint));
        }
        let invalid = |valid: usize, bytes: &[u8]| {
            let line = 1 + bytes[..valid].iter().filter(|&&byte| byte == b'\n').count();
            let what = format!("is not UTF-8 text: the first byte that is not is in line {line}");
            let hint = "save it as UTF-8, for example with `iconv -f LATIN1 -t UTF-8`";
            fault(self.path, &what, why, hint)
        };
        match bytes {
            Cow::Borrowed(bytes) => match std::str::from_utf8(&bytes[from..]) {
                Ok(text) => Ok(Cow::Borrowed(text)),
                Err(error) => Err(invalid(from + error.valid_up_to(), bytes)),
            },
            Cow::Owned(mut bytes) => {
                bytes.drain(..from);
                String::from_utf8(bytes)
                    .map(Cow::Owned)
                    .map_err(|error| invalid(error.utf8_error().valid_up_to(), error.as_bytes()))
            }
        }
    }

    fn decompressed(&self) -> Result<Vec<u8>, Fault> {
        let why = "the table is read from what is inside";
        let limit = decompressed_limit(self.bytes.len());
        let mut bytes = Vec::new();
        let decoder = MultiGzDecoder::new(&self.bytes[..]);
        decoder.take(limit + 1).read_to_end(&mut bytes).map_err(|error| {
            let what = format!("is not a whole gzip file: {}", reason(&error));
            fault(
                self.path,
                &what,
                why,
                "copy or compress it again; if it is not compressed, drop `.gz` from its name",
            )
        })?;
        if bytes.len() as u64 > limit && limit == memory() {
            return Err(too_large(
                self.path,
                &format!("holds more than {} when decompressed", size(limit)),
            ));
        }
        if bytes.len() as u64 > limit {
            let what = format!(
                "holds more than {} GiB when decompressed, more than such a file should",
                limit / GIB
            );
            return Err(fault(
                self.path,
                &what,
                why,
                "decompress it yourself if that is right, and give the result",
            ));
        }
        if bytes.is_empty() {
            return Err(fault(
                self.path,
                "is empty",
                "there are no numbers to read",
                "check how it was written",
            ));
        }
        Ok(bytes)
    }
}

/// The SHA-256 of bytes, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// Bytes as text, two digits each.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The reason of a failure, in lower case and without the number of the operating system's error.
pub(crate) fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => error.to_string(),
    }
}
