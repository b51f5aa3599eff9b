//! The gate end to end. The cases from public reports are named after their ids.

use std::collections::VecDeque;
use std::mem;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use authority_core::audit::{
    Attempted, AuditError, AuditSink, Code, Durability, Head, MemoryAudit, Record,
};
use authority_core::operations::{child_agent, github};
use authority_core::vocabulary::{
    Boundary, Cause, DenyReason, Kind, OutcomeCode, RevalidationReason, RuleDecision,
};
use authority_core::{
    Amounts, Answer, Answered, ApprovalPolicy, Artifact, Attempt, Begun, BindingResolver,
    Capabilities, DenialReason, Denied, Digest, Effect, ExplicitRule, Foreign, Gate, GateError,
    GithubPart, GithubResource, Id, ManualClock, OperationSet, Outcome, Pending, Permit,
    PolicyIntersectionError, PreparedChild, Question, Request, RequiredBinding, ResolvedBinding,
    Review, ReviewAsync, ReviewError, ReviewFuture, Reviewer, Revocation, RootHandle, RootOptions,
    Running, Scope, Target, ThreadIdentity, ThreadPermissions, ThreadPolicy, Timestamp,
    ToolBinding,
};

/// Answers by a function.
struct Says<F>(F);

impl<F> Review for Says<F>
where
    F: Fn(&Question) -> Result<Answer, ReviewError> + Send + Sync,
{
    fn review(&self, question: &Question) -> Result<Answer, ReviewError> {
        (self.0)(question)
    }
}

#[allow(clippy::unnecessary_wraps)] // what a reviewer is
fn yes(question: &Question) -> Result<Answer, ReviewError> {
    Ok(question.allow_once(question.reviewer()))
}

#[allow(clippy::unnecessary_wraps)] // what a reviewer is
fn no(question: &Question) -> Result<Answer, ReviewError> {
    Ok(question.deny(question.reviewer()))
}

#[allow(clippy::unnecessary_wraps)] // what a reviewer is
fn for_session(question: &Question, times: u32, long: Duration) -> Result<Answer, ReviewError> {
    let until = question.asked_at().after(long).unwrap();
    Ok(question.allow_for_session(question.reviewer(), uses(times), until))
}

struct Setup {
    handle: RootHandle,
    root: ThreadPolicy,
    clock: Arc<ManualClock>,
    audit: Arc<MemoryAudit>,
    gate: Gate,
    asked: Arc<AtomicUsize>,
}

const MINUTE: Duration = Duration::from_mins(1);

fn permissions() -> ThreadPermissions {
    ThreadPermissions::builder()
        .github("acme/checkout", [github::Read, github::IssueWrite])
        .native_tool("echo")
        .build()
        .unwrap()
}

fn alice() -> Reviewer {
    Reviewer::human("alice").unwrap()
}

impl Setup {
    fn new(
        review: impl Fn(&Question) -> Result<Answer, ReviewError> + Send + Sync + 'static,
    ) -> Self {
        Setup::with(ApprovalPolicy::ask_on_writes(alice()), review)
    }

    fn with(
        rules: ApprovalPolicy,
        review: impl Fn(&Question) -> Result<Answer, ReviewError> + Send + Sync + 'static,
    ) -> Self {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let review = Says(move |question: &Question| {
            count.fetch_add(1, Ordering::SeqCst);
            review(question)
        });
        let identity = ThreadIdentity::root("alice", "checkout", "run-1").unwrap();
        let (handle, root) = ThreadPolicy::for_root(identity, &permissions());
        let clock = Arc::new(ManualClock::new());
        clock.set_wall_nanoseconds(1_930_386_600_000_000_000);
        let audit = Arc::new(MemoryAudit::new());
        let gate = Gate::builder(&handle, rules, Arc::clone(&clock))
            .reviewer(review)
            .audit(Arc::clone(&audit))
            .build()
            .unwrap();
        gate.ledger().begin_turn(&root).unwrap();
        Setup {
            handle,
            root,
            clock,
            audit,
            gate,
            asked,
        }
    }

    fn child(&self, agent: &str, thread: &str) -> ThreadPolicy {
        let artifact = Artifact::new(id(agent));
        let child = self.root.intersect(&artifact, thread).unwrap();
        let child = child.start_by_host(&self.handle).unwrap();
        self.gate.ledger().begin_turn(&child).unwrap();
        child
    }

    fn write(&self, policy: &ThreadPolicy, payload: &str) -> Result<Permit, Denied> {
        let amounts = Amounts::tool_call();
        self.gate
            .authorize(policy, &write(), &comment(payload), amounts)
    }

    fn run(&self, permit: Permit, payload: &str) -> Result<Running, Denied> {
        let own = Capabilities::new(Boundary::EnforcedByHarness);
        self.gate
            .redeemer()
            .redeem(permit, &write(), &comment(payload), own)
    }

    /// Authorizes, redeems, completes.
    fn do_it(&self, policy: &ThreadPolicy, payload: &str) -> Result<(), Denied> {
        let permit = self.write(policy, payload)?;
        let running = self.run(permit, payload)?;
        running
            .finish(Outcome::Completed, Amounts::tool_call())
            .unwrap();
        Ok(())
    }

    fn outcomes(&self) -> Vec<&'static str> {
        let records = self.audit.records();
        records.iter().map(|record| record.code().name()).collect()
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    fn now(&self) -> Timestamp {
        Timestamp::now(&*self.clock).unwrap()
    }

    fn calls_in_use(&self) -> usize {
        let records = self.audit.records();
        records
            .iter()
            .filter(|record| record.used().is_some())
            .count()
    }
}

fn id(text: &str) -> Id<'static> {
    Id::parse(text).unwrap().into_owned()
}

fn uses(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).unwrap()
}

fn write() -> Request<'static> {
    Request::github("acme/checkout", github::IssueWrite).unwrap()
}

