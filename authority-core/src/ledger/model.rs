//! The protocol of the counters under every interleaving that `loom` finds.

use loom::sync::Arc;
use loom::sync::atomic::{AtomicU64, Ordering};
use loom::thread;

use super::counter::{Claim, Counter, take_all};

type Tree = [Counter<AtomicU64>; 2];

/// A request for so much of the root's counter, and then of its own.
fn take(tree: &Tree, wanted: [u64; 2], ceilings: [u64; 2]) -> bool {
    let claims = [0, 1].map(|level| Claim {
        counter: &tree[level],
        amount: wanted[level],
        ceiling: ceilings[level],
        about: (),
    });
    take_all(&claims).is_ok()
}

fn in_use(tree: &Tree) -> [u64; 2] {
    [tree[0].in_use(), tree[1].in_use()]
}

fn check(test: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(test);
}

#[test]
fn of_two_that_do_not_fit_together_exactly_one_is_admitted() {
    check(|| {
        let tree = Arc::new(Tree::default());
        let rival = Arc::clone(&tree);
        let other = thread::spawn(move || take(&rival, [2, 2], [3, 3]));
        let admitted = [take(&tree, [2, 2], [3, 3]), other.join().unwrap()];
        assert_eq!(admitted.iter().filter(|is| **is).count(), 1);
        assert_eq!(in_use(&tree), [2, 2]);
    });
}

/// The rival takes all of the first counter, and is then refused by the second.
#[test]
fn a_rival_that_is_refused_is_in_nobodys_way() {
    check(|| {
        let tree = Arc::new(Tree::default());
        let rival = Arc::clone(&tree);
        let other = thread::spawn(move || take(&rival, [3, 9], [3, 3]));
        assert!(take(&tree, [1, 1], [3, 3]));
        assert!(!other.join().unwrap());
        assert_eq!(in_use(&tree), [1, 1]);
        assert!(take(&tree, [2, 2], [3, 3]));
    });
}

#[test]
fn what_is_released_can_be_taken_at_once() {
    check(|| {
        let tree = Arc::new(Tree::default());
        assert!(take(&tree, [2, 2], [2, 2]));
        let rival = Arc::clone(&tree);
        let other = thread::spawn(move || {
            let is_admitted = take(&rival, [1, 1], [2, 2]);
            assert!(rival[0].in_use() <= 2);
            u64::from(is_admitted)
        });
        for counter in &*tree {
            counter.release(2);
        }
        assert!(take(&tree, [1, 1], [2, 2]));
        let others = other.join().unwrap();
        assert_eq!(in_use(&tree), [1 + others, 1 + others]);
    });
}

#[test]
fn over_use_leaves_no_room_and_never_wraps() {
    check(|| {
        let tree = Arc::new(Tree::default());
        let rival = Arc::clone(&tree);
        let other = thread::spawn(move || {
            rival[0].charge(u64::MAX);
        });
        let is_admitted = take(&tree, [1, 1], [5, 5]);
        other.join().unwrap();
        assert_eq!(in_use(&tree), [u64::MAX, u64::from(is_admitted)]);
        assert!(!take(&tree, [1, 1], [u64::MAX, 5]));
    });
}

/// A session counter and one for each of two turns. The second turn begins while a reservation of
/// the first, or of the second, is made and settled.
#[test]
fn a_turn_that_rolls_over_mints_nothing() {
    check(|| {
        let session = Arc::new(Counter::<AtomicU64>::default());
        let turns = Arc::new(Tree::default());
        let begun = Arc::new(AtomicU64::new(0));
        let (host_turns, host_begun) = (Arc::clone(&turns), Arc::clone(&begun));
        let host = thread::spawn(move || {
            host_begun.store(1, Ordering::Release);
            host_turns[1].in_use()
        });
        let number = usize::from(begun.load(Ordering::Acquire) == 1);
        let claims = [&session, &turns[number]].map(|counter| Claim {
            counter,
            amount: 3,
            ceiling: 3,
            about: (),
        });
        assert!(take_all(&claims).is_ok());
        for counter in [&session, &turns[number]] {
            counter.release(2);
        }
        assert!(host.join().unwrap() <= 3);
        assert_eq!(session.in_use(), 1);
        assert_eq!(turns[number].in_use(), 1);
        assert_eq!(turns[1 - number].in_use(), 0);
    });
}
