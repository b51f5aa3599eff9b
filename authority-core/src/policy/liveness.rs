//! Whether a thread may still act.
//!
//! Closing marks the thread and then moves the root's epoch on. A look reads the epoch first, then
//! the marks of the thread and of all above it, and remembers that epoch when none is marked. What
//! was remembered stands as long as the epoch does: a look that starts after a closing ended reads
//! a later epoch than any look that missed the mark, so it walks up and finds it. A child that is
//! made meanwhile remembers nothing yet and walks up too.

use std::sync::atomic::AtomicU64;

use crate::word::Word;

/// Counts what was closed and revoked under a root, from 1.
pub(super) struct Epoch<W = AtomicU64>(W);

impl<W: Word> Default for Epoch<W> {
    fn default() -> Self {
        let epoch = Epoch(W::zero());
        epoch.advance();
        epoch
    }
}

impl<W: Word> Epoch<W> {
    pub(super) fn advance(&self) {
        self.0.add(1);
    }
}

/// The mark of one thread, and what it remembers.
pub(super) struct Liveness<W = AtomicU64> {
    /// Not 0 once it is closed, for ever.
    is_closed: W,
    /// The epoch at which the thread and all above it were last seen open; 0 for never.
    open_at: W,
}

impl<W: Word> Default for Liveness<W> {
    fn default() -> Self {
        Liveness {
            is_closed: W::zero(),
            open_at: W::zero(),
        }
    }
}

impl<W: Word> Liveness<W> {
    pub(super) fn close(&self, epoch: &Epoch<W>) {
        self.is_closed.store(1);
        epoch.advance();
    }

    /// Whether none of the path is closed, which leads from this one up to the root's.
    #[inline]
    pub(super) fn is_open<'a>(
        &self,
        epoch: &Epoch<W>,
        path: impl Iterator<Item = &'a Liveness<W>>,
    ) -> bool
    where
        W: 'a,
    {
        let epoch = epoch.0.load();
        self.open_at.load() == epoch || self.looks_open(epoch, path)
    }

    #[cold]
    fn looks_open<'a>(&self, epoch: u64, mut path: impl Iterator<Item = &'a Liveness<W>>) -> bool
    where
        W: 'a,
    {
        let is_open = path.all(|liveness| liveness.is_closed.load() == 0);
        if is_open {
            self.open_at.store(epoch);
        }
        is_open
    }
}

/// The protocol under every interleaving that `loom` finds.
#[cfg(test)]
mod tests {
    use loom::sync::atomic::AtomicU64;
    use loom::sync::{Arc, Mutex};
    use loom::thread;

    type Liveness = super::Liveness<AtomicU64>;
    type Epoch = super::Epoch<AtomicU64>;

    /// A root, a child of it, and a child of that.
    #[derive(Default)]
    struct Tree {
        epoch: Epoch,
        threads: [Liveness; 3],
    }

    impl Tree {
        fn is_open(&self, thread: usize) -> bool {
            let path = self.threads[..=thread].iter().rev();
            self.threads[thread].is_open(&self.epoch, path)
        }

        fn close(&self, thread: usize) {
            self.threads[thread].close(&self.epoch);
        }
    }

    fn spawn<R: 'static>(
        tree: &Arc<Tree>,
        work: impl FnOnce(&Tree) -> R + 'static,
    ) -> thread::JoinHandle<R> {
        let tree = Arc::clone(tree);
        thread::spawn(move || work(&tree))
    }

    #[test]
    fn once_closing_has_returned_all_below_are_closed() {
        loom::model(|| {
            let tree = Arc::new(Tree::default());
            let looks = spawn(&tree, |tree| (tree.is_open(2), tree.is_open(2)));
            tree.close(0);
            for thread in 0..3 {
                assert!(!tree.is_open(thread));
            }
            let (first, second) = looks.join().unwrap();
            assert!(first || !second, "nothing opens again");
            assert!(!tree.is_open(2));
        });
    }

    #[test]
    fn of_two_that_close_at_once_neither_hides_the_other() {
        loom::model(|| {
            let tree = Arc::new(Tree::default());
            assert!(tree.is_open(2));
            let closes = spawn(&tree, |tree| {
                tree.close(2);
                assert!(!tree.is_open(2));
            });
            tree.close(1);
            assert!(!tree.is_open(1));
            assert!(!tree.is_open(2));
            closes.join().unwrap();
            assert!(tree.is_open(0));
            assert!(!tree.is_open(1));
        });
    }

    /// Whoever starts a child looks at it before and registers it then, as the policy does.
    #[test]
    fn a_child_that_is_being_made_is_closed_with_its_parent() {
        loom::model(|| {
            let tree = Arc::new(Tree::default());
            let registered = Arc::new(Mutex::new(false));
            let register = Arc::clone(&registered);
            let starts = spawn(&tree, move |tree| {
                let is_started = tree.is_open(2);
                if is_started {
                    *register.lock().unwrap() = true;
                }
                is_started
            });
            tree.close(1);
            if *registered.lock().unwrap() {
                assert!(!tree.is_open(2));
            }
            let is_started = starts.join().unwrap();
            assert_eq!(*registered.lock().unwrap(), is_started);
            assert!(!tree.is_open(2));
            assert!(tree.is_open(0));
        });
    }
}
