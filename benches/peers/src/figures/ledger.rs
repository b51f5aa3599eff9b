//! Reserving and committing, by two threads of the machine on one root.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use authority_core::vocabulary::Setting;
use authority_core::{
    Amounts, Ledger, ManualClock, MemoryLedger, MicroDollars, ThreadIdentity, ThreadPermissions,
    ThreadPolicy, operations::filesystem,
};

use crate::figures::decide::child;
use crate::measure::{Candidate, contest};
use crate::report::{Goal, Report};

/// What a reservation counts: a budget of tokens by turn and by session, one of tool calls by turn,
/// one of money by session.
const COUNTERS: usize = 4;
/// Long enough that the start of the threads does not matter.
const BATCH: Duration = Duration::from_millis(2);
const TRIES: usize = 20;
const BUDGET: Duration = Duration::from_secs(8);

pub fn measure(report: &mut Report) {
    let permissions = ThreadPermissions::builder()
        .filesystem("ws", [filesystem::Read])
        .limit(Setting::TokensPerTurn, u64::from(u32::MAX))
        .limit(Setting::TokensPerSession, u64::from(u32::MAX))
        .limit(Setting::ToolCallsPerTurn, u64::from(u32::MAX))
        .limit(Setting::CostPerSessionUsd, u64::from(u32::MAX))
        .build()
        .expect("the rules hold");
    let identity = ThreadIdentity::root("owner", "workspace", "run").expect("ids");
    let (handle, root) = ThreadPolicy::for_root(identity, &permissions);
    let ledger = MemoryLedger::new(&handle, ManualClock::new());
    let children =
        ["first", "second"].map(|thread| child(&handle, &root, thread, r#"{"version":2}"#));
    for thread in [&root, &children[0], &children[1]] {
        ledger.begin_turn(thread).expect("a thread of the root");
    }

    let shared = counters();
    let own = [counters(), counters()];
    let [at_root, below, adds_at_root, adds_below] = contest(
        BUDGET,
        [
            Candidate::timed(|steps| together(steps, |_| spend(&ledger, &root))),
            Candidate::timed(|steps| together(steps, |thread| spend(&ledger, &children[thread]))),
            Candidate::timed(|steps| together(steps, |_| add(&[&shared]))),
            Candidate::timed(|steps| together(steps, |thread| add(&[&shared, &own[thread]]))),
        ]
        .map(|candidate| candidate.in_batches_of(BATCH)),
    );
    let figure = "ledger, reserve and commit, 2 threads";
    report.time(
        figure,
        "both charge the root: 4 counters",
        &at_root,
        ("`fetch_add` pairs on 4 counters", &adds_at_root),
        Goal::AtMost(5.0),
    );
    report.time(
        figure,
        "a child each: 4 counters of the root, 4 of its own",
        &below,
        ("`fetch_add` pairs on 8 counters", &adds_below),
        Goal::AtMost(5.0),
    );
}

fn spend(ledger: &MemoryLedger, thread: &ThreadPolicy) {
    let amounts = Amounts::tool_call()
        .with_tokens(3)
        .with_cost(MicroDollars::new(2));
    let reservation = ledger
        .reserve(thread, amounts)
        .expect("below every ceiling");
    // What was not used is given back, so that a ceiling is never reached.
    let committed = reservation.commit(black_box(Amounts::NONE));
    committed.expect("no more than reserved");
}

fn counters() -> Counters {
    Counters(std::array::from_fn(|_| AtomicU64::new(0)))
}

/// In a cache line of their own.
#[repr(align(64))]
struct Counters([AtomicU64; COUNTERS]);

/// An addition for the reservation and one for what is committed, a counter.
fn add(counters: &[&Counters]) {
    for amount in [3, u64::MAX - 2] {
        for counter in counters.iter().flat_map(|counters| &counters.0) {
            counter.fetch_add(amount, Ordering::AcqRel);
        }
    }
}

/// Both threads do so many steps at once; a step of both is one. On a busy machine the scheduler may
/// let one run after the other: then they try again, and then it is as it is.
fn together(steps: usize, step: impl Fn(usize) + Sync) -> Duration {
    let mut tries = 0;
    loop {
        let [this, other] = run_both(steps, &step);
        let all = this.end.max(other.end) - this.start.min(other.start);
        let both = this
            .end
            .min(other.end)
            .saturating_duration_since(this.start.max(other.start));
        tries += 1;
        if both * 4 > all * 3 || tries == TRIES {
            return (this.end - this.start).max(other.end - other.start);
        }
    }
}

struct Run {
    start: Instant,
    end: Instant,
}

fn run_both(steps: usize, step: &(impl Fn(usize) + Sync)) -> [Run; 2] {
    let ready = AtomicUsize::new(0);
    let run = |thread: usize| {
        // A barrier that sleeps would wake them one after the other.
        ready.fetch_add(1, Ordering::AcqRel);
        while ready.load(Ordering::Acquire) < 2 {
            std::hint::spin_loop();
        }
        let start = Instant::now();
        for _ in 0..steps {
            step(thread);
        }
        let end = Instant::now();
        Run { start, end }
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| run(1));
        let this = run(0);
        [this, other.join().expect("no panic")]
    })
}
