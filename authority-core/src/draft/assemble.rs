//! A draft becomes permissions: tables, digests and the look-up index.

use std::collections::HashMap;
use std::sync::Arc;

use crate::ceiling;
use crate::child_ceiling::ChildCeiling;
use crate::credential::CredentialGrant;
use crate::declaration::derived::{self, EncodedRow};
use crate::declaration::json::Permissions;
use crate::declaration::row::{self, Run};
use crate::declaration::table::{Bytes, Table};
use crate::declaration::{Block, Declaration, DeclaredChild};
use crate::digest::Digest;
use crate::draft::{BindingKind, Draft, DraftEntry, DraftKind, DraftTarget};
use crate::id::{Id, ToolName};
use crate::operation_set::OperationSet;
use crate::permissions::ThreadPermissions;
use crate::scope::Scope;
use crate::settings::Settings;
use crate::target::{
    BrowserTarget, ChildAgentTarget, FilesystemTarget, IntegrationTarget, McpTarget, NetworkTarget,
    RelativePath, SubprocessTarget, Target, digest_of_arguments,
};
use crate::text::Text;
use crate::tool::ToolGrant;
use crate::vocabulary::ExecutionMode;

/// Assembles a root from a draft. Poisoned entries are left out, expectations too.
pub fn assemble(draft: &Draft, file: &str) -> ThreadPermissions {
    let mut declaration = body(draft, &Text::from(file.to_owned()), &HashMap::new());
    declaration.credentials.get_or_insert(Table::EMPTY);
    declaration.tools.get_or_insert(Table::EMPTY);
    declaration.environment.get_or_insert(Table::EMPTY);
    declaration
        .execution_mode
        .get_or_insert(ExecutionMode::Sandboxed);
    ThreadPermissions(declaration)
}

/// Assembles one body. `agents` are the agents that the parent holds, with the digest in their
/// targets.
fn body(draft: &Draft, file: &Text<'static>, agents: &HashMap<&str, Digest>) -> Declaration {
    let entries: Vec<ScopeEntry<'_>> = draft.entries.iter().filter_map(ScopeEntry::of).collect();
    let scopes: Vec<Option<((Scope<'_>, String), Digest)>> = entries
        .iter()
        .map(|entry| (!entry.is_agent()).then(|| entry.digested(Digest::of(b""))))
        .collect();
    let own = ceiling::sha256_of(scopes.iter().flatten().map(|(_, digest)| *digest));
    let agent_digest = |entry: &ScopeEntry<'_>| match (entry.block, entry.target) {
        (None, DraftTarget::ChildAgent(agent)) => {
            agents.get(agent.as_str()).copied().unwrap_or(own)
        }
        _ => own,
    };
    let (scopes, digests): (Vec<_>, Vec<_>) = entries
        .iter()
        .zip(scopes)
        .map(|(entry, scope)| scope.unwrap_or_else(|| entry.digested(agent_digest(entry))))
        .unzip();
    let held: HashMap<&str, Digest> = entries
        .iter()
        .filter_map(|entry| match entry.target {
            DraftTarget::ChildAgent(agent) => Some((agent.as_str(), agent_digest(entry))),
            _ => None,
        })
        .collect();
    let children: Table<DeclaredChild> = entries
        .iter()
        .filter_map(|entry| match (entry.block, entry.target) {
            (Some(block), DraftTarget::ChildAgent(agent)) => Some(DeclaredChild {
                agent: agent.0.clone(),
                ceiling: Block::Shared(Arc::new(ChildCeiling(body(block, file, &held)))),
            }),
            _ => None,
        })
        .collect();

    let bindings = Bindings::of(draft);
    let permissions = Permissions {
        scopes: &scopes,
        credentials: bindings.credentials.as_ref(),
        tools: bindings.tools.as_ref(),
        environment: bindings.environment.as_ref(),
        execution_mode: bindings.execution_mode,
        settings: &bindings.settings,
    };
    let child_digests = children
        .iter()
        .map(|child| (child.agent.to_string(), child.ceiling.declaration_sha256()))
        .collect();
    let declaration = permissions.declaration_sha256(child_digests);
    let rows: Vec<_> = entries
        .iter()
        .zip(scopes.iter().zip(digests))
        .map(|(entry, ((scope, _), digest))| entry.encoded(scope, digest))
        .collect();
    let length = draft.entries.iter().map(|entry| entry.index + 1).max();
    let (derived, texts) = derived::encode(own, declaration, length.unwrap_or(0), &rows);
    Declaration {
        derived: Bytes::Shared(derived.into()),
        texts: texts.into(),
        credentials: bindings.credentials,
        tools: bindings.tools,
        environment: bindings.environment,
        execution_mode: bindings.execution_mode,
        settings: bindings.settings,
        children,
        file: file.clone(),
    }
}

/// What the entries that are no scopes say.
struct Bindings {
    credentials: Option<Table<CredentialGrant>>,
    tools: Option<Table<ToolGrant>>,
    environment: Option<Table<Id<'static>>>,
    execution_mode: Option<ExecutionMode>,
    settings: Settings,
}

impl Bindings {
    fn of(draft: &Draft) -> Self {
        let settings =
            draft
                .entries
                .iter()
                .fold(Settings::UNBOUNDED, |settings, entry| match entry.kind {
                    DraftKind::Setting(setting, value) => settings.with(setting, value),
                    _ => settings,
                });
        let credentials = collection(draft, BindingKind::Credential, |kind| match kind {
            DraftKind::Credential { target, binding } => Some(CredentialGrant {
                target: target.clone(),
                binding: binding.clone(),
            }),
            _ => None,
        });
        let tools = collection(draft, BindingKind::Tool, |kind| match kind {
            DraftKind::Tool { id, binding } => Some(ToolGrant {
                id: id.clone(),
                binding: binding.clone(),
            }),
            _ => None,
        });
        let environment = collection(draft, BindingKind::Environment, |kind| match kind {
            DraftKind::Environment(id) => Some(id.clone()),
            _ => None,
        });
        let execution_mode = draft.entries.iter().find_map(|entry| match entry.kind {
            DraftKind::Execution(mode) => Some(mode),
            _ => None,
        });
        Bindings {
            credentials,
            tools,
            environment,
            execution_mode,
            settings,
        }
    }
}

/// The items of a collection, sorted; `None` when neither items nor `none` are named.
fn collection<T: Ord>(
    draft: &Draft,
    none: BindingKind,
    item: impl Fn(&DraftKind) -> Option<T>,
) -> Option<Table<T>> {
    let mut items: Vec<T> = draft
        .entries
        .iter()
        .filter_map(|entry| item(&entry.kind))
        .collect();
    items.sort();
    let is_none = |entry: &DraftEntry| matches!(entry.kind, DraftKind::None(kind) if kind == none);
    (!items.is_empty() || draft.entries.iter().any(is_none)).then(|| items.into_iter().collect())
}

/// A scope of a draft, or the scope of a child with its block.
struct ScopeEntry<'a> {
    index: usize,
    target: &'a DraftTarget,
    operations: OperationSet,
    delegable: bool,
    block: Option<&'a Draft>,
    doc: &'a str,
    line: u32,
}

