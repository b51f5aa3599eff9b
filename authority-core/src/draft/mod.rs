//! A declaration before it is checked, and the rules that hold between its entries.
//!
//! The macro, the command-line tool and the builder all make a [`Draft`], so that there is one set
//! of rules. Every entry carries a `site`, a number by which its maker finds it again.

mod assemble;
mod check;
mod violation;

pub use assemble::assemble;
pub use check::{check, module_name};
pub use violation::{BindingKind, Violation, ViolationKind};

use crate::credential::CredentialTarget;
use crate::digest::Digest;
use crate::id::{Id, ToolName};
use crate::operation_set::OperationSet;
use crate::permissions::ThreadPermissions;
use crate::target::{Endpoint, Origin, RelativePath, Repository, WorkingDirectory};
use crate::tool::ToolBinding;
use crate::vocabulary::{ExecutionMode, Kind, Operation, RedirectPolicy, Setting};

/// One body of a declaration: the root's, or that of a child's block.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// Chosen by the maker: where the body stands.
    pub site: usize,
    /// Lines of the doc comments inside, `//!`.
    pub docs: Vec<String>,
    /// The entries, in source order.
    pub entries: Vec<DraftEntry>,
}

/// One entry of a body, with the number by which its maker finds it again.
#[derive(Clone, Debug)]
pub struct DraftEntry {
    /// Position of the entry in its body, from 0. One entry of the source may say several things.
    pub index: usize,
    /// Chosen by the maker: where the entry stands.
    pub site: usize,
    /// What the entry says.
    pub kind: DraftKind,
}

/// What one entry says.
#[derive(Clone, Debug)]
pub enum DraftKind {
    /// `target => operations`.
    Scope {
        /// The target.
        target: DraftTarget,
        /// The operations.
        operations: OperationSet,
        /// Whether it says `delegable`.
        delegable: bool,
        /// Its doc comment.
        doc: String,
        /// Its line in the source, 0 when there is none.
        line: u32,
    },
    /// `child_agent "id" => operations { … }`.
    Child {
        /// The agent: [`DraftTarget::ChildAgent`].
        target: DraftTarget,
        /// The operations.
        operations: OperationSet,
        /// The block.
        body: Draft,
        /// Its doc comment.
        doc: String,
        /// Its line in the source, 0 when there is none.
        line: u32,
    },
    /// `credential provider "id" = "binding"` or `= none`.
    Credential {
        /// What the credential is for.
        target: CredentialTarget<'static>,
        /// The binding, or none: an explicitly credential-free service.
        binding: Option<Id<'static>>,
    },
    /// `credential none`, `tool none` or `environment none`.
    None(BindingKind),
    /// `tool "id" = native` or `= mcp "server" / "tool"`.
    Tool {
        /// The tool id.
        id: Id<'static>,
        /// What it is bound to.
        binding: ToolBinding<'static>,
    },
    /// One id of `environment "ID", …`.
    Environment(Id<'static>),
    /// `execution mode`.
    Execution(ExecutionMode),
    /// One setting of `budget`, `rate` or `limit`; money in micro-dollars.
    Setting(Setting, u64),
    /// `expect allow target => operations` (`allow`), or `expect deny`.
    Expect {
        /// Whether it is expected to be allowed.
        allow: bool,
        /// The target.
        target: DraftTarget,
        /// Each operation, with its own site.
        operations: Vec<(usize, Operation)>,
    },
    /// An entry with an error of its own: nothing is said about what it relates to.
    Poisoned {
        /// Its kind, if known.
        kind: Option<Kind>,
        /// Its target, if known.
        target: Option<DraftTarget>,
    },
}

/// A target as it is declared: with the arguments of a subprocess, and without the digest that a
/// `child_agent` gets from where it stands.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum DraftTarget {
    /// A bound directory, or one path in it.
    Filesystem(Id<'static>, Option<RelativePath<'static>>),
    /// An executable, its arguments and its working directory.
    Subprocess(Id<'static>, Vec<String>, WorkingDirectory<'static>),
    /// An executable, and the digests of its arguments and its working directory.
    SubprocessDigests(Id<'static>, Digest, Digest),
    /// A network endpoint.
    Network(Endpoint<'static>, RedirectPolicy),
    /// A repository.
    Github(Repository<'static>),
    /// An origin.
    Browser(Origin<'static>),
    /// An MCP server, or one of its tools.
    Mcp(Id<'static>, Option<ToolName<'static>>),
    /// An integration at one revision.
    Integration(Id<'static>, Digest),
    /// An agent.
    ChildAgent(Id<'static>),
}

impl DraftKind {
    /// What the entry is called where there is no source to point at.
    pub fn field_name(&self) -> &'static str {
        match self {
            DraftKind::Scope { .. } => "scope",
            DraftKind::Child { .. } => "child",
            DraftKind::Credential { .. } | DraftKind::None(BindingKind::Credential) => "credential",
            DraftKind::Tool { .. } | DraftKind::None(BindingKind::Tool) => "tool",
            DraftKind::Environment(_) | DraftKind::None(BindingKind::Environment) => "environment",
            DraftKind::Execution(_) => "execution",
            DraftKind::Setting(setting, _) => setting.name(),
            DraftKind::Expect { .. } => "expectation",
            DraftKind::Poisoned { .. } => "entry",
        }
    }
}

impl DraftTarget {
    /// The target's kind.
    pub fn kind(&self) -> Kind {
        match self {
            DraftTarget::Filesystem(..) => Kind::Filesystem,
            DraftTarget::Subprocess(..) | DraftTarget::SubprocessDigests(..) => Kind::Subprocess,
            DraftTarget::Network(..) => Kind::Network,
            DraftTarget::Github(_) => Kind::Github,
            DraftTarget::Browser(_) => Kind::Browser,
            DraftTarget::Mcp(_, None) => Kind::McpServer,
            DraftTarget::Mcp(_, Some(_)) => Kind::McpTool,
            DraftTarget::Integration(..) => Kind::Integration,
            DraftTarget::ChildAgent(_) => Kind::ChildAgent,
        }
    }
}

/// Checks a draft of a root and assembles it.
///
/// The permissions mean something only when there is no violation and no poisoned entry.
pub fn resolve(draft: &Draft, file: &str) -> (ThreadPermissions, Vec<Violation>) {
    let permissions = assemble(draft, file);
    let violations = check(draft, &permissions);
    (permissions, violations)
}
