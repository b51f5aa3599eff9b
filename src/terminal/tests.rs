use std::io::{Cursor, ErrorKind};
use std::sync::Arc;

use authority_core::operations::github;
use authority_core::vocabulary::{Boundary, Cause};
use authority_core::{
    Amounts, ApprovalPolicy, Capabilities, DenialReason, Denied, Effect, Gate, GithubPart,
    GithubResource, Id, ManualClock, Outcome, Request, Reviewer, RootHandle, ThreadIdentity,
    ThreadPermissions, ThreadPolicy,
};

use super::*;

/// What was shown.
#[derive(Clone, Default)]
struct Shown(Arc<Mutex<Vec<u8>>>);

impl Shown {
    fn text(&self) -> String {
        let bytes = self.0.lock().expect("no test panics with it");
        String::from_utf8(bytes.clone()).expect("text is shown")
    }

    /// How often an answer was asked for.
    fn prompts(&self) -> usize {
        self.text().matches("> ").count()
    }
}

impl Write for Shown {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no test panics with it").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A thread that may write issues, and a gate that asks about each.
struct Desk {
    gate: Gate,
    /// Dropped, it closes the thread.
    _handle: RootHandle,
    root: ThreadPolicy,
    shown: Shown,
}

impl Desk {
    /// With these lines as what is typed.
    fn typing(lines: &'static str) -> Self {
        Self::with(lines, |reviewer| reviewer)
    }

    fn with(lines: &'static str, change: impl Fn(TerminalReviewer) -> TerminalReviewer) -> Self {
        let shown = Shown::default();
        let reviewer = change(TerminalReviewer::over(Cursor::new(lines), shown.clone()));
        let person = Reviewer::human("alice").expect("an id");
        Self::asking(reviewer, ApprovalPolicy::ask_on_writes(person), shown)
    }

    fn asking(reviewer: TerminalReviewer, rules: ApprovalPolicy, shown: Shown) -> Self {
        let permissions = ThreadPermissions::builder()
            .github("acme/checkout", [github::IssueWrite])
            .build()
            .expect("a target and an operation");
        let identity = ThreadIdentity::root("alice", "checkout", "run-42").expect("ids");
        let (handle, root) = ThreadPolicy::for_root(identity, &permissions);
        let clock = ManualClock::new();
        // 2031-03-04T10:30:00Z.
        clock.set_wall_nanoseconds(1_930_386_600_000_000_000);
        let gate = Gate::builder(&handle, rules, clock)
            .reviewer(reviewer)
            .build()
            .expect("the rules stand");
        gate.ledger().begin_turn(&root).expect("the first turn");
        Desk {
            gate,
            _handle: handle,
            root,
            shown,
        }
    }

    fn in_session(self) -> Self {
        let session = Id::parse("session-1").expect("an id").into_owned();
        self.gate.begin_session(&self.root, session);
        self
    }

    /// Writes issue 7, and ends it.
    fn write(&self) -> Result<(), Denied> {
        let request = Request::github("acme/checkout", github::IssueWrite).expect("a request");
        let resource = GithubResource {
            repository_id: None,
            part: GithubPart::Number(7),
        };
        let effect = Effect::github_write(resource, "it is done");
        let permit = self
            .gate
            .authorize(&self.root, &request, &effect, Amounts::NONE)?;
        let capabilities = Capabilities::new(Boundary::EnforcedByHarness);
        let redeemer = self.gate.redeemer();
        let running = redeemer.redeem(permit, &request, &effect, capabilities)?;
        running
            .finish(Outcome::Completed, Amounts::NONE)
            .expect("nothing is overused");
        Ok(())
    }

