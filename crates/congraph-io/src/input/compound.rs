//! Tables stored as one row of fields after the other, as anndata before 0.7 wrote `obs` and `var`.

use hdf5_reader::{ByteOrder, Dataset, Datatype, StringSize};

use super::hdf5::{Reason, reason};

/// A field of all rows.
pub(super) enum Field {
    Texts(Vec<String>),
    Numbers { values: Vec<f64>, is_truth: bool },
}

/// The names of the fields.
pub(super) fn names(table: &Dataset) -> Vec<String> {
    match table.dtype() {
        Datatype::Compound { fields, .. } => fields.iter().map(|field| field.name.clone()).collect(),
        _ => Vec::new(),
    }
}

/// One field of all rows.
pub(super) fn field(table: &Dataset, name: &str) -> Result<Field, Reason> {
    let Datatype::Compound { size, fields } = table.dtype() else {
        return Err(format!("`{}` is no table", table.name()));
    };
    let field = fields.iter().find(|field| field.name == name);
    let field = field.ok_or_else(|| format!("`{}` has no field `{name}`", table.name()))?;
    let bytes = table.read_raw_bytes().map_err(reason)?;
    let from = field.byte_offset as usize;
    let rows = bytes.chunks_exact((*size as usize).max(1));
    let cut = || format!("`{}` ends within a row", table.name());
    if let Datatype::String {
        size: StringSize::Fixed(length),
        ..
    } = field.datatype
    {
        let text = |row: &[u8]| {
            let item = row.get(from..from.checked_add(length as usize)?)?;
            Some(String::from_utf8_lossy(item).trim_end_matches(['\0', ' ']).to_owned())
        };
        return Ok(Field::Texts(rows.map(text).collect::<Option<_>>().ok_or_else(cut)?));
    }
    let (base, is_truth) = match &field.datatype {
        Datatype::Enum { base, .. } => (&**base, true),
        other => (other, false),
    };
    let values = rows.map(|row| number(row.get(from..)?, base)).collect::<Option<_>>();
    let unreadable = || format!("field `{name}` of `{}` does not hold numbers or text", table.name());
    Ok(Field::Numbers {
        values: values.ok_or_else(unreadable)?,
        is_truth,
    })
}

/// The number that some bytes start with.
fn number(bytes: &[u8], kind: &Datatype) -> Option<f64> {
    let (Datatype::FixedPoint { size, byte_order, .. } | Datatype::FloatingPoint { size, byte_order }) = kind else {
        return None;
    };
    // Low bytes first, the rest zero.
    let mut item = bytes.get(..usize::from(*size))?.to_vec();
    if *byte_order == ByteOrder::BigEndian {
        item.reverse();
    }
    let mut word = [0; 8];
    word.get_mut(..item.len())?.copy_from_slice(&item);
    let bits = u64::from_le_bytes(word);
    match (kind, size) {
        (Datatype::FloatingPoint { .. }, 8) => Some(f64::from_bits(bits)),
        (Datatype::FloatingPoint { .. }, 4) => Some(f32::from_bits(bits as u32).into()),
        (Datatype::FixedPoint { signed: false, .. }, 1 | 2 | 4 | 8) => Some(bits as f64),
        (Datatype::FixedPoint { .. }, 1 | 2 | 4 | 8) => {
            let unused = 64 - 8 * u32::from(*size);
            Some(((bits << unused).cast_signed() >> unused) as f64)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_size_and_order() {
        let whole = |size, signed, byte_order| Datatype::FixedPoint {
            size,
            signed,
            byte_order,
        };
        let (little, big) = (ByteOrder::LittleEndian, ByteOrder::BigEndian);
        assert_eq!(number(&[0xff, 9], &whole(1, true, little)), Some(-1.0));
        assert_eq!(number(&[0xff, 9], &whole(1, false, little)), Some(255.0));
        assert_eq!(number(&[0xff, 0xfe], &whole(2, true, big)), Some(-2.0));
        assert_eq!(number(&(-5_i64).to_le_bytes(), &whole(8, true, little)), Some(-5.0));
        let float = |size, byte_order| Datatype::FloatingPoint { size, byte_order };
        assert_eq!(number(&1.5_f32.to_be_bytes(), &float(4, big)), Some(1.5));
        assert_eq!(number(&0.1_f64.to_le_bytes(), &float(8, little)), Some(0.1));
        assert_eq!(number(&[1, 2], &whole(4, true, little)), None);
    }
}
