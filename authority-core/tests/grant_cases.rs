//! Grants in use: looked up, consumed, revoked, delegated. The cases from public reports that grants
//! and their store alone show are named after their ids.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use authority_core::operations::github;
use authority_core::vocabulary::{Boundary, Lifetime as Kind, RevalidationReason, ReviewerKind};
use authority_core::{
    ApprovalPolicy, Artifact, Clock, Context, Effect, Found, GithubPart, GithubResource, Grant,
    GrantError, GrantQuery, GrantSeal, GrantStoreError, Grants, Holder, Id, Lifetime, MacKey,
    ManualClock, MemoryGrants, NewGrant, Preview, Refusal, Request, Reviewer, RootHandle,
    SteadyClock, ThreadIdentity, ThreadPermissions, ThreadPolicy, Timestamp,
};

struct Setup {
    handle: RootHandle,
    root: ThreadPolicy,
    host_clock: Arc<ManualClock>,
    clock: SteadyClock<Arc<ManualClock>>,
    grants: Grants,
    policy: ApprovalPolicy,
}

const MINUTE: Duration = Duration::from_mins(1);

impl Setup {
    fn new() -> Self {
        Self::in_run("run-1", Grants::new(MemoryGrants::new()))
    }

    fn in_run(run: &str, grants: Grants) -> Self {
        let permissions = ThreadPermissions::builder()
            .github("acme/checkout", [github::IssueWrite])
            .build()
            .unwrap();
        let identity = ThreadIdentity::root("alice", "checkout", run).unwrap();
        let (handle, root) = ThreadPolicy::for_root(identity, &permissions);
        let host_clock = Arc::new(ManualClock::new());
        host_clock.set_wall_nanoseconds(1_930_386_600_000_000_000);
        Setup {
            handle,
            root,
            clock: SteadyClock::new(Arc::clone(&host_clock)),
            host_clock,
            grants,
            policy: ApprovalPolicy::always_ask(Reviewer::human("alice").unwrap()),
        }
    }

    fn child(&self, agent: &str, thread: &str) -> ThreadPolicy {
        let child = self.root.intersect(&Artifact::new(id(agent)), thread);
        child.unwrap().start_by_host(&self.handle).unwrap()
    }

    fn now(&self) -> Timestamp {
        Timestamp::now(&self.clock).unwrap()
    }

    fn new_grant(&self, name: &str, lifetime: Lifetime, minutes: u32, uses: u32) -> NewGrant {
        NewGrant {
            id: id(name),
            lifetime,
            created_at: self.now(),
            expires_at: self.now().after(MINUTE * minutes).unwrap(),
            uses: number(uses),
        }
    }

    fn make(&self, thread: &ThreadPolicy, new: NewGrant) -> Result<Grant, GrantError> {
        let alice = Reviewer::human("alice").unwrap();
        Grant::new(
            new,
            &Holder::of(thread),
            &preview(thread, 7),
            alice,
            &self.policy,
        )
    }

    /// A grant of three uses in half an hour, for the session.
    fn allow(&self, thread: &ThreadPolicy, name: &str) -> Grant {
        let new = self.new_grant(name, session(), 30, 3);
        let grant = self.make(thread, new).unwrap();
        self.grants.insert(&grant).unwrap();
        grant
    }

    fn find(&self, thread: &ThreadPolicy) -> Found {
        self.find_about(
            thread,
            7,
            (ReviewerKind::Human, Boundary::EnforcedByHarness),
        )
    }

    fn find_about(
        &self,
        thread: &ThreadPolicy,
        issue: u64,
        strength: (ReviewerKind, Boundary),
    ) -> Found {
        let preview = preview(thread, issue);
        let query = GrantQuery {
            holder: &Holder::of(thread),
            scope: preview.scope(),
            lifetimes: &[session(), persisted()],
        };
        let context = Context {
            scope: preview.scope(),
            preview_sha256: preview.sha256(),
            bindings_sha256: preview.bindings().sha256(),
            now: self.now(),
            redirected: false,
            retry: false,
            has_live_parents: false,
        };
        self.grants.find(&query, &context, strength).unwrap()
    }

