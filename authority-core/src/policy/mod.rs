//! Policies: the frozen authority of a thread.
//!
//! A child holds a subset mask over the root's table of scopes, and subsets of its parent's
//! bindings. Nothing here can add to what the parent holds; the one exception is the targets of a
//! child's own children, which only its declared block brings.

mod delegate;
mod difference;
mod explain;
mod identity;
mod intersect;
mod mask;
mod root;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

pub use difference::{Change, Difference, Outcome};
pub use explain::{ExplainedEntry, Explanation, LostAt, Nearest, Side};
pub use identity::ThreadIdentity;
pub use root::{PreparedChild, Revocation, RootHandle};

use crate::artifact::ModelRoute;
use crate::child_ceiling::ChildCeiling;
use crate::credential::{CredentialGrant, CredentialTarget};
use crate::decision::Decision;
use crate::declaration::json::{MoneyForm, Permissions, Value};
use crate::declaration::table::Table;
use crate::declaration::{Declaration, DeclaredScope};
use crate::digest::Digest;
use crate::id::Id;
use crate::ledger::FirstAccount;
use crate::operation_set::OperationSet;
use crate::permissions::ThreadPermissions;
use crate::policy::mask::Mask;
use crate::policy::root::Root;
use crate::request::Request;
use crate::scope::Scope;
use crate::settings::Settings;
use crate::target::{ChildAgentTarget, Target};
use crate::tool::ToolGrant;
use crate::vocabulary::{DenyReason, ExecutionMode, Operation, Setting, operations::child_agent};

/// Why a child cannot be made. The names are ids that the host declared, never contents of an
/// artifact.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum PolicyIntersectionError {
    /// A restriction does not decode, or is missing where one is required.
    #[error("the restriction `{section}` is not supported at `{pointer}`")]
    UnsupportedShape {
        /// The extension, or `extensions`.
        section: &'static str,
        /// The JSON Pointer of the first error.
        pointer: String,
    },
    /// A thread id that was used before, a ceiling of another agent, or a handle of another root.
    #[error(
        "an identity does not match: a thread id is used once, an agent gets its own ceiling, and a handle serves its own root"
    )]
    IdentityMismatch,
    /// The model's provider has no credential that the child would hold.
    #[error("no credential for the provider `{provider}` is held")]
    CredentialNotGranted {
        /// The provider.
        provider: String,
    },
    /// A ceiling that the policy's declaration does not hold for this agent.
    #[error("the ceiling is not declared for an agent that this thread may make a child of")]
    CeilingNotDeclared,
    /// A ceiling that names what the policy does not hold.
    #[error("the ceiling names what the thread does not hold: {what}")]
    CeilingExceeded {
        /// What it names, as the DSL writes it.
        what: String,
    },
    /// A limit that is reached.
    #[error("the limit `{}` is reached", limit.name())]
    LimitExceeded {
        /// The limit.
        limit: Setting,
    },
    /// The policy is closed.
    #[error("the policy is closed")]
    Closed,
}

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
    /// The block that the thread was delegated by; a root has its declaration, and an intersected
    /// child that of its parent.
    block: Block,
    is_closed: AtomicBool,
    is_started: AtomicBool,
    /// The root's epoch at which the thread and all above it were last seen open; 0 for never.
    open_at: AtomicU64,
    /// Where the thread is charged, once a ledger has seen it.
    first_account: OnceLock<FirstAccount>,
}

