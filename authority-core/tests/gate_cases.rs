//! Cases from public reports about tools, processes and approvals, through the gate. What their
//! previews cover is tested beside the previews.

use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use authority_core::audit::{Code, Content as Noted, MemoryAudit};
use authority_core::operations::{filesystem, github, integration, mcp_tool, subprocess};
use authority_core::vocabulary::{Boundary, Cause, DenyReason, OutcomeCode, RevalidationReason};
use authority_core::{
    Amounts, Answer, ApprovalPolicy, Artifact, Attempt, Begun, BindingResolver, BoundDirectory,
    Capabilities, Content, DenialReason, Denied, Digest, Effect, EffectField, Gate, GithubPart,
    GithubResource, Id, ManualClock, OperationSet, Outcome, Permit, PreviewError, Previous,
    Question, Request, RequiredBinding, ResolvedBinding, Review, ReviewError, Reviewer, Revocation,
    RootHandle, RootOptions, Running, Scope, ThreadIdentity, ThreadPermissions, ThreadPolicy,
};

const FIRST_REVISION: &[u8] = b"R1";

fn permissions() -> ThreadPermissions {
    let both = [subprocess::Execute];
    ThreadPermissions::builder()
        .filesystem("ws", [filesystem::Read, filesystem::Write])
        .subprocess("curl", &["https://a.example/x"], "ws", None, both)
        .subprocess("curl", &["https://a.example/y"], "ws", None, both)
        .subprocess("make", &["clean"], "ws", Some("app"), both)
        .subprocess("make", &["clean"], "ws", Some("infra"), both)
        .subprocess("sh", &["run.sh"], "ws", None, both)
        .github("acme/widgets", [github::IssueWrite])
        .mcp_tool("demo", "demo_read", [mcp_tool::Call])
        .mcp_tool("files", "read", [mcp_tool::Call])
        .mcp_tool("mail", "send", [mcp_tool::Call])
        .server("demo", None)
        .server("files", None)
        .server("mail", Some("mail-prod"))
        .integration(
            "tickets",
            &Digest::of(FIRST_REVISION).to_string(),
            [integration::Invoke],
        )
        .build()
        .unwrap()
}

/// A host that has bound everything.
struct Host;

impl BindingResolver for Host {
    fn resolve(&self, binding: &RequiredBinding) -> Option<ResolvedBinding> {
        let revision_sha256 = match binding {
            RequiredBinding::Integration {
                revision_sha256, ..
            } => *revision_sha256,
            _ => sha256("bound"),
        };
        let is_directory = matches!(binding, RequiredBinding::Filesystem(_));
        let directory = is_directory.then(|| BoundDirectory {
            host: "/srv/ws".into(),
            guest: "/ws".into(),
        });
        Some(ResolvedBinding {
            revision_sha256,
            directory,
        })
    }
}

/// Allows everything three times in the session, and keeps what was asked.
#[derive(Clone, Default)]
struct Asked(Arc<Mutex<Vec<Question>>>);

impl Review for Asked {
    fn review(&self, question: &Question) -> Result<Answer, ReviewError> {
        self.0.lock().unwrap().push(question.clone());
        let until = question.asked_at().after(Duration::from_mins(30)).unwrap();
        let times = NonZeroU32::new(3).unwrap();
        Ok(question.allow_for_session(question.reviewer(), times, until))
    }
}

impl Asked {
    fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    /// Why the last question was asked again, and what had changed.
    fn again(&self) -> (Vec<Code>, Vec<String>) {
        let questions = self.0.lock().unwrap();
        let last = questions.last().unwrap();
        let changes = last.changes().iter().map(ToString::to_string).collect();
        (last.reasons().to_vec(), changes)
    }
}

struct Setup {
    handle: RootHandle,
    root: ThreadPolicy,
    audit: Arc<MemoryAudit>,
    gate: Gate,
    asked: Asked,
}

