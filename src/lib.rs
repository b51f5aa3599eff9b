//! Declare a host's root authority in code, checked while compiling, and hand frozen, ever narrower
//! subsets of it to child agents.
//!
//! A program that hosts AI agents holds real power: files, processes, the network, repositories,
//! tools, credentials, money. With this crate it says in one place, exactly, what of it may be used:
//!
//! ```
//! use authority::{ThreadPermissions, authority};
//!
//! let root: ThreadPermissions = authority! {
//!     filesystem "ws" => read, write;
//!     github "acme/checkout" => read, pull_request.write;
//! };
//! # assert_eq!(root.scopes().count(), 2);
//! ```
//!
//! Targets are exact: there is no wildcard, prefix, glob, variable or deny rule. What would be one is
//! a compile error that says what to write instead. See [`authority!`] for the whole language.
//!
//! # Deciding
//!
//! What a thread wants to do is a [`Request`]; it is decided by what is declared, and by nothing else:
//!
//! ```
//! use authority::{DenyReason, Request, authority, operations::filesystem};
//!
//! let root = authority! { filesystem "ws" / "CHANGELOG.md" => read, write; };
//!
//! let write = Request::filesystem("ws", "CHANGELOG.md", filesystem::Write)?;
//! assert!(root.decide(&write).is_allowed());
//!
//! let other = Request::filesystem("ws", "CHANGELOG.md.orig", filesystem::Write)?;
//! assert_eq!(root.decide(&other).reason(), Some(DenyReason::TargetNotDeclared));
//! # Ok::<(), authority::RequestError>(())
//! ```
//!
//! Requests also come as JSON, decoded strictly: [`Request::from_json`]. An allowed request names the
//! scope that allowed it, with its doc comment, file and line: [`Decision::entry`],
//! [`ThreadPermissions::scope`].
//!
//! # What the host resolves
//!
//! A declaration holds ids, never paths of the machine, addresses of servers or secrets. What an id
//! stands for is the host's own business: [`ThreadPermissions::required_bindings`] lists every id,
//! and [`ThreadPermissions::check_bindings`] names all that the host does not resolve, at once.
//!
//! # Declaring at run time
//!
//! A host that learns its authority only at run time uses [`ThreadPermissions::builder`], which keeps
//! the same rules. There is no way to decode permissions from a document, and no default.
//!
//! # Features
//!
//! - `audit-file`, on by default: [`AuditFile`], the chain of receipts in a file.
//! - `system-clock`, on by default: [`SystemClock`], the time of the machine.
//! - `ed25519`: `audit::Ed25519Sealer`, whose seals can be verified without the secret key. It adds the
//!   crate `ed25519-dalek`.
//! - `terminal`, on by default: [`TerminalReviewer`], which asks the person at the terminal.
//! - `tracing`: an event for each record of a gate, with attributes that begin with `authority.`.
//! - `url`: requests may be given as whole URLs ([`Request::from_json`] with a `"url"` member and the
//!   constructors that take one). It adds the crates `url` and `idna`.
//! - `conformance`: suites for other implementations of the traits, as `conformance::ledger`.

#[cfg(feature = "audit-file")]
mod audit_file;
#[cfg(feature = "system-clock")]
mod system_clock;
#[cfg(feature = "terminal")]
mod terminal;

#[cfg(feature = "audit-file")]
pub use audit_file::{AuditFile, AuditFileError, AuditFileOptions};
pub use authority_core::{
    Artifact, BUDGETS_EXTENSION, BindingError, BindingResolver, BindingRevisions, BoundDirectory,
    BuildError, BuildErrorReason, Ceiling, CeilingError, Change, ChangeOutcome, ChildCeiling,
    CredentialGrant, CredentialTarget, Decision, Declaration, DeclaredScope, DecodeError,
    DecodeRule, Difference, Digest, ExplainedEntry, Explanation, FilesystemGrant, Id, Kind, LostAt,
    MacKey, MacKeyError, Manifest, McpToolBinding, MicroDollars, ModelRoute, MoneyError, Nearest,
    Operation, OperationSet, OperationSetError, PermissionsBuilder, PolicyIntersectionError,
    PreparedChild, Request, RequestError, RequiredBinding, ResolvedBinding, ResolvedTarget,
    Restriction, Revocation, RootHandle, RootOptions, Rule, SandboxPermissions, Scope, ScopeError,
    ScopeOrigin, Selection, Settings, Side, THREAD_POLICY_EXTENSION, Target, TextError,
    ThreadBudgets, ThreadIdentity, ThreadLimits, ThreadPermissions, ThreadPolicy, ThreadRateLimit,
    ToolBinding, ToolGrant, ToolName, audit, manifest, operations, target, vocabulary,
    vocabulary::{DenyReason, ExecutionMode, Protocol, RedirectPolicy, Setting},
};

