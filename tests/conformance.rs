//! The suites for implementations of the traits, run as a host runs them: through this crate alone.

use authority::audit::MemoryAudit;
use authority::{MemoryGrants, MemoryLedger, conformance};

#[test]
fn the_ledger_in_memory_passes() {
    conformance::ledger(MemoryLedger::new);
}

#[test]
fn the_grants_in_memory_pass() {
    conformance::grant_store(MemoryGrants::new);
}

#[test]
fn the_audit_in_memory_passes() {
    conformance::audit_sink(MemoryAudit::new, MemoryAudit::bytes);
}

/// The suite's stores stand in one directory, a file each.
#[cfg(feature = "audit-file")]
#[test]
fn the_audit_in_a_file_passes() {
    use std::cell::Cell;

    use authority::AuditFile;

    let name = format!("authority-conformance-{}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&directory).unwrap();
    let files = Cell::new(0);
    let path = || directory.join(files.get().to_string());
    let make = || {
        files.set(files.get() + 1);
        AuditFile::open(path()).unwrap()
    };
    conformance::audit_sink(make, |_| std::fs::read(path()).unwrap());
    std::fs::remove_dir_all(directory).unwrap();
}
