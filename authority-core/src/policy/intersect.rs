//! A child as a restriction makes it: what the parent holds, less what the artifact takes away.

use std::collections::HashSet;

use crate::artifact::Artifact;
use crate::credential::{CredentialGrant, CredentialTarget};
use crate::declaration::DeclaredScope;
use crate::declaration::table::Table;
use crate::id::Id;
use crate::operation_set::OperationSet;
use crate::policy::mask::Narrowing;
use crate::policy::{Holdings, PolicyIntersectionError, PreparedChild, ThreadPolicy};
use crate::restriction::{Restriction, THREAD_POLICY_EXTENSION};
use crate::sandbox::FilesystemGrant;
use crate::target::{McpTarget, Target};
use crate::tool::{ToolBinding, ToolGrant};
use crate::vocabulary::{Kind, Operation, Setting, operations::mcp_tool};

impl ThreadPolicy {
    /// Makes a child that holds what this policy holds, less what the artifact takes away. A
    /// restriction that names what the parent does not hold restricts to nothing there.
    ///
    /// # Errors
    ///
    /// `IdentityMismatch` for a thread id that was used before, `CredentialNotGranted` when the
    /// artifact names a model whose provider has no credential left, `LimitExceeded` at the depth's
    /// limit, `Closed`.
    pub fn intersect(
        &self,
        artifact: &Artifact,
        thread_id: &str,
    ) -> Result<PreparedChild, PolicyIntersectionError> {
        let mut holdings = self.narrowed(artifact.restriction());
        holdings.route = self.route_of(artifact, &holdings)?;
        self.prepare(
            artifact.id.clone(),
            thread_id,
            holdings,
            self.0.block.clone(),
        )
    }

    /// The same for an artifact that must have the restriction.
    ///
    /// # Errors
    ///
    /// As [`intersect`](Self::intersect), and `UnsupportedShape` when it has none.
    pub fn intersect_required(
        &self,
        artifact: &Artifact,
        thread_id: &str,
    ) -> Result<PreparedChild, PolicyIntersectionError> {
        if !artifact.is_restricted() {
            let section = THREAD_POLICY_EXTENSION;
            return Err(PolicyIntersectionError::UnsupportedShape {
                section,
                pointer: String::new(),
            });
        }
        self.intersect(artifact, thread_id)
    }

    pub(super) fn prepare(
        &self,
        agent: Id<'static>,
        thread_id: &str,
        holdings: Holdings,
        block: super::Block,
    ) -> Result<PreparedChild, PolicyIntersectionError> {
        if !self.is_open() {
            return Err(PolicyIntersectionError::Closed);
        }
        let thread = Id::parse(thread_id)
            .map_err(|_| PolicyIntersectionError::IdentityMismatch)?
            .into_owned();
        let depth = self.identity().agent_path().len() + 1;
        let most = self.settings().limits.max_depth;
        if most.is_some_and(|most| depth > most as usize) {
            return Err(PolicyIntersectionError::LimitExceeded {
                limit: Setting::Depth,
            });
        }
        self.0.root.take_thread_id(&thread)?;
        let identity = self.identity().child(agent, thread);
        let root = std::sync::Arc::clone(&self.0.root);
        Ok(PreparedChild(ThreadPolicy::new(
            root,
            Some(self.clone()),
            identity,
            holdings,
            block,
        )))
    }

    fn narrowed(&self, restriction: &Restriction) -> Holdings {
        let held = &self.0.holdings;
        let mut child = Child {
            policy: self,
            mask: held.mask.narrow(self.declaration().derived().slots()),
            own_agents: held.own_agents.to_vec(),
            credentials: self.credentials().cloned().collect(),
            tools: self.tools().cloned().collect(),
        };
        child.restrict_scopes(restriction);
        if let Some(wanted) = &restriction.credentials {
            child.credentials.retain(|grant| wanted.contains(grant));
        }
        if let Some(wanted) = &restriction.tools {
            child.restrict_tools(wanted);
        }
        let settings = held.settings.tighter(&restriction.settings);
        if settings.limits.max_concurrent_tools == Some(0) {
            child.tools.clear();
            child.keep(|scope, operation| {
                scope.operations().kind() != Kind::McpTool || operation != mcp_tool::Call.into()
            });
        }
        child.drop_what_falls();
        let environment = self.environment().filter(|id| {
            restriction
                .environment
                .as_ref()
                .is_none_or(|wanted| wanted.contains(id))
        });
        Holdings {
            mask: child.mask.finish(&held.mask),
            own_agents: if child.own_agents.len() == held.own_agents.len()
                && restriction.scopes.is_none()
            {
                held.own_agents.clone()
            } else {
                child.own_agents.into()
            },
            credentials: shared(child.credentials, &held.credentials),
            tools: shared(child.tools, &held.tools),
            environment: shared(environment.cloned().collect(), &held.environment),
            execution_mode: restriction
                .execution_mode
                .map_or(held.execution_mode, |mode| mode.max(held.execution_mode)),
            settings,
            not_held: self.not_held(restriction),
            route: None,
        }
    }

