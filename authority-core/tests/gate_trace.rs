//! What a gate traces.
#![cfg(feature = "tracing")]

mod traced;

use authority_core::operations::github;
use authority_core::{
    Amounts, ApprovalPolicy, Effect, Gate, GithubPart, GithubResource, ManualClock, Request,
    Reviewer, ThreadIdentity, ThreadPermissions, ThreadPolicy,
};

use crate::traced::Traced;

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
    let traced = Traced::default();
    let denied = traced.during(|| gate.authorize(&root, &request, &effect, Amounts::NONE));
    assert!(denied.is_err());
    let fields = traced.fields();
    let digest = request.sha256().to_hex();
    for field in [
        "authority.outcome=denied",
        "authority.reasons=no_reviewer",
        "authority.operation=issue.write",
        "authority.kind=github",
        "authority.boundary=enforced_by_harness",
        "authority.sequence=1",
        &format!("authority.request_sha256={digest}"),
    ] {
        assert!(fields.iter().any(|own| own == field), "{field}");
    }
    assert!(fields.iter().all(|field| field.starts_with("authority.")));
}
