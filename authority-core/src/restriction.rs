//! Restrictions: what an artifact may ask for. There is no field that could add anything.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::budgets::{ThreadBudgets, ThreadRateLimit};
use crate::credential::{CredentialGrant, CredentialTarget};
use crate::id::Id;
use crate::json::{self, DecodeError, DecodeRule, Reader, members};
use crate::sandbox::FilesystemGrant;
use crate::scope::Scope;
use crate::settings::Settings;
use crate::target::Target;
use crate::vocabulary::ExecutionMode;

/// The name of the extension that restricts a thread's policy.
pub const THREAD_POLICY_EXTENSION: &str = "uar.thread_policy";
/// The name of the extension that restricts a thread's budgets.
pub const BUDGETS_EXTENSION: &str = "budgets";

/// What a restriction document asks for. What is `None` inherits; an empty collection denies all
/// of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Restriction {
    pub(crate) scopes: Option<Vec<Scope<'static>>>,
    pub(crate) credentials: Option<Vec<CredentialGrant>>,
    pub(crate) tools: Option<Vec<Id<'static>>>,
    pub(crate) execution_mode: Option<ExecutionMode>,
    pub(crate) network_enabled: Option<bool>,
    pub(crate) filesystem: Option<BTreeMap<String, FilesystemGrant>>,
    pub(crate) environment: Option<Vec<Id<'static>>>,
    pub(crate) settings: Settings,
}

impl Restriction {
    /// Asks for nothing: inherits everything.
    pub const INHERIT_ALL: Restriction = Restriction {
        scopes: None,
        credentials: None,
        tools: None,
        execution_mode: None,
        network_enabled: None,
        filesystem: None,
        environment: None,
        settings: Settings::UNBOUNDED,
    };

    /// Decodes the document of the extension [`THREAD_POLICY_EXTENSION`], version 1 or 2.
    ///
    /// # Errors
    ///
    /// The version first, then the first error in document order, with its JSON Pointer.
    pub fn from_json(json: &str) -> Result<Self, DecodeError> {
        json::decode(json, Restriction::decode)
    }

    /// Decodes the document of the extension [`BUDGETS_EXTENSION`].
    ///
    /// # Errors
    ///
    /// The first error in document order, with its JSON Pointer.
    pub fn from_budgets_json(json: &str) -> Result<Self, DecodeError> {
        json::decode(json, Restriction::decode_budgets)
    }

    pub(crate) fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut restriction = Restriction::INHERIT_ALL;
        let mut has_version = false;
        if version(reader)? == 1 {
            reader.object(|reader, key: KeyOfOne| {
                restriction.member(reader, key.into(), &mut has_version)
            })?;
        } else {
            reader.object(|reader, key: Key| restriction.member(reader, key, &mut has_version))?;
        }
        if has_version {
            Ok(restriction)
        } else {
            Err(reader.error(DecodeRule::MissingKey("version")))
        }
    }

    fn member(
        &mut self,
        reader: &mut Reader<'_>,
        key: Key,
        has_version: &mut bool,
    ) -> Result<(), DecodeError> {
        let settings = &mut self.settings;
        match key {
            Key::Version => {
                *has_version = true;
                reader.integer(1..=2)?;
            }
            Key::Credentials => self.credentials = reader.nullable(credentials)?,
            Key::Sandbox => {
                reader.nullable(|reader| self.sandbox(reader))?;
            }
            Key::Scopes => self.scopes = reader.nullable(scopes)?,
            Key::Tools => self.tools = reader.nullable(ids)?,
            Key::Budgets => {
                if let Some(budgets) = reader.nullable(budgets)? {
                    settings.budgets = budgets;
                }
            }
            Key::MaxActiveSkills => settings.limits.max_active_skills = count(reader)?,
            Key::MaxConcurrentTools => settings.limits.max_concurrent_tools = count(reader)?,
            Key::MaxAgents => settings.limits.max_agents = count(reader)?,
            Key::MaxDepth => settings.limits.max_depth = count(reader)?,
        }
        Ok(())
    }

    fn sandbox(&mut self, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
        reader.object(|reader, key| {
            match key {
                SandboxKey::ExecutionMode => {
                    self.execution_mode = reader.nullable(|reader| {
                        let names = ExecutionMode::ALL.iter().map(|mode| mode.name());
                        reader.word(ExecutionMode::from_name, names)
                    })?;
                }
                SandboxKey::NetworkEnabled => {
                    self.network_enabled = reader.nullable(Reader::boolean)?;
                }
                SandboxKey::Filesystem => self.filesystem = reader.nullable(filesystem)?,
                SandboxKey::Environment => self.environment = reader.nullable(ids)?,
            }
            Ok(())
        })
    }

    pub(crate) fn decode_budgets(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut restriction = Restriction::INHERIT_ALL;
        restriction.settings.budgets = budgets(reader)?;
        Ok(restriction)
    }
}

