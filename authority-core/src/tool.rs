//! Tool ids: what the names that a model sees stand for.

use std::fmt;

use crate::id::{Id, ToolName};

/// What a tool id stands for. A tool id is a name: the effects of a native tool are requests of
/// their own.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum ToolBinding<'a> {
    /// A tool of the host itself.
    Native,
    /// A tool of an MCP server.
    Mcp(McpToolBinding<'a>),
}

/// A tool of an MCP server, in two fields: a server is never inferred by splitting a name.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct McpToolBinding<'a> {
    /// The server.
    pub server: Id<'a>,
    /// The tool's name there.
    pub tool: ToolName<'a>,
}

/// A tool id and what it stands for.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ToolGrant {
    /// The tool id.
    pub id: Id<'static>,
    /// What it stands for.
    pub binding: ToolBinding<'static>,
}

/// The binding as the DSL writes it: `native`, or `mcp "docs" / "search"`.
impl fmt::Display for ToolBinding<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ToolBinding::Native => formatter.write_str("native"),
            ToolBinding::Mcp(McpToolBinding { server, tool }) => {
                write!(formatter, "mcp \"{server}\" / \"{tool}\"")
            }
        }
    }
}
