//! Asking, waiting, answering.

use std::future::poll_fn;
use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;

use crate::approval::{Effect, Grant, GrantError, Lifetime, NewGrant};
use crate::audit::Code;
use crate::clock::Clock as _;
use crate::gate::denied::{DenialReason, Denied};
use crate::gate::facts::{Facts, asked_target};
use crate::gate::pipeline::{ToAsk, Verdict};
use crate::gate::question::{Contents, Says};
use crate::gate::state::{Next, Resolution, Ticket};
use crate::gate::{Answer, Attempt, Gate, Inner, Permit, Question, ReviewError};
use crate::ledger::Amounts;
use crate::policy::ThreadPolicy;
use crate::request::Request;
use crate::vocabulary::{Cause, Lifetime as LifetimeKind, OutcomeCode};

/// What [`Gate::begin`] gives.
#[derive(Debug)]
pub enum Begun {
    /// It is permitted.
    Permitted(Permit),
    /// Somebody is to be asked.
    Pending(Pending),
}

/// A request that waits for an answer. Dropping it cancels the request, and the question too when no
/// other request waits for the same.
#[must_use = "a request that is dropped is cancelled"]
pub struct Pending {
    gate: Gate,
    ticket: Arc<Ticket>,
    facts: Option<Box<Facts>>,
}

/// What an answer leads to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Answered {
    /// A grant was made. Whoever waits goes on.
    Granted,
    /// It was a no.
    Denied,
    /// It counts, and more people must allow.
    MoreNeeded,
}

impl Gate {
    /// Authorizes a request, and waits for the reviewer where somebody is to be asked.
    ///
    /// # Errors
    ///
    /// Why it is denied. The record is written already.
    pub fn authorize(
        &self,
        policy: &ThreadPolicy,
        request: &Request<'_>,
        effect: &Effect<'_>,
        amounts: Amounts,
    ) -> Result<Permit, Denied> {
        self.authorize_attempt(&Attempt::new(policy, request, effect).with_amounts(amounts))
    }

    /// The same for a redirect or a retry.
    ///
    /// # Errors
    ///
    /// As [`authorize`](Self::authorize).
    pub fn authorize_attempt(&self, attempt: &Attempt<'_>) -> Result<Permit, Denied> {
        let Some(reviewer) = self.0.reviewer.as_deref() else {
            return self.authorize_without_reviewer(attempt);
        };
        let mut begun = self.begin(attempt)?;
        loop {
            match begun {
                Begun::Permitted(permit) => return Ok(permit),
                Begun::Pending(pending) => {
                    pending.wait(|question| reviewer.review(question));
                    begun = pending.resume(attempt)?;
                }
            }
        }
    }

    /// Authorizes a request without blocking: the host's runtime awaits it. Dropping the future
    /// cancels the request, which is recorded. Records are appended on the thread that polls it.
    ///
    /// # Errors
    ///
    /// As [`authorize`](Self::authorize).
    pub async fn authorize_async(&self, attempt: &Attempt<'_>) -> Result<Permit, Denied> {
        let Some(reviewer) = self.0.async_reviewer.as_deref() else {
            return self.authorize_without_reviewer(attempt);
        };
        let mut begun = self.begin(attempt)?;
        loop {
            match begun {
                Begun::Permitted(permit) => return Ok(permit),
                Begun::Pending(pending) => {
                    pending.wait_async(reviewer).await;
                    begun = pending.resume(attempt)?;
                }
            }
        }
    }

    /// Begins to authorize, for a host that cannot wait: it hands the question on by itself, gives
    /// the [`answer`](Self::answer) when it comes, and then resumes the [`Pending`].
    ///
    /// # Errors
    ///
    /// As [`authorize`](Self::authorize).
    pub fn begin(&self, attempt: &Attempt<'_>) -> Result<Begun, Denied> {
        self.step(attempt, None)
    }

    /// Takes an answer.
    ///
    /// # Errors
    ///
    /// Why it is discarded, which is recorded: it is late, or one that this reviewer may not give.
    pub fn answer(&self, answer: &Answer) -> Result<Answered, Cause> {
        let ticket = self.0.state().question_with(answer.question_id()).cloned();
        match ticket {
            Some(ticket) => self.0.take_answer(&ticket, answer),
            None => {
                self.0.discard(None, answer, Cause::LateAnswer);
                Err(Cause::LateAnswer)
            }
        }
    }

