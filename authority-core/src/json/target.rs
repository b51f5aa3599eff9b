//! The wire form of targets (schema version 1), decoded: those of declarations and of requests.

use std::borrow::Cow;

use crate::digest::Digest;
use crate::id::{Id, ToolName};
use crate::json::{DecodeError, DecodeRule, Member, Reader, members};
use crate::rule::{Rule, TextError};
use crate::target::{
    BrowserTarget, ChildAgentTarget, Endpoint, FilesystemTarget, IntegrationTarget, McpTarget,
    NetworkTarget, Origin, RelativePath, Repository, SubprocessTarget, Target,
};
use crate::vocabulary::{KINDS, Kind, Protocol, RedirectPolicy};

members! {
    /// The keys of all kinds of targets, those of requests among them. No key has another type in
    /// another kind.
    pub(crate) enum Key {
        AgentId "agent_id",
        Argv "argv",
        ArgvSha256 "argv_sha256",
        Cwd "cwd",
        CwdSha256 "cwd_sha256",
        Executable "executable",
        Host "host",
        IntegrationId "integration_id",
        Kind "kind",
        Origin "origin",
        ParentCeilingSha256 "parent_ceiling_sha256",
        Port "port",
        Protocol "protocol",
        Recursive "recursive",
        RedirectPolicy "redirect_policy",
        RelativePath "relative_path",
        Repository "repository",
        RevisionSha256 "revision_sha256",
        RootId "root_id",
        ServerId "server_id",
        ThreadId "thread_id",
        ToolName "tool_name",
        Url "url",
    }
}

/// Whether a target is a declared one, canonical or refused, or that of a request.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(crate) enum Form {
    Declared,
    Request,
}

/// The members of a target as they are read, whatever its kind: `kind` may stand last.
#[derive(Default)]
pub(crate) struct Parts<'a> {
    /// Bits of the keys that were there.
    pub(crate) seen: u32,
    /// The kind by its name; of the two that are `mcp` the server.
    kind: Option<Kind>,
    agent: Option<Id<'a>>,
    pub(crate) argv: Option<Digest>,
    pub(crate) cwd: Option<Digest>,
    executable: Option<Id<'a>>,
    /// With the byte at which it stands.
    host: Option<(Cow<'a, str>, usize)>,
    /// In place of host, port and protocol.
    pub(crate) endpoint: Option<Endpoint<'a>>,
    integration: Option<Id<'a>>,
    pub(crate) origin: Option<Origin<'a>>,
    parent_ceiling: Option<Digest>,
    port: Option<u16>,
    protocol: Option<Protocol>,
    recursive: Option<bool>,
    pub(crate) redirect: Option<RedirectPolicy>,
    path: Option<WholeOrPath<'a>>,
    repository: Option<Repository<'a>>,
    revision: Option<Digest>,
    binding: Option<Id<'a>>,
    server: Option<Id<'a>>,
    tool: Option<ToolName<'a>>,
}

/// Reads a text that a request may spell otherwise.
macro_rules! requested {
    ($reader:ident, $Text:ident) => {{
        let start = $reader.start();
        match $reader.string()? {
            Cow::Borrowed(text) => $Text::from_request(text),
            Cow::Owned(text) => $Text::from_request(&text).map($Text::into_owned),
        }
        .map_err(|error| DecodeError::new(error.rule().into(), start))?
    }};
}

/// What `relative_path` says: `.`, or a path.
pub(crate) struct WholeOrPath<'a>(pub(crate) Option<RelativePath<'a>>);

impl<'a> WholeOrPath<'a> {
    pub(crate) fn decode(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let before = reader.clone();
        if reader.string()? == "." {
            return Ok(WholeOrPath(None));
        }
        *reader = before;
        reader.text().map(Some).map(WholeOrPath)
    }
}

impl<'a> Target<'a> {
    /// Decodes a declared target.
    pub(crate) fn decode(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let mut parts = Parts::default();
        reader.object(|reader, key| parts.read(reader, key, Form::Declared))?;
        let kind = parts.kind(reader)?;
        parts.target(reader, kind, Form::Declared)
    }
}

