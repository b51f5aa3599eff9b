//! Cases from public reports that concern budgets. Each test is named after its case.

use std::sync::Barrier;
use std::thread;

use authority_core::operations::filesystem;
use authority_core::vocabulary::Setting;
use authority_core::{
    Amounts, Artifact, Id, Ledger, LedgerDenial, ManualClock, MemoryLedger, MicroDollars,
    RootHandle, ThreadIdentity, ThreadPermissions, ThreadPolicy,
};

struct Tree {
    handle: RootHandle,
    root: ThreadPolicy,
    ledger: MemoryLedger,
}

/// A root with one ceiling and an open turn.
fn tree(setting: Setting, ceiling: u64) -> Tree {
    let permissions = ThreadPermissions::builder()
        .filesystem("ws", [filesystem::Read])
        .limit(setting, ceiling)
        .build()
        .unwrap();
    let identity = ThreadIdentity::root("alice", "checkout", "run-1").unwrap();
    let (handle, root) = ThreadPolicy::for_root(identity, &permissions);
    let ledger = MemoryLedger::new(&handle, ManualClock::new());
    ledger.begin_turn(&root).unwrap();
    Tree {
        handle,
        root,
        ledger,
    }
}

impl Tree {
    /// A child of the root by a restriction with these budgets, with an open turn.
    fn child(&self, name: &str, budgets: &str) -> ThreadPolicy {
        let restriction = format!(r#"{{"version":2,"budgets":{budgets}}}"#);
        let child = Artifact::new(Id::parse("helper").unwrap().into_owned())
            .with_extension("uar.thread_policy", &restriction)
            .and_then(|artifact| self.root.intersect(&artifact, name))
            .and_then(|prepared| prepared.start_by_host(&self.handle))
            .unwrap();
        self.ledger.begin_turn(&child).unwrap();
        child
    }

    fn spend(&self, thread: &ThreadPolicy, amounts: Amounts) {
        let reservation = self.ledger.reserve(thread, amounts).unwrap();
        reservation.commit(amounts).unwrap();
    }

    /// The setting that a denial names, whose it is, and what it leaves.
    fn full(&self, thread: &ThreadPolicy, amounts: Amounts) -> (Setting, String, u64) {
        match self.ledger.reserve(thread, amounts) {
            Err(LedgerDenial::LimitReached {
                setting,
                thread,
                left,
                ..
            }) => (setting, thread.as_str().to_owned(), left),
            other => panic!("{other:?} is no ceiling that was reached"),
        }
    }
}

fn tokens(number: u64) -> Amounts {
    Amounts::NONE.with_tokens(number)
}

fn cost(micros: u64) -> Amounts {
    Amounts::NONE.with_cost(MicroDollars::new(micros))
}

#[test]
fn ag_budget_01() {
    let tree = tree(Setting::TokensPerSession, 0);
    let at = (Setting::TokensPerSession, "run-1".to_owned(), 0);
    assert_eq!(tree.full(&tree.root, tokens(1)), at);
    // Without the setting there is no bound.
    tree.spend(&tree.root, cost(u64::MAX));
}

#[test]
fn ag_budget_02() {
    let tree = tree(Setting::TokensPerSession, 5);
    let none = tree.child("none", r#"{"max_tokens_per_session":0}"#);
    let missing = tree.child("missing", "{}");
    let null = tree.child("null", r#"{"max_tokens_per_session":null}"#);
    let setting = Setting::TokensPerSession;
    assert_eq!(none.settings().value(setting), Some(0));
    assert_eq!(missing.settings().value(setting), Some(5));
    assert_eq!(null.settings().value(setting), Some(5));
    let at = |thread: &str, left| (setting, thread.to_owned(), left);
    assert_eq!(tree.full(&none, tokens(1)), at("none", 0));
    assert_eq!(tree.full(&missing, tokens(6)), at("run-1", 5));
    assert_eq!(tree.full(&null, tokens(6)), at("run-1", 5));
}

#[test]
fn ag_budget_03() {
    const RIVALS: usize = 64;
    let tree = tree(Setting::ToolCallsPerTurn, 1);
    let start = Barrier::new(RIVALS);
    let held: Vec<_> = thread::scope(|scope| {
        let reserve = || {
            start.wait();
            tree.ledger.reserve(&tree.root, Amounts::tool_call())
        };
        let rivals: Vec<_> = (0..RIVALS).map(|_| scope.spawn(reserve)).collect();
        let results = rivals.into_iter().map(|rival| rival.join().unwrap());
        results.collect()
    });
    assert_eq!(held.iter().filter(|held| held.is_ok()).count(), 1);
    for denial in held.iter().filter_map(|held| held.as_ref().err()) {
        assert_eq!(denial.name(), "limit_reached");
    }
}

#[test]
fn ag_budget_04() {
    let tree = tree(Setting::CostPerSessionUsd, 1_000);
    let children = ["a", "b", "c", "d"].map(|name| tree.child(name, "{}"));
    thread::scope(|scope| {
        for child in &children {
            scope.spawn(|| (0..250).for_each(|_| tree.spend(child, cost(1))));
        }
    });
    let in_use = |thread| tree.ledger.in_use(thread, Setting::CostPerSessionUsd);
    assert_eq!(in_use(&tree.root), Some(1_000));
    assert!(children.iter().all(|child| in_use(child) == Some(250)));
}

#[test]
fn ag_budget_06() {
    let tree = tree(Setting::ToolCallsPerTurn, 9);
    let child = tree.child("new", "{}");
    let start = Barrier::new(2);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                start.wait();
                tree.spend(&child, Amounts::tool_call());
            });
        }
    });
    for thread in [&tree.root, &child] {
        let in_use = tree.ledger.in_use(thread, Setting::ToolCallsPerTurn);
        assert_eq!(in_use, Some(2));
    }
}

