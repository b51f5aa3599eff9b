//! Grants: what was allowed, to whom, until when and how often.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use crate::approval::{ApprovalPolicy, Holder, Lifetime, Preview, Reviewer, Timestamp};
use crate::declaration::json::{Value, digest_of, object, text};
use crate::digest::Digest;
use crate::id::Id;
use crate::json::{self, DecodeError, DecodeRule, Reader, members};
use crate::policy::{RootHandle, ThreadPolicy};
use crate::scope::Scope;
use crate::vocabulary::{Boundary, Lifetime as LifetimeKind, ReviewerKind};

/// A record of what a reviewer allowed. It never changes: revoking makes another record, and what is
/// left of its uses is the store's to count.
///
/// As JSON it is a document of its own, version 1, in canonical form; it is decoded strictly.
#[derive(Clone, Eq, PartialEq)]
pub struct Grant {
    contents: Arc<Contents>,
    revoked_at: Option<Timestamp>,
}

#[derive(Eq, PartialEq)]
struct Contents {
    id: Id<'static>,
    holder: Holder,
    scope: Scope<'static>,
    lifetime: Lifetime,
    preview_sha256: Digest,
    bindings_sha256: Digest,
    policy_source: Id<'static>,
    reviewer: Reviewer,
    boundary: Boundary,
    created_at: Timestamp,
    expires_at: Timestamp,
    parent_grant: Option<Id<'static>>,
    uses: NonZeroU32,
}

/// What a host says of a new grant. The rest is that of the preview and of the policy.
#[derive(Clone, Debug)]
pub struct NewGrant {
    /// An id that no grant had before.
    pub id: Id<'static>,
    /// What it is good for.
    pub lifetime: Lifetime,
    /// Now.
    pub created_at: Timestamp,
    /// From this instant on it does not hold any more.
    pub expires_at: Timestamp,
    /// How often it may be used; once for an operation.
    pub uses: NonZeroU32,
}

/// Why there is no such grant.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum GrantError {
    /// It would expire before it was made.
    #[error("a grant expires no earlier than it was made")]
    ExpiresBeforeCreation,
    /// It would live longer than the policy has its lifetime be.
    #[error("a grant of this lifetime may not hold so long")]
    TooLong,
    /// A grant for one operation with another number of uses than one.
    #[error("a grant for one operation has one use")]
    OperationIsSingleUse,
    /// A persisted grant for one run, or another one for any run.
    #[error("a persisted grant is held in any run, every other in one thread of one run")]
    HolderForm,
    /// The thread that gives does not hold the grant, or the handle is of another root.
    #[error("the thread does not hold the grant")]
    NotHeld,
    /// The thread that takes is no live descendant of the one that gives.
    #[error("a grant goes to a live descendant of its holder")]
    NotADescendant,
    /// The grant is revoked.
    #[error("the grant is revoked")]
    Revoked,
    /// The grant names another parent.
    #[error("the grant names another parent")]
    OtherParent,
    /// The scope does not lie in the parent's.
    #[error("the scope does not lie in that of the parent grant")]
    WiderScope,
    /// Preview, bindings, boundary, reviewer, policy source or kind of lifetime are not the parent's.
    #[error("the grant is not of the approval that its parent is of")]
    OtherApproval,
    /// It would begin before its parent or end after it.
    #[error("the grant does not lie within the time of its parent")]
    OutlivesParent,
}

