//! The ceiling of a declared child.

use std::fmt;

use crate::declaration::json::MoneyForm;
use crate::declaration::{Declaration, DeclaredScope};
use crate::digest::Digest;

/// What a declared child may do at most: a `child_agent` block of a declaration.
///
/// It is data: only delegation from a policy makes a child of it, and takes what it inherits from
/// the parent as the parent is then. It cannot be decoded, and has no default.
#[derive(Clone)]
pub struct ChildCeiling(pub(crate) Declaration);

impl ChildCeiling {
    /// The parts of the block: what it names, and what it leaves to be inherited.
    pub fn declaration(&self) -> &Declaration {
        &self.0
    }

    /// The declared scopes, in source order. A child's targets are exactly these.
    pub fn scopes(&self) -> impl Iterator<Item = DeclaredScope<'_>> {
        self.0.scopes()
    }

    /// Digest of the ceiling: the scopes without the `child_agent` ones.
    pub fn ceiling_sha256(&self) -> Digest {
        self.0.ceiling_sha256()
    }

    /// Digest of everything that a reviewer reads in the block, nested blocks included. What is
    /// inherited counts as inherited.
    pub fn declaration_sha256(&self) -> Digest {
        self.0.declaration_sha256()
    }

    /// The permissions of the block as canonical JSON, for people and tools to look at. What is
    /// inherited is `null`.
    pub fn to_json(&self) -> String {
        let mode = self.0.execution_mode();
        self.0.with_json_parts(mode, |parts| {
            parts.to_value(MoneyForm::Decimal).to_canonical_json()
        })
    }

    /// The block of the child's own child with this agent id.
    pub fn child(&self, agent: &str) -> Option<&ChildCeiling> {
        self.0.child(agent)
    }
}

/// Equality is that of the declaration digest: everything that a reviewer reads.
impl PartialEq for ChildCeiling {
    fn eq(&self, other: &Self) -> bool {
        self.declaration_sha256() == other.declaration_sha256()
    }
}

impl Eq for ChildCeiling {}

/// Counts and the digest only.
impl fmt::Debug for ChildCeiling {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.debug("ChildCeiling", formatter)
    }
}
