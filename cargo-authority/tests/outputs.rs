//! What the commands print as JSON and SARIF is valid by the schemas.

mod common;

use std::collections::BTreeSet;

use authority_core::audit::{Content, Head, LineWriter, Record};
use authority_core::vocabulary::OutcomeCode;
use authority_core::{Id, ThreadIdentity, Timestamp};
use common::Project;
use common::schemas::Schemas;
use jsonschema::Validator;
use serde_json::{Value, json};

/// Entries of every kind, bindings, numbers, and children in children.
const RICH: &str = r#"authority! {
    /// A bot.
    pub mod bot {
        filesystem "ws" => inspect, list, read, write;
        filesystem "ws" / "CHANGELOG.md" delegable => read, write;
        subprocess "git" ["log"] in "ws" => execute;
        network "ssh://[2001:db8::1]:22" => connect;
        github "acme/checkout" => read, issue.write;
        browser "https://docs.rs" => inspect, download;
        mcp "docs" => list;
        mcp "docs" / "search" => call;
        integration "tracker" @ "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" => invoke;
        credential provider "github" = "bot";
        credential mcp "docs" = none;
        tool "search" = mcp "docs" / "search";
        tool "echo" = native;
        environment "CI";
        execution auto;
        budget tokens_per_session = 200_000, cost_per_session_usd = 2.50;
        rate requests_per_minute = 60;
        limit agents = 4;
        /// Reads.
        child_agent "reviewer" => delegate, message {
            github "acme/checkout" => read;
            environment none;
            child_agent "scribe" => delegate {
                github "acme/checkout" => read;
                budget tokens_per_session = 1;
            }
        }
    }
}
"#;

#[test]
fn outputs() {
    let schemas = Schemas::new();
    let project = Project::new(&[("src/lib.rs", RICH)]);
    for name in ["list", "check", "doc"] {
        schemas.check(name, &project.run(&[name, "--format", "json"]).json(0));
    }
    schemas.check("manifest", &project.run(&["manifest"]).json(0));
    project.run(&["lock"]).with(0);
    let lock = serde_json::from_str(&project.read("authority.lock.json")).expect("JSON");
    schemas.check("lock", &lock);
}

#[test]
fn levels_and_lines() {
    let schemas = Schemas::new();
    let project = Project::new(&[("src/lib.rs", RICH)]);
    project.write(
        "1.json",
        r#"{"id":"a","extensions":{"uar.thread_policy":{"version":2,"tools":["echo","none"],
        "credentials":[],"sandbox":{"network_enabled":false,"environment":[]},"max_agents":1}}}"#,
    );
    let delegate = ["delegate", "--root", "src/lib.rs", "--format", "json"];
    let levels = project
        .run(&[&delegate[..], &["--artifact", "1.json"]].concat())
        .json(0);
    assert!(
        levels["levels"][1]["changes"]
            .as_array()
            .is_some_and(|changes| changes.len() > 3)
    );
    schemas.check("delegate", &levels);

    let requests = [
        r#"{"operation":"read","target":{"kind":"github","repository":"acme/checkout"}}"#,
        r#"{"operation":"issue.write","target":{"kind":"github","repository":"acme/checkout"}}"#,
        r#"{"operation":"connect","target":{"kind":"network","url":"ssh://[2001:db8::1]"}}"#,
        r#"{"operation":"read","target":{"kind":"github","repository":"acme/other"}}"#,
        "{}",
    ];
    project.write("requests.jsonl", requests.join("\n"));
    let simulate = [
        "simulate",
        "--root",
        "src/lib.rs",
        "--format",
        "json",
        "--artifact",
        "1.json",
    ];
    let lines = project
        .run(&[&simulate[..], &["--requests", "requests.jsonl"]].concat())
        .with(2);
    assert_eq!(lines.lines().count(), 5);
    let scope = &levels["levels"][0]["permissions"]["scopes"][0];
    let digests = project
        .run_with(&["digest"], &format!("{scope}\n[{scope}]\n{{"))
        .with(2);
    assert_eq!(digests.lines().count(), 3);
    for (name, lines) in [("simulate", lines), ("digest", digests)] {
        for line in lines.lines() {
            schemas.check(name, &serde_json::from_str(line).expect("JSON"));
        }
    }
}

