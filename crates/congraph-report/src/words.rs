//! Numbers and names for people.

use congraph_record::findings::{Findings, ViewFinding, short_names};

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

/// The short name of one view, within a sentence.
pub(crate) fn view(findings: &Findings, view: &ViewFinding) -> String {
    let at = findings.views.iter().position(|other| other.name == view.name);
    at.map_or_else(String::new, |at| unbroken(&views(findings)[at]))
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

/// A share that a user set, in per cent to three digits.
pub(crate) fn share(share: f64) -> String {
    format!("{} %", significant(100.0 * share))
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
    } else if !value.is_finite() {
        "unknown".into()
    } else {
        format!("{value:.1e}")
    }
}

/// A number of things: `plural(2, "view")` is `2 views`.
pub(crate) fn plural(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// Names in a row: `a, b and c`.
pub(crate) fn listed<S: AsRef<str>>(names: &[S]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match &names[..] {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

/// From the least to the most, or the one value that there is.
pub(crate) fn range(values: impl Iterator<Item = f64>) -> String {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    // Whole numbers are told to the last digit.
    let shown = |value: f64| {
        if value.fract() == 0.0 {
            format!("{value:.0}")
        } else {
            significant(value)
        }
    };
    if low >= high {
        return if low.is_finite() { shown(low) } else { "–".into() };
    }
    format!("{} to {}", shown(low), shown(high))
}

/// The day of a Unix time, in UTC: `2026-11-16`.
pub(crate) fn day(seconds: u64) -> String {
    // Years that begin in March end with the leap day; an era is the 400 years after which days and years are in step
    // again.
    let days = seconds / 86_400 + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march + 2) / 5 + 1;
    let month = if march < 10 { march + 3 } else { march - 9 };
    format!("{:04}-{month:02}-{day:02}", 400 * era + year + u64::from(month <= 2))
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

    #[test]
    fn days_are_those_of_the_calendar() {
        let days = [0, 951_782_400, 1_709_164_800, 1_794_814_557, 4_107_542_400].map(day);
        assert_eq!(
            days,
            ["1970-01-01", "2000-02-29", "2024-02-29", "2026-11-16", "2100-03-01"]
        );
    }

    #[test]
    fn lists_and_ranges_read_like_sentences() {
        assert_eq!(listed(&["a", "b", "c"]), "a, b and c");
        assert_eq!(listed(&["a"]), "a");
        assert_eq!(range([3.0, 1.0, 2.0].into_iter()), "1 to 3");
        assert_eq!(range([1200.0, 1200.0].into_iter()), "1200");
        assert_eq!(range([].into_iter()), "–");
    }
}
