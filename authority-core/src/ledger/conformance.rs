//! What every ledger must do, as a suite that any of them runs.

use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use super::{Amounts, Guard, Ledger, LedgerDenial, LedgerError, Reservation, Slot};
use crate::artifact::Artifact;
use crate::clock::ManualClock;
use crate::id::Id;
use crate::money::MicroDollars;
use crate::permissions::ThreadPermissions;
use crate::policy::{RootHandle, ThreadIdentity, ThreadPolicy};
use crate::restriction::THREAD_POLICY_EXTENSION;
use crate::vocabulary::{Setting, SettingGroup, operations::filesystem};

/// Runs the suite on a ledger: `make` gives a new one, with nothing in use, for the tree of a root
/// and with a clock that the suite sets.
///
/// # Panics
///
/// When the ledger does what a ledger must not do. The message names the case.
pub fn ledger<L: Ledger + 'static>(make: impl Fn(&RootHandle, Arc<ManualClock>) -> L) {
    let cases: [fn(&Make<'_>); 17] = [
        without_settings,
        zero_is_a_ceiling,
        release_is_exact,
        commit_returns_the_rest,
        all_or_none,
        money_is_whole,
        every_ancestor,
        needs_open_turns,
        turns_roll_over,
        calls_count_when_started,
        over_use,
        overflow,
        rates_in_any_minute,
        rates_of_children,
        places,
        rivals,
        closed_threads,
    ];
    let boxed = |root: &RootHandle, clock| -> Box<dyn Ledger> { Box::new(make(root, clock)) };
    for case in cases {
        case(&boxed);
    }
}

type Make<'a> = dyn Fn(&RootHandle, Arc<ManualClock>) -> Box<dyn Ledger> + 'a;

struct Setup {
    handle: RootHandle,
    root: ThreadPolicy,
    ledger: Box<dyn Ledger>,
    clock: Arc<ManualClock>,
}

impl Setup {
    /// A root with these settings and an open turn.
    fn new(make: &Make<'_>, settings: &[(Setting, u64)]) -> Self {
        let (handle, root) = root(settings);
        let clock = Arc::new(ManualClock::new());
        let ledger = make(&handle, Arc::clone(&clock));
        ledger.begin_turn(&root).expect("the root's turn begins");
        Setup {
            handle,
            root,
            ledger,
            clock,
        }
    }

    /// A child with these settings and an open turn.
    fn child(
        &self,
        parent: &ThreadPolicy,
        name: &str,
        settings: &[(Setting, u64)],
    ) -> ThreadPolicy {
        let child = self.silent_child(parent, name, settings);
        self.ledger
            .begin_turn(&child)
            .expect("the child's turn begins");
        child
    }

    fn silent_child(
        &self,
        parent: &ThreadPolicy,
        name: &str,
        settings: &[(Setting, u64)],
    ) -> ThreadPolicy {
        let artifact = Artifact::new(id("helper"))
            .with_extension(THREAD_POLICY_EXTENSION, &restriction(settings))
            .expect("the restriction decodes");
        parent
            .intersect(&artifact, name)
            .expect("the child is made")
            .start_by_host(&self.handle)
            .expect("the child starts")
    }

    fn reserve(&self, thread: &ThreadPolicy, amounts: Amounts) -> Reservation {
        self.ledger
            .reserve(thread, amounts)
            .unwrap_or_else(|denial| panic!("{amounts:?} fits, but: {denial}"))
    }

    /// Reserves and commits the same.
    fn spend(&self, thread: &ThreadPolicy, amounts: Amounts) {
        self.reserve(thread, amounts)
            .commit(amounts)
            .expect("no more is used than reserved");
    }

    fn denial(&self, thread: &ThreadPolicy, amounts: Amounts) -> LedgerDenial {
        self.ledger
            .reserve(thread, amounts)
            .expect_err("what does not fit is denied")
    }

    fn is_full(
        &self,
        thread: &ThreadPolicy,
        amounts: Amounts,
        setting: Setting,
        at: &ThreadPolicy,
        left: u64,
    ) {
        let denial = self.denial(thread, amounts);
        assert_eq!(denial, limit(setting, at, left, None), "{amounts:?}");
    }

    fn acquire(&self, thread: &ThreadPolicy, slot: Slot) -> Guard {
        self.ledger
            .acquire(thread, slot)
            .unwrap_or_else(|denial| panic!("a place is free, but: {denial}"))
    }
}

