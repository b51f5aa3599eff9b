//! Declarations: any text that lexes is parsed and checked without a panic, and what is accepted
//! prints to text that is accepted and means the same.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(tokens) = text.parse::<proc_macro2::TokenStream>() else { return };
    authority_syntax::fuzz(tokens);
});
