//! What a thread holds, and how it is looked at.

use std::sync::Arc;

use crate::artifact::ModelRoute;
use crate::credential::{CredentialGrant, CredentialTarget};
use crate::decision::Decision;
use crate::declaration::table::Table;
use crate::declaration::{Declaration, DeclaredScope};
use crate::id::Id;
use crate::operation_set::OperationSet;
use crate::permissions::ThreadPermissions;
use crate::policy::ThreadPolicy;
use crate::policy::mask::Mask;
use crate::request::Request;
use crate::scope::Scope;
use crate::settings::Settings;
use crate::target::{McpTarget, Target};
use crate::tool::{McpToolBinding, ToolBinding, ToolGrant};
use crate::vocabulary::{DenyReason, ExecutionMode, operations::mcp_tool};

/// What a thread holds. What it has in common with its parent is shared.
#[derive(Clone)]
pub(super) struct Holdings {
    /// Operations of the root's scopes.
    pub(super) scopes: Mask,
    /// Agents that the thread's own block declares, by their entry there: no one above holds them.
    pub(super) own_agents: Option<Arc<[(usize, OperationSet)]>>,
    pub(super) bindings: Arc<Bindings>,
    pub(super) execution_mode: ExecutionMode,
    pub(super) settings: Arc<Settings>,
    pub(super) route: Option<Arc<ModelRoute>>,
    /// What the thread's restriction asked for and its parent did not hold, for people: where the
    /// restriction has it, and what it is.
    pub(super) not_held: Box<[(String, String)]>,
}

/// Which of the root's credentials, tools and environment entries a thread was given. A server's
/// credential and tools fall with what is left of its scopes: that is found out when they are
/// looked at.
#[derive(Clone)]
pub(super) struct Bindings {
    pub(super) credentials: Mask,
    pub(super) tools: Mask,
    pub(super) environment: Mask,
}

/// As of when holdings are looked at.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum As {
    /// As the thread was given them.
    Made,
    /// Without what was revoked since.
    Now,
}

impl Holdings {
    pub(super) fn of_root(permissions: &ThreadPermissions, route: Option<ModelRoute>) -> Self {
        let route = route.filter(|route| {
            let target = CredentialTarget::Provider(route.provider_id.clone());
            permissions
                .credentials()
                .any(|grant| grant.target == target)
        });
        Holdings {
            scopes: Mask::All,
            own_agents: None,
            bindings: Arc::new(Bindings {
                credentials: Mask::All,
                tools: Mask::All,
                environment: Mask::All,
            }),
            execution_mode: permissions.execution_mode(),
            settings: Arc::new(permissions.declaration().settings),
            route: route.map(Arc::new),
            not_held: Box::default(),
        }
    }
}

