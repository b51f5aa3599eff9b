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

/// Parses what stands in one call of `authority!`.
pub fn parse(tokens: TokenStream) -> Parsed {
    let mut cursor = Cursor::new(tokens, Span::call_site());
    if starts_module(&cursor) {
        return modules(&mut cursor);
    }
    let body = body(&mut cursor, Span::call_site());
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
    let mut body = block(&group);
    body.diagnostics.append(&mut refused);
    Some(Module {
        attributes,
        visibility,
        name,
        body,
    })
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

fn block(group: &Group) -> Body {
    body(&mut Cursor::of_group(group), group.span_open())
}

fn body(cursor: &mut Cursor, span: Span) -> Body {
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
            let help = format!(
                "an entry begins with a keyword, one of {}",
                suggest::listed(&keywords())
            );
            self.report(Code::A0110, self.cursor.span(), "expected an entry", help);
            self.recover();
            return None;
        };
        let word = keyword.to_string();
        let content = match word.as_str() {
            _ if TARGETS.contains(&word.as_str()) => Content::Scope(self.scope(&keyword)),
            "credential" => self.credential(),
            "tool" => self.tool(),
            "environment" => self.environment(),
            "execution" => Content::Execution(self.cursor.take_ident()),
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

    /// The doc comment in front of an entry.
    fn docs(&mut self) -> String {
        let mut lines: Vec<String> = Vec::new();
        while self.cursor.is_punct(0, '#') {
            let hash = self.cursor.span();
            self.cursor.next();
            self.cursor.take_punct('!');
            match self
                .cursor
                .take_group(Delimiter::Bracket)
                .map(|group| (doc(&group), group))
            {
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
                "allow" | "grant" | "include" => {
                    "leave the word away: an entry is a grant, `filesystem \"ws\" => read;`"
                }
                "all" | "any" => "name each target: nothing stands for several",
                "if" => "put `#[cfg(…)]` on a module; an entry has no condition",
                _ => {
                    "leave the entry away: what is not declared is denied; to make sure of it, write \
                     `expect deny filesystem \"ws\" / \"secret.txt\" => read;`"
                }
            };
            let message = format!(
                "`{word}`: there are no deny rules, exceptions or patterns, only exact grants"
            );
            self.report(Code::A0106, keyword.span(), message, help);
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
            Some(TokenTree::Ident(word)) if PATTERN_WORDS.iter().any(|pattern| word == pattern) => {
                let message = format!(
                    "`{word}`: there are no deny rules, exceptions or patterns, only exact grants"
                );
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

    fn scope(&mut self, keyword: &Ident) -> Scope {
        let mut scope = Scope::default();
        self.target(keyword, &mut scope);
        if !self.broken {
            self.operations(keyword, &mut scope);
        }
        if keyword == "child_agent"
            && let Some(group) = self.cursor.take_group(Delimiter::Brace)
        {
            let mut block = block(&group);
            self.diagnostics.append(&mut block.diagnostics);
            scope.block = Some(block);
            if self.cursor.is_punct(0, ';') {
                self.cursor.next();
            }
        }
        scope
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
            let word = self.cursor.take_ident();
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
            let found = match self.cursor.peek() {
                Some(TokenTree::Punct(punct)) if matches!(punct.as_char(), '=' | '-') => {
                    "write the arrow `=>`"
                }
                _ => "write what may be done: `=> read`",
            };
            let message = "expected `=>` and operations";
            if let Some(TokenTree::Ident(word)) = self.cursor.peek()
                && PATTERN_WORDS.iter().any(|pattern| word == pattern)
            {
                let (word, span) = (word.to_string(), word.span());
                let message = format!(
                    "`{word}`: there are no deny rules, exceptions or patterns, only exact grants"
                );
                let help =
                    "grant each target with an entry of its own; what is not declared is denied";
                return self.report(Code::A0106, span, message, help);
            }
            return self.report(Code::A0102, arrow, message, found);
        }
        scope.end = Some(arrow);
        loop {
            if self.cursor.is_punct(0, '*') {
                let help = format!(
                    "name each operation: {}",
                    suggest::operations_of(keyword, scope)
                );
                let message = "`*`: there are no patterns, only exact grants";
                return self.report(Code::A0106, self.cursor.span(), message, help);
            }
            if self.at_entry() {
                break;
            }
            let Some(first) = self.cursor.take_ident() else {
                break;
            };
            let mut path = OperationPath {
                segments: vec![first],
                open: false,
            };
            while self.cursor.take_punct('.') {
                match self.cursor.take_ident() {
                    Some(segment) => path.segments.push(segment),
                    None => {
                        path.open = true;
                        let help = format!(
                            "write the rest of the operation: {}",
                            suggest::operations_of(keyword, scope)
                        );
                        self.report(
                            Code::A0110,
                            self.cursor.last_span(),
                            "expected a name after `.`",
                            help,
                        );
                    }
                }
            }
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

    fn credential(&mut self) -> Content {
        let word = self.cursor.take_ident();
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
                    none = self.cursor.take_ident();
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
                word = self.cursor.take_ident();
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
        while let Some(name) = self.cursor.take_ident() {
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
        let verdict = self.cursor.take_ident();
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
                if known {
                    scope = self.scope(keyword);
                }
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
            Some(TokenTree::Ident(word)) if PATTERN_WORDS.iter().any(|pattern| word == pattern) => {
                let message = format!(
                    "`{word}`: there are no deny rules, exceptions or patterns, only exact grants"
                );
                self.report(
                    Code::A0106,
                    span,
                    message,
                    format!("name each target: {example}"),
                );
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
