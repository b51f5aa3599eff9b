//! The root instance: what all threads of a tree share, and the handle that ends and revokes.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::Hash;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockWriteGuard, Weak};

use crate::artifact::ModelRoute;
use crate::bindings::BindingRevisions;
use crate::clock::Clock;
use crate::credential::{CredentialGrant, CredentialTarget};
use crate::declaration::DeclaredScope;
use crate::digest::Digest;
use crate::gate::Running;
use crate::id::Id;
use crate::operation_set::OperationSet;
use crate::permissions::ThreadPermissions;
use crate::policy::groups::Groups;
use crate::policy::holdings::{scope_of_tool, tools};
use crate::policy::liveness::Epoch;
use crate::policy::mask::Runs;
use crate::policy::revoked::Revoked;
use crate::policy::{Node, PolicyIntersectionError, ThreadIdentity, ThreadPolicy};
use crate::scope::Scope;
use crate::target::{ChildAgentTarget, Target};
use crate::tool::ToolBinding;
use crate::vocabulary::{Operation, operations::mcp_tool};

/// What all threads of a tree share.
pub(super) struct Root {
    pub(super) permissions: ThreadPermissions,
    pub(super) revisions: Option<BindingRevisions>,
    revisions_sha256: OnceLock<Digest>,
    groups: OnceLock<Groups>,
    pub(super) epoch: Epoch,
    /// There once something was revoked.
    revoked: OnceLock<Revoked>,
    revoked_bindings: RwLock<RevokedBindings>,
    threads: Mutex<Threads>,
    /// The clock of the root's gate, from when it has one.
    clock: OnceLock<Arc<dyn Clock>>,
}

#[derive(Default)]
struct RevokedBindings {
    credentials: HashSet<CredentialTarget<'static>>,
    tools: HashSet<Id<'static>>,
    environment: HashSet<Id<'static>>,
    /// Agents that are not in the root's table.
    agents: HashMap<ChildAgentTarget<'static>, u64>,
}

/// Every thread id that was ever used, with the thread while it is alive and started.
type Threads = HashMap<Id<'static>, Weak<Node>>;

impl Root {
    pub(super) fn new(
        permissions: ThreadPermissions,
        revisions: Option<BindingRevisions>,
        identity: &ThreadIdentity,
    ) -> Self {
        let threads = Threads::from([(identity.thread_id().clone(), Weak::new())]);
        Root {
            permissions,
            revisions,
            revisions_sha256: OnceLock::new(),
            groups: OnceLock::new(),
            epoch: Epoch::default(),
            revoked: OnceLock::new(),
            revoked_bindings: RwLock::default(),
            threads: Mutex::new(threads),
            clock: OnceLock::new(),
        }
    }

    /// Takes the clock by which deadlines are measured. There is one gate a root, and so one clock.
    pub(super) fn set_clock(&self, clock: Arc<dyn Clock>) -> bool {
        self.clock.set(clock).is_ok()
    }

    pub(super) fn clock(&self) -> Option<&dyn Clock> {
        self.clock.get().map(|clock| &**clock)
    }

    /// Takes a thread id, which is used once in the root's life.
    pub(super) fn take_thread_id(
        &self,
        thread: &Id<'static>,
    ) -> Result<(), PolicyIntersectionError> {
        match self.threads().entry(thread.clone()) {
            Entry::Vacant(entry) => {
                entry.insert(Weak::new());
                Ok(())
            }
            Entry::Occupied(_) => Err(PolicyIntersectionError::IdentityMismatch),
        }
    }

    pub(super) fn register(&self, policy: &ThreadPolicy) {
        let thread = policy.identity().thread_id().clone();
        self.threads().insert(thread, Arc::downgrade(&policy.0));
    }

    /// Lets go of the memory of a thread that is gone. Its id stays used.
    pub(super) fn forget(&self, thread: &Id<'static>) {
        if let Some(node) = self.threads().get_mut(thread) {
            *node = Weak::new();
        }
    }

