//! Why a command cannot do its work: exit code 2.

use std::path::PathBuf;

/// Why a command cannot do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A program that is run fails.
    #[error("`{program}` failed: {message}")]
    Program {
        program: &'static str,
        message: String,
    },
    /// A file that cannot be read or written.
    #[error("{}: {message}", path.display())]
    File { path: PathBuf, message: String },
    /// The result cannot be written.
    #[error("the result cannot be written: {0}")]
    Output(std::io::Error),
    /// Declarations with errors, which were printed.
    #[error("{0} errors in what was read: nothing is said about declarations that are not certain")]
    Unsound(usize),
    /// No such declaration.
    #[error("no declaration `{name}`{known}")]
    NoRoot { name: String, known: String },
    /// A name of several declarations.
    #[error("`{name}` names {count} declarations: {known}")]
    SeveralRoots {
        name: String,
        count: usize,
        known: String,
    },
    /// A document that is refused.
    #[error("{document}: {message}")]
    Document { document: String, message: String },
    /// An unknown word of the command line.
    #[error("no {what} `{word}`{known}")]
    Unknown {
        what: &'static str,
        word: String,
        known: String,
    },
}

impl Error {
    pub(crate) fn file(path: impl Into<PathBuf>, error: &std::io::Error) -> Self {
        Error::File {
            path: path.into(),
            message: error.kind().to_string(),
        }
    }
}
