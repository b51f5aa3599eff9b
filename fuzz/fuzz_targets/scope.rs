//! Scope documents: decoding never panics, and what is accepted prints to a document that decodes
//! to the same scope.
#![no_main]

use authority_core::{Ceiling, Scope};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(scope) = Scope::from_json(text) {
        let printed = scope.canonical_json();
        let again = Scope::from_json(&printed).expect("what is printed decodes");
        assert_eq!(again, scope);
        assert_eq!(again.canonical_json(), printed);
    }
    let _ = Ceiling::from_json(text);
});
