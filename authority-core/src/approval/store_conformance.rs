//! What every store of grants must do, as a suite that any of them runs.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use crate::approval::{
    Grant, GrantError, GrantQuery, GrantStore, GrantStoreError, Lifetime, SealedGrant, Timestamp,
};
use crate::id::Id;

/// Runs the suite on a store of grants: `make` gives a new one, empty, with room for a hundred.
///
/// # Panics
///
/// When the store does what a store must not do. The message names the case.
pub fn grant_store<S: GrantStore + 'static>(make: impl Fn() -> S) {
    let cases: [fn(&dyn GrantStore); 7] = [
        finds_what_matches,
        one_id_is_one_grant,
        uses_are_counted,
        revoked_for_ever,
        sessions_end,
        children_move_uses,
        rivals,
    ];
    for case in cases {
        case(&make());
    }
}

/// A session.
pub(crate) fn session(id: &str) -> Lifetime {
    Lifetime::Session {
        session_id: self::id(id).into_owned(),
    }
}

/// A grant of `alice`'s thread `thread-1` until half past ten.
pub(crate) fn grant(id: &str, lifetime: &Lifetime, uses: u32) -> Grant {
    let digest = "60c2fc8a3b622e8acab9d1ec5813eda971ef9a08ed5de974c7d7debaf37f5d8f";
    let thread = match lifetime {
        Lifetime::PersistedPolicy { .. } => r#""root_run_id":null,"thread_id":null"#,
        _ => r#""root_run_id":"run-1","thread_id":"thread-1""#,
    };
    let lifetime = lifetime.to_value().to_canonical_json();
    let json = format!(
        r#"{{"bindings_sha256":"{digest}","boundary":"enforced_by_harness","created_at":"2031-03-04T10:00:00Z","expires_at":"2031-03-04T10:30:00Z","holder":{{"agent_path":[],"declaration_sha256":"{digest}","owner_id":"alice","permissions_sha256":"{digest}",{thread},"workspace_id":"checkout"}},"id":"{id}","lifetime":{lifetime},"parent_grant_id":null,"policy_source":"settings","preview_sha256":"{digest}","reviewer":{{"id":"alice","kind":"human"}},"revoked_at":null,"schema_version":1,"scope":{{"operations":["read"],"schema_version":1,"target":{{"kind":"github","repository":"acme/checkout"}}}},"uses":{uses}}}"#
    );
    Grant::from_json(&json).unwrap_or_else(|error| panic!("the record decodes: {error}"))
}

/// The same grant with other members.
fn changed(grant: &Grant, changes: &[(&str, &str)]) -> Grant {
    let json = changes
        .iter()
        .fold(grant.to_json(), |json, (from, to)| json.replace(from, to));
    Grant::from_json(&json).unwrap_or_else(|error| panic!("the record decodes: {error}"))
}

/// A grant that was delegated from this one to `thread-2`.
fn child(parent: &Grant, id: &str, uses: u32) -> Grant {
    changed(
        parent,
        &[
            ("\"parent_grant_id\":null", "\"parent_grant_id\":\"\""),
            (
                &format!("\"id\":\"{}\"", parent.id()),
                &format!("\"id\":\"{id}\""),
            ),
            (
                "\"parent_grant_id\":\"\"",
                &format!("\"parent_grant_id\":\"{}\"", parent.id()),
            ),
            ("\"agent_path\":[]", "\"agent_path\":[\"helper\"]"),
            ("thread-1", "thread-2"),
            (
                &format!("\"uses\":{}", parent.uses()),
                &format!("\"uses\":{uses}"),
            ),
        ],
    )
}

fn id(text: &str) -> Id<'_> {
    Id::parse(text).expect("an id")
}

fn at(minute: u32) -> Timestamp {
    let time = format!("2031-03-04T10:{minute:02}:00Z");
    Timestamp::parse(&time).expect("a time")
}

fn uses(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).expect("not zero")
}

fn insert(store: &dyn GrantStore, grant: &Grant) -> Result<(), GrantStoreError> {
    store.insert(&SealedGrant::unsealed(grant.clone()))
}

fn left(store: &dyn GrantStore, grant: &str) -> u32 {
    let stored = store.grant(&id(grant)).expect("the store answers");
    stored.expect("the grant is there").left
}