impl Grant {
    /// The grant of what this preview shows, which `reviewer` has allowed under `policy`.
    ///
    /// # Errors
    ///
    /// When it would expire before it was made or hold longer than the policy allows, or when one
    /// for an operation has several uses.
    pub fn new(
        new: NewGrant,
        holder: &Holder,
        preview: &Preview,
        reviewer: Reviewer,
        policy: &ApprovalPolicy,
    ) -> Result<Self, GrantError> {
        let policy = policy.of_kind(preview.scope().target().kind());
        let grant = Contents {
            id: new.id,
            holder: match new.lifetime.kind() {
                LifetimeKind::PersistedPolicy => holder.in_any_run(),
                LifetimeKind::Operation | LifetimeKind::Session => holder.clone(),
            },
            scope: preview.scope().clone(),
            lifetime: new.lifetime,
            preview_sha256: preview.sha256(),
            bindings_sha256: preview.bindings().sha256(),
            policy_source: policy.policy_source().clone(),
            reviewer,
            boundary: preview.boundary(),
            created_at: new.created_at,
            expires_at: new.expires_at,
            parent_grant: None,
            uses: new.uses,
        };
        let longest = policy.longest(grant.lifetime.kind());
        let grant = grant.check()?;
        if grant.expires_at().since(grant.created_at()) > Some(longest) {
            return Err(GrantError::TooLong);
        }
        Ok(grant)
    }

    /// Part of this grant for a live descendant of the thread that holds it. Only the host
    /// delegates, with its handle. The store moves the uses when the new grant is inserted.
    ///
    /// # Errors
    ///
    /// When `from` does not hold this grant, `to` is no live descendant of it, or the new grant
    /// would not lie within this one.
    pub fn delegate(
        &self,
        handle: &RootHandle,
        from: &ThreadPolicy,
        to: &ThreadPolicy,
        new: NewGrant,
    ) -> Result<Self, GrantError> {
        if self.is_revoked() {
            return Err(GrantError::Revoked);
        }
        if !handle.policy().is_of_the_root_of(from) || !self.is_held_by(&Holder::of(from)) {
            return Err(GrantError::NotHeld);
        }
        if !to.is_live_below(from) {
            return Err(GrantError::NotADescendant);
        }
        let holder = Holder::of(to);
        let child = Contents {
            id: new.id,
            holder: match new.lifetime.kind() {
                LifetimeKind::PersistedPolicy => holder.in_any_run(),
                LifetimeKind::Operation | LifetimeKind::Session => holder,
            },
            scope: self.scope().clone(),
            lifetime: new.lifetime,
            preview_sha256: self.preview_sha256(),
            bindings_sha256: self.bindings_sha256(),
            policy_source: self.policy_source().clone(),
            reviewer: self.reviewer().clone(),
            boundary: self.boundary(),
            created_at: new.created_at,
            expires_at: new.expires_at,
            parent_grant: Some(self.id().clone()),
            uses: new.uses,
        };
        let child = child.check()?;
        child.check_parent(self)?;
        Ok(child)
    }

    /// Checks that this grant may be one that `parent` was delegated as.
    ///
    /// # Errors
    ///
    /// The first rule that is broken.
    pub fn check_parent(&self, parent: &Grant) -> Result<(), GrantError> {
        if self.parent_grant() != Some(parent.id()) {
            return Err(GrantError::OtherParent);
        }
        if !self.scope().is_within(parent.scope()) {
            return Err(GrantError::WiderScope);
        }
        let is_same_approval = self.preview_sha256() == parent.preview_sha256()
            && self.bindings_sha256() == parent.bindings_sha256()
            && self.boundary() == parent.boundary()
            && self.reviewer() == parent.reviewer()
            && self.policy_source() == parent.policy_source()
            && self.lifetime().kind() == parent.lifetime().kind();
        if !is_same_approval {
            return Err(GrantError::OtherApproval);
        }
        if self.created_at() < parent.created_at() || self.expires_at() > parent.expires_at() {
            return Err(GrantError::OutlivesParent);
        }
        Ok(())
    }

    /// The record of this grant revoked. One that is revoked already stays as it is.
    #[must_use]
    pub fn revoked(&self, at: Timestamp) -> Self {
        Grant {
            contents: Arc::clone(&self.contents),
            revoked_at: self.revoked_at.or(Some(at)),
        }
    }

    /// The record as it was before it was revoked.
    pub(super) fn not_revoked(&self) -> Self {
        Grant {
            contents: Arc::clone(&self.contents),
            revoked_at: None,
        }
    }

