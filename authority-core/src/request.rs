//! Requests: what a thread wants to do now.

use std::borrow::Cow;

use crate::declaration::json::{Value, digest_of, object, text};
use crate::declaration::key::HashedTarget;
use crate::digest::Digest;
use crate::id::{Id, ToolName};
use crate::json::target::{Form, Key as TargetKey, Parts, WholeOrPath};
use crate::json::{self, DecodeError, DecodeRule, Member, Reader, canonical, members};
use crate::operation_set::OperationSet;
use crate::rule::{Rule, TextError};
use crate::scope::Scope;
use crate::suggest;
use crate::target::{
    BrowserTarget, ChildAgentTarget, Endpoint, FilesystemTarget, IntegrationTarget, McpTarget,
    NetworkTarget, Origin, RelativePath, Repository, SubprocessTarget, Target, WorkingDirectory,
    argv_sha256, check_argument,
};
use crate::tool::McpToolBinding;
use crate::vocabulary::{Kind, Operation, RedirectPolicy, operations};

/// One operation on one target, and what the target itself does not hold.
///
/// Only here may a text be given in another spelling than the canonical one: the case of hosts and
/// repositories, a default port, a Unicode host name, the form of an IPv6 address, a whole URL.
///
/// ```
/// use authority_core::{Request, operations::filesystem};
///
/// let request = Request::filesystem("ws", "CHANGELOG.md", filesystem::Write)?;
/// let same = Request::from_json(
///     r#"{"operation":"write",
///         "target":{"kind":"filesystem","root_id":"ws","relative_path":"CHANGELOG.md"}}"#,
/// )?;
/// assert_eq!(request, same);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Eq, Hash, PartialEq)]
pub struct Request<'a> {
    target: HashedTarget<'a>,
    operation: Operation,
    /// What few requests have, so that the others are small.
    extra: Option<Box<Extra<'a>>>,
}

#[derive(Clone, Default, Eq, Hash, PartialEq)]
struct Extra<'a> {
    detail: Detail<'a>,
    credential: Option<Id<'a>>,
    file: Option<FilesystemTarget<'a>>,
}

/// Arguments that a subprocess may have.
const MAX_ARGUMENTS: usize = 1_024;

/// What the target holds only as a digest, or not at all.
#[derive(Clone, Default, Eq, Hash, PartialEq)]
enum Detail<'a> {
    #[default]
    None,
    Run(Vec<Cow<'a, str>>, WorkingDirectory<'a>),
    #[cfg(feature = "url")]
    Url(String),
    Thread(Id<'a>),
}

/// Why a request cannot be built.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum RequestError {
    /// A text breaks a rule.
    #[error("{field}: {error}")]
    Text {
        /// The part of the request.
        field: &'static str,
        /// The rule that is broken, and what to write instead.
        error: TextError,
    },
    /// The operation belongs to another kind than the target.
    #[error("`{operation}` is an operation of `{}`, not of `{kind}`", operation.kind())]
    OtherKind {
        /// The operation.
        operation: Operation,
        /// The kind of the target.
        kind: Kind,
    },
    /// The operation needs a part that is not there: `file` or `thread_id`.
    #[error("`{operation}` needs a `{part}`")]
    Missing {
        /// The operation.
        operation: Operation,
        /// The part.
        part: &'static str,
    },
    /// A part is there that the operation has no use for: `file` or `thread_id`.
    #[error("`{operation}` takes no `{part}`")]
    Needless {
        /// The operation.
        operation: Operation,
        /// The part.
        part: &'static str,
    },
}

impl Operation {
    /// What a browser's upload or download does with its file.
    pub(crate) fn on_its_file(self) -> Operation {
        if self == operations::browser::Upload.into() {
            operations::filesystem::Read.into()
        } else {
            operations::filesystem::Write.into()
        }
    }
}

impl<'a> Request<'a> {
    /// A request for an operation that needs nothing but the target.
    ///
    /// # Errors
    ///
    /// When the operation is not of the target's kind, or needs a file or a thread.
    pub fn new(target: Target<'a>, operation: impl Into<Operation>) -> Result<Self, RequestError> {
        Request::build(target, operation.into(), Detail::None, None)
    }

    /// A path in a filesystem binding, or `.`: the binding's own directory. Only a scope of the
    /// whole binding covers that, and nothing allows to write, delete or execute it.
    ///
    /// # Errors
    ///
    /// When a text breaks a rule.
    pub fn filesystem(
        binding: &'a str,
        path: &'a str,
        operation: operations::filesystem::Operation,
    ) -> Result<Self, RequestError> {
        Request::new(
            Target::Filesystem(filesystem_target(binding, path)?),
            operation,
        )
    }