impl<'a> ScopeEntry<'a> {
    fn of(entry: &'a DraftEntry) -> Option<Self> {
        match &entry.kind {
            DraftKind::Scope {
                target,
                operations,
                delegable,
                doc,
                line,
            } => Some(ScopeEntry {
                index: entry.index,
                target,
                operations: *operations,
                delegable: *delegable,
                block: None,
                doc,
                line: *line,
            }),
            DraftKind::Child {
                target,
                operations,
                body,
                doc,
                line,
            } => Some(ScopeEntry {
                index: entry.index,
                target,
                operations: *operations,
                delegable: false,
                block: Some(body),
                doc,
                line: *line,
            }),
            _ => None,
        }
    }

    fn is_agent(&self) -> bool {
        matches!(self.target, DraftTarget::ChildAgent(_))
    }

    /// The scope with its digest; `agent_digest` is what a `child_agent` carries here.
    fn digested(&self, agent_digest: Digest) -> ((Scope<'a>, String), Digest) {
        let scope = Scope::trusted(self.target.to_target(agent_digest), self.operations);
        let json = scope.canonical_json();
        let digest = Digest::of(json.as_bytes());
        ((scope, json), digest)
    }

    fn encoded(&'a self, scope: &'a Scope<'a>, digest: Digest) -> EncodedRow<'a> {
        let run = match self.target {
            DraftTarget::Subprocess(_, arguments, directory) => Some(Run {
                arguments,
                binding: directory.binding.as_str(),
                path: directory.path.as_ref().map(RelativePath::as_str),
            }),
            _ => None,
        };
        EncodedRow {
            row: self.index,
            line: self.line,
            scope: row::ScopeEntry {
                target: scope.target(),
                operations: self.operations,
                digest,
                delegable: self.delegable,
                run,
                doc: self.doc,
            },
        }
    }
}

impl DraftTarget {
    /// The target in its typed form; `agent_digest` is what a `child_agent` carries here.
    pub(crate) fn to_target(&self, agent_digest: Digest) -> Target<'_> {
        match self {
            DraftTarget::Filesystem(binding, path) => Target::Filesystem(FilesystemTarget {
                binding: binding.borrowed(),
                path: path.as_ref().map(RelativePath::borrowed),
            }),
            DraftTarget::Subprocess(executable, arguments, directory) => {
                Target::Subprocess(SubprocessTarget {
                    executable: executable.borrowed(),
                    argv_sha256: digest_of_arguments(arguments),
                    cwd_sha256: directory.sha256(),
                })
            }
            DraftTarget::SubprocessDigests(executable, argv, cwd) => {
                Target::Subprocess(SubprocessTarget {
                    executable: executable.borrowed(),
                    argv_sha256: *argv,
                    cwd_sha256: *cwd,
                })
            }
            DraftTarget::Network(endpoint, redirect) => Target::Network(NetworkTarget {
                endpoint: endpoint.borrowed(),
                redirect: *redirect,
            }),
            DraftTarget::Github(repository) => Target::Github(repository.borrowed()),
            DraftTarget::Browser(origin) => Target::Browser(BrowserTarget {
                origin: origin.borrowed(),
            }),
            DraftTarget::Mcp(server, tool) => Target::Mcp(McpTarget {
                server: server.borrowed(),
                tool: tool.as_ref().map(ToolName::borrowed),
            }),
            DraftTarget::Integration(integration, revision) => {
                Target::Integration(IntegrationTarget {
                    integration: integration.borrowed(),
                    revision_sha256: *revision,
                })
            }
            DraftTarget::ChildAgent(agent) => Target::ChildAgent(ChildAgentTarget {
                agent: agent.borrowed(),
                parent_ceiling_sha256: agent_digest,
            }),
        }
    }
}