    /// Why a write is denied.
    fn cause(&self) -> Cause {
        let denied = self.write().expect_err("nobody allowed it");
        match denied.reason() {
            DenialReason::NotApproved(cause) => *cause,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn y_and_once_allow_once() {
    for lines in ["y\n", "once\n", "  y \r\n"] {
        let desk = Desk::typing(lines);
        assert!(desk.write().is_ok(), "{lines:?}");
        // The next try is asked about again, and nobody is there any more.
        assert_eq!(desk.cause(), Cause::ReviewerError, "{lines:?}");
        assert_eq!(desk.shown.prompts(), 2);
    }
}

#[test]
fn n_denies() {
    let desk = Desk::typing("n\n");
    assert_eq!(desk.cause(), Cause::ReviewerSaidNo);
    assert_eq!(desk.shown.prompts(), 1);
}

#[test]
fn the_question_is_shown_in_full() {
    let desk = Desk::typing("y\n").in_session();
    assert!(desk.write().is_ok());
    let text = desk.shown.text();
    assert!(text.starts_with("github issue.write\n"), "{text}");
    assert!(text.contains("acme/checkout"), "{text}");
    let end = "\
alice, may this run? The answer counts until 2031-03-04T10:35:00Z.
  y or once  yes, this once
  session N  yes, N times in this session until 2031-03-04T11:30:00Z
  n          no
> ";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn a_session_is_allowed_so_many_times() {
    let desk = Desk::typing("session 2\nn\n").in_session();
    assert!(desk.write().is_ok() && desk.write().is_ok());
    assert_eq!(desk.shown.prompts(), 1);
    assert_eq!(desk.cause(), Cause::ReviewerSaidNo);
}

#[test]
fn no_session_is_offered_where_there_is_none() {
    let desk = Desk::typing("session 2\nn\n");
    assert_eq!(desk.cause(), Cause::ReviewerSaidNo);
    assert!(!desk.shown.text().contains("session N"));
    assert_eq!(desk.shown.prompts(), 2);
}

#[test]
fn a_session_may_not_be_longer_than_the_policy_says() {
    let day = |reviewer: TerminalReviewer| reviewer.with_session_lifetime(Duration::from_hours(24));
    let desk = Desk::with("session 1\n", day).in_session();
    assert_eq!(desk.cause(), Cause::AnswerMismatch);
}

#[test]
fn what_is_no_answer_is_asked_again() {
    let desk = Desk::typing("\nyes please\ny\n");
    assert!(desk.write().is_ok());
    assert_eq!(desk.shown.prompts(), 3);
}

#[test]
fn three_lines_that_are_no_answer_deny() {
    let desk = Desk::typing("\nyes\nY\ny\n");
    assert_eq!(desk.cause(), Cause::ReviewerError);
    assert_eq!(desk.shown.prompts(), 3);
    assert!(desk.shown.text().ends_with("It does not run.\n"));
}

#[test]
fn the_end_of_the_input_denies() {
    for lines in ["", "y", "huh\ny"] {
        assert_eq!(
            Desk::typing(lines).cause(),
            Cause::ReviewerError,
            "{lines:?}"
        );
    }
}

#[test]
fn a_long_line_is_no_answer_and_only_one() {
    // The line's tail would be an answer if it were read as a line of its own.
    let mut input = Cursor::new(format!("{}y\nn\n", " ".repeat(80)));
    let first = line(&mut input).expect("memory is read").expect("a line");
    assert_eq!(Said::of(&first, None), None);
    let second = line(&mut input).expect("memory is read").expect("a line");
    assert_eq!(Said::of(&second, None), Some(Said::No));
    assert_eq!(line(&mut input).expect("memory is read"), None);
}

#[test]
fn only_exact_words_are_answers() {
    let until = Timestamp::parse("2031-03-04T11:30:00Z").expect("a time");
    let said = |line: &[u8]| Said::of(line, Some(until));
    let uses = NonZeroU32::new(12).expect("not zero");
    assert_eq!(said(b"session 12\n"), Some(Said::Session { uses, until }));
    for line in [
        &b""[..],
        b"Y",
        b"yes",
        b"y y",
        b"y n",
        b"N",
        b"session",
        b"session 0",
        b"session -1",
        b"session +1",
        b"session 1 2",
        b"session 4294967296",
        b"session \xff",
        b"\xff",
        b"y\0",
        b"session one",
    ] {
        assert_eq!(said(line), None, "{line:?}");
    }
}

#[test]
fn a_program_is_not_at_the_terminal() {
    let shown = Shown::default();
    let terminal = TerminalReviewer::over(Cursor::new("y\n"), shown.clone());
    let program = Reviewer::auto_review("checker").expect("an id");
    let rules = ApprovalPolicy::ask_on_writes(program);
    let desk = Desk::asking(terminal, rules, shown);
    assert_eq!(desk.cause(), Cause::ReviewerError);
    assert_eq!(desk.shown.text(), "");
}

#[test]
fn what_cannot_be_shown_is_not_answered() {
    struct Closed;

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let terminal = TerminalReviewer::over(Cursor::new("y\n"), Closed);
    let rules = ApprovalPolicy::ask_on_writes(Reviewer::human("alice").expect("an id"));
    let desk = Desk::asking(terminal, rules, Shown::default());
    assert_eq!(desk.cause(), Cause::ReviewerError);
}

/// What was typed is thrown away between the question and each prompt.
#[test]
fn what_was_typed_before_is_thrown_away() {
    #[derive(Default)]
    struct Script(Vec<&'static str>);

    impl Terminal for Script {
        fn is_there(&self) -> bool {
            true
        }

        fn discard_typed(&mut self) -> io::Result<()> {
            self.0.push("discard");
            Ok(())
        }

        fn show(&mut self, text: &str) -> io::Result<()> {
            self.0.push(if text == "> " { "prompt" } else { "text" });
            Ok(())
        }

        fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
            self.0.push("line");
            Ok((self.0.len() < 8).then(|| b"what?\n".to_vec()))
        }
    }

    let mut script = Script::default();
    assert_eq!(
        ask(&mut script, "question\n", None).expect("a script"),
        None
    );
    let once = ["text", "discard", "prompt", "line"];
    assert_eq!(script.0, once.repeat(2));
}
