//! Columns of numbers as text: little-endian bytes in base64.
//!
//! A weight as JSON takes eight characters, packed less than three, so that all edges of large graphs fit into a page
//! that can be mailed. The weights of the views keep three significant digits in 16 bits, whatever their size: 900
//! mantissas times 72 powers of ten. What the page shows of them is then true to the last digit. Codes sort as their
//! weights do.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// The smallest power of ten, and how many there are.
const LOWEST: i32 = -50;
const POWERS: i32 = 72;

/// The code of a view that lacks one of the nodes.
pub(crate) const LACKING: u16 = u16::MAX;

/// Three significant digits: 0 is nothing, 1 is 1.00e-50, and the scripts read the others back exactly.
pub(crate) fn code(weight: f64) -> u16 {
    if weight.is_nan() || weight <= 0.0 {
        return 0;
    }
    // The formatter rounds correctly, which a logarithm at a power of ten does not.
    let text = format!("{weight:.2e}");
    let (digits, power) = text.split_once('e').unwrap_or(("1.00", "0"));
    let digits: i32 = digits.replace('.', "").parse().unwrap_or(100);
    let power: i32 = power.parse().unwrap_or(0);
    let code = match power - LOWEST {
        below if below < 0 => 1,
        above if above >= POWERS => 900 * POWERS,
        power => 1 + 900 * power + digits - 100,
    };
    code as u16
}

pub(crate) fn u16s(values: impl Iterator<Item = u16>) -> String {
    base64(&values.flat_map(u16::to_le_bytes).collect::<Vec<u8>>())
}

/// Seven significant digits. A number other than 0 keeps its sign.
pub(crate) fn f32s(values: impl Iterator<Item = f64>) -> String {
    let single = |value: f64| match value as f32 {
        zero if zero == 0.0 && value > 0.0 => f32::MIN_POSITIVE,
        zero if zero == 0.0 && value < 0.0 => -f32::MIN_POSITIVE,
        value => value,
    };
    base64(
        &values
            .flat_map(|value| single(value).to_le_bytes())
            .collect::<Vec<u8>>(),
    )
}

/// One bit after the other, the first the lowest of its byte.
pub(crate) fn bits(values: impl Iterator<Item = bool>) -> String {
    let mut bytes = Vec::new();
    for (k, bit) in values.enumerate() {
        if k % 8 == 0 {
            bytes.push(0_u8);
        }
        bytes[k / 8] |= u8::from(bit) << (k % 8);
    }
    base64(&bytes)
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group
            .iter()
            .enumerate()
            .fold(0_u32, |bits, (k, &byte)| bits | u32::from(byte) << (16 - 8 * k));
        for k in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * k) & 63) as usize];
            text.push(if k <= group.len() { letter as char } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(code: u16) -> f64 {
        let k = i32::from(code) - 1;
        format!("{}e{}", 100 + k % 900, k / 900 + LOWEST - 2).parse().unwrap()
    }

    #[test]
    fn weights_keep_three_digits_at_any_size() {
        for weight in [9.4e-6, 0.000_763, 1.0, 0.999_6, 123_456.0, 3.14e-30, 64.0, 2.5e12] {
            let shown: f64 = format!("{weight:.2e}").parse().unwrap();
            assert!((decoded(code(weight)) / shown - 1.0).abs() < 1e-15, "{weight}");
        }
        assert_eq!([code(0.0), code(-1.0), code(1e-300)], [0, 0, 1]);
        assert!(code(f64::MAX) < LACKING);
        let rising: Vec<u16> = [1e-9, 9.99e-2, 0.1, 0.101, 7.0].map(code).to_vec();
        assert!(rising.is_sorted_by(|one, two| one < two));
    }

    #[test]
    fn bits_fill_bytes_from_below() {
        let nine = [true, false, true, false, false, false, false, false, true];
        assert_eq!(bits(nine.into_iter()), base64(&[5, 1]));
        assert_eq!(bits(std::iter::empty()), "");
    }

    #[test]
    fn bytes_are_base64() {
        let texts = [&b""[..], b"f", b"fo", b"foo", b"foob"].map(base64);
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }
}
