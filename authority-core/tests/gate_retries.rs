//! What makes an attempt a retry, within a gate, between gates and between processes.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use authority_core::audit::{
    Attempted, AuditError, AuditSink, Durability, Head, MemoryAudit, Record,
};
use authority_core::operations::github;
use authority_core::vocabulary::{Boundary, OutcomeCode};
use authority_core::{
    Amounts, Answer, ApprovalPolicy, Attempt, Capabilities, Effect, Gate, GithubPart,
    GithubResource, GrantSeal, Id, MacKey, ManualClock, MemoryGrants, Outcome, Permit, Question,
    Request, Review, ReviewError, Reviewer, RootHandle, Running, ThreadIdentity, ThreadPermissions,
    ThreadPolicy,
};

/// Allows everything that it is asked about from then on, under a stored policy.
struct Persists(Arc<AtomicUsize>);

impl Review for Persists {
    fn review(&self, question: &Question) -> Result<Answer, ReviewError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        let hour = Duration::from_hours(1);
        let until = question.asked_at().after(hour).expect("a time");
        let times = NonZeroU32::new(100).expect("not zero");
        Ok(question.persist_until(question.reviewer(), id("policy-1"), times, until))
    }
}

fn id(text: &'static str) -> Id<'static> {
    Id::parse(text).expect("an id")
}

fn request() -> Request<'static> {
    Request::github("acme/checkout", github::IssueWrite).expect("a request")
}

fn effect() -> Effect<'static> {
    let part = GithubPart::Number(7);
    Effect::github_write(
        GithubResource {
            repository_id: None,
            part,
        },
        "it is done",
    )
}

/// A host with stores that outlive its runs.
#[derive(Default)]
struct Host {
    audit: Arc<MemoryAudit>,
    grants: Arc<MemoryGrants>,
    asked: Arc<AtomicUsize>,
}

struct Run {
    _handle: RootHandle,
    root: ThreadPolicy,
    gate: Gate,
}

impl Host {
    fn run(&self, owner: &str, run: &str) -> Run {
        let permissions = ThreadPermissions::builder()
            .github("acme/checkout", [github::IssueWrite])
            .build()
            .unwrap();
        let identity = ThreadIdentity::root(owner, "checkout", run).unwrap();
        let (handle, root) = ThreadPolicy::for_root(identity, &permissions);
        let clock = ManualClock::new();
        clock.set_wall_nanoseconds(1_930_386_600_000_000_000);
        let rules = ApprovalPolicy::ask_on_writes(Reviewer::human("alice").unwrap());
        let gate = Gate::builder(&handle, rules, clock)
            .reviewer(Persists(Arc::clone(&self.asked)))
            .grants(Arc::clone(&self.grants))
            .grant_seal(GrantSeal::new(MacKey::new(&[7; 32]).unwrap()))
            .persisted_policies([id("policy-1")])
            .audit(Arc::clone(&self.audit))
            .build()
            .unwrap();
        gate.ledger().begin_turn(&root).unwrap();
        Run {
            _handle: handle,
            root,
            gate,
        }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Run {
    fn permit(&self) -> Permit {
        let permit = self
            .gate
            .authorize(&self.root, &request(), &effect(), Amounts::tool_call());
        permit.expect("it is allowed")
    }

    fn start(&self) -> Running {
        self.redeem(self.permit())
    }

    fn redeem(&self, permit: Permit) -> Running {
        let own = Capabilities::new(Boundary::EnforcedByHarness);
        let running = self
            .gate
            .redeemer()
            .redeem(permit, &request(), &effect(), own);
        running.expect("nothing has changed")
    }
}

fn complete(running: Running) {
    running
        .finish(Outcome::Completed, Amounts::tool_call())
        .unwrap();
}

#[test]
fn a_stored_grant_serves_later_runs_until_one_does_not_complete() {
    let host = Host::default();
    complete(host.run("alice", "run-1").start());
    complete(host.run("alice", "run-2").start());
    assert_eq!(host.asked(), 1);
    // As a process that died: a start without an end.
    std::mem::forget(host.run("alice", "run-3").start());
    let run = host.run("alice", "run-4");
    let running = run.start();
    assert_eq!(host.asked(), 2);
    let records = host.audit.records();
    let mut asked = records
        .iter()
        .rev()
        .filter(|of| of.code() == OutcomeCode::Asked);
    let reasons = asked.next().unwrap().reasons().iter();
    assert!(reasons.map(ToString::to_string).eq(["retry"]));
    // The new decision is over with a failure too.
    drop(running);
    complete(run.start());
    assert_eq!(host.asked(), 3);
    complete(host.run("alice", "run-5").start());
    assert_eq!(host.asked(), 3);
}

#[test]
fn another_owner_has_no_retry() {
    let host = Host::default();
    drop(host.run("alice", "run-1").start());
    let run = host.run("bob", "run-2");
    complete(run.start());
    let records = host.audit.records();
    let asked = records.iter().filter(|of| of.code() == OutcomeCode::Asked);
    assert_eq!(
        asked.map(|of| of.reasons().len()).collect::<Vec<_>>(),
        [0, 0]
    );
}

/// Of two permits for the same, the end of the first says nothing of the second.
#[test]
fn the_last_permit_counts() {
    let host = Host::default();
    let run = host.run("alice", "run-1");
    let (first, second) = (run.start(), run.start());
    assert_eq!(host.asked(), 2);
    complete(first);
    let third = run.start();
    assert_eq!(host.asked(), 3);
    complete(second);
    complete(third);
    complete(run.start());
    assert_eq!(host.asked(), 3);
}

/// A store that cannot say what was attempted.
struct Forgetful(MemoryAudit);

impl AuditSink for Forgetful {
    fn append(&self, record: &Record, durability: Durability) -> Result<Head, AuditError> {
        self.0.append(record, durability)
    }

    fn is_incomplete(&self, _: &Attempted) -> Result<bool, AuditError> {
        Err(AuditError::Unavailable)
    }
}

#[test]
fn what_cannot_be_known_is_denied() {
    let permissions = ThreadPermissions::builder()
        .github("acme/checkout", [github::Read, github::IssueWrite])
        .build()
        .unwrap();
    let identity = ThreadIdentity::root("alice", "checkout", "run-1").unwrap();
    let (handle, root) = ThreadPolicy::for_root(identity, &permissions);
    let rules = ApprovalPolicy::ask_on_writes(Reviewer::human("alice").unwrap());
    let gate = Gate::builder(&handle, rules, ManualClock::new())
        .reviewer(Persists(Arc::default()))
        .audit(Forgetful(MemoryAudit::new()))
        .build()
        .unwrap();
    let (request, effect) = (request(), effect());
    let denied = gate.authorize_attempt(&Attempt::new(&root, &request, &effect));
    assert_eq!(denied.unwrap_err().reason().name(), "audit_unavailable");
}

/// Whoever joins a question answers it no sooner than it is recorded.
#[test]
fn a_question_is_recorded_before_its_answer() {
    for round in 0..50 {
        let host = Host::default();
        let run = host.run("alice", &format!("run-{round}"));
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| drop(run.permit()));
            }
        });
        let records = host.audit.records();
        for answered in records
            .iter()
            .filter(|of| of.code() == OutcomeCode::Granted)
        {
            let of_it = |of: &&Record| of.operation_id() == answered.operation_id();
            let first = records.iter().find(of_it).map(Record::code);
            assert_eq!(first, Some(OutcomeCode::Asked));
        }
    }
}
