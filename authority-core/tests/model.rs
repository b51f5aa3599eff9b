//! A second, naive model of intersection and decision, which the engine is compared with on random
//! chains of restrictions: 10,000 of them in a debug build, 100,000 in a release build.

use std::collections::{BTreeMap, BTreeSet};

use authority_core::operations::{filesystem, github, mcp_server, mcp_tool, network};
use authority_core::vocabulary::{ExecutionMode, RedirectPolicy, Setting};
use authority_core::{Artifact, Request, ThreadIdentity, ThreadPermissions, ThreadPolicy};

/// A small generator: the same sequence on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % below
    }

    fn one_in(&mut self, number: usize) -> bool {
        self.next(number) == 0
    }

    fn subset<T: Clone>(&mut self, items: &[T]) -> Vec<T> {
        items.iter().filter(|_| self.one_in(2)).cloned().collect()
    }
}

/// A target as the model knows it, with its wire form.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Key {
    Whole(&'static str),
    Path(&'static str, &'static str),
    Repository(&'static str),
    Endpoint(&'static str),
    Server(&'static str),
    Tool(&'static str, &'static str),
}

impl Key {
    fn json(self) -> String {
        match self {
            Key::Whole(id) => format!(
                r#"{{"kind":"filesystem","recursive":true,"relative_path":".","root_id":"{id}"}}"#
            ),
            Key::Path(id, path) => {
                format!(
                    r#"{{"kind":"filesystem","recursive":false,"relative_path":"{path}","root_id":"{id}"}}"#
                )
            }
            Key::Repository(name) => format!(r#"{{"kind":"github","repository":"{name}"}}"#),
            Key::Endpoint(host) => format!(
                r#"{{"host":"{host}","kind":"network","port":443,"protocol":"https","redirect_policy":"deny"}}"#
            ),
            Key::Server(id) => format!(r#"{{"kind":"mcp","server_id":"{id}","tool_name":null}}"#),
            Key::Tool(id, tool) => {
                format!(r#"{{"kind":"mcp","server_id":"{id}","tool_name":"{tool}"}}"#)
            }
        }
    }

    fn server(self) -> Option<&'static str> {
        match self {
            Key::Server(id) | Key::Tool(id, _) => Some(id),
            _ => None,
        }
    }
}

type Operations = BTreeSet<&'static str>;

/// What a thread holds, in sets and maps.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Model {
    scopes: BTreeMap<Key, Operations>,
    /// Kind, id, binding.
    credentials: BTreeSet<(&'static str, &'static str, Option<&'static str>)>,
    tools: BTreeMap<&'static str, Option<(&'static str, &'static str)>>,
    environment: BTreeSet<&'static str>,
    mode: usize,
    tokens: Option<u64>,
    concurrent: Option<u64>,
}

/// A restriction: `None` inherits.
#[derive(Clone, Debug, Default)]
struct Wanted {
    scopes: Option<Vec<(Key, Vec<&'static str>)>>,
    credentials: Option<Vec<(&'static str, &'static str, Option<&'static str>)>>,
    tools: Option<Vec<&'static str>>,
    filesystem: Option<Vec<(&'static str, bool, bool)>>,
    network: Option<bool>,
    environment: Option<Vec<&'static str>>,
    mode: Option<usize>,
    tokens: Option<u64>,
    concurrent: Option<u64>,
}

const MODES: [&str; 3] = ["direct", "auto", "sandboxed"];
const UNIVERSE: [(Key, &[&str]); 11] = [
    (Key::Whole("ws"), &["inspect", "list", "read", "write"]),
    (Key::Path("ws", "a"), &["read", "write", "delete"]),
    (Key::Path("docs", "a"), &["read", "execute"]),
    (Key::Repository("acme/one"), &["read", "issue.write"]),
    (Key::Repository("acme/two"), &["read"]),
    (Key::Endpoint("a.example"), &["connect", "request.safe"]),
    (Key::Server("docs"), &["list", "start"]),
    (Key::Tool("docs", "search"), &["inspect", "call"]),
    (Key::Tool("docs", "free"), &["call"]),
    (Key::Tool("wiki", "get"), &["call"]),
    (Key::Server("wiki"), &["status"]),
];
/// Targets that nobody holds, and operations that some lack.
const STRANGERS: [(Key, &[&str]); 4] = [
    (Key::Path("ws", "b"), &["read", "write", "delete"]),
    (Key::Whole("docs"), &["read"]),
    (Key::Repository("acme/three"), &["read"]),
    (Key::Tool("docs", "other"), &["call"]),
];
const CREDENTIALS: [(&str, &str, Option<&str>); 4] = [
    ("provider", "anthropic", Some("prod")),
    ("provider", "github", None),
    ("mcp_server", "docs", Some("docs-token")),
    ("mcp_server", "wiki", None),
];
const TOOLS: [(&str, Option<(&str, &str)>); 4] = [
    ("echo", None),
    ("search_docs", Some(("docs", "search"))),
    ("find_docs", Some(("docs", "search"))),
    ("get_wiki", Some(("wiki", "get"))),
];
const ENVIRONMENT: [&str; 2] = ["CI", "RUST_LOG"];

impl Model {
    fn root() -> Self {
        Model {
            scopes: UNIVERSE
                .iter()
                .map(|(key, operations)| (*key, operations.iter().copied().collect()))
                .collect(),
            credentials: CREDENTIALS.into_iter().collect(),
            tools: TOOLS.into_iter().collect(),
            environment: ENVIRONMENT.into_iter().collect(),
            mode: 0,
            tokens: Some(100),
            concurrent: None,
        }
    }

    fn intersect(&self, wanted: &Wanted) -> Self {
        let mut child = self.clone();
        if let Some(scopes) = &wanted.scopes {
            child.scopes.retain(|key, operations| {
                let listed = scopes.iter().find(|(other, _)| other == key);
                operations.retain(|operation| {
                    listed.is_some_and(|(_, listed)| listed.contains(operation))
                });
                !operations.is_empty()
            });
        }
        if let Some(filesystem) = &wanted.filesystem {
            child.filter(|key, operation| {
                let (Key::Whole(id) | Key::Path(id, _)) = key else {
                    return true;
                };
                let grant = filesystem.iter().find(|(other, ..)| *other == id);
                grant.is_some_and(|(_, read, write)| {
                    if matches!(operation, "write" | "delete") {
                        *write
                    } else {
                        *read
                    }
                })
            });
        }
        if wanted.network == Some(false) {
            child.filter(|key, _| !matches!(key, Key::Endpoint(_)));
        }
        if let Some(credentials) = &wanted.credentials {
            child.credentials.retain(|held| credentials.contains(held));
        }
        if let Some(tools) = &wanted.tools {
            let bound: BTreeSet<_> = child.tools.values().flatten().copied().collect();
            child.tools.retain(|id, _| tools.contains(id));
            let still: BTreeSet<_> = child.tools.values().flatten().copied().collect();
            child.filter(|key, operation| match key {
                Key::Tool(server, tool) if operation == "call" => {
                    !bound.contains(&(server, tool)) || still.contains(&(server, tool))
                }
                _ => true,
            });
        }
        if let Some(environment) = &wanted.environment {
            child.environment.retain(|id| environment.contains(id));
        }
        child.mode = child.mode.max(wanted.mode.unwrap_or(0));
        child.tokens = lower(child.tokens, wanted.tokens);
        child.concurrent = lower(child.concurrent, wanted.concurrent);
        if child.concurrent == Some(0) {
            child.tools.clear();
            child.filter(|key, operation| !(matches!(key, Key::Tool(..)) && operation == "call"));
        }
        child.settle();
        child
    }

    fn filter(&mut self, keep: impl Fn(Key, &str) -> bool) {
        self.scopes.retain(|key, operations| {
            operations.retain(|operation| keep(*key, operation));
            !operations.is_empty()
        });
    }

    /// Repeats the rules of what falls until nothing falls.
    fn settle(&mut self) {
        loop {
            let before = self.clone();
            let granted: BTreeSet<_> = self
                .credentials
                .iter()
                .filter(|(kind, ..)| *kind == "mcp_server")
                .map(|(_, id, _)| *id)
                .collect();
            self.scopes
                .retain(|key, _| key.server().is_none_or(|server| granted.contains(server)));
            let scoped: BTreeSet<_> = self.scopes.keys().filter_map(|key| key.server()).collect();
            self.credentials
                .retain(|(kind, id, _)| *kind == "provider" || scoped.contains(id));
            let held = &self.scopes;
            self.tools.retain(|_, binding| {
                binding.is_none_or(|(server, tool)| {
                    held.get(&Key::Tool(server, tool))
                        .is_some_and(|operations| operations.contains("call"))
                })
            });
            if *self == before {
                return;
            }
        }
    }

    fn allows(&self, key: Key, operation: &str) -> bool {
        let has = |key| {
            self.scopes
                .get(&key)
                .is_some_and(|operations| operations.contains(operation))
        };
        match key {
            Key::Path(id, _) => has(key) || has(Key::Whole(id)),
            // The binding's own directory can only be looked at.
            Key::Whole(_) => has(key) && matches!(operation, "inspect" | "list" | "read"),
            _ => has(key),
        }
    }
}

fn lower(left: Option<u64>, right: Option<u64>) -> Option<u64> {
    [left, right].into_iter().flatten().min()
}

impl Wanted {
    fn random(random: &mut Random) -> Self {
        let mut wanted = Wanted::default();
        if random.one_in(3) {
            let all: Vec<_> = UNIVERSE.into_iter().chain(STRANGERS).collect();
            let mut scopes = Vec::new();
            for (key, operations) in random.subset(&all) {
                let operations = random.subset(operations);
                if !operations.is_empty() {
                    scopes.push((key, operations));
                }
            }
            wanted.scopes = Some(if random.one_in(6) { Vec::new() } else { scopes });
        }
        if random.one_in(4) {
            let mut credentials = random.subset(&CREDENTIALS);
            if random.one_in(4) {
                credentials.push(("provider", "openai", None));
            }
            wanted.credentials = Some(credentials);
        }
        if random.one_in(4) {
            let ids: Vec<_> = TOOLS.iter().map(|(id, _)| *id).chain(["nope"]).collect();
            wanted.tools = Some(random.subset(&ids));
        }
        if random.one_in(4) {
            let bindings = random.subset(&["ws", "docs", "else"]);
            let grants = bindings
                .into_iter()
                .map(|id| (id, random.one_in(2), random.one_in(2)));
            wanted.filesystem = Some(grants.collect());
        }
        wanted.network = random.one_in(4).then(|| random.one_in(2));
        wanted.environment = random
            .one_in(4)
            .then(|| random.subset(&["CI", "RUST_LOG", "OTHER"]));
        wanted.mode = random.one_in(3).then(|| random.next(3));
        wanted.tokens = random.one_in(3).then(|| [0, 7, 500][random.next(3)]);
        wanted.concurrent = random.one_in(6).then(|| [0, 3][random.next(2)]);
        wanted
    }

    /// The document of version 2.
    fn json(&self) -> String {
        let quoted = |text: &str| format!("\"{text}\"");
        let list = |items: Vec<String>| format!("[{}]", items.join(","));
        let mut members = vec![r#""version":2"#.to_owned()];
        if let Some(scopes) = &self.scopes {
            let scopes = scopes.iter().map(|(key, operations)| {
                let operations = list(
                    operations
                        .iter()
                        .map(|operation| quoted(operation))
                        .collect(),
                );
                format!(
                    r#"{{"operations":{operations},"schema_version":1,"target":{}}}"#,
                    key.json()
                )
            });
            members.push(format!(r#""scopes":{}"#, list(scopes.collect())));
        }
        if let Some(credentials) = &self.credentials {
            let credentials = credentials.iter().map(|(kind, id, binding)| {
                let binding = binding.map_or("null".to_owned(), quoted);
                format!(r#"{{"binding_id":{binding},"target":{{"id":"{id}","kind":"{kind}"}}}}"#)
            });
            members.push(format!(r#""credentials":{}"#, list(credentials.collect())));
        }
        if let Some(tools) = &self.tools {
            members.push(format!(
                r#""tools":{}"#,
                list(tools.iter().map(|id| quoted(id)).collect())
            ));
        }
        if let Some(tokens) = self.tokens {
            members.push(format!(r#""budgets":{{"max_tokens_per_turn":{tokens}}}"#));
        }
        if let Some(concurrent) = self.concurrent {
            members.push(format!(r#""max_concurrent_tools":{concurrent}"#));
        }
        let mut sandbox = Vec::new();
        if let Some(mode) = self.mode {
            sandbox.push(format!(r#""execution_mode":"{}""#, MODES[mode]));
        }
        if let Some(network) = self.network {
            sandbox.push(format!(r#""network_enabled":{network}"#));
        }
        if let Some(filesystem) = &self.filesystem {
            let grants = filesystem
                .iter()
                .map(|(id, read, write)| format!(r#""{id}":{{"read":{read},"write":{write}}}"#));
            sandbox.push(format!(
                r#""filesystem":{{{}}}"#,
                grants.collect::<Vec<_>>().join(",")
            ));
        }
        if let Some(environment) = &self.environment {
            sandbox.push(format!(
                r#""environment":{}"#,
                list(environment.iter().map(|id| quoted(id)).collect())
            ));
        }
        members.push(format!(r#""sandbox":{{{}}}"#, sandbox.join(",")));
        format!("{{{}}}", members.join(","))
    }
}

/// What the model knows, among other grants that no request names: with many of them the masks of
/// children are kept sparse.
fn root(others: usize) -> ThreadPermissions {
    let other = |number: usize| format!("acme/other-{number}");
    (0..others)
        .fold(ThreadPermissions::builder(), |builder, number| {
            builder.github(&other(number), [github::Read])
        })
        .filesystem(
            "ws",
            [
                filesystem::Inspect,
                filesystem::List,
                filesystem::Read,
                filesystem::Write,
            ],
        )
        .filesystem_path(
            "ws",
            "a",
            [filesystem::Read, filesystem::Write, filesystem::Delete],
        )
        .filesystem_path("docs", "a", [filesystem::Read, filesystem::Execute])
        .github("acme/one", [github::Read, github::IssueWrite])
        .github("acme/two", [github::Read])
        .network(
            "https://a.example:443",
            RedirectPolicy::Deny,
            [network::Connect, network::RequestSafe],
        )
        .mcp_server("docs", [mcp_server::List, mcp_server::Start])
        .mcp_tool("docs", "search", [mcp_tool::Inspect, mcp_tool::Call])
        .mcp_tool("docs", "free", [mcp_tool::Call])
        .mcp_tool("wiki", "get", [mcp_tool::Call])
        .mcp_server("wiki", [mcp_server::Status])
        .provider("anthropic", Some("prod"))
        .provider("github", None)
        .server("docs", Some("docs-token"))
        .server("wiki", None)
        .native_tool("echo")
        .tool("search_docs", "docs", "search")
        .tool("find_docs", "docs", "search")
        .tool("get_wiki", "wiki", "get")
        .environment("CI")
        .environment("RUST_LOG")
        .execution(ExecutionMode::Direct)
        .limit(Setting::TokensPerTurn, 100)
        .build()
        .expect("the root of the model")
}

/// The requests of the universe and of strangers, with what they ask for.
fn requests() -> Vec<(Key, &'static str, String)> {
    let mut requests = Vec::new();
    for (key, _) in UNIVERSE.into_iter().chain(STRANGERS) {
        let words: &[&str] = match key {
            Key::Whole(_) | Key::Path(..) => {
                &["inspect", "list", "read", "write", "delete", "execute"]
            }
            Key::Repository(_) => &["read", "issue.write", "release.write"],
            Key::Endpoint(_) => &["connect", "request.safe", "request.write"],
            Key::Server(_) => &["list", "status", "start"],
            Key::Tool(..) => &["inspect", "call"],
        };
        // A request has no `recursive`: `.` is the binding's own directory.
        let target = key
            .json()
            .replace(r#""recursive":true,"#, "")
            .replace(r#""recursive":false,"#, "");
        for word in words {
            requests.push((
                key,
                *word,
                format!(r#"{{"operation":"{word}","target":{target}}}"#),
            ));
        }
    }
    requests
}

#[test]
fn random_chains_agree_with_the_model() {
    compare(
        &root(0),
        if cfg!(debug_assertions) {
            8_000
        } else {
            80_000
        },
    );
}

#[test]
fn random_chains_of_a_large_root_agree_with_the_model() {
    compare(
        &root(2_000),
        if cfg!(debug_assertions) {
            2_000
        } else {
            20_000
        },
    );
}

fn compare(permissions: &ThreadPermissions, chains: usize) {
    let texts = requests();
    let requests: Vec<_> = texts
        .iter()
        .map(|(key, word, text)| (*key, *word, Request::from_json(text).expect("a request")))
        .collect();
    let mut random = Random(2026);
    let identity = ThreadIdentity::root("alice", "acme", "run").expect("an identity");
    let (handle, root) = ThreadPolicy::for_root(identity, permissions);
    for chain in 0..chains {
        let mut policy = root.clone();
        let mut model = Model::root();
        for level in 0..=random.next(4) {
            let wanted = Wanted::random(&mut random);
            let json = wanted.json();
            let artifact = Artifact::from_json(&format!(
                r#"{{"id":"child","model":null,"extensions":{{"uar.thread_policy":{json}}}}}"#
            ))
            .expect(&json);
            policy = policy
                .intersect(&artifact, &format!("thread-{chain}-{level}"))
                .and_then(|child| child.start_by_host(&handle))
                .expect("a child");
            model = model.intersect(&wanted);
        }
        for _ in 0..12 {
            let (key, word, request) = &requests[random.next(requests.len())];
            let decision = policy.decide(request);
            assert_eq!(
                decision.is_allowed(),
                model.allows(*key, word),
                "chain {chain}: {request} {decision:?}"
            );
            let resolved = policy.resolve(request.target()).expect("no agent");
            assert_eq!(
                policy.decide_resolved(&resolved, request.operation()),
                decision,
                "chain {chain}: {request}"
            );
        }
        let credentials: BTreeSet<_> = policy
            .credentials()
            .map(|grant| (grant.target.kind_name(), grant.target.id().to_string()))
            .collect();
        let expected: BTreeSet<_> = model
            .credentials
            .iter()
            .map(|(kind, id, _)| (*kind, (*id).to_owned()))
            .collect();
        assert_eq!(credentials, expected, "chain {chain}");
        let tools: Vec<_> = policy.tools().map(|grant| grant.id.to_string()).collect();
        let mut expected: Vec<_> = model.tools.keys().map(|id| (*id).to_owned()).collect();
        expected.sort();
        assert_eq!(tools, expected, "chain {chain}");
        let environment: BTreeSet<_> = policy.environment().map(ToString::to_string).collect();
        assert_eq!(
            environment,
            model
                .environment
                .iter()
                .map(|id| (*id).to_owned())
                .collect(),
            "chain {chain}"
        );
        assert_eq!(
            policy.execution_mode().name(),
            MODES[model.mode],
            "chain {chain}"
        );
        assert_eq!(
            policy.settings().value(Setting::TokensPerTurn),
            model.tokens,
            "chain {chain}"
        );
        assert_eq!(
            policy.settings().value(Setting::ConcurrentTools),
            model.concurrent,
            "chain {chain}"
        );
    }
}
