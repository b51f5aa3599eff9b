//! The pure model behind [`authority`](https://docs.rs/authority): vocabulary, targets, scopes,
//! digests, permissions and decisions.
//!
//! This crate does no I/O, reads no clock and holds no global state. A host depends on the facade
//! `authority`, which re-exports what it needs.
//!
//! # Features
//!
//! - `host`, on by default: what a running host uses, that is requests, policies, the ledger, the
//!   builder, decoding, and serde's `Serialize`. Without it the crate checks declarations and makes
//!   them, which is all that the macro needs, and what a host waits for at each clean build.
//! - `ed25519`: seals of the audit that can be verified without the secret key.
//! - `tracing`: an event for each record of a gate.
//! - `url`: requests with whole URLs.
//! - `conformance`: suites for implementations of the traits.

// The macro's build leaves out what only a host uses, and so the users of some items.
#![cfg_attr(not(feature = "host"), allow(dead_code, unreachable_pub))]

#[cfg(feature = "host")]
mod approval;
#[cfg(feature = "host")]
mod artifact;
#[cfg(feature = "host")]
pub mod audit;
#[cfg(feature = "host")]
mod bindings;
mod budgets;
#[cfg(feature = "host")]
mod builder;
mod byte;
mod canonical;
mod ceiling;
mod child_ceiling;
#[cfg(feature = "host")]
mod clock;
mod credential;
mod decision;
mod declaration;
#[cfg(feature = "host")]
#[doc(hidden)]
pub mod declared;
mod digest;
#[doc(hidden)]
pub mod draft;
#[cfg(feature = "host")]
mod gate;
mod host;
mod id;
mod idna;
#[cfg(feature = "host")]
mod json;
#[cfg(feature = "host")]
#[doc(hidden)]
pub mod kinds;
#[cfg(feature = "host")]
mod ledger;
#[cfg(feature = "host")]
mod mac;
#[cfg(feature = "host")]
mod manifest;
mod money;
mod operation_set;
mod permissions;
#[cfg(feature = "host")]
mod policy;
#[cfg(feature = "host")]
mod request;
#[cfg(feature = "host")]
mod request_debug;
#[cfg(feature = "host")]
mod restriction;
mod rule;
mod sandbox;
mod scope;
#[cfg(feature = "host")]
mod serialize;
mod settings;
#[doc(hidden)]
pub mod suggest;
pub mod target;
mod text;
mod tool;
pub mod vocabulary;
#[cfg(feature = "host")]
mod word;

/// Suites that every implementation of a trait of this crate runs.
#[cfg(any(test, feature = "conformance"))]
pub mod conformance {
    pub use crate::approval::store_conformance::grant_store;
    pub use crate::audit::conformance::audit_sink;
    pub use crate::ledger::conformance::ledger;
}

#[cfg(feature = "host")]
pub use approval::{
    Advisory, AdvisoryField, ApprovalPolicy, CompileError, CompiledRule, Content, Context,
    Coverage, Effect, EffectField, ExplicitRule, Found, GithubPart, GithubResource, Grant,
    GrantError, GrantQuery, GrantSeal, GrantStore, GrantStoreError, Grants, Holder, HttpRequest,
    Lifetime, MemoryGrants, NewGrant, Preview, PreviewChange, PreviewError, Previous, Refusal,
    RevalidateError, Reviewed, Reviewer, RuleError, SealedGrant, StoredGrant, TextLimits,
    Timestamp, TimestampError,
};
#[cfg(feature = "host")]
pub use artifact::{Artifact, ModelRoute};
#[cfg(feature = "host")]
pub use bindings::{
    BindingError, BindingResolver, BindingRevisions, BoundDirectory, RequiredBinding,
    ResolvedBinding,
};
pub use budgets::{ThreadBudgets, ThreadLimits, ThreadRateLimit};
#[cfg(feature = "host")]
pub use builder::{BuildError, BuildErrorReason, PermissionsBuilder};
pub use ceiling::{Ceiling, CeilingError};
pub use child_ceiling::ChildCeiling;
#[cfg(feature = "host")]
pub use clock::{Clock, ManualClock, SteadyClock};
pub use credential::{CredentialGrant, CredentialTarget};
pub use decision::Decision;
pub use declaration::{Declaration, DeclaredScope, ScopeOrigin};
pub use digest::Digest;
#[cfg(feature = "host")]
pub use gate::{
    Answer, Answered, Attempt, Begun, Capabilities, DenialReason, Denied, FinishError, Foreign,
    Gate, GateBuilder, GateError, Outcome, Pending, Permit, Question, QuestionLimits, Redeemer,
    Review, ReviewAsync, ReviewError, ReviewFuture, Running, RunningTool, Simulation,
};
pub use id::{Id, ToolName};
#[cfg(feature = "host")]
pub use json::{DecodeError, DecodeRule};
#[cfg(feature = "host")]
pub use ledger::{
    Amounts, Guard, Ledger, LedgerDenial, LedgerError, MemoryLedger, OverUse, Reservation,
    Settlement, Slot,
};
#[cfg(feature = "host")]
pub use mac::{MacKey, MacKeyError};
#[cfg(feature = "host")]
pub use manifest::{DocumentVersions, KindOperations, Manifest, OperationEntry, manifest};
pub use money::{MicroDollars, MoneyError};
pub use operation_set::{OperationSet, OperationSetError};
pub use permissions::ThreadPermissions;
#[cfg(feature = "host")]
pub use policy::{
    Change, ChangeOutcome, Difference, ExplainedEntry, Explanation, LostAt, Nearest,
    PolicyIntersectionError, PreparedChild, ResolvedTarget, Revocation, RootHandle, RootOptions,
    Selection, Side, ThreadIdentity, ThreadPolicy,
};
#[cfg(feature = "host")]
pub use request::{Request, RequestError};
#[cfg(feature = "host")]
pub use restriction::{BUDGETS_EXTENSION, Restriction, THREAD_POLICY_EXTENSION};
pub use rule::{Rule, TextError};
pub use sandbox::{FilesystemGrant, SandboxPermissions};
pub use scope::{Scope, ScopeError};
pub use settings::Settings;
pub use target::Target;
pub use tool::{McpToolBinding, ToolBinding, ToolGrant};
pub use vocabulary::{Kind, Operation, operations};
