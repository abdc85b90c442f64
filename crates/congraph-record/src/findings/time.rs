//! Views that have an order in time: those of a chain, and those that are called by times.

use super::known::Known;

/// Words before a number that make it a time.
const UNITS: [&str; 7] = ["year", "quarter", "month", "week", "day", "hour", "minute"];

/// The views in the order of time, if they have one.
pub(super) fn order(names: &[String], known: &Known) -> Option<Vec<usize>> {
    let coupling = known.summary.as_ref().and_then(|summary| summary.coupling.as_deref());
    if coupling == Some("chain") {
        return Some((0..names.len()).collect());
    }
    let times: Vec<f64> = names.iter().map(|name| time(name)).collect::<Option<_>>()?;
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|&one, &two| times[one].total_cmp(&times[two]));
    let is_distinct = order.windows(2).all(|two| times[two[0]] < times[two[1]]);
    (names.len() > 2 && is_distinct).then_some(order)
}

/// `2019`, `2019-07`, `2019-07-31`, `2019Q3`, `2019-Q3`, `week 12`, `day03`: when that is, in a unit of its own.
fn time(name: &str) -> Option<f64> {
    let name = name.trim().to_lowercase();
    if let Some(unit) = UNITS.iter().find(|unit| name.starts_with(**unit)) {
        return name[unit.len()..]
            .trim_matches([' ', '-', '_'])
            .parse::<u32>()
            .ok()
            .map(f64::from);
    }
    let year = name
        .get(..4)
        .filter(|year| year.bytes().all(|byte| byte.is_ascii_digit()))?;
    let year = year
        .parse::<f64>()
        .ok()
        .filter(|year| (1000.0..3000.0).contains(year))?;
    let rest = name[4..].trim_start_matches(['-', '_', '/', ' ']);
    if rest.is_empty() {
        return Some(year);
    }
    if let Some(quarter) = rest.strip_prefix('q') {
        let quarter = quarter
            .parse::<u32>()
            .ok()
            .filter(|quarter| (1..=4).contains(quarter))?;
        return Some(year + f64::from(quarter - 1) / 4.0);
    }
    let mut parts = rest.split(['-', '_', '/']).map(|part| part.parse::<u32>().ok());
    let month = parts.next()?.filter(|month| (1..=12).contains(month))?;
    let day = match parts.next() {
        None => 1,
        Some(day) => day.filter(|day| (1..=31).contains(day))?,
    };
    parts
        .next()
        .is_none()
        .then(|| year + (f64::from(month - 1) + f64::from(day - 1) / 31.0) / 12.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order_of(names: &[&str]) -> Option<Vec<usize>> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        order(&names, &Known::default())
    }

    #[test]
    fn years_months_and_weeks_are_times() {
        assert_eq!(order_of(&["2021", "2019", "2020"]), Some(vec![1, 2, 0]));
        assert_eq!(order_of(&["2020-12", "2020-02-28", "2020-03"]), Some(vec![1, 2, 0]));
        assert_eq!(order_of(&["2020Q4", "2021-Q1", "2020Q1"]), Some(vec![2, 0, 1]));
        assert_eq!(order_of(&["week 10", "week 9", "week 11"]), Some(vec![1, 0, 2]));
    }

    #[test]
    fn subjects_are_not() {
        assert_eq!(order_of(&["sub-01", "sub-02", "sub-03"]), None);
        assert_eq!(order_of(&["2019", "2020", "other"]), None);
        assert_eq!(order_of(&["2019", "2019", "2020"]), None);
        assert_eq!(order_of(&["1", "2", "3"]), None);
    }
}
