//! The names that the user wrote: a table for each body, its entries in source order.
//!
//! A row is an expression such as `kinds::filesystem.entry(&[kinds::filesystem::read,])`. Where a
//! name is missing stands the neutral `__`, at the place where the name would be: so the expansion
//! of a line that is being typed has the same text up to the cursor.
//!
//! Rows are lists of tokens and no streams: a stream lives in the compiler, and each step on one is
//! a call into it.

use authority_syntax::tree::{Body, Content, Entry, Scope};
use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};

use crate::expand::own;

/// The tables of a body and of all blocks in it, in source order.
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
    bodies.iter().map(|body| names.table(body)).collect()
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
    fn table(&self, body: &Body) -> TokenStream {
        let facade = self.facade;
        let mut rows = Tokens::new();
        for entry in &body.entries {
            self.entry(entry, &mut rows);
            rows.push(sign(','));
        }
        self.path([&self.missing], &mut rows);
        let rows = group(Delimiter::Bracket, rows);
        tokens! { const _: &[#facade::__private::Name] = &#rows; }
    }

    /// The row of an entry.
    fn entry(&self, entry: &Entry, out: &mut Tokens) {
        let keyword = &entry.keyword;
        let mut names = Tokens::new();
        match &entry.content {
            Content::Scope(scope) => return self.scope(keyword, scope, out),
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
        push_entry(names, out);
    }

    /// A word that follows a keyword, or what stands in its place, and a comma.
    fn word(&self, keyword: &Ident, word: Option<&Ident>, out: &mut Tokens) {
        let module = in_path(keyword);
        self.path([&module, word.unwrap_or(&self.missing)], out);
        out.push(sign(','));
    }

    /// The kind and the operations of an expectation.
    fn expected(&self, kind: &Ident, scope: &Scope, out: &mut Tokens) {
        self.path([kind].into_iter().chain(&level(kind, scope)), out);
        out.push(sign(','));
        self.operations(kind, scope, out);
    }

    fn scope(&self, keyword: &Ident, scope: &Scope, out: &mut Tokens) {
        let mut names = Tokens::new();
        if let Some(policy) = &scope.redirect {
            self.word(&own("redirect"), policy.as_ref(), &mut names);
        }
        self.operations(keyword, scope, &mut names);
        self.path([keyword].into_iter().chain(&level(keyword, scope)), out);
        push_entry(names, out);
    }

    /// Paths to the operations, `__` where one is missing, each with a comma.
    fn operations(&self, keyword: &Ident, scope: &Scope, out: &mut Tokens) {
        let module = in_path(keyword);
        let level = level(keyword, scope);
        let mut push = |segments: &[Ident], is_open: bool| {
            let names = [&module].into_iter().chain(&level).chain(segments);
            self.path(names.chain(is_open.then_some(&self.missing)), out);
            out.push(sign(','));
        };
        for operation in &scope.operations {
            push(&operation.segments, operation.open);
        }
        if scope.open || scope.operations.is_empty() {
            push(&[], true);
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

/// `.entry(&[names])`
fn push_entry(names: Tokens, out: &mut Tokens) {
    let names = vec![sign('&'), group(Delimiter::Bracket, names)];
    out.extend([
        sign('.'),
        own("entry").into(),
        group(Delimiter::Parenthesis, names),
    ]);
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
