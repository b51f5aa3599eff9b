//! Who holds a grant.

use std::sync::Arc;

use crate::declaration::json::{Value, digest_of, object, text};
use crate::digest::Digest;
use crate::id::Id;
use crate::json::{DecodeError, DecodeRule, Reader, members};
use crate::policy::ThreadPolicy;

/// Who holds a grant: a thread of one owner and workspace with exactly these agents above it and
/// exactly these permissions, and either of one run or of any.
///
/// Holders are compared whole. Another workspace, declaration, agent or thread, also a child, is
/// another holder and has no grant.
///
/// ```
/// use authority_core::operations::filesystem;
/// use authority_core::{Holder, ThreadIdentity, ThreadPermissions, ThreadPolicy};
///
/// let permissions = ThreadPermissions::builder().filesystem("ws", [filesystem::Read]).build()?;
/// let holder = |run| {
///     let identity = ThreadIdentity::root("alice", "checkout", run)?;
///     let (_handle, root) = ThreadPolicy::for_root(identity, &permissions);
///     Ok::<_, authority_core::TextError>(Holder::of(&root))
/// };
/// let (one, other) = (holder("run-1")?, holder("run-2")?);
/// assert_ne!(one, other);
/// assert_eq!(one.in_any_run(), other.in_any_run());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Holder {
    who: Arc<Who>,
    thread: Option<RunThread>,
}

#[derive(Debug, Eq, Hash, PartialEq)]
struct Who {
    owner_id: Id<'static>,
    workspace_id: Id<'static>,
    agent_path: Vec<Id<'static>>,
    declaration_sha256: Digest,
    permissions_sha256: Digest,
}

/// A thread of one run.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
struct RunThread {
    root_run_id: Id<'static>,
    thread_id: Id<'static>,
}

impl Holder {
    /// This thread, in its run: the holder of grants for an operation or a session.
    pub fn of(policy: &ThreadPolicy) -> Self {
        let identity = policy.identity();
        Holder {
            who: Arc::new(Who {
                owner_id: identity.owner_id().clone(),
                workspace_id: identity.workspace_id().clone(),
                agent_path: identity.agent_path().to_vec(),
                declaration_sha256: policy.declaration_sha256(),
                permissions_sha256: policy.permissions_sha256(),
            }),
            thread: Some(RunThread {
                root_run_id: identity.root_run_id().clone(),
                thread_id: identity.thread_id().clone(),
            }),
        }
    }

    /// The same without run and thread: the holder of grants that outlive a run.
    #[must_use]
    pub fn in_any_run(&self) -> Self {
        Holder {
            who: Arc::clone(&self.who),
            thread: None,
        }
    }

