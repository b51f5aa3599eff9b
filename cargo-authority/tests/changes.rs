//! `lock` and `diff`: changes of authority by what they allow.

mod common;

use common::{Project, declaration};
use serde_json::Value;

const BASE: &str = r#"use authority::authority;
authority! {
    /// What the bot may do.
    pub mod bot {
        filesystem "ws" => read, list;
        filesystem "ws" / "Cargo.toml" delegable => read;
        subprocess "git" ["status"] in "ws" => execute;
        network "https://api.example.com:443" => request.safe;
        github "acme/checkout" => read, comment.write;
        mcp "docs" => start;
        mcp "docs" / "search" => call;
        credential provider "github" = "bot";
        credential mcp "docs" = none;
        tool "search" = mcp "docs" / "search";
        environment "CI", "LOG";
        budget tokens_per_turn = 8_000, cost_per_session_usd = 2.5;
        rate requests_per_minute = 60;
        limit agents = 2;
        child_agent "reviewer" => delegate {
            github "acme/checkout" => read;
            environment "CI";
            child_agent "scribe" => delegate {
                github "acme/checkout" => read;
                budget tokens_per_turn = 100;
            }
        }
    }
}
"#;

/// Each change as `file:line: kind what declaration: text`.
fn changes(json: &Value) -> Vec<String> {
    let rows = json["changes"].as_array().expect("a list").iter();
    rows.map(|row| {
        let text = |key: &str| row[key].as_str().expect("a text");
        assert_eq!(text("file"), "src/lib.rs");
        let declaration = text("declaration").replace("acme::bot", "bot");
        format!(
            "{} {} {} {declaration}: {}",
            row["line"],
            text("kind"),
            text("what"),
            text("text")
        )
    })
    .collect()
}

/// What a change of the text means, against the revision and against the lock alike.
fn changed(from: &str, to: &str) -> Vec<String> {
    assert!(BASE.contains(from), "{from}");
    let project = Project::new(&[("src/lib.rs", BASE)]);
    project.commit();
    project.run(&["lock"]).with(0);
    let lock = project.read("authority.lock.json");
    project.write("src/lib.rs", BASE.replacen(from, to, 1));
    let of_lock = project.run(&["diff", "--format", "json"]);
    std::fs::remove_file(project.path().join("authority.lock.json")).expect("it is there");
    let of_git = project.run(&["diff", "--format", "json"]);
    assert!(!lock.is_empty());
    assert_eq!(of_lock.code, of_git.code);
    let of_git = of_git.json(of_lock.code);
    let found = changes(&of_git);
    // A lock knows the arguments of a process only as digests.
    if !found
        .iter()
        .any(|change| change.contains("narrowed target bot: subprocess"))
    {
        assert_eq!(
            of_lock.json(i32::from(
                found.iter().any(|change| change.contains("widened"))
            )),
            of_git
        );
    }
    found
}

