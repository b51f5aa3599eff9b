//! Records and entries as JSON: canonical when written, strict when read.

use std::fmt::Write as _;

use crate::Timestamp;
use crate::approval::Reviewer;
use crate::audit::record::GrantReference;
use crate::audit::{Code, Content, Entry, Record, TraceContext};
use crate::canonical::{push_key, push_list};
use crate::digest::{self, Digest};
use crate::id::Id;
use crate::json::{self, DecodeError, DecodeRule, Reader, members};
use crate::ledger::Amounts;
use crate::mac::MacKey;
use crate::money::MicroDollars;
use crate::policy::ThreadIdentity;
use crate::vocabulary::{Boundary, Kind, Operation, OutcomeCode, ReviewerKind};

/// The version of the records that are written.
pub(crate) const WRITTEN_VERSION: u64 = 1;

/// The versions that are decoded. Lines with records of others are verified by their bytes.
pub(crate) const READ_VERSIONS: &[u64] = &[1];

impl Record {
    /// The record as canonical JSON, with plain digests of contents. What is not known is left out.
    pub fn to_json(&self) -> String {
        let mut json = String::new();
        self.push_json(&mut json, None);
        json
    }

    /// Appends the record. With a key, HMACs stand in place of the plain digests of contents.
    pub(super) fn push_json(&self, out: &mut String, key: Option<&MacKey>) {
        let keyed = |content: Option<Content>| match key {
            Some(key) => content.map(|content| content.keyed(key)),
            None => content,
        };
        out.push('{');
        push_content(out, "arguments", keyed(self.arguments));
        push_time(out, "at", Some(self.at));
        push_word(out, "boundary", self.boundary.map(Boundary::name));
        push_word(out, "code", Some(self.code.name()));
        let executor_code = self.executor_code.as_ref();
        push_word(out, "executor_code", executor_code.map(Code::as_str));
        push_time(out, "expires_at", self.expires_at);
        if let Some(grant) = &self.grant {
            push_key(out, "grant");
            out.push('{');
            push_word(out, "id", Some(grant.id.as_str()));
            push_digest(out, "sha256", Some(grant.sha256));
            out.push('}');
        }
        push_digest(out, "holder_sha256", self.holder_sha256);
        let kind = self.operation.map(|operation| operation.kind().name());
        push_word(out, "kind", kind);
        push_content(out, "message", keyed(self.message));
        push_word(out, "operation", self.operation.map(Operation::name));
        let operation_id = self.operation_id.as_ref();
        push_word(out, "operation_id", operation_id.map(Id::as_str));
        push_content(out, "path", keyed(self.path));
        push_digest(out, "permissions_sha256", self.permissions_sha256);
        push_digest(out, "preview_sha256", self.preview_sha256);
        if !self.reasons.is_empty() {
            push_key(out, "reasons");
            push_list(out, &self.reasons, |out, code| {
                push_quoted(out, code.as_str());
            });
        }
        push_digest(out, "request_sha256", self.request_sha256);
        push_amounts(out, "reserved", self.reserved);
        if let Some(reviewer) = &self.reviewer {
            push_key(out, "reviewer");
            out.push('{');
            push_word(out, "id", Some(reviewer.id().as_str()));
            push_word(out, "kind", Some(reviewer.kind().name()));
            out.push('}');
        }
        push_digest(out, "scope_sha256", self.scope_sha256);
        push_thread(out, &self.thread);
        if let Some(trace) = self.trace {
            push_key(out, "trace");
            out.push('{');
            push_hex(out, "span_id", &trace.span_id());
            push_hex(out, "trace_id", &trace.trace_id());
            out.push('}');
        }
        push_amounts(out, "used", self.used);
        push_version(out);
        out.push('}');
    }

    /// Decodes a record: one of version 1, with known members only.
    ///
    /// # Errors
    ///
    /// The first error in document order. Nothing is coerced, repaired or ignored.
    pub fn from_json(json: &str) -> Result<Self, DecodeError> {
        match Entry::from_json(json)? {
            Entry::Outcome(record) => Ok(*record),
            Entry::Recovered(_) => Err(DecodeError::new(
                DecodeRule::Not("a record of an outcome"),
                0,
            )),
        }
    }
}

impl Entry {
    /// Decodes what stands in a line: a record, or the note of a torn line that was closed.
    ///
    /// # Errors
    ///
    /// The first error in document order. Nothing is coerced, repaired or ignored.
    pub fn from_json(json: &str) -> Result<Self, DecodeError> {
        json::decode(json, Entry::decode)
    }

