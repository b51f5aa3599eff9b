//! Declarations: any text that lexes is parsed and checked without a panic, and what is accepted
//! prints to text that is accepted and means the same.
#![no_main]

use authority_syntax::tree::{Body, Form};
use authority_syntax::{check, print};
use libfuzzer_sys::fuzz_target;
use proc_macro2::TokenStream;

fuzz_target!(|text: &str| {
    let Ok(tokens) = text.parse::<TokenStream>() else { return };
    let parsed = authority_syntax::parse(tokens);
    for diagnostic in &parsed.diagnostics {
        assert!(!diagnostic.help.is_empty());
    }
    match &parsed.form {
        Form::Body(body) => prints_back(body),
        Form::Modules(modules) => modules.iter().for_each(|module| prints_back(&module.body)),
    }
});

fn prints_back(body: &Body) {
    let checked = check(body);
    for diagnostic in &checked.diagnostics {
        assert!(!diagnostic.help.is_empty());
    }
    let Some(permissions) = checked.permissions else { return };
    let printed = print(&checked.draft);
    let tokens = printed.parse::<TokenStream>().expect("what is printed lexes");
    let Form::Body(again) = authority_syntax::parse(tokens).form else {
        panic!("entries print as entries")
    };
    let again = check(&again);
    assert_eq!(print(&again.draft), printed);
    assert_eq!(again.permissions, Some(permissions));
}