fn comment(payload: &str) -> Effect<'static> {
    let issue = GithubResource {
        repository_id: None,
        part: GithubPart::Number(7),
    };
    Effect::github_write(issue, payload)
}

fn reason<T>(result: &Result<T, Denied>) -> &'static str {
    match result {
        Ok(_) => "permitted",
        Err(denied) => denied.reason().name(),
    }
}

#[test]
fn ag_approval_03() {
    let setup = Setup::new(yes);
    let permit = setup.write(&setup.root, "reviewed").unwrap();
    let changed = setup.run(permit, "changed");
    assert_eq!(reason(&changed), "preview_changed");
    let explained = changed.unwrap_err().explain();
    assert!(
        explained.contains("payload_bytes, payload_sha256"),
        "{explained}"
    );
    // The approval is used up: the changed one is a question of its own.
    assert_eq!(setup.asked(), 1);
    setup.do_it(&setup.root, "changed").unwrap();
    assert_eq!(setup.asked(), 2);
}

#[test]
fn ag_approval_05() {
    let setup = Setup::new(|question| for_session(question, 5, MINUTE));
    let (one, other) = (
        setup.child("helper", "thread-1"),
        setup.child("other", "thread-2"),
    );
    for child in [&one, &other] {
        setup.gate.begin_session(child, id("session-1"));
        setup.do_it(child, "it is done").unwrap();
        setup.do_it(child, "it is done").unwrap();
    }
    assert_eq!(setup.asked(), 2);
}

#[test]
fn ag_approval_08() {
    let setup = Setup::new(|question| for_session(question, 3, MINUTE * 30));
    setup.gate.begin_session(&setup.root, id("session-1"));
    for _ in 0..3 {
        setup.do_it(&setup.root, "it is done").unwrap();
    }
    assert_eq!(setup.asked(), 1);
    setup.do_it(&setup.root, "it is done").unwrap();
    assert_eq!(setup.asked(), 2);
    // The instant of expiry is over.
    setup.clock.advance(MINUTE * 30);
    setup.do_it(&setup.root, "it is done").unwrap();
    assert_eq!(setup.asked(), 3);
}

#[test]
fn ag_approval_12() {
    let setup = Setup::new(|question| for_session(question, 1_000, MINUTE));
    setup.gate.begin_session(&setup.root, id("session-1"));
    setup.do_it(&setup.root, "it is done").unwrap();
    let permit = setup.write(&setup.root, "it is done").unwrap();
    let records = setup.audit.records();
    let grant = records.iter().find_map(Record::grant).unwrap().id.clone();
    setup.gate.revoke_grant(&grant).unwrap();
    assert_eq!(reason(&setup.run(permit, "it is done")), "revoked");
    // The next one is asked about anew.
    assert_eq!(setup.asked(), 1);
    setup.do_it(&setup.root, "it is done").unwrap();
    assert_eq!(setup.asked(), 2);
}

#[test]
fn ag_approval_13() {
    let setup = Setup::new(yes);
    setup.gate.begin_session(&setup.root, id("session-1"));
    let (request, effect) = (write(), comment("it is done"));
    let attempt = Attempt::new(&setup.root, &request, &effect);
    let pending = pending(setup.gate.begin(&attempt));
    let answer = pending.question().allow_once(&alice());
    setup
        .gate
        .end_session(&setup.root, &id("session-1"))
        .unwrap();
    setup.gate.begin_session(&setup.root, id("session-2"));
    assert_eq!(setup.gate.answer(&answer), Err(Cause::LateAnswer));
    assert_eq!(reason(&pending.resume(&attempt)), "cancelled");
    assert!(setup.outcomes().contains(&"answer_discarded"));
    let Begun::Pending(again) = setup.gate.begin(&attempt).unwrap() else {
        panic!("the session that ended had no grant");
    };
    assert_ne!(again.question().id(), answer.question_id());
}

#[test]
fn ag_approval_14() {
    let setup = Setup::new(yes);
    let permit = setup.write(&setup.root, "it is done").unwrap();
    let grant = setup
        .audit
        .records()
        .iter()
        .find_map(|record| record.grant().cloned())
        .unwrap();
    setup.gate.revoke_grant(&grant.id).unwrap();
    setup.gate.revoke_grant(&grant.id).unwrap();
    assert_eq!(reason(&setup.run(permit, "it is done")), "revoked");
    setup.do_it(&setup.root, "it is done").unwrap();
    let records = setup.audit.records();
    let mut latest = records.iter().rev();
    let granted = latest.find(|record| record.code() == OutcomeCode::Granted);
    assert_ne!(granted.unwrap().grant().unwrap().id, grant.id);
}

#[test]
fn ag_approval_15() {
    let timeout = |_: &Question| Err(ReviewError::TimedOut);
    let error = |_: &Question| Err(ReviewError::Unavailable);
    let panic = |_: &Question| -> Result<Answer, ReviewError> { panic!("the dialogue broke") };
    let denied = |setup: Setup| setup.write(&setup.root, "it is done").map(drop);
    assert_eq!(reason(&denied(Setup::new(timeout))), "reviewer_timeout");
    assert_eq!(reason(&denied(Setup::new(error))), "reviewer_error");
    assert_eq!(reason(&denied(Setup::new(panic))), "reviewer_panicked");
    // An answer after the deadline is no answer in time, and is recorded as late.
    let clock = Arc::new(Mutex::new(None::<Arc<ManualClock>>));
    let late = Arc::clone(&clock);
    let setup = Setup::new(move |question: &Question| {
        if let Some(clock) = &*late.lock().unwrap() {
            clock.advance(MINUTE * 5);
        }
        yes(question)
    });
    *clock.lock().unwrap() = Some(Arc::clone(&setup.clock));
    assert_eq!(
        reason(&setup.write(&setup.root, "it is done")),
        "reviewer_timeout"
    );
    assert_eq!(setup.outcomes(), ["asked", "answer_discarded", "denied"]);
}

