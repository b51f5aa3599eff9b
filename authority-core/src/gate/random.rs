//! Ids that nobody guesses.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::id::Id;

/// Makes ids: 128 bits of a keyed hash over a counter. The standard library takes the keys from the
/// operating system's source of randomness.
#[derive(Default)]
pub(super) struct RandomIds {
    keys: [RandomState; 2],
    next: AtomicU64,
}

impl RandomIds {
    /// An id that begins with this word.
    pub(super) fn id(&self, word: &'static str) -> Id<'static> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let [high, low] = [0, 1].map(|key: usize| self.keys[key].hash_one((key, number)));
        Id(format!("{word}-{high:016x}{low:016x}").into())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_differ_and_are_ids() {
        let makers = [RandomIds::default(), RandomIds::default()];
        let ids: HashSet<_> = (0..100).map(|index| makers[index % 2].id("op")).collect();
        assert_eq!(ids.len(), 100);
        assert!(ids.iter().all(|id| Id::parse(id.as_str()).is_ok()));
    }
}
