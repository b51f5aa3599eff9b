//! What holds for every input: nothing panics, every error says what to write, and what is accepted
//! prints to text that means the same.

mod common;

use authority_syntax::{Code, check};
use common::{bodies, parsed};
use proc_macro2::TokenStream;
use proptest::prelude::*;

/// Checks a text that lexes: the fuzzers' property holds, errors stand in the order of the source,
/// and each says what to write, those outside of modules too.
fn holds(source: &str) {
    let Ok(tokens) = source.parse::<TokenStream>() else {
        return;
    };
    authority_syntax::fuzz(tokens.clone());
    let parsed = authority_syntax::parse(tokens);
    let mut diagnostics = parsed.diagnostics.clone();
    for body in bodies(&parsed.form) {
        let checked = check(body);
        let places: Vec<_> = checked
            .diagnostics
            .iter()
            .map(|diagnostic| diagnostic.span.start())
            .collect();
        assert!(places.is_sorted(), "{source}");
        diagnostics.extend(checked.diagnostics);
    }
    for diagnostic in &diagnostics {
        assert!(!diagnostic.message.contains('\n'), "{source}");
        let help = diagnostic.help.as_str();
        assert!(
            !help.is_empty() && !help.ends_with(": "),
            "{source}: {help}"
        );
    }
}

const WORDS: &[&str] = &[
    "filesystem",
    "subprocess",
    "network",
    "github",
    "browser",
    "mcp",
    "integration",
    "child_agent",
    "credential",
    "tool",
    "environment",
    "execution",
    "budget",
    "rate",
    "limit",
    "expect",
    "provider",
    "native",
    "none",
    "allow",
    "deny",
    "except",
    "not",
    "all",
    "in",
    "redirect",
    "same_origin",
    "delegable",
    "read",
    "write",
    "issue",
    "pull_request",
    "raed",
    "sandboxed",
    "tokens_per_turn",
    "agents",
    "pub",
    "mod",
    "fn",
    "r#fn",
    "_",
    "x",
    "=>",
    "=",
    ";",
    ";",
    ",",
    ".",
    "/",
    "@",
    "*",
    "!",
    "#",
    "-",
    "|",
    "::",
    "::<",
    "$",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    "\"ws\"",
    "\"a/b\"",
    "\"src/*\"",
    "\"\"",
    "\"\\\"\"",
    "\"\\n\"",
    "r\"ws\"",
    "b\"x\"",
    "c\"x\"",
    "'x'",
    "'x",
    "\"ws\"x",
    "1",
    "1.5",
    "0x10",
    "8k",
    "99999999999999999999",
    "#[doc = \"d\"]",
    "#![doc = \"d\"]",
    "#[cfg(x)]",
    "/** d */",
    "\"https://a.example:443\"",
    "\"https://docs.rs\"",
    "raCompletionMarker",
];

/// Words in a row, brackets mostly closed.
fn soup() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        12 => prop::sample::select(WORDS).prop_map(str::to_owned),
        1 => any::<String>().prop_map(|text| format!("{text:?}")),
    ];
    prop::collection::vec(word, 0..24).prop_map(|words| {
        let mut open = Vec::new();
        let mut out = Vec::new();
        for word in words {
            match word.as_str() {
                "[" => open.push("]"),
                "(" => open.push(")"),
                "{" => open.push("}"),
                "]" | ")" | "}" => {
                    out.extend(open.pop().map(str::to_owned));
                    continue;
                }
                _ => {}
            }
            out.push(word);
        }
        out.extend(open.into_iter().rev().map(str::to_owned));
        out.join(" ")
    })
}

/// A right declaration in which a few words are replaced, taken away or doubled.
fn nearly_right() -> impl Strategy<Value = String> {
    let change = (
        any::<prop::sample::Index>(),
        0..3,
        prop::sample::select(WORDS),
    );
    (
        prop::sample::select(Code::ALL),
        prop::collection::vec(change, 1..4),
    )
        .prop_map(|(code, changes)| {
            let mut words: Vec<_> = code.right().split(' ').map(str::to_owned).collect();
            for (index, how, word) in changes {
                let index = index.index(words.len());
                match how {
                    0 => word.clone_into(&mut words[index]),
                    1 => words.insert(index, word.to_owned()),
                    _ if words.len() > 1 => drop(words.remove(index)),
                    _ => {}
                }
            }
            words.join(" ")
        })
}