    /// Finds a grant and takes a use, as a gate does.
    fn authorize(&self, thread: &ThreadPolicy) -> Option<Id<'static>> {
        match self.find(thread) {
            Found::Valid(grant) => {
                let consumed = self.grants.consume(grant.id(), number(1));
                consumed.ok().map(|_| grant.id().clone())
            }
            Found::Refused(..) | Found::Missing => None,
        }
    }

    fn reasons(&self, thread: &ThreadPolicy) -> Vec<RevalidationReason> {
        match self.find(thread) {
            Found::Refused(_, Refusal::Reasons(reasons)) => reasons,
            found => panic!("{found:?}"),
        }
    }
}

fn preview(thread: &ThreadPolicy, issue: u64) -> Preview {
    let request = Request::github("acme/checkout", github::IssueWrite).unwrap();
    let resource = GithubResource {
        repository_id: None,
        part: GithubPart::Number(issue),
    };
    let effect = Effect::github_write(resource, "it is done");
    Preview::new(thread, &request, &effect, Boundary::EnforcedByHarness).unwrap()
}

fn id(text: &str) -> Id<'static> {
    Id::parse(text).unwrap().into_owned()
}

fn number(uses: u32) -> NonZeroU32 {
    NonZeroU32::new(uses).unwrap()
}

fn session() -> Lifetime {
    Lifetime::Session {
        session_id: id("session-1"),
    }
}

fn persisted() -> Lifetime {
    Lifetime::PersistedPolicy {
        policy_id: id("settings"),
    }
}

#[test]
fn ag_approval_05() {
    let setup = Setup::new();
    let (one, other) = (
        setup.child("one", "thread-1"),
        setup.child("two", "thread-2"),
    );
    let same_agent = setup.child("one", "thread-3");
    setup.allow(&one, "grant-1");
    assert_eq!(setup.find(&other), Found::Missing);
    assert_eq!(setup.find(&same_agent), Found::Missing);
    assert_eq!(setup.find(&setup.root), Found::Missing);
    assert_eq!(setup.authorize(&one), Some(id("grant-1")));
}

#[test]
fn ag_approval_08() {
    let setup = Setup::new();
    let grant = setup.allow(&setup.root, "grant-1");
    for _ in 0..3 {
        assert_eq!(setup.authorize(&setup.root), Some(id("grant-1")));
    }
    assert_eq!(
        setup.find(&setup.root),
        Found::Refused(grant, Refusal::UsedUp)
    );

    let setup = Setup::new();
    setup.allow(&setup.root, "grant-2");
    setup
        .host_clock
        .advance(Duration::from_nanos(1_799_999_999_999));
    assert!(setup.authorize(&setup.root).is_some());
    setup.host_clock.advance(Duration::from_nanos(1));
    assert_eq!(setup.reasons(&setup.root), [RevalidationReason::Expired]);
}

/// The wall time is set back an hour: the grant expires all the same.
#[test]
fn a_grant_expires_when_either_clock_says_so() {
    let setup = Setup::new();
    setup.allow(&setup.root, "grant-1");
    setup
        .host_clock
        .set_wall_nanoseconds(1_930_383_000_000_000_000);
    setup.host_clock.set_monotonic(MINUTE * 29);
    assert!(setup.authorize(&setup.root).is_some());
    setup.host_clock.set_monotonic(MINUTE * 30);
    assert_eq!(setup.reasons(&setup.root), [RevalidationReason::Expired]);
    assert!(setup.clock.wall_nanoseconds() > 1_930_386_600_000_000_000);
}

#[test]
fn ag_approval_12() {
    let setup = Setup::new();
    let child = setup.child("helper", "thread-1");
    let new = setup.new_grant("grant-1", session(), 30, u32::MAX);
    let grant = setup.make(&setup.root, new).unwrap();
    setup.grants.insert(&grant).unwrap();
    let new = setup.new_grant("grant-2", session(), 30, u32::MAX - 1);
    let given = grant.delegate(&setup.handle, &setup.root, &child, new);
    setup.grants.insert(&given.unwrap()).unwrap();

    let (is_revoked, used) = (AtomicBool::new(false), AtomicU32::new(0));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let was_revoked = is_revoked.load(Ordering::Acquire);
                    if setup.authorize(&child).is_none() {
                        break;
                    }
                    assert!(!was_revoked, "used after it was revoked");
                    used.fetch_add(1, Ordering::AcqRel);
                }
            });
        }
        while used.load(Ordering::Acquire) < 100 {
            thread::yield_now();
        }
        setup.grants.revoke(&id("grant-1"), setup.now()).unwrap();
        is_revoked.store(true, Ordering::Release);
    });
    assert_eq!(setup.reasons(&child), [RevalidationReason::Revoked]);
    assert_eq!(setup.reasons(&setup.root), [RevalidationReason::Revoked]);
}

