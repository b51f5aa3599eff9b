//! A non-empty set of operations of one kind.

use std::fmt;
use std::num::NonZeroU64;

use crate::vocabulary::{Kind, Operation};

/// A non-empty set of operations of one kind, in one machine word.
///
/// An empty set, or one that mixes kinds, cannot be built: an entry that grants nothing, or grants
/// an operation that its target does not have, does not exist.
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
pub struct OperationSet(NonZeroU64);

/// Why a set of operations cannot be built.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum OperationSetError {
    /// No operation at all.
    #[error("an empty set of operations grants nothing")]
    Empty,
    /// An operation that belongs to another kind.
    #[error("`{}` is an operation of `{}`, not of `{kind}`", operation.name(), operation.kind())]
    OtherKind {
        /// The operation.
        operation: Operation,
        /// The kind that was asked for.
        kind: Kind,
    },
    /// An operation that is named twice.
    #[error("`{0}` is named twice")]
    Twice(Operation),
}

impl OperationSet {
    /// The set of these operations of `kind`.
    ///
    /// # Errors
    ///
    /// When there is none, when one is named twice, or when one belongs to another kind.
    pub fn new<I>(kind: Kind, operations: I) -> Result<Self, OperationSetError>
    where
        I: IntoIterator,
        I::Item: Into<Operation>,
    {
        let mut word = 0;
        for operation in operations {
            let operation = operation.into();
            if operation.kind() != kind {
                return Err(OperationSetError::OtherKind { operation, kind });
            }
            if word & operation.bit() != 0 {
                return Err(OperationSetError::Twice(operation));
            }
            word |= operation.bit();
        }
        OperationSet::from_word(word).ok_or(OperationSetError::Empty)
    }

    /// The set of one operation.
    pub fn only(operation: Operation) -> Self {
        OperationSet(NonZeroU64::MIN).with_word(operation.bit())
    }

    /// The set with this word, unless it is empty. The caller vouches that it has one kind.
    pub(crate) const fn from_word(word: u64) -> Option<Self> {
        match NonZeroU64::new(word) {
            Some(word) => Some(OperationSet(word)),
            None => None,
        }
    }

    pub(crate) const fn word(self) -> u64 {
        self.0.get()
    }

    /// How many operations of the set come before this one, if the set has it.
    pub(crate) const fn position(self, operation: Operation) -> Option<usize> {
        if self.word() & operation.bit() == 0 {
            return None;
        }
        Some((self.word() & (operation.bit() - 1)).count_ones() as usize)
    }

    const fn with_word(self, word: u64) -> Self {
        match NonZeroU64::new(word) {
            Some(word) => OperationSet(word),
            None => self,
        }
    }

    /// The kind that all operations of the set belong to.
    pub fn kind(self) -> Kind {
        self.first().kind()
    }

    fn first(self) -> Operation {
        #[allow(clippy::cast_possible_truncation)]
        Operation::from_bit(self.0.trailing_zeros() as u8)
    }

    /// Whether the operation is in the set.
    pub const fn contains(self, operation: Operation) -> bool {
        self.0.get() & operation.bit() != 0
    }

    /// The operations of two sets of one kind.
    pub(crate) fn union(self, other: OperationSet) -> OperationSet {
        OperationSet(self.0 | other.0)
    }

    /// Whether every operation of this set is in the other.
    pub const fn is_subset(self, other: OperationSet) -> bool {
        self.0.get() & !other.0.get() == 0
    }

    /// The operations that both sets have, if any.
    pub const fn intersection(self, other: OperationSet) -> Option<OperationSet> {
        OperationSet::from_word(self.0.get() & other.0.get())
    }

    /// The operations of this set that the other does not have, if any.
    pub const fn difference(self, other: OperationSet) -> Option<OperationSet> {
        OperationSet::from_word(self.0.get() & !other.0.get())
    }

    /// The number of operations; never zero.
    #[allow(clippy::len_without_is_empty)]
    pub const fn len(self) -> usize {
        self.0.count_ones().get() as usize
    }

    /// Whether every operation of the set only looks.
    pub fn is_read_only(self) -> bool {
        self.iter().all(Operation::is_read_only)
    }

    /// The operations, in the order of the vocabulary.
    pub fn iter(self) -> impl Iterator<Item = Operation> {
        let mut word = self.0.get();
        std::iter::from_fn(move || {
            let set = OperationSet::from_word(word)?;
            word &= word - 1;
            Some(set.first())
        })
    }

    /// The names of the operations, sorted as on the wire.
    pub fn sorted_names(self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.iter().map(Operation::name).collect();
        names.sort_unstable();
        names
    }
}

impl fmt::Debug for OperationSet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {self}", self.kind())
    }
}

/// The names as the DSL writes them: `read, write`.
impl fmt::Display for OperationSet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, operation) in self.iter().enumerate() {
            if index > 0 {
                formatter.write_str(", ")?;
            }
            formatter.write_str(operation.name())?;
        }
        Ok(())
    }
}
