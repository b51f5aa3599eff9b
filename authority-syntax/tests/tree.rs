//! What the tree keeps, of entries that are not finished too.

#![allow(clippy::panic)]

mod common;

use authority_syntax::tree::{Body, Content, Entry, Form, Scope};
use common::{bodies, messages, parsed};
use proc_macro2::{Delimiter, Group, Literal, Punct, Spacing, TokenStream, TokenTree};

fn body(source: &str) -> Body {
    match parsed(source).form {
        Form::Body(body) => body,
        Form::Modules(_) => panic!("entries"),
    }
}

fn scope(entry: &Entry) -> &Scope {
    match &entry.content {
        Content::Scope(scope) => scope,
        other => panic!("a target: {other:?}"),
    }
}

fn names(scope: &Scope) -> Vec<String> {
    scope
        .operations
        .iter()
        .map(authority_syntax::tree::OperationPath::name)
        .collect()
}

#[test]
fn finished_entries() {
    let body = body(
        r#"
        //! Of the body.
        /// Checked out.
        ///   Indented.
        filesystem "w\"s" / "Cargo.toml" delegable => read, write,;
        subprocess "git" ["a\n", r"\d"] in "ws" / "crates" => execute;
        network "https://a.example:443" redirect same_origin => request.safe;
        "#,
    );
    assert_eq!(body.docs, [" Of the body."]);
    let [file, run, endpoint] = body.entries.as_slice() else {
        panic!("three entries");
    };
    assert_eq!(file.doc, "Checked out.\n  Indented.");
    assert_eq!(file.keyword, "filesystem");
    let file = scope(file);
    assert_eq!(
        file.first.as_ref().and_then(|text| text.value.as_deref()),
        Some("w\"s")
    );
    assert_eq!(
        file.first
            .as_ref()
            .map(|text| text.token.to_string())
            .as_deref(),
        Some(r#""w\"s""#)
    );
    assert!(file.delegable.is_some() && file.open);
    assert_eq!(names(file), ["read", "write"]);

    let run = scope(run);
    let arguments: Option<Vec<_>> = run
        .arguments
        .as_ref()
        .map(|all| all.iter().map(|text| text.value.as_deref()).collect());
    assert_eq!(arguments, Some(vec![Some("a\n"), Some("\\d")]));
    let (binding, path) = run.directory.as_ref().expect("a directory");
    assert_eq!(binding.value.as_deref(), Some("ws"));
    assert_eq!(
        path.as_ref().and_then(|text| text.value.as_deref()),
        Some("crates")
    );

    let endpoint = scope(endpoint);
    assert_eq!(
        endpoint
            .redirect
            .as_ref()
            .and_then(Option::as_ref)
            .expect("a word"),
        "same_origin"
    );
    assert_eq!(endpoint.operations[0].segments.len(), 2);
    assert!(!endpoint.operations[0].open && !endpoint.open);
}

#[test]
fn unfinished_entries_are_kept() {
    let body = body(
        r#"
        fi
        filesystem
        filesystem "a"
        filesystem "b" =>
        github "c/d" => read, pull_request.
        github "e/f" => read,
        budget tokens_per_turn = 1,
        execution auto
        "#,
    );
    let keywords: Vec<_> = body
        .entries
        .iter()
        .map(|entry| entry.keyword.to_string())
        .collect();
    // An unknown word goes on to a `;` or to what can only be an entry.
    assert_eq!(
        keywords,
        [
            "fi",
            "filesystem",
            "filesystem",
            "github",
            "github",
            "budget",
            "execution"
        ]
    );
    assert!(body.entries.iter().all(|entry| entry.broken));
    assert!(scope(&body.entries[1]).operations.is_empty());
    assert!(scope(&body.entries[2]).end.is_some());
    let dotted = scope(&body.entries[3]);
    assert_eq!(names(dotted), ["read", "pull_request"]);
    assert!(dotted.operations[1].open && dotted.operations[1].broken);
    assert!(scope(&body.entries[4]).open);
    // One error an entry.
    assert_eq!(body.diagnostics.len(), 7);
}

#[test]
fn modules_keep_their_header() {
    let parsed = parsed(
        r#"
        /// Docs.
        #[cfg(unix)]
        pub(in crate::bots) mod review { filesystem "ws" => read; }
        mod other { github "a/b" => read; }
        "#,
    );
    let Form::Modules(modules) = &parsed.form else {
        panic!("modules");
    };
    let [review, other] = modules.as_slice() else {
        panic!("two modules");
    };
    assert_eq!(review.name.as_ref().expect("a name"), "review");
    assert_eq!(review.attributes.to_string().matches('#').count(), 2);
    assert!(review.visibility.to_string().starts_with("pub"));
    assert_eq!(bodies(&parsed.form).len(), 2);
    assert!(other.attributes.is_empty() && other.visibility.is_empty());
    assert!(parsed.diagnostics.is_empty());
}

#[test]
fn errors_of_a_module_are_its_own() {
    let parsed = parsed(r#"mod a { filesystem "ws" => read } mod b { github "a/b" => read; }"#);
    assert!(parsed.diagnostics.is_empty());
    let counts: Vec<_> = bodies(&parsed.form)
        .iter()
        .map(|body| body.diagnostics.len())
        .collect();
    assert_eq!(counts, [1, 0]);
}

/// A group without delimiters, as `$text:literal` of a caller's macro arrives.
fn passed_in(token: TokenTree) -> TokenTree {
    TokenTree::Group(Group::new(Delimiter::None, TokenStream::from(token)))
}

#[test]
fn a_literal_that_a_macro_passes_in_is_plain() {
    let literal = TokenTree::Literal(Literal::string("ws"));
    for literal in [
        literal.clone(),
        passed_in(literal.clone()),
        passed_in(passed_in(literal)),
    ] {
        let mut tokens: TokenStream = "filesystem".parse().expect("it lexes");
        tokens.extend([literal]);
        tokens.extend("=> read;".parse::<TokenStream>().expect("it lexes"));
        let Form::Body(body) = authority_syntax::parse(tokens).form else {
            panic!("entries");
        };
        assert!(authority_syntax::check(&body).permissions.is_some());
    }
    // What holds more than one token is no literal.
    let pair: TokenStream = r#""a" "b""#.parse().expect("it lexes");
    let mut tokens: TokenStream = "filesystem".parse().expect("it lexes");
    tokens.extend([TokenTree::Group(Group::new(Delimiter::None, pair))]);
    tokens.extend([TokenTree::Punct(Punct::new(';', Spacing::Alone))]);
    let Form::Body(body) = authority_syntax::parse(tokens).form else {
        panic!("entries");
    };
    assert_eq!(body.diagnostics.len(), 1);
}

#[test]
fn literals() {
    for (text, allowed) in [
        (r#""ws""#, true),
        (r#"r"ws""#, false),
        (r##"r#"ws"#"##, false),
        (r#"b"ws""#, false),
        (r#"c"ws""#, false),
        (r#""w\u{73}""#, false),
        (r#""w\\s""#, false),
        (r#""ws"x"#, false),
        ("'w'", false),
        ("7", false),
        ("WS", false),
        (r#"concat!("w", "s")"#, false),
    ] {
        let found = messages(&format!("filesystem {text} => read;"));
        assert_eq!(found.is_empty(), allowed, "{text}: {found:?}");
        assert!(
            found.iter().all(|message| message.contains("[A0105]")),
            "{found:?}"
        );
        assert!(found.len() <= 1, "{found:?}");
    }
    for (argument, meaning) in [
        (r#""\n\r\t\0\\\"\'""#, Some("\n\r\t\0\\\"'")),
        (r#""\x41\u{1F600}\u{00_e9}""#, Some("A\u{1f600}\u{e9}")),
        ("\"a\\\n   b\"", Some("ab")),
        (r##"r#"a"\n"#"##, Some(r#"a"\n"#)),
        (r#"b"a""#, None),
        (r#""a"x"#, None),
        ("1", None),
    ] {
        let body = body(&format!(
            r#"subprocess "git" [{argument}] in "ws" => execute;"#
        ));
        let arguments = scope(&body.entries[0])
            .arguments
            .as_ref()
            .expect("arguments");
        assert_eq!(arguments[0].value.as_deref(), meaning, "{argument}");
    }
}

/// The entries but for their positions.
fn shapes(source: &str) -> Vec<String> {
    let without_positions = |text: String| {
        let mut parts = text.split("bytes(");
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            out.push_str(part.split_once(')').map_or("", |(_, rest)| rest));
        }
        out
    };
    let body = body(source);
    body.entries
        .iter()
        .map(|entry| without_positions(format!("{entry:?}")))
        .collect()
}

/// An editor reads the call with a marker at its cursor: the other entries stay as they are.
#[test]
fn a_completion_marker_changes_its_own_entry_only() {
    let before = r#"filesystem "ws" => read; budget tokens_per_turn = 1;"#;
    let after = r#"github "a/b" => issue.write; execution auto; child_agent "a" => delegate { github "a/b" => read; }"#;
    for entry in [
        "$0",
        "fi$0",
        r#"$0 "ws" => read;"#,
        r#"filesystem "x" => $0;"#,
        r#"filesystem "x" => re$0"#,
        r#"filesystem "x" => $0"#,
        r#"filesystem "x" => read, $0;"#,
        r#"filesystem "x" => read, $0"#,
        r#"filesystem "x" $0 => read;"#,
        r#"github "x/y" => pull_request.$0;"#,
        r#"github "x/y" => pull_request.wr$0, read;"#,
        r#"network "https://a.example:443" redirect $0 => connect;"#,
        r#"network "https://a.example:443" redirect $0"#,
        "budget $0;",
        "budget tokens_per_session = 1, $0;",
        "execution $0;",
        "execution $0",
        "budget $0",
        "rate tokens_per_minute = 1, $0",
        r#"github "x/y" => pull_request.$0"#,
        r#"github "x/y" => pull_request::$0"#,
        "credential $0;",
        r#"tool "x" = $0;"#,
        "expect $0;",
        "expect deny $0;",
        r#"expect deny filesystem "x" => $0;"#,
        r#"child_agent "x" => $0 { filesystem "ws" => read; }"#,
        r#"child_agent "x" => delegate { $0 }"#,
        r#"child_agent "x" => delegate { filesystem "ws" => $0; }"#,
    ] {
        for marker in ["", "raCompletionMarker"] {
            let entry = entry.replace("$0", marker);
            let found = shapes(&format!("{before}\n{entry}\n{after}"));
            let (front, back) = (shapes(before), shapes(after));
            assert!(found.starts_with(&front), "{entry}");
            assert!(found.ends_with(&back), "{entry}: {found:#?}");
            assert!(found.len() <= front.len() + 1 + back.len(), "{entry}");
        }
    }
}