    pub(super) fn thread(&self, thread: &Id<'_>) -> Option<ThreadPolicy> {
        Some(ThreadPolicy(self.threads().get(thread)?.upgrade()?))
    }

    pub(super) fn groups(&self) -> &Groups {
        self.groups
            .get_or_init(|| Groups::of(self.permissions.declaration()))
    }

    pub(super) fn revisions_sha256(&self) -> Option<Digest> {
        let revisions = self.revisions.as_ref()?;
        Some(*self.revisions_sha256.get_or_init(|| revisions.sha256()))
    }

    fn threads(&self) -> MutexGuard<'_, Threads> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the slots of every operation that was revoked.
    pub(super) fn push_revoked(&self, runs: &mut Runs) {
        let rows = self.revoked.get().into_iter().flat_map(Revoked::rows);
        for (row, word) in rows.enumerate() {
            let word = OperationSet::from_word(word);
            let scope = self.permissions.declaration().scope(row);
            if let Some((revoked, scope)) = word.zip(scope) {
                runs.push_scope(scope, revoked);
            }
        }
    }

    #[inline]
    pub(super) fn is_revoked(&self, row: usize, operation: Operation) -> bool {
        self.revoked_of(row) & operation.bit() != 0
    }

    /// The operations of a row that were revoked, as a word.
    #[inline]
    pub(super) fn revoked_of(&self, row: usize) -> u64 {
        self.revoked.get().map_or(0, |revoked| revoked.of(row))
    }

    /// The operations of an agent outside the root's table that were revoked, as a word.
    pub(super) fn revoked_of_agent(&self, agent: &ChildAgentTarget<'_>) -> u64 {
        self.bindings(|bindings| bindings.agents.get(agent).copied().unwrap_or(0))
    }

    pub(super) fn is_agent_revoked(
        &self,
        agent: &ChildAgentTarget<'_>,
        operation: Operation,
    ) -> bool {
        self.revoked_of_agent(agent) & operation.bit() != 0
    }

    pub(super) fn has_revoked_bindings(&self) -> bool {
        self.bindings(|bindings| {
            !bindings.credentials.is_empty()
                || !bindings.tools.is_empty()
                || !bindings.environment.is_empty()
        })
    }

    pub(super) fn is_credential_revoked(&self, grant: &CredentialGrant) -> bool {
        self.bindings(|bindings| bindings.credentials.contains(&grant.target))
    }

    pub(super) fn is_tool_revoked(&self, id: &Id<'static>) -> bool {
        self.bindings(|bindings| bindings.tools.contains(id))
    }

    pub(super) fn is_environment_revoked(&self, id: &Id<'_>) -> bool {
        self.bindings(|bindings| bindings.environment.contains(id))
    }

