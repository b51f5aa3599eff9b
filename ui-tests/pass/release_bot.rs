//! The declaration of the design, in item form, built again in host code.
#![deny(warnings, missing_docs)]

use authority::operations::{
    browser, child_agent, filesystem, github, integration, mcp_server, mcp_tool, network, subprocess,
};
use authority::{ExecutionMode, RedirectPolicy, Setting, ThreadPermissions, authority};

authority! {
    /// What the release bot may do.
    pub mod release_bot {
        /// The checked-out repository.
        filesystem "ws" => list, read, write;
        filesystem "ws" / "Cargo.toml" delegable => read;
        subprocess "git" ["status", "--porcelain"] in "ws" => execute;
        network "https://api.example.com:443" redirect same_origin => request.safe;
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
        execution sandboxed;
        budget tokens_per_turn = 8_000, tokens_per_session = 200_000, tool_calls_per_turn = 16,
               cost_per_session_usd = 2.50, timeout_seconds = 600;
        rate requests_per_minute = 60, tokens_per_minute = 100_000;
        limit active_skills = 4, concurrent_tools = 2, agents = 8, depth = 3;

        /// Reads and comments, never writes.
        child_agent "reviewer" => delegate, message {
            filesystem "ws" / "Cargo.toml" => read;
            github "rust-lang/cargo" => read;
            budget tokens_per_session = 50_000;
            expect deny filesystem "ws" / "src/lib.rs" => read;
        }

        expect allow filesystem "ws" / "src/lib.rs" => read;
        expect deny github "rust-lang/cargo" => release.write;
    }
}

fn built() -> ThreadPermissions {
    ThreadPermissions::builder()
        .filesystem("ws", [filesystem::List, filesystem::Read, filesystem::Write])
        .filesystem_path("ws", "Cargo.toml", [filesystem::Read])
        .subprocess("git", &["status", "--porcelain"], "ws", None, [subprocess::Execute])
        .network("https://api.example.com:443", RedirectPolicy::SameOrigin, [network::RequestSafe])
        .github("rust-lang/cargo", [github::Read, github::PullRequestWrite])
        .browser("https://docs.rs", [browser::Navigate, browser::Read])
        .mcp_server("docs", [mcp_server::Start, mcp_server::List])
        .mcp_tool("docs", "search", [mcp_tool::Call])
        .integration(
            "tracker",
            "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            [integration::Invoke],
        )
        .provider("anthropic", Some("anthropic-prod"))
        .server("docs", None)
        .tool("search_docs", "docs", "search")
        .native_tool("echo")
        .environment("CI")
        .environment("RUST_LOG")
        .execution(ExecutionMode::Sandboxed)
        .limit(Setting::TokensPerTurn, 8_000)
        .limit(Setting::TokensPerSession, 200_000)
        .limit(Setting::ToolCallsPerTurn, 16)
        .limit(Setting::CostPerSessionUsd, 2_500_000)
        .limit(Setting::TimeoutSeconds, 600)
        .limit(Setting::RequestsPerMinute, 60)
        .limit(Setting::TokensPerMinute, 100_000)
        .limit(Setting::ActiveSkills, 4)
        .limit(Setting::ConcurrentTools, 2)
        .limit(Setting::Agents, 8)
        .limit(Setting::Depth, 3)
        .child(
            "reviewer",
            [child_agent::Delegate, child_agent::Message],
            ThreadPermissions::builder()
                .filesystem_path("ws", "Cargo.toml", [filesystem::Read])
                .github("rust-lang/cargo", [github::Read])
                .limit(Setting::TokensPerSession, 50_000),
        )
        .build()
        .expect("the same declaration")
}

fn main() {
    let built = built();
    let declared = &release_bot::PERMISSIONS;
    assert_eq!(declared.to_json(), built.to_json());
    assert_eq!(*declared, built);
    assert_eq!(declared.ceiling_sha256(), release_bot::CEILING_SHA256);
    assert_eq!(declared.declaration_sha256(), release_bot::DECLARATION_SHA256);
    assert_eq!(
        release_bot::CEILING_SHA256.to_hex(),
        "cdb96cc80fb79b730ad38a75a4e85b1e6e263beda0baf643af69b4ecf6051419",
    );
    let reviewer = declared.scopes().last().expect("the reviewer's scope");
    assert_eq!(
        reviewer.sha256().to_hex(),
        "5fc6acc598fd69db958128cbda83f7f4cc44f04ef33e25139f32f7e06579e842",
    );
    assert_eq!(reviewer.origin().doc, "Reads and comments, never writes.");
    assert_eq!(Some(&release_bot::reviewer::CEILING), built.child("reviewer"));
    assert_eq!(release_bot::reviewer::CEILING_SHA256, built.child("reviewer").expect("declared").ceiling_sha256());
    for (from_macro, from_builder) in declared.scopes().zip(built.scopes()) {
        assert_eq!(from_macro.to_scope(), from_builder.to_scope());
        assert_eq!(from_macro.sha256(), from_macro.to_scope().sha256());
        assert_eq!(from_macro.sha256(), from_builder.sha256());
    }
}
