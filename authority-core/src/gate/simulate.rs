//! What a gate would do.

use crate::digest::Digest;
use crate::gate::pipeline::Verdict;
use crate::gate::{Attempt, DenialReason, Gate};
use crate::vocabulary::RuleDecision;

/// What a gate would do now.
#[derive(Clone, Debug)]
pub struct Simulation {
    decision: RuleDecision,
    reason: Option<DenialReason>,
    entry: Option<usize>,
    scope_sha256: Digest,
    preview_sha256: Option<Digest>,
}

impl Gate {
    /// What would become of an attempt, by the very code that decides: no question is asked, no
    /// grant used, nothing reserved, nothing recorded. What budgets are left is therefore not looked
    /// at.
    pub fn simulate(&self, attempt: &Attempt<'_>) -> Simulation {
        let look = self.0.look(attempt, None);
        let (decision, reason) = match look.verdict {
            Ok(Verdict::Allowed | Verdict::Granted(_)) => (RuleDecision::Allow, None),
            Ok(Verdict::Asked(_)) => (RuleDecision::Ask, None),
            Err(reason) => (RuleDecision::Deny, Some(reason)),
        };
        Simulation {
            decision,
            reason,
            entry: look.entry,
            scope_sha256: look.facts.scope_sha256,
            preview_sha256: look.facts.preview.map(|preview| preview.sha256()),
        }
    }
}

impl Simulation {
    /// Allowed, asked about, or denied.
    pub fn decision(&self) -> RuleDecision {
        self.decision
    }

    /// Why it would be denied.
    pub fn reason(&self) -> Option<&DenialReason> {
        self.reason.as_ref()
    }

    /// The entry that holds it, as [`ThreadPolicy::entry`](crate::ThreadPolicy::entry) takes it.
    pub fn entry(&self) -> Option<usize> {
        self.entry
    }

    /// Digest of the request's target with its operation.
    pub fn scope_sha256(&self) -> Digest {
        self.scope_sha256
    }

    /// Digest of the preview, where there is one.
    pub fn preview_sha256(&self) -> Option<Digest> {
        self.preview_sha256
    }
}
