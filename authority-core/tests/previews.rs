//! Previews through the public API: what the digest covers, what is refused, and the text.

use std::collections::BTreeSet;

use authority_core::operations::{
    browser, child_agent, filesystem, github, integration, mcp_server, mcp_tool, network,
    subprocess,
};
use authority_core::target::{FilesystemTarget, RelativePath};
use authority_core::vocabulary::{Boundary, RedirectPolicy};
use authority_core::{
    Artifact, BindingResolver, BoundDirectory, Content, Digest, Effect, EffectField, GithubPart,
    GithubResource, HttpRequest, Id, Kind, Operation, PreparedChild, Preview, PreviewError,
    Previous, Request, RequiredBinding, ResolvedBinding, RootHandle, RootOptions, TextLimits,
    ThreadIdentity, ThreadPermissions, ThreadPolicy,
};

const HARNESS: Boundary = Boundary::EnforcedByHarness;

/// A host that has bound every id to a revision of this name.
struct Host(&'static str);

impl BindingResolver for Host {
    fn resolve(&self, binding: &RequiredBinding) -> Option<ResolvedBinding> {
        let (mut directory, mut revision_sha256) = (None, Digest::of(self.0.as_bytes()));
        match binding {
            RequiredBinding::Filesystem(id) => {
                directory = Some(BoundDirectory {
                    host: format!("/srv/{id}").into(),
                    guest: format!("/{id}").into(),
                });
            }
            RequiredBinding::Integration {
                revision_sha256: declared,
                ..
            } => revision_sha256 = *declared,
            _ => {}
        }
        Some(ResolvedBinding {
            revision_sha256,
            directory,
        })
    }
}

fn sha256(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

fn permissions() -> ThreadPermissions {
    let reviewer = ThreadPermissions::builder().filesystem("ws", [filesystem::Read]);
    ThreadPermissions::builder()
        .filesystem(
            "ws",
            [
                filesystem::Inspect,
                filesystem::List,
                filesystem::Read,
                filesystem::Write,
                filesystem::Delete,
                filesystem::Execute,
            ],
        )
        .subprocess(
            "sh",
            &["run.sh", "-v"],
            "ws",
            None,
            [subprocess::Simulate, subprocess::Execute],
        )
        .network(
            "https://api.example.com:443",
            RedirectPolicy::Deny,
            [network::RequestSafe, network::RequestWrite],
        )
        .github("acme/widgets", [github::Read, github::IssueWrite])
        .browser("https://docs.rs", [browser::Read, browser::Download])
        .mcp_server("docs", [mcp_server::Start])
        .mcp_tool("docs", "search", [mcp_tool::Call])
        .integration(
            "tracker",
            &sha256("tracker").to_string(),
            [integration::Invoke],
        )
        .child("reviewer", [child_agent::Delegate], reviewer)
        .provider("github", Some("github-prod"))
        .provider("anonymous", None)
        .server("docs", Some("docs-prod"))
        .environment("CI")
        .build()
        .unwrap()
}

/// A root whose bindings are resolved by a host of this name.
fn tree_of(host: &'static str) -> (RootHandle, ThreadPolicy) {
    let permissions = permissions();
    let revisions = permissions.check_bindings(&Host(host)).unwrap();
    let identity = ThreadIdentity::root("alice", "acme", "run-1").unwrap();
    let options = RootOptions::default().revisions(revisions);
    ThreadPolicy::for_root_with(identity, &permissions, options)
}

fn tree() -> (RootHandle, ThreadPolicy) {
    tree_of("one")
}

fn helper(root: &ThreadPolicy, thread: &str) -> PreparedChild {
    let artifact = Artifact::new(Id::parse("reviewer").unwrap().into_owned());
    root.intersect(&artifact, thread).unwrap()
}

fn preview(
    root: &ThreadPolicy,
    request: &Request<'_>,
    effect: &Effect<'_>,
) -> Result<Preview, PreviewError> {
    Preview::new(root, request, effect, HARNESS)
}

fn changes(new: &Preview, old: &Preview) -> Vec<String> {
    let changes = new.changes(old);
    changes.iter().map(ToString::to_string).collect()
}

fn run() -> Request<'static> {
    Request::subprocess("sh", &["run.sh", "-v"], "ws", ".", subprocess::Execute).unwrap()
}

fn effect_of_run(script: &str) -> Effect<'static> {
    Effect::run(sha256("sh"), "", [(0, Content::from(script))])
}

fn endpoint(operation: network::Operation) -> Request<'static> {
    Request::network("https://api.example.com", RedirectPolicy::Deny, operation).unwrap()
}

fn http<'a>(method: &'a str, path: &'a str, body: &str) -> HttpRequest<'a> {
    HttpRequest {
        method,
        path_and_query: Some(path),
        headers: &[],
        body: body.into(),
        response_ceiling: 1_000,
    }
}