fn limit(
    setting: Setting,
    at: &ThreadPolicy,
    left: u64,
    retry_after: Option<Duration>,
) -> LedgerDenial {
    LedgerDenial::LimitReached {
        setting,
        thread: at.identity().thread_id().clone(),
        left,
        retry_after,
    }
}

fn root(settings: &[(Setting, u64)]) -> (RootHandle, ThreadPolicy) {
    let identity = ThreadIdentity::root("alice", "checkout", "run-1").expect("an identity");
    let builder = settings.iter().fold(
        ThreadPermissions::builder().filesystem("ws", [filesystem::Read]),
        |builder, (setting, value)| builder.limit(*setting, *value),
    );
    let permissions = builder.build().expect("permissions");
    ThreadPolicy::for_root(identity, &permissions)
}

fn id(text: &str) -> Id<'static> {
    Id::parse(text).expect("an id").into_owned()
}

/// A restriction of nothing but these settings.
fn restriction(settings: &[(Setting, u64)]) -> String {
    let members = |group| {
        let members = settings
            .iter()
            .filter(move |(setting, _)| setting.group() == group);
        let members = members.map(|(setting, value)| {
            let value = match setting {
                Setting::CostPerSessionUsd => MicroDollars::new(*value).to_string(),
                _ => value.to_string(),
            };
            format!("\"{}\":{value}", setting.wire_name())
        });
        members.collect::<Vec<_>>()
    };
    let rates = members(SettingGroup::Rate).join(",");
    let mut budgets = members(SettingGroup::Budget);
    budgets.push(format!("\"rate_limit\":{{{rates}}}"));
    let mut all = members(SettingGroup::Limit);
    all.push("\"version\":2".to_owned());
    all.push(format!("\"budgets\":{{{}}}", budgets.join(",")));
    format!("{{{}}}", all.join(","))
}

const fn tokens(number: u64) -> Amounts {
    Amounts::NONE.with_tokens(number)
}

const fn cost(micros: u64) -> Amounts {
    Amounts::NONE.with_cost(MicroDollars::new(micros))
}

fn without_settings(make: &Make<'_>) {
    let setup = Setup::new(make, &[]);
    let much = Amounts::tool_call()
        .with_tokens(u64::MAX / 2)
        .with_requests(u32::MAX)
        .with_cost(MicroDollars::new(u64::MAX / 2));
    setup.spend(&setup.root, much);
    setup.spend(&setup.root, Amounts::NONE);
    for slot in Slot::ALL {
        let guard = setup.acquire(&setup.root, slot);
        assert_eq!(guard.slot(), slot);
    }
    let reservation = setup.reserve(&setup.root, tokens(7));
    assert_eq!(reservation.amounts(), tokens(7));
    assert_eq!(reservation.thread_id().as_str(), "run-1");
}

fn zero_is_a_ceiling(make: &Make<'_>) {
    use Setting::{CostPerSessionUsd, TokensPerSession, TokensPerTurn, ToolCallsPerTurn};
    for (setting, amounts) in [
        (TokensPerTurn, tokens(1)),
        (TokensPerSession, tokens(1)),
        (ToolCallsPerTurn, Amounts::tool_call()),
        (CostPerSessionUsd, cost(1)),
        (Setting::RequestsPerMinute, Amounts::request()),
        (Setting::TokensPerMinute, tokens(1)),
    ] {
        let setup = Setup::new(make, &[(setting, 0)]);
        setup.is_full(&setup.root, amounts, setting, &setup.root, 0);
        setup.spend(&setup.root, Amounts::NONE);
    }
    for slot in Slot::ALL {
        let setup = Setup::new(make, &[(slot.setting(), 0)]);
        let denial = setup.ledger.acquire(&setup.root, slot).expect_err("none");
        assert_eq!(denial, limit(slot.setting(), &setup.root, 0, None));
    }
}

fn release_is_exact(make: &Make<'_>) {
    let setup = Setup::new(make, &[(Setting::TokensPerSession, u64::MAX)]);
    for amount in [1, 1_000, u64::MAX] {
        drop(setup.reserve(&setup.root, tokens(amount)));
    }
    let all = setup.reserve(&setup.root, tokens(u64::MAX));
    setup.is_full(
        &setup.root,
        tokens(1),
        Setting::TokensPerSession,
        &setup.root,
        0,
    );
    drop(all);
    setup.spend(&setup.root, tokens(u64::MAX));
}

