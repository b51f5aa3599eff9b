//! Canonical JSON of a scope, and its digest.

use std::time::Duration;

use authority_core::Scope;
use sha2::{Digest, Sha256};

use crate::measure::{Candidate, contest, number};
use crate::report::{Goal, Report};
use crate::work::{Grant, Work};

pub fn measure(report: &mut Report) {
    let work = Work::new(4_096);
    let scopes: Vec<_> = work.grants.iter().map(Grant::scope).collect();
    let texts: Vec<_> = scopes.iter().map(Scope::canonical_json).collect();
    for (scope, text) in scopes.iter().zip(&texts) {
        assert_eq!(scope.sha256().as_bytes()[..], Sha256::digest(text)[..]);
        assert_eq!(serde_jcs::to_string(scope).expect("JSON"), *text);
    }

    let [ours, sha, canonicaliser] = contest(
        Duration::from_secs(3),
        [
            Candidate::each(&scopes, Scope::sha256),
            Candidate::each(&texts, Sha256::digest),
            Candidate::each(&scopes, |scope| {
                serde_jcs::to_vec(scope)
                    .map(|json| Sha256::digest(&json))
                    .ok()
            }),
        ],
    );
    let bytes = texts.iter().map(String::len).sum::<usize>();
    let size = format!(
        "{:.0} bytes on average",
        number(bytes) / number(texts.len())
    );
    let figure = "canonical JSON and digest of a scope";
    report.time(
        figure,
        &size,
        &ours,
        ("`sha2` of the same bytes", &sha),
        Goal::AtMost(2.0),
    );
    let peer = ("`serde_jcs` and `sha2`", &canonicaliser);
    report.time(figure, &size, &ours, peer, Goal::None);
}
