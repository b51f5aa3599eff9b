//! What a gate would do.

use crate::digest::Digest;
use crate::gate::facts::scope_sha256;
use crate::gate::pipeline::Verdict;
use crate::gate::{Attempt, DenialReason, Gate};
use crate::policy::ThreadPolicy;
use crate::request::Request;
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
            Ok(Verdict::Permitted(_)) => (RuleDecision::Allow, None),
            Ok(Verdict::Asked(_)) => (RuleDecision::Ask, None),
            Err(reason) => (RuleDecision::Deny, Some(reason)),
        };
        Simulation {
            decision,
            reason,
            entry: look.entry,
            scope_sha256: look.facts.scope_sha256,
            preview_sha256: look.facts.preview_sha256(),
        }
    }

    /// The same of a request whose effect is not known, by the same code as far as that goes: what
    /// is held, the time, and the rules. There is no preview, and an approval is always of one: where
    /// a rule asks, and where only what was reviewed is allowed, it is [`RuleDecision::Ask`],
    /// whatever grants there are. That an effect can make a preview is not looked at.
    pub fn simulate_request(&self, policy: &ThreadPolicy, request: &Request<'_>) -> Simulation {
        let (entry, verdict) = self.0.look_at_request(policy, request);
        let (decision, reason) = match verdict {
            Ok(decision) => (decision, None),
            Err(reason) => (RuleDecision::Deny, Some(reason)),
        };
        Simulation {
            decision,
            reason,
            entry,
            scope_sha256: scope_sha256(request.target(), request.operation()),
            preview_sha256: None,
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
