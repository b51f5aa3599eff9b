//! Cases from public reports that concern threads: what they decide, what is left in their children,
//! and what a restriction may say. Each test is named after its case.

use authority_core::operations::{browser, child_agent, filesystem, github, integration};
use authority_core::operations::{mcp_server, mcp_tool, network};
use authority_core::vocabulary::{DenyReason, RedirectPolicy};
use authority_core::{
    Artifact, ChangeOutcome, CredentialTarget, Decision, DecodeRule, Digest, Id,
    PermissionsBuilder, PolicyIntersectionError, Request, Restriction, Revocation, RootHandle,
    Rule, Scope, Side, ThreadIdentity, ThreadPermissions, ThreadPolicy,
};

struct Tree {
    handle: RootHandle,
    root: ThreadPolicy,
}

impl Tree {
    fn new(builder: PermissionsBuilder) -> Self {
        let identity = ThreadIdentity::root("alice", "acme", "run-1").unwrap();
        let permissions = builder.build().unwrap();
        let (handle, root) = ThreadPolicy::for_root(identity, &permissions);
        Tree { handle, root }
    }

    /// A root with a repository, a file binding, and a reviewer that is handed the repository.
    fn with_reviewer() -> Self {
        let reviewer = ThreadPermissions::builder().github("acme/widgets", [github::Read]);
        Tree::new(
            ThreadPermissions::builder()
                .filesystem("ws", [filesystem::Read, filesystem::Write])
                .github("acme/widgets", [github::Read, github::IssueWrite])
                .child("reviewer", [child_agent::Delegate], reviewer),
        )
    }

    /// A child of `parent` with this restriction.
    fn child(&self, parent: &ThreadPolicy, thread: &str, restriction: &str) -> ThreadPolicy {
        let artifact = artifact()
            .with_extension("uar.thread_policy", restriction)
            .unwrap();
        let prepared = parent.intersect(&artifact, thread).unwrap();
        prepared.start_by_host(&self.handle).unwrap()
    }
}

fn artifact() -> Artifact {
    Artifact::new(Id::parse("helper").unwrap().into_owned())
}

const READ_WIDGETS: &str = r#"{"version":2,"scopes":[{"operations":["read"],"schema_version":1,"target":{"kind":"github","repository":"acme/widgets"}}]}"#;
const READ_OTHER: &str = r#"{"version":2,"scopes":[{"operations":["read"],"schema_version":1,"target":{"kind":"github","repository":"acme/other"}}]}"#;
const NO_GITHUB: &str = r#"{"version":2,"scopes":[{"operations":["read"],"schema_version":1,"target":{"kind":"filesystem","recursive":true,"relative_path":".","root_id":"ws"}}]}"#;

fn read_widgets() -> Request<'static> {
    Request::github("acme/widgets", github::Read).unwrap()
}

fn read_file() -> Request<'static> {
    Request::filesystem("ws", "a.txt", filesystem::Read).unwrap()
}

fn narrowed() -> Decision {
    Decision::Deny(DenyReason::Narrowed)
}

/// The parts with this outcome, as the DSL writes them.
fn parts(child: &ThreadPolicy, parent: &ThreadPolicy, outcome: ChangeOutcome) -> Vec<String> {
    let difference = child.explain_difference(parent);
    let changes = difference.changes().iter();
    let found = changes.filter(|change| change.outcome == outcome);
    found.map(|change| change.part.clone()).collect()
}

#[test]
fn ag_browser_07() {
    let origin = |origin| Request::browser(origin, None, browser::Navigate);
    for opaque in ["about:blank", "data:text/html,x", "file:///etc/hosts"] {
        assert!(origin(opaque).is_err(), "{opaque}");
    }
    assert!(origin("https://a.example").is_ok());
}

