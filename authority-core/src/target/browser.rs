//! `browser`: one exact origin.

use crate::rule::TextError;
use crate::text::Text;

/// A browser origin.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct BrowserTarget<'a> {
    /// The origin.
    pub origin: Origin<'a>,
}

/// `https://host[:port]`, or `http` for the local host only; a default port is left out.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Origin<'a>(pub(crate) Text<'a>);

impl<'a> Origin<'a> {
    /// Parses the canonical text of an origin.
    ///
    /// # Errors
    ///
    /// When the text breaks a rule of every text, of hosts or of origins.
    pub fn parse(text: &'a str) -> Result<Self, TextError> {
        let _ = text;
        unimplemented!()
    }

    /// The origin's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
