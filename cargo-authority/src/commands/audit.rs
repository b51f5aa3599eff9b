//! `audit verify` and `audit show`: a chain of receipts.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use authority_core::audit::{
    BadLine, Broken, Code, Content, Entry, Head, Record, Verified, VerifiedLine, Verifier,
};
use authority_core::{Digest, ThreadIdentity};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::arguments::Format;
use crate::error::Error;
use crate::progress::Progress;
use crate::report::json;
use crate::{Verdict, print};

/// `{"ok":…,"records":N,"head":"N:DIGEST",…}`
#[derive(Serialize)]
struct Verification {
    ok: bool,
    /// How many records are good: those before the bad line, when there is one.
    records: u64,
    /// Their end.
    head: String,
    /// What shows that nothing up to it was cut off; `null` without an anchor.
    anchor: Option<String>,
    excludes_a_cut: bool,
    bad_line: Option<Bad>,
    unknown: Vec<Unknown>,
    recovered: Vec<Closed>,
    undecoded: u64,
    /// Seals that were not checked, because that takes the key.
    unchecked_seals: u64,
}

#[derive(Serialize)]
struct Bad {
    line: u64,
    reason: &'static str,
    #[serde(skip)]
    text: String,
}

#[derive(Serialize)]
struct Unknown {
    record: u64,
    operation_id: String,
    owner_id: String,
    workspace_id: String,
    root_run_id: String,
    thread_id: String,
    agent_path: Vec<String>,
    #[serde(skip)]
    thread: String,
}

#[derive(Serialize)]
struct Closed {
    record: u64,
    size: u64,
    sha256: Option<String>,
}

/// `{"record":{…},"seq":N,"sha256":"…"}`
#[derive(Serialize)]
struct Row<'l> {
    record: &'l RawValue,
    seq: u64,
    sha256: String,
}

#[derive(Serialize)]
struct End<'v> {
    verification: &'v Verification,
}

pub(crate) fn verify(file: &Path, anchor: Option<Head>, format: Format) -> Result<Verdict, Error> {
    let verification = read(file, anchor, |_| Ok(()))?;
    match format {
        Format::Json => print(&json::line(&verification)?)?,
        Format::Text => print(&verification.text(file))?,
    }
    Ok(verification.verdict())
}

pub(crate) fn show(file: &Path, format: Format) -> Result<Verdict, Error> {
    let verification = read(file, None, |line| match format {
        Format::Json => {
            let record =
                serde_json::from_str(line.record()).map_err(|error| Error::Output(error.into()))?;
            print(&json::line(&Row {
                record,
                seq: line.head().sequence,
                sha256: line.head().sha256.to_hex(),
            })?)
        }
        Format::Text => print(&row(&line)),
    })?;
    match format {
        Format::Json => print(&json::line(&End {
            verification: &verification,
        })?)?,
        Format::Text => print(&format!("\n{}", verification.text(file)))?,
    }
    Ok(verification.verdict())
}

/// Reads a chain from its file, a part at a time.
fn read(
    file: &Path,
    anchor: Option<Head>,
    mut each: impl FnMut(VerifiedLine<'_>) -> Result<(), Error>,
) -> Result<Verification, Error> {
    let failed = |error| Error::file(file, &error);
    let mut source = File::open(file).map_err(failed)?;
    let mut verifier = Verifier::new();
    if let Some(anchor) = anchor {
        verifier = verifier.with_head(anchor);
    }
    let mut progress = Progress::default();
    let mut unchecked_seals = 0;
    let mut written = Ok(());
    let mut part = vec![0; 1 << 16];
    loop {
        let length = match source.read(&mut part) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            length => length.map_err(failed)?,
        };
        if length == 0 {
            break;
        }
        verifier.push_each(&part[..length], |line| {
            progress.tick("records");
            unchecked_seals += u64::from(line.is_sealed());
            if written.is_ok() {
                written = each(line);
            }
        });
        std::mem::replace(&mut written, Ok(()))?;
    }
    drop(progress);
    Ok(Verification::new(
        &verifier.finish(),
        anchor,
        unchecked_seals,
    ))
}

impl Verification {
    fn new(result: &Result<Verified, Broken>, anchor: Option<Head>, unchecked_seals: u64) -> Self {
        let (verified, bad_line) = match result {
            Ok(verified) => (verified, None),
            Err(broken) => (broken.before(), Some(Bad::of(broken))),
        };
        let unknown = verified.unknown().iter().map(|operation| Unknown {
            record: operation.started,
            operation_id: operation.operation_id.to_string(),
            owner_id: operation.thread.owner_id().to_string(),
            workspace_id: operation.thread.workspace_id().to_string(),
            root_run_id: operation.thread.root_run_id().to_string(),
            thread_id: operation.thread.thread_id().to_string(),
            agent_path: agents(&operation.thread),
            thread: thread(&operation.thread),
        });
        let recovered = verified.recovered().iter().map(|closed| Closed {
            record: closed.sequence,
            size: closed.torn.size(),
            sha256: closed.torn.sha256().map(Digest::to_hex),
        });
        Verification {
            ok: bad_line.is_none(),
            records: verified.head().sequence,
            head: verified.head().to_string(),
            anchor: anchor.map(|anchor| anchor.to_string()),
            excludes_a_cut: verified.excludes_a_cut(),
            bad_line,
            unknown: unknown.collect(),
            recovered: recovered.collect(),
            undecoded: verified.undecoded(),
            unchecked_seals,
        }
    }

