//! Numbers and names for people.

use congraph::findings::{Findings, short_names};

/// How wide a name may be in a drawing, in units of its size.
const NAME: f64 = 10.5;

/// The names of the nodes, short enough for a drawing and told apart.
pub(crate) fn nodes(findings: &Findings) -> Vec<String> {
    labels(findings.graph.nodes())
}

/// The names of the views, short enough for a drawing and told apart.
pub(crate) fn views(findings: &Findings) -> Vec<String> {
    labels(findings.graph.views())
}

fn labels(names: &[String]) -> Vec<String> {
    let fits = |labels: &Vec<String>| labels.iter().all(|label| width(label) <= NAME);
    let shorter = (8..20).rev().map(|most| short_names(names, most));
    let mut found = shorter.into_iter().find(fits);
    found.take().unwrap_or_else(|| short_names(names, 8))
}

/// A name within a sentence: no line ends after the hyphen that it starts with.
pub(crate) fn unbroken(name: &str) -> String {
    match name.strip_prefix('-') {
        Some(rest) => format!("-\u{2060}{rest}"),
        None => name.to_owned(),
    }
}

/// About how wide a text is, in units of its size: most letters are half as wide as high, others as wide.
pub(crate) fn width(text: &str) -> f64 {
    let one = |mark: char| match mark {
        '\u{2060}' | '\u{2066}'..='\u{2069}' => 0.0,
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

/// Two significant digits, for keys.
pub(crate) fn two_digits(value: f64) -> String {
    let rounded: f64 = format!("{value:.1e}").parse().unwrap_or(value);
    significant(rounded)
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
    fn names_are_told_apart_and_fit() {
        let names: Vec<String> = (1..4)
            .map(|k| format!("sub-01_ses-baseline_task-rest_run-{k}"))
            .collect();
        assert_eq!(labels(&names), ["…run-1", "…run-2", "…run-3"]);
        let wide: Vec<String> = (0..3).map(|k| format!("{k}{}", "測".repeat(30))).collect();
        assert!(labels(&wide).iter().all(|label| width(label) <= NAME));
        assert_eq!(unbroken("-x"), "-\u{2060}x");
    }
}
