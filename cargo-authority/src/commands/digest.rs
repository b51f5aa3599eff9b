//! `digest`: canonical JSON and digests of scopes and ceilings, a line each.

use std::path::Path;

use authority_core::{Ceiling, DecodeError, Scope};
use serde::Serialize;

use crate::error::Error;
use crate::lines::{Lines, NOT_UTF8};
use crate::report::json;
use crate::{Verdict, print_on};

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
    let mut verdict = Verdict::Fine;
    for line in Lines::open(file)? {
        let line = line?;
        let answer = match line.text() {
            Some(text) => answer(text).map_err(|error| Answer::Refused {
                ok: false,
                pointer: error.pointer().to_owned(),
                rule: error.rule().to_string(),
            }),
            None => Err(Answer::Refused {
                ok: false,
                pointer: String::new(),
                rule: NOT_UTF8.to_owned(),
            }),
        };
        let answer = answer.unwrap_or_else(|refused| {
            verdict = Verdict::Undecodable;
            refused
        });
        if !print_on(&json::line(&answer)?)? {
            break;
        }
    }
    Ok(verdict)
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
