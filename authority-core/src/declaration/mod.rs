//! The parts of a declaration, the same for a root and for a child's ceiling.

pub(crate) mod derived;
mod display;
pub(crate) mod json;
pub(crate) mod key;
pub(crate) mod row;
pub(crate) mod table;

use crate::ceiling::Ceiling;
use crate::child_ceiling::ChildCeiling;
use crate::credential::CredentialGrant;
use crate::decision::Decision;
use crate::declaration::derived::Derived;
use crate::declaration::row::ScopeRow;
use crate::declaration::table::{Bytes, Table};
use crate::digest::Digest;
use crate::id::Id;
use crate::operation_set::OperationSet;
use crate::scope::Scope;
use crate::settings::Settings;
use crate::target::Target;
use crate::text::Text;
use crate::tool::ToolGrant;
use crate::vocabulary::{DenyReason, ExecutionMode, Kind, Operation};

/// One body of a declaration: its scopes, its bindings, its numbers and its children.
///
/// Of a child's ceiling, a collection or mode that is `None` is inherited from the parent as it is
/// when the child is made; a root has them all.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The entries and what is computed from them.
    pub(crate) derived: Bytes,
    /// The texts of the scopes.
    pub(crate) texts: Text<'static>,
    pub(crate) credentials: Option<Table<CredentialGrant>>,
    pub(crate) tools: Option<Table<ToolGrant>>,
    pub(crate) environment: Option<Table<Id<'static>>>,
    pub(crate) execution_mode: Option<ExecutionMode>,
    pub(crate) settings: Settings,
    pub(crate) children: Table<DeclaredChild>,
    pub(crate) file: Text<'static>,
}

/// A child that a body declares with a block of its own.
#[derive(Clone, Debug)]
pub struct DeclaredChild {
    pub(crate) agent: Text<'static>,
    pub(crate) ceiling: Block,
}

/// A child's block: in the program, or shared.
#[derive(Clone, Debug)]
pub(crate) enum Block {
    Static(&'static ChildCeiling),
    Shared(std::sync::Arc<ChildCeiling>),
}

impl std::ops::Deref for Block {
    type Target = ChildCeiling;

    fn deref(&self) -> &ChildCeiling {
        match self {
            Block::Static(ceiling) => ceiling,
            Block::Shared(ceiling) => ceiling,
        }
    }
}

/// One declared scope: a target, its operations, and where it was declared.
#[derive(Clone, Copy)]
pub struct DeclaredScope<'a> {
    declaration: &'a Declaration,
    row: ScopeRow<'a>,
    index: usize,
}

/// Where a scope was declared. In no digest.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ScopeOrigin<'a> {
    /// Position among the entries of its body, from 0.
    pub index: usize,
    /// The entry's doc comment, empty when it has none.
    pub doc: &'a str,
    /// The source file, as the compiler was given it; empty when it was built at run time.
    pub file: &'a str,
    /// The line in that file, from 1; 0 when it is unknown.
    pub line: u32,
}