    fn verdict(&self) -> Verdict {
        Verdict::finding(!self.ok)
    }

    fn text(&self, file: &Path) -> String {
        let mut out = String::new();
        let Verification { records, head, .. } = self;
        match &self.bad_line {
            Some(Bad { line, text, .. }) => {
                let _ = writeln!(out, "{}:{line}: bad: {text}", file.display());
                let good = counted(*records, "record is good", "records are good");
                let _ = writeln!(out, "before it: {good}, up to {head}");
            }
            None => {
                let good = counted(*records, "record is good", "records are good");
                let _ = writeln!(out, "{}: {good}, up to {head}", file.display());
            }
        }
        match &self.anchor {
            Some(anchor) if self.excludes_a_cut => {
                let _ = writeln!(
                    out,
                    "nothing was changed or cut off up to {anchor}; behind it, a cut at the end of a line cannot be excluded"
                );
            }
            Some(_) => {}
            None => out.push_str(
                "no head was given: a cut at the end of a line cannot be excluded, nor that somebody wrote the file anew\n",
            ),
        }
        if !self.unknown.is_empty() {
            let count = self.unknown.len() as u64;
            let _ = writeln!(
                out,
                "{} and no end; nobody knows whether the effect happened:",
                counted(count, "operation has a start", "operations have a start")
            );
        }
        for operation in &self.unknown {
            let Unknown {
                record,
                operation_id,
                thread,
                ..
            } = operation;
            let _ = writeln!(
                out,
                "  {operation_id}, started in record {record} by {thread}"
            );
        }
        for Closed { record, size, .. } in &self.recovered {
            let _ = writeln!(
                out,
                "before record {record}, {size} bytes are of a line that was cut short"
            );
        }
        if self.undecoded > 0 {
            let records = counted(self.undecoded, "record is", "records are");
            let _ = writeln!(
                out,
                "{records} of a version that is not decoded here: verified by the bytes, operations not followed"
            );
        }
        if self.unchecked_seals > 0 {
            let seals = counted(self.unchecked_seals, "seal was", "seals were");
            let _ = writeln!(out, "{seals} not checked: that takes the key");
        }
        out
    }
}

impl Bad {
    fn of(broken: &Broken) -> Self {
        let text = match broken.reason() {
            BadLine::TailCut => "the chain ends before the head that was given".to_owned(),
            BadLine::Anchor => "the head that was given is of another line".to_owned(),
            reason => reason.to_string(),
        };
        Bad {
            line: broken.line(),
            reason: broken.reason().name(),
            text,
        }
    }
}

/// A record for people. It has no free text: codes, ids, times and numbers only.
fn row(line: &VerifiedLine<'_>) -> String {
    let sequence = line.head().sequence;
    match line.entry() {
        None => format!("{sequence}  of a version that is not decoded here\n"),
        Some(Entry::Recovered(torn)) => format!(
            "{sequence}  recovered  {} bytes of a line that was cut short\n",
            torn.size()
        ),
        Some(Entry::Outcome(record)) => format!("{sequence}  {}\n", outcome(record)),
    }
}

fn outcome(record: &Record) -> String {
    let mut parts = vec![record.at().to_string(), record.code().name().to_owned()];
    if let Some(operation) = record.operation() {
        parts.push(format!("{} {}", operation.kind().name(), operation.name()));
    }
    parts.push(format!("by {}", thread(record.thread())));
    let mut part = |name: &str, value: Option<String>| {
        parts.extend(value.map(|value| format!("{name} {value}")));
    };
    part("operation", record.operation_id().map(ToString::to_string));
    let reasons: Vec<_> = record.reasons().iter().map(Code::as_str).collect();
    part("because", (!reasons.is_empty()).then(|| reasons.join(", ")));
    part(
        "executor says",
        record.executor_code().map(ToString::to_string),
    );
    let reviewer = record.reviewer();
    part(
        "reviewer",
        reviewer.map(|reviewer| format!("{} {}", reviewer.kind().name(), reviewer.id())),
    );
    part("grant", record.grant().map(|grant| grant.id.to_string()));
    part("until", record.expires_at().map(|time| time.to_string()));
    part("path of", record.path().map(bytes));
    part("arguments of", record.arguments().map(bytes));
    part("message of", record.message().map(bytes));
    parts.join("  ")
}

fn bytes(content: Content) -> String {
    counted(content.size(), "byte", "bytes")
}

/// `thread-7 of run-42, reviewer/helper, for alice in checkout`
fn thread(identity: &ThreadIdentity) -> String {
    let mut out = identity.thread_id().to_string();
    if identity.thread_id() != identity.root_run_id() {
        let _ = write!(out, " of {}", identity.root_run_id());
    }
    let agents = agents(identity);
    if !agents.is_empty() {
        let _ = write!(out, ", {}", agents.join("/"));
    }
    let _ = write!(
        out,
        ", for {} in {}",
        identity.owner_id(),
        identity.workspace_id()
    );
    out
}

fn agents(identity: &ThreadIdentity) -> Vec<String> {
    let path = identity.agent_path().iter();
    path.map(ToString::to_string).collect()
}

fn counted(count: u64, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}
