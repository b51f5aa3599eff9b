//! Receipts: lines of the audit, and their records.

use authority_core::vocabulary::{Boundary, OutcomeCode};
use authority_core::{Kind, Operation};
use serde_json::{Value, json};

use super::{list, number, object, of, open_object, text, word};

/// A line of the audit.
pub(super) fn line() -> Value {
    let seal = object([
        ("key_id", of("id")),
        (
            "value",
            json!({ "type": "string", "pattern": "^(?:[0-9a-f]{2}){16,1024}$" }),
        ),
    ]);
    let mut line = open_object(
        [
            ("hash", of("digest")),
            ("prev", of("digest")),
            ("record", of("record")),
            ("seq", number(1, u64::MAX)),
        ],
        [("seal", seal)],
    );
    line["$comment"] = json!(
        "Not said: that the line is canonical JSON, that hash is the digest of the rest, and that prev and seq go on from the line before."
    );
    line
}

/// What became of a request, or the note of a line that was cut short.
pub(super) fn record() -> Value {
    let version = ("version", json!({ "const": 1 }));
    let thread = object([
        ("agent_path", list(&of("id"))),
        ("owner_id", of("id")),
        ("root_run_id", of("id")),
        ("thread_id", of("id")),
        ("workspace_id", of("id")),
    ]);
    let grant = object([("id", of("id")), ("sha256", of("digest"))]);
    let trace = object([
        (
            "span_id",
            json!({ "type": "string", "pattern": "^(?!0+$)[0-9a-f]{16}$" }),
        ),
        (
            "trace_id",
            json!({ "type": "string", "pattern": "^(?!0+$)[0-9a-f]{32}$" }),
        ),
    ]);
    let mut reasons = list(&text::code());
    reasons["minItems"] = json!(1);
    let mut outcome = open_object(
        [
            ("at", of("time")),
            (
                "code",
                word(OutcomeCode::ALL.iter().map(|code| code.name())),
            ),
            ("thread", thread),
            version.clone(),
        ],
        [
            ("arguments", of("content")),
            (
                "boundary",
                word(Boundary::ALL.iter().map(|boundary| boundary.name())),
            ),
            ("executor_code", text::code()),
            ("expires_at", of("time")),
            ("grant", grant),
            ("holder_sha256", of("digest")),
            (
                "kind",
                word(
                    Kind::all()
                        .map(Kind::name)
                        .collect::<std::collections::BTreeSet<_>>(),
                ),
            ),
            ("message", of("content")),
            ("operation", super::string()),
            ("operation_id", of("id")),
            ("path", of("content")),
            ("permissions_sha256", of("digest")),
            ("preview_sha256", of("digest")),
            ("reasons", reasons),
            ("request_sha256", of("digest")),
            ("reserved", of("amounts")),
            ("reviewer", of("reviewer")),
            ("scope_sha256", of("digest")),
            ("trace", trace),
            ("used", of("amounts")),
        ],
    );
    let operations = Kind::all().map(|kind| {
        json!({ "properties": {
            "kind": { "const": kind.name() },
            "operation": word(kind.operations().map(Operation::name)),
        } })
    });
    outcome["anyOf"] = operations.collect();
    outcome["dependentRequired"] = json!({ "kind": ["operation"], "operation": ["kind"] });
    let recovered = object([
        ("code", json!({ "const": "recovered" })),
        ("torn", of("content")),
        version,
    ]);
    json!({ "oneOf": [outcome, recovered] })
}

/// Size and digest of a content, or an HMAC in the digest's place.
pub(super) fn content() -> Value {
    let content = |key| object([(key, of("digest")), ("size", number(0, u64::MAX))]);
    json!({ "oneOf": [content("sha256"), content("hmac_sha256")] })
}

/// What was reserved, or used.
pub(super) fn amounts() -> Value {
    object([
        ("cost_micro_usd", number(0, u64::MAX)),
        ("requests", number(0, u32::MAX.into())),
        ("tokens", number(0, u64::MAX)),
        ("tool_calls", number(0, u32::MAX.into())),
    ])
}
