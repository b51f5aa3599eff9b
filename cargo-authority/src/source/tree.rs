//! The files of a crate, as its `mod` declarations lead to them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::progress::Progress;
use crate::source::outline::{Outline, Reference, outline};

/// A source file with its outline.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) path: PathBuf,
    /// The modules that lead to it, the package first.
    pub(crate) modules: Vec<String>,
    pub(crate) text: String,
    /// `None` when the file holds neither a call nor a module file, or does not lex.
    pub(crate) outline: Option<Outline>,
    pub(crate) problems: Vec<Problem>,
}

/// What could not be read in a file.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The file is not there, not readable, or not UTF-8.
    Unreadable(String),
    /// The text is not Rust: why, and where.
    NotRust(String, proc_macro2::Span),
    /// A module without a file.
    Missing(String, proc_macro2::Span),
}

/// Reads the files of crates.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    pub(crate) files: Vec<File>,
    seen: HashSet<PathBuf>,
    pub(crate) progress: Progress,
}

/// A file that is to be read, and where the files of its modules lie.
struct Next {
    path: PathBuf,
    modules: Vec<String>,
    directory: PathBuf,
}

impl Reader {
    /// Reads a crate from its root, whose modules are named after these.
    pub(crate) fn read_crate(&mut self, root: &Path, modules: Vec<String>) {
        let directory = parent(root);
        self.read_all(vec![Next {
            path: root.to_owned(),
            modules,
            directory,
        }]);
    }

    fn read_all(&mut self, mut waiting: Vec<Next>) {
        // The last one first, so that files come in the order of their `mod` declarations.
        while let Some(next) = waiting.pop() {
            // One file is read once, by whatever links and modules it is reached.
            let canonical = next.path.canonicalize().unwrap_or(next.path.clone());
            if !self.seen.insert(canonical) {
                continue;
            }
            self.progress.tick("files read");
            let mut file = read(&next.path, next.modules);
            let found = follow(&mut file, &next.directory);
            waiting.extend(found.into_iter().rev());
            self.files.push(file);
        }
    }
}

fn read(path: &Path, modules: Vec<String>) -> File {
    let mut file = File {
        path: path.to_owned(),
        modules,
        text: String::new(),
        outline: None,
        problems: Vec::new(),
    };
    match std::fs::read(path).map(String::from_utf8) {
        Ok(Ok(text)) => file.text = without_marks(text),
        Ok(Err(_)) => file
            .problems
            .push(Problem::Unreadable("not UTF-8".to_owned())),
        Err(error) => file
            .problems
            .push(Problem::Unreadable(error.kind().to_string())),
    }
    if file.text.contains(crate::source::outline::MACRO) || may_refer_to_files(&file.text) {
        file.lex();
    }
    file
}

impl File {
    /// Outlines the file, unless that is done.
    pub(crate) fn lex(&mut self) {
        if self.outline.is_some() || !self.problems.is_empty() {
            return;
        }
        match self.text.parse::<proc_macro2::TokenStream>() {
            Ok(tokens) => self.outline = Some(outline(tokens)),
            Err(error) => self
                .problems
                .push(Problem::NotRust(error.to_string(), error.span())),
        }
    }

    /// Parses the file as Rust, which its outline does not need.
    pub(crate) fn check_syntax(&mut self) {
        if let Err(error) = syn::parse_str::<syn::File>(&self.text) {
            self.problems
                .push(Problem::NotRust(error.to_string(), error.span()));
        }
    }
}

/// Leaves a byte order mark away and blanks a `#!` line, at the same offsets.
fn without_marks(mut text: String) -> String {
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    if text.starts_with("#!") && !text.trim_start_matches("#!").trim_start().starts_with('[') {
        let end = text.find('\n').unwrap_or(text.len());
        text.replace_range(..end, &" ".repeat(end));
    }
    text
}

/// Whether the text may hold `mod name;` or `include!`. Most files do not, and are not lexed.
fn may_refer_to_files(text: &str) -> bool {
    text.contains("include!")
        || text.match_indices("mod").any(|(at, word)| {
            let rest = &text[at + word.len()..];
            let name = rest.trim_start();
            let after = name.trim_start_matches(|c: char| c.is_alphanumeric() || "_#".contains(c));
            name.len() < rest.len()
                && after.len() < name.len()
                && after.trim_start().starts_with(';')
        })
}

/// The files that a file refers to.
fn follow(file: &mut File, directory: &Path) -> Vec<Next> {
    let mut found = Vec::new();
    let mut missing = Vec::new();
    let modules = file.outline.iter().flat_map(|outline| &outline.modules);
    for module in modules {
        let inside = module.inside.iter().fold(
            InDirectory {
                modules: directory.to_owned(),
                paths: parent(&file.path),
            },
            |around, (name, path)| around.inside(name, path.as_deref(), directory),
        );
        let mut path = file.modules.clone();
        path.extend(module.inside.iter().map(|(name, _)| name.clone()));
        let before = found.len();
        match &module.reference {
            Reference::Include(name) => {
                let name = parent(&file.path).join(name);
                if name.is_file() {
                    let directory = parent(&name);
                    found.push(Next {
                        path: name,
                        modules: path,
                        directory,
                    });
                }
            }
            Reference::Module { name, paths, usual } => {
                path.push(name.clone());
                for candidate in paths {
                    let candidate = inside.paths.join(candidate);
                    let directory = parent(&candidate);
                    found.extend(next(candidate, &path, directory));
                }
                if *usual {
                    let below = inside.modules.join(name);
                    let flat = below.with_extension("rs");
                    found.extend(next(flat, &path, below.clone()));
                    found.extend(next(below.join("mod.rs"), &path, below));
                }
                if found.len() == before && !module.may_be_missing {
                    missing.push((name.clone(), module.place.span()));
                }
            }
        }
    }
    file.problems.extend(
        missing
            .into_iter()
            .map(|(name, place)| Problem::Missing(name, place)),
    );
    found
}

/// Where the files of modules lie: by name, and by `#[path]`.
struct InDirectory {
    modules: PathBuf,
    paths: PathBuf,
}

impl InDirectory {
    /// In a module of the file, `#[path]` counts from the modules' directory.
    fn inside(self, name: &str, path: Option<&str>, directory: &Path) -> Self {
        let below = match path {
            Some(path) if self.modules == directory => self.paths.join(path),
            Some(path) => self.modules.join(path),
            None => self.modules.join(name),
        };
        InDirectory {
            modules: below.clone(),
            paths: below,
        }
    }
}

fn next(path: PathBuf, modules: &[String], directory: PathBuf) -> Option<Next> {
    path.is_file().then(|| Next {
        path,
        modules: modules.to_vec(),
        directory,
    })
}

fn parent(path: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_lexed() {
        for (text, refers) in [
            ("mod x;", true),
            ("pub mod  r#type ;", true),
            ("mod\nx\n;", true),
            ("include!(\"x\")", true),
            ("mod x { }", false),
            ("modx;", false),
            ("model x;", false),
            ("let mod_x = 1;", false),
        ] {
            assert_eq!(may_refer_to_files(text), refers, "{text}");
        }
    }

    #[test]
    fn marks_are_no_rust() {
        let without = |text: &str| without_marks(text.to_owned());
        assert_eq!(without("\u{feff}mod x;"), "mod x;");
        assert_eq!(without("#!/bin/x\nmod x;"), "        \nmod x;");
        assert_eq!(without("#![allow(x)]"), "#![allow(x)]");
    }
}
