//! A cell → a number; missing values become NaN and are refused later, where they can be dropped.

/// The number in a cell, if it is one; NaN where a value is missing.
#[inline]
pub(crate) fn number(cell: &str) -> Option<f64> {
    let cell = trimmed(cell);
    match cell.as_bytes() {
        [] => Some(f64::NAN),
        [b'0'..=b'9' | b'.', ..] | [b'-' | b'+', b'0'..=b'9' | b'.', ..] => cell.parse().ok(),
        _ => special(cell),
    }
}

/// The number that a text starts with, and its length; none where it starts with anything but a digit, a point or a sign
/// before one. The same bits as [`number`], without looking for the end of the cell first.
#[inline]
pub(super) fn leading_number(text: &[u8]) -> Option<(f64, usize)> {
    match text {
        [b'0'..=b'9' | b'.', ..] | [b'-' | b'+', b'0'..=b'9' | b'.', ..] => fast_float2::parse_partial(text).ok(),
        _ => None,
    }
}

/// Whether a cell holds nothing, or a word for it.
pub(super) fn is_missing(cell: &str) -> bool {
    number(cell).is_some_and(f64::is_nan)
}

/// `trim` with a short way out for cells that need none.
fn trimmed(cell: &str) -> &str {
    match cell.as_bytes() {
        [first, .., last] if first.is_ascii_graphic() && last.is_ascii_graphic() => cell,
        _ => cell.trim(),
    }
}

/// Signed numbers, and the words for missing and infinite values.
fn special(cell: &str) -> Option<f64> {
    const MISSING: [&str; 9] = ["na", "nan", "null", "none", "n/a", "#n/a", "<na>", "-nan", "+nan"];
    if MISSING.iter().any(|word| cell.eq_ignore_ascii_case(word)) {
        return Some(f64::NAN);
    }
    // The minus sign of typesetters is what some locales and Matplotlib write.
    match cell.strip_prefix('−') {
        Some(size) if !size.starts_with(['-', '+', '−']) => size.parse().ok().map(|size: f64| -size),
        Some(_) => None,
        None => cell.parse().ok(),
    }
}

/// Whether a cell is a number with a comma for its decimal point.
pub(super) fn has_decimal_comma(cell: &str) -> bool {
    let cell = cell.trim();
    cell.matches(',').count() == 1 && !cell.contains('.') && number(&cell.replace(',', ".")).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_rust_reads_them() {
        for text in [
            "1",
            "-1.5",
            "+2",
            ".5",
            "5.",
            "1e-300",
            "0.1",
            "-0",
            "123456789.123456789",
            "4.9e-324",
            " 7\t",
        ] {
            assert_eq!(number(text), text.trim().parse().ok(), "{text}");
        }
        assert_eq!(number("−2.5"), Some(-2.5));
        assert_eq!(number("Inf"), Some(f64::INFINITY));
        assert_eq!(number("-inf"), Some(f64::NEG_INFINITY));
    }

    /// Every kind of number that programs write, against Rust's own reading of it.
    #[test]
    fn leading_numbers_are_read_as_rust_reads_them() {
        let mut state = 1_u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state >> 3
        };
        for k in 0..40_000 {
            let value = f64::from_bits(random());
            let near = (random() as f64 / 1e18 - 1.0) * 5.0;
            let text = match k % 5 {
                0 => format!("{value:e}"),
                1 => format!("{near}"),
                2 => format!("{:.6}", -near),
                3 => format!("{}.{}E+{:02}", random(), random(), k % 40),
                // Half-way between two neighbours, where rounding is decided.
                _ => format!("{}", 2 * u128::from((1 << 52) + random() % (1 << 52)) + 1),
            };
            let expected: f64 = text.parse().unwrap();
            let (found, length) = leading_number(format!("{text},1").as_bytes()).unwrap();
            assert_eq!((found.to_bits(), length), (expected.to_bits(), text.len()), "{text}");
        }
        for text in ["", "x", "nan", "inf", "-inf", "-", "+", "--1", " 1", "−1", "e5"] {
            assert_eq!(leading_number(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn missing_values_are_nan_and_words_are_not_numbers() {
        for text in ["", " ", "NA", "nan", "NaN", "null", "None", "#N/A", "<NA>"] {
            assert!(is_missing(text), "{text}");
        }
        for text in ["a", "1,5", "1 2", "0x10", "1_000", "1.2.3", "-", "--1", "−-1", "Fz"] {
            assert_eq!(number(text), None, "{text}");
        }
        assert!(has_decimal_comma("0,5") && has_decimal_comma(" -1,5e3"));
        assert!(!has_decimal_comma("1,234,567") && !has_decimal_comma("a,b"));
    }
}
