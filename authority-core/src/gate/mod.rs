//! The gate: from a request to a permit, a run and its receipt.
//!
//! A [`Gate`] walks one pipeline for every request, and the whole of it again after an answer:
//!
//! ```text
//! decide ─▶ deadline ─▶ preview ─▶ rule ─▶ [grant, or a question] ─▶ reserve ─▶ consume a use ─▶ Permit
//! ```
//!
//! A [`Permit`] is what an executor takes by value; its [`Redeemer`] makes a [`Running`] of it, which
//! is ended with an [`Outcome`]. Whatever happens leaves a record.

mod ask;
mod builder;
mod denied;
mod executor;
mod facts;
mod permit;
mod pipeline;
mod question;
mod random;
mod redeemer;
mod reviewer;
mod running;
mod simulate;
mod state;
mod tool;
#[cfg(feature = "tracing")]
mod trace;

pub use ask::{Answered, Begun, Pending};
pub use builder::{GateBuilder, GateError};
pub use denied::{DenialReason, Denied, Foreign};
pub use executor::{Capabilities, Outcome};
pub use permit::Permit;
pub use question::{Answer, Question};
pub use redeemer::Redeemer;
pub use reviewer::{Review, ReviewAsync, ReviewError, ReviewFuture};
pub use running::{FinishError, Running};
pub use simulate::Simulation;
pub use state::QuestionLimits;
pub use tool::RunningTool;

use std::fmt;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::approval::{
    ApprovalPolicy, Effect, Grant, GrantError, GrantStoreError, Grants, Lifetime, NewGrant,
    Timestamp,
};
use crate::audit::{AuditError, AuditSink, Durability, Head, Record};
use crate::clock::{Clock, SteadyClock};
use crate::gate::random::RandomIds;
use crate::gate::state::State;
use crate::id::Id;
use crate::ledger::{Amounts, Ledger};
use crate::policy::{RootHandle, ThreadPolicy};
use crate::request::Request;
use crate::vocabulary::OutcomeCode;

/// The one way from a request to a permit, for all threads of one root.
///
/// It is cheap to clone.
///
/// ```
/// use std::sync::Arc;
/// use authority_core::audit::MemoryAudit;
/// use authority_core::operations::github;
/// use authority_core::vocabulary::Boundary;
/// use authority_core::{
///     Amounts, Answer, ApprovalPolicy, Capabilities, Effect, Gate, GithubPart, GithubResource,
///     ManualClock, Outcome, Question, Request, Review, ReviewError, Reviewer, ThreadIdentity,
///     ThreadPermissions, ThreadPolicy,
/// };
///
/// /// Stands for a dialogue with a person.
/// struct Alice;
///
/// impl Review for Alice {
///     fn review(&self, question: &Question) -> Result<Answer, ReviewError> {
///         assert!(question.render().contains("acme/checkout"));
///         Ok(question.allow_once(question.reviewer()))
///     }
/// }
///
/// let permissions = ThreadPermissions::builder().github("acme/checkout", [github::IssueWrite]).build()?;
/// let identity = ThreadIdentity::root("alice", "checkout", "run-42")?;
/// let (handle, root) = ThreadPolicy::for_root(identity, &permissions);
///
/// let audit = Arc::new(MemoryAudit::new());
/// let rules = ApprovalPolicy::ask_on_writes(Reviewer::human("alice")?);
/// let gate = Gate::builder(&handle, rules, ManualClock::new())
///     .reviewer(Alice)
///     .audit(Arc::clone(&audit))
///     .build()?;
/// gate.ledger().begin_turn(&root)?;
///
/// let request = Request::github("acme/checkout", github::IssueWrite)?;
/// let issue = GithubResource { repository_id: None, part: GithubPart::Number(7) };
/// let effect = Effect::github_write(issue, "it is done");
/// let permit = gate.authorize(&root, &request, &effect, Amounts::tool_call())
///     .map_err(|denied| denied.explain())?;
///
/// // The executor, which was given the gate's redeemer.
/// let capabilities = Capabilities::new(Boundary::EnforcedByHarness);
/// let running = gate.redeemer().redeem(permit, &request, &effect, capabilities)
///     .map_err(|denied| denied.explain())?;
/// assert_eq!(running.target(), request.target());
/// running.finish(Outcome::Completed, Amounts::tool_call())?;
///
/// let outcomes: Vec<_> = audit.records().iter().map(|record| record.code().name()).collect();
/// assert_eq!(outcomes, ["asked", "granted", "permitted", "started", "completed"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Gate(Arc<Inner>);

