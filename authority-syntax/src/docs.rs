//! Docs made from a declaration, in Markdown: what rustdoc shows for its module.

use std::fmt::Write as _;

use crate::codes::Code;
use authority_core::vocabulary::{ExecutionMode, KINDS, Setting, SettingRange};
use authority_core::{
    ChildCeiling, CredentialGrant, Declaration, DeclaredScope, Id, MicroDollars, Target, ToolGrant,
};

/// Docs of a root: a summary, a table a kind, bindings, limits, the tree of its children with what
/// each loses, and the digests.
pub fn root(root: &Declaration) -> String {
    let mut out = Markdown::default();
    out.paragraph(&format!("Declared root authority: {}.", summary(root)));
    out.body(root, Inherits::Nothing);
    out.children(root);
    out.digests(root);
    out.0
}

/// Docs of a child's block, with what it loses against its parent.
pub fn child(ceiling: &ChildCeiling, parent: &Declaration) -> String {
    let child = ceiling.declaration();
    let mut out = Markdown::default();
    out.paragraph(&format!("Declared ceiling of a child: {}.", summary(child)));
    out.paragraph("What is inherited is taken from the parent as it is when the child is made.");
    out.body(child, Inherits::FromParent);
    let losses = losses(child, parent);
    if !losses.is_empty() {
        out.heading("Loses against its parent");
        out.list(0, &losses);
        out.0.push('\n');
    }
    out.children(child);
    out.digests(child);
    out.0
}

/// The page of error codes: what each means, with a wrong and a right example.
pub fn errors() -> String {
    let mut out = Markdown::default();
    out.heading("Error codes of `authority!`");
    out.paragraph(
        "Every message ends in one of these codes. A code is stable and never reused. This page is made from \
         the catalogue in `authority-syntax/src/codes.rs`; a test compares them.",
    );
    for code in Code::ALL {
        out.code(*code);
    }
    out.0.trim_end().to_owned() + "\n"
}

/// What one code means: its part of the page of error codes.
pub fn error(code: Code) -> String {
    let mut out = Markdown::default();
    out.code(code);
    out.0.trim_end().to_owned() + "\n"
}

/// A code span of any text, which may stand in a cell of a table.
pub fn code_span(text: &str) -> String {
    code(text)
}

/// A doc comment as one line of Markdown, which may stand in a cell of a table: code spans and links
/// are kept, and nothing else in it is markup.
pub fn inline(doc: &str) -> String {
    note(doc)
}