#[test]
fn ag_approval_17() {
    let identity = ThreadIdentity::root("alice", "checkout", "run-1").unwrap();
    let (handle, root) = ThreadPolicy::for_root(identity, &permissions());
    let audit = Arc::new(MemoryAudit::new());
    let rules = ApprovalPolicy::always_ask(alice());
    let gate = Gate::builder(&handle, rules, ManualClock::new()).audit(Arc::clone(&audit));
    let gate = gate.build().unwrap();
    gate.ledger().begin_turn(&root).unwrap();
    let denied = gate.authorize(&root, &write(), &comment("x"), Amounts::NONE);
    assert_eq!(reason(&denied), "no_reviewer");
    assert_eq!(denied.unwrap_err().receipt(), Some(audit.head()));
    assert_eq!(audit.head().sequence, 1);
}

const UNREACHABLE: Code = Code::new("unreachable").unwrap();

#[test]
fn ag_approval_19() {
    let setup = Setup::new(|question| for_session(question, 10, MINUTE));
    setup.gate.begin_session(&setup.root, id("session-1"));
    let permit = setup.write(&setup.root, "it is done").unwrap();
    let running = setup.run(permit, "it is done").unwrap();
    let failed = Outcome::failed(UNREACHABLE, "no route to host");
    running.finish(failed, Amounts::tool_call()).unwrap();
    // Nine uses are left, and the next try is asked about all the same.
    setup.do_it(&setup.root, "it is done").unwrap();
    assert_eq!(setup.asked(), 2);
    let records = setup.audit.records();
    let asked = records
        .iter()
        .filter(|record| record.code() == OutcomeCode::Asked);
    let reasons: Vec<_> = asked.map(|record| record.reasons().to_vec()).collect();
    assert_eq!(reasons[0], []);
    assert_eq!(reasons[1], [Code::from(RevalidationReason::Retry)]);
    // It completed now, so the next one is no retry; a host can say that it is one.
    setup.do_it(&setup.root, "it is done").unwrap();
    assert_eq!(setup.asked(), 2);
    let (request, effect) = (write(), comment("it is done"));
    let attempt = Attempt::new(&setup.root, &request, &effect).retry();
    drop(setup.gate.authorize_attempt(&attempt).unwrap());
    assert_eq!(setup.asked(), 3);
    let attempt = Attempt::new(&setup.root, &request, &effect).redirected();
    drop(setup.gate.authorize_attempt(&attempt).unwrap());
    assert_eq!(setup.asked(), 4);
}

#[test]
fn ag_approval_20() {
    let setup = Setup::new(yes);
    let request = Request::github("acme/other", github::IssueWrite).unwrap();
    let denied = setup
        .gate
        .authorize(&setup.root, &request, &comment("x"), Amounts::NONE);
    assert_eq!(reason(&denied), "target_not_declared");
    assert_eq!(setup.asked(), 0);
}

#[test]
fn ag_audit_10() {
    let setup = Setup::new(yes);
    setup.do_it(&setup.root, "allowed").unwrap();
    let merge = Request::github("acme/checkout", github::ReleaseWrite).unwrap();
    let denied = setup
        .gate
        .authorize(&setup.root, &merge, &comment("x"), Amounts::NONE);
    assert_eq!(reason(&denied), "operation_not_granted");
    let permit = setup.write(&setup.root, "expired").unwrap();
    setup.clock.advance(Duration::from_secs(30));
    assert_eq!(reason(&setup.run(permit, "expired")), "permit_expired");
    drop(setup.write(&setup.root, "cancelled").unwrap());
    let permit = setup.write(&setup.root, "revoked").unwrap();
    let operations = OperationSet::only(github::IssueWrite.into());
    let scope = Scope::new(write().target().clone(), operations).unwrap();
    setup.handle.revoke(&Revocation::Scope(scope));
    assert_eq!(reason(&setup.run(permit, "revoked")), "revoked");

    let records = setup.audit.records();
    let ends = ["completed", "denied", "expired", "cancelled", "revoked"];
    for end in ends {
        let of_code = records.iter().filter(|record| record.code().name() == end);
        let [record] = of_code.collect::<Vec<_>>()[..] else {
            panic!("{end} is not recorded once");
        };
        assert!(record.permissions_sha256().is_some() && record.request_sha256().is_some());
        assert_eq!(record.preview_sha256().is_some(), end != "denied", "{end}");
    }
    let verified = authority_core::audit::verify(&setup.audit.bytes());
    assert!(verified.is_ok(), "{verified:?}");
}

#[test]
fn ag_ux_08() {
    let setup = Setup::new(|question| for_session(question, 10, MINUTE));
    setup.gate.begin_session(&setup.root, id("session-1"));
    for _ in 0..10 {
        setup.do_it(&setup.root, "it is done").unwrap();
    }
    assert_eq!(setup.asked(), 1);
    let records = setup.audit.records();
    let permitted = records
        .iter()
        .filter(|record| record.code() == OutcomeCode::Permitted);
    let grants: Vec<_> = permitted
        .map(|record| record.grant().unwrap().id.clone())
        .collect();
    assert_eq!(grants.len(), 10);
    assert!(grants.iter().all(|grant| *grant == grants[0]));
}