    /// Whether both records are of one grant, revoked or not.
    pub fn is_same_but_for_revocation(&self, other: &Grant) -> bool {
        self.contents == other.contents
    }

    /// Whether this thread holds the grant.
    pub fn is_held_by(&self, holder: &Holder) -> bool {
        match self.lifetime().kind() {
            LifetimeKind::PersistedPolicy => *self.holder() == holder.in_any_run(),
            LifetimeKind::Operation | LifetimeKind::Session => self.holder() == holder,
        }
    }

    /// Whether reviewer and boundary are at least as strong as what a policy asks for today.
    pub fn is_strong_enough(&self, reviewer: ReviewerKind, boundary: Boundary) -> bool {
        self.reviewer().kind() >= reviewer && self.boundary() >= boundary
    }

    /// The grant's id.
    pub fn id(&self) -> &Id<'static> {
        &self.contents.id
    }

    /// Who holds it.
    pub fn holder(&self) -> &Holder {
        &self.contents.holder
    }

    /// What was allowed: a target and, when the gate made it, one operation.
    pub fn scope(&self) -> &Scope<'static> {
        &self.contents.scope
    }

    /// What it is good for.
    pub fn lifetime(&self) -> &Lifetime {
        &self.contents.lifetime
    }

    /// Digest of what was allowed.
    pub fn preview_sha256(&self) -> Digest {
        self.contents.preview_sha256
    }

    /// Digest of what the bindings stood for.
    pub fn bindings_sha256(&self) -> Digest {
        self.contents.bindings_sha256
    }

    /// The policy under which it was asked.
    pub fn policy_source(&self) -> &Id<'static> {
        &self.contents.policy_source
    }

    /// Who allowed it.
    pub fn reviewer(&self) -> &Reviewer {
        &self.contents.reviewer
    }

    /// Who was to enforce it.
    pub fn boundary(&self) -> Boundary {
        self.contents.boundary
    }

    /// When it was made.
    pub fn created_at(&self) -> Timestamp {
        self.contents.created_at
    }

    /// From when on it does not hold any more.
    pub fn expires_at(&self) -> Timestamp {
        self.contents.expires_at
    }

    /// When it was revoked.
    pub fn revoked_at(&self) -> Option<Timestamp> {
        self.revoked_at
    }

    /// Whether it is revoked, whatever the time of that.
    pub fn is_revoked(&self) -> bool {
        self.revoked_at.is_some()
    }

    /// The grant that this one was delegated from, and dies with.
    pub fn parent_grant(&self) -> Option<&Id<'static>> {
        self.contents.parent_grant.as_ref()
    }

    /// How many uses it was made with.
    pub fn uses(&self) -> NonZeroU32 {
        self.contents.uses
    }

    /// Digest of the record, domain `authority/grant/v1`.
    pub fn sha256(&self) -> Digest {
        let scope = self.scope().canonical_json();
        digest_of("authority/grant/v1", [("grant", self.to_value(&scope))])
    }

    /// The record as canonical JSON.
    pub fn to_json(&self) -> String {
        let scope = self.scope().canonical_json();
        self.to_value(&scope).to_canonical_json()
    }

    /// Decodes a record.
    ///
    /// # Errors
    ///
    /// The first error in document order, then what is wrong with the whole, with a JSON Pointer.
    pub fn from_json(json: &str) -> Result<Self, DecodeError> {
        json::decode(json, Grant::decode)
    }

    pub(super) fn to_value<'a>(&'a self, scope_json: &'a str) -> Value<'a> {
        let contents = &*self.contents;
        let hex = |digest: Digest| text(&digest.to_hex());
        let time = |time: Timestamp| text(&time.to_string());
        let reviewer = object([
            ("id", text(contents.reviewer.id().as_str())),
            ("kind", text(contents.reviewer.kind().name())),
        ]);
        let parent = contents.parent_grant.as_ref();
        object([
            ("bindings_sha256", hex(contents.bindings_sha256)),
            ("boundary", text(contents.boundary.name())),
            ("created_at", time(contents.created_at)),
            ("expires_at", time(contents.expires_at)),
            ("holder", contents.holder.to_value()),
            ("id", text(contents.id.as_str())),
            ("lifetime", contents.lifetime.to_value()),
            (
                "parent_grant_id",
                parent.map_or(Value::Null, |id| text(id.as_str())),
            ),
            ("policy_source", text(contents.policy_source.as_str())),
            ("preview_sha256", hex(contents.preview_sha256)),
            ("reviewer", reviewer),
            ("revoked_at", self.revoked_at.map_or(Value::Null, time)),
            ("schema_version", Value::Number(SCHEMA_VERSION)),
            ("scope", Value::Scope(&contents.scope, scope_json)),
            ("uses", Value::Number(u64::from(contents.uses.get()))),
        ])
    }

    pub(super) fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let start = reader.start();
        let mut parts = Parts::default();
        reader.object(|reader, key| parts.member(reader, key))?;
        let (contents, revoked_at) = parts.finish(reader)?;
        let grant = contents
            .check()
            .map_err(|error| DecodeError::new(DecodeRule::Grant(error), start))?;
        Ok(Grant {
            revoked_at,
            ..grant
        })
    }
}

