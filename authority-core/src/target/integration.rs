//! `integration`: an integration at one immutable revision.

use crate::digest::Digest;
use crate::id::Id;

/// An integration at one revision.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct IntegrationTarget<'a> {
    /// The integration.
    pub integration: Id<'a>,
    /// Digest of the revision that was reviewed.
    pub revision_sha256: Digest,
}
