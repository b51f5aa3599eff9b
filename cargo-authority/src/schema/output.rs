//! The lock, and what the commands print.

use authority_core::Kind;
use authority_core::vocabulary::{Class, RuleDecision, SettingGroup};
use serde_json::{Value, json};

use super::{boolean, count, list, number, object, of, or_null, set, string, text, word};
use crate::meaning::What;

/// authority.lock.json
pub(super) fn lock() -> Value {
    let declaration = object([
        ("ceiling_sha256", of("digest")),
        (
            "children",
            json!({ "type": "object", "propertyNames": of("id"), "additionalProperties": of("child") }),
        ),
        ("file", string()),
        ("line", number(1, u64::MAX)),
        ("permissions", of("permissions")),
    ]);
    object([
        (
            "declarations",
            json!({ "type": "object", "additionalProperties": declaration }),
        ),
        ("version", json!({ "const": 1 })),
    ])
}

/// The block of a child in the lock.
pub(super) fn locked_child() -> Value {
    object([
        ("ceiling_sha256", of("digest")),
        (
            "children",
            json!({ "type": "object", "propertyNames": of("id"), "additionalProperties": of("child") }),
        ),
        ("permissions", of("permissions")),
    ])
}

/// Digests are `null` of a declaration with errors.
pub(super) fn declarations() -> Value {
    let declaration = object([
        ("name", string()),
        ("file", string()),
        ("line", line()),
        ("entries", count()),
        ("children", count()),
        ("ceiling_sha256", or_null(&of("digest"))),
        ("declaration_sha256", or_null(&of("digest"))),
    ]);
    object([("declarations", list(&declaration))])
}

pub(super) fn check() -> Value {
    let diagnostic = object([
        (
            "code",
            json!({ "type": "string", "pattern": "^[AC][0-9]{4}$" }),
        ),
        ("severity", word(["error", "warning"])),
        ("message", string()),
        ("help", string()),
        ("file", string()),
        ("line", line()),
        ("column", line()),
    ]);
    object([
        ("declarations", count()),
        ("diagnostics", list(&diagnostic)),
    ])
}

pub(super) fn diff() -> Value {
    let change = object([
        ("kind", word(["widened", "narrowed"])),
        ("what", word(What::ALL.iter().map(|what| what.name()))),
        ("declaration", string()),
        ("text", string()),
        ("file", string()),
        ("line", line()),
    ]);
    object([("changes", list(&change))])
}

pub(super) fn delegate() -> Value {
    let change = object([
        (
            "pointer",
            json!({ "type": "string", "pattern": "^(?:/(?:[^~/]|~[01])*)*$" }),
        ),
        (
            "outcome",
            word(["inherited", "narrowed", "dropped", "not_held"]),
        ),
        ("by", word(["parent", "restriction"])),
    ]);
    let level = object([
        ("permissions", of("permissions")),
        ("snapshot_sha256", of("digest")),
        ("changes", list(&change)),
    ]);
    let mut levels = list(&level);
    levels["minItems"] = json!(1);
    object([("levels", levels)])
}

/// `simulate`: the digest is `null` of a line that is no request.
pub(super) fn simulate() -> Value {
    object([
        (
            "decision",
            word(RuleDecision::ALL.iter().map(|decision| decision.name())),
        ),
        ("reason", text::code()),
        ("entry", or_null(&count())),
        ("level", or_null(&count())),
        ("scope_sha256", or_null(&of("digest"))),
    ])
}

pub(super) fn digest() -> Value {
    let ok = |key| {
        object([
            ("ok", json!({ "const": true })),
            ("canonical_json", string()),
            (key, of("digest")),
        ])
    };
    let refused = object([
        ("ok", json!({ "const": false })),
        ("pointer", string()),
        ("rule", string()),
    ]);
    json!({ "oneOf": [ok("scope_sha256"), ok("ceiling_sha256"), refused] })
}

pub(super) fn doc() -> Value {
    let mut root = documented_body();
    extend(
        &mut root,
        [
            ("name", string()),
            ("doc", string()),
            ("file", string()),
            ("line", line()),
        ],
    );
    object([("declarations", list(&root))])
}

/// The block of a child in the documentation.
pub(super) fn documented_child() -> Value {
    let loss = object([
        ("what", word(What::ALL.iter().map(|what| what.name()))),
        ("text", string()),
    ]);
    let mut child = documented_body();
    let operations = Kind::ChildAgent
        .operations()
        .map(authority_core::Operation::name);
    extend(
        &mut child,
        [
            ("agent", of("id")),
            ("operations", set(&word(operations))),
            ("doc", string()),
            ("line", line()),
            ("loses", list(&loss)),
        ],
    );
    child
}