    /// One run of an executable, with these arguments after it, in `path` of a filesystem binding
    /// (`.` is the binding's own directory).
    ///
    /// # Errors
    ///
    /// When a text breaks a rule.
    pub fn subprocess<S: AsRef<str>>(
        executable: &'a str,
        arguments: &'a [S],
        binding: &'a str,
        path: &'a str,
        operation: operations::subprocess::Operation,
    ) -> Result<Self, RequestError> {
        let FilesystemTarget { binding, path } = filesystem_target(binding, path)?;
        let directory = WorkingDirectory { binding, path };
        let target = Target::Subprocess(SubprocessTarget {
            executable: in_field("executable", Id::parse(executable))?,
            argv_sha256: in_field("argv", argv_sha256(arguments))?,
            cwd_sha256: directory.sha256(),
        });
        let arguments = arguments
            .iter()
            .map(|argument| Cow::Borrowed(argument.as_ref()));
        let run = Detail::Run(arguments.collect(), directory);
        Request::build(target, operation.into(), run, None)
    }

    /// An endpoint, `protocol://host:port`; the redirect policy must be the declared one.
    ///
    /// # Errors
    ///
    /// When the text breaks a rule.
    pub fn network(
        endpoint: &'a str,
        redirect: RedirectPolicy,
        operation: operations::network::Operation,
    ) -> Result<Self, RequestError> {
        let endpoint = in_field("endpoint", Endpoint::from_request(endpoint))?;
        Request::new(
            Target::Network(NetworkTarget { endpoint, redirect }),
            operation,
        )
    }

    /// A whole URL at a network endpoint; the redirect policy must be the declared one.
    ///
    /// # Errors
    ///
    /// When the text breaks a rule.
    #[cfg(feature = "url")]
    pub fn network_url(
        url: &str,
        redirect: RedirectPolicy,
        operation: operations::network::Operation,
    ) -> Result<Self, RequestError> {
        let (endpoint, url) = in_field("url", Endpoint::of_url(url))?;
        let target = Target::Network(NetworkTarget { endpoint, redirect });
        Request::build(target, operation.into(), Detail::Url(url), None)
    }

    /// A repository on github.com.
    ///
    /// # Errors
    ///
    /// When the text breaks a rule.
    pub fn github(
        repository: &'a str,
        operation: operations::github::Operation,
    ) -> Result<Self, RequestError> {
        let repository = in_field("repository", Repository::from_request(repository))?;
        Request::new(Target::Github(repository), operation)
    }

    /// A browser origin. `download` and `upload` need the file, which is the executor's to write
    /// or to read; the others take none.
    ///
    /// A page that was loaded from nowhere, such as `about:blank` in a new tab, has no origin and no
    /// rights of one: nothing is asked for it. `data:` and `file:` addresses are no origins either, and
    /// cannot be asked for.
    ///
    /// # Errors
    ///
    /// When the text breaks a rule, and when the file is missing or needless.
    pub fn browser(
        origin: &'a str,
        file: Option<FilesystemTarget<'a>>,
        operation: operations::browser::Operation,
    ) -> Result<Self, RequestError> {
        let origin = in_field("origin", Origin::from_request(origin))?;
        let target = Target::Browser(BrowserTarget { origin });
        Request::build(target, operation.into(), Detail::None, file)
    }

    /// A whole URL at a browser origin, otherwise as [`browser`](Request::browser).
    ///
    /// # Errors
    ///
    /// When the text breaks a rule, and when the file is missing or needless.
    #[cfg(feature = "url")]
    pub fn browser_url(
        url: &str,
        file: Option<FilesystemTarget<'a>>,
        operation: operations::browser::Operation,
    ) -> Result<Self, RequestError> {
        let (origin, url) = in_field("url", Origin::of_url(url))?;
        let target = Target::Browser(BrowserTarget { origin });
        Request::build(target, operation.into(), Detail::Url(url), file)
    }

    /// An MCP server.
    ///
    /// # Errors
    ///
    /// When the text breaks a rule.
    pub fn mcp_server(
        server: &'a str,
        operation: operations::mcp_server::Operation,
    ) -> Result<Self, RequestError> {
        let server = in_field("server_id", Id::parse(server))?;
        Request::new(Target::Mcp(McpTarget { server, tool: None }), operation)
    }

    /// A tool of an MCP server, by the name that the server advertises.
    ///
    /// # Errors
    ///
    /// When a text breaks a rule.
    pub fn mcp_tool(
        server: &'a str,
        tool: &'a str,
        operation: operations::mcp_tool::Operation,
    ) -> Result<Self, RequestError> {
        let server = in_field("server_id", Id::parse(server))?;
        let tool = Some(in_field("tool_name", ToolName::parse(tool))?);
        Request::new(Target::Mcp(McpTarget { server, tool }), operation)
    }

