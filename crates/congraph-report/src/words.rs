//! Numbers and names for people.

/// How many characters of a name a drawing has room for.
pub(crate) const NAME: usize = 18;

/// A name, cut in the middle of a drawing's patience.
pub(crate) fn short(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_owned();
    }
    let start: String = name.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", start.trim_end())
}

/// About how wide a text is, in units of its size: most letters are half as wide as high, others as wide.
pub(crate) fn width(text: &str) -> f64 {
    let one = |mark: char| match mark {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | '\'' | '|' => 0.28,
        'm' | 'w' | 'M' | 'W' | '…' | '—' => 0.88,
        mark if mark.is_ascii_uppercase() => 0.68,
        mark if (mark as u32) < 0x2e80 => 0.56,
        _ => 1.05,
    };
    text.chars().map(one).sum()
}

/// Three significant digits, without trailing zeros.
pub(crate) fn significant(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".into() } else { "–".into() };
    }
    let magnitude = value.abs().log10().floor() as i32;
    if !(-4..6).contains(&magnitude) {
        return format!("{value:.2e}");
    }
    let text = format!("{value:.*}", usize::try_from(2 - magnitude).unwrap_or(0));
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Three significant digits with their zeros, for columns.
pub(crate) fn column(value: f64) -> String {
    let magnitude = if value == 0.0 { 0.0 } else { value.abs().log10().floor() };
    if !value.is_finite() || !(-4.0..6.0).contains(&magnitude) {
        return significant(value);
    }
    if value == 0.0 {
        "0".into()
    } else {
        format!("{value:.*}", (2.0 - magnitude).max(0.0) as usize)
    }
}

/// A share in per cent.
pub(crate) fn percent(share: f64) -> String {
    let value = 100.0 * share;
    if value != 0.0 && value.abs() < 1.0 {
        format!("{} %", significant(value))
    } else {
        format!("{value:.0} %")
    }
}

/// A relative gap; below 1e-14 it is rounding.
pub(crate) fn gap(value: f64) -> String {
    if value < 1e-14 {
        "below 1e-14".into()
    } else {
        format!("{value:.1e}")
    }
}

/// A number of things: `plural(2, "view")` is `2 views`.
pub(crate) fn plural(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown: Vec<String> = [0.0, 1.0, 0.12345, 1234.5, 12.0, 1e-7, 0.1].map(significant).to_vec();
        assert_eq!(shown, ["0", "1", "0.123", "1234", "12", "1.00e-7", "0.1"]);
        assert_eq!(
            [percent(0.149), percent(0.0012), percent(0.0)],
            ["15 %", "0.12 %", "0 %"]
        );
    }

    #[test]
    fn names_are_cut_by_characters() {
        assert_eq!(short("häuser und gärten", 8), "häuser…");
        assert_eq!(short("Cz", 8), "Cz");
    }
}
