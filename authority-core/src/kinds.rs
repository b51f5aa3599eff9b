//! The keywords and operations of a declaration as items, so that editors complete, explain, find
//! and rename them inside `authority!`.
//!
//! Every entry keyword is an item here, and what may follow it is an item in the module of the same
//! name: `kinds::github::pull_request::write`. The neutral `__` stands where a name is missing.
#![allow(non_upper_case_globals)]

use crate::declared::Name;

pub use crate::vocabulary::names::{
    browser, child_agent, filesystem, github, integration, network, subprocess,
};
pub use crate::vocabulary::setting_names::{budget, limit, rate};

/// In place of a name, and the end of a table.
#[doc(hidden)]
pub const __: Name = Name;

/// An MCP server, or one of its tools: two levels with operations of their own.
pub mod mcp {
    pub use crate::vocabulary::names::{mcp_server as server, mcp_tool as tool};
}

macro_rules! keywords {
    ($( $(#[$doc:meta])* $keyword:ident { $( $(#[$word_doc:meta])* $word:ident )* } )*) => { $(
        $(#[$doc])*
        pub const $keyword: Name = Name;
        $(#[$doc])*
        pub mod $keyword {
            use crate::declared::Name;

            #[doc(hidden)]
            pub const __: Name = Name;
            $(
                $(#[$word_doc])*
                pub const $word: Name = Name;
            )*
        }
    )* };
}

keywords! {
    /// Which credential is used for a provider or an MCP server.
    credential {
        /// A provider of models or of a service.
        provider
        /// An MCP server.
        mcp
        /// No credential at all: nothing is inherited.
        none
    }
    /// What a tool id stands for.
    tool {
        /// A tool of the host itself.
        native
        /// A tool of an MCP server.
        mcp
        /// No tool at all: nothing is inherited.
        none
    }
    /// The environment entries that processes get, and no others.
    environment {
        /// No environment entry at all: nothing is inherited.
        none
    }
    /// How processes run.
    execution {
        /// On the host.
        direct
        /// In a sandbox where the executor can, else on the host.
        auto
        /// In a sandbox, never otherwise. This is the default.
        sandboxed
    }
    /// What happens to an HTTP redirect: the word after `redirect`.
    redirect {
        /// A 3xx response is the result.
        deny
        /// A hop to the same scheme, host and port may be submitted as a new request.
        same_origin
    }
    /// An expectation, decided while compiling.
    expect {
        /// The operations are allowed.
        allow
        /// The operations are denied.
        deny
    }
}
