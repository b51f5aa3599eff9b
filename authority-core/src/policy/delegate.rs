//! A child as its declared ceiling makes it.

use std::sync::Arc;

use crate::child_ceiling::ChildCeiling;
use crate::declaration::{Declaration, DeclaredScope};
use crate::digest::Digest;
use crate::id::Id;
use crate::operation_set::OperationSet;
use crate::policy::intersect::Child;
use crate::policy::{Block, Holdings, PolicyIntersectionError, PreparedChild, ThreadPolicy};
use crate::target::{ChildAgentTarget, Target};
use crate::vocabulary::{ExecutionMode, Operation, Setting, operations::child_agent};

impl ThreadPolicy {
    /// Makes a child with a declared ceiling. What the block names must be within this policy as it
    /// is now; what it inherits is taken from this policy as it is now.
    ///
    /// # Errors
    ///
    /// `CeilingNotDeclared` for a ceiling that is not declared for an agent that this thread may
    /// delegate to, `CeilingExceeded` for one that names what this thread does not hold,
    /// `IdentityMismatch` for a thread id that was used before, `LimitExceeded`, `Closed`.
    pub fn delegate(
        &self,
        ceiling: &ChildCeiling,
        thread_id: &str,
    ) -> Result<PreparedChild, PolicyIntersectionError> {
        if !self.is_open() {
            return Err(PolicyIntersectionError::Closed);
        }
        let agent = self
            .agent_of(ceiling)
            .ok_or(PolicyIntersectionError::CeilingNotDeclared)?;
        let holdings = self.within(ceiling.declaration())?;
        self.prepare(
            agent,
            thread_id,
            holdings,
            Block::Child(Arc::new(ceiling.clone())),
        )
    }

