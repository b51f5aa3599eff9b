//! Requests as JSON: decoding never panics, and an accepted target is one that prints and decodes.
#![no_main]

use authority_core::{OperationSet, Request, Scope};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // A space makes a canonical text one that is read strictly: that must not matter.
    if text.starts_with('{') {
        let spaced = text.replacen('{', "{ ", 1);
        let [read, strict] = [text, &spaced].map(|text| {
            Request::from_json(text).map_err(|error| (error.pointer().to_owned(), error.rule()))
        });
        assert_eq!(read, strict);
    }
    if let Ok(request) = Request::from_json(text) {
        let operations = OperationSet::only(request.operation());
        let scope = Scope::new(request.target().clone(), operations).expect("of the target's kind");
        let printed = scope.canonical_json();
        assert_eq!(Scope::from_json(&printed).expect("what is printed decodes"), scope);
    }
});