    pub(super) fn push_json(&self, out: &mut String) {
        match self {
            Entry::Outcome(record) => record.push_json(out, None),
            Entry::Recovered(torn) => {
                out.push('{');
                push_word(out, "code", Some(RECOVERED));
                push_content(out, "torn", Some(*torn));
                push_version(out);
                out.push('}');
            }
        }
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut parts = Parts::default();
        reader.object(|reader, key| parts.read(reader, key))?;
        parts.entry(reader)
    }
}

/// The code of the note of a torn line.
const RECOVERED: &str = "recovered";

members! {
    enum Key {
        Arguments "arguments",
        At "at",
        Boundary "boundary",
        Code "code",
        ExecutorCode "executor_code",
        ExpiresAt "expires_at",
        Grant "grant",
        HolderSha256 "holder_sha256",
        Kind "kind",
        Message "message",
        Operation "operation",
        OperationId "operation_id",
        Path "path",
        PermissionsSha256 "permissions_sha256",
        PreviewSha256 "preview_sha256",
        Reasons "reasons",
        RequestSha256 "request_sha256",
        Reserved "reserved",
        Reviewer "reviewer",
        ScopeSha256 "scope_sha256",
        Thread "thread",
        Torn "torn",
        Trace "trace",
        Used "used",
        Version "version",
    }
}

/// What was read of an entry.
#[derive(Default)]
struct Parts {
    arguments: Option<Content>,
    at: Option<Timestamp>,
    boundary: Option<Boundary>,
    code: Option<EntryCode>,
    executor_code: Option<Code>,
    expires_at: Option<Timestamp>,
    grant: Option<GrantReference>,
    holder_sha256: Option<Digest>,
    kind: Option<&'static str>,
    message: Option<Content>,
    operation: Option<(usize, String)>,
    operation_id: Option<Id<'static>>,
    path: Option<Content>,
    permissions_sha256: Option<Digest>,
    preview_sha256: Option<Digest>,
    reasons: Vec<Code>,
    request_sha256: Option<Digest>,
    reserved: Option<Amounts>,
    reviewer: Option<Reviewer>,
    scope_sha256: Option<Digest>,
    thread: Option<ThreadIdentity>,
    torn: Option<Content>,
    trace: Option<TraceContext>,
    used: Option<Amounts>,
    has_version: bool,
    /// A member that only a record of an outcome has.
    outcome_member: Option<&'static str>,
}

#[derive(Clone, Copy)]
enum EntryCode {
    Outcome(OutcomeCode),
    Recovered,
}

impl Parts {
    fn read(&mut self, reader: &mut Reader<'_>, key: Key) -> Result<(), DecodeError> {
        use crate::json::Member as _;
        if !matches!(key, Key::Code | Key::Torn | Key::Version) {
            self.outcome_member.get_or_insert(key.name());
        }
        match key {
            Key::Arguments => self.arguments = Some(Content::decode(reader)?),
            Key::At => self.at = Some(time(reader)?),
            Key::Boundary => {
                let names = Boundary::ALL.iter().map(|boundary| boundary.name());
                self.boundary = Some(reader.word(Boundary::from_name, names)?);
            }
            Key::Code => self.code = Some(entry_code(reader)?),
            Key::ExecutorCode => self.executor_code = Some(code(reader)?),
            Key::ExpiresAt => self.expires_at = Some(time(reader)?),
            Key::Grant => self.grant = Some(grant(reader)?),
            Key::HolderSha256 => self.holder_sha256 = Some(reader.text()?),
            Key::Kind => {
                let names = || Kind::all().map(Kind::name);
                let known = |word: &str| names().find(|name| *name == word);
                self.kind = Some(reader.word(known, names())?);
            }
            Key::Message => self.message = Some(Content::decode(reader)?),
            Key::Operation => {
                self.operation = Some((reader.start(), reader.string()?.into_owned()));
            }
            Key::OperationId => self.operation_id = Some(id(reader)?),
            Key::Path => self.path = Some(Content::decode(reader)?),
            Key::PermissionsSha256 => self.permissions_sha256 = Some(reader.text()?),
            Key::PreviewSha256 => self.preview_sha256 = Some(reader.text()?),
            Key::Reasons => {
                let start = reader.start();
                reader.list(|reader, _| {
                    self.reasons.push(code(reader)?);
                    Ok(())
                })?;
                if self.reasons.is_empty() {
                    return Err(DecodeError::new(DecodeRule::Empty, start));
                }
            }
            Key::RequestSha256 => self.request_sha256 = Some(reader.text()?),
            Key::Reserved => self.reserved = Some(amounts(reader)?),
            Key::Reviewer => self.reviewer = Some(reviewer(reader)?),
            Key::ScopeSha256 => self.scope_sha256 = Some(reader.text()?),
            Key::Thread => self.thread = Some(thread(reader)?),
            Key::Torn => self.torn = Some(Content::decode(reader)?),
            Key::Trace => self.trace = Some(trace(reader)?),
            Key::Used => self.used = Some(amounts(reader)?),
            Key::Version => {
                reader.version(WRITTEN_VERSION)?;
                self.has_version = true;
            }
        }
        Ok(())
    }

