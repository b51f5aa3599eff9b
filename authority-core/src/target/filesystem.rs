//! `filesystem`: a binding, or one exact relative path in it.

use crate::id::Id;
use crate::rule::TextError;
use crate::text::Text;

/// A bound directory (`path` is `None`: the whole of it), or one exact path in it.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct FilesystemTarget<'a> {
    /// The binding that the host resolves to a directory; `root_id` on the wire.
    pub binding: Id<'a>,
    /// One exact path in the binding, or the whole binding.
    pub path: Option<RelativePath<'a>>,
}

/// A relative path: segments joined by single `/`.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct RelativePath<'a>(pub(crate) Text<'a>);

impl<'a> RelativePath<'a> {
    /// Parses a relative path.
    ///
    /// # Errors
    ///
    /// When the text breaks a rule of every text or of paths.
    pub fn parse(text: &'a str) -> Result<Self, TextError> {
        let _ = text;
        unimplemented!()
    }

    /// The same path, owning its text.
    pub fn into_owned(self) -> RelativePath<'static> {
        RelativePath(self.0.into_owned())
    }

    /// The path's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
