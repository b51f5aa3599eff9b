//! What the commands print, and how they end.

mod common;

use common::{Project, declaration, findings};

#[test]
fn wrong_usage_and_no_workspace() {
    let project = Project::new(&[("src/lib.rs", "")]);
    let ran = project.run(&["no-command"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert_eq!(project.run(&["list", "--format", "xml"]).code, 2);
    assert_eq!(project.run(&["explain", "A9999"]).code, 2);
    let ran = project.run(&["check", "--manifest-path", "none/Cargo.toml"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.starts_with("error: `cargo metadata` failed: "));
}

#[test]
fn list_as_json() {
    let project = Project::new(&[(
        "src/lib.rs",
        "authority! {\n    mod bot {\n        filesystem \"ws\" => read;\n        \
         child_agent \"c\" => delegate { filesystem \"ws\" => read; }\n    }\n}\n",
    )]);
    let list = project.run(&["list", "--format", "json"]).json(0);
    let row = &list["declarations"][0];
    assert_eq!(
        (&row["name"], &row["file"]),
        (&"acme::bot".into(), &"src/lib.rs".into())
    );
    assert_eq!(
        (&row["line"], &row["entries"], &row["children"]),
        (&2.into(), &2.into(), &1.into())
    );
    // The ceiling of `filesystem "ws" => read` alone, computed by another implementation.
    assert_eq!(
        row["ceiling_sha256"],
        "e86fe1e6bce0b3c69990c87c1b48625d049c429cf4cbaa95ddd27ba9e7e8e387"
    );
}

#[test]
fn an_error_is_shown_at_its_token() {
    let project = Project::new(&[(
        "src/lib.rs",
        "fn root() -> P {\n    authority! {\n        github \"Acme/Checkout\" => read, merge;\n    }\n}\n",
    )]);
    let ran = project.run(&["check"]);
    assert_eq!(ran.stderr, "1 declarations, 2 errors, 0 warnings\n");
    assert_eq!(
        ran.with(1),
        "error[A0204]: `Acme/Checkout` is not the canonical spelling of a GitHub repository
 --> src/lib.rs:3:16
  |
3 |         github \"Acme/Checkout\" => read, merge;
  |                ^^^^^^^^^^^^^^^
  |
  = help: write `acme/checkout`

error[A0302]: unknown operation `merge` of `github`
 --> src/lib.rs:3:41
  |
3 |         github \"Acme/Checkout\" => read, merge;
  |                                         ^^^^^
  |
  = help: write `contents.write`

"
    );
    let json = project.run(&["check", "--format", "json"]).json(1);
    assert_eq!(
        json["diagnostics"][1],
        serde_json::json!({
            "code": "A0302", "severity": "error", "message": "unknown operation `merge` of `github`",
            "help": "write `contents.write`", "file": "src/lib.rs", "line": 3, "column": 41,
        })
    );
}

#[test]
fn an_error_without_a_place_of_its_own_is_at_the_call() {
    let project = Project::new(&[("src/lib.rs", "fn f() -> P {\n    authority! { }\n}\n")]);
    let check = project.run(&["check", "--format", "json"]).json(1);
    assert_eq!(findings(&check), ["A0104 src/lib.rs:2:5"]);
}

/// AG-docs-04: expectations are unit tests of permissions, and are checked without compiling.
#[test]
fn ag_docs_04() {
    let project = Project::new(&[(
        "src/lib.rs",
        "authority! { mod bot {\n filesystem \"ws\" => read;\n expect allow filesystem \"ws\" / \"src/lib.rs\" => write;\n} }",
    )]);
    let check = project.run(&["check", "--format", "json"]).json(1);
    assert_eq!(findings(&check), ["A0504 src/lib.rs:3:49"]);
}

#[test]
fn lints() {
    let entries = r#"authority! { mod bot {
        filesystem "ws" => read;
        filesystem "docs" / "README.md" => read;
        filesystem "docs" / "readme.md" => read;
        filesystem "c:src" => read;
        filesystem "ws" / "a.toml" delegable => read;
        filesystem "ws" / "b.toml" delegable => read;
        filesystem "ws" / "c.toml" delegable => read;
        network "https://10.0.0.7:443" => request.safe;
        integration "tracker" @ "sha256:0000000000000000000000000000000000000000000000000000000000000000" => invoke;
        credential provider "github" = "bot";
        environment "CI";
        child_agent "c" => delegate { filesystem "ws" / "a.toml" => read; }
    } }
    const USED: &str = "b.toml";
    authority! { mod runs {
        filesystem "ws" => read;
        subprocess "npx" ["tool@latest", "src/*.ts", "plain"] in "ws" => execute;
        environment "CI";
        github "acme/checkout" => read;
        credential provider "github" = "bot";
    } }
    macro_rules! hides { ($b:literal) => { authority! { filesystem $b => read; github "a/b" => read; } } }
"#;
    let project = Project::new(&[("src/lib.rs", entries)]);
    let check = project.run(&["check", "--format", "json"]).json(0);
    assert_eq!(
        findings(&check),
        [
            "C0201 src/lib.rs:4:29",
            "C0202 src/lib.rs:5:20",
            "C0206 src/lib.rs:8:9",
            "C0202 src/lib.rs:9:17",
            "C0205 src/lib.rs:10:33",
            "C0203 src/lib.rs:11:29",
            "C0203 src/lib.rs:12:21",
            "C0205 src/lib.rs:18:27",
            "C0204 src/lib.rs:18:42",
            "C0103 src/lib.rs:23:44",
        ]
    );
    for found in check["diagnostics"].as_array().expect("a list") {
        assert_eq!(found["severity"], "warning");
        let code = found["code"].as_str().expect("a code");
        let text = project.run(&["explain", code]).with(0);
        assert!(text.starts_with(&format!("## {code}: ")) && text.contains("What to do"));
    }
}

#[test]
fn explain() {
    let project = Project::new(&[]);
    let text = project.run(&["explain", "a0201"]).with(0);
    assert!(text.starts_with("## A0201: a wildcard\n\n"));
    assert!(text.contains("Wrong:") && text.contains("Right:"));
}

#[test]
fn digest_of_the_vectors() {
    let vectors = |name: &str| -> serde_json::Value {
        let path = format!(
            "{}/../tests/vectors/{name}.json",
            env!("CARGO_MANIFEST_DIR")
        );
        serde_json::from_str(&std::fs::read_to_string(path).expect("the vectors")).expect("JSON")
    };
    let scopes = vectors("scopes");
    let cases = scopes["cases"].as_array().expect("cases");
    let lines: Vec<_> = cases.iter().map(|case| case["scope"].to_string()).collect();
    let input = lines.join(
        "
",
    );
    let project = Project::new(&[]);
    let output = project.run_with(&["digest"], &input).with(0);
    assert_eq!(output.lines().count(), cases.len());
    for (case, line) in cases.iter().zip(output.lines()) {
        let answer: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let expected = serde_json::json!({
            "ok": true, "canonical_json": case["canonical_json"], "scope_sha256": case["scope_sha256"],
        });
        assert_eq!(answer, expected, "{case}");
    }
    let digests = vectors("digests");
    let ceilings = digests["cases"].as_array().expect("cases").iter();
    for case in ceilings.filter(|case| case["of"] == "ceiling") {
        let answer = project
            .run_with(&["digest"], &case["input"].to_string())
            .json(0);
        assert_eq!(answer["ceiling_sha256"], case["sha256"], "{case}");
    }
    let refused = vectors("scopes_refused");
    // A list is no scope, and a line of it is a ceiling.
    let cases = refused["cases"].as_array().expect("cases").iter();
    let cases: Vec<_> = cases.filter(|case| !case["scope"].is_array()).collect();
    let lines: Vec<_> = cases.iter().map(|case| case["scope"].to_string()).collect();
    let input = lines.join(
        "
",
    );
    let output = project.run_with(&["digest"], &input).with(2);
    assert_eq!(output.lines().count(), cases.len());
    assert!(
        output
            .lines()
            .all(|line| line.starts_with(r#"{"ok":false,"pointer":""#))
    );
}

#[test]
fn a_refused_line_does_not_stop_the_others() {
    let project = Project::new(&[(
        "scopes.jsonl",
        "{\"operations\":[\"read\"],\"schema_version\":1,\"target\":{\"kind\":\"github\",\"repository\":\"a/b\"}}\n\
         {\"operations\":[\"read\"],\"schema_version\":1,\"target\":{\"kind\":\"github\",\"repository\":\"A/b\"}}\n[]\n",
    )]);
    let output = project.run(&["digest", "scopes.jsonl"]).with(2);
    let lines: Vec<serde_json::Value> = output
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines[0]["ok"], true);
    assert_eq!(
        (&lines[1]["ok"], &lines[1]["pointer"]),
        (&false.into(), &"/target/repository".into())
    );
    assert_eq!(
        lines[2]["canonical_json"],
        r#"{"schema_version":1,"scopes":[]}"#
    );
    assert_eq!(project.run(&["digest", "none.jsonl"]).code, 2);
}

#[test]
fn manifest() {
    let project = Project::new(&[]);
    let manifest = project.run(&["manifest"]).json(0);
    assert_eq!(
        manifest["child_authority_rule"],
        "same_target_and_subset_operations"
    );
    assert_eq!(
        manifest["resource_kinds"].as_array().expect("a list").len(),
        8
    );
}

#[test]
fn sarif_of_a_check() {
    let project = Project::new(&[
        ("src/lib.rs", "mod r#type;"),
        (
            "src/type.rs",
            &declaration("x").replace("=> read", "=> raed"),
        ),
    ]);
    let log = project.run(&["check", "--format", "sarif"]).json(1);
    let run = &log["runs"][0];
    let result = &run["results"][0];
    assert_eq!(
        (&log["version"], &result["level"]),
        (&"2.1.0".into(), &"error".into())
    );
    let rule = result["ruleIndex"].as_u64().expect("an index");
    let rule = &run["tool"]["driver"]["rules"][usize::try_from(rule).expect("small")];
    assert_eq!(
        (&rule["id"], &result["ruleId"]),
        (&"A0302".into(), &"A0302".into())
    );
    let location = &result["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "src/type.rs");
    assert_eq!(
        location["region"],
        serde_json::json!({"startLine": 1, "startColumn": 56})
    );
}

#[test]
fn completions_and_manual_page() {
    let project = Project::new(&[]);
    for shell in ["bash", "zsh", "fish"] {
        let script = project.run(&["completions", shell]).with(0);
        assert!(
            script.contains("cargo-authority") && script.contains("delegate"),
            "{shell}"
        );
    }
    assert_eq!(project.run(&["completions", "no-shell"]).code, 2);
    let page = project.run(&["man"]).with(0);
    assert!(
        page.contains(".TH ") && page.contains("Exit codes: 0 fine, 1 a finding"),
        "{page}"
    );
}
