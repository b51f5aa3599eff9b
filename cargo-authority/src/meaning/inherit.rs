//! What a body holds of what can be inherited.

use std::collections::{BTreeMap, BTreeSet};

use authority_core::vocabulary::{ExecutionMode, operations::mcp_tool};
use authority_core::{CredentialTarget, Id, Settings, Target};

use crate::meaning::{Meaning, ToolMeaning};

/// Bindings, mode and numbers, whether they are named or inherited.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) credentials: BTreeMap<CredentialTarget<'static>, Option<Id<'static>>>,
    pub(super) tools: BTreeMap<String, ToolMeaning>,
    pub(super) environment: BTreeSet<String>,
    pub(super) execution: ExecutionMode,
    pub(super) settings: Settings,
}

impl Held {
    /// What a body holds under a parent, or without one.
    pub(super) fn of(body: &Meaning, parent: Option<&Held>) -> Self {
        let inherited = parent.map(|parent| parent.fallen(body));
        let inherited = inherited.unwrap_or_else(|| Held {
            credentials: BTreeMap::new(),
            tools: BTreeMap::new(),
            environment: BTreeSet::new(),
            execution: ExecutionMode::Sandboxed,
            settings: Settings::UNBOUNDED,
        });
        Held {
            credentials: body.credentials.clone().unwrap_or(inherited.credentials),
            tools: body.tools.clone().unwrap_or(inherited.tools),
            environment: body.environment.clone().unwrap_or(inherited.environment),
            execution: body.execution.unwrap_or(inherited.execution),
            settings: inherited.settings.tighter(&body.settings),
        }
    }

    /// What a child can inherit: what belongs to a server without a target there falls away.
    fn fallen(&self, child: &Meaning) -> Self {
        let mut held = self.clone();
        held.credentials.retain(|target, _| match target {
            CredentialTarget::Provider(_) => true,
            CredentialTarget::McpServer(server) => child.scopes.iter().any(
                |scope| matches!(&scope.target, Target::Mcp(target) if target.server == *server),
            ),
        });
        held.tools.retain(|_, binding| match binding {
            None => true,
            Some((server, tool)) => child.scopes.iter().any(|scope| {
                let is_tool = matches!(
                    &scope.target,
                    Target::Mcp(target) if target.server.as_str() == server
                        && target.tool.as_ref().is_some_and(|name| name.as_str() == tool)
                );
                is_tool && scope.operations.contains(mcp_tool::Call.into())
            }),
        });
        held
    }
}
