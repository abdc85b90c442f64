//! What a user can set, named once. Messages mention an option by its id; each face spells it its own way.
//!
//! The mathematics does not know whether it is called from a command line, from Python or from Rust. Where a message says what
//! to do about a problem, it names the option by an id in snake case, the name of the field or keyword: [`option`]. The face that shows
//! the message spells the mentions with its [`Spelling`]: `` `--missing mask` `` on the command line, `` `missing="mask"` `` in
//! Python. Without a face they read `` `missing = mask` ``.
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
    is_added: bool,
}

/// Mentions an option by its id.
pub fn option(id: &'static str) -> Mention {
    Mention {
        id,
        value: None,
        is_added: false,
    }
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
        self.is_added = true;
        self
    }
}

impl fmt::Display for Mention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.is_added { "add" } else { "" };
        write!(f, "{BEGIN}{how}{PART}{}", self.id)?;
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
        out.push_str(&match (how, value) {
            (Some("add"), value) => spelling.added(id, value),
            (_, Some(value)) => format!("`{}`", spelling.setting(id, value)),
            (_, None) => format!("`{}`", spelling.name(id)),
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
    }
}