impl<'a> Parts<'a> {
    /// Reads the value of one key.
    pub(crate) fn read(
        &mut self,
        reader: &mut Reader<'a>,
        key: Key,
        form: Form,
    ) -> Result<(), DecodeError> {
        self.seen |= key.bit();
        match key {
            // Keys of requests, which read them themselves: no declared target has them.
            Key::Argv | Key::Cwd | Key::ThreadId | Key::Url => reader.skip()?,
            Key::AgentId => self.agent = Some(reader.text()?),
            Key::ArgvSha256 => self.argv = Some(reader.text()?),
            Key::CwdSha256 => self.cwd = Some(reader.text()?),
            Key::Executable => self.executable = Some(reader.text()?),
            Key::Host => {
                let start = reader.start();
                self.host = Some((reader.string()?, start));
            }
            Key::IntegrationId => self.integration = Some(reader.text()?),
            Key::Kind => self.kind = Some(decode_kind(reader)?),
            Key::Origin => {
                self.origin = Some(match form {
                    Form::Declared => reader.text()?,
                    Form::Request => requested!(reader, Origin),
                });
            }
            Key::ParentCeilingSha256 => self.parent_ceiling = Some(reader.text()?),
            Key::Port => {
                let port = reader.integer(1..=u64::from(u16::MAX))?;
                self.port = u16::try_from(port).ok();
            }
            Key::Protocol => {
                let names = Protocol::ALL.iter().map(|protocol| protocol.name());
                self.protocol = Some(reader.word(Protocol::from_name, names)?);
            }
            Key::Recursive => self.recursive = Some(reader.boolean()?),
            Key::RedirectPolicy => {
                let names = RedirectPolicy::ALL.iter().map(|policy| policy.name());
                self.redirect = Some(reader.word(RedirectPolicy::from_name, names)?);
            }
            Key::RelativePath => self.path = Some(WholeOrPath::decode(reader)?),
            Key::Repository => {
                self.repository = Some(match form {
                    Form::Declared => reader.text()?,
                    Form::Request => requested!(reader, Repository),
                });
            }
            Key::RevisionSha256 => self.revision = Some(reader.text()?),
            Key::RootId => self.binding = Some(reader.text()?),
            Key::ServerId => self.server = Some(reader.text()?),
            Key::ToolName => self.tool = reader.nullable(Reader::text)?,
        }
        Ok(())
    }

    /// The kind by its name, which every target has.
    pub(crate) fn kind(&self, reader: &Reader<'_>) -> Result<Kind, DecodeError> {
        self.kind.ok_or_else(|| missing(reader, Key::Kind))
    }

