//! Records of grants: decoding never panics, and what is accepted prints to a document that decodes
//! to the same record.
#![no_main]

use authority_core::{Grant, SealedGrant};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(sealed) = SealedGrant::from_json(text) {
        let printed = sealed.to_json();
        let again = SealedGrant::from_json(&printed).expect("what is printed decodes");
        assert_eq!(again, sealed);
        assert_eq!(again.to_json(), printed);
    }
    if let Ok(grant) = Grant::from_json(text) {
        let again = Grant::from_json(&grant.to_json()).expect("what is printed decodes");
        assert_eq!(again.sha256(), grant.sha256());
    }
});
