//! Tools by their ids.

use crate::audit::Record;
use crate::clock::Clock as _;
use crate::gate::Gate;
use crate::gate::denied::{DenialReason, Denied, Foreign};
use crate::ledger::{Amounts, Guard, OverUse, Reservation, Slot};
use crate::policy::ThreadPolicy;
use crate::tool::ToolBinding;
use crate::vocabulary::OutcomeCode;

/// A tool that runs: a place among those that may run at once, and a tool call. It is no permit:
/// every effect of the tool is a request of its own.
#[derive(Debug)]
#[must_use = "a tool that is dropped gives its place back, and its call counts"]
pub struct RunningTool {
    binding: ToolBinding<'static>,
    call: Reservation,
    place: Guard,
}

impl Gate {
    /// Begins a tool by its id: the thread holds it, there is a place for it, and its call counts
    /// from now on, whether it then succeeds or fails.
    ///
    /// # Errors
    ///
    /// Why it does not begin. The record is written already.
    pub fn begin_tool(&self, policy: &ThreadPolicy, id: &str) -> Result<RunningTool, Denied> {
        self.tool(policy, id).map_err(|reason| {
            let receipt = self.0.now().ok().and_then(|now| {
                let record = Record::new(OutcomeCode::Denied, policy.identity(), now);
                self.0.append(&record.with_reason(reason.code())).ok()
            });
            Denied::new(reason, receipt)
        })
    }

    fn tool(&self, policy: &ThreadPolicy, id: &str) -> Result<RunningTool, DenialReason> {
        let inner = &*self.0;
        if !policy.is_of_the_root_of(&inner.root) {
            return Err(DenialReason::Foreign(Foreign::Policy));
        }
        let grant = policy.tool(id).map_err(DenialReason::NotHeld)?;
        if policy.is_past_deadline(inner.clock.monotonic()) {
            return Err(DenialReason::DeadlinePassed);
        }
        let place = inner.ledger.acquire(policy, Slot::Tool)?;
        let mut call = inner.ledger.reserve(policy, Amounts::tool_call())?;
        call.start();
        Ok(RunningTool {
            binding: grant.binding.clone(),
            call,
            place,
        })
    }
}

impl RunningTool {
    /// What the tool id stands for: with [`Request::tool`](crate::Request::tool) it is asked for.
    pub fn binding(&self) -> &ToolBinding<'static> {
        &self.binding
    }

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
