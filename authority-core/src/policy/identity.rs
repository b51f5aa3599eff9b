//! Who a thread is.

use crate::id::Id;
use crate::rule::TextError;

/// Who a thread is: owner, workspace and run are the root's for ever, and the agent path grows by
/// the child's agent.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct ThreadIdentity {
    pub(crate) owner_id: Id<'static>,
    pub(crate) workspace_id: Id<'static>,
    pub(crate) root_run_id: Id<'static>,
    pub(crate) thread_id: Id<'static>,
    pub(crate) agent_path: Vec<Id<'static>>,
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
            owner_id: Id::parse(owner)?.into_owned(),
            workspace_id: Id::parse(workspace)?.into_owned(),
            root_run_id: run.clone(),
            thread_id: run,
            agent_path: Vec::new(),
        })
    }

    /// Whose authority it is.
    pub fn owner_id(&self) -> &Id<'static> {
        &self.owner_id
    }

    /// The workspace that the root works in.
    pub fn workspace_id(&self) -> &Id<'static> {
        &self.workspace_id
    }

    /// The run of the root: the only approval lane.
    pub fn root_run_id(&self) -> &Id<'static> {
        &self.root_run_id
    }

    /// The thread.
    pub fn thread_id(&self) -> &Id<'static> {
        &self.thread_id
    }

    /// The agents from the root's child down to this thread's; empty for the root.
    pub fn agent_path(&self) -> &[Id<'static>] {
        &self.agent_path
    }

    pub(crate) fn child(&self, agent: Id<'static>, thread_id: Id<'static>) -> Self {
        let mut child = ThreadIdentity {
            thread_id,
            ..self.clone()
        };
        child.agent_path.push(agent);
        child
    }
}
