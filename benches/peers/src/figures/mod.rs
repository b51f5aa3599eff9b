//! What is measured, a subject a module. Each adds its rows to the one report.

pub mod decide;
pub mod declared;
pub mod depth;
pub mod derive;
pub mod digest;
pub mod handles;
pub mod ledger;
pub mod limits;
pub mod load;
pub mod memory;
pub mod text;