    /// What the restriction names and this thread does not hold: no error, since restrictions are
    /// written without knowing the parent.
    fn not_held(&self, restriction: &Restriction) -> Vec<String> {
        let mut parts = Vec::new();
        let held = self.scopes();
        for wanted in restriction.scopes.iter().flatten() {
            let found = held.iter().find(|scope| scope.target() == wanted.target());
            let missing = match found {
                Some(found) => wanted.operations().difference(found.operations()),
                None => Some(wanted.operations()),
            };
            parts.extend(missing.map(|missing| format!("{} => {missing}", wanted.target())));
        }
        for wanted in restriction.credentials.iter().flatten() {
            if !self.credentials().any(|grant| grant == wanted) {
                parts.push(format!(
                    "credential {} \"{}\"",
                    wanted.target.kind_name(),
                    wanted.target.id()
                ));
            }
        }
        for wanted in restriction.tools.iter().flatten() {
            if self.tool(wanted.as_str()).is_none() {
                parts.push(format!("tool \"{wanted}\""));
            }
        }
        for wanted in restriction.environment.iter().flatten() {
            if !self.environment().any(|id| id == wanted) {
                parts.push(format!("environment \"{wanted}\""));
            }
        }
        for binding in restriction
            .filesystem
            .iter()
            .flatten()
            .map(|(binding, _)| binding)
        {
            let holds = |scope: &crate::Scope<'_>| matches!(scope.target(), Target::Filesystem(target) if target.binding.as_str() == binding);
            if !held.iter().any(holds) {
                parts.push(format!("filesystem \"{binding}\""));
            }
        }
        parts
    }

    /// The model's route: the artifact's own needs its provider's credential, an inherited one is
    /// dropped without it.
    fn route_of(
        &self,
        artifact: &Artifact,
        holdings: &Holdings,
    ) -> Result<Option<super::ModelRoute>, PolicyIntersectionError> {
        let is_granted = |route: &&super::ModelRoute| {
            let target = CredentialTarget::Provider(route.provider_id.clone());
            holdings
                .credentials
                .iter()
                .any(|grant| grant.target == target)
        };
        match &artifact.model {
            Some(route) if is_granted(&route) => Ok(Some(route.clone())),
            Some(route) => Err(PolicyIntersectionError::CredentialNotGranted {
                provider: route.provider_id.to_string(),
            }),
            None => Ok(self.route().filter(is_granted).cloned()),
        }
    }
}

/// The list, or the parent's own table when nothing is missing.
fn shared<T: Clone>(items: Vec<T>, parent: &Table<T>) -> Table<T> {
    if items.len() == parent.len() {
        parent.clone()
    } else {
        items.into_iter().collect()
    }
}

/// A child that is being narrowed.
pub(super) struct Child<'a> {
    pub(super) policy: &'a ThreadPolicy,
    pub(super) mask: Narrowing,
    pub(super) own_agents: Vec<(crate::target::ChildAgentTarget<'static>, OperationSet)>,
    pub(super) credentials: Vec<CredentialGrant>,
    pub(super) tools: Vec<ToolGrant>,
}

