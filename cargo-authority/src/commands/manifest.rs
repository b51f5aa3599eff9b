//! `manifest`: the vocabulary.

use crate::error::Error;
use crate::report::json;
use crate::{Verdict, print};

pub(crate) fn run() -> Result<Verdict, Error> {
    print(&json::indented(&json::line(&authority_core::manifest())?))?;
    Ok(Verdict::Fine)
}
