//! A folder of its own for each test, in which the real binary runs.
use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

/// The options without which nothing can be learned.
pub(crate) const MODEL: [&str; 4] = ["--alpha", "0.02", "--beta", "0.03"];

pub(crate) struct Place {
    folder: TempDir,
}

/// What a run said and how it ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap()
    }
}

impl Place {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        self
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The binary, standing in this folder, with nothing of the caller's surroundings that could change its words.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("congraph"));
        command.current_dir(self.folder.path()).args(args);
        command
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .env("COLUMNS", "100");
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Outcome {
        let output = self.command(args).output().unwrap();
        Outcome {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// A run that must succeed.
    pub(crate) fn fine(&self, args: &[&str]) -> Outcome {
        let outcome = self.run(args);
        assert_eq!(outcome.code, 0, "{args:?}: {outcome:?}");
        outcome
    }

    /// `learn` with the usual parameters that must succeed.
    pub(crate) fn learn(&self, args: &[&str], out: &str) -> Outcome {
        self.fine(&[&["learn"], args, &MODEL, &["-o", out]].concat())
    }

    /// Every file and folder here with its bytes, hidden ones included.
    pub(crate) fn everything(&self) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        collect(self.folder.path(), self.folder.path(), &mut found);
        found
    }
}

fn collect(root: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            found.insert(format!("{name}/"), Vec::new());
            collect(root, &path, found);
        } else {
            found.insert(name, fs::read(&path).unwrap());
        }
    }
}

/// Numbers that look random and are the same everywhere: between -1 and 1, never whole.
pub(crate) fn noise(seed: u64, count: usize) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    for _ in 0..8 {
        next();
    }
    (0..count).map(|_| next()).collect()
}

/// A `.csv` table of noise under these names.
pub(crate) fn csv(names: &str, n_rows: usize, seed: u64) -> String {
    let n_columns = names.split(',').count();
    format!("{names}\n{}", rows(n_columns, &noise(seed, n_rows * n_columns), ","))
}

/// Values as text, row after row.
pub(crate) fn rows(n_columns: usize, values: &[f64], separator: &str) -> String {
    let line = |row: &[f64]| {
        let cells: Vec<String> = row.iter().map(|value| format!("{value:?}")).collect();
        cells.join(separator) + "\n"
    };
    values.chunks(n_columns).map(line).collect()
}

/// A `.npy` file.
pub(crate) fn npy(shape: &[usize], values: &[f64]) -> Vec<u8> {
    let shape: String = shape.iter().map(|length| format!("{length}, ")).collect();
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape}), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

/// A 1-D `.npy` of text.
pub(crate) fn npy_names(names: &[String]) -> Vec<u8> {
    let width = names.iter().map(|name| name.chars().count()).max().unwrap();
    let header = format!(
        "{{'descr': '<U{width}', 'fortran_order': False, 'shape': ({},), }}\n",
        names.len()
    );
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(header.as_bytes());
    for name in names {
        let mut codes: Vec<u8> = name.chars().flat_map(|mark| u32::from(mark).to_le_bytes()).collect();
        codes.resize(4 * width, 0);
        bytes.extend(codes);
    }
    bytes
}

/// A `.npz` archive.
pub(crate) fn npz(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in arrays {
        let options = zip::write::SimpleFileOptions::default();
        archive.start_file(format!("{name}.npy"), options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

pub(crate) fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}
