//! Audit files: verifying never panics, what verifies goes on where it ends, a torn tail verifies
//! once it is closed, and a record that decodes prints to one that decodes to the same.
#![no_main]

use authority_core::audit::{LineWriter, Record, Resumption, verify};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let resumed = Resumption::of(bytes, None);
    if let Ok(resumed) = &resumed
        && let Some(torn) = resumed.torn
    {
        let note = LineWriter::after(resumed.head).recovered(torn.content);
        let note = note.expect("a short line");
        let end: &[u8] = if torn.has_end { b"" } else { b"\n" };
        let closed = [bytes, end, note.as_bytes()].concat();
        assert_eq!(verify(&closed).expect("a chain").head(), note.head());
    }
    if let Ok(verified) = verify(bytes) {
        let resumed = resumed.expect("what verifies goes on");
        assert_eq!((resumed.head, resumed.torn), (verified.head(), None));
    }
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    if let Ok(record) = Record::from_json(text) {
        let again = Record::from_json(&record.to_json());
        assert_eq!(again.expect("what is printed decodes"), record);
    }
});
