//! Rows of a root's table by what a restriction names them by.

use crate::declaration::{Declaration, DeclaredScope};
use crate::operation_set::OperationSet;
use crate::policy::mask::{Mask, Runs};
use crate::vocabulary::{Kind, operations::mcp_tool};

/// The rows and slots of a table that restrictions speak of together. It is made when a root first
/// needs it.
pub(super) struct Groups {
    /// Rows of filesystem scopes, sorted by their binding.
    filesystem: Vec<usize>,
    /// Rows of MCP scopes, sorted by their server.
    mcp: Vec<usize>,
    pub(super) filesystem_slots: Mask,
    pub(super) network_slots: Mask,
    /// `call` of every MCP tool.
    pub(super) call_slots: Mask,
}

impl Groups {
    pub(super) fn of(declaration: &Declaration) -> Self {
        let [mut filesystem, mut mcp] = [const { Vec::new() }; 2];
        let [mut files, mut network, mut calls] = [const { Runs::NONE }; 3];
        for scope in declaration.scopes() {
            let row = scope.origin().index;
            match scope.operations().kind() {
                Kind::Filesystem => {
                    filesystem.push(row);
                    files.push_scope(scope, scope.operations());
                }
                Kind::Network => network.push_scope(scope, scope.operations()),
                Kind::McpServer => mcp.push(row),
                Kind::McpTool => {
                    mcp.push(row);
                    calls.push_scope(scope, OperationSet::only(mcp_tool::Call.into()));
                }
                _ => {}
            }
        }
        let scope = |row: &usize| declaration.scope(*row);
        filesystem.sort_by_key(|row| scope(row).and_then(DeclaredScope::filesystem_binding));
        mcp.sort_by_key(|row| scope(row).and_then(DeclaredScope::mcp_server));
        let slots = declaration.derived().slots();
        Groups {
            filesystem,
            mcp,
            filesystem_slots: Mask::of(files, slots),
            network_slots: Mask::of(network, slots),
            call_slots: Mask::of(calls, slots),
        }
    }

    /// The scopes in a filesystem binding.
    pub(super) fn in_binding<'a>(
        &'a self,
        declaration: &'a Declaration,
        binding: &str,
    ) -> impl Iterator<Item = DeclaredScope<'a>> {
        named(
            &self.filesystem,
            declaration,
            DeclaredScope::filesystem_binding,
            binding,
        )
    }

    /// The scopes of an MCP server and of its tools.
    pub(super) fn of_server<'a>(
        &'a self,
        declaration: &'a Declaration,
        server: &str,
    ) -> impl Iterator<Item = DeclaredScope<'a>> {
        named(&self.mcp, declaration, DeclaredScope::mcp_server, server)
    }
}

/// The scopes of that name, of rows that are sorted by it.
fn named<'a>(
    rows: &'a [usize],
    declaration: &'a Declaration,
    name_of: fn(DeclaredScope<'a>) -> Option<&'a str>,
    name: &str,
) -> impl Iterator<Item = DeclaredScope<'a>> {
    let name_at = move |row: &usize| declaration.scope(*row).and_then(name_of);
    let first = rows.partition_point(|row| name_at(row) < Some(name));
    let count = rows[first..].partition_point(|row| name_at(row) == Some(name));
    rows[first..first + count]
        .iter()
        .filter_map(|row| declaration.scope(*row))
}