    fn entry(self, reader: &Reader<'_>) -> Result<Entry, DecodeError> {
        let missing = |key: &'static str| reader.error(DecodeRule::MissingKey(key));
        if !self.has_version {
            return Err(missing("version"));
        }
        let code = match self.code.ok_or_else(|| missing("code"))? {
            EntryCode::Outcome(code) => code,
            EntryCode::Recovered => {
                if let Some(key) = self.outcome_member {
                    return Err(reader.error(DecodeRule::NeedlessKey(key)));
                }
                return self
                    .torn
                    .map(Entry::Recovered)
                    .ok_or_else(|| missing("torn"));
            }
        };
        if self.torn.is_some() {
            return Err(reader.error(DecodeRule::NeedlessKey("torn")));
        }
        let operation = match (self.kind, self.operation) {
            (None, None) => None,
            (None, Some(_)) => return Err(missing("kind")),
            (Some(_), None) => return Err(missing("operation")),
            (Some(kind), Some((start, name))) => Some(operation(kind, &name, start)?),
        };
        Ok(Entry::Outcome(Box::new(Record {
            code,
            thread: self.thread.ok_or_else(|| missing("thread"))?,
            at: self.at.ok_or_else(|| missing("at"))?,
            reasons: self.reasons,
            operation_id: self.operation_id,
            operation,
            scope_sha256: self.scope_sha256,
            permissions_sha256: self.permissions_sha256,
            holder_sha256: self.holder_sha256,
            request_sha256: self.request_sha256,
            preview_sha256: self.preview_sha256,
            grant: self.grant,
            boundary: self.boundary,
            reviewer: self.reviewer,
            reserved: self.reserved,
            used: self.used,
            expires_at: self.expires_at,
            executor_code: self.executor_code,
            message: self.message,
            path: self.path,
            arguments: self.arguments,
            trace: self.trace,
        })))
    }
}

/// Appends a text that has nothing to escape: an id, a word, a time or digits.
fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    out.push_str(text);
    out.push('"');
}

pub(super) fn push_word(out: &mut String, key: &'static str, word: Option<&str>) {
    if let Some(word) = word {
        push_key(out, key);
        push_quoted(out, word);
    }
}

pub(super) fn push_hex(out: &mut String, key: &'static str, bytes: &[u8]) {
    push_key(out, key);
    out.push('"');
    digest::push_hex(bytes, out);
    out.push('"');
}

fn push_digest(out: &mut String, key: &'static str, digest: Option<Digest>) {
    if let Some(digest) = digest {
        push_hex(out, key, digest.as_bytes());
    }
}

fn push_content(out: &mut String, key: &'static str, content: Option<Content>) {
    if let Some(content) = content {
        push_key(out, key);
        content.push_json(out);
    }
}

fn push_time(out: &mut String, key: &'static str, time: Option<Timestamp>) {
    if let Some(time) = time {
        push_key(out, key);
        // Writing to a string does not fail.
        let _ = write!(out, "\"{time}\"");
    }
}

pub(super) fn push_number(out: &mut String, number: u64) {
    let _ = write!(out, "{number}");
}

fn push_amounts(out: &mut String, key: &'static str, amounts: Option<Amounts>) {
    let Some(amounts) = amounts else { return };
    push_key(out, key);
    out.push('{');
    for (key, number) in [
        ("cost_micro_usd", amounts.cost().micros()),
        ("requests", amounts.requests().into()),
        ("tokens", amounts.tokens()),
        ("tool_calls", amounts.tool_calls().into()),
    ] {
        push_key(out, key);
        push_number(out, number);
    }
    out.push('}');
}

fn push_thread(out: &mut String, thread: &ThreadIdentity) {
    push_key(out, "thread");
    out.push('{');
    push_key(out, "agent_path");
    push_list(out, thread.agent_path(), |out, agent| {
        push_quoted(out, agent.as_str());
    });
    push_word(out, "owner_id", Some(thread.owner_id().as_str()));
    push_word(out, "root_run_id", Some(thread.root_run_id().as_str()));
    push_word(out, "thread_id", Some(thread.thread_id().as_str()));
    push_word(out, "workspace_id", Some(thread.workspace_id().as_str()));
    out.push('}');
}

fn push_version(out: &mut String) {
    push_key(out, "version");
    push_number(out, WRITTEN_VERSION);
}

