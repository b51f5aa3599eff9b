//! The suites for implementations of the traits, run as a host runs them: through this crate alone.

use authority::{MemoryGrants, MemoryLedger, conformance};

#[test]
fn the_ledger_in_memory_passes() {
    conformance::ledger(MemoryLedger::new);
}

#[test]
fn the_grants_in_memory_pass() {
    conformance::grant_store(MemoryGrants::new);
}
