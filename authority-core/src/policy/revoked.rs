//! What was taken from a whole tree, operation by operation.
//!
//! Every decision reads the word of its row, and nobody remembers what it read. So a decision that
//! starts after a revocation returned finds it; and since a bit is never cleared, what was denied
//! once stays denied.

use std::sync::atomic::AtomicU64;

use crate::word::Word;

/// A word of revoked operations a row.
pub(super) struct Revoked<W = AtomicU64>(Box<[W]>);

impl<W: Word> Revoked<W> {
    /// Nothing revoked.
    pub(super) fn none(rows: usize) -> Self {
        Revoked((0..rows).map(|_| W::zero()).collect())
    }

    pub(super) fn revoke(&self, row: usize, operations: u64) {
        if let Some(word) = self.0.get(row) {
            word.set_bits(operations);
        }
    }

    #[inline]
    pub(super) fn of(&self, row: usize) -> u64 {
        self.0.get(row).map_or(0, Word::load)
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = u64> {
        self.0.iter().map(Word::load)
    }
}

/// The protocol under every interleaving that `loom` finds.
#[cfg(test)]
mod tests {
    use loom::sync::Arc;
    use loom::sync::atomic::{AtomicU64, Ordering};
    use loom::thread;

    type Revoked = super::Revoked<AtomicU64>;

    const READ: u64 = 1;
    const WRITE: u64 = 2;

    fn spawn<R: 'static>(
        revoked: &Arc<Revoked>,
        work: impl FnOnce(&Revoked) -> R + 'static,
    ) -> thread::JoinHandle<R> {
        let revoked = Arc::clone(revoked);
        thread::spawn(move || work(&revoked))
    }

    #[test]
    fn what_is_revoked_stays_revoked() {
        loom::model(|| {
            let revoked = Arc::new(Revoked::none(2));
            let looks = spawn(&revoked, |revoked| [(); 3].map(|()| revoked.of(0)));
            revoked.revoke(0, READ);
            assert_eq!(revoked.of(0), READ);
            let looks = looks.join().unwrap();
            assert!(looks.is_sorted(), "nothing is given back: {looks:?}");
            assert_eq!([revoked.of(0), revoked.of(1)], [READ, 0]);
        });
    }

    #[test]
    fn of_two_that_revoke_at_once_neither_hides_the_other() {
        loom::model(|| {
            let revoked = Arc::new(Revoked::none(2));
            let other = spawn(&revoked, |revoked| {
                revoked.revoke(0, WRITE);
                assert_eq!(revoked.of(0) & WRITE, WRITE);
            });
            revoked.revoke(0, READ);
            assert_eq!(revoked.of(0) & READ, READ);
            other.join().unwrap();
            assert_eq!([revoked.of(0), revoked.of(1)], [READ | WRITE, 0]);
        });
    }

    /// A revocation of many rows, such as a server's with its tools, has returned when someone is
    /// told so: none of them is open to him then, nor to a child that he makes of what is left.
    #[test]
    fn whoever_knows_that_it_returned_finds_all_of_it() {
        loom::model(|| {
            let revoked = Arc::new(Revoked::none(3));
            let returned = Arc::new(AtomicU64::new(0));
            let told = Arc::clone(&returned);
            let decides = spawn(&revoked, move |revoked| {
                let is_told = told.load(Ordering::Acquire) == 1;
                (is_told, revoked.rows().collect::<Vec<_>>())
            });
            revoked.revoke(0, READ);
            revoked.revoke(2, READ | WRITE);
            returned.store(1, Ordering::Release);
            let (is_told, rows) = decides.join().unwrap();
            assert!(!is_told || rows == [READ, 0, READ | WRITE], "{rows:?}");
        });
    }
}
