//! The documentation as Markdown.

use std::fmt::Write as _;

use authority_syntax::docs::{code_span, inline};

use crate::doc::links::Links;
use crate::doc::model::{Body, Child, Document, Entry, Root};

/// One page. Nothing of a declaration is markup in it but the code spans of doc comments.
pub(crate) fn markdown(document: &Document, links: &Links) -> String {
    let mut page = Page {
        out: String::new(),
        links,
        file: "",
    };
    page.paragraph("# Declared authority");
    page.paragraph(
        "Made by `cargo authority doc` from the declarations in the sources. What is not listed is not granted.",
    );
    for root in &document.declarations {
        let _ = writeln!(page.out, "- {}", code_span(&root.name));
        page.tree(&root.body.children, 1);
    }
    page.out.push('\n');
    for root in &document.declarations {
        page.root(root);
    }
    page.out.truncate(page.out.trim_end().len());
    page.out.push('\n');
    page.out
}

struct Page<'d> {
    out: String,
    links: &'d Links,
    /// The file of the declaration that is written.
    file: &'d str,
}

impl<'d> Page<'d> {
    fn root(&mut self, root: &'d Root) {
        self.file = &root.file;
        self.heading(2, &code_span(&root.name));
        self.doc(&root.doc);
        let place = self.place(Some(root.line));
        self.paragraph(&format!("Declared at {place}."));
        self.body(&root.body, 2);
    }

    fn child(&mut self, child: &'d Child, level: usize) {
        let title = format!("Child {}", code_span(&child.agent));
        self.heading(level, &title);
        self.doc(&child.doc);
        let (operations, place) = (spans(&child.operations), self.place(Some(child.line)));
        self.paragraph(&format!(
            "Operations on it: {operations}. Declared at {place}."
        ));
        if child.loses.is_empty() {
            self.paragraph("Loses nothing against its parent.");
        } else {
            self.paragraph("**Loses against its parent:**");
            for loss in &child.loses {
                let what = loss.what.replace('_', " ");
                let _ = writeln!(self.out, "- {what}: {}", code_span(&loss.text));
            }
            self.out.push('\n');
        }
        self.body(&child.body, level);
    }

    fn body(&mut self, body: &'d Body, level: usize) {
        for group in &body.targets {
            self.paragraph(&format!("**{}**: {}", group.title, group.about));
            self.row(["Target", "Looks", "Acts", "Note", "Source"]);
            self.row(["---"; 5]);
            for entry in &group.entries {
                let cells = self.entry(entry);
                self.row(cells);
            }
            self.out.push('\n');
        }
        self.row(["Binding", "Value", "Source"]);
        self.row(["---"; 3]);
        for binding in &body.bindings {
            let place = self.place(binding.line);
            self.row([binding.kind, &code_span(&binding.value), &place]);
        }
        self.out.push('\n');
        if !body.limits.is_empty() {
            self.row(["Limit", "At most", "Bounds", "Source"]);
            self.row(["---"; 4]);
            for limit in &body.limits {
                let name = code_span(&format!("{} {}", limit.group, limit.name));
                let place = self.place(limit.line);
                self.row([&name, &limit.at_most, limit.about, &place]);
            }
            self.out.push('\n');
        }
        self.paragraph(&format!(
            "Ceiling `sha256:{}`, declaration `sha256:{}`.",
            body.ceiling_sha256, body.declaration_sha256
        ));
        for child in &body.children {
            self.child(child, level + 1);
        }
    }

    fn entry(&self, entry: &Entry) -> [String; 5] {
        let delegable = if entry.delegable { " (delegable)" } else { "" };
        [
            code_span(&entry.target) + delegable,
            spans(&entry.looks),
            spans(&entry.acts),
            inline(&entry.doc),
            self.place(Some(entry.line)),
        ]
    }

    fn tree(&mut self, children: &[Child], depth: usize) {
        for child in children {
            let indent = "  ".repeat(depth);
            let _ = writeln!(self.out, "{indent}- {}", code_span(&child.agent));
            self.tree(&child.body.children, depth + 1);
        }
    }

    fn heading(&mut self, level: usize, title: &str) {
        // There are six levels.
        self.paragraph(&format!("{} {title}", "#".repeat(level.min(6))));
    }

    fn paragraph(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push_str("\n\n");
    }

    fn doc(&mut self, doc: &str) {
        for paragraph in doc.split("\n\n").filter(|paragraph| !paragraph.is_empty()) {
            self.paragraph(&inline(paragraph));
        }
    }

    fn row<S: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.out.push('|');
        for cell in cells {
            let _ = write!(self.out, " {} |", cell.as_ref());
        }
        self.out.push('\n');
    }

    /// A link to a line of the file, or its name where there is no link.
    fn place(&self, line: Option<usize>) -> String {
        let Some(line) = line else {
            return String::new();
        };
        let name = code_span(&format!("{}:{line}", self.file));
        match self.links.to(self.file, line) {
            Some(address) => format!("[{name}]({address})"),
            None => name,
        }
    }
}

fn spans(operations: &[&str]) -> String {
    let spans: Vec<_> = operations.iter().map(|name| code_span(name)).collect();
    spans.join(" ")
}