#[test]
fn ag_approval_14() {
    let setup = Setup::new();
    setup.allow(&setup.root, "grant-1");
    let at = setup.now();
    setup.grants.revoke(&id("grant-1"), at).unwrap();
    assert_eq!(setup.reasons(&setup.root), [RevalidationReason::Revoked]);
    setup.host_clock.advance(MINUTE);
    setup.grants.revoke(&id("grant-1"), setup.now()).unwrap();
    let stored = setup.grants.grant(&id("grant-1")).unwrap().unwrap();
    assert_eq!(stored.sealed.grant().revoked_at(), Some(at));
    setup.allow(&setup.root, "grant-2");
    assert_eq!(setup.authorize(&setup.root), Some(id("grant-2")));
}

#[test]
fn the_soonest_to_expire_is_used_and_the_youngest_explains() {
    let setup = Setup::new();
    let root = &setup.root;
    for (name, minutes) in [("long", 30), ("short", 10), ("middle", 20)] {
        let new = setup.new_grant(name, session(), minutes, 1);
        let grant = setup.make(root, new).unwrap();
        setup.grants.insert(&grant).unwrap();
        setup.host_clock.advance(Duration::from_secs(1));
    }
    for name in ["short", "middle", "long"] {
        assert_eq!(setup.authorize(root), Some(id(name)));
    }
    let Found::Refused(youngest, refusal) = setup.find(root) else {
        panic!("no use is left");
    };
    assert_eq!((youngest.id(), refusal), (&id("middle"), Refusal::UsedUp));

    // What was approved is one preview.
    let strength = (ReviewerKind::Human, Boundary::EnforcedByHarness);
    let Found::Refused(_, refusal) = setup.find_about(root, 8, strength) else {
        panic!("another issue");
    };
    let stale = vec![RevalidationReason::StalePreview];
    assert_eq!(refusal, Refusal::Reasons(stale));
}

#[test]
fn what_today_asks_for_is_not_weaker() {
    let setup = Setup::new();
    let bot = Reviewer::auto_review("bot").unwrap();
    let holder = Holder::of(&setup.root);
    let new = setup.new_grant("grant-1", session(), 30, 1);
    let preview = preview(&setup.root, 7);
    let grant = Grant::new(new, &holder, &preview, bot, &setup.policy).unwrap();
    setup.grants.insert(&grant).unwrap();
    let find = |reviewer| {
        let strength = (reviewer, Boundary::DelegatedToCliSandbox);
        setup.find_about(&setup.root, 7, strength)
    };
    assert_eq!(
        find(ReviewerKind::Human),
        Found::Refused(grant.clone(), Refusal::Weaker)
    );
    assert_eq!(find(ReviewerKind::AutoReview), Found::Valid(grant));
}

#[test]
fn lifetimes_are_bounded() {
    let setup = Setup::new();
    let operation = || Lifetime::Operation {
        operation_id: id("operation-1"),
    };
    for (lifetime, minutes) in [(operation(), 5), (session(), 720), (persisted(), 43_200)] {
        let make = |minutes| {
            let new = setup.new_grant("grant-1", lifetime.clone(), minutes, 1);
            setup.make(&setup.root, new)
        };
        assert_eq!(make(minutes + 1), Err(GrantError::TooLong));
        assert_eq!(make(minutes).unwrap().lifetime(), &lifetime);
    }
    let make = |new| setup.make(&setup.root, new);
    let new = setup.new_grant("grant-1", operation(), 5, 2);
    assert_eq!(make(new), Err(GrantError::OperationIsSingleUse));
    let mut new = setup.new_grant("grant-1", session(), 5, 2);
    new.expires_at = Timestamp::parse("2031-03-04T10:29:59Z").unwrap();
    assert_eq!(make(new), Err(GrantError::ExpiresBeforeCreation));

    let shorter = setup.policy.clone().with_longest(Kind::Session, MINUTE);
    let setup = Setup {
        policy: shorter,
        ..setup
    };
    let new = setup.new_grant("grant-1", session(), 2, 1);
    assert_eq!(setup.make(&setup.root, new), Err(GrantError::TooLong));
}

