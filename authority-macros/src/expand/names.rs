//! The names that the user wrote: a table for each body, its entries in source order.
//!
//! A row is an expression such as `kinds::filesystem.whole("ws", kinds::filesystem::read)`. Where a
//! name is missing stands the neutral `__`, at the place where the name would be: so the expansion
//! of a line that is being typed has the same text up to the cursor.
//!
//! Rows are lists of tokens and no streams: a stream lives in the compiler, and each step on one is
//! a call into it.

use authority_syntax::tree::{Body, Content, Entry, OperationPath, Scope, Text};
use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

use crate::expand::own;

/// Entries of an inner table: measured, one long array takes more than linear time to check.
const CHUNK: usize = 256;

/// The tables of a body and of all blocks in it: `T0`, `T1` and so on, in source order.
pub(super) fn tables(facade: &TokenStream, body: &Body) -> TokenStream {
    let mut kinds: Tokens = facade.clone().into_iter().collect();
    push_name(&mut kinds, &own("kinds"));
    let names = Names {
        facade,
        kinds,
        missing: own("__"),
    };
    let mut bodies = Vec::new();
    collect(body, &mut bodies);
    let tables = bodies
        .iter()
        .enumerate()
        .map(|(number, body)| names.table(number, body));
    tables.collect()
}

/// The name of a body's table.
pub(super) fn table_name(number: usize) -> Ident {
    own(&format!("T{number}"))
}

fn collect<'a>(body: &'a Body, bodies: &mut Vec<&'a Body>) {
    bodies.push(body);
    for entry in &body.entries {
        if let Content::Scope(Scope {
            block: Some(block), ..
        }) = &entry.content
        {
            collect(block, bodies);
        }
    }
}

type Tokens = Vec<TokenTree>;

struct Names<'a> {
    facade: &'a TokenStream,
    /// The path of the names.
    kinds: Tokens,
    /// `__`, in place of a name.
    missing: Ident,
}

