//! The documentation as one page of HTML that needs nothing else, and no scripts to be read.

use std::fmt::Write as _;

use crate::doc::links::Links;
use crate::doc::model::{Binding, Body, Child, Document, Entry, Group, Limit, Root};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Nothing is loaded and nothing is sent, whatever stands in the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      img-src data:; base-uri 'none'; form-action 'none'";

/// The page.
pub(crate) fn html(document: &Document, links: &Links) -> String {
    let mut page = Page {
        out: String::new(),
        links,
        file: "",
    };
    page.head();
    page.side(document);
    page.out.push_str("<main id=\"content\" tabindex=\"-1\">\n");
    page.out.push_str(
        "<p class=\"intro\">Made by <code>cargo authority doc</code> from the declarations in the sources. \
         What is not listed is not granted.</p>\n",
    );
    for (number, root) in document.declarations.iter().enumerate() {
        page.root(root, &anchor(number));
    }
    let _ = write!(
        page.out,
        "</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    );
    page.out
}

/// The id of a declaration. A child's is its parent's with another number.
fn anchor(number: usize) -> String {
    format!("d{}", number + 1)
}

fn child_anchor(parent: &str, number: usize) -> String {
    format!("{parent}-{}", number + 1)
}

struct Page<'d> {
    out: String,
    links: &'d Links,
    /// The file of the declaration that is written.
    file: &'d str,
}

impl<'d> Page<'d> {
    fn head(&mut self) {
        let _ = write!(
            self.out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
             <title>Declared authority</title>\n<link rel=\"icon\" href=\"data:,\">\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n"
        );
    }

    /// The search, which only the script shows, and the tree.
    fn side(&mut self, document: &Document) {
        self.out.push_str(
            "<header class=\"side\"><div>\n<h1>Declared authority</h1>\n\
             <form role=\"search\" hidden>\n<label for=\"search\">Search</label>\n\
             <input id=\"search\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\" aria-describedby=\"found\">\n\
             <p id=\"found\" class=\"hint\" role=\"status\" data-hint=\"Press / to search, Escape to clear\"></p>\n\
             </form>\n<nav aria-label=\"Declarations and their children\">\n<ul>\n",
        );
        for (number, root) in document.declarations.iter().enumerate() {
            self.branch(&root.name, &anchor(number), &root.body.children);
        }
        self.out.push_str("</ul>\n</nav>\n</div></header>\n");
    }

    fn branch(&mut self, name: &str, id: &str, children: &[Child]) {
        let name = code(name);
        let _ = write!(self.out, "<li><a href=\"#{id}\">{name}</a>");
        if !children.is_empty() {
            self.out.push_str("\n<ul>\n");
            for (number, child) in children.iter().enumerate() {
                let id = child_anchor(id, number);
                self.branch(&child.agent, &id, &child.body.children);
            }
            self.out.push_str("</ul>\n");
        }
        self.out.push_str("</li>\n");
    }

    fn root(&mut self, root: &'d Root, id: &str) {
        self.file = &root.file;
        let name = code(&root.name);
        let _ = write!(
            self.out,
            "<article id=\"{id}\" aria-labelledby=\"{id}-title\">\n<header>\n<h2 id=\"{id}-title\">{name}</h2>\n"
        );
        self.doc(&root.doc);
        let place = self.place(root.line);
        let _ = write!(
            self.out,
            "<p class=\"facts\">Declared at {place}</p>\n</header>\n"
        );
        self.body(&root.body, id, 3);
        self.out.push_str("</article>\n");
    }

    fn child(&mut self, child: &'d Child, id: &str, level: usize) {
        let (name, place) = (code(&child.agent), self.place(child.line));
        let operations: Vec<_> = child.operations.iter().map(|name| code(name)).collect();
        let operations = operations.join(", ");
        let heading = heading(level);
        let _ = write!(
            self.out,
            "<section class=\"child\" id=\"{id}\" aria-labelledby=\"{id}-title\">\n<header>\n\
             <{heading} class=\"title\" id=\"{id}-title\">Child {name}</{heading}>\n"
        );
        self.doc(&child.doc);
        let _ = write!(
            self.out,
            "<p class=\"facts\">Operations on it: {operations} · Declared at {place}</p>\n</header>\n"
        );
        if child.loses.is_empty() {
            self.out
                .push_str("<p class=\"facts\">Loses nothing against its parent.</p>\n");
        } else {
            self.group(
                "Loses against its parent",
                "What the parent holds and the child does not.",
                level + 1,
            );
            self.out.push_str("<ul class=\"losses\">\n");
            for loss in &child.loses {
                let (what, text) = (loss.what.replace('_', " "), code(&loss.text));
                let _ = writeln!(self.out, "<li data-entry>{what}: {text}</li>");
            }
            self.out.push_str("</ul>\n</div>\n");
        }
        self.body(&child.body, id, level + 1);
        self.out.push_str("</section>\n");
    }

    fn body(&mut self, body: &'d Body, id: &str, level: usize) {
        for group in &body.targets {
            self.targets(group, level);
        }
        let about = "What is used where a target needs it.";
        self.group("Bindings", about, level);
        self.out.push_str("<ul class=\"entries\">\n");
        for binding in &body.bindings {
            self.binding(binding);
        }
        self.out.push_str("</ul>\n</div>\n");
        if !body.limits.is_empty() {
            self.group("Limits", "Numbers that nothing goes beyond.", level);
            self.out.push_str("<ul class=\"entries\">\n");
            for limit in &body.limits {
                self.limit(limit);
            }
            self.out.push_str("</ul>\n</div>\n");
        }
        let _ = write!(
            self.out,
            "<dl class=\"digests\">\n<dt>Ceiling</dt><dd><code>sha256:{}</code></dd>\n\
             <dt>Declaration</dt><dd><code>sha256:{}</code></dd>\n</dl>\n",
            body.ceiling_sha256, body.declaration_sha256
        );
        for (number, child) in body.children.iter().enumerate() {
            self.child(child, &child_anchor(id, number), level);
        }
    }

