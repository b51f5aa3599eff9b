//! Effects: what would run, in the parts that a request does not hold.

use std::fmt;

use crate::approval::coverage::{AdvisoryField, EffectField};
use crate::approval::value::{Detail, Value};
use crate::digest::Digest;
use crate::policy::PreparedChild;

/// What would run, in the parts that a request does not hold: contents as size and digest, the
/// texts that a reviewer is shown, and what only the host can compute.
///
/// There is one constructor a form of effect; what it takes is what an approval covers, and
/// [`Operation::coverage`](crate::Operation::coverage) says which operation needs what. A
/// [`Preview`](crate::Preview) is refused when a part is missing and when one is needless.
///
/// ```
/// use authority_core::{Effect, Previous};
///
/// let (old, new) = (b"1.0.0".as_slice(), b"1.0.1".as_slice());
/// let effect = Effect::write_file(new, Previous::digest_of(old)).with_reason("a release");
/// # let _ = effect;
/// ```
#[derive(Clone)]
pub struct Effect<'a> {
    pub(super) parts: Vec<(EffectField, Part<'a>)>,
    pub(super) advice: Advice,
}

/// A part that the host gives.
#[derive(Clone)]
pub(super) enum Part<'a> {
    Value(Value),
    /// As the host writes it.
    Path(&'a str),
    Headers(&'a [(&'a str, &'a str)]),
    Child(&'a PreparedChild),
}

/// The advisory texts that the host gives.
#[derive(Clone, Default, Eq, PartialEq)]
pub(super) struct Advice {
    pub(super) reason: Option<String>,
    pub(super) explanation: Option<String>,
    pub(super) labels: Vec<(String, String)>,
    pub(super) server_claims: Vec<(String, String)>,
}

/// Some content: its size and its digest.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Content {
    bytes: u64,
    sha256: Digest,
}

impl Content {
    /// Content at hand.
    pub fn of(bytes: &[u8]) -> Self {
        Content {
            bytes: bytes.len() as u64,
            sha256: Digest::of(bytes),
        }
    }

    /// Content of this many bytes whose digest was computed elsewhere.
    pub const fn computed(bytes: u64, sha256: Digest) -> Self {
        Content { bytes, sha256 }
    }

    /// How many bytes it has.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The digest of the bytes.
    pub const fn sha256(&self) -> Digest {
        self.sha256
    }
}

impl<T: AsRef<[u8]> + ?Sized> From<&T> for Content {
    fn from(bytes: &T) -> Self {
        Content::of(bytes.as_ref())
    }
}

/// What stood where a file is written.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Previous {
    /// Nothing: the file is new.
    New,
    /// Content with this digest.
    Sha256(Digest),
}

impl Previous {
    /// This content.
    pub fn digest_of(content: &(impl AsRef<[u8]> + ?Sized)) -> Self {
        Previous::Sha256(Digest::of(content.as_ref()))
    }

    fn value(self) -> Value {
        match self {
            Previous::New => Value::Word("new"),
            Previous::Sha256(digest) => Value::Digest(digest),
        }
    }
}

/// An HTTP request.
#[derive(Clone, Copy)]
pub struct HttpRequest<'a> {
    /// The method, in capital letters.
    pub method: &'a str,
    /// Path and query, as `/v1/items?page=2`; `None` when the request was made of a whole URL.
    pub path_and_query: Option<&'a str>,
    /// Every header that is sent, but for that of the credential, which the credential binding
    /// stands for. Those that the transport manages may be left out.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body.
    pub body: Content,
    /// The most bytes of the response that are read.
    pub response_ceiling: u64,
}

/// What in a repository is meant. The case of names is kept.
#[derive(Clone, Copy, Eq, PartialEq)]
pub struct GithubResource<'a> {
    /// GitHub's number of the repository, where the host knows it.
    pub repository_id: Option<u64>,
    /// What in it.
    pub part: GithubPart<'a>,
}

