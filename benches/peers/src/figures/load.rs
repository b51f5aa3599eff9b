//! Loading a root from scope documents, a line each.

use std::time::Duration;

use authority_core::{Scope, ThreadPermissions};

use crate::measure::{Candidate, contest};
use crate::report::{Goal, Report};
use crate::strict::StrictScope;
use crate::work::{Grant, Work};

pub fn measure(report: &mut Report) {
    let work = Work::without_agents(100_000);
    let lines: Vec<_> = work.grants.iter().map(Grant::json).collect();
    let text = lines.join("\n");
    let servers: Vec<_> = work
        .permissions
        .credentials()
        .map(|grant| grant.target.id().to_string())
        .collect();
    let load = || {
        let mut builder = ThreadPermissions::builder();
        for server in &servers {
            builder = builder.server(server, None);
        }
        for line in text.lines() {
            builder = builder.scope(&Scope::from_json(line).expect("a scope"));
        }
        builder.build().expect("a root")
    };
    let decode = || {
        text.lines()
            .filter(|line| Scope::from_json(line).is_ok())
            .count()
    };
    let strict = || {
        text.lines()
            .filter(|line| StrictScope::decode(line).is_ok())
            .count()
    };
    // All but the one that the work has beside its grants.
    assert_eq!(load().scopes().count(), work.grants.len());
    assert_eq!((decode(), strict()), (lines.len(), lines.len()));

    let [loaded, decoded, strict] = contest(
        Duration::from_secs(12),
        [
            Candidate::new(load),
            Candidate::new(decode),
            Candidate::new(strict),
        ],
    );
    let size = format!(
        "100,000 scopes, {:.1} MB",
        crate::measure::number(text.len()) / 1e6
    );
    let peer = ("`serde_json`, strict decoding of that text alone", &strict);
    report.time(
        "load a root from JSON: decode and build",
        &size,
        &loaded,
        peer,
        Goal::AtMost(2.0),
    );
    report.time("decode the scopes alone", &size, &decoded, peer, Goal::None);
}
