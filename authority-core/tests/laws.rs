//! The laws of narrowing, on every restriction over a small lattice: two kinds with two targets and
//! two operations each, two credentials, a server with a tool, every field absent, empty or full.

use authority_core::operations::{filesystem, github, mcp_server, mcp_tool};
use authority_core::{Artifact, Id, Request, ThreadIdentity, ThreadPermissions, ThreadPolicy};

const SCOPES: [Option<&str>; 5] = [
    None,
    Some("[]"),
    Some(
        r#"[{"operations":["read"],"schema_version":1,"target":{"kind":"filesystem","recursive":true,"relative_path":".","root_id":"a"}}]"#,
    ),
    Some(
        r#"[{"operations":["issue.write","read"],"schema_version":1,"target":{"kind":"github","repository":"o/a"}},
            {"operations":["call"],"schema_version":1,"target":{"kind":"mcp","server_id":"docs","tool_name":"search"}}]"#,
    ),
    Some(
        r#"[{"operations":["write"],"schema_version":1,"target":{"kind":"filesystem","recursive":true,"relative_path":".","root_id":"b"}},
            {"operations":["list"],"schema_version":1,"target":{"kind":"mcp","server_id":"docs","tool_name":null}}]"#,
    ),
];
const CREDENTIALS: [Option<&str>; 4] = [
    None,
    Some("[]"),
    Some(r#"[{"target":{"kind":"provider","id":"p"},"binding_id":"x"}]"#),
    Some(
        r#"[{"target":{"kind":"provider","id":"p"},"binding_id":"x"},{"target":{"kind":"mcp_server","id":"docs"},"binding_id":null}]"#,
    ),
];
const TOOLS: [Option<&str>; 3] = [None, Some("[]"), Some(r#"["echo","search"]"#)];
const SANDBOXES: [Option<&str>; 4] = [
    None,
    Some(r#"{"filesystem":{},"environment":[],"execution_mode":"sandboxed"}"#),
    Some(
        r#"{"filesystem":{"a":{"read":true,"write":false},"b":{"read":true,"write":true}},"network_enabled":false}"#,
    ),
    Some(r#"{"environment":["CI"]}"#),
];
const NUMBERS: [&str; 3] = [
    "",
    r#","max_concurrent_tools":0"#,
    r#","budgets":{"max_tokens_per_turn":5},"max_agents":1"#,
];

fn root() -> ThreadPermissions {
    ThreadPermissions::builder()
        .filesystem("a", [filesystem::Read, filesystem::Write])
        .filesystem("b", [filesystem::Read, filesystem::Write])
        .github("o/a", [github::Read, github::IssueWrite])
        .github("o/b", [github::Read, github::IssueWrite])
        .mcp_server("docs", [mcp_server::List])
        .mcp_tool("docs", "search", [mcp_tool::Call])
        .provider("p", Some("x"))
        .server("docs", None)
        .native_tool("echo")
        .tool("search", "docs", "search")
        .environment("CI")
        .build()
        .expect("the root of the lattice")
}

/// Every restriction of the lattice: 5 × 4 × 3 × 4 × 3.
fn restrictions() -> Vec<Artifact> {
    let mut all = Vec::new();
    for scopes in SCOPES {
        for credentials in CREDENTIALS {
            for tools in TOOLS {
                for sandbox in SANDBOXES {
                    for numbers in NUMBERS {
                        let null = |text: Option<&str>| text.unwrap_or("null").to_owned();
                        let json = format!(
                            r#"{{"version":2,"scopes":{},"credentials":{},"tools":{},"sandbox":{}{numbers}}}"#,
                            null(scopes),
                            null(credentials),
                            null(tools),
                            null(sandbox),
                        );
                        let artifact =
                            Artifact::new(Id::parse("child").expect("an id").into_owned());
                        all.push(
                            artifact
                                .with_extension("uar.thread_policy", &json)
                                .expect(&json),
                        );
                    }
                }
            }
        }
    }
    all
}

struct Tree {
    handle: authority_core::RootHandle,
    root: ThreadPolicy,
    made: std::cell::Cell<usize>,
}

impl Tree {
    fn new() -> Self {
        let identity = ThreadIdentity::root("alice", "acme", "run").expect("an identity");
        let (handle, root) = ThreadPolicy::for_root(identity, &root());
        Tree {
            handle,
            root,
            made: std::cell::Cell::new(0),
        }
    }

    fn child(&self, parent: &ThreadPolicy, artifact: &Artifact) -> ThreadPolicy {
        self.made.set(self.made.get() + 1);
        let child = parent
            .intersect(artifact, &format!("thread-{}", self.made.get()))
            .expect("a child");
        child.start_by_host(&self.handle).expect("open")
    }
}

fn requests() -> Vec<Request<'static>> {
    let mut requests = Vec::new();
    for binding in ["a", "b"] {
        for operation in [filesystem::Read, filesystem::Write, filesystem::Delete] {
            requests.push(Request::filesystem(binding, "x", operation).expect("a request"));
        }
    }
    for repository in ["o/a", "o/b", "o/c"] {
        for operation in [github::Read, github::IssueWrite] {
            requests.push(Request::github(repository, operation).expect("a request"));
        }
    }
    requests.push(Request::mcp_server("docs", mcp_server::List).expect("a request"));
    requests.push(Request::mcp_tool("docs", "search", mcp_tool::Call).expect("a request"));
    requests
}

#[test]
fn a_child_never_exceeds_its_parent_and_narrowing_is_idempotent() {
    let tree = Tree::new();
    let requests = requests();
    for artifact in &restrictions() {
        let child = tree.child(&tree.root, artifact);
        for request in &requests {
            assert!(
                !child.decide(request).is_allowed() || tree.root.decide(request).is_allowed(),
                "{request}"
            );
        }
        assert!(
            child
                .credentials()
                .all(|grant| tree.root.credentials().any(|held| held == grant))
        );
        assert!(
            child
                .tools()
                .all(|grant| tree.root.tools().any(|held| held == grant))
        );
        assert!(
            child
                .environment()
                .all(|id| tree.root.environment().any(|held| held == id))
        );
        assert!(child.execution_mode() >= tree.root.execution_mode());
        let again = tree.child(&child, artifact);
        assert_eq!(again.to_json(), child.to_json());
    }
}

#[test]
fn the_order_of_restrictions_has_no_meaning() {
    let tree = Tree::new();
    // Every seventh one: all fields vary in it.
    let some: Vec<_> = restrictions().into_iter().step_by(7).collect();
    let once: Vec<_> = some
        .iter()
        .map(|artifact| tree.child(&tree.root, artifact))
        .collect();
    for (left, first) in some.iter().zip(&once) {
        for (right, second) in some.iter().zip(&once) {
            assert_eq!(
                tree.child(first, right).to_json(),
                tree.child(second, left).to_json()
            );
        }
    }
}

#[test]
fn top_and_bottom() {
    let tree = Tree::new();
    let plain = Artifact::new(Id::parse("child").expect("an id").into_owned());
    let same = tree.child(&tree.root, &plain);
    assert_eq!(same, tree.root);
    assert_eq!(same.to_json(), tree.root.to_json());

    let deny = r#"{"version":2,"scopes":[],"credentials":[],"tools":[],"sandbox":{"execution_mode":"sandboxed","environment":[]},
        "max_active_skills":0,"max_concurrent_tools":0,"max_agents":0,"budgets":{"max_tokens_per_turn":0}}"#;
    let deny = plain
        .with_extension("uar.thread_policy", deny)
        .expect("decodes");
    let bottom = tree.child(&tree.root, &deny);
    for request in &requests() {
        assert!(!bottom.decide(request).is_allowed());
    }
    assert_eq!(
        (
            bottom.credentials().count(),
            bottom.tools().count(),
            bottom.environment().count()
        ),
        (0, 0, 0)
    );
    for artifact in restrictions().iter().step_by(11) {
        let child = tree.child(&tree.root, artifact);
        let below = tree.child(&child, &deny);
        assert_eq!(below.scopes().len(), 0);
        assert_eq!(tree.child(&bottom, artifact).scopes().len(), 0);
    }
}
