//! A file a command.

pub(crate) mod audit;
pub(crate) mod check;
pub(crate) mod delegate;
pub(crate) mod diff;
pub(crate) mod digest;
pub(crate) mod doc;
pub(crate) mod explain;
pub(crate) mod generated;
pub(crate) mod list;
pub(crate) mod lock;
pub(crate) mod manifest;
pub(crate) mod schema;
pub(crate) mod simulate;
