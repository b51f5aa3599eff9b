//! The grants of one process.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher as _;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::approval::{
    Grant, GrantQuery, GrantStore, GrantStoreError, Holder, Lifetime, SealedGrant, StoredGrant,
    Timestamp,
};
use crate::id::Id;
use crate::scope::Scope;

/// Grants in memory, which are gone with the process.
///
/// It holds a bounded number. When it is full, grants that had expired when the new one was made go
/// first; if none had, nothing is inserted.
pub struct MemoryGrants {
    most: NonZeroUsize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    records: HashMap<Id<'static>, Record>,
    /// Ids by the hash of what is looked up.
    index: HashMap<u64, Vec<Id<'static>>>,
    hasher: RandomState,
    /// Ids that were revoked before their grant came.
    revoked_ahead: HashMap<Id<'static>, Timestamp>,
}

struct Record {
    sealed: SealedGrant,
    left: u32,
}

impl MemoryGrants {
    /// An empty store for up to 10 000 grants.
    pub fn new() -> Self {
        Self::with_most(NonZeroUsize::MIN.saturating_add(9_999))
    }

    /// An empty store for up to so many grants.
    pub fn with_most(most: NonZeroUsize) -> Self {
        MemoryGrants {
            most,
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn len(&self) -> usize {
        self.records.len() + self.revoked_ahead.len()
    }

    fn has_live_parents(&self, grant: &Grant) -> bool {
        let mut parent = grant.parent_grant();
        while let Some(id) = parent {
            match self.records.get(id) {
                Some(record) if !record.sealed.grant().is_revoked() => {
                    parent = record.sealed.grant().parent_grant();
                }
                _ => return false,
            }
        }
        true
    }

    fn stored(&self, record: &Record) -> StoredGrant {
        StoredGrant {
            sealed: record.sealed.clone(),
            left: record.left,
            has_live_parents: self.has_live_parents(record.sealed.grant()),
        }
    }

    /// Moves a child's uses from its parent.
    fn take_from_parent(&mut self, child: &Grant) -> Result<(), GrantStoreError> {
        let Some(parent) = child.parent_grant() else {
            return Ok(());
        };
        if !self.has_live_parents(child) {
            return Err(GrantStoreError::Revoked);
        }
        let parent = self.records.get_mut(parent);
        let parent = parent.ok_or(GrantStoreError::Revoked)?;
        child
            .check_parent(parent.sealed.grant())
            .map_err(GrantStoreError::Parent)?;
        parent.take(child.uses())
    }

    fn index(&mut self, grant: &Grant) {
        let key = self.key(grant.holder(), grant.lifetime(), grant.scope());
        let ids = self.index.entry(key).or_default();
        ids.push(grant.id().clone());
    }

    fn key(&self, holder: &Holder, lifetime: &Lifetime, scope: &Scope<'_>) -> u64 {
        self.hasher.hash_one((holder, lifetime, scope))
    }

    /// A grant that had expired stays so, whatever was revoked: no clock goes back.
    fn forget_expired(&mut self, now: Timestamp) {
        self.records
            .retain(|_, record| record.sealed.grant().expires_at() > now);
        let records = &self.records;
        self.index.retain(|_, ids| {
            ids.retain(|id| records.contains_key(id));
            !ids.is_empty()
        });
    }
}

impl Record {
    fn take(&mut self, uses: NonZeroU32) -> Result<(), GrantStoreError> {
        let left = self.left;
        self.left = left
            .checked_sub(uses.get())
            .ok_or(GrantStoreError::UsedUp { left })?;
        Ok(())
    }

    fn revoke(&mut self, at: Timestamp) {
        self.sealed = self.sealed.revoked(at);
    }
}

impl GrantStore for MemoryGrants {
    fn insert(&self, sealed: &SealedGrant) -> Result<(), GrantStoreError> {
        let mut state = self.state();
        let grant = sealed.grant();
        if let Some(record) = state.records.get_mut(grant.id()) {
            if !record.sealed.grant().is_same_but_for_revocation(grant) {
                return Err(GrantStoreError::OtherContents);
            }
            if let Some(at) = grant.revoked_at() {
                record.revoke(at);
            }
            return Ok(());
        }
        let ahead = state.revoked_ahead.get(grant.id()).copied();
        if ahead.is_none() && state.len() >= self.most.get() {
            state.forget_expired(grant.created_at());
            if state.len() >= self.most.get() {
                return Err(GrantStoreError::Full);
            }
        }
        if ahead.is_none() && !grant.is_revoked() {
            state.take_from_parent(grant)?;
        }
        let mut record = Record {
            sealed: sealed.clone(),
            left: grant.uses().get(),
        };
        if let Some(at) = ahead {
            record.revoke(at);
            state.revoked_ahead.remove(grant.id());
        }
        state.index(grant);
        state.records.insert(grant.id().clone(), record);
        Ok(())
    }

    fn revoke(&self, id: &Id<'_>, at: Timestamp) -> Result<(), GrantStoreError> {
        let mut state = self.state();
        let id = id.clone().into_owned();
        if let Some(record) = state.records.get_mut(&id) {
            record.revoke(at);
        } else if state.len() < self.most.get() || state.revoked_ahead.contains_key(&id) {
            state.revoked_ahead.entry(id).or_insert(at);
        } else {
            return Err(GrantStoreError::Full);
        }
        Ok(())
    }

    fn end_session(
        &self,
        holder: &Holder,
        session_id: &Id<'_>,
        at: Timestamp,
    ) -> Result<(), GrantStoreError> {
        for record in self.state().records.values_mut() {
            let grant = record.sealed.grant();
            if matches!(grant.lifetime(), Lifetime::Session { session_id: id } if id == session_id)
                && grant.is_held_by(holder)
            {
                record.revoke(at);
            }
        }
        Ok(())
    }

    fn consume(&self, id: &Id<'_>, uses: NonZeroU32) -> Result<u32, GrantStoreError> {
        let mut state = self.state();
        let id = id.clone().into_owned();
        let record = state.records.get(&id).ok_or(GrantStoreError::Unknown)?;
        let grant = record.sealed.grant();
        if grant.is_revoked() || !state.has_live_parents(grant) {
            return Err(GrantStoreError::Revoked);
        }
        let record = state.records.get_mut(&id).ok_or(GrantStoreError::Unknown)?;
        record.take(uses)?;
        Ok(record.left)
    }

    fn find(&self, query: &GrantQuery<'_>) -> Result<Vec<StoredGrant>, GrantStoreError> {
        let state = self.state();
        let any_run = query.holder.in_any_run();
        let mut found = Vec::new();
        for lifetime in query.lifetimes {
            let holder = match lifetime {
                Lifetime::PersistedPolicy { .. } => &any_run,
                Lifetime::Operation { .. } | Lifetime::Session { .. } => query.holder,
            };
            let key = state.key(holder, lifetime, query.scope);
            let ids = state.index.get(&key).into_iter().flatten();
            let records = ids.filter_map(|id| state.records.get(id));
            let wanted = records.filter(|record| {
                let grant = record.sealed.grant();
                grant.lifetime() == lifetime && query.matches(grant)
            });
            found.extend(wanted.map(|record| state.stored(record)));
        }
        Ok(found)
    }

    fn grant(&self, id: &Id<'_>) -> Result<Option<StoredGrant>, GrantStoreError> {
        let state = self.state();
        let record = state.records.get(&id.clone().into_owned());
        Ok(record.map(|record| state.stored(record)))
    }
}

impl Default for MemoryGrants {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemoryGrants {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("MemoryGrants")
            .field("grants", &self.state().records.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::approval::store_conformance::{grant, grant_store, session};

    #[test]
    fn passes_the_suite() {
        grant_store(MemoryGrants::new);
    }

    #[test]
    fn it_is_bounded() {
        let store = MemoryGrants::with_most(NonZeroUsize::MIN.saturating_add(1));
        let later = |id: &str, hour: &str| {
            let json = grant(id, &session("s"), 2).to_json();
            let json = json.replace("T10:00:00Z", &format!("T{hour}:00:00Z"));
            let json = json.replace("T10:30:00Z", &format!("T{hour}:30:00Z"));
            SealedGrant::unsealed(Grant::from_json(&json).unwrap())
        };
        let at = Timestamp::parse("2031-03-04T10:10:00Z").unwrap();
        let id = |id| Id::parse(id).unwrap();
        store.insert(&later("one", "10")).unwrap();
        store.revoke(&id("one"), at).unwrap();
        store.revoke(&id("ahead"), at).unwrap();
        // Nothing has expired yet, and what is revoked ahead is never forgotten.
        assert_eq!(
            store.insert(&later("two", "10")),
            Err(GrantStoreError::Full)
        );
        assert_eq!(store.revoke(&id("other"), at), Err(GrantStoreError::Full));
        assert_eq!(store.revoke(&id("ahead"), at), Ok(()));
        store.insert(&later("two", "11")).unwrap();
        assert_eq!(store.grant(&id("one")), Ok(None));
        assert_eq!(store.insert(&later("ahead", "11")), Ok(()));
        let ahead = store.grant(&id("ahead")).unwrap().unwrap();
        assert_eq!(ahead.sealed.grant().revoked_at(), Some(at));
    }
}