members! {
    /// The keys of version 1.
    enum KeyOfOne {
        Version "version",
        Credentials "credentials",
        Sandbox "sandbox",
    }
}

impl From<KeyOfOne> for Key {
    fn from(key: KeyOfOne) -> Self {
        match key {
            KeyOfOne::Version => Key::Version,
            KeyOfOne::Credentials => Key::Credentials,
            KeyOfOne::Sandbox => Key::Sandbox,
        }
    }
}

members! {
    /// The keys of version 2.
    enum Key {
        Version "version",
        Credentials "credentials",
        Sandbox "sandbox",
        Scopes "scopes",
        Tools "tools",
        Budgets "budgets",
        MaxActiveSkills "max_active_skills",
        MaxConcurrentTools "max_concurrent_tools",
        MaxAgents "max_agents",
        MaxDepth "max_depth",
    }
}

members! {
    enum SandboxKey {
        ExecutionMode "execution_mode",
        NetworkEnabled "network_enabled",
        Filesystem "filesystem",
        Environment "environment",
    }
}

members! {
    enum GrantKey {
        Read "read",
        Write "write",
    }
}

members! {
    enum CredentialKey {
        Target "target",
        BindingId "binding_id",
    }
}

members! {
    enum CredentialTargetKey {
        Kind "kind",
        Id "id",
    }
}

members! {
    enum BudgetKey {
        MaxTokensPerTurn "max_tokens_per_turn",
        MaxTokensPerSession "max_tokens_per_session",
        MaxToolCallsPerTurn "max_tool_calls_per_turn",
        MaxCostPerSessionUsd "max_cost_per_session_usd",
        TimeoutSeconds "timeout_seconds",
        RateLimit "rate_limit",
    }
}

members! {
    enum RateKey {
        RequestsPerMinute "requests_per_minute",
        TokensPerMinute "tokens_per_minute",
    }
}

/// Looks ahead for the version: what the other members may be depends on it.
fn version(reader: &Reader<'_>) -> Result<u64, DecodeError> {
    let mut ahead = reader.clone();
    let mut version = None;
    let _other_errors_come_in_document_order = ahead.map(
        |key| Ok(key == "version"),
        |reader, is_version| {
            if is_version && version.is_none() {
                version = Some(
                    reader
                        .integer(1..=2)
                        .map_err(|error| error.inside("version")),
                );
            } else {
                reader.skip()?;
            }
            Ok(())
        },
    );
    version.unwrap_or(Ok(2))
}

fn count(reader: &mut Reader<'_>) -> Result<Option<u32>, DecodeError> {
    let most = u64::from(u32::MAX);
    let number = reader.nullable(|reader| reader.integer(0..=most))?;
    Ok(number.and_then(|number| u32::try_from(number).ok()))
}

fn amount(reader: &mut Reader<'_>) -> Result<Option<u64>, DecodeError> {
    reader.nullable(|reader| reader.integer(0..=u64::MAX))
}

/// The existing shape of the budgets extension.
fn budgets(reader: &mut Reader<'_>) -> Result<ThreadBudgets, DecodeError> {
    let mut budgets = ThreadBudgets::UNBOUNDED;
    reader.object(|reader, key| {
        match key {
            BudgetKey::MaxTokensPerTurn => budgets.max_tokens_per_turn = amount(reader)?,
            BudgetKey::MaxTokensPerSession => budgets.max_tokens_per_session = amount(reader)?,
            BudgetKey::MaxToolCallsPerTurn => budgets.max_tool_calls_per_turn = count(reader)?,
            BudgetKey::MaxCostPerSessionUsd => {
                budgets.max_cost_per_session_usd = reader.nullable(Reader::money)?;
            }
            BudgetKey::TimeoutSeconds => budgets.timeout_seconds = amount(reader)?,
            BudgetKey::RateLimit => {
                budgets.rate_limit = reader
                    .nullable(rate_limit)?
                    .unwrap_or(ThreadRateLimit::UNBOUNDED);
            }
        }
        Ok(())
    })?;
    Ok(budgets)
}