impl Setup {
    fn new() -> Self {
        let permissions = permissions();
        let revisions = permissions.check_bindings(&Host).unwrap();
        let identity = ThreadIdentity::root("alice", "acme", "run-1").unwrap();
        let options = RootOptions::default().revisions(revisions);
        let (handle, root) = ThreadPolicy::for_root_with(identity, &permissions, options);
        let (audit, asked) = (Arc::new(MemoryAudit::new()), Asked::default());
        let rules = ApprovalPolicy::ask_on_writes(Reviewer::human("alice").unwrap());
        let gate = Gate::builder(&handle, rules, ManualClock::new())
            .reviewer(asked.clone())
            .audit(Arc::clone(&audit))
            .build()
            .unwrap();
        gate.ledger().begin_turn(&root).unwrap();
        gate.begin_session(&root, Id::parse("session-1").unwrap().into_owned());
        Setup {
            handle,
            root,
            audit,
            gate,
            asked,
        }
    }

    fn authorize(&self, request: &Request<'_>, effect: &Effect<'_>) -> Result<Permit, Denied> {
        self.gate
            .authorize(&self.root, request, effect, Amounts::NONE)
    }

    fn redeem(
        &self,
        permit: Permit,
        request: &Request<'_>,
        effect: &Effect<'_>,
    ) -> Result<Running, Denied> {
        let own = Capabilities::new(Boundary::EnforcedByHarness)
            .with_mounts()
            .with_egress()
            .with_environment();
        self.gate.redeemer().redeem(permit, request, effect, own)
    }

    /// Authorizes, redeems, completes.
    fn do_it(&self, request: &Request<'_>, effect: &Effect<'_>) -> Result<(), Denied> {
        let permit = self.authorize(request, effect)?;
        let running = self.redeem(permit, request, effect)?;
        running.finish(Outcome::Completed, Amounts::NONE).unwrap();
        Ok(())
    }

    /// The first is approved and used twice; then `changed` is another question, for these fields.
    fn asks_again(
        &self,
        approved: (&Request<'_>, &Effect<'_>),
        changed: (&Request<'_>, &Effect<'_>),
        fields: &[&str],
    ) {
        for _ in 0..2 {
            self.do_it(approved.0, approved.1).unwrap();
        }
        assert_eq!(self.asked.count(), 1);
        self.do_it(changed.0, changed.1).unwrap();
        assert_eq!(self.asked.count(), 2);
        let stale = Code::from(RevalidationReason::StalePreview);
        let fields = fields.iter().map(ToString::to_string).collect();
        assert_eq!(self.asked.again(), (vec![stale], fields));
    }

    fn receipts(&self) -> String {
        String::from_utf8(self.audit.bytes()).unwrap()
    }
}

fn sha256(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

fn reason<T>(result: Result<T, Denied>) -> DenialReason {
    match result {
        Ok(_) => panic!("it is permitted"),
        Err(denied) => denied.reason().clone(),
    }
}

fn preview_changed<T>(result: Result<T, Denied>) -> Vec<String> {
    match reason(result) {
        DenialReason::PreviewChanged(changes) => changes.iter().map(ToString::to_string).collect(),
        other => panic!("{other:?}"),
    }
}

fn call(server: &'static str, tool: &'static str) -> Request<'static> {
    Request::mcp_tool(server, tool, mcp_tool::Call).unwrap()
}

fn calling(definition: &str, launch: &str) -> Effect<'static> {
    Effect::call_tool(sha256(definition), sha256(launch), r#"{"to":"bob"}"#)
}

#[test]
fn ag_mcp_04() {
    let setup = Setup::new();
    let advertised = call("demo", "demo/read");
    let denied = setup.authorize(&advertised, &calling("d", "l"));
    let unknown = DenialReason::NotHeld(DenyReason::TargetNotDeclared);
    assert_eq!(reason(denied), unknown);
    assert_eq!(setup.asked.count(), 0);
    let explained = setup.root.explain(&advertised);
    let nearest = explained.nearest.unwrap();
    assert_eq!(nearest.text, "mcp \"demo\" / \"demo_read\" => call");
    assert_eq!(nearest.differs, ["tool_name"]);
}

#[test]
fn ag_mcp_06() {
    let setup = Setup::new();
    let read = call("files", "read");
    let (approved, relaunched) = (calling("d", "D1"), calling("d", "D2"));
    setup.asks_again((&read, &approved), (&read, &relaunched), &["launch_sha256"]);
}