fn entry_code(reader: &mut Reader<'_>) -> Result<EntryCode, DecodeError> {
    let known = |word: &str| match word {
        RECOVERED => Some(EntryCode::Recovered),
        _ => OutcomeCode::from_name(word).map(EntryCode::Outcome),
    };
    let names = OutcomeCode::ALL.iter().map(|code| code.name());
    reader.word(known, names.chain([RECOVERED]))
}

fn code(reader: &mut Reader<'_>) -> Result<Code, DecodeError> {
    let start = reader.start();
    let text = reader.string()?;
    Code::decode(&text).map_err(|rule| DecodeError::new(rule, start))
}

fn id(reader: &mut Reader<'_>) -> Result<Id<'static>, DecodeError> {
    Ok(reader.text::<Id<'_>>()?.into_owned())
}

fn time(reader: &mut Reader<'_>) -> Result<Timestamp, DecodeError> {
    let start = reader.start();
    let text = reader.string()?;
    Timestamp::parse(&text)
        .map_err(|_| DecodeError::new(DecodeRule::Not("a time as RFC 3339 writes it"), start))
}

/// The operation of a kind's name, which two kinds have: the levels of `mcp`.
fn operation(kind: &str, name: &str, start: usize) -> Result<Operation, DecodeError> {
    let operations = || {
        let kinds = Kind::all().filter(|known| known.name() == kind);
        kinds.flat_map(Kind::operations)
    };
    operations()
        .find(|operation| operation.name() == name)
        .ok_or_else(|| {
            let nearest = crate::suggest::nearest(name, operations().map(Operation::name));
            DecodeError::new(DecodeRule::UnknownWord { nearest }, start).inside("operation")
        })
}

/// An object all of whose members must be there.
macro_rules! object {
    ($reader:ident $Key:ident { $( $Member:ident $member:ident $name:literal $read:expr, )* } $made:expr) => {{
        members! { enum $Key { $( $Member $name, )* } }
        $( let mut $member = None; )*
        $reader.object(|reader, key| {
            match key { $( $Key::$Member => $member = Some($read(reader)?), )* }
            Ok(())
        })?;
        $(
            let Some($member) = $member else {
                return Err($reader.error(DecodeRule::MissingKey($name)));
            };
        )*
        Ok($made)
    }};
}

fn grant(reader: &mut Reader<'_>) -> Result<GrantReference, DecodeError> {
    object!(reader GrantKey {
        Id grant_id "id" id,
        Sha256 sha256 "sha256" Reader::text,
    } GrantReference { id: grant_id, sha256 })
}

fn reviewer(reader: &mut Reader<'_>) -> Result<Reviewer, DecodeError> {
    let kind = |reader: &mut Reader<'_>| {
        let names = ReviewerKind::ALL.iter().map(|kind| kind.name());
        reader.word(ReviewerKind::from_name, names)
    };
    object!(reader ReviewerKey {
        Id reviewer_id "id" id,
        Kind reviewer_kind "kind" kind,
    } Reviewer::new(reviewer_kind, reviewer_id))
}

fn amounts(reader: &mut Reader<'_>) -> Result<Amounts, DecodeError> {
    let long = |reader: &mut Reader<'_>| reader.integer(0..=u64::MAX);
    let short = |reader: &mut Reader<'_>| {
        let number = reader.integer(0..=u32::MAX.into())?;
        Ok(u32::try_from(number).unwrap_or(u32::MAX))
    };
    object!(reader AmountsKey {
        Cost cost "cost_micro_usd" long,
        Requests requests "requests" short,
        Tokens tokens "tokens" long,
        ToolCalls tool_calls "tool_calls" short,
    } Amounts::NONE
        .with_cost(MicroDollars::new(cost))
        .with_requests(requests)
        .with_tokens(tokens)
        .with_tool_calls(tool_calls))
}

fn thread(reader: &mut Reader<'_>) -> Result<ThreadIdentity, DecodeError> {
    let ids = |reader: &mut Reader<'_>| {
        let mut ids = Vec::new();
        reader.list(|reader, _| {
            ids.push(id(reader)?);
            Ok(())
        })?;
        Ok(ids)
    };
    object!(reader ThreadKey {
        AgentPath agent_path "agent_path" ids,
        OwnerId owner "owner_id" id,
        RootRunId run "root_run_id" id,
        ThreadId thread "thread_id" id,
        WorkspaceId workspace "workspace_id" id,
    } ThreadIdentity::recorded([owner, workspace, run, thread], agent_path))
}

fn trace(reader: &mut Reader<'_>) -> Result<TraceContext, DecodeError> {
    let start = reader.start();
    let made = object!(reader TraceKey {
        SpanId span_id "span_id" Reader::string,
        TraceId trace_id "trace_id" Reader::string,
    } TraceContext::parse(&trace_id, &span_id));
    made?.ok_or_else(|| DecodeError::new(DecodeRule::Not("a trace id and a span id"), start))
}
