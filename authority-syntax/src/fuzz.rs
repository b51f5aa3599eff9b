//! The property that the fuzz target and a property test check.

use proc_macro2::TokenStream;

use crate::tree::{Body, Form};
use crate::{Checked, check, parse, print};

/// Parses and checks any tokens: nothing panics, every error says what to write, and what is
/// accepted prints to text that is accepted and means the same.
///
/// # Panics
///
/// When the property does not hold.
#[doc(hidden)]
pub fn fuzz(tokens: TokenStream) {
    let parsed = parse(tokens);
    match &parsed.form {
        Form::Body(body) => body_round_trips(body),
        Form::Modules(modules) => modules
            .iter()
            .for_each(|module| body_round_trips(&module.body)),
    }
}

fn body_round_trips(body: &Body) {
    let Checked {
        diagnostics,
        permissions,
        draft,
    } = check(body);
    for diagnostic in &diagnostics {
        assert!(
            !diagnostic.message.is_empty() && !diagnostic.message.contains('\n'),
            "{diagnostic}"
        );
        assert!(!diagnostic.help.is_empty(), "{diagnostic}");
    }
    let Some(permissions) = permissions else {
        assert!(!diagnostics.is_empty());
        return;
    };
    let text = print(&draft);
    let tokens = text.parse().expect("what is printed lexes");
    let Form::Body(again) = parse(tokens).form else {
        panic!("what is printed is entries")
    };
    let again = check(&again);
    assert!(
        again.diagnostics.is_empty(),
        "{:?} in\n{text}",
        again.diagnostics
    );
    assert_eq!(again.permissions.as_ref(), Some(&permissions), "{text}");
    assert_eq!(again.draft.docs, draft.docs, "{text}");
    assert_eq!(print(&again.draft), text);
}
