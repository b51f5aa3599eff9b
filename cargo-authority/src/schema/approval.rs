//! Grants.

use authority_core::vocabulary::{Boundary, Lifetime, ReviewerKind};
use serde_json::{Value, json};

use super::{list, number, object, of, or_null, word};

/// A grant, of each lifetime.
pub(super) fn grant() -> Value {
    let lifetimes = Lifetime::ALL.iter().map(|lifetime| {
        let id = match lifetime {
            Lifetime::Operation => "operation_id",
            Lifetime::Session => "session_id",
            Lifetime::PersistedPolicy => "policy_id",
        };
        let is_persisted = *lifetime == Lifetime::PersistedPolicy;
        let uses = match lifetime {
            Lifetime::Operation => json!({ "const": 1 }),
            Lifetime::Session | Lifetime::PersistedPolicy => number(1, u32::MAX.into()),
        };
        let mut grant = object([
            ("bindings_sha256", of("digest")),
            (
                "boundary",
                word(Boundary::ALL.iter().map(|boundary| boundary.name())),
            ),
            ("created_at", of("time")),
            ("expires_at", of("time")),
            ("holder", holder(is_persisted)),
            ("id", of("id")),
            (
                "lifetime",
                object([
                    ("kind", json!({ "const": lifetime.name() })),
                    (id, of("id")),
                ]),
            ),
            ("parent_grant_id", or_null(&of("id"))),
            ("policy_source", of("id")),
            ("preview_sha256", of("digest")),
            ("reviewer", of("reviewer")),
            ("revoked_at", or_null(&of("time"))),
            ("schema_version", json!({ "const": 1 })),
            ("scope", of("scope")),
            ("uses", uses),
        ]);
        grant["description"] = json!(lifetime.about());
        grant
    });
    json!({
        "oneOf": lifetimes.collect::<Vec<_>>(),
        "$comment": "Not said: that a key stands once, and that a grant expires no earlier than it was made.",
    })
}

/// A thread in its run, or one of any run.
fn holder(is_persisted: bool) -> Value {
    let run = || {
        if is_persisted {
            json!({ "type": "null" })
        } else {
            of("id")
        }
    };
    object([
        ("agent_path", list(&of("id"))),
        ("declaration_sha256", of("digest")),
        ("owner_id", of("id")),
        ("permissions_sha256", of("digest")),
        ("root_run_id", run()),
        ("thread_id", run()),
        ("workspace_id", of("id")),
    ])
}

pub(super) fn reviewer() -> Value {
    let kinds = word(ReviewerKind::ALL.iter().map(|kind| kind.name()));
    object([("id", of("id")), ("kind", kinds)])
}
