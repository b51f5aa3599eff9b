//! `github`: one repository on github.com.

use crate::rule::TextError;
use crate::text::Text;

/// `owner/name` of a repository on github.com, in lower case.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Repository<'a>(pub(crate) Text<'a>);

impl<'a> Repository<'a> {
    /// Parses the canonical text of a repository.
    ///
    /// # Errors
    ///
    /// When the text breaks a rule of every text or of repositories.
    pub fn parse(text: &'a str) -> Result<Self, TextError> {
        let _ = text;
        unimplemented!()
    }

    /// Parses the text of a repository as a request may spell it: in any letter case.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse), but for the spelling.
    pub fn from_request(text: &'a str) -> Result<Self, TextError> {
        let _ = text;
        unimplemented!()
    }

    /// The same repository, owning its text.
    pub fn into_owned(self) -> Repository<'static> {
        Repository(self.0.into_owned())
    }

    /// The repository's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
