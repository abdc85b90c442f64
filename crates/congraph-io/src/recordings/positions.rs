//! Electrode positions in: `.hpts`, `.sfp`, `.elc`, and tables (`.tsv`, `.csv`) as BIDS has them.
//!
//! ```text
//! .hpts   kind label x y z                 kinds eeg and cardinal (nasion, lpa, rpa or 2, 1, 3); no others
//! .sfp    label x y z                      fiducials as FidNz, FidT9, FidT10
//! .elc    Positions: label : x y z         or the coordinates alone, and the Labels after them
//! .tsv    name x y z … with a first line   n/a where a position is not known
//! ```
//!
//! Few of these say their unit, and none which way their axes point: the size of the head tells the former and the
//! fiducials, if they are there, the latter (see [`Montage`]).

use std::path::Path;

use congraph::Error;
use congraph_eeg::{Fiducials, Montage, Position};

use super::unreadable;
use crate::input::{Fault, fault, regular};

/// Far more than any cap has electrodes.
const LARGEST: u64 = 1 << 24;

/// Electrodes and fiducials as they are collected.
#[derive(Default)]
struct Points {
    electrodes: Vec<(String, Position)>,
    nasion: Option<Position>,
    left: Option<Position>,
    right: Option<Position>,
}

/// Reads a file of electrode positions, whose ending tells its format.
///
/// # Errors
/// [`Error::Data`] that names the line which cannot be read.
pub fn read_montage(path: &Path) -> Result<Montage, Error> {
    let points = read(path).map_err(|fault| Error::from(*fault))?;
    let fiducials = match (points.nasion, points.left, points.right) {
        (Some(nasion), Some(left), Some(right)) => Some(Fiducials { nasion, left, right }),
        _ => None,
    };
    Montage::new(path.display().to_string(), points.electrodes, fiducials)
}

fn read(path: &Path) -> Result<Points, Fault> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let parse = match ending.as_deref() {
        Some("hpts") => hpts,
        Some("sfp") => sfp,
        Some("elc") => elc,
        Some("tsv" | "csv") => table,
        _ => {
            return Err(fault(
                path,
                "has no ending that tells how positions are written in it",
                "the ending tells how a file is read",
                "positions can be read from .hpts, .sfp, .elc, .tsv and .csv",
            ));
        }
    };
    let length = regular(path).map_err(|error| unreadable(path, &error))?;
    if length > LARGEST {
        return Err(odd(
            path,
            None,
            &format!("has {length} bytes, too many for positions of electrodes"),
        ));
    }
    let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
    let text = super::fields::text(&bytes);
    let points = parse(path, text.trim_start_matches('\u{feff}'))?;
    if points.electrodes.is_empty() {
        return Err(odd(path, None, "holds no positions of electrodes"));
    }
    Ok(points)
}

fn hpts(path: &Path, text: &str) -> Result<Points, Fault> {
    let mut points = Points::default();
    for (line, words) in lines(text) {
        let [kind, label, rest @ ..] = &words[..] else {
            return Err(odd(
                path,
                Some(line),
                "should hold a kind, a label and three coordinates",
            ));
        };
        let is_cardinal = kind.eq_ignore_ascii_case("cardinal");
        if !is_cardinal && !kind.eq_ignore_ascii_case("eeg") {
            continue;
        }
        let at = coordinates(path, line, rest)?;
        if is_cardinal {
            let label = match *label {
                "1" => "lpa",
                "2" => "nasion",
                "3" => "rpa",
                label => label,
            };
            points.fiducial(label, at);
        } else {
            points.electrodes.push(((*label).to_owned(), at));
        }
    }
    Ok(points)
}

fn sfp(path: &Path, text: &str) -> Result<Points, Fault> {
    let mut points = Points::default();
    for (line, words) in lines(text) {
        points.add(words[0], coordinates(path, line, &words[1..])?);
    }
    Ok(points)
}

