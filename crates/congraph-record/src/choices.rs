//! Options whose values are words: one list of words for each, used to read them and to write them.
//!
//! The command line offers these words, Python takes them, and `summary.json` tells them: a word that is added here is
//! known to all.

use congraph::communities::Signs;
use congraph::compare::{Measure, Statistic};
use congraph::methods::graphical_lasso::{EdgeRule, Fusion};
use congraph::methods::likelihood::{Filter, Proportional};
use congraph::methods::smooth::admm::ZStep;
use congraph::refits::Unit;
use congraph::{DistanceNorm, SampleNorm, Scale};

use crate::refusal::RequestError;

/// What an option can be set to, by words.
pub trait Choice: Copy + PartialEq + 'static {
    /// The option's id.
    const ID: &'static str;
    /// Every choice and its word.
    const WORDS: &'static [(&'static str, Self)];
    /// Words of earlier versions: understood, never told.
    const FORMER: &'static [(&'static str, Self)] = &[];

    /// What a word stands for, if it is one.
    fn of_word(word: &str) -> Option<Self> {
        let known = Self::WORDS.iter().chain(Self::FORMER).find(|(known, _)| *known == word);
        known.map(|(_, choice)| *choice)
    }

    /// What a word stands for.
    ///
    /// # Errors
    /// One that names the words there are.
    fn from_word(word: &str) -> Result<Self, RequestError> {
        Self::of_word(word).ok_or_else(|| {
            let words: Vec<String> = Self::words().map(|known| format!("{known:?}")).collect();
            RequestError::about(Self::ID, format!("is {word:?}; it must be {}", alternatives(&words)))
        })
    }

    /// Its word.
    fn word(self) -> &'static str {
        let known = Self::WORDS.iter().find(|(_, known)| *known == self);
        known.map_or("", |(word, _)| word)
    }

    /// All words, the usual one first.
    fn words() -> impl Iterator<Item = &'static str> {
        Self::WORDS.iter().map(|(word, _)| *word)
    }
}

/// Words of which one is to be taken, as a sentence lists them: `a`, `a or b`, `a, b or c`.
pub fn alternatives(words: &[String]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => words.concat(),
    }
}

impl Choice for Scale {
    const ID: &'static str = "scale";
    const WORDS: &'static [(&'static str, Self)] =
        &[("zscore", Self::Zscore), ("center", Self::Center), ("none", Self::None)];
}

impl Choice for SampleNorm {
    const ID: &'static str = "sample_norm";
    const WORDS: &'static [(&'static str, Self)] = &[("mean", Self::Mean), ("sum", Self::Sum)];
}

impl Choice for DistanceNorm {
    const ID: &'static str = "distance_norm";
    const WORDS: &'static [(&'static str, Self)] = &[("max", Self::Max), ("none", Self::None)];
}

impl Choice for Unit {
    const ID: &'static str = "units";
    const WORDS: &'static [(&'static str, Self)] = &[
        ("blocks", Self::Blocks),
        ("samples", Self::Samples),
        ("views", Self::Views),
    ];
}

/// What is learned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Graphs with a consensus, from smooth signals: congraph's own.
    #[default]
    Smooth,
    /// Graphs with a consensus that make the signals likely.
    Likelihood,
    /// Precision matrices by the fused graphical lasso.
    JglFused,
    /// Precision matrices by the group graphical lasso.
    JglGroup,
}

impl Method {
    /// The coupling of the joint graphical lasso, if it is one.
    pub fn fusion(self) -> Option<Fusion> {
        match self {
            Self::Smooth | Self::Likelihood => None,
            Self::JglFused => Some(Fusion::Fused),
            Self::JglGroup => Some(Fusion::Group),
        }
    }
}

impl From<Fusion> for Method {
    fn from(fusion: Fusion) -> Self {
        match fusion {
            Fusion::Fused => Self::JglFused,
            Fusion::Group => Self::JglGroup,
        }
    }
}

/// By what `tune` chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TuneRule {
    /// By the likelihood of held-out halves.
    #[default]
    Likelihood,
    /// By the edges that reproduce in them.
    Stability,
}

impl Choice for TuneRule {
    const ID: &'static str = "rule";
    const WORDS: &'static [(&'static str, Self)] = &[("likelihood", Self::Likelihood), ("stability", Self::Stability)];
}

/// How views are coupled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ViewCoupling {
    /// Each to the consensus; views of one subject to their subject's graph first.
    #[default]
    Consensus,
    /// Each to the one before it and the one after it, in the order in which they are given.
    Chain,
    /// Each to every other.
    Pairwise,
}

impl Choice for ViewCoupling {
    const ID: &'static str = "coupling";
    const WORDS: &'static [(&'static str, Self)] = &[
        ("consensus", Self::Consensus),
        ("chain", Self::Chain),
        ("pairwise", Self::Pairwise),
    ];
}

impl Choice for Method {
    const ID: &'static str = "method";
    const WORDS: &'static [(&'static str, Self)] = &[
        ("smooth", Self::Smooth),
        ("likelihood", Self::Likelihood),
        ("jgl-fused", Self::JglFused),
        ("jgl-group", Self::JglGroup),
    ];
    const FORMER: &'static [(&'static str, Self)] = &[("congraph", Self::Smooth)];
}

