//! A host on tokio: agents work at the same time, a person is asked in a chat, and nothing blocks.
//!
//! `cargo run --example async_host` lets two agents comment on issues. The person allows one of them,
//! denies another, and does not look at the third, which the host gives up on. At the end the
//! receipts are verified.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use authority::audit::{MemoryAudit, verify};
use authority::operations::github;
use authority::vocabulary::Boundary;
use authority::{
    Amounts, Answer, ApprovalPolicy, Attempt, Capabilities, Denied, Effect, Gate, GithubPart,
    GithubResource, Outcome, Permit, Question, Redeemer, Request, ReviewAsync, ReviewError,
    ReviewFuture, Reviewer, SystemClock, Target, ThreadIdentity, ThreadPolicy, authority,
};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout};

authority! {
    /// What the triage bot may do.
    pub mod triage_bot {
        github "acme/checkout" => read, comment.write;

        /// Greets those who open their first issue.
        child_agent "greeter" => delegate {
            github "acme/checkout" => comment.write;
        }
    }
}

/// How long the person has for an answer.
const PATIENCE: Duration = Duration::from_mins(2);

/// The host's end of a chat with the person.
struct Chat(mpsc::Sender<Message>);

/// A question in the chat, with the button that is pressed.
struct Message {
    question: Question,
    answer: oneshot::Sender<Answer>,
}

impl ReviewAsync for Chat {
    fn review<'a>(&'a self, question: &'a Question) -> ReviewFuture<'a> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let question = question.clone();
            self.0
                .send(Message { question, answer })
                .await
                .map_err(|_| ReviewError::Unavailable)?;
            match timeout(PATIENCE, answered).await {
                Ok(answer) => answer.map_err(|_| ReviewError::Unavailable),
                Err(_) => Err(ReviewError::TimedOut),
            }
        })
    }
}

/// Stands for the person: yes to issue 7, no to issue 8, and no look at any other.
async fn person(mut chat: mpsc::Receiver<Message>) {
    let mut unread = Vec::new();
    while let Some(Message { question, answer }) = chat.recv().await {
        let text = question.render();
        println!("{text}");
        let by = question.reviewer();
        let pressed = if text.contains("number 7") {
            question.allow_once(by)
        } else if text.contains("number 8") {
            question.deny(by)
        } else {
            unread.push(answer);
            continue;
        };
        // Whoever asked may have given up.
        let _ = answer.send(pressed);
    }
}

/// The executor. It is given no policy and no reviewer, and runs nothing without a permit.
struct Tracker(Redeemer);

impl Tracker {
    async fn write(
        &self,
        permit: Permit,
        request: &Request<'_>,
        issue: u64,
        text: &str,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let capabilities = Capabilities::new(Boundary::EnforcedByHarness);
        let running = self
            .0
            .redeem(permit, request, &effect(issue, text), capabilities)
            .map_err(|denied| denied.explain())?;
        let Target::Github(repository) = running.target() else {
            return Err("not a repository".into());
        };
        // Stands for the call of the service.
        sleep(Duration::from_millis(10)).await;
        println!("commented on issue {issue} of {repository}: {text}\n");
        running.finish(Outcome::Completed, Amounts::tool_call())?;
        Ok(())
    }
}

/// What an approval covers: the issue, and exactly this text.
fn effect(issue: u64, text: &str) -> Effect<'_> {
    let resource = GithubResource {
        repository_id: None,
        part: GithubPart::Number(issue),
    };
    Effect::github_write(resource, text)
}

/// A tool call of an agent.
async fn write(
    gate: Gate,
    policy: ThreadPolicy,
    issue: u64,
    text: &'static str,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let request = Request::github("acme/checkout", github::CommentWrite)?;
    let effect = effect(issue, text);
    let attempt = Attempt::new(&policy, &request, &effect).with_amounts(Amounts::tool_call());
    let permit = gate
        .authorize_async(&attempt)
        .await
        .map_err(|denied: Denied| denied.explain())?;
    let tracker = Tracker(gate.redeemer());
    tracker.write(permit, &request, issue, text).await
}

async fn host() -> Result<(), Box<dyn Error + Send + Sync>> {
    let identity = ThreadIdentity::root("alice", "acme-checkout", "run-42")?;
    let (handle, root) = ThreadPolicy::for_root(identity, &triage_bot::PERMISSIONS);
    let greeter = root
        .delegate(&triage_bot::greeter::CEILING, "thread-7")?
        .start_by_host(&handle)?;

    let (questions, chat) = mpsc::channel(8);
    let person = tokio::spawn(person(chat));
    let audit = Arc::new(MemoryAudit::new());
    let rules = ApprovalPolicy::ask_on_writes(Reviewer::human("alice")?);
    let gate = Gate::builder(&handle, rules, SystemClock::new())
        .async_reviewer(Chat(questions))
        .audit(Arc::clone(&audit))
        .build()?;
    gate.ledger().begin_turn(&root)?;
    gate.ledger().begin_turn(&greeter)?;

    // Two agents at once.
    let triage = tokio::spawn(write(gate.clone(), root.clone(), 7, "See issue 3."));
    let greeting = tokio::spawn(write(gate.clone(), greeter, 8, "Welcome!"));
    triage.await??;
    let denied = greeting.await?.expect_err("the person says no");
    println!("the greeter is told: {denied}\n");

    // Nobody looks. The host gives up, which drops the future: the question ends, and with it what
    // was reserved.
    let unanswered = write(gate.clone(), root.clone(), 9, "Anybody here?");
    let given_up = timeout(Duration::from_millis(50), unanswered).await;
    assert!(given_up.is_err(), "nobody answers");

    handle.close(&root);
    drop(gate);
    person.await?;

    let records = audit.records();
    for record in &records {
        println!("{}", record.code().name());
    }
    for end in ["completed", "denied", "cancelled"] {
        let ends = records.iter().filter(|record| record.code().name() == end);
        assert_eq!(ends.count(), 1, "each attempt has its own end");
    }
    let verified = verify(&audit.bytes())?;
    assert!(verified.unknown().is_empty(), "all that started has ended");
    println!("the receipts are in order: {}", verified.head());
    Ok(())
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?
        .block_on(host())
}
