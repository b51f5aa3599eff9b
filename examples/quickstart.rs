//! A release bot: its root authority, what it decides about requests from a file, and what its
//! children keep of it.
//!
//! `cargo run --example quickstart [FILE.jsonl]` reads one request a line (by default
//! `examples/requests.jsonl`) and prints for each whether it is allowed, and by which declaration.
//! Then it makes children from two artifacts and from the declared block, charges a budget, and
//! revokes. Last it asks whether it may write a file: at the terminal, or for scripts by
//! `--answer allow-once` or `--answer deny`.

#[path = "quickstart/approval.rs"]
mod approval;

use std::error::Error;
use std::path::{Path, PathBuf};

use authority::operations::filesystem;
use authority::{
    Amounts, Artifact, Decision, Ledger, ManualClock, MemoryLedger, Request, Revocation,
    RootHandle, Scope, ThreadIdentity, ThreadPolicy, authority,
};

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
    let (file, answer) = arguments()?;
    let root = &release_bot::PERMISSIONS;
    println!(
        "release_bot: {} scopes, ceiling {}\n",
        root.scopes().count(),
        root.ceiling_sha256()
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
    children(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/artifacts"))?;
    approval::write_changelog(answer.as_deref())
}

/// The file of requests, and the answer of `--answer`.
fn arguments() -> Result<(PathBuf, Option<String>), String> {
    let mut file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/requests.jsonl");
    let mut answer = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument != "--answer" {
            file = PathBuf::from(argument);
            continue;
        }
        answer = arguments.next();
        if !matches!(answer.as_deref(), Some("allow-once" | "deny")) {
            return Err("`--answer` takes `allow-once` or `deny`".into());
        }
    }
    Ok((file, answer))
}

/// Children hold frozen subsets: from artifacts, which can only restrict, and from declared blocks.
fn children(artifacts: &Path) -> Result<(), Box<dyn Error>> {
    let identity = ThreadIdentity::root("alice", "acme-checkout", "run-42")?;
    let (handle, root) = ThreadPolicy::for_root(identity, &release_bot::PERMISSIONS);
    let write = Request::filesystem("ws", "CHANGELOG.md", filesystem::Write)?;

    for (number, name) in ["changelog-writer", "offline-reader"].iter().enumerate() {
        let artifact = Artifact::from_json(&std::fs::read_to_string(
            artifacts.join(format!("{name}.json")),
        )?)?;
        let child = root
            .intersect(&artifact, &format!("thread-{number}"))?
            .start_by_host(&handle)?;
        println!("\n{name}: {}", child.explain_difference(&root));
        println!("{name} asks for {write}\n  {}", child.explain(&write));
        if *name == "changelog-writer" {
            budget(&handle, &root, &child)?;
        }
    }

    let reviewer = root
        .delegate(&release_bot::reviewer::CEILING, "thread-7")?
        .start_by_host(&handle)?;
    println!(
        "\nreviewer: {} scopes\nreviewer asks for {write}\n  {}",
        reviewer.scopes().len(),
        reviewer.explain(&write)
    );

    // Whatever is decided after this is denied, in every thread, and nothing gives it back.
    let scope = Scope::from_json(
        r#"{"operations":["write"],"schema_version":1,
            "target":{"kind":"filesystem","recursive":false,"relative_path":"CHANGELOG.md","root_id":"ws"}}"#,
    )?;
    handle.revoke(&Revocation::Scope(scope));
    println!(
        "\nrevoked: the root asks for {write}\n  {}",
        root.explain(&write)
    );
    Ok(())
}

/// A child's use is charged to it and to all above it. A host passes in its own clock.
fn budget(
    handle: &RootHandle,
    root: &ThreadPolicy,
    child: &ThreadPolicy,
) -> Result<(), Box<dyn Error>> {
    let ledger = MemoryLedger::new(handle, ManualClock::new());
    ledger.begin_turn(root)?;
    ledger.begin_turn(child)?;
    ledger
        .reserve(child, Amounts::tool_call())?
        .commit(Amounts::tool_call())?;
    match ledger.reserve(child, Amounts::tool_call()) {
        Ok(_) => println!("a second tool call fits"),
        Err(denial) => println!("a second tool call in this turn: {denial}"),
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