fn page(operation: browser::Operation) -> Request<'static> {
    let file = FilesystemTarget {
        binding: Id::parse("ws").unwrap(),
        path: Some(RelativePath::parse("a.pdf").unwrap()),
    };
    let moves_file = [browser::Download, browser::Upload].contains(&operation);
    Request::browser("https://docs.rs", moves_file.then_some(file), operation).unwrap()
}

fn agent(root: &ThreadPolicy, operation: child_agent::Operation) -> Request<'static> {
    let ceiling = root.root_permissions().ceiling_sha256();
    let thread = (operation != child_agent::Delegate).then_some("t-1");
    Request::child_agent("reviewer", ceiling, thread, operation).unwrap()
}

/// A request of every operation.
fn requests(root: &ThreadPolicy) -> Vec<Request<'static>> {
    let operations = Kind::all().flat_map(Kind::operations);
    operations
        .map(|operation| request(root, operation))
        .collect()
}

fn request(root: &ThreadPolicy, operation: Operation) -> Request<'static> {
    let target = match operation.kind() {
        Kind::Filesystem => Request::filesystem("ws", "a.txt", filesystem::Read),
        Kind::Subprocess => {
            let execute = operation == subprocess::Execute.into();
            let operation = if execute {
                subprocess::Execute
            } else {
                subprocess::Simulate
            };
            return Request::subprocess("sh", &["run.sh", "-v"], "ws", ".", operation).unwrap();
        }
        Kind::Network => Request::network(
            "https://api.example.com:443",
            RedirectPolicy::Deny,
            network::Connect,
        ),
        Kind::Github => Request::github("acme/widgets", github::Read),
        Kind::Browser => {
            let all = [
                browser::Inspect,
                browser::Read,
                browser::Navigate,
                browser::Interact,
                browser::Download,
                browser::Upload,
            ];
            let typed = all
                .iter()
                .find(|typed| Operation::from(**typed) == operation);
            return page(*typed.unwrap());
        }
        Kind::McpServer => Request::mcp_server("docs", mcp_server::List),
        Kind::McpTool => Request::mcp_tool("docs", "search", mcp_tool::Call),
        Kind::Integration => {
            Request::integration("tracker", sha256("tracker"), integration::Invoke)
        }
        Kind::ChildAgent => {
            let all = [
                child_agent::Inspect,
                child_agent::Status,
                child_agent::Delegate,
                child_agent::Message,
                child_agent::Cancel,
            ];
            let typed = all
                .iter()
                .find(|typed| Operation::from(**typed) == operation);
            return agent(root, *typed.unwrap());
        }
    };
    Request::new(target.unwrap().target().clone(), operation).unwrap()
}

const ISSUE: GithubResource<'static> = GithubResource {
    repository_id: Some(7),
    part: GithubPart::Number(1),
};