    /// A call of the MCP tool that a tool id stands for.
    ///
    /// ```
    /// use authority_core::operations::mcp_tool;
    /// use authority_core::{Request, ThreadIdentity, ThreadPermissions, ThreadPolicy, ToolBinding};
    ///
    /// let permissions = ThreadPermissions::builder()
    ///     .mcp_tool("docs", "search", [mcp_tool::Call])
    ///     .server("docs", None)
    ///     .tool("search_docs", "docs", "search")
    ///     .build()?;
    /// let identity = ThreadIdentity::root("alice", "checkout", "run-42")?;
    /// let (_handle, root) = ThreadPolicy::for_root(identity, &permissions);
    ///
    /// let tool = root.tool("search_docs").map_err(|reason| reason.about())?;
    /// if let ToolBinding::Mcp(binding) = &tool.binding {
    ///     assert_eq!(Request::tool(binding), Request::mcp_tool("docs", "search", mcp_tool::Call)?);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tool(binding: &'a McpToolBinding<'_>) -> Self {
        let target = Target::Mcp(McpTarget {
            server: binding.server.borrowed(),
            tool: Some(binding.tool.borrowed()),
        });
        let operation = operations::mcp_tool::Call.into();
        Request::of(target, operation, Detail::None, None, None)
    }

    /// An integration at one revision.
    ///
    /// # Errors
    ///
    /// When the text breaks a rule.
    pub fn integration(
        integration: &'a str,
        revision_sha256: Digest,
        operation: operations::integration::Operation,
    ) -> Result<Self, RequestError> {
        let integration = in_field("integration_id", Id::parse(integration))?;
        let target = Target::Integration(IntegrationTarget {
            integration,
            revision_sha256,
        });
        Request::new(target, operation)
    }

    /// An agent, under the ceiling of whoever declares it. `delegate` makes a new thread of it;
    /// the other operations need the id of the thread that they mean.
    ///
    /// # Errors
    ///
    /// When a text breaks a rule, and when the thread is missing or needless.
    pub fn child_agent(
        agent: &'a str,
        parent_ceiling_sha256: Digest,
        thread: Option<&'a str>,
        operation: operations::child_agent::Operation,
    ) -> Result<Self, RequestError> {
        let target = Target::ChildAgent(ChildAgentTarget {
            agent: in_field("agent_id", Id::parse(agent))?,
            parent_ceiling_sha256,
        });
        let detail = match thread {
            Some(thread) => Detail::Thread(in_field("thread_id", Id::parse(thread))?),
            None => Detail::None,
        };
        Request::build(target, operation.into(), detail, None)
    }

    /// The same request, made with this credential: the id of a provider that the thread holds.
    ///
    /// # Errors
    ///
    /// When the text breaks a rule.
    pub fn with_credential(mut self, provider: &'a str) -> Result<Self, RequestError> {
        let credential = Some(in_field("credential", Id::parse(provider))?);
        let extra = self.extra.get_or_insert_default();
        extra.credential = credential;
        Ok(self)
    }

    /// Decodes the JSON form, `{"operation":…,"target":{"kind":…, …}}`.
    ///
    /// # Errors
    ///
    /// The first error in document order. A `url` needs the feature `url`.
    pub fn from_json(json: &'a str) -> Result<Self, DecodeError> {
        match canonical::request(json) {
            Some((target, operation)) if misfit(operation, &Detail::None, None).is_none() => {
                Ok(Request::of(target, operation, Detail::None, None, None))
            }
            _ => json::decode(json, Request::decode),
        }
    }

    /// The target that is decided by.
    pub fn target(&self) -> &Target<'a> {
        self.target.target()
    }

    pub(crate) fn hashed_target(&self) -> &HashedTarget<'a> {
        &self.target
    }

    /// The operation.
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// The arguments of a subprocess after the executable, unless the request was made of digests.
    pub fn arguments(&self) -> Option<impl ExactSizeIterator<Item = &str>> {
        match self.detail() {
            Detail::Run(arguments, _) => Some(arguments.iter().map(|argument| &**argument)),
            _ => None,
        }
    }

    /// The working directory of a subprocess, unless the request was made of digests.
    pub fn working_directory(&self) -> Option<&WorkingDirectory<'a>> {
        match self.detail() {
            Detail::Run(_, directory) => Some(directory),
            _ => None,
        }
    }

    /// The whole URL as it is to be sent, if the request was made of one: as the WHATWG URL
    /// standard serialises it, without fragment.
    pub fn url(&self) -> Option<&str> {
        match self.detail() {
            #[cfg(feature = "url")]
            Detail::Url(url) => Some(url),
            _ => None,
        }
    }

    /// The thread that a `child_agent` request means.
    pub fn thread(&self) -> Option<&Id<'a>> {
        match self.detail() {
            Detail::Thread(thread) => Some(thread),
            _ => None,
        }
    }

    /// The provider whose credential the request names.
    pub fn credential(&self) -> Option<&Id<'a>> {
        self.extra.as_ref()?.credential.as_ref()
    }

    /// The file that a browser's download writes, or its upload reads.
    pub fn file(&self) -> Option<&FilesystemTarget<'a>> {
        self.extra.as_ref()?.file.as_ref()
    }

    /// The file with the operation on it, which is decided too.
    pub fn file_operation(&self) -> Option<(&FilesystemTarget<'a>, Operation)> {
        Some((self.file()?, self.operation.on_its_file()))
    }

    /// Digest of the whole request, domain `authority/request/v1`.
    pub fn sha256(&self) -> Digest {
        let scope = Scope::trusted(self.target().clone(), OperationSet::only(self.operation));
        let scope_json = scope.canonical_json();
        let id = |id: Option<&Id<'_>>| id.map_or(Value::Null, |id| text(id.as_str()));
        let file = self.file().map_or(Value::Null, |file| {
            let path = file.path.as_ref();
            object([
                ("path", path.map_or(Value::Null, |path| text(path.as_str()))),
                ("root_id", text(file.binding.as_str())),
            ])
        });
        digest_of(
            "authority/request/v1",
            [
                ("credential", id(self.credential())),
                ("file", file),
                ("scope", Value::Scope(&scope, &scope_json)),
                ("thread", id(self.thread())),
                ("url", self.url().map_or(Value::Null, text)),
            ],
        )
    }

    fn build(
        target: Target<'a>,
        operation: Operation,
        detail: Detail<'a>,
        file: Option<FilesystemTarget<'a>>,
    ) -> Result<Self, RequestError> {
        let kind = target.kind();
        if operation.kind() != kind {
            return Err(RequestError::OtherKind { operation, kind });
        }
        match misfit(operation, &detail, file.as_ref()) {
            Some((part, true)) => return Err(RequestError::Needless { operation, part }),
            Some((part, false)) => return Err(RequestError::Missing { operation, part }),
            None => {}
        }
        Ok(Request::of(target, operation, detail, None, file))
    }

    pub(crate) fn decode(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let mut named = None;
        let mut target = None;
        let mut credential = None;
        let mut file = None;
        reader.object(|reader, key| {
            match key {
                Key::Credential => credential = Some(reader.text()?),
                Key::File => file = Some(decode_file(reader)?),
                Key::Operation => named = Some((reader.start(), reader.string()?)),
                Key::Target => target = Some(decode_target(reader)?),
            }
            Ok(())
        })?;
        let missing = |key: &'static str| reader.error(DecodeRule::MissingKey(key));
        let (start, name) = named.ok_or_else(|| missing("operation"))?;
        let (target, detail) = target.ok_or_else(|| missing("target"))?;
        let operation = decode_operation(&name, target.kind())
            .map_err(|rule| DecodeError::new(rule, start).inside("operation"))?;
        if let Some((part, is_there)) = misfit(operation, &detail, file.as_ref()) {
            let error = reader.error(if is_there {
                DecodeRule::NeedlessKey(part)
            } else {
                DecodeRule::MissingKey(part)
            });
            return Err(match part {
                THREAD => error.inside("target"),
                _ => error,
            });
        }
        Ok(Request::of(target, operation, detail, credential, file))
    }

    fn of(
        target: Target<'a>,
        operation: Operation,
        detail: Detail<'a>,
        credential: Option<Id<'a>>,
        file: Option<FilesystemTarget<'a>>,
    ) -> Self {
        let is_plain = matches!(detail, Detail::None) && credential.is_none() && file.is_none();
        let extra = (!is_plain).then(|| {
            Box::new(Extra {
                detail,
                credential,
                file,
            })
        });
        Request {
            target: HashedTarget::new(target),
            operation,
            extra,
        }
    }

    fn detail(&self) -> &Detail<'a> {
        self.extra
            .as_ref()
            .map_or(&Detail::None, |extra| &extra.detail)
    }
}

