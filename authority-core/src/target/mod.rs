//! Targets: what an operation is done to. One file a kind holds its rules.

mod browser;
mod child_agent;
mod filesystem;
mod github;
mod integration;
mod mcp;
mod network;
mod subprocess;

pub use browser::{BrowserTarget, Origin};
pub use child_agent::ChildAgentTarget;
pub use filesystem::{FilesystemTarget, RelativePath};
pub use github::Repository;
pub use integration::IntegrationTarget;
pub use mcp::McpTarget;
pub use network::{Endpoint, NetworkTarget};
pub use subprocess::{SubprocessTarget, WorkingDirectory};

use crate::vocabulary::Kind;

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
}
