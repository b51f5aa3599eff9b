//! A root that the macro declared, against the same root from the builder.

use std::time::Duration;

use authority::{ThreadPermissions, authority};

use crate::measure::{Candidate, contest};
use crate::report::{Goal, Report};

pub fn measure(report: &mut Report) {
    let root = declared();
    let scopes: Vec<_> = root
        .scopes()
        .map(|scope| scope.to_scope().into_owned())
        .collect();
    let build = || {
        let mut builder = ThreadPermissions::builder();
        for server in 0..10 {
            builder = builder.server(&format!("server-{server}"), None);
        }
        for scope in &scopes {
            builder = builder.scope(scope);
        }
        builder.build().expect("the rules hold")
    };
    assert_eq!(scopes.len(), 1_000);
    assert_eq!(build().ceiling_sha256(), root.ceiling_sha256());

    let [ours, theirs] = contest(
        Duration::from_secs(3),
        [Candidate::new(declared), Candidate::new(build)],
    );
    report.time(
        "root from the macro",
        "N = 1,000",
        &ours,
        ("the same through the builder, from parsed scopes", &theirs),
        Goal::Faster(100.0),
    );
}

// `fn declared() -> ThreadPermissions`, with a call of `authority!`.
include!(concat!(env!("OUT_DIR"), "/declared.rs"));
