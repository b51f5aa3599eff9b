//! Tools by their ids.

use crate::audit::Record;
use crate::clock::Clock as _;
use crate::gate::Gate;
use crate::gate::denied::{DenialReason, Foreign};
use crate::ledger::{Amounts, Guard, OverUse, Reservation, Slot};
use crate::policy::ThreadPolicy;
use crate::vocabulary::{DenyReason, OutcomeCode};

/// A tool that runs: a place among those that may run at once, and a tool call. It is no permit:
/// every effect of the tool is a request of its own.
#[derive(Debug)]
#[must_use = "a tool that is dropped gives its place back, and its call counts"]
pub struct RunningTool {
    call: Reservation,
    place: Guard,
}

/// Why a tool does not begin.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(transparent)]
pub struct ToolDenied(#[from] DenialReason);

impl ToolDenied {
    /// Why.
    pub fn reason(&self) -> &DenialReason {
        &self.0
    }
}

impl Gate {
    /// Begins a tool by its id: the thread holds it, there is a place for it, and its call counts
    /// from now on, whether it then succeeds or fails.
    ///
    /// # Errors
    ///
    /// Why it does not begin.
    pub fn begin_tool(&self, policy: &ThreadPolicy, id: &str) -> Result<RunningTool, ToolDenied> {
        self.tool(policy, id).map_err(|reason| {
            if let Ok(now) = self.0.now() {
                let record = Record::new(OutcomeCode::Denied, policy.identity(), now);
                // Nothing begins, whether or not that can be recorded.
                let _ = self.0.append(&record.with_reason(reason.code()));
            }
            reason.into()
        })
    }

    fn tool(&self, policy: &ThreadPolicy, id: &str) -> Result<RunningTool, DenialReason> {
        let inner = &*self.0;
        if !policy.is_of_the_root_of(&inner.root) {
            return Err(DenialReason::Foreign(Foreign::Policy));
        }
        if !policy.is_open() {
            return Err(DenialReason::NotHeld(DenyReason::PolicyClosed));
        }
        if policy.tool(id).is_none() {
            return Err(DenialReason::ToolNotHeld);
        }
        if policy.is_past_deadline(inner.clock.monotonic()) {
            return Err(DenialReason::DeadlinePassed);
        }
        let place = inner.ledger.acquire(policy, Slot::Tool)?;
        let mut call = inner.ledger.reserve(policy, Amounts::tool_call())?;
        call.start();
        Ok(RunningTool { call, place })
    }
}

impl RunningTool {
    /// Ends it.
    ///
    /// # Errors
    ///
    /// When more was used than a tool call.
    pub fn finish(self, used: Amounts) -> Result<(), OverUse> {
        let charged = self.call.commit(used);
        drop(self.place);
        charged
    }
}