const FILE: &str = "file";
const THREAD: &str = "thread_id";

/// The part that the operation needs and that is missing, or that is there (`true`) and needless.
fn misfit(
    operation: Operation,
    detail: &Detail<'_>,
    file: Option<&FilesystemTarget<'_>>,
) -> Option<(&'static str, bool)> {
    use operations::{browser, child_agent};
    let moves_file = [browser::Download, browser::Upload]
        .map(Operation::from)
        .contains(&operation);
    let means_thread =
        operation.kind() == Kind::ChildAgent && operation != child_agent::Delegate.into();
    let is_thread = matches!(detail, Detail::Thread(_));
    if file.is_some() != moves_file {
        Some((FILE, file.is_some()))
    } else if is_thread != means_thread {
        Some((THREAD, is_thread))
    } else {
        None
    }
}

fn in_field<T>(field: &'static str, parsed: Result<T, TextError>) -> Result<T, RequestError> {
    parsed.map_err(|error| RequestError::Text { field, error })
}

fn filesystem_target<'a>(
    binding: &'a str,
    path: &'a str,
) -> Result<FilesystemTarget<'a>, RequestError> {
    Ok(FilesystemTarget {
        binding: in_field("root_id", Id::parse(binding))?,
        path: match path {
            "." => None,
            _ => Some(in_field("relative_path", RelativePath::parse(path))?),
        },
    })
}

