//! A host without a prelude, which has taken the names that a careless expansion would use.
#![no_implicit_prelude]
#![deny(warnings)]

/// Not the crate.
pub mod core {}
/// Not the crate.
pub mod std {}
/// Not the crate.
pub mod alloc {}

/// Not the type.
pub struct Option;
/// Not the variant.
pub struct Some;
/// Not the variant.
pub struct None;
/// Not the type.
pub struct Result;
/// Not the type.
pub struct ThreadPermissions;

::authority::authority! {
    pub mod host {
        filesystem "ws" => read, write;
        credential provider "anthropic" = "anthropic-prod";
        tool "echo" = native;
        environment "CI";
        budget tokens_per_turn = 1;
        child_agent "core" => delegate { filesystem "ws" => read; environment none; }
        child_agent "Some" => delegate { filesystem "ws" => write; }
    }
}

/// The expression form in the same place.
pub fn root() -> ::authority::ThreadPermissions {
    ::authority::authority! { filesystem "ws" => read; }
}
