//! The in-memory ledger: the suite, several roots, and many threads at random.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use super::*;
use crate::artifact::Artifact;
use crate::clock::{Clock, ManualClock};
use crate::money::MicroDollars;
use crate::permissions::ThreadPermissions;
use crate::policy::{RootHandle, ThreadIdentity};
use crate::vocabulary::operations::filesystem;

fn root(run: &str, settings: &[(Setting, u64)]) -> (RootHandle, ThreadPolicy) {
    let identity = ThreadIdentity::root("alice", "checkout", run).unwrap();
    let mut builder = ThreadPermissions::builder().filesystem("ws", [filesystem::Read]);
    for (setting, value) in settings {
        builder = builder.limit(*setting, *value);
    }
    ThreadPolicy::for_root(identity, &builder.build().unwrap())
}

fn child(handle: &RootHandle, parent: &ThreadPolicy, name: &str, budgets: &str) -> ThreadPolicy {
    Artifact::new(Id::parse("helper").unwrap().into_owned())
        .with_extension("budgets", budgets)
        .and_then(|artifact| parent.intersect(&artifact, name))
        .and_then(|prepared| prepared.start_by_host(handle))
        .unwrap()
}

#[test]
fn passes_the_suite() {
    conformance::ledger(MemoryLedger::new);
}

#[test]
fn what_is_held_goes_to_other_threads() {
    fn goes<T: Send + Sync + 'static>() {}
    goes::<MemoryLedger>();
    goes::<Reservation>();
    goes::<Guard>();
    goes::<LedgerDenial>();
    goes::<Box<dyn Ledger>>();
}

#[test]
fn one_live_root_of_a_name() {
    let (handle, policy) = root("run-1", &[]);
    let ledger = MemoryLedger::new(&handle, ManualClock::new());
    let (other_handle, other) = root("run-2", &[]);
    assert_eq!(ledger.begin_turn(&other), Err(LedgerError::ForeignPolicy));
    assert_eq!(ledger.serve(&other_handle), Ok(()));
    assert_eq!(ledger.begin_turn(&other), Ok(()));

    let (twin_handle, twin) = root("run-1", &[]);
    assert_eq!(ledger.serve(&twin_handle), Err(LedgerError::RootInUse));
    assert_eq!(ledger.serve(&handle), Err(LedgerError::RootInUse));
    assert_eq!(ledger.begin_turn(&twin), Err(LedgerError::ForeignPolicy));
    handle.close(&policy);
    assert_eq!(ledger.serve(&twin_handle), Ok(()));
    assert_eq!(ledger.begin_turn(&twin), Ok(()));
    assert_eq!(ledger.begin_turn(&other), Ok(()));
}

#[test]
fn two_ledgers_of_one_tree_count_apart() {
    let (handle, policy) = root("run-1", &[(Setting::TokensPerSession, 5)]);
    for _ in 0..2 {
        let ledger = MemoryLedger::new(&handle, ManualClock::new());
        ledger.begin_turn(&policy).unwrap();
        let amounts = Amounts::NONE.with_tokens(5);
        let reservation = ledger.reserve(&policy, amounts).unwrap();
        reservation.commit(amounts).unwrap();
        assert_eq!(ledger.in_use(&policy, Setting::TokensPerSession), Some(5));
        assert_eq!(ledger.in_use(&policy, Setting::TokensPerTurn), Some(5));
        assert_eq!(ledger.in_use(&policy, Setting::ToolCallsPerTurn), Some(0));
    }
}

#[test]
fn denials_say_what_to_do() {
    let (handle, policy) = root("run-1", &[(Setting::RequestsPerMinute, 1)]);
    let ledger = MemoryLedger::new(&handle, ManualClock::new());
    ledger.begin_turn(&policy).unwrap();
    drop(ledger.reserve(&policy, Amounts::request()).unwrap());
    let denial = ledger.reserve(&policy, Amounts::request()).unwrap_err();
    assert_eq!(
        denial.to_string(),
        "the ceiling `requests_per_minute` of the thread `run-1` leaves 0; try again in 61 s"
    );
    assert_eq!(denial.name(), "limit_reached");
    assert_eq!(LedgerDenial::Unavailable.name(), "ledger_unavailable");
}

/// A generator that needs no crate: splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }
}

const THREADS: u64 = 64;
/// Fewer without optimisation, to keep the tests quick.
const OPERATIONS: u64 = if cfg!(debug_assertions) {
    200_000
} else {
    1_000_000
};

