//! A host with strict lints: the expansion must raise none of them.
#![deny(
    warnings,
    missing_docs,
    unused_qualifications,
    unreachable_pub,
    single_use_lifetimes
)]
#![deny(
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    clippy::absolute_paths,
    clippy::allow_attributes
)]
#![forbid(unsafe_code)]

use authority::{Request, RequestError, ThreadPermissions, authority, operations::github};

authority! {
    /// All eight kinds.
    pub mod host {
        /// The repository.
        filesystem "ws" => inspect, list, read, write, delete, execute;
        filesystem "ws" / "Cargo.toml" delegable => read;
        subprocess "git" ["status", r"--porcelain", "a\n*"] in "ws" / "crates" => simulate, execute;
        network "https://api.example.com:443" redirect same_origin => connect, request.safe, request.write;
        github "rust-lang/cargo" => read, pull_request.write;
        browser "https://docs.rs" => navigate, read;
        mcp "docs" => start, list;
        mcp "docs" / "search" => call;
        integration "tracker" @ "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" => invoke;
        credential provider "anthropic" = "anthropic-prod";
        credential mcp "docs" = none;
        tool "search_docs" = mcp "docs" / "search";
        tool "echo" = native;
        environment "CI", "RUST_LOG";
        execution auto;
        budget tokens_per_turn = 8_000, cost_per_session_usd = 2.50;
        rate requests_per_minute = 60;
        limit agents = 8;
        /// Reads.
        child_agent "reviewer" => delegate, message {
            filesystem "ws" / "Cargo.toml" => read;
            github "rust-lang/cargo" => read;
            child_agent "helper" => delegate { github "rust-lang/cargo" => read; }
        }
        expect deny github "rust-lang/cargo" => release.write;
    }

    mod private {
        filesystem "ws" => read;
    }
}

/// Both forms.
#[must_use]
pub fn both() -> [ThreadPermissions; 2] {
    [
        private::PERMISSIONS.clone(),
        authority! { filesystem "ws" => read; child_agent "a" => delegate { filesystem "ws" => read; } },
    ]
}

/// A decision.
///
/// # Errors
///
/// Never: the request is well-formed.
pub fn decides() -> Result<bool, RequestError> {
    let request = Request::github("rust-lang/cargo", github::Read)?;
    Ok(host::PERMISSIONS.decide(&request).is_allowed())
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_works() {
        assert!(super::decides().is_ok_and(|allowed| allowed));
        assert_eq!(super::both().map(|root| root.scopes().count()), [1, 2]);
        assert_eq!(super::host::reviewer::helper::CEILING.scopes().count(), 1);
    }
}
