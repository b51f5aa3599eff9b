//! Who answers questions.

use std::cmp::Ordering;

use crate::id::Id;
use crate::rule::TextError;
use crate::vocabulary::ReviewerKind;

/// Who answers questions: a person or a program, by an id of the host's.
///
/// ```
/// use authority_core::{Reviewer, vocabulary::ReviewerKind};
///
/// let alice = Reviewer::human("alice")?;
/// assert_eq!((alice.kind(), alice.id().as_str()), (ReviewerKind::Human, "alice"));
/// # Ok::<(), authority_core::TextError>(())
/// ```
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Reviewer {
    kind: ReviewerKind,
    id: Id<'static>,
}

impl Reviewer {
    /// A person.
    ///
    /// # Errors
    ///
    /// When the text is no id.
    pub fn human(id: &str) -> Result<Self, TextError> {
        Ok(Reviewer::new(
            ReviewerKind::Human,
            Id::parse(id)?.into_owned(),
        ))
    }

    /// A program. It only denies or allows once, and may not stand in the agent path or root of
    /// whoever asks.
    ///
    /// # Errors
    ///
    /// When the text is no id.
    pub fn auto_review(id: &str) -> Result<Self, TextError> {
        Ok(Reviewer::new(
            ReviewerKind::AutoReview,
            Id::parse(id)?.into_owned(),
        ))
    }

    /// A reviewer of this kind with this id.
    pub const fn new(kind: ReviewerKind, id: Id<'static>) -> Self {
        Reviewer { kind, id }
    }

    /// A person or a program.
    pub const fn kind(&self) -> ReviewerKind {
        self.kind
    }

    /// The reviewer's id.
    pub const fn id(&self) -> &Id<'static> {
        &self.id
    }
}

impl ReviewerKind {
    const fn strength(self) -> u8 {
        match self {
            ReviewerKind::AutoReview => 0,
            ReviewerKind::Human => 1,
        }
    }
}

/// By strength, which is not the order of the vocabulary: a person is stronger than a program.
impl Ord for ReviewerKind {
    fn cmp(&self, other: &Self) -> Ordering {
        self.strength().cmp(&other.strength())
    }
}

impl PartialOrd for ReviewerKind {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_stronger() {
        assert!(ReviewerKind::Human > ReviewerKind::AutoReview);
    }

    #[test]
    fn ids_are_checked() {
        let program = Reviewer::auto_review("guard-1").unwrap();
        assert_eq!(program.kind(), ReviewerKind::AutoReview);
        assert_eq!(program.id().as_str(), "guard-1");
        for text in ["", "a b", "_a", "a/b"] {
            assert!(Reviewer::human(text).is_err() && Reviewer::auto_review(text).is_err());
        }
    }
}