fn commit_returns_the_rest(make: &Make<'_>) {
    let setup = Setup::new(make, &[(Setting::TokensPerSession, 100)]);
    let reservation = setup.reserve(&setup.root, tokens(100));
    reservation.commit(tokens(30)).expect("less than reserved");
    setup.is_full(
        &setup.root,
        tokens(71),
        Setting::TokensPerSession,
        &setup.root,
        70,
    );
    setup.spend(&setup.root, tokens(70));
    // Once committed, nothing comes back.
    setup.is_full(
        &setup.root,
        tokens(1),
        Setting::TokensPerSession,
        &setup.root,
        0,
    );
}

fn all_or_none(make: &Make<'_>) {
    let settings = [
        (Setting::TokensPerSession, 10),
        (Setting::CostPerSessionUsd, 5),
    ];
    let setup = Setup::new(make, &settings);
    let both = tokens(10).with_cost(MicroDollars::new(6));
    setup.is_full(
        &setup.root,
        both,
        Setting::CostPerSessionUsd,
        &setup.root,
        5,
    );
    setup.spend(&setup.root, tokens(10).with_cost(MicroDollars::new(5)));
}

/// Three times 0.1 of 0.3, which floats do not make.
fn money_is_whole(make: &Make<'_>) {
    let setup = Setup::new(make, &[(Setting::CostPerSessionUsd, 300_000)]);
    for _ in 0..3 {
        setup.spend(&setup.root, cost(100_000));
    }
    setup.is_full(
        &setup.root,
        cost(1),
        Setting::CostPerSessionUsd,
        &setup.root,
        0,
    );
}

fn every_ancestor(make: &Make<'_>) {
    let setup = Setup::new(make, &[(Setting::TokensPerSession, 100)]);
    let parent = setup.child(&setup.root, "parent", &[(Setting::TokensPerSession, 60)]);
    let child = setup.child(&parent, "child", &[(Setting::TokensPerSession, 50)]);
    let sibling = setup.child(&setup.root, "sibling", &[]);

    setup.is_full(&child, tokens(51), Setting::TokensPerSession, &child, 50);
    setup.spend(&parent, tokens(20));
    setup.is_full(&child, tokens(41), Setting::TokensPerSession, &parent, 40);
    setup.spend(&child, tokens(40));
    // What the child used is the root's use, and what was refused is nobody's.
    setup.is_full(
        &sibling,
        tokens(41),
        Setting::TokensPerSession,
        &setup.root,
        40,
    );
    setup.spend(&sibling, tokens(40));
    setup.is_full(
        &setup.root,
        tokens(1),
        Setting::TokensPerSession,
        &setup.root,
        0,
    );

    // A child's first two at once are charged to a root that nothing was charged to before.
    let setup = Setup::new(make, &[(Setting::ToolCallsPerTurn, 3)]);
    let child = setup.child(&setup.root, "new", &[]);
    for _ in 0..3 {
        setup.spend(&child, Amounts::tool_call());
    }
    let call = Amounts::tool_call();
    setup.is_full(&child, call, Setting::ToolCallsPerTurn, &setup.root, 0);
}

fn needs_open_turns(make: &Make<'_>) {
    let (handle, root) = root(&[]);
    let clock = Arc::new(ManualClock::new());
    let setup = Setup {
        ledger: make(&handle, Arc::clone(&clock)),
        handle,
        root,
        clock,
    };
    let child = setup.child(&setup.root, "child", &[]);
    let none = |thread: &ThreadPolicy| LedgerDenial::NoOpenTurn {
        thread: thread.identity().thread_id().clone(),
    };
    assert_eq!(setup.denial(&setup.root, tokens(1)), none(&setup.root));
    assert_eq!(setup.denial(&child, tokens(1)), none(&setup.root));
    setup.ledger.begin_turn(&setup.root).expect("a turn");
    setup.spend(&child, tokens(1));
    let other = setup.silent_child(&setup.root, "other", &[]);
    assert_eq!(setup.denial(&other, tokens(1)), none(&other));

    // A root of the same name is another root.
    let (_handle, stranger) = self::root(&[]);
    assert_eq!(
        setup.ledger.begin_turn(&stranger),
        Err(LedgerError::ForeignPolicy)
    );
    assert_eq!(
        setup.denial(&stranger, tokens(1)),
        LedgerDenial::ForeignPolicy
    );
    let acquired = setup.ledger.acquire(&stranger, Slot::Tool);
    assert_eq!(acquired.err(), Some(LedgerDenial::ForeignPolicy));
}

