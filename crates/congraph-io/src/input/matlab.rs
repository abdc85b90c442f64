//! MATLAB files of version 5 (MATLAB's `save` up to `-v7`, SciPy, Octave): numeric variables, full or sparse.
//!
//! ```text
//! 2-D                                    one view, samples × nodes, called as the variable is
//! 3-D                                    views × samples × nodes, called 1, 2, …
//! nodes, node_names, views, view_names   names: a cell array of text, or a matrix of characters
//! labels, channels                       the same of the nodes, if there are as many and `nodes` is not there
//! a single number, text                  left out: a sampling rate, a comment
//! a vector beside matrices               left out: points in time
//! ```
//!
//! With `--variable`, only those that it names are views, whatever the others are.
//!
//! A file is a header of 128 bytes and a row of elements: a type, a length and so many bytes. An element may be a
//! variable, or another element compressed. Variables hold elements of their own: flags, lengths of the axes, a name,
//! values. Numbers are stored in the smallest type that holds them, whatever the class of the variable; the first axis
//! is the fastest.
//!
//! Every length is checked against the bytes that are there; nothing is allocated on a file's word alone.

use std::io::Read;

use congraph::{Table, list_names};
use flate2::read::ZlibDecoder;

use super::arrays::{Block, Names, check_wanted, is_wanted, leave_out_or_name, reads_only_named, tables};
use super::faults::{Fault, fault};
use super::sources::decompressed_limit;
use super::sparse::{Stored, place};
use super::{Input, ReadOptions};
use crate::npy::{last_axis_fastest, show_shape};

pub(super) const WHY: &str = "a view is a matrix of numbers: one row per sample, one column per node";
const HEADER: usize = 128;
/// How deep cells may hold cells.
const DEPTH: usize = 8;

/// What a variable turned out to be.
pub(super) enum Content {
    Numbers {
        shape: Vec<usize>,
        values: Vec<f64>,
    },
    Text(Vec<String>),
    /// Something that cannot be a view: what, and what to do.
    Other {
        what: String,
        hint: &'static str,
    },
}

/// Whether these are the bytes of a MATLAB file of version 7.3.
pub(super) fn is_73(bytes: &[u8]) -> bool {
    bytes.get(512..520) == Some(b"\x89HDF\r\n\x1a\n") || bytes.starts_with(b"\x89HDF\r\n\x1a\n")
}

/// The views of a file of version 5.
pub(super) fn read(input: &Input, bytes: &[u8], options: &ReadOptions) -> Result<Vec<Table>, Fault> {
    let broken = |Broken(reason): Broken| {
        let hint = "save it again, or copy it again if it was cut short";
        fault(&input.path, &format!("is not a whole MATLAB file: {reason}"), WHY, hint)
    };
    let variables = Elements::open(bytes).and_then(Elements::variables).map_err(broken)?;
    views(input, variables, options)
}

/// The views among the variables of a MATLAB file of any version.
pub(super) fn views(
    input: &Input,
    variables: Vec<(String, Content)>,
    options: &ReadOptions,
) -> Result<Vec<Table>, Fault> {
    let (mut blocks, mut names) = (Vec::new(), Names::default());
    let found: Vec<String> = variables.iter().map(|(name, _)| name.clone()).collect();
    check_wanted(input, &found, options)?;
    let is_vector = |shape: &[usize]| shape.len() == 2 && shape.contains(&1);
    let is_matrix = |content: &Content| match content {
        Content::Numbers { shape, values } => !is_vector(shape) && !values.is_empty(),
        _ => false,
    };
    let has_matrix = variables.iter().any(|(_, content)| is_matrix(content));
    let asked = !options.variables.is_empty();
    for (name, content) in variables {
        match content {
            Content::Text(text) => {
                if let Some(slot) = names.slot(&name) {
                    *slot = Some(text);
                }
            }
            _ if !is_wanted(&name, options) => {}
            // Scalars are settings, and vectors beside matrices are too, unless they are asked for.
            Content::Numbers { values, .. } if values.len() == 1 => {}
            Content::Numbers { shape, .. } if !asked && has_matrix && is_vector(&shape) => {}
            Content::Numbers { shape, values } => {
                let refuse =
                    |what: &str, hint: &str| fault(&input.path, &format!("variable `{name}` {what}"), WHY, hint);
                if values.is_empty() {
                    let what = format!("is empty: its size is {}", show_shape(&shape));
                    return Err(refuse(&what, &leave_out_or_name()));
                }
                if !matches!(shape.len(), 2 | 3) {
                    let what = format!("has {} axes: its size is {}", shape.len(), show_shape(&shape));
                    let hint = "save a matrix samples × nodes, or views × samples × nodes";
                    return Err(refuse(&what, hint));
                }
                blocks.push(Block { name, shape, values });
            }
            Content::Other { what, hint } => {
                let hint = match has_matrix && !asked {
                    true => format!("{hint}; {}", reads_only_named()),
                    false => hint.to_owned(),
                };
                return Err(fault(&input.path, &format!("variable `{name}` {what}"), WHY, hint));
            }
        }
    }
    tables(input, blocks, &names, options)
}

