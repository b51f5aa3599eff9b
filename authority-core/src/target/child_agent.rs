//! `child_agent`: an agent, under the declaration of whoever declares it.

use crate::digest::Digest;
use crate::id::Id;

/// An agent that a declarer may make a child of.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ChildAgentTarget<'a> {
    /// The agent.
    pub agent: Id<'a>,
    /// Ceiling digest of whoever declares the agent: the root, or the child in whose block it stands.
    pub parent_ceiling_sha256: Digest,
}

impl ChildAgentTarget<'_> {
    /// The same target, owning its text.
    pub fn into_owned(self) -> ChildAgentTarget<'static> {
        ChildAgentTarget {
            agent: self.agent.into_owned(),
            parent_ceiling_sha256: self.parent_ceiling_sha256,
        }
    }
}
