//! Tokens to a tree. Nothing fails: an entry that is not finished is kept as far as it goes, with
//! one error, and the next entry is read as if nothing had happened.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::literal;
use crate::suggest;
use crate::tokens::Cursor;
use crate::tree::{
    Body, Content, Entry, Form, Module, OperationPath, Parsed, Scope, Setting, Text,
};

/// The keywords of targets.
pub(crate) const TARGETS: [&str; 8] = [
    "filesystem",
    "subprocess",
    "network",
    "github",
    "browser",
    "mcp",
    "integration",
    "child_agent",
];
/// The keywords of the other entries.
pub(crate) const OTHERS: [&str; 8] = [
    "credential",
    "tool",
    "environment",
    "execution",
    "budget",
    "rate",
    "limit",
    "expect",
];
/// Words of other languages that take away, generalise or repeat.
const PATTERN_WORDS: [&str; 12] = [
    "deny", "allow", "except", "not", "all", "any", "forbid", "exclude", "unless", "include", "if",
    "grant",
];

/// How deep blocks may be nested. Reading them is recursive, so there is an end before the stack's.
const DEEPEST: usize = 64;

/// What to write in place of a rule that denies.
const EXPECT_DENY: &str = "leave the entry away: what is not declared is denied; to make sure of it, write \
                           `expect deny filesystem \"ws\" / \"secret.txt\" => read;`";

/// What is wrong with a word or sign that takes away or stands for several.
fn only_exact(word: &str) -> String {
    format!("`{word}`: there are no deny rules, exceptions or patterns, only exact grants")
}

/// Parses what stands in one call of `authority!`.
pub fn parse(tokens: TokenStream) -> Parsed {
    let mut cursor = Cursor::new(tokens, Span::call_site());
    if starts_module(&cursor) {
        return modules(&mut cursor);
    }
    let body = body(&mut cursor, Span::call_site(), 0);
    Parsed {
        form: Form::Body(body),
        diagnostics: Vec::new(),
    }
}

/// Whether a module comes next, after its attributes.
fn starts_module(cursor: &Cursor) -> bool {
    let mut ahead = 0;
    while matches!(cursor.peek_nth(ahead), Some(TokenTree::Punct(punct)) if punct.as_char() == '#')
    {
        ahead += 2;
    }
    match cursor.peek_nth(ahead) {
        Some(TokenTree::Ident(ident)) if ident == "mod" || ident == "pub" => true,
        // `pub` from a caller's macro comes in a group without delimiters.
        Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::None,
        _ => false,
    }
}

fn modules(cursor: &mut Cursor) -> Parsed {
    let mut modules = Vec::new();
    let mut diagnostics = Vec::new();
    while !cursor.is_empty() {
        if starts_module(cursor) {
            modules.extend(module(cursor, &mut diagnostics));
        } else {
            diagnostics.push(Diagnostic::new(
                Code::A0111,
                cursor.span(),
                "entries beside modules",
                "move the entries into a module, or use a call of `authority!` for each form",
            ));
            while !cursor.is_empty() && !starts_module(cursor) {
                cursor.next();
            }
        }
    }
    Parsed {
        form: Form::Modules(modules),
        diagnostics,
    }
}

fn module(cursor: &mut Cursor, diagnostics: &mut Vec<Diagnostic>) -> Option<Module> {
    let mut attributes = TokenStream::new();
    let mut refused = Vec::new();
    while cursor.is_punct(0, '#') {
        let hash = cursor.next();
        let Some(group) = cursor.take_group(Delimiter::Bracket) else {
            continue;
        };
        if is_module_attribute(&group) {
            attributes.extend(hash);
            attributes.extend([TokenTree::Group(group)]);
        } else {
            refused.push(Diagnostic::new(
                Code::A0107,
                first_span(&group),
                "this attribute may not stand on a declaration's module",
                "a module takes doc comments, `cfg`, lint levels such as `allow(dead_code)`, `doc(hidden)` and `deprecated`",
            ));
        }
    }
    let mut visibility = TokenStream::new();
    if let Some(TokenTree::Group(_)) = cursor.peek() {
        visibility.extend(cursor.next());
    }
    if let Some(public) = cursor.take_word("pub") {
        visibility.extend([TokenTree::Ident(public)]);
        if let Some(restriction) = cursor.take_group(Delimiter::Parenthesis) {
            visibility.extend([TokenTree::Group(restriction)]);
        }
    }
    let header = cursor.span();
    let is_module = cursor.take_word("mod").is_some();
    let name = if is_module { cursor.take_ident() } else { None };
    let Some(group) = cursor
        .take_group(Delimiter::Brace)
        .filter(|_| name.is_some())
    else {
        diagnostics.append(&mut refused);
        diagnostics.push(Diagnostic::new(
            Code::A0111,
            header,
            "malformed module",
            "write `pub mod name { … }` with the entries in the braces",
        ));
        while !cursor.is_empty() && !starts_module(cursor) {
            cursor.next();
        }
        return None;
    };
    let mut body = block(&group, 0);
    body.diagnostics.append(&mut refused);
    body.diagnostics.extend(name.as_ref().and_then(reserved));
    Some(Module {
        attributes,
        visibility,
        name,
        body,
    })
}