impl Names<'_> {
    fn table(&self, number: usize, body: &Body) -> TokenStream {
        let facade = self.facade;
        let name = table_name(number);
        let row = tokens! { #facade::__private::EntryRow };
        let mut chunks: Vec<Tokens> = body
            .entries
            .chunks(CHUNK)
            .map(|entries| {
                let mut chunk = Tokens::new();
                for entry in entries {
                    self.entry(entry, &mut chunk);
                    chunk.push(sign(','));
                }
                chunk
            })
            .collect();
        // The end stands in the last chunk, also when that is full.
        let mut end = Tokens::new();
        self.path([&self.missing], &mut end);
        match chunks.last_mut() {
            Some(last) => last.append(&mut end),
            None => chunks.push(end),
        }
        let chunks = chunks
            .into_iter()
            .map(|chunk| group(Delimiter::Bracket, chunk));
        tokens! {
            static #name: &[&[#row]] = &[#( { static R: &[#row] = &#chunks; R } ),*];
        }
    }

    /// The row of an entry.
    fn entry(&self, entry: &Entry, out: &mut Tokens) {
        let keyword = &entry.keyword;
        let mut names = Tokens::new();
        match &entry.content {
            Content::Scope(scope) => return self.scope(keyword, scope, &entry.doc, out),
            Content::Unknown => return self.path([keyword], out),
            Content::Credential {
                word,
                binding,
                none,
                assigned,
                ..
            } => {
                self.word(keyword, word.as_ref(), &mut names);
                if *assigned && binding.is_none() {
                    self.word(keyword, none.as_ref(), &mut names);
                }
            }
            Content::Execution(word) => self.word(keyword, word.as_ref(), &mut names),
            Content::Tool { word, assigned, .. } => {
                if word.is_some() || *assigned {
                    self.word(keyword, word.as_ref(), &mut names);
                }
            }
            Content::Environment { none, .. } => {
                if none.is_some() {
                    self.word(keyword, none.as_ref(), &mut names);
                }
            }
            Content::Settings { settings, open } => {
                for setting in settings {
                    self.word(keyword, Some(&setting.name), &mut names);
                }
                if *open || settings.is_empty() {
                    self.word(keyword, None, &mut names);
                }
            }
            Content::Expect {
                verdict,
                keyword: kind,
                scope,
            } => {
                self.word(keyword, verdict.as_ref(), &mut names);
                match kind {
                    Some(kind) => self.expected(kind, scope, &mut names),
                    None => self.path([&self.missing], &mut names),
                }
            }
        }
        self.path([keyword], out);
        push_call(
            "entry",
            vec![sign('&'), group(Delimiter::Bracket, names)],
            out,
        );
    }

    /// A word that follows a keyword, or what stands in its place, and a comma.
    fn word(&self, keyword: &Ident, word: Option<&Ident>, out: &mut Tokens) {
        let module = in_path(keyword);
        self.path([&module, word.unwrap_or(&self.missing)], out);
        out.push(sign(','));
    }

    /// The kind and the operations of an expectation.
    fn expected(&self, kind: &Ident, scope: &Scope, out: &mut Tokens) {
        let level = level(kind, scope);
        self.path([kind].into_iter().chain(&level), out);
        push_call("name", Tokens::new(), out);
        self.operations(kind, scope, |_, operation| {
            out.push(sign(','));
            out.extend(operation);
            push_call("name", Tokens::new(), out);
        });
    }

    fn scope(&self, keyword: &Ident, scope: &Scope, doc: &str, out: &mut Tokens) {
        let level = level(keyword, scope);
        let (method, mut arguments) = self.target(keyword, scope);
        self.operations(keyword, scope, |is_first, operation| {
            if is_first {
                arguments.extend(operation);
            } else {
                push_call("or", operation, &mut arguments);
            }
        });
        if !doc.is_empty() {
            let mut doc = Literal::string(doc);
            doc.set_span(Span::mixed_site());
            push_call("doc", vec![doc.into()], &mut arguments);
        }
        self.path([keyword].into_iter().chain(&level), out);
        push_call(method, arguments, out);
    }

    /// The method that makes the row, and the target's own literals for it, each with a comma.
    fn target(&self, keyword: &Ident, scope: &Scope) -> (&'static str, Tokens) {
        let second = scope.second.as_ref();
        let mut out = Tokens::new();
        push_text(scope.first.as_ref(), &mut out);
        let method = match keyword.to_string().as_str() {
            "filesystem" => {
                push_text(second, &mut out);
                match (second, &scope.delegable) {
                    (None, _) => "whole",
                    (Some(_), None) => "path",
                    (Some(_), Some(_)) => "delegable",
                }
            }
            "subprocess" => {
                let mut arguments = Tokens::new();
                for argument in scope.arguments.iter().flatten() {
                    push_text(Some(argument), &mut arguments);
                }
                out.extend([sign('&'), group(Delimiter::Bracket, arguments), sign(',')]);
                let (binding, path) = match &scope.directory {
                    Some((binding, path)) => (Some(binding), path.as_ref()),
                    None => (None, None),
                };
                push_text(binding, &mut out);
                push_text(path, &mut out);
                if path.is_some() { "run_below" } else { "run" }
            }
            "network" => {
                let deny = own("deny");
                let policy = match &scope.redirect {
                    None => &deny,
                    Some(word) => word.as_ref().unwrap_or(&self.missing),
                };
                self.path([&own("redirect"), policy], &mut out);
                out.push(sign(','));
                "endpoint"
            }
            "github" => "repository",
            "browser" => "origin",
            "mcp" if second.is_some() => {
                push_text(second, &mut out);
                "tool"
            }
            "mcp" => "server",
            "integration" => {
                push_text(second, &mut out);
                "revision"
            }
            _ => "agent",
        };
        (method, out)
    }

    /// Paths to the operations, and `__` where one is missing. There is at least one; with each
    /// goes whether it is the first.
    fn operations(&self, keyword: &Ident, scope: &Scope, mut add: impl FnMut(bool, Tokens)) {
        let module = in_path(keyword);
        let level = level(keyword, scope);
        let missing = OperationPath {
            segments: Vec::new(),
            open: true,
            broken: false,
        };
        let is_missing = scope.open || scope.operations.is_empty();
        let paths = scope
            .operations
            .iter()
            .chain(is_missing.then_some(&missing));
        for (index, path) in paths.enumerate() {
            let open = path.open.then_some(&self.missing);
            let names = [&module].into_iter().chain(&level).chain(&path.segments);
            let mut operation = Tokens::new();
            self.path(names.chain(open), &mut operation);
            add(index == 0, operation);
        }
    }

    /// A path to one of the names.
    fn path<'n>(&self, names: impl IntoIterator<Item = &'n Ident>, out: &mut Tokens) {
        out.extend_from_slice(&self.kinds);
        for name in names {
            push_name(out, name);
        }
    }
}

/// The level of an `mcp` target: its operations are those of a server or of a tool.
fn level(keyword: &Ident, scope: &Scope) -> Option<Ident> {
    (keyword == "mcp").then(|| {
        own(if scope.second.is_some() {
            "tool"
        } else {
            "server"
        })
    })
}

/// A keyword as the module of the names that may follow it: the user's own token stands once.
fn in_path(keyword: &Ident) -> Ident {
    let mut module = keyword.clone();
    module.set_span(Span::mixed_site());
    module
}

/// `::name`
fn push_name(out: &mut Tokens, name: &Ident) {
    for spacing in [Spacing::Joint, Spacing::Alone] {
        let mut colon = Punct::new(':', spacing);
        colon.set_span(Span::mixed_site());
        out.push(colon.into());
    }
    out.push(name.clone().into());
}

/// `.method(arguments)`
fn push_call(method: &str, arguments: Tokens, out: &mut Tokens) {
    out.extend([
        sign('.'),
        own(method).into(),
        group(Delimiter::Parenthesis, arguments),
    ]);
}

/// The user's own literal and a comma.
fn push_text(text: Option<&Text>, out: &mut Tokens) {
    if let Some(text) = text {
        out.extend([text.token.clone(), sign(',')]);
    }
}

fn sign(character: char) -> TokenTree {
    let mut punct = Punct::new(character, Spacing::Alone);
    punct.set_span(Span::mixed_site());
    punct.into()
}

fn group(delimiter: Delimiter, tokens: Tokens) -> TokenTree {
    let mut group = Group::new(delimiter, tokens.into_iter().collect());
    group.set_span(Span::mixed_site());
    group.into()
}