fn turns_roll_over(make: &Make<'_>) {
    let settings = [
        (Setting::TokensPerTurn, 10),
        (Setting::TokensPerSession, 25),
    ];
    let setup = Setup::new(make, &settings);
    let child = setup.child(&setup.root, "child", &[]);
    let released = setup.reserve(&setup.root, tokens(4));
    let committed = setup.reserve(&child, tokens(6));
    setup.is_full(
        &setup.root,
        tokens(1),
        Setting::TokensPerTurn,
        &setup.root,
        0,
    );

    setup.ledger.begin_turn(&setup.root).expect("a turn");
    // The new turn owes nothing to the old one, and gets nothing from it.
    let used = setup.reserve(&setup.root, tokens(9));
    drop(released);
    setup.is_full(
        &setup.root,
        tokens(2),
        Setting::TokensPerTurn,
        &setup.root,
        1,
    );
    committed.commit(tokens(5)).expect("less than reserved");
    setup.is_full(
        &setup.root,
        tokens(2),
        Setting::TokensPerTurn,
        &setup.root,
        1,
    );
    used.commit(tokens(9)).expect("as reserved");

    // The child's turn did not roll over: 5 are in use there, and 9 + 5 of the session.
    setup.ledger.begin_turn(&setup.root).expect("a turn");
    setup.is_full(&child, tokens(6), Setting::TokensPerTurn, &child, 5);
    setup.spend(&child, tokens(5));
    setup.ledger.begin_turn(&setup.root).expect("a turn");
    setup.is_full(
        &setup.root,
        tokens(7),
        Setting::TokensPerSession,
        &setup.root,
        6,
    );
    setup.spend(&setup.root, tokens(6));
}

fn calls_count_when_started(make: &Make<'_>) {
    let setup = Setup::new(make, &[(Setting::ToolCallsPerTurn, 3)]);
    let call = Amounts::tool_call();
    // Never started.
    drop(setup.reserve(&setup.root, call));
    // Failed, and reported as if it had been nothing.
    let reported = setup.reserve(&setup.root, call).commit(Amounts::NONE);
    reported.expect("no over-use");
    // Started, and never heard of again: the call and its tokens.
    let mut lost = setup.reserve(&setup.root, call);
    lost.start();
    drop(lost);
    setup.spend(&setup.root, call);
    for _ in 0..3 {
        setup.is_full(&setup.root, call, Setting::ToolCallsPerTurn, &setup.root, 0);
    }
    setup.ledger.begin_turn(&setup.root).expect("a turn");
    setup.spend(&setup.root, call.with_tool_calls(3));
}

fn over_use(make: &Make<'_>) {
    let setup = Setup::new(make, &[(Setting::TokensPerSession, 100)]);
    let child = setup.child(&setup.root, "child", &[]);
    let below = setup.child(&child, "below", &[]);
    let open = setup.reserve(&child, tokens(10));
    let error = setup.reserve(&child, tokens(20)).commit(tokens(50));
    let error = error.expect_err("more than reserved");
    assert_eq!((error.reserved, error.used), (tokens(20), tokens(50)));
    assert_eq!(error.thread.as_str(), "child");

    let thread = child.identity().thread_id().clone();
    let denial = LedgerDenial::OverUsed { thread };
    assert_eq!(setup.denial(&child, Amounts::NONE), denial);
    assert_eq!(setup.denial(&below, tokens(1)), denial);
    // It is charged in full: 10 are held, 50 used. What was held is settled as before.
    setup.is_full(
        &setup.root,
        tokens(41),
        Setting::TokensPerSession,
        &setup.root,
        40,
    );
    drop(open);
    setup.is_full(
        &setup.root,
        tokens(51),
        Setting::TokensPerSession,
        &setup.root,
        50,
    );
    setup.spend(&setup.root, tokens(50));

    // Beyond the ceiling too.
    let setup = Setup::new(make, &[(Setting::TokensPerSession, 100)]);
    let child = setup.child(&setup.root, "child", &[]);
    let over = setup.reserve(&child, tokens(1)).commit(tokens(500));
    over.expect_err("more than reserved");
    setup.is_full(
        &setup.root,
        tokens(1),
        Setting::TokensPerSession,
        &setup.root,
        0,
    );
}

