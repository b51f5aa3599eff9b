//! Declaring in host code: for authority that is known only at run time.

use crate::credential::CredentialTarget;
use crate::draft::{self, Draft, DraftEntry, DraftKind, DraftTarget, ViolationKind};
use crate::id::{Id, ToolName};
use crate::operation_set::{OperationSet, OperationSetError};
use crate::permissions::ThreadPermissions;
use crate::rule::TextError;
use crate::scope::Scope;
use crate::target::{
    Endpoint, Origin, RelativePath, Repository, Target, WorkingDirectory, check_arguments,
};
use crate::tool::{McpToolBinding, ToolBinding};
use crate::vocabulary::{ExecutionMode, Kind, Operation, RedirectPolicy, Setting, operations};

/// Why permissions cannot be built: the field and the rule.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct BuildError {
    /// The call of the builder that is wrong, `scope 3` or `child "reviewer": credential 0`.
    pub field: String,
    /// The rule that it breaks.
    pub reason: BuildErrorReason,
}

/// The rule that a call of the builder breaks.
#[derive(Clone, Debug, thiserror::Error)]
pub enum BuildErrorReason {
    /// A text that is not canonical.
    #[error(transparent)]
    Text(#[from] TextError),
    /// A set of operations that cannot be built.
    #[error(transparent)]
    Operations(#[from] OperationSetError),
    /// A number that the setting does not take.
    #[error("{value} is more than `{}` takes", setting.name())]
    Number {
        /// The setting.
        setting: Setting,
        /// The number.
        value: u64,
    },
    /// A rule between entries.
    #[error("{0}")]
    Rule(Box<ViolationKind>),
}

/// Builds [`ThreadPermissions`], or a child's block, in host code, by the same rules as
/// `authority!`. The calls can be chained; [`build`](Self::build) reports the first that is wrong.
///
/// ```
/// use authority_core::{ThreadPermissions, operations::filesystem};
///
/// let root = ThreadPermissions::builder()
///     .filesystem("ws", [filesystem::Read, filesystem::Write])
///     .build()?;
/// # assert_eq!(root.scopes().count(), 1);
/// # Ok::<(), authority_core::BuildError>(())
/// ```
///
/// Of a path that its whole binding covers, the builder asks for no `delegable`: it is for people
/// who read a declaration.
#[derive(Clone, Debug, Default)]
pub struct PermissionsBuilder {
    draft: Draft,
    /// What each site of the draft is called in errors.
    fields: Vec<String>,
    error: Option<BuildError>,
}

impl PermissionsBuilder {
    /// Grants operations on a whole filesystem binding.
    #[must_use]
    pub fn filesystem(
        self,
        binding: &str,
        operations: impl IntoIterator<Item = operations::filesystem::Operation>,
    ) -> Self {
        self.target(operations, || {
            Ok(DraftTarget::Filesystem(id(binding)?, None))
        })
    }

    /// Grants operations on one exact path of a filesystem binding.
    #[must_use]
    pub fn filesystem_path(
        self,
        binding: &str,
        path: &str,
        operations: impl IntoIterator<Item = operations::filesystem::Operation>,
    ) -> Self {
        self.target(operations, || {
            Ok(DraftTarget::Filesystem(
                id(binding)?,
                Some(relative_path(path)?),
            ))
        })
    }

    /// Grants operations on one run: an executable, exactly these arguments, and a working
    /// directory (a binding, or a path below it).
    #[must_use]
    pub fn subprocess(
        self,
        executable: &str,
        arguments: &[&str],
        binding: &str,
        path: Option<&str>,
        operations: impl IntoIterator<Item = operations::subprocess::Operation>,
    ) -> Self {
        self.target(operations, || {
            check_arguments(arguments)?;
            let path = path.map(relative_path).transpose()?;
            let directory = WorkingDirectory {
                binding: id(binding)?,
                path,
            };
            let arguments = arguments
                .iter()
                .map(|argument| (*argument).to_owned())
                .collect();
            Ok(DraftTarget::Subprocess(
                id(executable)?,
                arguments,
                directory,
            ))
        })
    }

    /// Grants operations on a network endpoint, `https://api.example.com:443`.
    #[must_use]
    pub fn network(
        self,
        endpoint: &str,
        redirect: RedirectPolicy,
        operations: impl IntoIterator<Item = operations::network::Operation>,
    ) -> Self {
        self.target(operations, || {
            Ok(DraftTarget::Network(
                Endpoint::parse(endpoint)?.into_owned(),
                redirect,
            ))
        })
    }

    /// Grants operations on a repository, `owner/name`.
    #[must_use]
    pub fn github(
        self,
        repository: &str,
        operations: impl IntoIterator<Item = operations::github::Operation>,
    ) -> Self {
        self.target(operations, || {
            Ok(DraftTarget::Github(
                Repository::parse(repository)?.into_owned(),
            ))
        })
    }

    /// Grants operations on a browser origin, `https://docs.rs`.
    #[must_use]
    pub fn browser(
        self,
        origin: &str,
        operations: impl IntoIterator<Item = operations::browser::Operation>,
    ) -> Self {
        self.target(operations, || {
            Ok(DraftTarget::Browser(Origin::parse(origin)?.into_owned()))
        })
    }

    /// Grants operations on an MCP server. It needs a credential too: [`server`](Self::server).
    #[must_use]
    pub fn mcp_server(
        self,
        server: &str,
        operations: impl IntoIterator<Item = operations::mcp_server::Operation>,
    ) -> Self {
        self.target(operations, || Ok(DraftTarget::Mcp(id(server)?, None)))
    }

    /// Grants operations on one tool of an MCP server.
    #[must_use]
    pub fn mcp_tool(
        self,
        server: &str,
        tool: &str,
        operations: impl IntoIterator<Item = operations::mcp_tool::Operation>,
    ) -> Self {
        self.target(operations, || {
            Ok(DraftTarget::Mcp(id(server)?, Some(tool_name(tool)?)))
        })
    }

    /// Grants operations on an integration at one revision, `sha256:…`.
    #[must_use]
    pub fn integration(
        self,
        integration: &str,
        revision: &str,
        operations: impl IntoIterator<Item = operations::integration::Operation>,
    ) -> Self {
        self.target(operations, || {
            Ok(DraftTarget::Integration(
                id(integration)?,
                crate::Digest::parse(revision)?,
            ))
        })
    }

    /// Grants operations on a child agent, whose block is another builder.
    #[must_use]
    pub fn child(
        mut self,
        agent: &str,
        operations: impl IntoIterator<Item = operations::child_agent::Operation>,
        block: PermissionsBuilder,
    ) -> Self {
        let prefix = format!("child \"{agent}\": ");
        if let Some(error) = block.error {
            self.fail(BuildError {
                field: prefix + &error.field,
                reason: error.reason,
            });
            return self;
        }
        let set = match OperationSet::new(Kind::ChildAgent, operations) {
            Ok(set) => set,
            Err(error) => return self.failed(error),
        };
        let target = match id(agent) {
            Ok(agent) => DraftTarget::ChildAgent(agent),
            Err(error) => return self.failed(error),
        };
        let site = self.fields.len();
        self.fields.push(format!("child \"{agent}\""));
        let mut body = block.draft;
        shift(&mut body, self.fields.len());
        self.fields.extend(
            block
                .fields
                .into_iter()
                .map(|field| prefix.clone() + &field),
        );
        let index = self.draft.entries.len();
        let kind = DraftKind::Child {
            target,
            operations: set,
            body,
            doc: String::new(),
            line: 0,
        };
        self.draft.entries.push(DraftEntry { index, site, kind });
        self
    }

    /// In a child's block: hands on the parent's own target of this agent.
    #[must_use]
    pub fn hand_on(
        self,
        agent: &str,
        operations: impl IntoIterator<Item = operations::child_agent::Operation>,
    ) -> Self {
        self.target(operations, || Ok(DraftTarget::ChildAgent(id(agent)?)))
    }

    /// Grants a scope, as a scope document gives it. A `child_agent` target takes its digest from
    /// where it stands, so it is granted by [`child`](Self::child) or [`hand_on`](Self::hand_on).
    #[must_use]
    pub fn scope(self, scope: &Scope<'_>) -> Self {
        let operations = scope.operations().iter();
        self.target(operations, || {
            Ok(match scope.target().clone().into_owned() {
                Target::Filesystem(target) => DraftTarget::Filesystem(target.binding, target.path),
                Target::Subprocess(target) => DraftTarget::SubprocessDigests(
                    target.executable,
                    target.argv_sha256,
                    target.cwd_sha256,
                ),
                Target::Network(target) => DraftTarget::Network(target.endpoint, target.redirect),
                Target::Github(repository) => DraftTarget::Github(repository),
                Target::Browser(target) => DraftTarget::Browser(target.origin),
                Target::Mcp(target) => DraftTarget::Mcp(target.server, target.tool),
                Target::Integration(target) => {
                    DraftTarget::Integration(target.integration, target.revision_sha256)
                }
                Target::ChildAgent(target) => DraftTarget::ChildAgent(target.agent),
            })
        })
    }

    /// Binds the credential of a provider; `None` is an explicitly credential-free service.
    #[must_use]
    pub fn provider(self, provider: &str, binding: Option<&str>) -> Self {
        self.entry(|| {
            let target = CredentialTarget::Provider(id(provider)?);
            Ok(DraftKind::Credential {
                target,
                binding: binding.map(id).transpose()?,
            })
        })
    }

    /// Binds the credential of an MCP server; `None` is an explicitly credential-free server.
    #[must_use]
    pub fn server(self, server: &str, binding: Option<&str>) -> Self {
        self.entry(|| {
            let target = CredentialTarget::McpServer(id(server)?);
            Ok(DraftKind::Credential {
                target,
                binding: binding.map(id).transpose()?,
            })
        })
    }

    /// In a child's block: no credential is inherited.
    #[must_use]
    pub fn no_credentials(self) -> Self {
        self.entry(|| Ok(DraftKind::None(draft::BindingKind::Credential)))
    }

    /// Binds a tool id to a tool of the host itself.
    #[must_use]
    pub fn native_tool(self, tool: &str) -> Self {
        self.entry(|| {
            Ok(DraftKind::Tool {
                id: id(tool)?,
                binding: ToolBinding::Native,
            })
        })
    }

    /// Binds a tool id to a tool of an MCP server, which must be granted `call`.
    #[must_use]
    pub fn tool(self, tool: &str, server: &str, name: &str) -> Self {
        self.entry(|| {
            let binding = McpToolBinding {
                server: id(server)?,
                tool: tool_name(name)?,
            };
            Ok(DraftKind::Tool {
                id: id(tool)?,
                binding: ToolBinding::Mcp(binding),
            })
        })
    }

    /// In a child's block: no tool is inherited.
    #[must_use]
    pub fn no_tools(self) -> Self {
        self.entry(|| Ok(DraftKind::None(draft::BindingKind::Tool)))
    }

    /// Adds an environment entry.
    #[must_use]
    pub fn environment(self, entry: &str) -> Self {
        self.entry(|| Ok(DraftKind::Environment(id(entry)?)))
    }

    /// In a child's block: no environment entry is inherited.
    #[must_use]
    pub fn no_environment(self) -> Self {
        self.entry(|| Ok(DraftKind::None(draft::BindingKind::Environment)))
    }

    /// Sets how processes run. A root without it is `sandboxed`; a child inherits.
    #[must_use]
    pub fn execution(self, mode: ExecutionMode) -> Self {
        self.entry(|| Ok(DraftKind::Execution(mode)))
    }

    /// Bounds a budget, rate or limit; money is in micro-dollars.
    #[must_use]
    pub fn limit(self, setting: Setting, value: u64) -> Self {
        self.entry(|| {
            if setting.takes(value) {
                Ok(DraftKind::Setting(setting, value))
            } else {
                Err(BuildErrorReason::Number { setting, value })
            }
        })
    }

    /// Builds the permissions of a root.
    ///
    /// # Errors
    ///
    /// The first call that breaks a rule, by name and number, with the rule.
    pub fn build(self) -> Result<ThreadPermissions, BuildError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        // What is wrong with the root as a whole is wrong with none of its calls.
        let mut draft = self.draft;
        draft.site = self.fields.len();
        let (permissions, violations) = draft::resolve(&draft, "");
        let broken = violations
            .into_iter()
            .find(|found| !matches!(found.kind, ViolationKind::CoveredPath { .. }));
        match broken {
            None => Ok(permissions),
            Some(violation) => Err(BuildError {
                field: self
                    .fields
                    .get(violation.site)
                    .cloned()
                    .unwrap_or_else(|| "permissions".to_owned()),
                reason: BuildErrorReason::Rule(Box::new(violation.kind)),
            }),
        }
    }

    fn target<O: Into<Operation>>(
        self,
        operations: impl IntoIterator<Item = O>,
        target: impl FnOnce() -> Result<DraftTarget, TextError>,
    ) -> Self {
        self.entry(|| {
            let target = target()?;
            let operations = OperationSet::new(target.kind(), operations)?;
            Ok(DraftKind::Scope {
                target,
                operations,
                delegable: false,
                doc: String::new(),
                line: 0,
            })
        })
    }

    fn entry(mut self, kind: impl FnOnce() -> Result<DraftKind, BuildErrorReason>) -> Self {
        match kind() {
            Ok(kind) => {
                let (index, site) = (self.draft.entries.len(), self.fields.len());
                self.fields.push(format!("{} {site}", kind.field_name()));
                self.draft.entries.push(DraftEntry { index, site, kind });
                self
            }
            Err(reason) => self.failed(reason),
        }
    }

    fn failed(mut self, reason: impl Into<BuildErrorReason>) -> Self {
        let field = format!("call {}", self.fields.len());
        self.fail(BuildError {
            field,
            reason: reason.into(),
        });
        self
    }

    /// The first error counts.
    fn fail(&mut self, error: BuildError) {
        self.error.get_or_insert(error);
    }
}

fn id(text: &str) -> Result<Id<'static>, TextError> {
    Id::parse(text).map(Id::into_owned)
}

fn tool_name(text: &str) -> Result<ToolName<'static>, TextError> {
    ToolName::parse(text).map(ToolName::into_owned)
}

fn relative_path(text: &str) -> Result<RelativePath<'static>, TextError> {
    RelativePath::parse(text).map(RelativePath::into_owned)
}

/// Moves every site of a draft by `by`.
fn shift(draft: &mut Draft, by: usize) {
    draft.site += by;
    for entry in &mut draft.entries {
        entry.site += by;
        if let DraftKind::Child { body, .. } = &mut entry.kind {
            shift(body, by);
        }
    }
}
