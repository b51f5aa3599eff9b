//! The root instance: what all threads of a tree share, and the handle that ends and revokes.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, Weak};

use crate::credential::{CredentialGrant, CredentialTarget};
use crate::declaration::DeclaredScope;
use crate::id::Id;
use crate::permissions::ThreadPermissions;
use crate::policy::{Node, PolicyIntersectionError, ThreadIdentity, ThreadPolicy};
use crate::scope::Scope;
use crate::vocabulary::Operation;

/// What all threads of a tree share.
pub(super) struct Root {
    pub(super) permissions: ThreadPermissions,
    /// Grows with every close and revocation; never 0.
    epoch: AtomicU64,
    /// A word of revoked operations a row, once something was revoked.
    revoked: OnceLock<Box<[AtomicU64]>>,
    revoked_bindings: RwLock<RevokedBindings>,
    threads: Mutex<Threads>,
}

#[derive(Default)]
struct RevokedBindings {
    credentials: HashSet<CredentialTarget<'static>>,
    tools: HashSet<Id<'static>>,
    environment: HashSet<Id<'static>>,
}

#[derive(Default)]
struct Threads {
    /// Every thread id that was ever used.
    used: HashSet<Id<'static>>,
    live: HashMap<Id<'static>, Weak<Node>>,
}

impl Root {
    pub(super) fn new(permissions: ThreadPermissions, identity: &ThreadIdentity) -> Self {
        let mut threads = Threads::default();
        threads.used.insert(identity.thread_id().clone());
        Root {
            permissions,
            epoch: AtomicU64::new(1),
            revoked: OnceLock::new(),
            revoked_bindings: RwLock::default(),
            threads: Mutex::new(threads),
        }
    }

    pub(super) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    fn advance(&self) {
        self.epoch.fetch_add(1, Ordering::AcqRel);
    }

    /// Takes a thread id, which is used once in the root's life.
    pub(super) fn take_thread_id(
        &self,
        thread: &Id<'static>,
    ) -> Result<(), PolicyIntersectionError> {
        if self.threads().used.insert(thread.clone()) {
            Ok(())
        } else {
            Err(PolicyIntersectionError::IdentityMismatch)
        }
    }

    pub(super) fn register(&self, policy: &ThreadPolicy) {
        let thread = policy.identity().thread_id().clone();
        self.threads()
            .live
            .insert(thread, Arc::downgrade(&policy.0));
    }

    pub(super) fn thread(&self, thread: &str) -> Option<ThreadPolicy> {
        let threads = self.threads();
        let found = threads
            .live
            .iter()
            .find(|(id, _)| id.as_str() == thread)?
            .1
            .upgrade()?;
        Some(ThreadPolicy(found))
    }

    fn threads(&self) -> MutexGuard<'_, Threads> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn has_revoked_operations(&self) -> bool {
        self.revoked.get().is_some()
    }

    pub(super) fn is_revoked(&self, scope: DeclaredScope<'_>, operation: Operation) -> bool {
        let words = self.revoked.get();
        let word = words.and_then(|words| words.get(scope.origin().index));
        word.is_some_and(|word| word.load(Ordering::Acquire) & operation.bit() != 0)
    }

    pub(super) fn is_credential_revoked(&self, grant: &CredentialGrant) -> bool {
        self.bindings(|bindings| bindings.credentials.contains(&grant.target))
    }

    pub(super) fn is_tool_revoked(&self, id: &Id<'static>) -> bool {
        self.bindings(|bindings| bindings.tools.contains(id))
    }

    pub(super) fn is_environment_revoked(&self, id: &Id<'static>) -> bool {
        self.bindings(|bindings| bindings.environment.contains(id))
    }

    fn bindings(&self, has: impl FnOnce(&RevokedBindings) -> bool) -> bool {
        has(&self
            .revoked_bindings
            .read()
            .unwrap_or_else(PoisonError::into_inner))
    }

    fn revoke(&self, revocation: &Revocation<'_>) {
        match revocation {
            Revocation::Scope(scope) => {
                let declaration = self.permissions.declaration();
                let rows = declaration
                    .scopes()
                    .map(|scope| scope.origin().index + 1)
                    .max()
                    .unwrap_or(0);
                let words = self
                    .revoked
                    .get_or_init(|| (0..rows).map(|_| AtomicU64::new(0)).collect());
                if let Some(word) = declaration
                    .find(scope.target())
                    .and_then(|row| words.get(row))
                {
                    word.fetch_or(scope.operations().word(), Ordering::AcqRel);
                }
            }
            binding => {
                let mut bindings = self
                    .revoked_bindings
                    .write()
                    .unwrap_or_else(PoisonError::into_inner);
                match binding {
                    Revocation::Credential(target) => bindings.credentials.insert(target.clone()),
                    Revocation::Tool(id) => bindings.tools.insert(id.clone()),
                    Revocation::Environment(id) => bindings.environment.insert(id.clone()),
                    Revocation::Scope(_) => false,
                };
            }
        }
        self.advance();
    }
}