/// What a body grants.
fn documented_body() -> Value {
    let groups = Kind::all().map(|kind| {
        let names = |class| {
            let rows = kind.row().operations.iter();
            let rows = rows.filter(move |row| row.class == class);
            set(&word(rows.map(|row| row.name)))
        };
        let entry = object([
            ("target", string()),
            ("delegable", boolean()),
            ("looks", names(Class::ReadOnly)),
            ("acts", names(Class::Effect)),
            ("doc", string()),
            ("line", line()),
            ("scope_sha256", of("digest")),
        ]);
        object([
            ("kind", json!({ "const": kind.name() })),
            ("title", json!({ "const": kind.title() })),
            ("about", string()),
            ("entries", list(&entry)),
        ])
    });
    let groups = json!({ "oneOf": groups.collect::<Vec<_>>() });
    let binding = object([
        (
            "kind",
            word(["credential", "tool", "environment", "execution"]),
        ),
        ("value", string()),
        ("line", or_null(&line())),
    ]);
    let setting = SettingGroup::ALL.iter().map(|group| group.name());
    let limit = object([
        ("group", word(setting)),
        ("name", string()),
        (
            "at_most",
            json!({ "type": "string", "pattern": "^[0-9]+(?:\\.[0-9]{1,6})?$" }),
        ),
        ("about", string()),
        ("line", or_null(&line())),
    ]);
    object([
        ("targets", list(&groups)),
        ("bindings", list(&binding)),
        ("limits", list(&limit)),
        ("children", list(&of("documented_child"))),
        ("ceiling_sha256", of("digest")),
        ("declaration_sha256", of("digest")),
    ])
}

pub(super) fn manifest() -> Value {
    let words = || set(&string());
    let operation = object([
        ("name", string()),
        ("class", word(["read_only", "effect"])),
        ("covers", string()),
        ("never_covers", string()),
    ]);
    let kind = object([
        ("kind", string()),
        ("about", string()),
        ("operations", list(&operation)),
    ]);
    let versions = object([
        ("document", string()),
        ("read", set(&number(1, u64::MAX))),
        ("written", or_null(&number(1, u64::MAX))),
    ]);
    object([
        ("schema_version", json!({ "const": 1 })),
        ("resource_kinds", words()),
        ("operations", list(&kind)),
        ("lifetimes", words()),
        ("approval_presets", words()),
        ("reviewer_kinds", words()),
        ("decisions", words()),
        ("boundaries", words()),
        ("revalidation_reasons", words()),
        ("execution_modes", words()),
        ("protocols", words()),
        ("redirect_policies", words()),
        ("settings", words()),
        ("child_authority_rule", string()),
        ("auto_review_changes_enforcement", boolean()),
        ("content_free_preview_binding", string()),
        ("documents", list(&versions)),
        ("unicode_version", string()),
    ])
}

pub(super) fn audit_verify() -> Value {
    let head = || json!({ "type": "string", "pattern": "^[0-9]+:[0-9a-f]{64}$" });
    let bad = object([("line", line()), ("reason", text::code())]);
    let unknown = object([
        ("record", line()),
        ("operation_id", of("id")),
        ("owner_id", of("id")),
        ("workspace_id", of("id")),
        ("root_run_id", of("id")),
        ("thread_id", of("id")),
        ("agent_path", list(&of("id"))),
    ]);
    let recovered = object([
        ("record", line()),
        ("size", count()),
        ("sha256", or_null(&of("digest"))),
    ]);
    object([
        ("ok", boolean()),
        ("records", count()),
        ("head", head()),
        ("anchor", or_null(&head())),
        ("excludes_a_cut", boolean()),
        ("bad_line", or_null(&bad)),
        ("unknown", list(&unknown)),
        ("recovered", list(&recovered)),
        ("undecoded", count()),
        ("unchecked_seals", count()),
    ])
}

/// `audit show`: records of a later version are objects of which nothing is said.
pub(super) fn audit_show() -> Value {
    let later = json!({ "type": "object", "properties": { "version": { "not": { "const": 1 } } } });
    let record = object([
        ("record", json!({ "anyOf": [of("record"), later] })),
        ("seq", line()),
        ("sha256", of("digest")),
    ]);
    json!({ "oneOf": [record, object([("verification", of("verification"))])] })
}

/// Lines, columns and numbers of records are counted from 1.
fn line() -> Value {
    number(1, u64::MAX)
}

/// Adds members to an object, all of which must be there.
fn extend<const N: usize>(schema: &mut Value, members: [(&str, Value); N]) {
    for (name, member) in members {
        schema["properties"][name] = member;
        if let Some(required) = schema["required"].as_array_mut() {
            required.push(json!(name));
        }
    }
}