#[test]
fn ag_budget_08() {
    let tree = tree(Setting::CostPerSessionUsd, 100);
    let child = tree.child("child", "{}");
    tree.spend(&child, cost(10));
    // Less than reserved gives back no more than was reserved.
    let reservation = tree.ledger.reserve(&child, cost(20)).unwrap();
    reservation.commit(Amounts::NONE).unwrap();
    let in_use = || {
        tree.ledger
            .in_use(&tree.root, Setting::CostPerSessionUsd)
            .unwrap()
    };
    assert_eq!(in_use(), 10);
    let reservation = tree.ledger.reserve(&child, cost(20)).unwrap();
    let over_use = reservation.commit(cost(50)).unwrap_err();
    assert_eq!((over_use.reserved, over_use.used), (cost(20), cost(50)));
    assert_eq!(in_use(), 60);
    let denial = tree.ledger.reserve(&child, cost(1)).unwrap_err();
    assert_eq!(denial.name(), "over_used");
}

#[test]
fn ag_budget_09() {
    let tree = tree(Setting::CostPerSessionUsd, 300_000);
    drop(tree.ledger.reserve(&tree.root, cost(300_000)).unwrap());
    for _ in 0..3 {
        tree.spend(&tree.root, cost(100_000));
    }
    let at = (Setting::CostPerSessionUsd, "run-1".to_owned(), 0);
    assert_eq!(tree.full(&tree.root, cost(1)), at);
}

#[test]
fn ag_budget_10() {
    let tree = tree(Setting::TokensPerSession, u64::MAX);
    let all = tree.ledger.reserve(&tree.root, tokens(u64::MAX)).unwrap();
    let at = (Setting::TokensPerSession, "run-1".to_owned(), 0);
    assert_eq!(tree.full(&tree.root, tokens(1)), at);
    drop(all);
    tree.spend(&tree.root, cost(1));
    let denial = tree.ledger.reserve(&tree.root, cost(u64::MAX));
    assert_eq!(denial.unwrap_err().name(), "sum_overflows");
    let in_use = tree.ledger.in_use(&tree.root, Setting::CostPerSessionUsd);
    assert_eq!(in_use, Some(1));
}

#[test]
fn ag_budget_12() {
    let tree = tree(Setting::ToolCallsPerTurn, 3);
    let child = tree.child("child", r#"{"max_tool_calls_per_turn":9}"#);
    for _ in 0..3 {
        tree.spend(&child, Amounts::tool_call());
    }
    let at = (Setting::ToolCallsPerTurn, "run-1".to_owned(), 0);
    assert_eq!(tree.full(&child, Amounts::tool_call()), at);
}

#[test]
fn ag_budget_14() {
    let tree = tree(Setting::ToolCallsPerTurn, 150);
    let mut admitted = 0;
    for _ in 0..200 {
        if let Ok(mut call) = tree.ledger.reserve(&tree.root, Amounts::tool_call()) {
            call.start();
            admitted += 1;
        }
    }
    assert_eq!(admitted, 150);
    let in_use = tree.ledger.in_use(&tree.root, Setting::ToolCallsPerTurn);
    assert_eq!(in_use, Some(150));
}