#[test]
fn ag_docs_06() {
    let tree = Tree::with_reviewer();
    let organisation = tree.child(&tree.root, "organisation", NO_GITHUB);
    let project = tree.child(&organisation, "project", r#"{"version":2,"max_depth":9}"#);
    assert!(tree.root.explain(&read_widgets()).decision.is_allowed());

    let lost = project.explain(&read_widgets()).lost_at.unwrap();
    assert_eq!((lost.level, lost.thread_id.as_str()), (1, "organisation"));
    assert_eq!(lost.by, Side::Parent);
    let text = project.explain(&read_widgets()).to_string();
    assert!(
        text.contains("\n  declared github \"acme/widgets\" => read, issue.write"),
        "{text}"
    );
    assert!(
        text.contains("\n  lost at level 1 (thread organisation), above this thread"),
        "{text}"
    );
    let lost = organisation.explain(&read_widgets()).lost_at.unwrap();
    assert_eq!((lost.level, lost.by), (1, Side::Restriction));
}

#[test]
fn ag_github_10() {
    let tree = Tree::with_reviewer();
    let request = Request::github("other/org", github::IssueWrite).unwrap();
    let explained = tree.root.explain(&request);
    let denied = Decision::Deny(DenyReason::TargetNotDeclared);
    assert_eq!(explained.decision, denied);
    let nearest = explained.nearest.unwrap();
    assert_eq!(nearest.text, "github \"acme/widgets\" => read, issue.write");
    assert_eq!(nearest.differs, ["repository"]);
    // It was never there, so that no level lost it.
    assert_eq!(explained.lost_at, None);
    let line = explained.would_declare;
    assert_eq!(
        line.as_deref(),
        Some("github \"other/org\" => issue.write;")
    );
}

#[test]
fn ag_intersection_03() {
    let tree = Tree::with_reviewer();
    let permissions = tree.root.root_permissions().clone();
    let reviewer = permissions.child("reviewer").unwrap();
    let agent = format!(
        r#"{{"version":2,"scopes":[{{"operations":["delegate"],"schema_version":1,"target":{{"agent_id":"reviewer","kind":"child_agent","parent_ceiling_sha256":"{}"}}}}]}}"#,
        permissions.ceiling_sha256().to_hex()
    );
    let controller = tree.child(&tree.root, "controller", &agent);
    let error = controller.delegate(reviewer, "t-1").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the ceiling names what the thread does not hold: github \"acme/widgets\" => read; \
         a thread that holds it can make this child"
    );
    assert!(tree.root.delegate(reviewer, "t-1").is_ok());

    let child = tree.child(&controller, "t-2", READ_WIDGETS);
    assert_eq!(child.scopes(), []);
    let not_held = parts(&child, &controller, ChangeOutcome::NotHeld);
    assert_eq!(not_held, ["github \"acme/widgets\" => read"]);
}