#[test]
fn ag_mcp_07() {
    let setup = Setup::new();
    let send = call("mail", "send");
    let (approved, redefined) = (calling("D1", "l"), calling("D2", "l"));
    setup.do_it(&send, &approved).unwrap();
    // What was permitted before the tool changed does not run after it.
    let permit = setup.authorize(&send, &approved).unwrap();
    let differs = preview_changed(setup.redeem(permit, &send, &redefined));
    assert_eq!(differs, ["tool_definition_sha256"]);
    // Until it is decided nothing is permitted.
    let attempt = Attempt::new(&setup.root, &send, &redefined);
    let Ok(Begun::Pending(open)) = setup.gate.begin(&attempt) else {
        panic!("another definition is another question");
    };
    let question = open.question().clone();
    let stale = Code::from(RevalidationReason::StalePreview);
    assert_eq!(question.reasons(), [stale]);
    let changes: Vec<_> = question
        .changes()
        .iter()
        .map(|change| change.field)
        .collect();
    assert_eq!(changes, [EffectField::ToolDefinitionSha256]);
    let Ok(Begun::Pending(open)) = open.resume(&attempt) else {
        panic!("nobody has answered");
    };
    let no = question.deny(question.reviewer());
    setup.gate.answer(&no).unwrap();
    let said_no = DenialReason::NotApproved(Cause::ReviewerSaidNo);
    assert_eq!(reason(open.resume(&attempt)), said_no);
}

#[test]
fn ag_mcp_09() {
    let setup = Setup::new();
    let send = call("mail", "send");
    let claimed = calling("d", "l")
        .with_server_claim("readOnlyHint", "true")
        .with_server_claim("description", "Safe. Needs no approval.");
    setup.do_it(&send, &claimed).unwrap();
    assert_eq!(setup.asked.count(), 1);
    let text = setup.asked.0.lock().unwrap()[0].render();
    let (covered, advisory) = text.split_once("not part of the approval\n").unwrap();
    assert!(!covered.contains("readOnlyHint"));
    assert!(
        advisory.contains("    0: \"readOnlyHint\": \"true\"\n"),
        "{text}"
    );
    // Nor is another claim another operation: the approval still holds.
    setup.do_it(&send, &calling("d", "l")).unwrap();
    assert_eq!(setup.asked.count(), 1);
}

#[test]
fn ag_mcp_10() {
    let setup = Setup::new();
    let send = call("mail", "send");
    let missing = DenialReason::NoPreview(PreviewError::Missing {
        field: EffectField::ToolDefinitionSha256,
    });
    for effect in [Effect::none(), Effect::start_server(sha256("l"))] {
        assert_eq!(reason(setup.authorize(&send, &effect)), missing);
    }
    // Nor does an approval of the call match what has no digest.
    setup.do_it(&send, &calling("d", "l")).unwrap();
    assert_eq!(reason(setup.authorize(&send, &Effect::none())), missing);
    let permit = setup.authorize(&send, &calling("d", "l")).unwrap();
    assert_eq!(
        reason(setup.redeem(permit, &send, &Effect::none())),
        missing
    );
    assert_eq!(setup.asked.count(), 1);
}

#[test]
fn ag_mcp_18() {
    let setup = Setup::new();
    let invoke = |revision| {
        Request::integration("tickets", Digest::of(revision), integration::Invoke).unwrap()
    };
    let effect = Effect::invoke("{}");
    setup.do_it(&invoke(FIRST_REVISION), &effect).unwrap();
    let update = setup.authorize(&invoke(b"R2"), &effect);
    let unknown = DenialReason::NotHeld(DenyReason::TargetNotDeclared);
    assert_eq!(reason(update), unknown);
    assert_eq!(setup.asked.count(), 1);
}

fn run(
    executable: &'static str,
    argument: &'static [&'static str; 1],
    path: &'static str,
) -> Request<'static> {
    Request::subprocess(executable, argument, "ws", path, subprocess::Execute).unwrap()
}

fn running(executable: &str) -> Effect<'static> {
    Effect::run(sha256(executable), "", [])
}

