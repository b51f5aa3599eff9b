//! A child as its declared ceiling makes it.

use std::sync::Arc;

use crate::child_ceiling::ChildCeiling;
use crate::declaration::{Declaration, DeclaredScope};
use crate::digest::Digest;
use crate::id::Id;
use crate::operation_set::OperationSet;
use crate::policy::holdings::{As, Bindings, Holdings};
use crate::policy::intersect::{Fall, tighter};
use crate::policy::mask::{Mask, Runs};
use crate::policy::{PolicyIntersectionError, PreparedChild, ThreadPolicy};
use crate::settings::Settings;
use crate::target::{ChildAgentTarget, Target};
use crate::vocabulary::{ExecutionMode, Setting, operations::child_agent};

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
        self.prepare(agent, thread_id, holdings, Some(Arc::new(ceiling.clone())))
    }

    /// The agent that the ceiling is declared for, if this thread holds `delegate` on it.
    fn agent_of(&self, ceiling: &ChildCeiling) -> Option<Id<'static>> {
        let own = self.0.block.as_ref().map(|block| block.declaration());
        [Some(self.declaration()), own]
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
        OperationSet::from_word(self.held_on(&Target::ChildAgent(target)))
    }

    /// The operations that this thread holds on exactly this target now, as a word.
    pub(super) fn held_on(&self, target: &Target<'_>) -> u64 {
        if let Some(scope) = self.scope_of(target) {
            return self.held(scope, As::Now).map_or(0, OperationSet::word);
        }
        let Target::ChildAgent(agent) = target else {
            return 0;
        };
        self.own_agent(agent).map_or(0, |(_, operations)| {
            operations.word() & !self.0.root.revoked_of_agent(agent)
        })
    }

    fn scope_of(&self, target: &Target<'_>) -> Option<DeclaredScope<'_>> {
        let declaration = self.declaration();
        declaration.scope(declaration.find(target)?)
    }

    /// What the child holds, if everything that the block names is held here.
    fn within(&self, block: &Declaration) -> Result<Holdings, PolicyIntersectionError> {
        let mut granted = Runs::NONE;
        let mut own_agents = Vec::new();
        for scope in block.scopes() {
            let target = scope.target();
            let held = self.held_on(&target);
            let is_new = declares_anew(block, &target);
            // A target that this thread holds is handed on, never declared anew.
            let fits = if held == 0 {
                is_new
            } else {
                !is_new && scope.operations().word() & !held == 0
            };
            if !fits {
                return Err(PolicyIntersectionError::CeilingExceeded {
                    what: scope.to_string(),
                });
            }
            match self.scope_of(&target) {
                Some(found) if !is_new => granted.push_scope(found, scope.operations()),
                _ => own_agents.push((scope.origin().index, scope.operations())),
            }
        }
        self.check_bindings_within(block)?;
        let held = &self.0.holdings;
        let settings = tighter(&held.settings, block.settings());
        let bindings = self.bindings_within(block, &settings);
        let lost = self.lost(&bindings, Fall::Nothing);
        let granted = Mask::of(granted, self.slots());
        let granted = granted.and(self.slots(), |index| held.scopes.word(index));
        let root = self.declaration();
        Ok(Holdings {
            scopes: self.cleared(granted, &settings, lost),
            own_agents: (!own_agents.is_empty()).then(|| own_agents.into()),
            execution_mode: block.execution_mode().unwrap_or(held.execution_mode),
            settings,
            not_held: Box::default(),
            route: held
                .route
                .clone()
                .filter(|route| bindings.has_provider(root, &route.provider_id)),
            bindings,
        })
    }

    /// Naming one replaces the inherited collection, not naming any inherits it.
    fn bindings_within(&self, block: &Declaration, settings: &Settings) -> Arc<Bindings> {
        let root = self.declaration();
        let mut bindings = Bindings::clone(&self.0.holdings.bindings);
        if let Some(named) = block.credentials() {
            bindings.keep_credentials(root, named);
        }
        if let Some(named) = block.tools() {
            bindings.keep_tools(root, named.map(|grant| &grant.id));
        }
        if settings.limits.max_concurrent_tools == Some(0) {
            bindings.keep_tools(root, []);
        }
        if let Some(named) = block.environment() {
            bindings.keep_environment(root, named);
        }
        if self.0.root.has_revoked_bindings() {
            self.drop_revoked_bindings(&mut bindings);
        }
        Arc::new(bindings)
    }

    /// Bindings, mode and numbers that the block names.
    fn check_bindings_within(&self, block: &Declaration) -> Result<(), PolicyIntersectionError> {
        let exceeded = |what: String| Err(PolicyIntersectionError::CeilingExceeded { what });
        for grant in block.credentials().into_iter().flatten() {
            if self.credential(&grant.target) != Some(grant) {
                return exceeded(grant.to_string());
            }
        }
        for grant in block.tools().into_iter().flatten() {
            if self.tool(grant.id.as_str()) != Ok(grant) {
                return exceeded(format!("tool \"{}\"", grant.id));
            }
        }
        for id in block.environment().into_iter().flatten() {
            if !self.holds_environment(id) {
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

/// Whether the block declares this agent itself: a target with the block's own digest, and a block
/// for it.
fn declares_anew(block: &Declaration, target: &Target<'_>) -> bool {
    let Target::ChildAgent(agent) = target else {
        return false;
    };
    agent.parent_ceiling_sha256 == block.ceiling_sha256()
        && block.child(agent.agent.as_str()).is_some()
}
