//! The text fields of a header: fixed width, padded with spaces, and not to be trusted.

/// A field as text: UTF-8, or else Latin-1, without padding.
pub(super) fn text(field: &[u8]) -> String {
    let text = match std::str::from_utf8(field) {
        Ok(text) => text.to_owned(),
        Err(_) => field.iter().map(|&byte| char::from(byte)).collect(),
    };
    text.trim_matches(|mark: char| mark == '\0' || mark.is_whitespace())
        .to_owned()
}

/// A field as a number; some writers use a decimal comma.
pub(super) fn number(field: &[u8]) -> Option<f64> {
    let value: f64 = text(field).replace(',', ".").parse().ok()?;
    value.is_finite().then_some(value)
}

/// A field as a whole number, also when written with decimals.
pub(super) fn whole(field: &[u8]) -> Option<i64> {
    let value = number(field)?;
    // Eight characters can hold 9e99999.
    (value.fract() == 0.0 && value.abs() < 1e15).then_some(value as i64)
}

/// A field for a message: short, and printable whatever it holds.
pub(super) fn shown(field: &[u8]) -> String {
    format!("`{}`", String::from_utf8_lossy(field).trim_end().escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_dropped_and_odd_numbers_are_refused() {
        assert_eq!(text(b"Fp1.  \0\0"), "Fp1.");
        assert_eq!(text(b"\xb5V      "), "µV");
        assert_eq!(number(b"-3,5e1  "), Some(-35.0));
        assert_eq!(whole(b"128.000 "), Some(128));
        for bad in [
            &b"        "[..],
            b"inf     ",
            b"nan     ",
            b"1e999   ",
            b"12 34   ",
            b"\xff\xff",
        ] {
            assert_eq!(number(bad), None, "{bad:?}");
        }
        assert_eq!(whole(b"9e99    "), None);
        assert_eq!(whole(b"1.5     "), None);
        assert_eq!(shown(b"a\x07b     "), "`a\\u{7}b`");
    }
}
