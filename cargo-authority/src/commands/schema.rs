//! `schema`: JSON Schemas of the documents and of what the commands print.

use crate::error::Error;
use crate::report::json;
use crate::schema::{Name, schema};
use crate::{Verdict, print};

pub(crate) fn run(name: Name) -> Result<Verdict, Error> {
    print(&json::indented(&schema(name).to_string()))?;
    Ok(Verdict::Fine)
}