    /// Whose authority it is.
    pub fn owner_id(&self) -> &Id<'static> {
        &self.who.owner_id
    }

    /// The workspace.
    pub fn workspace_id(&self) -> &Id<'static> {
        &self.who.workspace_id
    }

    /// The agents from the root's child down to the holder; empty for a root.
    pub fn agent_path(&self) -> &[Id<'static>] {
        &self.who.agent_path
    }

    /// Digest of the declaration or block that the thread stands in.
    pub fn declaration_sha256(&self) -> Digest {
        self.who.declaration_sha256
    }

    /// Digest of the permissions that the thread was given.
    pub fn permissions_sha256(&self) -> Digest {
        self.who.permissions_sha256
    }

    /// The run of the root; `None` for any.
    pub fn root_run_id(&self) -> Option<&Id<'static>> {
        self.thread.as_ref().map(|thread| &thread.root_run_id)
    }

    /// The thread; `None` where the run is any.
    pub fn thread_id(&self) -> Option<&Id<'static>> {
        self.thread.as_ref().map(|thread| &thread.thread_id)
    }

    /// Whether this id is the owner, the run, the thread or one of the agents.
    pub(crate) fn involves(&self, id: &Id<'_>) -> bool {
        let ids = [Some(self.owner_id()), self.root_run_id(), self.thread_id()];
        let mut ids = ids.into_iter().flatten().chain(self.agent_path());
        ids.any(|involved| involved == id)
    }

    /// Digest of the whole holder, domain `authority/holder/v1`.
    pub fn sha256(&self) -> Digest {
        digest_of("authority/holder/v1", [("holder", self.to_value())])
    }

    pub(super) fn to_value(&self) -> Value<'static> {
        let id_or_null = |id: Option<&Id<'_>>| id.map_or(Value::Null, |id| text(id.as_str()));
        let agents = self.agent_path().iter();
        object([
            (
                "agent_path",
                Value::List(agents.map(|agent| text(agent.as_str())).collect()),
            ),
            (
                "declaration_sha256",
                text(&self.declaration_sha256().to_hex()),
            ),
            ("owner_id", text(self.owner_id().as_str())),
            (
                "permissions_sha256",
                text(&self.permissions_sha256().to_hex()),
            ),
            ("root_run_id", id_or_null(self.root_run_id())),
            ("thread_id", id_or_null(self.thread_id())),
            ("workspace_id", text(self.workspace_id().as_str())),
        ])
    }

    pub(super) fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut owner = None;
        let mut workspace = None;
        let mut agents = None;
        let mut declaration = None;
        let mut permissions = None;
        let mut run = None;
        let mut thread = None;
        reader.object(|reader, key| {
            match key {
                Key::AgentPath => {
                    let mut path = Vec::new();
                    reader.list(|reader, _| {
                        path.push(id(reader)?);
                        Ok(())
                    })?;
                    agents = Some(path);
                }
                Key::DeclarationSha256 => declaration = Some(reader.text::<Digest>()?),
                Key::OwnerId => owner = Some(id(reader)?),
                Key::PermissionsSha256 => permissions = Some(reader.text::<Digest>()?),
                Key::RootRunId => run = Some(reader.nullable(id)?),
                Key::ThreadId => thread = Some(reader.nullable(id)?),
                Key::WorkspaceId => workspace = Some(id(reader)?),
            }
            Ok(())
        })?;
        let missing = |key: &'static str| reader.error(DecodeRule::MissingKey(key));
        let who = Who {
            agent_path: agents.ok_or_else(|| missing("agent_path"))?,
            declaration_sha256: declaration.ok_or_else(|| missing("declaration_sha256"))?,
            owner_id: owner.ok_or_else(|| missing("owner_id"))?,
            permissions_sha256: permissions.ok_or_else(|| missing("permissions_sha256"))?,
            workspace_id: workspace.ok_or_else(|| missing("workspace_id"))?,
        };
        let run = run.ok_or_else(|| missing("root_run_id"))?;
        let thread = match (run, thread.ok_or_else(|| missing("thread_id"))?) {
            (Some(root_run_id), Some(thread_id)) => Some(RunThread {
                root_run_id,
                thread_id,
            }),
            (None, None) => None,
            (Some(_), None) => return Err(missing("thread_id")),
            (None, Some(_)) => return Err(missing("root_run_id")),
        };
        Ok(Holder {
            who: Arc::new(who),
            thread,
        })
    }
}