/// Effects of an operation: the first, and one for each part that a host can change.
#[allow(clippy::too_many_lines)]
fn effects(operation: Operation, children: &[PreparedChild; 2]) -> Vec<Effect<'_>> {
    const HEADERS: &[(&str, &str)] = &[("accept", "text/html")];
    let other_header = |request| HttpRequest {
        headers: HEADERS,
        ..request
    };
    let other_ceiling = |request| HttpRequest {
        response_ceiling: 2,
        ..request
    };
    let other_issue = GithubResource {
        part: GithubPart::Number(2),
        ..ISSUE
    };
    let no_number = GithubResource {
        repository_id: None,
        ..ISSUE
    };
    let digest = sha256;
    match (operation.kind(), operation.name()) {
        (Kind::Filesystem, "write") => vec![
            Effect::write_file("new", Previous::New),
            Effect::write_file("few", Previous::New),
            Effect::write_file("newer", Previous::New),
            Effect::write_file("new", Previous::digest_of("")),
        ],
        (Kind::Filesystem, "delete") => vec![
            Effect::delete_file("a"),
            Effect::delete_file("b"),
            Effect::delete_empty_directory(),
        ],
        (Kind::Filesystem, "execute") => vec![Effect::execute_file("a"), Effect::execute_file("b")],
        (Kind::Subprocess, "execute") => vec![
            Effect::run(digest("sh"), "in", [(0, Content::from("a"))]),
            Effect::run(digest("bash"), "in", [(0, Content::from("a"))]),
            Effect::run(digest("sh"), "out", [(0, Content::from("a"))]),
            Effect::run(digest("sh"), "in", [(0, Content::from("b"))]),
            Effect::run(digest("sh"), "in", [(1, Content::from("a"))]),
            Effect::run(digest("sh"), "in", []),
        ],
        (Kind::Network, "connect") => vec![Effect::connect()],
        (Kind::Network, "request.safe") => vec![
            Effect::http(http("GET", "/", "")),
            Effect::http(http("HEAD", "/", "")),
            Effect::http(http("GET", "/a", "")),
            Effect::http(other_header(http("GET", "/", ""))),
            Effect::http(other_ceiling(http("GET", "/", ""))),
        ],
        (Kind::Network, _) => vec![
            Effect::http(http("POST", "/", "a")),
            Effect::http(http("PUT", "/", "a")),
            Effect::http(http("POST", "/a", "a")),
            Effect::http(http("POST", "/", "b")),
            Effect::http(http("POST", "/", "")),
            Effect::http(other_header(http("POST", "/", "a"))),
            Effect::http(other_ceiling(http("POST", "/", "a"))),
        ],
        (Kind::Github, "read") => vec![
            Effect::github_read(ISSUE),
            Effect::github_read(other_issue),
            Effect::github_read(no_number),
        ],
        (Kind::Github, _) => vec![
            Effect::github_write(ISSUE, "a"),
            Effect::github_write(ISSUE, "b"),
            Effect::github_write(ISSUE, "ab"),
            Effect::github_write(other_issue, "a"),
            Effect::github_write(no_number, "a"),
        ],
        (Kind::Browser, "interact") => vec![
            Effect::interact(Some("/"), "a"),
            Effect::interact(Some("/a"), "a"),
            Effect::interact(Some("/"), "b"),
        ],
        (Kind::Browser, "download") => vec![
            Effect::download(Some("/"), Previous::New),
            Effect::download(Some("/a"), Previous::New),
            Effect::download(Some("/"), Previous::digest_of("a")),
        ],
        (Kind::Browser, "upload") => vec![
            Effect::upload(Some("/"), "a"),
            Effect::upload(Some("/a"), "a"),
            Effect::upload(Some("/"), "b"),
        ],
        (Kind::Browser, _) => vec![Effect::page(Some("/")), Effect::page(Some("/?"))],
        (Kind::McpServer, "start") => vec![
            Effect::start_server(digest("a")),
            Effect::start_server(digest("b")),
        ],
        (Kind::McpTool, "call") => vec![
            Effect::call_tool(digest("a"), digest("b"), "{}"),
            Effect::call_tool(digest("b"), digest("b"), "{}"),
            Effect::call_tool(digest("a"), digest("a"), "{}"),
            Effect::call_tool(digest("a"), digest("b"), "[]"),
        ],
        (Kind::Integration, "invoke") => vec![Effect::invoke("{}"), Effect::invoke("[]")],
        (Kind::ChildAgent, "delegate") => vec![
            Effect::delegate(&children[0], None),
            Effect::delegate(&children[1], None),
            Effect::delegate(&children[0], Some(digest("artifact"))),
        ],
        (Kind::ChildAgent, "message") => vec![Effect::message("a"), Effect::message("b")],
        _ => vec![Effect::none()],
    }
}

/// A child from an artifact, which has all that the root has, and one from the declared block.
fn children(root: &ThreadPolicy) -> [PreparedChild; 2] {
    let (_, ceiling) = root.root_permissions().children().next().unwrap();
    [helper(root, "t-2"), root.delegate(ceiling, "t-3").unwrap()]
}

#[test]
fn every_part_changes_the_digest_and_the_text() {
    let (_handle, root) = tree();
    let children = children(&root);
    let (mut digests, mut texts, mut previews) = (BTreeSet::new(), BTreeSet::new(), 0);
    for request in requests(&root) {
        let operation = request.operation();
        for effect in effects(operation, &children) {
            let made = preview(&root, &request, &effect)
                .unwrap_or_else(|error| panic!("{operation:?}: {error}"));
            digests.insert(made.sha256());
            texts.insert(made.render_within(TextLimits::UNCUT));
            previews += 1;
        }
    }
    assert_eq!((digests.len(), texts.len()), (previews, previews));
}

