//! Approvals: when somebody is asked, and what exactly they approve.

mod boundary;
mod reviewer;
mod rule;

pub use reviewer::Reviewer;