/// Random reservations of 64 threads on a tree of four, half of them released, a third of the rest
/// under-used, while turns roll over. In the end exactly what was committed is in use, everywhere.
#[test]
fn many_threads_spend_nothing_twice() {
    const TOKENS: u64 = 3 * OPERATIONS;
    const COST: u64 = OPERATIONS;
    /// Index of the parent, in the order of the tree.
    const PARENTS: [Option<usize>; 4] = [None, Some(0), Some(0), Some(1)];
    let settings = [
        (Setting::TokensPerSession, TOKENS),
        (Setting::CostPerSessionUsd, COST),
        (Setting::ToolCallsPerTurn, 1_000),
        (Setting::ConcurrentTools, 9),
    ];
    let (handle, policy) = root("run-1", &settings);
    let clock = Arc::new(ManualClock::new());
    let ledger = MemoryLedger::new(&handle, Arc::clone(&clock));
    let child = |parent: &ThreadPolicy, name: &str, setting: Setting, value: String| {
        let budgets = format!("{{\"{}\":{value}}}", setting.wire_name());
        child(&handle, parent, name, &budgets)
    };
    let tokens = Setting::TokensPerSession;
    let cost = MicroDollars::new(2 * OPERATIONS / 5).to_string();
    let left = child(&policy, "left", tokens, OPERATIONS.to_string());
    let right = child(&policy, "right", Setting::CostPerSessionUsd, cost);
    let deep = child(&left, "deep", tokens, (OPERATIONS / 2).to_string());
    let tree = [&policy, &left, &right, &deep];
    for policy in tree {
        ledger.begin_turn(policy).unwrap();
    }
    let spent_tokens: [AtomicU64; 4] = Default::default();
    let spent_cost: [AtomicU64; 4] = Default::default();
    let denied = AtomicU64::new(0);
    let tools = AtomicU64::new(0);

    thread::scope(|scope| {
        for number in 0..THREADS {
            let (ledger, tools, denied, clock) = (&ledger, &tools, &denied, &clock);
            let (spent_tokens, spent_cost) = (&spent_tokens, &spent_cost);
            scope.spawn(move || {
                let mut random = Random(number);
                for _ in 0..OPERATIONS / THREADS {
                    let index = usize::try_from(random.below(4)).unwrap();
                    match random.below(64) {
                        0 => {
                            ledger.begin_turn(tree[index]).unwrap();
                            clock.advance(Duration::from_millis(1));
                            continue;
                        }
                        1..8 => {
                            let guard = ledger.acquire(tree[index], Slot::Tool);
                            if guard.is_ok() {
                                assert!(tools.fetch_add(1, Ordering::SeqCst) < 9);
                                tools.fetch_sub(1, Ordering::SeqCst);
                            }
                            continue;
                        }
                        _ => {}
                    }
                    let (tokens, cost) = (random.below(40), random.below(12));
                    let amounts = Amounts::NONE
                        .with_tokens(tokens)
                        .with_cost(MicroDollars::new(cost))
                        .with_tool_calls(u32::try_from(random.below(2)).unwrap());
                    let Ok(reservation) = ledger.reserve(tree[index], amounts) else {
                        denied.fetch_add(1, Ordering::Relaxed);
                        continue;
                    };
                    if random.below(2) == 0 {
                        continue;
                    }
                    let used = if random.below(3) == 0 {
                        tokens / 2
                    } else {
                        tokens
                    };
                    reservation.commit(amounts.with_tokens(used)).unwrap();
                    for index in std::iter::successors(Some(index), |index| PARENTS[*index]) {
                        spent_tokens[index].fetch_add(used, Ordering::Relaxed);
                        spent_cost[index].fetch_add(cost, Ordering::Relaxed);
                    }
                }
            });
        }
    });

    for (index, policy) in tree.into_iter().enumerate() {
        let in_use = |setting| ledger.in_use(policy, setting).unwrap();
        let tokens = spent_tokens[index].load(Ordering::Relaxed);
        let cost = spent_cost[index].load(Ordering::Relaxed);
        assert_eq!(in_use(Setting::TokensPerSession), tokens);
        assert_eq!(in_use(Setting::CostPerSessionUsd), cost);
        assert_eq!(in_use(Setting::ConcurrentTools), 0);
        assert!(policy.settings().value(Setting::TokensPerSession).unwrap() >= tokens);
        assert!(policy.settings().value(Setting::CostPerSessionUsd).unwrap() >= cost);
    }
    // The ceilings were in play: what is left of the root's is less than one reservation.
    assert!(denied.into_inner() > 0);
    assert!(spent_cost[0].load(Ordering::Relaxed) > COST - 12);
}

/// A rate with many threads, while the clock runs on and jumps back: in no 60 seconds more than the
/// rate is admitted.
#[test]
fn a_rate_holds_in_any_minute() {
    const RATE: u64 = 50;
    let (handle, policy) = root("run-1", &[(Setting::TokensPerMinute, RATE)]);
    let clock = Arc::new(ManualClock::new());
    let ledger = MemoryLedger::new(&handle, Arc::clone(&clock));
    ledger.begin_turn(&policy).unwrap();
    let mut random = Random(1);
    let mut admitted: Vec<(u64, u64)> = Vec::new();
    for _ in 0..300 {
        let second = clock.monotonic().as_secs();
        let sum: u64 = thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| {
                    let amount = 1 + random.below(9);
                    let (ledger, policy) = (&ledger, &policy);
                    scope.spawn(move || {
                        let amounts = Amounts::NONE.with_tokens(amount);
                        ledger.reserve(policy, amounts).map_or(0, |_| amount)
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .sum()
        });
        admitted.push((second, sum));
        clock.set_monotonic(Duration::from_secs(second.saturating_sub(30)));
        let _ = ledger.reserve(&policy, Amounts::NONE.with_tokens(RATE + 1));
        clock.set_monotonic(Duration::from_secs(second + random.below(20)));
    }
    let total: u64 = admitted.iter().map(|(_, sum)| sum).sum();
    assert!(total > 10 * RATE, "the rate refills: {total}");
    for (start, _) in &admitted {
        let window = admitted
            .iter()
            .filter(|(at, _)| at >= start && *at <= start + 60);
        let sum: u64 = window.map(|(_, sum)| sum).sum();
        assert!(sum <= RATE, "{sum} from {start} s");
    }
}
