//! Round numbers along an axis.

/// About `n` round numbers from `low` to `high`, at least two.
pub(super) fn ticks(low: f64, high: f64, n: usize) -> Vec<f64> {
    let span = high - low;
    if span <= 0.0 || !span.is_finite() {
        return vec![low];
    }
    // Steps of 1, 2 or 5 times a power of ten.
    let rough = span / n as f64;
    let unit = 10_f64.powf(rough.log10().floor());
    let steps = [10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1].map(|k| k * unit);
    // The largest step at or below the wish that has two numbers inside.
    let first = steps
        .iter()
        .rposition(|step| *step >= rough * (1.0 - 1e-9))
        .unwrap_or(0);
    let inside = |step: f64| -> Vec<f64> {
        // A hair of slack, because 0.3 / 0.1 is just below 3.
        let (first, last) = ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
        (first..=last).map(|k| k as f64 * step).collect()
    };
    let found = steps[first..].iter().map(|&step| inside(step));
    found
        .into_iter()
        .find(|ticks| ticks.len() > 1)
        .unwrap_or_else(|| vec![low])
}

/// Round numbers just outside `low` and `high`, and the ticks between them.
pub(super) fn round_range(low: f64, high: f64, n: usize) -> (f64, f64, Vec<f64>) {
    let found = ticks(low, high, n);
    let step = match found[..] {
        [one, two, ..] => two - one,
        _ => 1.0,
    };
    let (first, last) = ((low / step + 1e-9).floor() as i64, (high / step - 1e-9).ceil() as i64);
    // Over a whole number the quotient is the number that is meant, to the last bit; times a rounded step it is not.
    let at = |k: i64| {
        if step < 1.0 {
            k as f64 / (1.0 / step).round()
        } else {
            k as f64 * step.round()
        }
    };
    let all: Vec<f64> = (first..=last.max(first + 1)).map(at).collect();
    (all[0], all[all.len() - 1], all)
}

/// A tick's number: as many decimals as its step needs, or a power of ten if these would be many.
pub(super) fn label(value: f64, ticks: &[f64]) -> String {
    let step = match ticks {
        [one, two, ..] => two - one,
        _ => value.abs().max(1.0),
    };
    if value.abs() < 1e-9 * step {
        return "0".into();
    }
    let decimals = (-step.log10() - 1e-9).ceil() as i64;
    if decimals > 4 || value.abs() >= 1e6 {
        // As many digits as tell this tick from the next.
        let power = |value: f64| (value.abs().log10() + 1e-9).floor();
        let digits = (power(value) - power(step)).max(0.0) as usize;
        return format!("{value:.digits$e}");
    }
    let decimals = usize::try_from(decimals).unwrap_or(0);
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks(0.0, 1.0, 4), [0.0, 0.5, 1.0]);
        let found = ticks(0.13, 0.31, 4);
        assert_eq!(
            found.iter().map(|&value| label(value, &found)).collect::<Vec<_>>(),
            ["0.15", "0.20", "0.25", "0.30"]
        );
        assert_eq!(ticks(3.0, 3.0, 4), [3.0]);
    }

    #[test]
    fn an_axis_has_two_ticks_that_differ() {
        for (low, high) in [
            (0.94, 1.06),
            (1.9, 2.1),
            (1e-9, 3e-9),
            (0.0, 1.3e7),
            (0.998, 0.9991),
            (-0.3, 17.0),
        ] {
            for n in [3, 4, 5] {
                let found = ticks(low, high, n);
                let labels: std::collections::HashSet<String> = found.iter().map(|&tick| label(tick, &found)).collect();
                assert!(
                    found.len() > 1 && labels.len() == found.len(),
                    "{low} {high} {n}: {labels:?}"
                );
            }
        }
    }

    #[test]
    fn a_range_ends_at_ticks() {
        let (low, high, ticks) = round_range(0.66, 0.993, 4);
        assert_eq!([low, high].map(|end| label(end, &ticks)), ["0.6", "1.0"]);
        let (low, high, ticks) = round_range(0.9931, 0.9979, 4);
        assert_eq!([low, high].map(|end| label(end, &ticks)), ["0.992", "0.998"]);
    }
}
