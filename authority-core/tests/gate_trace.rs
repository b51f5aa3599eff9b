//! What a gate traces.
#![cfg(feature = "tracing")]

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use authority_core::operations::github;
use authority_core::{
    Amounts, ApprovalPolicy, Effect, Gate, GithubPart, GithubResource, ManualClock, Request,
    Reviewer, ThreadIdentity, ThreadPermissions, ThreadPolicy,
};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Keeps the fields of every event.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<(String, String)>>>);

impl Visit for Kept {
    fn record_str(&mut self, field: &Field, value: &str) {
        let pair = (field.name().to_owned(), value.to_owned());
        self.0.lock().unwrap().push(pair);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}

impl Subscriber for Kept {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "authority"
    }

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn a_denial_is_an_event() {
    let permissions = ThreadPermissions::builder();
    let permissions = permissions
        .github("acme/checkout", [github::IssueWrite])
        .build()
        .unwrap();
    let identity = ThreadIdentity::root("alice", "checkout", "run-1").unwrap();
    let (handle, root) = ThreadPolicy::for_root(identity, &permissions);
    let rules = ApprovalPolicy::always_ask(Reviewer::human("alice").unwrap());
    let gate = Gate::builder(&handle, rules, ManualClock::new())
        .build()
        .unwrap();
    gate.ledger().begin_turn(&root).unwrap();
    let request = Request::github("acme/checkout", github::IssueWrite).unwrap();
    let issue = GithubResource {
        repository_id: None,
        part: GithubPart::Number(7),
    };
    let effect = Effect::github_write(issue, "it is done");
    let kept = Kept::default();
    tracing::subscriber::with_default(kept.clone(), || {
        let denied = gate.authorize(&root, &request, &effect, Amounts::NONE);
        assert!(denied.is_err());
    });
    let fields = kept.0.lock().unwrap();
    let value = |name: &str| {
        let mut fields = fields.iter();
        fields
            .find(|(field, _)| field == name)
            .map(|(_, value)| value.as_str())
    };
    assert_eq!(value("authority.outcome"), Some("denied"));
    assert_eq!(value("authority.reasons"), Some("no_reviewer"));
    assert_eq!(value("authority.operation"), Some("issue.write"));
    assert_eq!(value("authority.kind"), Some("github"));
    assert_eq!(value("authority.boundary"), Some("enforced_by_harness"));
    assert_eq!(value("authority.sequence"), Some("1"));
    let digest = request.sha256().to_hex();
    assert_eq!(value("authority.request_sha256"), Some(digest.as_str()));
    assert!(
        fields
            .iter()
            .all(|(name, _)| name.starts_with("authority."))
    );
}
