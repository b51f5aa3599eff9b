//! The names that the user wrote: a table for each body, its entries in source order.
//!
//! A row is an expression such as `kinds::filesystem.whole("ws", kinds::filesystem::read)`. Where a
//! name is missing stands the neutral `__`, at the place where the name would be: so the expansion
//! of a line that is being typed has the same text up to the cursor.

use authority_syntax::tree::{Body, Content, Entry, OperationPath, Scope, Text};
use proc_macro2::{Ident, TokenStream, TokenTree};

use crate::expand::own;

/// Entries of an inner table: measured, one long array takes more than linear time to check.
const CHUNK: usize = 256;

/// The tables of a body and of all blocks in it: `T0`, `T1` and so on, in source order.
pub(super) fn tables(facade: &TokenStream, body: &Body) -> TokenStream {
    let names = Names { facade };
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

struct Names<'a> {
    facade: &'a TokenStream,
}

impl Names<'_> {
    fn table(&self, number: usize, body: &Body) -> TokenStream {
        let facade = self.facade;
        let name = table_name(number);
        let end = tokens! { #facade::kinds::__ };
        let rows: Vec<_> = body.entries.iter().map(|entry| self.entry(entry)).collect();
        let mut chunks: Vec<_> = rows.chunks(CHUNK).map(<[TokenStream]>::to_vec).collect();
        // The end stands in the last chunk, also when that is full.
        match chunks.last_mut() {
            Some(last) => last.push(end),
            None => chunks.push(vec![end]),
        }
        let row = tokens! { #facade::__private::EntryRow };
        tokens! {
            static #name: &[&[#row]] = &[#( { static R: &[#row] = &[#(#chunks),*]; R } ),*];
        }
    }

    fn entry(&self, entry: &Entry) -> TokenStream {
        let facade = self.facade;
        let keyword = &entry.keyword;
        match &entry.content {
            Content::Scope(scope) => self.scope(keyword, scope, &entry.doc),
            Content::Credential {
                word,
                binding,
                none,
                assigned,
                ..
            } => {
                let word = self.word(keyword, word.as_ref());
                let none =
                    (*assigned && binding.is_none()).then(|| self.word(keyword, none.as_ref()));
                let none = none.map(|none| tokens! { , #none });
                tokens! { #facade::kinds::#keyword.entry(&[#word #none]) }
            }
            Content::Execution(word) => {
                let word = self.word(keyword, word.as_ref());
                tokens! { #facade::kinds::#keyword.entry(&[#word]) }
            }
            Content::Tool { word, assigned, .. } => {
                let word = (word.is_some() || *assigned).then(|| self.word(keyword, word.as_ref()));
                tokens! { #facade::kinds::#keyword.entry(&[#word]) }
            }
            Content::Environment { none, .. } => {
                let none = none.as_ref().map(|none| self.word(keyword, Some(none)));
                tokens! { #facade::kinds::#keyword.entry(&[#none]) }
            }
            Content::Settings { settings, open } => {
                let mut names: Vec<_> = settings
                    .iter()
                    .map(|setting| self.word(keyword, Some(&setting.name)))
                    .collect();
                if *open || names.is_empty() {
                    names.push(self.word(keyword, None));
                }
                tokens! { #facade::kinds::#keyword.entry(&[#(#names),*]) }
            }
            Content::Expect {
                verdict,
                keyword: kind,
                scope,
            } => {
                let verdict = self.word(keyword, verdict.as_ref());
                let kind_name = match kind {
                    Some(kind) => {
                        let level = level(kind, scope);
                        tokens! { #facade::kinds::#kind #level.name() }
                    }
                    None => tokens! { #facade::kinds::__ },
                };
                let operations = kind.as_ref().map(|kind| {
                    let operations = self.operations(kind, scope);
                    tokens! { #(, #operations.name())* }
                });
                tokens! { #facade::kinds::#keyword.entry(&[#verdict, #kind_name #operations]) }
            }
            Content::Unknown => tokens! { #facade::kinds::#keyword },
        }
    }

    /// A word that follows a keyword, or what stands in its place.
    fn word(&self, keyword: &Ident, word: Option<&Ident>) -> TokenStream {
        let facade = self.facade;
        let module = own(&keyword.to_string());
        match word {
            Some(word) => tokens! { #facade::kinds::#module::#word },
            None => tokens! { #facade::kinds::#module::__ },
        }
    }

    fn scope(&self, keyword: &Ident, scope: &Scope, doc: &str) -> TokenStream {
        let facade = self.facade;
        let level = level(keyword, scope);
        let (method, arguments) = self.target(keyword, scope);
        let mut operations = self.operations(keyword, scope).into_iter();
        let first = operations.next();
        let doc = (!doc.is_empty()).then(|| tokens! { .doc(#doc) });
        tokens! {
            #facade::kinds::#keyword #level.#method(#arguments #first #(.or(#operations))* #doc)
        }
    }

    /// The method that makes the row, and the target's own literals for it.
    fn target(&self, keyword: &Ident, scope: &Scope) -> (Ident, TokenStream) {
        let facade = self.facade;
        let first = scope.first.as_ref().map(literal);
        let second = scope.second.as_ref().map(literal);
        let (method, arguments) = match keyword.to_string().as_str() {
            "filesystem" => match (&second, &scope.delegable) {
                (None, _) => ("whole", tokens! { #first, }),
                (Some(path), None) => ("path", tokens! { #first, #path, }),
                (Some(path), Some(_)) => ("delegable", tokens! { #first, #path, }),
            },
            "subprocess" => {
                let arguments = scope
                    .arguments
                    .iter()
                    .flatten()
                    .map(|argument| &argument.token);
                let arguments = tokens! { &[#(#arguments),*] };
                match &scope.directory {
                    Some((binding, Some(path))) => {
                        let (binding, path) = (literal(binding), literal(path));
                        (
                            "run_below",
                            tokens! { #first, #arguments, #binding, #path, },
                        )
                    }
                    directory => {
                        let binding = directory.as_ref().map(|(binding, _)| literal(binding));
                        ("run", tokens! { #first, #arguments, #binding, })
                    }
                }
            }
            "network" => {
                let deny = own("deny");
                let redirect = match &scope.redirect {
                    None => tokens! { #deny },
                    Some(Some(word)) => tokens! { #word },
                    Some(None) => tokens! { __ },
                };
                (
                    "endpoint",
                    tokens! { #first, #facade::kinds::redirect::#redirect, },
                )
            }
            "github" => ("repository", tokens! { #first, }),
            "browser" => ("origin", tokens! { #first, }),
            "mcp" if second.is_some() => ("tool", tokens! { #first, #second, }),
            "mcp" => ("server", tokens! { #first, }),
            "integration" => ("revision", tokens! { #first, #second, }),
            _ => ("agent", tokens! { #first, }),
        };
        (own(method), arguments)
    }

    /// Paths to the operations, and `__` where one is missing. Never empty.
    fn operations(&self, keyword: &Ident, scope: &Scope) -> Vec<TokenStream> {
        let facade = self.facade;
        let module = own(&keyword.to_string());
        let level = level(keyword, scope);
        let path = |operation: &OperationPath| {
            let segments = &operation.segments;
            let open = operation.open.then(|| tokens! { ::__ });
            tokens! { #facade::kinds::#module #level #(::#segments)* #open }
        };
        let mut operations: Vec<_> = scope.operations.iter().map(path).collect();
        if scope.open || operations.is_empty() {
            operations.push(tokens! { #facade::kinds::#module #level::__ });
        }
        operations
    }
}

/// The level of an `mcp` target: its operations are those of a server or of a tool.
fn level(keyword: &Ident, scope: &Scope) -> Option<TokenStream> {
    (keyword == "mcp").then(|| {
        let level = own(if scope.second.is_some() {
            "tool"
        } else {
            "server"
        });
        tokens! { ::#level }
    })
}

fn literal(text: &Text) -> &TokenTree {
    &text.token
}