impl Choice for Fusion {
    const ID: &'static str = "coupling";
    const WORDS: &'static [(&'static str, Self)] = &[("fused", Self::Fused), ("group", Self::Group)];
}

impl Choice for Proportional {
    const ID: &'static str = "proportional";
    const WORDS: &'static [(&'static str, Self)] = &[("refuse", Self::Refuse), ("merge", Self::Merge)];
}

impl Choice for EdgeRule {
    const ID: &'static str = "edges";
    const WORDS: &'static [(&'static str, Self)] = &[("nonzero", Self::NonZero), ("negative", Self::Negative)];
}

impl Choice for Signs {
    const ID: &'static str = "signs";
    const WORDS: &'static [(&'static str, Self)] = &[("positive", Self::Positive), ("signed", Self::Signed)];
}

impl Choice for Statistic {
    const ID: &'static str = "statistic";
    const WORDS: &'static [(&'static str, Self)] =
        &[("rank", Self::Rank), ("t", Self::T), ("presence", Self::Presence)];
}

impl Choice for Measure {
    const ID: &'static str = "measures";
    const WORDS: &'static [(&'static str, Self)] = &[
        ("edges", Self::Edges),
        ("components", Self::Components),
        ("strength", Self::Strength),
        ("density", Self::Density),
        ("uniqueness", Self::Uniqueness),
        ("modularity", Self::Modularity),
        ("efficiency", Self::Efficiency),
    ];
}

/// What is done about groups whose views have more samples than others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Equalise {
    /// Draw equally many once, and learn again.
    #[default]
    Auto,
    /// Refuse.
    Off,
}

impl Choice for Equalise {
    const ID: &'static str = "equalise";
    const WORDS: &'static [(&'static str, Self)] = &[("auto", Self::Auto), ("off", Self::Off)];
}

/// How the problem is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SolverChoice {
    /// Fast.
    #[default]
    Newton,
    /// The paper's algorithm.
    Admm,
}

impl Choice for SolverChoice {
    const ID: &'static str = "solver";
    const WORDS: &'static [(&'static str, Self)] = &[("newton", Self::Newton), ("admm", Self::Admm)];
}

/// Whether edges have signs. A word rather than a flag: a method may know more answers than two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Signed {
    /// Weights are not negative.
    #[default]
    No,
    /// Pairs of nodes have negative edges, too.
    Yes,
    /// Whichever explains the data better: of the likelihood alone.
    Auto,
}

impl Choice for Signed {
    const ID: &'static str = "signed";
    const WORDS: &'static [(&'static str, Self)] = &[("no", Self::No), ("yes", Self::Yes), ("auto", Self::Auto)];
}

/// How often the graph's filter is applied to make signals of noise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FilterChoice {
    /// Whichever explains the data better.
    #[default]
    Auto,
    /// Once: a Gaussian field.
    Once,
    /// Twice: the paper's filter.
    Twice,
}

impl FilterChoice {
    /// What the library takes; none lets it choose.
    pub fn filter(self) -> Option<Filter> {
        match self {
            Self::Auto => None,
            Self::Once => Some(Filter::Once),
            Self::Twice => Some(Filter::Twice),
        }
    }
}

impl Choice for FilterChoice {
    const ID: &'static str = "filter";
    const WORDS: &'static [(&'static str, Self)] = &[("auto", Self::Auto), ("1", Self::Once), ("2", Self::Twice)];
}

/// Alternations of the paper's block coordinate descent per iteration.
const SWEEPS: usize = 10;

impl Choice for ZStep {
    const ID: &'static str = "z_step";
    const WORDS: &'static [(&'static str, Self)] = &[
        ("exact", Self::Exact),
        ("bcd", Self::BlockCoordinateDescent { sweeps: SWEEPS }),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_stand_for_what_they_are_the_words_of<C: Choice + std::fmt::Debug>() {
        for (word, choice) in C::WORDS {
            assert_eq!(C::of_word(word), Some(*choice));
            assert_eq!(choice.word(), *word);
        }
        let refused = C::from_word("loud").unwrap_err();
        assert_eq!(refused.option, C::ID);
        for word in C::words() {
            assert!(refused.to_string().contains(&format!("{word:?}")), "{refused}");
        }
    }

    #[test]
    fn every_choice_has_a_word_and_every_word_is_one() {
        words_stand_for_what_they_are_the_words_of::<Scale>();
        words_stand_for_what_they_are_the_words_of::<SampleNorm>();
        words_stand_for_what_they_are_the_words_of::<DistanceNorm>();
        words_stand_for_what_they_are_the_words_of::<Method>();
        words_stand_for_what_they_are_the_words_of::<ViewCoupling>();
        words_stand_for_what_they_are_the_words_of::<Fusion>();
        words_stand_for_what_they_are_the_words_of::<EdgeRule>();
        words_stand_for_what_they_are_the_words_of::<SolverChoice>();
        words_stand_for_what_they_are_the_words_of::<Signed>();
        words_stand_for_what_they_are_the_words_of::<FilterChoice>();
        words_stand_for_what_they_are_the_words_of::<ZStep>();
        assert_eq!(Method::of_word("congraph"), Some(Method::Smooth));
        assert!(!Method::words().any(|word| word == "congraph"));
        assert_eq!(Fusion::Fused.name(), Method::from(Fusion::Fused).word());
        assert_eq!(Fusion::Group.name(), Method::from(Fusion::Group).word());
    }
}
