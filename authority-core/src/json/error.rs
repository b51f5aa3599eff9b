//! Why a document is refused, without any of its content.

use std::fmt;

use crate::approval::{GrantError, TimestampError};
use crate::money::MoneyError;
use crate::rule::Rule;
use crate::vocabulary::Kind;

/// A document that is refused: where, and by which rule.
///
/// It names a JSON Pointer (RFC 6901) and a rule, never a value and never a key that the document
/// made up: an unknown, missing or duplicate key is reported at the object that holds it.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{}: {rule}{}", Place(pointer), Offset(self))]
pub struct DecodeError {
    pointer: String,
    rule: DecodeRule,
    offset: usize,
}

impl DecodeError {
    pub(crate) fn new(rule: DecodeRule, offset: usize) -> Self {
        DecodeError {
            pointer: String::new(),
            rule,
            offset,
        }
    }

    /// The same error, seen from the object or list that holds the value under this key or index.
    pub(crate) fn inside(mut self, key: &str) -> Self {
        let escaped = key.replace('~', "~0").replace('/', "~1");
        self.pointer = format!("/{escaped}{}", self.pointer);
        self
    }

    /// JSON Pointer (RFC 6901) of the value that is refused; empty for the whole document.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// The rule that is broken.
    pub fn rule(&self) -> DecodeRule {
        self.rule
    }

    /// The byte of the document at which the error was noticed, counted from 0.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

/// The rule that a document breaks.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeRule {
    /// The text is not JSON.
    #[error("not JSON: {0}")]
    Syntax(&'static str),
    /// Objects and lists are nested too deeply.
    #[error("nested deeper than 64 levels")]
    TooDeep,
    /// A value of another type or form; the words say what is expected.
    #[error("not {0}")]
    Not(&'static str),
    /// A number where a whole one is expected, in another form.
    #[error("not a whole number in plain digits: no sign, no fraction, no exponent")]
    NumberForm,
    /// A whole number outside its range.
    #[error("not a number from {least} to {most}")]
    NumberRange {
        /// The least number allowed.
        least: u64,
        /// The greatest number allowed.
        most: u64,
    },
    /// A key that the object does not have.
    #[error("an unknown key{}", Nearest(*nearest))]
    UnknownKey {
        /// The known key that is nearest to it.
        nearest: Option<&'static str>,
    },
    /// A key of another kind of target.
    #[error("a `{kind}` target has no key `{key}`")]
    ForeignKey {
        /// The key.
        key: &'static str,
        /// The kind of the target.
        kind: Kind,
    },
    /// A key that the object must have.
    #[error("the key `{0}` is missing")]
    MissingKey(&'static str),
    /// Two keys, of which at most one may be there.
    #[error("`{0}` and `{1}` exclude each other")]
    ExclusiveKeys(&'static str, &'static str),
    /// A key that the operation has no use for.
    #[error("the operation takes no `{0}`")]
    NeedlessKey(&'static str),
    /// A key that is there twice.
    #[error("a duplicate key{}", Named(*known))]
    DuplicateKey {
        /// The key, when it is a known one.
        known: Option<&'static str>,
    },
    /// A list without any entry where one is needed.
    #[error("an empty list")]
    Empty,
    /// A list entry that is there twice.
    #[error("a duplicate of entry {first} of the list")]
    DuplicateEntry {
        /// Index of the first of the two, counted from 0.
        first: usize,
    },
    /// A word that is not one of the vocabulary.
    #[error("an unknown word{}", Nearest(*nearest))]
    UnknownWord {
        /// The known word that is nearest to it.
        nearest: Option<&'static str>,
    },
    /// A version that is not read.
    #[error("an unsupported version: {0} is read")]
    Version(u64),
    /// A text that is not the canonical one of its kind.
    #[error("{}", .0.about())]
    Text(Rule),
    /// A number that is not an amount of money.
    #[error("{0}")]
    Money(MoneyError),
    /// A text that is no time.
    #[error("{0}")]
    Timestamp(TimestampError),
    /// Members of a grant that do not go together.
    #[error("{0}")]
    Grant(GrantError),
    /// A digest that does not match what it stands beside.
    #[error("the digest does not match")]
    DigestMismatch,
    /// An operation that belongs to another kind of target.
    #[error("not an operation of a `{0}` target")]
    OtherKind(Kind),
    /// A member that needs a feature of this crate which is not enabled.
    #[error("enable the feature `{0}` to decode it")]
    Feature(&'static str),
}

impl From<Rule> for DecodeRule {
    fn from(rule: Rule) -> Self {
        DecodeRule::Text(rule)
    }
}

struct Place<'e>(&'e str);

impl fmt::Display for Place<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0.is_empty() {
            "the document"
        } else {
            self.0
        })
    }
}

struct Offset<'e>(&'e DecodeError);

impl fmt::Display for Offset<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.rule {
            DecodeRule::Syntax(_) => write!(formatter, " (byte {})", self.0.offset),
            _ => Ok(()),
        }
    }
}

struct Nearest(Option<&'static str>);

impl fmt::Display for Nearest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(formatter, "; `{name}` is the nearest known one"),
            None => Ok(()),
        }
    }
}

struct Named(Option<&'static str>);

impl fmt::Display for Named {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(formatter, ": `{name}`"),
            None => Ok(()),
        }
    }
}