pub use authority_core::{
    Advisory, AdvisoryField, ApprovalPolicy, CompileError, CompiledRule, Content, Context,
    Coverage, Effect, EffectField, ExplicitRule, Found, GithubPart, GithubResource, Grant,
    GrantError, GrantQuery, GrantSeal, GrantStore, GrantStoreError, Grants, Holder, HttpRequest,
    Lifetime, MemoryGrants, NewGrant, Preview, PreviewChange, PreviewError, Previous, Refusal,
    RevalidateError, Reviewed, Reviewer, RuleError, SealedGrant, StoredGrant, TextLimits,
    Timestamp, TimestampError,
    vocabulary::{Boundary, Preset, RevalidationReason, ReviewerKind, RuleDecision},
};

pub use authority_core::{
    Amounts, Clock, Guard, Ledger, LedgerDenial, LedgerError, ManualClock, MemoryLedger, OverUse,
    Reservation, Settlement, Slot, SteadyClock,
};
#[cfg(feature = "system-clock")]
pub use system_clock::SystemClock;
#[cfg(feature = "terminal")]
pub use terminal::TerminalReviewer;

pub use authority_core::{
    Answer, Answered, Attempt, Begun, Capabilities, DenialReason, Denied, FinishError, Foreign,
    Gate, GateBuilder, GateError, Outcome, Pending, Permit, Question, QuestionLimits, Redeemer,
    Review, ReviewAsync, ReviewError, ReviewFuture, Running, RunningTool, Simulation,
};

/// Suites that an implementation of a trait of this crate runs in its tests.
#[cfg(feature = "conformance")]
pub use authority_core::conformance;

#[doc(hidden)]
pub use authority_core::kinds;

/// The examples of the README and of the guide are tests.
#[cfg(all(
    doctest,
    feature = "audit-file",
    feature = "system-clock",
    feature = "terminal"
))]
mod guide {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../docs/approving.md")]
    struct Approving;
    #[doc = include_str!("../docs/auditing.md")]
    struct Auditing;
    #[doc = include_str!("../docs/declaring.md")]
    struct Declaring;
    #[doc = include_str!("../docs/delegating.md")]
    struct Delegating;
    #[doc = include_str!("../docs/getting-started.md")]
    struct GettingStarted;
    #[doc = include_str!("../docs/reviewing.md")]
    struct Reviewing;
    #[doc = include_str!("../docs/wire-formats.md")]
    struct WireFormats;
}

