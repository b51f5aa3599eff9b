//! What `authority!` expands to. Hidden: only the expansion names these items.
//!
//! The host that declares is trusted, and the macro has checked the declaration: nothing here is
//! validated. The functions that take a whole body are versioned in their names, so that a macro
//! never meets another version of this crate unnoticed.

use crate::child_ceiling::ChildCeiling;
use crate::credential::{CredentialGrant, CredentialTarget};
use crate::declaration::table::{Bytes, Table};
use crate::declaration::{Block, Declaration};
use crate::digest::Digest;
use crate::id::{Id, ToolName};
use crate::permissions::ThreadPermissions;
use crate::settings::Settings;
use crate::text::Text;
use crate::tool::{McpToolBinding, ToolBinding, ToolGrant};
use crate::vocabulary::ExecutionMode;

pub use crate::declaration::DeclaredChild;
pub use crate::vocabulary::{ExecutionMode as Mode, Setting};
pub use core::file;
pub use core::option::Option::{None, Some};

/// A name of a declaration: a keyword, an operation or another word. It is there so that editors see
/// it; what it says stands in the packed data.
#[derive(Clone, Copy, Debug)]
pub struct Name;

impl Name {
    /// The row of an entry with this keyword, and the names that stand in it.
    #[must_use]
    pub const fn entry(self, names: &[Name]) -> Name {
        let _ = names;
        self
    }
}

/// A body of a declaration, as the macro expands it.
#[derive(Clone, Copy, Debug)]
pub struct BodyV1 {
    /// The entries, packed, and everything that is computed from them.
    pub derived: &'static [u8],
    /// The texts of the scopes.
    pub texts: &'static str,
    /// The source file.
    pub file: &'static str,
    /// Credentials sorted by target; `None` is inherited.
    pub credentials: Option<&'static [CredentialGrant]>,
    /// Tools sorted by id; `None` is inherited.
    pub tools: Option<&'static [ToolGrant]>,
    /// Environment entries sorted by id; `None` is inherited.
    pub environment: Option<&'static [Id<'static>]>,
    /// The execution mode; `None` is inherited.
    pub execution_mode: Option<ExecutionMode>,
    /// Budgets, rates and limits.
    pub settings: Settings,
    /// Children with blocks.
    pub children: &'static [DeclaredChild],
}

impl BodyV1 {
    /// In place of a body with an error: authority over nothing.
    pub const DENIED: Self = BodyV1 {
        derived: &[],
        texts: "",
        file: "",
        credentials: Some(&[]),
        tools: Some(&[]),
        environment: Some(&[]),
        execution_mode: Some(ExecutionMode::Sandboxed),
        settings: Settings::UNBOUNDED,
        children: &[],
    };

    /// The root's permissions.
    pub const fn permissions(self) -> ThreadPermissions {
        ThreadPermissions(self.declaration())
    }

    /// The ceiling of a child.
    pub const fn ceiling(self) -> ChildCeiling {
        ChildCeiling(self.declaration())
    }

    const fn declaration(self) -> Declaration {
        Declaration {
            derived: Bytes::Static(self.derived),
            texts: Text::Borrowed(self.texts),
            credentials: table(self.credentials),
            tools: table(self.tools),
            environment: table(self.environment),
            execution_mode: self.execution_mode,
            settings: self.settings,
            children: Table::Static(self.children),
            file: Text::Borrowed(self.file),
        }
    }
}

const fn table<T>(table: Option<&'static [T]>) -> Option<Table<T>> {
    match table {
        Some(list) => Some(Table::Static(list)),
        None => None,
    }
}

/// A credential for a provider.
pub const fn provider(id: &'static str, binding: Option<&'static str>) -> CredentialGrant {
    CredentialGrant {
        target: CredentialTarget::Provider(id_of(id)),
        binding: optional_id(binding),
    }
}

/// A credential for an MCP server.
pub const fn server(id: &'static str, binding: Option<&'static str>) -> CredentialGrant {
    CredentialGrant {
        target: CredentialTarget::McpServer(id_of(id)),
        binding: optional_id(binding),
    }
}

/// A tool of the host itself.
pub const fn native(id: &'static str) -> ToolGrant {
    ToolGrant {
        id: id_of(id),
        binding: ToolBinding::Native,
    }
}

/// A tool of an MCP server.
pub const fn tool(id: &'static str, server: &'static str, tool: &'static str) -> ToolGrant {
    let tool = ToolName(Text::Borrowed(tool));
    ToolGrant {
        id: id_of(id),
        binding: ToolBinding::Mcp(McpToolBinding {
            server: id_of(server),
            tool,
        }),
    }
}

/// An environment entry.
pub const fn id_of(id: &'static str) -> Id<'static> {
    Id(Text::Borrowed(id))
}

const fn optional_id(id: Option<&'static str>) -> Option<Id<'static>> {
    match id {
        Some(id) => Some(id_of(id)),
        None => None,
    }
}

/// A child with a block.
pub const fn child(agent: &'static str, ceiling: &'static ChildCeiling) -> DeclaredChild {
    DeclaredChild {
        agent: Text::Borrowed(agent),
        ceiling: Block::Static(ceiling),
    }
}

/// A digest from the derived data.
pub const fn digest(bytes: &[u8; 32]) -> Digest {
    Digest::from_bytes(*bytes)
}
