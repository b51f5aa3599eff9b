//! Audit files: verifying never panics, what verifies goes on where it ends, and a record that
//! decodes prints to one that decodes to the same.
#![no_main]

use authority_core::audit::{Record, Resumption, verify};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let resumed = Resumption::of(bytes, None);
    if let Ok(verified) = verify(bytes) {
        let resumed = resumed.expect("what verifies goes on");
        assert_eq!((resumed.head, resumed.torn), (verified.head(), None));
    }
    let Ok(text) = str::from_utf8(bytes) else { return };
    if let Ok(record) = Record::from_json(text) {
        let again = Record::from_json(&record.to_json());
        assert_eq!(again.expect("what is printed decodes"), record);
    }
});
