//! How each face spells an option.
//!
//! An option has one id, in snake case ([`congraph::options`]). On the command line it is `--its-id`, in Python the
//! keyword `its_id`; the tables below hold the few that differ.

use congraph::options::Spelling;

/// Ids whose word on the command line is another.
const FLAGS: &[(&str, &str)] = &[
    ("n_nodes", "--nodes"),
    ("n_views", "--views"),
    ("n_signals", "--signals"),
    ("probability", "--edge-probability"),
    ("n_runs", "--runs"),
    ("out", "-o"),
    ("max_iter", "--max-iterations"),
    ("fused_diagonal", "--free-diagonal"),
];

/// Ids whose keyword in Python is another.
const KEYWORDS: &[(&str, &str)] = &[
    ("block_column", "blocks"),
    ("view_column", "views"),
    ("max_iterations", "max_iter"),
    ("n_runs", "runs"),
    ("probability", "edge_probability"),
    ("samples", "n_samples"),
];

/// Settings that Python spells in a way of its own: id, value (empty for an option without one), spelling.
const IN_PYTHON: &[(&str, &str, &str)] = &[
    ("gram", "", "kind=\"gram\""),
    ("covariance", "", "kind=\"covariance\""),
    ("force", "", "overwrite=True"),
    ("out", "OTHER", "path=\"other\""),
    ("single", "", "SingleGraph"),
    ("allow_counts", "", "allow_counts=True"),
    ("signed", "yes", "signed=True"),
    ("signed", "no", "signed=False"),
    ("method", "jgl-group", "JointGraphicalLasso"),
    ("method", "jgl-fused", "JointGraphicalLasso"),
    ("drop_nodes", "NAMES", "drop_nodes=[...]"),
];

/// Steps that are told otherwise on the command line, and in Python: id, words.
const STEPS: &[(&str, &str)] = &[
    ("check", "`congraph check`"),
    ("name_views", "the view's name (NAME=FILE)"),
    ("learn_once", "learn once, without halves (`congraph learn`)"),
    ("tell_blocks", "`--block-column`, or cut a series with `--blocks 20`"),
];
const STEPS_IN_PYTHON: &[(&str, &str)] = &[
    ("join_trials", "join them in time, as `congraph.from_epochs` does"),
    ("learn_once", "learn once, without halves (`fit`)"),
    ("tell_blocks", "`blocks`, or cut a series with `blocks=20`"),
];

