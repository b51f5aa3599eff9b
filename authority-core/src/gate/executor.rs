//! What an executor says of itself and of what it ran.

use crate::audit::{Code, Content};
use crate::vocabulary::Boundary;

/// What an executor enforces, as it says itself.
///
/// ```
/// use authority_core::{Capabilities, vocabulary::Boundary};
///
/// let in_a_container = Capabilities::new(Boundary::EnforcedByHarness)
///     .with_mounts()
///     .with_egress()
///     .with_environment();
/// assert!(in_a_container.enforces_a_sandbox());
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Capabilities {
    boundary: Boundary,
    mounts: bool,
    egress: bool,
    environment: bool,
}

impl Capabilities {
    /// An executor with this boundary, and without a sandbox.
    pub const fn new(boundary: Boundary) -> Self {
        Capabilities {
            boundary,
            mounts: false,
            egress: false,
            environment: false,
        }
    }

    /// It gives a process exactly the policy's filesystem scopes as mounts, and no other file.
    #[must_use]
    pub const fn with_mounts(mut self) -> Self {
        self.mounts = true;
        self
    }

    /// It gives a process exactly the policy's network scopes as egress, and no other.
    #[must_use]
    pub const fn with_egress(mut self) -> Self {
        self.egress = true;
        self
    }

    /// It gives a process exactly the policy's environment entries, and no other.
    #[must_use]
    pub const fn with_environment(mut self) -> Self {
        self.environment = true;
        self
    }

    /// Who enforces.
    pub const fn boundary(self) -> Boundary {
        self.boundary
    }

    /// Whether all three parts of a sandbox are enforced.
    pub const fn enforces_a_sandbox(self) -> bool {
        self.mounts && self.egress && self.environment
    }
}

/// How what was started ended.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Outcome {
    /// As it should.
    Completed,
    /// With an error: a code from the executor's source, and of the message its size and digest.
    Failed {
        /// The executor's word for it.
        code: Code,
        /// What is recorded of the message.
        message: Option<Content>,
    },
    /// It was stopped.
    Cancelled,
}

impl Outcome {
    /// A failure with this code and message, of which only size and digest are kept.
    pub fn failed(code: Code, message: &str) -> Self {
        Outcome::Failed {
            code,
            message: Some(Content::of(message.as_bytes())),
        }
    }
}
