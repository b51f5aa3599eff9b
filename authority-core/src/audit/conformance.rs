//! What every audit store must do, as a suite that any of them runs.

use std::thread;

use crate::Timestamp;
use crate::audit::{Attempted, AuditError, AuditSink, Code, Durability, Head, Record, Verifier};
use crate::digest::Digest;
use crate::id::Id;
use crate::policy::ThreadIdentity;
use crate::vocabulary::OutcomeCode;

/// Runs the suite on an audit store: `make` gives a new one, without a record, and `bytes` what it
/// holds, as lines.
///
/// # Panics
///
/// When the store does what a store must not do. The message names the case.
pub fn audit_sink<S: AuditSink>(make: impl Fn() -> S, bytes: impl Fn(&S) -> Vec<u8>) {
    let cases: [fn(&S, Bytes<'_>); 4] = [
        appends,
        refuses_what_is_too_long,
        rivals,
        knows_what_did_not_complete,
    ];
    for case in cases {
        let store = make();
        case(&store, &|| bytes(&store));
    }
}

/// What the store holds now.
type Bytes<'a> = &'a dyn Fn() -> Vec<u8>;

/// Each record is in the chain, behind the one before, when `append` returns its head.
fn appends<S: AuditSink>(store: &S, bytes: Bytes<'_>) {
    assert_eq!(bytes(), b"", "appends: a new store has no line");
    let started = record(OutcomeCode::Started).with_operation_id(id("op-1"));
    let others = record(OutcomeCode::Started).with_operation_id(id("op-2"));
    let completed = record(OutcomeCode::Completed).with_operation_id(id("op-1"));
    let mut before = Vec::new();
    for (record, durability, unknown) in [
        (started, Durability::Synced, &[1][..]),
        (others, Durability::Synced, &[1, 2]),
        (completed, Durability::Written, &[2]),
    ] {
        let head = store.append(&record, durability).expect("appends");
        let after = bytes();
        assert!(after.starts_with(&before), "appends: earlier lines stay");
        let verified = Verifier::new().with_head(head).verify(&after);
        let verified = verified.unwrap_or_else(|broken| panic!("appends: {broken}"));
        assert_eq!(verified.head(), head, "appends: one line a record");
        let open: Vec<_> = verified.unknown().iter().map(|open| open.started).collect();
        assert_eq!(open, unknown, "appends: the record that was given");
        before = after;
    }
}

/// A record that no reader would read is refused, and leaves nothing behind.
fn refuses_what_is_too_long<S: AuditSink>(store: &S, bytes: Bytes<'_>) {
    let denied = record(OutcomeCode::Denied);
    let first = append(store, &denied);
    let before = bytes();
    let reason = Code::of_word("a_reason_that_is_as_long_as_it_takes_to_fill_a_line_with_many");
    let long = (0..20_000).fold(denied.clone(), |record, _| {
        record.with_reason(reason.clone())
    });
    let refused = store.append(&long, Durability::Written);
    assert_eq!(refused, Err(AuditError::TooLong), "too long");
    assert_eq!(bytes(), before, "too long: nothing is written");
    let second = append(store, &denied);
    assert_eq!(second.sequence, first.sequence + 1, "too long: it goes on");
    let verified = Verifier::new().with_head(second).verify(&bytes());
    verified.unwrap_or_else(|broken| panic!("too long: {broken}"));
}

/// Threads that append at once make one chain, and every head is of it.
fn rivals<S: AuditSink>(store: &S, bytes: Bytes<'_>) {
    let denied = record(OutcomeCode::Denied);
    let mut heads: Vec<_> = thread::scope(|scope| {
        let rival = || (0..25).map(|_| append(store, &denied)).collect::<Vec<_>>();
        let rivals: Vec<_> = (0..4).map(|_| scope.spawn(rival)).collect();
        let heads = rivals.into_iter().flat_map(thread::ScopedJoinHandle::join);
        heads.flatten().collect()
    });
    heads.sort_by_key(|head| head.sequence);
    let numbers = heads.iter().map(|head| head.sequence);
    assert!(numbers.eq(1..=100), "rivals: each number once");
    let bytes = bytes();
    for head in heads {
        let verified = Verifier::new().with_head(head).verify(&bytes);
        verified.unwrap_or_else(|broken| panic!("rivals: {broken}"));
    }
}

/// An attempt that rested on a grant is incomplete from its permit on, until that very permit
/// completed; what rested on none is not.
fn knows_what_did_not_complete<S: AuditSink>(store: &S, _: Bytes<'_>) {
    use OutcomeCode::{Abandoned, Completed, Permitted, Started};
    let (permissions, preview) = (Digest::of(b"permissions"), Digest::of(b"preview"));
    let of = |code, operation| {
        record(code)
            .with_operation_id(id(operation))
            .with_permissions_sha256(permissions)
            .with_preview_sha256(preview)
    };
    let granted =
        |operation| of(Permitted, operation).with_grant(id("grant-1"), Digest::of(b"grant"));
    let run = ThreadIdentity::root("alice", "checkout", "run-43").expect("ids");
    let next = Attempted::new(&run, permissions, preview);
    let other = Attempted::new(&run, permissions, Digest::of(b"another preview"));
    for (record, is_incomplete) in [
        (of(Permitted, "op-1"), false),
        (granted("op-2"), true),
        (of(Started, "op-2"), true),
        (of(Abandoned, "op-2"), true),
        (granted("op-3"), true),
        (granted("op-4"), true),
        (of(Completed, "op-3"), true),
        (of(Completed, "op-4"), false),
    ] {
        append(store, &record);
        let code = record.code();
        assert_eq!(store.is_incomplete(&next), Ok(is_incomplete), "{code:?}");
        assert_eq!(store.is_incomplete(&other), Ok(false), "{code:?}");
    }
}

fn append<S: AuditSink>(store: &S, record: &Record) -> Head {
    let head = store.append(record, Durability::Written);
    head.expect("the store appends")
}

fn record(code: OutcomeCode) -> Record {
    let thread = ThreadIdentity::root("alice", "checkout", "run-42").expect("ids");
    let at = Timestamp::parse("2031-03-04T10:30:00Z").expect("a time");
    Record::new(code, &thread, at)
}

fn id(text: &'static str) -> Id<'static> {
    Id::parse(text).expect("an id")
}
