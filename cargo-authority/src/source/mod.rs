//! The declarations of a workspace, read without running anything.

mod metadata;
mod outline;
mod tree;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use authority_core::ThreadPermissions;
use authority_syntax::tree::{Body, Form};
use proc_macro2::Span;

use crate::error::Error;
use crate::finding::{Finding, Place, Severity};
use crate::lint::Lint;
use crate::report::text;
use crate::source::outline::{MACRO, MacroCall};
use crate::source::tree::{Problem, Reader};

/// What was read.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// Directory that shown paths are relative to.
    pub(crate) root: PathBuf,
    pub(crate) files: Vec<SourceFile>,
    /// In the order of packages, crates, files and lines.
    pub(crate) declarations: Vec<Declared>,
    /// What is wrong in the sources and in the declarations.
    pub(crate) findings: Vec<Finding>,
}

/// A source file.
#[derive(Debug)]
pub(crate) struct SourceFile {
    /// The path for people and results: relative, with `/`.
    pub(crate) shown: String,
    pub(crate) text: String,
}

/// One declaration.
#[derive(Debug)]
pub(crate) struct Declared {
    /// `package::path::name`, unique in the workspace.
    pub(crate) name: String,
    /// The name of its module, of one that is an item.
    pub(crate) module: Option<String>,
    /// Its name, or the call.
    pub(crate) place: Place,
    /// All of it.
    pub(crate) call: Place,
    /// Its doc comment: lines in front of the module, then those at the top of the body.
    pub(crate) docs: Vec<String>,
    pub(crate) body: Body,
    /// `None` when it has errors.
    pub(crate) permissions: Option<ThreadPermissions>,
}

/// Which sources are read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// The manifest of the workspace; else the one that cargo finds.
    pub(crate) manifest: Option<PathBuf>,
    /// Packages; all, when there is none.
    pub(crate) packages: Vec<String>,
}

impl Workspace {
    /// Reads the packages of a workspace.
    pub(crate) fn read(selection: &Selection) -> Result<Self, Error> {
        let metadata = metadata::metadata(selection.manifest.as_deref())?;
        for wanted in &selection.packages {
            let names = metadata
                .packages
                .iter()
                .map(|package| package.name.as_str());
            if !names.clone().any(|name| name == wanted) {
                return Err(Error::Unknown {
                    what: "package",
                    word: wanted.clone(),
                    known: known(names),
                });
            }
        }
        let mut reader = Reader::default();
        for package in &metadata.packages {
            if !selection.packages.is_empty() && !selection.packages.contains(&package.name) {
                continue;
            }
            for target in &package.targets {
                reader.read_crate(&target.src_path, package.modules(target));
            }
        }
        Ok(Workspace::of(reader, metadata.workspace_root))
    }

    /// Reads what a root's name needs: one file, or the whole workspace.
    pub(crate) fn of_root(selection: &Selection, name: &str) -> Result<Self, Error> {
        match split_root(name) {
            (Some(file), _) => {
                let path = Path::new(file);
                match std::fs::metadata(path) {
                    Ok(_) => Ok(Workspace::read_file(path)),
                    Err(error) => Err(Error::file(path, &error)),
                }
            }
            (None, _) => Workspace::read(selection),
        }
    }

    /// Reads one file, with the modules that belong to it, without a workspace.
    fn read_file(path: &Path) -> Workspace {
        let mut reader = Reader::default();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        reader.read_crate(path, vec![name.into_owned()]);
        Workspace::of(reader, std::env::current_dir().unwrap_or_default())
    }

    /// Whether nothing is wrong in what was read; else the errors are printed.
    pub(crate) fn require_sound(&self) -> Result<(), Error> {
        let errors: Vec<_> = self
            .findings
            .iter()
            .filter(|finding| finding.severity == Severity::Error)
            .cloned()
            .collect();
        if errors.is_empty() {
            return Ok(());
        }
        let coloured = text::is_coloured(&std::io::stderr());
        eprint!("{}", text::findings(self, &errors, coloured));
        Err(Error::Unsound(errors.len()))
    }

    fn of(mut reader: Reader, root: PathBuf) -> Self {
        let mut workspace = Workspace {
            root,
            files: Vec::new(),
            declarations: Vec::new(),
            findings: Vec::new(),
        };
        let forwarders: Vec<String> = reader
            .files
            .iter()
            .flat_map(|file| &file.outline)
            .flat_map(|outline| outline.forwarders.iter().cloned())
            .collect();
        for mut file in std::mem::take(&mut reader.files) {
            if forwarders.iter().any(|name| file.text.contains(name)) {
                file.lex();
            }
            let is_call = |call: &&MacroCall, aliases: &[String]| {
                call.name == MACRO
                    || aliases.contains(&call.name)
                    || forwarders.contains(&call.name)
            };
            let has_call = file.outline.as_ref().is_some_and(|outline| {
                outline
                    .calls
                    .iter()
                    .any(|call| is_call(&call, &outline.aliases))
            });
            if has_call {
                file.check_syntax();
            }
            let index = workspace.files.len();
            let shown = shown(&file.path, &workspace.root);
            workspace.files.push(SourceFile {
                shown,
                text: file.text,
            });
            let problems = file.problems.iter();
            let problems = problems.map(|problem| of_problem(problem, index));
            workspace.findings.extend(problems);
            // What is no Rust is not taken for a declaration.
            if !file
                .problems
                .iter()
                .all(|problem| matches!(problem, Problem::Missing(..)))
            {
                continue;
            }
            if let Some(outline) = &file.outline {
                let hidden = outline.hidden.iter();
                workspace.findings.extend(
                    hidden.map(|name| Lint::HiddenDeclaration.at(Place::of(index, name.span()))),
                );
                let calls = outline.calls.iter();
                for call in calls.filter(|call| is_call(call, &outline.aliases)) {
                    workspace.call(index, &file.modules, call);
                }
            }
        }
        workspace.make_names_unique();
        workspace
    }

