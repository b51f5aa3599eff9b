//! An audit store in memory.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::audit::{
    Attempted, Attempts, AuditError, AuditSink, Durability, Head, LineWriter, Record,
};

/// A chain in memory, for tests and for hosts that keep no audit. It ends with the process, so that
/// nothing in it is durable.
#[derive(Default)]
pub struct MemoryAudit(Mutex<Chain>);

struct Chain {
    writer: LineWriter,
    bytes: Vec<u8>,
    records: Vec<Record>,
    attempts: Attempts,
}

impl Default for Chain {
    fn default() -> Self {
        Chain {
            writer: LineWriter::after(Head::EMPTY),
            bytes: Vec::new(),
            records: Vec::new(),
            attempts: Attempts::default(),
        }
    }
}

impl MemoryAudit {
    /// A store without a record.
    pub fn new() -> Self {
        Self::default()
    }

    /// The chain as a file holds it.
    pub fn bytes(&self) -> Vec<u8> {
        self.chain().bytes.clone()
    }

    /// The records.
    pub fn records(&self) -> Vec<Record> {
        self.chain().records.clone()
    }

    /// The end of the chain.
    pub fn head(&self) -> Head {
        self.chain().writer.head()
    }

    fn chain(&self) -> MutexGuard<'_, Chain> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AuditSink for MemoryAudit {
    fn append(&self, record: &Record, _: Durability) -> Result<Head, AuditError> {
        let mut chain = self.chain();
        let line = chain.writer.line(record)?;
        chain.bytes.extend_from_slice(line.as_bytes());
        chain.records.push(record.clone());
        chain.attempts.follow(record);
        Ok(line.head())
    }

    fn is_incomplete(&self, attempted: &Attempted) -> Result<bool, AuditError> {
        Ok(self.chain().attempts.is_incomplete(attempted))
    }
}

impl fmt::Debug for MemoryAudit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("MemoryAudit")
            .field(&self.head())
            .finish()
    }
}
