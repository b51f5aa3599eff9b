//! The entries of a body, as they stand in its table: the texts that the host wrote.

use crate::declaration::derived::Derived;
use crate::declaration::table::Arguments;
use crate::id::{Id, ToolName};
use crate::operation_set::OperationSet;
use crate::target::{
    BrowserTarget, ChildAgentTarget, Endpoint, FilesystemTarget, IntegrationTarget, McpTarget,
    NetworkTarget, Origin, RelativePath, Repository, SubprocessTarget, Target,
};
use crate::text::Text;
use crate::vocabulary::RedirectPolicy;

/// One row of a declaration's table of entries.
#[derive(Clone, Debug)]
pub struct Row(pub(crate) Option<ScopeRow>);

impl Row {
    /// The row of an entry that is no scope, and of the table's end.
    pub(crate) const OTHER: Row = Row(None);
}

/// An entry that is a scope.
#[derive(Clone, Debug)]
pub(crate) struct ScopeRow {
    pub(crate) target: RowTarget,
    pub(crate) operations: OperationSet,
    pub(crate) doc: Text<'static>,
}

/// A target as declared. What is computed from it (digests of arguments, directory and ceiling)
/// stands in the derived data, so that the macro's rows hold the user's own literals only.
#[derive(Clone, Debug)]
pub(crate) enum RowTarget {
    Filesystem {
        binding: Text<'static>,
        path: Option<Text<'static>>,
        delegable: bool,
    },
    Subprocess {
        executable: Text<'static>,
        run: Run,
    },
    Network {
        endpoint: Text<'static>,
        redirect: RedirectPolicy,
    },
    Github(Text<'static>),
    Browser(Text<'static>),
    Mcp {
        server: Text<'static>,
        tool: Option<Text<'static>>,
    },
    Integration(Text<'static>),
    ChildAgent(Text<'static>),
}

/// What is known of a subprocess's run beside its digests.
#[derive(Clone, Debug)]
pub(crate) enum Run {
    /// The arguments and the working directory, as the DSL declares them.
    Declared {
        arguments: Arguments,
        binding: Text<'static>,
        path: Option<Text<'static>>,
    },
    /// The digests alone, as a scope document gives them.
    Digests,
}

impl ScopeRow {
    /// The row's target in its typed form. The host's own declaration is trusted: its texts were
    /// checked while compiling or building.
    pub(crate) fn target(&self, derived: Derived<'_>, index: usize) -> Target<'_> {
        match &self.target {
            RowTarget::Filesystem { binding, path, .. } => Target::Filesystem(FilesystemTarget {
                binding: Id(binding.borrowed()),
                path: path.as_ref().map(|path| RelativePath(path.borrowed())),
            }),
            RowTarget::Subprocess { executable, .. } => Target::Subprocess(SubprocessTarget {
                executable: Id(executable.borrowed()),
                argv_sha256: derived.part(index, 0),
                cwd_sha256: derived.part(index, 1),
            }),
            RowTarget::Network { endpoint, redirect } => Target::Network(NetworkTarget {
                endpoint: Endpoint::declared(endpoint.borrowed()),
                redirect: *redirect,
            }),
            RowTarget::Github(repository) => Target::Github(Repository(repository.borrowed())),
            RowTarget::Browser(origin) => Target::Browser(BrowserTarget {
                origin: Origin(origin.borrowed()),
            }),
            RowTarget::Mcp { server, tool } => Target::Mcp(McpTarget {
                server: Id(server.borrowed()),
                tool: tool.as_ref().map(|tool| ToolName(tool.borrowed())),
            }),
            RowTarget::Integration(integration) => Target::Integration(IntegrationTarget {
                integration: Id(integration.borrowed()),
                revision_sha256: derived.part(index, 0),
            }),
            RowTarget::ChildAgent(agent) => Target::ChildAgent(ChildAgentTarget {
                agent: Id(agent.borrowed()),
                parent_ceiling_sha256: derived.part(index, 0),
            }),
        }
    }
}
