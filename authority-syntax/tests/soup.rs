//! Token soup: nothing panics, and one mistake gives one error.

use authority_syntax::tree::Form;
use proptest::prelude::*;

const TOKENS: [&str; 53] = [
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
    "allow",
    "deny",
    "read",
    "write",
    "list",
    "execute",
    "request.safe",
    "pull_request.write",
    "connect",
    "call",
    "delegate",
    "delegable",
    "redirect",
    "same_origin",
    "in",
    "none",
    "native",
    "provider",
    "tokens_per_turn",
    "agents",
    "\"ws\"",
    "\"a/b\"",
    "\"https://a.example:443\"",
    "\"docs\"",
    "5",
    "2.5",
    "=>",
    "=",
    ";",
    ",",
    "/",
    "{ }",
    "{ filesystem \"ws\" => read; }",
    "{ #![doc = \" inside\"] filesystem \"ws\" => read; }",
    "[\"a\"]",
    "@",
    "#[doc = \"x\"]",
];

/// Entries that stand side by side without an error.
const ENTRIES: [&str; 9] = [
    "filesystem \"ws\" => read, write;",
    "filesystem \"docs\" / \"a.md\" => read;",
    "subprocess \"git\" [\"status\"] in \"ws\" => execute;",
    "network \"https://a.example:443\" => request.safe;",
    "github \"a/b\" => read, issue.write;",
    "browser \"https://docs.rs\" => navigate;",
    "environment \"CI\";",
    "budget tokens_per_turn = 5;",
    "child_agent \"a\" => delegate { filesystem \"ws\" => read; }",
];

fn errors(text: &str) -> usize {
    let parsed = authority_syntax::parse(text.parse().expect("it lexes"));
    let Form::Body(body) = parsed.form else {
        panic!("entries")
    };
    authority_syntax::check(&body).diagnostics.len()
}

proptest! {
    #[test]
    fn nothing_panics(soup in proptest::collection::vec(proptest::sample::select(&TOKENS[..]), 0..60)) {
        let text = soup.join(" ");
        authority_syntax::fuzz(text.parse().expect("it lexes"));
    }

    #[test]
    fn mutated_entries_do_not_panic(entry in 0..ENTRIES.len(), at in 0..12_usize, with in proptest::sample::select(&TOKENS[..])) {
        let mut words: Vec<_> = ENTRIES[entry].split(' ').collect();
        let at = at % words.len();
        words[at] = with;
        // A brace that lost its other one does not lex, which the compiler says.
        if let Ok(tokens) = words.join(" ").parse() {
            authority_syntax::fuzz(tokens);
        }
    }

    #[test]
    fn a_missing_semicolon_is_one_error(missing in 0..ENTRIES.len() - 1) {
        let mut entries = ENTRIES.map(str::to_owned);
        prop_assert_eq!(errors(&entries.join("\n")), 0);
        entries[missing] = entries[missing].trim_end_matches(';').to_owned();
        prop_assert_eq!(errors(&entries.join("\n")), 1, "{}", entries[missing]);
    }
}

#[test]
fn a_misspelt_word_is_one_error() {
    for (right, wrong) in [
        ("=> read, write", "=> raed, write"),
        ("filesystem \"docs\"", "filesytem \"docs\""),
        ("request.safe", "request.save"),
        ("in \"ws\"", "on \"ws\""),
        ("environment", "enviroment"),
        ("tokens_per_turn", "token_per_turn"),
        ("\"https://a.example:443\"", "\"https://a.example\""),
        ("\"a/b\"", "\"A/b\""),
        ("child_agent", "child-agent"),
        ("delegate {", "delegat {"),
    ] {
        let text = ENTRIES.join("\n");
        assert!(text.contains(right));
        assert_eq!(errors(&text.replacen(right, wrong, 1)), 1, "{wrong}");
    }
}