    /// Asks nobody: what needs an answer is denied.
    fn authorize_without_reviewer(&self, attempt: &Attempt<'_>) -> Result<Permit, Denied> {
        let look = self.0.look(attempt, None);
        let permit = match look.verdict {
            Ok(Verdict::Asked(_)) => Err(DenialReason::NotApproved(Cause::NoReviewer)),
            Ok(Verdict::Permitted(by)) => self.permit(attempt, &look.facts, by),
            Err(reason) => Err(reason),
        };
        permit.map_err(|reason| self.0.deny(&look.facts, OutcomeCode::Denied, reason))
    }

    /// The whole pipeline, up to a permit or a question.
    fn step(&self, attempt: &Attempt<'_>, answer: Option<&Grant>) -> Result<Begun, Denied> {
        let look = self.0.look(attempt, answer);
        let begun = match look.verdict {
            Ok(Verdict::Asked(why)) => self.ask(attempt, &look.facts, why).map(Begun::Pending),
            Ok(Verdict::Permitted(by)) => {
                self.permit(attempt, &look.facts, by).map(Begun::Permitted)
            }
            Err(reason) => Err(reason),
        };
        begun.map_err(|reason| self.0.deny(&look.facts, OutcomeCode::Denied, reason))
    }

    /// Joins the open question about the same, or opens one.
    fn ask(
        &self,
        attempt: &Attempt<'_>,
        facts: &Facts,
        to_ask: ToAsk,
    ) -> Result<Pending, DenialReason> {
        let preview = &to_ask.preview;
        let inner = &*self.0;
        let asked = facts.asked(preview);
        let (now, monotonic) = (inner.now()?, inner.clock.monotonic());
        let rules = inner.rules.of_kind(attempt.request.operation().kind());
        let longest = rules.longest(LifetimeKind::Operation);
        let deadline = now
            .after(longest)
            .map_err(|_| DenialReason::ClockUnusable)?;
        let thread = attempt.policy.identity().thread_id();

        let mut state = inner.state();
        if let Some(ticket) = state.question(&asked) {
            return Ok(Pending::new(self, ticket, facts));
        }
        state
            .admit(thread, monotonic, inner.limits.questions)
            .map_err(DenialReason::NotApproved)?;
        let question = Question::new(Contents {
            id: inner.ids.id("operation"),
            preview: preview.clone(),
            holder: facts.holder.clone(),
            session_id: state.sessions.get(thread).cloned(),
            reviewer: rules.reviewer().clone(),
            reasons: to_ask.reasons,
            changes: to_ask.changes,
            asked_at: now,
            deadline,
            deadline_monotonic: monotonic.saturating_add(longest),
        });
        let mut record = facts
            .record(OutcomeCode::Asked, now)
            .with_operation_id(question.id().clone())
            .with_reviewer(question.reviewer().clone())
            .with_expires_at(deadline);
        for reason in question.reasons() {
            record = record.with_reason(reason.clone());
        }
        // Before anybody can join and answer it, so that the question stands before its answer.
        inner
            .append(&record)
            .map_err(DenialReason::AuditUnavailable)?;
        let quorum = rules.quorum().get() as usize;
        let ticket = Ticket::new(question, attempt.policy.clone(), asked, quorum);
        state.open(&ticket);
        Ok(Pending::new(self, &ticket, facts))
    }
}

impl Inner {
    fn end(&self, ticket: &Arc<Ticket>, how: Resolution) -> bool {
        self.state().end(ticket, how)
    }

    fn end_by(&self, ticket: &Arc<Ticket>, cause: Cause) {
        self.end(ticket, Resolution::Denied(DenialReason::NotApproved(cause)));
    }

    /// What a reviewer that was asked has come to.
    fn take(
        &self,
        ticket: &Arc<Ticket>,
        reviewed: std::thread::Result<Result<Answer, ReviewError>>,
    ) {
        match reviewed {
            Ok(Ok(answer)) => {
                // Why an answer is discarded stands in the question's end.
                let _ = self.take_answer(ticket, &answer);
            }
            Ok(Err(ReviewError::TimedOut)) => self.end_by(ticket, Cause::ReviewerTimeout),
            Ok(Err(ReviewError::Unavailable)) => self.end_by(ticket, Cause::ReviewerError),
            Err(_) => self.end_by(ticket, Cause::ReviewerPanicked),
        }
    }

    fn take_answer(&self, ticket: &Arc<Ticket>, answer: &Answer) -> Result<Answered, Cause> {
        let taken = self.weigh(ticket, answer);
        if let Err(cause) = taken {
            self.discard(Some(ticket), answer, cause);
            let reason = if ticket.policy.is_open() && cause == Cause::LateAnswer {
                DenialReason::NotApproved(Cause::ReviewerTimeout)
            } else {
                DenialReason::NotApproved(cause)
            };
            self.end(ticket, Resolution::Denied(reason));
        }
        taken
    }

