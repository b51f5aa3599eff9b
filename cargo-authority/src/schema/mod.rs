//! JSON Schemas (2020-12) of the documents and of what the commands print.
//!
//! Kinds, operations, settings and every other word come from the one table of the vocabulary. What a
//! schema cannot say stands in its `$comment`.

mod approval;
mod output;
mod permissions;
mod receipt;
mod restriction;
mod target;
mod text;

use clap::ValueEnum;
use serde_json::{Map, Value, json};

/// What there is a schema of.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Name {
    /// A target with its operations
    Scope,
    /// What somebody wants to do now
    Request,
    /// The extension `uar.thread_policy` of an artifact
    Restrictions,
    /// The extension `budgets` of an artifact
    Budgets,
    /// An artifact with its extensions
    Artifact,
    /// A grant, as a store keeps it
    Grant,
    /// A line of the audit
    Receipt,
    /// authority.lock.json
    Lock,
    /// What `list` prints as JSON
    List,
    /// What `check` prints as JSON
    Check,
    /// What `doc` prints as JSON
    Doc,
    /// What `diff` prints as JSON
    Diff,
    /// What `delegate` prints as JSON
    Delegate,
    /// A line that `simulate` prints as JSON
    Simulate,
    /// A line that `digest` prints
    Digest,
    /// What `manifest` prints
    Manifest,
    /// What `audit verify` prints as JSON
    AuditVerify,
    /// A line that `audit show` prints as JSON
    AuditShow,
}

/// The schema with this name. It needs no other document.
pub(crate) fn schema(name: Name) -> Value {
    let mut schema = match name {
        Name::Scope => target::scope(),
        Name::Request => target::request(),
        Name::Restrictions => restriction::restrictions(),
        Name::Budgets => restriction::budgets(),
        Name::Artifact => restriction::artifact(),
        Name::Grant => approval::grant(),
        Name::Receipt => receipt::line(),
        Name::Lock => output::lock(),
        Name::List => output::declarations(),
        Name::Check => output::check(),
        Name::Doc => output::doc(),
        Name::Diff => output::diff(),
        Name::Delegate => output::delegate(),
        Name::Simulate => output::simulate(),
        Name::Digest => output::digest(),
        Name::Manifest => output::manifest(),
        Name::AuditVerify => output::audit_verify(),
        Name::AuditShow => output::audit_show(),
    };
    let mut definitions = Map::new();
    define(&schema, &mut definitions);
    let title = name.to_possible_value();
    let title = title.map_or_else(String::new, |value| value.get_name().to_owned());
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("$schema".to_owned(), json!(DIALECT));
        schema.insert("title".to_owned(), json!(format!("authority {title}")));
        if !definitions.is_empty() {
            schema.insert("$defs".to_owned(), Value::Object(definitions));
        }
    }
    schema
}

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Adds what the schema refers to, and what that refers to.
fn define(schema: &Value, definitions: &mut Map<String, Value>) {
    match schema {
        Value::Object(members) => {
            let reference = members.get("$ref").and_then(Value::as_str);
            let name = reference.and_then(|reference| reference.strip_prefix(DEFINITIONS));
            if let Some(name) = name
                && !definitions.contains_key(name)
            {
                let definition = definition(name);
                // First, since it may refer to itself.
                definitions.insert(name.to_owned(), definition.clone());
                define(&definition, definitions);
            }
            members
                .values()
                .for_each(|value| define(value, definitions));
        }
        Value::Array(values) => values.iter().for_each(|value| define(value, definitions)),
        _ => {}
    }
}

const DEFINITIONS: &str = "#/$defs/";

fn definition(name: &str) -> Value {
    match name {
        "amounts" => receipt::amounts(),
        "budgets" => restriction::budgets(),
        "child" => output::locked_child(),
        "content" => receipt::content(),
        "credential" => permissions::credential(),
        "documented_child" => output::documented_child(),
        "digest" => text::digest(),
        "filesystem" => target::filesystem(target::Form::Declared),
        "host" => text::host(),
        "id" => text::id(),
        "origin" => text::origin(),
        "path" => text::path(),
        "permissions" => permissions::permissions(),
        "record" => receipt::record(),
        "restrictions" => restriction::restrictions(),
        "reviewer" => approval::reviewer(),
        "scope" => target::scope(),
        "text" => text::text(),
        "time" => text::time(),
        "tool_name" => text::tool_name(),
        "verification" => output::audit_verify(),
        _ => Value::Bool(false),
    }
}

/// A reference to a definition.
fn of(name: &str) -> Value {
    json!({ "$ref": format!("{DEFINITIONS}{name}") })
}

/// An object with these members, all of which must be there, and no others.
fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    open_object(members, [])
}

/// An object with these members; those behind may be left out.
fn open_object<const N: usize, const M: usize>(
    required: [(&str, Value); N],
    optional: [(&str, Value); M],
) -> Value {
    let names: Vec<_> = required.iter().map(|(name, _)| *name).collect();
    let mut schema = json!({ "type": "object", "required": names, "additionalProperties": false });
    let members = required.into_iter().chain(optional);
    let properties = members.map(|(name, schema)| (name.to_owned(), schema));
    schema["properties"] = Value::Object(properties.collect());
    schema
}

/// A list without equal entries.
fn set(items: &Value) -> Value {
    json!({ "type": "array", "uniqueItems": true, "items": items })
}

fn list(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

/// An object whose keys are ids.
fn by_id(values: &Value) -> Value {
    json!({ "type": "object", "propertyNames": of("id"), "additionalProperties": values })
}

fn or_null(schema: &Value) -> Value {
    json!({ "anyOf": [schema, { "type": "null" }] })
}

fn word(words: impl IntoIterator<Item = &'static str>) -> Value {
    json!({ "enum": words.into_iter().collect::<Vec<_>>() })
}

fn number(least: u64, most: u64) -> Value {
    json!({ "type": "integer", "minimum": least, "maximum": most })
}

/// A position, a line or a count.
fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

fn string() -> Value {
    json!({ "type": "string" })
}

fn boolean() -> Value {
    json!({ "type": "boolean" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_has_a_definition() {
        for name in Name::value_variants() {
            let schema = schema(*name);
            let definitions = schema["$defs"].as_object().cloned().unwrap_or_default();
            for (name, definition) in definitions {
                assert!(definition.is_object(), "{name}");
            }
        }
    }
}
