//! Shared by the tests, of which not each uses all.

#![allow(dead_code, unreachable_pub)]

use authority_syntax::tree::{Body, Form, Parsed};

/// Parses a source that lexes.
pub fn parsed(source: &str) -> Parsed {
    authority_syntax::parse(source.parse().expect("it lexes"))
}

/// The bodies of a call.
pub fn bodies(form: &Form) -> Vec<&Body> {
    match form {
        Form::Body(body) => vec![body],
        Form::Modules(modules) => modules.iter().map(|module| &module.body).collect(),
    }
}

/// Every message, after the text that it stands at.
pub fn messages(source: &str) -> Vec<String> {
    let parsed = parsed(source);
    let mut diagnostics = parsed.diagnostics.clone();
    for body in bodies(&parsed.form) {
        diagnostics.extend(authority_syntax::check(body).diagnostics);
    }
    let show = |diagnostic: &authority_syntax::Diagnostic| {
        let place = diagnostic.span.source_text().unwrap_or_default();
        format!("{place}: {diagnostic}")
    };
    diagnostics.iter().map(show).collect()
}