#[test]
fn ag_ux_10_and_ag_intersection_05() {
    let setup = Setup::new(|question| for_session(question, 5, MINUTE));
    setup.gate.begin_session(&setup.root, id("session-1"));
    let permit = setup.write(&setup.root, "it is done").unwrap();
    setup
        .run(permit, "it is done")
        .unwrap()
        .finish(Outcome::Completed, Amounts::NONE)
        .unwrap();
    let grant = setup
        .audit
        .records()
        .iter()
        .find_map(|record| record.grant().cloned())
        .unwrap();
    let child = setup.child("helper", "thread-1");
    let until = setup.now().after(Duration::from_secs(30)).unwrap();
    let given = (&setup.root, &child);
    let own = setup
        .gate
        .delegate_grant(&setup.handle, &grant.id, given, (uses(2), until))
        .unwrap();
    assert_eq!(own.parent_grant(), Some(&grant.id));
    for _ in 0..2 {
        setup.do_it(&child, "it is done").unwrap();
    }
    // The parent has two left of the four that it had.
    for _ in 0..2 {
        setup.do_it(&setup.root, "it is done").unwrap();
    }
    assert_eq!(setup.asked(), 1);
    setup.do_it(&setup.root, "it is done").unwrap();
    assert_eq!(setup.asked(), 2);
    // Without it a child asks, whatever its thread is called.
    let other = setup.child("helper", "run-1.sub-0");
    setup.gate.begin_session(&other, id("session-1"));
    setup.do_it(&other, "it is done").unwrap();
    assert_eq!(setup.asked(), 3);
}

#[test]
fn a_read_is_not_asked_about() {
    let setup = Setup::new(no);
    let request = Request::github("acme/checkout", github::Read).unwrap();
    let all = GithubResource {
        repository_id: None,
        part: GithubPart::Repository,
    };
    let effect = Effect::github_read(all);
    let permit = setup
        .gate
        .authorize(&setup.root, &request, &effect, Amounts::NONE)
        .unwrap();
    let own = Capabilities::new(Boundary::EnforcedByHarness);
    let running = setup
        .gate
        .redeemer()
        .redeem(permit, &request, &effect, own)
        .unwrap();
    assert!(!running.is_cancelled());
    running.finish(Outcome::Completed, Amounts::NONE).unwrap();
    assert_eq!(setup.outcomes(), ["permitted", "started", "completed"]);
}

#[test]
fn explicit_rules_deny() {
    let operations = OperationSet::only(github::IssueWrite.into());
    let scope = Scope::new(write().target().clone(), operations).unwrap();
    let rules = ApprovalPolicy::ask_on_writes(alice())
        .with_rule(ExplicitRule::new(scope, RuleDecision::Deny));
    let setup = Setup::with(rules, yes);
    assert_eq!(reason(&setup.write(&setup.root, "x")), "rule_denies");
    assert_eq!(setup.asked(), 0);
}

#[test]
fn a_permit_of_another_root_with_equal_digests_is_refused() {
    let (one, other) = (Setup::new(yes), Setup::new(yes));
    let permit = one.write(&one.root, "x").unwrap();
    assert_eq!(reason(&other.run(permit, "x")), "foreign_permit");
    let foreign = one
        .gate
        .authorize(&other.root, &write(), &comment("x"), Amounts::NONE);
    let foreign = foreign.unwrap_err();
    assert_eq!(foreign.reason(), &DenialReason::Foreign(Foreign::Policy));
}

#[test]
fn one_gate_a_root() {
    let setup = Setup::new(yes);
    let rules = ApprovalPolicy::always_ask(alice());
    let second = Gate::builder(&setup.handle, rules, ManualClock::new()).build();
    assert_eq!(second.unwrap_err(), GateError::HasGate);
}

#[test]
fn a_closed_thread_gets_nothing_and_what_runs_is_told() {
    let setup = Setup::new(yes);
    let child = setup.child("helper", "thread-1");
    let permit = setup.write(&child, "one").unwrap();
    let running = setup
        .run(setup.write(&child, "two").unwrap(), "two")
        .unwrap();
    setup.handle.close(&child);
    assert!(running.is_cancelled());
    assert_eq!(reason(&setup.run(permit, "one")), "policy_closed");
    assert_eq!(reason(&setup.write(&child, "three")), "policy_closed");
    running.finish(Outcome::Cancelled, Amounts::NONE).unwrap();
}

#[test]
fn weaker_boundaries_are_refused() {
    let setup = Setup::new(yes);
    let permit = setup.write(&setup.root, "x").unwrap();
    let weak = Capabilities::new(Boundary::DelegatedToCliSandbox);
    let refused = setup
        .gate
        .redeemer()
        .redeem(permit, &write(), &comment("x"), weak);
    assert_eq!(reason(&refused), "boundary_weaker");
}

#[test]
fn what_is_forgotten_is_unknown_and_what_is_dropped_abandoned() {
    let setup = Setup::new(yes);
    let running = setup
        .run(setup.write(&setup.root, "x").unwrap(), "x")
        .unwrap();
    mem::forget(running);
    let verified = authority_core::audit::verify(&setup.audit.bytes()).unwrap();
    assert_eq!(verified.unknown().len(), 1);
    let running = setup
        .run(setup.write(&setup.root, "y").unwrap(), "y")
        .unwrap();
    drop(running);
    assert_eq!(setup.outcomes().last(), Some(&"abandoned"));
    assert_eq!(setup.calls_in_use(), 1);
    // Both are retries when they are tried again.
    for payload in ["x", "y"] {
        let (request, effect) = (write(), comment(payload));
        let attempt = Attempt::new(&setup.root, &request, &effect);
        let pending = pending(setup.gate.begin(&attempt));
        assert_eq!(
            pending.question().reasons(),
            [Code::from(RevalidationReason::Retry)]
        );
    }
}

