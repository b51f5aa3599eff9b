//! A release bot: its root authority, and what it decides about requests from a file.
//!
//! `cargo run --example quickstart [FILE.jsonl]` reads one request a line (by default
//! `examples/requests.jsonl`) and prints for each whether it is allowed, and by which declaration.

use std::error::Error;
use std::path::PathBuf;

use authority::{Decision, Request, authority};

authority! {
    /// What the release bot may do: prepare a release of this repository and open a pull request.
    pub mod release_bot {
        /// The checked-out repository.
        filesystem "ws" => inspect, list, read;
        /// The only file that a release changes by hand.
        filesystem "ws" / "CHANGELOG.md" => write;
        /// Declared so that the reviewer can be given just this.
        filesystem "ws" / "Cargo.toml" delegable => read;
        subprocess "git" ["status", "--porcelain"] in "ws" => execute;
        subprocess "cargo" ["test", "--workspace"] in "ws" => simulate, execute;
        /// Looks up which version is published.
        network "https://index.crates.io:443" => request.safe;
        github "acme/checkout" => read, pull_request.write;
        browser "https://docs.rs" => navigate, read;
        mcp "docs" => start, list;
        mcp "docs" / "search" => call;

        credential provider "anthropic" = "anthropic-prod";
        credential provider "github" = "github-release-bot";
        credential mcp "docs" = none;
        tool "search_docs" = mcp "docs" / "search";
        environment "CI", "RUST_LOG";
        budget tokens_per_session = 200_000, cost_per_session_usd = 2.50, timeout_seconds = 1_800;
        limit agents = 2, depth = 1;

        /// Reads the manifest and comments, never writes.
        child_agent "reviewer" => delegate, message {
            filesystem "ws" / "Cargo.toml" => read;
            github "acme/checkout" => read;
            budget tokens_per_session = 50_000;
            expect deny filesystem "ws" / "CHANGELOG.md" => write;
        }

        expect allow filesystem "ws" / "src/lib.rs" => read;
        expect deny filesystem "ws" / "src/lib.rs" => write;
        expect deny github "acme/checkout" => release.write;
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let root = &release_bot::PERMISSIONS;
    println!(
        "release_bot: {} scopes, ceiling {}\n",
        root.scopes().count(),
        root.ceiling_sha256()
    );

    let file = std::env::args_os().nth(1).map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/requests.jsonl"),
        PathBuf::from,
    );
    let requests = std::fs::read_to_string(&file)?;
    for (number, line) in (1..).zip(requests.lines()) {
        match Request::from_json(line) {
            Ok(request) => println!(
                "{:<5} {request}\n      {}",
                verdict(root.decide(&request)),
                reason(root.decide(&request))
            ),
            Err(error) => println!("deny  request {number} does not decode\n      {error}"),
        }
    }
    Ok(())
}

fn verdict(decision: Decision) -> &'static str {
    if decision.is_allowed() {
        "allow"
    } else {
        "deny"
    }
}

/// The declaration that allowed the request, with its line, or the reason why none did.
fn reason(decision: Decision) -> String {
    match decision {
        Decision::Allow(entry) => match release_bot::PERMISSIONS.scope(entry) {
            Some(scope) => format!(
                "by {scope}, {}:{}",
                scope.origin().file,
                scope.origin().line
            ),
            None => String::new(),
        },
        Decision::Deny(reason) => format!("{reason}: {}", reason.about()),
    }
}
