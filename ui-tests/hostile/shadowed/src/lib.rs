//! A host without a prelude, which has taken the names that a careless expansion would use.
#![no_implicit_prelude]
#![deny(warnings)]

/// Not the crate.
pub mod core {}
/// Not the crate.
pub mod std {}
/// Not the crate.
pub mod alloc {}
/// Nor a module of the expansion's own.
pub mod authority_names {}
/// Nor one of the names of kinds.
pub mod kinds {}

/// Not the type.
pub struct Option;
/// Not the variant.
pub struct Some;
/// Not the variant.
pub struct None;
/// Not the type.
pub struct Result;
/// Not the variant.
pub struct Ok;
/// Not the type.
pub struct ThreadPermissions;
/// Not the primitive type.
#[allow(non_camel_case_types)]
pub struct u8;
/// Not the primitive type.
#[allow(non_camel_case_types)]
pub struct str;
/// Names that the expansion has for its own tables.
pub static T0: () = ();
/// The same.
pub static R: () = ();

/// Macros of the host that have the names of the library's.
#[allow(unused_macros)]
macro_rules! file {
    () => { not an expression };
}
#[allow(unused_macros)]
macro_rules! compile_error {
    () => { not an expression };
}

::authority::authority! {
    pub mod host {
        filesystem "ws" => read, write;
        filesystem "ws" / "Cargo.toml" delegable => read;
        subprocess "git" ["status"] in "ws" / "crates" => execute;
        network "https://api.example.com:443" redirect same_origin => request.safe;
        github "rust-lang/cargo" => read, pull_request.write;
        browser "https://docs.rs" => navigate;
        mcp "docs" => start;
        mcp "docs" / "search" => call;
        integration "tracker" @ "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" => invoke;
        credential provider "anthropic" = "anthropic-prod";
        credential mcp "docs" = none;
        tool "echo" = native;
        tool "search" = mcp "docs" / "search";
        environment "CI";
        execution direct;
        budget tokens_per_turn = 1, cost_per_session_usd = 0.5;
        rate requests_per_minute = 1;
        limit agents = 1;
        child_agent "core" => delegate { filesystem "ws" => read; environment none; }
        child_agent "Some" => delegate { filesystem "ws" => write; }
        child_agent "T0" => delegate { filesystem "ws" => write; }
        expect deny filesystem "ws" / "a" => delete;
    }
}

/// The expression form in the same place.
pub fn root() -> ::authority::ThreadPermissions {
    ::authority::authority! {
        filesystem "ws" => read;
        child_agent "core" => delegate { filesystem "ws" => read; }
    }
}

/// Modules in a function.
pub fn inner() -> ::authority::Digest {
    ::authority::authority! {
        mod host {
            filesystem "ws" => read;
            child_agent "core" => delegate { filesystem "ws" => read; }
        }
    }
    let _ = host::core::CEILING_SHA256;
    let _ = &host::core::CEILING;
    let _ = (
        &host::PERMISSIONS,
        host::core::DECLARATION_SHA256,
        host::DECLARATION_SHA256,
    );
    host::CEILING_SHA256
}