/// What a thread holds.
#[derive(Clone)]
pub(crate) struct Holdings {
    mask: Mask,
    /// Agents that the thread's own block declares: targets that no one above holds.
    own_agents: Arc<[(ChildAgentTarget<'static>, OperationSet)]>,
    credentials: Table<CredentialGrant>,
    tools: Table<ToolGrant>,
    environment: Table<Id<'static>>,
    execution_mode: ExecutionMode,
    settings: Settings,
    route: Option<ModelRoute>,
    /// What the thread's restriction asked for and its parent did not hold, for people.
    not_held: Vec<String>,
}

/// Whose declared children a thread may delegate to.
#[derive(Clone)]
enum Block {
    Root,
    Child(Arc<ChildCeiling>),
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
        Self::for_root_with_route(identity, permissions, None)
    }

    /// The same for a root that uses a model. A route whose provider has no credential is dropped.
    pub fn for_root_with_route(
        identity: ThreadIdentity,
        permissions: &ThreadPermissions,
        route: Option<ModelRoute>,
    ) -> (RootHandle, ThreadPolicy) {
        let declaration = permissions.declaration();
        let holdings = Holdings {
            mask: Mask::All,
            own_agents: Arc::from([]),
            credentials: declaration.credentials.clone().unwrap_or(Table::EMPTY),
            tools: declaration.tools.clone().unwrap_or(Table::EMPTY),
            environment: declaration.environment.clone().unwrap_or(Table::EMPTY),
            execution_mode: permissions.execution_mode(),
            settings: declaration.settings,
            route: route.filter(|route| {
                let target = CredentialTarget::Provider(route.provider_id.clone());
                permissions
                    .credentials()
                    .any(|grant| grant.target == target)
            }),
            not_held: Vec::new(),
        };
        let root = Arc::new(Root::new(permissions.clone(), &identity));
        let policy = ThreadPolicy::new(Arc::clone(&root), None, identity, holdings, Block::Root);
        policy.0.is_started.store(true, Ordering::Release);
        root.register(&policy);
        (RootHandle::new(policy.clone()), policy)
    }

    fn new(
        root: Arc<Root>,
        parent: Option<ThreadPolicy>,
        identity: ThreadIdentity,
        holdings: Holdings,
        block: Block,
    ) -> Self {
        ThreadPolicy(Arc::new(Node {
            root,
            parent,
            identity,
            holdings,
            block,
            is_closed: AtomicBool::new(false),
            is_started: AtomicBool::new(false),
            open_at: AtomicU64::new(0),
            first_account: OnceLock::new(),
        }))
    }

    /// Decides a request: allowed by an entry of the root's declaration, or denied for a reason.
    pub fn decide(&self, request: &Request<'_>) -> Decision {
        if !self.is_open() {
            return Decision::Deny(DenyReason::PolicyClosed);
        }
        let (target, operation) = (request.target(), request.operation());
        let decision = self.decide_target(target, operation);
        let names_descendant = operation.kind() == crate::Kind::ChildAgent
            && operation != child_agent::Delegate.into();
        if decision.is_allowed()
            && names_descendant
            && !self.has_descendant(request.thread(), target)
        {
            return Decision::Deny(DenyReason::NotADescendant);
        }
        decision
    }

    fn decide_target(&self, target: &Target<'_>, operation: Operation) -> Decision {
        let declaration = self.declaration();
        let exact = declaration.find(target);
        let whole = declaration.whole_binding(target);
        let mut reason = DenyReason::TargetNotDeclared;
        for entry in [exact, whole].into_iter().flatten() {
            let Some(scope) = declaration.scope(entry) else {
                continue;
            };
            if !scope.operations().contains(operation)
                || (Some(entry) == exact && !target.allows(operation))
            {
                reason = reason.max(DenyReason::OperationNotGranted);
            } else if !self.0.holdings.mask.holds(scope, operation) {
                reason = reason.max(DenyReason::Narrowed);
            } else if self.0.root.is_revoked(scope, operation) {
                reason = reason.max(DenyReason::Revoked);
            } else {
                return Decision::Allow(entry);
            }
        }
        if let Target::ChildAgent(wanted) = target
            && let Some(index) = self
                .0
                .holdings
                .own_agents
                .iter()
                .position(|(agent, _)| agent == wanted)
        {
            let (_, operations) = self.0.holdings.own_agents[index];
            return if operations.contains(operation) {
                Decision::Allow(index)
            } else {
                Decision::Deny(DenyReason::OperationNotGranted)
            };
        }
        Decision::Deny(reason)
    }

    /// Whether the request names a live descendant of this thread, of the target's agent.
    fn has_descendant(&self, thread: Option<&Id<'_>>, target: &Target<'_>) -> bool {
        let (Some(thread), Target::ChildAgent(target)) = (thread, target) else {
            return false;
        };
        let Some(found) = self.0.root.thread(thread.as_str()) else {
            return false;
        };
        found
            .0
            .identity
            .agent_path
            .last()
            .is_some_and(|agent| *agent == target.agent)
            && found.is_open()
            && found.0.is_started.load(Ordering::Acquire)
            && found
                .ancestors()
                .skip(1)
                .any(|ancestor| Arc::ptr_eq(&ancestor.0, &self.0))
    }

    /// This policy and those above it, up to the root's.
    pub(crate) fn ancestors(&self) -> impl Iterator<Item = &ThreadPolicy> {
        std::iter::successors(Some(self), |policy| policy.0.parent.as_ref())
    }

    /// Whether both are threads of one root instance.
    pub(crate) fn is_of_the_root_of(&self, other: &ThreadPolicy) -> bool {
        Arc::ptr_eq(&self.0.root, &other.0.root)
    }

    /// Where a ledger keeps the thread's account at hand.
    pub(crate) fn first_account(&self) -> &OnceLock<FirstAccount> {
        &self.0.first_account
    }

    /// Whether neither this thread nor one above it is closed. Walks up only after something was
    /// closed or revoked since the last look.
    pub fn is_open(&self) -> bool {
        let epoch = self.0.root.epoch();
        if self.0.open_at.load(Ordering::Acquire) == epoch {
            return true;
        }
        let is_open = !self
            .ancestors()
            .any(|policy| policy.0.is_closed.load(Ordering::Acquire));
        if is_open {
            self.0.open_at.store(epoch, Ordering::Release);
        }
        is_open
    }

    /// Who the thread is.
    pub fn identity(&self) -> &ThreadIdentity {
        &self.0.identity
    }

    /// The scopes that the thread holds now, in the order of the root's declaration; then those of
    /// its own children.
    pub fn scopes(&self) -> Vec<Scope<'_>> {
        let held = self
            .declaration()
            .scopes()
            .filter_map(|scope| Some(Scope::trusted(scope.target(), self.held(scope)?)));
        let own = self.0.holdings.own_agents.iter();
        held.chain(own.map(|(agent, operations)| {
            Scope::trusted(Target::ChildAgent(agent.clone()), *operations)
        }))
        .collect()
    }