members! {
    enum Key {
        Credential "credential",
        File "file",
        Operation "operation",
        Target "target",
    }
}

members! {
    enum DirectoryKey {
        RelativePath "relative_path",
        RootId "root_id",
    }
}

fn decode_operation(name: &str, kind: Kind) -> Result<Operation, DecodeRule> {
    if let Some(operation) = kind.operation(name) {
        return Ok(operation);
    }
    if Kind::all().any(|other| other.operation(name).is_some()) {
        return Err(DecodeRule::OtherKind(kind));
    }
    let nearest = suggest::nearest(name, kind.operations().map(Operation::name));
    Err(DecodeRule::UnknownWord { nearest })
}

fn decode_file<'a>(reader: &mut Reader<'a>) -> Result<FilesystemTarget<'a>, DecodeError> {
    let start = reader.start();
    let (target, _) = decode_target(reader)?;
    match target {
        Target::Filesystem(file) => Ok(file),
        _ => Err(DecodeError::new(
            DecodeRule::Not("a `filesystem` target"),
            start,
        )),
    }
}

/// Decodes the target of a request: the members of the wire form, or those that it is computed
/// from.
fn decode_target<'a>(reader: &mut Reader<'a>) -> Result<(Target<'a>, Detail<'a>), DecodeError> {
    let mut parts = Parts::default();
    let mut given = Given::default();
    reader.object(|reader, key| match key {
        TargetKey::Argv | TargetKey::Cwd | TargetKey::ThreadId | TargetKey::Url => {
            parts.seen |= key.bit();
            given.read(reader, key)
        }
        _ => parts.read(reader, key, Form::Request),
    })?;
    let kind = parts.kind(reader)?;
    let detail = given.detail(&mut parts, reader, kind)?;
    Ok((parts.target(reader, kind, Form::Request)?, detail))
}

/// What a request gives in place of members of the wire form, or beside them.
#[derive(Default)]
struct Given<'a> {
    arguments: Option<Vec<Cow<'a, str>>>,
    directory: Option<WorkingDirectory<'a>>,
    thread: Option<Id<'a>>,
    url: Option<(Cow<'a, str>, usize)>,
}

impl<'a> Given<'a> {
    fn read(&mut self, reader: &mut Reader<'a>, key: TargetKey) -> Result<(), DecodeError> {
        match key {
            TargetKey::Argv => self.arguments = Some(decode_arguments(reader)?),
            TargetKey::Cwd => self.directory = Some(decode_directory(reader)?),
            TargetKey::ThreadId => self.thread = Some(reader.text()?),
            _ => {
                let start = reader.start();
                self.url = Some((reader.string()?, start));
            }
        }
        Ok(())
    }

    /// Computes the members of the wire form, and keeps what they do not hold.
    fn detail(
        self,
        parts: &mut Parts<'a>,
        reader: &Reader<'_>,
        kind: Kind,
    ) -> Result<Detail<'a>, DecodeError> {
        let missing = |key: TargetKey| reader.error(DecodeRule::MissingKey(key.name()));
        match (kind, self) {
            (
                Kind::Subprocess,
                Given {
                    arguments,
                    directory,
                    ..
                },
            ) if arguments.is_some() || directory.is_some() => {
                parts.replace(reader, TargetKey::Argv, &[TargetKey::ArgvSha256])?;
                parts.replace(reader, TargetKey::Cwd, &[TargetKey::CwdSha256])?;
                let arguments = arguments.ok_or_else(|| missing(TargetKey::Argv))?;
                let directory = directory.ok_or_else(|| missing(TargetKey::Cwd))?;
                parts.argv = argv_sha256(&arguments).ok();
                parts.cwd = Some(directory.sha256());
                Ok(Detail::Run(arguments, directory))
            }
            (
                Kind::ChildAgent,
                Given {
                    thread: Some(thread),
                    ..
                },
            ) => {
                parts.replace(reader, TargetKey::ThreadId, &[])?;
                Ok(Detail::Thread(thread))
            }
            (
                Kind::Network | Kind::Browser,
                Given {
                    url: Some((url, start)),
                    ..
                },
            ) => {
                let instead: &[TargetKey] = match kind {
                    Kind::Browser => &[TargetKey::Origin],
                    _ => &[TargetKey::Host, TargetKey::Port, TargetKey::Protocol],
                };
                parts.replace(reader, TargetKey::Url, instead)?;
                of_url(parts, kind, &url)
                    .map_err(|rule| DecodeError::new(rule, start).inside("url"))
            }
            _ => Ok(Detail::None),
        }
    }
}