/// Declarations that are mostly accepted.
fn declaration() -> impl Strategy<Value = String> {
    let id = "[a-z0-9][a-z0-9._:-]{0,6}";
    let quoted = |text: String| format!("\"{}\"", text.replace('"', "\\\""));
    let path = r#"[a-z"é ()#-]{1,4}[a-z](/[a-z][a-z0-9_]{0,3}){0,2}"#.prop_map(quoted);
    let lines = prop_oneof![any::<String>(), Just("One.\n\n  - indented\n".to_owned())];
    let doc = lines.prop_map(|text| format!("#[doc = {text:?}] "));
    let argument = prop_oneof![
        any::<String>().prop_map(|text| format!("{text:?}")),
        Just("r\"\\d\"".to_owned())
    ];
    let operations = |names: &'static [&'static str]| {
        prop::sample::subsequence(names, 1..=names.len()).prop_map(|names| names.join(", "))
    };
    let entry = prop_oneof![
        (
            id,
            path.clone(),
            operations(&["inspect", "list", "read", "write", "delete", "execute"])
        )
            .prop_map(|(id, path, operations)| format!(
                "filesystem \"{id}\" / {path} => {operations};"
            )),
        (
            id,
            prop::collection::vec(argument, 0..4),
            path,
            operations(&["simulate", "execute"])
        )
            .prop_map(|(id, arguments, path, operations)| format!(
                "subprocess \"{id}\" [{}] in \"root\" / {path} => {operations};",
                arguments.join(", ")
            )),
        (
            "[a-z]{1,5}",
            1..9_u16,
            any::<bool>(),
            operations(&["connect", "request.safe", "request.write"])
        )
            .prop_map(|(host, port, redirect, operations)| {
                let redirect = if redirect {
                    " redirect same_origin"
                } else {
                    ""
                };
                format!("network \"https://{host}.example:{port}\"{redirect} => {operations};")
            }),
        (id, operations(&["read", "issue.write", "contents.write"]))
            .prop_map(|(id, operations)| format!("github \"owner/x{id}\" => {operations};")),
        (0..99_u64, 0..999_999_u64)
            .prop_map(|(whole, part)| format!("budget cost_per_session_usd = {whole}.{part:06};")),
        (0..u64::MAX).prop_map(|number| format!("rate tokens_per_minute = {number};")),
        (id, id).prop_map(|(id, binding)| format!("credential provider \"{id}\" = \"{binding}\";")),
        id.prop_map(|id| format!("tool \"{id}\" = native; environment \"{id}\";")),
        (id, operations(&["delegate", "message"])).prop_map(|(id, operations)| {
            format!("child_agent \"{id}\" => {operations} {{ filesystem \"root\" => read; }}")
        }),
    ];
    prop::collection::vec((prop::option::of(doc), entry), 0..6).prop_map(|entries| {
        let entries = entries
            .into_iter()
            .map(|(doc, entry)| doc.unwrap_or_default() + &entry + "\n");
        "filesystem \"root\" => read, list;\n".to_owned() + &entries.collect::<String>()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_tokens(source in soup()) {
        holds(&source);
    }

    #[test]
    fn any_text(source in any::<String>()) {
        holds(&source);
    }

    #[test]
    fn right_declarations_with_typos(source in nearly_right()) {
        holds(&source);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_accepted_prints_back(source in declaration()) {
        holds(&source);
    }
}

/// The generator would prove nothing if all that it makes were refused.
#[test]
fn most_generated_declarations_are_accepted() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let accepted = (0..60).filter(|_| {
        let source = declaration()
            .new_tree(&mut runner)
            .expect("a value")
            .current();
        let parsed = parsed(&source);
        bodies(&parsed.form)
            .iter()
            .all(|body| check(body).permissions.is_some())
    });
    assert!(accepted.count() >= 20);
}

#[test]
fn right_examples_print_back() {
    for code in Code::ALL {
        holds(code.right());
    }
}

#[test]
fn docs_inside_a_body_print_back() {
    let source = r#"
        //! Of the root, with a "quote".
        filesystem "ws" => read, list;
        child_agent "a" => delegate {
            //! Of the child.
            //!   Indented.
            filesystem "ws" => read;
        }
    "#;
    holds(source);
    let printed = authority_syntax::print(&check(bodies(&parsed(source).form)[0]).draft);
    let docs: Vec<_> = printed
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("#!"))
        .collect();
    assert_eq!(
        docs,
        [
            r#"#![doc = " Of the root, with a \"quote\"."]"#,
            r#"#![doc = " Of the child."]"#,
            r#"#![doc = "   Indented."]"#,
        ]
    );
}

#[test]
fn deep_nesting_is_an_error() {
    let nested = |depth: usize| {
        let open = r#"child_agent "a" => delegate { filesystem "ws" => read; "#;
        format!(
            "filesystem \"ws\" => read; {}{}",
            open.repeat(depth),
            "}".repeat(depth)
        )
    };
    let count = |source: &str| {
        let parsed = parsed(source);
        let found = bodies(&parsed.form)
            .iter()
            .map(|body| body.diagnostics.len())
            .sum::<usize>();
        holds(source);
        found
    };
    assert_eq!(count(&nested(64)), 0);
    assert_eq!(count(&nested(65)), 1);
    assert_eq!(count(&nested(20_000)), 1);
    // Brackets in which nothing is looked for are no matter.
    holds(&format!(
        "filesystem \"ws\" => {}{};",
        "(".repeat(5_000),
        ")".repeat(5_000)
    ));
}