fn id(reader: &mut Reader<'_>) -> Result<Id<'static>, DecodeError> {
    reader.text::<Id<'_>>().map(Id::into_owned)
}

members! {
    enum Key {
        AgentPath "agent_path",
        DeclarationSha256 "declaration_sha256",
        OwnerId "owner_id",
        PermissionsSha256 "permissions_sha256",
        RootRunId "root_run_id",
        ThreadId "thread_id",
        WorkspaceId "workspace_id",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact::Artifact;
    use crate::json;
    use crate::permissions::ThreadPermissions;
    use crate::policy::{RootHandle, ThreadIdentity};
    use crate::vocabulary::operations::filesystem::{self, Operation};

    fn root(
        (owner, workspace, run): (&str, &str, &str),
        operations: &[Operation],
    ) -> (RootHandle, ThreadPolicy) {
        let permissions = ThreadPermissions::builder()
            .filesystem("ws", operations.iter().copied())
            .build()
            .unwrap();
        let identity = ThreadIdentity::root(owner, workspace, run).unwrap();
        ThreadPolicy::for_root(identity, &permissions)
    }

    const ALICE: (&str, &str, &str) = ("alice", "checkout", "run-1");

    #[test]
    fn holders_are_compared_whole() {
        let read: &[Operation] = &[filesystem::Read];
        let (handle, policy) = root(ALICE, read);
        let holder = Holder::of(&policy);
        let same = root(ALICE, read);
        assert_eq!(Holder::of(&same.1), holder);
        assert_eq!(Holder::of(&same.1).sha256(), holder.sha256());

        let child = |agent, thread| {
            let artifact = Artifact::new(Id::parse(agent).unwrap().into_owned());
            let child = policy.intersect(&artifact, thread).unwrap();
            Holder::of(&child.start_by_host(&handle).unwrap())
        };
        let others = [
            Holder::of(&root(("bob", "checkout", "run-1"), read).1),
            Holder::of(&root(("alice", "other", "run-1"), read).1),
            Holder::of(&root(ALICE, &[filesystem::Write]).1),
            child("helper", "thread-1"),
            child("other", "thread-2"),
        ];
        for (index, other) in others.iter().enumerate() {
            assert_ne!(*other, holder, "{index}");
            assert_ne!(other.in_any_run(), holder.in_any_run(), "{index}");
            assert_ne!(other.sha256(), holder.sha256(), "{index}");
        }

        // Another run or thread is another holder, but for what outlives a run.
        let other_run = Holder::of(&root(("alice", "checkout", "run-2"), read).1);
        let other_thread = child("helper", "thread-3");
        for (one, other) in [(&other_run, &holder), (&other_thread, &others[3])] {
            assert_ne!(one, other);
            assert_ne!(one.sha256(), other.sha256());
            assert_eq!(one.in_any_run(), other.in_any_run());
            assert_ne!(one.in_any_run(), *other);
        }
    }

    #[test]
    fn documents() {
        let (_handle, policy) = root(ALICE, &[filesystem::Read]);
        let holder = Holder::of(&policy);
        let decode = |json: &str| json::decode(json, Holder::decode);
        for holder in [holder.clone(), holder.in_any_run()] {
            let json = holder.to_value().to_canonical_json();
            assert_eq!(decode(&json).as_ref(), Ok(&holder));
        }
        let json = holder.to_value().to_canonical_json();
        for (from, to, pointer, rule) in [
            (
                r#""thread_id":"run-1""#,
                r#""thread_id":null"#,
                "",
                DecodeRule::MissingKey("thread_id"),
            ),
            (
                r#""root_run_id":"run-1""#,
                r#""root_run_id":null"#,
                "",
                DecodeRule::MissingKey("root_run_id"),
            ),
            (
                r#","thread_id":"run-1""#,
                "",
                "",
                DecodeRule::MissingKey("thread_id"),
            ),
            (
                r#""owner_id":"#,
                r#""owner":"#,
                "",
                DecodeRule::UnknownKey { nearest: None },
            ),
            (
                r#""agent_path":[]"#,
                r#""agent_path":["a","*"]"#,
                "/agent_path/1",
                crate::Rule::Wildcard.into(),
            ),
            (
                r#""agent_path":[]"#,
                r#""agent_path":[],"agent_path":[]"#,
                "",
                DecodeRule::DuplicateKey {
                    known: Some("agent_path"),
                },
            ),
        ] {
            assert!(json.contains(from), "{from}");
            let error = decode(&json.replace(from, to)).unwrap_err();
            assert_eq!((error.pointer(), error.rule()), (pointer, rule), "{to}");
        }
    }
}