    fn bindings<R>(&self, look: impl FnOnce(&RevokedBindings) -> R) -> R {
        look(
            &self
                .revoked_bindings
                .read()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    fn revoke(&self, revocation: &Revocation<'_>) {
        match revocation {
            Revocation::Scope(scope) => self.revoke_scope(scope),
            Revocation::Credential(target) => {
                self.revoke_binding(target, |bindings| &mut bindings.credentials);
                if let CredentialTarget::McpServer(server) = target {
                    let declaration = self.permissions.declaration();
                    for scope in self.groups().of_server(declaration, server.as_str()) {
                        self.revoke_operations(scope, scope.operations());
                    }
                }
            }
            Revocation::Tool(id) => {
                self.revoke_binding(id, |bindings| &mut bindings.tools);
                self.revoke_call_without_tool(id);
            }
            Revocation::Environment(id) => {
                self.revoke_binding(id, |bindings| &mut bindings.environment);
            }
        }
        self.epoch.advance();
    }

    fn revoke_scope(&self, scope: &Scope<'_>) {
        let declaration = self.permissions.declaration();
        let row = declaration.find(scope.target());
        match (row.and_then(|row| declaration.scope(row)), scope.target()) {
            (Some(declared), _) => self.revoke_operations(declared, scope.operations()),
            (None, Target::ChildAgent(agent)) => {
                let mut bindings = self.bindings_to_revoke();
                let revoked = bindings.agents.entry(agent.clone().into_owned());
                *revoked.or_insert(0) |= scope.operations().word();
            }
            (None, _) => {}
        }
    }

    fn revoke_operations(&self, scope: DeclaredScope<'_>, operations: OperationSet) {
        let rows = self.permissions.declaration().entries();
        let revoked = self.revoked.get_or_init(|| Revoked::none(rows));
        revoked.revoke(scope.origin().index, operations.word());
    }

    /// The `call` of a server's tool falls with its last id.
    fn revoke_call_without_tool(&self, id: &Id<'static>) {
        let declaration = self.permissions.declaration();
        let grants = || tools(declaration).iter();
        let Some(revoked) = grants().find(|grant| grant.id == *id) else {
            return;
        };
        let is_left = grants()
            .any(|grant| grant.binding == revoked.binding && !self.is_tool_revoked(&grant.id));
        if let ToolBinding::Mcp(binding) = &revoked.binding
            && !is_left
            && let Some(scope) = scope_of_tool(declaration, binding)
        {
            self.revoke_operations(scope, OperationSet::only(mcp_tool::Call.into()));
        }
    }

    fn revoke_binding<T: Clone + Eq + Hash>(
        &self,
        item: &T,
        revoked: impl FnOnce(&mut RevokedBindings) -> &mut HashSet<T>,
    ) {
        revoked(&mut self.bindings_to_revoke()).insert(item.clone());
    }

    fn bindings_to_revoke(&self) -> RwLockWriteGuard<'_, RevokedBindings> {
        self.revoked_bindings
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a root has beside identity and permissions.
#[derive(Clone, Debug, Default)]
pub struct RootOptions {
    pub(super) route: Option<ModelRoute>,
    pub(super) revisions: Option<BindingRevisions>,
}

impl RootOptions {
    /// The model that the root uses. One whose provider has no credential is dropped.
    #[must_use]
    pub fn route(mut self, route: ModelRoute) -> Self {
        self.route = Some(route);
        self
    }

    /// What [`ThreadPermissions::check_bindings`] took of the host's bindings: fixed for the root's
    /// life, and part of every snapshot.
    #[must_use]
    pub fn revisions(mut self, revisions: BindingRevisions) -> Self {
        self.revisions = Some(revisions);
        self
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
            policy.0.liveness.close(&policy.0.root.epoch);
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
        self.start_open()
    }

    /// Starts the child by the redeemed permit of its parent's `child_agent` `delegate` over exactly
    /// its permissions. It starts one child; the caller ends the `Running` afterwards.
    ///
    /// # Errors
    ///
    /// `Closed` when a thread above it was closed meanwhile, `IdentityMismatch` when it is not this
    /// child that was permitted.
    pub fn start(self, running: &Running) -> Result<ThreadPolicy, PolicyIntersectionError> {
        if !running.take_start_of(&self.0) {
            return Err(PolicyIntersectionError::IdentityMismatch);
        }
        self.start_open()
    }

    fn start_open(self) -> Result<ThreadPolicy, PolicyIntersectionError> {
        if !self.0.is_open() {
            return Err(PolicyIntersectionError::Closed);
        }
        self.0.0.is_started.store(true, Ordering::Release);
        self.0.started_at();
        self.0.0.root.register(&self.0);
        Ok(self.0)
    }

    /// The child's policy, which decides nothing yet.
    pub(crate) fn policy(&self) -> &ThreadPolicy {
        &self.0
    }

    /// Digest of the permissions that the child will have.
    pub fn permissions_sha256(&self) -> crate::Digest {
        self.0.permissions_sha256()
    }
}
