//! What every audit store must do, as a suite that any of them runs.

use std::thread;

use crate::Timestamp;
use crate::audit::{AuditError, AuditSink, Code, Durability, Head, Record, Verifier};
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
    let cases: [fn(&S, Bytes<'_>); 3] = [appends, refuses_what_is_too_long, rivals];
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
