//! The command and the files, fit to be mailed: no folders of the machine they were on, and quoted as a shell wants it.

/// A path without its folders if it is absolute; others tell nothing of the machine.
pub(super) fn told(path: &str) -> &str {
    let drive = |path: &str| path.len() > 2 && path.as_bytes()[1] == b':' && path.as_bytes()[0].is_ascii_alphabetic();
    if !(path.starts_with(['/', '\\', '~']) || drive(path)) {
        return path;
    }
    match path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next() {
        Some(name) if !name.is_empty() => name,
        _ => path,
    }
}

/// Several files of a view, as `views.tsv` lists them.
pub(super) fn told_files(files: &str) -> String {
    files.split("; ").map(told).collect::<Vec<_>>().join("; ")
}

/// The command as it can be typed again, in the folder of its files; the program without the folder that it is in.
pub(super) fn command(words: &[String]) -> String {
    let mut shown = Vec::with_capacity(words.len());
    for (k, word) in words.iter().enumerate() {
        shown.push(if k == 0 {
            quoted(word.rsplit(['/', '\\']).next().unwrap_or(word))
        } else {
            quoted(&argument(word))
        });
    }
    shown.join(" ")
}

/// Whether that leaves folders of files out.
pub(super) fn is_cut(words: &[String]) -> bool {
    words.iter().skip(1).any(|word| argument(word) != *word)
}

/// A word of the command; `NAME=FILE` and `--option=FILE` hold a path behind the sign.
fn argument(word: &str) -> String {
    match word.split_once('=') {
        Some((name, path)) if !name.contains(['/', '\\']) => format!("{name}={}", told(path)),
        _ => told(word).to_owned(),
    }
}

/// The word in quotes if a shell would make something else of it.
fn quoted(word: &str) -> String {
    let is_plain = |mark: char| mark.is_alphanumeric() || "_-+./,:=@%".contains(mark);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_can_be_typed_again() {
        let words = [
            "/bin/congraph",
            "eeg",
            "/data/S001R03.edf",
            "sub-02=/data/b.edf",
            "{subject}R*",
            "it's",
            "--band",
            "4:7",
            "",
        ];
        let words: Vec<String> = words.map(String::from).to_vec();
        assert_eq!(
            command(&words),
            "congraph eeg S001R03.edf sub-02=b.edf '{subject}R*' 'it'\\''s' --band 4:7 ''"
        );
    }

    #[test]
    fn only_absolute_paths_lose_their_folders() {
        assert_eq!(told("sub-01/eeg.edf"), "sub-01/eeg.edf");
        assert_eq!(told("/data/sub-01/eeg.edf"), "eeg.edf");
        assert_eq!(told(r"C:\\data\\x.edf"), "x.edf");
        assert_eq!(told_files("/a/b.edf; c/d.edf"), "b.edf; c/d.edf");
        assert_eq!(told("/"), "/");
    }
}
