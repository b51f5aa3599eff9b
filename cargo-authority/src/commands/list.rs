//! `list`: every declaration of the workspace.

use serde::Serialize;

use crate::arguments::Format;
use crate::error::Error;
use crate::report::json;
use crate::source::{Declared, Selection, Workspace};
use crate::{Verdict, print};

#[derive(Serialize)]
struct List<'w> {
    declarations: Vec<Row<'w>>,
}

#[derive(Serialize)]
struct Row<'w> {
    name: &'w str,
    file: &'w str,
    line: usize,
    entries: usize,
    children: usize,
    /// `null` of a declaration with errors.
    ceiling_sha256: Option<String>,
    declaration_sha256: Option<String>,
}

pub(crate) fn run(selection: &Selection, format: Format) -> Result<Verdict, Error> {
    let workspace = Workspace::read(selection)?;
    let rows: Vec<_> = workspace
        .declarations
        .iter()
        .map(|declared| row(&workspace, declared))
        .collect();
    match format {
        Format::Json => print(&json::line(&List { declarations: rows })?)?,
        Format::Text => {
            for row in &rows {
                print(&line(row))?;
            }
        }
    }
    workspace.require_sound()?;
    Ok(Verdict::Fine)
}

fn row<'w>(workspace: &'w Workspace, declared: &'w Declared) -> Row<'w> {
    let permissions = declared.permissions.as_ref();
    Row {
        name: &declared.name,
        file: workspace.path(&declared.place),
        line: declared.place.line,
        entries: declared.body.entries.len(),
        children: permissions.map_or(0, |permissions| permissions.children().count()),
        ceiling_sha256: permissions.map(|permissions| permissions.ceiling_sha256().to_hex()),
        declaration_sha256: permissions
            .map(|permissions| permissions.declaration_sha256().to_hex()),
    }
}

fn line(row: &Row<'_>) -> String {
    let digest = row
        .ceiling_sha256
        .as_ref()
        .map_or("has errors".to_owned(), |digest| format!("sha256:{digest}"));
    let count = |count: usize, one: &str, more: &str| {
        format!("{count} {}", if count == 1 { one } else { more })
    };
    format!(
        "{}  {}:{}  {}, {}  {digest}\n",
        row.name,
        row.file,
        row.line,
        count(row.entries, "entry", "entries"),
        count(row.children, "child", "children"),
    )
}
