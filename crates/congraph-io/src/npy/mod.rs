//! The `.npy` format: a short text header (type, order, shape), then the values.
//!
//! Our own reader because the shape in a header may be anything: here it is checked against the bytes that follow
//! before a single value is allocated, no product can overflow, and the header's text is scanned without recursion.

mod write;

pub(crate) use write::{write_header, write_numbers, write_strings};

const MAGIC: &[u8] = b"\x93NUMPY";

/// Why an array was refused, and what to do.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) what: String,
    pub(crate) hint: String,
}

fn refused(what: impl Into<String>, hint: &str) -> Refused {
    Refused {
        what: what.into(),
        hint: hint.into(),
    }
}

fn damaged(what: &str) -> Refused {
    refused(
        format!("is not a whole .npy array: {what}"),
        "write it again with `numpy.save` or `numpy.savez`, or copy it again if it was cut short",
    )
}

/// An array as it is stored: its type, shape and raw values.
#[derive(Debug)]
pub(crate) struct Array<'a> {
    big_endian: bool,
    kind: char,
    /// Bytes per value; for text (`U`), four per character.
    item: usize,
    fortran: bool,
    /// The lengths along each axis.
    pub(crate) shape: Vec<usize>,
    data: &'a [u8],
}

impl<'a> Array<'a> {
    /// Reads the header and checks the shape against the bytes that follow.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, Refused> {
        let rest = bytes
            .strip_prefix(MAGIC)
            .ok_or_else(|| damaged("it does not start with the mark of one"))?;
        let (&[major, _minor], rest) = rest
            .split_first_chunk()
            .ok_or_else(|| damaged("it ends in its header"))?;
        // The length of the header: two bytes in version 1, four since.
        let (length, rest) = match major {
            1 => rest
                .split_first_chunk()
                .map(|(b, rest)| (u16::from_le_bytes(*b) as usize, rest)),
            2 | 3 => rest
                .split_first_chunk()
                .map(|(b, rest)| (u32::from_le_bytes(*b) as usize, rest)),
            _ => return Err(damaged(&format!("format version {major} is not known"))),
        }
        .ok_or_else(|| damaged("it ends in its header"))?;
        let (header, data) = rest
            .split_at_checked(length)
            .ok_or_else(|| damaged("it ends in its header"))?;
        let header = std::str::from_utf8(header).map_err(|_| damaged("its header is not text"))?;
        let (big_endian, kind, item) = parse_type(value_of(header, "descr")?)?;
        let fortran = value_of(header, "fortran_order")?.starts_with("True");
        let shape = parse_shape(value_of(header, "shape")?)?;
        // Nothing is allocated from the shape before it agrees with the bytes that are there.
        let n_bytes = shape
            .iter()
            .try_fold(item, |product, &length| product.checked_mul(length));
        if n_bytes != Some(data.len()) {
            return Err(damaged(&format!(
                "its header claims shape {}, which is not what its {} bytes of values hold",
                show_shape(&shape),
                data.len()
            )));
        }
        Ok(Self {
            big_endian,
            kind,
            item,
            fortran,
            shape,
            data,
        })
    }

    /// Whether the values are text.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.kind, 'U' | 'S')
    }

    /// The shape for a message: `3 × 4`.
    pub(crate) fn show_shape(&self) -> String {
        show_shape(&self.shape)
    }

    /// The values as f64, last axis fastest.
    pub(crate) fn numbers(&self) -> Result<Vec<f64>, Refused> {
        let values = match (self.kind, self.item) {
            ('f', 8) => self.decode(f64::from_le_bytes),
            ('f', 4) => self.decode(|b| f32::from_le_bytes(b).into()),
            ('f', 2) => self.decode(|b| half(u16::from_le_bytes(b))),
            ('i', 8) => self.decode(|b| i64::from_le_bytes(b) as f64),
            ('i', 4) => self.decode(|b| i32::from_le_bytes(b).into()),
            ('i', 2) => self.decode(|b| i16::from_le_bytes(b).into()),
            ('i', 1) => self.decode(|b| i8::from_le_bytes(b).into()),
            ('u', 8) => self.decode(|b| u64::from_le_bytes(b) as f64),
            ('u', 4) => self.decode(|b| u32::from_le_bytes(b).into()),
            ('u', 2) => self.decode(|b| u16::from_le_bytes(b).into()),
            ('u', 1) => self.decode(|[b]| b.into()),
            ('b', 1) => self.decode(|[b]| if b == 0 { 0.0 } else { 1.0 }),
            _ => {
                let (kind, size) = (self.kind, self.item);
                let hint = match kind {
                    'c' => "keep one real number per value, for example `numpy.abs(x)` or `x.real`",
                    'U' | 'S' => "convert it with `x.astype(float)`, or leave the array out",
                    _ => "convert it with `x.astype(float)`",
                };
                return Err(refused(
                    format!("holds values of type `{kind}{size}`, not real numbers"),
                    hint,
                ));
            }
        };
        Ok(if self.fortran {
            last_axis_fastest(&self.shape, &values)
        } else {
            values
        })
    }

    /// The values as text.
    pub(crate) fn strings(&self) -> Result<Vec<String>, Refused> {
        let broken = || damaged("its text is not valid");
        let text = |item: &[u8]| match self.kind {
            'S' => String::from_utf8(item.to_vec()).map_err(|_| broken()),
            _ => item
                .chunks_exact(4)
                .map(|b| {
                    let code = [b[0], b[1], b[2], b[3]];
                    let code = if self.big_endian {
                        u32::from_be_bytes(code)
                    } else {
                        u32::from_le_bytes(code)
                    };
                    char::from_u32(code).ok_or_else(broken)
                })
                .collect(),
        };
        self.data
            // Text of no characters has items of no bytes.
            .chunks_exact(self.item.max(1))
            .map(|item| Ok(text(item)?.trim_end_matches('\0').to_owned()))
            .collect()
    }

    fn decode<const SIZE: usize>(&self, value: impl Fn([u8; SIZE]) -> f64) -> Vec<f64> {
        let (items, _) = self.data.as_chunks::<SIZE>();
        let swapped = |mut item: [u8; SIZE]| {
            item.reverse();
            item
        };
        if self.big_endian {
            items.iter().map(|&item| value(swapped(item))).collect()
        } else {
            items.iter().map(|&item| value(item)).collect()
        }
    }
}