#[test]
fn noes_are_remembered_until_the_session_ends() {
    let setup = Setup::new(no);
    setup.gate.begin_session(&setup.root, id("session-1"));
    assert_eq!(reason(&setup.write(&setup.root, "a")), "reviewer_said_no");
    assert_eq!(reason(&setup.write(&setup.root, "a")), "denied_before");
    assert_eq!(reason(&setup.write(&setup.root, "b")), "reviewer_said_no");
    assert_eq!(reason(&setup.write(&setup.root, "c")), "reviewer_said_no");
    // Three noes on one target.
    assert_eq!(reason(&setup.write(&setup.root, "d")), "denied_before");
    assert_eq!(setup.asked(), 3);
    setup
        .gate
        .end_session(&setup.root, &id("session-1"))
        .unwrap();
    assert_eq!(reason(&setup.write(&setup.root, "a")), "reviewer_said_no");
}

#[test]
fn questions_are_limited() {
    let setup = Setup::new(yes);
    let (request, effect) = (write(), comment("one"));
    let attempt = Attempt::new(&setup.root, &request, &effect);
    let open = pending(setup.gate.begin(&attempt));
    assert_eq!(
        reason(&setup.write(&setup.root, "two")),
        "too_many_questions"
    );
    drop(open);
    for number in 0..9 {
        setup.do_it(&setup.root, &number.to_string()).unwrap();
    }
    assert_eq!(
        reason(&setup.write(&setup.root, "eleventh")),
        "too_many_questions"
    );
    setup.clock.advance(MINUTE);
    setup.do_it(&setup.root, "eleventh").unwrap();
}

#[test]
fn equal_questions_are_asked_once() {
    let setup = Setup::new(yes);
    let (request, effect) = (write(), comment("one"));
    let attempt = Attempt::new(&setup.root, &request, &effect);
    let [first, second] = [0, 1].map(|_| pending(setup.gate.begin(&attempt)));
    assert_eq!(first.question().id(), second.question().id());
    let answer = first.question().allow_once(&alice());
    assert_eq!(setup.gate.answer(&answer), Ok(Answered::Granted));
    assert_eq!(setup.gate.answer(&answer), Err(Cause::LateAnswer));
    let Ok(Begun::Permitted(_permit)) = first.resume(&attempt) else {
        panic!("the first takes the one use");
    };
    // The other is without a use left, and asks again.
    let again = pending(second.resume(&attempt));
    assert_ne!(again.question().id(), answer.question_id());
}

#[test]
fn a_question_without_an_answer_times_out() {
    let setup = Setup::new(yes);
    let (request, effect) = (write(), comment("one"));
    let attempt = Attempt::new(&setup.root, &request, &effect);
    let waiting = pending(setup.gate.begin(&attempt));
    let waiting = pending(waiting.resume(&attempt));
    setup.clock.advance(MINUTE * 5);
    assert_eq!(reason(&waiting.resume(&attempt)), "reviewer_timeout");
}

#[test]
fn answers_of_others_do_not_count() {
    let setup =
        Setup::new(|question| Ok(question.allow_once(&Reviewer::human("mallory").unwrap())));
    assert_eq!(reason(&setup.write(&setup.root, "x")), "answer_mismatch");
    // A program may not stand among those who ask, and gives no lasting approval.
    let guard = Reviewer::auto_review("helper").unwrap();
    let setup = Setup::with(ApprovalPolicy::ask_on_writes(guard), yes);
    let child = setup.child("helper", "thread-1");
    assert_eq!(reason(&setup.write(&child, "x")), "answer_mismatch");
    assert_eq!(reason(&setup.write(&setup.root, "x")), "permitted");
    let guard = Reviewer::auto_review("guard").unwrap();
    let setup = Setup::with(ApprovalPolicy::ask_on_writes(guard), |question| {
        Ok(question.allow_for_session(question.reviewer(), uses(2), question.deadline()))
    });
    setup.gate.begin_session(&setup.root, id("session-1"));
    assert_eq!(reason(&setup.write(&setup.root, "x")), "answer_mismatch");
    // One to another question.
    let other = Arc::new(Mutex::new(None::<Answer>));
    let kept = Arc::clone(&other);
    let setup = Setup::new(move |question| {
        let before = kept
            .lock()
            .unwrap()
            .replace(question.allow_once(question.reviewer()));
        before.map_or(yes(question), Ok)
    });
    setup.do_it(&setup.root, "one").unwrap();
    assert_eq!(reason(&setup.write(&setup.root, "two")), "answer_mismatch");
}

#[test]
fn a_quorum_is_of_different_people() {
    let people = Arc::new(Mutex::new(VecDeque::from([
        "alice", "bob", "alice", "alice",
    ])));
    let rules = ApprovalPolicy::ask_on_writes(alice()).with_quorum(uses(2));
    let setup = Setup::with(rules, move |question| {
        let next = people.lock().unwrap().pop_front().unwrap();
        Ok(question.allow_once(&Reviewer::human(next).unwrap()))
    });
    setup.do_it(&setup.root, "x").unwrap();
    assert_eq!(setup.asked(), 2);
    assert_eq!(reason(&setup.write(&setup.root, "y")), "answer_mismatch");
    assert_eq!(setup.asked(), 4);
}

/// A sink that fails from its n-th record on.
struct Failing(AtomicUsize);

impl AuditSink for Failing {
    fn append(&self, _: &Record, _: Durability) -> Result<Head, AuditError> {
        match self.0.fetch_sub(1, Ordering::SeqCst) {
            0 => {
                self.0.store(0, Ordering::SeqCst);
                Err(AuditError::Unavailable)
            }
            _ => Ok(Head::EMPTY),
        }
    }

    fn is_incomplete(&self, _: &Attempted) -> Result<bool, AuditError> {
        Ok(false)
    }
}

