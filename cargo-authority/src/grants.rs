//! A file of grants, and what it says of a request whose effect is not known.

use std::collections::HashMap;
use std::path::Path;

use authority_core::vocabulary::RevalidationReason;
use authority_core::{
    Context, Grant, GrantQuery, Holder, Id, OperationSet, Request, Scope, ThreadPolicy, Timestamp,
};

use crate::chain::Owner;
use crate::error::Error;
use crate::lines::{Lines, NOT_UTF8};

/// Grants of one owner in one workspace, by their ids.
#[derive(Default)]
pub(crate) struct Grants(HashMap<Id<'static>, Grant>);

/// What the grants say of a request that somebody is to be asked about.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Known {
    /// A grant holds if the effect is the one that was approved, which a request does not say.
    PreviewUnknown,
    /// The youngest grant for it does not hold, whatever the effect.
    Refused(RevalidationReason),
    /// The clock is before the creation of the youngest.
    ClockBeforeCreation,
}

impl Known {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Known::PreviewUnknown => "preview_unknown",
            Known::Refused(reason) => reason.name(),
            Known::ClockBeforeCreation => "clock_before_creation",
        }
    }
}

impl Grants {
    /// Reads a grant a line.
    pub(crate) fn read(file: &Path) -> Result<Self, Error> {
        let mut lines = Lines::open(Some(file))?;
        let mut grants = Grants::default();
        while let Some(line) = lines.next() {
            let line = line?;
            let wrong = |message: &dyn ToString| lines.error(line.number, &message.to_string());
            let text = line.text().ok_or_else(|| wrong(&NOT_UTF8))?;
            let grant = Grant::from_json(text).map_err(|error| wrong(&error))?;
            if grants
                .owner()
                .is_some_and(|owner| owner != Owner::of(&grant))
            {
                return Err(wrong(
                    &"a grant of another owner or workspace than the others",
                ));
            }
            if grants.0.insert(grant.id().clone(), grant).is_some() {
                return Err(wrong(&"a grant with an id that is there already"));
            }
        }
        Ok(grants)
    }

    /// Whose grants they are; `None` where there is none.
    pub(crate) fn owner(&self) -> Option<Owner> {
        self.0.values().next().map(Owner::of)
    }

    /// What is known of a request, by the rules that a gate has: which grants are for it, and which
    /// of them do not hold at this time. Preview and bindings are taken as those of the grant.
    pub(crate) fn look_up(
        &self,
        policy: &ThreadPolicy,
        request: &Request<'_>,
        now: Timestamp,
    ) -> Option<Known> {
        let operations = OperationSet::only(request.operation());
        let scope = Scope::new(request.target().clone(), operations).ok()?;
        let holder = Holder::of(policy);
        let looked_for = self.0.values().filter(|grant| {
            let query = GrantQuery {
                holder: &holder,
                scope: &scope,
                lifetimes: std::slice::from_ref(grant.lifetime()),
            };
            query.matches(grant)
        });
        let known = looked_for.map(|grant| {
            let context = Context {
                scope: &scope,
                preview_sha256: grant.preview_sha256(),
                bindings_sha256: grant.bindings_sha256(),
                now,
                redirected: false,
                retry: false,
                has_live_parents: self.has_live_parents(grant),
            };
            let known = match grant.revalidate(&context) {
                Err(_) => Known::ClockBeforeCreation,
                Ok(reasons) => reasons
                    .first()
                    .map_or(Known::PreviewUnknown, |reason| Known::Refused(*reason)),
            };
            let holds = known == Known::PreviewUnknown;
            (holds, grant.created_at(), grant.id(), known)
        });
        let (_, _, _, known) =
            known.max_by_key(|(holds, created_at, id, _)| (*holds, *created_at, *id))?;
        Some(known)
    }

    /// Whether every grant above this one is in the file and not revoked.
    fn has_live_parents(&self, grant: &Grant) -> bool {
        let mut parent = grant.parent_grant();
        // A chain that comes back to itself is longer than the file.
        for _ in 0..=self.0.len() {
            let Some(id) = parent else { return true };
            match self.0.get(id) {
                Some(found) if !found.is_revoked() => parent = found.parent_grant(),
                _ => return false,
            }
        }
        false
    }
}

impl Owner {
    fn of(grant: &Grant) -> Self {
        let holder = grant.holder();
        Owner {
            owner_id: holder.owner_id().clone(),
            workspace_id: holder.workspace_id().clone(),
        }
    }
}
