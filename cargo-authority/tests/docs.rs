//! `doc`: what is documented, in every form.

mod common;

use common::{Project, declaration};
use serde_json::json;

const BOT: &str = r#"use authority::authority;

authority! {
    /// What the bot may do.
    ///
    /// Ask *Ann* <ann@example.com>.
    pub mod bot {
        //! It runs at night.
        filesystem "ws" => list, read;
        /// Changed by hand.
        filesystem "ws" / "CHANGELOG.md" => write;
        github "acme/checkout" => read, pull_request.write;
        credential provider "github" = "bot";
        environment "CI";
        budget tokens_per_session = 100, cost_per_session_usd = 2.50;
        /// Reads.
        child_agent "reviewer" => delegate {
            filesystem "ws" => read;
            github "acme/checkout" => read;
            environment none;
            budget tokens_per_session = 50;
            child_agent "scribe" => message { filesystem "ws" => read; }
        }
    }
}
"#;

fn bot() -> Project {
    Project::new(&[("src/lib.rs", BOT)])
}

#[test]
fn the_model_as_json() {
    let document = bot().run(&["doc", "--format", "json"]).json(0);
    let root = &document["declarations"][0];
    assert_eq!(root["name"], "acme::bot");
    assert_eq!(
        root["doc"],
        "What the bot may do.\n\nAsk *Ann* <ann@example.com>.\nIt runs at night."
    );
    assert_eq!(
        (&root["file"], &root["line"]),
        (&json!("src/lib.rs"), &json!(7))
    );
    let files = &root["targets"][0];
    assert_eq!(files["kind"], "filesystem");
    assert_eq!(
        files["entries"][1],
        json!({
            "target": "\"ws\" / \"CHANGELOG.md\"", "delegable": false, "looks": [], "acts": ["write"],
            "doc": "Changed by hand.", "line": 11,
            "scope_sha256": files["entries"][1]["scope_sha256"],
        })
    );
    assert_eq!(
        root["bindings"],
        json!([
            {"kind": "credential", "value": "provider \"github\" = \"bot\"", "line": 13},
            {"kind": "tool", "value": "none", "line": null},
            {"kind": "environment", "value": "\"CI\"", "line": 14},
            {"kind": "execution", "value": "sandboxed", "line": null},
        ])
    );
    assert_eq!(root["limits"][0]["name"], "tokens_per_session");
    assert_eq!(root["limits"][1]["at_most"], "2.5");
    assert_eq!(root["limits"][1]["line"], 15);
}

/// Each level is compared with the one above it, by what is allowed.
#[test]
fn what_children_lose() {
    let document = bot().run(&["doc", "--format", "json"]).json(0);
    let reviewer = &document["declarations"][0]["children"][0];
    assert_eq!(
        (&reviewer["agent"], &reviewer["line"]),
        (&json!("reviewer"), &json!(17))
    );
    assert_eq!(reviewer["operations"], json!(["delegate"]));
    let losses = |child: &serde_json::Value| {
        let losses = child["loses"].as_array().expect("a list").iter();
        let losses = losses.map(|loss| {
            let text = |key: &str| loss[key].as_str().expect("a text");
            format!("{}: {}", text("what"), text("text"))
        });
        losses.collect::<Vec<_>>()
    };
    assert_eq!(
        losses(reviewer),
        [
            "operation: filesystem \"ws\" => list",
            "target: filesystem \"ws\" / \"CHANGELOG.md\" => write",
            "operation: github \"acme/checkout\" => pull_request.write",
            "binding: environment \"CI\"",
            "limit: budget tokens_per_session = 50 (was 100)",
        ]
    );
    let scribe = &reviewer["children"][0];
    assert_eq!(losses(scribe), ["target: github \"acme/checkout\" => read"]);
    assert_eq!(scribe["bindings"][0]["value"], "inherited");
}