fn finds_what_matches(store: &dyn GrantStore) {
    let lifetime = session("s-1");
    let first = grant("first", &lifetime, 3);
    let policy = Lifetime::PersistedPolicy {
        policy_id: id("p-1").into_owned(),
    };
    let persisted = grant("persisted", &policy, 3);
    let others = [
        changed(&grant("other-1", &lifetime, 3), &[("\"alice\"", "\"bob\"")]),
        changed(&grant("other-2", &lifetime, 3), &[("thread-1", "thread-2")]),
        changed(
            &grant("other-3", &lifetime, 3),
            &[("\"read\"", "\"issue.write\"")],
        ),
        grant("other-4", &session("s-2"), 3),
    ];
    for grant in others.iter().chain([&first, &persisted]) {
        assert_eq!(insert(store, grant), Ok(()), "{grant:?}");
    }
    let holder = first.holder().clone();
    let find = |lifetimes: &[Lifetime]| {
        let query = GrantQuery {
            holder: &holder,
            scope: first.scope(),
            lifetimes,
        };
        let mut found = store.find(&query).expect("the store answers");
        found.sort_by(|one, other| one.sealed.grant().id().cmp(other.sealed.grant().id()));
        found
            .into_iter()
            .map(|stored| (stored.sealed.grant().clone(), stored.left))
            .collect::<Vec<_>>()
    };
    assert_eq!(find(&[]), []);
    assert_eq!(find(std::slice::from_ref(&lifetime)), [(first.clone(), 3)]);
    assert_eq!(
        find(&[policy, lifetime.clone()]),
        [(first.clone(), 3), (persisted, 3)],
        "a persisted grant is held in any run"
    );
    // What is revoked and used up is found too.
    assert_eq!(store.consume(&id("first"), uses(3)), Ok(0));
    assert_eq!(store.revoke(&id("first"), at(5)), Ok(()));
    assert_eq!(find(&[lifetime]), [(first.revoked(at(5)), 0)]);
    assert_eq!(store.grant(&id("nobody")), Ok(None));
}

fn one_id_is_one_grant(store: &dyn GrantStore) {
    let first = grant("first", &session("s"), 3);
    assert_eq!(insert(store, &first), Ok(()));
    assert_eq!(store.consume(&id("first"), uses(1)), Ok(2));
    assert_eq!(insert(store, &first), Ok(()), "the same again");
    assert_eq!(left(store, "first"), 2, "no use is given back");
    let other = grant("first", &session("s"), 4);
    assert_eq!(insert(store, &other), Err(GrantStoreError::OtherContents));
    assert_eq!(left(store, "first"), 2);
}

fn uses_are_counted(store: &dyn GrantStore) {
    assert_eq!(insert(store, &grant("first", &session("s"), 5)), Ok(()));
    assert_eq!(store.consume(&id("first"), uses(2)), Ok(3));
    let refused = Err(GrantStoreError::UsedUp { left: 3 });
    assert_eq!(store.consume(&id("first"), uses(4)), refused, "all or none");
    assert_eq!(store.consume(&id("first"), uses(3)), Ok(0));
    let refused = Err(GrantStoreError::UsedUp { left: 0 });
    assert_eq!(store.consume(&id("first"), uses(1)), refused);
    let unknown = Err(GrantStoreError::Unknown);
    assert_eq!(store.consume(&id("other"), uses(1)), unknown);
}

fn revoked_for_ever(store: &dyn GrantStore) {
    let first = grant("first", &session("s"), 3);
    let stored = |name: &str| {
        let stored = store.grant(&id(name)).expect("the store answers");
        stored.expect("the grant is there").sealed.grant().clone()
    };
    assert_eq!(insert(store, &first), Ok(()));
    assert_eq!(store.revoke(&id("first"), at(5)), Ok(()));
    assert_eq!(store.revoke(&id("first"), at(6)), Ok(()));
    assert_eq!(stored("first").revoked_at(), Some(at(5)), "the second time");
    assert_eq!(insert(store, &first), Ok(()));
    assert!(stored("first").is_revoked(), "inserted again");
    let revoked = Err(GrantStoreError::Revoked);
    assert_eq!(store.consume(&id("first"), uses(1)), revoked);

    assert_eq!(store.revoke(&id("later"), at(7)), Ok(()));
    assert_eq!(insert(store, &grant("later", &session("s"), 3)), Ok(()));
    assert!(stored("later").is_revoked(), "revoked before it came");
    assert_eq!(store.consume(&id("later"), uses(1)), revoked);

    let second = grant("second", &session("s"), 3);
    assert_eq!(insert(store, &second), Ok(()));
    assert_eq!(insert(store, &second.revoked(at(8))), Ok(()));
    assert!(stored("second").is_revoked(), "inserted as revoked");
}

