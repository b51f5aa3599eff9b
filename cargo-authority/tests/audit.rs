//! Chains of receipts, verified and shown.

mod common;

use authority_core::audit::{Code, Content, Head, HmacSealer, LineWriter, Record};
use authority_core::vocabulary::OutcomeCode;
use authority_core::{MacKey, ThreadIdentity, Timestamp};
use common::Project;
use serde_json::json;

/// Written by another implementation of the chain: `denied`, and `started` for `op-1`.
const TWO_LINES: &str = include_str!("../../authority-core/src/audit/two_lines.jsonl");
const FIRST_HEAD: &str = "1:010872cfcf20cb0a881e14b784bc009e1571f6519c0cf842bb6882b1b8d267b1";
const HEAD: &str = "2:1f920cb78922537f40faa2fe9ce5b87fe8b23e93d43c6af9007828eb0f5a8287";

fn chain(text: impl AsRef<[u8]>) -> Project {
    let project = Project::new(&[]);
    project.write("audit.jsonl", text);
    project
}

fn verify(project: &Project, words: &[&str]) -> common::Ran {
    project.run(&[&["audit", "verify", "audit.jsonl"], words].concat())
}

fn record(code: OutcomeCode) -> Record {
    let thread = ThreadIdentity::root("alice", "checkout", "run-42").unwrap();
    Record::new(
        code,
        &thread,
        Timestamp::parse("2031-03-04T10:30:00Z").unwrap(),
    )
}

#[test]
fn a_good_chain_for_people() {
    let project = chain(TWO_LINES);
    assert_eq!(
        verify(&project, &[]).with(0),
        format!(
            "audit.jsonl: 2 records are good, up to {HEAD}\n\
             no head was given: a cut at the end of a line cannot be excluded, nor that somebody wrote the file anew\n\
             1 operation has a start and no end; nobody knows whether the effect happened:\n  \
             op-1, started in record 2 by run-42, for alice in checkout\n"
        )
    );
    let anchored = verify(&project, &["--head", FIRST_HEAD]).with(0);
    assert!(anchored.contains(&format!(
        "\nnothing was changed or cut off up to {FIRST_HEAD}; behind it, a cut at the end of a line cannot be excluded\n"
    )));
}

#[test]
fn a_good_chain_as_json() {
    let project = chain(TWO_LINES);
    let good = json!({
        "ok": true, "records": 2, "head": HEAD, "anchor": HEAD, "excludes_a_cut": true,
        "bad_line": null,
        "unknown": [{
            "record": 2, "operation_id": "op-1", "owner_id": "alice", "workspace_id": "checkout",
            "root_run_id": "run-42", "thread_id": "run-42", "agent_path": [],
        }],
        "recovered": [], "undecoded": 0, "unchecked_seals": 0,
    });
    let said = verify(&project, &["--head", HEAD, "--format", "json"]).json(0);
    assert_eq!(said, good);
    let said = verify(&project, &["--format", "json"]).json(0);
    assert_eq!(
        (&said["anchor"], &said["excludes_a_cut"]),
        (&json!(null), &json!(false))
    );
}

/// AG-audit-02: an empty file is a cut tail with a head, and not certain without one.
#[test]
fn ag_audit_02() {
    let project = chain("");
    let head = format!("5:{}", "ab".repeat(32));
    let said = verify(&project, &["--head", &head]).with(1);
    assert!(
        said.starts_with("audit.jsonl:1: bad: the chain ends before the head that was given\n")
    );
    assert!(!said.contains("nothing was changed"));
    let said = verify(&project, &["--head", &head, "--format", "json"]).json(1);
    assert_eq!(said["bad_line"], json!({ "line": 1, "reason": "tail_cut" }));
    assert!(
        verify(&project, &[])
            .with(0)
            .contains("a cut at the end of a line cannot be excluded")
    );
}

#[test]
fn every_damage_is_a_finding_at_its_line() {
    let (first, second) = TWO_LINES.split_at(TWO_LINES.find('\n').unwrap() + 1);
    let head = ["--head", HEAD];
    let none: [&str; 0] = [];
    for (text, anchor, line, reason) in [
        (
            TWO_LINES.replace("narrowed", "Narrowed"),
            &none[..],
            1,
            "hash",
        ),
        (TWO_LINES.replace("op-1", "op-2"), &none, 2, "hash"),
        (second.to_owned(), &none, 1, "sequence"),
        (format!("{first}{first}"), &none, 2, "sequence"),
        (TWO_LINES.trim_end().to_owned(), &none, 2, "torn"),
        (format!("{first}no line\n"), &none, 2, "form"),
        (first.to_owned(), &head, 2, "tail_cut"),
    ] {
        let project = chain(&text);
        let said = verify(&project, &[anchor, &["--format", "json"]].concat()).json(1);
        assert_eq!(said["bad_line"], json!({ "line": line, "reason": reason }));
        assert_eq!(
            (&said["ok"], &said["records"]),
            (&json!(false), &json!(line - 1))
        );
        assert_eq!(said["excludes_a_cut"], json!(false));
        let people = verify(&project, anchor).with(1);
        assert!(
            people.starts_with(&format!("audit.jsonl:{line}: bad: ")),
            "{people}"
        );
    }
    let other = format!("2:{}", "ab".repeat(32));
    let said = verify(&chain(TWO_LINES), &["--head", &other]).with(1);
    assert!(said.starts_with("audit.jsonl:2: bad: the head that was given is of another line\n"));
}

