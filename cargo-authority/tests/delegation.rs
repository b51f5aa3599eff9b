//! `delegate`: what artifacts lead to.

mod common;

use std::fmt::Write as _;

use common::Project;
use serde_json::Value;

/// A root of the vectors as a declaration; `None` where it holds digests of arguments only.
#[allow(clippy::too_many_lines)] // One form after the other.
fn declaration(root: &Value) -> Option<String> {
    let mut text = String::new();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let str = |value: &Value| value.as_str().expect("a text").to_owned();
    let scopes = list(&root["scopes"]);
    for scope in &scopes {
        let target = &scope["target"];
        let shown = match target["kind"].as_str()? {
            "filesystem" if target["recursive"] == true => {
                format!("filesystem {}", target["root_id"])
            }
            "filesystem" => format!(
                "filesystem {} / {}",
                target["root_id"], target["relative_path"]
            ),
            "network" => format!(
                "network \"{}://{}:{}\" redirect {}",
                str(&target["protocol"]),
                str(&target["host"]),
                target["port"],
                str(&target["redirect_policy"])
            ),
            "github" => format!("github {}", target["repository"]),
            "browser" => format!("browser {}", target["origin"]),
            "mcp" if target["tool_name"].is_null() => format!("mcp {}", target["server_id"]),
            "mcp" => format!("mcp {} / {}", target["server_id"], target["tool_name"]),
            "integration" => format!(
                "integration {} @ \"sha256:{}\"",
                target["integration_id"],
                str(&target["revision_sha256"])
            ),
            _ => return None,
        };
        let operations: Vec<_> = list(&scope["operations"]).iter().map(str).collect();
        let whole = scopes.iter().find(|other| {
            other["target"]["root_id"] == target["root_id"] && other["target"]["recursive"] == true
        });
        let is_path = target["recursive"] == false;
        let is_covered = is_path
            && whole.is_some_and(|whole| {
                operations.iter().all(|operation| {
                    list(&whole["operations"]).contains(&operation.as_str().into())
                })
            });
        let word = if is_covered { " delegable" } else { "" };
        let _ = writeln!(text, "{shown}{word} => {};", operations.join(", "));
    }
    for grant in list(&root["credentials"]) {
        let word = if grant["target"]["kind"] == "provider" {
            "provider"
        } else {
            "mcp"
        };
        let binding = if grant["binding_id"].is_null() {
            "none".to_owned()
        } else {
            grant["binding_id"].to_string()
        };
        let _ = writeln!(
            text,
            "credential {word} {} = {binding};",
            grant["target"]["id"]
        );
    }
    for (id, tool) in root["tools"].as_object()? {
        let binding = if tool == "native" {
            "native".to_owned()
        } else {
            format!("mcp {} / {}", tool["server_id"], tool["tool_name"])
        };
        let _ = writeln!(text, "tool \"{id}\" = {binding};");
    }
    for id in list(&root["sandbox"]["environment"]) {
        let _ = writeln!(text, "environment {id};");
    }
    let _ = writeln!(
        text,
        "execution {};",
        str(&root["sandbox"]["execution_mode"])
    );
    let mut numbers = |group: &str, value: &Value, names: &[&str]| {
        for name in names.iter().filter(|name| !value[**name].is_null()) {
            let short = name.strip_prefix("max_").unwrap_or(name);
            let number = &value[*name];
            // Money has six decimals, and never an exponent.
            let number = match number.as_u64() {
                Some(whole) => whole.to_string(),
                None => format!("{:.6}", number.as_f64().expect("a number")),
            };
            let _ = writeln!(text, "{group} {short} = {number};");
        }
    };
    numbers(
        "budget",
        &root["budgets"],
        &[
            "max_tokens_per_turn",
            "max_tokens_per_session",
            "max_tool_calls_per_turn",
            "max_cost_per_session_usd",
            "timeout_seconds",
        ],
    );
    numbers(
        "rate",
        &root["budgets"]["rate_limit"],
        &["requests_per_minute", "tokens_per_minute"],
    );
    numbers(
        "limit",
        root,
        &[
            "max_active_skills",
            "max_concurrent_tools",
            "max_agents",
            "max_depth",
        ],
    );
    Some(format!("authority! {{ mod root {{\n{text}}} }}\n"))
}

