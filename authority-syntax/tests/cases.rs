//! Failures that users of other permission systems reported, one test each, named after its case:
//! those that declare something. The ones that decode a document are in `authority-core`.

mod common;

use authority_core::operations::{
    browser, filesystem, github, integration, mcp_tool, network, subprocess,
};
use authority_core::vocabulary::{DenyReason, RedirectPolicy};
use authority_core::{Decision, Digest, Request, ThreadPermissions};
use authority_core::{Id, target::RelativePath};
use authority_syntax::Code;
use common::{bodies, messages, parsed};

fn codes(source: &str) -> Vec<Code> {
    let parsed = parsed(source);
    let bodies = bodies(&parsed.form);
    bodies
        .iter()
        .flat_map(|body| authority_syntax::check(body).diagnostics)
        .map(|diagnostic| diagnostic.code)
        .collect()
}

fn root(source: &str) -> ThreadPermissions {
    let parsed = parsed(source);
    let checked = authority_syntax::check(bodies(&parsed.form)[0]);
    checked
        .permissions
        .unwrap_or_else(|| panic!("{:?}", checked.diagnostics))
}

fn only_message(source: &str) -> String {
    let messages = messages(source);
    assert_eq!(messages.len(), 1, "{messages:?}");
    messages.into_iter().next().unwrap_or_default()
}

fn reason(root: &ThreadPermissions, request: &Request<'_>) -> Option<DenyReason> {
    root.decide(request).reason()
}

