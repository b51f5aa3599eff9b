//! A declaration becomes Rust tokens.
//!
//! The order is what makes editors work: first the names that the user wrote, each once, as paths to
//! documented items and with the user's own spans; then everything that is computed from them; then
//! the errors. Every other token is at `mixed_site`, so that no lint takes it for the user's code.

/// Quotes at `mixed_site`: what is interpolated keeps its own span.
macro_rules! tokens {
    ($($tokens:tt)*) => { quote::quote_spanned! { proc_macro2::Span::mixed_site()=> $($tokens)* } };
}

mod derived;
mod names;

use authority_core::ThreadPermissions;
use authority_syntax::tree::{Body, Form, Module};
use authority_syntax::{Checked, Diagnostic, docs};
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};

/// Expands a declaration. `facade` is the path of the crate `authority` as the caller has it.
pub(crate) fn expand(facade: &TokenStream, input: TokenStream) -> TokenStream {
    let parsed = authority_syntax::parse(input);
    let mut out = match &parsed.form {
        Form::Body(body) => expression(facade, body),
        Form::Modules(modules) => modules.iter().map(|found| module(facade, found)).collect(),
    };
    out.extend(parsed.diagnostics.iter().map(error));
    out
}

/// `{ names; derived; permissions }`, an expression.
fn expression(facade: &TokenStream, body: &Body) -> TokenStream {
    let checked = authority_syntax::check(body);
    let names = names(facade, body);
    let errors = checked.diagnostics.iter().map(error);
    let permissions = match &checked.permissions {
        Some(permissions) => derived::expression(facade, permissions),
        None => derived::denied_root(facade),
    };
    tokens! { { #names #(#errors)* #permissions } }
}

/// `pub mod name { names; derived; children }`, an item.
fn module(facade: &TokenStream, module: &Module) -> TokenStream {
    let checked = authority_syntax::check(&module.body);
    let Some(name) = &module.name else {
        return checked.diagnostics.iter().map(error).collect();
    };
    let names = names(facade, &module.body);
    let errors = checked.diagnostics.iter().map(error);
    let items = match &checked.permissions {
        Some(permissions) => derived::items(facade, permissions),
        None => derived::denied_items(facade, &module.body),
    };
    let (attributes, visibility) = (&module.attributes, &module.visibility);
    let doc = module_doc(module, &checked);
    tokens! {
        #facade::__private::__module! {
            { #attributes }
            { #visibility mod #name { #names #items #(#errors)* } }
            { #doc }
        }
    }
}

/// The tables of names, which only an editor sees.
fn names(facade: &TokenStream, body: &Body) -> TokenStream {
    let tables = names::tables(facade, body);
    tokens! { #facade::__private::__names! { #tables } }
}

fn module_doc(module: &Module, checked: &Checked) -> TokenStream {
    let mut text = module.body.docs.join("\n");
    if let Some(permissions) = &checked.permissions {
        if !text.is_empty() || !module.attributes.is_empty() {
            text.insert_str(0, "\n\n");
            text.push_str("\n\n");
        }
        text.push_str(&docs::root(ThreadPermissions::declaration(permissions)));
    }
    if text.is_empty() {
        tokens! { #[doc = "A declaration with errors."] }
    } else {
        tokens! { #[doc = #text] }
    }
}

/// The whole call has the user's span, so that rustc shows no note about a macro.
fn error(diagnostic: &Diagnostic) -> TokenStream {
    let message = diagnostic.to_string();
    let call = quote::quote_spanned! { diagnostic.span=> ::core::compile_error! { #message } };
    spanned(call, diagnostic.span)
}

fn spanned(stream: TokenStream, span: Span) -> TokenStream {
    let tokens = stream.into_iter().map(|token| {
        let mut token = match token {
            TokenTree::Group(group) => {
                Group::new(group.delimiter(), spanned(group.stream(), span)).into()
            }
            token => token,
        };
        token.set_span(span);
        token
    });
    tokens.collect()
}

/// A name of the expansion's own.
fn own(name: &str) -> Ident {
    match name.strip_prefix("r#") {
        Some(raw) => Ident::new_raw(raw, Span::mixed_site()),
        None => Ident::new(name, Span::mixed_site()),
    }
}
