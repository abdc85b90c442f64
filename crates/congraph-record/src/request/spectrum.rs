//! How far signals are whitened: an exponent, or whichever suits the data.

use congraph::options::option;
use congraph::{Error, Scaling, Spectrum};

use crate::refusal::RequestError;

/// To which power the singular values of every view are taken before distances are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpectrumRequest {
    /// To this one; 1 leaves the signals as they are.
    Exponent(f64),
    /// To the one that is chosen by held-out likelihood.
    Auto,
}

impl Default for SpectrumRequest {
    fn default() -> Self {
        Self::Exponent(1.0)
    }
}

impl SpectrumRequest {
    /// From a word: a number, or `auto`.
    ///
    /// # Errors
    /// If it is neither.
    pub fn of_word(word: &str) -> Result<Self, RequestError> {
        match (word, word.parse()) {
            ("auto", _) => Ok(Self::Auto),
            (_, Ok(exponent)) => Ok(Self::Exponent(exponent)),
            (_, Err(_)) => Err(RequestError::usage(
                "spectrum",
                format!(
                    "{}: neither a number nor `auto`",
                    option("spectrum").set_to(word).bare()
                ),
                format!(
                    "such as {}; 1 leaves the signals as they are",
                    option("spectrum").set_to(0.5)
                ),
            )),
        }
    }

    /// What the library takes, where nodes are scaled so; signals as they are in place of what is still to be chosen.
    ///
    /// # Errors
    /// What [`Spectrum::check`] refuses.
    pub(super) fn spectrum(self, scaling: &Scaling) -> Result<Spectrum, RequestError> {
        let (asked, spectrum) = match self {
            Self::Exponent(exponent) => (exponent, Spectrum::new(exponent)),
            // Exponents below 1 are among those to choose from.
            Self::Auto => (0.5, Spectrum::default()),
        };
        match Spectrum::new(asked).check(scaling) {
            Ok(()) => Ok(spectrum),
            Err(Error::Parameter { message, .. }) => Err(RequestError::about("spectrum", message)),
            Err(error) => Err(RequestError::about("spectrum", format!("cannot be used: {error}"))),
        }
    }
}