/// Characters that do not show are written as escapes.
fn escape_invisible(text: &str) -> String {
    text.chars()
        .map(|character| {
            if character == '\u{200b}' {
                "\\u{200B}".to_owned()
            } else {
                character.to_string()
            }
        })
        .collect()
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Inherits {
    Nothing,
    FromParent,
}

#[derive(Default)]
struct Markdown(String);

impl Markdown {
    fn paragraph(&mut self, text: &str) {
        self.0.push_str(text);
        self.0.push_str("\n\n");
    }

    fn heading(&mut self, text: &str) {
        self.paragraph(&format!("# {text}"));
    }

    fn code(&mut self, code: Code) {
        self.paragraph(&format!("## {code}: {}", code.title()));
        self.paragraph(code.explanation());
        // A text of 4,097 letters is no example to read.
        let wrong = code
            .wrong()
            .replace(&"x".repeat(4097), "xxxx… (4,097 letters)");
        self.paragraph(&format!(
            "Wrong:\n\n```text\n{}\n```",
            escape_invisible(&wrong)
        ));
        self.paragraph(&format!("Right:\n\n```text\n{}\n```", code.right()));
    }

    fn row<S: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.0.push('|');
        for cell in cells {
            self.0.push(' ');
            self.0.push_str(cell.as_ref());
            self.0.push_str(" |");
        }
        self.0.push('\n');
    }

    fn table<const N: usize>(
        &mut self,
        head: [&str; N],
        rows: impl IntoIterator<Item = [String; N]>,
    ) {
        self.row(head);
        self.row(["---"; N]);
        for row in rows {
            self.row(row);
        }
        self.0.push('\n');
    }

    fn list(&mut self, depth: usize, items: &[String]) {
        for item in items {
            let _ = writeln!(self.0, "{:indent$}- {item}", "", indent = depth * 2);
        }
    }

    fn body(&mut self, body: &Declaration, inherits: Inherits) {
        self.heading("Targets");
        for row in KINDS {
            let scopes: Vec<_> = body
                .scopes()
                .filter(|scope| scope.operations().kind() == row.kind)
                .collect();
            if !scopes.is_empty() {
                self.paragraph(&format!("**{}**: {}", row.title, row.about));
                self.scopes(&scopes);
            }
        }
        self.heading("Bindings");
        let default = if inherits == Inherits::Nothing {
            "none"
        } else {
            "inherited"
        };
        let mut rows = Vec::new();
        rows.push([
            "credentials".to_owned(),
            listed(body.credentials(), default, credential),
        ]);
        rows.push(["tools".to_owned(), listed(body.tools(), default, tool)]);
        rows.push([
            "environment".to_owned(),
            listed(body.environment(), default, |id| code(id.as_str())),
        ]);
        let mode = body
            .execution_mode()
            .or((inherits == Inherits::Nothing).then_some(ExecutionMode::Sandboxed));
        let mode = mode.map_or_else(
            || "inherited".to_owned(),
            |mode| format!("{}: {}", code(mode.name()), mode.about()),
        );
        rows.push(["execution".to_owned(), mode]);
        self.table(["Binding", "Value"], rows);
        let limits = Setting::ALL.iter().filter_map(|setting| {
            let value = body.settings().value(*setting)?;
            Some([
                code(setting.name()),
                number(*setting, value),
                setting.about().to_owned(),
            ])
        });
        let limits: Vec<_> = limits.collect();
        if !limits.is_empty() {
            self.heading("Limits");
            self.table(["Setting", "At most", "Bounds"], limits);
        }
    }

    /// The scopes of one kind, without the columns that would be empty.
    fn scopes(&mut self, scopes: &[DeclaredScope<'_>]) {
        let head = ["Target", "Looks", "Acts", "Note", "Scope"];
        let rows: Vec<_> = scopes.iter().map(|scope| scope_row(*scope)).collect();
        let shown = |column: &usize| rows.iter().any(|row| !row[*column].is_empty());
        let columns: Vec<_> = (0..head.len()).filter(shown).collect();
        self.row(columns.iter().map(|column| head[*column]));
        self.row(columns.iter().map(|_| "---"));
        for row in &rows {
            self.row(columns.iter().map(|column| &row[*column]));
        }
        self.0.push('\n');
    }

    fn children(&mut self, body: &Declaration) {
        if body.children().next().is_none() {
            return;
        }
        self.heading("Children");
        self.child_items(body, 0);
        self.0.push('\n');
    }

    fn child_items(&mut self, parent: &Declaration, depth: usize) {
        for (agent, ceiling) in parent.children() {
            let scope = parent.scopes().find(|scope| is_agent(*scope, &agent));
            let operations = scope.map_or_else(String::new, |scope| operations(scope, |_| true));
            let note = scope.map_or_else(String::new, |scope| note(scope.origin().doc));
            let mut item = format!("{} ({operations})", code(agent.as_str()));
            if !note.is_empty() {
                let _ = write!(item, ": {note}");
            }
            self.list(depth, &[item]);
            let losses = losses(ceiling.declaration(), parent);
            if losses.is_empty() {
                self.list(depth + 1, &["loses nothing".to_owned()]);
            } else {
                self.list(depth + 1, &["loses".to_owned()]);
                self.list(depth + 2, &losses);
            }
            self.child_items(ceiling.declaration(), depth + 1);
        }
    }

    fn digests(&mut self, body: &Declaration) {
        self.heading("Digests");
        let rows = [
            [
                "ceiling".to_owned(),
                code(&body.ceiling_sha256().to_string()),
            ],
            [
                "declaration".to_owned(),
                code(&body.declaration_sha256().to_string()),
            ],
        ];
        self.table(["Of", "SHA-256"], rows);
    }
}

fn summary(body: &Declaration) -> String {
    let targets = body.scopes().count();
    let acting = body
        .scopes()
        .filter(|scope| !scope.operations().is_read_only())
        .count();
    let children = body.children().count();
    let mut text = format!("{}, {acting} of which can act", count(targets, "target"));
    if children > 0 {
        let _ = write!(
            text,
            ", and {}",
            count(children, "child").replace("childs", "children")
        );
    }
    text
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn scope_row(scope: DeclaredScope<'_>) -> [String; 5] {
    [
        code(&target(scope)),
        operations(scope, |read_only| read_only),
        operations(scope, |read_only| !read_only),
        note(scope.origin().doc),
        format!("`{}…`", &scope.sha256().to_hex()[..12]),
    ]
}

/// The target as the DSL writes it, without its keyword: the table's title has it.
fn target(scope: DeclaredScope<'_>) -> String {
    let entry = scope.to_string();
    let text = entry
        .rsplit_once(" => ")
        .map_or(entry.as_str(), |(target, _)| target);
    text.split_once(' ')
        .map_or(text, |(_, target)| target)
        .to_owned()
}

fn operations(scope: DeclaredScope<'_>, include: impl Fn(bool) -> bool) -> String {
    let mut out = String::new();
    for operation in scope.operations().iter() {
        if include(operation.is_read_only()) {
            out.push_str(if out.is_empty() { "`" } else { " `" });
            out.push_str(operation.name());
            out.push('`');
        }
    }
    out
}

fn is_agent(scope: DeclaredScope<'_>, agent: &Id<'_>) -> bool {
    matches!(scope.target(), Target::ChildAgent(target) if target.agent == *agent)
}

fn listed<T>(
    items: Option<impl Iterator<Item = T>>,
    default: &str,
    show: impl Fn(T) -> String,
) -> String {
    let Some(items) = items else {
        return default.to_owned();
    };
    let items: Vec<_> = items.map(show).collect();
    if items.is_empty() {
        "none".to_owned()
    } else {
        items.join(", ")
    }
}

fn credential(grant: &CredentialGrant) -> String {
    let binding = grant
        .binding
        .as_ref()
        .map_or_else(|| "no credential".to_owned(), |id| code(id.as_str()));
    format!(
        "{} {}: {binding}",
        grant.target.kind_name(),
        code(grant.target.id().as_str())
    )
}

fn tool(grant: &ToolGrant) -> String {
    format!(
        "{}: {}",
        code(grant.id.as_str()),
        code(&grant.binding.to_string())
    )
}

fn number(setting: Setting, value: u64) -> String {
    match setting.range() {
        SettingRange::Money => MicroDollars::new(value).to_string(),
        SettingRange::U32 | SettingRange::U64 => value.to_string(),
    }
}

/// What a child does not get of what its parent holds, a line each.
fn losses(child: &Declaration, parent: &Declaration) -> Vec<String> {
    let mut losses = Vec::new();
    for held in parent.scopes() {
        let shown = format!("{} {}", held.operations().kind().name(), target(held));
        match child.scopes().find(|scope| scope.target() == held.target()) {
            None if matches!(held.target(), Target::ChildAgent(_)) => {}
            None => losses.push(code(&shown)),
            Some(kept) => {
                if let Some(lost) = held.operations().difference(kept.operations()) {
                    losses.push(format!("{} of {}", code(&lost.to_string()), code(&shown)));
                }
            }
        }
    }
    lost_items(
        &mut losses,
        "credential",
        parent.credentials(),
        child.credentials(),
        credential,
    );
    lost_items(&mut losses, "tool", parent.tools(), child.tools(), tool);
    let entry = |id: &Id<'_>| code(id.as_str());
    lost_items(
        &mut losses,
        "environment",
        parent.environment(),
        child.environment(),
        entry,
    );
    for setting in Setting::ALL {
        let (own, held) = (
            child.settings().value(*setting),
            parent.settings().value(*setting),
        );
        if let Some(own) = own.filter(|own| held.is_none_or(|held| *own < held)) {
            let held = held.map_or_else(|| "unbounded".to_owned(), |held| number(*setting, held));
            losses.push(format!(
                "{}: {} instead of {held}",
                code(setting.name()),
                number(*setting, own)
            ));
        }
    }
    losses
}

fn lost_items<'a, T: PartialEq + 'a>(
    losses: &mut Vec<String>,
    what: &str,
    parent: Option<impl Iterator<Item = &'a T>>,
    child: Option<impl Iterator<Item = &'a T>>,
    show: impl Fn(&T) -> String,
) {
    let Some(child) = child else { return };
    let kept: Vec<_> = child.collect();
    let lost = parent
        .into_iter()
        .flatten()
        .filter(|item| !kept.contains(item));
    losses.extend(lost.map(|item| format!("{what} {}", show(item))));
}

/// A code span that holds any text, also in a table's cell.
fn code(text: &str) -> String {
    let has = |sign: u8| text.as_bytes().contains(&sign);
    if !has(b'`') && !has(b'|') {
        return format!("`{text}`");
    }
    let longest = text
        .split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{space}{}{space}{fence}", text.replace('|', "\\|"))
}

/// A doc comment in one cell: code spans are kept, and nothing else in it is markup.
fn note(doc: &str) -> String {
    let line = doc.split_whitespace().collect::<Vec<_>>().join(" ");
    let parts: Vec<_> = line.split('`').collect();
    // Longer fences pair in another way, and would let out what stands between them.
    let balanced = parts.len() % 2 == 1 && !line.contains("``");
    let mut out = String::new();
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            out.push_str(if balanced { "`" } else { "\\`" });
        }
        if balanced && index % 2 == 1 {
            out.push_str(&part.replace('|', "\\|"));
        } else {
            for word in part.split_inclusive(' ') {
                push_word(&mut out, word);
            }
        }
    }
    out
}