#[test]
fn what_cannot_be_recorded_is_not_done() {
    for records in 0..4 {
        let identity = ThreadIdentity::root("alice", "checkout", "run-1").unwrap();
        let (handle, root) = ThreadPolicy::for_root(identity, &permissions());
        let rules = ApprovalPolicy::ask_on_writes(alice());
        let gate = Gate::builder(&handle, rules, ManualClock::new())
            .reviewer(Says(yes))
            .audit(Failing(AtomicUsize::new(records)))
            .build()
            .unwrap();
        gate.ledger().begin_turn(&root).unwrap();
        let permit = gate.authorize(&root, &write(), &comment("x"), Amounts::tool_call());
        // Asked, granted, permitted, started: none of them goes on without its record.
        let running = match permit {
            Ok(permit) => {
                assert_eq!(records, 3);
                let own = Capabilities::new(Boundary::EnforcedByHarness);
                gate.redeemer()
                    .redeem(permit, &write(), &comment("x"), own)
                    .map(drop)
            }
            Err(denied) => Err(denied),
        };
        assert_eq!(reason(&running), "audit_unavailable", "{records}");
    }
}

#[test]
fn what_a_permit_reserved_is_released() {
    let permissions = ThreadPermissions::builder()
        .github("acme/checkout", [github::IssueWrite])
        .limit(authority_core::vocabulary::Setting::ToolCallsPerTurn, 1)
        .build()
        .unwrap();
    let identity = ThreadIdentity::root("alice", "checkout", "run-1").unwrap();
    let (handle, root) = ThreadPolicy::for_root(identity, &permissions);
    let gate = Gate::builder(
        &handle,
        ApprovalPolicy::ask_on_writes(alice()),
        ManualClock::new(),
    )
    .reviewer(Says(yes))
    .build()
    .unwrap();
    gate.ledger().begin_turn(&root).unwrap();
    let authorize = || gate.authorize(&root, &write(), &comment("x"), Amounts::tool_call());
    let permit = authorize().unwrap();
    assert_eq!(reason(&authorize()), "limit_reached");
    drop(permit);
    let permit = authorize().unwrap();
    let own = Capabilities::new(Boundary::EnforcedByHarness);
    let changed = gate.redeemer().redeem(permit, &write(), &comment("y"), own);
    assert_eq!(reason(&changed), "preview_changed");
    let permit = authorize().unwrap();
    let running = gate
        .redeemer()
        .redeem(permit, &write(), &comment("x"), own)
        .unwrap();
    running
        .finish(Outcome::Completed, Amounts::tool_call())
        .unwrap();
    assert_eq!(reason(&authorize()), "limit_reached");
}

#[test]
fn deadlines_end_a_thread() {
    let permissions = ThreadPermissions::builder()
        .github("acme/checkout", [github::IssueWrite])
        .limit(authority_core::vocabulary::Setting::TimeoutSeconds, 60)
        .build()
        .unwrap();
    let identity = ThreadIdentity::root("alice", "checkout", "run-1").unwrap();
    let (handle, root) = ThreadPolicy::for_root(identity, &permissions);
    let clock = Arc::new(ManualClock::new());
    let rules = ApprovalPolicy::ask_on_writes(alice());
    let gate = Gate::builder(&handle, rules, Arc::clone(&clock))
        .reviewer(Says(yes))
        .build()
        .unwrap();
    gate.ledger().begin_turn(&root).unwrap();
    clock.advance(Duration::from_secs(40));
    let child = root
        .intersect(&Artifact::new(id("helper")), "thread-1")
        .unwrap();
    let child = child.start_by_host(&handle).unwrap();
    gate.ledger().begin_turn(&child).unwrap();
    let permit = gate
        .authorize(&child, &write(), &comment("x"), Amounts::NONE)
        .unwrap();
    // The child's own minute is not over; the root's is.
    clock.advance(Duration::from_secs(20));
    let own = Capabilities::new(Boundary::EnforcedByHarness);
    let late = gate.redeemer().redeem(permit, &write(), &comment("x"), own);
    assert_eq!(reason(&late), "deadline_passed");
    let late = gate.authorize(&child, &write(), &comment("x"), Amounts::NONE);
    assert_eq!(reason(&late), "deadline_passed");
}

#[test]
fn simulating_has_no_effect() {
    let setup = Setup::new(yes);
    let (request, effect) = (write(), comment("x"));
    let attempt = Attempt::new(&setup.root, &request, &effect);
    let before = setup.audit.head();
    let simulated = setup.gate.simulate(&attempt);
    assert_eq!(
        (simulated.decision(), simulated.reason()),
        (RuleDecision::Ask, None)
    );
    assert!(simulated.preview_sha256().is_some());
    setup.handle.close(&setup.root);
    let simulated = setup.gate.simulate(&attempt);
    assert_eq!(simulated.decision(), RuleDecision::Deny);
    let closed = DenialReason::NotHeld(DenyReason::PolicyClosed);
    assert_eq!(simulated.reason(), Some(&closed));
    assert_eq!((setup.audit.head(), setup.asked()), (before, 0));
}

#[test]
fn a_request_is_simulated_without_its_effect() {
    let read = Request::github("acme/checkout", github::Read).unwrap();
    let setup = Setup::new(yes);
    let head = setup.audit.head();
    let simulate = |request: &Request<'_>| {
        let simulated = setup.gate.simulate_request(&setup.root, request);
        assert_eq!(simulated.preview_sha256(), None);
        let reason = simulated.reason().map(DenialReason::name);
        (simulated.decision(), reason, simulated.entry())
    };
    assert_eq!(simulate(&read), (RuleDecision::Allow, None, Some(0)));
    assert_eq!(simulate(&write()), (RuleDecision::Ask, None, Some(0)));
    let other = Request::github("acme/other", github::Read).unwrap();
    let denied = (RuleDecision::Deny, Some("target_not_declared"), None);
    assert_eq!(simulate(&other), denied);
    let scope = setup.gate.simulate_request(&setup.root, &read);
    let scope = scope.scope_sha256();
    let attempt_effect = Effect::github_read(GithubResource {
        repository_id: None,
        part: GithubPart::Repository,
    });
    let attempt = Attempt::new(&setup.root, &read, &attempt_effect);
    assert_eq!(setup.gate.simulate(&attempt).scope_sha256(), scope);

    setup.handle.close(&setup.root);
    let denied = (RuleDecision::Deny, Some("policy_closed"), None);
    assert_eq!(simulate(&read), denied);
    assert_eq!((setup.audit.head(), setup.asked()), (head, 0));
}

