//! Which slots of the root's tables a policy holds. A mask is made from another one only by
//! [`Mask::and`], which clears.

use std::sync::Arc;

use crate::declaration::DeclaredScope;
use crate::operation_set::OperationSet;

/// A set of slots. Cloning shares it.
#[derive(Clone, Debug)]
pub(crate) enum Mask {
    /// Every slot: what the root holds.
    All,
    /// A bit a slot.
    Dense(Arc<[u64]>),
    /// The words of a dense mask that are not zero, in order: what a small child of a large root
    /// holds.
    Sparse(Arc<[Word]>),
}

/// One word of a mask.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    index: u32,
    bits: u64,
}

/// A dense mask that has a word in this many that is not zero, or fewer, is kept sparse: half the
/// bytes at most of what it would be, and few words to search.
const SPARSE: usize = 8;

impl Mask {
    /// The set of the slots in these runs, of a table of `slots`.
    pub(crate) fn of(runs: Runs, slots: usize) -> Mask {
        let words = slots.div_ceil(64);
        if runs.0.len() * SPARSE <= words {
            let mut sorted = runs.0;
            sorted.sort_unstable_by_key(|word| word.index);
            sorted.dedup_by(|next, kept| {
                let is_same = next.index == kept.index;
                kept.bits |= u64::from(is_same) * next.bits;
                is_same
            });
            return Mask::Sparse(sorted.into());
        }
        let mut dense = vec![0; words];
        for word in &runs.0 {
            if let Some(found) = dense.get_mut(word.index as usize) {
                *found |= word.bits;
            }
        }
        Mask::Dense(dense.into()).compact()
    }

    /// The slots of this set that are in `keep` as well, which gives it word by word. It is this
    /// very set when none is lost.
    pub(crate) fn and(&self, slots: usize, keep: impl Fn(usize) -> u64) -> Mask {
        let mut is_changed = false;
        let mut kept = |index: usize, held: u64| {
            let kept = held & keep(index);
            is_changed |= kept != held;
            kept
        };
        let narrowed = match self {
            Mask::All => {
                let words = slots.div_ceil(64);
                Mask::Dense(
                    (0..words)
                        .map(|index| kept(index, full(index, slots)))
                        .collect(),
                )
            }
            Mask::Dense(words) => {
                let words = words.iter().enumerate();
                Mask::Dense(words.map(|(index, word)| kept(index, *word)).collect())
            }
            Mask::Sparse(words) => {
                let words = words.iter().map(|word| Word {
                    index: word.index,
                    bits: kept(word.index as usize, word.bits),
                });
                let words: Arc<[Word]> = words.collect();
                Mask::Sparse(words)
            }
        };
        if is_changed {
            narrowed.compact()
        } else {
            self.clone()
        }
    }

    /// The same set, sparse when that is smaller.
    fn compact(self) -> Mask {
        let is_some = |bits: &u64| *bits != 0;
        match &self {
            Mask::Dense(words)
                if words.iter().filter(|bits| is_some(bits)).count() * SPARSE <= words.len() =>
            {
                let words = words.iter().zip(0..).filter(|(bits, _)| is_some(bits));
                Mask::Sparse(
                    words
                        .map(|(bits, index)| Word { index, bits: *bits })
                        .collect(),
                )
            }
            Mask::Sparse(words) if !words.iter().all(|word| is_some(&word.bits)) => Mask::Sparse(
                words
                    .iter()
                    .filter(|word| is_some(&word.bits))
                    .copied()
                    .collect(),
            ),
            _ => self,
        }
    }

    /// The word at this index: a bit for each of 64 slots.
    #[inline]
    pub(crate) fn word(&self, index: usize) -> u64 {
        match self {
            Mask::All => u64::MAX,
            Mask::Dense(words) => words.get(index).copied().unwrap_or(0),
            Mask::Sparse(words) => words
                .binary_search_by(|word| (word.index as usize).cmp(&index))
                .map_or(0, |found| words[found].bits),
        }
    }