#[test]
fn ag_intersection_07() {
    let tree = Tree::with_reviewer();
    let kept = tree.child(&tree.root, "kept", READ_WIDGETS);
    assert!(kept.decide(&read_widgets()).is_allowed());
    let resolved = kept.resolve(read_widgets().target()).unwrap();
    let scope = r#"{"operations":["read"],"schema_version":1,"target":{"kind":"github","repository":"acme/widgets"}}"#;
    let revocation = Revocation::Scope(Scope::from_json(scope).unwrap());
    tree.handle.revoke(&revocation);
    let revoked = Decision::Deny(DenyReason::Revoked);
    for policy in [&kept, &tree.root] {
        assert_eq!(policy.decide(&read_widgets()), revoked);
        let decision = policy.decide_resolved(&resolved, github::Read);
        assert_eq!(decision, revoked);
    }
    // Nothing brings it back, for nobody.
    let later = tree.child(&tree.root, "later", r#"{"version":2}"#);
    assert!(!later.decide(&read_widgets()).is_allowed());
}

#[test]
fn ag_intersection_08() {
    let tree = Tree::with_reviewer();
    let reviewer = tree.root.root_permissions().clone();
    let reviewer = reviewer.child("reviewer").unwrap();
    let prepared = tree.root.delegate(reviewer, "t-1").unwrap();
    let child = prepared.start_by_host(&tree.handle).unwrap();
    let read = r#"{"operations":["read"],"schema_version":1,"target":{"kind":"github","repository":"acme/widgets"}}"#;
    assert_eq!(child.scopes(), [Scope::from_json(read).unwrap()]);
    assert_eq!(child.decide(&read_file()), narrowed());
    let below = tree.child(&child, "t-2", r#"{"version":2}"#);
    assert_eq!(below, child);
}

/// What a child shows of itself is for people. Whatever it presents again is a restriction, in which
/// what it left out is inherited from its parent as it is.
#[test]
fn ag_intersection_11() {
    let tree = Tree::with_reviewer();
    let child = tree.child(&tree.root, "t-1", READ_WIDGETS);
    assert!(Restriction::from_json(&child.to_json()).is_err());
    let shown = artifact().with_extension("uar.thread_policy", &child.to_json());
    assert!(matches!(
        shown.unwrap_err(),
        PolicyIntersectionError::UnsupportedShape { .. }
    ));
    let again = tree.child(&child, "t-2", r#"{"version":2}"#);
    assert_eq!(again, child);
    assert_eq!(again.decide(&read_file()), narrowed());
    let wider = tree.child(&child, "t-3", NO_GITHUB);
    assert_eq!(wider.scopes(), []);
}

/// The same over a whole lattice is in `laws.rs`, and over random chains in `model.rs`.
#[test]
fn ag_intersection_12() {
    let tree = Tree::with_reviewer();
    let [first, second] = [READ_WIDGETS, r#"{"version":2,"max_agents":3}"#];
    let digest = |restrictions: &[&str], thread: &str| {
        let chain = restrictions.iter().enumerate();
        let last = chain.fold(tree.root.clone(), |parent, (level, restriction)| {
            tree.child(&parent, &format!("{thread}-{level}"), restriction)
        });
        last.permissions_sha256()
    };
    assert_eq!(digest(&[first, second], "a"), digest(&[second, first], "b"));
    assert_eq!(digest(&[first, first], "c"), digest(&[first], "d"));
    assert_ne!(digest(&[first], "e"), digest(&[second], "f"));
}

/// A root with the server `files`.
fn with_server() -> PermissionsBuilder {
    ThreadPermissions::builder()
        .filesystem("ws", [filesystem::Read])
        .mcp_server("files", [mcp_server::List])
        .mcp_tool("files", "read", [mcp_tool::Call])
        .server("files", Some("files-prod"))
        .tool("read_files", "files", "read")
}

#[test]
fn ag_intersection_14() {
    let server = "{\"kind\":\"mcp\",\"server_id\":\"files\",\"tool_name\":null}";
    let tool = "{\"kind\":\"mcp\",\"server_id\":\"files\",\"tool_name\":\"read\"}";
    for (held, asked) in [(tool, server), (server, tool)] {
        let scope = |target: &str| {
            let operation = if target == tool { "call" } else { "list" };
            format!(r#"{{"operations":["{operation}"],"schema_version":1,"target":{target}}}"#)
        };
        let named = Scope::from_json(&scope(asked)).unwrap().into_owned();
        let reader = ThreadPermissions::builder().scope(&named);
        let reader = if asked == tool {
            reader.tool("read_files", "files", "read")
        } else {
            reader.no_tools()
        };
        let tree = Tree::new(with_server().child("reader", [child_agent::Delegate], reader));
        let permissions = tree.root.root_permissions().clone();
        let agent = format!(
            r#"{{"operations":["delegate"],"schema_version":1,"target":{{"agent_id":"reader","kind":"child_agent","parent_ceiling_sha256":"{}"}}}}"#,
            permissions.ceiling_sha256().to_hex()
        );
        let restriction = format!(r#"{{"version":2,"scopes":[{},{agent}]}}"#, scope(held));
        let parent = tree.child(&tree.root, "parent", &restriction);
        let ceiling = permissions.child("reader").unwrap();
        assert_eq!(
            parent.delegate(ceiling, "t-1").unwrap_err(),
            PolicyIntersectionError::CeilingExceeded {
                what: format!("{} => {}", named.target(), named.operations())
            }
        );
        // The other way to ask for it gives nothing.
        let restriction = format!(r#"{{"version":2,"scopes":[{}]}}"#, scope(asked));
        let child = tree.child(&parent, "t-2", &restriction);
        assert_eq!(child.scopes(), []);
    }
}

#[test]
fn ag_intersection_15() {
    // Without a credential the builder refuses.
    let bare = ThreadPermissions::builder()
        .mcp_tool("files", "read", [mcp_tool::Call])
        .tool("read_files", "files", "read");
    let error = bare.build().unwrap_err().to_string();
    assert!(error.contains("files"), "{error}");

    // A restriction that leaves the credential out takes the server with it.
    let reader = ThreadPermissions::builder()
        .mcp_tool("files", "read", [mcp_tool::Call])
        .tool("read_files", "files", "read");
    let tree = Tree::new(with_server().child("reader", [child_agent::Delegate], reader));
    let child = tree.child(&tree.root, "t-1", r#"{"version":2,"credentials":[]}"#);
    let call = Request::mcp_tool("files", "read", mcp_tool::Call).unwrap();
    assert_eq!(child.decide(&call), narrowed());
    assert_eq!((child.credentials().count(), child.tools().count()), (0, 0));
    let difference = child.explain_difference(&tree.root);
    let server = CredentialTarget::McpServer(Id::parse("files").unwrap().into_owned());
    let for_want: Vec<_> = difference
        .changes()
        .iter()
        .filter(|change| change.for_want_of.as_ref() == Some(&server))
        .map(|change| (change.part.as_str(), change.outcome))
        .collect();
    assert_eq!(
        for_want,
        [
            ("mcp \"files\" => list", ChangeOutcome::Dropped),
            ("mcp \"files\" / \"read\" => call", ChangeOutcome::Dropped),
            ("tool \"read_files\"", ChangeOutcome::Dropped),
        ]
    );
    let text = difference.to_string();
    let line = "dropped  tool \"read_files\", for want of credential mcp_server \"files\"";
    assert!(text.contains(line), "{text}");
    // Dropped by name, and not for want of anything.
    let named = tree.child(&tree.root, "t-2", r#"{"version":2,"scopes":[]}"#);
    let difference = named.explain_difference(&tree.root);
    let mut changes = difference.changes().iter();
    assert!(changes.all(|change| change.for_want_of.is_none()));

    // A ceiling that lists the tool is refused where the server has fallen.
    let permissions = tree.root.root_permissions().clone();
    let reader = permissions.child("reader").unwrap();
    assert_eq!(
        child.delegate(reader, "t-3").unwrap_err(),
        PolicyIntersectionError::CeilingExceeded {
            what: "mcp \"files\" / \"read\" => call".to_owned()
        }
    );
}

#[test]
fn ag_mcp_18() {
    let [first, second] = [1, 2].map(|byte| Digest::from_bytes([byte; 32]));
    let revision = format!("sha256:{}", first.to_hex());
    let tree = Tree::new(
        ThreadPermissions::builder()
            .integration("tickets", &revision, [integration::Invoke])
            .provider("tickets", None),
    );
    let invoke = |revision| {
        let request = Request::integration("tickets", revision, integration::Invoke);
        tree.root.decide(&request.unwrap())
    };
    assert!(invoke(first).is_allowed());
    let denied = Decision::Deny(DenyReason::TargetNotDeclared);
    assert_eq!(invoke(second), denied);
}

#[test]
fn ag_network_16() {
    let reader = ThreadPermissions::builder().network(
        "https://b.example:443",
        RedirectPolicy::Deny,
        [network::RequestSafe],
    );
    let host = |builder: PermissionsBuilder, endpoint| {
        builder.network(endpoint, RedirectPolicy::Deny, [network::RequestSafe])
    };
    let builder = host(ThreadPermissions::builder(), "https://a.example:443");
    let builder = host(builder, "https://b.example:443");
    let tree = Tree::new(builder.child("reader", [child_agent::Delegate], reader));
    let permissions = tree.root.root_permissions().clone();
    let scope = |name: &str| {
        format!(
            r#"{{"operations":["request.safe"],"schema_version":1,"target":{{"host":"{name}","kind":"network","port":443,"protocol":"https","redirect_policy":"deny"}}}}"#
        )
    };
    let agent = format!(
        r#"{{"operations":["delegate"],"schema_version":1,"target":{{"agent_id":"reader","kind":"child_agent","parent_ceiling_sha256":"{}"}}}}"#,
        permissions.ceiling_sha256().to_hex()
    );
    let only_a = format!(
        r#"{{"version":2,"scopes":[{},{agent}]}}"#,
        scope("a.example")
    );
    let child = tree.child(&tree.root, "t-1", &only_a);
    let b = "network \"https://b.example:443\" => request.safe";
    let ceiling = permissions.child("reader").unwrap();
    assert_eq!(
        child.delegate(ceiling, "t-2").unwrap_err(),
        PolicyIntersectionError::CeilingExceeded { what: b.to_owned() }
    );
    let only_b = format!(r#"{{"version":2,"scopes":[{}]}}"#, scope("b.example"));
    let below = tree.child(&child, "t-3", &only_b);
    assert_eq!(below.scopes(), []);
    assert_eq!(parts(&below, &child, ChangeOutcome::NotHeld), [b]);
}

/// The pointer and the rule of the first error of a restriction.
fn refused(restriction: &str) -> (String, DecodeRule) {
    let error = Restriction::from_json(restriction).unwrap_err();
    (error.pointer().to_owned(), error.rule())
}

#[test]
fn ag_schema_01() {
    let misspelt = r#"{"version":2,"scpoes":[]}"#;
    let nearest = Some("scopes");
    let rule = DecodeRule::UnknownKey { nearest };
    assert_eq!(refused(misspelt), (String::new(), rule));
    let text = Restriction::from_json(misspelt).unwrap_err().to_string();
    assert!(
        text.contains("scopes") && !text.contains("scpoes"),
        "{text}"
    );
}

#[test]
fn ag_schema_06() {
    let json = r#"{"id":"x","model":null,"extensions":{"vendor.notes":{"deep":[{"a":1,"a":1}]}}}"#;
    let error = Artifact::from_json(json).unwrap_err();
    assert_eq!(error.rule(), DecodeRule::DuplicateKey { known: None });
}

#[test]
fn ag_schema_07() {
    let tree = Tree::with_reviewer();
    let none = tree.child(&tree.root, "t-1", r#"{"version":2,"scopes":[]}"#);
    assert_eq!(none.scopes(), []);
    let missing = tree.child(&tree.root, "t-2", r#"{"version":2}"#);
    assert_eq!(missing.scopes(), tree.root.scopes());
}

/// The property for every parent is in `laws.rs`: nothing is left below the bottom.
#[test]
fn ag_schema_08() {
    let tree = Tree::with_reviewer();
    let empty = r#"{"version":2,"scopes":[],"credentials":[],"tools":[],"sandbox":{"filesystem":{},"environment":[]}}"#;
    let child = tree.child(&tree.root, "t-1", empty);
    for request in [read_widgets(), read_file()] {
        assert!(tree.root.decide(&request).is_allowed());
        assert_eq!(child.decide(&request), narrowed());
    }
}

#[test]
fn ag_schema_16() {
    let tree = Tree::with_reviewer();
    let sandboxed = r#"{"version":1,"sandbox":{"execution_mode":"sandboxed","filesystem":{"ws":{"read":true,"write":false}}}}"#;
    let layers = |first, second, name: &str| {
        let upper = tree.child(&tree.root, &format!("{name}-1"), first);
        let lower = tree.child(&upper, &format!("{name}-2"), second);
        lower.permissions_sha256()
    };
    let digest = layers(READ_WIDGETS, sandboxed, "a");
    assert_eq!(digest, layers(sandboxed, READ_WIDGETS, "b"));
    // Layers that have nothing in common leave nothing.
    let nothing = layers(READ_WIDGETS, READ_OTHER, "c");
    assert_eq!(nothing, layers(READ_OTHER, READ_WIDGETS, "d"));
    assert_ne!(digest, nothing);
}

#[test]
fn ag_schema_17() {
    let (pointer, rule) = refused(r#"{"version":1,"sandbox":{"environment":["*"]}}"#);
    assert_eq!(pointer, "/sandbox/environment/0");
    assert_eq!(rule, Rule::Wildcard.into());
}

#[test]
fn ag_schema_20() {
    assert_eq!(refused(r#"{"version":3}"#).0, "/version");
    assert_eq!(refused(r#"{"version":"1"}"#).0, "/version");
    let missing = DecodeRule::MissingKey("version");
    assert_eq!(refused("{}"), (String::new(), missing));
}
