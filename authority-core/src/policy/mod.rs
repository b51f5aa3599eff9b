//! Policies: the frozen authority of a thread.
//!
//! A child holds masks over the root's tables of scopes and bindings. A mask is made from the
//! parent's by clearing bits ([`mask`]), so nothing here can add to what the parent holds; the one
//! exception is the targets of a child's own children, which only its declared block brings.

mod delegate;
mod difference;
mod digests;
mod error;
mod explain;
mod groups;
mod holdings;
mod identity;
mod intersect;
mod liveness;
mod mask;
#[cfg(doctest)]
mod proofs;
mod resolved;
mod revoked;
mod root;
mod selection;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

pub use difference::{Change, ChangeOutcome, Difference};
pub use error::PolicyIntersectionError;
pub use explain::{ExplainedEntry, Explanation, LostAt, Nearest, Side};
pub use identity::ThreadIdentity;
pub use resolved::ResolvedTarget;
pub use root::{PreparedChild, Revocation, RootHandle, RootOptions};
pub use selection::Selection;

use crate::bindings::RequiredBinding;
use crate::child_ceiling::ChildCeiling;
use crate::clock::Clock;
use crate::decision::Decision;
use crate::declaration::derived::Found;
use crate::declaration::key::HashedTarget;
use crate::declaration::{Declaration, DeclaredScope};
use crate::digest::Digest;
use crate::ledger::FirstAccount;
use crate::operation_set::OperationSet;
use crate::permissions::ThreadPermissions;
use crate::policy::digests::Digests;
use crate::policy::holdings::Holdings;
use crate::policy::liveness::Liveness;
use crate::policy::root::Root;
use crate::request::Request;
use crate::target::{ChildAgentTarget, Target};
use crate::vocabulary::{DenyReason, Kind, Operation, Setting, operations::child_agent};

/// The frozen authority of one thread.
///
/// It is made by [`for_root`](Self::for_root), and for children by [`intersect`](Self::intersect)
/// and [`delegate`](Self::delegate), which can only narrow. It has no setter, cannot be decoded,
/// and is cheap to clone.
#[derive(Clone)]
pub struct ThreadPolicy(Arc<Node>);

struct Node {
    root: Arc<Root>,
    parent: Option<ThreadPolicy>,
    identity: ThreadIdentity,
    holdings: Holdings,
    /// The block that the thread was delegated by: an intersected child has that of its parent, and
    /// `None` is the root's declaration.
    block: Option<Arc<ChildCeiling>>,
    liveness: Liveness,
    is_started: AtomicBool,
    /// When it was started, by the clock of the root's gate.
    started_at: OnceLock<Duration>,
    /// Where the thread is charged, once a ledger has seen it.
    first_account: OnceLock<FirstAccount>,
    digests: Digests,
}

impl ThreadPolicy {
    /// The policy and the handle of a root that has chosen no model.
    ///
    /// The policy is for the thread; the handle is for the host, which closes and revokes with it.
    /// Dropping the handle closes the tree.
    pub fn for_root(
        identity: ThreadIdentity,
        permissions: &ThreadPermissions,
    ) -> (RootHandle, ThreadPolicy) {
        Self::for_root_with(identity, permissions, RootOptions::default())
    }

    /// The same for a root with a model or with revisions of its bindings.
    pub fn for_root_with(
        identity: ThreadIdentity,
        permissions: &ThreadPermissions,
        options: RootOptions,
    ) -> (RootHandle, ThreadPolicy) {
        let RootOptions { route, revisions } = options;
        let holdings = Holdings::of_root(permissions, route);
        let root = Arc::new(Root::new(permissions.clone(), revisions, &identity));
        let policy = ThreadPolicy::new(root, None, identity, holdings, None);
        policy.0.is_started.store(true, Ordering::Release);
        policy.0.root.register(&policy);
        (RootHandle::new(policy.clone()), policy)
    }

    fn new(
        root: Arc<Root>,
        parent: Option<ThreadPolicy>,
        identity: ThreadIdentity,
        holdings: Holdings,
        block: Option<Arc<ChildCeiling>>,
    ) -> Self {
        ThreadPolicy(Arc::new(Node {
            root,
            parent,
            identity,
            holdings,
            block,
            liveness: Liveness::default(),
            is_started: AtomicBool::new(false),
            started_at: OnceLock::new(),
            first_account: OnceLock::new(),
            digests: Digests::default(),
        }))
    }