    /// Reads one call of the macro.
    fn call(&mut self, file: usize, modules: &[String], call: &MacroCall) {
        let at = |span: Span| {
            // What has no place of its own stands for the whole call.
            let is_nowhere = span.byte_range().is_empty();
            Place::of(file, if is_nowhere { call.place.span() } else { span })
        };
        let mut path = modules.to_vec();
        path.extend(call.path.iter().cloned());
        let whole = Place {
            range: call.place.span().byte_range().start..call.tokens.span_close().byte_range().end,
            ..Place::of(file, call.place.span())
        };
        let parsed = authority_syntax::parse(call.tokens.stream());
        let diagnostics = parsed.diagnostics.iter();
        self.findings
            .extend(diagnostics.map(|diagnostic| Finding::of(diagnostic, &at)));
        match parsed.form {
            Form::Body(body) => {
                let name = path.join("::");
                let docs = Vec::new();
                self.declare(name, None, docs, at(call.place.span()), whole, body, &at);
            }
            Form::Modules(found) => {
                for module in found {
                    let label = module.name.as_ref().map(outline::plain);
                    let mut path = path.clone();
                    path.extend(label.clone());
                    let span = module
                        .name
                        .as_ref()
                        .map_or(call.place.span(), proc_macro2::Ident::span);
                    let name = path.join("::");
                    let docs = outline::docs(module.attributes);
                    self.declare(name, label, docs, at(span), whole.clone(), module.body, &at);
                }
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn declare(
        &mut self,
        name: String,
        module: Option<String>,
        mut docs: Vec<String>,
        place: Place,
        call: Place,
        body: Body,
        at: &impl Fn(Span) -> Place,
    ) {
        let checked = authority_syntax::check(&body);
        let diagnostics = checked.diagnostics.iter();
        self.findings
            .extend(diagnostics.map(|diagnostic| Finding::of(diagnostic, at)));
        docs.extend(body.docs.iter().cloned());
        self.declarations.push(Declared {
            name,
            module,
            place,
            call,
            docs,
            body,
            permissions: checked.permissions,
        });
    }

    /// Two of one name, as under two `cfg`s, get numbers.
    fn make_names_unique(&mut self) {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for declared in &mut self.declarations {
            let count = counts.entry(declared.name.clone()).or_default();
            *count += 1;
            if *count > 1 {
                declared.name = format!("{}#{count}", declared.name);
            }
        }
    }

    /// The path of a place's file.
    pub(crate) fn path(&self, place: &Place) -> &str {
        &self.files[place.file].shown
    }

    /// The declaration that is named `path/to/file.rs`, `path/to/file.rs::module` or
    /// `package::path::module`.
    pub(crate) fn root(&self, name: &str) -> Result<&Declared, Error> {
        let (file, module) = split_root(name);
        let found: Vec<&Declared> = match file {
            Some(file) => {
                let wanted = Path::new(file).canonicalize().ok();
                let in_file = self.declarations.iter().filter(|declared| {
                    let shown = self.path(&declared.place);
                    shown == file
                        || (wanted.is_some() && self.root.join(shown).canonicalize().ok() == wanted)
                });
                in_file
                    .filter(|declared| module.is_none() || declared.module.as_deref() == module)
                    .collect()
            }
            None => {
                let plain = |name: &str| name.replace('-', "_");
                let same = self.declarations.iter();
                same.filter(|declared| plain(&declared.name) == plain(name))
                    .collect()
            }
        };
        match found.as_slice() {
            [one] => Ok(one),
            [] => Err(Error::NoRoot {
                name: name.to_owned(),
                known: known(
                    self.declarations
                        .iter()
                        .map(|declared| declared.name.as_str()),
                ),
            }),
            several => {
                let names: Vec<_> = several
                    .iter()
                    .map(|declared| declared.name.as_str())
                    .collect();
                Err(Error::SeveralRoots {
                    name: name.to_owned(),
                    count: several.len(),
                    known: names.join(", "),
                })
            }
        }
    }
}

/// The file and the module of `path/to/file.rs::module`.
pub(crate) fn split_root(name: &str) -> (Option<&str>, Option<&str>) {
    let is_file = |text: &str| Path::new(text).extension().is_some_and(|end| end == "rs");
    match name.rsplit_once("::") {
        Some((file, module)) if is_file(file) => (Some(file), Some(module)),
        _ if is_file(name) => (Some(name), None),
        _ => (None, None),
    }
}

/// `: the known ones are …`, when there are any.
pub(crate) fn known<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    if names.is_empty() {
        ": none was found".to_owned()
    } else {
        format!(": there is {}", names.join(", "))
    }
}

/// A path for results: relative to the root where it lies below it, with `/`.
fn shown(path: &Path, root: &Path) -> String {
    let relative = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = relative
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    parts.join("/").replacen("//", "/", 1)
}

fn of_problem(problem: &Problem, file: usize) -> Finding {
    match problem {
        Problem::Unreadable(why) => Lint::Unreadable.with_message(
            format!("the file cannot be read: {why}"),
            Place::start_of(file),
        ),
        Problem::NotRust(why, span) => Lint::Unreadable.with_message(
            format!("the file does not parse: {why}"),
            Place::of(file, *span),
        ),
        Problem::Missing(name, span) => Lint::MissingModule.with_message(
            format!("no file was found for the module `{name}`"),
            Place::of(file, *span),
        ),
    }
}
