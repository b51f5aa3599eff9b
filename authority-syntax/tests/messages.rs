//! What the messages say, word for word, and where: one mistake, one error.

mod common;

use common::messages;

/// Asserts that `source` has this one error, at this text.
#[track_caller]
fn one(source: &str, place: &str, message: &str) {
    assert_eq!(
        messages(source),
        [format!("{place}: {message}")],
        "{source}"
    );
}

#[test]
fn ten_plausible_mistakes() {
    let glob = messages(r#"filesystem "ws" / "src/*.rs" => read;"#);
    assert_eq!(glob.len(), 1);
    assert!(
        glob[0].starts_with(r#""src/*.rs": wildcard `*` (character 5)"#),
        "{}",
        glob[0]
    );
    assert!(glob[0].contains("[A0201]\n  help: "), "{}", glob[0]);

    one(
        r#"filesystem "ws" / "src/" => read;"#,
        r#""src/""#,
        "`src/` ends in `/`: a path is no prefix [A0202]\n  help: write `src` for exactly this path; for all of a \
         directory declare a binding: filesystem \"src\" => read;",
    );

    one(
        r#"filesystem "ws" => read; deny filesystem "ws" / "key.pem" => read;"#,
        "deny",
        "`deny`: there are no deny rules, exceptions or patterns, only exact grants [A0106]\n  help: leave the entry \
         away: what is not declared is denied; to make sure of it, write `expect deny filesystem \"ws\" / \
         \"secret.txt\" => read;`",
    );

    one(
        r#"github "Rust-Lang/Cargo" => read;"#,
        r#""Rust-Lang/Cargo""#,
        "`Rust-Lang/Cargo` is not the canonical spelling of a GitHub repository [A0204]\n  help: write \
         `rust-lang/cargo`",
    );
    one(
        r#"browser "https://docs.rs/serde" => read;"#,
        r#""https://docs.rs/serde""#,
        "a path, query or fragment in a browser origin [A0211]\n  help: write `https://docs.rs`: an origin is all of a \
         site, its pages are named by requests",
    );

    one(
        r#"filesystem "ws" => read|write;"#,
        "|",
        "expected `,` or `;`, found `|` [A0110]\n  help: separate operations with `,`: `read, write`",
    );
    one(
        r#"network "https://api.example.com" => connect;"#,
        r#""https://api.example.com""#,
        "no port in `https://api.example.com` [A0208]\n  help: write the port: `https://api.example.com:443`",
    );
    one(
        r#"github "a/b" => pull_request.wirte;"#,
        "wirte",
        "unknown operation `pull_request.wirte` of `github` [A0302]\n  help: write `pull_request.write`",
    );

    one(
        "filesystem \"ws\" => write;\nfilesystem \"ws\" => read;",
        r#""ws""#,
        "the same target is declared twice (first given on line 1) [A0401]\n  help: join the operations in one entry: \
         `=> read, write`",
    );

    let wider = messages(
        r#"filesystem "ws" => read; child_agent "a" => delegate { filesystem "ws" => read, write; }"#,
    );
    assert_eq!(wider.len(), 1);
    assert!(
        wider[0].contains("[A0502]\n  help: leave `write` away; the parent holds `read`"),
        "{}",
        wider[0]
    );
}

#[test]
fn in_place_of_an_operation() {
    let own = "`inspect`, `list`, `read`, `write`, `delete`, `execute`";
    one(
        r#"filesystem "ws" => "read";"#,
        r#""read""#,
        &format!(
            "a literal in place of an operation [A0110]\n  help: write an operation without quotes: {own}"
        ),
    );
    for list in ["[read, write]", "(read, write)", "{ read }"] {
        one(
            &format!(r#"filesystem "ws" => {list};"#),
            list,
            &format!(
                "brackets in place of operations [A0110]\n  help: write operations without brackets, separated with \
                 `,`: {own}"
            ),
        );
    }
    for (operations, word) in [("!write", "!"), ("read, !write", "!"), ("not write", "not")] {
        one(
            &format!(r#"filesystem "ws" => {operations};"#),
            word,
            &format!(
                "`{word}`: there are no deny rules, exceptions or patterns, only exact grants [A0106]\n  help: name \
                 what may be done, of {own}; what is not named is denied"
            ),
        );
    }
    for operations in ["*", "read, *"] {
        one(
            &format!(r#"filesystem "ws" => {operations};"#),
            "*",
            &format!(
                "`*`: there are no patterns, only exact grants [A0106]\n  help: name each operation: {own}"
            ),
        );
    }
    one(
        r#"filesystem "ws" => all;"#,
        "all",
        &format!(
            "unknown operation `all` of `filesystem` [A0302]\n  help: nothing stands for several operations; name \
             each: {own}"
        ),
    );
    one(
        r#"filesystem "ws" => read - write;"#,
        "-",
        "`-`: there are no deny rules, exceptions or patterns, only exact grants [A0106]\n  help: end the entry here \
         with `;`: what is not declared is denied",
    );
}

#[test]
fn names_that_are_joined_otherwise() {
    for separator in ["::", "/"] {
        one(
            &format!(r#"github "a/b" => read, pull_request{separator}write;"#),
            &separator[..1],
            "the names of an operation are joined with `.` [A0110]\n  help: write `pull_request.write`",
        );
    }
    one(
        r#"github "a/b" => pull-request.write;"#,
        "pull",
        "unknown operation `pull-request` [A0302]\n  help: write `_` for `-`: `pull_request.write`",
    );
    // Two operations, not one name.
    one(
        r#"github "a/b" => read / issue.write;"#,
        "/",
        "expected `,` or `;`, found `/` [A0110]\n  help: separate operations with `,`: `read, write`",
    );
    let own = "`connect`, `request.safe`, `request.write`";
    one(
        r#"network "https://a.example:443" => request.;"#,
        ".",
        &format!(
            "expected a name after `.` [A0110]\n  help: write the rest of the operation: {own}"
        ),
    );
    one(
        r#"network "https://a.example:443" => request.*;"#,
        "*",
        &format!(
            "`*`: there are no patterns, only exact grants [A0106]\n  help: name each operation: {own}"
        ),
    );
}

#[test]
fn suggestions() {
    for (entry, help) in [
        (r#"filesystem "ws" => Read;"#, "write `read`"),
        (r#"filesystem "ws" => rw;"#, "write `read, write`"),
        (r#"filesystem "ws" => ls;"#, "write `list`"),
        (r#"filesystem "ws" => stat;"#, "write `inspect`"),
        (r#"filesystem "ws" => exec;"#, "write `execute`"),
        (r#"github "a/b" => push;"#, "write `contents.write`"),
        (r#"github "a/b" => comment;"#, "write `comment.write`"),
        (
            r#"github "a/b" => create;"#,
            "write `pull_request.write` or `issue.write`",
        ),
        (
            r#"github "a/b" => pull_request.create;"#,
            "write `pull_request.write`",
        ),
        (r#"github "a/b" => issue.create;"#, "write `issue.write`"),
        (
            r#"network "https://a.example:443" => fetch;"#,
            "write `request.safe`",
        ),
        (
            r#"network "https://a.example:443" => request.get;"#,
            "write `request.safe`",
        ),
        (
            r#"network "https://a.example:443" => post;"#,
            "write `request.write`",
        ),
        (
            r"budget max_tokens_per_turn = 1;",
            "write `tokens_per_turn`",
        ),
        (r"budget agents = 1;", "`agents` is a setting of `limit`"),
        (r"execution sandbox;", "write `sandboxed`"),
        (
            r#"filesytem "ws" => read;"#,
            "write `filesystem`: filesystem \"ws\" / \"Cargo.toml\" => read;",
        ),
        (
            r#"file-system "ws" => read;"#,
            "write `filesystem`: filesystem \"ws\" / \"Cargo.toml\" => read;",
        ),
    ] {
        let found = messages(&format!("browser \"https://docs.rs\" => read; {entry}"));
        assert_eq!(found.len(), 1, "{entry}: {found:?}");
        let (_, found) = found[0].split_once("help: ").expect("a help");
        assert_eq!(found, help, "{entry}");
    }
}

/// What else these mistakes look like: the text to write is in the message.
#[test]
fn the_corrected_text() {
    for (entry, help) in [
        (
            r#"filesystem "ws/" => read;"#,
            "write ASCII letters, digits and `.` `_` `:` `-`, at most 128; here `ws`",
        ),
        (
            r#"filesystem "ws" / "" => read;"#,
            "leave the path away: the binding alone is the whole directory",
        ),
        (
            r#"filesystem "ws" / "./src" => read;"#,
            "write the path from the binding's directory, segments joined by single `/`; here `src`",
        ),
        (
            r#"filesystem "ws" / "/etc/passwd" => read;"#,
            "a path is relative to its binding; bind the directory to an id in the host, and write the path below it",
        ),
        (
            r#"browser "docs.rs" => read;"#,
            "write `https://host`, with `:port` unless it is 443; here `https://docs.rs`",
        ),
        (
            r#"browser "https://Docs.rs/?q=1" => read;"#,
            "write `https://host` without a query: pages are named by requests; here `https://docs.rs`",
        ),
        (
            r#"network "https://a.b:443/?q=1" => connect;"#,
            "write protocol, host and port only: a query is part of a request; here `https://a.b:443`",
        ),
        (
            r#"network "api.example.com" => connect;"#,
            "write `protocol://host:port`, with a protocol of `https`, `http`, `wss`, `ws`, `ssh`, `tcp`, `udp`; here \
             `https://api.example.com:443`",
        ),
        (
            r#"network "tcp://db.example" => connect;"#,
            "write a port from 1 to 65535, without a leading zero: `tcp://db.example:PORT`",
        ),
        (
            r#"github "a/b" => read; child_agent "r" => delegate { github "a/c" => read; }"#,
            "a child gets targets that its parent declares, spelt the same, as `github \"a/b\"`; declare it there, or \
             leave it away here",
        ),
        (
            r#"network "https://a.b:443" redirect same_origin => connect;
            child_agent "r" => delegate { network "https://a.b:443" => connect; }"#,
            "a child gets targets that its parent declares, spelt the same, as `network \"https://a.b:443\" redirect \
             same_origin`; declare it there, or leave it away here",
        ),
        (
            r#"subprocess "git" ["log"] in "ws" => execute; filesystem "ws" => read;
            child_agent "r" => delegate { subprocess "git" ["show"] in "ws" => execute; filesystem "ws" => read; }"#,
            "a child gets targets that its parent declares, spelt the same; declare it there, or leave it away here",
        ),
    ] {
        let found = messages(entry);
        assert_eq!(found.len(), 1, "{entry} {found:?}");
        let (_, found) = found[0].split_once("help: ").expect("a help");
        assert_eq!(found, help, "{entry}");
    }
}

#[test]
fn in_a_target() {
    one(
        r#"filesystem "ws/src" => read;"#,
        r#""ws/src""#,
        "`/` (U+002F) (character 3) may not stand in an id: `ws/src` [A0205]\n  help: write the two parts apart: \
         filesystem \"ws\" / \"src\"",
    );
    one(
        r#"mcp "docs/search" => call;"#,
        r#""docs/search""#,
        "`/` (U+002F) (character 5) may not stand in an id: `docs/search` [A0205]\n  help: write the two parts apart: \
         mcp \"docs\" / \"search\"",
    );
    one(
        r#"filesystem "ws" / "src" / "lib.rs" => read;"#,
        "/",
        "a second `/` after a target [A0110]\n  help: write one text: `\"src/lib.rs\"`",
    );
    one(
        r#"filesystem "ws", "scratch" => read;"#,
        ",",
        "expected `=>`, found `,`: an entry has one target [A0110]\n  help: write an entry for each target: filesystem \
         \"ws\" / \"Cargo.toml\" => read;",
    );
    one(
        r#"github "a/b" delegable => read;"#,
        "delegable",
        "`delegable` belongs to the path of a `filesystem` [A0110]\n  help: leave it away: a child can be given any \
         other target as it is",
    );
    one(
        r#"browser "https://docs.rs" redirect deny => read;"#,
        "redirect",
        "`redirect` belongs to `network` [A0110]\n  help: leave the redirect policy away",
    );
    one(
        r#"filesystem "ws" -> read;"#,
        "-",
        "expected `=>` and operations [A0102]\n  help: write the arrow `=>`",
    );
    one(
        r#"filesystem "ws" => read; child_agent "a" { filesystem "ws" => read; }"#,
        r#"{ filesystem "ws" => read; }"#,
        "expected `=>` and operations [A0102]\n  help: write what may be done before it: `=> delegate`",
    );
}

#[test]
fn in_settings_and_bindings() {
    for (entry, place, message) in [
        (
            r#"credential "docs" = none;"#,
            r#""docs""#,
            "expected `provider`, `mcp` or `none` [A0109]\n  help: say what it is for: credential provider \
             \"anthropic\" = \"anthropic-prod\";",
        ),
        (
            r#"credential github "x" = "y";"#,
            "github",
            "unknown target of a credential `github` [A0109]\n  help: write one of `provider`, `mcp`, `none`",
        ),
        (
            r#"tool "x" = "y";"#,
            r#""y""#,
            "expected `native` or `mcp` [A0109]\n  help: write `native`, or an MCP tool: tool \"search_docs\" = mcp \
             \"docs\" / \"search\";",
        ),
        (
            r#"execution "sandboxed";"#,
            r#""sandboxed""#,
            "expected `direct`, `auto` or `sandboxed` [A0109]\n  help: write the word alone: `execution sandboxed;`",
        ),
        (
            r"execution = sandboxed;",
            "=",
            "expected `direct`, `auto` or `sandboxed` [A0109]\n  help: write the word alone: `execution sandboxed;`",
        ),
        (
            r"budget tokens_per_turn = -5;",
            "-",
            "`tokens_per_turn` cannot be -5 [A0601]\n  help: write a whole number from 0 to 18446744073709551615",
        ),
        (
            r"limit agents = 4294967296;",
            "4294967296",
            "`agents` is at most 4294967295 [A0601]\n  help: write a whole number from 0 to 4294967295",
        ),
    ] {
        one(&format!("github \"a/b\" => read; {entry}"), place, message);
    }
    one(
        "github \"a/b\" => read;\nbudget tokens_per_turn = 1;\nbudget tokens_per_turn = 2;",
        "tokens_per_turn",
        "`tokens_per_turn` is given twice (first given on line 2) [A0406]\n  help: keep one of the two",
    );
}

#[test]
fn between_entries() {
    for source in [r#"; github "a/b" => read;"#, r#"github "a/b" => read;;"#] {
        one(
            source,
            ";",
            "expected an entry, found `;` [A0110]\n  help: leave this `;` away: an entry has one, at its end",
        );
    }
    one(
        r#"filesystem "ws" => read; !filesystem "ws" / "key.pem" => read;"#,
        "!",
        "`!`: there are no deny rules, exceptions or patterns, only exact grants [A0106]\n  help: leave the entry \
         away: what is not declared is denied; to make sure of it, write `expect deny filesystem \"ws\" / \
         \"secret.txt\" => read;`",
    );
    one(
        r#"filesystem "ws" => read, list; child_agent "a" => delegate; { filesystem "ws" => read; }"#,
        ";",
        "`;` between an agent and its block [A0110]\n  help: leave this `;` away",
    );
    one(
        r#"filesystem "ws" => read; { filesystem "ws" => read; }"#,
        r#"{ filesystem "ws" => read; }"#,
        "a block without an agent [A0110]\n  help: write the block of a `child_agent` right after its operations",
    );
    one(
        "filesystem \"ws\" => read;\n//! Late.\ngithub \"a/b\" => read;",
        "//! Late.",
        "a doc comment of the whole body below its top [A0107]\n  help: write `///` in front of an entry, or move the \
         `//!` lines to the top",
    );
}

#[test]
fn one_missing_semicolon_is_one_error() {
    let after = "expected `;` after this [A0103]\n  help: write `;` at the end of the entry, of the last one too";
    one(
        "filesystem \"ws\" => read\ngithub \"a/b\" => read;",
        "read",
        after,
    );
    one(
        "filesystem \"ws\" => read,\ngithub \"a/b\" => read;",
        ",",
        after,
    );
    one(
        "filesystem \"ws\" => read\n/// Widgets.\ngithub \"a/b\" => read;",
        "read",
        after,
    );
    one(
        "github \"a/b\" => read; execution auto\nlimit depth = 1;",
        "auto",
        after,
    );
    one("filesystem \"ws\" => read", "read", after);
    // The next entry is read: its own mistake is reported too.
    assert_eq!(
        messages("filesystem \"ws\" => read\ngithub \"a/b\" => raed;"),
        [
            format!("read: {after}"),
            "raed: unknown operation `raed` of `github` [A0302]\n  help: write `read`".to_owned(),
        ],
    );
}

#[test]
fn a_typo_in_a_parent_is_one_error() {
    one(
        r#"filesystem "ws" => raed, list;
        child_agent "a" => delegate { filesystem "ws" => list; }
        expect deny filesystem "ws" / "a" => write;"#,
        "raed",
        "unknown operation `raed` of `filesystem` [A0302]\n  help: write `read`",
    );
}

#[test]
fn modules() {
    let entry = r#"filesystem "ws" => read;"#;
    for name in ["review", "r#fn", "gen", "macro_rules", "union"] {
        assert_eq!(
            messages(&format!("pub mod {name} {{ {entry} }}")),
            [""; 0],
            "{name}"
        );
    }
    one(
        &format!("pub mod fn {{ {entry} }}"),
        "fn",
        "`fn` is a word of Rust, not a name for a module [A0111]\n  help: write `mod r#fn`, or another name",
    );
    one(
        &format!("mod self {{ {entry} }}"),
        "self",
        "`self` is a word of Rust, not a name for a module [A0111]\n  help: give the module another name",
    );
    for (source, place) in [
        ("pub mod { filesystem \"ws\" => read; }", "mod"),
        ("pub static X { filesystem \"ws\" => read; }", "static"),
        ("mod x;", "mod"),
    ] {
        one(
            source,
            place,
            "malformed module [A0111]\n  help: write `pub mod name { … }` with the entries in the braces",
        );
    }
    one(
        &format!("pub mod x {{ {entry} }} github \"a/b\" => read;"),
        "github",
        "entries beside modules [A0111]\n  help: move the entries into a module, or use a call of `authority!` for each \
         form",
    );
    one(
        &format!("{entry} pub mod x {{ {entry} }}"),
        "pub",
        "a module beside entries [A0111]\n  help: a call holds either entries or modules; move the module into a call \
         of its own",
    );
    for attribute in [
        "/// Docs.",
        "#[cfg(unix)]",
        "#[allow(dead_code)]",
        "#[doc(hidden)]",
        "#[deprecated]",
        "#[expect(dead_code)]",
    ] {
        let source = format!("{attribute}\npub(crate) mod x {{ //! More.\n{entry} }}");
        assert_eq!(messages(&source), [""; 0], "{attribute}");
    }
    one(
        &format!("#[derive(Debug)] pub mod x {{ {entry} }}"),
        "derive",
        "this attribute may not stand on a declaration's module [A0107]\n  help: a module takes doc comments, `cfg`, \
         lint levels such as `allow(dead_code)`, `doc(hidden)` and `deprecated`",
    );
}
