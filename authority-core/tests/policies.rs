//! Threads of one root: identities, closing, revoking, declared children, descendants.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use authority_core::operations::{child_agent, filesystem, github, mcp_server, mcp_tool};
use authority_core::vocabulary::{DenyReason, Setting};
use authority_core::{
    Artifact, BindingResolver, BoundDirectory, ChangeOutcome, CredentialTarget, Decision, Digest,
    Id, Kind, ModelRoute, PolicyIntersectionError, Request, RequiredBinding, ResolvedBinding,
    Revocation, RootHandle, RootOptions, Scope, Side, ThreadIdentity, ThreadPermissions,
    ThreadPolicy, ToolBinding,
};

fn permissions() -> ThreadPermissions {
    let worker = ThreadPermissions::builder().github("acme/one", [github::Read]);
    let reviewer = ThreadPermissions::builder()
        .filesystem("ws", [filesystem::Read])
        .github("acme/one", [github::Read])
        .environment("CI")
        .child(
            "worker",
            [child_agent::Delegate, child_agent::Status],
            worker,
        );
    ThreadPermissions::builder()
        .filesystem("ws", [filesystem::Read, filesystem::Write])
        .github("acme/one", [github::Read, github::IssueWrite])
        .provider("anthropic", Some("prod"))
        .environment("CI")
        .environment("RUST_LOG")
        .limit(Setting::Depth, 2)
        .child(
            "reviewer",
            [child_agent::Delegate, child_agent::Message],
            reviewer,
        )
        .build()
        .expect("permissions")
}

fn tree() -> (RootHandle, ThreadPolicy) {
    let identity = ThreadIdentity::root("alice", "acme", "run-1").expect("an identity");
    ThreadPolicy::for_root(identity, &permissions())
}

fn artifact(json: &str) -> Artifact {
    let artifact = Artifact::new(Id::parse("helper").expect("an id").into_owned());
    if json.is_empty() {
        artifact
    } else {
        artifact
            .with_extension("uar.thread_policy", json)
            .expect("decodes")
    }
}

fn read() -> Request<'static> {
    Request::filesystem("ws", "a.txt", filesystem::Read).expect("a request")
}

fn write() -> Request<'static> {
    Request::filesystem("ws", "a.txt", filesystem::Write).expect("a request")
}

