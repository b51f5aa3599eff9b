//! `lock`: a snapshot of every declaration, to be committed, and its check.

use std::path::Path;

use crate::error::Error;
use crate::meaning::{Lock, Locked};
use crate::report::json;
use crate::source::{Selection, Workspace};
use crate::{Verdict, print};

/// The file's name, in the root of the workspace.
pub(crate) const FILE: &str = "authority.lock.json";

pub(crate) fn run(selection: &Selection, check: bool) -> Result<Verdict, Error> {
    let workspace = Workspace::read(selection)?;
    workspace.require_sound()?;
    let lock = lock(&workspace);
    let path = workspace.root.join(FILE);
    if check {
        return verify(&path, &lock);
    }
    let text = json::indented(&json::line(&lock)?);
    std::fs::write(&path, text).map_err(|error| Error::file(&path, &error))?;
    eprintln!("{FILE}: {} declarations", lock.declarations.len());
    Ok(Verdict::Fine)
}

fn lock(workspace: &Workspace) -> Lock {
    let declarations = workspace.declarations.iter().filter_map(|declared| {
        let permissions = declared.permissions.as_ref()?;
        let file = workspace.path(&declared.place);
        let locked = Locked::of(permissions, file, declared.place.line);
        Some((declared.name.clone(), locked))
    });
    Lock::new(declarations.collect())
}

/// Reads the lock of a workspace.
pub(crate) fn read(path: &Path) -> Result<Lock, Error> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::file(path, &error))?;
    Lock::from_json(&text).map_err(|message| Error::Document {
        document: FILE.to_owned(),
        message,
    })
}

/// Names what differs. Where a declaration stands is no difference.
fn verify(path: &Path, lock: &Lock) -> Result<Verdict, Error> {
    if !path.exists() {
        print(&format!(
            "{FILE} is missing: write it with `cargo authority lock`\n"
        ))?;
        return Ok(Verdict::Finding);
    }
    let written = read(path)?;
    let mut differences = Vec::new();
    for (name, locked) in &lock.declarations {
        match written.declarations.get(name) {
            None => differences.push(format!(
                "{}:{}: `{name}` is not locked",
                locked.file, locked.line
            )),
            Some(known) if !known.is_same(locked) => {
                differences.push(format!(
                    "{}:{}: `{name}` differs from the lock",
                    locked.file, locked.line
                ));
            }
            Some(_) => {}
        }
    }
    let gone = written
        .declarations
        .keys()
        .filter(|name| !lock.declarations.contains_key(*name));
    differences.extend(gone.map(|name| format!("{FILE}: `{name}` is locked and not declared")));
    for difference in &differences {
        print(&format!("{difference}\n"))?;
    }
    Ok(Verdict::finding(!differences.is_empty()))
}