fn elc(path: &Path, text: &str) -> Result<Points, Fault> {
    let mut points = Points::default();
    let (mut bare, mut labels) = (Vec::new(), Vec::new());
    let mut section = String::new();
    for (line, words) in lines(text) {
        let first = words[0].to_lowercase();
        if ["positions", "labels", "numberpolygons", "polygons"].contains(&first.split('=').next().unwrap_or_default())
        {
            section = first.split('=').next().unwrap_or_default().to_owned();
        } else if section == "positions" {
            match words.iter().position(|word| *word == ":") {
                Some(mark) => points.add(&words[..mark].join(" "), coordinates(path, line, &words[mark + 1..])?),
                None if first.ends_with(':') => {
                    points.add(words[0].trim_end_matches(':'), coordinates(path, line, &words[1..])?);
                }
                None => bare.push(coordinates(path, line, &words)?),
            }
        } else if section == "labels" {
            labels.extend(words.into_iter().map(str::to_owned));
        }
    }
    if !bare.is_empty() && bare.len() != labels.len() {
        let what = format!("holds {} positions and {} labels", bare.len(), labels.len());
        return Err(odd(path, None, &what));
    }
    for (label, at) in labels.iter().zip(bare) {
        points.add(label, at);
    }
    Ok(points)
}

fn table(path: &Path, text: &str) -> Result<Points, Fault> {
    let mut points = Points::default();
    let mut rows = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let Some((_, header)) = rows.next() else {
        return Ok(points);
    };
    let separator = if header.contains('\t') { '\t' } else { ',' };
    let cells = |line: &'_ str| -> Vec<String> {
        line.split(separator)
            .map(|cell| cell.trim().trim_matches('"').to_owned())
            .collect()
    };
    let header: Vec<String> = cells(header).iter().map(|cell| cell.to_lowercase()).collect();
    let column = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| header.iter().position(|cell| cell == name))
    };
    let places = [
        &["name", "label", "electrode"][..],
        &["x", "x_m"],
        &["y", "y_m"],
        &["z", "z_m"],
    ]
    .map(column);
    let [Some(name), Some(x), Some(y), Some(z)] = places else {
        return Err(odd(path, Some(1), "should name the columns `name`, `x`, `y` and `z`"));
    };
    for (line, row) in rows {
        let row = cells(row);
        let cell = |place: usize| row.get(place).map_or("", |cell| cell);
        let at = [cell(x), cell(y), cell(z)];
        if at
            .iter()
            .all(|cell| cell.is_empty() || cell.eq_ignore_ascii_case("n/a"))
        {
            continue;
        }
        points.add(cell(name), coordinates(path, line + 1, &at)?);
    }
    Ok(points)
}

impl Points {
    /// An electrode, or a fiducial if it is called like one.
    fn add(&mut self, label: &str, at: Position) {
        if !self.fiducial(label, at) {
            self.electrodes.push((label.to_owned(), at));
        }
    }

    fn fiducial(&mut self, label: &str, at: Position) -> bool {
        let place = match label.to_lowercase().as_str() {
            "nasion" | "nas" | "fidnz" => &mut self.nasion,
            "lpa" | "fidt9" => &mut self.left,
            "rpa" | "fidt10" => &mut self.right,
            _ => return false,
        };
        *place = Some(at);
        true
    }
}

/// Lines that are neither empty nor a comment, in words, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    let numbered = text.lines().enumerate().map(|(k, line)| (k + 1, line.trim()));
    numbered
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(k, line)| (k, line.split_whitespace().collect()))
}

fn coordinates(path: &Path, line: usize, words: &[&str]) -> Result<Position, Fault> {
    let number = |place: usize| {
        let value = words
            .get(place)
            .and_then(|word| word.parse::<f64>().ok())
            .filter(|value| value.is_finite());
        value.ok_or_else(|| {
            let found: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            odd(
                path,
                Some(line),
                &format!("should hold three coordinates, not {}", found.join(", ")),
            )
        })
    };
    Ok([number(0)?, number(1)?, number(2)?])
}

