//! Scopes that a child is to keep, looked up once.

use std::fmt;
use std::sync::{Arc, Weak};

use crate::operation_set::OperationSet;
use crate::policy::ThreadPolicy;
use crate::policy::mask::{Mask, Runs};
use crate::policy::resolved::ResolvedTarget;
use crate::policy::root::Root;
use crate::scope::Scope;
use crate::target::{ChildAgentTarget, Target};

/// Scopes that children of one root are to keep, looked up once: what the member `scopes` of a
/// restriction says, ready to be applied to any policy of the root, any number of times.
///
/// It is made by [`ThreadPolicy::select`] and [`ThreadPolicy::select_resolved`], and holds no
/// authority: [`ThreadPolicy::intersect_selected`] keeps of it what the policy holds.
pub struct Selection {
    pub(super) root: Weak<Root>,
    pub(super) scopes: Mask,
    /// Agents that are not in the root's table.
    pub(super) agents: Vec<(ChildAgentTarget<'static>, OperationSet)>,
}

impl ThreadPolicy {
    /// Selects these scopes. What the root does not declare is left out.
    pub fn select<'a>(&self, scopes: impl IntoIterator<Item = &'a Scope<'a>>) -> Selection {
        let declaration = self.declaration();
        let mut runs = Runs::NONE;
        let mut agents = Vec::new();
        for scope in scopes {
            let row = declaration.find(scope.target());
            match (row.and_then(|row| declaration.scope(row)), scope.target()) {
                (Some(declared), _) => runs.push_scope(declared, scope.operations()),
                (None, Target::ChildAgent(agent)) => {
                    agents.push((agent.clone().into_owned(), scope.operations()));
                }
                (None, _) => {}
            }
        }
        self.selection(runs, agents)
    }

    /// Selects operations on targets that were resolved before. A target of another root, and one
    /// that is only in a whole binding, is left out.
    pub fn select_resolved<'a>(
        &self,
        targets: impl IntoIterator<Item = (&'a ResolvedTarget, OperationSet)>,
    ) -> Selection {
        let mut runs = Runs::NONE;
        for (target, operations) in targets {
            if target.is_of(&self.0.root) {
                target.push_exact(operations, &mut runs);
            }
        }
        self.selection(runs, Vec::new())
    }

    fn selection(
        &self,
        runs: Runs,
        agents: Vec<(ChildAgentTarget<'static>, OperationSet)>,
    ) -> Selection {
        Selection {
            root: Arc::downgrade(&self.0.root),
            scopes: Mask::of(runs, self.declaration().derived().slots()),
            agents,
        }
    }
}

impl Selection {
    /// The operations on one of the thread's own agents that are selected.
    pub(super) fn of_agent(&self, wanted: &Target<'_>) -> u64 {
        let Target::ChildAgent(wanted) = wanted else {
            return 0;
        };
        let selected = self.agents.iter().filter(|(agent, _)| agent == wanted);
        selected.fold(0, |word, (_, operations)| word | operations.word())
    }
}

/// Nothing of what is selected.
impl fmt::Debug for Selection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Selection").finish_non_exhaustive()
    }
}