fn rate_limit(reader: &mut Reader<'_>) -> Result<ThreadRateLimit, DecodeError> {
    let mut rate = ThreadRateLimit::UNBOUNDED;
    reader.object(|reader, key| {
        match key {
            RateKey::RequestsPerMinute => rate.requests_per_minute = count(reader)?,
            RateKey::TokensPerMinute => rate.tokens_per_minute = amount(reader)?,
        }
        Ok(())
    })?;
    Ok(rate)
}

fn scopes(reader: &mut Reader<'_>) -> Result<Vec<Scope<'static>>, DecodeError> {
    let target = |scope: &Scope<'static>| -> Target<'static> { scope.target().clone() };
    distinct(
        reader,
        |reader| Scope::decode(reader).map(Scope::into_owned),
        target,
    )
}

fn ids(reader: &mut Reader<'_>) -> Result<Vec<Id<'static>>, DecodeError> {
    distinct(
        reader,
        |reader| reader.text::<Id<'_>>().map(Id::into_owned),
        Clone::clone,
    )
}

fn credentials(reader: &mut Reader<'_>) -> Result<Vec<CredentialGrant>, DecodeError> {
    distinct(reader, credential, |grant| grant.target.clone())
}

/// A list whose elements have different keys.
fn distinct<T, K: Eq + std::hash::Hash>(
    reader: &mut Reader<'_>,
    mut element: impl FnMut(&mut Reader<'_>) -> Result<T, DecodeError>,
    key: impl Fn(&T) -> K,
) -> Result<Vec<T>, DecodeError> {
    let mut elements = Vec::new();
    let mut seen = std::collections::HashMap::new();
    reader.list(|reader, index| {
        let start = reader.start();
        let found = element(reader)?;
        if let Some(first) = seen.insert(key(&found), index) {
            return Err(DecodeError::new(
                DecodeRule::DuplicateEntry { first },
                start,
            ));
        }
        elements.push(found);
        Ok(())
    })?;
    Ok(elements)
}

fn credential(reader: &mut Reader<'_>) -> Result<CredentialGrant, DecodeError> {
    let mut target = None;
    let mut binding = None;
    reader.object(|reader, key| {
        match key {
            CredentialKey::Target => target = Some(credential_target(reader)?),
            CredentialKey::BindingId => {
                binding =
                    Some(reader.nullable(|reader| reader.text::<Id<'_>>().map(Id::into_owned))?);
            }
        }
        Ok(())
    })?;
    let missing = |key: &'static str| reader.error(DecodeRule::MissingKey(key));
    Ok(CredentialGrant {
        target: target.ok_or_else(|| missing("target"))?,
        binding: binding.ok_or_else(|| missing("binding_id"))?,
    })
}

fn credential_target(reader: &mut Reader<'_>) -> Result<CredentialTarget<'static>, DecodeError> {
    let mut is_provider = None;
    let mut id = None;
    reader.object(|reader, key| {
        match key {
            CredentialTargetKey::Kind => {
                let parse = |word: &str| match word {
                    "provider" => Some(true),
                    "mcp_server" => Some(false),
                    _ => None,
                };
                is_provider = Some(reader.word(parse, ["provider", "mcp_server"])?);
            }
            CredentialTargetKey::Id => id = Some(reader.text::<Id<'_>>()?.into_owned()),
        }
        Ok(())
    })?;
    let missing = |key: &'static str| reader.error(DecodeRule::MissingKey(key));
    let is_provider = is_provider.ok_or_else(|| missing("kind"))?;
    let id = id.ok_or_else(|| missing("id"))?;
    Ok(if is_provider {
        CredentialTarget::Provider(id)
    } else {
        CredentialTarget::McpServer(id)
    })
}

fn filesystem(reader: &mut Reader<'_>) -> Result<BTreeMap<String, FilesystemGrant>, DecodeError> {
    let mut bindings = BTreeMap::new();
    reader.map(
        |key: Cow<'_, str>| match Id::parse(&key) {
            Ok(id) => Ok(id.as_str().to_owned()),
            Err(error) => Err(error.rule().into()),
        },
        |reader, binding| {
            let mut read = None;
            let mut write = None;
            reader.object(|reader, key| {
                match key {
                    GrantKey::Read => read = Some(reader.boolean()?),
                    GrantKey::Write => write = Some(reader.boolean()?),
                }
                Ok(())
            })?;
            let missing = |key: &'static str| reader.error(DecodeRule::MissingKey(key));
            let grant = FilesystemGrant {
                read: read.ok_or_else(|| missing("read"))?,
                write: write.ok_or_else(|| missing("write"))?,
            };
            bindings.insert(binding, grant);
            Ok(())
        },
    )?;
    Ok(bindings)
}