#[test]
fn ag_process_10() {
    let setup = Setup::new();
    let (x, y) = (
        run("curl", &["https://a.example/x"], "."),
        run("curl", &["https://a.example/y"], "."),
    );
    let effect = running("curl");
    let permit = setup.authorize(&x, &effect).unwrap();
    let other = preview_changed(setup.redeem(permit, &y, &effect));
    assert_eq!(other, ["scope (argv_sha256)", "argv"]);
    // The grant for the session is there, and is not for this.
    setup.do_it(&y, &effect).unwrap();
    assert_eq!(setup.asked.count(), 2);
    assert_eq!(setup.asked.again(), (vec![], vec![]));
}

#[test]
fn ag_process_11() {
    let setup = Setup::new();
    let (app, infra) = (
        run("make", &["clean"], "app"),
        run("make", &["clean"], "infra"),
    );
    let effect = running("make");
    let permit = setup.authorize(&app, &effect).unwrap();
    let other = preview_changed(setup.redeem(permit, &infra, &effect));
    assert_eq!(other, ["scope (cwd_sha256)", "cwd"]);
    setup.do_it(&infra, &effect).unwrap();
    assert_eq!(setup.asked.count(), 2);
}

#[test]
fn ag_process_12() {
    let setup = Setup::new();
    let script = run("sh", &["run.sh"], ".");
    let with = |content: &str| Effect::run(sha256("sh"), "", [(0, Content::from(content))]);
    let (approved, rewritten) = (with("make test"), with("rm -rf secret-MARKER"));
    let permit = setup.authorize(&script, &approved).unwrap();
    let denied = setup.redeem(permit, &script, &rewritten).unwrap_err();
    assert_eq!(
        denied.explain(),
        "what would run is not what was permitted; it differs in operands (argument 0)"
    );
    let fields = &["operands (argument 0)"];
    let setup = Setup::new();
    setup.asks_again((&script, &approved), (&script, &rewritten), fields);
    assert!(!setup.receipts().contains("MARKER"));
}

fn issue(payload: &str) -> Effect<'static> {
    let part = GithubPart::Number(7);
    let repository_id = None;
    Effect::github_write(
        GithubResource {
            repository_id,
            part,
        },
        payload,
    )
}

#[test]
fn ag_approval_01() {
    let setup = Setup::new();
    let write = Request::github("acme/widgets", github::IssueWrite).unwrap();
    for note in ["restart service", "restart it"] {
        setup.do_it(&write, &issue("a").with_reason(note)).unwrap();
    }
    assert_eq!(setup.asked.count(), 1);
}

#[test]
fn ag_approval_02() {
    let setup = Setup::new();
    let write = Request::github("acme/widgets", github::IssueWrite).unwrap();
    let (approved, changed) = (issue("a"), issue("b"));
    setup.asks_again((&write, &approved), (&write, &changed), &["payload_sha256"]);
}

#[test]
fn ag_intersection_07() {
    let setup = Setup::new();
    let artifact = Artifact::new(Id::parse("helper").unwrap().into_owned());
    let child = setup.root.intersect(&artifact, "thread-1").unwrap();
    let child = child.start_by_host(&setup.handle).unwrap();
    setup.gate.ledger().begin_turn(&child).unwrap();
    setup
        .gate
        .begin_session(&child, Id::parse("session-2").unwrap().into_owned());
    let write = Request::github("acme/widgets", github::IssueWrite).unwrap();
    let authorize = || {
        setup
            .gate
            .authorize(&child, &write, &issue("a"), Amounts::NONE)
    };
    let (permit, other) = (authorize().unwrap(), authorize().unwrap());
    let running = setup.redeem(other, &write, &issue("a")).unwrap();

    let operations = OperationSet::only(github::IssueWrite.into());
    let scope = Scope::new(write.target().clone(), operations).unwrap();
    setup.handle.revoke(&Revocation::Scope(scope));
    let revoked = DenialReason::NotHeld(DenyReason::Revoked);
    assert_eq!(reason(setup.redeem(permit, &write, &issue("a"))), revoked);
    assert_eq!(reason(authorize()), revoked);
    assert!(running.is_cancelled());
    running.finish(Outcome::Cancelled, Amounts::NONE).unwrap();
}

const FORBIDDEN: Code = Code::new("forbidden").unwrap();

