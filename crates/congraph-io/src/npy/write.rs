//! Arrays out: version 1.0 of the format, little endian, last axis fastest.

use std::io::{self, Write};

use super::MAGIC;

/// Writes the header of an array; `descr` is NumPy's name of the type, such as `<f8`.
pub(crate) fn write_header(mut out: impl Write, descr: &str, shape: &[usize]) -> io::Result<()> {
    // A tuple of one needs its comma.
    let lengths: String = shape.iter().map(|length| format!("{length}, ")).collect();
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({lengths}), }}");
    let unpadded = MAGIC.len() + 4 + header.len() + 1;
    header.extend(std::iter::repeat_n(' ', unpadded.next_multiple_of(64) - unpadded));
    header.push('\n');
    let length = u16::try_from(header.len()).map_err(io::Error::other)?;
    out.write_all(MAGIC)?;
    out.write_all(&[1, 0])?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(header.as_bytes())
}

/// Writes values after their header.
pub(crate) fn write_numbers(mut out: impl Write, values: &[f64]) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(8 * 4096);
    for block in values.chunks(4096) {
        bytes.clear();
        bytes.extend(block.iter().flat_map(|value| value.to_le_bytes()));
        out.write_all(&bytes)?;
    }
    Ok(())
}

/// Writes a 1-D array of text, header included.
pub(crate) fn write_strings(mut out: impl Write, names: &[String]) -> io::Result<()> {
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(1);
    write_header(&mut out, &format!("<U{width}"), &[names.len()])?;
    for name in names {
        let mut codes: Vec<u8> = name.chars().flat_map(|mark| u32::from(mark).to_le_bytes()).collect();
        codes.resize(4 * width, 0);
        out.write_all(&codes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::Array;
    use super::*;

    #[test]
    fn what_we_write_npyz_reads_and_so_do_we() {
        let mut bytes = Vec::new();
        write_header(&mut bytes, "<f8", &[2, 3]).unwrap();
        assert_eq!(bytes.len() % 64, 0);
        write_numbers(&mut bytes, &[0.1, 2.0, -3.0, 4.0, 5.0, 1e300]).unwrap();
        let theirs = npyz::NpyFile::new(&bytes[..]).unwrap();
        assert_eq!(theirs.shape(), [2, 3]);
        let ours = Array::parse(&bytes).unwrap();
        assert_eq!(ours.shape, [2, 3]);
        assert_eq!(ours.numbers().unwrap(), theirs.into_vec::<f64>().unwrap());

        let names = vec![String::from("ä"), String::new(), String::from("b c")];
        let mut bytes = Vec::new();
        write_strings(&mut bytes, &names).unwrap();
        assert_eq!(
            npyz::NpyFile::new(&bytes[..]).unwrap().into_vec::<String>().unwrap(),
            names
        );
        assert_eq!(Array::parse(&bytes).unwrap().strings().unwrap(), names);
    }
}