/// A name that Rust reserves in every edition since 2018, for a module.
fn reserved(name: &Ident) -> Option<Diagnostic> {
    let word = name.to_string();
    if word.starts_with("r#") || matches!(word.as_str(), "gen" | "macro_rules" | "union") {
        return None;
    }
    let free = authority_core::draft::module_name(&word);
    let help = match free {
        Some(free) if free == word => return None,
        Some(raw) => format!("write `mod {raw}`, or another name"),
        None => "give the module another name".to_owned(),
    };
    let message = format!("`{word}` is a word of Rust, not a name for a module");
    Some(Diagnostic::new(Code::A0111, name.span(), message, help))
}

fn is_module_attribute(group: &Group) -> bool {
    let allowed = [
        "doc",
        "cfg",
        "allow",
        "warn",
        "deny",
        "expect",
        "forbid",
        "deprecated",
    ];
    let first = group.stream().into_iter().next();
    matches!(first, Some(TokenTree::Ident(name)) if allowed.iter().any(|word| name == word))
}

fn first_span(group: &Group) -> Span {
    group
        .stream()
        .into_iter()
        .next()
        .map_or(group.span(), |token| token.span())
}

fn block(group: &Group, depth: usize) -> Body {
    body(&mut Cursor::of_group(group), group.span_open(), depth)
}

/// The entries up to the end. `depth` is the number of blocks around them.
fn body(cursor: &mut Cursor, span: Span, depth: usize) -> Body {
    let mut body = Body {
        docs: Vec::new(),
        entries: Vec::new(),
        span,
        diagnostics: Vec::new(),
    };
    while cursor.is_punct(0, '#') && cursor.is_punct(1, '!') {
        let hash = cursor.span();
        cursor.next();
        cursor.next();
        match cursor
            .take_group(Delimiter::Bracket)
            .map(|group| (doc(&group), group))
        {
            Some((Some(line), _)) => body.docs.push(line),
            Some((None, group)) => body.diagnostics.push(attribute(first_span(&group))),
            None => body.diagnostics.push(attribute(hash)),
        }
    }
    while !cursor.is_empty() {
        let mut parser = Parser {
            cursor,
            diagnostics: &mut body.diagnostics,
            broken: false,
            depth,
        };
        body.entries.extend(parser.entry());
    }
    body
}

fn attribute(span: Span) -> Diagnostic {
    Diagnostic::new(
        Code::A0107,
        span,
        "an attribute may not stand here",
        "an entry takes doc comments only; put `#[cfg(…)]` on a module, so that its checks and digests see all of it",
    )
}

/// The line of `doc = "…"`.
fn doc(group: &Group) -> Option<String> {
    let tokens: Vec<_> = group.stream().into_iter().collect();
    match tokens.as_slice() {
        [
            TokenTree::Ident(name),
            TokenTree::Punct(equals),
            TokenTree::Literal(text),
        ] if name == "doc" && equals.as_char() == '=' => literal::argument(text),
        _ => None,
    }
}

struct Parser<'a> {
    cursor: &'a mut Cursor,
    diagnostics: &'a mut Vec<Diagnostic>,
    /// Whether the entry has a syntax error: only its first is reported.
    broken: bool,
    /// The number of blocks around the entry.
    depth: usize,
}

