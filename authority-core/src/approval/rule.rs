//! Rules: what is allowed, asked about or denied, whatever the preset says.

use std::cmp::Ordering;
use std::fmt;

use crate::declaration::Declaration;
use crate::digest::Digest;
use crate::permissions::ThreadPermissions;
use crate::scope::Scope;
use crate::target::{FilesystemTarget, Target};
use crate::vocabulary::{Operation, RuleDecision};

/// A rule of the host's for operations on a held target.
///
/// One on a whole filesystem binding applies to every path in it. Where a rule applies, the preset
/// does not; of several that apply the strictest counts.
///
/// ```
/// use authority_core::vocabulary::RuleDecision;
/// use authority_core::{ApprovalPolicy, ExplicitRule, Reviewer, ThreadPermissions, operations::github};
///
/// let permissions = ThreadPermissions::builder()
///     .github("acme/widgets", [github::Read, github::ReleaseWrite])
///     .build()?;
/// let rules = permissions.scopes().map(|scope| ExplicitRule::new(scope.to_scope(), RuleDecision::Ask));
/// let policy = rules.fold(
///     ApprovalPolicy::ask_on_writes(Reviewer::human("alice")?),
///     ApprovalPolicy::with_rule,
/// );
/// policy.check_rules(&permissions)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Eq, PartialEq)]
pub struct ExplicitRule {
    scope: Scope<'static>,
    decision: RuleDecision,
}

/// Why a rule can not stand.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum RuleError {
    /// The root does not hold the target with these operations, and no child's block declares it.
    #[error("the rule for the scope {scope_sha256} is about nothing that is held")]
    NotHeld {
        /// Digest of the rule's scope.
        scope_sha256: Digest,
    },
    /// The whole binding grants what the rule says of one path. Another name of the file, in the
    /// same binding, would walk around the rule.
    #[error(
        "the rule for the scope {scope_sha256} is about a path that its whole binding grants too: declare a binding for it"
    )]
    Alias {
        /// Digest of the rule's scope.
        scope_sha256: Digest,
    },
}

impl ExplicitRule {
    /// The rule for these operations on this target.
    pub fn new(scope: Scope<'_>, decision: RuleDecision) -> Self {
        ExplicitRule {
            scope: scope.into_owned(),
            decision,
        }
    }

    /// The target and the operations.
    pub fn scope(&self) -> &Scope<'static> {
        &self.scope
    }

    /// What the rule says.
    pub fn decision(&self) -> RuleDecision {
        self.decision
    }

    /// Whether the rule speaks of this operation on this target.
    pub(super) fn applies_to(&self, target: &Target<'_>, operation: Operation) -> bool {
        let covers = match (self.scope.target(), target) {
            (
                Target::Filesystem(FilesystemTarget {
                    binding: own,
                    path: None,
                }),
                Target::Filesystem(FilesystemTarget { binding, .. }),
            ) => own == binding,
            (own, target) => own == target,
        };
        covers && self.scope.operations().contains(operation)
    }

    /// Checks that the rule speaks of something held, under its only name.
    pub(super) fn check(&self, permissions: &ThreadPermissions) -> Result<(), RuleError> {
        let declaration = permissions.declaration();
        let (target, operations) = (self.scope.target(), self.scope.operations());
        let scope_sha256 = self.scope.sha256();
        let whole = declaration
            .whole_binding(target)
            .and_then(|row| declaration.scope(row));
        if whole.is_some_and(|whole| whole.operations().intersection(operations).is_some()) {
            return Err(RuleError::Alias { scope_sha256 });
        }
        if is_declared(declaration, &self.scope) {
            Ok(())
        } else {
            Err(RuleError::NotHeld { scope_sha256 })
        }
    }
}

/// Whether the declaration holds the scope, or a child's block: agents of a child stand there only.
fn is_declared(declaration: &Declaration, scope: &Scope<'_>) -> bool {
    let declared = declaration
        .find(scope.target())
        .and_then(|row| declaration.scope(row));
    declared.is_some_and(|declared| scope.operations().is_subset(declared.operations()))
        || declaration
            .children()
            .any(|(_, child)| is_declared(child.declaration(), scope))
}

/// Digest and decision only.
impl fmt::Debug for ExplicitRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ExplicitRule")
            .field("scope_sha256", &self.scope.sha256())
            .field("decision", &self.decision)
            .finish_non_exhaustive()
    }
}

impl RuleDecision {
    const fn strictness(self) -> u8 {
        match self {
            RuleDecision::Allow => 0,
            RuleDecision::Ask => 1,
            RuleDecision::Deny => 2,
        }
    }
}

/// By strictness, which is not the order of the vocabulary: of several rules the greatest counts.
impl Ord for RuleDecision {
    fn cmp(&self, other: &Self) -> Ordering {
        self.strictness().cmp(&other.strictness())
    }
}

impl PartialOrd for RuleDecision {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_is_the_strictest() {
        let mut all = RuleDecision::ALL.to_vec();
        all.sort();
        assert_eq!(
            all,
            [RuleDecision::Allow, RuleDecision::Ask, RuleDecision::Deny]
        );
    }
}
