//! JSON Lines: a document a line, read one after the other.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use crate::error::Error;

/// The lines of a file, or of standard input.
pub(crate) struct Lines {
    name: PathBuf,
    source: Box<dyn BufRead>,
    number: usize,
}

/// A line without its end.
pub(crate) struct Line {
    /// From 1.
    pub(crate) number: usize,
    bytes: Vec<u8>,
}

impl Lines {
    /// The lines of this file; of standard input, when there is none.
    pub(crate) fn open(file: Option<&Path>) -> Result<Self, Error> {
        let name = file.unwrap_or(Path::new("standard input")).to_owned();
        let source: Box<dyn BufRead> = match file {
            Some(file) => {
                let file = File::open(file).map_err(|error| Error::file(file, &error))?;
                Box::new(BufReader::new(file))
            }
            None => Box::new(std::io::stdin().lock()),
        };
        Ok(Lines {
            name,
            source,
            number: 0,
        })
    }

    /// What is wrong with a line, with its place.
    pub(crate) fn error(&self, number: usize, message: &impl ToString) -> Error {
        Error::Document {
            document: format!("{}:{number}", self.name.display()),
            message: message.to_string(),
        }
    }
}

impl Iterator for Lines {
    type Item = Result<Line, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut bytes = Vec::new();
        match self.source.read_until(b'\n', &mut bytes) {
            Ok(0) => None,
            Ok(_) => {
                bytes.pop_if(|last| *last == b'\n');
                self.number += 1;
                Some(Ok(Line {
                    number: self.number,
                    bytes,
                }))
            }
            Err(error) => Some(Err(Error::file(&self.name, &error))),
        }
    }
}

impl Line {
    /// The text; `None` when it is not UTF-8.
    pub(crate) fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }
}

/// What is said of a line that is not UTF-8.
pub(crate) const NOT_UTF8: &str = "not UTF-8";
