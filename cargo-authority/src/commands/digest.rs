//! `digest`: canonical JSON and digests of scopes and ceilings, a line each.

use std::path::Path;

use authority_core::{Ceiling, DecodeError, Scope};
use serde::Serialize;

use crate::error::Error;
use crate::report::json;
use crate::{Verdict, print};

#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    Scope {
        ok: bool,
        canonical_json: String,
        scope_sha256: String,
    },
    Ceiling {
        ok: bool,
        canonical_json: String,
        ceiling_sha256: String,
    },
    Refused {
        ok: bool,
        pointer: String,
        rule: String,
    },
}

pub(crate) fn run(file: Option<&Path>) -> Result<Verdict, Error> {
    let text = read(file)?;
    let mut verdict = Verdict::Fine;
    for line in text.lines() {
        let answer = answer(line).unwrap_or_else(|error| {
            verdict = Verdict::Undecodable;
            Answer::Refused {
                ok: false,
                pointer: error.pointer().to_owned(),
                rule: error.rule().to_string(),
            }
        });
        print(&json::line(&answer)?)?;
    }
    Ok(verdict)
}

/// The text of a file, or of standard input.
fn read(file: Option<&Path>) -> Result<String, Error> {
    let read = match file {
        Some(file) => std::fs::read_to_string(file),
        None => std::io::read_to_string(std::io::stdin()),
    };
    read.map_err(|error| Error::file(file.unwrap_or(Path::new("standard input")), &error))
}

fn answer(line: &str) -> Result<Answer, DecodeError> {
    if line.trim_start().starts_with('[') {
        let ceiling = Ceiling::from_json(line)?;
        return Ok(Answer::Ceiling {
            ok: true,
            canonical_json: ceiling.canonical_json(),
            ceiling_sha256: ceiling.sha256().to_hex(),
        });
    }
    let scope = Scope::from_json(line)?;
    Ok(Answer::Scope {
        ok: true,
        canonical_json: scope.canonical_json(),
        scope_sha256: scope.sha256().to_hex(),
    })
}