/// Declares authority: exact targets and their operations, checked while compiling.
///
/// # Two forms
///
/// In expression position it gives [`ThreadPermissions`] by value:
///
/// ```
/// use authority::authority;
///
/// let root = authority! {
///     filesystem "ws" => read, write;
/// };
/// # assert_eq!(root.scopes().count(), 1);
/// ```
///
/// In item position it gives a documented module for each `mod`, with `PERMISSIONS` (a `static`
/// [`ThreadPermissions`]), `CEILING_SHA256` and `DECLARATION_SHA256`, and in it a module for each
/// child with a block, with `CEILING` (a `static` [`ChildCeiling`]) and the same two digests:
///
/// ```
/// use authority::authority;
///
/// authority! {
///     /// What the release bot may do.
///     pub mod release_bot {
///         /// The checked-out repository.
///         filesystem "ws" => list, read, write;
///         filesystem "ws" / "Cargo.toml" delegable => read;
///         subprocess "git" ["status", "--porcelain"] in "ws" => execute;
///         network "https://api.example.com:443" redirect same_origin => request.safe;
///         github "rust-lang/cargo" => read, pull_request.write;
///         browser "https://docs.rs" => navigate, read;
///         mcp "docs" => start, list;
///         mcp "docs" / "search" => call;
///         integration "tracker"
///             @ "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" => invoke;
///
///         credential provider "anthropic" = "anthropic-prod";
///         credential mcp "docs" = none;
///         tool "search_docs" = mcp "docs" / "search";
///         tool "echo" = native;
///         environment "CI", "RUST_LOG";
///         execution sandboxed;
///         budget tokens_per_turn = 8_000, cost_per_session_usd = 2.50, timeout_seconds = 600;
///         rate requests_per_minute = 60;
///         limit concurrent_tools = 2, agents = 8, depth = 3;
///
///         /// Reads and comments, never writes.
///         child_agent "reviewer" => delegate, message {
///             filesystem "ws" / "Cargo.toml" => read;
///             github "rust-lang/cargo" => read;
///             budget tokens_per_turn = 2_000;
///             expect deny filesystem "ws" / "src/lib.rs" => read;
///         }
///
///         expect allow filesystem "ws" / "src/lib.rs" => read;
///         expect deny github "rust-lang/cargo" => release.write;
///     }
/// }
///
/// assert_eq!(release_bot::PERMISSIONS.children().count(), 1);
/// assert_eq!(release_bot::reviewer::CEILING.scopes().count(), 2);
/// ```
///
/// # Entries
///
/// | entry | grants |
/// | --- | --- |
/// | `filesystem "ws"` | a whole directory that the host has bound to the id `ws` |
/// | `filesystem "ws" / "Cargo.toml"` | one exact path in it; with `delegable` when the whole binding grants it already and a child is to be given just this |
/// | `subprocess "git" ["status"] in "ws"` | one executable, exactly these arguments, in this working directory (`in "ws" / "crates/core"` below a binding) |
/// | `network "https://api.example.com:443"` | one endpoint, with `redirect same_origin` if a redirect may be followed |
/// | `github "owner/repository"` | one repository on github.com, in lower case |
/// | `browser "https://docs.rs"` | one origin |
/// | `mcp "docs"` and `mcp "docs" / "search"` | an MCP server, and one of its tools: two targets with operations of their own |
/// | `integration "tracker" @ "sha256:…"` | an integration at one revision |
/// | `child_agent "reviewer" => delegate { … }` | an agent, with a block that is checked against this body |
///
/// Every entry ends in `;` (optional after a block). What each operation covers, and never covers, is
/// in the [vocabulary]. The other entries are `credential`, `tool`, `environment`, `execution`,
/// `budget`, `rate`, `limit` (see [`Setting`]) and `expect allow` or `expect deny`, which is decided
/// while compiling by the code that decides at run time.
///
/// # If you see …
///
/// - `character literal may only contain one codepoint`: texts stand in double quotes, `"ws"`.
/// - `unicode codepoint changing visible direction of text present in literal`: the compiler's own
///   error about a bidirectional character, beside the one of this macro.
/// - ``macro expansion ignores `{` and any tokens following``, or `expected item`: entries without a
///   `mod` are an expression. In item position write `pub mod name { … }` around them.
/// - `expected expression, found keyword`: modules in expression position. Move the call out of the
///   function, or leave the `mod` away.
///
/// Errors of the macro itself end in a code such as `[A0201]`; the page `docs/errors.md` of the
/// repository says what each means, with a wrong and a right example.
#[macro_export]
macro_rules! authority {
    ($($tokens:tt)*) => { $crate::__private::authority! { [$crate] $($tokens)* } };
}

/// What the expansion of [`authority!`] names. Not for use by hand.
#[doc(hidden)]
pub mod __private {
    pub use authority_core::declared::*;
    pub use authority_macros::authority;

    /// The names that the host wrote are there for editors. The compiler has no use for them: what
    /// they say stands in the packed data, so that it does not look at each of thousands of rows.
    #[cfg(rust_analyzer)]
    #[doc(hidden)]
    #[macro_export]
    macro_rules! __names {
        ($($names:tt)*) => { $($names)* };
    }

    #[cfg(not(rust_analyzer))]
    #[doc(hidden)]
    #[macro_export]
    macro_rules! __names {
        ($($names:tt)*) => {};
    }

    /// Docs are made from names, so they come after them; rustc wants them in front.
    #[doc(hidden)]
    #[macro_export]
    macro_rules! __module {
        ({ $($attributes:tt)* } { $($module:tt)* } { $($docs:tt)* }) => { $($attributes)* $($docs)* $($module)* };
    }

    pub use crate::{__module, __names};
}
