//! Scope documents: decoding never panics, and what is accepted prints to a document that decodes
//! to the same scope.
#![no_main]

use authority_core::{Ceiling, Scope};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // A space makes a canonical text one that is read strictly: that must not matter.
    if text.starts_with('{') {
        let spaced = text.replacen('{', "{ ", 1);
        let [read, strict] = [text, &spaced].map(|text| {
            Scope::from_json(text).map_err(|error| (error.pointer().to_owned(), error.rule()))
        });
        assert_eq!(read, strict);
    }
    if let Ok(scope) = Scope::from_json(text) {
        let printed = scope.canonical_json();
        let again = Scope::from_json(&printed).expect("what is printed decodes");
        assert_eq!(again, scope);
        assert_eq!(again.canonical_json(), printed);
    }
    let _ = Ceiling::from_json(text);
});