    /// Decides a request: allowed by an entry of the declaration, or denied for a reason.
    #[inline]
    pub fn decide(&self, request: &Request<'_>) -> Decision {
        if !self.is_open() {
            return Decision::Deny(DenyReason::PolicyClosed);
        }
        let operation = request.operation();
        let decision = self.decide_target(request.hashed_target(), operation);
        if operation.kind() == Kind::ChildAgent
            && decision.is_allowed()
            && !self.reaches_named_thread(request)
        {
            return Decision::Deny(DenyReason::NotADescendant);
        }
        decision
    }

    /// Decides by what is held and not revoked, whoever is closed.
    fn decide_target(&self, hashed: &HashedTarget<'_>, operation: Operation) -> Decision {
        let derived = self.declaration().derived();
        let target = hashed.target();
        let mut reason = DenyReason::TargetNotDeclared;
        if let Some(found) = derived.find_hashed(hashed) {
            let decided = if target.allows(operation) {
                self.decide_found(found, operation)
            } else {
                Err(DenyReason::OperationNotGranted)
            };
            match decided {
                Ok(decision) => return decision,
                Err(denied) => reason = denied,
            }
        }
        if let Some(found) = derived.find_whole_binding_hashed(hashed) {
            match self.decide_found(found, operation) {
                Ok(decision) => return decision,
                Err(denied) => reason = reason.max(denied),
            }
        }
        if let Target::ChildAgent(agent) = target
            && let Some((entry, operations)) = self.own_agent(agent)
        {
            return if !operations.contains(operation) {
                Decision::Deny(DenyReason::OperationNotGranted)
            } else if self.0.root.is_agent_revoked(agent, operation) {
                Decision::Deny(DenyReason::Revoked)
            } else {
                Decision::Allow(entry)
            };
        }
        Decision::Deny(reason)
    }

    /// What one scope says to an operation.
    #[inline]
    fn decide_found(&self, found: Found, operation: Operation) -> Result<Decision, DenyReason> {
        match found.slot(operation) {
            Some(slot) => self.decide_slot(found.row, slot, operation),
            None => Err(DenyReason::OperationNotGranted),
        }
    }

    #[inline]
    fn decide_slot(
        &self,
        row: usize,
        slot: usize,
        operation: Operation,
    ) -> Result<Decision, DenyReason> {
        if !self.0.holdings.scopes.has(slot) {
            Err(DenyReason::Narrowed)
        } else if self.0.root.is_revoked(row, operation) {
            Err(DenyReason::Revoked)
        } else {
            Ok(Decision::Allow(row))
        }
    }

    /// Whether the request's thread, which every operation on an agent but `delegate` names, is a
    /// live descendant of this one and of the target's agent.
    fn reaches_named_thread(&self, request: &Request<'_>) -> bool {
        if request.operation() == child_agent::Delegate.into() {
            return true;
        }
        let (Some(thread), Target::ChildAgent(target)) = (request.thread(), request.target())
        else {
            return false;
        };
        let Some(found) = self.0.root.thread(thread) else {
            return false;
        };
        found.identity().agent_path().last() == Some(&target.agent) && found.is_live_below(self)
    }

    /// Whether this is a thread below that one, open and started.
    pub(crate) fn is_live_below(&self, above: &ThreadPolicy) -> bool {
        self.is_open()
            && self.0.is_started.load(Ordering::Acquire)
            && self
                .ancestors()
                .skip(1)
                .any(|ancestor| Arc::ptr_eq(&ancestor.0, &above.0))
    }

    /// This policy and those above it, up to the root's.
    pub(crate) fn ancestors(&self) -> impl Iterator<Item = &ThreadPolicy> {
        std::iter::successors(Some(self), |policy| policy.0.parent.as_ref())
    }

    /// Whether this is the policy of a child of that very thread.
    pub(crate) fn is_child_of(&self, parent: &ThreadPolicy) -> bool {
        let own = self.0.parent.as_ref();
        own.is_some_and(|own| Arc::ptr_eq(&own.0, &parent.0))
    }

