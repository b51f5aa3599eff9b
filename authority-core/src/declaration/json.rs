//! The JSON of permissions: the form that every command prints, and the one that digests cover.

use crate::canonical;
use crate::credential::CredentialGrant;
use crate::declaration::table::Table;
use crate::digest::Digest;
use crate::id::Id;
use crate::money::MicroDollars;
use crate::sandbox::SandboxView;
use crate::scope::Scope;
use crate::settings::Settings;
use crate::tool::{ToolBinding, ToolGrant};
use crate::vocabulary::{ExecutionMode, Setting, SettingGroup, SettingRange};

/// What the JSON is made from. A collection that is `None` is inherited, and printed as `null`.
pub(crate) struct Permissions<'a> {
    /// Each scope with its canonical JSON.
    pub(crate) scopes: &'a [(Scope<'a>, String)],
    pub(crate) credentials: Option<&'a Table<CredentialGrant>>,
    pub(crate) tools: Option<&'a Table<ToolGrant>>,
    pub(crate) environment: Option<&'a Table<Id<'static>>>,
    pub(crate) execution_mode: Option<ExecutionMode>,
    pub(crate) settings: &'a Settings,
}

/// How money stands in the JSON.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(crate) enum MoneyForm {
    /// `max_cost_per_session_usd`, the shortest decimal.
    Decimal,
    /// `max_cost_per_session_micro_usd`, a whole number: the form of digests.
    Micro,
}

/// A JSON value that prints canonically and serialises.
pub(crate) enum Value<'a> {
    Null,
    Bool(bool),
    Number(u64),
    Money(MicroDollars),
    Text(String),
    Scope(&'a Scope<'a>, &'a str),
    List(Vec<Value<'a>>),
    Object(Vec<(String, Value<'a>)>),
}

impl<'a> Permissions<'a> {
    /// The permissions as JSON, lists sorted.
    pub(crate) fn to_value(&self, money: MoneyForm) -> Value<'a> {
        let sandbox = SandboxView::of(self.scopes.iter().map(|(scope, _)| scope));
        let filesystem = sandbox.filesystem().map(|(binding, grant)| {
            let grant = [("read", grant.read), ("write", grant.write)];
            let grant = grant.map(|(key, value)| (key.to_owned(), Value::Bool(value)));
            (binding.to_owned(), Value::Object(grant.into()))
        });
        let mut members = vec![
            ("budgets", self.budgets(money)),
            ("credentials", list_or_null(self.credentials, credential)),
            (
                "sandbox",
                object([
                    (
                        "environment",
                        list_or_null(self.environment, |id| text(id.as_str())),
                    ),
                    (
                        "execution_mode",
                        self.execution_mode
                            .map_or(Value::Null, |mode| text(mode.name())),
                    ),
                    ("filesystem", Value::Object(filesystem.collect())),
                    ("network_enabled", Value::Bool(sandbox.network_enabled())),
                ]),
            ),
            ("scopes", self.sorted_scopes()),
            (
                "tools",
                self.tools.map_or(Value::Null, |tools| {
                    Value::Object(tools.iter().map(tool).collect())
                }),
            ),
        ];
        let limits = in_group(SettingGroup::Limit);
        members.extend(limits.map(|setting| (setting.wire_name(), self.setting(setting, money))));
        object(members)
    }

    /// Sorted by the canonical JSON of their targets, which is the last member of a scope's.
    fn sorted_scopes(&self) -> Value<'a> {
        let target = |json: &'a str| {
            json.split_once("\"target\":")
                .map_or(json, |(_, target)| target)
        };
        let mut scopes: Vec<_> = self
            .scopes
            .iter()
            .map(|(scope, json)| (target(json), scope, json.as_str()))
            .collect();
        scopes.sort_by_key(|(target, ..)| *target);
        Value::List(
            scopes
                .into_iter()
                .map(|(_, scope, json)| Value::Scope(scope, json))
                .collect(),
        )
    }

    fn budgets(&self, money: MoneyForm) -> Value<'a> {
        let budgets = in_group(SettingGroup::Budget).map(|setting| {
            let name = match (setting.range(), money) {
                (SettingRange::Money, MoneyForm::Micro) => "max_cost_per_session_micro_usd",
                _ => setting.wire_name(),
            };
            (name, self.setting(setting, money))
        });
        let rates = in_group(SettingGroup::Rate)
            .map(|setting| (setting.wire_name(), self.setting(setting, money)));
        object(budgets.chain([("rate_limit", object(rates))]))
    }

    fn setting(&self, setting: Setting, money: MoneyForm) -> Value<'a> {
        match self.settings.value(setting) {
            None => Value::Null,
            Some(value)
                if setting.range() == SettingRange::Money && money == MoneyForm::Decimal =>
            {
                Value::Money(MicroDollars::new(value))
            }
            Some(value) => Value::Number(value),
        }
    }

    /// The declaration digest: everything that a reviewer reads, children by their own digests.
    pub(crate) fn declaration_sha256(&self, children: Vec<(String, Digest)>) -> Digest {
        let children = children
            .into_iter()
            .map(|(agent, digest)| (agent, Value::Text(digest.to_hex())));
        let members = [
            ("children", Value::Object(children.collect())),
            ("permissions", self.to_value(MoneyForm::Micro)),
        ];
        digest_of("authority/declaration/v1", members)
    }
}