impl Declaration {
    /// The declared scopes, in source order.
    pub fn scopes(&self) -> impl Iterator<Item = DeclaredScope<'_>> {
        (0..self.derived().rows()).filter_map(|index| self.scope(index))
    }

    /// The number of entries of the body.
    pub(crate) fn entries(&self) -> usize {
        self.derived().rows()
    }

    /// The scope that is the entry at this index.
    pub fn scope(&self, index: usize) -> Option<DeclaredScope<'_>> {
        let row = self.derived().scope(index)?;
        Some(DeclaredScope {
            declaration: self,
            row,
            index,
        })
    }

    /// The scopes as a set.
    pub fn ceiling(&self) -> Ceiling<'_> {
        Ceiling::trusted(self.scopes().map(DeclaredScope::to_scope).collect())
    }

    /// Digest of the ceiling: the scopes without the `child_agent` ones, which carry it.
    pub fn ceiling_sha256(&self) -> Digest {
        self.derived().ceiling()
    }

    /// Digest of everything that a reviewer reads, the blocks of children included: it changes
    /// when anything is widened or narrowed anywhere, and only then.
    pub fn declaration_sha256(&self) -> Digest {
        self.derived().declaration()
    }

    /// The named credentials, sorted by target; `None` when they are inherited.
    pub fn credentials(&self) -> Option<impl Iterator<Item = &CredentialGrant>> {
        self.credentials.as_ref().map(Table::iter)
    }

    /// The named tools, sorted by id; `None` when they are inherited.
    pub fn tools(&self) -> Option<impl Iterator<Item = &ToolGrant>> {
        self.tools.as_ref().map(Table::iter)
    }

    /// Ids of the named environment entries, sorted; `None` when they are inherited.
    pub fn environment(&self) -> Option<impl Iterator<Item = &Id<'static>>> {
        self.environment.as_ref().map(Table::iter)
    }

    /// The named execution mode; `None` when it is inherited.
    pub fn execution_mode(&self) -> Option<ExecutionMode> {
        self.execution_mode
    }

    /// The named budgets, rates and limits. One that is not named is unbounded in a root, and
    /// inherited in a child.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The children that are declared with blocks of their own, in source order.
    pub fn children(&self) -> impl Iterator<Item = (Id<'_>, &ChildCeiling)> {
        self.children
            .iter()
            .map(|child| (Id(child.agent.borrowed()), &*child.ceiling))
    }

    /// The block of the child with this agent id.
    pub fn child(&self, agent: &str) -> Option<&ChildCeiling> {
        self.children()
            .find(|(id, _)| id.as_str() == agent)
            .map(|(_, ceiling)| ceiling)
    }

    /// The packed data that is computed from the declaration, for the macro to write down.
    #[doc(hidden)]
    pub fn derived_bytes(&self) -> &[u8] {
        &self.derived
    }

    /// The texts of the scopes, for the macro to write down.
    #[doc(hidden)]
    pub fn texts(&self) -> &str {
        &self.texts
    }

    pub(crate) fn derived(&self) -> Derived<'_> {
        Derived::of(&self.derived, &self.texts)
    }

    /// Decides one operation on one target by the scopes alone: what is declared, exactly.
    ///
    /// A whole filesystem binding covers every path in that binding; nothing else covers anything.
    /// The binding's own directory can be looked at, never written, deleted or executed, and a raw
    /// protocol carries no HTTP requests, whatever the scope says.
    pub(crate) fn decide(&self, target: &Target<'_>, operation: Operation) -> Decision {
        let exact = self.find(target);
        let held = |entry: &usize| {
            self.scope(*entry)
                .is_some_and(|scope| scope.operations().contains(operation))
        };
        if exact.as_ref().is_some_and(held) && target.allows(operation) {
            return exact.map_or(
                Decision::Deny(DenyReason::TargetNotDeclared),
                Decision::Allow,
            );
        }
        let whole = self.whole_binding(target);
        match (exact, whole) {
            (_, Some(entry)) if held(&entry) => Decision::Allow(entry),
            (None, None) => Decision::Deny(DenyReason::TargetNotDeclared),
            _ => Decision::Deny(DenyReason::OperationNotGranted),
        }
    }

    /// The entry that has exactly this target.
    pub(crate) fn find(&self, target: &Target<'_>) -> Option<usize> {
        self.derived().find(target).map(|found| found.row)
    }

    /// The scope of the whole binding that a path lies in.
    pub(crate) fn whole_binding(&self, target: &Target<'_>) -> Option<usize> {
        self.derived()
            .find_whole_binding(target)
            .map(|found| found.row)
    }
}

impl<'a> DeclaredScope<'a> {
    /// The target, in its typed form.
    pub fn target(self) -> Target<'a> {
        self.row.target()
    }

    /// The operations.
    pub fn operations(self) -> OperationSet {
        self.row.operations
    }

    /// The scope: target and operations.
    pub fn to_scope(self) -> Scope<'a> {
        Scope::trusted(self.target(), self.operations())
    }

    /// The slot of the scope's first operation in the masks of policies; the others follow it.
    pub(crate) fn first_slot(self) -> usize {
        self.row.first_slot()
    }

    /// The binding of a filesystem scope.
    pub(crate) fn filesystem_binding(self) -> Option<&'a str> {
        (self.operations().kind() == Kind::Filesystem).then(|| self.row.first())
    }

    /// The server of an MCP scope.
    pub(crate) fn mcp_server(self) -> Option<&'a str> {
        matches!(self.operations().kind(), Kind::McpServer | Kind::McpTool)
            .then(|| self.row.first())
    }

    /// The scope's digest, computed when it was declared.
    pub fn sha256(self) -> Digest {
        self.row.digest(0)
    }

    /// Where the scope was declared.
    pub fn origin(self) -> ScopeOrigin<'a> {
        ScopeOrigin {
            index: self.index,
            doc: self.row.doc(),
            file: &self.declaration.file,
            line: self.row.line(),
        }
    }

    /// Whether the entry says `delegable`: a path that its whole binding grants already, declared
    /// so that a child can be given just this.
    pub fn is_delegable_path(self) -> bool {
        self.row.is_delegable()
    }

    /// The arguments of a declared subprocess after the executable, and its working directory:
    /// binding and path. `None` for other kinds, and for one that was built from digests.
    pub fn run(self) -> Option<(Vec<&'a str>, &'a str, Option<&'a str>)> {
        self.row.run()
    }
}

impl Declaration {
    /// Prints counts and digests; ids stay out of logs that are not asked for them.
    pub(crate) fn debug(
        &self,
        name: &str,
        formatter: &mut std::fmt::Formatter<'_>,
    ) -> std::fmt::Result {
        formatter
            .debug_struct(name)
            .field("scopes", &self.scopes().count())
            .field("credentials", &self.credentials.as_ref().map(Table::len))
            .field("tools", &self.tools.as_ref().map(Table::len))
            .field("environment", &self.environment.as_ref().map(Table::len))
            .field("children", &self.children.len())
            .field("declaration_sha256", &self.declaration_sha256())
            .finish_non_exhaustive()
    }
}
