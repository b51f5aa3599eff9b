//! Targets: what an operation is done to. One file a kind holds its rules.

mod browser;
mod child_agent;
mod filesystem;
mod github;
mod integration;
mod mcp;
mod network;
mod subprocess;
pub(crate) mod wire;

pub use browser::{BrowserTarget, Origin};
pub use child_agent::ChildAgentTarget;
pub use filesystem::{FilesystemTarget, RelativePath};
pub use github::Repository;
pub use integration::IntegrationTarget;
pub use mcp::McpTarget;
pub use network::{Endpoint, NetworkTarget};
#[cfg(feature = "host")]
pub(crate) use subprocess::arguments_json;
pub(crate) use subprocess::digest_of_arguments;
pub use subprocess::{
    SubprocessTarget, WorkingDirectory, argv_sha256, check_argument, check_arguments,
};

use crate::id::ToolName;
use crate::vocabulary::{Kind, Operation, Protocol, operations};

/// What an operation is done to: one target of one kind, in its canonical spelling.
///
/// A target is exact: nothing in it is a pattern, and two targets are the same only when they are
/// equal. Each part is a type that can hold nothing but a canonical text.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Target<'a> {
    /// A bound directory, or one path in it.
    Filesystem(FilesystemTarget<'a>),
    /// One run of one executable.
    Subprocess(SubprocessTarget<'a>),
    /// A network endpoint.
    Network(NetworkTarget<'a>),
    /// A repository on github.com.
    Github(Repository<'a>),
    /// A browser origin.
    Browser(BrowserTarget<'a>),
    /// An MCP server, or one of its tools.
    Mcp(McpTarget<'a>),
    /// An integration at one revision.
    Integration(IntegrationTarget<'a>),
    /// An agent that a declarer may make a child of.
    ChildAgent(ChildAgentTarget<'a>),
}

impl Target<'_> {
    /// The target's kind.
    pub fn kind(&self) -> Kind {
        match self {
            Target::Filesystem(_) => Kind::Filesystem,
            Target::Subprocess(_) => Kind::Subprocess,
            Target::Network(_) => Kind::Network,
            Target::Github(_) => Kind::Github,
            Target::Browser(_) => Kind::Browser,
            Target::Mcp(McpTarget { tool: None, .. }) => Kind::McpServer,
            Target::Mcp(McpTarget { tool: Some(_), .. }) => Kind::McpTool,
            Target::Integration(_) => Kind::Integration,
            Target::ChildAgent(_) => Kind::ChildAgent,
        }
    }

    /// Whether any scope can allow this operation on exactly this target. The binding's own
    /// directory is never written, deleted or executed, and `ssh`, `tcp` and `udp` carry no HTTP
    /// requests.
    pub fn allows(&self, operation: Operation) -> bool {
        match self {
            Target::Filesystem(FilesystemTarget { path: None, .. }) => operation.is_read_only(),
            Target::Network(NetworkTarget { endpoint, .. }) => match endpoint.protocol() {
                Protocol::Ssh | Protocol::Tcp | Protocol::Udp => {
                    operation == operations::network::Connect.into()
                }
                Protocol::Https | Protocol::Http | Protocol::Wss | Protocol::Ws => true,
            },
            _ => true,
        }
    }

    /// The same target, owning its texts.
    pub fn into_owned(self) -> Target<'static> {
        match self {
            Target::Filesystem(target) => Target::Filesystem(target.into_owned()),
            Target::Subprocess(target) => Target::Subprocess(SubprocessTarget {
                executable: target.executable.into_owned(),
                argv_sha256: target.argv_sha256,
                cwd_sha256: target.cwd_sha256,
            }),
            Target::Network(target) => Target::Network(NetworkTarget {
                endpoint: target.endpoint.into_owned(),
                redirect: target.redirect,
            }),
            Target::Github(repository) => Target::Github(repository.into_owned()),
            Target::Browser(target) => Target::Browser(BrowserTarget {
                origin: target.origin.into_owned(),
            }),
            Target::Mcp(target) => Target::Mcp(McpTarget {
                server: target.server.into_owned(),
                tool: target.tool.map(ToolName::into_owned),
            }),
            Target::Integration(target) => Target::Integration(IntegrationTarget {
                integration: target.integration.into_owned(),
                revision_sha256: target.revision_sha256,
            }),
            Target::ChildAgent(target) => Target::ChildAgent(target.into_owned()),
        }
    }
}