fn in_group(group: SettingGroup) -> impl Iterator<Item = Setting> {
    Setting::ALL
        .iter()
        .copied()
        .filter(move |setting| setting.group() == group)
}

pub(crate) fn object<'a, K: Into<String>>(
    members: impl IntoIterator<Item = (K, Value<'a>)>,
) -> Value<'a> {
    Value::Object(
        members
            .into_iter()
            .map(|(key, value)| (key.into(), value))
            .collect(),
    )
}

/// The digest of an object with these members and a domain.
pub(crate) fn digest_of<'a>(
    domain: &str,
    members: impl IntoIterator<Item = (&'static str, Value<'a>)>,
) -> Digest {
    let domain = [("domain", text(domain))];
    let object = object(domain.into_iter().chain(members));
    Digest::of(object.to_canonical_json().as_bytes())
}

pub(crate) fn text<'a>(text: &str) -> Value<'a> {
    Value::Text(text.to_owned())
}

/// The list, sorted by the canonical JSON of its elements.
fn list_or_null<'a, T>(table: Option<&Table<T>>, element: impl Fn(&T) -> Value<'a>) -> Value<'a> {
    let Some(table) = table else {
        return Value::Null;
    };
    let elements = table.iter().map(element);
    let mut elements: Vec<_> = elements
        .map(|value| (value.to_canonical_json(), value))
        .collect();
    elements.sort_by(|left, right| left.0.cmp(&right.0));
    Value::List(elements.into_iter().map(|(_, value)| value).collect())
}

pub(crate) fn credential<'a>(grant: &CredentialGrant) -> Value<'a> {
    let target = [
        ("id", text(grant.target.id().as_str())),
        ("kind", text(grant.target.kind_name())),
    ];
    let binding = grant
        .binding
        .as_ref()
        .map_or(Value::Null, |binding| text(binding.as_str()));
    object([("binding_id", binding), ("target", object(target))])
}

fn tool<'a>(grant: &ToolGrant) -> (String, Value<'a>) {
    let binding = match &grant.binding {
        ToolBinding::Native => text("native"),
        ToolBinding::Mcp(binding) => object([
            ("server_id", text(binding.server.as_str())),
            ("tool_name", text(binding.tool.as_str())),
        ]),
    };
    (grant.id.as_str().to_owned(), binding)
}

impl Value<'_> {
    pub(crate) fn to_canonical_json(&self) -> String {
        let mut json = String::new();
        self.push_canonical(&mut json);
        json
    }

    fn push_canonical(&self, out: &mut String) {
        match self {
            Value::Null => out.push_str("null"),
            Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Value::Number(value) => out.push_str(&value.to_string()),
            Value::Money(value) => out.push_str(&value.to_string()),
            Value::Text(text) => canonical::push_string(out, text),
            Value::Scope(_, json) => out.push_str(json),
            Value::List(elements) => {
                canonical::push_list(out, elements, |out, element| element.push_canonical(out));
            }
            Value::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                members.sort_by(|left, right| left.0.cmp(&right.0));
                out.push('{');
                for (index, (key, value)) in members.into_iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    canonical::push_string(out, key);
                    out.push(':');
                    value.push_canonical(out);
                }
                out.push('}');
            }
        }
    }
}
