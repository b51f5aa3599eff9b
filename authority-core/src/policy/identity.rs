//! Who a thread is.

use std::sync::Arc;

use crate::id::Id;
use crate::rule::TextError;

/// Who a thread is: owner, workspace and run are the root's for ever, and the agent path grows by
/// the child's agent.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct ThreadIdentity {
    root: Arc<RootIdentity>,
    thread_id: Id<'static>,
    agent_path: Arc<[Id<'static>]>,
}

#[derive(Debug, Eq, Hash, PartialEq)]
struct RootIdentity {
    owner: Id<'static>,
    workspace: Id<'static>,
    run: Id<'static>,
}

impl ThreadIdentity {
    /// The identity of a root. Its thread has the id of the run.
    ///
    /// # Errors
    ///
    /// When one of the texts is no id.
    pub fn root(owner: &str, workspace: &str, run: &str) -> Result<Self, TextError> {
        let run = Id::parse(run)?.into_owned();
        Ok(ThreadIdentity {
            root: Arc::new(RootIdentity {
                owner: Id::parse(owner)?.into_owned(),
                workspace: Id::parse(workspace)?.into_owned(),
                run: run.clone(),
            }),
            thread_id: run,
            agent_path: Arc::from([]),
        })
    }

    /// The identity that a record names.
    pub(crate) fn recorded(
        [owner, workspace, run, thread_id]: [Id<'static>; 4],
        agent_path: Vec<Id<'static>>,
    ) -> Self {
        ThreadIdentity {
            root: Arc::new(RootIdentity {
                owner,
                workspace,
                run,
            }),
            thread_id,
            agent_path: agent_path.into(),
        }
    }

    /// Whose authority it is.
    pub fn owner_id(&self) -> &Id<'static> {
        &self.root.owner
    }

    /// The workspace that the root works in.
    pub fn workspace_id(&self) -> &Id<'static> {
        &self.root.workspace
    }

    /// The run of the root: the only approval lane.
    pub fn root_run_id(&self) -> &Id<'static> {
        &self.root.run
    }

    /// The thread.
    pub fn thread_id(&self) -> &Id<'static> {
        &self.thread_id
    }

    /// The agents from the root's child down to this thread's; empty for the root.
    pub fn agent_path(&self) -> &[Id<'static>] {
        &self.agent_path
    }

    pub(super) fn child(&self, agent: Id<'static>, thread_id: Id<'static>) -> Self {
        let path = self.agent_path.iter().cloned();
        ThreadIdentity {
            root: Arc::clone(&self.root),
            thread_id,
            agent_path: path.chain([agent]).collect(),
        }
    }
}