    /// Opens a group of entries.
    fn group(&mut self, title: &str, about: &str, level: usize) {
        let (heading, title, about) = (heading(level), escape(title), escape(about));
        let _ = write!(
            self.out,
            "<div class=\"group\">\n<{heading} class=\"title\">{title}</{heading}>\n<p class=\"about\">{about}</p>\n"
        );
    }

    fn targets(&mut self, group: &Group, level: usize) {
        self.group(group.title, group.about, level);
        self.out.push_str("<ul class=\"entries\">\n");
        for entry in &group.entries {
            self.entry(entry);
        }
        self.out.push_str("</ul>\n</div>\n");
    }

    fn entry(&mut self, entry: &Entry) {
        let target = code(&entry.target);
        let delegable = if entry.delegable {
            " <span class=\"mark\">delegable</span>"
        } else {
            ""
        };
        let digest = &entry.scope_sha256;
        let _ = write!(
            self.out,
            "<li data-entry>\n<div class=\"name\" title=\"sha256:{digest}\">{target}{delegable}</div>\n\
             <div class=\"operations\">"
        );
        for (word, operations) in [("looks", &entry.looks), ("acts", &entry.acts)] {
            if operations.is_empty() {
                continue;
            }
            let _ = write!(self.out, "<span class=\"word\">{word}</span> ");
            for name in operations {
                let name = escape(name);
                let _ = write!(self.out, "<code class=\"{word}\">{name}</code> ");
            }
        }
        self.out.push_str("</div>\n");
        self.doc(&entry.doc);
        self.source(Some(entry.line));
        self.out.push_str("</li>\n");
    }

    fn binding(&mut self, binding: &Binding) {
        let value = match binding.value.as_str() {
            word @ ("none" | "inherited") => word.to_owned(),
            value => code(value),
        };
        let _ = writeln!(
            self.out,
            "<li data-entry>\n<div><span class=\"name\">{}</span> {value}</div>",
            binding.kind
        );
        self.source(binding.line);
        self.out.push_str("</li>\n");
    }

    fn limit(&mut self, limit: &Limit) {
        let name = code(&format!("{} {}", limit.group, limit.name));
        let (at_most, about) = (escape(&limit.at_most), escape(limit.about));
        let _ = writeln!(
            self.out,
            "<li data-entry>\n<div><span class=\"name\">{name}</span> at most {at_most}</div>\n\
             <p class=\"doc\">{about}</p>"
        );
        self.source(limit.line);
        self.out.push_str("</li>\n");
    }

    /// A doc comment: paragraphs, with its code spans.
    fn doc(&mut self, doc: &str) {
        for paragraph in doc.split("\n\n").filter(|paragraph| !paragraph.is_empty()) {
            let text = prose(paragraph);
            let _ = writeln!(self.out, "<p class=\"doc\">{text}</p>");
        }
    }

    fn source(&mut self, line: Option<usize>) {
        if let Some(line) = line {
            let place = self.place(line);
            let _ = writeln!(self.out, "<div class=\"source\">{place}</div>");
        }
    }

    /// A link to a line of the file, or its name where there is no link.
    fn place(&self, line: usize) -> String {
        let name = escape(&format!("{}:{line}", self.file));
        match self.links.to(self.file, line) {
            Some(address) => format!("<a href=\"{}\">{name}</a>", escape(&address)),
            None => name,
        }
    }
}

/// There are six levels.
fn heading(level: usize) -> String {
    format!("h{}", level.min(6))
}

fn code(text: &str) -> String {
    format!("<code>{}</code>", escape(text))
}

/// Text with its code spans, when every back quote stands alone and has another.
fn prose(text: &str) -> String {
    let parts: Vec<_> = text.split('`').collect();
    if parts.len() % 2 == 0 || text.contains("``") {
        return escape(text);
    }
    let parts = parts.iter().enumerate();
    parts
        .map(|(index, part)| match index % 2 {
            0 => escape(part),
            _ => code(part),
        })
        .collect()
}

/// Text for the content of an element, or for a quoted attribute.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_text() {
        assert_eq!(
            escape("<b a=\"1\" c='2'>&amp;</b>"),
            "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;&lt;/b&gt;"
        );
        assert_eq!(prose("a `<b>` & c"), "a <code>&lt;b&gt;</code> &amp; c");
        assert_eq!(prose("a ` <b>"), "a ` &lt;b&gt;");
        assert_eq!(prose("`` <b> ``"), "`` &lt;b&gt; ``");
    }

    /// The script and the style end where they should.
    #[test]
    fn what_is_put_in_has_no_end_of_its_own() {
        assert!(!SCRIPT.contains("</") && !SCRIPT.contains("<!--"));
        assert!(!STYLE.contains("</"));
        for word in ["http:", "https:", "url(", "@import", "fetch", "src="] {
            assert!(!SCRIPT.contains(word) && !STYLE.contains(word), "{word}");
        }
    }
}
