//! `doc`: the documentation of the declarations, and its check.

use std::path::Path;

use clap::ValueEnum as _;

use crate::arguments::DocFormat;
use crate::doc::{self, Document, Links};
use crate::error::Error;
use crate::report::json;
use crate::source::{Selection, Workspace};
use crate::{Verdict, print};

pub(crate) fn run(
    selection: &Selection,
    format: Option<DocFormat>,
    out: Option<&Path>,
    check: bool,
) -> Result<Verdict, Error> {
    let workspace = Workspace::read(selection)?;
    workspace.require_sound()?;
    let document = Document::of(&workspace);
    let Some(directory) = out else {
        let format = format.unwrap_or(DocFormat::Markdown);
        print(&render(&document, format, &Links::from_root())?)?;
        return Ok(Verdict::Fine);
    };
    if !check {
        std::fs::create_dir_all(directory).map_err(|error| Error::file(directory, &error))?;
    }
    let links = Links::from_directory(directory, &workspace.root);
    let formats = match &format {
        Some(format) => std::slice::from_ref(format),
        None => DocFormat::value_variants(),
    };
    let mut is_same = true;
    for format in formats {
        let text = render(&document, *format, &links)?;
        let path = directory.join(file(*format));
        if check {
            is_same &= verify(&path, &text)?;
        } else {
            std::fs::write(&path, text).map_err(|error| Error::file(&path, &error))?;
        }
    }
    if !check {
        let count = document.declarations.len();
        eprintln!("{}: {count} declarations", directory.display());
    }
    Ok(Verdict::finding(!is_same))
}

/// The file of a form.
fn file(format: DocFormat) -> &'static str {
    match format {
        DocFormat::Markdown => "authority.md",
        DocFormat::Html => "authority.html",
        DocFormat::Json => "authority.json",
    }
}

fn render(document: &Document, format: DocFormat, links: &Links) -> Result<String, Error> {
    Ok(match format {
        DocFormat::Markdown => doc::markdown(document, links),
        DocFormat::Html => doc::html(document, links),
        DocFormat::Json => json::indented(&json::line(document)?),
    })
}

/// Whether a file holds this text; says so when it does not.
fn verify(path: &Path, text: &str) -> Result<bool, Error> {
    let why = match std::fs::read(path) {
        // git may have turned the ends of the lines.
        Ok(bytes) if String::from_utf8_lossy(&bytes).replace("\r\n", "\n") == text => {
            return Ok(true);
        }
        Ok(_) => "differs from the declarations",
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => "is missing",
        Err(error) => return Err(Error::file(path, &error)),
    };
    let shown = path.display();
    print(&format!(
        "{shown} {why}: write it with `cargo authority doc`\n"
    ))?;
    Ok(false)
}
