//! Findings for people: the source line with a caret.

use std::io::IsTerminal;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::finding::{Finding, Severity};
use crate::source::Workspace;

/// Whether a stream is shown in colour: only on a terminal, and not when `NO_COLOR` is set.
pub(crate) fn is_coloured(stream: &impl IsTerminal) -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    stream.is_terminal() && !is_set("NO_COLOR") && !is_dumb
}

/// Findings with their source lines, one after the other.
pub(crate) fn findings(workspace: &Workspace, findings: &[Finding], coloured: bool) -> String {
    let renderer = if coloured {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut out = String::new();
    for finding in findings {
        out.push_str(&finding_text(workspace, finding, &renderer));
        out.push_str("\n\n");
    }
    out
}

fn finding_text(workspace: &Workspace, finding: &Finding, renderer: &Renderer) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let file = &workspace.files[finding.place.file];
    let excerpt = Excerpt::of(&file.text, &finding.place.range);
    let snippet = Snippet::source(excerpt.text)
        .path(file.shown.as_str())
        .line_start(excerpt.line)
        .annotation(AnnotationKind::Primary.span(excerpt.range));
    let mut group = level
        .primary_title(finding.message.as_str())
        .id(finding.code)
        .element(snippet);
    if !finding.help.is_empty() {
        group = group.element(Level::HELP.message(finding.help.as_str()));
    }
    renderer.render(&[group])
}

/// The lines that a place lies in.
struct Excerpt<'t> {
    text: &'t str,
    /// Number of the first line.
    line: usize,
    /// The place within the text.
    range: std::ops::Range<usize>,
}

impl<'t> Excerpt<'t> {
    fn of(text: &'t str, range: &std::ops::Range<usize>) -> Self {
        let from = range.start.min(text.len());
        let to = range.end.clamp(from, text.len());
        let start = text[..from].rfind('\n').map_or(0, |at| at + 1);
        let end = text[to..].find('\n').map_or(text.len(), |at| to + at);
        Excerpt {
            text: &text[start..end],
            line: text[..start].matches('\n').count() + 1,
            range: from - start..to - start,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts() {
        let text = "one\ntwo\nthree";
        let excerpt = Excerpt::of(text, &(5..6));
        assert_eq!(
            (excerpt.text, excerpt.line, excerpt.range),
            ("two", 2, 1..2)
        );
        let excerpt = Excerpt::of(text, &(5..9));
        assert_eq!(
            (excerpt.text, excerpt.line, excerpt.range),
            ("two\nthree", 2, 1..5)
        );
        let excerpt = Excerpt::of("", &(3..4));
        assert_eq!((excerpt.text, excerpt.line, excerpt.range), ("", 1, 0..0));
    }
}
