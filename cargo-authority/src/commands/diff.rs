//! `diff`: what a change of the sources widens and narrows.

use std::fmt::Write as _;

use serde::Serialize;

use crate::arguments::DiffFormat;
use crate::commands::lock;
use crate::entries;
use crate::error::Error;
use crate::finding::Place;
use crate::git::Revision;
use crate::meaning::{self, Change, Meaning, Subject, What};
use crate::report::{json, sarif};
use crate::source::{Declared, Selection, Workspace};
use crate::{Verdict, print};

/// A declaration of the state that is compared with.
struct Base {
    name: String,
    meaning: Meaning,
    file: String,
    line: usize,
}

/// `{"changes":[…]}`
#[derive(Serialize)]
struct Changes {
    changes: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    kind: &'static str,
    what: &'static str,
    declaration: String,
    text: String,
    file: String,
    line: usize,
}

pub(crate) fn run(
    selection: &Selection,
    base: Option<&str>,
    format: DiffFormat,
) -> Result<Verdict, Error> {
    let workspace = Workspace::read(selection)?;
    workspace.require_sound()?;
    let (against, base) = read_base(&workspace, selection, base)?;
    let rows = compare(&workspace, base);
    let widened = rows.iter().filter(|row| row.kind == "widened").count();
    let narrowed = rows.len() - widened;
    match format {
        DiffFormat::Json => print(&json::line(&Changes { changes: rows })?)?,
        DiffFormat::Sarif => print(&json::line(&log(&rows))?)?,
        DiffFormat::Markdown => print(&markdown(&rows, &against))?,
        DiffFormat::Text => {
            for row in &rows {
                print(&format!(
                    "{}:{}: {} {} in {}: {}\n",
                    row.file, row.line, row.kind, row.what, row.declaration, row.text
                ))?;
            }
            eprintln!("{widened} widened, {narrowed} narrowed, against {against}");
        }
    }
    Ok(Verdict::finding(widened > 0))
}

/// The state that is compared with, and its name: a revision, or else the lock, or else `HEAD`.
fn read_base(
    workspace: &Workspace,
    selection: &Selection,
    revision: Option<&str>,
) -> Result<(String, Vec<Base>), Error> {
    let locked = workspace.root.join(lock::FILE);
    if revision.is_none() && locked.exists() {
        let base = of_lock(&lock::read(&locked)?)?;
        return Ok((lock::FILE.to_owned(), base));
    }
    let revision = revision.unwrap_or("HEAD");
    let tree = Revision::of(&workspace.root, revision)?;
    let manifest = tree.root.join("Cargo.toml");
    if !manifest.exists() {
        // There was no workspace, and so no authority.
        return Ok((revision.to_owned(), Vec::new()));
    }
    let old = Workspace::read(&Selection {
        manifest: Some(manifest),
        // A package that is new has no state to compare with.
        packages: Vec::new(),
    })?;
    old.require_sound()?;
    let declarations = old.declarations.iter().filter_map(|declared| {
        Some(Base {
            name: declared.name.clone(),
            meaning: Meaning::of(declared.permissions.as_ref()?.declaration()),
            file: old.path(&declared.place).to_owned(),
            line: declared.place.line,
        })
    });
    let is_selected = |base: &Base| {
        let package = base.name.split("::").next().unwrap_or_default();
        selection.packages.is_empty() || selection.packages.iter().any(|name| name == package)
    };
    Ok((
        revision.to_owned(),
        declarations.filter(is_selected).collect(),
    ))
}

fn of_lock(lock: &meaning::Lock) -> Result<Vec<Base>, Error> {
    let declarations = lock.declarations.iter().map(|(name, locked)| {
        let meaning = locked.meaning().map_err(|message| Error::Document {
            document: lock::FILE.to_owned(),
            message: format!("`{name}`: {message}"),
        })?;
        Ok(Base {
            name: name.clone(),
            meaning,
            file: locked.file.clone(),
            line: locked.line,
        })
    });
    declarations.collect()
}

