//! A file a command.

pub(crate) mod check;
pub(crate) mod digest;
pub(crate) mod explain;
pub(crate) mod list;
pub(crate) mod manifest;
