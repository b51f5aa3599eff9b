//! The last part of the quickstart: a question, a permit, a run and its receipts.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use authority::audit::{Code, verify};
use authority::operations::filesystem;
use authority::vocabulary::Boundary;
use authority::{
    Amounts, Answer, ApprovalPolicy, AuditFile, BindingResolver, BoundDirectory, Capabilities,
    Digest, Effect, Gate, Outcome, Permit, Previous, Question, Redeemer, Request, RequiredBinding,
    ResolvedBinding, Review, ReviewError, Reviewer, RootOptions, SystemClock, TerminalReviewer,
    ThreadIdentity, ThreadPolicy,
};

use crate::release_bot;

const WRITE_FAILED: Code = Code::new("write_failed").unwrap();

/// Writes the changelog, if the reviewer allows it: a person at the terminal, or for scripts what
/// `--answer` says.
pub(crate) fn write_changelog(answer: Option<&str>) -> Result<(), Box<dyn Error>> {
    let directory = std::env::temp_dir().join(format!("quickstart-{}", std::process::id()));
    fs::create_dir_all(&directory)?;
    let written = write_changelog_in(&directory, answer);
    fs::remove_dir_all(&directory)?;
    written
}

fn write_changelog_in(directory: &Path, answer: Option<&str>) -> Result<(), Box<dyn Error>> {
    let old = b"# Changelog\n";
    fs::write(directory.join("CHANGELOG.md"), old)?;

    // The host resolves what the declaration names. All that is missing is named at once.
    let host = Host(directory.to_owned());
    let revisions = release_bot::PERMISSIONS.check_bindings(&host)?;
    let identity = ThreadIdentity::root("alice", "acme-checkout", "run-43")?;
    let options = RootOptions::default().revisions(revisions);
    let (handle, root) = ThreadPolicy::for_root_with(identity, &release_bot::PERMISSIONS, options);

    let receipts = directory.join("audit.jsonl");
    let rules = ApprovalPolicy::ask_on_writes(Reviewer::human("alice")?);
    let gate = Gate::builder(&handle, rules, SystemClock::new()).audit(AuditFile::open(&receipts)?);
    let gate = match answer {
        Some(answer) => gate.reviewer(Scripted(answer.to_owned())).build()?,
        None => gate.reviewer(TerminalReviewer::new()).build()?,
    };
    gate.ledger().begin_turn(&root)?;
    let files = Files {
        redeemer: gate.redeemer(),
        directory: directory.to_owned(),
    };

    let new = b"# Changelog\n\n## 1.0.1\n";
    let request = Request::filesystem("ws", "CHANGELOG.md", filesystem::Write)?;
    let effect = Effect::write_file(new.as_slice(), Previous::digest_of(old.as_slice()));
    println!("\nthe gate: {request}");
    match gate.authorize(&root, &request, &effect, Amounts::tool_call()) {
        Ok(permit) => {
            files.write(permit, &request, &effect, new)?;
            let written = fs::read(directory.join("CHANGELOG.md"))?;
            println!("  allowed, and {} bytes written", written.len());
        }
        Err(denied) => println!("  {}: {}", denied.reason().name(), denied.explain()),
    }

    let verified = verify(&fs::read(&receipts)?)?;
    println!(
        "  {} receipts verified, {} without an end",
        verified.head().sequence,
        verified.unknown().len()
    );
    Ok(())
}

/// An executor: it writes nothing without a permit, and redeems that for what it really writes.
struct Files {
    redeemer: Redeemer,
    directory: PathBuf,
}

impl Files {
    fn write(
        &self,
        permit: Permit,
        request: &Request<'_>,
        effect: &Effect<'_>,
        content: &[u8],
    ) -> Result<(), Box<dyn Error>> {
        let own = Capabilities::new(Boundary::EnforcedByHarness);
        let running = self
            .redeemer
            .redeem(permit, request, effect, own)
            .map_err(|denied| denied.explain())?;
        // The target comes in its parts: there is no path to parse again.
        let authority::Target::Filesystem(target) = running.target() else {
            return Err("the permit is for no file".into());
        };
        let mut file = self.directory.clone();
        file.extend(target.path.iter().flat_map(|path| path.as_str().split('/')));
        let written = fs::write(file, content);
        let outcome = match &written {
            Ok(()) => Outcome::Completed,
            Err(error) => Outcome::failed(WRITE_FAILED, &error.to_string()),
        };
        running.finish(outcome, Amounts::tool_call())?;
        Ok(written?)
    }
}

/// What the ids of the declaration stand for on this machine.
struct Host(PathBuf);

impl BindingResolver for Host {
    fn resolve(&self, binding: &RequiredBinding) -> Option<ResolvedBinding> {
        let directory = matches!(binding, RequiredBinding::Filesystem(_)).then(|| BoundDirectory {
            host: self.0.clone(),
            guest: PathBuf::from("/workspace"),
        });
        Some(ResolvedBinding {
            // A real host takes the digest of what it resolved: of a file, a configuration, a key's id.
            revision_sha256: Digest::of(binding.to_string().as_bytes()),
            directory,
        })
    }
}

/// Answers what `--answer` says.
struct Scripted(String);

impl Review for Scripted {
    fn review(&self, question: &Question) -> Result<Answer, ReviewError> {
        println!("{}", indented(&question.render()));
        let by = question.reviewer();
        match self.0.as_str() {
            "allow-once" => Ok(question.allow_once(by)),
            "deny" => Ok(question.deny(by)),
            _ => Err(ReviewError::Unavailable),
        }
    }
}

fn indented(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(|line| format!("  | {line}")).collect();
    lines.join("\n")
}
