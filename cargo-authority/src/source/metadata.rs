//! The packages of a workspace, as `cargo metadata` lists them.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::error::Error;

/// A workspace and its packages.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) workspace_root: PathBuf,
}

/// A package of the workspace.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) targets: Vec<Target>,
}

/// A crate of a package.
#[derive(Debug, Deserialize)]
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) kind: Vec<String>,
    pub(crate) src_path: PathBuf,
}

/// Asks cargo for the workspace of a manifest, or of the current directory.
pub(crate) fn metadata(manifest: Option<&Path>) -> Result<Metadata, Error> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args([
        "metadata",
        "--no-deps",
        "--format-version",
        "1",
        "--offline",
    ]);
    if let Some(manifest) = manifest {
        command.arg("--manifest-path").arg(manifest);
    }
    let output = command.output().map_err(|error| Error::Program {
        program: "cargo metadata",
        message: error.to_string(),
    })?;
    if !output.status.success() {
        return Err(Error::Program {
            program: "cargo metadata",
            message: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        });
    }
    let mut metadata: Metadata =
        serde_json::from_slice(&output.stdout).map_err(|error| Error::Program {
            program: "cargo metadata",
            message: error.to_string(),
        })?;
    metadata
        .packages
        .sort_by(|left, right| left.name.cmp(&right.name));
    Ok(metadata)
}

impl Package {
    /// The modules that the names of a crate's declarations begin with: the package, and the crate
    /// where it is neither the library nor the program of that name.
    pub(crate) fn modules(&self, target: &Target) -> Vec<String> {
        let same = |left: &str, right: &str| left.replace('-', "_") == right.replace('-', "_");
        let is_main = target
            .kind
            .iter()
            .any(|kind| kind == "bin" || kind.contains("lib"))
            && same(&target.name, &self.name);
        let is_library = target.kind.iter().any(|kind| kind.contains("lib"));
        if is_main || is_library {
            vec![self.name.clone()]
        } else {
            vec![self.name.clone(), target.name.replace('-', "_")]
        }
    }
}
