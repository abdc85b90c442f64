//! Short names that can still be told apart.
//!
//! A drawing has room for a few letters. Names of one set usually share their beginning (`sub-01_ses-rest_run-1`,
//! `…run-2`), so cutting the end would make them equal: what all have in common goes first, then the middle, and what
//! is still equal shows where it differs.

use std::collections::{HashMap, HashSet};

/// Each name in at most `most` characters, one for each and no two alike unless the names are; short names stay as they
/// are.
///
/// Characters that turn the direction of text are shown as �, so that no name can rearrange what stands around it.
/// Names that are written from the right are isolated from their surroundings, by two marks that do not count.
///
/// ```
/// use congraph::findings::short_names;
///
/// let names = ["sub-01_task-rest_run-1", "sub-01_task-rest_run-2"].map(String::from);
/// assert_eq!(short_names(&names, 12), ["…run-1", "…run-2"]);
/// ```
pub fn short_names(names: &[String], most: usize) -> Vec<String> {
    let clean: Vec<Vec<char>> = names.iter().map(|name| visible(name).chars().collect()).collect();
    let most = most.max(6);
    let mut short = shortened(&clean, most);
    let mut taken: HashSet<Vec<char>> = HashSet::new();
    for (name, whole) in short.iter_mut().zip(&clean) {
        // What no window tells apart is counted; equal names may stay equal.
        let cut = name.clone();
        for n in 2.. {
            if name == whole || !taken.contains(name) {
                break;
            }
            let number: Vec<char> = format!("…{n}").chars().collect();
            *name = [&cut[..cut.len().min(most - number.len().min(most))], &number].concat();
        }
        taken.insert(name.clone());
    }
    short
        .into_iter()
        .map(|name| isolated(name.into_iter().collect()))
        .collect()
}

/// One name with nothing that turns the direction of text.
pub fn visible(name: &str) -> String {
    name.chars()
        .map(|mark| {
            let turns = matches!(
                mark,
                '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            );
            if turns || mark.is_control() { '\u{fffd}' } else { mark }
        })
        .collect()
}

/// Set apart from what stands around it, if it is written from the right.
fn isolated(name: String) -> String {
    // Hebrew, Arabic and their neighbours, and their presentation forms.
    let from_right = |mark: char| {
        matches!(
            mark,
            '\u{0590}'..='\u{08ff}'
                | '\u{fb1d}'..='\u{fdff}'
                | '\u{fe70}'..='\u{fefc}'
                | '\u{10800}'..='\u{10fff}'
                | '\u{1e800}'..='\u{1efff}'
        )
    };
    if name.chars().any(from_right) {
        format!("\u{2068}{name}\u{2069}")
    } else {
        name
    }
}

fn shortened(names: &[Vec<char>], most: usize) -> Vec<Vec<char>> {
    if names.iter().all(|name| name.len() <= most) {
        return names.to_vec();
    }
    let start = if names.len() > 1 { common_start(names) } else { 0 };
    let mut short: Vec<Vec<char>> = names
        .iter()
        .map(|name| {
            let rest = &name[start..];
            let lead: &[char] = if start > 0 { &['…'] } else { &[] };
            middle_cut(lead, rest, most)
        })
        .collect();
    // Names that are alike now differ in what was cut: the window moves there.
    let mut groups: HashMap<Vec<char>, Vec<usize>> = HashMap::new();
    for (k, name) in short.iter().enumerate() {
        groups.entry(name.clone()).or_default().push(k);
    }
    for alike in groups.into_values().filter(|alike| alike.len() > 1) {
        let longest = names[alike[0]].len();
        let first = (0..longest).find(|&at| alike.iter().any(|&k| names[k].get(at) != names[alike[0]].get(at)));
        let Some(first) = first else { continue };
        for k in alike {
            let from = first.saturating_sub(2).min(names[k].len());
            let window: Vec<char> = names[k][from..].to_vec();
            short[k] = end_cut(&['…'], &window, most);
        }
    }
    short
}

/// How much of the beginning all names have in common, up to the last mark that parts words; nothing if that would save
/// little.
fn common_start(names: &[Vec<char>]) -> usize {
    let common = (0..)
        .take_while(|&at| {
            let one = names[0].get(at);
            one.is_some() && names.iter().all(|name| name.get(at) == one)
        })
        .count();
    let parts = |marks: &[char]| {
        (0..common)
            .rev()
            .find(|&at| marks.contains(&names[0][at]))
            .map(|at| at + 1)
    };
    let at = parts(&['_', '/', '.', ' ']).or_else(|| parts(&['-'])).unwrap_or(common);
    // Every name keeps something.
    let at = at.min(names.iter().map(|name| name.len().saturating_sub(1)).min().unwrap_or(0));
    if at < 3 { 0 } else { at }
}

fn middle_cut(lead: &[char], rest: &[char], most: usize) -> Vec<char> {
    let room = most - lead.len();
    if rest.len() <= room {
        return [lead, rest].concat();
    }
    let tail = (room - 1) / 2;
    let head = room - 1 - tail;
    [lead, &rest[..head], &['…'], &rest[rest.len() - tail..]].concat()
}

fn end_cut(lead: &[char], rest: &[char], most: usize) -> Vec<char> {
    let room = most - lead.len();
    if rest.len() <= room {
        return [lead, rest].concat();
    }
    [lead, &rest[..room - 1], &['…']].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str], most: usize) -> Vec<String> {
        short_names(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>(), most)
    }

    #[test]
    fn short_names_stay() {
        assert_eq!(of(&["Cz", "häuser"], 8), ["Cz", "häuser"]);
    }

    #[test]
    fn what_all_share_goes_first_then_the_middle() {
        let runs = of(
            &[
                "sub-01_ses-baseline_task-rest_run-1",
                "sub-01_ses-baseline_task-rest_run-2",
            ],
            18,
        );
        assert_eq!(runs, ["…run-1", "…run-2"]);
        assert_eq!(of(&["häuser und gärten", "b"], 8), ["häus…ten", "b"]);
    }

    #[test]
    fn no_two_become_alike_and_none_is_too_long() {
        let wave = |at: usize| -> String { (0..300).map(|k| if k == at { 'b' } else { 'a' }).collect() };
        let mut names: Vec<String> = (0..300).step_by(7).map(wave).collect();
        names.extend((0..40).map(|k| format!("{}-{k}-{}", "x".repeat(40), "y".repeat(40))));
        for most in [6, 12, 18, 30] {
            let short = short_names(&names, most);
            let distinct: std::collections::HashSet<&String> = short.iter().collect();
            assert_eq!(distinct.len(), names.len(), "{most}: {short:?}");
            assert!(
                short.iter().all(|name| name.chars().count() <= most),
                "{most}: {short:?}"
            );
        }
    }

    #[test]
    fn no_name_turns_the_text_around_it() {
        assert_eq!(of(&["a\u{202e}evil"], 18), ["a\u{fffd}evil"]);
        assert_eq!(of(&["עברית"], 18), ["\u{2068}עברית\u{2069}"]);
    }
}
