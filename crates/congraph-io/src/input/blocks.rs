//! Contiguous blocks of a series: so many for each view, or each of a duration.
//!
//! ```text
//! Blocks     what is asked: 20, or 2s
//! Clock      when samples were taken: by a column of times, or by their rate
//! ```
//!
//! A number cuts the p samples of a view in parts as equal as can be: sample k is in block ⌊k · number / p⌋. With a
//! duration, a sample is in the block ⌊(time − first time) / duration + 10⁻⁶⌋ (0.3 s / 0.1 s is a little less than 3 in
//! floating point), so that a gap in the series leaves blocks out and joins none. Python does the same (`blocks=20`, `blocks="2s"`), to the label.

use std::str::FromStr;

use congraph::options::option;
use congraph::{Error, Orient, Table};

use super::cells::number;
use super::faults::{Fault, said, shown};
use super::{Loaded, ReadOptions};

/// What a duration may be told in, and how many seconds that is.
const UNITS: [(&str, f64); 7] = [
    ("ms", 1e-3),
    ("s", 1.0),
    ("sec", 1.0),
    ("min", 60.0),
    ("h", 3600.0),
    ("d", 86_400.0),
    ("w", 604_800.0),
];

/// A sample so near to the next block, as a share of a block, is its first.
const ROUNDING: f64 = 1e-6;

/// How a series is cut into blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Blocks {
    /// Each view in so many, as equal as can be.
    Number(usize),
    /// Each of so many seconds.
    Seconds(f64),
}

impl FromStr for Blocks {
    type Err = String;

    /// `20`, or a duration such as `500ms`, `2s`, `1.5min`, `12h`, `7d`, `4w`.
    ///
    /// ```
    /// use congraph_io::Blocks;
    ///
    /// assert_eq!("20".parse(), Ok(Blocks::Number(20)));
    /// assert_eq!("1.5min".parse(), Ok(Blocks::Seconds(90.0)));
    /// assert!("2 fortnights".parse::<Blocks>().is_err());
    /// ```
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (digits, unit) = text.split_at(text.find(|mark: char| mark.is_alphabetic()).unwrap_or(text.len()));
        let (digits, unit) = (digits.trim(), unit.to_lowercase());
        let is_number = !digits.is_empty() && digits.chars().all(|mark| mark.is_ascii_digit() || mark == '.');
        let wrong = || {
            "the number of blocks of each view is needed, 2 or more, such as 20; or how long a block lasts, such as 500ms, \
             2s, 5min, 1h, 7d or 4w"
                .to_owned()
        };
        if !is_number {
            return Err(wrong());
        }
        if unit.is_empty() {
            let count = digits.parse().ok().filter(|&count| count >= 2);
            return count.map(Self::Number).ok_or_else(wrong);
        }
        let seconds = UNITS.iter().find(|(known, _)| *known == unit);
        let seconds = seconds.and_then(|(_, seconds)| Some(digits.parse::<f64>().ok()? * seconds));
        let seconds = seconds.filter(|seconds| *seconds > 0.0 && seconds.is_finite());
        seconds.map(Self::Seconds).ok_or_else(wrong)
    }
}

/// Options that contradict each other.
pub(super) fn check(options: &ReadOptions) -> Result<(), Error> {
    let refuse = |name, message: String| Err(Error::Parameter { name, message });
    let blocks = option("blocks");
    let is_duration = matches!(options.blocks, Some(Blocks::Seconds(_)));
    if options.blocks.is_some() && options.block_column.is_some() {
        let column = option("block_column").bare();
        return refuse(
            "blocks",
            format!("makes blocks, and {column} names them: give one of the two"),
        );
    }
    let (column, rate) = (options.time_column.is_some(), options.rate.is_some());
    if is_duration && !column && !rate {
        let message = format!(
            "is a duration, and nothing tells when samples were taken: add {} or {}, or give the number of blocks",
            option("time_column").set_to("COLUMN"),
            option("rate").set_to("HZ")
        );
        return refuse("blocks", message);
    }
    if column && rate {
        let other = option("time_column").bare();
        return refuse(
            "rate",
            format!("and {other} both tell when samples were taken: give one of the two"),
        );
    }
    if column && options.blocks.is_none() {
        let message = format!(
            "tells when samples were taken, for blocks of a duration: add {}, or leave the column out with {}",
            blocks.set_to("2s"),
            option("ignore_columns")
        );
        return refuse("time_column", message);
    }
    if rate && !is_duration {
        return refuse(
            "rate",
            format!(
                "is for blocks of a duration: add {}, or leave it out",
                blocks.set_to("2s")
            ),
        );
    }
    if options.rate.is_some_and(|rate| !(rate > 0.0 && rate.is_finite())) {
        return refuse("rate", "must be finite and above 0, in samples per second".into());
    }
    Ok(())
}