#[test]
fn changes_and_findings() {
    let schemas = Schemas::new();
    let project = Project::new(&[("src/lib.rs", RICH)]);
    project.run(&["lock"]).with(0);
    let edits = [
        ("inspect, download", "inspect, download, upload"),
        ("= 2.50", "= 3"),
        ("environment \"CI\";", ""),
        ("execution auto", "execution direct"),
        ("=> read, issue.write", "=> read"),
        ("mcp \"docs\" = none", "mcp \"docs\" = \"docs\""),
        ("ssh://[2001:db8::1]:22", "ssh://[2001:db8::2]:22"),
        (
            "limit agents = 4;",
            "limit agents = 4; child_agent \"new\" => delegate { filesystem \"ws\" => read; }",
        ),
    ];
    let changed = edits.iter().fold(RICH.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    });
    project.write("src/lib.rs", &changed);
    let diff = project.run(&["diff", "--format", "json"]);
    let diff = diff.json(1);
    let whats: BTreeSet<_> = diff["changes"]
        .as_array()
        .expect("changes")
        .iter()
        .map(|change| change["what"].as_str().expect("a word"))
        .collect();
    assert_eq!(
        whats.into_iter().collect::<Vec<_>>(),
        [
            "binding",
            "child",
            "execution_mode",
            "limit",
            "operation",
            "target"
        ]
    );
    schemas.check("diff", &diff);
    let sarif = sarif();
    let check_sarif = |log: &Value| {
        let errors: Vec<_> = sarif
            .iter_errors(log)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{log}: {errors:?}");
    };
    check_sarif(&project.run(&["diff", "--format", "sarif"]).json(1));
    check_sarif(&project.run(&["check", "--format", "sarif"]).json(0));

    // With errors, and warnings.
    project.write("src/lib.rs", "authority! { mod a { github \"A/b\" => read; filesystem \"c:x\" => raed; } }\nauthority! { mod b { filesystem \"c:x\" => read; } }");
    schemas.check("list", &project.run(&["list", "--format", "json"]).json(2));
    schemas.check(
        "check",
        &project.run(&["check", "--format", "json"]).json(1),
    );
    check_sarif(&project.run(&["check", "--format", "sarif"]).json(1));
    let mut wrong = project.run(&["check", "--format", "sarif"]).json(1);
    wrong["runs"][0]["results"][0]["level"] = json!("fatal");
    assert!(!sarif.is_valid(&wrong));
}

/// The schema of SARIF 2.1.0; see `schemas/README.md`.
fn sarif() -> Validator {
    // The pattern of languages has a bracket too many, and is none.
    let schema = include_str!("schemas/sarif-2.1.0.json");
    let schema = schema.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}$");
    let schema = serde_json::from_str(&schema).expect("JSON");
    jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .expect("a schema")
}

#[test]
fn outputs_of_an_audit() {
    let schemas = Schemas::new();
    let project = Project::new(&[]);
    let thread = ThreadIdentity::root("alice", "checkout", "run-1").expect("an identity");
    let at = Timestamp::parse("2031-03-04T10:30:00Z").expect("a time");
    let id = Id::parse("o-1").expect("an id").into_owned();
    let mut writer = LineWriter::after(Head::EMPTY);
    let started = Record::new(OutcomeCode::Started, &thread, at).with_operation_id(id);
    let mut chain = writer.line(&started).expect("a line").as_bytes().to_vec();
    chain.extend(b"torn\n");
    chain.extend(
        writer
            .recovered(Content::of(b"torn"))
            .expect("a line")
            .as_bytes(),
    );
    project.write("audit.jsonl", &chain);
    let head = writer.head().to_string();
    let verify = ["audit", "verify", "audit.jsonl", "--format", "json"];
    let verification = project
        .run(&[&verify[..], &["--head", &head]].concat())
        .json(0);
    assert_eq!(verification["unknown"].as_array().expect("a list").len(), 1);
    schemas.check("audit-verify", &verification);
    chain.extend(b"{\n");
    project.write("audit.jsonl", &chain);
    schemas.check("audit-verify", &project.run(&verify).json(1));
    let lines = project
        .run(&["audit", "show", "audit.jsonl", "--format", "json"])
        .with(1);
    assert_eq!(lines.lines().count(), 3);
    for line in lines.lines() {
        schemas.check("audit-show", &serde_json::from_str(line).expect("JSON"));
    }
}
