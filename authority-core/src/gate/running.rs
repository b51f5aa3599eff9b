//! What runs, from the redeemed permit to the end.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::audit::{AuditError, Head};
use crate::gate::Outcome;
use crate::gate::permit::NewPermit;
use crate::id::Id;
use crate::ledger::{Amounts, OverUse};
use crate::policy::ThreadPolicy;
use crate::request::Request;
use crate::target::Target;
use crate::vocabulary::{Operation, OutcomeCode, operations::child_agent};

/// A redeemed permit: the effect may happen from now on.
///
/// Dropped without an end it is recorded as `abandoned`. Where not even that can be written, because
/// the process died or the value was forgotten, the audit has a start without an end: `unknown`. In
/// all of these cases what was reserved is charged, and the next try is a retry.
#[must_use = "what is dropped without an end is abandoned, and charged in full"]
pub struct Running {
    parts: Option<NewPermit>,
    target: Target<'static>,
    operation: Operation,
    thread: Option<Id<'static>>,
    started: Head,
    has_started_a_child: AtomicBool,
}

/// What went wrong at the end. The effect has happened all the same.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum FinishError {
    /// More was used than was reserved. It is charged, and the thread reserves no more.
    #[error(transparent)]
    OverUse(#[from] OverUse),
    /// The end could not be recorded: it stays a start without an end.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// The clock gives no time that can be written down.
    #[error("the clock gives no time between the years 1 and 9999")]
    ClockUnusable,
}

impl Running {
    pub(super) fn new(parts: NewPermit, request: &Request<'_>, started: Head) -> Self {
        Running {
            parts: Some(parts),
            target: request.target().clone().into_owned(),
            operation: request.operation(),
            thread: request.thread().map(|thread| thread.clone().into_owned()),
            started,
            has_started_a_child: AtomicBool::new(false),
        }
    }

    /// The target to act on, in its parts: nothing is to be parsed again.
    pub fn target(&self) -> &Target<'static> {
        &self.target
    }

    /// The operation.
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// The thread that a `child_agent` request means.
    pub fn thread(&self) -> Option<&Id<'static>> {
        self.thread.as_ref()
    }

    /// The head of the audit chain with the record of the start.
    pub fn receipt(&self) -> Head {
        self.started
    }

    /// Whether the thread was closed, or what runs was revoked, since it started. The executor stops
    /// as soon as it can, and says so with [`Outcome::Cancelled`].
    pub fn is_cancelled(&self) -> bool {
        let Some(parts) = &self.parts else {
            return true;
        };
        let request = Request::new(self.target.clone(), self.operation);
        let is_held = match request {
            Ok(request) => parts.policy.decide(&request).is_allowed(),
            // An agent's thread is named by the request: what ends is the thread that asked.
            Err(_) => parts.policy.is_open(),
        };
        !is_held
    }

    /// Ends it: charges what was used, and records how it ended.
    ///
    /// # Errors
    ///
    /// When more was used than reserved, and when it cannot be recorded. What was used is charged in
    /// every case.
    pub fn finish(mut self, outcome: Outcome, used: Amounts) -> Result<Head, FinishError> {
        match self.parts.take() {
            Some(parts) => end(parts, outcome, used),
            None => Ok(self.started),
        }
    }

    /// Whether it is the permit to start such a child, and none was started by it yet: from now on
    /// one was.
    pub(crate) fn take_start_of(&self, child: &ThreadPolicy) -> bool {
        let Some(parts) = &self.parts else {
            return false;
        };
        self.operation == child_agent::Delegate.into()
            && child.is_child_of(&parts.policy)
            && parts.preview.child_permissions_sha256() == Some(child.permissions_sha256())
            && !self.has_started_a_child.swap(true, Ordering::AcqRel)
    }
}

fn end(parts: NewPermit, outcome: Outcome, used: Amounts) -> Result<Head, FinishError> {
    let charged = parts.reservation.commit(used);
    let (code, failure) = match outcome {
        Outcome::Completed => (OutcomeCode::Completed, None),
        Outcome::Failed { code, message } => (OutcomeCode::Failed, Some((code, message))),
        Outcome::Cancelled => (OutcomeCode::Cancelled, None),
    };
    let now = parts.gate.now().map_err(|_| FinishError::ClockUnusable)?;
    let mut record = parts.facts.record(code, now).with_used(used);
    if let Some((code, message)) = failure {
        record = record.with_executor_code(code);
        if let Some(message) = message {
            record = record.with_message(message);
        }
    }
    let head = parts.gate.append(&record)?;
    charged?;
    Ok(head)
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(parts) = self.parts.take() else {
            return;
        };
        if let Ok(now) = parts.gate.now() {
            let record = parts.facts.record(OutcomeCode::Abandoned, now);
            let record = record.with_used(parts.reservation.amounts());
            // Without the record it is unknown how it ended, which is what an audit then says.
            let _ = parts.gate.append(&record);
        }
    }
}

/// Ids and digests only.
impl fmt::Debug for Running {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.parts.as_ref();
        let id = parts.and_then(|parts| parts.facts.operation_id.as_ref());
        formatter
            .debug_struct("Running")
            .field("operation_id", &id.map(Id::as_str))
            .field("operation", &self.operation)
            .finish_non_exhaustive()
    }
}
