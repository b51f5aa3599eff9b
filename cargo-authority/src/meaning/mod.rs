//! What a declaration means: all that two states of it are compared by, and nothing else.

mod compare;
mod inherit;
mod locked;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use authority_core::vocabulary::ExecutionMode;
use authority_core::{
    CredentialTarget, Declaration, DeclaredScope, Id, OperationSet, Settings, Target,
};

pub(crate) use compare::{Change, Subject, What, compare, losses, new};
pub(crate) use locked::{Lock, Locked};

/// One body of a declaration, a root's or a child's. What is `None` is inherited.
#[derive(Clone, Debug)]
pub(crate) struct Meaning {
    /// All but those of agents, in source order.
    pub(crate) scopes: Vec<ScopeMeaning>,
    /// The operations on each agent. Its target carries a digest that says nothing more.
    pub(crate) agents: BTreeMap<String, OperationSet>,
    pub(crate) credentials: Option<BTreeMap<CredentialTarget<'static>, Option<Id<'static>>>>,
    /// Each tool with what it is bound to.
    pub(crate) tools: Option<BTreeMap<String, ToolMeaning>>,
    pub(crate) environment: Option<BTreeSet<String>>,
    pub(crate) execution: Option<ExecutionMode>,
    pub(crate) settings: Settings,
    pub(crate) children: BTreeMap<String, Meaning>,
}

/// A target with its operations.
#[derive(Clone, Debug)]
pub(crate) struct ScopeMeaning {
    pub(crate) target: Target<'static>,
    pub(crate) operations: OperationSet,
    /// The target as the DSL writes it.
    pub(crate) text: String,
    /// The entry's index in its body, where it was declared.
    pub(crate) index: usize,
}

/// What a tool id stands for: `None` is a native tool, else a server and its tool.
pub(crate) type ToolMeaning = Option<(String, String)>;

impl Meaning {
    /// What a checked body means.
    pub(crate) fn of(body: &Declaration) -> Self {
        let mut scopes = Vec::new();
        let mut agents = BTreeMap::new();
        for scope in body.scopes() {
            match scope.target() {
                Target::ChildAgent(target) => {
                    agents.insert(target.agent.to_string(), scope.operations());
                }
                _ => scopes.push(ScopeMeaning::of(scope)),
            }
        }
        let tool = |binding: &authority_core::ToolBinding<'_>| match binding {
            authority_core::ToolBinding::Native => None,
            authority_core::ToolBinding::Mcp(binding) => {
                Some((binding.server.to_string(), binding.tool.to_string()))
            }
        };
        Meaning {
            scopes,
            agents,
            credentials: body.credentials().map(|grants| {
                grants
                    .map(|grant| (grant.target.clone(), grant.binding.clone()))
                    .collect()
            }),
            tools: body.tools().map(|grants| {
                grants
                    .map(|grant| (grant.id.to_string(), tool(&grant.binding)))
                    .collect()
            }),
            environment: body
                .environment()
                .map(|ids| ids.map(ToString::to_string).collect()),
            execution: body.execution_mode(),
            settings: *body.settings(),
            children: body
                .children()
                .map(|(agent, ceiling)| (agent.to_string(), Meaning::of(ceiling.declaration())))
                .collect(),
        }
    }

    /// What a root means that holds nothing but the numbers and the mode of this one.
    pub(crate) fn nothing(&self) -> Self {
        Meaning {
            scopes: Vec::new(),
            agents: BTreeMap::new(),
            credentials: Some(BTreeMap::new()),
            tools: Some(BTreeMap::new()),
            environment: Some(BTreeSet::new()),
            execution: self.execution,
            settings: self.settings,
            children: BTreeMap::new(),
        }
    }
}

impl ScopeMeaning {
    fn of(scope: DeclaredScope<'_>) -> Self {
        let text = scope.to_string();
        let text = text
            .rsplit_once(" => ")
            .map_or(text.as_str(), |(target, _)| target);
        ScopeMeaning {
            target: scope.target().into_owned(),
            operations: scope.operations(),
            text: text.strip_suffix(" delegable").unwrap_or(text).to_owned(),
            index: scope.origin().index,
        }
    }
}