struct Inner {
    root: ThreadPolicy,
    rules: ApprovalPolicy,
    reviewer: Option<Arc<dyn Review>>,
    async_reviewer: Option<Arc<dyn ReviewAsync>>,
    ledger: Arc<dyn Ledger>,
    grants: Grants,
    persisted_policies: Vec<Id<'static>>,
    audit: Arc<dyn AuditSink>,
    clock: Arc<SteadyClock<Arc<dyn Clock>>>,
    limits: builder::Limits,
    ids: RandomIds,
    state: Mutex<State>,
}

/// One try to do something: whose, what, with which effect, at what cost.
#[derive(Clone, Copy)]
pub struct Attempt<'a> {
    policy: &'a ThreadPolicy,
    request: &'a Request<'a>,
    effect: &'a Effect<'a>,
    amounts: Amounts,
    is_redirected: bool,
    is_retry: bool,
}

impl<'a> Attempt<'a> {
    /// This request of this thread with this effect, which uses nothing of a budget.
    pub fn new(policy: &'a ThreadPolicy, request: &'a Request<'a>, effect: &'a Effect<'a>) -> Self {
        Attempt {
            policy,
            request,
            effect,
            amounts: Amounts::NONE,
            is_redirected: false,
            is_retry: false,
        }
    }

    /// The same with what is reserved for it.
    #[must_use]
    pub fn with_amounts(mut self, amounts: Amounts) -> Self {
        self.amounts = amounts;
        self
    }

    /// The same as a hop of a redirect: no approval that is there already holds for it.
    #[must_use]
    pub fn redirected(mut self) -> Self {
        self.is_redirected = true;
        self
    }

    /// The same as a retry: no approval that is there already holds for it. The gate knows by itself
    /// of the attempts that its audit knows, those of earlier processes too.
    #[must_use]
    pub fn retry(mut self) -> Self {
        self.is_retry = true;
        self
    }
}

