//! Messages of wrong declarations, and declarations that compile.
//!
//! `TRYBUILD=overwrite cargo test -p authority-ui-tests` writes the `.stderr` files anew: read the
//! difference before it is committed.

use std::collections::BTreeSet;
use std::path::Path;

use authority_syntax::Code;

#[test]
fn ui() {
    let tests = trybuild::TestCases::new();
    tests.pass("pass/*.rs");
    tests.compile_fail("fail/*.rs");
}

#[test]
fn every_code_has_a_case() {
    let mut shown = BTreeSet::new();
    for entry in Path::new("fail").read_dir().expect("the folder of cases") {
        let path = entry.expect("an entry").path();
        if path
            .extension()
            .is_some_and(|extension| extension == "stderr")
        {
            let text = std::fs::read_to_string(&path).expect("a message");
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .expect("a name")
                .to_owned();
            for code in Code::ALL {
                if text.contains(&format!("[{code}]")) && name.starts_with(code.name()) {
                    shown.insert(*code);
                }
            }
        }
    }
    let missing: Vec<_> = Code::ALL
        .iter()
        .filter(|code| !shown.contains(code))
        .collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
}
