//! Targets that are looked up once and decided about often.

use std::fmt;
use std::sync::{Arc, Weak};

use crate::decision::Decision;
use crate::declaration::DeclaredScope;
use crate::operation_set::OperationSet;
use crate::policy::ThreadPolicy;
use crate::policy::mask::Runs;
use crate::policy::root::Root;
use crate::target::Target;
use crate::vocabulary::{DenyReason, Operation};

/// A target that was looked up once in a root's declaration: [`ThreadPolicy::decide_resolved`]
/// decides about it with a few loads, for any thread of that root.
///
/// It holds no authority, and says nothing about what is held.
///
/// ```
/// use authority_core::operations::github;
/// use authority_core::{Request, ThreadIdentity, ThreadPermissions, ThreadPolicy};
///
/// let permissions = ThreadPermissions::builder().github("acme/checkout", [github::Read]).build()?;
/// let identity = ThreadIdentity::root("alice", "checkout", "run-42")?;
/// let (_handle, root) = ThreadPolicy::for_root(identity, &permissions);
///
/// let request = Request::github("acme/checkout", github::Read)?;
/// let repository = root.resolve(request.target()).expect("no agent");
/// assert!(root.decide_resolved(&repository, github::Read).is_allowed());
/// assert!(!root.decide_resolved(&repository, github::ContentsWrite).is_allowed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ResolvedTarget {
    root: Weak<Root>,
    exact: Option<Place>,
    whole: Option<Place>,
}

/// A row that speaks of the target.
#[derive(Clone, Copy)]
struct Place {
    row: u32,
    first_slot: u32,
    operations: OperationSet,
    /// Those of the operations that the target itself allows.
    allowed: u64,
}

impl ThreadPolicy {
    /// Looks a target up, for [`decide_resolved`](Self::decide_resolved). `None` for an agent: what
    /// a thread may do with agents depends on its own block and on who is alive.
    pub fn resolve(&self, target: &Target<'_>) -> Option<ResolvedTarget> {
        if matches!(target, Target::ChildAgent(_)) {
            return None;
        }
        let declaration = self.declaration();
        let scope = |row: Option<usize>| declaration.scope(row?);
        let exact = scope(declaration.find(target));
        let whole = scope(declaration.whole_binding(target));
        Some(ResolvedTarget {
            root: Arc::downgrade(&self.0.root),
            exact: exact.and_then(|scope| Place::of(scope, |operation| target.allows(operation))),
            whole: whole.and_then(|scope| Place::of(scope, |_| true)),
        })
    }

    /// Decides one operation on a target that was resolved before, with the answer that
    /// [`decide`](Self::decide) gives. A target that was resolved in another root is not declared in
    /// this one.
    #[inline]
    pub fn decide_resolved(
        &self,
        target: &ResolvedTarget,
        operation: impl Into<Operation>,
    ) -> Decision {
        if !self.is_open() {
            return Decision::Deny(DenyReason::PolicyClosed);
        }
        let mut reason = DenyReason::TargetNotDeclared;
        if !target.is_of(&self.0.root) {
            return Decision::Deny(reason);
        }
        let operation = operation.into();
        for place in [target.exact, target.whole].into_iter().flatten() {
            match self.decide_place(place, operation) {
                Ok(decision) => return decision,
                Err(denied) => reason = reason.max(denied),
            }
        }
        Decision::Deny(reason)
    }

    #[inline]
    fn decide_place(&self, place: Place, operation: Operation) -> Result<Decision, DenyReason> {
        match place.operations.position(operation) {
            Some(offset) if place.allowed & operation.bit() != 0 => {
                let slot = place.first_slot as usize + offset;
                self.decide_slot(place.row as usize, slot, operation)
            }
            _ => Err(DenyReason::OperationNotGranted),
        }
    }
}

impl ResolvedTarget {
    #[inline]
    pub(super) fn is_of(&self, root: &Arc<Root>) -> bool {
        std::ptr::eq(self.root.as_ptr(), Arc::as_ptr(root))
    }

    /// The slots of these operations on exactly this target.
    pub(super) fn push_exact(&self, operations: OperationSet, runs: &mut Runs) {
        if let Some(place) = self.exact {
            let slots = place.first_slot as usize..;
            for (operation, slot) in place.operations.iter().zip(slots) {
                if operations.contains(operation) {
                    runs.push(slot);
                }
            }
        }
    }
}

impl Place {
    /// A declaration has far less than 2³² entries and slots: it is source text.
    fn of(scope: DeclaredScope<'_>, allows: impl Fn(Operation) -> bool) -> Option<Self> {
        let operations = scope.operations();
        let allowed = operations.iter().filter(|operation| allows(*operation));
        Some(Place {
            row: u32::try_from(scope.origin().index).ok()?,
            first_slot: u32::try_from(scope.first_slot()).ok()?,
            operations,
            allowed: allowed.fold(0, |word, operation| word | operation.bit()),
        })
    }
}

/// Whether it is declared, and nothing else.
impl fmt::Debug for ResolvedTarget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_declared = self.exact.is_some() || self.whole.is_some();
        formatter
            .debug_struct("ResolvedTarget")
            .field("is_declared", &is_declared)
            .finish_non_exhaustive()
    }
}