/// What is wrong with the bytes.
struct Broken(String);

fn broken<T>(reason: &str) -> Result<T, Broken> {
    Err(Broken(reason.into()))
}

const CUT: &str = "it ends in the middle of a variable";

/// The types of elements.
mod kind {
    pub(super) const INT8: u32 = 1;
    pub(super) const UINT8: u32 = 2;
    pub(super) const INT16: u32 = 3;
    pub(super) const UINT16: u32 = 4;
    pub(super) const INT32: u32 = 5;
    pub(super) const UINT32: u32 = 6;
    pub(super) const SINGLE: u32 = 7;
    pub(super) const DOUBLE: u32 = 9;
    pub(super) const INT64: u32 = 12;
    pub(super) const UINT64: u32 = 13;
    pub(super) const MATRIX: u32 = 14;
    pub(super) const COMPRESSED: u32 = 15;
    pub(super) const UTF8: u32 = 16;
    pub(super) const UTF16: u32 = 17;
    pub(super) const UTF32: u32 = 18;
}

/// A row of elements, one after the other.
#[derive(Clone, Copy)]
struct Elements<'a> {
    bytes: &'a [u8],
    big_endian: bool,
}

/// One element.
#[derive(Clone, Copy)]
struct Element<'a> {
    kind: u32,
    data: &'a [u8],
}

impl<'a> Elements<'a> {
    /// Reads the header.
    fn open(bytes: &'a [u8]) -> Result<Self, Broken> {
        let Some((header, rest)) = bytes.split_at_checked(HEADER) else {
            return broken("it is shorter than the header of one");
        };
        let big_endian = match &header[126..] {
            b"IM" => false,
            b"MI" => true,
            _ => return broken("it does not start as one does; version 4 (`save -v4`) is not read"),
        };
        Ok(Self {
            bytes: rest,
            big_endian,
        })
    }

    fn word(&self, bytes: [u8; 4]) -> u32 {
        if self.big_endian {
            u32::from_be_bytes(bytes)
        } else {
            u32::from_le_bytes(bytes)
        }
    }