fn overflow(make: &Make<'_>) {
    let setup = Setup::new(make, &[(Setting::TokensPerSession, u64::MAX)]);
    setup.spend(&setup.root, tokens(u64::MAX));
    setup.is_full(
        &setup.root,
        tokens(1),
        Setting::TokensPerSession,
        &setup.root,
        0,
    );

    let setup = Setup::new(make, &[]);
    setup.spend(&setup.root, cost(u64::MAX));
    let thread = setup.root.identity().thread_id().clone();
    let setting = Setting::CostPerSessionUsd;
    let overflow = LedgerDenial::Overflow { setting, thread };
    assert_eq!(setup.denial(&setup.root, cost(1)), overflow);

    // Over-use saturates, and what was held is given back from below the brim.
    let setup = Setup::new(make, &[(Setting::CostPerSessionUsd, 1_000)]);
    let child = setup.child(&setup.root, "child", &[]);
    let held = setup.reserve(&setup.root, cost(400));
    let over = setup.reserve(&child, cost(1)).commit(cost(u64::MAX));
    over.expect_err("more than reserved");
    drop(held);
    setup.is_full(
        &setup.root,
        cost(1),
        Setting::CostPerSessionUsd,
        &setup.root,
        0,
    );
}

fn rates_in_any_minute(make: &Make<'_>) {
    let setting = Setting::RequestsPerMinute;
    let setup = Setup::new(make, &[(setting, 3)]);
    let request = Amounts::request();
    let at = |milliseconds| {
        setup
            .clock
            .set_monotonic(Duration::from_millis(milliseconds));
    };
    let refused = |left: u32, retry_after: u64| {
        let denial = setup.denial(&setup.root, request.with_requests(left + 1));
        let after = Some(Duration::from_millis(retry_after));
        assert_eq!(denial, limit(setting, &setup.root, u64::from(left), after));
    };
    at(900);
    setup.spend(&setup.root, request);
    // What is dropped is not given back.
    at(30_000);
    drop(setup.reserve(&setup.root, request));
    at(59_999);
    setup.spend(&setup.root, request);
    // The first counts for all of the second that it fell into, and 60 more.
    refused(0, 1_001);
    at(60_950);
    refused(0, 50);
    at(61_000);
    setup.spend(&setup.root, request);
    refused(0, 30_000);
    // Back in time nothing is refilled, nor by coming again.
    at(0);
    refused(0, 30_000);
    at(61_500);
    refused(0, 29_500);
    at(91_000);
    refused(1, 29_000);
    setup.spend(&setup.root, request);
    // Long after, all is there, and no more.
    at(1_000_000_000);
    setup.spend(&setup.root, request.with_requests(3));
    refused(0, 61_000);
    // More than the rate never fits.
    let much = request.with_requests(4);
    setup.is_full(&setup.root, much, setting, &setup.root, 0);

    // A refused request uses nothing of a rate.
    let settings = [
        (Setting::TokensPerMinute, 10),
        (Setting::CostPerSessionUsd, 1),
    ];
    let setup = Setup::new(make, &settings);
    let both = tokens(10).with_cost(MicroDollars::new(2));
    setup.is_full(
        &setup.root,
        both,
        Setting::CostPerSessionUsd,
        &setup.root,
        1,
    );
    let less = setup.reserve(&setup.root, tokens(10)).commit(tokens(2));
    less.expect("less than reserved");
    let denial = setup.denial(&setup.root, tokens(1));
    let after = Some(Duration::from_secs(61));
    assert_eq!(
        denial,
        limit(Setting::TokensPerMinute, &setup.root, 0, after)
    );
}