#[test]
fn what_cannot_be_read() {
    let project = chain(TWO_LINES);
    for head in ["2", "02:ab", "2:AB", &HEAD[..60]] {
        let ran = verify(&project, &["--head", head]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{head}");
    }
    for command in ["verify", "show"] {
        let ran = project.run(&["audit", command, "none.jsonl"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        assert_eq!(ran.stderr, "error: none.jsonl: entity not found\n");
        assert_eq!(project.run(&["audit", command, "."]).code, 2);
        assert_eq!(project.run(&["audit", command]).code, 2);
    }
    assert_eq!(project.run(&["audit"]).code, 2);
}

#[test]
fn torn_lines_and_seals() {
    let mut writer = LineWriter::after(Head::EMPTY).with_sealer(HmacSealer::new(
        authority_core::Id::parse("key-1").unwrap(),
        MacKey::new(&[1; 32]).unwrap(),
    ));
    let mut text = writer
        .line(&record(OutcomeCode::Asked))
        .unwrap()
        .as_bytes()
        .to_vec();
    text.extend_from_slice(b"{\"hash\":\n");
    text.extend_from_slice(
        writer
            .recovered(Content::of(b"{\"hash\":"))
            .unwrap()
            .as_bytes(),
    );
    let project = chain(text);
    let said = verify(&project, &["--format", "json"]).json(0);
    assert_eq!(
        (&said["records"], &said["unchecked_seals"]),
        (&json!(2), &json!(2))
    );
    assert_eq!(
        (
            &said["recovered"][0]["record"],
            &said["recovered"][0]["size"]
        ),
        (&json!(2), &json!(8))
    );
    let people = verify(&project, &[]).with(0);
    assert!(people.contains("\nbefore record 2, 8 bytes are of a line that was cut short\n"));
    assert!(people.ends_with("\n2 seals were not checked: that takes the key\n"));
    let shown = project.run(&["audit", "show", "audit.jsonl"]).with(0);
    assert!(shown.contains("\n2  recovered  8 bytes of a line that was cut short\n"));
}

#[test]
fn a_record_of_a_later_version() {
    let rest = format!(
        r#""prev":"{}","record":{{"note":"new","version":2}},"seq":1}}"#,
        "0".repeat(64)
    );
    let hashed = format!(r#"{{"domain":"authority/receipt/v1",{rest}"#);
    let hash = authority_core::Digest::of(hashed.as_bytes()).to_hex();
    let project = chain(format!("{{\"hash\":\"{hash}\",{rest}\n"));
    let shown = project.run(&["audit", "show", "audit.jsonl"]).with(0);
    assert!(shown.starts_with("1  of a version that is not decoded here\n"));
    assert!(
        shown.contains(
            "\n1 record is of a version that is not decoded here: verified by the bytes, "
        )
    );
    let said = verify(&project, &["--format", "json"]).json(0);
    assert_eq!(
        (&said["records"], &said["undecoded"]),
        (&json!(1), &json!(1))
    );
}

#[test]
fn a_record_for_people_and_for_programs() {
    const NO_SPACE: Code = Code::new("no_space").unwrap();
    let mut writer = LineWriter::after(Head::EMPTY);
    let failed = record(OutcomeCode::Failed)
        .with_operation(authority_core::operations::github::CommentWrite.into())
        .with_operation_id(authority_core::Id::parse("op-1").unwrap())
        .with_executor_code(NO_SPACE)
        .with_message(Content::of(b"m"));
    let line = writer.line(&failed).unwrap();
    let project = chain(line.as_bytes());
    let shown = project.run(&["audit", "show", "audit.jsonl"]).with(0);
    assert_eq!(
        shown.lines().next(),
        Some(
            "1  2031-03-04T10:30:00Z  failed  github comment.write  by run-42, for alice in checkout  \
             operation op-1  executor says no_space  message of 1 byte"
        )
    );
    assert!(shown.contains("\n\naudit.jsonl: 1 record is good, up to 1:"));
    let shown = project
        .run(&["audit", "show", "audit.jsonl", "--format", "json"])
        .with(0);
    let lines: Vec<serde_json::Value> = shown
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        lines[0]["record"],
        serde_json::from_str::<serde_json::Value>(&failed.to_json()).unwrap()
    );
    assert_eq!(lines[0]["sha256"], line.head().sha256.to_hex());
    assert_eq!(lines[1]["verification"]["records"], 1);
    assert_eq!(lines.len(), 2);
}

/// What is behind a bad line is not shown: nobody knows who wrote it.
#[test]
fn only_good_records_are_shown() {
    let project = chain(TWO_LINES.replace("op-1", "op-2"));
    let shown = project.run(&["audit", "show", "audit.jsonl"]).with(1);
    assert_eq!(
        shown,
        format!(
            "1  2031-03-04T10:30:00Z  denied  by run-42, for alice in checkout  because narrowed\n\n\
             audit.jsonl:2: bad: its hash is not that of its content\n\
             before it: 1 record is good, up to {FIRST_HEAD}\n\
             no head was given: a cut at the end of a line cannot be excluded, nor that somebody wrote the file anew\n"
        )
    );
}