impl Contents {
    /// The grant, if it is one whatever the policy.
    fn check(self) -> Result<Grant, GrantError> {
        if self.expires_at < self.created_at {
            return Err(GrantError::ExpiresBeforeCreation);
        }
        let kind = self.lifetime.kind();
        if kind == LifetimeKind::Operation && self.uses != NonZeroU32::MIN {
            return Err(GrantError::OperationIsSingleUse);
        }
        if (kind == LifetimeKind::PersistedPolicy) != self.holder.thread_id().is_none() {
            return Err(GrantError::HolderForm);
        }
        Ok(Grant {
            contents: Arc::new(self),
            revoked_at: None,
        })
    }
}

/// Ids, digests and times only.
impl fmt::Debug for Grant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Grant")
            .field("id", &self.id().as_str())
            .field("lifetime", self.lifetime())
            .field("preview_sha256", &self.preview_sha256())
            .field("expires_at", &self.expires_at())
            .field("revoked_at", &self.revoked_at)
            .finish_non_exhaustive()
    }
}

const SCHEMA_VERSION: u64 = 1;

/// What of a document was read so far. A member that may be `null` must be there all the same.
#[allow(clippy::option_option)]
#[derive(Default)]
struct Parts {
    has_version: bool,
    id: Option<Id<'static>>,
    holder: Option<Holder>,
    scope: Option<Scope<'static>>,
    lifetime: Option<Lifetime>,
    preview_sha256: Option<Digest>,
    bindings_sha256: Option<Digest>,
    policy_source: Option<Id<'static>>,
    reviewer: Option<Reviewer>,
    boundary: Option<Boundary>,
    created_at: Option<Timestamp>,
    expires_at: Option<Timestamp>,
    revoked_at: Option<Option<Timestamp>>,
    parent_grant: Option<Option<Id<'static>>>,
    uses: Option<NonZeroU32>,
}

impl Parts {
    fn member(&mut self, reader: &mut Reader<'_>, key: Key) -> Result<(), DecodeError> {
        match key {
            Key::BindingsSha256 => self.bindings_sha256 = Some(reader.text()?),
            Key::Boundary => {
                let names = Boundary::ALL.iter().map(|boundary| boundary.name());
                self.boundary = Some(reader.word(Boundary::from_name, names)?);
            }
            Key::CreatedAt => self.created_at = Some(time(reader)?),
            Key::ExpiresAt => self.expires_at = Some(time(reader)?),
            Key::Holder => self.holder = Some(Holder::decode(reader)?),
            Key::Id => self.id = Some(id(reader)?),
            Key::Lifetime => self.lifetime = Some(Lifetime::decode(reader)?),
            Key::ParentGrantId => self.parent_grant = Some(reader.nullable(id)?),
            Key::PolicySource => self.policy_source = Some(id(reader)?),
            Key::PreviewSha256 => self.preview_sha256 = Some(reader.text()?),
            Key::Reviewer => self.reviewer = Some(reviewer(reader)?),
            Key::RevokedAt => self.revoked_at = Some(reader.nullable(time)?),
            Key::SchemaVersion => {
                reader.version(SCHEMA_VERSION)?;
                self.has_version = true;
            }
            Key::Scope => self.scope = Some(Scope::decode(reader)?.into_owned()),
            Key::Uses => {
                let uses = reader.integer(1..=u64::from(u32::MAX))?;
                self.uses = u32::try_from(uses).ok().and_then(NonZeroU32::new);
            }
        }
        Ok(())
    }

