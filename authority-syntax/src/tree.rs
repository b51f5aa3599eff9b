//! The grammar as types. Everything that a user wrote is kept as their own token, also in an entry
//! that is not finished.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};

/// What one call of `authority!` holds.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// Entries, or modules of entries.
    pub form: Form,
    /// Errors that belong to no module.
    pub diagnostics: Vec<crate::Diagnostic>,
}

/// The two forms.
#[derive(Clone, Debug)]
pub enum Form {
    /// `entries`: an expression.
    Body(Body),
    /// `module { module }`: items.
    Modules(Vec<Module>),
}

/// `{ attribute } [ visibility ] "mod" IDENT "{" entries "}"`
#[derive(Clone, Debug)]
pub struct Module {
    /// The attributes in front, doc comments too, as tokens.
    pub attributes: TokenStream,
    /// `pub`, `pub(crate)` and so on, or nothing.
    pub visibility: TokenStream,
    /// The name; `None` when it is missing.
    pub name: Option<Ident>,
    /// The entries.
    pub body: Body,
}

/// `{ inner doc } entries`
#[derive(Clone, Debug)]
pub struct Body {
    /// Lines of the doc comments inside.
    pub docs: Vec<String>,
    /// The entries, in source order.
    pub entries: Vec<Entry>,
    /// Where the body stands: its braces, or the call.
    pub span: Span,
    /// Syntax errors in it, those in its blocks too.
    pub diagnostics: Vec<crate::Diagnostic>,
}

/// `{ doc } entry`
#[derive(Clone, Debug)]
pub struct Entry {
    /// The doc comment in front, its lines joined.
    pub doc: String,
    /// The first word.
    pub keyword: Ident,
    /// What follows it.
    pub content: Content,
    /// Whether it has a syntax error.
    pub broken: bool,
}

/// What follows an entry's keyword.
#[derive(Clone, Debug)]
pub enum Content {
    /// A target with its operations.
    Scope(Scope),
    /// `"credential" ( ( "provider" | "mcp" ) STR "=" ( STR | "none" ) | "none" )`
    Credential {
        /// `provider`, `mcp` or `none`.
        word: Option<Ident>,
        /// The provider or server.
        id: Option<Text>,
        /// The binding.
        binding: Option<Text>,
        /// `none` in place of a binding.
        none: Option<Ident>,
        /// Whether `=` stands before it.
        assigned: bool,
    },
    /// `"tool" ( STR "=" ( "native" | "mcp" STR "/" STR ) | "none" )`
    Tool {
        /// The tool id.
        id: Option<Text>,
        /// `native`, `mcp` or `none`.
        word: Option<Ident>,
        /// The server.
        server: Option<Text>,
        /// The tool's name there.
        tool: Option<Text>,
        /// Whether `=` stands before it.
        assigned: bool,
    },
    /// `"environment" ( STR { "," STR } | "none" )`
    Environment {
        /// The ids.
        ids: Vec<Text>,
        /// `none` in place of ids.
        none: Option<Ident>,
    },
    /// `"execution" ( "direct" | "auto" | "sandboxed" )`
    Execution(Option<Ident>),
    /// `( "budget" | "rate" | "limit" ) NAME "=" NUMBER { "," NAME "=" NUMBER }`
    Settings {
        /// Names and numbers.
        settings: Vec<Setting>,
        /// Whether a name may follow the last comma.
        open: bool,
    },
    /// `"expect" ( "allow" | "deny" ) target "=>" operations`
    Expect {
        /// `allow` or `deny`.
        verdict: Option<Ident>,
        /// The keyword of the target.
        keyword: Option<Ident>,
        /// The target and operations.
        scope: Scope,
    },
    /// An unknown keyword: what follows is not looked at.
    Unknown,
}

/// `target "=>" operations`, and of a child its block.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The first text: binding, executable, endpoint, repository, origin, server, integration, agent.
    pub first: Option<Text>,
    /// The text after `/` or `@`: path, tool, revision.
    pub second: Option<Text>,
    /// The arguments of a subprocess.
    pub arguments: Option<Vec<Text>>,
    /// The working directory of a subprocess: binding, and path below it.
    pub directory: Option<(Text, Option<Text>)>,
    /// The word after `redirect`; `Some(None)` when it is missing.
    pub redirect: Option<Option<Ident>>,
    /// `delegable`.
    pub delegable: Option<Ident>,
    /// The operations.
    pub operations: Vec<OperationPath>,
    /// Whether an operation may follow the last comma.
    pub open: bool,
    /// Where operations are missing.
    pub end: Option<Span>,
    /// The block of a child.
    pub block: Option<Body>,
}

/// `IDENT { "." IDENT }`
#[derive(Clone, Debug)]
pub struct OperationPath {
    /// The names between the dots.
    pub segments: Vec<Ident>,
    /// Whether a dot follows the last one.
    pub open: bool,
    /// Whether a syntax error stands in it: it is not looked up.
    pub broken: bool,
}

/// `NAME "=" NUMBER`
#[derive(Clone, Debug)]
pub struct Setting {
    /// The name.
    pub name: Ident,
    /// The number as written, with its sign, and where it stands.
    pub number: Option<(String, Span)>,
}

/// A text in a declaration: the user's own literal and what it means.
#[derive(Clone, Debug)]
pub struct Text {
    /// The literal.
    pub token: TokenTree,
    /// The text; `None` when the literal is not a plain one.
    pub value: Option<String>,
}

impl Text {
    /// Where the literal stands.
    pub fn span(&self) -> Span {
        self.token.span()
    }
}

impl OperationPath {
    /// The operation's name, `pull_request.write`.
    pub fn name(&self) -> String {
        let segments: Vec<_> = self.segments.iter().map(ToString::to_string).collect();
        segments.join(".")
    }
}