/// The text after `'key':` in the header, which is a Python dict.
fn value_of<'h>(header: &'h str, key: &str) -> Result<&'h str, Refused> {
    let after = |quote: char| header.split_once(&format!("{quote}{key}{quote}")).map(|(_, rest)| rest);
    after('\'')
        .or_else(|| after('"'))
        .and_then(|rest| rest.trim_start().strip_prefix(':'))
        .map(str::trim_start)
        .ok_or_else(|| damaged(&format!("its header has no `{key}`")))
}

fn parse_type(text: &str) -> Result<(bool, char, usize), Refused> {
    let mut marks = text.chars();
    let quote = marks
        .next()
        .filter(|&mark| mark == '\'' || mark == '"')
        .ok_or_else(|| {
            refused(
                "is a structured array (several named fields per value), not a table of numbers",
                "save a plain 2-D array, for example with `numpy.lib.recfunctions.structured_to_unstructured`",
            )
        })?;
    let name = marks.as_str().split(quote).next().unwrap_or_default();
    // A type is `<f8`: byte order, kind, bytes per value.
    let (order, rest) = match name.chars().next() {
        Some(mark @ ('<' | '>' | '|' | '=')) => (mark, &name[1..]),
        _ => ('<', name),
    };
    let kind = rest.chars().next().unwrap_or(' ');
    if kind == 'O' {
        return Err(refused(
            "is an array of Python objects, which only Python can read",
            "save numbers with `x.astype(float)` and names with `numpy.asarray(names, dtype=str)`",
        ));
    }
    let size: Option<usize> = rest.get(1..).and_then(|size| size.parse().ok());
    let item = match (kind, size) {
        ('U', Some(size)) => size.checked_mul(4),
        ('f' | 'i' | 'u' | 'b' | 'c' | 'S' | 'V' | 'm' | 'M', Some(size)) => Some(size),
        _ => None,
    };
    let item = item.ok_or_else(|| {
        refused(
            format!("has a type that is not known: `{name}`"),
            "convert it with `x.astype(float)`",
        )
    })?;
    Ok((order == '>', kind, item))
}

