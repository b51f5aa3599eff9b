//! The rules between entries, and what is wrong when one is broken.

use crate::decision::Decision;
use crate::id::{Id, ToolName};
use crate::operation_set::OperationSet;
use crate::vocabulary::{ExecutionMode, Operation, Setting};

/// A rule between entries that a draft breaks.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{kind}")]
pub struct Violation {
    /// Site of the entry that breaks it.
    pub site: usize,
    /// Site of the entry that it clashes with, if there is one.
    pub other: Option<usize>,
    /// The rule.
    pub kind: ViolationKind,
}

/// A collection of bindings: what an entry of it names.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum BindingKind {
    /// `credential` entries.
    Credential,
    /// `tool` entries.
    Tool,
    /// `environment` entries.
    Environment,
}

impl BindingKind {
    /// The keyword of the collection's entries.
    pub const fn keyword(self) -> &'static str {
        match self {
            BindingKind::Credential => "credential",
            BindingKind::Tool => "tool",
            BindingKind::Environment => "environment",
        }
    }
}

/// Which rule between entries is broken, with a message in one line.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ViolationKind {
    /// A body without any target.
    #[error("a declaration without any target grants nothing")]
    EmptyBody,
    /// An agent of a root that has no block.
    #[error("agent `{agent}` has no block: a root declares what its children may do")]
    AgentWithoutBlock {
        /// The agent.
        agent: Id<'static>,
    },
    /// A target that is declared twice in one body.
    #[error("the same target is declared twice")]
    TargetTwice {
        /// The operations of both entries.
        operations: OperationSet,
    },
    /// Two ids of one namespace that differ only in case.
    #[error("{namespace} `{id}` differs from `{first}` only in case")]
    IdsDifferInCase {
        /// What the ids name.
        namespace: &'static str,
        /// The second spelling.
        id: String,
        /// The first spelling.
        first: String,
    },
    /// A working directory in a binding that no filesystem entry names.
    #[error("no filesystem entry here names the working directory's binding `{binding}`")]
    DirectoryNotDeclared {
        /// The binding.
        binding: Id<'static>,
    },
    /// An MCP server that has no credential entry.
    #[error("MCP server `{server}` has no credential entry, so it could not be used")]
    ServerWithoutCredential {
        /// The server.
        server: Id<'static>,
    },
    /// A tool that is bound to an MCP tool which is not declared.
    #[error("no entry here declares the MCP tool `{server}` / `{tool}`")]
    ToolNotDeclared {
        /// The server.
        server: Id<'static>,
        /// The tool's name there.
        tool: ToolName<'static>,
    },
    /// Two bindings for one credential target.
    #[error("two credential entries for one target: nobody could say which is used")]
    CredentialTwice,
    /// `none` beside named entries of the same collection.
    #[error("`{} none` beside named entries", kind.keyword())]
    NoneBesideNamed {
        /// The collection.
        kind: BindingKind,
    },
    /// `none` in a root, where nothing is inherited.
    #[error("`{} none` in a root says nothing: a root inherits nothing", kind.keyword())]
    NoneInRoot {
        /// The collection.
        kind: BindingKind,
    },
    /// A credential for an MCP server that has no target here: a binding that limits nothing.
    #[error(
        "a credential for MCP server `{server}`, which no entry here names: a binding that limits nothing"
    )]
    CredentialForNoServer {
        /// The server.
        server: Id<'static>,
    },
    /// A setting, an execution mode, a tool or an environment entry that is given twice.
    #[error("{what} is given twice")]
    GivenTwice {
        /// What is given twice.
        what: String,
    },
    /// A tool that is bound to an MCP tool which is declared without `call`.
    #[error("tool `{tool}` of MCP server `{server}` is declared without `call`")]
    ToolNotCallable {
        /// The server.
        server: Id<'static>,
        /// The tool's name there.
        tool: ToolName<'static>,
    },
    /// A path that its whole binding grants already, without `delegable`.
    #[error(
        "the whole binding `{binding}` grants this already: the entry adds nothing and takes nothing away"
    )]
    CoveredPath {
        /// The binding.
        binding: Id<'static>,
    },
    /// `delegable` on a path that nothing covers.
    #[error("`delegable` on a path that no whole binding covers")]
    NothingToCover,
    /// A child's target that the parent does not hold.
    #[error("the parent does not hold this target")]
    ChildTargetNotHeld {
        /// The whole binding of the parent that covers the path, which is not the same target.
        covered_by: Option<Id<'static>>,
        /// What the parent declares of the same kind, as the DSL writes it: the first three.
        declared: Vec<String>,
    },
    /// Operations of a child's scope that the parent's scope does not have.
    #[error("the parent does not hold `{missing}` on this target")]
    ChildOperationsNotHeld {
        /// The operations that the parent lacks.
        missing: OperationSet,
        /// The operations that the parent has.
        held: OperationSet,
    },
    /// A child's number above its parent's.
    #[error("`{} = {value}` is above the parent's {parent}", setting.name())]
    ChildLimitAboveParent {
        /// The setting.
        setting: Setting,
        /// The child's number, as the DSL writes it.
        value: String,
        /// The parent's number, as the DSL writes it.
        parent: String,
    },
    /// An expectation that the declaration does not meet.
    #[error("expected `{operation}` to be {}, and it is {}", allowed(*expected), allowed(decision.is_allowed()))]
    ExpectationNotMet {
        /// The operation.
        operation: Operation,
        /// Whether it was expected to be allowed.
        expected: bool,
        /// The decision.
        decision: Decision,
    },
    /// Two children whose modules would have one name.
    #[error("children `{first}` and `{agent}` would both be the module `{module}`")]
    ChildNamesCollide {
        /// The second agent.
        agent: Id<'static>,
        /// The first agent.
        first: Id<'static>,
        /// The name of both modules.
        module: String,
    },
    /// A child whose name cannot be that of a module.
    #[error("`{agent}` cannot be the name of a module")]
    ChildNameReserved {
        /// The agent.
        agent: Id<'static>,
    },
    /// A child's own child that would have the very target which the parent holds.
    #[error(
        "the parent holds this very target of agent `{agent}`: it is not the child's to declare"
    )]
    ChildTargetIsParents {
        /// The agent.
        agent: Id<'static>,
    },
    /// A child's execution mode that is weaker than its parent's.
    #[error("execution mode `{mode}` is weaker than the parent's `{parent}`")]
    ChildExecutionWeaker {
        /// The child's mode.
        mode: ExecutionMode,
        /// The parent's mode.
        parent: ExecutionMode,
    },
    /// A credential, tool or environment entry of a child that the parent does not hold so.
    #[error("the parent does not hold this {} entry", kind.keyword())]
    ChildBindingNotHeld {
        /// The collection.
        kind: BindingKind,
        /// What the parent binds it to, as the DSL writes it, if it holds another binding.
        held: Option<String>,
    },
}

const fn allowed(allowed: bool) -> &'static str {
    if allowed { "allowed" } else { "denied" }
}
