//! Chains that are damaged in every way.

use proptest::prelude::*;

use super::*;
use crate::approval::Reviewer;
use crate::digest::Digest;
use crate::id::Id;
use crate::ledger::Amounts;
use crate::mac::MacKey;
use crate::policy::ThreadIdentity;
use crate::vocabulary::{Boundary, DenyReason, OutcomeCode, RevalidationReason, operations};
use crate::{MicroDollars, Timestamp};

/// Written by another implementation of the chain.
const TWO_LINES: &[u8] = include_bytes!("two_lines.jsonl");

fn thread() -> ThreadIdentity {
    ThreadIdentity::root("alice", "checkout", "run-42").unwrap()
}

fn record(code: OutcomeCode) -> Record {
    let at = Timestamp::parse("2031-03-04T10:30:00Z").unwrap();
    Record::new(code, &thread(), at)
}

fn id(text: &'static str) -> Id<'static> {
    Id::parse(text).unwrap()
}

/// A record that has every part.
fn full() -> Record {
    let agents = vec![id("reviewer"), id("helper")];
    let ids = ["alice", "checkout", "run-42", "thread-7"].map(id);
    let amounts = Amounts::tool_call()
        .with_tokens(1_200)
        .with_requests(3)
        .with_cost(MicroDollars::new(2_500_000));
    let at = Timestamp::parse("2031-03-04T10:30:00.25Z").unwrap();
    Record::new(
        OutcomeCode::Failed,
        &ThreadIdentity::recorded(ids, agents),
        at,
    )
    .with_reason(RevalidationReason::Expired)
    .with_reason(DenyReason::Narrowed)
    .with_operation_id(id("op-1"))
    .with_operation(operations::mcp_tool::Call.into())
    .with_scope_sha256(Digest::of(b"scope"))
    .with_permissions_sha256(Digest::of(b"permissions"))
    .with_holder_sha256(Digest::of(b"holder"))
    .with_request_sha256(Digest::of(b"request"))
    .with_preview_sha256(Digest::of(b"preview"))
    .with_grant(id("grant-1"), Digest::of(b"grant"))
    .with_boundary(Boundary::EnforcedByHarness)
    .with_reviewer(Reviewer::human("bob").unwrap())
    .with_reserved(amounts)
    .with_used(amounts)
    .with_expires_at(at)
    .with_executor_code(Code::new("http_502").unwrap())
    .with_message(Content::of(b"message"))
    .with_path(Content::of(b"path"))
    .with_arguments(Content::of(b"arguments"))
    .with_trace(TraceContext::new([1; 16], [2; 8]).unwrap())
}

/// A chain of these records, as one buffer.
fn chain(records: &[Record]) -> Vec<u8> {
    let mut writer = LineWriter::after(Head::EMPTY);
    let lines = records.iter().map(|record| writer.line(record).unwrap());
    lines.flat_map(|line| line.as_bytes().to_vec()).collect()
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

fn four() -> Vec<u8> {
    use OutcomeCode::{Completed, Denied, Started};
    chain(&[
        record(Started).with_operation_id(id("op-1")),
        record(Denied),
        full(),
        record(Completed).with_operation_id(id("op-1")),
    ])
}

#[test]
fn the_form_is_that_of_another_implementation() {
    let denied = record(OutcomeCode::Denied).with_reason(DenyReason::Narrowed);
    let started = record(OutcomeCode::Started).with_operation_id(id("op-1"));
    assert_eq!(
        str::from_utf8(&chain(&[denied, started])),
        str::from_utf8(TWO_LINES)
    );
    let verified = verify(TWO_LINES).unwrap();
    assert_eq!(verified.head().sequence, 2);
    assert!(!verified.excludes_a_cut());
    let unknown: Vec<_> = verified.unknown().iter().collect();
    assert_eq!(unknown.len(), 1);
    assert_eq!(
        (&unknown[0].operation_id, unknown[0].started),
        (&id("op-1"), 2)
    );
}

#[test]
fn lines_that_join_the_chain_are_handed_on() {
    let mut torn = TWO_LINES.to_vec();
    torn.extend_from_slice(b"{\"hash\":\n");
    let head = verify(TWO_LINES).unwrap().head();
    let mut seen = Vec::new();
    let mut verifier = Verifier::new();
    let mut look = |bytes: &[u8]| {
        verifier.push_each(bytes, |line| {
            assert!(!line.is_sealed());
            let code = match line.entry() {
                Some(Entry::Outcome(record)) => record.code().name(),
                Some(Entry::Recovered(_)) => "recovered",
                None => "undecoded",
            };
            assert!(line.record().contains(&format!(r#""code":"{code}""#)));
            seen.push((line.head().sequence, code));
        });
    };
    look(&torn[..700]);
    look(&torn[700..]);
    let mut writer = LineWriter::after(head);
    look(b"{\"hash\":\n");
    let torn = Content::of(b"{\"hash\":\n{\"hash\":");
    look(writer.recovered(torn).unwrap().as_bytes());
    look(b"more\n");
    assert_eq!(seen, [(1, "denied"), (2, "started"), (3, "recovered")]);
}

#[test]
fn records_decode_to_themselves() {
    for record in [record(OutcomeCode::Asked), full()] {
        let json = record.to_json();
        assert_eq!(Record::from_json(&json), Ok(record));
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value.to_string(), json, "canonical");
        for key in value.as_object().unwrap().keys() {
            // Without what it must have it is refused; without the rest it is another record.
            let mut less = value.clone();
            less.as_object_mut().unwrap().remove(key);
            let less = Record::from_json(&less.to_string());
            let needed = ["at", "code", "kind", "operation", "thread", "version"];
            assert_eq!(less.is_err(), needed.contains(&key.as_str()), "{key}");
        }
    }
}

#[test]
fn foreign_records_are_refused() {
    let json = full().to_json();
    for (part, other) in [
        ("\"version\":1", "\"version\":2"),
        ("\"version\":1", "\"version\":1,\"note\":\"x\""),
        ("\"kind\":\"mcp\"", "\"kind\":\"github\""),
        ("\"failed\"", "\"succeeded\""),
        ("\"http_502\"", "\"Bad gateway\""),
        ("0.25Z", "0.25"),
        ("[\"expired\",\"narrowed\"]", "[]"),
        (
            "\"used\":{",
            "\"torn\":{\"sha256\":\"x\",\"size\":1},\"used\":{",
        ),
    ] {
        assert!(json.contains(part), "{part}");
        assert!(Record::from_json(&json.replace(part, other)).is_err());
    }
}

#[test]
fn every_change_of_a_byte_is_found() {
    use OutcomeCode::{Asked, Denied, Started};
    let good = chain(&[Asked, Started, Denied].map(record));
    let starts = lines(&good);
    let mut line = 1;
    let mut end = starts[0].len();
    for at in 0..good.len() {
        if at == end {
            line += 1;
            end += starts[line - 1].len();
        }
        let mut bad = good.clone();
        for other in [good[at] ^ 1, good[at] ^ 0x20, good[at] ^ 0x80, b'\n', b'0'] {
            bad[at] = other;
            if other == good[at] {
                continue;
            }
            let broken = verify(&bad).expect_err("a changed byte");
            assert_eq!(broken.line(), line as u64, "byte {at}");
            assert_eq!(broken.before().head().sequence, line as u64 - 1);
        }
    }
}

#[test]
fn every_swap_drop_and_duplicate_is_found() {
    let good = four();
    let anchor = verify(&good).unwrap().head();
    let lines = lines(&good);
    let anchored = |lines: &[&[u8]]| Verifier::new().with_head(anchor).verify(&lines.concat());
    for first in 0..lines.len() {
        let mut dropped = lines.clone();
        dropped.remove(first);
        assert!(anchored(&dropped).is_err());
        if first + 1 < lines.len() {
            assert_eq!(
                verify(&dropped.concat()).unwrap_err().line(),
                first as u64 + 1
            );
        }
        for second in 0..lines.len() {
            let mut more = lines.clone();
            more.insert(second, lines[first]);
            assert!(verify(&more.concat()).is_err(), "{first} before {second}");
            if first != second {
                let mut swapped = lines.clone();
                swapped.swap(first, second);
                let broken = verify(&swapped.concat()).unwrap_err();
                assert_eq!(broken.line(), first.min(second) as u64 + 1);
            }
        }
    }
}

#[test]
fn every_cut_is_found_before_the_anchor() {
    let good = four();
    let anchor = verify(&good).unwrap().head();
    for end in 0..good.len() {
        let cut = &good[..end];
        let at_a_line = end == 0 || good[end - 1] == b'\n';
        match verify(cut) {
            Ok(verified) => assert!(at_a_line && !verified.excludes_a_cut()),
            Err(broken) => assert!(!at_a_line && broken.reason() == BadLine::Torn),
        }
        let broken = Verifier::new().with_head(anchor).verify(cut).unwrap_err();
        let reason = if at_a_line {
            BadLine::TailCut
        } else {
            BadLine::Torn
        };
        assert_eq!(broken.reason(), reason);
    }
    let verified = Verifier::new().with_head(anchor).verify(&good).unwrap();
    assert!(verified.excludes_a_cut());
}

#[test]
fn another_chain_does_not_meet_the_anchor() {
    let anchor = Head {
        sequence: 2,
        sha256: Digest::of(b""),
    };
    let broken = Verifier::new()
        .with_head(anchor)
        .verify(&four())
        .unwrap_err();
    assert_eq!((broken.line(), broken.reason()), (2, BadLine::Anchor));
}

#[test]
fn torn_lines_are_closed_and_told() {
    let good = four();
    let anchor = verify(&good).unwrap().head();
    let rest = full();
    for torn in [
        &b"x"[..],
        b"{\"hash\":\"",
        b"\0\0\0",
        b"a\nb",
        lines(&good)[1],
    ] {
        let torn = torn.strip_suffix(b"\n").unwrap_or(torn);
        let mut writer = LineWriter::after(anchor);
        let note = writer.recovered(Content::of(torn)).unwrap();
        let next = writer.line(&rest).unwrap();
        let parts = [&good, torn, b"\n", note.as_bytes(), next.as_bytes()];
        let verified = verify(&parts.concat()).unwrap();
        assert_eq!(verified.head(), next.head());
        let recovered = Recovered {
            sequence: 5,
            torn: Content::of(torn),
        };
        assert_eq!(verified.recovered(), [recovered]);
        for other in [&b"y"[..], b"", b"x\nx", b"x\n"] {
            let parts = [&good, other, b"\n", note.as_bytes(), next.as_bytes()];
            let broken = verify(&parts.concat()).unwrap_err();
            assert_eq!((broken.line(), broken.reason()), (5, BadLine::Form));
        }
        let broken = verify(&[&good, note.as_bytes()].concat()).unwrap_err();
        assert_eq!(broken.reason(), BadLine::Recovered);
    }
}

#[test]
fn only_a_torn_tail_is_resumed() {
    use OutcomeCode::{Asked, Denied};
    let good = chain(&[Asked, Denied].map(record));
    let first = lines(&good)[0];
    let (one, two) = (verify(first).unwrap().head(), verify(&good).unwrap().head());
    let resumed = |bytes: &[u8]| Resumption::of(bytes, None);
    let ends = |head, torn| Resumption {
        head,
        torn,
        attempts: Attempts::default(),
    };
    for end in first.len() + 1..good.len() {
        let torn = TornTail {
            content: Content::of(&good[first.len()..end]),
            has_end: false,
        };
        let head = if end == good.len() - 1 { two } else { one };
        let torn = Some(torn);
        assert_eq!(resumed(&good[..end]), Ok(ends(head, torn)));
        assert!(Resumption::of(&good[..end], Some(two)).is_ok() == (head == two));
        // A writer that was stopped while it closed the line.
        if end < good.len() - 1 {
            let closed = [&good[..end], b"\n"].concat();
            let torn = torn.map(|torn| TornTail {
                has_end: true,
                ..torn
            });
            assert_eq!(resumed(&closed), Ok(ends(head, torn)));
            let again = [&closed, &b"{\"ha"[..]].concat();
            let torn = resumed(&again).unwrap().torn.unwrap();
            assert_eq!(torn.content, Content::of(&again[first.len()..]));
        }
    }
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1;
        let is_last = at == good.len() - 1;
        assert_eq!(resumed(&bad).is_err(), !is_last, "byte {at}");
    }
    assert!(resumed(&[&good, &b"\n"[..]].concat()).is_err());
}

#[test]
fn a_tail_longer_than_a_line_is_not_resumed() {
    let good = four();
    let tail = |size| [&good[..], &vec![b'x'; size]].concat();
    let torn = Resumption::of(&tail(1 << 20), None).unwrap().torn.unwrap();
    assert_eq!(torn.content, Content::of(&vec![b'x'; 1 << 20]));
    let broken = Resumption::of(&tail((1 << 20) + 1), None).unwrap_err();
    assert_eq!((broken.line(), broken.reason()), (5, BadLine::TooLong));
}

#[test]
fn a_chain_that_ends_before_the_anchor_is_not_resumed() {
    let good = four();
    let anchor = verify(&good).unwrap().head();
    let other = Head {
        sha256: Digest::of(b""),
        ..anchor
    };
    let nothing = Head {
        sequence: 0,
        ..other
    };
    assert!(Resumption::of(&good, Some(anchor)).is_ok());
    let whole = &good[..good.len() - 1];
    assert!(Resumption::of(whole, Some(anchor)).is_ok());
    for (bytes, anchor, reason) in [
        (&good[..good.len() - 2], anchor, BadLine::TailCut),
        (whole, other, BadLine::TailCut),
        (&good, other, BadLine::Anchor),
        (&good, nothing, BadLine::TailCut),
        (b"", anchor, BadLine::TailCut),
    ] {
        let broken = Resumption::of(bytes, Some(anchor)).unwrap_err();
        assert_eq!(broken.reason(), reason);
    }
}

/// The line that closes a torn tail is cut short anywhere, also before its line feed, and closed.
#[test]
fn closing_may_be_interrupted_anywhere() {
    let good = four();
    let first = lines(&good)[0].len();
    for torn in [&good[..first / 2], &good[..first - 1], &good[..first + 9]] {
        let note = closing(torn);
        for cut in 0..note.len() {
            let interrupted = [torn, &note[..cut]].concat();
            let closed = [&interrupted[..], &closing(&interrupted)].concat();
            assert!(verify(&closed).is_ok(), "cut at {cut}");
        }
    }
}

/// What a store writes when it opens this.
fn closing(bytes: &[u8]) -> Vec<u8> {
    let resumption = Resumption::of(bytes, None).unwrap();
    let Some(torn) = resumption.torn else {
        return Vec::new();
    };
    let note = LineWriter::after(resumption.head).recovered(torn.content);
    let end: &[u8] = if torn.has_end { b"" } else { b"\n" };
    [end, note.unwrap().as_bytes()].concat()
}

#[test]
fn records_of_other_versions_are_verified_by_their_bytes() {
    let mut out = String::new();
    super::chain::open(&mut out, Head::EMPTY.sha256);
    out.push_str(r#"{"later":[1],"version":2}"#);
    let head = super::chain::finish(&mut out, 1);
    out.push('\n');
    let verified = verify(out.as_bytes()).unwrap();
    assert_eq!((verified.head(), verified.undecoded()), (head, 1));
    for record in ["{}", "[]", r#"{"version":"2"}"#, r#"{"version":1}"#] {
        let mut out = String::new();
        super::chain::open(&mut out, Head::EMPTY.sha256);
        out.push_str(record);
        super::chain::finish(&mut out, 1);
        out.push('\n');
        assert_eq!(
            verify(out.as_bytes()).unwrap_err().reason(),
            BadLine::Record
        );
    }
}

#[test]
fn seals() {
    let key = |byte| MacKey::new(&[byte; 32]).unwrap();
    let sealer = HmacSealer::new(id("audit-1"), key(1));
    let mut writer = LineWriter::after(Head::EMPTY).with_sealer(sealer.clone());
    let lines: Vec<_> = [record(OutcomeCode::Denied), full()]
        .iter()
        .flat_map(|record| writer.line(record).unwrap().as_bytes().to_vec())
        .collect();
    let verified = Verifier::new().with_seals(&sealer).verify(&lines).unwrap();
    assert_eq!(verified.head(), writer.head());
    assert_eq!(verify(&lines), Ok(verified));
    for at in 0..lines.len() {
        let mut bad = lines.clone();
        bad[at] ^= 1;
        assert!(verify(&bad).is_err(), "byte {at}");
    }
    for other in [
        HmacSealer::new(id("audit-1"), key(2)),
        HmacSealer::new(id("audit-2"), key(1)),
    ] {
        let broken = Verifier::new()
            .with_seals(&other)
            .verify(&lines)
            .unwrap_err();
        assert_eq!((broken.line(), broken.reason()), (1, BadLine::Seal));
        let seal = Seal::of_head(&other, writer.head()).unwrap();
        assert!(!seal.is_of_head(writer.head(), &sealer));
    }
    let rewritten = chain(&[record(OutcomeCode::Denied)]);
    let broken = Verifier::new()
        .with_seals(&sealer)
        .verify(&rewritten)
        .unwrap_err();
    assert_eq!(broken.reason(), BadLine::Unsealed);

    let seal = Seal::of_head(&sealer, writer.head()).unwrap();
    assert!(seal.is_of_head(writer.head(), &sealer));
    assert!(!seal.is_of_head(Head::EMPTY, &sealer));
}

#[test]
fn contents_are_keyed() {
    let key = MacKey::new(&[3; 32]).unwrap();
    let mut writer = LineWriter::after(Head::EMPTY).with_key(key.clone());
    let line = writer.line(&full()).unwrap();
    let text = str::from_utf8(line.as_bytes()).unwrap();
    for content in [&b"message"[..], b"path", b"arguments"] {
        assert!(!text.contains(&Digest::of(content).to_hex()));
    }
    let record = text.split_once("\"record\":").unwrap().1;
    let record = record.rsplit_once(",\"seq\"").unwrap().0;
    let message = Record::from_json(record).unwrap().message().unwrap();
    assert!(message.is_of(b"message", Some(&key)) && !message.is_of(b"message", None));
}

#[test]
fn ends_close_what_was_started() {
    use OutcomeCode::{Abandoned, Cancelled, Completed, Denied, Failed, Started};
    for (code, is_unknown) in [
        (Completed, false),
        (Failed, false),
        (Cancelled, false),
        (Abandoned, false),
        (Denied, true),
    ] {
        let records = [Started, code].map(|code| record(code).with_operation_id(id("op-1")));
        let verified = verify(&chain(&records)).unwrap();
        assert_eq!(!verified.unknown().is_empty(), is_unknown, "{code}");
    }
    // Another thread's, or another operation's, does not; nor does one end close two starts.
    let other = ThreadIdentity::root("alice", "checkout", "run-43").unwrap();
    let start = record(Started).with_operation_id(id("op-1"));
    let foreign = Record::new(Completed, &other, start.at()).with_operation_id(id("op-1"));
    let end = record(Completed).with_operation_id(id("op-2"));
    let verified = verify(&chain(&[start.clone(), foreign, end])).unwrap();
    assert_eq!(verified.unknown().len(), 1);
    let end = record(Completed).with_operation_id(id("op-1"));
    let verified = verify(&chain(&[start.clone(), start, end])).unwrap();
    assert_eq!(verified.unknown().len(), 1);
}

#[test]
fn ag_audit_02() {
    let anchor = Head {
        sequence: 5,
        sha256: Digest::of(b"five"),
    };
    let broken = Verifier::new().with_head(anchor).verify(b"").unwrap_err();
    assert_eq!(broken.reason(), BadLine::TailCut);
    let verified = verify(b"").unwrap();
    assert_eq!(verified.head(), Head::EMPTY);
    assert!(!verified.excludes_a_cut());
}

#[test]
fn ag_audit_05() {
    let text = b"403: bad key sk-MARKER-8f2c";
    let audit = MemoryAudit::new();
    let code = Code::new("forbidden").unwrap();
    let failed = record(OutcomeCode::Failed)
        .with_executor_code(code.clone())
        .with_message(Content::of(text));
    audit.append(&failed, Durability::Written).unwrap();
    let receipts = String::from_utf8(audit.bytes()).unwrap();
    assert!(!receipts.contains("MARKER"));
    let record = &audit.records()[0];
    assert_eq!(record.executor_code(), Some(&code));
    assert_eq!(
        record.message(),
        Some(Content::of_digest(27, Digest::of(text)))
    );
}

#[test]
fn ag_audit_07() {
    let arguments = br#"{"password":"s3cret"}"#;
    let audit = MemoryAudit::new();
    let call = record(OutcomeCode::Completed)
        .with_operation(operations::mcp_tool::Call.into())
        .with_arguments(Content::of(arguments));
    audit.append(&call, Durability::Written).unwrap();
    let receipts = String::from_utf8(audit.bytes()).unwrap();
    assert!(!receipts.contains("password") && !receipts.contains("s3cret"));
    assert!(receipts.contains(r#","size":21}"#));
    assert!(receipts.contains(&Digest::of(arguments).to_hex()));
}

#[test]
fn ag_audit_08() {
    let path = b"MARKER-41ab/notes.md";
    let denied = record(OutcomeCode::Denied)
        .with_reason(DenyReason::TargetNotDeclared)
        .with_path(Content::of(path));
    let json = denied.to_json();
    assert!(!json.contains("MARKER") && !format!("{denied:?}").contains("MARKER"));
    assert!(json.contains(r#""size":20}"#));
}

proptest! {
    #[test]
    fn chunks_do_not_matter(cuts in prop::collection::vec(0..4_000usize, 0..6)) {
        let good = four();
        let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(good.len())).collect();
        cuts.extend([0, good.len()]);
        cuts.sort_unstable();
        let mut verifier = Verifier::new();
        for pair in cuts.windows(2) {
            verifier.push(&good[pair[0]..pair[1]]);
        }
        prop_assert_eq!(verifier.finish(), verify(&good));
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = verify(&bytes);
    }

    #[test]
    fn any_edit_of_a_range_is_found(at in 0..3_000usize, long in 0..80usize, new in "[ -~\n]{0,80}") {
        let good = four();
        let at = at.min(good.len());
        let end = (at + long).min(good.len());
        let edited = [&good[..at], new.as_bytes(), &good[end..]].concat();
        let anchor = verify(&good).unwrap().head();
        if !edited.starts_with(&good) {
            prop_assert!(Verifier::new().with_head(anchor).verify(&edited).is_err());
        }
    }
}