fn parse_shape(text: &str) -> Result<Vec<usize>, Refused> {
    let broken = || damaged("its shape cannot be read");
    let inner = text
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'))
        .ok_or_else(broken)?;
    let lengths = inner.0.split(',').map(str::trim).filter(|length| !length.is_empty());
    lengths.map(|length| length.parse().map_err(|_| broken())).collect()
}

/// `3 × 4`.
pub(crate) fn show_shape(shape: &[usize]) -> String {
    let lengths: Vec<String> = shape.iter().map(ToString::to_string).collect();
    if lengths.is_empty() {
        "()".into()
    } else {
        lengths.join(" × ")
    }
}

/// Values of the first axis fastest, put in the order of the last axis fastest.
pub(crate) fn last_axis_fastest(shape: &[usize], values: &[f64]) -> Vec<f64> {
    // Strides of the stored order; `at` walks them as an odometer whose last axis turns fastest.
    let mut strides = vec![1; shape.len()];
    for axis in 1..shape.len() {
        strides[axis] = strides[axis - 1] * shape[axis - 1];
    }
    let mut index = vec![0; shape.len()];
    let mut at = 0;
    let mut sorted = Vec::with_capacity(values.len());
    for _ in 0..values.len() {
        sorted.push(values[at]);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            at += strides[axis];
            if index[axis] < shape[axis] {
                break;
            }
            at -= strides[axis] * shape[axis];
            index[axis] = 0;
        }
    }
    sorted
}

/// A 16-bit float: sign, 5 bits of exponent, 10 of fraction.
pub(crate) fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    match exponent {
        // Subnormal: no leading one, and the smallest exponent.
        0 => sign * fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        _ => sign * (1.0 + fraction / 1024.0) * 2_f64.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_header(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn halves_are_widened() {
        assert_eq!(half(0x3c00), 1.0);
        assert_eq!(half(0xc000), -2.0);
        assert_eq!(half(0x7bff), 65504.0);
        assert_eq!(half(0x0001), 2_f64.powi(-24));
        assert_eq!(half(0x3555), 0.333_251_953_125);
        assert_eq!(half(0xfc00), f64::NEG_INFINITY);
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn big_endian_and_fortran_order_are_turned() {
        let header = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }";
        let data: Vec<u8> = (0..6_i16).flat_map(i16::to_be_bytes).collect();
        let bytes = with_header(header, &data);
        let array = Array::parse(&bytes).unwrap();
        assert_eq!(array.numbers().unwrap(), [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]);
    }

    #[test]
    fn a_shape_is_checked_before_anything_is_allocated() {
        for shape in [
            "(18446744073709551615, 18446744073709551615)",
            "(4000000000, 1000)",
            "(3,)",
            "()",
        ] {
            let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
            let bytes = with_header(&header, &[0; 16]);
            assert!(
                Array::parse(&bytes).unwrap_err().what.contains("claims shape"),
                "{shape}"
            );
        }
    }

    #[test]
    fn other_arrays_are_refused_with_a_word_on_why() {
        let what = |descr: &str, item: usize| {
            let header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (1,), }}");
            let bytes = with_header(&header, &vec![0; item]);
            match Array::parse(&bytes) {
                Err(refused) => refused.what,
                Ok(array) => array.numbers().unwrap_err().what,
            }
        };
        assert!(what("'|O'", 8).contains("Python objects"));
        assert!(what("[('a', '<f8')]", 8).contains("structured"));
        assert!(what("'<c16'", 16).contains("c16"));
        assert!(what("'<f16'", 16).contains("f16"));
        assert!(what("'<M8[ns]'", 8).contains("not known"));
        assert!(what("'<U3'", 12).contains("not real numbers"));
    }
}