/// What is taken from a whole tree. Nothing gives it back: a host that wants to builds a new root.
#[derive(Clone, Debug)]
pub enum Revocation<'a> {
    /// Operations on a declared target.
    Scope(Scope<'a>),
    /// The credential of a target.
    Credential(CredentialTarget<'static>),
    /// A tool id.
    Tool(Id<'static>),
    /// An environment entry.
    Environment(Id<'static>),
}

/// The host's end of a root: it closes, revokes and starts children. No policy leads to it, and
/// dropping it closes the tree.
pub struct RootHandle {
    policy: ThreadPolicy,
}

impl RootHandle {
    pub(super) fn new(policy: ThreadPolicy) -> Self {
        RootHandle { policy }
    }

    /// The root's policy.
    pub(crate) fn policy(&self) -> &ThreadPolicy {
        &self.policy
    }

    /// Ends a policy of this root, and all its descendants: whatever they decide after this call
    /// returned is denied. A policy of another root is left alone.
    pub fn close(&self, policy: &ThreadPolicy) {
        if self.owns(policy) {
            policy.0.is_closed.store(true, Ordering::Release);
            policy.0.root.advance();
        }
    }

    /// Takes something from the whole tree: whatever is decided after this call returned is denied.
    pub fn revoke(&self, revocation: &Revocation<'_>) {
        self.policy.0.root.revoke(revocation);
    }

    pub(super) fn owns(&self, policy: &ThreadPolicy) -> bool {
        Arc::ptr_eq(&self.policy.0.root, &policy.0.root)
    }
}

impl Drop for RootHandle {
    fn drop(&mut self) {
        let policy = self.policy.clone();
        self.close(&policy);
    }
}

impl fmt::Debug for RootHandle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("RootHandle")
            .field(&self.policy.identity().root_run_id().as_str())
            .finish()
    }
}

/// A child that decides nothing until it is started.
#[derive(Debug)]
#[must_use = "a child that is not started never runs"]
pub struct PreparedChild(pub(super) ThreadPolicy);

impl PreparedChild {
    /// Starts the child in the name of the host.
    ///
    /// # Errors
    ///
    /// `Closed` when a thread above it was closed meanwhile, `IdentityMismatch` for the handle of
    /// another root.
    pub fn start_by_host(
        self,
        handle: &RootHandle,
    ) -> Result<ThreadPolicy, PolicyIntersectionError> {
        if !handle.owns(&self.0) {
            return Err(PolicyIntersectionError::IdentityMismatch);
        }
        if !self.0.is_open() {
            return Err(PolicyIntersectionError::Closed);
        }
        self.0.0.is_started.store(true, Ordering::Release);
        self.0.0.root.register(&self.0);
        Ok(self.0)
    }

    /// Digest of the permissions that the child will have.
    pub fn permissions_sha256(&self) -> crate::Digest {
        self.0.permissions_sha256()
    }
}