    /// Whether both are threads of one root instance.
    pub(crate) fn is_of_the_root_of(&self, other: &ThreadPolicy) -> bool {
        Arc::ptr_eq(&self.0.root, &other.0.root)
    }

    /// Gives the root the clock of its gate. `false` when it has one.
    pub(crate) fn set_clock(&self, clock: Arc<dyn Clock>) -> bool {
        self.0.root.set_clock(clock)
    }

    /// When the thread was started; for one that started before the root had a gate, when the gate
    /// first looked. `None` without a gate.
    pub(crate) fn started_at(&self) -> Option<Duration> {
        let clock = self.0.root.clock()?;
        Some(*self.0.started_at.get_or_init(|| clock.monotonic()))
    }

    /// Whether the `timeout_seconds` of the thread, or of one above it, is over at this time.
    pub(crate) fn is_past_deadline(&self, now: Duration) -> bool {
        self.ancestors().any(|policy| {
            let seconds = policy.settings().value(Setting::TimeoutSeconds);
            let limit = seconds.map(Duration::from_secs);
            limit
                .zip(policy.started_at())
                .is_some_and(|(limit, start)| now >= start.saturating_add(limit))
        })
    }

    /// Where a ledger keeps the thread's account at hand.
    pub(crate) fn first_account(&self) -> &OnceLock<FirstAccount> {
        &self.0.first_account
    }

    /// Whether neither this thread nor one above it is closed. Walks up only after something was
    /// closed or revoked since the last look.
    #[inline]
    pub fn is_open(&self) -> bool {
        let path = self.ancestors().map(|policy| &policy.0.liveness);
        self.0.liveness.is_open(&self.0.root.epoch, path)
    }

    /// Who the thread is.
    pub fn identity(&self) -> &ThreadIdentity {
        &self.0.identity
    }

    /// The permissions that the root was made with.
    pub fn root_permissions(&self) -> &ThreadPermissions {
        &self.0.root.permissions
    }

    /// The entry with this index: of the root's declaration, or behind its entries those of the
    /// block that the thread was delegated by, whose agents only this thread may use.
    pub fn entry(&self, index: usize) -> Option<DeclaredScope<'_>> {
        let own = index.checked_sub(self.declaration().entries());
        match own {
            None => self.declaration().scope(index),
            Some(index) => self.0.block.as_ref()?.declaration().scope(index),
        }
    }

    /// The digest of what a binding stands for, if the root was made with it.
    pub fn binding_revision(&self, binding: &RequiredBinding) -> Option<Digest> {
        self.0.root.revisions.as_ref()?.revision(binding)
    }

    fn declaration(&self) -> &Declaration {
        self.0.root.permissions.declaration()
    }

    /// The declaration or block that says which agents the thread may make children of.
    fn block(&self) -> &Declaration {
        match &self.0.block {
            Some(block) => block.declaration(),
            None => self.declaration(),
        }
    }

    /// The entry and operations of an agent that only this thread's block declares.
    fn own_agent(&self, wanted: &ChildAgentTarget<'_>) -> Option<(usize, OperationSet)> {
        let own = self.0.holdings.own_agents.as_ref()?;
        let row = self.block().find(&Target::ChildAgent(wanted.clone()))?;
        let (_, operations) = own.iter().find(|(own, _)| *own == row)?;
        Some((self.declaration().entries() + row, *operations))
    }
}

/// Ends a chain of any length without recursion.
impl Drop for Node {
    fn drop(&mut self) {
        self.root.forget(self.identity.thread_id());
        let mut parent = self.parent.take();
        while let Some(node) = parent.and_then(|policy| Arc::into_inner(policy.0)) {
            let mut node = node;
            parent = node.parent.take();
        }
    }
}

/// Equality is that of permissions: a model route is a selection within the authority.
impl PartialEq for ThreadPolicy {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.permissions_sha256() == other.permissions_sha256()
    }
}

impl Eq for ThreadPolicy {}

/// Ids and counts only.
impl fmt::Debug for ThreadPolicy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ThreadPolicy")
            .field("thread_id", &self.identity().thread_id().as_str())
            .field("agent_path", &self.identity().agent_path().len())
            .field("scopes", &self.scopes().len())
            .finish_non_exhaustive()
    }
}
