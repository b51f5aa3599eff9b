//! Cases from public reports that concern documents of scopes and requests. Each test is named
//! after its case.

use authority_core::{DecodeRule, Kind, Request, Rule, Scope, operations};

/// A scope document with this target and these operations.
fn scope(target: &str, operations: &str) -> String {
    format!(r#"{{"operations":{operations},"schema_version":1,"target":{target}}}"#)
}

fn scope_refused(target: &str, operations: &str) -> (String, DecodeRule) {
    let json = scope(target, operations);
    let error = Scope::from_json(&json).unwrap_err();
    (error.pointer().to_owned(), error.rule())
}

fn request_refused(json: &str) -> (String, DecodeRule) {
    let error = Request::from_json(json).unwrap_err();
    (error.pointer().to_owned(), error.rule())
}

fn at(pointer: &str, rule: impl Into<DecodeRule>) -> (String, DecodeRule) {
    (pointer.to_owned(), rule.into())
}

#[test]
fn ag_schema_03() {
    let nested = r#"{"kind":"network","endpoint":{"host":"a.example"},"port":443,"protocol":"https","redirect_policy":"deny"}"#;
    assert_eq!(
        scope_refused(nested, r#"["connect"]"#),
        at("/target", DecodeRule::UnknownKey { nearest: None })
    );
}

#[test]
fn ag_schema_09() {
    let json = r#"{"operations":["read"],"schema_version":1,"deny":[],"target":{"kind":"filesystem","recursive":false,"relative_path":"a.txt","root_id":"ws"}}"#;
    let error = Scope::from_json(json).unwrap_err();
    assert_eq!(error.pointer(), "");
    assert_eq!(error.rule(), DecodeRule::UnknownKey { nearest: None });
    assert!(!error.to_string().contains("deny"));
}

#[test]
fn ag_schema_10() {
    let github = r#"{"kind":"github","repository":"acme/widgets"}"#;
    assert_eq!(
        scope_refused(github, r#"[""]"#),
        at("/operations/0", DecodeRule::UnknownWord { nearest: None })
    );
    assert_eq!(
        scope_refused(github, r#"" ""#),
        at("/operations", DecodeRule::Not("a list"))
    );
    let network =
        r#"{"host":"","kind":"network","port":443,"protocol":"https","redirect_policy":"deny"}"#;
    assert_eq!(scope_refused(network, r#"["connect"]"#).0, "/target/host");
}

#[test]
fn ag_schema_11() {
    let call = r#"["call"]"#;
    assert_eq!(
        scope_refused(
            r#"{"kind":"mcp","server_id":"files","tool_name":null}"#,
            call
        ),
        at("/operations/0", DecodeRule::OtherKind(Kind::McpServer))
    );
    assert_eq!(
        scope_refused(r#"{"kind":"mcp","server_id":"files"}"#, call),
        at("/target", DecodeRule::MissingKey("tool_name"))
    );
    assert_eq!(
        scope_refused(r#"{"kind":"mcp","server_id":"files","tool_name":""}"#, call),
        at("/target/tool_name", Rule::Id)
    );
}

#[test]
fn ag_filesystem_06() {
    let json = r#"{"operation":"read","workspace_root":"/","target":{"kind":"filesystem","root_id":"ws","relative_path":"etc/hosts"}}"#;
    assert_eq!(
        request_refused(json),
        at("", DecodeRule::UnknownKey { nearest: None })
    );
    let json = r#"{"operation":"execute","target":{"kind":"subprocess","executable":"sh","argv":[],"cwd":{"root_id":"ws","relative_path":"../.."}}}"#;
    assert_eq!(
        request_refused(json),
        at("/target/cwd/relative_path", Rule::Prefix)
    );
}

#[test]
fn ag_filesystem_11() {
    let target = r#"{"kind":"filesystem","recursive":false,"relative_path":"../shared/config.toml","root_id":"ws"}"#;
    assert_eq!(
        scope_refused(target, r#"["read"]"#),
        at("/target/relative_path", Rule::Prefix)
    );
}

#[test]
fn ag_filesystem_13() {
    let target =
        r#"{"kind":"filesystem","recursive":false,"relative_path":"$HOME/x.txt","root_id":"ws"}"#;
    assert_eq!(
        scope_refused(target, r#"["read"]"#),
        at("/target/relative_path", Rule::Variable)
    );
}

#[test]
fn ag_filesystem_14() {
    let error = Request::filesystem("ws", "notes.txt:payload", operations::filesystem::Write);
    assert!(error.is_err());
}

#[test]
fn ag_filesystem_19() {
    let brackets = Request::filesystem("ws", "notes/[draft].md", operations::filesystem::Read);
    let plain = Request::filesystem("ws", "notes/d.md", operations::filesystem::Read);
    assert_ne!(brackets.unwrap().target(), plain.unwrap().target());
}

#[test]
fn ag_filesystem_20() {
    for word in ["stat", "exists"] {
        let json = format!(
            r#"{{"operation":"{word}","target":{{"kind":"filesystem","root_id":"ws","relative_path":"private.txt"}}}}"#
        );
        let (pointer, rule) = request_refused(&json);
        assert_eq!(pointer, "/operation");
        assert!(matches!(
            rule,
            DecodeRule::UnknownWord { .. } | DecodeRule::OtherKind(_)
        ));
    }
}

#[test]
fn ag_process_02() {
    let json =
        r#"{"target":{"kind":"subprocess","command":"git log ; touch x"},"operation":"execute"}"#;
    assert_eq!(
        request_refused(json),
        at("/target", DecodeRule::UnknownKey { nearest: None })
    );
}

#[test]
fn ag_process_06() {
    let run = |arguments: &[&str]| {
        let operation = operations::subprocess::Execute;
        let request = Request::subprocess("python3", arguments, "ws", ".", operation).unwrap();
        request.target().clone().into_owned()
    };
    assert_ne!(
        run(&["-m", "pytest"]),
        run(&["-m", "pytest", "-c", "import os"])
    );
}

#[test]
fn ag_process_07() {
    let run = |arguments: &[&str]| {
        let operation = operations::subprocess::Execute;
        let request = Request::subprocess("git", arguments, "ws", ".", operation).unwrap();
        request.target().clone().into_owned()
    };
    let declared = run(&["show"]);
    assert_ne!(declared, run(&["show", ">", "id_key"]));
    assert_ne!(declared, run(&["show > id_key"]));
    assert_ne!(run(&["show", ">", "id_key"]), run(&["show > id_key"]));
}

#[test]
fn ag_process_13() {
    let json = r#"{"operation":"execute","target":{"kind":"subprocess","executable":"sh","argv":[],"cwd":{"root_id":"ws","relative_path":"."},"env":{"PATH":"/tmp/tools"}}}"#;
    assert_eq!(
        request_refused(json),
        at("/target", DecodeRule::UnknownKey { nearest: None })
    );
}

#[test]
fn ag_network_02() {
    let target = r#"{"host":"010.0.0.1","kind":"network","port":443,"protocol":"https","redirect_policy":"deny"}"#;
    assert_eq!(
        scope_refused(target, r#"["connect"]"#),
        at("/target/host", Rule::Host)
    );
}

#[cfg(feature = "url")]
#[test]
fn ag_network_12() {
    let json = r#"{"operation":"request.safe","target":{"kind":"network","url":"https://allowed.example@evil.example/"}}"#;
    assert_eq!(request_refused(json).0, "/target/url");
}

#[test]
fn ag_browser_05() {
    assert_eq!(
        scope_refused(r#"{"kind":"browser","origin":"null"}"#, r#"["navigate"]"#),
        at("/target/origin", Rule::Origin)
    );
}

#[test]
fn ag_browser_06() {
    let origin = |origin| Request::browser(origin, None, operations::browser::Navigate).unwrap();
    assert_ne!(
        origin("https://host.example:8443").target(),
        origin("https://host.example:9443").target()
    );
}

#[test]
fn ag_mcp_01() {
    let [joined, split] = [("evil__foo", "x"), ("evil", "foo__x")].map(|(server, tool)| {
        let target = format!(r#"{{"kind":"mcp","server_id":"{server}","tool_name":"{tool}"}}"#);
        Scope::from_json(&scope(&target, r#"["call"]"#))
            .unwrap()
            .sha256()
    });
    assert_ne!(joined, split);
}

#[test]
fn ag_mcp_12() {
    assert_eq!(
        scope_refused(
            r#"{"kind":"mcp","server_id":"files","tool_name":null}"#,
            "[]"
        ),
        at("/operations", DecodeRule::Empty)
    );
}

#[test]
fn ag_mcp_20() {
    let target = r#"{"integration_id":"ci-helper","kind":"integration","revision_sha256":"v45"}"#;
    assert_eq!(
        scope_refused(target, r#"["invoke"]"#),
        at("/target/revision_sha256", Rule::Digest)
    );
}

#[test]
fn ag_github_01() {
    assert_eq!(
        scope_refused(
            r#"{"kind":"github","repository":"Swatinem/Rust-Cache"}"#,
            r#"["read"]"#
        ),
        at("/target/repository", Rule::NotCanonical)
    );
    let declared = r#"{"kind":"github","repository":"swatinem/rust-cache"}"#;
    let declared = scope(declared, r#"["read"]"#);
    let declared = Scope::from_json(&declared).unwrap();
    let request = Request::github("Swatinem/Rust-Cache", operations::github::Read).unwrap();
    assert_eq!(request.target(), declared.target());
    let json =
        r#"{"operation":"read","target":{"kind":"github","repository":"Swatinem/Rust-Cache"}}"#;
    assert_eq!(Request::from_json(json).unwrap(), request);
}