    fn held(&self, scope: DeclaredScope<'_>) -> Option<OperationSet> {
        let held = self.0.holdings.mask.held(scope)?;
        let kept = held
            .iter()
            .filter(|operation| !self.0.root.is_revoked(scope, *operation));
        OperationSet::from_word(kept.fold(0, |word, operation| word | operation.bit()))
    }

    /// The credentials that the thread holds, sorted by target.
    pub fn credentials(&self) -> impl Iterator<Item = &CredentialGrant> {
        self.0
            .holdings
            .credentials
            .iter()
            .filter(|grant| !self.0.root.is_credential_revoked(grant))
    }

    /// The binding that is used for a credential target, if the thread holds one.
    pub fn credential(&self, target: &CredentialTarget<'_>) -> Option<&CredentialGrant> {
        self.credentials().find(|grant| grant.target == *target)
    }

    /// The tools that the thread holds, sorted by id.
    pub fn tools(&self) -> impl Iterator<Item = &ToolGrant> {
        self.0
            .holdings
            .tools
            .iter()
            .filter(|grant| !self.0.root.is_tool_revoked(&grant.id))
    }

    /// What a tool id stands for; `None` when the thread does not hold it.
    pub fn tool(&self, id: &str) -> Option<&ToolGrant> {
        self.tools().find(|grant| grant.id.as_str() == id)
    }

    /// Ids of the environment entries that processes of the thread get, sorted.
    pub fn environment(&self) -> impl Iterator<Item = &Id<'static>> {
        self.0
            .holdings
            .environment
            .iter()
            .filter(|id| !self.0.root.is_environment_revoked(id))
    }

    /// How processes of the thread run.
    pub fn execution_mode(&self) -> ExecutionMode {
        self.0.holdings.execution_mode
    }

    /// The budgets, rates and limits of the thread itself; those above it hold too.
    pub fn settings(&self) -> &Settings {
        &self.0.holdings.settings
    }

    /// The model that the thread uses, if one is chosen.
    pub fn route(&self) -> Option<&ModelRoute> {
        self.0.holdings.route.as_ref()
    }

    /// The permissions as canonical JSON, for people and tools to look at.
    pub fn to_json(&self) -> String {
        self.permissions(MoneyForm::Decimal, |value| value.to_canonical_json())
    }

    /// Digest of the permissions, domain `authority/permissions/v1`. Computed when asked for.
    pub fn permissions_sha256(&self) -> Digest {
        self.permissions(MoneyForm::Micro, |value| {
            let members = [
                ("domain", Value::Text("authority/permissions/v1".to_owned())),
                ("permissions", value),
            ];
            let members = members.map(|(key, value)| (key.to_owned(), value));
            Digest::of(Value::Object(members.into()).to_canonical_json().as_bytes())
        })
    }

    fn permissions<R>(&self, money: MoneyForm, use_value: impl FnOnce(Value<'_>) -> R) -> R {
        let scopes = crate::permissions::printed(self.scopes());
        let credentials: Table<_> = self.credentials().cloned().collect();
        let tools: Table<_> = self.tools().cloned().collect();
        let environment: Table<_> = self.environment().cloned().collect();
        let parts = Permissions {
            scopes: &scopes,
            credentials: Some(&credentials),
            tools: Some(&tools),
            environment: Some(&environment),
            execution_mode: Some(self.execution_mode()),
            settings: self.settings(),
        };
        use_value(parts.to_value(money))
    }

    fn declaration(&self) -> &Declaration {
        self.0.root.permissions.declaration()
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
            .field("thread_id", &self.0.identity.thread_id.as_str())
            .field("agent_path", &self.0.identity.agent_path.len())
            .field("scopes", &self.scopes().len())
            .finish_non_exhaustive()
    }
}
