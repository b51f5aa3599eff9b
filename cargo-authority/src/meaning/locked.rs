//! The lock file: a snapshot of every declaration, written and read.

use std::collections::{BTreeMap, BTreeSet};

use authority_core::vocabulary::{ExecutionMode, Setting, SettingGroup, SettingRange};
use authority_core::{
    Ceiling, ChildCeiling, CredentialTarget, Id, MicroDollars, Settings, Target, ThreadPermissions,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::meaning::{Meaning, ScopeMeaning, ToolMeaning};

/// The version of the lock that is read and written.
const VERSION: u64 = 1;

/// The lock file.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lock {
    pub(crate) declarations: BTreeMap<String, Locked>,
    version: u64,
}

/// One declaration.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Locked {
    ceiling_sha256: String,
    children: BTreeMap<String, LockedChild>,
    pub(crate) file: String,
    pub(crate) line: usize,
    permissions: Box<RawValue>,
}

/// The block of a child.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct LockedChild {
    ceiling_sha256: String,
    children: BTreeMap<String, LockedChild>,
    permissions: Box<RawValue>,
}

impl Lock {
    pub(crate) fn new(declarations: BTreeMap<String, Locked>) -> Self {
        Lock {
            declarations,
            version: VERSION,
        }
    }

    /// Reads a lock, or says why it is none.
    pub(crate) fn from_json(json: &str) -> Result<Self, String> {
        let lock: Lock = serde_json::from_str(json).map_err(|error| error.to_string())?;
        if lock.version != VERSION {
            return Err(format!("version {} of the lock is not read", lock.version));
        }
        Ok(lock)
    }
}

impl Locked {
    /// What is written of a declaration.
    pub(crate) fn of(permissions: &ThreadPermissions, file: &str, line: usize) -> Self {
        Locked {
            ceiling_sha256: permissions.ceiling_sha256().to_hex(),
            children: children(permissions.children()),
            file: file.to_owned(),
            line,
            permissions: raw(permissions.to_json()),
        }
    }

    /// What the declaration meant when it was locked, or why the lock does not say it.
    pub(crate) fn meaning(&self) -> Result<Meaning, String> {
        meaning(&self.permissions, &self.children)
    }

    /// Whether both say the same, wherever it stands.
    pub(crate) fn is_same(&self, other: &Locked) -> bool {
        self.ceiling_sha256 == other.ceiling_sha256
            && compact(&self.permissions) == compact(&other.permissions)
            && are_same(&self.children, &other.children)
    }
}

fn are_same(left: &BTreeMap<String, LockedChild>, right: &BTreeMap<String, LockedChild>) -> bool {
    left.len() == right.len()
        && left
            .iter()
            .zip(right)
            .all(|((agent, left), (other, right))| {
                agent == other
                    && left.ceiling_sha256 == right.ceiling_sha256
                    && compact(&left.permissions) == compact(&right.permissions)
                    && are_same(&left.children, &right.children)
            })
}

/// The text without the white space of its layout: no text of a declaration holds a line break.
fn compact(json: &RawValue) -> String {
    let lines = json.get().lines().map(str::trim);
    lines.collect::<String>().replace("\": ", "\":")
}

fn children<'a>(
    children: impl Iterator<Item = (Id<'a>, &'a ChildCeiling)>,
) -> BTreeMap<String, LockedChild> {
    children
        .map(|(agent, ceiling)| {
            let child = LockedChild {
                ceiling_sha256: ceiling.ceiling_sha256().to_hex(),
                children: self::children(ceiling.declaration().children()),
                permissions: raw(ceiling.to_json()),
            };
            (agent.to_string(), child)
        })
        .collect()
}