#[test]
fn markdown_has_all_with_links() {
    let project = bot();
    project.run(&["doc", "--out", "docs/generated"]).with(0);
    let page = project.read("docs/generated/authority.md");
    let lines = [
        "- `acme::bot`\n  - `reviewer`\n    - `scribe`\n",
        "## `acme::bot`\n\nWhat the bot may do.\n\nAsk \\*Ann\\* \\<ann@example.com\\>. It runs at night.\n",
        "Declared at [`src/lib.rs:7`](../../src/lib.rs#L7).\n",
        "| `\"ws\" / \"CHANGELOG.md\"` |  | `write` | Changed by hand. | [`src/lib.rs:11`](../../src/lib.rs#L11) |\n",
        "| credential | `provider \"github\" = \"bot\"` | [`src/lib.rs:13`](../../src/lib.rs#L13) |\n",
        "| `budget cost_per_session_usd` | 2.5 | ",
        "### Child `reviewer`\n\nReads.\n\nOperations on it: `delegate`.",
        "- target: `filesystem \"ws\" / \"CHANGELOG.md\" => write`\n",
        "#### Child `scribe`\n",
    ];
    for line in lines {
        assert!(page.contains(line), "{line}\n{page}");
    }
    assert!(!page.contains(project.path().to_str().expect("UTF-8")));
}

#[test]
fn check_fails_when_the_files_differ() {
    let project = bot();
    let check = ["doc", "--out", "docs", "--check"];
    let missing = project.run(&check).with(1);
    assert!(
        missing.starts_with("docs/authority.md is missing: "),
        "{missing}"
    );
    assert!(!project.path().join("docs").exists());
    project.run(&["doc", "--out", "docs"]).with(0);
    assert_eq!(project.run(&check).with(0), "");
    let page = project.read("docs/authority.md");
    project.write("docs/authority.md", page.replace('\n', "\r\n"));
    project.run(&check).with(0);
    project.write("docs/authority.md", page + "\nand more");
    let changed = project.run(&check).with(1);
    assert_eq!(
        changed,
        "docs/authority.md differs from the declarations: write it with `cargo authority doc`\n"
    );
    // Only the form that was asked for.
    project
        .run(&["doc", "--out", "docs", "--format", "json", "--check"])
        .with(0);
    project.write("src/lib.rs", declaration("bot"));
    assert_eq!(project.run(&check).with(1).lines().count(), FORMS);
    // Nothing is written of what has an error.
    project.write(
        "src/lib.rs",
        "authority! { mod bot { filesystem \"ws\" => raed; } }",
    );
    project.run(&["doc", "--out", "docs"]).with(2);
    assert_eq!(project.run(&["doc", "--check"]).code, 2);
}

/// The number of files that are written.
const FORMS: usize = 3;

/// A doc comment that would like to be markup, in Markdown and in HTML.
const HOSTILE: &str = r#"authority! {
    /// </p></article></script><script>alert(1)</script> <img src=x onerror=alert(2)>
    /// ``` <script>alert(3)</script> `` x ` "quotes' &lt;b&gt; ![i](https://evil.example/i.png)
    /// | cell | # no heading
    mod bot {
        /// `` <script>alert(4)</script> ` | ]]> <!-- [a](javascript:alert(5)) javascript:alert(6)
        filesystem "ws" => read;
        /// ` | ` <style>*{display:none}</style>
        subprocess "sh" ["</code><script>alert(7)</script>", "a|b`c"] in "ws" => execute;
    }
}
"#;

#[test]
fn a_hostile_comment_is_text_in_markdown() {
    let project = Project::new(&[("src/lib.rs", HOSTILE)]);
    let page = project.run(&["doc"]).with(0);
    // Outside of code spans, each sign that begins markup has a backslash before it.
    for line in page.lines() {
        let outside = outside_of_code(line);
        let mut before = ' ';
        for character in outside.chars() {
            assert!(
                before == '\\' || !matches!(character, '<' | '>') || line.starts_with("- "),
                "{line}"
            );
            before = character;
        }
        // No link and no image.
        let brackets = outside.replace("\\]", "");
        assert!(
            !brackets.contains("](") || line.contains("src/lib.rs:"),
            "{line}"
        );
        assert!(!outside.contains("!["), "{line}");
    }
    // No bar makes a column.
    let columns = |line: &str| line.replace("\\|", "").matches('|').count();
    let rows = page.lines().filter(|line| line.starts_with("| "));
    for row in rows.filter(|row| row.contains("alert") || row.contains("display")) {
        assert_eq!(columns(row), 6, "{row}");
    }
}