    /// The next element, if there is one.
    fn next(&mut self) -> Result<Option<Element<'a>>, Broken> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let Some((&[a, b, c, d, e, f, g, h], rest)) = self.bytes.split_first_chunk::<8>() else {
            return broken(CUT);
        };
        let first = self.word([a, b, c, d]);
        // Up to four bytes stand in the tag itself, with the length in the upper half of the type.
        if first >> 16 != 0 {
            let length = (first >> 16) as usize;
            let Some(data) = self.bytes.get(4..8).and_then(|data| data.get(..length)) else {
                return broken("an element is longer than it can be");
            };
            self.bytes = rest;
            return Ok(Some(Element {
                kind: first & 0xffff,
                data,
            }));
        }
        let length = self.word([e, f, g, h]) as usize;
        let Some((data, rest)) = rest.split_at_checked(length) else {
            return broken(CUT);
        };
        // Whole words of eight bytes, but for compressed elements; the last may lack its padding.
        let padding = if first == kind::COMPRESSED {
            0
        } else {
            (8 - length % 8) % 8
        };
        self.bytes = &rest[padding.min(rest.len())..];
        Ok(Some(Element { kind: first, data }))
    }

    fn expect(&mut self) -> Result<Element<'a>, Broken> {
        self.next()?.ok_or_else(|| Broken(CUT.into()))
    }

    fn within(&self, bytes: &'a [u8]) -> Self {
        Self { bytes, ..*self }
    }

    /// All variables of a file.
    fn variables(mut self) -> Result<Vec<(String, Content)>, Broken> {
        let mut left = decompressed_limit(self.bytes.len());
        let mut variables = Vec::new();
        while let Some(element) = self.next()? {
            match element.kind {
                kind::MATRIX => variables.push(self.within(element.data).variable(0)?),
                kind::COMPRESSED => {
                    let mut unpacked = Vec::new();
                    // A few bytes may unpack to terabytes: all variables share one allowance.
                    let read = ZlibDecoder::new(element.data).take(left).read_to_end(&mut unpacked);
                    if read.is_err() {
                        return broken("a compressed variable cannot be unpacked");
                    }
                    left -= unpacked.len() as u64;
                    if left == 0 {
                        return broken("its variables are larger than such a file should hold");
                    }
                    let mut inner = Elements {
                        bytes: &unpacked,
                        big_endian: self.big_endian,
                    };
                    let element = inner.expect()?;
                    if element.kind == kind::MATRIX {
                        variables.push(inner.within(element.data).variable(0)?);
                    }
                }
                _ => {}
            }
        }
        // MATLAB keeps its own notes on objects in a variable without a name.
        variables.retain(|(name, _)| !name.is_empty());
        Ok(variables)
    }

    /// The variable that these elements make up, and its name.
    fn variable(mut self, depth: usize) -> Result<(String, Content), Broken> {
        // An empty cell entry may have no elements at all.
        if self.bytes.is_empty() {
            return Ok((String::new(), empty()));
        }
        // A variable is: flags, dimensions, name, then what its class says.
        let flags = self.expect()?;
        let Some(&flags) = flags.data.first_chunk::<4>() else {
            return broken(CUT);
        };
        let flags = self.word(flags);
        let class = flags & 0xff;
        if class == 17 {
            return Ok((self.opaque_name(), other("a MATLAB object")));
        }
        let dimensions = self.expect()?;
        let shape = self.integers(dimensions)?;
        let name = self.expect()?;
        let name = String::from_utf8_lossy(name.data).into_owned();
        let is_complex = flags & 0x0800 != 0;
        let content = match class {
            1 => self.cell(&shape, depth)?,
            2 | 3 => self.structure()?,
            4 => self.text(&shape)?,
            _ if is_complex => Content::Other {
                what: "holds complex numbers".into(),
                hint: "keep one real number per value, for example `abs(x)` or `real(x)`",
            },
            5 => self.sparse(&shape, flags & 0x0200 != 0)?,
            6..=15 => self.full(shape)?,
            16 => other("a function"),
            _ => return broken("a variable is of a class that is not known"),
        };
        Ok((name, content))
    }

    fn opaque_name(mut self) -> String {
        let name = self.next().ok().flatten();
        name.map_or_else(String::new, |name| String::from_utf8_lossy(name.data).into_owned())
    }

    /// A full matrix.
    fn full(mut self, shape: Vec<usize>) -> Result<Content, Broken> {
        let element = self.expect()?;
        let values = self.numbers(element)?;
        let n_values = shape
            .iter()
            .try_fold(1_usize, |product, &length| product.checked_mul(length));
        if n_values != Some(values.len()) {
            return broken(&format!(
                "a variable of size {} holds {} values",
                show_shape(&shape),
                values.len()
            ));
        }
        Ok(Content::Numbers {
            values: last_axis_fastest(&shape, &values),
            shape,
        })
    }

    /// A sparse matrix: rows, where each column starts, and values.
    fn sparse(mut self, shape: &[usize], is_logical: bool) -> Result<Content, Broken> {
        let (rows, starts) = (self.expect()?, self.expect()?);
        let (rows, starts) = (self.integers(rows)?, self.integers(starts)?);
        let mut values = self.expect()?;
        // Truth values are bytes, though MATLAB calls them doubles.
        if is_logical && values.data.len() < 8 * rows.len() {
            values.kind = kind::UINT8;
        }
        let values = self.numbers(values)?;
        let stored = Stored {
            starts: &starts,
            places: &rows,
            values: &values,
        };
        match *shape {
            [n_rows, n_columns] => Ok(Content::Numbers {
                shape: shape.to_vec(),
                values: stored.columns(n_rows, n_columns, None).map_err(Broken)?,
            }),
            _ => broken("a sparse variable has more than two axes"),
        }
    }

    /// A cell array: of interest only if it holds text.
    fn cell(mut self, shape: &[usize], depth: usize) -> Result<Content, Broken> {
        if depth >= DEPTH {
            return broken("cells hold cells hold cells, and so on");
        }
        let mut texts = Vec::new();
        while let Some(element) = self.next()? {
            if element.kind != kind::MATRIX {
                return broken("a cell holds something else than variables");
            }
            match self.within(element.data).variable(depth + 1)?.1 {
                Content::Text(mut lines) if lines.len() == 1 => texts.append(&mut lines),
                _ => {
                    return Ok(Content::Other {
                        what: format!("is a cell array of size {}", show_shape(shape)),
                        hint: "save each matrix as a variable of its own; only names may stand in cells",
                    });
                }
            }
        }
        Ok(Content::Text(texts))
    }

    /// A struct or an object: its fields, for the message.
    fn structure(mut self) -> Result<Content, Broken> {
        let mut fields = Vec::new();
        // Objects name their class first; then the length of a name, and the names.
        while let Some(element) = self.next()? {
            if element.kind == kind::INT32 {
                let width = self.integers(element)?.first().copied().unwrap_or(0);
                let names = self.expect()?;
                let names = names.data.chunks(width.max(1));
                fields = names
                    .map(|name| String::from_utf8_lossy(name).trim_end_matches('\0').to_owned())
                    .collect();
                break;
            }
        }
        Ok(structure(&fields))
    }

    /// Characters: one text for each row of the matrix.
    fn text(mut self, shape: &[usize]) -> Result<Content, Broken> {
        let Some(element) = self.next()? else {
            return Ok(Content::Text(vec![String::new()]));
        };
        let marks: Vec<char> = match element.kind {
            kind::UTF8 => String::from_utf8_lossy(element.data).chars().collect(),
            kind::UTF16 | kind::UINT16 => {
                let units: Vec<u16> = self.integers(element)?.iter().map(|&unit| unit as u16).collect();
                char::decode_utf16(units)
                    .map(|mark| mark.unwrap_or('\u{fffd}'))
                    .collect()
            }
            _ => {
                let codes = self.integers(element)?;
                codes
                    .iter()
                    .map(|&code| char::from_u32(code as u32).unwrap_or('\u{fffd}'))
                    .collect()
            }
        };
        let n_rows = shape.first().copied().unwrap_or(1);
        let row = |row: usize| -> String {
            let text: String = marks.iter().skip(row).step_by(n_rows.max(1)).collect();
            text.trim_end_matches([' ', '\0']).to_owned()
        };
        Ok(Content::Text((0..n_rows.min(marks.len().max(1))).map(row).collect()))
    }

    /// The values of an element as f64.
    fn numbers(&self, Element { kind, data }: Element<'_>) -> Result<Vec<f64>, Broken> {
        Ok(match kind {
            kind::INT8 => self.decode(data, |b: [u8; 1]| f64::from(i8::from_le_bytes(b))),
            kind::UINT8 | kind::UTF8 => self.decode(data, |[b]: [u8; 1]| f64::from(b)),
            kind::INT16 => self.decode(data, |b| f64::from(i16::from_le_bytes(b))),
            kind::UINT16 | kind::UTF16 => self.decode(data, |b| f64::from(u16::from_le_bytes(b))),
            kind::INT32 => self.decode(data, |b| f64::from(i32::from_le_bytes(b))),
            kind::UINT32 | kind::UTF32 => self.decode(data, |b| f64::from(u32::from_le_bytes(b))),
            kind::SINGLE => self.decode(data, |b| f64::from(f32::from_le_bytes(b))),
            kind::DOUBLE => self.decode(data, f64::from_le_bytes),
            kind::INT64 => self.decode(data, |b| i64::from_le_bytes(b) as f64),
            kind::UINT64 => self.decode(data, |b| u64::from_le_bytes(b) as f64),
            _ => return broken("values are of a type that is not known"),
        })
    }

    /// The values of an element as lengths or places; anything else becomes too large to be one.
    fn integers(&self, element: Element<'_>) -> Result<Vec<usize>, Broken> {
        Ok(self.numbers(element)?.into_iter().map(place).collect())
    }

    fn decode<const SIZE: usize>(&self, data: &[u8], value: impl Fn([u8; SIZE]) -> f64) -> Vec<f64> {
        let (items, _) = data.as_chunks::<SIZE>();
        let turned = |mut item: [u8; SIZE]| {
            if self.big_endian {
                item.reverse();
            }
            item
        };
        items.iter().map(|&item| value(turned(item))).collect()
    }
}

fn empty() -> Content {
    Content::Numbers {
        shape: vec![0, 0],
        values: Vec::new(),
    }
}

fn other(what: &str) -> Content {
    Content::Other {
        what: format!("is {what}, not a matrix of numbers"),
        hint: "leave it out of the file; text can be saved as `cellstr(x)`",
    }
}

/// What is said of a struct with these fields.
pub(super) fn structure(fields: &[String]) -> Content {
    let what = match fields {
        [] => "is a struct without fields".into(),
        _ => format!("is a struct with the fields {}", list_names(fields)),
    };
    Content::Other {
        what,
        hint: "save the matrix in it as a variable of its own: `x = s.field; save('file.mat', 'x')`",
    }
}