#[cfg(feature = "url")]
fn of_url<'a>(parts: &mut Parts<'a>, kind: Kind, url: &str) -> Result<Detail<'a>, DecodeRule> {
    let rule = |error: TextError| DecodeRule::from(error.rule());
    let url = if kind == Kind::Browser {
        let (origin, url) = Origin::of_url(url).map_err(rule)?;
        parts.origin = Some(origin);
        url
    } else {
        let (endpoint, url) = Endpoint::of_url(url).map_err(rule)?;
        parts.endpoint = Some(endpoint);
        parts.redirect.get_or_insert(RedirectPolicy::Deny);
        url
    };
    Ok(Detail::Url(url))
}

#[cfg(not(feature = "url"))]
fn of_url<'a>(_: &mut Parts<'a>, _: Kind, _: &str) -> Result<Detail<'a>, DecodeRule> {
    Err(DecodeRule::Feature("url"))
}

fn decode_arguments<'a>(reader: &mut Reader<'a>) -> Result<Vec<Cow<'a, str>>, DecodeError> {
    let mut arguments = Vec::new();
    reader.list(|reader, index| {
        let start = reader.start();
        let argument = reader.string()?;
        let refused = match check_argument(&argument) {
            Err(error) => Some(error.rule()),
            Ok(()) if index == MAX_ARGUMENTS => Some(Rule::Argument),
            Ok(()) => None,
        };
        if let Some(rule) = refused {
            return Err(DecodeError::new(rule.into(), start));
        }
        arguments.push(argument);
        Ok(())
    })?;
    Ok(arguments)
}

