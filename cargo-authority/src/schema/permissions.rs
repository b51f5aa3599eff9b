//! Permissions, as they are printed everywhere.

use authority_core::vocabulary::{ExecutionMode, Setting, SettingGroup, SettingRange};
use serde_json::{Map, Value, json};

use super::{boolean, by_id, number, object, of, or_null, set, word};

/// What a thread holds. What a child's block does not name is `null`: it inherits.
pub(super) fn permissions() -> Value {
    let mode = word(ExecutionMode::ALL.iter().map(|mode| mode.name()));
    let grant = object([("read", boolean()), ("write", boolean())]);
    let tool = json!({ "anyOf": [
        { "const": "native" },
        object([("server_id", of("id")), ("tool_name", of("tool_name"))]),
    ] });
    let mut permissions = object([
        ("scopes", set(&of("scope"))),
        ("credentials", or_null(&set(&of("credential")))),
        ("tools", or_null(&by_id(&tool))),
        (
            "sandbox",
            object([
                ("execution_mode", or_null(&mode)),
                ("network_enabled", boolean()),
                ("filesystem", by_id(&grant)),
                ("environment", or_null(&set(&of("id")))),
            ]),
        ),
        ("budgets", budgets(IsComplete(true))),
    ]);
    add(&mut permissions, SettingGroup::Limit, IsComplete(true));
    permissions
}

/// Whether every setting must be there, `null` when it is unbounded.
#[derive(Clone, Copy)]
pub(super) struct IsComplete(pub(super) bool);

/// Budgets with the rates.
pub(super) fn budgets(is_complete: IsComplete) -> Value {
    let mut rates = object([]);
    add(&mut rates, SettingGroup::Rate, is_complete);
    let rates = if is_complete.0 {
        rates
    } else {
        or_null(&rates)
    };
    let mut budgets = object([]);
    add(&mut budgets, SettingGroup::Budget, is_complete);
    budgets["properties"]["rate_limit"] = rates;
    if is_complete.0
        && let Some(required) = budgets["required"].as_array_mut()
    {
        required.push(json!("rate_limit"));
    }
    budgets
}

/// Adds the settings of a group to an object.
pub(super) fn add(schema: &mut Value, group: SettingGroup, is_complete: IsComplete) {
    let settings = Setting::ALL
        .iter()
        .filter(|setting| setting.group() == group);
    let settings = settings.map(|setting| {
        let mut schema = or_null(&match setting.range() {
            SettingRange::U32 => number(0, u32::MAX.into()),
            SettingRange::U64 => number(0, u64::MAX),
            SettingRange::Money => {
                json!({ "type": "number", "minimum": 0, "maximum": 18_446_744_073_709.55 })
            }
        });
        schema["description"] = json!(setting.about());
        (setting.wire_name().to_owned(), schema)
    });
    let settings: Map<_, _> = settings.collect();
    if is_complete.0
        && let Some(required) = schema["required"].as_array_mut()
    {
        required.extend(settings.keys().map(|name| json!(name)));
    }
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.extend(settings);
    }
}

/// Which binding is used for whom; `null` for none, explicitly.
pub(super) fn credential() -> Value {
    let target = object([("kind", word(["provider", "mcp_server"])), ("id", of("id"))]);
    object([("target", target), ("binding_id", or_null(&of("id")))])
}