/// A text of the base, what it becomes, and the change that this is.
const CHANGES: &[(&str, &str, &str)] = &[
    (
        "read, list;",
        "read, list, write;",
        r#"5 widened operation bot: filesystem "ws" => write"#,
    ),
    (
        "read, list;",
        "read;",
        r#"5 narrowed operation bot: filesystem "ws" => list"#,
    ),
    (
        "\"git\" [\"status\"]",
        "\"git\" [\"push\"]",
        r#"7 widened target bot: subprocess "git" ["push"] in "ws" => execute"#,
    ),
    (
        "request.safe;",
        "request.safe, request.write;",
        r#"8 widened operation bot: network "https://api.example.com:443" => request.write"#,
    ),
    (
        "read, comment.write",
        "read, comment.write, release.write",
        r#"9 widened operation bot: github "acme/checkout" => release.write"#,
    ),
    (
        "\"github\" = \"bot\"",
        "\"github\" = \"admin\"",
        r#"12 widened binding bot: credential provider "github" = "admin" (was "bot")"#,
    ),
    (
        "\"github\" = \"bot\"",
        "\"github\" = none",
        r#"12 narrowed binding bot: credential provider "github" = none (was "bot")"#,
    ),
    (
        "= mcp \"docs\" / \"search\"",
        "= native",
        r#"14 widened binding bot: tool "search" = native (was mcp "docs" / "search")"#,
    ),
    (
        "\"CI\", \"LOG\";",
        "\"CI\", \"LOG\", \"HOME_ID\";",
        r#"15 widened binding bot: environment "HOME_ID""#,
    ),
    (
        "\"CI\", \"LOG\";",
        "\"CI\";",
        r#"4 narrowed binding bot: environment "LOG""#,
    ),
    (
        "8_000",
        "9_000",
        "16 widened limit bot: budget tokens_per_turn = 9000 (was 8000)",
    ),
    (
        "= 2.5",
        "= 2.500001",
        "16 widened limit bot: budget cost_per_session_usd = 2.500001 (was 2.5)",
    ),
    (
        "rate requests_per_minute = 60;",
        "",
        "4 widened limit bot: rate requests_per_minute = unbounded (was 60)",
    ),
    (
        "agents = 2",
        "agents = 0",
        "18 narrowed limit bot: limit agents = 0 (was 2)",
    ),
    (
        "limit agents",
        "limit depth = 1, agents",
        "18 narrowed limit bot: limit depth = 1 (was unbounded)",
    ),
    (
        "limit agents",
        "execution direct; limit agents",
        "18 widened execution_mode bot: execution direct (was sandboxed)",
    ),
    (
        "=> delegate {\n            github",
        "=> delegate, message {\n            github",
        r#"19 widened operation bot: child_agent "reviewer" => message"#,
    ),
    (
        "            environment \"CI\";\n",
        "",
        r#"19 widened binding bot/reviewer: environment "LOG""#,
    ),
    (
        "tokens_per_turn = 100;",
        "tokens_per_turn = 101;",
        "24 widened limit bot/reviewer/scribe: budget tokens_per_turn = 101 (was 100)",
    ),
    (
        "                budget tokens_per_turn = 100;\n",
        "",
        "22 widened limit bot/reviewer/scribe: budget tokens_per_turn = 8000 (was 100)",
    ),
];

#[test]
fn each_kind_of_change_at_its_entry() {
    for (from, to, found) in CHANGES {
        let all = changed(from, to);
        let all: Vec<_> = all
            .iter()
            .filter(|change| !change.contains("narrowed target bot: subprocess"))
            .collect();
        assert_eq!(all, [*found], "{from} to {to}");
    }
}