/// The word of an id in a table, if it has one there.
fn listed(table: &[(&str, &'static str)], id: &str) -> Option<&'static str> {
    let found = table.iter().find(|(known, _)| *known == id);
    found.map(|(_, word)| *word)
}

/// The spelling of the command line: `--missing mask`.
#[derive(Clone, Copy, Debug)]
pub struct CommandLine;

impl Spelling for CommandLine {
    fn name(&self, id: &str) -> String {
        listed(FLAGS, id).map_or_else(|| format!("--{}", id.replace('_', "-")), str::to_owned)
    }

    fn setting(&self, id: &str, value: &str) -> String {
        let flag = self.name(id);
        // Names of nodes can be anything, and are there to be pasted.
        if id == "drop_nodes" {
            format!("{flag} {}", quoted_for_a_shell(value))
        } else if id == "signed" {
            // Its value is optional, and yes if it is not told.
            if value == "yes" {
                flag
            } else {
                format!("{flag}={value}")
            }
        } else {
            format!("{flag} {value}")
        }
    }

    fn step(&self, id: &str, words: &str) -> String {
        listed(STEPS, id).unwrap_or(words).to_owned()
    }
}

fn quoted_for_a_shell(value: &str) -> String {
    let is_plain = |mark: char| mark.is_alphanumeric() || "-_.,:/+@%".contains(mark);
    if value.chars().all(is_plain) && !value.is_empty() {
        value.to_owned()
    } else {
        format!("'{value}'")
    }
}

/// The spelling of Python: `missing="mask"`.
#[derive(Clone, Copy, Debug)]
pub struct Python;

impl Python {
    fn own_way(id: &str, value: &str) -> Option<&'static str> {
        let known = IN_PYTHON.iter().find(|known| known.0 == id && known.1 == value);
        known.map(|(_, _, spelling)| *spelling)
    }
}

impl Spelling for Python {
    fn name(&self, id: &str) -> String {
        if let Some(spelling) = Self::own_way(id, "") {
            return spelling.to_owned();
        }
        listed(KEYWORDS, id).unwrap_or(id).to_owned()
    }

    fn setting(&self, id: &str, value: &str) -> String {
        if let Some(spelling) = Self::own_way(id, value) {
            return spelling.to_owned();
        }
        let keyword = self.name(id);
        // Names of nodes are a list, ranges a pair; numbers stand as they are and words in quotes.
        match (id, value.split_once(':')) {
            ("drop_nodes", _) => {
                let names: Vec<String> = value.split(',').map(|name| format!("'{name}'")).collect();
                format!("{keyword}=[{}]", names.join(", "))
            }
            (_, Some(("LO", "HI"))) => format!("{keyword}=(low, high)"),
            _ if value.parse::<f64>().is_ok() => format!("{keyword}={value}"),
            _ => format!("{keyword}=\"{value}\""),
        }
    }

    fn step(&self, id: &str, words: &str) -> String {
        listed(STEPS_IN_PYTHON, id).unwrap_or(words).to_owned()
    }

    fn added(&self, id: &str, value: Option<&str>) -> String {
        let what = match value {
            Some(value) => self.setting(id, value),
            None => self.name(id),
        };
        // A class of its own is used, not added.
        let verb = if what.starts_with(char::is_uppercase) {
            "use"
        } else {
            "add"
        };
        format!("{verb} `{what}`")
    }
}

#[cfg(test)]
mod tests {
    use congraph::options::{option, spelled, step};

    use super::*;

    #[test]
    fn each_face_spells_its_own_way() {
        let cases = [
            (
                option("missing").set_to("mask"),
                "`--missing mask`",
                "`missing=\"mask\"`",
            ),
            (option("candidates"), "`--candidates`", "`candidates`"),
            (option("block_column"), "`--block-column`", "`blocks`"),
            (option("gram"), "`--gram`", "`kind=\"gram\"`"),
            (
                option("similarity").set_to("LO:HI"),
                "`--similarity LO:HI`",
                "`similarity=(low, high)`",
            ),
            (
                option("drop_nodes").set_to("a,b"),
                "`--drop-nodes a,b`",
                "`drop_nodes=['a', 'b']`",
            ),
            (
                option("drop_nodes").set_to("left hand"),
                "`--drop-nodes 'left hand'`",
                "`drop_nodes=['left hand']`",
            ),
            (
                option("drop_nodes").set_to("NAMES"),
                "`--drop-nodes NAMES`",
                "`drop_nodes=[...]`",
            ),
            (
                option("views_by").set_to("task").bare(),
                "--views-by task",
                "views_by=\"task\"",
            ),
            (step("check", "a check"), "`congraph check`", "a check"),
            (
                step("name_views", "the view's name"),
                "the view's name (NAME=FILE)",
                "the view's name",
            ),
            (option("alpha").set_to(0.5), "`--alpha 0.5`", "`alpha=0.5`"),
            (option("signed").set_to("yes"), "`--signed`", "`signed=True`"),
            (option("signed").set_to("no"), "`--signed=no`", "`signed=False`"),
            (option("single").added(), "add `--single`", "use `SingleGraph`"),
            (
                option("allow_counts").added(),
                "add `--allow-counts`",
                "add `allow_counts=True`",
            ),
        ];
        for (mention, on_the_command_line, in_python) in cases {
            assert_eq!(spelled(&mention.to_string(), &CommandLine), on_the_command_line);
            assert_eq!(spelled(&mention.to_string(), &Python), in_python);
        }
    }
}