#[test]
fn the_digest_is_of_canonical_json() {
    let (_handle, root) = tree();
    let write = Request::filesystem("ws", "é.md", filesystem::Write).unwrap();
    let made = preview(&root, &write, &Effect::write_file("new", Previous::New)).unwrap();
    let scope = r#"{"operations":["write"],"schema_version":1,"target":{"kind":"filesystem","recursive":false,"relative_path":"\u00e9.md","root_id":"ws"}}"#;
    let one = sha256("one").to_hex();
    let json = format!(
        r#"{{"bindings":[{{"binding":"filesystem \"ws\"","revision_sha256":"{one}"}}],"boundary":"enforced_by_harness","credential":null,"domain":"authority/preview/v1","effect":{{"content_bytes":3,"content_sha256":"{}","previous":"new"}},"scope":{scope}}}"#,
        sha256("new").to_hex(),
    );
    assert_eq!(made.sha256(), sha256(&json));
    assert_eq!(made.scope_sha256(), sha256(scope));
    assert_eq!(made.scope().sha256(), made.scope_sha256());

    let made = preview(&root, &run(), &effect_of_run("echo")).unwrap();
    let argv = sha256(r#"["run.sh","-v"]"#).to_hex();
    let cwd = sha256(r#"{"relative_path":".","root_id":"ws"}"#).to_hex();
    let json = format!(
        r#"{{"bindings":[{{"binding":"filesystem \"ws\"","revision_sha256":"{one}"}},{{"binding":"executable \"sh\"","revision_sha256":"{one}"}},{{"binding":"environment \"CI\"","revision_sha256":"{one}"}}],"boundary":"enforced_by_harness","credential":null,"domain":"authority/preview/v1","effect":{{"argv":"{argv}","cwd":{{"relative_path":".","root_id":"ws"}},"environment":["CI"],"executable_sha256":"{}","operands":[{{"argument":0,"content_sha256":"{}"}}],"stdin_sha256":"{}"}},"scope":{{"operations":["execute"],"schema_version":1,"target":{{"argv_sha256":"{argv}","cwd_sha256":"{cwd}","executable":"sh","kind":"subprocess"}}}}}}"#,
        sha256("sh").to_hex(),
        sha256("echo").to_hex(),
        sha256("").to_hex(),
    );
    assert_eq!(made.sha256(), sha256(&json));

    let call = Request::mcp_tool("docs", "search", mcp_tool::Call).unwrap();
    let effect = Effect::call_tool(sha256("a"), sha256("b"), r#"{"q":1}"#);
    let made = preview(&root, &call, &effect).unwrap();
    let json = format!(
        r#"{{"bindings":[{{"binding":"credential \"docs-prod\" for mcp_server \"docs\"","revision_sha256":"{one}"}},{{"binding":"mcp \"docs\"","revision_sha256":"{one}"}}],"boundary":"enforced_by_harness","credential":{{"binding_id":"docs-prod","target":{{"id":"docs","kind":"mcp_server"}}}},"domain":"authority/preview/v1","effect":{{"arguments":"{}","launch_sha256":"{}","tool_definition_sha256":"{}"}},"scope":{{"operations":["call"],"schema_version":1,"target":{{"kind":"mcp","server_id":"docs","tool_name":"search"}}}}}}"#,
        sha256(r#"{"q":1}"#).to_hex(),
        sha256("b").to_hex(),
        sha256("a").to_hex(),
    );
    assert_eq!(made.sha256(), sha256(&json));
}

#[test]
fn a_missing_or_needless_part_means_no_preview() {
    let (_handle, root) = tree();
    let children = children(&root);
    for request in requests(&root) {
        let operation = request.operation();
        let given = names(&effects(operation, &children)[0]);
        let alone = preview(&root, &request, &Effect::none());
        assert_eq!(alone.is_ok(), given.is_empty(), "{operation:?}");
        // No effect of another form passes: no part is ever left out or ignored.
        for other in requests(&root) {
            for effect in effects(other.operation(), &children) {
                if names(&effect) != given {
                    let made = preview(&root, &request, &effect);
                    assert!(made.is_err(), "{operation:?} with {effect:?}");
                }
            }
        }
    }
}

/// The parts that an effect gives, sorted.
fn names(effect: &Effect<'_>) -> Vec<String> {
    let text = format!("{effect:?}");
    let mut names: Vec<_> = text
        .split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect();
    names.sort();
    names
}

fn refused(root: &ThreadPolicy, request: &Request<'_>, effect: &Effect<'_>) -> PreviewError {
    preview(root, request, effect).expect_err("no preview")
}

#[test]
fn runs_that_are_refused() {
    let (_handle, root) = tree();
    // A run that is known by digests only can not be shown.
    let digests = Request::new(run().target().clone(), run().operation()).unwrap();
    let argv = PreviewError::Missing {
        field: EffectField::Argv,
    };
    assert_eq!(refused(&root, &digests, &effect_of_run("")), argv);
    // An operand is one argument of those that there are, and named once.
    for operands in [vec![2], vec![0, 0]] {
        let operands = operands
            .into_iter()
            .map(|argument| (argument, Content::from("a")));
        let operand = PreviewError::Malformed {
            field: EffectField::Operands,
        };
        assert_eq!(
            refused(&root, &run(), &Effect::run(sha256("sh"), "", operands)),
            operand
        );
    }
}

#[test]
fn operands_have_no_order() {
    let (_handle, root) = tree();
    let with = |operands: [(usize, Content); 2]| {
        preview(&root, &run(), &Effect::run(sha256("sh"), "", operands)).unwrap()
    };
    let (a, b) = (Content::from("a"), Content::from("b"));
    assert_eq!(with([(0, a), (1, b)]), with([(1, b), (0, a)]));
    assert_ne!(with([(0, a), (1, b)]), with([(0, b), (1, a)]));
}

#[test]
fn http_requests_that_are_refused() {
    let (_handle, root) = tree();
    let field = EffectField::PathAndQuery;
    // Safe requests and others are two operations.
    let (safe, write) = (
        endpoint(network::RequestSafe),
        endpoint(network::RequestWrite),
    );
    let upgrade = HttpRequest {
        headers: &[("upgrade", "h2c")],
        ..http("GET", "/", "")
    };
    for request in [http("POST", "/", ""), http("GET", "/", "a"), upgrade] {
        assert_eq!(
            refused(&root, &safe, &Effect::http(request)),
            PreviewError::OtherEffect
        );
        assert!(preview(&root, &write, &Effect::http(request)).is_ok());
    }
    assert_eq!(
        refused(&root, &write, &Effect::http(http("HEAD", "/", ""))),
        PreviewError::OtherEffect
    );
    let method = PreviewError::Malformed {
        field: EffectField::Method,
    };
    assert_eq!(
        refused(&root, &write, &Effect::http(http("post", "/", ""))),
        method
    );
    let headers = HttpRequest {
        headers: &[("host", "evil.example")],
        ..http("GET", "/", "")
    };
    let malformed = PreviewError::Malformed {
        field: EffectField::HeadersSha256,
    };
    assert_eq!(refused(&root, &safe, &Effect::http(headers)), malformed);
    assert_eq!(
        refused(&root, &safe, &Effect::http(http("GET", "a", ""))),
        PreviewError::Malformed { field }
    );
    let no_path = HttpRequest {
        path_and_query: None,
        ..http("GET", "/", "")
    };
    assert_eq!(
        refused(&root, &safe, &Effect::http(no_path)),
        PreviewError::Missing { field }
    );
    // A web socket opens with a request, and a raw stream does not.
    let stream =
        |endpoint| Request::network(endpoint, RedirectPolicy::Deny, network::Connect).unwrap();
    let (socket, raw) = (stream("wss://a.example"), stream("tcp://a.example:1"));
    let opening =
        |path, headers| preview(&root, &socket, &Effect::web_socket(Some(path), headers)).unwrap();
    let opened = opening("/", &[]);
    let other_path = changes(&opening("/a", &[]), &opened);
    assert_eq!(other_path, ["path_and_query"]);
    let other_headers = changes(&opening("/", &[("origin", "https://a.example")]), &opened);
    assert_eq!(other_headers, ["headers_sha256"]);
    assert!(preview(&root, &raw, &Effect::connect()).is_ok());
    assert_eq!(
        refused(&root, &socket, &Effect::connect()),
        PreviewError::Missing { field }
    );
    assert_eq!(
        refused(&root, &raw, &Effect::web_socket(Some("/"), &[])),
        PreviewError::OtherEffect
    );
    let over_ssh = Request::network(
        "ssh://a.example",
        RedirectPolicy::Deny,
        network::RequestSafe,
    );
    assert_eq!(
        refused(
            &root,
            &over_ssh.unwrap(),
            &Effect::http(http("GET", "/", ""))
        ),
        PreviewError::NeverAllowed
    );
    let own = Request::filesystem("ws", ".", filesystem::Write).unwrap();
    assert_eq!(
        refused(&root, &own, &Effect::write_file("", Previous::New)),
        PreviewError::NeverAllowed
    );
}

#[test]
fn what_the_thread_or_the_root_does_not_know_is_refused() {
    let (_handle, root) = tree();
    // Credentials are held ones.
    let read = Request::github("acme/widgets", github::Read).unwrap();
    let named = read.with_credential("gitlab").unwrap();
    assert_eq!(
        refused(&root, &named, &Effect::github_read(ISSUE)),
        PreviewError::CredentialNotHeld
    );
    let call = Request::mcp_tool("docs", "search", mcp_tool::Call).unwrap();
    let named = call.with_credential("github").unwrap();
    let effect = Effect::call_tool(sha256("a"), sha256("b"), "{}");
    assert_eq!(
        refused(&root, &named, &effect),
        PreviewError::CredentialNotHeld
    );
    let elsewhere = Request::mcp_tool("other", "search", mcp_tool::Call).unwrap();
    assert_eq!(
        refused(&root, &elsewhere, &effect),
        PreviewError::CredentialNotHeld
    );
    // What an id stands for must be known.
    let identity = ThreadIdentity::root("alice", "acme", "run-1").unwrap();
    let (_handle, unresolved) = ThreadPolicy::for_root(identity, &permissions());
    let request = Request::filesystem("ws", "a", filesystem::Read).unwrap();
    let binding = RequiredBinding::Filesystem(Id::parse("ws").unwrap());
    assert_eq!(
        preview(&unresolved, &request, &Effect::none()).unwrap_err(),
        PreviewError::Unresolved { binding }
    );
    // A child is this thread's own, and of the agent that is asked for.
    let (_other_handle, other) = tree();
    let foreign = helper(&other, "t-9");
    let delegate = agent(&root, child_agent::Delegate);
    assert_eq!(
        refused(&root, &delegate, &Effect::delegate(&foreign, None)),
        PreviewError::OtherEffect
    );
    let stranger = Artifact::new(Id::parse("stranger").unwrap().into_owned());
    let stranger = root.intersect(&stranger, "t-10").unwrap();
    assert_eq!(
        refused(&root, &delegate, &Effect::delegate(&stranger, None)),
        PreviewError::OtherEffect
    );
}

#[cfg(feature = "url")]
#[test]
fn the_path_of_a_url_is_shown_and_sent() {
    let (_handle, root) = tree();
    let url = "https://API.example.com/a b?c#d";
    let of_url = Request::network_url(url, RedirectPolicy::Deny, network::RequestSafe).unwrap();
    let without = HttpRequest {
        path_and_query: None,
        ..http("GET", "/", "")
    };
    let made = preview(&root, &of_url, &Effect::http(without)).unwrap();
    assert!(made.render().contains("\n  path_and_query: \"/a%20b?c\"\n"));
    for path in ["/a b?c", "/a%20b?c", "/x/../a b?c"] {
        let effect = Effect::http(http("GET", path, ""));
        assert_eq!(preview(&root, &of_url, &effect).unwrap(), made);
        assert_eq!(
            preview(&root, &endpoint(network::RequestSafe), &effect).unwrap(),
            made
        );
    }
    let field = EffectField::PathAndQuery;
    let other = Effect::http(http("GET", "/b", ""));
    assert_eq!(
        preview(&root, &of_url, &other).unwrap_err(),
        PreviewError::Conflict { field }
    );
    let raw = Request::network_url(
        "tcp://a.example:1/b",
        RedirectPolicy::Deny,
        network::Connect,
    );
    assert_eq!(
        preview(&root, &raw.unwrap(), &Effect::connect()).unwrap_err(),
        PreviewError::Conflict { field }
    );
}

#[test]
fn credentials_are_the_held_ones_or_none() {
    let (_handle, root) = tree();
    let read = || Request::github("acme/widgets", github::Read).unwrap();
    let made =
        |request: Request<'_>| preview(&root, &request, &Effect::github_read(ISSUE)).unwrap();
    let without = made(read());
    let prod = made(read().with_credential("github").unwrap());
    let anonymous = made(read().with_credential("anonymous").unwrap());
    assert_eq!(without.credential(), None);
    let binding = |preview: &Preview| preview.credential().unwrap().binding.clone();
    assert_eq!(binding(&prod).unwrap().as_str(), "github-prod");
    assert_eq!(binding(&anonymous), None);
    let bindings: Vec<_> = prod
        .bindings()
        .iter()
        .map(|(binding, _)| binding.to_string())
        .collect();
    assert_eq!(
        bindings,
        [r#"credential "github-prod" for provider "github""#]
    );
    assert_eq!(
        changes(&prod, &without),
        [
            "credential",
            r#"bindings (credential "github-prod" for provider "github")"#
        ]
    );
    assert_eq!(changes(&anonymous, &without), ["credential"]);
    for (preview, line) in [
        (&without, "credential: none\n"),
        (&prod, "credential: \"github-prod\" for provider github\n"),
        (&anonymous, "credential: none for provider anonymous\n"),
    ] {
        assert!(preview.render().contains(line), "{}", preview.render());
    }
}

#[test]
fn changes_name_what_differs() {
    let (_handle, root) = tree();
    let (_other_handle, other) = tree_of("two");
    let request = |path, operation| Request::filesystem("ws", path, operation).unwrap();
    let made = |request: Request<'_>| preview(&root, &request, &Effect::none()).unwrap();
    let read = made(request("a", filesystem::Read));
    assert_eq!(changes(&read, &read), [""; 0]);
    assert_eq!(
        changes(&made(request("b", filesystem::Inspect)), &read),
        ["scope (relative_path)", "scope (operation)"]
    );
    // The binding's own directory is not a path in it.
    assert_eq!(
        changes(&made(request(".", filesystem::Read)), &read),
        [
            "scope (recursive)",
            "scope (relative_path)",
            "own_directory"
        ]
    );
    let elsewhere = preview(&other, &request("a", filesystem::Read), &Effect::none()).unwrap();
    assert_eq!(
        changes(&elsewhere, &read),
        [r#"bindings (filesystem "ws")"#]
    );
    let sandbox = Boundary::DelegatedToCliSandbox;
    let sandboxed = Preview::new(
        &root,
        &request("a", filesystem::Read),
        &Effect::none(),
        sandbox,
    );
    assert_eq!(changes(&sandboxed.unwrap(), &read), ["boundary"]);
    let written = preview(
        &root,
        &request("a", filesystem::Write),
        &Effect::write_file("a", Previous::New),
    );
    assert_eq!(
        changes(&written.unwrap(), &read),
        [
            "scope (operation)",
            "own_directory",
            "content_bytes",
            "content_sha256",
            "previous"
        ]
    );
    let github = Request::github("acme/widgets", github::Read).unwrap();
    let github = preview(&root, &github, &Effect::github_read(ISSUE)).unwrap();
    assert_eq!(
        changes(&github, &read),
        [
            "scope (kind)",
            r#"bindings (filesystem "ws")"#,
            "own_directory",
            "repository_id",
            "resource"
        ]
    );
}

#[test]
fn the_text_of_a_run() {
    let (_handle, root) = tree();
    let effect = effect_of_run("echo")
        .with_reason("a\nb")
        .with_label("ticket", "T-1");
    let made = preview(&root, &run(), &effect).unwrap();
    let (one, digest) = (sha256("one"), sha256);
    let argv = digest(r#"["run.sh","-v"]"#);
    let expected = format!(
        r#"subprocess execute
  covers: one run with exactly that argv (`argv[0]` is the binding's guest path), that working directory, and the policy's environment entries
  never covers: a shell's reading of argv; inherited environment
  argv_sha256: {argv}
  cwd_sha256: {}
  executable: "sh"
  argv: 2 arguments, {argv}
    0: "run.sh"
    1: "-v"
  cwd: "ws"
  environment: 1
    0: "CI"
  executable_sha256: {}
  stdin_sha256: {}
  operands: 1
    0: argument 0 is {}
  credential: none
  boundary: enforced_by_harness (the program that hosts the agent)
  bindings: 3
    0: filesystem "ws" is {one}
    1: executable "sh" is {one}
    2: environment "CI" is {one}
not part of the approval
  reason: "a\nb"
  labels: 1
    0: "ticket": "T-1"
  agent_chain: owner "alice", workspace "acme", run "run-1", thread "run-1"
preview {}
"#,
        digest(r#"{"relative_path":".","root_id":"ws"}"#),
        digest("sh"),
        digest(""),
        digest("echo"),
        made.sha256(),
    );
    assert_eq!(made.render(), expected);
}

#[test]
fn a_cut_is_marked_with_size_and_digest() {
    let (_handle, root) = tree();
    let reason = "0123456789é";
    let read = Request::filesystem("ws", "a", filesystem::Read).unwrap();
    let made = preview(&root, &read, &Effect::none().with_reason(reason)).unwrap();
    let limits = |characters| TextLimits {
        characters,
        items: 1,
    };
    let cut = format!(
        "  reason: \"012\" … 6 of 11 characters left out; all 12 bytes are {} … \"9é\"\n",
        sha256(reason)
    );
    assert!(made.render_within(limits(5)).contains(&cut));
    assert!(
        made.render_within(limits(11))
            .contains("  reason: \"0123456789é\"\n")
    );
    let made = preview(&root, &run(), &effect_of_run("")).unwrap();
    let text = made.render_within(limits(100));
    let argv = sha256(r#"["run.sh","-v"]"#);
    let list =
        format!("  argv: 2 arguments, {argv}\n    0: \"run.sh\"\n    … 1 of 2 left out …\n  cwd");
    assert!(text.contains(&list), "{text}");
}

#[test]
fn ag_approval_01() {
    let (_handle, root) = tree();
    let read = Request::filesystem("ws", "a", filesystem::Read).unwrap();
    let with = |reason: &str| {
        let effect = Effect::none()
            .with_reason(reason)
            .with_explanation(reason)
            .with_label("note", reason);
        preview(&root, &read, &effect).unwrap()
    };
    let (first, second) = (with("restart service"), with("restart it"));
    assert_eq!(first.sha256(), second.sha256());
    assert!(first.changes(&second).is_empty());
    assert_eq!(second.advisory().reason(), Some("restart it"));
}

#[test]
fn ag_approval_02() {
    let (_handle, root) = tree();
    let issue = Request::github("acme/widgets", github::IssueWrite).unwrap();
    let with = |payload| preview(&root, &issue, &Effect::github_write(ISSUE, payload)).unwrap();
    assert_ne!(with("a").sha256(), with("b").sha256());
    assert_eq!(changes(&with("b"), &with("a")), ["payload_sha256"]);
}

#[test]
fn ag_approval_23() {
    let (_handle, root) = tree();
    // 5,000 characters are more than a process may be given in one argument.
    let long = |count: usize| format!("{}{}", "\n".repeat(40), "x".repeat(count - 40));
    let request = |argument: &str| {
        let arguments = [argument, "second"];
        let request = Request::subprocess("sh", &arguments, "ws", ".", subprocess::Execute).ok()?;
        let made = preview(&root, &request, &Effect::run(sha256("sh"), "", [])).unwrap();
        Some(made.render())
    };
    assert_eq!(request(&long(5_000)), None);
    let argument = long(4_000);
    let text = request(&argument).unwrap();
    let mark = format!(
        "    0: \"{}{}\" … 2000 of 4000 characters left out; all 4000 bytes are {} … \"{}\"\n    1: \"second\"\n",
        "\\n".repeat(40),
        "x".repeat(960),
        sha256(&argument),
        "x".repeat(1_000),
    );
    assert!(text.contains(&mark), "{text}");
}

#[test]
fn ag_approval_24() {
    let (_handle, root) = tree();
    let arguments = [
        "/home/alice/.ssh/id",
        "\u{1b}[2Ja\u{202e}\\\"b",
        "e\u{301}\u{a0}é",
    ];
    let request = Request::subprocess("sh", &arguments, "ws", ".", subprocess::Execute).unwrap();
    let made = preview(&root, &request, &Effect::run(sha256("sh"), "", [])).unwrap();
    let lines = concat!(
        "    0: \"/home/alice/.ssh/id\"\n",
        r#"    1: "\u{1B}[2Ja\u{202E}\\\"b""#,
        "\n",
        r#"    2: "e\u{301}\u{A0}é""#,
        "\n"
    );
    assert!(made.render().contains(lines), "{}", made.render());
}

#[test]
fn ag_dsl_16() {
    let (_handle, root) = tree();
    let arguments = ["--upload-pack=x"];
    let request = Request::subprocess("sh", &arguments, "ws", ".", subprocess::Execute).unwrap();
    let made = preview(&root, &request, &Effect::run(sha256("sh"), "", [])).unwrap();
    assert!(made.render().contains("\n    0: \"--upload-pack=x\"\n"));
}

#[test]
fn ag_network_11() {
    let (_handle, root) = tree();
    let endpoint = "https://\u{430}pi.example.com:443";
    let request = Request::network(endpoint, RedirectPolicy::Deny, network::RequestSafe).unwrap();
    let made = preview(&root, &request, &Effect::http(http("GET", "/", ""))).unwrap();
    assert!(
        made.render()
            .contains("\n  host: \"xn--pi-6kc.example.com\"\n")
    );
}

#[test]
fn ag_github_01() {
    let (_handle, root) = tree();
    let with = |repository: &'static str| {
        let request = Request::github(repository, github::Read).unwrap();
        preview(&root, &request, &Effect::github_read(ISSUE)).unwrap()
    };
    assert_eq!(with("Acme/Widgets").sha256(), with("acme/widgets").sha256());
}

fn call_of(root: &ThreadPolicy, definition: &str, launch: &str) -> Preview {
    let call = Request::mcp_tool("docs", "search", mcp_tool::Call).unwrap();
    let effect = Effect::call_tool(sha256(definition), sha256(launch), "{}");
    preview(root, &call, &effect).unwrap()
}

#[test]
fn ag_mcp_06() {
    let (_handle, root) = tree();
    let (new, old) = (call_of(&root, "d", "D2"), call_of(&root, "d", "D1"));
    assert_eq!(changes(&new, &old), ["launch_sha256"]);
}

#[test]
fn ag_mcp_07() {
    let (_handle, root) = tree();
    let (new, old) = (call_of(&root, "D2", "l"), call_of(&root, "D1", "l"));
    assert_eq!(changes(&new, &old), ["tool_definition_sha256"]);
}

#[test]
fn ag_mcp_09() {
    let (_handle, root) = tree();
    let call = Request::mcp_tool("docs", "search", mcp_tool::Call).unwrap();
    let effect = || Effect::call_tool(sha256("a"), sha256("b"), "{}");
    let claimed = effect().with_server_claim("readOnlyHint", "true");
    let made = preview(&root, &call, &claimed).unwrap();
    let text = made.render();
    let (_, advisory) = text.split_once("not part of the approval\n").unwrap();
    assert!(advisory.contains("  server_claims: 1\n    0: \"readOnlyHint\": \"true\"\n"));
    assert_eq!(made, preview(&root, &call, &effect()).unwrap());
    // Only a tool's server claims something.
    let read = Request::filesystem("ws", "a", filesystem::Read).unwrap();
    let claimed = Effect::none().with_server_claim("readOnlyHint", "true");
    let needless = PreviewError::Needless {
        field: "server_claims",
    };
    assert_eq!(preview(&root, &read, &claimed).unwrap_err(), needless);
}

#[test]
fn ag_mcp_10() {
    let (_handle, root) = tree();
    let call = Request::mcp_tool("docs", "search", mcp_tool::Call).unwrap();
    let missing = PreviewError::Missing {
        field: EffectField::ToolDefinitionSha256,
    };
    assert_eq!(preview(&root, &call, &Effect::none()).unwrap_err(), missing);
    assert_eq!(
        preview(&root, &call, &Effect::invoke("{}")).unwrap_err(),
        missing
    );
}

fn run_of(root: &ThreadPolicy, argument: &str, cwd: &str) -> Preview {
    let arguments = [argument];
    let run = Request::subprocess("sh", &arguments, "ws", cwd, subprocess::Execute).unwrap();
    preview(root, &run, &Effect::run(sha256("sh"), "", [])).unwrap()
}

#[test]
fn ag_process_10() {
    let (_handle, root) = tree();
    let old = run_of(&root, "https://a.example/x", ".");
    let new = run_of(&root, "https://a.example/y", ".");
    assert_eq!(changes(&new, &old), ["scope (argv_sha256)", "argv"]);
}

#[test]
fn ag_process_11() {
    let (_handle, root) = tree();
    let (old, new) = (
        run_of(&root, "clean", "app"),
        run_of(&root, "clean", "infra"),
    );
    assert_eq!(changes(&new, &old), ["scope (cwd_sha256)", "cwd"]);
}

#[test]
fn ag_process_12() {
    let (_handle, root) = tree();
    let with = |script| preview(&root, &run(), &effect_of_run(script)).unwrap();
    assert_ne!(with("D1").sha256(), with("D2").sha256());
    assert_eq!(changes(&with("D2"), &with("D1")), ["operands (argument 0)"]);
}