#[test]
fn ag_dsl_01() {
    let source = "filesystem \"ws\" / \"src/\u{430}pp.rs\" => read;";
    assert_eq!(codes(source), [Code::A0214]);
    assert!(only_message(source).contains("U+0430"));
    assert_eq!(codes("filesystem \"ws\" / \"план.md\" => read;"), []);
    assert_eq!(
        codes(r#"filesystem "ws" / "src/\u{430}pp.rs" => read;"#),
        [Code::A0105]
    );
}

#[test]
fn ag_dsl_02() {
    let source = "filesystem \"ws\" / \"docs/\u{202e}dm.rs\" => write;";
    assert_eq!(codes(source), [Code::A0203]);
    let message = only_message(source);
    assert!(
        message.contains("bidirectional control character U+202E"),
        "{message}"
    );
}

#[test]
fn ag_dsl_03() {
    let source = "mcp \"fi\u{200b}les\" / \"read\" => call; credential mcp \"files\" = none;";
    assert_eq!(codes(source), [Code::A0203]);
    assert!(only_message(source).contains("invisible character U+200B"));
}

#[test]
fn ag_dsl_04() {
    assert_eq!(codes("filesystem \"ws\" / \"caf\u{e9}.md\" => read;"), []);
    let source = "filesystem \"ws\" / \"cafe\u{301}.md\" => read;";
    assert_eq!(codes(source), [Code::A0204]);
    assert!(only_message(source).contains("help: write `caf\u{e9}.md`"));
    let request = Request::filesystem("ws", "cafe\u{301}.md", filesystem::Read);
    assert!(request.is_err());
    let error = RelativePath::parse("cafe\u{301}.md").unwrap_err();
    assert_eq!(error.suggestion(), Some("caf\u{e9}.md"));
}

#[test]
fn ag_dsl_05() {
    let source = "mcp \"files\" / \"*admin*\" => call; credential mcp \"files\" = none;";
    assert_eq!(codes(source), [Code::A0201]);
}

#[test]
fn ag_dsl_07() {
    let source = "filesystem \"ws\" => list; deny filesystem \"ws\" / \"etc/passwd\" => read;";
    assert_eq!(codes(source), [Code::A0106]);
    assert!(only_message(source).contains("what is not declared is denied"));
}

#[test]
fn ag_dsl_08() {
    let one = root("filesystem \"ws\" => read, list; github \"a/b\" => read;");
    let other = root("github \"a/b\" => read; filesystem \"ws\" => list, read;");
    assert_eq!(one.ceiling_sha256(), other.ceiling_sha256());
    assert_eq!(one.declaration_sha256(), other.declaration_sha256());
}

#[test]
fn ag_dsl_10() {
    let twice =
        "filesystem \"ws\" => read;\nbudget tokens_per_turn = 1;\nbudget tokens_per_turn = 2;";
    assert_eq!(codes(twice), [Code::A0406]);
    let message = only_message(twice);
    assert!(
        message.starts_with("tokens_per_turn:") && message.contains("first given on line 2"),
        "{message}"
    );
    assert_eq!(
        codes("filesystem \"ws\" => read; budget tokens_per_turn = 1; budget timeout_seconds = 2;"),
        []
    );
}

#[test]
fn ag_dsl_14() {
    let with = root(
        "/// Changes go through the release repository.\nfilesystem \"ws\" / \"infra/prod.tf\" => read;",
    );
    let without = root("filesystem \"ws\" / \"infra/prod.tf\" => read;");
    let scope = with.scopes().next().expect("a scope");
    assert_eq!(
        scope.origin().doc,
        "Changes go through the release repository."
    );
    assert!(
        authority_syntax::docs::root(with.declaration())
            .contains("Changes go through the release repository.")
    );
    assert_eq!(with.declaration_sha256(), without.declaration_sha256());
    let write = Request::filesystem("ws", "infra/prod.tf", filesystem::Write).expect("a request");
    assert_eq!(reason(&with, &write), Some(DenyReason::OperationNotGranted));
}

#[test]
fn ag_dsl_15() {
    let found = codes("filesystem \"ws\" => read; tool \"search\" = mcp \"search\";");
    assert_eq!(found, [Code::A0108]);
    let two = root(
        "mcp \"wiki\" / \"search\" => call; mcp \"tracker\" / \"search\" => call;
         credential mcp \"wiki\" = \"one\"; credential mcp \"tracker\" = none;",
    );
    let digests: Vec<Digest> = two
        .scopes()
        .map(authority_core::DeclaredScope::sha256)
        .collect();
    assert_ne!(digests[0], digests[1]);
    let bindings: Vec<_> = two
        .credentials()
        .map(|grant| grant.binding.is_some())
        .collect();
    assert_eq!(bindings, [false, true]);
}

#[test]
fn ag_dsl_16() {
    assert_eq!(codes("github \"-acme/widgets\" => read;"), [Code::A0210]);
    assert_eq!(codes("github => read;"), [Code::A0105]);
    let source =
        "filesystem \"ws\" => read; subprocess \"git\" [\"--upload-pack=x\"] in \"ws\" => execute;";
    assert_eq!(codes(source), []);
}

#[test]
fn ag_filesystem_02() {
    let root = root("filesystem \"ws\" / \"secret.txt\" => inspect;");
    for operation in [filesystem::Inspect, filesystem::Read] {
        let request = Request::filesystem("ws", "alias.txt", operation).expect("a request");
        assert_eq!(reason(&root, &request), Some(DenyReason::TargetNotDeclared));
    }
}

#[test]
fn ag_filesystem_04() {
    let root = root("filesystem \"ws\" / \"app\" => list, read;");
    for (path, operation) in [
        ("app_private", filesystem::List),
        ("app/x.txt", filesystem::Read),
    ] {
        let request = Request::filesystem("ws", path, operation).expect("a request");
        assert_eq!(
            root.decide(&request),
            Decision::Deny(DenyReason::TargetNotDeclared)
        );
    }
}

#[test]
fn ag_filesystem_14() {
    assert_eq!(
        codes("filesystem \"ws\" / \"notes.txt:payload\" => write;"),
        [Code::A0206]
    );
}

#[test]
fn ag_filesystem_16() {
    assert_eq!(
        codes("filesystem \"ws\" / \"logs/COM\u{b9}\" => write;"),
        [Code::A0206]
    );
}

#[test]
fn ag_filesystem_19() {
    let root = root("filesystem \"ws\" / \"notes/[draft].md\" => read;");
    let exact = Request::filesystem("ws", "notes/[draft].md", filesystem::Read).expect("a request");
    assert!(root.decide(&exact).is_allowed());
    let other = Request::filesystem("ws", "notes/d.md", filesystem::Read).expect("a request");
    assert!(!root.decide(&other).is_allowed());
}

#[test]
fn ag_process_01() {
    let root =
        root("filesystem \"ws\" => read; subprocess \"git\" [\"status\"] in \"ws\" => execute;");
    let chained = Request::subprocess(
        "sh",
        &["-c", "git status && rm -rf build"],
        "ws",
        ".",
        subprocess::Execute,
    );
    assert_eq!(
        reason(&root, &chained.expect("a request")),
        Some(DenyReason::TargetNotDeclared)
    );
}

#[test]
fn ag_process_04() {
    let source =
        "filesystem \"ws\" => read; subprocess \"/usr/bin/git\" [\"push\"] in \"ws\" => execute;";
    assert_eq!(codes(source), [Code::A0205]);
    assert!(only_message(source).contains("write that id"));
}

#[test]
fn ag_process_05() {
    let root =
        root("filesystem \"ws\" => read; subprocess \"git\" [\"status\"] in \"ws\" => execute;");
    let other = Request::subprocess("git_local", &["status"], "ws", ".", subprocess::Execute)
        .expect("a request");
    assert_eq!(reason(&root, &other), Some(DenyReason::TargetNotDeclared));
}

#[test]
fn ag_network_01() {
    let source = "network \"https://2130706433:443\" redirect deny => connect;
                  network \"https://0x7f000001:443\" => connect;";
    assert_eq!(codes(source), [Code::A0207, Code::A0207]);
}

#[test]
fn ag_network_03() {
    let source = "network \"https://0x7f.0.0.1:443\" => connect; network \"https://0177.0.0.1:443\" => connect;
                  network \"https://127.1:443\" => connect;";
    assert_eq!(codes(source), [Code::A0207; 3]);
    let places: Vec<_> = messages(source)
        .iter()
        .map(|message| message.starts_with("\"https://"))
        .collect();
    assert_eq!(places, [true; 3]);
}

#[test]
fn ag_network_10() {
    let root = root("network \"https://example.com:443\" => request.safe;");
    let own = Request::network(
        "https://example.com:443",
        RedirectPolicy::Deny,
        network::RequestSafe,
    );
    assert!(root.decide(&own.expect("a request")).is_allowed());
    let sub = Request::network(
        "https://sub.example.com:443",
        RedirectPolicy::Deny,
        network::RequestSafe,
    );
    assert!(!root.decide(&sub.expect("a request")).is_allowed());
    for (host, code) in [
        (".example.com", Code::A0207),
        ("*.example.com", Code::A0201),
        ("example.com.", Code::A0204),
    ] {
        let source = format!("network \"https://{host}:443\" => request.safe;");
        assert_eq!(codes(&source), [code], "{host}");
        assert!(only_message(&source).contains("help: "));
    }
}

#[test]
fn ag_network_11() {
    let source = "network \"https://\u{430}pi.example.com:443\" => request.safe;";
    assert_eq!(codes(source), [Code::A0214]);
    let message = only_message(source);
    assert!(
        message.contains("U+0430") && message.contains("xn--pi-6kc.example.com"),
        "{message}"
    );
    let request = Request::network(
        "https://\u{430}pi.example.com:443",
        RedirectPolicy::Deny,
        network::RequestSafe,
    );
    assert!(
        request
            .expect("a request")
            .to_string()
            .contains("xn--pi-6kc.example.com")
    );
}

#[test]
fn ag_network_14() {
    assert_eq!(
        codes("network \"https://client.example\" redirect deny => connect;"),
        [Code::A0208]
    );
}

#[test]
fn ag_github_01() {
    let source = "github \"Swatinem/Rust-Cache\" => read;";
    assert_eq!(codes(source), [Code::A0204]);
    assert!(only_message(source).contains("write `swatinem/rust-cache`"));
    let root = root("github \"swatinem/rust-cache\" => read;");
    let request = Request::github("Swatinem/Rust-Cache", github::Read).expect("a request");
    assert!(root.decide(&request).is_allowed());
}

#[test]
fn ag_github_06() {
    let root = root("github \"acme/public-site\" => read, comment.write;");
    let request = Request::github("acme/private-plans", github::Read).expect("a request");
    assert_eq!(reason(&root, &request), Some(DenyReason::TargetNotDeclared));
}

#[test]
fn ag_github_11() {
    let source = "filesystem \"ws\" => read; credential mcp \"github\" = \"gh-prod\";";
    assert_eq!(codes(source), [Code::A0405]);
    assert!(only_message(source).contains("a binding that limits nothing"));
}

#[test]
fn ag_mcp_01() {
    let one = root("mcp \"evil__foo\" / \"x\" => call; credential mcp \"evil__foo\" = none;");
    let other = root("mcp \"evil\" / \"foo__x\" => call; credential mcp \"evil\" = none;");
    assert_ne!(one.ceiling_sha256(), other.ceiling_sha256());
}

#[test]
fn ag_mcp_04() {
    let root = root("mcp \"demo\" / \"demo_read\" => call; credential mcp \"demo\" = none;");
    let request = Request::mcp_tool("demo", "demo/read", mcp_tool::Call).expect("a request");
    assert_eq!(reason(&root, &request), Some(DenyReason::TargetNotDeclared));
}

#[test]
fn ag_mcp_11() {
    let source = "mcp \"files\" / \"verify_\u{57d}ser\" => call; credential mcp \"files\" = none;";
    assert_eq!(codes(source), [Code::A0205]);
    assert!(only_message(source).contains("U+057D"));
}

#[test]
fn ag_mcp_12() {
    let source = "mcp \"files\" => ; credential mcp \"files\" = none;";
    assert_eq!(codes(source), [Code::A0301]);
    let root = root("filesystem \"ws\" => read;");
    let request = Request::mcp_tool("files", "read", mcp_tool::Call).expect("a request");
    assert!(!root.decide(&request).is_allowed());
}

#[test]
fn ag_mcp_13() {
    let root = root(
        "mcp \"docs\" => list; mcp \"docs_\" => list; credential mcp \"docs\" = \"a\"; credential mcp \"docs_\" = \"b\";",
    );
    let bindings: Vec<_> = root
        .credentials()
        .filter_map(|grant| grant.binding.as_ref())
        .map(Id::as_str)
        .collect();
    assert_eq!(bindings, ["a", "b"]);
    let source = "mcp \"docs\" => list; mcp \"Docs\" => list; credential mcp \"docs\" = \"a\"; credential mcp \"Docs\" = \"b\";";
    assert_eq!(codes(source), [Code::A0402]);
}

#[test]
fn ag_docs_04() {
    let source = "filesystem \"ws\" / \"src/lib.rs\" => read; expect allow filesystem \"ws\" / \"src/lib.rs\" => write;";
    assert_eq!(codes(source), [Code::A0504]);
    assert!(only_message(source).starts_with("write:"));
}

#[test]
fn ag_ux_07() {
    let root = root("filesystem \"ws\" / \"a\" => read;");
    let undeclared = Request::filesystem("ws", "b", filesystem::Read).expect("a request");
    let declared = Request::filesystem("ws", "a", filesystem::Read).expect("a request");
    assert!(!root.decide(&undeclared).is_allowed());
    assert!(root.decide(&declared).is_allowed());
}

#[test]
fn ag_mcp_18() {
    let [declared, served] = ["one", "two"].map(|revision| Digest::of(revision.as_bytes()));
    let root = root(&format!(
        "integration \"tickets\" @ \"{declared}\" => invoke;"
    ));
    let invoke = |revision| {
        Request::integration("tickets", revision, integration::Invoke).expect("a request")
    };
    assert!(root.decide(&invoke(declared)).is_allowed());
    let update = reason(&root, &invoke(served));
    assert_eq!(update, Some(DenyReason::TargetNotDeclared));
}

/// A blank page has no origin: nothing is asked for it, and no other address passes as one.
#[test]
fn ag_browser_07() {
    let root = root("browser \"https://docs.rs\" => navigate;");
    let declared = Request::browser("https://docs.rs", None, browser::Navigate).expect("a request");
    assert!(root.decide(&declared).is_allowed());
    for address in [
        "about:blank",
        "data:text/html,x",
        "file:///etc/passwd",
        "blob:https://docs.rs/x",
    ] {
        assert!(
            Request::browser(address, None, browser::Navigate).is_err(),
            "{address}"
        );
        let source = format!("browser \"{address}\" => navigate;");
        assert_eq!(codes(&source), [Code::A0211]);
    }
}

#[test]
fn ag_audit_09() {
    let source = "filesystem \"ws\" => read; subprocess \"curl\" [\"--token\", binding(\"token-a\")] in \"ws\" => execute;";
    assert_eq!(codes(source), [Code::A0105]);
}
