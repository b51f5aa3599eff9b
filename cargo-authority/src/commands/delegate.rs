//! `delegate`: the child policies that artifacts lead to, one after the other.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use authority_core::{Artifact, Difference, Side, ThreadIdentity, ThreadPolicy};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::arguments::Format;
use crate::error::Error;
use crate::report::json;
use crate::source::{Selection, Workspace};
use crate::{Verdict, print};

#[derive(Serialize)]
struct Levels {
    levels: Vec<Level>,
}

#[derive(Serialize)]
struct Level {
    permissions: Box<RawValue>,
    snapshot_sha256: String,
    changes: Vec<Change>,
}

#[derive(Serialize)]
struct Change {
    pointer: String,
    outcome: &'static str,
    by: &'static str,
}

pub(crate) fn run(
    selection: &Selection,
    root: &str,
    artifacts: &[PathBuf],
    format: Format,
) -> Result<Verdict, Error> {
    let workspace = Workspace::of_root(selection, root)?;
    workspace.require_sound()?;
    let declared = workspace.root(root)?;
    let Some(permissions) = &declared.permissions else {
        return Err(Error::Unsound(1));
    };
    let identity = ThreadIdentity::root("owner", "workspace", "run")
        .map_err(|error| document(Path::new("identity"), &error))?;
    let (handle, policy) = ThreadPolicy::for_root(identity, permissions);
    let mut chain = vec![policy];
    for (number, path) in (1..).zip(artifacts) {
        let text = std::fs::read_to_string(path).map_err(|error| Error::file(path, &error))?;
        let artifact = Artifact::from_json(&text).map_err(|error| document(path, &error))?;
        let parent = &chain[number - 1];
        let child = parent
            .intersect(&artifact, &format!("level-{number}"))
            .and_then(|prepared| prepared.start_by_host(&handle))
            .map_err(|error| document(path, &error))?;
        chain.push(child);
    }
    match format {
        Format::Json => print(&json::line(&Levels {
            levels: levels(&chain)?,
        })?)?,
        Format::Text => print(&text(&declared.name, artifacts, &chain))?,
    }
    Ok(Verdict::Fine)
}

fn document(path: &Path, error: &impl std::fmt::Display) -> Error {
    Error::Document {
        document: path.display().to_string(),
        message: error.to_string(),
    }
}

fn levels(chain: &[ThreadPolicy]) -> Result<Vec<Level>, Error> {
    let level = |(number, policy): (usize, &ThreadPolicy)| {
        let parent = number.checked_sub(1).map(|above| &chain[above]);
        let difference = parent.map(|parent| policy.explain_difference(parent));
        let changes = difference.iter().flat_map(Difference::changes);
        Ok(Level {
            permissions: RawValue::from_string(policy.to_json())
                .map_err(|error| Error::Output(error.into()))?,
            snapshot_sha256: policy.snapshot_sha256().to_hex(),
            changes: changes
                .map(|change| Change {
                    pointer: change.pointer.clone(),
                    outcome: change.outcome.name(),
                    by: match change.by {
                        Side::Parent => "parent",
                        Side::Restriction => "restriction",
                    },
                })
                .collect(),
        })
    };
    chain.iter().enumerate().map(level).collect()
}

fn text(name: &str, artifacts: &[PathBuf], chain: &[ThreadPolicy]) -> String {
    let mut out = format!("level 0, {name}: {} scopes\n", chain[0].scopes().len());
    for (number, (artifact, pair)) in (1..).zip(artifacts.iter().zip(chain.windows(2))) {
        let difference = pair[1].explain_difference(&pair[0]);
        let _ = writeln!(out, "level {number}, {}: {difference}", artifact.display());
    }
    out
}
