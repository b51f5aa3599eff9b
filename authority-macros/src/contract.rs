//! What editors need, checked without one.
//!
//! An editor completes by expanding the call twice, as it is and with a marker at the cursor, and
//! looks at the same offset of both expansions. So up to the marker both must be the same text, and
//! at its place the plain one must have a name under the same path. For going to definitions, finding
//! references and renaming, each name that the user wrote must stand once, with its own span, on a
//! path to an item that exists.

use std::collections::{BTreeMap, HashSet};

use authority_core::vocabulary::{ExecutionMode, KINDS, RedirectPolicy, Setting};
use proc_macro2::{TokenStream, TokenTree};

const MARKER: &str = "raCompletionMarker";

/// The expansion, with the facade's path as the editor shows it.
fn expand(source: &str) -> TokenStream {
    let source = format!("[authority] {source}");
    crate::expand(source.parse().expect("it lexes"))
}

/// Each position `$0` with the path under which a name completes there.
const POSITIONS: &[(&str, &str, &str)] = &[
    (
        "keyword, blank, first",
        r#"$0 filesystem "ws" => read;"#,
        "kinds",
    ),
    (
        "keyword, blank, last",
        r#"filesystem "ws" => read; $0"#,
        "kinds",
    ),
    (
        "keyword, blank, between",
        "filesystem \"ws\" => read;\n$0\ngithub \"a/b\" => read;",
        "kinds",
    ),
    (
        "keyword, partial, last",
        r#"filesystem "ws" => read; gi$0"#,
        "kinds",
    ),
    (
        "keyword, partial, first",
        "gi$0\nfilesystem \"ws\" => read;",
        "kinds",
    ),
    (
        "keyword, partial, of a whole entry",
        r#"gi$0 "a/b" => read;"#,
        "kinds",
    ),
    (
        "keyword, partial, of a setting",
        r#"filesystem "ws" => read; bud$0"#,
        "kinds",
    ),
    (
        "operation, blank",
        r#"filesystem "ws" => $0;"#,
        "kinds :: filesystem",
    ),
    (
        "operation, partial",
        r#"filesystem "ws" => re$0;"#,
        "kinds :: filesystem",
    ),
    (
        "operation, whole",
        r#"filesystem "ws" => read$0;"#,
        "kinds :: filesystem",
    ),
    (
        "operation, after a comma",
        r#"filesystem "ws" => read, $0;"#,
        "kinds :: filesystem",
    ),
    (
        "operation, partial, after a comma",
        r#"filesystem "ws" => read, wr$0;"#,
        "kinds :: filesystem",
    ),
    (
        "operation, without `;`",
        r#"filesystem "ws" => wr$0"#,
        "kinds :: filesystem",
    ),
    (
        "operation, blank, without `;`",
        r#"github "a/b" => $0"#,
        "kinds :: github",
    ),
    (
        "operation, without `;`, before an entry",
        "filesystem \"ws\" => wr$0\ngithub \"a/b\" => read;",
        "kinds :: filesystem",
    ),
    (
        "operation, dotted, blank",
        r#"github "a/b" => pull_request.$0;"#,
        "kinds :: github :: pull_request",
    ),
    (
        "operation, dotted, partial",
        r#"github "a/b" => read, pull_request.wr$0;"#,
        "kinds :: github :: pull_request",
    ),
    (
        "operation, group",
        r#"github "a/b" => pull$0;"#,
        "kinds :: github",
    ),
    (
        "operation of a path",
        r#"filesystem "ws" / "a" delegable => re$0;"#,
        "kinds :: filesystem",
    ),
    (
        "operation of a run",
        r#"subprocess "git" ["status"] in "ws" / "a" => ex$0;"#,
        "kinds :: subprocess",
    ),
    (
        "operation of an endpoint",
        r#"network "https://a.example:443" redirect deny => request.$0;"#,
        "kinds :: network :: request",
    ),
    (
        "redirect policy, blank",
        r#"network "https://a.example:443" redirect $0 => connect;"#,
        "kinds :: redirect",
    ),
    (
        "redirect policy, partial",
        r#"network "https://a.example:443" redirect sa$0 => connect;"#,
        "kinds :: redirect",
    ),
    (
        "operation of a server",
        r#"mcp "docs" => st$0;"#,
        "kinds :: mcp :: server",
    ),
    (
        "operation of a tool",
        r#"mcp "docs" / "search" => $0;"#,
        "kinds :: mcp :: tool",
    ),
    (
        "operation of an integration",
        r#"integration "t" @ "sha256:00" => en$0;"#,
        "kinds :: integration",
    ),
    ("setting, blank", r"budget $0;", "kinds :: budget"),
    ("setting, partial", r"budget tok$0 = 5;", "kinds :: budget"),
    (
        "setting, after a comma",
        r"limit agents = 5, $0;",
        "kinds :: limit",
    ),
    (
        "setting, partial, without `;`",
        r"rate re$0",
        "kinds :: rate",
    ),
    (
        "credential, blank",
        r"credential $0;",
        "kinds :: credential",
    ),
    (
        "credential, partial",
        r#"credential pro$0 "x" = none;"#,
        "kinds :: credential",
    ),
    (
        "credential, binding",
        r#"credential mcp "docs" = $0;"#,
        "kinds :: credential",
    ),
    ("tool, after `=`", r#"tool "x" = $0;"#, "kinds :: tool"),
    ("tool, partial", r#"tool "x" = na$0;"#, "kinds :: tool"),
    ("execution mode", r"execution $0;", "kinds :: execution"),
    (
        "expectation, blank",
        r#"filesystem "ws" => read; expect $0;"#,
        "kinds :: expect",
    ),
    (
        "expectation, kind",
        r#"filesystem "ws" => read; expect allow fi$0 "ws" => read;"#,
        "kinds",
    ),
    (
        "expectation, operation",
        r#"filesystem "ws" => read; expect allow filesystem "ws" / "a" => $0;"#,
        "kinds :: filesystem",
    ),
    (
        "in a block, keyword, blank",
        r#"filesystem "ws" => read; child_agent "a" => delegate { filesystem "ws" => read; $0 }"#,
        "kinds",
    ),
    (
        "in a block, keyword, partial",
        r#"filesystem "ws" => read; child_agent "a" => delegate { fi$0 }"#,
        "kinds",
    ),
    (
        "in a block, operation",
        r#"filesystem "ws" => read; child_agent "a" => delegate { filesystem "ws" => re$0 }"#,
        "kinds :: filesystem",
    ),
    (
        "in a second block, operation",
        r#"filesystem "ws" => read; child_agent "a" => delegate { filesystem "ws" => read; } child_agent "b" => delegate { filesystem "ws" => $0; }"#,
        "kinds :: filesystem",
    ),
    (
        "in an inner block, operation",
        r#"filesystem "ws" => read; child_agent "a" => delegate { filesystem "ws" => read; child_agent "b" => de$0 { filesystem "ws" => read; } }"#,
        "kinds :: child_agent",
    ),
    (
        "operation of a child",
        r#"filesystem "ws" => read; child_agent "a" => delegate, $0 { filesystem "ws" => read; }"#,
        "kinds :: child_agent",
    ),
];

#[test]
fn names_complete_in_both_forms() {
    let mut failures = Vec::new();
    for (name, source, path) in POSITIONS {
        for source in [
            (*source).to_owned(),
            format!("/// Docs.\npub mod host {{ {source}\n}}"),
        ] {
            if let Err(why) = completes(&source, path) {
                failures.push(format!("{name}: {why}\n    {source}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(POSITIONS.len() >= 20);
}

fn completes(source: &str, path: &str) -> Result<(), String> {
    let plain = expand(&source.replace("$0", "")).to_string();
    let marked = expand(&source.replace("$0", MARKER)).to_string();
    let cursor = marked
        .find(MARKER)
        .ok_or("the marker is not in the expansion")?;
    let start = marked[..cursor]
        .rfind(|character: char| !is_name(character))
        .map_or(0, |at| at + 1);
    if marked[..start].ends_with(['"', '`']) {
        return Err("the marker is in a literal".to_owned());
    }
    if plain.get(..start) != Some(&marked[..start]) {
        let same = plain
            .bytes()
            .zip(marked.bytes())
            .take_while(|(left, right)| left == right)
            .count();
        let around = |text: &str| {
            text.get(same.saturating_sub(60)..(same + 40).min(text.len()))
                .unwrap_or("")
                .to_owned()
        };
        return Err(format!(
            "the text before the marker differs:\n      {}\n      {}",
            around(&plain),
            around(&marked)
        ));
    }
    if !plain[start..].starts_with(is_name) {
        return Err(format!(
            "no name at the marker's place: {}",
            &plain[start.saturating_sub(60)..]
        ));
    }
    if !marked[..start]
        .trim_end()
        .ends_with(&format!("authority :: {path} ::"))
    {
        return Err(format!(
            "another path: {}",
            &marked[start.saturating_sub(60)..start]
        ));
    }
    Ok(())
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Every name of the language, in one declaration without errors.
const EVERYTHING: &str = r#"
    pub mod host {
        filesystem "ws" => inspect, list, read, write, delete, execute;
        filesystem "ws" / "a" delegable => read;
        subprocess "git" ["status"] in "ws" => simulate, execute;
        network "https://a.example:443" redirect same_origin => connect, request.safe, request.write;
        github "a/b" => read, issue.write, comment.write, pull_request.write, contents.write, workflow.run, release.write;
        browser "https://a.example" => inspect, read, navigate, interact, download, upload;
        mcp "docs" => list, status, start;
        mcp "docs" / "search" => inspect, call;
        integration "t" @ "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" => inspect, status, invoke, enable, disable, remove;
        credential provider "x" = "y";
        credential mcp "docs" = none;
        tool "x" = native;
        tool "y" = mcp "docs" / "search";
        environment "CI";
        execution auto;
        budget tokens_per_turn = 1, tokens_per_session = 1, tool_calls_per_turn = 1, cost_per_session_usd = 1.5, timeout_seconds = 1;
        rate requests_per_minute = 1, tokens_per_minute = 1;
        limit active_skills = 1, concurrent_tools = 1, agents = 1, depth = 1;
        child_agent "a" => inspect, status, delegate, message, cancel {
            filesystem "ws" => read;
            credential none;
            tool none;
            environment none;
            execution sandboxed;
            expect deny filesystem "ws" / "a" => write;
        }
        expect allow filesystem "ws" / "a" => read;
    }
"#;

/// Words that belong to the entry and are no names: nothing can be said about them alone.
const CONTEXTUAL: [&str; 6] = ["pub", "mod", "host", "in", "redirect", "delegable"];

#[test]
fn each_name_stands_once_on_a_path_to_an_item() {
    let expansion = expand(EVERYTHING);
    assert!(
        !expansion.to_string().contains("compile_error"),
        "{expansion}"
    );
    let mut seen: BTreeMap<(usize, usize), String> = BTreeMap::new();
    walk(expansion, &mut |path, ident| {
        let start = ident.span().start();
        let twice = seen.insert((start.line, start.column), path.to_owned());
        assert_eq!(twice, None, "{path} stands twice");
    });
    let source: TokenStream = format!("[authority] {EVERYTHING}")
        .parse()
        .expect("it lexes");
    let known = items();
    let mut names = 0;
    idents(source, &mut |ident| {
        let word = ident.to_string();
        if CONTEXTUAL.contains(&word.as_str()) || word == "authority" {
            return;
        }
        let start = ident.span().start();
        let path = seen.get(&(start.line, start.column));
        let path = path
            .unwrap_or_else(|| panic!("`{word}` on line {} is not in the expansion", start.line));
        assert!(known.contains(path), "{path} is no item");
        names += 1;
    });
    assert!(names > 100, "{names}");
}

/// Calls `found` with each of the user's own identifiers, and the path that it ends.
fn walk(stream: TokenStream, found: &mut impl FnMut(&str, &proc_macro2::Ident)) {
    let mut path = String::new();
    for token in stream {
        match token {
            TokenTree::Group(group) => {
                path.clear();
                walk(group.stream(), found);
            }
            TokenTree::Ident(ident) => {
                if !path.ends_with("::") {
                    path.clear();
                }
                path.push_str(&ident.to_string());
                if ident
                    .span()
                    .source_text()
                    .is_some_and(|text| ident == text.as_str())
                    && path.contains("::kinds::")
                {
                    found(&path, &ident);
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' => path.push(':'),
            _ => path.clear(),
        }
    }
}

fn idents(stream: TokenStream, found: &mut impl FnMut(&proc_macro2::Ident)) {
    for token in stream {
        match token {
            TokenTree::Group(group) => idents(group.stream(), found),
            TokenTree::Ident(ident) => found(&ident),
            _ => {}
        }
    }
}

/// The paths of all items in `kinds`.
fn items() -> HashSet<String> {
    let mut items = HashSet::new();
    for row in KINDS {
        let module = match row.title {
            "mcp (server)" => "mcp::server",
            "mcp (tool)" => "mcp::tool",
            title => title,
        };
        items.insert(row.name.to_owned());
        items.insert(module.to_owned());
        for operation in row.operations {
            let path = format!("{module}::{}", operation.name.replace('.', "::"));
            if let Some((group, _)) = path.rsplit_once("::") {
                items.insert(group.to_owned());
            }
            items.insert(path);
        }
    }
    for setting in Setting::ALL {
        items.insert(setting.group().name().to_owned());
        items.insert(format!("{}::{}", setting.group().name(), setting.name()));
    }
    let words = [
        ("credential", vec!["provider", "mcp", "none"]),
        ("tool", vec!["native", "mcp", "none"]),
        ("environment", vec!["none"]),
        (
            "execution",
            ExecutionMode::ALL.iter().map(|mode| mode.name()).collect(),
        ),
        ("expect", vec!["allow", "deny"]),
        (
            "redirect",
            RedirectPolicy::ALL
                .iter()
                .map(|policy| policy.name())
                .collect(),
        ),
    ];
    for (keyword, words) in words {
        items.insert(keyword.to_owned());
        items.extend(words.iter().map(|word| format!("{keyword}::{word}")));
    }
    items
        .into_iter()
        .map(|path| format!("authority::kinds::{path}"))
        .collect()
}
