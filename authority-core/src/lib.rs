//! The pure model behind [`authority`](https://docs.rs/authority): vocabulary, targets, scopes,
//! digests, permissions and decisions.
//!
//! This crate does no I/O, reads no clock and holds no global state. A host depends on the facade
//! `authority`, which re-exports what it needs.

mod budgets;
mod canonical;
mod ceiling;
#[doc(hidden)]
pub mod declared;
mod digest;
#[doc(hidden)]
pub mod draft;
mod id;
mod json;
mod manifest;
mod money;
mod operation_set;
mod request;
mod rule;
mod scope;
#[doc(hidden)]
pub mod suggest;
pub mod target;
mod text;
pub mod vocabulary;

pub use budgets::{ThreadBudgets, ThreadLimits, ThreadRateLimit};
pub use ceiling::{Ceiling, CeilingError};
pub use digest::Digest;
pub use id::{Id, ToolName};
pub use json::{DecodeError, DecodeRule};
pub use manifest::{DocumentVersions, KindOperations, Manifest, OperationEntry, manifest};
pub use money::{MicroDollars, MoneyError};
pub use operation_set::{OperationSet, OperationSetError};
pub use request::{Request, RequestError};
pub use rule::{Rule, TextError};
pub use scope::{Scope, ScopeError};
pub use target::Target;
pub use vocabulary::{Kind, Operation, operations};