    /// The target, when it has all keys of its kind and no other.
    pub(crate) fn target(
        self,
        reader: &Reader<'_>,
        kind: Kind,
        form: Form,
    ) -> Result<Target<'a>, DecodeError> {
        let need = |key| move || missing(reader, key);
        match kind {
            Kind::Filesystem => {
                self.only(
                    reader,
                    kind,
                    &[Key::Recursive, Key::RelativePath, Key::RootId],
                )?;
                let WholeOrPath(path) = self.path.ok_or_else(need(Key::RelativePath))?;
                match (self.recursive, form) {
                    (None, Form::Declared) => return Err(missing(reader, Key::Recursive)),
                    (Some(recursive), _) if recursive != path.is_none() => {
                        let rule = DecodeRule::Not(
                            "`true` for the whole binding `.` and `false` for a path",
                        );
                        return Err(reader.error(rule).inside(Key::Recursive.name()));
                    }
                    _ => {}
                }
                let binding = self.binding.ok_or_else(need(Key::RootId))?;
                Ok(Target::Filesystem(FilesystemTarget { binding, path }))
            }
            Kind::Subprocess => {
                self.only(
                    reader,
                    kind,
                    &[Key::ArgvSha256, Key::CwdSha256, Key::Executable],
                )?;
                Ok(Target::Subprocess(SubprocessTarget {
                    argv_sha256: self.argv.ok_or_else(need(Key::ArgvSha256))?,
                    cwd_sha256: self.cwd.ok_or_else(need(Key::CwdSha256))?,
                    executable: self.executable.ok_or_else(need(Key::Executable))?,
                }))
            }
            Kind::Network => {
                let keys = [Key::Host, Key::Port, Key::Protocol, Key::RedirectPolicy];
                self.only(reader, kind, &keys)?;
                let endpoint = if let Some(endpoint) = self.endpoint {
                    endpoint
                } else {
                    let (host, start) = self.host.ok_or_else(need(Key::Host))?;
                    let port = self.port.ok_or_else(need(Key::Port))?;
                    let protocol = self.protocol.ok_or_else(need(Key::Protocol))?;
                    endpoint(protocol, &host, port, form).map_err(|error| {
                        DecodeError::new(error.rule().into(), start).inside(Key::Host.name())
                    })?
                };
                let redirect = self.redirect.ok_or_else(need(Key::RedirectPolicy))?;
                Ok(Target::Network(NetworkTarget { endpoint, redirect }))
            }
            Kind::Github => {
                self.only(reader, kind, &[Key::Repository])?;
                let repository = self.repository.ok_or_else(need(Key::Repository))?;
                Ok(Target::Github(repository))
            }
            Kind::Browser => {
                self.only(reader, kind, &[Key::Origin])?;
                let origin = self.origin.ok_or_else(need(Key::Origin))?;
                Ok(Target::Browser(BrowserTarget { origin }))
            }
            Kind::McpServer | Kind::McpTool => {
                self.only(reader, kind, &[Key::ServerId, Key::ToolName])?;
                let server = self.server.ok_or_else(need(Key::ServerId))?;
                if self.seen & Key::ToolName.bit() == 0 {
                    return Err(missing(reader, Key::ToolName));
                }
                Ok(Target::Mcp(McpTarget {
                    server,
                    tool: self.tool,
                }))
            }
            Kind::Integration => {
                self.only(reader, kind, &[Key::IntegrationId, Key::RevisionSha256])?;
                Ok(Target::Integration(IntegrationTarget {
                    integration: self.integration.ok_or_else(need(Key::IntegrationId))?,
                    revision_sha256: self.revision.ok_or_else(need(Key::RevisionSha256))?,
                }))
            }
            Kind::ChildAgent => {
                self.only(reader, kind, &[Key::AgentId, Key::ParentCeilingSha256])?;
                Ok(Target::ChildAgent(ChildAgentTarget {
                    agent: self.agent.ok_or_else(need(Key::AgentId))?,
                    parent_ceiling_sha256: self
                        .parent_ceiling
                        .ok_or_else(need(Key::ParentCeilingSha256))?,
                }))
            }
        }
    }

    /// Puts a key of a request in the place of those that are computed from it.
    pub(crate) fn replace(
        &mut self,
        reader: &Reader<'_>,
        key: Key,
        instead: &[Key],
    ) -> Result<(), DecodeError> {
        for other in instead {
            if self.seen & key.bit() != 0 && self.seen & other.bit() != 0 {
                let rule = DecodeRule::ExclusiveKeys(key.name(), other.name());
                return Err(reader.error(rule));
            }
        }
        self.seen &= !key.bit();
        Ok(())
    }

    /// Refuses the keys of other kinds.
    fn only(&self, reader: &Reader<'_>, kind: Kind, keys: &[Key]) -> Result<(), DecodeError> {
        let own = keys
            .iter()
            .fold(Key::Kind.bit(), |own, key| own | key.bit());
        let foreign = self.seen & !own;
        match Key::NAMES.get(foreign.trailing_zeros() as usize) {
            Some(key) => Err(reader.error(DecodeRule::ForeignKey { key, kind })),
            None => Ok(()),
        }
    }
}

/// A kind by its name; of the two that are `mcp` the server.
fn decode_kind(reader: &mut Reader<'_>) -> Result<Kind, DecodeError> {
    let kind_named = |name: &str| {
        KINDS
            .iter()
            .find(|row| row.name == name)
            .map(|row| row.kind)
    };
    reader.word(kind_named, KINDS.iter().map(|row| row.name))
}

/// The endpoint with this host, an IPv6 address without brackets.
fn endpoint<'a>(
    protocol: Protocol,
    host: &Cow<'a, str>,
    port: u16,
    form: Form,
) -> Result<Endpoint<'a>, TextError> {
    if let Cow::Borrowed(host) = *host
        && let Some(endpoint) = Endpoint::of_canonical(protocol, host, port)
    {
        return Ok(endpoint);
    }
    if host.contains(['[', ']']) {
        return Err(TextError::new(
            Rule::Host,
            "an IPv6 host stands without brackets on the wire",
            "leave the brackets out",
        ));
    }
    let text = if host.contains(':') {
        format!("{protocol}://[{host}]:{port}")
    } else {
        format!("{protocol}://{host}:{port}")
    };
    match form {
        Form::Declared => Endpoint::parse(&text).map(Endpoint::into_owned),
        Form::Request => Endpoint::from_request(&text).map(Endpoint::into_owned),
    }
}

fn missing(reader: &Reader<'_>, key: Key) -> DecodeError {
    reader.error(DecodeRule::MissingKey(key.name()))
}