#[test]
fn children_that_come_and_go() {
    let project = Project::new(&[("src/lib.rs", BASE)]);
    project.commit();
    let more = "child_agent \"other\" => delegate { filesystem \"ws\" => read; }\n    }\n}\n";
    project.write("src/lib.rs", BASE.replace("    }\n}\n", more));
    assert_eq!(
        changes(&project.run(&["diff", "--format", "json"]).json(1)),
        [r#"27 widened child bot: child_agent "other" => delegate"#]
    );
    project.git(&["commit", "--quiet", "--all", "--message", "more"]);
    project.write("src/lib.rs", BASE);
    assert_eq!(
        changes(&project.run(&["diff", "--format", "json"]).json(0)),
        [r#"4 narrowed child bot: child_agent "other" => delegate"#]
    );
    // Against an older revision nothing changed.
    assert_eq!(
        changes(&project.run(&["diff", "HEAD~1", "--format", "json"]).json(0)),
        [] as [String; 0]
    );
}

/// The line that the whole project exists for: somebody widens one operation of a nested child.
#[test]
fn a_nested_child_is_widened() {
    let project = Project::new(&[("src/lib.rs", BASE)]);
    project.commit();
    let nested = "github \"acme/checkout\" => read;\n                budget";
    let wider = BASE
        .replace(
            nested,
            "github \"acme/checkout\" => read, comment.write;\n                budget",
        )
        .replace(
            "github \"acme/checkout\" => read;\n            environment",
            "github \"acme/checkout\" => read, comment.write;\n            environment",
        );
    project.write("src/lib.rs", wider);
    let ran = project.run(&["diff"]);
    assert_eq!(ran.stderr, "2 widened, 0 narrowed, against HEAD\n");
    assert_eq!(
        ran.with(1),
        "src/lib.rs:20: widened operation in acme::bot/reviewer: github \"acme/checkout\" => comment.write\n\
         src/lib.rs:23: widened operation in acme::bot/reviewer/scribe: github \"acme/checkout\" => comment.write\n"
    );
    let markdown = project.run(&["diff", "--format", "markdown"]).with(1);
    assert!(markdown.contains("| **widened** | operation | `acme::bot/reviewer/scribe` | `github \"acme/checkout\" => comment.write` | `src/lib.rs:23` |"), "{markdown}");
    let sarif = project.run(&["diff", "--format", "sarif"]).json(1);
    let result = &sarif["runs"][0]["results"][1];
    assert_eq!(
        (&result["ruleId"], &result["level"]),
        (&"widened/operation".into(), &"error".into())
    );
    assert_eq!(
        result["locations"][0]["physicalLocation"]["region"]["startLine"],
        23
    );
}

#[test]
fn a_pure_refactoring_is_silent() {
    let project = Project::new(&[("src/lib.rs", BASE)]);
    project.commit();
    project.run(&["lock"]).with(0);
    // Another file and module, other spellings of numbers, another order, other docs.
    let moved = BASE
        .replace("8_000", "8000")
        .replace("read, list;", "list, read,;")
        .replace("/// What the bot may do.", "/// What it may do: nothing new.")
        .replace("        limit agents = 2;\n", "")
        .replace("        environment \"CI\", \"LOG\";\n", "        limit agents = 2;\n        environment \"LOG\";\n        environment \"CI\";\n");
    project.write("src/lib.rs", "pub mod policies;\n");
    project.write("src/policies/mod.rs", "pub mod bots;\n");
    project.write("src/policies/bots.rs", &moved);
    for words in [&["diff"][..], &["diff", "HEAD"]] {
        let ran = project.run(words);
        assert!(
            ran.stderr.starts_with("0 widened, 0 narrowed, against "),
            "{ran:?}"
        );
        assert_eq!(ran.with(0), "");
    }
    assert_eq!(
        project
            .run(&["diff", "HEAD", "--format", "markdown"])
            .with(0),
        "No change of authority against `HEAD`.\n"
    );
}

#[test]
fn declarations_that_come_and_go() {
    let project = Project::new(&[("src/lib.rs", &declaration("one"))]);
    project.commit();
    project.write(
        "src/lib.rs",
        declaration("one")
            + "authority::authority! { mod two { github \"a/b\" => read; environment \"CI\"; } }\n",
    );
    let rows = project.run(&["diff", "--format", "json"]).json(1);
    let texts: Vec<_> = rows["changes"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| &row["text"])
        .collect();
    assert_eq!(texts, ["github \"a/b\" => read", "environment \"CI\""]);
    project.write("src/lib.rs", "");
    let rows = project.run(&["diff", "--format", "json"]).json(0);
    let row = &rows["changes"][0];
    assert_eq!(
        (&row["kind"], &row["file"], &row["line"]),
        (&"narrowed".into(), &"src/lib.rs".into(), &1.into())
    );
}

#[test]
fn the_checkout_is_not_touched() {
    let project = Project::new(&[("src/lib.rs", BASE)]);
    project.commit();
    project.write("src/lib.rs", declaration("bot"));
    project.write("src/new.rs", "");
    project.git(&["add", "src/new.rs"]);
    let index = std::fs::read(project.path().join(".git/index")).expect("the index");
    // Without its numbers the declaration is unbounded, which is a finding.
    project.run(&["diff"]).with(1);
    assert_eq!(
        std::fs::read(project.path().join(".git/index")).expect("the index"),
        index
    );
    assert_eq!(project.read("src/lib.rs"), declaration("bot"));
}

#[test]
fn a_workspace_below_the_top_of_a_repository() {
    let project = Project::new(&[]);
    project.write("Cargo.toml", "");
    project.write(
        "host/Cargo.toml",
        "[package]\nname = \"acme\"\nedition = \"2024\"\n[workspace]\n",
    );
    project.write("host/src/lib.rs", declaration("bot"));
    project.commit();
    project.write(
        "host/src/lib.rs",
        declaration("bot").replace("read", "read, write"),
    );
    let rows = project
        .run(&[
            "diff",
            "--manifest-path",
            "host/Cargo.toml",
            "--format",
            "json",
        ])
        .json(1);
    assert_eq!(
        changes(&rows),
        [r#"1 widened operation bot: filesystem "ws" => write"#]
    );
}

#[test]
fn nothing_is_said_without_certainty() {
    let project = Project::new(&[("src/lib.rs", &declaration("bot"))]);
    assert_eq!(project.run(&["diff", "HEAD"]).code, 2, "no repository");
    project.commit();
    assert_eq!(project.run(&["diff", "no-such-revision"]).code, 2);
    assert_eq!(project.run(&["diff", "--output=x"]).code, 2);
    project.write("authority.lock.json", "{\"version\":2,\"declarations\":{}}");
    assert_eq!(project.run(&["diff"]).code, 2, "another version");
    project.write("authority.lock.json", "{}");
    assert_eq!(project.run(&["lock", "--check"]).code, 2);
    project.write("src/lib.rs", declaration("bot").replace("read", "raed"));
    for words in [&["lock"][..], &["diff", "HEAD"]] {
        let ran = project.run(words);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        assert!(ran.stderr.contains("error[A0302]"));
    }
}

#[test]
fn lock_and_its_check() {
    let project = Project::new(&[("src/lib.rs", BASE)]);
    let ran = project.run(&["lock", "--check"]);
    assert!(ran.with(1).contains("authority.lock.json is missing"));
    project.run(&["lock"]).with(0);
    let lock = project.read("authority.lock.json");
    let json: Value = serde_json::from_str(&lock).expect("JSON");
    let bot = &json["declarations"]["acme::bot"];
    assert_eq!(
        (&json["version"], &bot["file"], &bot["line"]),
        (&1.into(), &"src/lib.rs".into(), &4.into())
    );
    assert_eq!(
        bot["permissions"]["budgets"]["max_cost_per_session_usd"],
        2.5
    );
    assert_eq!(
        bot["children"]["reviewer"]["permissions"]["credentials"],
        Value::Null
    );
    assert_eq!(
        bot["children"]["reviewer"]["children"]["scribe"]["permissions"]["budgets"]["max_tokens_per_turn"],
        100
    );
    assert_eq!(project.run(&["lock", "--check"]).with(0), "");
    // Lines are no part of what is agreed.
    project.write("src/lib.rs", format!("\n\n{BASE}"));
    assert_eq!(project.run(&["lock", "--check"]).with(0), "");
    project.write(
        "src/lib.rs",
        BASE.replace("tokens_per_turn = 100;", "tokens_per_turn = 99;"),
    );
    assert_eq!(
        project.run(&["lock", "--check"]).with(1),
        "src/lib.rs:4: `acme::bot` differs from the lock\n"
    );
    project.write("src/lib.rs", declaration("other"));
    assert_eq!(
        project.run(&["lock", "--check"]).with(1),
        "src/lib.rs:1: `acme::other` is not locked\nauthority.lock.json: `acme::bot` is locked and not declared\n"
    );
}
