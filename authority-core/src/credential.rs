//! Credentials: which binding is used for which provider or server.

use std::fmt;

use crate::id::Id;

/// What a credential is for.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum CredentialTarget<'a> {
    /// A provider of models or of a service; `github` and each integration have one of their own id.
    Provider(Id<'a>),
    /// An MCP server.
    McpServer(Id<'a>),
}

impl CredentialTarget<'_> {
    /// The id of the provider or server.
    pub fn id(&self) -> &Id<'_> {
        match self {
            CredentialTarget::Provider(id) | CredentialTarget::McpServer(id) => id,
        }
    }

    /// The name of the target's kind on the wire: `provider` or `mcp_server`.
    pub const fn kind_name(&self) -> &'static str {
        match self {
            CredentialTarget::Provider(_) => "provider",
            CredentialTarget::McpServer(_) => "mcp_server",
        }
    }
}

/// The one binding that is used for a credential target. Executors use exactly this one, and never
/// fall back to a child's, a user's, the system's or the environment's.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct CredentialGrant {
    /// What the credential is for.
    pub target: CredentialTarget<'static>,
    /// The credential that the host has bound to this id, or `None`: the service is used without
    /// a credential, explicitly.
    pub binding: Option<Id<'static>>,
}

/// What the credential is for, as the DSL writes it: `credential provider "anthropic"`. The binding
/// is left out.
impl fmt::Display for CredentialGrant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, id) = (self.target.kind_name(), self.target.id());
        write!(formatter, "credential {kind} \"{id}\"")
    }
}
