//! The grants of a gate: sealed, looked up and re-validated, whatever the store.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use crate::approval::{
    Context, Grant, GrantQuery, GrantSeal, GrantStore, GrantStoreError, Holder, Lifetime,
    RevalidateError, SealedGrant, StoredGrant, Timestamp,
};
use crate::id::Id;
use crate::vocabulary::{Boundary, RevalidationReason, ReviewerKind};

/// A store of grants with the host's key. What the store returns is checked here.
///
/// Without a key, persisted grants are neither written nor accepted. With one, every grant is sealed,
/// and one without a valid MAC is no grant.
#[derive(Clone)]
pub struct Grants {
    store: Arc<dyn GrantStore>,
    seal: Option<GrantSeal>,
}

/// What a look-up gives.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Found {
    /// The grant that holds; of several the one that expires soonest.
    Valid(Grant),
    /// None holds. This is the youngest, and why it does not.
    Refused(Grant, Refusal),
    /// There is none.
    Missing,
}

/// Why a grant that is there does not hold.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Refusal {
    /// Every reason, in order.
    Reasons(Vec<RevalidationReason>),
    /// The clock is before its creation.
    ClockBeforeCreation,
    /// Its reviewer or its boundary is weaker than what today's policy asks for.
    Weaker,
    /// No use is left.
    UsedUp,
}

impl Grants {
    /// The grants of this store, without a key.
    pub fn new(store: impl GrantStore + 'static) -> Self {
        Grants {
            store: Arc::new(store),
            seal: None,
        }
    }

    /// The same with the host's key.
    #[must_use]
    pub fn with_seal(mut self, seal: GrantSeal) -> Self {
        self.seal = Some(seal);
        self
    }

    /// Seals a grant and writes it down.
    ///
    /// # Errors
    ///
    /// `NoSeal` for a persisted grant without a key, and those of the store.
    pub fn insert(&self, grant: &Grant) -> Result<(), GrantStoreError> {
        let sealed = match (&self.seal, grant.lifetime()) {
            (Some(seal), _) => seal.seal(grant),
            (None, Lifetime::PersistedPolicy { .. }) => return Err(GrantStoreError::NoSeal),
            (None, _) => SealedGrant::unsealed(grant.clone()),
        };
        self.store.insert(&sealed)
    }

    /// Looks for a grant for what is about to run, under a policy that asks for such a reviewer and
    /// boundary. Of the context `has_live_parents` is taken from the store.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub fn find(
        &self,
        query: &GrantQuery<'_>,
        context: &Context<'_>,
        asked_for: (ReviewerKind, Boundary),
    ) -> Result<Found, GrantStoreError> {
        self.find_among(query, context, asked_for, |_| true)
    }

    /// The same for the grant with this id alone.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub fn find_only(
        &self,
        id: &Id<'_>,
        query: &GrantQuery<'_>,
        context: &Context<'_>,
        asked_for: (ReviewerKind, Boundary),
    ) -> Result<Found, GrantStoreError> {
        self.find_among(query, context, asked_for, |grant| {
            grant.id().as_str() == id.as_str()
        })
    }

    fn find_among(
        &self,
        query: &GrantQuery<'_>,
        context: &Context<'_>,
        (reviewer, boundary): (ReviewerKind, Boundary),
        is_wanted: impl Fn(&Grant) -> bool,
    ) -> Result<Found, GrantStoreError> {
        let found = self.store.find(query)?.into_iter();
        let found = found
            .filter(|stored| {
                let grant = stored.sealed.grant();
                is_wanted(grant) && query.matches(grant) && self.accepts(&stored.sealed)
            })
            .map(|stored| {
                let refusal = refusal(&stored, context, reviewer, boundary);
                (stored.sealed.grant().clone(), refusal)
            });
        let (valid, refused): (Vec<_>, Vec<_>) = found.partition(|(_, refusal)| refusal.is_none());
        let valid = valid.into_iter().map(|(grant, _)| grant);
        if let Some(grant) = valid.min_by_key(|grant| (grant.expires_at(), grant.id().clone())) {
            return Ok(Found::Valid(grant));
        }
        let refused = refused
            .into_iter()
            .filter_map(|(grant, refusal)| Some((grant, refusal?)));
        let youngest = refused.max_by_key(|(grant, _)| (grant.created_at(), grant.id().clone()));
        Ok(youngest.map_or(Found::Missing, |(grant, refusal)| {
            Found::Refused(grant, refusal)
        }))
    }

    /// The grant with this id, if it is there and sealed as it must be.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub fn grant(&self, id: &Id<'_>) -> Result<Option<StoredGrant>, GrantStoreError> {
        let stored = self.store.grant(id)?;
        Ok(stored.filter(|stored| self.accepts(&stored.sealed)))
    }

    /// Takes uses of a grant, all or none, and says how many are left.
    ///
    /// # Errors
    ///
    /// As [`GrantStore::consume`].
    pub fn consume(&self, id: &Id<'_>, uses: NonZeroU32) -> Result<u32, GrantStoreError> {
        self.store.consume(id, uses)
    }

    /// Revokes a grant, and with it all that was delegated from it.
    ///
    /// # Errors
    ///
    /// As [`GrantStore::revoke`].
    pub fn revoke(&self, id: &Id<'_>, at: Timestamp) -> Result<(), GrantStoreError> {
        self.store.revoke(id, at)
    }

    /// Revokes every grant of the holder for this session.
    ///
    /// # Errors
    ///
    /// As [`GrantStore::end_session`].
    pub fn end_session(
        &self,
        holder: &Holder,
        session_id: &Id<'_>,
        at: Timestamp,
    ) -> Result<(), GrantStoreError> {
        self.store.end_session(holder, session_id, at)
    }

    fn accepts(&self, sealed: &SealedGrant) -> bool {
        match &self.seal {
            Some(seal) => seal.verifies(sealed),
            None => !matches!(sealed.grant().lifetime(), Lifetime::PersistedPolicy { .. }),
        }
    }
}

impl fmt::Debug for Grants {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Grants")
            .field("seal", &self.seal)
            .finish_non_exhaustive()
    }
}

fn refusal(
    stored: &StoredGrant,
    context: &Context<'_>,
    reviewer: ReviewerKind,
    boundary: Boundary,
) -> Option<Refusal> {
    let grant = stored.sealed.grant();
    let context = Context {
        has_live_parents: stored.has_live_parents,
        ..*context
    };
    match grant.revalidate(&context) {
        Err(RevalidateError::ClockBeforeCreation) => Some(Refusal::ClockBeforeCreation),
        Ok(reasons) if !reasons.is_empty() => Some(Refusal::Reasons(reasons)),
        Ok(_) if !grant.is_strong_enough(reviewer, boundary) => Some(Refusal::Weaker),
        Ok(_) if stored.left == 0 => Some(Refusal::UsedUp),
        Ok(_) => None,
    }
}
