//! Why a child cannot be made.

use crate::vocabulary::Setting;

/// Why a child cannot be made. The names are ids that the host declared, never contents of an
/// artifact.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum PolicyIntersectionError {
    /// A restriction does not decode, or is missing where one is required.
    #[error("the restriction `{section}` is not supported at `{pointer}`")]
    UnsupportedShape {
        /// The extension, or `extensions`.
        section: &'static str,
        /// The JSON Pointer of the first error.
        pointer: String,
    },
    /// A thread id that was used before, a ceiling of another agent, or a handle of another root.
    #[error(
        "an identity does not match: a thread id is used once, an agent gets its own ceiling, and a handle serves its own root"
    )]
    IdentityMismatch,
    /// The model's provider has no credential that the child would hold.
    #[error("no credential for the provider `{provider}` is held")]
    CredentialNotGranted {
        /// The provider.
        provider: String,
    },
    /// A ceiling that the policy's declaration does not hold for this agent.
    #[error("the ceiling is not declared for an agent that this thread may make a child of")]
    CeilingNotDeclared,
    /// A ceiling that names what the policy does not hold.
    #[error(
        "the ceiling names what the thread does not hold: {what}; a thread that holds it can make this child"
    )]
    CeilingExceeded {
        /// What it names, as the DSL writes it.
        what: String,
    },
    /// A limit that is reached.
    #[error("the limit `{}` is reached", limit.name())]
    LimitExceeded {
        /// The limit.
        limit: Setting,
    },
    /// The policy is closed.
    #[error("the policy is closed")]
    Closed,
}