/// Cuts the views into blocks, if that is asked. Times stand where the labels of blocks will.
pub(super) fn cut(views: &mut [Loaded], options: &ReadOptions) -> Result<(), Vec<Fault>> {
    let mut faults = Vec::new();
    for view in views {
        let times = match options.time_column {
            Some(_) => view.table.blocks.take(),
            None => None,
        };
        let Some(blocks) = options.blocks else { continue };
        match places(&view.table, blocks, times.as_deref(), options) {
            Ok(places) => view.table.blocks = Some(places.iter().map(|place| format!("{place:06}")).collect()),
            Err(mut fault) => {
                fault.view = Some(view.table.name.clone());
                faults.push(fault);
            }
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// The block of each sample.
fn places(table: &Table, blocks: Blocks, times: Option<&[String]>, options: &ReadOptions) -> Result<Vec<u64>, Fault> {
    let n_samples = match options.orient {
        Orient::NodesBySamples => table.n_columns,
        Orient::SamplesByNodes => table.n_rows,
    };
    match blocks {
        Blocks::Number(count) if count > n_samples => Err(said(
            format!(
                "view `{}` has {n_samples} samples, and {count} blocks are asked for",
                table.name
            ),
            "a block holds one sample at least",
            format!("give {} a number from 2 to {n_samples}", option("blocks")),
        )),
        Blocks::Number(count) => Ok((0..n_samples).map(|k| (k * count / n_samples) as u64).collect()),
        Blocks::Seconds(length) => {
            let seconds = match (times, options.rate) {
                (Some(times), _) => read_times(&table.name, times)?,
                (None, rate) => {
                    let rate = rate.unwrap_or(1.0);
                    (0..n_samples).map(|k| k as f64 / rate).collect()
                }
            };
            let first = seconds.iter().copied().fold(f64::INFINITY, f64::min);
            let places: Vec<u64> = seconds
                .iter()
                .map(|time| ((time - first) / length + ROUNDING) as u64)
                .collect();
            if places.iter().all(|&place| place == 0) {
                let last = seconds.iter().copied().fold(first, f64::max);
                return Err(said(
                    format!(
                        "view `{}` lasts {:.6} s, and a block {length} s: all of its samples are in one",
                        table.name,
                        last - first
                    ),
                    "halves are made of whole blocks, so that two are needed at least",
                    format!("make {} shorter", option("blocks")),
                ));
            }
            Ok(places)
        }
    }
}

fn read_times(view: &str, texts: &[String]) -> Result<Vec<f64>, Fault> {
    let read = |(row, text): (usize, &String)| {
        seconds_of(text).ok_or_else(|| {
            said(
                format!("view `{view}`: the time of sample {} is `{}`", row + 1, shown(text)),
                "blocks of a duration need the time of every sample",
                "write times as seconds (12.5), or as dates: 2024-03-31, 2024-03-31 12:30:00",
            )
        })
    };
    texts.iter().enumerate().map(read).collect()
}

/// Seconds as a number, or since 1970 of a date of ISO 8601: `2024-03`, `2024-03-31`, `2024-03-31T12:30:00.5+01:00`.
pub(super) fn seconds_of(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Some(seconds) = number(text) {
        return seconds.is_finite().then_some(seconds);
    }
    let (date, clock) = match text.find(['T', 't', ' ']) {
        Some(at) => (&text[..at], Some(text[at + 1..].trim())),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let year = whole(parts.next()?, 4)?;
    let month = whole(parts.next()?, 2).filter(|month| (1..=12).contains(month))?;
    let day = match parts.next() {
        Some(day) => whole(day, 2).filter(|&day| day >= 1 && day <= days_of(year, month))?,
        None if clock.is_none() => 1,
        None => return None,
    };
    let days = days_since_1970(year, month, day);
    let within = match clock {
        Some(clock) => seconds_of_clock(clock)?,
        None => 0.0,
    };
    parts.next().is_none().then_some(days as f64 * 86_400.0 + within)
}

/// `12:30`, `12:30:00.25`, with `Z` or `+01:00` after it.
fn seconds_of_clock(text: &str) -> Option<f64> {
    let (clock, offset) = match text.find(['Z', 'z', '+', '-']) {
        Some(at) => (text[..at].trim(), &text[at..]),
        None => (text, "Z"),
    };
    let offset = match offset.split_at(1) {
        ("Z" | "z", "") => 0,
        (sign @ ("+" | "-"), rest) => {
            let (hours, minutes) = rest.split_once(':').unwrap_or(rest.split_at_checked(2)?);
            let minutes = if minutes.is_empty() { 0 } else { whole(minutes, 2)? };
            let offset = whole(hours, 2)? * 60 + minutes;
            if sign == "-" { -offset } else { offset }
        }
        _ => return None,
    };
    let mut parts = clock.split(':');
    let hours = whole(parts.next()?, 2).filter(|&hours| hours < 24)?;
    let minutes = whole(parts.next()?, 2).filter(|&minutes| minutes < 60)?;
    let seconds = match parts.next() {
        Some(seconds) if seconds.starts_with(|mark: char| mark.is_ascii_digit()) => {
            seconds.parse::<f64>().ok().filter(|&seconds| seconds < 61.0)?
        }
        Some(_) => return None,
        None => 0.0,
    };
    let whole_minutes = hours * 60 + minutes - offset;
    parts.next().is_none().then_some(whole_minutes as f64 * 60.0 + seconds)
}

/// A whole number of so many digits.
fn whole(text: &str, n_digits: usize) -> Option<i64> {
    let is_whole = text.len() == n_digits && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_whole { text.parse().ok() } else { None }
}

const fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

const fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from the first of January 1970, of the Gregorian calendar; years from 0 to 9999.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    // Leap days before the year, counted from the year 0, which is one.
    let leap_days = |year: i64| (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400;
    let before = (1..month).map(|month| days_of(year, month)).sum::<i64>();
    (year - 1970) * 365 + leap_days(year) - leap_days(1970) + before + day - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        for (text, blocks) in [
            ("2", Blocks::Number(2)),
            (" 20 ", Blocks::Number(20)),
            ("2s", Blocks::Seconds(2.0)),
            ("500ms", Blocks::Seconds(0.5)),
            ("1.5 min", Blocks::Seconds(90.0)),
            ("28D", Blocks::Seconds(28.0 * 86_400.0)),
            ("1w", Blocks::Seconds(604_800.0)),
            ("3h", Blocks::Seconds(10_800.0)),
        ] {
            assert_eq!(text.parse(), Ok(blocks), "{text}");
        }
        for text in [
            "",
            "0",
            "1",
            "-3",
            "2.5",
            "s",
            "0s",
            "-2s",
            "2 fortnights",
            "1e3",
            "nan",
            "infs",
            "2s3",
            "1..2s",
        ] {
            assert!(text.parse::<Blocks>().is_err(), "{text}");
        }
    }

    #[test]
    fn times() {
        for (text, seconds) in [
            ("12.5", 12.5),
            ("-3", -3.0),
            ("1970-01-01", 0.0),
            ("1970-02", 31.0 * 86_400.0),
            ("2000-03-01", 951_868_800.0),
            ("2024-02-29T12:30:00Z", 1_709_209_800.0),
            ("2024-02-29 13:30:00.25+01:00", 1_709_209_800.25),
            ("2024-02-29 07:00-0530", 1_709_209_800.0),
            ("1969-12-31 23:59:59", -1.0),
            ("1900-03-01", -2_203_891_200.0),
        ] {
            assert_eq!(seconds_of(text), Some(seconds), "{text}");
        }
        for text in [
            "",
            "noon",
            "2023-02-29",
            "2024-13-01",
            "2024-1-1",
            "24:00",
            "2024-01-01 25:00",
            "2024-01-01-01",
            "nan",
            "31/03/2024",
        ] {
            assert_eq!(seconds_of(text), None, "{text}");
        }
    }

    #[test]
    fn every_day_of_centuries_follows_the_one_before() {
        let mut last = days_since_1970(1599, 12, 31);
        for year in 1600..2401 {
            for month in 1..=12 {
                for day in 1..=days_of(year, month) {
                    let now = days_since_1970(year, month, day);
                    assert_eq!(now, last + 1, "{year}-{month}-{day}");
                    last = now;
                }
            }
        }
        assert_eq!(days_since_1970(1970, 1, 1), 0);
    }
}