/// A part of a repository.
#[derive(Clone, Copy, Eq, PartialEq)]
pub enum GithubPart<'a> {
    /// All of it.
    Repository,
    /// An issue, a pull request or another thing that gets its number only now.
    New,
    /// An issue or a pull request.
    Number(u64),
    /// A branch.
    Branch(&'a str),
    /// A tag, or the release of a tag.
    Tag(&'a str),
    /// A comment.
    Comment(u64),
    /// A run of a workflow.
    Run(u64),
}

impl<'a> Effect<'a> {
    /// For operations whose request says all.
    pub fn none() -> Self {
        Effect::of([])
    }

    /// `filesystem` `write`: all of the new content, and what it replaces.
    pub fn write_file(content: impl Into<Content>, previous: Previous) -> Self {
        let content = content.into();
        Effect::of([
            (EffectField::ContentBytes, Value::Number(content.bytes)),
            (EffectField::ContentSha256, Value::Digest(content.sha256)),
            (EffectField::Previous, previous.value()),
        ])
    }

    /// `filesystem` `delete` of a file with this content.
    pub fn delete_file(current: impl Into<Content>) -> Self {
        let current = Value::Digest(current.into().sha256);
        Effect::of([(EffectField::Current, current)])
    }

    /// `filesystem` `delete` of an empty directory.
    pub fn delete_empty_directory() -> Self {
        Effect::of([(EffectField::Current, Value::Word("empty_directory"))])
    }

    /// `filesystem` `execute` of a file with this content.
    pub fn execute_file(content: impl Into<Content>) -> Self {
        let content = Value::Digest(content.into().sha256);
        Effect::of([(EffectField::ContentSha256, content)])
    }

    /// `subprocess` `execute`: the digest of the file that runs, all that it reads from its standard
    /// input, and the arguments that name files, by their number from 0 after the executable, with
    /// the contents of those files.
    pub fn run(
        executable_sha256: Digest,
        stdin: impl Into<Content>,
        operands: impl IntoIterator<Item = (usize, Content)>,
    ) -> Self {
        let mut operands: Vec<_> = operands
            .into_iter()
            .map(|(argument, content)| (argument, content.sha256))
            .collect();
        operands.sort_unstable();
        let executable = Value::Digest(executable_sha256);
        Effect::of([
            (EffectField::ExecutableSha256, executable),
            (EffectField::StdinSha256, Value::Digest(stdin.into().sha256)),
            (EffectField::Operands, Value::Operands(operands)),
        ])
    }

    /// `network` `connect` to a raw stream.
    pub fn connect() -> Self {
        Effect::of([
            (EffectField::PathAndQuery, Value::None),
            (EffectField::HeadersSha256, Value::None),
        ])
    }

    /// `network` `connect` by `ws` or `wss`: path and query (`None` when the request was made of a
    /// whole URL) and the headers of the opening request, as in [`HttpRequest`].
    pub fn web_socket(path_and_query: Option<&'a str>, headers: &'a [(&'a str, &'a str)]) -> Self {
        let headers = (EffectField::HeadersSha256, Part::Headers(headers));
        Effect::of([]).with_path(path_and_query).with_part(headers)
    }

    /// `network` `request.safe` and `request.write`.
    pub fn http(request: HttpRequest<'a>) -> Self {
        let method = Value::Text(request.method.to_owned());
        let ceiling = Value::Number(request.response_ceiling);
        let headers = (EffectField::HeadersSha256, Part::Headers(request.headers));
        Effect::of([
            (EffectField::Method, method),
            (EffectField::BodyBytes, Value::Number(request.body.bytes)),
            (EffectField::BodySha256, Value::Digest(request.body.sha256)),
            (EffectField::ResponseCeiling, ceiling),
        ])
        .with_path(request.path_and_query)
        .with_part(headers)
    }

    /// `github` `read`.
    pub fn github_read(resource: GithubResource<'_>) -> Self {
        let (sort, detail) = resource.part.detail();
        let id = resource.repository_id.map_or(Value::None, Value::Number);
        Effect::of([
            (EffectField::RepositoryId, id),
            (EffectField::Resource, Value::Resource(sort, detail)),
        ])
    }

    /// The other operations on `github`: what is sent, as it is sent.
    pub fn github_write(resource: GithubResource<'_>, payload: impl Into<Content>) -> Self {
        Effect::github_read(resource).with_payload(payload.into())
    }

    /// `browser` `inspect`, `read` and `navigate`: path and query of the page; `None` when the
    /// request was made of a whole URL, here and below.
    pub fn page(path_and_query: Option<&'a str>) -> Self {
        Effect::of([]).with_path(path_and_query)
    }

    /// `browser` `interact`: the page, and the clicks, keys and form data in the executor's own form.
    pub fn interact(path_and_query: Option<&'a str>, payload: impl Into<Content>) -> Self {
        Effect::page(path_and_query).with_payload(payload.into())
    }

    /// `browser` `download`: the page, and what stands where the file is written.
    pub fn download(path_and_query: Option<&'a str>, previous: Previous) -> Self {
        let previous = Part::Value(previous.value());
        Effect::page(path_and_query).with_part((EffectField::Previous, previous))
    }

    /// `browser` `upload`: the page, and the content of the file.
    pub fn upload(path_and_query: Option<&'a str>, content: impl Into<Content>) -> Self {
        Effect::page(path_and_query).with_payload(content.into())
    }

    /// `mcp` `start`: the digest of how the host launches the server.
    pub fn start_server(launch_sha256: Digest) -> Self {
        Effect::of([(EffectField::LaunchSha256, Value::Digest(launch_sha256))])
    }

    /// `mcp` `call`: the digests of the tool's definition as the server advertises it and of how the
    /// host launches the server, and the arguments as they are sent, which a reviewer is shown.
    pub fn call_tool(
        tool_definition_sha256: Digest,
        launch_sha256: Digest,
        arguments: &str,
    ) -> Self {
        let definition = Value::Digest(tool_definition_sha256);
        Effect::of([
            (EffectField::ToolDefinitionSha256, definition),
            (EffectField::LaunchSha256, Value::Digest(launch_sha256)),
            (EffectField::Arguments, Value::shown(arguments.to_owned())),
        ])
    }

    /// `integration` `invoke`: the arguments as they are sent, which a reviewer is shown.
    pub fn invoke(arguments: &str) -> Self {
        Effect::of([(EffectField::Arguments, Value::shown(arguments.to_owned()))])
    }

    /// `child_agent` `delegate`: the child that would be started, and the digest of the artifact
    /// that it was made from, if it was made from one.
    pub fn delegate(child: &'a PreparedChild, artifact_sha256: Option<Digest>) -> Self {
        let policy = child.policy();
        let route = policy.route().cloned().map_or(Value::None, Value::Route);
        let permissions = Value::Digest(policy.permissions_sha256());
        let artifact = artifact_sha256.map_or(Value::None, Value::Digest);
        Effect::of([
            (EffectField::ChildPermissionsSha256, permissions),
            (EffectField::ArtifactSha256, artifact),
            (EffectField::ModelRoute, route),
        ])
        .with_part((EffectField::CeilingDeclarationSha256, Part::Child(child)))
    }

    /// `child_agent` `message`: the message as it is sent.
    pub fn message(message: impl Into<Content>) -> Self {
        Effect::of([]).with_payload(message.into())
    }

    /// The same effect with why it is asked. Advisory: no approval covers it, here and below.
    #[must_use]
    pub fn with_reason(mut self, reason: &str) -> Self {
        self.advice.reason = Some(reason.to_owned());
        self
    }

    /// The same effect with a model's explanation.
    #[must_use]
    pub fn with_explanation(mut self, explanation: &str) -> Self {
        self.advice.explanation = Some(explanation.to_owned());
        self
    }

    /// The same effect with one more label of the host's.
    #[must_use]
    pub fn with_label(mut self, name: &str, text: &str) -> Self {
        self.advice.labels.push((name.to_owned(), text.to_owned()));
        self
    }

    /// The same effect with one more thing that the server says of its tool, for `mcp` `call` only.
    #[must_use]
    pub fn with_server_claim(mut self, name: &str, text: &str) -> Self {
        let claim = (name.to_owned(), text.to_owned());
        self.advice.server_claims.push(claim);
        self
    }

    fn of<const N: usize>(values: [(EffectField, Value); N]) -> Self {
        Effect {
            parts: values
                .into_iter()
                .map(|(field, value)| (field, Part::Value(value)))
                .collect(),
            advice: Advice::default(),
        }
    }

    fn with_part(mut self, part: (EffectField, Part<'a>)) -> Self {
        self.parts.push(part);
        self
    }

    fn with_path(self, path_and_query: Option<&'a str>) -> Self {
        match path_and_query {
            Some(path) => self.with_part((EffectField::PathAndQuery, Part::Path(path))),
            None => self,
        }
    }

    fn with_payload(self, payload: Content) -> Self {
        let bytes = Part::Value(Value::Number(payload.bytes));
        let digest = Part::Value(Value::Digest(payload.sha256));
        self.with_part((EffectField::PayloadBytes, bytes))
            .with_part((EffectField::PayloadSha256, digest))
    }

    /// The arguments of a tool or an integration, as they are sent.
    pub(crate) fn arguments(&self) -> Option<Content> {
        match self.part(EffectField::Arguments)? {
            Part::Value(Value::Shown(shown)) => {
                Some(Content::computed(shown.text.len() as u64, shown.sha256))
            }
            _ => None,
        }
    }

    pub(super) fn part(&self, wanted: EffectField) -> Option<&Part<'a>> {
        let mut parts = self.parts.iter();
        parts
            .find(|(field, _)| *field == wanted)
            .map(|(_, part)| part)
    }
}

impl GithubPart<'_> {
    fn detail(self) -> (&'static str, Detail) {
        match self {
            GithubPart::Repository => ("repository", Detail::None),
            GithubPart::New => ("new", Detail::None),
            GithubPart::Number(number) => ("number", Detail::Number(number)),
            GithubPart::Branch(name) => ("branch", Detail::Name(name.to_owned())),
            GithubPart::Tag(name) => ("tag", Detail::Name(name.to_owned())),
            GithubPart::Comment(number) => ("comment", Detail::Number(number)),
            GithubPart::Run(number) => ("run", Detail::Number(number)),
        }
    }
}

impl Advice {
    /// Whether a text is given for this field.
    pub(super) fn has(&self, field: AdvisoryField) -> bool {
        match field {
            AdvisoryField::Reason => self.reason.is_some(),
            AdvisoryField::Explanation => self.explanation.is_some(),
            AdvisoryField::Labels => !self.labels.is_empty(),
            AdvisoryField::ServerClaims => !self.server_claims.is_empty(),
            AdvisoryField::AgentChain => false,
        }
    }
}

/// The names of the parts only.
impl fmt::Debug for Effect<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.parts.iter().map(|(field, _)| field.name());
        formatter.write_str("Effect ")?;
        formatter.debug_list().entries(names).finish()
    }
}

/// Sizes and counts only.
impl fmt::Debug for HttpRequest<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HttpRequest")
            .field("headers", &self.headers.len())
            .field("body_bytes", &self.body.bytes)
            .field("response_ceiling", &self.response_ceiling)
            .finish_non_exhaustive()
    }
}

/// The sort only.
impl fmt::Debug for GithubPart<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.detail().0)
    }
}

impl fmt::Debug for GithubResource<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("GithubResource")
            .field("repository_id", &self.repository_id)
            .field("part", &self.part)
            .finish()
    }
}