    /// The agent that the ceiling is declared for, if this thread holds `delegate` on it.
    fn agent_of(&self, ceiling: &ChildCeiling) -> Option<Id<'static>> {
        let own = match &self.0.block {
            Block::Root => None,
            Block::Child(block) => Some(block.declaration()),
        };
        let declarers = [Some(self.declaration()), own];
        declarers
            .into_iter()
            .flatten()
            .find_map(|declarer| {
                let digest = declarer.ceiling_sha256();
                let same = |other: &ChildCeiling| {
                    other.declaration_sha256() == ceiling.declaration_sha256()
                };
                let mut declared = declarer.children().filter(|(_, other)| same(other));
                declared.find(|(agent, _)| {
                    self.agent_operations(agent, digest)
                        .is_some_and(|held| held.contains(child_agent::Delegate.into()))
                })
            })
            .map(|(agent, _)| agent.into_owned())
    }

    /// The operations that this thread holds on an agent under a declarer's ceiling.
    fn agent_operations(
        &self,
        agent: &Id<'_>,
        parent_ceiling_sha256: Digest,
    ) -> Option<OperationSet> {
        let target = ChildAgentTarget {
            agent: agent.clone(),
            parent_ceiling_sha256,
        };
        let own = self
            .0
            .holdings
            .own_agents
            .iter()
            .find(|(own, _)| *own == target)
            .map(|(_, operations)| *operations);
        own.or_else(|| self.held(self.scope_of(&Target::ChildAgent(target))?))
    }

    fn scope_of(&self, target: &Target<'_>) -> Option<DeclaredScope<'_>> {
        let declaration = self.declaration();
        declaration.scope(declaration.find(target)?)
    }

    /// What the child holds, if everything that the block names is held here.
    fn within(&self, block: &Declaration) -> Result<Holdings, PolicyIntersectionError> {
        let exceeded = |what: String| PolicyIntersectionError::CeilingExceeded { what };
        let mut granted: std::collections::HashMap<usize, OperationSet> =
            std::collections::HashMap::new();
        let mut own_agents = Vec::new();
        for scope in block.scopes() {
            let target = scope.target();
            if let Target::ChildAgent(agent) = &target {
                let held = self.agent_operations(&agent.agent, agent.parent_ceiling_sha256);
                let is_new = agent.parent_ceiling_sha256 == block.ceiling_sha256()
                    && block.child(agent.agent.as_str()).is_some();
                let fits = match held {
                    // A target that this thread holds is handed on, never declared anew.
                    Some(held) => !is_new && scope.operations().is_subset(held),
                    None => is_new,
                };
                if !fits {
                    return Err(exceeded(scope.to_string()));
                }
                match self.scope_of(&target) {
                    Some(found) if held.is_some() => {
                        granted.insert(found.origin().index, scope.operations());
                    }
                    _ => {
                        if let Target::ChildAgent(agent) = target.into_owned() {
                            own_agents.push((agent, scope.operations()));
                        }
                    }
                }
                continue;
            }
            let found = self.scope_of(&target);
            let held = found.and_then(|found| Some((found, self.held(found)?)));
            match held {
                Some((found, held)) if scope.operations().is_subset(held) => {
                    granted.insert(found.origin().index, scope.operations());
                }
                _ => return Err(exceeded(scope.to_string())),
            }
        }
        self.check_bindings_within(block)?;
        let held = &self.0.holdings;
        let mut child = Child {
            policy: self,
            mask: held.mask.narrow(self.declaration().derived().slots()),
            own_agents,
            credentials: match block.credentials() {
                Some(named) => named.cloned().collect(),
                None => self.credentials().cloned().collect(),
            },
            tools: match block.tools() {
                Some(named) => named.cloned().collect(),
                None => self.tools().cloned().collect(),
            },
        };
        child.keep(|scope, operation: Operation| {
            granted
                .get(&scope.origin().index)
                .is_some_and(|operations| operations.contains(operation))
        });
        child.drop_what_falls();
        let environment = match block.environment() {
            Some(named) => named.cloned().collect(),
            None => self.environment().cloned().collect(),
        };
        Ok(Holdings {
            mask: child.mask.finish(&held.mask),
            own_agents: child.own_agents.into(),
            credentials: child.credentials.into_iter().collect(),
            tools: child.tools.into_iter().collect(),
            environment,
            execution_mode: block.execution_mode().unwrap_or(held.execution_mode),
            settings: held.settings.tighter(block.settings()),
            not_held: Vec::new(),
            route: held.route.clone().filter(|route| {
                let target = crate::CredentialTarget::Provider(route.provider_id.clone());
                self.credential(&target).is_some()
            }),
        })
    }

    /// Bindings, mode and numbers that the block names.
    fn check_bindings_within(&self, block: &Declaration) -> Result<(), PolicyIntersectionError> {
        let exceeded = |what: String| Err(PolicyIntersectionError::CeilingExceeded { what });
        for grant in block.credentials().into_iter().flatten() {
            if self.credential(&grant.target) != Some(grant) {
                return exceeded(format!(
                    "credential {} \"{}\"",
                    grant.target.kind_name(),
                    grant.target.id()
                ));
            }
        }
        for grant in block.tools().into_iter().flatten() {
            if self.tool(grant.id.as_str()) != Some(grant) {
                return exceeded(format!("tool \"{}\"", grant.id));
            }
        }
        for id in block.environment().into_iter().flatten() {
            if !self.environment().any(|held| held == id) {
                return exceeded(format!("environment \"{id}\""));
            }
        }
        let held = &self.0.holdings;
        if block
            .execution_mode()
            .is_some_and(|mode: ExecutionMode| mode < held.execution_mode)
        {
            return exceeded(format!(
                "execution {}",
                block.execution_mode().unwrap_or(held.execution_mode)
            ));
        }
        for setting in Setting::ALL {
            let above = block
                .settings()
                .value(*setting)
                .zip(held.settings.value(*setting));
            if above.is_some_and(|(named, held)| named > held) {
                return exceeded(setting.name().to_owned());
            }
        }
        Ok(())
    }
}
