//! Ids and MCP tool names.

use std::fmt;

use crate::rule::TextError;
use crate::text::Text;

/// The name of something that the host resolves: a binding, an executable, a server, an
/// integration, an agent, a tool, a credential binding, a grant. Case-sensitive.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Id<'a>(pub(crate) Text<'a>);

impl<'a> Id<'a> {
    /// Parses an id: `[A-Za-z0-9][A-Za-z0-9._:-]{0,127}`.
    ///
    /// # Errors
    ///
    /// When the text breaks a rule of every text, else [`Rule::Id`](crate::Rule::Id).
    pub fn parse(text: &'a str) -> Result<Self, TextError> {
        let _ = text;
        unimplemented!()
    }

    /// The id's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same id, owning its text.
    pub fn into_owned(self) -> Id<'static> {
        Id(self.0.into_owned())
    }
}

impl fmt::Display for Id<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

/// The name of a tool as its MCP server advertises it. Case-sensitive, never split or derived.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ToolName<'a>(pub(crate) Text<'a>);

impl<'a> ToolName<'a> {
    /// Parses a tool name: `[A-Za-z0-9_][A-Za-z0-9_./:-]{0,127}`.
    ///
    /// # Errors
    ///
    /// When the text breaks a rule of every text, else [`Rule::Id`](crate::Rule::Id).
    pub fn parse(text: &'a str) -> Result<Self, TextError> {
        let _ = text;
        unimplemented!()
    }

    /// The name's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same name, owning its text.
    pub fn into_owned(self) -> ToolName<'static> {
        ToolName(self.0.into_owned())
    }
}

impl fmt::Display for ToolName<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}
