//! Where grants are kept and their uses counted.

use std::num::NonZeroU32;
use std::sync::Arc;

use crate::approval::{GrantError, Holder, Lifetime, SealedGrant, Timestamp};
use crate::id::Id;
use crate::scope::Scope;

/// What keeps grants and counts their uses. It decides nothing: that is [`Grants`](crate::Grants)'s
/// to do, whatever the store.
///
/// Each call is one step, and durable before it returns, as far as the store outlives the process.
/// An implementation passes the suite `authority_core::conformance::grant_store` (feature
/// `conformance`).
pub trait GrantStore: Send + Sync {
    /// Writes a grant down with all its uses. The same grant again changes nothing, and gives back
    /// neither uses nor what was revoked.
    ///
    /// A grant with a parent takes its uses from what that has left, in the same step.
    ///
    /// # Errors
    ///
    /// `OtherContents` when another grant has the id; for a child `Revoked` when a grant above it is
    /// missing or revoked, `Parent` when it does not lie within its parent, `UsedUp` when that has
    /// too few uses left.
    fn insert(&self, grant: &SealedGrant) -> Result<(), GrantStoreError>;

    /// Revokes the grant with this id, for ever: also one that is inserted only later. The second
    /// time changes nothing.
    ///
    /// # Errors
    ///
    /// `Unavailable`, `Full`.
    fn revoke(&self, id: &Id<'_>, at: Timestamp) -> Result<(), GrantStoreError>;

    /// Revokes every grant that this holder has for this session.
    ///
    /// # Errors
    ///
    /// `Unavailable`.
    fn end_session(
        &self,
        holder: &Holder,
        session_id: &Id<'_>,
        at: Timestamp,
    ) -> Result<(), GrantStoreError>;

    /// Takes so many uses, all or none, and says how many are left. No use is ever given back.
    ///
    /// # Errors
    ///
    /// `Unknown`, `Revoked` (also for a grant above it that is missing or revoked), `UsedUp`.
    fn consume(&self, id: &Id<'_>, uses: NonZeroU32) -> Result<u32, GrantStoreError>;

    /// Every grant of the holder for exactly this scope and one of these lifetimes, also those that
    /// are revoked, expired or used up.
    ///
    /// # Errors
    ///
    /// `Unavailable`.
    fn find(&self, query: &GrantQuery<'_>) -> Result<Vec<StoredGrant>, GrantStoreError>;

    /// The grant with this id.
    ///
    /// # Errors
    ///
    /// `Unavailable`.
    fn grant(&self, id: &Id<'_>) -> Result<Option<StoredGrant>, GrantStoreError>;
}

impl<S: GrantStore + ?Sized> GrantStore for Arc<S> {
    fn insert(&self, grant: &SealedGrant) -> Result<(), GrantStoreError> {
        (**self).insert(grant)
    }

    fn revoke(&self, id: &Id<'_>, at: Timestamp) -> Result<(), GrantStoreError> {
        (**self).revoke(id, at)
    }

    fn end_session(
        &self,
        holder: &Holder,
        session_id: &Id<'_>,
        at: Timestamp,
    ) -> Result<(), GrantStoreError> {
        (**self).end_session(holder, session_id, at)
    }

    fn consume(&self, id: &Id<'_>, uses: NonZeroU32) -> Result<u32, GrantStoreError> {
        (**self).consume(id, uses)
    }

    fn find(&self, query: &GrantQuery<'_>) -> Result<Vec<StoredGrant>, GrantStoreError> {
        (**self).find(query)
    }

    fn grant(&self, id: &Id<'_>) -> Result<Option<StoredGrant>, GrantStoreError> {
        (**self).grant(id)
    }
}

/// Which grants are looked for.
#[derive(Clone, Copy, Debug)]
pub struct GrantQuery<'a> {
    /// The thread that asks.
    pub holder: &'a Holder,
    /// The request's target with its operation.
    pub scope: &'a Scope<'a>,
    /// The operation, the session and the policies that a grant may be for.
    pub lifetimes: &'a [Lifetime],
}

impl GrantQuery<'_> {
    /// Whether this grant is looked for.
    pub fn matches(&self, grant: &crate::Grant) -> bool {
        grant.scope() == self.scope
            && self.lifetimes.contains(grant.lifetime())
            && grant.is_held_by(self.holder)
    }
}

/// A grant as a store has it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct StoredGrant {
    /// The grant, revoked if it is.
    pub sealed: SealedGrant,
    /// How many uses are left.
    pub left: u32,
    /// Whether every grant above it is there and not revoked.
    pub has_live_parents: bool,
}

/// Why a store did nothing.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum GrantStoreError {
    /// Another grant has this id.
    #[error("another grant has this id")]
    OtherContents,
    /// No grant has this id.
    #[error("no grant has this id")]
    Unknown,
    /// The grant is revoked, or one above it is revoked or missing.
    #[error("the grant, or one above it, is revoked")]
    Revoked,
    /// Too few uses are left.
    #[error("the grant has {left} uses left")]
    UsedUp {
        /// How many there are.
        left: u32,
    },
    /// The grant does not lie within its parent.
    #[error("{0}")]
    Parent(GrantError),
    /// A persisted grant, and the host gave no key to seal it with.
    #[error("a persisted grant needs the host's key")]
    NoSeal,
    /// The store has no room.
    #[error("the store of grants is full")]
    Full,
    /// The store cannot answer.
    #[error("the store of grants cannot answer")]
    Unavailable,
}

impl GrantStoreError {
    /// The error's name.
    pub const fn name(self) -> &'static str {
        match self {
            GrantStoreError::OtherContents => "grant_id_reused",
            GrantStoreError::Unknown => "no_grant",
            GrantStoreError::Revoked => "revoked",
            GrantStoreError::UsedUp { .. } => "used_up",
            GrantStoreError::Parent(_) => "not_within_parent_grant",
            GrantStoreError::NoSeal => "no_grant_seal",
            GrantStoreError::Full => "grant_store_full",
            GrantStoreError::Unavailable => "grants_unavailable",
        }
    }
}
