//! What an artifact asks for.

use authority_core::vocabulary::{ExecutionMode, SettingGroup};
use authority_core::{BUDGETS_EXTENSION, THREAD_POLICY_EXTENSION};
use serde_json::{Value, json};

use super::permissions::{self, IsComplete};
use super::{boolean, by_id, object, of, open_object, or_null, set, word};

/// The extension `uar.thread_policy`. What is left out or `null` inherits.
pub(super) fn restrictions() -> Value {
    let first = open_object([("version", json!({ "const": 1 }))], common());
    let mut second = open_object([("version", json!({ "const": 2 }))], common());
    second["properties"]["scopes"] = or_null(&set(&of("scope")));
    second["properties"]["tools"] = or_null(&set(&of("id")));
    second["properties"]["budgets"] = or_null(&of("budgets"));
    permissions::add(&mut second, SettingGroup::Limit, IsComplete(false));
    json!({
        "oneOf": [first, second],
        "$comment": "Not said: that a key stands once, that no two scopes have one target and no two credentials one target, that a whole number is written in plain digits, and that money has at most six decimals.",
    })
}

fn common() -> [(&'static str, Value); 2] {
    let grant = object([("read", boolean()), ("write", boolean())]);
    let mode = word(ExecutionMode::ALL.iter().map(|mode| mode.name()));
    let sandbox = open_object(
        [],
        [
            ("execution_mode", or_null(&mode)),
            ("network_enabled", or_null(&boolean())),
            ("filesystem", or_null(&by_id(&grant))),
            ("environment", or_null(&set(&of("id")))),
        ],
    );
    [
        ("credentials", or_null(&set(&of("credential")))),
        ("sandbox", or_null(&sandbox)),
    ]
}

/// The extension `budgets`. What is left out or `null` inherits.
pub(super) fn budgets() -> Value {
    permissions::budgets(IsComplete(false))
}

/// An artifact. Extensions of others are theirs, but for names that look like ours.
pub(super) fn artifact() -> Value {
    let route = object([("provider_id", of("id")), ("model_id", of("text"))]);
    let ours = [THREAD_POLICY_EXTENSION, BUDGETS_EXTENSION];
    let mut names = vec![json!({ "enum": ours })];
    let looks_like = ours.map(spellings).join("|");
    names.push(json!({ "not": { "pattern": format!("^uar\\.|^(?:{looks_like})$") } }));
    let mut extensions = open_object(
        [],
        [
            (THREAD_POLICY_EXTENSION, of("restrictions")),
            (BUDGETS_EXTENSION, of("budgets")),
        ],
    );
    extensions["additionalProperties"] = json!(true);
    extensions["propertyNames"] = json!({ "anyOf": names });
    open_object(
        [("id", of("id"))],
        [("model", or_null(&route)), ("extensions", extensions)],
    )
}

/// The name in any letter case, with `.`, `_` and `-` anywhere.
fn spellings(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphabetic);
    let letters = letters.map(|letter| format!("[{letter}{}][._-]*", letter.to_ascii_uppercase()));
    format!("[._-]*{}", letters.collect::<String>())
}
