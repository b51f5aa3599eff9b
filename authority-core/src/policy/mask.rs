//! Which of the root's slots a policy holds. A mask can only lose bits.

use std::sync::Arc;

use crate::declaration::DeclaredScope;
use crate::operation_set::OperationSet;
use crate::vocabulary::Operation;

/// A set of slots of the root's table. Cloning shares it.
#[derive(Clone, Debug)]
pub(crate) enum Mask {
    /// Every slot: what the root holds.
    All,
    /// A bit a slot.
    Words(Arc<[u64]>),
}

impl Mask {
    pub(crate) fn has(&self, slot: usize) -> bool {
        match self {
            Mask::All => true,
            Mask::Words(words) => words
                .get(slot / 64)
                .is_some_and(|word| word >> (slot % 64) & 1 == 1),
        }
    }

    /// The operations of a scope that the mask holds.
    pub(crate) fn held(&self, scope: DeclaredScope<'_>) -> Option<OperationSet> {
        match self {
            Mask::All => Some(scope.operations()),
            Mask::Words(_) => {
                let held = scope
                    .operations()
                    .iter()
                    .filter(|operation| self.holds(scope, *operation));
                OperationSet::from_word(held.fold(0, |word, operation| word | operation.bit()))
            }
        }
    }

    pub(crate) fn holds(&self, scope: DeclaredScope<'_>, operation: Operation) -> bool {
        scope.slot(operation).is_some_and(|slot| self.has(slot))
    }

    /// Starts to narrow this mask, over a table of `slots` slots.
    pub(crate) fn narrow(&self, slots: usize) -> Narrowing {
        let words = match self {
            Mask::All => {
                let mut words = vec![u64::MAX; slots.div_ceil(64)];
                if let Some(last) = words.last_mut()
                    && !slots.is_multiple_of(64)
                {
                    *last = (1 << (slots % 64)) - 1;
                }
                words
            }
            Mask::Words(words) => words.to_vec(),
        };
        Narrowing {
            words,
            is_changed: false,
        }
    }
}

/// A mask that is being narrowed. Nothing here sets a bit.
pub(crate) struct Narrowing {
    words: Vec<u64>,
    is_changed: bool,
}

impl Narrowing {
    /// Clears the operations of a scope that `keep` does not have.
    pub(crate) fn keep(&mut self, scope: DeclaredScope<'_>, keep: impl Fn(Operation) -> bool) {
        for operation in scope
            .operations()
            .iter()
            .filter(|operation| !keep(*operation))
        {
            if let Some(slot) = scope.slot(operation) {
                self.clear(slot);
            }
        }
    }

    fn clear(&mut self, slot: usize) {
        if let Some(word) = self.words.get_mut(slot / 64) {
            let cleared = *word & !(1 << (slot % 64));
            self.is_changed |= cleared != *word;
            *word = cleared;
        }
    }

    /// The operations of a scope that are left.
    pub(crate) fn held(&self, scope: DeclaredScope<'_>) -> Option<OperationSet> {
        let has = |slot: usize| {
            self.words
                .get(slot / 64)
                .is_some_and(|word| word >> (slot % 64) & 1 == 1)
        };
        let held = scope
            .operations()
            .iter()
            .filter(|operation| scope.slot(*operation).is_some_and(has));
        OperationSet::from_word(held.fold(0, |word, operation| word | operation.bit()))
    }

    /// The narrowed mask: the parent's own when nothing was cleared.
    pub(crate) fn finish(self, parent: &Mask) -> Mask {
        if self.is_changed {
            Mask::Words(self.words.into())
        } else {
            parent.clone()
        }
    }
}