fn push_word(out: &mut String, word: &str) {
    if word.starts_with("https://") || word.starts_with("http://") {
        let url = word.trim_end_matches([' ', '.', ',', ';', ':', ')']);
        let _ = write!(out, "<{}>", url.replace('|', "%7C").replace(['<', '>'], ""));
        out.push_str(&word[url.len()..]);
        return;
    }
    for character in word.chars() {
        if matches!(
            character,
            '|' | '[' | ']' | '<' | '>' | '*' | '_' | '\\' | '#' | '&' | '~'
        ) {
            out.push('\\');
        }
        out.push(character);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_comment_is_markup_but_code_spans_and_links() {
        assert_eq!(
            inline("See `a|b` and\n  <https://docs.rs>, *not* <b>"),
            "See `a\\|b` and \\<https://docs.rs\\>, \\*not\\* \\<b\\>"
        );
        assert_eq!(
            inline("https://docs.rs, at once"),
            "<https://docs.rs>, at once"
        );
        assert_eq!(inline("one ` <i>"), "one \\` \\<i\\>");
        // CommonMark pairs `` ``` `` with nothing here, and would take the tag for one.
        assert_eq!(inline("``` <i> `` x `"), "\\`\\`\\` \\<i\\> \\`\\` x \\`");
    }
}