impl Child<'_> {
    pub(super) fn keep(&mut self, keep: impl Fn(DeclaredScope<'_>, Operation) -> bool) {
        for scope in self.policy.declaration().scopes() {
            self.mask.keep(scope, |operation| keep(scope, operation));
        }
    }

    fn restrict_scopes(&mut self, restriction: &Restriction) {
        if let Some(wanted) = &restriction.scopes {
            let declaration = self.policy.declaration();
            let wanted_rows: std::collections::HashMap<usize, OperationSet> = wanted
                .iter()
                .filter_map(|scope| Some((declaration.find(scope.target())?, scope.operations())))
                .collect();
            self.keep(|scope, operation| {
                wanted_rows
                    .get(&scope.origin().index)
                    .is_some_and(|operations| operations.contains(operation))
            });
            self.own_agents = std::mem::take(&mut self.own_agents)
                .into_iter()
                .filter_map(|(agent, operations)| {
                    let target = Target::ChildAgent(agent.clone());
                    let scope = wanted.iter().find(|scope| *scope.target() == target)?;
                    Some((agent, operations.intersection(scope.operations())?))
                })
                .collect();
        }
        if let Some(wanted) = &restriction.filesystem {
            self.keep(|scope, operation| {
                let Target::Filesystem(target) = scope.target() else {
                    return true;
                };
                let counts = FilesystemGrant::of(operation);
                wanted.get(target.binding.as_str()).is_some_and(|grant| {
                    (counts.read && grant.read) || (counts.write && grant.write)
                })
            });
        }
        if restriction.network_enabled == Some(false) {
            self.keep(|scope, _| scope.operations().kind() != Kind::Network);
        }
        let root = &self.policy.0.root;
        if root.has_revoked_operations() {
            self.keep(|scope, operation| !root.is_revoked(scope, operation));
        }
    }

    /// Keeps the wanted tools. A server's tool whose last id goes loses its `call`; one that no id
    /// was ever bound to is untouched.
    fn restrict_tools(&mut self, wanted: &[Id<'static>]) {
        let before = self.bound_tools();
        self.tools.retain(|grant| wanted.contains(&grant.id));
        let after = self.bound_tools();
        let lost: HashSet<_> = before.difference(&after).cloned().collect();
        self.keep(|scope, operation| {
            operation != mcp_tool::Call.into()
                || tool_of(scope).is_none_or(|tool| !lost.contains(&tool))
        });
    }

    fn bound_tools(&self) -> HashSet<(String, String)> {
        let bound = self.tools.iter().filter_map(|grant| match &grant.binding {
            ToolBinding::Native => None,
            ToolBinding::Mcp(binding) => {
                Some((binding.server.to_string(), binding.tool.to_string()))
            }
        });
        bound.collect()
    }

    /// A server without a credential grant or without a scope leaves with its scopes, credential
    /// and tools; a tool leaves with its `call`.
    pub(super) fn drop_what_falls(&mut self) {
        let granted: HashSet<String> = self.servers_with_credentials();
        self.keep(|scope, _| server_of(scope).is_none_or(|server| granted.contains(&server)));
        let mut scoped = HashSet::new();
        let mut callable = HashSet::new();
        for scope in self.policy.declaration().scopes() {
            let Some(held) = self.mask.held(scope) else {
                continue;
            };
            scoped.extend(server_of(scope));
            if held.contains(mcp_tool::Call.into()) {
                callable.extend(tool_of(scope));
            }
        }
        self.credentials.retain(|grant| match &grant.target {
            CredentialTarget::Provider(_) => true,
            CredentialTarget::McpServer(server) => scoped.contains(server.as_str()),
        });
        self.tools.retain(|grant| match &grant.binding {
            ToolBinding::Native => true,
            ToolBinding::Mcp(binding) => {
                callable.contains(&(binding.server.to_string(), binding.tool.to_string()))
            }
        });
    }

    fn servers_with_credentials(&self) -> HashSet<String> {
        let servers = self
            .credentials
            .iter()
            .filter_map(|grant| match &grant.target {
                CredentialTarget::Provider(_) => None,
                CredentialTarget::McpServer(server) => Some(server.to_string()),
            });
        servers.collect()
    }
}

fn server_of(scope: DeclaredScope<'_>) -> Option<String> {
    match scope.target() {
        Target::Mcp(target) => Some(target.server.to_string()),
        _ => None,
    }
}

fn tool_of(scope: DeclaredScope<'_>) -> Option<(String, String)> {
    match scope.target() {
        Target::Mcp(McpTarget {
            server,
            tool: Some(tool),
        }) => Some((server.to_string(), tool.to_string())),
        _ => None,
    }
}