/// The elements of the page are those of one without any comment: a comment adds paragraphs and code.
#[test]
fn a_hostile_comment_is_text_in_html() {
    let project = Project::new(&[("src/lib.rs", HOSTILE)]);
    let page = project.run(&["doc", "--format", "html"]).with(0);
    let main = between(&page, "<main", "</main>");
    for tag in main.split('<').skip(1) {
        let name = tag.split([' ', '>', '\n']).next().expect("a name");
        let name = name.trim_start_matches('/');
        let known = [
            "main", "article", "header", "h2", "h3", "p", "div", "ul", "li", "span", "code", "a",
            "dl", "dt", "dd",
        ];
        assert!(known.contains(&name), "<{tag}");
        assert!(
            !tag.split('>').next().expect("it").contains("onerror"),
            "<{tag}"
        );
    }
    assert_eq!(page.matches("<script").count(), 1);
    assert_eq!(page.matches("</script").count(), 1);
    assert!(main.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(main.contains("<code> | </code> &lt;style&gt;*{display:none}&lt;/style&gt;"));
    assert!(main.contains(
        "<code>&quot;sh&quot; [&quot;&lt;/code&gt;&lt;script&gt;alert(7)&lt;/script&gt;&quot;, "
    ));
}

#[test]
fn the_page_stands_alone_and_is_complete() {
    let project = bot();
    project.run(&["doc", "--out", "docs"]).with(0);
    let page = project.read("docs/authority.html");
    let main = between(&page, "<main", "</main>");
    for part in [
        "<h2 id=\"d1-title\"><code>acme::bot</code></h2>\n<p class=\"doc\">What the bot may do.</p>",
        "<a href=\"../src/lib.rs#L11\">src/lib.rs:11</a>",
        "<section class=\"child\" id=\"d1-1\" aria-labelledby=\"d1-1-title\">",
        "<h3 class=\"title\" id=\"d1-1-title\">Child <code>reviewer</code></h3>",
        "<li data-entry>binding: <code>environment &quot;CI&quot;</code></li>",
        "<h4 class=\"title\" id=\"d1-1-1-title\">Child <code>scribe</code></h4>",
        "<span class=\"word\">acts</span> <code class=\"acts\">pull_request.write</code>",
    ] {
        assert!(main.contains(part), "{part}\n{main}");
    }
    // Every address is a place in the page or a file of the workspace, but for the icon, which is empty.
    let (markup, _) = page.split_once("<script>").expect("the script is last");
    for address in markup.split("href=\"").skip(1) {
        let address = address.split('"').next().expect("it");
        let id = address.strip_prefix('#').map(|id| format!("id=\"{id}\""));
        assert!(
            id.is_some_and(|id| page.contains(&id))
                || address.starts_with("../src/lib.rs#L")
                || address == "data:,",
            "{address}"
        );
    }
    assert!(!page.contains("src=\"") && !page.contains("http://") && !page.contains("https://"));
    // Without scripts there is no search that does nothing, and nothing else is hidden.
    assert!(page.contains("<form role=\"search\" hidden>"));
    assert_eq!(
        between(&page, "<body>", "<script>")
            .matches(" hidden")
            .count(),
        1
    );
    // Open and closed elements are as many.
    for name in [
        "article", "section", "header", "div", "ul", "li", "nav", "main", "dl", "p", "code",
        "span", "a",
    ] {
        let open =
            page.matches(&format!("<{name}>")).count() + page.matches(&format!("<{name} ")).count();
        assert_eq!(open, page.matches(&format!("</{name}>")).count(), "{name}");
    }
}

fn between<'p>(page: &'p str, start: &str, end: &str) -> &'p str {
    let (_, rest) = page.split_once(start).expect("the start");
    // With its start, which is an element.
    let rest = &page[page.len() - rest.len() - start.len()..];
    rest.split_once(end).expect("the end").0
}

/// A line of Markdown without its code spans, as the standard pairs the runs of back quotes.
fn outside_of_code(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        let (text, run) = rest.split_at(start);
        out.push_str(text);
        if text.ends_with('\\') {
            rest = &run[1..];
            continue;
        }
        let length = run.len() - run.trim_start_matches('`').len();
        let after = &run[length..];
        let end = closing(after, length);
        rest = end.map_or(after, |end| &after[end..]);
    }
    out + rest
}

/// The end of the next run of just this many back quotes.
fn closing(text: &str, length: usize) -> Option<usize> {
    let mut position = 0;
    while let Some(start) = text[position..].find('`') {
        let run = &text[position + start..];
        let found = run.len() - run.trim_start_matches('`').len();
        position += start + found;
        if found == length {
            return Some(position);
        }
    }
    None
}