impl Gate {
    /// A gate for the threads of this root, by these rules and this clock.
    pub fn builder(
        root: &RootHandle,
        rules: ApprovalPolicy,
        clock: impl Clock + 'static,
    ) -> GateBuilder<'_> {
        GateBuilder::new(root, rules, Arc::new(clock))
    }

    /// What executors redeem permits with.
    pub fn redeemer(&self) -> Redeemer {
        Redeemer::new(Arc::clone(&self.0))
    }

    /// The ledger, with which the host opens turns.
    pub fn ledger(&self) -> &dyn Ledger {
        &*self.0.ledger
    }

    /// The rules.
    pub fn rules(&self) -> &ApprovalPolicy {
        &self.0.rules
    }

    /// Names the session of a thread. It replaces the one before, whose grants stay valid until
    /// [`end_session`](Self::end_session).
    pub fn begin_session(&self, policy: &ThreadPolicy, session_id: Id<'static>) {
        let thread = policy.identity().thread_id().clone();
        self.0.state().sessions.insert(thread, session_id);
    }

    /// Ends a session of a thread: its grants for the session are revoked, its open questions end
    /// (an answer that still comes is late), and its noes are forgotten.
    ///
    /// # Errors
    ///
    /// When the store of grants cannot answer.
    pub fn end_session(
        &self,
        policy: &ThreadPolicy,
        session_id: &Id<'_>,
    ) -> Result<(), DenialReason> {
        let now = self.0.now()?;
        let holder = crate::approval::Holder::of(policy);
        self.0.state().end_session(session_id);
        self.0.grants.end_session(&holder, session_id, now)?;
        let record = Record::new(OutcomeCode::Revoked, policy.identity(), now)
            .with_holder_sha256(holder.sha256());
        self.0
            .append(&record)
            .map_err(DenialReason::AuditUnavailable)?;
        Ok(())
    }

    /// Hands part of a grant on to a live descendant of its holder, until a time: for its session,
    /// which is the holder's if it has none, or under the same stored policy. The uses are taken from
    /// the holder's, and the new grant dies with the one above it. A child has no grant otherwise.
    ///
    /// # Errors
    ///
    /// When `from` does not hold the grant, it is one for a single operation, `to` is no live
    /// descendant, too few uses are left, or the new one would outlive it.
    pub fn delegate_grant(
        &self,
        handle: &RootHandle,
        id: &Id<'_>,
        (from, to): (&ThreadPolicy, &ThreadPolicy),
        (uses, expires_at): (NonZeroU32, Timestamp),
    ) -> Result<Grant, DenialReason> {
        let now = self.0.now()?;
        let stored = self.0.grants.grant(id)?.ok_or(GrantStoreError::Unknown)?;
        let grant = stored.sealed.grant();
        let lifetime = match grant.lifetime() {
            Lifetime::Operation { .. } => {
                return Err(GrantStoreError::Parent(GrantError::OperationIsSingleUse).into());
            }
            Lifetime::PersistedPolicy { .. } => grant.lifetime().clone(),
            Lifetime::Session { session_id } => {
                let mut state = self.0.state();
                let session = state.sessions.entry(to.identity().thread_id().clone());
                let session_id = session.or_insert_with(|| session_id.clone()).clone();
                Lifetime::Session { session_id }
            }
        };
        let new = NewGrant {
            id: self.0.ids.id("grant"),
            lifetime,
            created_at: now,
            expires_at,
            uses,
        };
        let child = grant.delegate(handle, from, to, new);
        let child = child.map_err(GrantStoreError::Parent)?;
        self.0.grants.insert(&child)?;
        let record = Record::new(OutcomeCode::Granted, to.identity(), now)
            .with_grant(child.id().clone(), child.sha256())
            .with_preview_sha256(child.preview_sha256())
            .with_holder_sha256(child.holder().sha256())
            .with_expires_at(expires_at);
        match self.0.append(&record) {
            Ok(_) => Ok(child),
            Err(error) => {
                self.0.grants.revoke(child.id(), now)?;
                Err(DenialReason::AuditUnavailable(error))
            }
        }
    }

    /// Revokes a grant, and with it all that was delegated from it: permits that rest on it are not
    /// redeemed any more.
    ///
    /// # Errors
    ///
    /// When the store of grants cannot answer, or it cannot be recorded; it is revoked then all the
    /// same if the store did it.
    pub fn revoke_grant(&self, id: &Id<'_>) -> Result<(), DenialReason> {
        let now = self.0.now()?;
        let stored = self.0.grants.grant(id)?;
        self.0.grants.revoke(id, now)?;
        let mut record = Record::new(OutcomeCode::Revoked, self.0.root.identity(), now);
        if let Some(stored) = stored {
            let grant = stored.sealed.grant();
            record = record
                .with_grant(grant.id().clone(), grant.sha256())
                .with_preview_sha256(grant.preview_sha256())
                .with_holder_sha256(grant.holder().sha256());
        }
        self.0
            .append(&record)
            .map_err(DenialReason::AuditUnavailable)?;
        Ok(())
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Result<Timestamp, DenialReason> {
        Timestamp::now(&*self.clock).map_err(|_| DenialReason::ClockUnusable)
    }

    fn append(&self, record: &Record) -> Result<Head, AuditError> {
        self.append_as(record, Durability::Written)
    }

    fn append_as(&self, record: &Record, durability: Durability) -> Result<Head, AuditError> {
        let appended = self.audit.append(record, durability);
        #[cfg(feature = "tracing")]
        trace::record(record, appended.as_ref().ok());
        appended
    }
}

/// Ids only.
impl fmt::Debug for Gate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("Gate")
            .field(&self.0.root.identity().root_run_id().as_str())
            .finish()
    }
}
