//! The sandbox of a thread, as a view of its scopes.

use std::collections::BTreeMap;

use crate::id::Id;
use crate::scope::Scope;
use crate::target::Target;
use crate::vocabulary::{ExecutionMode, Kind, Operation, operations::filesystem};

/// What a thread's processes may see, in short: a summary for people and for restrictions, made
/// from the scopes so that the two can not disagree. Executors decide by the scopes themselves.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SandboxPermissions {
    /// How processes run.
    pub execution_mode: ExecutionMode,
    /// Whether there is a `network` scope.
    pub network_enabled: bool,
    /// What is held anywhere in each filesystem binding.
    pub filesystem: BTreeMap<String, FilesystemGrant>,
    /// Ids of the environment entries that processes get, and no others.
    pub environment: Vec<Id<'static>>,
}

/// What is held anywhere in one filesystem binding.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct FilesystemGrant {
    /// Whether any of `inspect`, `list`, `read` and `execute` is held.
    pub read: bool,
    /// Whether any of `write` and `delete` is held.
    pub write: bool,
}

impl FilesystemGrant {
    /// Which of the two an operation of the kind `filesystem` counts for.
    pub(crate) fn of(operation: Operation) -> Self {
        let write = [filesystem::Write, filesystem::Delete]
            .map(Operation::from)
            .contains(&operation);
        FilesystemGrant {
            read: !write,
            write,
        }
    }
}

/// The parts of the sandbox that follow from scopes.
pub(crate) struct SandboxView<'a> {
    filesystem: BTreeMap<&'a str, FilesystemGrant>,
    network_enabled: bool,
}

impl<'a> SandboxView<'a> {
    pub(crate) fn of(scopes: impl IntoIterator<Item = &'a Scope<'a>>) -> Self {
        let mut view = SandboxView {
            filesystem: BTreeMap::new(),
            network_enabled: false,
        };
        for scope in scopes {
            if let Target::Filesystem(target) = scope.target() {
                let grant = view.filesystem.entry(target.binding.as_str()).or_default();
                for operation in scope.operations().iter() {
                    let counts = FilesystemGrant::of(operation);
                    grant.read |= counts.read;
                    grant.write |= counts.write;
                }
            }
            view.network_enabled |= scope.target().kind() == Kind::Network;
        }
        view
    }

    pub(crate) fn filesystem(&self) -> impl Iterator<Item = (&'a str, FilesystemGrant)> {
        self.filesystem
            .iter()
            .map(|(binding, grant)| (*binding, *grant))
    }

    pub(crate) fn network_enabled(&self) -> bool {
        self.network_enabled
    }
}
