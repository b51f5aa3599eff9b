//! An event for each record, for hosts that trace.

use crate::audit::{Code, Head, Record};

/// One event at level `INFO`, target `authority`: what the record says, with names for OpenTelemetry
/// that begin with `authority.`; codes, ids and digests only. `authority.sequence` is missing when it
/// could not be written.
pub(super) fn record(record: &Record, head: Option<&Head>) {
    let hex = |digest: Option<crate::Digest>| digest.map(crate::Digest::to_hex);
    let reasons: Vec<_> = record.reasons().iter().map(Code::as_str).collect();
    tracing::event!(
        name: "authority.outcome",
        target: "authority",
        tracing::Level::INFO,
        authority.outcome = record.code().name(),
        authority.reasons = (!reasons.is_empty()).then(|| reasons.join(",")),
        authority.thread_id = record.thread().thread_id().as_str(),
        authority.operation_id = record.operation_id().map(crate::Id::as_str),
        authority.operation = record.operation().map(crate::Operation::name),
        authority.kind = record.operation().map(|operation| operation.kind().name()),
        authority.scope_sha256 = hex(record.scope_sha256()),
        authority.preview_sha256 = hex(record.preview_sha256()),
        authority.request_sha256 = hex(record.request_sha256()),
        authority.boundary = record.boundary().map(crate::vocabulary::Boundary::name),
        authority.sequence = head.map(|head| head.sequence),
    );
}
