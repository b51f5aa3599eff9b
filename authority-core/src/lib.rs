//! The pure model behind [`authority`](https://docs.rs/authority): vocabulary, targets, scopes,
//! digests, permissions and decisions.
//!
//! This crate does no I/O, reads no clock and holds no global state. A host depends on the facade
//! `authority`, which re-exports what it needs.

mod artifact;
mod bindings;
mod budgets;
mod builder;
mod canonical;
mod ceiling;
mod child_ceiling;
mod credential;
mod decision;
mod declaration;
#[doc(hidden)]
pub mod declared;
mod digest;
#[doc(hidden)]
pub mod draft;
mod host;
mod id;
mod idna;
mod json;
#[doc(hidden)]
pub mod kinds;
mod ledger;
mod manifest;
mod money;
mod operation_set;
mod permissions;
mod policy;
mod request;
mod restriction;
mod rule;
mod sandbox;
mod scope;
mod settings;
#[doc(hidden)]
pub mod suggest;
pub mod target;
mod text;
mod tool;
pub mod vocabulary;

/// Suites that every implementation of a trait of this crate runs.
#[cfg(any(test, feature = "conformance"))]
pub mod conformance {
    pub use crate::ledger::conformance::ledger;
}

pub use artifact::{Artifact, ModelRoute};
pub use bindings::{
    BindingError, BindingResolver, BindingRevisions, BoundDirectory, RequiredBinding,
    ResolvedBinding,
};
pub use budgets::{ThreadBudgets, ThreadLimits, ThreadRateLimit};
pub use builder::{BuildError, BuildErrorReason, PermissionsBuilder};
pub use ceiling::{Ceiling, CeilingError};
pub use child_ceiling::ChildCeiling;
pub use credential::{CredentialGrant, CredentialTarget};
pub use decision::Decision;
pub use declaration::{Declaration, DeclaredScope, ScopeOrigin};
pub use digest::Digest;
pub use id::{Id, ToolName};
pub use json::{DecodeError, DecodeRule};
pub use ledger::{
    Amounts, Clock, Guard, Ledger, LedgerDenial, LedgerError, ManualClock, MemoryLedger, OverUse,
    Reservation, Settlement, Slot,
};
pub use manifest::{DocumentVersions, KindOperations, Manifest, OperationEntry, manifest};
pub use money::{MicroDollars, MoneyError};
pub use operation_set::{OperationSet, OperationSetError};
pub use permissions::ThreadPermissions;
pub use policy::{
    Change, Difference, ExplainedEntry, Explanation, LostAt, Nearest, Outcome,
    PolicyIntersectionError, PreparedChild, Revocation, RootHandle, Side, ThreadIdentity,
    ThreadPolicy,
};
pub use request::{Request, RequestError};
pub use restriction::{BUDGETS_EXTENSION, Restriction, THREAD_POLICY_EXTENSION};
pub use rule::{Rule, TextError};
pub use sandbox::{FilesystemGrant, SandboxPermissions};
pub use scope::{Scope, ScopeError};
pub use settings::Settings;
pub use target::Target;
pub use tool::{McpToolBinding, ToolBinding, ToolGrant};
pub use vocabulary::{Kind, Operation, operations};