    fn weigh(&self, ticket: &Arc<Ticket>, answer: &Answer) -> Result<Answered, Cause> {
        let question = &ticket.question;
        let is_late = self.clock.monotonic() >= question.deadline_monotonic();
        if ticket.resolution().is_some() || is_late || !ticket.policy.is_open() {
            return Err(Cause::LateAnswer);
        }
        if !answer.fits(question, ticket.quorum > 1) {
            return Err(Cause::AnswerMismatch);
        }
        if answer.is_denial() {
            let session = question.session_id();
            let target = asked_target(&ticket.asked, question.preview());
            let mut state = self.state();
            state.remember_denial(ticket.asked, target, session);
            let said_no = DenialReason::NotApproved(Cause::ReviewerSaidNo);
            state.end(ticket, Resolution::Denied(said_no));
            return Ok(Answered::Denied);
        }
        match ticket.allow(answer.by()) {
            None => Err(Cause::AnswerMismatch),
            Some(count) if count < ticket.quorum => Ok(Answered::MoreNeeded),
            Some(_) => self.grant(ticket, answer),
        }
    }

    /// Makes the grant that an answer allows, records it, and lets whoever waits go on.
    fn grant(&self, ticket: &Arc<Ticket>, answer: &Answer) -> Result<Answered, Cause> {
        let question = &ticket.question;
        let grant = self
            .new_grant(question, answer)
            .map_err(|_| Cause::AnswerMismatch)?;
        let made = self.grants.insert(&grant).map_err(DenialReason::from);
        let recorded = made.and_then(|()| {
            let facts = Facts::of_question(question, &ticket.policy);
            let record = facts
                .record(OutcomeCode::Granted, grant.created_at())
                .with_operation_id(question.id().clone())
                .with_grant(grant.id().clone(), grant.sha256())
                .with_reviewer(answer.by().clone())
                .with_expires_at(grant.expires_at());
            self.append(&record).map_err(DenialReason::AuditUnavailable)
        });
        let scope = (ticket.asked.0, question.preview().scope_sha256());
        let how = match recorded {
            Ok(_) => Resolution::Granted(grant.clone()),
            Err(reason) => Resolution::Denied(reason),
        };
        let is_granted = matches!(how, Resolution::Granted(_));
        let mut state = self.state();
        let is_first = state.end(ticket, how);
        if is_first && is_granted {
            state.remember_approval(scope, question.preview());
            return Ok(Answered::Granted);
        }
        drop(state);
        // Nobody goes on with it, so nobody shall find it later.
        let _ = self.grants.revoke(grant.id(), grant.created_at());
        if is_first {
            Ok(Answered::Denied)
        } else {
            Err(Cause::LateAnswer)
        }
    }

    fn new_grant(&self, question: &Question, answer: &Answer) -> Result<Grant, GrantError> {
        let rules = &self.rules;
        let kind = question.preview().operation().kind();
        let now = self.now().map_err(|_| GrantError::ExpiresBeforeCreation)?;
        let (lifetime, uses, expires_at) = match answer.says() {
            Says::AllowOnce | Says::Deny => {
                let longest = rules.of_kind(kind).longest(LifetimeKind::Operation);
                let operation_id = question.id().clone();
                let expires_at = now.after(longest).map_err(|_| GrantError::TooLong)?;
                (
                    Lifetime::Operation { operation_id },
                    NonZeroU32::MIN,
                    expires_at,
                )
            }
            Says::AllowForSession { uses, expires_at } => {
                let session_id = question.session_id().ok_or(GrantError::HolderForm)?.clone();
                (Lifetime::Session { session_id }, *uses, *expires_at)
            }
            Says::Persist {
                policy_id,
                uses,
                expires_at,
            } => {
                let policy_id = policy_id.clone();
                (Lifetime::PersistedPolicy { policy_id }, *uses, *expires_at)
            }
        };
        let new = NewGrant {
            id: self.ids.id("grant"),
            lifetime,
            created_at: now,
            expires_at,
            uses,
        };
        Grant::new(
            new,
            question.holder(),
            question.preview(),
            answer.by().clone(),
            rules,
        )
    }