#[test]
fn a_grant_needs_a_preview() {
    let setup = Setup::new(|question| for_session(question, 3, MINUTE));
    setup.gate.begin_session(&setup.root, id("session-1"));
    setup.do_it(&setup.root, "x").unwrap();
    let (request, effect) = (write(), comment("x"));
    let attempt = Attempt::new(&setup.root, &request, &effect);
    assert_eq!(
        setup.gate.simulate(&attempt).decision(),
        RuleDecision::Allow
    );
    let simulated = setup.gate.simulate_request(&setup.root, &request);
    assert_eq!(simulated.decision(), RuleDecision::Ask);
}

#[test]
fn tools_are_begun_by_their_ids() {
    let setup = Setup::new(yes);
    let tool = setup.gate.begin_tool(&setup.root, "echo").unwrap();
    assert_eq!(tool.binding(), &ToolBinding::Native);
    tool.finish(Amounts::tool_call()).unwrap();
    let unknown = setup.gate.begin_tool(&setup.root, "other").unwrap_err();
    assert_eq!(unknown.reason().name(), "target_not_declared");
    assert_eq!(unknown.receipt(), Some(setup.audit.head()));
}

#[test]
fn many_threads_ask_one_question() {
    let setup = Setup::new(|question| {
        thread::sleep(Duration::from_millis(30));
        let until = question.asked_at().after(MINUTE).unwrap();
        Ok(question.allow_for_session(question.reviewer(), uses(100), until))
    });
    setup.gate.begin_session(&setup.root, id("session-1"));
    let permitted = thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| setup.write(&setup.root, "x").map(mem::forget).is_ok()))
            .collect();
        let joined = threads.into_iter().map(|thread| thread.join().unwrap());
        joined.filter(|is_permitted| *is_permitted).count()
    });
    assert_eq!(permitted, 8);
    // Whoever waits goes on with the answer; one that comes later finds open permits, a retry.
    assert!(setup.asked() <= 8);
    let records = setup.audit.records();
    let asked = records
        .iter()
        .filter(|record| record.code() == OutcomeCode::Asked)
        .count();
    assert_eq!(asked, setup.asked());
}

/// Answers when it is polled for the second time.
struct Later;