fn compare(workspace: &Workspace, mut base: Vec<Base>) -> Vec<Row> {
    let mut new: Vec<_> = workspace
        .declarations
        .iter()
        .filter_map(|declared| {
            let permissions = declared.permissions.as_ref()?;
            Some((declared, Meaning::of(permissions.declaration())))
        })
        .collect();
    let mut rows = Vec::new();
    // What did not change is paired first: then names cannot mislead.
    let pairings: [fn(&Base, &str, &Meaning) -> bool; 5] = [
        |base, name, new| base.name == name && is_same(&base.meaning, new),
        |base, name, new| label(&base.name) == label(name) && is_same(&base.meaning, new),
        |base, name, _| base.name == name,
        |base, name, _| label(&base.name) == label(name),
        |base, _, new| is_same(&base.meaning, new),
    ];
    for is_pair in pairings {
        new.retain(|(declared, meaning)| {
            let found = base
                .iter()
                .position(|old| is_pair(old, &declared.name, meaning));
            let Some(found) = found else { return true };
            let old = base.remove(found);
            let changes = meaning::compare(&old.meaning, meaning);
            rows.extend(
                changes
                    .iter()
                    .map(|change| row(workspace, declared, change)),
            );
            false
        });
    }
    for (declared, meaning) in &new {
        let changes = meaning::new(meaning);
        rows.extend(
            changes
                .iter()
                .map(|change| row(workspace, declared, change)),
        );
    }
    for old in &base {
        let changes = meaning::compare(&old.meaning, &old.meaning.nothing());
        rows.extend(changes.into_iter().map(|change| Row {
            kind: "narrowed",
            what: change.what.name(),
            declaration: old.name.clone(),
            text: change.text,
            file: old.file.clone(),
            line: old.line,
        }));
    }
    rows.sort_by(|left, right| (&left.file, left.line).cmp(&(&right.file, right.line)));
    rows
}

fn is_same(base: &Meaning, new: &Meaning) -> bool {
    meaning::compare(base, new).is_empty()
}

/// The last part of a name, without a number.
fn label(name: &str) -> &str {
    let last = name.rsplit("::").next().unwrap_or(name);
    last.split('#').next().unwrap_or(last)
}

fn row(workspace: &Workspace, declared: &Declared, change: &Change) -> Row {
    let place = place(declared, change);
    let path = change.path.iter().map(|agent| format!("/{agent}"));
    Row {
        kind: if change.is_widened {
            "widened"
        } else {
            "narrowed"
        },
        what: change.what.name(),
        declaration: declared.name.clone() + &path.collect::<String>(),
        text: change.text.clone(),
        file: workspace.path(&place).to_owned(),
        line: place.line,
    }
}

/// The entry that a change is about, or the block that it was in, or the declaration.
fn place(declared: &Declared, change: &Change) -> Place {
    let mut body = &declared.body;
    let mut span = None;
    for agent in &change.path {
        span = entries::agent(body, agent).or(span);
        let Some(block) = entries::block(body, agent) else {
            break;
        };
        body = block;
    }
    let entry = match &change.subject {
        Subject::Entry(index) => Some(entries::span(body, *index)),
        Subject::Credential(target) => entries::credential(body, target),
        Subject::Tool(id) => entries::tool(body, id),
        Subject::Environment(id) => entries::environment(body, id),
        Subject::Execution => entries::execution(body),
        Subject::Setting(setting) => entries::setting(body, *setting),
        Subject::Agent(agent) => entries::agent(body, agent),
        Subject::Gone => None,
    };
    match entry.or(span) {
        Some(span) => Place::of(declared.place.file, span),
        None => declared.place.clone(),
    }
}

fn log(rows: &[Row]) -> serde_json::Value {
    let kinds = [
        ("widened", "grants more than before"),
        ("narrowed", "grants less than before"),
    ];
    let rules = kinds.iter().flat_map(|(kind, about)| {
        What::ALL.map(|what| sarif::Rule {
            id: format!("{kind}/{}", what.name()),
            title: format!("{kind} {}", what.name()),
            explanation: format!("A declaration of authority {about}."),
        })
    });
    let names: Vec<_> = rows
        .iter()
        .map(|row| format!("{}/{}", row.kind, row.what))
        .collect();
    let entries = rows.iter().zip(&names).map(|(row, rule)| sarif::Entry {
        rule,
        level: if row.kind == "widened" {
            "error"
        } else {
            "note"
        },
        message: format!(
            "{} {} in {}: {}",
            row.kind, row.what, row.declaration, row.text
        ),
        file: &row.file,
        line: row.line,
        column: None,
    });
    sarif::log(&rules.collect::<Vec<_>>(), &entries.collect::<Vec<_>>())
}

/// For the description of a pull request.
fn markdown(rows: &[Row], against: &str) -> String {
    if rows.is_empty() {
        return format!("No change of authority against `{against}`.\n");
    }
    let mut out = format!(
        "### Changes of authority against `{against}`\n\n| | what | declaration | entry | place |\n| --- | --- | --- | --- | --- |\n"
    );
    for row in rows {
        let kind = if row.kind == "widened" {
            "**widened**"
        } else {
            "narrowed"
        };
        let cell = |text: &str| authority_syntax::docs::code_span(text);
        let place = cell(&format!("{}:{}", row.file, row.line));
        let (declaration, entry) = (cell(&row.declaration), cell(&row.text));
        let _ = writeln!(
            out,
            "| {kind} | {} | {declaration} | {entry} | {place} |",
            row.what
        );
    }
    out
}
