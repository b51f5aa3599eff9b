//! Results as JSON.

use serde::Serialize;

use crate::error::Error;
use crate::finding::Finding;
use crate::source::Workspace;

/// `{"declarations":N,"diagnostics":[…]}`
#[derive(Serialize)]
pub(crate) struct Check<'w> {
    declarations: usize,
    diagnostics: Vec<Diagnostic<'w>>,
}

#[derive(Serialize)]
struct Diagnostic<'w> {
    code: &'static str,
    severity: &'static str,
    message: &'w str,
    help: &'w str,
    file: &'w str,
    line: usize,
    column: usize,
}

impl<'w> Check<'w> {
    pub(crate) fn of(workspace: &'w Workspace, findings: &'w [Finding]) -> Self {
        let diagnostics = findings.iter().map(|finding| Diagnostic {
            code: finding.code,
            severity: finding.severity.name(),
            message: &finding.message,
            help: &finding.help,
            file: workspace.path(&finding.place),
            line: finding.place.line,
            column: finding.place.column,
        });
        Check {
            declarations: workspace.declarations.len(),
            diagnostics: diagnostics.collect(),
        }
    }
}

/// One line of JSON.
pub(crate) fn line(value: &impl Serialize) -> Result<String, Error> {
    let mut line = serde_json::to_string(value).map_err(|error| Error::Output(error.into()))?;
    line.push('\n');
    Ok(line)
}

/// JSON text with a member a line, two spaces a level. What it means is not touched.
pub(crate) fn indented(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth = 0;
    let mut characters = json.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' => {
                out.push('"');
                while let Some(inner) = characters.next() {
                    out.push(inner);
                    match inner {
                        '\\' => out.extend(characters.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '{' | '[' => {
                out.push(character);
                if let Some(end) = characters.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(end);
                } else {
                    depth += 1;
                    new_line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth -= 1;
                new_line(&mut out, depth);
                out.push(character);
            }
            ',' => {
                out.push(',');
                new_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            white if white.is_whitespace() => {}
            other => out.push(other),
        }
    }
    out.push('\n');
    out
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout() {
        assert_eq!(
            indented(r#"{"a":[1,{"b":"x, \"{y"}],"c":{},"d":[]}"#),
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"x, \\\"{y\"\n    }\n  ],\n  \"c\": {},\n  \"d\": []\n}\n"
        );
    }
}