impl ThreadPolicy {
    /// The scopes that the thread holds now, in the order of the root's declaration; then those of
    /// its own children.
    pub fn scopes(&self) -> Vec<Scope<'_>> {
        self.scopes_as(As::Now)
    }

    pub(super) fn scopes_as(&self, time: As) -> Vec<Scope<'_>> {
        let held = self
            .declaration()
            .scopes()
            .filter_map(|scope| Some(Scope::trusted(scope.target(), self.held(scope, time)?)));
        held.chain(self.own_agents_as(time)).collect()
    }

    fn own_agents_as(&self, time: As) -> impl Iterator<Item = Scope<'_>> {
        let own = self.0.holdings.own_agents.iter();
        own.flat_map(|own| own.iter())
            .filter_map(move |(row, operations)| {
                let target = self.block().scope(*row)?.target();
                let held = match (&target, time) {
                    (Target::ChildAgent(agent), As::Now) => {
                        let revoked = self.0.root.revoked_of_agent(agent);
                        OperationSet::from_word(operations.word() & !revoked)?
                    }
                    _ => *operations,
                };
                Some(Scope::trusted(target, held))
            })
    }

    /// The operations of a scope that the thread holds.
    pub(super) fn held(&self, scope: DeclaredScope<'_>, time: As) -> Option<OperationSet> {
        let held = self.0.holdings.scopes.held(scope)?;
        match time {
            As::Made => Some(held),
            As::Now => {
                let revoked = self.0.root.revoked_of(scope.origin().index);
                OperationSet::from_word(held.word() & !revoked)
            }
        }
    }

    /// The credentials that the thread holds, sorted by target.
    pub fn credentials(&self) -> impl Iterator<Item = &CredentialGrant> {
        self.credentials_as(As::Now)
    }

    pub(super) fn credentials_as(&self, time: As) -> impl Iterator<Item = &CredentialGrant> {
        let table = credentials(self.declaration());
        given(table, &self.0.holdings.bindings.credentials)
            .filter(move |grant| self.keeps_credential(grant, time))
    }

    /// The binding that is used for a credential target, if the thread holds one.
    pub fn credential(&self, target: &CredentialTarget<'_>) -> Option<&CredentialGrant> {
        let table = credentials(self.declaration());
        let index = table.search(|grant| grant.target.cmp(target))?;
        let grant = table.at(index)?;
        let is_given = self.0.holdings.bindings.credentials.has(index);
        (is_given && self.keeps_credential(grant, As::Now)).then_some(grant)
    }

    /// The server's credential, if the thread was not given it or it was revoked.
    pub(super) fn credential_not_given(
        &self,
        server: &Id<'_>,
    ) -> Option<CredentialTarget<'static>> {
        let target = CredentialTarget::McpServer(server.clone().into_owned());
        let table = credentials(self.declaration());
        let index = table.search(|grant| grant.target.cmp(&target))?;
        let is_given = self.0.holdings.bindings.credentials.has(index)
            && !self.0.root.is_credential_revoked(table.at(index)?);
        (!is_given).then_some(target)
    }

    /// A server's credential falls with its last scope.
    fn keeps_credential(&self, grant: &CredentialGrant, time: As) -> bool {
        if time == As::Now && self.0.root.is_credential_revoked(grant) {
            return false;
        }
        match &grant.target {
            CredentialTarget::Provider(_) => true,
            CredentialTarget::McpServer(server) => self
                .0
                .root
                .groups()
                .of_server(self.declaration(), server.as_str())
                .any(|scope| self.held(scope, time).is_some()),
        }
    }

    /// The tools that the thread holds, sorted by id.
    pub fn tools(&self) -> impl Iterator<Item = &ToolGrant> {
        self.tools_as(As::Now)
    }

    pub(super) fn tools_as(&self, time: As) -> impl Iterator<Item = &ToolGrant> {
        given(tools(self.declaration()), &self.0.holdings.bindings.tools)
            .filter(move |grant| self.keeps_tool(grant, time))
    }

    /// What a tool id stands for.
    ///
    /// # Errors
    ///
    /// Why the thread may not use it, as [`decide`](Self::decide) says it of the tool's call.
    pub fn tool(&self, id: &str) -> Result<&ToolGrant, DenyReason> {
        if !self.is_open() {
            return Err(DenyReason::PolicyClosed);
        }
        let table = tools(self.declaration());
        let declared = table.search(|grant| grant.id.as_str().cmp(id));
        let declared = declared.and_then(|index| Some((index, table.at(index)?)));
        let (index, grant) = declared.ok_or(DenyReason::TargetNotDeclared)?;
        if !self.0.holdings.bindings.tools.has(index) {
            return Err(DenyReason::Narrowed);
        }
        if self.0.root.is_tool_revoked(&grant.id) {
            return Err(DenyReason::Revoked);
        }
        let ToolBinding::Mcp(binding) = &grant.binding else {
            return Ok(grant);
        };
        match self.decide(&Request::tool(binding)) {
            Decision::Allow(_) => Ok(grant),
            Decision::Deny(reason) => Err(reason),
        }
    }

    /// A tool of a server falls with its `call`.
    fn keeps_tool(&self, grant: &ToolGrant, time: As) -> bool {
        if time == As::Now && self.0.root.is_tool_revoked(&grant.id) {
            return false;
        }
        match &grant.binding {
            ToolBinding::Native => true,
            ToolBinding::Mcp(binding) => scope_of_tool(self.declaration(), binding)
                .and_then(|scope| self.held(scope, time))
                .is_some_and(|held| held.contains(mcp_tool::Call.into())),
        }
    }

    /// Ids of the environment entries that processes of the thread get, sorted.
    pub fn environment(&self) -> impl Iterator<Item = &Id<'static>> {
        self.environment_as(As::Now)
    }

    pub(super) fn environment_as(&self, time: As) -> impl Iterator<Item = &Id<'static>> {
        let table = environment(self.declaration());
        given(table, &self.0.holdings.bindings.environment)
            .filter(move |id| time == As::Made || !self.0.root.is_environment_revoked(id))
    }

    pub(super) fn holds_environment(&self, id: &Id<'_>) -> bool {
        let table = environment(self.declaration());
        let index = table.search(|own| own.cmp(id));
        index.is_some_and(|index| self.0.holdings.bindings.environment.has(index))
            && !self.0.root.is_environment_revoked(id)
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
        self.0.holdings.route.as_deref()
    }
}

/// The rows of a table that a mask has.
fn given<'a, T>(table: &'a Table<T>, mask: &'a Mask) -> impl Iterator<Item = &'a T> {
    (0..table.len())
        .filter(|index| mask.has(*index))
        .filter_map(|index| table.at(index))
}

/// A root names all its collections; what it does not name it does not hold.
pub(super) fn credentials(root: &Declaration) -> &Table<CredentialGrant> {
    root.credentials.as_ref().unwrap_or(const { &Table::EMPTY })
}

pub(super) fn tools(root: &Declaration) -> &Table<ToolGrant> {
    root.tools.as_ref().unwrap_or(const { &Table::EMPTY })
}

pub(super) fn environment(root: &Declaration) -> &Table<Id<'static>> {
    root.environment.as_ref().unwrap_or(const { &Table::EMPTY })
}

/// The scope of the server's tool that a tool id is bound to.
pub(super) fn scope_of_tool<'a>(
    root: &'a Declaration,
    binding: &McpToolBinding<'_>,
) -> Option<DeclaredScope<'a>> {
    let target = Target::Mcp(McpTarget {
        server: binding.server.clone(),
        tool: Some(binding.tool.clone()),
    });
    root.scope(root.find(&target)?)
}
