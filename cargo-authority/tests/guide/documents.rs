//! Documents in JSON, read by the code that they are for.

use authority_core::audit::{self, Record};
use authority_core::{
    Artifact, Ceiling, DecodeError, Digest, Grant, Request, Restriction, Scope, Target,
};

/// The document is one of this kind.
pub(crate) fn decode(kind: &str, text: &str) -> Result<(), String> {
    read(kind, text)?.map_err(|error| error.to_string())
}

/// The document is refused at this place: keys with dots between them.
pub(crate) fn refused(kind: &str, text: &str, place: &str) -> Result<(), String> {
    match read(kind, text)? {
        Ok(()) => Err("it is not refused".to_owned()),
        Err(error) if error.pointer().trim_start_matches('/').replace('/', ".") == place => Ok(()),
        Err(error) => Err(format!("refused at `{}`: {error}", error.pointer())),
    }
}

/// The digest of a document, or one that it holds.
pub(crate) fn digest(kind: &str, field: Option<&str>, text: &str) -> Result<String, String> {
    let wrong = |error: DecodeError| error.to_string();
    let digest = match (kind, field) {
        ("scope", None) => Scope::from_json(text).map_err(wrong)?.sha256(),
        ("ceiling", None) => Ceiling::from_json(text).map_err(wrong)?.sha256(),
        ("grant", None) => Grant::from_json(text).map_err(wrong)?.sha256(),
        ("request", None) => Request::from_json(text).map_err(wrong)?.sha256(),
        ("request", Some(field)) => {
            let request = Request::from_json(text).map_err(wrong)?;
            match (request.target(), field) {
                (Target::Subprocess(target), "argv_sha256") => target.argv_sha256,
                (Target::Subprocess(target), "cwd_sha256") => target.cwd_sha256,
                _ => return Err(format!("it has no `{field}`")),
            }
        }
        ("receipts", None) => {
            let verified = audit::verify(text.as_bytes()).map_err(|error| error.to_string())?;
            verified.head().sha256
        }
        _ => return Err(format!("a document of kind `{kind}` has no digest")),
    };
    Ok(digest.to_hex())
}

pub(crate) fn sha256(text: &str) -> String {
    Digest::of(text.as_bytes()).to_hex()
}

fn read(kind: &str, text: &str) -> Result<Result<(), DecodeError>, String> {
    Ok(match kind {
        "scope" => Scope::from_json(text).map(drop),
        "ceiling" => Ceiling::from_json(text).map(drop),
        "request" => Request::from_json(text).map(drop),
        "restriction" => Restriction::from_json(text).map(drop),
        "budgets" => Restriction::from_budgets_json(text).map(drop),
        "artifact" => Artifact::from_json(text).map(drop),
        "grant" => Grant::from_json(text).map(drop),
        "record" => Record::from_json(text).map(drop),
        // It is written and never read: that it is what the code writes is asserted in Rust.
        "permissions" => Ok(()),
        "receipts" => match audit::verify(text.as_bytes()) {
            Ok(_) => Ok(()),
            Err(error) => return Err(error.to_string()),
        },
        _ => return Err(format!("what is a document of kind `{kind}`?")),
    })
}
