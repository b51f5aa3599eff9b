//! Decisions: allowed by which entry, or denied for which reason.

use crate::vocabulary::DenyReason;

/// Whether a request may go on. Approvals sit on top of this: a denied request is never asked
/// about.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[must_use]
pub enum Decision {
    /// Allowed by the scope that is the entry at this index of the declaration.
    Allow(usize),
    /// Denied. The answer is the same whether or not the denied thing exists.
    Deny(DenyReason),
}

impl Decision {
    /// Whether the request may go on.
    pub const fn is_allowed(self) -> bool {
        matches!(self, Decision::Allow(_))
    }

    /// The index of the entry that allowed the request.
    pub const fn entry(self) -> Option<usize> {
        match self {
            Decision::Allow(entry) => Some(entry),
            Decision::Deny(_) => None,
        }
    }

    /// Why the request was denied.
    pub const fn reason(self) -> Option<DenyReason> {
        match self {
            Decision::Allow(_) => None,
            Decision::Deny(reason) => Some(reason),
        }
    }
}
