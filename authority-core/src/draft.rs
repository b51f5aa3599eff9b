//! A declaration before it is checked, and the rules that hold between its entries.
//!
//! The macro, the command-line tool and the builder all make a [`Draft`], so that there is one set
//! of rules. Every entry carries a `site`, a number by which its maker finds it again.

use crate::digest::Digest;
use crate::id::{Id, ToolName};
use crate::operation_set::OperationSet;
use crate::target::{Endpoint, Origin, RelativePath, Repository, WorkingDirectory};
use crate::vocabulary::{ExecutionMode, Kind, RedirectPolicy, Setting};

/// One body of a declaration: the root's, or that of a child's block.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// The entries, in source order.
    pub entries: Vec<DraftEntry>,
}

/// One entry of a body, with the number by which its maker finds it again.
#[derive(Clone, Debug)]
pub struct DraftEntry {
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
        /// The agent.
        agent: Id<'static>,
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
    /// `credential none`.
    NoCredentials,
    /// `tool "id" = native` or `= mcp "server" / "tool"`.
    Tool {
        /// The tool id.
        id: Id<'static>,
        /// What it is bound to.
        binding: ToolBinding<'static>,
    },
    /// `tool none`.
    NoTools,
    /// One id of `environment "ID", …`.
    Environment(Id<'static>),
    /// `environment none`.
    NoEnvironment,
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
        operations: Vec<(usize, crate::Operation)>,
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
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum DraftTarget {
    /// A bound directory, or one path in it.
    Filesystem(Id<'static>, Option<RelativePath<'static>>),
    /// An executable, its arguments and its working directory.
    Subprocess(Id<'static>, Vec<String>, WorkingDirectory<'static>),
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

/// What a credential is for.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum CredentialTarget<'a> {
    /// A provider of models or of a service.
    Provider(Id<'a>),
    /// An MCP server.
    McpServer(Id<'a>),
}

/// What a tool id stands for.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum ToolBinding<'a> {
    /// A tool of the host itself.
    Native,
    /// A tool of an MCP server.
    Mcp(McpToolBinding<'a>),
}

/// A tool of an MCP server, in two fields.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct McpToolBinding<'a> {
    /// The server.
    pub server: Id<'a>,
    /// The tool's name there.
    pub tool: ToolName<'a>,
}

/// A rule between entries that a draft breaks.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The entry that breaks it.
    pub site: usize,
    /// The entry that it clashes with, if there is one.
    pub other: Option<usize>,
    /// The rule.
    pub kind: ViolationKind,
}

/// Which rule between entries is broken. One variant a code of the DSL's A04xx and A05xx.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ViolationKind {
    /// A body without any target.
    EmptyBody,
}