fn sessions_end(store: &dyn GrantStore) {
    let ended = grant("ended", &session("s-1"), 3);
    let others = [
        grant("other-1", &session("s-2"), 3),
        changed(
            &grant("other-2", &session("s-1"), 3),
            &[("thread-1", "thread-2")],
        ),
    ];
    for grant in others.iter().chain([&ended]) {
        assert_eq!(insert(store, grant), Ok(()));
    }
    assert_eq!(insert(store, &child(&ended, "child", 1)), Ok(()));
    assert_eq!(store.end_session(ended.holder(), &id("s-1"), at(5)), Ok(()));
    let revoked = Err(GrantStoreError::Revoked);
    assert_eq!(store.consume(&id("ended"), uses(1)), revoked);
    assert_eq!(store.consume(&id("child"), uses(1)), revoked);
    assert_eq!(store.consume(&id("other-1"), uses(1)), Ok(2));
    assert_eq!(store.consume(&id("other-2"), uses(1)), Ok(2));
}

fn children_move_uses(store: &dyn GrantStore) {
    let parent = grant("parent", &session("s"), 5);
    let first = child(&parent, "child", 3);
    let revoked = Err(GrantStoreError::Revoked);
    assert_eq!(insert(store, &first), revoked, "its parent is missing");
    assert_eq!(insert(store, &parent), Ok(()));
    assert_eq!(insert(store, &first), Ok(()));
    assert_eq!(insert(store, &first), Ok(()), "the same again");
    assert_eq!((left(store, "parent"), left(store, "child")), (2, 3));
    let refused = Err(GrantStoreError::UsedUp { left: 2 });
    assert_eq!(insert(store, &child(&parent, "second", 3)), refused);
    assert_eq!(store.grant(&id("second")), Ok(None));
    let longer = changed(
        &child(&parent, "longer", 1),
        &[("T10:30:00Z", "T10:31:00Z")],
    );
    let outlives = Err(GrantStoreError::Parent(GrantError::OutlivesParent));
    assert_eq!(insert(store, &longer), outlives);
    assert_eq!(left(store, "parent"), 2, "what is refused takes nothing");

    let below = changed(
        &child(&parent, "below", 1),
        &[(
            "\"parent_grant_id\":\"parent\"",
            "\"parent_grant_id\":\"child\"",
        )],
    );
    assert_eq!(insert(store, &below), Ok(()));
    assert_eq!(left(store, "child"), 2);
    assert_eq!(store.consume(&id("parent"), uses(2)), Ok(0));
    assert_eq!(store.consume(&id("child"), uses(1)), Ok(1), "its own uses");

    assert_eq!(store.revoke(&id("parent"), at(5)), Ok(()));
    for name in ["child", "below"] {
        let consumed = store.consume(&id(name), uses(1));
        assert_eq!(consumed, Err(GrantStoreError::Revoked), "{name}");
        let stored = store.grant(&id(name)).expect("the store answers");
        let stored = stored.expect("the grant is there");
        assert!(!stored.has_live_parents && !stored.sealed.grant().is_revoked());
    }
    assert_eq!(insert(store, &child(&parent, "third", 1)), revoked);
}

/// Many threads use one grant and delegate from it: never more than it has.
fn rivals(store: &dyn GrantStore) {
    let parent = grant("parent", &session("s"), 100);
    assert_eq!(insert(store, &parent), Ok(()));
    let (used, moved) = (AtomicU32::new(0), AtomicU32::new(0));
    thread::scope(|scope| {
        for thread in 0..8_u32 {
            let (used, moved, parent) = (&used, &moved, &parent);
            scope.spawn(move || {
                for round in 0..30_u32 {
                    let amount = 1 + (thread + round) % 3;
                    if round % 10 == 9 {
                        let child = child(parent, &format!("child-{thread}-{round}"), amount);
                        if insert(store, &child).is_ok() {
                            moved.fetch_add(amount, Ordering::Relaxed);
                        }
                    } else if store.consume(&id("parent"), uses(amount)).is_ok() {
                        used.fetch_add(amount, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let taken = used.into_inner() + moved.into_inner();
    assert_eq!(
        taken + left(store, "parent"),
        100,
        "each use is counted once"
    );
    assert_eq!(taken, 100, "what is left fits somebody");
}
