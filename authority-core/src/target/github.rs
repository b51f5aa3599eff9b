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

    /// The repository's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
