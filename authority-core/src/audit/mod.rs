//! Receipts: a record of every outcome, in a chain that shows what was changed.
//!
//! A store appends lines `{"hash":H,"prev":P,"record":{…},"seq":N}`, canonical JSON with a line feed
//! each. `H` is the SHA-256 of the canonical JSON of
//! `{"domain":"authority/receipt/v1","prev":P,"record":{…},"seq":N}`, `P` the hash of the line before
//! (64 zeros for the first), and `N` counts from 1. A sealed line has a member `seal`, which is
//! hashed too.
//!
//! [`verify()`] detects accidents; with a [`Head`] that is stored elsewhere, also tampering before
//! the anchored head; and with seals, rewriting by whoever has no key.

mod attempts;
mod chain;
mod code;
#[cfg(any(test, feature = "conformance"))]
pub(crate) mod conformance;
mod content;
#[cfg(feature = "ed25519")]
mod ed25519;
mod head;
mod json;
mod memory;
mod record;
mod resume;
mod sealer;
mod sink;
#[cfg(test)]
mod tests;
mod trace;
mod verify;

pub use attempts::{Attempted, Attempts};
pub use chain::{Line, LineWriter};
pub use code::Code;
pub use content::Content;
#[cfg(feature = "ed25519")]
pub use ed25519::{Ed25519KeyError, Ed25519Sealer, Ed25519Verifier};
pub use head::Head;
pub(crate) use json::{READ_VERSIONS, WRITTEN_VERSION};
pub use memory::MemoryAudit;
pub use record::{Entry, GrantReference, Record};
pub use resume::{Resumption, TornTail};
pub use sealer::{HmacSealer, Seal, SealVerifier, Sealer};
pub use sink::{AuditError, AuditSink, Durability};
pub use trace::TraceContext;
pub use verify::{
    BadLine, Broken, Recovered, UnknownOperation, Verified, VerifiedLine, Verifier, verify,
};
