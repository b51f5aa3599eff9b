//! What `authority!` expands to. Hidden: only the expansion names these items.
//!
//! The host that declares is trusted, and the macro has checked the declaration: nothing here is
//! validated. The functions that take a whole body are versioned in their names, so that a macro
//! never meets another version of this crate unnoticed.

use crate::child_ceiling::ChildCeiling;
use crate::credential::{CredentialGrant, CredentialTarget};
use crate::declaration::row::{Row, RowTarget, Run, ScopeRow};
use crate::declaration::table::{Arguments, Bytes, Table};
use crate::declaration::{Block, Declaration};
use crate::digest::Digest;
use crate::id::{Id, ToolName};
use crate::operation_set::OperationSet;
use crate::permissions::ThreadPermissions;
use crate::settings::Settings;
use crate::text::Text;
use crate::tool::{McpToolBinding, ToolBinding, ToolGrant};
use crate::vocabulary::{ExecutionMode, Kind, Operation, RedirectPolicy};

pub use crate::declaration::DeclaredChild;
pub use crate::declaration::row::Row as EntryRow;
pub use crate::vocabulary::{ExecutionMode as Mode, Setting};
pub use core::file;
pub use core::option::Option::{None, Some};

/// A kind's name in a declaration. `K` is the kind's number.
#[derive(Clone, Copy, Debug)]
pub struct Keyword<const K: u8>;

impl<const K: u8> Keyword<K> {
    /// The keyword as a bare name.
    pub const fn name(self) -> Name {
        Name
    }
}

/// A name of a declaration that stands in the expansion only so that editors see it.
#[derive(Clone, Copy, Debug)]
pub struct Name;

impl Name {
    /// The row of an entry that is no scope, with the names that stand in it.
    pub const fn entry(self, names: &[Name]) -> Row {
        let _ = names;
        Row::OTHER
    }
}

/// Operations of one kind, joined in a declaration, and the entry's doc comment. `K` is the kind's
/// number.
#[derive(Clone, Copy, Debug)]
pub struct Words<const K: u8> {
    word: u64,
    doc: &'static str,
}

impl<const K: u8> Words<K> {
    /// What stands where an operation is missing.
    pub const NONE: Self = Words { word: 0, doc: "" };

    pub(crate) const fn of(operation: Operation) -> Self {
        Words {
            word: operation.bit(),
            doc: "",
        }
    }

    /// These operations and the other ones.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Words {
            word: self.word | other.word,
            doc: self.doc,
        }
    }

    /// The same operations with the entry's doc comment.
    #[must_use]
    pub const fn doc(self, doc: &'static str) -> Self {
        Words {
            word: self.word,
            doc,
        }
    }

    /// The operations as a bare name.
    pub const fn name(self) -> Name {
        Name
    }

    /// A row of these operations. The macro never expands to a row without any.
    const fn row(self, target: RowTarget) -> Row {
        match OperationSet::from_word(self.word) {
            Some(operations) => Row(Some(ScopeRow {
                target,
                operations,
                doc: Text::Borrowed(self.doc),
            })),
            None => panic!("a declared scope has operations"),
        }
    }
}

