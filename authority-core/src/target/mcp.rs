//! `mcp`: a server, or one of its tools. Two fields, never one joined name.

use crate::id::{Id, ToolName};

/// An MCP server, or (with `tool`) one of its tools. A server does not cover its tools.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct McpTarget<'a> {
    /// The server that the host has bound.
    pub server: Id<'a>,
    /// One tool of the server, or the server itself.
    pub tool: Option<ToolName<'a>>,
}
