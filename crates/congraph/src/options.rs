//! What a user can set, named once. Messages mention an option by its id; each face spells it its own way.
//!
//! The mathematics does not know whether it is called from a command line, from Python or from Rust. Where a message
//! says what to do about a problem, it names the option by an id in snake case, the name of the field or keyword:
//! [`option`]. The face that shows the message spells the mentions with its [`Spelling`]: on the command line
//! `` `--missing mask` ``, in Python `` `missing="mask"` ``. Without a face they read `` `missing = mask` ``.
//!
//! ```
//! use congraph::options::{Plain, option, spelled};
//!
//! let hint = format!("{} masks the node in this view", option("missing").set_to("mask"));
//! assert_eq!(spelled(&hint, &Plain), "`missing = mask` masks the node in this view");
//! ```

use std::fmt;

/// What a mention begins with, parts with, and ends with: characters of Unicode's private use, which no name has.
const BEGIN: char = '\u{E0A0}';
const PART: char = '\u{E0A1}';
const END: char = '\u{E0A2}';

/// A mention of an option in a message.
#[derive(Clone, Debug)]
pub struct Mention {
    id: &'static str,
    value: Option<String>,
    how: How,
}

/// How a mention stands in its sentence.
#[derive(Clone, Copy, Debug)]
enum How {
    Quoted,
    Bare,
    Added,
    Step,
}

impl How {
    const fn mark(self) -> &'static str {
        match self {
            Self::Quoted => "",
            Self::Bare => "bare",
            Self::Added => "add",
            Self::Step => "step",
        }
    }
}

/// Mentions an option by its id.
pub const fn option(id: &'static str) -> Mention {
    Mention {
        id,
        value: None,
        how: How::Quoted,
    }
}

/// Mentions something to do for which faces have words of their own; otherwise it is told in `words`.
pub fn step(id: &'static str, words: impl fmt::Display) -> Mention {
    Mention {
        how: How::Step,
        ..option(id).set_to(words)
    }
}

/// Names of nodes as the value of an option: `NAMES` if they are too many, or have marks that a list cannot hold.
pub fn names_listed(names: &[&str]) -> String {
    const LISTED: usize = 10;
    if names.len() > LISTED || names.iter().any(|name| name.contains([',', '\''])) {
        return "NAMES".into();
    }
    names.join(",")
}

impl Mention {
    /// With a value.
    #[must_use]
    pub fn set_to(mut self, value: impl fmt::Display) -> Self {
        self.value = Some(value.to_string());
        self
    }

    /// As advice: "add" the option, or whatever a face has in its place.
    #[must_use]
    pub fn added(mut self) -> Self {
        self.how = How::Added;
        self
    }

    /// Without quotes around it.
    #[must_use]
    pub fn bare(mut self) -> Self {
        self.how = How::Bare;
        self
    }
}

impl fmt::Display for Mention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{BEGIN}{}{PART}{}", self.how.mark(), self.id)?;
        if let Some(value) = &self.value {
            write!(f, "{PART}{value}")?;
        }
        write!(f, "{END}")
    }
}

/// How a face spells options.
pub trait Spelling {
    /// The bare name of an option, as in "`--alpha` must be positive".
    fn name(&self, id: &str) -> String;

    /// An option that is set to a value.
    fn setting(&self, id: &str, value: &str) -> String;

    /// Something to do, told in `words` by a face that has none of its own.
    fn step(&self, id: &str, words: &str) -> String {
        let _ = id;
        words.to_owned()
    }

    /// The advice to add an option.
    fn added(&self, id: &str, value: Option<&str>) -> String {
        let what = match value {
            Some(value) => self.setting(id, value),
            None => self.name(id),
        };
        format!("add `{what}`")
    }
}

/// The spelling of the library itself.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl Spelling for Plain {
    fn name(&self, id: &str) -> String {
        id.to_owned()
    }

    fn setting(&self, id: &str, value: &str) -> String {
        format!("{id} = {value}")
    }
}

/// A message with its mentions spelled.
pub fn spelled(text: &str, spelling: &dyn Spelling) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, mention)) = rest.split_once(BEGIN) {
        // What is no mention is left as it is.
        let Some((mention, after)) = mention.split_once(END) else {
            break;
        };
        out.push_str(before);
        let mut parts = mention.splitn(3, PART);
        let (how, id, value) = (parts.next(), parts.next().unwrap_or_default(), parts.next());
        let setting = || match value {
            Some(value) => spelling.setting(id, value),
            None => spelling.name(id),
        };
        out.push_str(&match how {
            Some("add") => spelling.added(id, value),
            Some("step") => spelling.step(id, value.unwrap_or_default()),
            Some("bare") => setting(),
            _ => format!("`{}`", setting()),
        });
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentions_are_spelled_and_the_rest_is_kept() {
        let text = format!(
            "{}; {} or {}, and {BEGIN}x",
            option("single").added(),
            option("nan").set_to("drop-rows"),
            option("scale")
        );
        assert_eq!(
            spelled(&text, &Plain),
            format!("add `single`; `nan = drop-rows` or `scale`, and {BEGIN}x")
        );
        assert_eq!(spelled("nothing to spell", &Plain), "nothing to spell");
        assert_eq!(
            spelled(&option("drop_nodes").set_to("a=b,c").added().to_string(), &Plain),
            "add `drop_nodes = a=b,c`"
        );
        let text = format!("{}: {}", option("views_by").bare(), step("check", "look again"));
        assert_eq!(spelled(&text, &Plain), "views_by: look again");
    }
}
