//! A root's permissions: what the trusted host declares.

use std::fmt;

use crate::budgets::{ThreadBudgets, ThreadLimits};
use crate::ceiling::Ceiling;
use crate::child_ceiling::ChildCeiling;
use crate::credential::CredentialGrant;
use crate::declaration::json::{MoneyForm, Permissions};
use crate::declaration::{Declaration, DeclaredScope};
use crate::digest::Digest;
use crate::id::Id;
use crate::sandbox::{SandboxPermissions, SandboxView};
use crate::scope::Scope;
use crate::tool::ToolGrant;
use crate::vocabulary::ExecutionMode;
#[cfg(feature = "host")]
use crate::{
    builder::PermissionsBuilder,
    decision::Decision,
    request::Request,
    vocabulary::{DenyReason, operations::child_agent},
};

/// The authority of a root: everything that a host declares in code.
///
/// It is made by `authority!` while compiling, or by [`builder`](Self::builder) in host code. It
/// cannot be decoded from any document, and has no default: authority is never the result of a
/// missing value. Cloning shares the tables.
///
/// ```compile_fail,E0277
/// fn decodes<'de, T: serde::Deserialize<'de>>() {}
/// decodes::<authority_core::ThreadPermissions>();
/// ```
///
/// ```compile_fail,E0277
/// fn has_default<T: Default>() {}
/// has_default::<authority_core::ThreadPermissions>();
/// ```
#[derive(Clone)]
pub struct ThreadPermissions(pub(crate) Declaration);

impl ThreadPermissions {
    /// Starts a declaration in host code, for authority that is known only at run time.
    #[cfg(feature = "host")]
    pub fn builder() -> PermissionsBuilder {
        PermissionsBuilder::default()
    }

    /// Decides a request by what is declared, exactly.
    ///
    /// A whole filesystem binding covers every path in that binding; nothing else covers anything.
    /// An allowed request names the scope that allowed it.
    #[cfg(feature = "host")]
    pub fn decide(&self, request: &Request<'_>) -> Decision {
        let target = request.target();
        let operation = request.operation();
        match self.0.decide(target, operation) {
            // A declaration has no threads, so there is no descendant to look at or to stop.
            Decision::Allow(_)
                if operation.kind() == crate::Kind::ChildAgent
                    && operation != child_agent::Delegate.into() =>
            {
                Decision::Deny(DenyReason::NotADescendant)
            }
            decision => decision,
        }
    }

    /// The parts of the declaration.
    pub fn declaration(&self) -> &Declaration {
        &self.0
    }

    /// The declared scopes, in source order.
    pub fn scopes(&self) -> impl Iterator<Item = DeclaredScope<'_>> {
        self.0.scopes()
    }

    /// The scope that is the entry at this index, as an allowing [`Decision`] names it.
    pub fn scope(&self, index: usize) -> Option<DeclaredScope<'_>> {
        self.0.scope(index)
    }

    /// The scopes as a set.
    pub fn ceiling(&self) -> Ceiling<'_> {
        self.0.ceiling()
    }

    /// Digest of the ceiling: the scopes without the `child_agent` ones, which carry it.
    pub fn ceiling_sha256(&self) -> Digest {
        self.0.ceiling_sha256()
    }

    /// Digest of everything that a reviewer reads, the blocks of children included: it changes
    /// when anything is widened or narrowed anywhere, and only then.
    pub fn declaration_sha256(&self) -> Digest {
        self.0.declaration_sha256()
    }

    /// The credentials, sorted by target.
    pub fn credentials(&self) -> impl Iterator<Item = &CredentialGrant> {
        self.0.credentials().into_iter().flatten()
    }

    /// The tools, sorted by id.
    pub fn tools(&self) -> impl Iterator<Item = &ToolGrant> {
        self.0.tools().into_iter().flatten()
    }

    /// Ids of the environment entries, sorted.
    pub fn environment(&self) -> impl Iterator<Item = &Id<'static>> {
        self.0.environment().into_iter().flatten()
    }

    /// How processes run.
    pub fn execution_mode(&self) -> ExecutionMode {
        self.0.execution_mode.unwrap_or(ExecutionMode::Sandboxed)
    }

    /// The sandbox, as a view of the scopes.
    pub fn sandbox(&self) -> SandboxPermissions {
        let scopes = self.owned_scopes();
        let view = SandboxView::of(&scopes);
        SandboxPermissions {
            execution_mode: self.execution_mode(),
            network_enabled: view.network_enabled(),
            filesystem: view
                .filesystem()
                .map(|(id, grant)| (id.to_owned(), grant))
                .collect(),
            environment: self.environment().cloned().collect(),
        }
    }

    /// The budgets and rates.
    pub fn budgets(&self) -> &ThreadBudgets {
        &self.0.settings.budgets
    }

    /// The limits.
    pub fn limits(&self) -> &ThreadLimits {
        &self.0.settings.limits
    }

    /// The children that are declared with blocks of their own, in source order.
    pub fn children(&self) -> impl Iterator<Item = (Id<'_>, &ChildCeiling)> {
        self.0.children()
    }

    /// The block of the child with this agent id.
    pub fn child(&self, agent: &str) -> Option<&ChildCeiling> {
        self.0.child(agent)
    }

    /// The permissions as canonical JSON, for people and tools to look at.
    pub fn to_json(&self) -> String {
        self.with_json_parts(|parts| parts.to_value(MoneyForm::Decimal).to_canonical_json())
    }

    fn owned_scopes(&self) -> Vec<Scope<'_>> {
        self.scopes().map(DeclaredScope::to_scope).collect()
    }

    pub(crate) fn with_json_parts<R>(&self, use_parts: impl FnOnce(&Permissions<'_>) -> R) -> R {
        let mode = Some(self.execution_mode());
        self.0.with_json_parts(mode, use_parts)
    }
}

impl Declaration {
    pub(crate) fn with_json_parts<R>(
        &self,
        execution_mode: Option<ExecutionMode>,
        use_parts: impl FnOnce(&Permissions<'_>) -> R,
    ) -> R {
        use_parts(&Permissions {
            scopes: &printed(self.scopes().map(DeclaredScope::to_scope).collect()),
            credentials: self.credentials.as_ref(),
            tools: self.tools.as_ref(),
            environment: self.environment.as_ref(),
            execution_mode,
            settings: &self.settings,
        })
    }
}

/// Scopes with their canonical JSON.
pub(crate) fn printed(scopes: Vec<Scope<'_>>) -> Vec<(Scope<'_>, String)> {
    let texts: Vec<_> = scopes.iter().map(Scope::canonical_json).collect();
    scopes.into_iter().zip(texts).collect()
}

/// Equality is that of the declaration digest: everything that a reviewer reads, in any order.
impl PartialEq for ThreadPermissions {
    fn eq(&self, other: &Self) -> bool {
        self.declaration_sha256() == other.declaration_sha256()
    }
}

impl Eq for ThreadPermissions {}

/// Counts and the digest only.
impl fmt::Debug for ThreadPermissions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.debug("ThreadPermissions", formatter)
    }
}