fn odd(path: &Path, line: Option<usize>, what: &str) -> Fault {
    let what = match line {
        Some(line) => format!("cannot be read: line {line} {what}"),
        None => what.into(),
    };
    fault(
        path,
        &what,
        "positions decide the current source density and every map",
        "check the file; a table needs the columns name, x, y and z",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn montage(name: &str, text: &str) -> Result<Montage, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        read_montage(&path)
    }

    #[test]
    fn all_formats_tell_the_same_positions() {
        let hpts = "# cap\neeg Fp1 -95 -31 -3\neeg Oz 95.0 0 -3\ncardinal nasion -91 0 -42\ncardinal lpa 0 -91 \
            -42\ncardinal rpa 0 91 -42\nhpi 1 1 2 3\nextra x\n";
        let sfp = "FidNz -9.1 0 -4.2\nFidT9 0 -9.1 -4.2\nFidT10 0 9.1 -4.2\nFp1 -9.5 -3.1 -0.3\nOz 9.5 0 -0.3\n";
        let elc = "# ASA electrode file\nReferenceLabel\tavg\nUnitPosition\tmm\nNumberPositions=\t5\nPositions\nFp1 : \
            -95 -31 -3\nOz : 95 0 -3\nNasion : -91 0 -42\nLPA : 0 -91 -42\nRPA : 0 91 \
            -42\nNumberPolygons=0\nPolygons\n";
        let bare = "UnitPosition mm\nPositions\n-95 -31 -3\n95 0 -3\n-91 0 -42\n0 -91 -42\n0 91 -42\nLabels\nFp1 \
            Oz\nNasion LPA RPA\n";
        let tsv = "name\tx\ty\tz\ttype\nFp1\t-95\t-31\t-3\tcup\nOz\t95\t0\t-3\tcup\nGND\tn/a\tn/a\tn/a\tcup\n\
            NAS\t-91\t0\t-42\tn/a\nLPA\t0\t-91\t-42\tn/a\nRPA\t0\t91\t-42\tn/a\n";
        let told = montage("a.hpts", hpts).unwrap();
        for (label, at) in told.electrodes() {
            for (name, text) in [
                ("a.sfp", sfp),
                ("a.elc", elc),
                ("b.elc", bare),
                ("a.tsv", tsv),
                ("a.csv", &tsv.replace('\t', ",")),
            ] {
                let found = montage(name, text).unwrap();
                assert_eq!(found.electrodes().len(), 2, "{name}");
                let (_, found) = found.find(label).unwrap();
                assert!(
                    found.iter().zip(at).all(|(a, b)| (a - b).abs() < 1e-12),
                    "{name} {label} {found:?} {at:?}"
                );
            }
        }
        let (_, at) = told.find("Fp1.").unwrap();
        assert!(
            at.iter()
                .zip([-0.031, 0.095, 0.039])
                .all(|(a, b)| (a - b).abs() < 1e-12)
        );
    }

    #[test]
    fn what_cannot_be_read_is_told_with_its_line() {
        for (name, text, said) in [
            ("a.hpts", "eeg Fp1 1 2\n", "line 1"),
            ("a.sfp", "Fp1 1 2 3\n\nFp2 1 x 3\n", "line 3"),
            ("a.sfp", "Fp1 1 2 inf\n", "line 1"),
            ("a.elc", "Positions\n1 2 3\nLabels\n", "1 positions and 0 labels"),
            ("a.tsv", "label\ta\tb\tc\nFp1\t1\t2\t3\n", "columns"),
            ("a.tsv", "", "no positions"),
            ("a.txt", "Fp1 1 2 3", "ending"),
            ("a.sfp", "Fp1 1 2 3\nFP1 1 2 4\n", "twice"),
        ] {
            let error = montage(name, text).unwrap_err().to_string();
            assert!(error.contains(said), "{name}: {error}");
        }
    }
}
