//! How results are shown: text with the source, JSON, SARIF.

pub(crate) mod json;
pub(crate) mod sarif;
pub(crate) mod text;