#[test]
fn the_permissions_of_the_vectors() {
    let path = format!(
        "{}/../tests/vectors/intersections.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let vectors: Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("vectors")).expect("JSON");
    let project = Project::new(&[]);
    let mut tried = 0;
    for case in vectors["cases"].as_array().expect("cases") {
        let Some(text) = declaration(&case["root"]) else {
            continue;
        };
        project.write("root.rs", text);
        project.write("artifact.json", case["artifact"].to_string());
        let ran = project.run(&[
            "delegate",
            "--root",
            "root.rs",
            "--artifact",
            "artifact.json",
            "--format",
            "json",
        ]);
        if ran.stderr.contains("error[A0104]") {
            // The DSL declares no root without a target.
            continue;
        }
        tried += 1;
        if case["child"].is_null() {
            assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{case}");
            continue;
        }
        let levels = ran.json(0);
        assert_eq!(
            levels["levels"][0]["permissions"], case["root"],
            "{}",
            case["id"]
        );
        assert_eq!(
            levels["levels"][1]["permissions"], case["child"],
            "{}",
            case["id"]
        );
    }
    assert!(tried >= 30, "{tried}");
}

const ROOT: &str = "authority! { mod bot {
    filesystem \"ws\" => read, write;
    github \"acme/checkout\" => read, comment.write;
    credential provider \"github\" = \"bot\";
    tool \"echo\" = native;
    environment \"CI\", \"LOG\";
    budget tokens_per_turn = 100;
    limit agents = 2;
} }\n";

#[test]
fn what_became_of_each_part() {
    let artifact = r#"{"id":"reader","model":null,"extensions":{"uar.thread_policy":{"version":2,
        "scopes":[{"operations":["read"],"schema_version":1,"target":{"kind":"github","repository":"acme/checkout"}},
                  {"operations":["read"],"schema_version":1,"target":{"kind":"github","repository":"acme/other"}}],
        "sandbox":{"environment":["LOG"]},"budgets":{"max_tokens_per_turn":10}}}}"#;
    let project = Project::new(&[
        ("src/lib.rs", ROOT),
        ("a.json", artifact),
        ("b.json", r#"{"id":"again","model":null,"extensions":{}}"#),
    ]);
    let words = [
        "delegate",
        "--root",
        "acme::bot",
        "--artifact",
        "a.json",
        "--artifact",
        "b.json",
    ];
    let levels = project
        .run(&[&words[..], &["--format", "json"]].concat())
        .json(0);
    let changes = |level: usize| -> Vec<String> {
        let changes = levels["levels"][level]["changes"]
            .as_array()
            .expect("a list")
            .iter();
        changes
            .map(|change| {
                format!(
                    "{} {} {}",
                    change["pointer"].as_str().unwrap(),
                    change["outcome"].as_str().unwrap(),
                    change["by"].as_str().unwrap()
                )
            })
            .collect()
    };
    assert_eq!(changes(0), [] as [String; 0]);
    assert_eq!(
        changes(1),
        [
            "/scopes/0 dropped restriction",
            "/scopes/1 narrowed restriction",
            "/credentials/0 inherited parent",
            "/tools/echo inherited parent",
            "/sandbox/environment/0 dropped restriction",
            "/sandbox/environment/1 inherited parent",
            "/budgets/max_tokens_per_turn narrowed restriction",
            "/scopes/1 not_held parent",
        ]
    );
    assert!(
        changes(2)
            .iter()
            .all(|change| change.ends_with("inherited parent"))
    );
    let digests: Vec<_> = (0..3)
        .map(|level| {
            levels["levels"][level]["snapshot_sha256"]
                .as_str()
                .expect("a digest")
        })
        .collect();
    assert!(
        digests.iter().all(|digest| digest.len() == 64)
            && digests[0] != digests[1]
            && digests[1] != digests[2]
    );
    let text = project.run(&words).with(0);
    assert!(
        text.starts_with("level 0, acme::bot: 2 scopes\nlevel 1, a.json: "),
        "{text}"
    );
    assert!(
        text.contains("not_held github \"acme/other\" => read"),
        "{text}"
    );
}

#[test]
fn names_of_roots() {
    let project = Project::new(&[
        ("src/lib.rs", ROOT),
        (
            "src/main.rs",
            &ROOT.replace("mod bot", "mod a { github \"a/b\" => read; } mod b"),
        ),
    ]);
    let code = |root: &str| project.run(&["delegate", "--root", root]).code;
    for root in [
        "acme::bot",
        "src/lib.rs",
        "src/lib.rs::bot",
        "./src/main.rs::b",
    ] {
        assert_eq!(code(root), 0, "{root}");
    }
    for root in ["acme::no", "src/lib.rs::no", "src/none.rs", "src/main.rs"] {
        assert_eq!(code(root), 2, "{root}");
    }
    let ran = project.run(&["delegate", "--root", "acme::no"]);
    assert!(
        ran.stderr
            .contains("no declaration `acme::no`: there is `acme::bot`"),
        "{}",
        ran.stderr
    );
    project.write(
        "bad.json",
        "{\"id\":\"x\",\"extensions\":{\"uar.thread_policy\":{\"version\":3}}}",
    );
    let ran = project.run(&["delegate", "--root", "src/lib.rs", "--artifact", "bad.json"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(
        ran.stderr
            .contains("bad.json: /extensions/uar.thread_policy/version"),
        "{}",
        ran.stderr
    );
}
