//! The procedural macro behind `authority!`. Use the crate `authority`, whose macro forwards its
//! tokens here with the path of that crate in front.

#[cfg(test)]
mod contract;
mod expand;
#[cfg(test)]
mod size;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Expands `[path of the facade] declaration`.
#[doc(hidden)]
#[proc_macro]
pub fn authority(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand(input.into()).into()
}

fn expand(input: TokenStream) -> TokenStream {
    let mut tokens = input.into_iter();
    match tokens.next() {
        Some(TokenTree::Group(facade)) if facade.delimiter() == Delimiter::Bracket => {
            expand::expand(&facade.stream(), tokens.collect())
        }
        _ => quote::quote!(
            ::core::compile_error! { "use the macro `authority!` of the crate `authority`" }
        ),
    }
}