impl Parser<'_> {
    fn report(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        if !self.broken {
            self.diagnostics
                .push(Diagnostic::new(code, span, message, help));
        }
        self.broken = true;
    }

    fn entry(&mut self) -> Option<Entry> {
        let doc = self.docs();
        let Some(keyword) = self.cursor.take_ident() else {
            if self.cursor.is_empty() {
                if !doc.is_empty() {
                    let help = "put it before the entry that it describes";
                    self.report(
                        Code::A0110,
                        self.cursor.last_span(),
                        "a doc comment without an entry",
                        help,
                    );
                }
                return None;
            }
            return self.no_entry();
        };
        let word = keyword.to_string();
        let content = match word.as_str() {
            _ if TARGETS.contains(&word.as_str()) => Content::Scope(self.scope(&keyword)),
            "credential" => self.credential(),
            "tool" => self.tool(),
            "environment" => self.environment(),
            "execution" => self.execution(),
            "budget" | "rate" | "limit" => self.settings(&keyword),
            "expect" => self.expect(),
            _ => self.unknown(&keyword),
        };
        self.finish(&content);
        Some(Entry {
            doc,
            keyword,
            content,
            broken: self.broken,
        })
    }

    /// Reports what stands where an entry should begin, and goes past it.
    fn no_entry(&mut self) -> Option<Entry> {
        let span = self.cursor.span();
        let mut negated = None;
        match self.cursor.peek() {
            Some(TokenTree::Punct(punct)) if punct.as_char() == ';' => {
                let help = "leave this `;` away: an entry has one, at its end";
                self.report(Code::A0110, span, "expected an entry, found `;`", help);
            }
            Some(TokenTree::Punct(punct)) if matches!(punct.as_char(), '!' | '-' | '*') => {
                let sign = punct.to_string();
                let help = match sign.as_str() {
                    "*" => "name each target: nothing stands for several",
                    _ => EXPECT_DENY,
                };
                self.report(Code::A0106, span, only_exact(&sign), help);
                self.cursor.next();
                negated = self.cursor.take_ident();
            }
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let help = "write the block of a `child_agent` right after its operations";
                self.report(Code::A0110, span, "a block without an agent", help);
            }
            _ => {
                let help = format!(
                    "an entry begins with a keyword, one of {}",
                    suggest::listed(&keywords())
                );
                self.report(Code::A0110, span, "expected an entry", help);
            }
        }
        self.recover();
        negated.map(|keyword| Entry {
            doc: String::new(),
            keyword,
            content: Content::Unknown,
            broken: true,
        })
    }

    /// The doc comment in front of an entry.
    fn docs(&mut self) -> String {
        let mut lines: Vec<String> = Vec::new();
        while self.cursor.is_punct(0, '#') {
            let hash = self.cursor.span();
            self.cursor.next();
            let is_inner = self.cursor.take_punct('!');
            match self
                .cursor
                .take_group(Delimiter::Bracket)
                .map(|group| (doc(&group), group))
            {
                Some((Some(_), _)) if is_inner => self.diagnostics.push(Diagnostic::new(
                    Code::A0107,
                    hash,
                    "a doc comment of the whole body below its top",
                    "write `///` in front of an entry, or move the `//!` lines to the top",
                )),
                Some((Some(line), _)) => {
                    lines.push(line.strip_prefix(' ').unwrap_or(&line).to_owned());
                }
                Some((None, group)) => self.diagnostics.push(attribute(first_span(&group))),
                None => self.diagnostics.push(attribute(hash)),
            }
        }
        lines.join("\n").trim().to_owned()
    }

    fn unknown(&mut self, keyword: &Ident) -> Content {
        let word = keyword.to_string();
        if matches!(word.as_str(), "pub" | "mod") {
            let help =
                "a call holds either entries or modules; move the module into a call of its own";
            self.report(Code::A0111, keyword.span(), "a module beside entries", help);
        } else if PATTERN_WORDS.contains(&word.as_str()) {
            let help = match word.as_str() {
                "include" => "write the entries here: a declaration is read in one place",
                "allow" | "grant" => {
                    "leave the word away: an entry is a grant, `filesystem \"ws\" => read;`"
                }
                "all" | "any" => "name each target: nothing stands for several",
                "if" => "put `#[cfg(…)]` on a module; an entry has no condition",
                _ => EXPECT_DENY,
            };
            self.report(Code::A0106, keyword.span(), only_exact(&word), help);
        } else {
            let help = suggest::help_for_keyword(&word, &keywords());
            self.report(
                Code::A0101,
                keyword.span(),
                format!("unknown entry `{word}`"),
                help,
            );
        }
        Content::Unknown
    }

    /// Takes the entry's `;`, or reports that it is missing; after an error goes on to the next
    /// entry.
    fn finish(&mut self, content: &Content) {
        if self.broken {
            return self.recover();
        }
        let is_block = matches!(content, Content::Scope(Scope { block: Some(_), .. }));
        if self.cursor.take_punct(';') || is_block {
            return;
        }
        let next_is_entry =
            self.cursor.is_empty() || self.at_entry() || self.cursor.is_punct(0, '#');
        if next_is_entry {
            let help = "write `;` at the end of the entry, of the last one too";
            self.report(
                Code::A0103,
                self.cursor.last_span(),
                "expected `;` after this",
                help,
            );
            return;
        }
        let span = self.cursor.span();
        match self.cursor.peek() {
            Some(TokenTree::Punct(punct)) if matches!(punct.as_char(), '|' | '+' | '&' | '/') => {
                let message = format!("expected `,` or `;`, found `{punct}`");
                self.report(
                    Code::A0110,
                    span,
                    message,
                    "separate operations with `,`: `read, write`",
                );
            }
            Some(TokenTree::Punct(punct)) if matches!(punct.as_char(), '-' | '!') => {
                let message = only_exact(&punct.to_string());
                let help = "end the entry here with `;`: what is not declared is denied";
                self.report(Code::A0106, span, message, help);
            }
            Some(TokenTree::Ident(word)) if is_pattern(word) => {
                let message = only_exact(&word.to_string());
                let help = "end the entry here with `;`: what is not declared is denied";
                self.report(Code::A0106, span, message, help);
            }
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let help = "only `child_agent` has a block; end the entry with `;`";
                self.report(Code::A0110, span, "a block may not stand here", help);
            }
            _ => self.report(
                Code::A0110,
                span,
                "expected `;`",
                "end the entry here with `;`, or separate with `,`",
            ),
        }
        self.recover();
    }

    /// Goes past the entry's `;`, but not into the next entry when the `;` is missing.
    fn recover(&mut self) {
        while !self.cursor.is_empty() {
            if self.cursor.take_punct(';') || self.at_entry() {
                return;
            }
            let block = self.cursor.take_group(Delimiter::Brace).is_some();
            if block {
                self.cursor.take_punct(';');
                return;
            }
            self.cursor.next();
        }
    }

    /// Whether an entry begins here: a keyword with what can follow it.
    fn at_entry(&self) -> bool {
        let Some(word) = self.cursor.peek_ident().map(ToString::to_string) else {
            return self.cursor.is_punct(0, '#');
        };
        let ident_follows = matches!(self.cursor.peek_nth(1), Some(TokenTree::Ident(_)));
        match word.as_str() {
            "tool" | "environment" => self.cursor.is_literal(1) || ident_follows,
            "credential" | "execution" | "budget" | "rate" | "limit" | "expect" => ident_follows,
            _ => TARGETS.contains(&word.as_str()) && self.cursor.is_literal(1),
        }
    }

    /// A word of this entry: not the keyword of the next one, when this one is not finished.
    fn word(&mut self) -> Option<Ident> {
        if self.at_entry() {
            return None;
        }
        self.cursor.take_ident()
    }

    fn scope(&mut self, keyword: &Ident) -> Scope {
        let mut scope = Scope::default();
        self.target(keyword, &mut scope);
        if !self.broken {
            self.operations(keyword, &mut scope);
        }
        if keyword == "child_agent" {
            scope.block = self.block();
        }
        scope
    }

    /// The block of a child, with the `;` that may follow it.
    fn block(&mut self) -> Option<Body> {
        let is_cut_off = self.cursor.is_punct(0, ';')
            && matches!(self.cursor.peek_nth(1), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace);
        if is_cut_off {
            let help = "leave this `;` away";
            self.report(
                Code::A0110,
                self.cursor.span(),
                "`;` between an agent and its block",
                help,
            );
            self.cursor.next();
        }
        let group = self.cursor.take_group(Delimiter::Brace)?;
        self.cursor.take_punct(';');
        if self.depth >= DEEPEST {
            let message = format!("blocks are nested more than {DEEPEST} deep");
            let help = "declare fewer generations: a running child makes its own children from what it holds";
            self.report(Code::A0110, group.span_open(), message, help);
            return None;
        }
        let mut block = block(&group, self.depth + 1);
        self.diagnostics.append(&mut block.diagnostics);
        Some(block)
    }

    fn target(&mut self, keyword: &Ident, scope: &mut Scope) {
        let kind = keyword.to_string();
        scope.first = self.text(&format!("`{kind}` needs its target"), example(&kind));
        match kind.as_str() {
            "subprocess" => self.run(scope),
            "integration" => {
                if self.cursor.take_punct('@') {
                    scope.second = self.text("a revision is missing", example(&kind));
                } else {
                    let help = "write the digest of the reviewed revision: `@ \"sha256:…\"`";
                    self.report(
                        Code::A0108,
                        self.cursor.span(),
                        "expected `@` and a revision",
                        help,
                    );
                }
            }
            _ => {
                if self.cursor.is_punct(0, '/') {
                    let slash = self.cursor.span();
                    self.cursor.next();
                    if matches!(kind.as_str(), "filesystem" | "mcp") {
                        scope.second = self.text("a text is missing after `/`", example(&kind));
                        self.one_text(scope.second.as_ref());
                    } else {
                        let help =
                            format!("write the whole target in one string: {}", example(&kind));
                        self.report(
                            Code::A0110,
                            slash,
                            format!("`{kind}` has no part after `/`"),
                            help,
                        );
                    }
                }
            }
        }
        if self.broken {
            return;
        }
        if kind == "network" && self.cursor.take_word("redirect").is_some() {
            let word = self.word();
            if word.is_none() {
                let help = "write `redirect deny` or `redirect same_origin`";
                self.report(
                    Code::A0109,
                    self.cursor.span(),
                    "a redirect policy is missing",
                    help,
                );
            }
            scope.redirect = Some(word);
        }
        if kind == "filesystem" {
            scope.delegable = self.cursor.take_word("delegable");
        }
    }

    /// What stands after the binding or server is one text: another `/` is refused.
    fn one_text(&mut self, second: Option<&Text>) {
        let Some(first) = second.filter(|_| self.cursor.is_punct(0, '/')) else {
            return;
        };
        let slash = self.cursor.span();
        let last = match self.cursor.peek_nth(1) {
            Some(TokenTree::Literal(literal)) => literal::plain(literal).ok(),
            _ => None,
        };
        let help = match first.value.as_deref().zip(last) {
            Some((first, last)) => format!("write one text: `\"{first}/{last}\"`"),
            None => "write all of it in one text".to_owned(),
        };
        self.report(Code::A0110, slash, "a second `/` after a target", help);
    }

    /// `"[" [ ARG { "," ARG } ] "]" "in" STR [ "/" STR ]`
    fn run(&mut self, scope: &mut Scope) {
        let Some(list) = self.cursor.take_group(Delimiter::Bracket) else {
            let help = "write every argument after the executable: `[\"status\", \"--porcelain\"]`, or `[]` for none";
            return self.report(
                Code::A0108,
                self.cursor.span(),
                "expected the list of arguments",
                help,
            );
        };
        let mut arguments = Vec::new();
        let mut cursor = Cursor::of_group(&list);
        while let Some(token) = cursor.next() {
            let value = match &token {
                TokenTree::Literal(text) => literal::argument(text),
                _ => None,
            };
            if value.is_none() {
                let help = "an argument is a string literal in quotes: `\"status\"`";
                self.report(
                    Code::A0105,
                    token.span(),
                    "an argument that is no string literal",
                    help,
                );
            }
            arguments.push(Text { token, value });
            if !cursor.is_empty() && !cursor.take_punct(',') {
                self.report(
                    Code::A0110,
                    cursor.span(),
                    "expected `,`",
                    "separate arguments with `,`",
                );
                break;
            }
        }
        scope.arguments = Some(arguments);
        if self.cursor.take_word("in").is_none() {
            let help = "say where it runs: `in \"ws\"`, or `in \"ws\" / \"crates/core\"`";
            return self.report(
                Code::A0108,
                self.cursor.span(),
                "expected `in` and a working directory",
                help,
            );
        }
        let Some(binding) = self.text("a working directory is missing", example("subprocess"))
        else {
            return;
        };
        let path = self
            .cursor
            .take_punct('/')
            .then(|| self.text("a path is missing after `/`", example("subprocess")));
        scope.directory = Some((binding, path.flatten()));
    }

    /// `"=>" OP { "," OP }`
    fn operations(&mut self, keyword: &Ident, scope: &mut Scope) {
        let arrow = self.cursor.span();
        if !self.cursor.take_arrow() {
            return self.no_arrow(keyword, scope);
        }
        scope.end = Some(arrow);
        while !self.at_entry() && !self.no_operation(keyword, scope) {
            let Some(first) = self.cursor.take_ident() else {
                break;
            };
            let path = self.operation(first, keyword, scope);
            scope.operations.push(path);
            scope.open = self.cursor.take_punct(',');
            if !scope.open {
                break;
            }
        }
        if scope.operations.is_empty() && !self.broken {
            let help = format!(
                "name at least one operation: {}",
                suggest::operations_of(keyword, scope)
            );
            self.report(
                Code::A0301,
                arrow,
                "an entry without operations grants nothing",
                help,
            );
        }
    }

    /// Reports what stands in place of `=>`.
    fn no_arrow(&mut self, keyword: &Ident, scope: &Scope) {
        let span = self.cursor.span();
        let operation = suggest::common_operation(keyword, scope);
        let (code, message, help) = match self.cursor.peek() {
            Some(TokenTree::Ident(word)) if is_pattern(word) => (
                Code::A0106,
                only_exact(&word.to_string()),
                "grant each target with an entry of its own; what is not declared is denied"
                    .to_owned(),
            ),
            Some(TokenTree::Ident(word)) if word == "delegable" => (
                Code::A0110,
                "`delegable` belongs to the path of a `filesystem`".to_owned(),
                "leave it away: a child can be given any other target as it is".to_owned(),
            ),
            Some(TokenTree::Ident(word)) if word == "redirect" => (
                Code::A0110,
                "`redirect` belongs to `network`".to_owned(),
                "leave the redirect policy away".to_owned(),
            ),
            Some(TokenTree::Punct(punct)) if punct.as_char() == ',' => (
                Code::A0110,
                "expected `=>`, found `,`: an entry has one target".to_owned(),
                format!(
                    "write an entry for each target: {}",
                    example(&keyword.to_string())
                ),
            ),
            other => {
                let help = match other {
                    Some(TokenTree::Punct(punct)) if matches!(punct.as_char(), '=' | '-') => {
                        "write the arrow `=>`".to_owned()
                    }
                    Some(TokenTree::Group(_)) => {
                        format!("write what may be done before it: `=> {operation}`")
                    }
                    _ => format!("write what may be done: `=> {operation}`"),
                };
                (Code::A0102, "expected `=>` and operations".to_owned(), help)
            }
        };
        self.report(code, span, message, help);
    }

    /// Reports a token that stands in place of an operation and is not simply missing.
    fn no_operation(&mut self, keyword: &Ident, scope: &Scope) -> bool {
        let own = || suggest::operations_of(keyword, scope);
        let (code, message, help) = match self.cursor.peek() {
            Some(TokenTree::Punct(punct)) if punct.as_char() == '*' => (
                Code::A0106,
                "`*`: there are no patterns, only exact grants".to_owned(),
                format!("name each operation: {}", own()),
            ),
            Some(TokenTree::Punct(punct)) if matches!(punct.as_char(), '!' | '-') => (
                Code::A0106,
                only_exact(&punct.to_string()),
                format!(
                    "name what may be done, of {}; what is not named is denied",
                    own()
                ),
            ),
            Some(TokenTree::Ident(word))
                if is_pattern(word)
                    && matches!(self.cursor.peek_nth(1), Some(TokenTree::Ident(_))) =>
            {
                (
                    Code::A0106,
                    only_exact(&word.to_string()),
                    format!(
                        "name what may be done, of {}; what is not named is denied",
                        own()
                    ),
                )
            }
            Some(TokenTree::Literal(_)) => (
                Code::A0110,
                "a literal in place of an operation".to_owned(),
                format!("write an operation without quotes: {}", own()),
            ),
            Some(TokenTree::Group(group))
                if group.delimiter() != Delimiter::Brace || keyword != "child_agent" =>
            {
                (
                    Code::A0110,
                    "brackets in place of operations".to_owned(),
                    format!(
                        "write operations without brackets, separated with `,`: {}",
                        own()
                    ),
                )
            }
            _ => return false,
        };
        self.report(code, self.cursor.span(), message, help);
        true
    }

    /// `{ "." IDENT }` after its first name, and what people write in place of the dot.
    fn operation(&mut self, first: Ident, keyword: &Ident, scope: &Scope) -> OperationPath {
        let mut path = OperationPath {
            segments: vec![first],
            open: false,
            broken: false,
        };
        loop {
            let span = self.cursor.span();
            let is_path = self.cursor.is_punct(0, ':') && self.cursor.is_punct(1, ':');
            let follows = |ahead| match self.cursor.peek_nth(ahead) {
                Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
                _ => None,
            };
            let joined = |sign, ahead| {
                let name = path.name() + sign + &follows(ahead)?;
                suggest::begins_operation(keyword, scope, &name).then_some(name)
            };
            if self.cursor.is_punct(0, '/') && joined(".", 1).is_some() || is_path {
                self.cursor.next();
                self.cursor.take_punct(':');
                let name = self.word();
                path.open = name.is_none();
                path.segments.extend(name);
                let help = if path.open {
                    format!(
                        "write a dot and the rest: {}",
                        suggest::operations_of(keyword, scope)
                    )
                } else {
                    format!("write `{}`", path.name())
                };
                let message = "the names of an operation are joined with `.`";
                self.report(Code::A0110, span, message, help);
            } else if self.cursor.is_punct(0, '-')
                && let Some(name) = joined("_", 1)
            {
                self.cursor.next();
                path.segments.extend(self.cursor.take_ident());
                let message = format!("unknown operation `{}`", name.replace('_', "-"));
                let help = format!(
                    "write `_` for `-`: {}",
                    suggest::operations_like(keyword, scope, &name)
                );
                self.report(Code::A0302, path.segments[0].span(), message, help);
                path.broken = true;
            } else if self.cursor.take_punct('.') {
                let name = self.word();
                path.open = name.is_none();
                path.segments.extend(name);
            } else {
                break;
            }
            if path.open {
                break;
            }
        }
        if path.open {
            path.broken = true;
            if !self.no_operation(keyword, scope) {
                let help = format!(
                    "write the rest of the operation: {}",
                    suggest::operations_of(keyword, scope)
                );
                let message = "expected a name after `.`";
                self.report(Code::A0110, self.cursor.last_span(), message, help);
            }
        }
        path
    }

    /// Whether the entry goes on here with something.
    fn goes_on(&self) -> bool {
        !self.cursor.is_empty() && !self.cursor.is_punct(0, ';') && !self.at_entry()
    }

    fn execution(&mut self) -> Content {
        let mode = self.word();
        if mode.is_none() && self.goes_on() {
            let help = "write the word alone: `execution sandboxed;`";
            let message = "expected `direct`, `auto` or `sandboxed`";
            self.report(Code::A0109, self.cursor.span(), message, help);
        }
        Content::Execution(mode)
    }

    fn credential(&mut self) -> Content {
        let is_assigned = self.cursor.is_punct(2, '=') && !self.cursor.is_punct(3, '>');
        // What looks like a target is this credential's, when a value follows it.
        let word = if is_assigned {
            self.cursor.take_ident()
        } else {
            self.cursor.take_word("mcp").or_else(|| self.word())
        };
        let mut id = None;
        let mut binding = None;
        let mut none = None;
        let mut assigned = false;
        match word.as_ref().map(ToString::to_string).as_deref() {
            Some("none") => {}
            Some("provider" | "mcp") => {
                id = self.text(
                    "the id of a provider or server is missing",
                    example("credential"),
                );
                assigned = self.assign("credential");
                if assigned {
                    none = self.word();
                    if let Some(word) = none.as_ref().filter(|word| *word != "none") {
                        let help = format!(
                            "write the id in quotes, or `none`: {}",
                            example("credential")
                        );
                        self.report(
                            Code::A0105,
                            word.span(),
                            "a name in place of a string literal",
                            help,
                        );
                    } else if none.is_none() {
                        binding = self.text(
                            "expected the id of a credential, or `none`",
                            example("credential"),
                        );
                    }
                }
            }
            Some(_) if self.cursor.is_literal(0) => self.skip_value(),
            None if self.goes_on() => {
                let help = format!("say what it is for: {}", example("credential"));
                let message = "expected `provider`, `mcp` or `none`";
                self.report(Code::A0109, self.cursor.span(), message, help);
            }
            _ => {}
        }
        Content::Credential {
            word,
            id,
            binding,
            none,
            assigned,
        }
    }

    fn tool(&mut self) -> Content {
        let (mut id, mut word, mut server, mut tool, mut assigned) =
            (None, None, None, None, false);
        if let Some(none) = self.cursor.take_word("none") {
            word = Some(none);
        } else {
            id = self.text("the id of a tool is missing", example("tool"));
            if !self.broken && self.assign("tool") {
                assigned = true;
                word = self.cursor.take_word("mcp").or_else(|| self.word());
                if word.is_none() && self.goes_on() {
                    let help = format!("write `native`, or an MCP tool: {}", example("tool"));
                    let message = "expected `native` or `mcp`";
                    self.report(Code::A0109, self.cursor.span(), message, help);
                }
                if word.as_ref().is_some_and(|word| word == "mcp") {
                    server = self.text("the id of a server is missing", example("tool"));
                    if !self.broken && self.cursor.take_punct('/') {
                        tool =
                            self.text("the name of a tool is missing after `/`", example("tool"));
                    } else if !self.broken {
                        let help = "a tool is written in two parts: `mcp \"docs\" / \"search\"`";
                        self.report(
                            Code::A0108,
                            self.cursor.span(),
                            "expected `/` and the tool's name",
                            help,
                        );
                    }
                }
            }
        }
        Content::Tool {
            id,
            word,
            server,
            tool,
            assigned,
        }
    }

    fn environment(&mut self) -> Content {
        if let Some(none) = self.cursor.take_word("none") {
            return Content::Environment {
                ids: Vec::new(),
                none: Some(none),
            };
        }
        let mut ids = Vec::new();
        loop {
            ids.extend(self.text(
                "the id of an environment entry is missing",
                "environment \"CI\", \"RUST_LOG\";",
            ));
            if self.broken || !self.cursor.take_punct(',') || self.cursor.is_punct(0, ';') {
                break;
            }
        }
        Content::Environment { ids, none: None }
    }

    fn settings(&mut self, keyword: &Ident) -> Content {
        let mut settings = Vec::new();
        let mut open = false;
        while let Some(name) = self.word() {
            open = false;
            let number = self
                .assign(&keyword.to_string())
                .then(|| self.number())
                .flatten();
            settings.push(Setting { name, number });
            if self.broken || !self.cursor.take_punct(',') {
                break;
            }
            open = true;
            if self.at_entry() {
                break;
            }
        }
        if settings.is_empty() {
            let help = suggest::settings_of(keyword);
            self.report(
                Code::A0109,
                self.cursor.span(),
                format!("`{keyword}` needs a setting"),
                help,
            );
        }
        Content::Settings { settings, open }
    }

    /// A number as written: an optional sign and one literal.
    fn number(&mut self) -> Option<(String, Span)> {
        let span = self.cursor.span();
        let sign = if self.cursor.take_punct('-') { "-" } else { "" };
        match self.cursor.peek() {
            Some(TokenTree::Literal(number)) => {
                let number = format!("{sign}{number}");
                self.cursor.next();
                Some((number, span))
            }
            _ => {
                self.report(
                    Code::A0603,
                    self.cursor.span(),
                    "expected a number",
                    "write digits, as `8_000`",
                );
                None
            }
        }
    }

    fn expect(&mut self) -> Content {
        let verdict = self.word();
        let known = verdict
            .as_ref()
            .is_some_and(|word| word == "allow" || word == "deny");
        if !known {
            let help = "write `expect allow …` or `expect deny …`";
            let span = verdict.as_ref().map_or(self.cursor.span(), Ident::span);
            self.report(Code::A0109, span, "expected `allow` or `deny`", help);
        }
        let keyword = self.cursor.take_ident();
        let mut scope = Scope::default();
        match &keyword {
            Some(keyword) if TARGETS.iter().any(|target| keyword == target) => {
                scope = self.scope(keyword);
            }
            Some(keyword) => {
                let word = keyword.to_string();
                let help = suggest::help_for_keyword(&word, &TARGETS);
                self.report(
                    Code::A0101,
                    keyword.span(),
                    format!("unknown target `{word}`"),
                    help,
                );
            }
            None => {
                let help =
                    "write a target and operations: `expect deny filesystem \"ws\" => write;`";
                self.report(Code::A0110, self.cursor.span(), "expected a target", help);
            }
        }
        if let Some(delegable) = &scope.delegable {
            self.report(
                Code::A0110,
                delegable.span(),
                "`delegable` in an expectation, which is about operations alone",
                "leave `delegable` away: it belongs to the entry that declares the path",
            );
        }
        if let Some(block) = &scope.block {
            self.report(
                Code::A0110,
                block.span,
                "an expectation has no block",
                "end it with `;`",
            );
        }
        Content::Expect {
            verdict,
            keyword,
            scope,
        }
    }

    /// `=`, but not the arrow.
    fn assign(&mut self, keyword: &str) -> bool {
        if self.broken {
            return false;
        }
        if self.cursor.is_punct(0, '=') && !self.cursor.is_arrow() {
            self.cursor.next();
            return true;
        }
        let help = format!("write `=` and the value: {}", example(keyword));
        self.report(Code::A0108, self.cursor.span(), "expected `=`", help);
        false
    }

    /// Past `"id" = value`, after a word that is not known.
    fn skip_value(&mut self) {
        while !self.cursor.is_empty() && !self.cursor.is_punct(0, ';') && !self.at_entry() {
            self.cursor.next();
        }
    }

    /// A string literal. `missing` says what is wrong when there is none.
    fn text(&mut self, missing: &str, example: &str) -> Option<Text> {
        let span = self.cursor.span();
        match self.cursor.peek().cloned() {
            Some(TokenTree::Literal(literal)) => {
                self.cursor.next();
                let value = match literal::plain(&literal) {
                    Ok(value) => Some(value),
                    Err(what) => {
                        let help = format!(
                            "write a plain string in double quotes, in which `\\\"` is the only escape: {example}"
                        );
                        self.diagnostics
                            .push(Diagnostic::new(Code::A0105, span, what, help));
                        None
                    }
                };
                Some(Text {
                    token: TokenTree::Literal(literal),
                    value,
                })
            }
            Some(TokenTree::Punct(punct)) if punct.as_char() == '*' => {
                let help = format!("name each target: {example}");
                self.report(
                    Code::A0106,
                    span,
                    "`*`: there are no patterns, only exact grants",
                    help,
                );
                None
            }
            Some(TokenTree::Ident(word)) if is_pattern(&word) => {
                let help = format!("name each target: {example}");
                self.report(Code::A0106, span, only_exact(&word.to_string()), help);
                None
            }
            Some(TokenTree::Ident(_)) if !self.at_entry() => {
                let help = format!(
                    "write the text itself, so that a reader sees what is granted: {example}"
                );
                self.report(
                    Code::A0105,
                    span,
                    "a name or macro in place of a string literal",
                    help,
                );
                None
            }
            _ => {
                self.report(
                    Code::A0105,
                    span,
                    format!("{missing}: expected a string literal"),
                    format!("write {example}"),
                );
                None
            }
        }
    }
}