    fn finish(self, reader: &Reader<'_>) -> Result<(Contents, Option<Timestamp>), DecodeError> {
        let missing = |key: &'static str| reader.error(DecodeRule::MissingKey(key));
        if !self.has_version {
            return Err(missing("schema_version"));
        }
        let contents = Contents {
            bindings_sha256: self
                .bindings_sha256
                .ok_or_else(|| missing("bindings_sha256"))?,
            boundary: self.boundary.ok_or_else(|| missing("boundary"))?,
            created_at: self.created_at.ok_or_else(|| missing("created_at"))?,
            expires_at: self.expires_at.ok_or_else(|| missing("expires_at"))?,
            holder: self.holder.ok_or_else(|| missing("holder"))?,
            id: self.id.ok_or_else(|| missing("id"))?,
            lifetime: self.lifetime.ok_or_else(|| missing("lifetime"))?,
            parent_grant: self
                .parent_grant
                .ok_or_else(|| missing("parent_grant_id"))?,
            policy_source: self.policy_source.ok_or_else(|| missing("policy_source"))?,
            preview_sha256: self
                .preview_sha256
                .ok_or_else(|| missing("preview_sha256"))?,
            reviewer: self.reviewer.ok_or_else(|| missing("reviewer"))?,
            scope: self.scope.ok_or_else(|| missing("scope"))?,
            uses: self.uses.ok_or_else(|| missing("uses"))?,
        };
        let revoked_at = self.revoked_at.ok_or_else(|| missing("revoked_at"))?;
        Ok((contents, revoked_at))
    }
}

fn id(reader: &mut Reader<'_>) -> Result<Id<'static>, DecodeError> {
    reader.text::<Id<'_>>().map(Id::into_owned)
}

fn time(reader: &mut Reader<'_>) -> Result<Timestamp, DecodeError> {
    let start = reader.start();
    let text = reader.string()?;
    Timestamp::parse(&text).map_err(|error| DecodeError::new(DecodeRule::Timestamp(error), start))
}

fn reviewer(reader: &mut Reader<'_>) -> Result<Reviewer, DecodeError> {
    let mut reviewer = None;
    let mut kind = None;
    reader.object(|reader, key| {
        match key {
            ReviewerKey::Id => reviewer = Some(id(reader)?),
            ReviewerKey::Kind => {
                let names = ReviewerKind::ALL.iter().map(|kind| kind.name());
                kind = Some(reader.word(ReviewerKind::from_name, names)?);
            }
        }
        Ok(())
    })?;
    let missing = |key: &'static str| reader.error(DecodeRule::MissingKey(key));
    let id = reviewer.ok_or_else(|| missing("id"))?;
    Ok(Reviewer::new(kind.ok_or_else(|| missing("kind"))?, id))
}

members! {
    enum Key {
        BindingsSha256 "bindings_sha256",
        Boundary "boundary",
        CreatedAt "created_at",
        ExpiresAt "expires_at",
        Holder "holder",
        Id "id",
        Lifetime "lifetime",
        ParentGrantId "parent_grant_id",
        PolicySource "policy_source",
        PreviewSha256 "preview_sha256",
        Reviewer "reviewer",
        RevokedAt "revoked_at",
        SchemaVersion "schema_version",
        Scope "scope",
        Uses "uses",
    }
}

members! {
    enum ReviewerKey {
        Id "id",
        Kind "kind",
    }
}