#[test]
fn reasons() {
    let (handle, root) = tree();
    let narrowed =
        artifact(r#"{"version":1,"sandbox":{"filesystem":{"ws":{"read":true,"write":false}}}}"#);
    let child = root
        .intersect(&narrowed, "t-1")
        .unwrap()
        .start_by_host(&handle)
        .unwrap();
    assert!(root.decide(&write()).is_allowed());
    assert!(child.decide(&read()).is_allowed());
    assert_eq!(child.decide(&write()), Decision::Deny(DenyReason::Narrowed));
    let delete = Request::filesystem("ws", "a.txt", filesystem::Delete).unwrap();
    assert_eq!(
        child.decide(&delete),
        Decision::Deny(DenyReason::OperationNotGranted)
    );
    let other = Request::filesystem("other", "a.txt", filesystem::Read).unwrap();
    assert_eq!(
        child.decide(&other),
        Decision::Deny(DenyReason::TargetNotDeclared)
    );
    // A decision depends on nothing that was decided before.
    assert!(child.decide(&read()).is_allowed());
}

#[test]
fn identities() {
    let (handle, root) = tree();
    let child = root
        .intersect(&artifact(""), "t-1")
        .unwrap()
        .start_by_host(&handle)
        .unwrap();
    assert_eq!(child.identity().thread_id().as_str(), "t-1");
    assert_eq!(child.identity().root_run_id().as_str(), "run-1");
    let path: Vec<_> = child
        .identity()
        .agent_path()
        .iter()
        .map(Id::as_str)
        .collect();
    assert_eq!(path, ["helper"]);
    for used in ["t-1", "run-1"] {
        let again = root.intersect(&artifact(""), used);
        assert_eq!(
            again.unwrap_err(),
            PolicyIntersectionError::IdentityMismatch
        );
    }
    assert_eq!(
        root.intersect(&artifact(""), "no id").unwrap_err(),
        PolicyIntersectionError::IdentityMismatch
    );
    let grandchild = child
        .intersect(&artifact(""), "t-2")
        .unwrap()
        .start_by_host(&handle)
        .unwrap();
    let limit = grandchild.intersect(&artifact(""), "t-3").unwrap_err();
    assert_eq!(
        limit,
        PolicyIntersectionError::LimitExceeded {
            limit: Setting::Depth
        }
    );
    let (other, _) = tree();
    let foreign = root
        .intersect(&artifact(""), "t-4")
        .unwrap()
        .start_by_host(&other);
    assert_eq!(
        foreign.unwrap_err(),
        PolicyIntersectionError::IdentityMismatch
    );
}

#[test]
fn closing_reaches_everything_below() {
    let (handle, root) = tree();
    let child = root
        .intersect(&artifact(""), "t-1")
        .unwrap()
        .start_by_host(&handle)
        .unwrap();
    let grandchild = child
        .intersect(&artifact(""), "t-2")
        .unwrap()
        .start_by_host(&handle)
        .unwrap();
    let prepared = child.intersect(&artifact(""), "t-3").unwrap();
    assert!(grandchild.decide(&read()).is_allowed());
    let (foreign, _policy) = tree();
    foreign.close(&child);
    assert!(grandchild.decide(&read()).is_allowed());
    handle.close(&child);
    for closed in [&child, &grandchild] {
        assert_eq!(
            closed.decide(&read()),
            Decision::Deny(DenyReason::PolicyClosed)
        );
        assert_eq!(
            closed.intersect(&artifact(""), "t-9").unwrap_err(),
            PolicyIntersectionError::Closed
        );
    }
    assert_eq!(
        prepared.start_by_host(&handle).unwrap_err(),
        PolicyIntersectionError::Closed
    );
    assert!(root.decide(&read()).is_allowed());
    drop(handle);
    assert_eq!(
        root.decide(&read()),
        Decision::Deny(DenyReason::PolicyClosed)
    );
}

#[test]
fn revoking_reaches_the_whole_tree() {
    let (handle, root) = tree();
    let child = root
        .intersect(&artifact(""), "t-1")
        .unwrap()
        .start_by_host(&handle)
        .unwrap();
    let scope = Scope::from_json(
        r#"{"operations":["write"],"schema_version":1,"target":{"kind":"filesystem","recursive":true,"relative_path":".","root_id":"ws"}}"#,
    );
    handle.revoke(&Revocation::Scope(scope.unwrap()));
    for policy in [&root, &child] {
        assert_eq!(policy.decide(&write()), Decision::Deny(DenyReason::Revoked));
        assert!(policy.decide(&read()).is_allowed());
    }
    let later = root
        .intersect(&artifact(""), "t-2")
        .unwrap()
        .start_by_host(&handle)
        .unwrap();
    assert!(!later.decide(&write()).is_allowed());
    handle.revoke(&Revocation::Environment(Id::parse("CI").unwrap()));
    assert_eq!(
        child
            .environment()
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
        ["RUST_LOG"]
    );
    // A declared block that names what was revoked is refused from now on.
    let permissions = permissions();
    let exceeded = root
        .delegate(permissions.child("reviewer").unwrap(), "t-3")
        .unwrap_err();
    assert!(
        matches!(exceeded, PolicyIntersectionError::CeilingExceeded { .. }),
        "{exceeded}"
    );
}

#[test]
fn decisions_that_start_after_a_revocation_are_denied() {
    let (handle, root) = tree();
    let child = root
        .intersect(&artifact(""), "t-1")
        .unwrap()
        .start_by_host(&handle)
        .unwrap();
    let is_closed = AtomicBool::new(false);
    std::thread::scope(|threads| {
        for policy in [&root, &child, &child] {
            let is_closed = &is_closed;
            threads.spawn(move || {
                let request = read();
                for _ in 0..20_000 {
                    let was_closed = is_closed.load(Ordering::SeqCst);
                    let decision = policy.decide(&request);
                    assert!(!(was_closed && decision.is_allowed()));
                }
            });
        }
        threads.spawn(|| {
            std::thread::yield_now();
            handle.close(&root);
            is_closed.store(true, Ordering::SeqCst);
        });
    });
    assert!(!child.decide(&read()).is_allowed());
}

#[test]
fn declared_children() {
    let (handle, root) = tree();
    let permissions = permissions();
    let ceiling = permissions.child("reviewer").unwrap();
    let reviewer = root
        .delegate(ceiling, "t-1")
        .unwrap()
        .start_by_host(&handle)
        .unwrap();
    assert_eq!(
        reviewer.identity().agent_path().last().map(Id::as_str),
        Some("reviewer")
    );
    assert!(reviewer.decide(&read()).is_allowed());
    assert!(!reviewer.decide(&write()).is_allowed());
    // Credentials are inherited, environment entries are named.
    assert_eq!(reviewer.credentials().count(), 1);
    assert_eq!(
        reviewer
            .environment()
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
        ["CI"]
    );
    // The reviewer's own child is its to declare, and not the root's.
    let worker = ceiling.child("worker").unwrap();
    assert_eq!(
        root.delegate(worker, "t-2").unwrap_err(),
        PolicyIntersectionError::CeilingNotDeclared
    );
    let worker = reviewer
        .delegate(worker, "t-2")
        .unwrap()
        .start_by_host(&handle)
        .unwrap();
    assert!(!worker.decide(&read()).is_allowed());
    // A thread that was narrowed cannot hand on what it no longer holds.
    let narrowed = artifact(r#"{"version":2,"scopes":[]}"#);
    let empty = root
        .intersect(&narrowed, "t-5")
        .unwrap()
        .start_by_host(&handle)
        .unwrap();
    assert_eq!(
        empty.delegate(ceiling, "t-6").unwrap_err(),
        PolicyIntersectionError::CeilingNotDeclared
    );
}

#[test]
fn messages_go_to_live_descendants_only() {
    let (handle, root) = tree();
    let permissions = permissions();
    let ceiling = permissions.child("reviewer").unwrap();
    let digest = permissions.ceiling_sha256().to_hex();
    let text = |thread: &str| {
        format!(
            r#"{{"operation":"message","target":{{"agent_id":"reviewer","kind":"child_agent","parent_ceiling_sha256":"{digest}","thread_id":"{thread}"}}}}"#
        )
    };
    let (to_one, stranger) = (text("t-1"), text("t-9"));
    let to_one = Request::from_json(&to_one).unwrap();
    let denied = Decision::Deny(DenyReason::NotADescendant);
    assert_eq!(root.decide(&to_one), denied);
    let prepared = root.delegate(ceiling, "t-1").unwrap();
    assert_eq!(root.decide(&to_one), denied);
    let reviewer = prepared.start_by_host(&handle).unwrap();
    assert!(root.decide(&to_one).is_allowed());
    assert_eq!(root.decide(&Request::from_json(&stranger).unwrap()), denied);
    handle.close(&reviewer);
    assert_eq!(root.decide(&to_one), denied);
}

#[test]
fn nothing_secret_is_printed() {
    let (handle, root) = tree();
    let shown = format!("{root:?} {handle:?}");
    assert!(
        !shown.contains("prod") && !shown.contains("anthropic"),
        "{shown}"
    );
}

#[test]
fn explanations_name_entry_level_and_what_to_declare() {
    let (handle, root) = tree();
    let narrowed =
        artifact(r#"{"version":1,"sandbox":{"filesystem":{"ws":{"read":true,"write":false}}}}"#);
    let child = root
        .intersect(&narrowed, "t-1")
        .unwrap()
        .start_by_host(&handle)
        .unwrap();
    let below = child
        .intersect(&artifact(""), "t-2")
        .unwrap()
        .start_by_host(&handle)
        .unwrap();

    let allowed = below.explain(&read());
    assert_eq!(allowed.entry.as_ref().map(|entry| entry.index), Some(0));
    assert_eq!((&allowed.lost_at, &allowed.would_declare), (&None, &None));

    for (policy, side) in [(&child, Side::Restriction), (&below, Side::Parent)] {
        let lost = policy.explain(&write()).lost_at.unwrap();
        assert_eq!(
            (lost.level, lost.thread_id.as_str(), lost.by),
            (1, "t-1", side)
        );
    }
    // Case AG-github-10: the nearest declared target, the level, and the line to declare.
    let issue = Request::github("other/org", github::IssueWrite).unwrap();
    let explained = child.explain(&issue);
    assert_eq!(
        explained.decision,
        Decision::Deny(DenyReason::TargetNotDeclared)
    );
    let nearest = explained.nearest.unwrap();
    assert_eq!(nearest.text, "github \"acme/one\" => read, issue.write");
    assert_eq!(nearest.differs, ["repository"]);
    assert_eq!(
        explained.would_declare.as_deref(),
        Some("github \"other/org\" => issue.write;")
    );
    // An operation more on a declared target.
    let release = Request::github("acme/one", github::ReleaseWrite).unwrap();
    let line = root.explain(&release).would_declare;
    assert_eq!(
        line.as_deref(),
        Some("github \"acme/one\" => read, issue.write, release.write;")
    );
}

#[test]
fn differences_list_what_was_asked_for_and_not_held() {
    let (handle, root) = tree();
    // Cases AG-network-16 and AG-intersection-03: a restriction may name what the parent lacks.
    let wanted = artifact(
        r#"{"version":2,"scopes":[{"operations":["read"],"schema_version":1,"target":{"kind":"github","repository":"acme/two"}}],
            "tools":["nope"],"sandbox":{"environment":["CI","OTHER"]}}"#,
    );
    let child = root
        .intersect(&wanted, "t-1")
        .unwrap()
        .start_by_host(&handle)
        .unwrap();
    assert_eq!(child.scopes().len(), 0);
    let difference = child.explain_difference(&root);
    let parts = |outcome: ChangeOutcome| -> Vec<&str> {
        let changes = difference
            .changes()
            .iter()
            .filter(|change| change.outcome == outcome);
        changes.map(|change| change.part.as_str()).collect()
    };
    assert_eq!(
        parts(ChangeOutcome::NotHeld),
        [
            "github \"acme/two\" => read",
            "tool \"nope\"",
            "environment \"OTHER\""
        ]
    );
    assert_eq!(
        parts(ChangeOutcome::Inherited),
        ["credential provider \"anthropic\"", "environment \"CI\""]
    );
    assert_eq!(parts(ChangeOutcome::Dropped).len(), 4);
    assert_eq!(
        root.explain_difference(&root)
            .changes()
            .iter()
            .filter(|change| change.outcome != ChangeOutcome::Inherited)
            .count(),
        0
    );
}

#[test]
fn a_chain_of_any_depth_ends_without_recursion() {
    let permissions = ThreadPermissions::builder()
        .filesystem("ws", [filesystem::Read])
        .build()
        .unwrap();
    let identity = ThreadIdentity::root("alice", "acme", "run-1").unwrap();
    let (handle, root) = ThreadPolicy::for_root(identity, &permissions);
    let mut policy = root.clone();
    for level in 0..1_000 {
        policy = policy
            .intersect(&artifact(""), &format!("t-{level}"))
            .unwrap()
            .start_by_host(&handle)
            .unwrap();
    }
    assert!(policy.decide(&read()).is_allowed());
    // A thread's stack of 64 KiB is far too small for a call a level.
    let small = std::thread::Builder::new().stack_size(64 * 1024);
    let dropped = small.spawn(move || drop(policy)).unwrap();
    dropped.join().unwrap();
    assert!(root.decide(&read()).is_allowed());
}

#[test]
fn own_agents_are_entries_of_their_block_and_can_be_revoked() {
    let (handle, root) = tree();
    let permissions = permissions();
    let reviewer = permissions.child("reviewer").unwrap();
    let target = format!(
        r#"{{"agent_id":"worker","kind":"child_agent","parent_ceiling_sha256":"{}"}}"#,
        reviewer.ceiling_sha256().to_hex()
    );
    let request = format!(r#"{{"operation":"delegate","target":{target}}}"#);
    let request = Request::from_json(&request).unwrap();
    let worker = reviewer.child("worker").unwrap();
    let reviewer = root
        .delegate(reviewer, "t-1")
        .unwrap()
        .start_by_host(&handle)
        .unwrap();
    // The root has 7 entries, in which `worker` is the fourth of its block.
    let entry = reviewer.decide(&request).entry().unwrap();
    let declared = reviewer.entry(entry).unwrap();
    assert_eq!(
        declared.to_string(),
        "child_agent \"worker\" => status, delegate"
    );
    assert_eq!(
        reviewer.entry(0).unwrap().to_string(),
        "filesystem \"ws\" => read, write"
    );
    assert!(reviewer.entry(entry + 100).is_none());
    let scope = format!(r#"{{"operations":["delegate"],"schema_version":1,"target":{target}}}"#);
    handle.revoke(&Revocation::Scope(Scope::from_json(&scope).unwrap()));
    assert_eq!(
        reviewer.decide(&request),
        Decision::Deny(DenyReason::Revoked)
    );
    assert_eq!(
        reviewer.delegate(worker, "t-2").unwrap_err(),
        PolicyIntersectionError::CeilingNotDeclared
    );
    assert!(
        reviewer
            .scopes()
            .iter()
            .any(|scope| scope.target().kind() == Kind::ChildAgent && scope.operations().len() == 1)
    );
}

#[test]
fn what_falls_with_a_revoked_binding() {
    let build = || {
        ThreadPermissions::builder()
            .mcp_server("docs", [mcp_server::List])
            .mcp_tool("docs", "search", [mcp_tool::Call, mcp_tool::Inspect])
            .mcp_tool("docs", "free", [mcp_tool::Call])
            .server("docs", None)
            .tool("search", "docs", "search")
            .tool("search_again", "docs", "search")
            .build()
            .unwrap()
    };
    let tree = || {
        let identity = ThreadIdentity::root("alice", "acme", "run-1").unwrap();
        ThreadPolicy::for_root(identity, &build())
    };
    let [search, free] =
        ["search", "free"].map(|tool| Request::mcp_tool("docs", tool, mcp_tool::Call).unwrap());
    let inspect = Request::mcp_tool("docs", "search", mcp_tool::Inspect).unwrap();
    let revoked = Decision::Deny(DenyReason::Revoked);

    // A tool's `call` falls with its last id, and nothing else does.
    let (handle, root) = tree();
    let before = root.permissions_sha256();
    handle.revoke(&Revocation::Tool(Id::parse("search").unwrap()));
    assert!(root.decide(&search).is_allowed());
    assert_eq!(root.tools().count(), 1);
    assert_eq!(root.tool("search"), Err(DenyReason::Revoked));
    let ToolBinding::Mcp(again) = &root.tool("search_again").unwrap().binding else {
        panic!("it is a tool of a server");
    };
    assert_eq!(Request::tool(again), search);
    assert_eq!(root.tool("free"), Err(DenyReason::TargetNotDeclared));
    handle.revoke(&Revocation::Tool(Id::parse("search_again").unwrap()));
    assert_eq!(root.decide(&search), revoked);
    assert!(root.decide(&free).is_allowed());
    assert!(root.decide(&inspect).is_allowed());
    assert_eq!(root.tools().count(), 0);
    // The digest is of what the thread was given; a child gets what is left.
    assert_eq!(root.permissions_sha256(), before);
    let child = root
        .intersect(&artifact(""), "t-1")
        .unwrap()
        .start_by_host(&handle)
        .unwrap();
    assert_ne!(child.permissions_sha256(), before);
    assert_eq!(child.decide(&search), Decision::Deny(DenyReason::Narrowed));
    assert_eq!(child.tool("search_again"), Err(DenyReason::Narrowed));
    handle.close(&child);
    assert_eq!(child.tool("search_again"), Err(DenyReason::PolicyClosed));

    // A server falls with its credential.
    let (handle, root) = tree();
    let server = CredentialTarget::McpServer(Id::parse("docs").unwrap());
    handle.revoke(&Revocation::Credential(server));
    assert_eq!(root.decide(&free), revoked);
    assert_eq!(root.decide(&inspect), revoked);
    assert_eq!((root.scopes().len(), root.tools().count()), (0, 0));

    // A credential falls with the server's last scope.
    let (handle, root) = tree();
    for scope in root.scopes() {
        handle.revoke(&Revocation::Scope(scope));
    }
    assert_eq!((root.credentials().count(), root.tools().count()), (0, 0));
}

#[test]
fn selections_are_restrictions_by_name() {
    let (handle, root) = tree();
    let permissions = permissions();
    let scope = |json: &str| Scope::from_json(json).unwrap().into_owned();
    let wanted = [
        scope(
            r#"{"operations":["read"],"schema_version":1,"target":{"kind":"github","repository":"acme/one"}}"#,
        ),
        scope(
            r#"{"operations":["read"],"schema_version":1,"target":{"kind":"github","repository":"acme/two"}}"#,
        ),
    ];
    let repository = root.resolve(wanted[0].target()).unwrap();
    let other = root.resolve(wanted[1].target()).unwrap();
    let by_name = root.select(&wanted);
    let by_target = root.select_resolved([
        (&repository, wanted[0].operations()),
        (&other, wanted[1].operations()),
    ]);
    let restriction = artifact(
        r#"{"version":2,"scopes":[{"operations":["read"],"schema_version":1,"target":{"kind":"github","repository":"acme/one"}}]}"#,
    );
    let plain = artifact("");
    let children = [
        root.intersect_selected(&plain, &by_name, "t-1").unwrap(),
        root.intersect_selected(&plain, &by_target, "t-2").unwrap(),
        root.intersect(&restriction, "t-3").unwrap(),
        // Both apply.
        root.intersect_selected(&restriction, &by_name, "t-4")
            .unwrap(),
    ];
    let children = children.map(|child| child.start_by_host(&handle).unwrap());
    for child in &children {
        assert_eq!(child.to_json(), children[2].to_json());
        assert_eq!(child.scopes().len(), 1);
    }
    let nothing = artifact(r#"{"version":2,"scopes":[]}"#);
    let nothing = root
        .intersect_selected(&nothing, &by_name, "t-5")
        .unwrap()
        .start_by_host(&handle)
        .unwrap();
    assert_eq!(nothing.scopes().len(), 0);

    // Nothing of one root serves another one.
    let (other_handle, other_root) = tree();
    assert_eq!(
        other_root
            .intersect_selected(&plain, &by_name, "t-1")
            .unwrap_err(),
        PolicyIntersectionError::IdentityMismatch
    );
    assert_eq!(
        other_root.decide_resolved(&repository, github::Read),
        Decision::Deny(DenyReason::TargetNotDeclared)
    );
    let foreign = other_root.select_resolved([(&repository, wanted[0].operations())]);
    let none = other_root
        .intersect_selected(&plain, &foreign, "t-2")
        .unwrap();
    assert_eq!(none.start_by_host(&other_handle).unwrap().scopes().len(), 0);

    // The agent is selected by its scope.
    let agent = root
        .scopes()
        .into_iter()
        .find(|scope| scope.target().kind() == Kind::ChildAgent)
        .unwrap();
    assert!(root.resolve(agent.target()).is_none());
    let agents = root.select([&agent]);
    let child = root
        .intersect_selected(&plain, &agents, "t-6")
        .unwrap()
        .start_by_host(&handle)
        .unwrap();
    assert_eq!(child.scopes().len(), 1);
    assert!(
        child
            .delegate(permissions.child("reviewer").unwrap(), "t-7")
            .is_err()
    );
}

#[test]
fn snapshots_cover_identity_model_and_bindings() {
    struct Host(u8);
    impl BindingResolver for Host {
        fn resolve(&self, binding: &RequiredBinding) -> Option<ResolvedBinding> {
            let directory =
                matches!(binding, RequiredBinding::Filesystem(_)).then(|| BoundDirectory {
                    host: "/srv/ws".into(),
                    guest: "/ws".into(),
                });
            Some(ResolvedBinding {
                revision_sha256: Digest::of(&[self.0]),
                directory,
            })
        }
    }
    let permissions = permissions();
    let root = |run: &str, options: RootOptions| {
        let identity = ThreadIdentity::root("alice", "acme", run).unwrap();
        ThreadPolicy::for_root_with(identity, &permissions, options)
    };
    let revisions = |host: u8| permissions.check_bindings(&Host(host)).unwrap();
    let route = ModelRoute {
        provider_id: Id::parse("anthropic").unwrap(),
        model_id: "m".to_owned(),
    };
    let plain = RootOptions::default;
    let roots = [
        root("run-1", plain()),
        root("run-2", plain()),
        root("run-1", plain().route(route)),
        root("run-1", plain().revisions(revisions(1))),
        root("run-1", plain().revisions(revisions(2))),
    ];
    let snapshots: HashSet<_> = roots
        .iter()
        .map(|(_, root)| root.snapshot_sha256())
        .collect();
    assert_eq!(snapshots.len(), roots.len());
    assert_eq!(
        roots[0].1.snapshot_sha256(),
        root("run-1", plain()).1.snapshot_sha256()
    );
    for (_, root) in &roots {
        assert_eq!(root.permissions_sha256(), roots[0].1.permissions_sha256());
    }
    let (handle, root) = &roots[0];
    let child = root.intersect(&artifact(""), "t-1").unwrap();
    let child = child.start_by_host(handle).unwrap();
    let below = child.intersect(&artifact(""), "t-2").unwrap();
    let below = below.start_by_host(handle).unwrap();
    assert_eq!(below.permissions_sha256(), root.permissions_sha256());
    assert_ne!(below.snapshot_sha256(), child.snapshot_sha256());
    assert_ne!(child.snapshot_sha256(), root.snapshot_sha256());
    let ws = RequiredBinding::Filesystem(Id::parse("ws").unwrap());
    assert_eq!(roots[0].1.binding_revision(&ws), None);
    assert_eq!(roots[4].1.binding_revision(&ws), Some(Digest::of(&[2])));
}
