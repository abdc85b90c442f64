//! Damaged files are refused or read, and never bring the program down.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::io::{Cursor, Write};

use crate::files::{errors, loaded};
use congraph_io::ReadOptions;

fn npy() -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00\x46\x00{'descr': '<f8', 'fortran_order': True, 'shape': (4, 3), }".to_vec();
    bytes.resize(79, b' ');
    bytes.push(b'\n');
    bytes.extend((0..12).flat_map(|k| f64::from(k).to_le_bytes()));
    bytes
}

fn npz() -> Vec<u8> {
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for name in ["a.npy", "b.npy"] {
        out.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        out.write_all(&npy()).unwrap();
    }
    out.finish().unwrap().into_inner()
}

fn gz(text: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    out.write_all(text).unwrap();
    out.finish().unwrap()
}

const TEXT: &[u8] = b"\xef\xbb\xbf,Fz,\"C\"\"z\"\r\na,1,2\r\nb,\"3\",-4e5\r\n";

#[test]
fn truncated_and_flipped_files_are_refused_or_read() {
    let options = ReadOptions::default();
    for (name, good) in [
        ("a.npy", npy()),
        ("a.npz", npz()),
        ("a.csv.gz", gz(TEXT)),
        ("a.csv", TEXT.to_vec()),
        ("a.tsv", TEXT.to_vec()),
        ("a.txt", TEXT.to_vec()),
    ] {
        assert_eq!(loaded(name, &good, &options).is_ok(), name != "a.tsv", "{name}");
        for end in 0..good.len() {
            let _ = loaded(name, &good[..end], &options);
        }
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bad = good.clone();
                bad[at] ^= 1 << bit;
                let _ = loaded(name, &bad, &options);
            }
        }
    }
}

#[test]
fn what_is_cut_short_is_told() {
    let options = ReadOptions::default();
    let whole = gz(TEXT);
    assert!(
        errors("a.csv.gz", &whole[..whole.len() - 9], &options)[0]
            .what
            .contains("gzip")
    );
    assert!(errors("a.csv.gz", TEXT, &options)[0].hint.contains(".gz"));
    let whole = npy();
    assert!(
        errors("a.npy", &whole[..whole.len() - 1], &options)[0]
            .what
            .contains("4 × 3")
    );
    let whole = npz();
    assert!(
        errors("a.npz", &whole[..whole.len() - 1], &options)[0]
            .what
            .contains(".npz archive")
    );
}

#[test]
fn an_archive_that_lies_about_a_size_is_refused() {
    let good = npz();
    // The size of the first array in the central directory, 24 bytes after its mark.
    let at = good.windows(4).position(|mark| mark == b"PK\x01\x02").unwrap() + 24;
    let mut bad = good.clone();
    for (claim, said) in [
        (0x7fff_ffff_u32, "more than"),
        (0x0fff_ffff, "archive"),
        (10, "archive"),
    ] {
        bad[at..at + 4].copy_from_slice(&claim.to_le_bytes());
        let error = &errors("a.npz", &bad, &ReadOptions::default())[0];
        assert!(error.what.contains(said), "{error}");
    }
}
