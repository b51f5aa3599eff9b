//! Where records go.

use std::io::ErrorKind;
use std::sync::Arc;

use crate::audit::{Attempted, Code, Head, Record};

/// Where records go: a store that appends each to its chain.
///
/// What cannot be recorded is not done: a gate maps every error to the denial
/// [`AuditError::REASON`].
pub trait AuditSink: Send + Sync {
    /// Appends a record, and gives the head of the chain that it makes. With
    /// [`Durability::Synced`] it and all before it outlast a loss of power once this returns.
    ///
    /// # Errors
    ///
    /// When it is not certain that the record is in the chain. It may be there all the same.
    fn append(&self, record: &Record, durability: Durability) -> Result<Head, AuditError>;

    /// Whether the chain, with what earlier writers left in it, holds an attempt at this that rested
    /// on a grant and did not complete: the next one is a retry. A store keeps
    /// [`Attempts`](crate::audit::Attempts) for this.
    ///
    /// # Errors
    ///
    /// When the store does not answer.
    fn is_incomplete(&self, attempted: &Attempted) -> Result<bool, AuditError>;
}

impl<S: AuditSink + ?Sized> AuditSink for Arc<S> {
    fn append(&self, record: &Record, durability: Durability) -> Result<Head, AuditError> {
        (**self).append(record, durability)
    }

    fn is_incomplete(&self, attempted: &Attempted) -> Result<bool, AuditError> {
        (**self).is_incomplete(attempted)
    }
}

/// What a record must outlast before the sink says that it is there.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Durability {
    /// The end of the process.
    Written,
    /// A loss of power: what `started` needs before anything is started.
    Synced,
}

/// Why a record is not, or may not be, in the chain. It holds nothing of the record.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The store could not be written. It takes no more records.
    #[error("the audit store cannot be written: {0}")]
    Write(ErrorKind),
    /// What was written could not be made durable. The store takes no more records.
    #[error("the audit store cannot be made durable: {0}")]
    Sync(ErrorKind),
    /// The store takes no more records, because one before failed.
    #[error("the audit store failed before and takes no more records")]
    Failed,
    /// The line would be longer than a reader reads.
    #[error("a record is longer than a line of the audit store may be")]
    TooLong,
    /// The sealer does not answer, or with no seal.
    #[error("the sealer cannot seal")]
    Seal,
    /// The store does not answer.
    #[error("the audit store does not answer")]
    Unavailable,
}

impl AuditError {
    /// Why a request is denied that cannot be recorded.
    pub const REASON: Code = Code::of_word("audit_unavailable");

    /// The error's name.
    pub const fn name(self) -> &'static str {
        match self {
            AuditError::Write(_) => "audit_write_failed",
            AuditError::Sync(_) => "audit_sync_failed",
            AuditError::Failed => "audit_failed",
            AuditError::TooLong => "record_too_long",
            AuditError::Seal => "seal_failed",
            AuditError::Unavailable => "audit_unavailable",
        }
    }
}
