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

    /// Parses the text of an origin as a request may spell it: another case, a default port, a Unicode host.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse), but for the spelling.
    pub fn from_request(text: &'a str) -> Result<Self, TextError> {
        let _ = text;
        unimplemented!()
    }

    /// The origin of a whole URL, and the URL as the WHATWG URL standard serialises it, without
    /// fragment.
    ///
    /// # Errors
    ///
    /// When the text is not such a URL, or its origin breaks a rule.
    #[cfg(feature = "url")]
    pub fn of_url(url: &str) -> Result<(Origin<'static>, String), TextError> {
        let _ = url;
        unimplemented!()
    }

    /// The same origin, owning its text.
    pub fn into_owned(self) -> Origin<'static> {
        Origin(self.0.into_owned())
    }

    /// The origin's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
