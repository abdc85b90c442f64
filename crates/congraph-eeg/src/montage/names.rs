//! Labels of channels → names of the 10-10 system.
//!
//! `Fc5.`, `FC5`, `EEG FC5-Ref` and `fc5` are all FC5; the old names T3, T4, T5, T6 are T7, T8, P7, P8. A bipolar
//! channel such as `Fpz-Cz` is no electrode, and neither are A1 and A2 (the ears, or the first two of BioSemi's own
//! numbering).

use super::standard::standard_montage;

/// Names that electrodes had before 1991 and have now.
const OLD: [(&str, &str); 4] = [("T3", "T7"), ("T4", "T8"), ("T5", "P7"), ("T6", "P8")];

/// What stands after a hyphen when it is the common reference and not a second electrode.
const REFERENCES: [&str; 7] = ["ref", "re", "le", "av", "avg", "ave", "ar"];

/// The 10-10 name of a channel's label, if it is an electrode of that system.
///
/// ```
/// use congraph_eeg::standard_name;
///
/// assert_eq!(standard_name("Fc5."), Some("FC5"));
/// assert_eq!(standard_name("EEG T3-Ref"), Some("T7"));
/// assert_eq!(standard_name("EEG Fpz-Cz"), None);
/// assert_eq!(standard_name("Status"), None);
/// ```
pub fn standard_name(label: &str) -> Option<&'static str> {
    let bare = bare(label);
    let old = OLD.iter().find(|(old, _)| old.eq_ignore_ascii_case(bare));
    let bare = old.map_or(bare, |(_, new)| new);
    let named = |(name, _): &&(String, _)| name.eq_ignore_ascii_case(bare);
    standard_montage().iter().find(named).map(|(name, _)| &name[..])
}

/// A label without dots, the word EEG before it, and the name of the reference after it.
pub(super) fn bare(label: &str) -> &str {
    let label = label.trim();
    let label = match label.split_at_checked(4) {
        Some((kind, rest)) if kind.eq_ignore_ascii_case("eeg ") => rest.trim(),
        _ => label,
    };
    let label = match label.rsplit_once('-') {
        Some((name, after)) if REFERENCES.iter().any(|word| word.eq_ignore_ascii_case(after.trim())) => name,
        _ => label,
    };
    label.trim_matches(|mark: char| mark == '.' || mark.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_the_same_electrode() {
        for (label, name) in [
            ("Fp1.", Some("Fp1")),
            ("FPZ", Some("Fpz")),
            ("Cz..", Some("Cz")),
            ("afz", Some("AFz")),
            ("T5", Some("P7")),
            ("EEG A1-Ref", None),
            ("EEG F3 - LE", Some("F3")),
            ("EXG1", None),
            ("C3-P3", None),
            ("", None),
            ("é", None),
            ("eeg é", None),
            ("ééé", None),
        ] {
            assert_eq!(standard_name(label), name, "{label}");
        }
    }
}