macro_rules! rows {
    ($( $Kind:ident { $( $(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) => $target:expr; )* } )*) => { $(
        impl Keyword<{ Kind::$Kind as u8 }> { $(
            $(#[$doc])*
            pub const fn $name(self $(, $argument: $type)*, operations: Words<{ Kind::$Kind as u8 }>) -> Row {
                operations.row($target)
            }
        )* }
    )* };
}

rows! {
    Filesystem {
        /// A whole binding.
        whole(binding: &'static str) => filesystem(binding, None, false);
        /// One path.
        path(binding: &'static str, path: &'static str) => filesystem(binding, Some(path), false);
        /// One path that its whole binding covers.
        delegable(binding: &'static str, path: &'static str) => filesystem(binding, Some(path), true);
    }
    Subprocess {
        /// A run in the binding's own directory.
        run(executable: &'static str, arguments: &'static [&'static str], binding: &'static str) =>
            subprocess(executable, arguments, binding, None);
        /// A run in a directory below the binding.
        run_below(executable: &'static str, arguments: &'static [&'static str], binding: &'static str, path: &'static str) =>
            subprocess(executable, arguments, binding, Some(path));
    }
    Network {
        /// An endpoint.
        endpoint(endpoint: &'static str, redirect: RedirectPolicy) =>
            RowTarget::Network { endpoint: Text::Borrowed(endpoint), redirect };
    }
    Github {
        /// A repository.
        repository(repository: &'static str) => RowTarget::Github(Text::Borrowed(repository));
    }
    Browser {
        /// An origin.
        origin(origin: &'static str) => RowTarget::Browser(Text::Borrowed(origin));
    }
    McpServer {
        /// A server.
        server(server: &'static str) => RowTarget::Mcp { server: Text::Borrowed(server), tool: None };
    }
    McpTool {
        /// A tool of a server.
        tool(server: &'static str, tool: &'static str) =>
            RowTarget::Mcp { server: Text::Borrowed(server), tool: Some(Text::Borrowed(tool)) };
    }
    Integration {
        /// An integration at a revision.
        revision(integration: &'static str, revision: &'static str) => {
            // The revision's digest stands in the derived data.
            let _ = revision;
            RowTarget::Integration(Text::Borrowed(integration))
        };
    }
    ChildAgent {
        /// An agent.
        agent(agent: &'static str) => RowTarget::ChildAgent(Text::Borrowed(agent));
    }
}

const fn filesystem(
    binding: &'static str,
    path: Option<&'static str>,
    delegable: bool,
) -> RowTarget {
    RowTarget::Filesystem {
        binding: Text::Borrowed(binding),
        path: optional(path),
        delegable,
    }
}

const fn subprocess(
    executable: &'static str,
    arguments: &'static [&'static str],
    binding: &'static str,
    path: Option<&'static str>,
) -> RowTarget {
    let run = Run::Declared {
        arguments: Arguments::Static(arguments),
        binding: Text::Borrowed(binding),
        path: optional(path),
    };
    RowTarget::Subprocess {
        executable: Text::Borrowed(executable),
        run,
    }
}

const fn optional(text: Option<&'static str>) -> Option<Text<'static>> {
    match text {
        Some(text) => Some(Text::Borrowed(text)),
        None => None,
    }
}

/// A body of a declaration, as the macro expands it.
#[derive(Clone, Copy, Debug)]
pub struct BodyV1 {
    /// The entries, in chunks, and the table's end.
    pub entries: &'static [&'static [Row]],
    /// Everything that is computed from them.
    pub derived: &'static [u8],
    /// The source file.
    pub file: &'static str,
    /// Credentials sorted by target; `None` is inherited.
    pub credentials: Option<&'static [&'static [CredentialGrant]]>,
    /// Tools sorted by id; `None` is inherited.
    pub tools: Option<&'static [&'static [ToolGrant]]>,
    /// Environment entries sorted by id; `None` is inherited.
    pub environment: Option<&'static [&'static [Id<'static>]]>,
    /// The execution mode; `None` is inherited.
    pub execution_mode: Option<ExecutionMode>,
    /// Budgets, rates and limits.
    pub settings: Settings,
    /// Children with blocks.
    pub children: &'static [&'static [DeclaredChild]],
}

impl BodyV1 {
    /// In place of a body with an error: authority over nothing.
    pub const DENIED: Self = BodyV1 {
        entries: &[],
        derived: &[],
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
            entries: Table::Static(self.entries),
            derived: Bytes::Static(self.derived),
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

const fn table<T>(table: Option<&'static [&'static [T]]>) -> Option<Table<T>> {
    match table {
        Some(chunks) => Some(Table::Static(chunks)),
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
