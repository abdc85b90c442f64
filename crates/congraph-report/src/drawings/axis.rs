//! Round numbers along an axis.

/// At least about `n` round numbers from `low` to `high`.
pub(super) fn ticks(low: f64, high: f64, n: usize) -> Vec<f64> {
    let span = high - low;
    if span <= 0.0 || !span.is_finite() {
        return vec![low];
    }
    let rough = span / n as f64;
    let unit = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|k| k * unit)
        .into_iter()
        .find(|step| *step >= rough)
        .unwrap_or(unit);
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|k| k as f64 * step).collect()
}

/// A tick's number: as many decimals as its step needs.
pub(super) fn label(value: f64, ticks: &[f64]) -> String {
    let step = match ticks {
        [one, two, ..] => two - one,
        _ => value.abs().max(1.0),
    };
    let decimals = usize::try_from((-step.log10() + 1e-9).ceil() as i64)
        .unwrap_or(0)
        .min(6);
    let text = format!("{value:.decimals$}");
    if text
        .trim_start_matches('-')
        .chars()
        .all(|mark| mark == '0' || mark == '.')
    {
        "0".into()
    } else {
        text
    }
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
}
