//! Results as SARIF 2.1.0, which code hosts show at the lines of a change.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// One result.
pub(crate) struct Entry<'r> {
    pub(crate) rule: &'r str,
    pub(crate) level: &'static str,
    pub(crate) message: String,
    /// Relative to the root of the workspace.
    pub(crate) file: &'r str,
    pub(crate) line: usize,
    /// In characters, where it is known.
    pub(crate) column: Option<usize>,
}

/// A rule that results refer to.
pub(crate) struct Rule {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) explanation: String,
}

/// A log of one run.
pub(crate) fn log(rules: &[Rule], entries: &[Entry<'_>]) -> Value {
    let described = rules.iter().map(|rule| {
        json!({
            "id": rule.id,
            "shortDescription": { "text": rule.title },
            "fullDescription": { "text": rule.explanation },
        })
    });
    let results = entries.iter().map(|entry| {
        let mut region = json!({ "startLine": entry.line.max(1) });
        if let Some(column) = entry.column {
            region["startColumn"] = json!(column);
        }
        let mut result = json!({
            "ruleId": entry.rule,
            "level": entry.level,
            "message": { "text": entry.message },
            "locations": [{
                "physicalLocation": {
                    "artifactLocation": { "uri": uri(entry.file), "uriBaseId": "SRCROOT" },
                    "region": region,
                },
            }],
        });
        if let Some(index) = rules.iter().position(|rule| rule.id == entry.rule) {
            result["ruleIndex"] = json!(index);
        }
        result
    });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "cargo-authority",
                    "version": env!("CARGO_PKG_VERSION"),
                    "rules": described.collect::<Vec<_>>(),
                },
            },
            "columnKind": "unicodeCodePoints",
            "results": results.collect::<Vec<_>>(),
        }],
    })
}

/// A relative path as a URI reference (RFC 3986): what it may not hold is percent-encoded.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
