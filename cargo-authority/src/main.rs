//! `cargo authority`: what the declarations of a workspace grant, without running it.
//!
//! Rust sources are read as tokens ([`source`]); what stands in a call of `authority!` goes to
//! `authority-syntax`, the grammar and the checks that the macro has too, and from there to the model
//! of `authority-core`. Nothing here parses an entry or decides by a rule of its own.

mod arguments;
mod chain;
mod commands;
mod doc;
mod entries;
mod error;
mod finding;
mod git;
mod grants;
mod lines;
mod lint;
mod lints;
mod meaning;
mod progress;
mod report;
mod schema;
mod source;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Arguments, AuditCommand, Command};
use crate::error::Error;

/// What a command found, when it could do its work.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Verdict {
    Fine,
    Finding,
    /// Something that was given cannot be decoded; the result says what.
    Undecodable,
}

impl Verdict {
    pub(crate) fn finding(found: bool) -> Self {
        if found {
            Verdict::Finding
        } else {
            Verdict::Fine
        }
    }
}

fn main() -> ExitCode {
    match run(&Arguments::parse_from(words())) {
        Ok(Verdict::Fine) => ExitCode::SUCCESS,
        Ok(Verdict::Finding) => ExitCode::from(1),
        Ok(Verdict::Undecodable) => ExitCode::from(2),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// The words of the command line. Cargo puts the name of the command in front of them.
fn words() -> Vec<std::ffi::OsString> {
    let mut words: Vec<_> = std::env::args_os().collect();
    if words.get(1).is_some_and(|word| word == "authority") {
        words.remove(1);
    }
    words
}

fn run(arguments: &Arguments) -> Result<Verdict, Error> {
    let selection = arguments.selection();
    match &arguments.command {
        Command::List(show) => commands::list::run(&selection, show.format),
        Command::Check { format } => commands::check::run(&selection, *format),
        Command::Explain { code } => commands::explain::run(code),
        Command::Digest { file } => commands::digest::run(file.as_deref()),
        Command::Lock { check } => commands::lock::run(&selection, *check),
        Command::Diff { base, format } => commands::diff::run(&selection, base.as_deref(), *format),
        Command::Doc { format, out, check } => {
            commands::doc::run(&selection, *format, out.as_deref(), *check)
        }
        Command::Delegate {
            root,
            artifact,
            format,
        } => commands::delegate::run(&selection, root, artifact, *format),
        Command::Simulate {
            root,
            artifact,
            requests,
            preset,
            grants,
            format,
        } => {
            let what = commands::simulate::What {
                root,
                artifacts: artifact,
                requests,
                preset: *preset,
                grants: grants.as_deref(),
            };
            commands::simulate::run(&selection, &what, *format)
        }
        Command::Audit { command } => match command {
            AuditCommand::Verify { file, head, format } => {
                commands::audit::verify(file, *head, *format)
            }
            AuditCommand::Show { file, format } => commands::audit::show(file, *format),
        },
        Command::Schema { name } => commands::schema::run(*name),
        Command::Manifest => commands::manifest::run(),
        Command::Completions { shell } => commands::generated::completions(*shell),
        Command::Man => commands::generated::man(),
    }
}

/// Writes a result to standard output. A reader that has seen enough is no error.
pub(crate) fn print(text: &str) -> Result<(), Error> {
    print_on(text).map(|_| ())
}

/// Writes a part of a result, and says whether anybody reads on.
pub(crate) fn print_on(text: &str) -> Result<bool, Error> {
    let mut stdout = std::io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Error::Output(error)),
    }
}