impl ReviewAsync for Later {
    fn review<'a>(&'a self, question: &'a Question) -> ReviewFuture<'a> {
        let mut polls = 0;
        Box::pin(std::future::poll_fn(move |context| {
            polls += 1;
            if polls == 1 {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            Poll::Ready(yes(question))
        }))
    }
}

#[test]
fn async_hosts_await_and_cancel() {
    let identity = ThreadIdentity::root("alice", "checkout", "run-1").unwrap();
    let (handle, root) = ThreadPolicy::for_root(identity, &permissions());
    let audit = Arc::new(MemoryAudit::new());
    let gate = Gate::builder(
        &handle,
        ApprovalPolicy::ask_on_writes(alice()),
        ManualClock::new(),
    )
    .async_reviewer(Later)
    .audit(Arc::clone(&audit))
    .build()
    .unwrap();
    gate.ledger().begin_turn(&root).unwrap();
    let (request, effect) = (write(), comment("x"));
    let attempt = Attempt::new(&root, &request, &effect);
    let mut context = Context::from_waker(Waker::noop());

    // Dropped while it waits: recorded, and nothing stays open.
    let mut future = Box::pin(gate.authorize_async(&attempt));
    assert!(future.as_mut().poll(&mut context).is_pending());
    drop(future);
    let codes = |audit: &MemoryAudit| -> Vec<_> {
        audit
            .records()
            .iter()
            .map(|record| record.code().name())
            .collect()
    };
    assert_eq!(codes(&audit), ["asked", "cancelled"]);

    // Two at once: the second waits for the first one's question, and goes on when that is dropped.
    let mut first = Box::pin(gate.authorize_async(&attempt));
    let mut second = Box::pin(gate.authorize_async(&attempt));
    assert!(first.as_mut().poll(&mut context).is_pending());
    assert!(second.as_mut().poll(&mut context).is_pending());
    drop(first);
    assert!(second.as_mut().poll(&mut context).is_pending());
    let Poll::Ready(Ok(_permit)) = second.as_mut().poll(&mut context) else {
        panic!("it is answered");
    };
    let asked = codes(&audit)
        .iter()
        .filter(|code| **code == "asked")
        .count();
    assert_eq!(asked, 2);
}

fn pending(begun: Result<Begun, Denied>) -> Pending {
    match begun {
        Ok(Begun::Pending(pending)) => pending,
        other => panic!("{other:?}"),
    }
}

/// A target is what it is, whoever asks.
#[test]
fn a_running_names_its_target() {
    let setup = Setup::new(yes);
    let running = setup
        .run(setup.write(&setup.root, "x").unwrap(), "x")
        .unwrap();
    assert!(
        matches!(running.target(), Target::Github(repository) if repository.as_str() == "acme/checkout")
    );
    assert_eq!(running.operation(), github::IssueWrite.into());
    running
        .finish(Outcome::Completed, Amounts::tool_call())
        .unwrap();
}

#[test]
fn a_child_is_started_by_the_permit_to_delegate() {
    let permissions = ThreadPermissions::builder()
        .github("acme/checkout", [github::Read])
        .child(
            "reviewer",
            [child_agent::Delegate],
            ThreadPermissions::builder().github("acme/checkout", [github::Read]),
        )
        .build()
        .unwrap();
    let identity = ThreadIdentity::root("alice", "checkout", "run-1").unwrap();
    let revisions = permissions.check_bindings(&Bound).unwrap();
    let options = RootOptions::default().revisions(revisions);
    let (handle, root) = ThreadPolicy::for_root_with(identity, &permissions, options);
    let rules = ApprovalPolicy::ask_on_writes(alice());
    let gate = Gate::builder(&handle, rules, ManualClock::new())
        .reviewer(Says(yes))
        .build()
        .unwrap();
    gate.ledger().begin_turn(&root).unwrap();
    let (_, ceiling) = permissions.children().next().unwrap();
    let prepare = |thread| root.delegate(ceiling, thread).unwrap();
    let scopes = root.scopes();
    let target = scopes
        .iter()
        .map(Scope::target)
        .find(|target| target.kind() == Kind::ChildAgent);
    let request = Request::new(target.unwrap().clone(), child_agent::Delegate).unwrap();
    let run = |child: &PreparedChild| {
        let effect = Effect::delegate(child, None);
        let permit = gate
            .authorize(&root, &request, &effect, Amounts::NONE)
            .unwrap();
        let own = Capabilities::new(Boundary::EnforcedByHarness);
        gate.redeemer()
            .redeem(permit, &request, &effect, own)
            .unwrap()
    };
    let child = prepare("thread-1");
    let running = run(&child);
    let started = child.start(&running).unwrap();
    // One permit, one child.
    let second = prepare("thread-3").start(&running);
    assert_eq!(
        second.unwrap_err(),
        PolicyIntersectionError::IdentityMismatch
    );
    running.finish(Outcome::Completed, Amounts::NONE).unwrap();
    let read = Request::github("acme/checkout", github::Read).unwrap();
    assert!(started.decide(&read).is_allowed());

    // A permit for something else starts nothing.
    let own = Capabilities::new(Boundary::EnforcedByHarness);
    let all = GithubResource {
        repository_id: None,
        part: GithubPart::Repository,
    };
    let effect = Effect::github_read(all);
    let permit = gate
        .authorize(&root, &read, &effect, Amounts::NONE)
        .unwrap();
    let running = gate.redeemer().redeem(permit, &read, &effect, own).unwrap();
    let other = prepare("thread-2").start(&running);
    assert_eq!(
        other.unwrap_err(),
        PolicyIntersectionError::IdentityMismatch
    );
    running.finish(Outcome::Completed, Amounts::NONE).unwrap();
}

/// A host that binds everything.
struct Bound;

impl BindingResolver for Bound {
    fn resolve(&self, _: &RequiredBinding) -> Option<ResolvedBinding> {
        Some(ResolvedBinding {
            revision_sha256: Digest::of(b"revision"),
            directory: None,
        })
    }
}

const OPERATIONS: [github::Operation; 4] = [
    github::Read,
    github::CommentWrite,
    github::IssueWrite,
    github::ContentsWrite,
];

proptest::proptest! {
    /// For the same request, a child's decision is never weaker than its parent's.
    #[test]
    fn a_child_is_never_weaker_than_its_parent(
        held in proptest::collection::vec(proptest::bool::ANY, 4),
        kept in proptest::collection::vec(proptest::bool::ANY, 4),
        preset in 0_usize..2,
        rule in proptest::option::of((0_usize..4, 0_usize..3)),
        asked in 0_usize..4,
    ) {
        let chosen = |flags: &[bool]| -> Vec<_> {
            let pairs = OPERATIONS.into_iter().zip(flags);
            pairs.filter(|(_, chosen)| **chosen).map(|(operation, _)| operation).collect()
        };
        let held = chosen(&held);
        proptest::prop_assume!(!held.is_empty());
        let builder = ThreadPermissions::builder().github("acme/checkout", held.iter().copied());
        let permissions = builder.build().unwrap();
        let identity = ThreadIdentity::root("alice", "checkout", "run-1").unwrap();
        let (handle, root) = ThreadPolicy::for_root(identity, &permissions);
        let mut rules = [ApprovalPolicy::always_ask, ApprovalPolicy::ask_on_writes][preset](alice());
        if let Some((operation, decision)) = rule
            && held.contains(&OPERATIONS[operation])
        {
            let target = write().target().clone();
            let operations = OperationSet::only(OPERATIONS[operation].into());
            let decision = [RuleDecision::Allow, RuleDecision::Ask, RuleDecision::Deny][decision];
            rules = rules.with_rule(ExplicitRule::new(Scope::new(target, operations).unwrap(), decision));
        }
        let gate = Gate::builder(&handle, rules, ManualClock::new()).build().unwrap();
        let kept: Vec<_> = chosen(&kept).into_iter().map(|operation| authority_core::Operation::from(operation).name()).collect();
        let scopes = if kept.is_empty() {
            serde_json::json!([])
        } else {
            let target = serde_json::json!({"kind": "github", "repository": "acme/checkout"});
            serde_json::json!([{"operations": kept, "schema_version": 1, "target": target}])
        };
        let artifact = serde_json::json!({"id": "helper", "extensions": {
            "uar.thread_policy": {"version": 2, "scopes": scopes},
        }});
        let artifact = Artifact::from_json(&artifact.to_string()).unwrap();
        let child = root.intersect(&artifact, "thread-1").unwrap().start_by_host(&handle).unwrap();
        let operation = OPERATIONS[asked];
        let request = Request::github("acme/checkout", operation).unwrap();
        let all = GithubResource { repository_id: None, part: GithubPart::Repository };
        let effect = if operation == github::Read {
            Effect::github_read(all)
        } else {
            Effect::github_write(all, "x")
        };
        let decision = |policy| gate.simulate(&Attempt::new(policy, &request, &effect)).decision();
        proptest::prop_assert!(decision(&child) >= decision(&root));
    }
}
