//! Permissions that are built in host code: their JSON against values of an independent model, the
//! errors of the builder, and what a host has to bind.

use std::collections::HashMap;

use authority::operations::{
    child_agent, filesystem, github, integration, mcp_server, mcp_tool, network, subprocess,
};
use authority::vocabulary::{SettingGroup, SettingRange};
use authority::{
    BindingError, BindingResolver, BoundDirectory, BuildErrorReason, CredentialTarget, Digest,
    ExecutionMode, Id, MicroDollars, PermissionsBuilder, RedirectPolicy, RequiredBinding,
    ResolvedBinding, Rule, Scope, Setting, Target, ThreadPermissions,
};
use serde_json::Value;

const REVISION: &str = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

fn builder() -> PermissionsBuilder {
    ThreadPermissions::builder()
}

/// Every root of the vectors, once.
fn roots() -> Vec<Value> {
    let mut roots: Vec<Value> = Vec::new();
    for text in [
        include_str!("vectors/intersections.json"),
        include_str!("vectors/delegate.json"),
    ] {
        let file: Value = serde_json::from_str(text).expect("JSON");
        for case in file["cases"].as_array().expect("cases") {
            if !roots.contains(&case["root"]) {
                roots.push(case["root"].clone());
            }
        }
    }
    roots
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// A builder with everything that the JSON of permissions names.
fn built_from(permissions: &Value) -> PermissionsBuilder {
    let mut built = builder();
    let scopes: Vec<String> = list(&permissions["scopes"])
        .iter()
        .map(Value::to_string)
        .collect();
    let scopes: Vec<_> = scopes
        .iter()
        .map(|scope| Scope::from_json(scope).expect("a scope"))
        .collect();
    let is_agent = |scope: &&Scope<'_>| matches!(scope.target(), Target::ChildAgent(_));
    for scope in &scopes {
        built = match scope.target() {
            Target::ChildAgent(target) => {
                let held = scopes.iter().find(|scope| !is_agent(scope));
                let block = builder().scope(held.expect("something to hand on"));
                let operations = [
                    child_agent::Inspect,
                    child_agent::Status,
                    child_agent::Delegate,
                    child_agent::Message,
                    child_agent::Cancel,
                ];
                let operations = operations
                    .into_iter()
                    .filter(|operation| scope.operations().contains((*operation).into()));
                built.child(target.agent.as_str(), operations, block)
            }
            _ => built.scope(scope),
        };
    }
    for credential in list(&permissions["credentials"]) {
        let target = text(&credential["target"]["id"]);
        let binding = credential["binding_id"].as_str();
        built = match text(&credential["target"]["kind"]) {
            "provider" => built.provider(target, binding),
            "mcp_server" => built.server(target, binding),
            other => panic!("{other}"),
        };
    }
    for (tool, binding) in permissions["tools"].as_object().expect("tools") {
        built = match binding.as_str() {
            Some("native") => built.native_tool(tool),
            _ => built.tool(
                tool,
                text(&binding["server_id"]),
                text(&binding["tool_name"]),
            ),
        };
    }
    let sandbox = &permissions["sandbox"];
    for entry in list(&sandbox["environment"]) {
        built = built.environment(text(entry));
    }
    let mode = ExecutionMode::from_name(text(&sandbox["execution_mode"]));
    built = built.execution(mode.expect("a mode"));
    for setting in Setting::ALL {
        let holder = match setting.group() {
            SettingGroup::Budget => &permissions["budgets"],
            SettingGroup::Rate => &permissions["budgets"]["rate_limit"],
            SettingGroup::Limit => permissions,
        };
        let number = holder.get(setting.wire_name()).expect("every setting");
        if !number.is_null() {
            built = built.limit(*setting, number_of(*setting, number));
        }
    }
    built
}

fn number_of(setting: Setting, number: &Value) -> u64 {
    if setting.range() != SettingRange::Money {
        return number.as_u64().expect("a whole number");
    }
    // One vector has the smallest amount as 1e-06.
    let decimal = number.as_f64().expect("a number");
    let decimal = format!("{decimal:.6}");
    let decimal = decimal.trim_end_matches('0').trim_end_matches('.');
    MicroDollars::parse(decimal).expect("money").micros()
}

#[test]
fn roots_of_the_vectors_print_as_another_model_prints_them() {
    let roots = roots();
    assert_eq!(roots.len(), 74);
    for root in roots {
        let permissions = built_from(&root).build().expect("a right root");
        let printed: Value = serde_json::from_str(&permissions.to_json()).expect("JSON");
        assert_eq!(printed, root);
        assert_eq!(
            serde_json::to_value(&permissions).expect("it serialises"),
            root
        );
    }
}

/// A root with an entry of every kind, whose ids are told from everything else that is printed.
fn all_kinds() -> PermissionsBuilder {
    let block = builder()
        .filesystem_path("xqws", "xqdir/xqfile", [filesystem::Read])
        .environment("XQENV");
    builder()
        .filesystem("xqws", [filesystem::Read, filesystem::List])
        .filesystem_path(
            "xqws",
            "xqdir/xqfile",
            [filesystem::Read, filesystem::Write],
        )
        .filesystem("xqdocs", [filesystem::Read])
        .subprocess(
            "xqgit",
            &["xqargument"],
            "xqws",
            Some("xqdir"),
            [subprocess::Execute],
        )
        .network(
            "https://xqhost.example:443",
            RedirectPolicy::Deny,
            [network::Connect],
        )
        .github("xqowner/xqname", [github::Read])
        .mcp_server("xqserver", [mcp_server::List])
        .mcp_tool("xqserver", "xqtool", [mcp_tool::Call])
        .mcp_tool("xqfree", "xqtool", [mcp_tool::Call])
        .integration("xqtracker", REVISION, [integration::Invoke])
        .provider("xqprovider", Some("xqprod"))
        .provider("xqlocal", None)
        .server("xqserver", Some("xqtoken"))
        .server("xqfree", None)
        .tool("xqsearch", "xqserver", "xqtool")
        .native_tool("xqecho")
        .environment("XQENV")
        .environment("XQOTHER")
        .limit(Setting::TokensPerTurn, 7)
        .child("xqagent", [child_agent::Delegate], block)
}

#[test]
fn debug_prints_no_ids() {
    let permissions = all_kinds().build().expect("a right root");
    let ids = |text: &str| text.to_ascii_lowercase().matches("xq").count();
    assert!(ids(&permissions.to_json()) >= 20);
    let child = permissions.child("xqagent").expect("a child");
    for debug in [
        format!("{permissions:?}"),
        format!("{permissions:#?}"),
        format!("{child:?}"),
    ] {
        assert_eq!(ids(&debug), 0, "{debug}");
    }
    assert!(
        format!("{permissions:?}").starts_with("ThreadPermissions { scopes: 11, credentials: ")
    );
}

#[test]
fn what_is_serialised_is_what_is_printed() {
    let permissions = all_kinds()
        .limit(Setting::CostPerSessionUsd, 2_500_000)
        .build()
        .expect("a right root");
    let printed: Value = serde_json::from_str(&permissions.to_json()).expect("JSON");
    let serialised = serde_json::to_string(&permissions).expect("it serialises");
    let serialised: Value = serde_json::from_str(&serialised).expect("JSON");
    assert_eq!(serialised, printed);
    assert_eq!(printed["budgets"]["max_cost_per_session_usd"], 2.5);
    assert_eq!(printed["budgets"]["max_tokens_per_turn"], 7);
    assert_eq!(printed["sandbox"]["execution_mode"], "sandboxed");
    assert_eq!(printed["scopes"].as_array().map(Vec::len), Some(11));
}

/// The error, as it is printed.
fn refused(builder: PermissionsBuilder) -> String {
    builder.build().expect_err("a rule is broken").to_string()
}

fn workspace() -> PermissionsBuilder {
    builder().filesystem("ws", [filesystem::Read, filesystem::List])
}

#[test]
fn a_broken_text_is_an_error() {
    let texts: [(PermissionsBuilder, Rule); 9] = [
        (builder().filesystem("a b", [filesystem::Read]), Rule::Id),
        (
            builder().filesystem_path("ws", "src/*", [filesystem::Read]),
            Rule::Wildcard,
        ),
        (
            builder().filesystem_path("ws", "../x", [filesystem::Read]),
            Rule::Prefix,
        ),
        (
            builder().network(
                "https://a.example",
                RedirectPolicy::Deny,
                [network::Connect],
            ),
            Rule::Port,
        ),
        (
            builder().github("Acme/one", [github::Read]),
            Rule::NotCanonical,
        ),
        (
            builder().integration("tracker", "sha256:00", [integration::Invoke]),
            Rule::Digest,
        ),
        (
            builder().subprocess("git", &["a\0"], "ws", None, [subprocess::Execute]),
            Rule::Invisible,
        ),
        (builder().environment("$HOME"), Rule::Id),
        (builder().provider("anthropic", Some("")), Rule::Id),
    ];
    for (builder, rule) in texts {
        let error = builder.build().expect_err("a broken text");
        assert_eq!(error.field, "call 0");
        let BuildErrorReason::Text(broken) = &error.reason else {
            panic!("{error}")
        };
        assert_eq!(broken.rule(), rule, "{error}");
        assert!(!broken.help().is_empty());
    }
}

#[test]
fn the_first_broken_call_is_named() {
    let twice = workspace()
        .environment("CI")
        .environment("a b")
        .github("Acme/one", [github::Read]);
    let error = twice.build().expect_err("two broken calls");
    assert_eq!(error.field, "call 2");
    let block = builder().environment("CI").native_tool("a b");
    let error = workspace()
        .child("worker", [child_agent::Delegate], block)
        .build()
        .expect_err("a broken call in a block");
    assert_eq!(error.field, "child \"worker\": call 1");
}

#[test]
fn broken_operations_and_numbers_are_errors() {
    assert_eq!(
        refused(workspace().github("acme/one", [])),
        "call 1: an empty set of operations grants nothing"
    );
    assert_eq!(
        refused(workspace().github("acme/one", [github::Read, github::Read])),
        "call 1: `read` is named twice"
    );
    let block = builder().filesystem("ws", [filesystem::Read]);
    assert_eq!(
        refused(workspace().child("worker", [], block)),
        "call 1: an empty set of operations grants nothing"
    );
    assert_eq!(
        refused(workspace().limit(Setting::Agents, 4_294_967_296)),
        "call 1: 4294967296 is more than `agents` takes"
    );
    let most = workspace().limit(Setting::Agents, 4_294_967_295).build();
    assert_eq!(most.expect("it fits").limits().max_agents, Some(u32::MAX));
}

#[test]
fn rules_between_entries_of_a_root() {
    let tool = || {
        workspace()
            .server("docs", None)
            .mcp_tool("docs", "get", [mcp_tool::Inspect])
    };
    let cases: [(PermissionsBuilder, &str); 14] = [
        (
            builder(),
            "permissions: a declaration without any target grants nothing",
        ),
        (
            builder().environment("CI"),
            "permissions: a declaration without any target grants nothing",
        ),
        (
            workspace().hand_on("worker", [child_agent::Delegate]),
            "scope 1: agent `worker` has no block: a root declares what its children may do",
        ),
        (
            workspace().filesystem("ws", [filesystem::Write]),
            "scope 1: the same target is declared twice",
        ),
        (
            workspace().filesystem("WS", [filesystem::Read]),
            "scope 1: filesystem binding `WS` differs from `ws` only in case",
        ),
        (
            workspace().subprocess("git", &[], "docs", None, [subprocess::Execute]),
            "scope 1: no filesystem entry here names the working directory's binding `docs`",
        ),
        (
            workspace().mcp_server("docs", [mcp_server::List]),
            "scope 1: MCP server `docs` has no credential entry, so it could not be used",
        ),
        (
            tool().tool("find", "docs", "search"),
            "tool 3: no entry here declares the MCP tool `docs` / `search`",
        ),
        (
            tool().tool("find", "docs", "get"),
            "tool 3: tool `get` of MCP server `docs` is declared without `call`",
        ),
        (
            tool().server("docs", Some("token")),
            "credential 3: two credential entries for one target: nobody could say which is used",
        ),
        (
            workspace().no_tools(),
            "tool 1: `tool none` in a root says nothing: a root inherits nothing",
        ),
        (
            workspace().server("docs", None),
            "credential 1: a credential for MCP server `docs`, which no entry here names: a binding that limits nothing",
        ),
        (
            workspace()
                .limit(Setting::Agents, 1)
                .limit(Setting::Agents, 1),
            "agents 2: `agents` is given twice",
        ),
        (
            workspace().environment("CI").environment("CI"),
            "environment 2: environment \"CI\" is given twice",
        ),
    ];
    for (builder, message) in cases {
        assert_eq!(refused(builder), message);
    }
}

#[test]
fn rules_between_a_child_and_its_parent() {
    let parent = || {
        workspace()
            .github("acme/one", [github::Read])
            .provider("anthropic", Some("prod"))
            .environment("CI")
            .limit(Setting::Agents, 4)
    };
    let block = || builder().github("acme/one", [github::Read]);
    let under = |agent: &str, block: PermissionsBuilder| {
        refused(parent().child(agent, [child_agent::Delegate], block))
    };
    let cases: [(PermissionsBuilder, &str); 11] = [
        (
            builder().no_tools(),
            "child \"worker\": a declaration without any target grants nothing",
        ),
        (
            block().github("acme/two", [github::Read]),
            "child \"worker\": scope 1: the parent does not hold this target",
        ),
        (
            block().filesystem_path("ws", "a.md", [filesystem::Read]),
            "child \"worker\": scope 1: the parent does not hold this target",
        ),
        (
            builder().filesystem("ws", [filesystem::Read, filesystem::Write]),
            "child \"worker\": scope 0: the parent does not hold `write` on this target",
        ),
        (
            block().limit(Setting::Agents, 5),
            "child \"worker\": agents 1: `agents = 5` is above the parent's 4",
        ),
        (
            block().execution(ExecutionMode::Auto),
            "child \"worker\": execution 1: execution mode `auto` is weaker than the parent's `sandboxed`",
        ),
        (
            block().provider("anthropic", Some("other")),
            "child \"worker\": credential 1: the parent does not hold this credential entry",
        ),
        (
            block().native_tool("echo"),
            "child \"worker\": tool 1: the parent does not hold this tool entry",
        ),
        (
            block().environment("PATH"),
            "child \"worker\": environment 1: the parent does not hold this environment entry",
        ),
        (
            block().environment("CI").no_environment(),
            "child \"worker\": environment 2: `environment none` beside named entries",
        ),
        (
            block().hand_on("other", [child_agent::Delegate]),
            "child \"worker\": scope 1: the parent does not hold this target",
        ),
    ];
    for (block, message) in cases {
        assert_eq!(under("worker", block), message);
    }
    assert_eq!(
        under("crate", block()),
        "child \"crate\": `crate` cannot be the name of a module"
    );
    let two = parent()
        .child("a-b", [child_agent::Delegate], block())
        .child("a.b", [child_agent::Delegate], block());
    assert_eq!(
        refused(two),
        "child \"a.b\": children `a-b` and `a.b` would both be the module `a_b`"
    );
    // The child's scopes are exactly its parent's, so its own "worker" would be the parent's.
    let same = workspace()
        .github("acme/one", [github::Read])
        .child("worker", [child_agent::Delegate], block())
        .child(
            "other",
            [child_agent::Delegate],
            workspace().github("acme/one", [github::Read]).child(
                "worker",
                [child_agent::Delegate],
                block(),
            ),
        );
    assert_eq!(
        refused(same),
        "child \"other\": child \"worker\": the parent holds this very target of agent `worker`: \
         it is not the child's to declare"
    );
}

/// A host that resolves ids by a table; what the table leaves out is not bound.
#[derive(Default)]
struct Host {
    directories: HashMap<&'static str, (&'static str, &'static str)>,
    unbound: Vec<&'static str>,
    integration: Option<Digest>,
    may_overlap: Option<(&'static str, &'static str)>,
}

fn revision() -> Digest {
    Digest::parse(REVISION).expect("a digest")
}

impl BindingResolver for Host {
    fn resolve(&self, binding: &RequiredBinding) -> Option<ResolvedBinding> {
        if self
            .unbound
            .iter()
            .any(|name| binding.to_string().starts_with(name))
        {
            return None;
        }
        let directory = match binding {
            RequiredBinding::Filesystem(id) => {
                self.directories
                    .get(id.as_str())
                    .map(|(host, guest)| BoundDirectory {
                        host: host.into(),
                        guest: guest.into(),
                    })
            }
            _ => None,
        };
        let revision_sha256 = match binding {
            RequiredBinding::Integration { .. } => self.integration.unwrap_or(revision()),
            _ => Digest::from_bytes([7; 32]),
        };
        Some(ResolvedBinding {
            revision_sha256,
            directory,
        })
    }

    fn may_overlap(&self, first: &Id<'_>, second: &Id<'_>) -> bool {
        self.may_overlap == Some((first.as_str(), second.as_str()))
    }
}

fn host(directories: &[(&'static str, &'static str, &'static str)]) -> Host {
    let directories = directories.iter();
    Host {
        directories: directories
            .map(|(id, host, guest)| (*id, (*host, *guest)))
            .collect(),
        ..Host::default()
    }
}

fn id(text: &'static str) -> Id<'static> {
    Id::parse(text).expect("an id")
}

#[test]
fn every_id_is_required_once() {
    let required = all_kinds()
        .build()
        .expect("a right root")
        .required_bindings();
    let credential = |target, binding| RequiredBinding::Credential {
        target,
        binding: id(binding),
    };
    assert_eq!(
        required,
        [
            RequiredBinding::Filesystem(id("xqdocs")),
            RequiredBinding::Filesystem(id("xqws")),
            RequiredBinding::Executable(id("xqgit")),
            credential(CredentialTarget::Provider(id("xqprovider")), "xqprod"),
            credential(CredentialTarget::McpServer(id("xqserver")), "xqtoken"),
            RequiredBinding::Environment(id("XQENV")),
            RequiredBinding::Environment(id("XQOTHER")),
            RequiredBinding::McpServer(id("xqfree")),
            RequiredBinding::McpServer(id("xqserver")),
            RequiredBinding::Integration {
                integration: id("xqtracker"),
                revision_sha256: revision(),
            },
            RequiredBinding::Agent(id("xqagent")),
        ]
    );
}

const APART: [(&str, &str, &str); 2] = [
    ("xqws", "/srv/ws", "/work/ws"),
    ("xqdocs", "/srv/docs", "/work/docs"),
];

#[test]
fn a_host_that_binds_everything_gets_the_revisions() {
    let permissions = all_kinds().build().expect("a right root");
    let revisions = permissions
        .check_bindings(&host(&APART))
        .expect("all bound");
    let bound: Vec<_> = revisions
        .iter()
        .map(|(binding, _)| binding.clone())
        .collect();
    assert_eq!(bound, permissions.required_bindings());
    let of_integration = revisions
        .iter()
        .find(|(binding, _)| matches!(binding, RequiredBinding::Integration { .. }));
    assert_eq!(of_integration.map(|(_, digest)| digest), Some(revision()));
}

#[test]
fn everything_missing_is_named_at_once() {
    let permissions = all_kinds().build().expect("a right root");
    let mut host = host(&APART[..1]);
    host.unbound = vec!["executable", "environment \"XQOTHER\"", "mcp", "agent"];
    host.integration = Some(Digest::from_bytes([9; 32]));
    let error = permissions
        .check_bindings(&host)
        .expect_err("not all bound");
    assert_eq!(
        error,
        BindingError {
            missing: vec![
                RequiredBinding::Executable(id("xqgit")),
                RequiredBinding::Environment(id("XQOTHER")),
                RequiredBinding::McpServer(id("xqfree")),
                RequiredBinding::McpServer(id("xqserver")),
                RequiredBinding::Agent(id("xqagent")),
            ],
            without_directory: vec![id("xqdocs")],
            other_revision: vec![id("xqtracker")],
            overlapping: vec![],
        }
    );
    let text = error.to_string();
    for name in [
        "xqgit",
        "XQOTHER",
        "xqfree",
        "xqserver",
        "xqagent",
        "xqdocs",
        "xqtracker",
    ] {
        assert_eq!(text.matches(name).count(), 1, "{name} in {text}");
    }
}

fn two_directories() -> ThreadPermissions {
    builder()
        .filesystem("a", [filesystem::Read])
        .filesystem("b", [filesystem::Read])
        .build()
        .expect("a right root")
}

#[test]
fn directories_do_not_overlap_on_either_side() {
    let permissions = two_directories();
    for (first, second, overlap) in [
        (("/srv/a", "/w/a"), ("/srv/b", "/w/b"), false),
        (("/srv/a", "/w/a"), ("/srv/a", "/w/b"), true),
        (("/srv/a", "/w/a"), ("/srv/a/sub", "/w/b"), true),
        (("/srv/b/sub", "/w/a"), ("/srv/b", "/w/b"), true),
        (("/srv/a", "/w"), ("/srv/b", "/w/b"), true),
        (("/srv/a", "/w/a"), ("/srv/b", "/w/a"), true),
        // A name that begins alike is another directory.
        (("/srv/a", "/w/a"), ("/srv/ab", "/w/ab"), false),
        (("/srv/a/", "/w/a"), ("/srv/a/./sub", "/w/b"), true),
    ] {
        let mut host = host(&[("a", first.0, first.1), ("b", second.0, second.1)]);
        let checked = permissions.check_bindings(&host);
        let overlapping = checked.err().map(|error| error.overlapping);
        let expected = overlap.then(|| vec![(id("a"), id("b"))]);
        assert_eq!(overlapping, expected, "{first:?} {second:?}");
        // The host may allow a pair, whichever it names first; that allows no other pair.
        for pair in [("a", "b"), ("b", "a")] {
            host.may_overlap = Some(pair);
            assert!(permissions.check_bindings(&host).is_ok());
        }
        host.may_overlap = Some(("a", "c"));
        assert_eq!(permissions.check_bindings(&host).is_err(), overlap);
    }
}

#[test]
fn a_directory_is_absolute_on_both_sides() {
    let permissions = two_directories();
    for (on_host, guest, is_absolute) in [
        ("/srv/a", "/w/a", true),
        ("srv/a", "/w/a", false),
        ("/srv/a", "w/a", false),
        ("", "/w/a", false),
    ] {
        let host = host(&[("a", on_host, guest), ("b", "/srv/b", "/w/b")]);
        let checked = permissions.check_bindings(&host);
        let without = checked.err().map(|error| error.without_directory);
        assert_eq!(without, (!is_absolute).then(|| vec![id("a")]));
    }
}

#[test]
fn an_integration_is_bound_at_the_declared_revision() {
    let permissions = builder()
        .integration("tracker", REVISION, [integration::Invoke])
        .build()
        .expect("a right root");
    let mut host = host(&[]);
    assert!(permissions.check_bindings(&host).is_ok());
    host.integration = Some(Digest::from_bytes([0; 32]));
    let error = permissions
        .check_bindings(&host)
        .expect_err("another revision");
    assert_eq!(error.other_revision, [id("tracker")]);
    assert!(error.missing.is_empty());
}
