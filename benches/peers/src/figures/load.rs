//! Loading a root from scope documents, a line each.

use std::time::Duration;

use authority_core::{Scope, ThreadPermissions};

use crate::measure::{Candidate, contest};
use crate::report::{Goal, Report};
use crate::strict::StrictScope;
use crate::work::{Grant, Work};

/// Scope documents, a line each, with the servers that they need.
pub struct Load {
    text: String,
    servers: Vec<String>,
}

impl Load {
    pub fn new(scopes: usize) -> Self {
        let work = Work::without_agents(scopes);
        let lines: Vec<_> = work.grants.iter().map(Grant::json).collect();
        let credentials = work.permissions.credentials();
        Load {
            text: lines.join("\n"),
            servers: credentials
                .map(|grant| grant.target.id().to_string())
                .collect(),
        }
    }

    /// Decodes the scopes and builds the root.
    pub fn root(&self) -> ThreadPermissions {
        let mut builder = ThreadPermissions::builder();
        for server in &self.servers {
            builder = builder.server(server, None);
        }
        for line in self.text.lines() {
            builder = builder.scope(&Scope::from_json(line).expect("a scope"));
        }
        builder.build().expect("a root")
    }
}

/// Scopes that are loaded.
const SCOPES: usize = 100_000;

pub fn measure(report: &mut Report) {
    let load = Load::new(SCOPES);
    let text = &load.text;
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
    assert_eq!(load.root().scopes().count(), SCOPES);
    assert_eq!((decode(), strict()), (SCOPES, SCOPES));

    let [loaded, decoded, strict] = contest(
        Duration::from_secs(12),
        [
            Candidate::new(|| load.root()),
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