    #[inline]
    pub(crate) fn has(&self, slot: usize) -> bool {
        self.word(slot / 64) >> (slot % 64) & 1 == 1
    }

    /// The operations of a scope that the set holds.
    pub(crate) fn held(&self, scope: DeclaredScope<'_>) -> Option<OperationSet> {
        if matches!(self, Mask::All) {
            return Some(scope.operations());
        }
        let slots = scope.first_slot()..;
        let held = scope.operations().iter().zip(slots);
        let held = held.filter(|(_, slot)| self.has(*slot));
        OperationSet::from_word(held.fold(0, |word, (operation, _)| word | operation.bit()))
    }
}

/// The word of a full table of `slots` slots.
fn full(index: usize, slots: usize) -> u64 {
    match slots - index * 64 {
        rest @ 0..64 => (1 << rest) - 1,
        _ => u64::MAX,
    }
}

/// Slots that are listed one after the other, to make a mask of.
pub(crate) struct Runs(Vec<Word>);

impl Runs {
    pub(crate) const NONE: Runs = Runs(Vec::new());

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn push(&mut self, slot: usize) {
        let (index, bits) = (slot / 64, 1 << (slot % 64));
        match self.0.last_mut() {
            Some(last) if last.index as usize == index => last.bits |= bits,
            // A table has far less than 2³² words: it is source text.
            _ => self
                .0
                .extend(u32::try_from(index).map(|index| Word { index, bits })),
        }
    }

    /// The slots of a scope's operations that `wanted` has too.
    pub(crate) fn push_scope(&mut self, scope: DeclaredScope<'_>, wanted: OperationSet) {
        for (operation, slot) in scope.operations().iter().zip(scope.first_slot()..) {
            if wanted.contains(operation) {
                self.push(slot);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;

    use super::*;

    fn mask(slots: &[usize], size: usize) -> Mask {
        let mut runs = Runs::NONE;
        for slot in slots {
            runs.push(*slot);
        }
        Mask::of(runs, size)
    }

    fn set(mask: &Mask, size: usize) -> BTreeSet<usize> {
        (0..size).filter(|slot| mask.has(*slot)).collect()
    }

    proptest! {
        #[test]
        fn masks_are_sets(
            size in 1_usize..1_500,
            few in vec(0_usize..1_500, 0..6),
            many in vec(0_usize..1_500, 0..900),
            other in btree_set(0_usize..1_500, 0..900),
        ) {
            let in_table = |slots: &[usize]| -> Vec<usize> {
                slots.iter().copied().filter(|slot| *slot < size).collect()
            };
            let keep = mask(&in_table(&other.iter().copied().collect::<Vec<_>>()), size);
            for slots in [in_table(&few), in_table(&many)] {
                let made = mask(&slots, size);
                let expected: BTreeSet<_> = slots.into_iter().collect();
                prop_assert_eq!(set(&made, size), expected.clone());
                let both = made.and(size, |index| keep.word(index));
                let expected = expected.into_iter().filter(|slot| other.contains(slot)).collect();
                prop_assert_eq!(set(&both, size), expected);
            }
            let all = Mask::All.and(size, |index| keep.word(index));
            prop_assert_eq!(set(&all, size), set(&keep, size));
            // Bits beyond the table are never made up.
            let full = Mask::All.and(size, |index| if index == 0 { !1 } else { u64::MAX });
            prop_assert!(!full.has(0) && !full.has(size));
        }
    }

    #[test]
    fn what_loses_nothing_is_shared() {
        let dense = mask(&(0..640).collect::<Vec<_>>(), 640);
        let sparse = mask(&[7], 640);
        assert!(matches!(sparse, Mask::Sparse(_)));
        match (&dense, dense.and(640, |_| u64::MAX)) {
            (Mask::Dense(one), Mask::Dense(other)) => assert!(Arc::ptr_eq(one, &other)),
            other => panic!("{other:?}"),
        }
        assert!(matches!(Mask::All.and(640, |_| u64::MAX), Mask::All));
        assert!(matches!(
            dense.and(640, |index| u64::from(index == 3)),
            Mask::Sparse(_)
        ));
    }
}