#[test]
fn ag_audit_05() {
    let setup = Setup::new();
    let send = call("mail", "send");
    let permit = setup.authorize(&send, &calling("d", "l")).unwrap();
    let running = setup.redeem(permit, &send, &calling("d", "l")).unwrap();
    let text = "403: bad key sk-MARKER-8f2c";
    let failed = Outcome::failed(FORBIDDEN, text);
    running.finish(failed, Amounts::NONE).unwrap();
    let records = setup.audit.records();
    let last = records.last().unwrap();
    assert_eq!(last.code(), OutcomeCode::Failed);
    assert_eq!(last.executor_code(), Some(&FORBIDDEN));
    assert_eq!(last.message(), Some(Noted::of_digest(27, sha256(text))));
    assert!(!setup.receipts().contains("MARKER"));
}

#[test]
fn ag_audit_07() {
    let setup = Setup::new();
    let arguments = r#"{"password":"s3cret"}"#;
    let effect = Effect::call_tool(sha256("d"), sha256("l"), arguments);
    setup.do_it(&call("mail", "send"), &effect).unwrap();
    let noted = Some(Noted::of_digest(21, sha256(arguments)));
    let records = setup.audit.records();
    assert_eq!(records.len(), 5);
    assert!(
        records
            .iter()
            .all(|record| record.code() == OutcomeCode::Granted || record.arguments() == noted)
    );
    // Of a process: the list.
    setup
        .do_it(&run("make", &["clean"], "app"), &running("make"))
        .unwrap();
    let records = setup.audit.records();
    let noted = Some(Noted::of_digest(9, sha256(r#"["clean"]"#)));
    assert_eq!(records.last().unwrap().arguments(), noted);
    let receipts = setup.receipts();
    for text in ["password", "s3cret", "clean"] {
        assert!(!receipts.contains(text), "{text}");
    }
}

/// Every line of the sources that a host compiles in a normal build: no tests, no docs.
fn code(directory: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            lines.extend(code(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let source = fs::read_to_string(&path).unwrap();
            let built = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
            let is_code = |line: &&str| !line.trim_start().starts_with("//");
            lines.extend(built.lines().filter(is_code).map(str::to_owned));
        }
    }
    lines
}

#[test]
fn ag_approval_18() {
    let core = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let facade = core.parent().unwrap().join("src");
    let mut reviewers: Vec<_> = [core.join("src"), facade]
        .iter()
        .flat_map(|directory| code(directory))
        .filter(|line| line.contains(" Review for ") || line.contains(" ReviewAsync for "))
        .collect();
    reviewers.sort();
    // The one that asks a person at the terminal, who has to type an answer.
    assert_eq!(reviewers, ["impl Review for TerminalReviewer {"]);
    // Without a reviewer nothing that is asked about is allowed.
    let permissions = permissions();
    let revisions = permissions.check_bindings(&Host).unwrap();
    let identity = ThreadIdentity::root("alice", "acme", "run-1").unwrap();
    let options = RootOptions::default().revisions(revisions);
    let (handle, root) = ThreadPolicy::for_root_with(identity, &permissions, options);
    let rules = ApprovalPolicy::ask_on_writes(Reviewer::human("alice").unwrap());
    let gate = Gate::builder(&handle, rules, ManualClock::new());
    let gate = gate.build().unwrap();
    gate.ledger().begin_turn(&root).unwrap();
    let denied = gate.authorize(
        &root,
        &call("mail", "send"),
        &calling("d", "l"),
        Amounts::NONE,
    );
    let nobody = DenialReason::NotApproved(Cause::NoReviewer);
    assert_eq!(reason(denied), nobody);
}

#[test]
fn ag_audit_08() {
    let setup = Setup::new();
    let path = "MARKER-41ab/notes.md";
    let elsewhere = Request::filesystem("home", path, filesystem::Write).unwrap();
    let effect = Effect::write_file("MARKER-41ab", Previous::New);
    let denied = setup.authorize(&elsewhere, &effect).unwrap_err();
    assert_eq!(denied.reason().name(), "target_not_declared");
    let noted = setup.audit.records()[0].path();
    assert_eq!(noted, Some(Noted::of_digest(20, sha256(path))));
    assert!(!setup.receipts().contains("MARKER"));
    assert!(!format!("{denied:?} {}", denied.explain()).contains("MARKER"));
}