/// Canonical JSON is JSON.
fn raw(json: String) -> Box<RawValue> {
    RawValue::from_string(json).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// Permissions as they are printed.
#[derive(Deserialize)]
struct Permissions {
    scopes: Box<RawValue>,
    credentials: Option<Vec<Credential>>,
    tools: Option<BTreeMap<String, Tool>>,
    sandbox: Sandbox,
    budgets: BTreeMap<String, Box<RawValue>>,
    #[serde(flatten)]
    limits: BTreeMap<String, Option<u64>>,
}

#[derive(Deserialize)]
struct Credential {
    binding_id: Option<String>,
    target: Provider,
}

#[derive(Deserialize)]
struct Provider {
    id: String,
    kind: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Tool {
    Native(String),
    Mcp {
        server_id: String,
        tool_name: String,
    },
}

#[derive(Deserialize)]
struct Sandbox {
    environment: Option<BTreeSet<String>>,
    execution_mode: Option<String>,
}

fn meaning(
    permissions: &RawValue,
    children: &BTreeMap<String, LockedChild>,
) -> Result<Meaning, String> {
    let permissions: Permissions = read(permissions)?;
    let mut scopes = Vec::new();
    let mut agents = BTreeMap::new();
    let ceiling =
        Ceiling::from_json(permissions.scopes.get()).map_err(|error| error.to_string())?;
    for scope in ceiling.scopes() {
        match scope.target() {
            Target::ChildAgent(target) => {
                agents.insert(target.agent.to_string(), scope.operations());
            }
            target => scopes.push(ScopeMeaning {
                target: target.clone().into_owned(),
                operations: scope.operations(),
                text: target.to_string(),
                index: 0,
            }),
        }
    }
    let credentials = permissions.credentials.map(|credentials| {
        let credentials = credentials.iter().map(credential);
        credentials.collect::<Result<_, _>>()
    });
    let tools = permissions.tools.map(|tools| {
        let tools = tools
            .into_iter()
            .map(|(id, tool)| Ok((id, tool.meaning()?)));
        tools.collect::<Result<_, String>>()
    });
    let execution = permissions
        .sandbox
        .execution_mode
        .map(|mode| ExecutionMode::from_name(&mode).ok_or("an unknown execution mode".to_owned()));
    let children = children
        .iter()
        .map(|(agent, child)| Ok((agent.clone(), meaning(&child.permissions, &child.children)?)));
    Ok(Meaning {
        scopes,
        agents,
        credentials: credentials.transpose()?,
        tools: tools.transpose()?,
        environment: permissions.sandbox.environment,
        execution: execution.transpose()?,
        settings: settings(&permissions.budgets, &permissions.limits)?,
        children: children.collect::<Result<_, String>>()?,
    })
}

impl Tool {
    fn meaning(self) -> Result<ToolMeaning, String> {
        match self {
            Tool::Native(word) if word == "native" => Ok(None),
            Tool::Native(_) => Err("an unknown kind of tool".to_owned()),
            Tool::Mcp {
                server_id,
                tool_name,
            } => Ok(Some((server_id, tool_name))),
        }
    }
}

fn credential(
    grant: &Credential,
) -> Result<(CredentialTarget<'static>, Option<Id<'static>>), String> {
    let id = |text: &str| {
        let id = Id::parse(text).map_err(|error| error.to_string())?;
        Ok::<_, String>(id.into_owned())
    };
    let target = match grant.target.kind.as_str() {
        "provider" => CredentialTarget::Provider(id(&grant.target.id)?),
        "mcp_server" => CredentialTarget::McpServer(id(&grant.target.id)?),
        _ => return Err("an unknown kind of credential".to_owned()),
    };
    let binding = grant.binding_id.as_deref().map(id).transpose()?;
    Ok((target, binding))
}

fn settings(
    budgets: &BTreeMap<String, Box<RawValue>>,
    limits: &BTreeMap<String, Option<u64>>,
) -> Result<Settings, String> {
    let missing = |setting: Setting| format!("`{}` is missing", setting.wire_name());
    let rates: BTreeMap<String, Option<u64>> =
        read(budgets.get("rate_limit").ok_or("`rate_limit` is missing")?)?;
    let mut settings = Settings::UNBOUNDED;
    for setting in Setting::ALL.iter().copied() {
        let name = setting.wire_name();
        let value = match setting.group() {
            SettingGroup::Limit => *limits.get(name).ok_or_else(|| missing(setting))?,
            SettingGroup::Rate => *rates.get(name).ok_or_else(|| missing(setting))?,
            SettingGroup::Budget => {
                let value = budgets.get(name).ok_or_else(|| missing(setting))?;
                match (setting.range(), value.get()) {
                    (_, "null") => None,
                    // As decimal text, never through a float.
                    (SettingRange::Money, text) => {
                        let money = MicroDollars::parse(text).map_err(|error| error.to_string())?;
                        Some(money.micros())
                    }
                    _ => Some(read(value)?),
                }
            }
        };
        if let Some(value) = value {
            settings = settings.with(setting, value);
        }
    }
    Ok(settings)
}

fn read<'j, T: Deserialize<'j>>(json: &'j RawValue) -> Result<T, String> {
    serde_json::from_str(json.get()).map_err(|error| error.to_string())
}
