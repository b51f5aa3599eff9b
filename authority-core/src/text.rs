//! Texts: how they are stored, and the rules that all of them keep.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// A text that is borrowed (from a request, or for ever from the program) or shared.
///
/// Equality, order and hash are those of the text.
#[derive(Clone)]
pub(crate) enum Text<'a> {
    /// Borrowed: from the input, or `'static`.
    Borrowed(&'a str),
    /// Shared between clones.
    Shared(Arc<str>),
}

impl<'a> Text<'a> {
    pub(crate) fn into_owned(self) -> Text<'static> {
        match self {
            Text::Borrowed(text) => Text::Shared(text.into()),
            Text::Shared(text) => Text::Shared(text),
        }
    }

    /// The same text, borrowed from this one.
    pub(crate) fn borrow(&'a self) -> Text<'a> {
        Text::Borrowed(self)
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Text::Borrowed(text) => text,
            Text::Shared(text) => text,
        }
    }
}

impl Borrow<str> for Text<'_> {
    fn borrow(&self) -> &str {
        self
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Text::Borrowed(text)
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Text::Shared(text.into())
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Text<'_> {}

impl Hash for Text<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl Ord for Text<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (**self).cmp(&**other)
    }
}

impl PartialOrd for Text<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self)
    }
}

/// Whether a character shows: it is of none of the general categories Cc, Cf, Cs, Zl, Zp and not
/// `Default_Ignorable_Code_Point`.
pub(crate) fn is_visible(character: char) -> bool {
    // TODO: general categories and default ignorable
    !character.is_control()
}