#[test]
fn persisted_grants_need_the_key() {
    let seal = |byte| GrantSeal::new(MacKey::new(&[byte; 32]).unwrap());
    let store = Arc::new(MemoryGrants::new());
    let with = |seal: Option<GrantSeal>| {
        let grants = Grants::new(Arc::clone(&store));
        seal.map_or(grants.clone(), |seal| grants.with_seal(seal))
    };
    let setup = Setup::in_run("run-1", with(Some(seal(7))));
    let new = setup.new_grant("grant-1", persisted(), 30, 3);
    let grant = setup.make(&setup.root, new).unwrap();
    let without = with(None);
    assert_eq!(without.insert(&grant), Err(GrantStoreError::NoSeal));
    setup.grants.insert(&grant).unwrap();

    // It outlives the run, and nobody without the key reads it as a grant.
    let later = Setup::in_run("run-2", with(Some(seal(7))));
    assert_eq!(later.authorize(&later.root), Some(id("grant-1")));
    for other in [Some(seal(8)), None] {
        let setup = Setup::in_run("run-3", with(other));
        assert_eq!(setup.find(&setup.root), Found::Missing);
        assert_eq!(setup.grants.grant(&id("grant-1")), Ok(None));
    }

    // With a key, an unsealed grant for a session is none either.
    let unkeyed = Setup::in_run("run-4", with(None));
    unkeyed.allow(&unkeyed.root, "grant-2");
    assert!(unkeyed.authorize(&unkeyed.root).is_some());
    let keyed = Setup::in_run("run-4", with(Some(seal(7))));
    assert_eq!(keyed.authorize(&keyed.root), Some(id("grant-1")));
    assert_eq!(keyed.grants.grant(&id("grant-2")), Ok(None));
}

#[test]
fn only_the_host_delegates_to_a_live_descendant_of_the_holder() {
    let setup = Setup::new();
    let grant = setup.allow(&setup.root, "grant-1");
    let child = setup.child("helper", "thread-1");
    let delegate = |handle: &RootHandle, from: &ThreadPolicy, to: &ThreadPolicy| {
        let new = setup.new_grant("grant-2", session(), 30, 1);
        grant.delegate(handle, from, to, new).map(|_| ())
    };
    let (handle, root) = (&setup.handle, &setup.root);
    let other = Setup::new();
    assert_eq!(delegate(handle, root, &child), Ok(()));
    assert_eq!(
        delegate(&other.handle, root, &child),
        Err(GrantError::NotHeld)
    );
    assert_eq!(delegate(handle, &child, &child), Err(GrantError::NotHeld));
    assert_eq!(
        delegate(handle, root, root),
        Err(GrantError::NotADescendant)
    );
    let foreign = other.child("helper", "thread-1");
    assert_eq!(
        delegate(handle, root, &foreign),
        Err(GrantError::NotADescendant)
    );

    let new = setup.new_grant("grant-2", session(), 31, 1);
    let outlives = grant.delegate(handle, root, &child, new);
    assert_eq!(outlives, Err(GrantError::OutlivesParent));
    let new = setup.new_grant("grant-2", persisted(), 30, 1);
    let other_lifetime = grant.delegate(handle, root, &child, new);
    assert_eq!(other_lifetime, Err(GrantError::OtherApproval));
    let new = setup.new_grant("grant-2", session(), 30, 1);
    let revoked = grant
        .revoked(setup.now())
        .delegate(handle, root, &child, new);
    assert_eq!(revoked, Err(GrantError::Revoked));

    handle.close(&child);
    assert_eq!(
        delegate(handle, root, &child),
        Err(GrantError::NotADescendant)
    );
}

#[test]
fn a_child_uses_what_it_was_given() {
    let setup = Setup::new();
    let grant = setup.allow(&setup.root, "grant-1");
    let child = setup.child("helper", "thread-1");
    let new = setup.new_grant("grant-2", session(), 10, 2);
    let given = grant
        .delegate(&setup.handle, &setup.root, &child, new)
        .unwrap();
    assert_eq!(setup.find(&child), Found::Missing);
    setup.grants.insert(&given).unwrap();
    for _ in 0..2 {
        assert_eq!(setup.authorize(&child), Some(id("grant-2")));
    }
    assert_eq!(setup.authorize(&child), None);
    assert_eq!(setup.authorize(&setup.root), Some(id("grant-1")));
    assert_eq!(setup.authorize(&setup.root), None);
}
