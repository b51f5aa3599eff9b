//! `simulate`: one decision a line, and nothing else.

mod common;

use std::num::NonZeroU32;
use std::time::Duration;

use authority_core::operations::github;
use authority_core::vocabulary::Boundary;
use authority_core::{
    ApprovalPolicy, Effect, GithubPart, GithubResource, Grant, Holder, Id, Lifetime, NewGrant,
    Preview, Request, Reviewer, ThreadIdentity, ThreadPermissions, ThreadPolicy, Timestamp,
};
use common::Project;
use serde_json::{Value, json};

const DECLARATION: &str = "authority! { mod bot {
    filesystem \"ws\" => inspect, list, read, write;
    github \"acme/checkout\" => read, issue.write;
    network \"https://docs.rs:443\" => request.safe;
    browser \"https://docs.rs\" => download, inspect;
} }";

const READ: &str =
    r#"{"operation":"read","target":{"kind":"github","repository":"Acme/Checkout"}}"#;
const WRITE: &str =
    r#"{"operation":"issue.write","target":{"kind":"github","repository":"acme/checkout"}}"#;

fn project(requests: &str) -> Project {
    Project::new(&[("src/lib.rs", DECLARATION), ("requests.jsonl", requests)])
}

/// Runs it with these words behind the usual ones.
fn simulate(project: &Project, words: &[&str], code: i32) -> Vec<Value> {
    let mut all = vec!["simulate", "--root", "src/lib.rs", "--format", "json"];
    all.extend(["--requests", "requests.jsonl"]);
    all.extend(words);
    let lines = project.run(&all).with(code);
    let lines = lines.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// Decision, reason, entry and level of each line.
fn short(lines: &[Value]) -> Vec<String> {
    let word = |line: &Value, key: &str| line[key].as_str().expect("a word").to_owned();
    let short = |line: &Value| {
        let words = (word(line, "decision"), word(line, "reason"));
        format!(
            "{} {} {} {}",
            words.0, words.1, line["entry"], line["level"]
        )
    };
    lines.iter().map(short).collect()
}

/// AG-ux-05: a line for each request, with decision, reason, entry, level and digest.
#[test]
fn ag_ux_05() {
    let other = READ.replace("Acme/Checkout", "acme/other");
    let merge = WRITE.replace("issue.write", "contents.write");
    let url = r#"{"operation":"request.safe","target":{"kind":"network","url":"https://DOCS.rs/serde?q=1"}}"#;
    let requests = [READ, WRITE, &other, &merge, url];
    let project = project(&requests.join("\n"));
    let before = project.path();
    let files = || std::fs::read_dir(&before).expect("the project").count();
    let count = files();
    let lines = simulate(&project, &[], 0);
    assert_eq!(
        short(&lines),
        [
            "allow ask_on_writes 1 null",
            "ask ask_on_writes 1 null",
            "deny target_not_declared null null",
            "deny operation_not_granted null null",
            "ask ask_on_writes 2 null",
        ]
    );
    // `{"operations":["read"],…,"repository":"acme/checkout"}`, as `digest` has it.
    let scope = json!({"operations": ["read"], "schema_version": 1,
        "target": {"kind": "github", "repository": "acme/checkout"}});
    let digest = project.run_with(&["digest"], &scope.to_string()).json(0);
    assert_eq!(lines[0]["scope_sha256"], digest["scope_sha256"]);
    assert_eq!(lines[0].as_object().expect("an object").len(), 5);
    assert_eq!(files(), count);

    project.write(
        "requests.jsonl",
        format!("{READ}\n{{\"operation\":\"merge\"}}\n{WRITE}\n"),
    );
    let ran = project.run(&[
        "simulate",
        "--root",
        "src/lib.rs",
        "--requests",
        "requests.jsonl",
    ]);
    assert_eq!(
        ran.stderr,
        "error: requests.jsonl:2: the document: the key `target` is missing\n"
    );
    assert_eq!(
        ran.with(2),
        "1: allow, ask_on_writes
  by github \"acme/checkout\" => read, issue.write (src/lib.rs:3)
2: deny, undecodable
3: ask, ask_on_writes
  by github \"acme/checkout\" => read, issue.write (src/lib.rs:3)
"
    );
}

#[test]
fn presets_decide() {
    let project = project(&format!("{READ}\n{WRITE}"));
    for (preset, expected) in [
        ("always_ask", ["ask", "ask"]),
        ("ask_on_writes", ["allow", "ask"]),
        ("allow_reviewed", ["ask", "ask"]),
    ] {
        let lines = simulate(&project, &["--preset", preset], 0);
        let expected = expected.map(|decision| format!("{decision} {preset} 1 null"));
        assert_eq!(short(&lines), expected);
    }
    let words = [
        "simulate",
        "--root",
        "src/lib.rs",
        "--requests",
        "requests.jsonl",
    ];
    let words = [&words[..], &["--preset", "never_ask"]].concat();
    assert_eq!(project.run(&words).code, 2);
}

#[test]
fn a_level_of_the_chain_took_it() {
    let download = json!({"operation": "download", "target": {"kind": "browser", "url": "https://docs.rs/a"},
        "file": {"kind": "filesystem", "root_id": "ws", "relative_path": "a.pdf"}});
    let project = project(&format!("{READ}\n{WRITE}\n{download}\n"));
    let artifact = |policy: Value| {
        json!({"id": "helper", "extensions": {"uar.thread_policy": policy}}).to_string()
    };
    project.write(
        "1.json",
        artifact(json!({"version": 1, "sandbox": {"filesystem": {"ws": {"read": true, "write": false}}}})),
    );
    let scope = json!({"operations": ["read"], "schema_version": 1,
        "target": {"kind": "github", "repository": "acme/checkout"}});
    let browser = json!({"operations": ["download"], "schema_version": 1,
        "target": {"kind": "browser", "origin": "https://docs.rs"}});
    project.write(
        "2.json",
        artifact(json!({"version": 2, "scopes": [scope, browser]})),
    );
    let words = ["--artifact", "1.json", "--artifact", "2.json"];
    assert_eq!(
        short(&simulate(&project, &words, 0)),
        [
            "allow ask_on_writes 1 null",
            "deny narrowed null 2",
            // The page may be downloaded from; the file may not be written.
            "deny narrowed null 1",
        ]
    );
    project.write("2.json", "{}");
    let words = [
        "simulate",
        "--root",
        "src/lib.rs",
        "--requests",
        "requests.jsonl",
        "--artifact",
        "2.json",
    ];
    let ran = project.run(&words);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
}

#[test]
fn lines_of_bad_bytes_are_denied() {
    let project = project("");
    let mut bytes = READ.as_bytes().to_vec();
    bytes.extend(b"\r\n\xff\xfe\n\n");
    bytes.extend("[".repeat(100_000).bytes());
    project.write("requests.jsonl", bytes);
    let lines = simulate(&project, &[], 2);
    let denied = "deny undecodable null null";
    let expected = ["allow ask_on_writes 1 null", denied, denied, denied];
    assert_eq!(short(&lines), expected);
    for missing in ["none.jsonl", "src"] {
        let words = ["simulate", "--root", "src/lib.rs", "--requests", missing];
        let ran = project.run(&words);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
        assert!(
            ran.stderr.starts_with(&format!("error: {missing}: ")),
            "{ran:?}"
        );
    }
}

/// A grant of the declaration's root to write an issue, kept across runs.
fn grant(id: &str, owner: &str, created_at: &str) -> Grant {
    let permissions = ThreadPermissions::builder()
        .github("acme/checkout", [github::Read, github::IssueWrite])
        .build()
        .expect("permissions");
    let identity = ThreadIdentity::root(owner, "checkout", "run-1").expect("an identity");
    let (_handle, root) = ThreadPolicy::for_root(identity, &permissions);
    let request = Request::github("acme/checkout", github::IssueWrite).expect("a request");
    let issue = GithubResource {
        repository_id: None,
        part: GithubPart::Number(7),
    };
    let effect = Effect::github_write(issue, "done");
    let preview = Preview::new(&root, &request, &effect, Boundary::EnforcedByHarness);
    let reviewer = Reviewer::human("alice").expect("a reviewer");
    let created_at = Timestamp::parse(created_at).expect("a time");
    let new = NewGrant {
        id: Id::parse(id).expect("an id").into_owned(),
        lifetime: Lifetime::PersistedPolicy {
            policy_id: Id::parse("weekly").expect("an id").into_owned(),
        },
        created_at,
        expires_at: created_at.after(Duration::from_hours(24)).expect("a time"),
        uses: NonZeroU32::MIN,
    };
    let policy = ApprovalPolicy::always_ask(reviewer.clone());
    let preview = preview.expect("a preview");
    Grant::new(new, &Holder::of(&root), &preview, reviewer, &policy).expect("a grant")
}

/// A grant is of one effect, which a request does not say.
#[test]
fn grants_hold_for_a_preview() {
    let project = project(&format!("{READ}\n{WRITE}"));
    project.write(
        "src/lib.rs",
        "authority! { mod bot { github \"acme/checkout\" => read, issue.write; } }",
    );
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.expect("after 1970").as_nanos();
    let now = Timestamp::from_unix_nanoseconds(now.try_into().expect("small")).expect("a time");
    let now = now.to_string();
    let revoked_at = Timestamp::parse(&now).expect("a time");
    let valid = grant("grant-1", "alice", &now);
    let old = grant("grant-2", "alice", "2020-01-01T00:00:00Z");
    let revoked = grant("grant-3", "alice", &now).revoked(revoked_at);
    let ahead = grant("grant-4", "alice", "9000-01-01T00:00:00Z");
    for (grants, reason) in [
        (vec![], "ask_on_writes"),
        (vec![&old, &valid, &revoked], "preview_unknown"),
        (vec![&old], "expired"),
        (vec![&old, &revoked], "revoked"),
        (vec![&ahead], "clock_before_creation"),
    ] {
        let lines: Vec<_> = grants.iter().map(|grant| grant.to_json()).collect();
        project.write("grants.jsonl", lines.join("\n"));
        let lines = simulate(&project, &["--grants", "grants.jsonl"], 0);
        let expected = [
            "allow ask_on_writes 0 null".to_owned(),
            format!("ask {reason} 0 null"),
        ];
        assert_eq!(short(&lines), expected);
    }
    let other = grant("grant-5", "bob", &now);
    for (lines, message) in [
        (
            format!("{}\n{}", valid.to_json(), other.to_json()),
            "error: grants.jsonl:2: a grant of another owner or workspace than the others\n",
        ),
        (
            format!("{0}\n{0}", valid.to_json()),
            "error: grants.jsonl:2: a grant with an id that is there already\n",
        ),
        ("{".to_owned(), "error: grants.jsonl:1: the document: "),
    ] {
        project.write("grants.jsonl", lines);
        let words = [
            "simulate",
            "--root",
            "src/lib.rs",
            "--requests",
            "requests.jsonl",
        ];
        let ran = project.run(&[&words[..], &["--grants", "grants.jsonl"]].concat());
        assert!(ran.stderr.starts_with(message), "{ran:?}");
        assert_eq!(ran.with(2), "");
    }
}