    /// Records an answer that counts for nothing.
    fn discard(&self, ticket: Option<&Arc<Ticket>>, answer: &Answer, cause: Cause) {
        let Ok(now) = self.now() else { return };
        let code = OutcomeCode::AnswerDiscarded;
        let record = match ticket {
            Some(ticket) => Facts::of_question(&ticket.question, &ticket.policy).record(code, now),
            None => crate::audit::Record::new(code, self.root.identity(), now),
        };
        let record = record
            .with_operation_id(answer.question_id().clone())
            .with_reviewer(answer.by().clone())
            .with_reason(Code::of_word(cause.name()));
        // The answer changes nothing: there is nothing to deny for want of a record.
        let _ = self.append(&record);
    }
}

impl Pending {
    fn new(gate: &Gate, ticket: &Arc<Ticket>, facts: &Facts) -> Self {
        ticket.join();
        Pending {
            gate: gate.clone(),
            ticket: Arc::clone(ticket),
            facts: Some(Box::new(facts.clone())),
        }
    }

    /// The question to hand on.
    pub fn question(&self) -> &Question {
        &self.ticket.question
    }

    /// Goes on: the whole pipeline again, once there is an answer. Still pending before that, until
    /// the question's deadline.
    ///
    /// # Errors
    ///
    /// As [`Gate::authorize`].
    pub fn resume(mut self, attempt: &Attempt<'_>) -> Result<Begun, Denied> {
        let inner = &self.gate.0;
        let is_over = inner.clock.monotonic() >= self.question().deadline_monotonic();
        if self.ticket.resolution().is_none() && is_over {
            inner.end_by(&self.ticket, Cause::ReviewerTimeout);
        }
        match self.ticket.resolution() {
            None => Ok(Begun::Pending(self)),
            Some(Resolution::Granted(grant)) => {
                self.facts = None;
                let gate = self.gate.clone();
                gate.step(attempt, Some(&grant))
            }
            Some(Resolution::Denied(reason)) => Err(self.deny(reason)),
        }
    }

    fn deny(mut self, reason: DenialReason) -> Denied {
        match self.facts.take() {
            Some(facts) => {
                let facts = facts.of_operation(&self.ticket.question);
                self.gate.0.deny(&facts, OutcomeCode::Denied, reason)
            }
            None => Denied::new(reason, None),
        }
    }

    /// Asks the reviewer, or waits for the request that does, until there is an end.
    fn wait(&self, review: impl Fn(&Question) -> Result<Answer, ReviewError>) {
        let inner = &self.gate.0;
        loop {
            match self.ticket.next(None) {
                Next::Resolved => return,
                Next::Ask => {
                    let question = &self.ticket.question;
                    let reviewed = catch_unwind(AssertUnwindSafe(|| review(question)));
                    inner.take(&self.ticket, reviewed);
                    self.ticket.stop_asking();
                }
                Next::Wait => {
                    self.ticket.wait_a_moment();
                    if inner.clock.monotonic() >= self.question().deadline_monotonic() {
                        return;
                    }
                }
            }
        }
    }

    async fn wait_async(&self, reviewer: &dyn crate::gate::ReviewAsync) {
        loop {
            let next = poll_fn(|context| match self.ticket.next(Some(context.waker())) {
                Next::Wait => Poll::Pending,
                next => Poll::Ready(next),
            });
            if let Next::Resolved = next.await {
                return;
            }
            let asking = Asking(&self.ticket);
            let question = &self.ticket.question;
            let answer = match catch_unwind(AssertUnwindSafe(|| reviewer.review(question))) {
                Ok(mut future) => {
                    poll_fn(|context| {
                        let polled =
                            catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context)));
                        match polled {
                            Ok(Poll::Pending) => Poll::Pending,
                            Ok(Poll::Ready(answer)) => Poll::Ready(Ok(answer)),
                            Err(panic) => Poll::Ready(Err(panic)),
                        }
                    })
                    .await
                }
                Err(panic) => Err(panic),
            };
            self.gate.0.take(&self.ticket, answer);
            drop(asking);
        }
    }
}

/// While it is there, the reviewer is being asked; also a future that is dropped stops asking.
struct Asking<'a>(&'a Ticket);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.stop_asking();
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        let inner = &self.gate.0;
        let mut state = inner.state();
        let is_last = self.ticket.leave();
        let Some(facts) = self.facts.take() else {
            return;
        };
        if is_last {
            let how = Resolution::Denied(DenialReason::Cancelled);
            state.end(&self.ticket, how);
        }
        drop(state);
        let facts = facts.of_operation(&self.ticket.question);
        drop(inner.deny(&facts, OutcomeCode::Cancelled, DenialReason::Cancelled));
    }
}

impl std::fmt::Debug for Pending {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_tuple("Pending")
            .field(self.question())
            .finish()
    }
}