fn decode_directory<'a>(reader: &mut Reader<'a>) -> Result<WorkingDirectory<'a>, DecodeError> {
    let mut binding = None;
    let mut path = None;
    reader.object(|reader, key| {
        match key {
            DirectoryKey::RelativePath => path = Some(WholeOrPath::decode(reader)?),
            DirectoryKey::RootId => binding = Some(reader.text()?),
        }
        Ok(())
    })?;
    let missing = |key: DirectoryKey| reader.error(DecodeRule::MissingKey(key.name()));
    let WholeOrPath(path) = path.ok_or_else(|| missing(DirectoryKey::RelativePath))?;
    let binding = binding.ok_or_else(|| missing(DirectoryKey::RootId))?;
    Ok(WorkingDirectory { binding, path })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target_json(kind: &str, members: &str, operation: &str, beside: &str) -> String {
        format!(r#"{{"operation":"{operation}","target":{{"kind":"{kind}",{members}}}{beside}}}"#)
    }

    fn refused(kind: &str, members: &str, operation: &str, beside: &str) -> (String, DecodeRule) {
        let json = target_json(kind, members, operation, beside);
        let error = Request::from_json(&json).unwrap_err();
        (error.pointer().to_owned(), error.rule())
    }

    const CEILING: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    const WS: &str = r#""root_id":"ws","relative_path":"#;

    #[test]
    #[allow(clippy::too_many_lines)]
    fn the_typed_and_the_json_form_are_one() {
        let revision = Digest::of(b"");
        let file = || FilesystemTarget {
            binding: Id::parse("ws").unwrap(),
            path: Some(RelativePath::parse("a.pdf").unwrap()),
        };
        let file_json = format!(r#","file":{{"kind":"filesystem",{WS}"a.pdf"}}"#);
        let argv = format!(r#""executable":"git","argv":["log","-1"],"cwd":{{{WS}"."}}"#);
        let integration = format!(r#""integration_id":"tickets","revision_sha256":"{CEILING}""#);
        let agent = format!(r#""agent_id":"reviewer","parent_ceiling_sha256":"{CEILING}""#);
        let agent_thread = format!(r#"{agent},"thread_id":"thread-7""#);
        for (request, kind, members, operation, beside) in [
            (
                Request::filesystem("ws", "a/b", operations::filesystem::Write),
                "filesystem",
                format!(r#"{WS}"a/b","recursive":false"#),
                "write",
                "",
            ),
            (
                Request::filesystem("ws", ".", operations::filesystem::List),
                "filesystem",
                format!(r#"{WS}".""#),
                "list",
                "",
            ),
            (
                Request::subprocess("git", &["log", "-1"], "ws", ".", operations::subprocess::Execute),
                "subprocess",
                argv,
                "execute",
                "",
            ),
            (
                Request::network(
                    "https://api.example.com:443",
                    RedirectPolicy::SameOrigin,
                    operations::network::RequestSafe,
                ),
                "network",
                r#""host":"api.example.com","port":443,"protocol":"https","redirect_policy":"same_origin""#.to_owned(),
                "request.safe",
                "",
            ),
            (
                Request::github("Acme/Widgets", operations::github::IssueWrite),
                "github",
                r#""repository":"acme/WIDGETS""#.to_owned(),
                "issue.write",
                "",
            ),
            (
                Request::browser("https://example.com", None, operations::browser::Read),
                "browser",
                r#""origin":"https://EXAMPLE.com:443""#.to_owned(),
                "read",
                "",
            ),
            (
                Request::browser("https://example.com", Some(file()), operations::browser::Upload),
                "browser",
                r#""origin":"https://example.com""#.to_owned(),
                "upload",
                &file_json,
            ),
            (
                Request::mcp_server("docs", operations::mcp_server::Start),
                "mcp",
                r#""server_id":"docs","tool_name":null"#.to_owned(),
                "start",
                "",
            ),
            (
                Request::mcp_tool("docs", "search", operations::mcp_tool::Call),
                "mcp",
                r#""server_id":"docs","tool_name":"search""#.to_owned(),
                "call",
                "",
            ),
            (
                Request::integration("tickets", revision, operations::integration::Invoke)
                    .and_then(|request| request.with_credential("tickets")),
                "integration",
                integration,
                "invoke",
                r#","credential":"tickets""#,
            ),
            (
                Request::child_agent("reviewer", revision, None, operations::child_agent::Delegate),
                "child_agent",
                agent,
                "delegate",
                "",
            ),
            (
                Request::child_agent(
                    "reviewer",
                    revision,
                    Some("thread-7"),
                    operations::child_agent::Cancel,
                ),
                "child_agent",
                agent_thread,
                "cancel",
                "",
            ),
        ] {
            let json = target_json(kind, &members, operation, beside);
            assert_eq!(Request::from_json(&json).unwrap(), request.unwrap(), "{json}");
        }
    }

    #[test]
    fn digests_stand_for_arguments_and_directory() {
        let run = Request::subprocess("git", &["log"], "ws", "a", operations::subprocess::Execute);
        let run = run.unwrap();
        let digests = Request::new(run.target().clone(), run.operation()).unwrap();
        let json = format!(
            r#"{{"operation":"execute","target":{}}}"#,
            run.target().canonical_json()
        );
        assert_eq!(Request::from_json(&json).unwrap(), digests);
        assert!(digests.arguments().is_none() && digests.working_directory().is_none());
        let arguments: Vec<_> = run.arguments().unwrap().collect();
        assert_eq!(arguments, ["log"]);
        assert_eq!(run.working_directory().unwrap().binding.as_str(), "ws");
    }

    #[test]
    #[allow(clippy::too_many_lines)]
    fn pointers_and_rules() {
        use DecodeRule::{
            ExclusiveKeys, ForeignKey, MissingKey, NeedlessKey, Not, OtherKind, UnknownWord,
        };
        let argv = r#""executable":"git","argv":[]"#;
        let agent = format!(r#""agent_id":"a","parent_ceiling_sha256":"{CEILING}""#);
        let origin = r#""origin":"https://a.example""#;
        for (kind, members, operation, beside, pointer, rule) in [
            (
                "github",
                r#""repository":"a/b""#,
                "raed",
                "",
                "/operation",
                UnknownWord {
                    nearest: Some("read"),
                },
            ),
            (
                "github",
                r#""repository":"a/b""#,
                "call",
                "",
                "/operation",
                OtherKind(Kind::Github),
            ),
            (
                "github",
                r#""repository":"a/b","argv":[]"#,
                "read",
                "",
                "/target",
                ForeignKey {
                    key: "argv",
                    kind: Kind::Github,
                },
            ),
            (
                "filesystem",
                r#""root_id":"ws","relative_path":".","recursive":false"#,
                "list",
                "",
                "/target/recursive",
                Not("`true` for the whole binding `.` and `false` for a path"),
            ),
            (
                "subprocess",
                argv,
                "execute",
                "",
                "/target",
                MissingKey("cwd"),
            ),
            (
                "subprocess",
                r#""executable":"git""#,
                "execute",
                "",
                "/target",
                MissingKey("argv_sha256"),
            ),
            (
                "subprocess",
                &format!(r#"{argv},"argv_sha256":"{CEILING}""#),
                "execute",
                "",
                "/target",
                ExclusiveKeys("argv", "argv_sha256"),
            ),
            (
                "subprocess",
                &format!(r#"{argv},"cwd":{{"root_id":"ws"}}"#),
                "execute",
                "",
                "/target/cwd",
                MissingKey("relative_path"),
            ),
            (
                "subprocess",
                r#""executable":"git","argv":["a","b\u0000"]"#,
                "execute",
                "",
                "/target/argv/1",
                Rule::Invisible.into(),
            ),
            (
                "network",
                r#""host":"a.example","port":443,"protocol":"https""#,
                "connect",
                "",
                "/target",
                MissingKey("redirect_policy"),
            ),
            ("browser", origin, "download", "", "", MissingKey("file")),
            (
                "browser",
                origin,
                "read",
                r#","file":{"kind":"filesystem","root_id":"ws","relative_path":"a"}"#,
                "",
                NeedlessKey("file"),
            ),
            (
                "browser",
                origin,
                "upload",
                r#","file":{"kind":"github","repository":"a/b"}"#,
                "/file",
                Not("a `filesystem` target"),
            ),
            (
                "child_agent",
                &agent,
                "message",
                "",
                "/target",
                MissingKey("thread_id"),
            ),
            (
                "child_agent",
                &format!(r#"{agent},"thread_id":"t""#),
                "delegate",
                "",
                "/target",
                NeedlessKey("thread_id"),
            ),
        ] {
            assert_eq!(
                refused(kind, members, operation, beside),
                (pointer.to_owned(), rule),
                "{kind} {members} {operation} {beside}"
            );
        }
    }

    #[test]
    fn at_most_1024_arguments() {
        let list = |count: usize| vec!["\"\""; count].join(",");
        let members = |count| {
            format!(
                r#""executable":"sh","argv":[{}],"cwd":{{{WS}"."}}"#,
                list(count)
            )
        };
        let json = target_json("subprocess", &members(1_024), "execute", "");
        assert_eq!(
            Request::from_json(&json)
                .unwrap()
                .arguments()
                .unwrap()
                .len(),
            1_024
        );
        assert_eq!(
            refused("subprocess", &members(1_025), "execute", ""),
            ("/target/argv/1024".to_owned(), Rule::Argument.into())
        );
    }

    #[test]
    fn what_no_scope_allows() {
        use operations::{filesystem, network};
        let own = |operation| Request::filesystem("ws", ".", operation).unwrap();
        for (request, allowed) in [
            (own(filesystem::List), true),
            (own(filesystem::Read), true),
            (own(filesystem::Write), false),
            (own(filesystem::Delete), false),
            (own(filesystem::Execute), false),
            (
                Request::filesystem("ws", "a", filesystem::Execute).unwrap(),
                true,
            ),
        ] {
            assert_eq!(
                request.target().allows(request.operation()),
                allowed,
                "{request:?}"
            );
        }
        for (protocol, raw) in [
            ("https", false),
            ("ws", false),
            ("ssh", true),
            ("tcp", true),
            ("udp", true),
        ] {
            let endpoint = format!("{protocol}://a.example:1");
            for operation in [
                network::Connect,
                network::RequestSafe,
                network::RequestWrite,
            ] {
                let request = Request::network(&endpoint, RedirectPolicy::Deny, operation).unwrap();
                let allowed = !raw || operation == network::Connect;
                assert_eq!(
                    request.target().allows(operation.into()),
                    allowed,
                    "{request:?}"
                );
            }
        }
    }

    #[cfg(not(feature = "url"))]
    #[test]
    fn a_url_needs_the_feature() {
        for (kind, operation) in [("network", "connect"), ("browser", "read")] {
            assert_eq!(
                refused(kind, r#""url":"https://a.example/""#, operation, ""),
                ("/target/url".to_owned(), DecodeRule::Feature("url"))
            );
        }
    }

    #[cfg(feature = "url")]
    #[test]
    fn whole_urls() {
        use operations::{browser, network};
        let url = "HTTPS://API.example.com/a b?c#d";
        let sent = "https://api.example.com/a%20b?c";
        let request =
            Request::network_url(url, RedirectPolicy::Deny, network::RequestSafe).unwrap();
        assert_eq!(request.url(), Some(sent));
        let endpoint = Request::network(
            "https://api.example.com:443",
            RedirectPolicy::Deny,
            network::RequestSafe,
        );
        assert_eq!(request.target(), endpoint.unwrap().target());
        let json = target_json("network", &format!(r#""url":"{url}""#), "request.safe", "");
        assert_eq!(Request::from_json(&json).unwrap(), request);
        let members = format!(r#""url":"{url}","port":443"#);
        assert_eq!(
            refused("network", &members, "request.safe", ""),
            (
                "/target".to_owned(),
                DecodeRule::ExclusiveKeys("url", "port")
            )
        );

        let request = Request::browser_url(url, None, browser::Navigate).unwrap();
        assert_eq!(request.url(), Some(sent));
        let origin = Request::browser("https://api.example.com", None, browser::Navigate).unwrap();
        assert_eq!(request.target(), origin.target());
        let json = target_json("browser", &format!(r#""url":"{url}""#), "navigate", "");
        assert_eq!(Request::from_json(&json).unwrap(), request);
    }
}
