//! Which attempts did not complete: what makes the next one a retry.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use crate::audit::Record;
use crate::digest::Digest;
use crate::id::Id;
use crate::policy::ThreadIdentity;
use crate::vocabulary::OutcomeCode;

/// Who attempted what: one owner's agent with its permissions, and a preview. It is the same in
/// every run and every thread, as the effect would be.
#[derive(Clone, Debug)]
pub struct Attempted {
    thread: ThreadIdentity,
    permissions_sha256: Digest,
    preview_sha256: Digest,
}

impl Attempted {
    /// An attempt of this thread with these permissions at this preview.
    pub fn new(
        thread: &ThreadIdentity,
        permissions_sha256: Digest,
        preview_sha256: Digest,
    ) -> Self {
        Attempted {
            thread: thread.clone(),
            permissions_sha256,
            preview_sha256,
        }
    }

    fn of(record: &Record) -> Option<Self> {
        Some(Attempted::new(
            record.thread(),
            record.permissions_sha256()?,
            record.preview_sha256()?,
        ))
    }

    /// What is compared: all but run and thread.
    fn key(&self) -> (&Id<'static>, &Id<'static>, &[Id<'static>], Digest, Digest) {
        (
            self.thread.owner_id(),
            self.thread.workspace_id(),
            self.thread.agent_path(),
            self.permissions_sha256,
            self.preview_sha256,
        )
    }
}

impl PartialEq for Attempted {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Attempted {}

impl Hash for Attempted {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The preview tells nearly all attempts apart.
        self.preview_sha256.hash(state);
    }
}

/// The attempts whose last permit rested on a grant and has not ended as completed, or has no end.
///
/// A store of records follows each that is in its chain, and then answers
/// [`AuditSink::is_incomplete`](crate::audit::AuditSink::is_incomplete).
///
/// ```
/// use authority_core::audit::{Attempted, Attempts, Record};
/// use authority_core::vocabulary::OutcomeCode;
/// use authority_core::{Digest, Id, ThreadIdentity, Timestamp};
///
/// let thread = ThreadIdentity::root("alice", "checkout", "run-1")?;
/// let at = Timestamp::parse("2031-03-04T10:30:00Z")?;
/// let (permissions, preview) = (Digest::of(b"permissions"), Digest::of(b"preview"));
/// let record = |code| {
///     Record::new(code, &thread, at)
///         .with_operation_id(Id::parse("operation-1").expect("an id"))
///         .with_permissions_sha256(permissions)
///         .with_preview_sha256(preview)
/// };
///
/// let mut attempts = Attempts::default();
/// let permitted = record(OutcomeCode::Permitted);
/// attempts.follow(&permitted.with_grant(Id::parse("grant-1")?, Digest::of(b"grant")));
/// let in_the_next_run = ThreadIdentity::root("alice", "checkout", "run-2")?;
/// let next = Attempted::new(&in_the_next_run, permissions, preview);
/// assert!(attempts.is_incomplete(&next));
/// attempts.follow(&record(OutcomeCode::Failed));
/// assert!(attempts.is_incomplete(&next));
/// attempts.follow(&record(OutcomeCode::Completed));
/// assert!(!attempts.is_incomplete(&next));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Attempts(HashMap<Attempted, Id<'static>>);

impl Attempts {
    /// Takes the next record of the chain.
    pub fn follow(&mut self, record: &Record) {
        let Some(id) = record.operation_id() else {
            return;
        };
        match record.code() {
            OutcomeCode::Permitted if record.grant().is_some() => {
                if let Some(attempted) = Attempted::of(record) {
                    self.0.insert(attempted, id.clone());
                }
            }
            OutcomeCode::Completed if !self.0.is_empty() => {
                let attempted = Attempted::of(record);
                if let Some(attempted) = attempted.filter(|of| self.0.get(of) == Some(id)) {
                    self.0.remove(&attempted);
                }
            }
            _ => {}
        }
    }

    /// Whether the last permit for it has not ended as completed.
    pub fn is_incomplete(&self, attempted: &Attempted) -> bool {
        self.0.contains_key(attempted)
    }
}
