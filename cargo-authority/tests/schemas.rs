//! `schema`: what is valid by a document's schema is what its decoder takes, as far as a schema can say
//! it.

mod common;

use std::collections::BTreeSet;

use authority_core::audit::{
    self, Code, Content, Head, HmacSealer, LineWriter, Record, TraceContext,
};
use authority_core::operations::github;
use authority_core::vocabulary::{Boundary, OutcomeCode};
use authority_core::{
    Amounts, Artifact, Digest, Grant, Id, MacKey, Request, Restriction, Reviewer, Scope,
    ThreadIdentity, Timestamp,
};
use common::schemas::Schemas;
use serde_json::{Value, json};

const NAMES: [&str; 18] = [
    "scope",
    "request",
    "restrictions",
    "budgets",
    "artifact",
    "grant",
    "receipt",
    "lock",
    "list",
    "check",
    "doc",
    "diff",
    "delegate",
    "simulate",
    "digest",
    "manifest",
    "audit-verify",
    "audit-show",
];

fn vectors(name: &str) -> Vec<Value> {
    let path = format!(
        "{}/../tests/vectors/{name}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(path).expect("the vectors");
    let vectors: Value = serde_json::from_str(&text).expect("JSON");
    vectors["cases"].as_array().expect("cases").clone()
}

#[test]
fn schemas_are_schemas() {
    let schemas = Schemas::new();
    for name in NAMES {
        let schema = schemas.schema(name);
        assert_eq!(
            schema["$schema"],
            "https://json-schema.org/draft/2020-12/schema"
        );
        assert!(jsonschema::meta::is_valid(&schema), "{name}");
        schemas.of(name);
    }
    let help = schemas.project.run(&["schema", "--help"]).with(0);
    for name in NAMES {
        assert!(help.contains(&format!("- {name}:")), "{name}: {help}");
    }
    assert_eq!(schemas.project.run(&["schema", "scopes"]).code, 2);
}

#[test]
fn scopes() {
    let schemas = Schemas::new();
    for case in vectors("scopes") {
        schemas.check("scope", &case["scope"]);
    }
    let mut unsaid = BTreeSet::new();
    for case in vectors("scopes_refused") {
        if schemas.is_valid("scope", &case["scope"]) {
            unsaid.insert(
                case["why"]
                    .as_str()
                    .or(case["note"].as_str())
                    .unwrap_or("?")
                    .to_owned(),
            );
        }
    }
    // What no schema can say, as its `$comment` admits.
    let expected = [
        "443.0",
        "A-label that does not decode",
        "A-label that does not survive the round trip",
        "path: not NFC",
        "port: integer",
        "scope_sha256 does not match",
    ];
    assert_eq!(unsaid.into_iter().collect::<Vec<_>>(), expected);
    for case in vectors("decode_text") {
        let text = case["text"].as_str().expect("a text");
        if let Ok(value) = serde_json::from_str(text)
            && Scope::from_json(text).is_ok()
        {
            schemas.check("scope", &value);
        }
    }
}

#[test]
fn restrictions() {
    let schemas = Schemas::new();
    for case in vectors("intersections") {
        let artifact = &case["artifact"];
        let is_valid = Artifact::from_json(&artifact.to_string()).is_ok();
        assert_eq!(
            schemas.is_valid("artifact", artifact),
            is_valid,
            "{artifact}"
        );
        let extensions = &artifact["extensions"];
        for (extension, name) in [
            ("uar.thread_policy", "restrictions"),
            ("budgets", "budgets"),
        ] {
            let Some(restriction) = extensions.get(extension) else {
                continue;
            };
            let is_valid = match name {
                "budgets" => Restriction::from_budgets_json(&restriction.to_string()).is_ok(),
                _ => Restriction::from_json(&restriction.to_string()).is_ok(),
            };
            assert_eq!(
                schemas.is_valid(name, restriction),
                is_valid,
                "{restriction}"
            );
        }
    }
    let mut unsaid = BTreeSet::new();
    for case in vectors("restrictions_refused") {
        let name = match case["extension"].as_str() {
            Some("budgets") => "budgets",
            _ => "restrictions",
        };
        let text = case["text"].as_str().expect("a text");
        let Ok(value) = serde_json::from_str(text) else {
            continue;
        };
        if schemas.is_valid(name, &value) {
            unsaid.insert(case["why"].as_str().unwrap_or("?").to_owned());
        }
    }
    let expected = [
        "a fraction",
        "duplicate after escape decoding",
        "duplicate key",
        "minus zero",
        "more than six decimals",
    ];
    assert_eq!(unsaid.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn artifacts() {
    let schemas = Schemas::new();
    for text in [
        r#"{"id":"a"}"#,
        r#"{"id":"a","model":null,"extensions":{}}"#,
        r#"{"id":"a","model":{"provider_id":"p","model_id":"m 1/x"}}"#,
        r#"{"id":"a","model":{"provider_id":"p"}}"#,
        r#"{"id":"a b"}"#,
        r#"{"extensions":{}}"#,
        r#"{"id":"a","name":"b"}"#,
        r#"{"id":"a","extensions":null}"#,
        r#"{"id":"a","extensions":{"other.thing":[1],"budget":{}}}"#,
        r#"{"id":"a","extensions":{"uar.other":{}}}"#,
        r#"{"id":"a","extensions":{"UAR_thread.Policy":{}}}"#,
        r#"{"id":"a","extensions":{"Budgets":{}}}"#,
        r#"{"id":"a","extensions":{"uar.thread_policy":{"version":1},"budgets":{"timeout_seconds":0}}}"#,
        r#"{"id":"a","extensions":{"uar.thread_policy":null}}"#,
        r#"{"id":"a","extensions":{"budgets":null}}"#,
    ] {
        let value = serde_json::from_str(text).expect("JSON");
        assert_eq!(
            schemas.is_valid("artifact", &value),
            Artifact::from_json(text).is_ok(),
            "{text}"
        );
    }
}

const DIGEST: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Each with whether it is a request.
#[test]
#[allow(clippy::too_many_lines)] // one kind after the other
fn requests() {
    let schemas = Schemas::new();
    let long = "a".repeat(4_097);
    for (operation, target, beside, is_request) in [
        (
            "read",
            json!({"kind": "filesystem", "root_id": "ws", "relative_path": "src/lib.rs"}),
            json!({}),
            true,
        ),
        (
            "list",
            json!({"kind": "filesystem", "root_id": "ws", "relative_path": "."}),
            json!({}),
            true,
        ),
        (
            "list",
            json!({"kind": "filesystem", "root_id": "ws", "relative_path": ".", "recursive": true}),
            json!({}),
            true,
        ),
        (
            "list",
            json!({"kind": "filesystem", "root_id": "ws", "relative_path": ".", "recursive": false}),
            json!({}),
            false,
        ),
        (
            "read",
            json!({"kind": "filesystem", "root_id": "ws", "relative_path": "a", "recursive": false}),
            json!({}),
            true,
        ),
        (
            "read",
            json!({"kind": "filesystem", "root_id": "ws", "relative_path": "../a"}),
            json!({}),
            false,
        ),
        (
            "read",
            json!({"kind": "filesystem", "root_id": "ws", "relative_path": "a/"}),
            json!({}),
            false,
        ),
        (
            "read",
            json!({"kind": "filesystem", "root_id": "ws", "relative_path": long}),
            json!({}),
            false,
        ),
        (
            "read",
            json!({"kind": "filesystem", "root_id": "ws"}),
            json!({}),
            false,
        ),
        (
            "call",
            json!({"kind": "filesystem", "root_id": "ws", "relative_path": "a"}),
            json!({}),
            false,
        ),
        (
            "read",
            json!({"kind": "filesystem", "root_id": "ws", "relative_path": "a", "url": "x"}),
            json!({}),
            false,
        ),
        (
            "read",
            json!({"kind": "filesystem", "root_id": "ws", "relative_path": "a"}),
            json!({"file": {"kind": "filesystem", "root_id": "ws", "relative_path": "a"}}),
            false,
        ),
        (
            "execute",
            json!({"kind": "subprocess", "executable": "git", "argv": ["log", "*"], "cwd": {"root_id": "ws", "relative_path": "."}}),
            json!({}),
            true,
        ),
        (
            "execute",
            json!({"kind": "subprocess", "executable": "git", "argv": [], "cwd": {"root_id": "ws", "relative_path": "a/b"}}),
            json!({}),
            true,
        ),
        (
            "execute",
            json!({"kind": "subprocess", "executable": "git", "argv_sha256": DIGEST, "cwd_sha256": DIGEST}),
            json!({}),
            true,
        ),
        (
            "execute",
            json!({"kind": "subprocess", "executable": "git", "argv": [], "argv_sha256": DIGEST, "cwd_sha256": DIGEST}),
            json!({}),
            false,
        ),
        (
            "execute",
            json!({"kind": "subprocess", "executable": "git", "argv": []}),
            json!({}),
            false,
        ),
        (
            "execute",
            json!({"kind": "subprocess", "executable": "git", "argv": ["a\u{0}"], "cwd": {"root_id": "ws", "relative_path": "."}}),
            json!({}),
            false,
        ),
        (
            "request.safe",
            json!({"kind": "network", "url": "https://DOCS.rs/a?b=c"}),
            json!({}),
            true,
        ),
        (
            "request.safe",
            json!({"kind": "network", "url": "https://docs.rs", "redirect_policy": "same_origin"}),
            json!({"credential": "docs"}),
            true,
        ),
        (
            "request.safe",
            json!({"kind": "network", "url": "https://docs.rs", "port": 443}),
            json!({}),
            false,
        ),
        (
            "request.safe",
            json!({"kind": "network", "host": "DOCS.rs", "port": 443, "protocol": "https", "redirect_policy": "deny"}),
            json!({}),
            true,
        ),
        (
            "request.safe",
            json!({"kind": "network", "host": "docs.rs", "port": 443, "protocol": "https"}),
            json!({}),
            false,
        ),
        (
            "request.safe",
            json!({"kind": "network", "host": "docs.rs", "port": 0, "protocol": "https", "redirect_policy": "deny"}),
            json!({}),
            false,
        ),
        (
            "request.safe",
            json!({"kind": "network", "host": "docs.rs", "port": "443", "protocol": "https", "redirect_policy": "deny"}),
            json!({}),
            false,
        ),
        (
            "read",
            json!({"kind": "github", "repository": "Rust-Lang/Cargo"}),
            json!({"credential": "github"}),
            true,
        ),
        (
            "read",
            json!({"kind": "github", "repository": "rust-lang/cargo.GIT"}),
            json!({}),
            false,
        ),
        (
            "read",
            json!({"kind": "github", "repository": "rust--lang/cargo"}),
            json!({}),
            false,
        ),
        (
            "read",
            json!({"kind": "github", "repository": "cargo"}),
            json!({"credential": null}),
            false,
        ),
        (
            "inspect",
            json!({"kind": "browser", "origin": "https://Docs.rs:443"}),
            json!({}),
            true,
        ),
        (
            "inspect",
            json!({"kind": "browser", "url": "https://docs.rs/a"}),
            json!({}),
            true,
        ),
        (
            "inspect",
            json!({"kind": "browser", "url": "https://docs.rs/a", "origin": "https://docs.rs"}),
            json!({}),
            false,
        ),
        (
            "download",
            json!({"kind": "browser", "url": "https://docs.rs/a"}),
            json!({}),
            false,
        ),
        (
            "download",
            json!({"kind": "browser", "url": "https://docs.rs/a"}),
            json!({"file": {"kind": "filesystem", "root_id": "ws", "relative_path": "a"}}),
            true,
        ),
        (
            "upload",
            json!({"kind": "browser", "url": "https://docs.rs/a"}),
            json!({"file": {"kind": "github", "repository": "a/b"}}),
            false,
        ),
        (
            "inspect",
            json!({"kind": "browser", "url": "https://docs.rs/a"}),
            json!({"file": {"kind": "filesystem", "root_id": "ws", "relative_path": "a"}}),
            false,
        ),
        (
            "list",
            json!({"kind": "mcp", "server_id": "docs", "tool_name": null}),
            json!({}),
            true,
        ),
        (
            "call",
            json!({"kind": "mcp", "server_id": "docs", "tool_name": null}),
            json!({}),
            false,
        ),
        (
            "call",
            json!({"kind": "mcp", "server_id": "docs", "tool_name": "a/b"}),
            json!({}),
            true,
        ),
        (
            "start",
            json!({"kind": "mcp", "server_id": "docs", "tool_name": "a/b"}),
            json!({}),
            false,
        ),
        (
            "list",
            json!({"kind": "mcp", "server_id": "docs"}),
            json!({}),
            false,
        ),
        (
            "invoke",
            json!({"kind": "integration", "integration_id": "tracker", "revision_sha256": DIGEST}),
            json!({}),
            true,
        ),
        (
            "invoke",
            json!({"kind": "integration", "integration_id": "tracker", "revision_sha256": "latest"}),
            json!({}),
            false,
        ),
        (
            "delegate",
            json!({"kind": "child_agent", "agent_id": "a", "parent_ceiling_sha256": DIGEST}),
            json!({}),
            true,
        ),
        (
            "delegate",
            json!({"kind": "child_agent", "agent_id": "a", "parent_ceiling_sha256": DIGEST, "thread_id": "t"}),
            json!({}),
            false,
        ),
        (
            "cancel",
            json!({"kind": "child_agent", "agent_id": "a", "parent_ceiling_sha256": DIGEST, "thread_id": "t"}),
            json!({}),
            true,
        ),
        (
            "cancel",
            json!({"kind": "child_agent", "agent_id": "a", "parent_ceiling_sha256": DIGEST}),
            json!({}),
            false,
        ),
        ("read", json!({"kind": "disk"}), json!({}), false),
        (
            "read",
            json!({"kind": "github", "repository": "a/b"}),
            json!({"schema_version": 1}),
            false,
        ),
    ] {
        let mut request = beside;
        request["operation"] = json!(operation);
        request["target"] = target;
        assert_eq!(
            Request::from_json(&request.to_string()).is_ok(),
            is_request,
            "{request}"
        );
        assert_eq!(
            schemas.is_valid("request", &request),
            is_request,
            "{request}"
        );
    }
}

#[test]
#[allow(clippy::too_many_lines)] // one grant after the other
fn grants() {
    let schemas = Schemas::new();
    let of = |lifetime: Value, thread: Value| {
        json!({
            "bindings_sha256": DIGEST, "boundary": "enforced_by_harness",
            "created_at": "2031-03-04T10:30:00Z", "expires_at": "2031-03-04T10:35:00.5Z",
            "holder": {
                "agent_path": ["helper"], "declaration_sha256": DIGEST, "owner_id": "alice",
                "permissions_sha256": DIGEST, "root_run_id": thread, "thread_id": thread,
                "workspace_id": "checkout",
            },
            "id": "grant-1", "lifetime": lifetime, "parent_grant_id": null, "policy_source": "host",
            "preview_sha256": DIGEST, "reviewer": {"id": "alice", "kind": "human"},
            "revoked_at": null, "schema_version": 1,
            "scope": {"operations": ["read"], "schema_version": 1,
                "target": {"kind": "github", "repository": "acme/checkout"}},
            "uses": 1,
        })
    };
    let operation = of(
        json!({"kind": "operation", "operation_id": "o-1"}),
        json!("t-1"),
    );
    let persisted = of(
        json!({"kind": "persisted_policy", "policy_id": "weekly"}),
        json!(null),
    );
    let with = |grant: &Value, pointer: &str, value: Value| {
        let mut grant = grant.clone();
        *grant.pointer_mut(pointer).expect("it is there") = value;
        grant
    };
    for (grant, is_grant) in [
        (operation.clone(), true),
        (
            of(
                json!({"kind": "session", "session_id": "s-1"}),
                json!("t-1"),
            ),
            true,
        ),
        (persisted.clone(), true),
        (with(&persisted, "/uses", json!(10)), true),
        (
            with(
                &persisted,
                "/revoked_at",
                json!("2031-03-04T10:31:00+02:00"),
            ),
            true,
        ),
        (with(&persisted, "/parent_grant_id", json!("grant-0")), true),
        (with(&operation, "/uses", json!(2)), false),
        (with(&operation, "/uses", json!(0)), false),
        (with(&operation, "/holder/thread_id", json!(null)), false),
        (with(&persisted, "/holder/root_run_id", json!("r")), false),
        (
            with(
                &operation,
                "/lifetime",
                json!({"kind": "session", "operation_id": "o"}),
            ),
            false,
        ),
        (
            with(&operation, "/lifetime", json!({"kind": "always"})),
            false,
        ),
        (
            with(&operation, "/created_at", json!("2031-03-04 10:30:00Z")),
            false,
        ),
        (
            with(&operation, "/created_at", json!("2031-03-04T10:30:60Z")),
            false,
        ),
        (
            with(&operation, "/created_at", json!("2031-03-04T10:30:00")),
            false,
        ),
        (
            with(&operation, "/created_at", json!("2031-03-04t10:30:00z")),
            false,
        ),
        (
            with(&operation, "/created_at", json!("2031-13-04T10:30:00Z")),
            false,
        ),
        (
            with(&operation, "/created_at", json!("0000-01-04T10:30:00Z")),
            false,
        ),
        (with(&operation, "/reviewer/kind", json!("robot")), false),
        (with(&operation, "/schema_version", json!(2)), false),
        (
            with(&operation, "/scope/operations", json!(["write"])),
            false,
        ),
    ] {
        assert_eq!(
            Grant::from_json(&grant.to_string()).is_ok(),
            is_grant,
            "{grant}"
        );
        assert_eq!(schemas.is_valid("grant", &grant), is_grant, "{grant}");
    }
    let members: Vec<_> = operation.as_object().expect("an object").keys().collect();
    for member in members {
        let mut grant = operation.clone();
        grant.as_object_mut().expect("an object").remove(member);
        assert!(!schemas.is_valid("grant", &grant), "without {member}");
    }
}

#[test]
fn receipts() {
    let schemas = Schemas::new();
    let thread = ThreadIdentity::root("alice", "checkout", "run-1").expect("an identity");
    let at = Timestamp::parse("2031-03-04T10:30:00Z").expect("a time");
    let id = |text| Id::parse(text).expect("an id").into_owned();
    let digest = Digest::of(b"a");
    let whole = |code| {
        Record::new(code, &thread, at)
            .with_operation(github::IssueWrite.into())
            .with_operation_id(id("o-1"))
            .with_scope_sha256(digest)
            .with_permissions_sha256(digest)
            .with_holder_sha256(digest)
            .with_request_sha256(digest)
            .with_preview_sha256(digest)
            .with_grant(id("grant-1"), digest)
            .with_boundary(Boundary::EnforcedByHarness)
            .with_reviewer(Reviewer::human("alice").expect("a reviewer"))
            .with_reserved(Amounts::tool_call())
            .with_used(Amounts::tool_call())
            .with_expires_at(at)
            .with_executor_code(Code::new("no_space").expect("a code"))
            .with_message(Content::of(b"full"))
            .with_path(Content::of(b"/"))
            .with_arguments(Content::of(b"[]"))
            .with_reason(Code::new("expired").expect("a code"))
            .with_trace(TraceContext::new([1; 16], [2; 8]).expect("a context"))
    };
    let key = || MacKey::new(&[1; 32]).expect("a key");
    let mut plain = LineWriter::after(Head::EMPTY);
    let mut keyed = LineWriter::after(Head::EMPTY)
        .with_key(key())
        .with_sealer(HmacSealer::new(id("key-1"), key()));
    let mut lines = Vec::new();
    for code in OutcomeCode::ALL {
        for record in [Record::new(*code, &thread, at), whole(*code)] {
            lines.push(plain.line(&record).expect("a line"));
            lines.push(keyed.line(&record).expect("a line"));
        }
    }
    lines.push(plain.recovered(Content::of(b"torn")).expect("a line"));
    let lines = lines
        .iter()
        .map(|line| serde_json::from_slice::<Value>(line.as_bytes()).expect("JSON"));
    let lines: Vec<_> = lines.collect();
    for line in &lines {
        schemas.check("receipt", line);
    }
    let line = &lines[2];
    for (pointer, value) in [
        ("/seq", json!(0)),
        ("/hash", json!("")),
        ("/record/version", json!(2)),
        ("/record/code", json!("done")),
        ("/record/kind", json!("filesystem")),
        ("/record/operation", json!("merge")),
        ("/record/reasons", json!([])),
        ("/record/reasons/0", json!("No such file: /etc/shadow")),
        ("/record/trace/span_id", json!("0000000000000000")),
        ("/record/thread/owner_id", json!("a b")),
        ("/record/message/size", json!(-1)),
        ("/record/used/tokens", json!(1.5)),
    ] {
        let mut line = line.clone();
        *line.pointer_mut(pointer).expect(pointer) = value;
        assert!(!schemas.is_valid("receipt", &line), "{pointer}");
        assert!(
            audit::Entry::from_json(&line["record"].to_string()).is_err()
                || !pointer.starts_with("/record"),
            "{pointer}"
        );
    }
}