fn is_pattern(word: &Ident) -> bool {
    PATTERN_WORDS.iter().any(|pattern| word == pattern)
}

fn keywords() -> Vec<&'static str> {
    TARGETS.iter().chain(&OTHERS).copied().collect()
}

/// A right entry of this keyword.
pub(crate) fn example(keyword: &str) -> &'static str {
    match keyword {
        "filesystem" => "filesystem \"ws\" / \"Cargo.toml\" => read;",
        "subprocess" => "subprocess \"git\" [\"status\"] in \"ws\" => execute;",
        "network" => "network \"https://api.example.com:443\" => request.safe;",
        "github" => "github \"owner/repository\" => read;",
        "browser" => "browser \"https://docs.rs\" => read;",
        "mcp" => "mcp \"docs\" / \"search\" => call;",
        "integration" => "integration \"tracker\" @ \"sha256:…\" => invoke;",
        "child_agent" => "child_agent \"reviewer\" => delegate { … }",
        "credential" => "credential provider \"anthropic\" = \"anthropic-prod\";",
        "tool" => "tool \"search_docs\" = mcp \"docs\" / \"search\";",
        "budget" => "budget tokens_per_turn = 8_000;",
        "rate" => "rate requests_per_minute = 60;",
        "limit" => "limit agents = 8;",
        _ => "filesystem \"ws\" => read;",
    }
}
