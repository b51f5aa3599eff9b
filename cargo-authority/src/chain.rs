//! A chain of threads: a root, and a child for each artifact.

use std::path::{Path, PathBuf};

use authority_core::{Artifact, Id, RootHandle, ThreadIdentity, ThreadPolicy};

use crate::error::Error;
use crate::source::{Selection, Workspace};

/// The root of a declaration, and below it the children that artifacts lead to, one after the other.
pub(crate) struct Chain {
    /// The declaration's name.
    pub(crate) name: String,
    /// The file that it stands in.
    pub(crate) file: String,
    pub(crate) handle: RootHandle,
    /// The root first.
    pub(crate) policies: Vec<ThreadPolicy>,
    /// The last of them.
    pub(crate) last: ThreadPolicy,
}

/// Whose chain it is.
#[derive(Eq, PartialEq)]
pub(crate) struct Owner {
    pub(crate) owner_id: Id<'static>,
    pub(crate) workspace_id: Id<'static>,
}

impl Chain {
    /// Reads the declaration with this name, and the artifacts. Its owner is of no consequence, when
    /// none is given.
    pub(crate) fn read(
        selection: &Selection,
        root: &str,
        artifacts: &[PathBuf],
        owner: Option<&Owner>,
    ) -> Result<Self, Error> {
        let workspace = Workspace::of_root(selection, root)?;
        workspace.require_sound()?;
        let declared = workspace.root(root)?;
        let Some(permissions) = &declared.permissions else {
            return Err(Error::Unsound(1));
        };
        let identity = match owner {
            Some(Owner {
                owner_id,
                workspace_id,
            }) => ThreadIdentity::root(owner_id.as_str(), workspace_id.as_str(), RUN),
            None => ThreadIdentity::root("owner", "workspace", RUN),
        };
        let identity = identity.map_err(|error| document(Path::new("identity"), &error))?;
        let (handle, policy) = ThreadPolicy::for_root(identity, permissions);
        let mut last = policy.clone();
        let mut policies = vec![policy];
        for (number, path) in (1..).zip(artifacts) {
            let text = std::fs::read_to_string(path).map_err(|error| Error::file(path, &error))?;
            let artifact = Artifact::from_json(&text).map_err(|error| document(path, &error))?;
            last = last
                .intersect(&artifact, &format!("level-{number}"))
                .and_then(|prepared| prepared.start_by_host(&handle))
                .map_err(|error| document(path, &error))?;
            policies.push(last.clone());
        }
        Ok(Chain {
            name: declared.name.clone(),
            file: workspace.path(&declared.place).to_owned(),
            handle,
            policies,
            last,
        })
    }
}

/// The run of every chain, which no thread of a host is in.
const RUN: &str = "cargo-authority";

fn document(path: &Path, error: &impl std::fmt::Display) -> Error {
    Error::Document {
        document: path.display().to_string(),
        message: error.to_string(),
    }
}