fn rates_of_children(make: &Make<'_>) {
    let setting = Setting::TokensPerMinute;
    let setup = Setup::new(make, &[(setting, 10)]);
    let same = setup.child(&setup.root, "same", &[]);
    let narrow = setup.child(&setup.root, "narrow", &[(setting, 4)]);
    let after = Some(Duration::from_secs(61));
    setup.spend(&narrow, tokens(3));
    let denial = setup.denial(&narrow, tokens(2));
    assert_eq!(denial, limit(setting, &narrow, 1, after));
    setup.is_full(&narrow, tokens(5), setting, &narrow, 1);
    setup.spend(&same, tokens(7));
    for thread in [&narrow, &same, &setup.root] {
        let denial = setup.denial(thread, tokens(1));
        assert_eq!(denial, limit(setting, &setup.root, 0, after));
    }
    // Over-use counts for a rate too.
    setup.clock.set_monotonic(Duration::from_secs(61));
    let over = setup.reserve(&same, tokens(2)).commit(tokens(9));
    over.expect_err("more than reserved");
    let denial = setup.denial(&setup.root, tokens(2));
    assert_eq!(denial, limit(setting, &setup.root, 1, after));
}

fn places(make: &Make<'_>) {
    for slot in Slot::ALL {
        let setup = Setup::new(make, &[(slot.setting(), 2)]);
        let child = setup.child(&setup.root, "child", &[(slot.setting(), 1)]);
        let first = setup.acquire(&child, slot);
        let denial = setup.ledger.acquire(&child, slot).expect_err("one");
        assert_eq!(denial, limit(slot.setting(), &child, 0, None));
        let second = setup.acquire(&setup.root, slot);
        let denial = setup.ledger.acquire(&child, slot).expect_err("two");
        assert_eq!(denial, limit(slot.setting(), &setup.root, 0, None));
        drop(first);
        let _first = setup.acquire(&child, slot);
        drop(second);
        let _second = setup.acquire(&setup.root, slot);
        let denial = setup.ledger.acquire(&setup.root, slot).expect_err("two");
        assert_eq!(denial, limit(slot.setting(), &setup.root, 0, None));
        // Other slots are others' business.
        for other in Slot::ALL.into_iter().filter(|other| *other != slot) {
            drop(setup.acquire(&setup.root, other));
        }
    }
}

/// Many at once for one call: exactly one gets it. Then each spends one of what is just enough.
fn rivals(make: &Make<'_>) {
    const RIVALS: usize = 64;
    let calls = Setting::ToolCallsPerTurn;
    let settings = [(calls, 1), (Setting::CostPerSessionUsd, 640)];
    let setup = Setup::new(make, &settings);
    let children: Vec<_> = (0..RIVALS)
        .map(|number| setup.child(&setup.root, &format!("rival-{number}"), &[]))
        .collect();
    let start = Barrier::new(RIVALS);
    let held: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = children
            .iter()
            .map(|child| {
                scope.spawn(|| {
                    start.wait();
                    let held = setup.ledger.reserve(child, Amounts::tool_call()).ok();
                    for _ in 0..10 {
                        setup.spend(child, cost(1));
                    }
                    held
                })
            })
            .collect();
        let held = threads.into_iter().map(thread::ScopedJoinHandle::join);
        held.filter_map(|held| held.expect("no panic")).collect()
    });
    assert_eq!(held.len(), 1);
    setup.is_full(&setup.root, Amounts::tool_call(), calls, &setup.root, 0);
    setup.is_full(
        &setup.root,
        cost(1),
        Setting::CostPerSessionUsd,
        &setup.root,
        0,
    );
}

/// Whoever is closed starts nothing more. What is held then is settled as ever.
fn closed_threads(make: &Make<'_>) {
    let setup = Setup::new(make, &[(Setting::TokensPerSession, 10)]);
    let child = setup.child(&setup.root, "child", &[]);
    let below = setup.child(&child, "below", &[]);
    let held = setup.reserve(&below, tokens(6));
    let place = setup.acquire(&below, Slot::Tool);
    setup.handle.close(&child);
    for thread in [&child, &below] {
        assert_eq!(setup.denial(thread, tokens(1)), LedgerDenial::Closed);
        let acquired = setup.ledger.acquire(thread, Slot::Tool);
        assert_eq!(acquired.err(), Some(LedgerDenial::Closed));
        let begun = setup.ledger.begin_turn(thread);
        assert_eq!(begun, Err(LedgerError::Closed));
    }
    drop(place);
    held.commit(tokens(4)).expect("less than reserved");
    setup.is_full(
        &setup.root,
        tokens(7),
        Setting::TokensPerSession,
        &setup.root,
        6,
    );
    setup.spend(&setup.root, tokens(6));
}
