//! `delegate`: the child policies that artifacts lead to, one after the other.

use std::fmt::Write as _;
use std::path::PathBuf;

use authority_core::{Difference, Side, ThreadPolicy};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::arguments::Format;
use crate::chain::Chain;
use crate::error::Error;
use crate::report::json;
use crate::source::Selection;
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
    let chain = Chain::read(selection, root, artifacts, None)?;
    match format {
        Format::Json => print(&json::line(&Levels {
            levels: levels(&chain.policies)?,
        })?)?,
        Format::Text => print(&text(&chain.name, artifacts, &chain.policies))?,
    }
    Ok(Verdict::Fine)
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
