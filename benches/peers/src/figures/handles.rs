//! Targets that were resolved once: deciding and deriving by handle.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use authority_core::{Artifact, Id, OperationSet, ResolvedTarget, Scope, ThreadPolicy};

use crate::allocations;
use crate::figures::decide::Decisions;
use crate::measure::{Candidate, contest, number};
use crate::report::{Goal, Report, grouped};
use crate::work::{self, Query, Table, Work};

const BUDGET: Duration = Duration::from_secs(2);

/// Queries of targets that can be resolved, which agents cannot, with their handles.
pub fn resolved(queries: &[Query], root: &ThreadPolicy) -> Vec<(ResolvedTarget, Query)> {
    let resolve = |query: &Query| Some((root.resolve(&query.target)?, query.clone()));
    queries.iter().filter_map(resolve).collect()
}

/// Deciding, against reading an array of the operations of each grant.
pub fn decide(report: &mut Report, decisions: &Decisions) {
    let handles = resolved(&decisions.queries, &decisions.root);
    let decide = |policy: &ThreadPolicy, (target, query): &(ResolvedTarget, Query)| {
        policy.decide_resolved(target, query.operation).is_allowed()
    };
    for handle in &handles {
        assert_eq!(decide(&decisions.root, handle), handle.1.is_allowed);
    }
    let rows: Table<usize> = decisions
        .work
        .grants
        .iter()
        .enumerate()
        .map(|(row, grant)| (work::key(&grant.target), row))
        .collect();
    let array: Vec<OperationSet> = decisions
        .work
        .grants
        .iter()
        .map(|grant| grant.operations)
        .collect();
    let places: Vec<_> = handles
        .iter()
        .map(|(_, query)| {
            (
                rows.get(&work::key(&query.target)).copied(),
                query.operation,
            )
        })
        .collect();

    let [at_root, in_child, array] = contest(
        BUDGET,
        [
            Candidate::each(&handles, |handle| decide(&decisions.root, handle)),
            Candidate::each(&handles, |handle| decide(&decisions.child, handle)),
            Candidate::each(&places, |(row, operation)| {
                row.is_some_and(|row| array[row].contains(*operation))
            }),
        ],
    );
    let size = format!("N = {}", grouped(number(decisions.work.grants.len())));
    let peer = ("array look-up", &array);
    let goal = Goal::Nanoseconds(8.0);
    report.time("decide, resolved target, root", &size, &at_root, peer, goal);
    report.time(
        "decide, resolved target, child",
        &size,
        &in_child,
        peer,
        goal,
    );
    let allocations = allocations::made_by(|| {
        for handle in &handles {
            black_box(decide(&decisions.child, handle));
        }
    });
    let allocations = number(usize::try_from(allocations).unwrap_or(usize::MAX));
    let figure = "allocations of decisions, resolved targets";
    report.count(figure, &size, (allocations, ""), None, Goal::Count(0.0));
}

/// Making children by handles and by names.
pub fn derive(report: &mut Report) {
    let work = Work::without_agents(10_000);
    for kept in [10, 5_000] {
        derive_kept(report, &work, kept);
    }
}

fn derive_kept(report: &mut Report, work: &Work, kept: usize) {
    let (_handle, root) = work.root("run");
    let grants: Vec<_> = work
        .grants
        .iter()
        .step_by(work.grants.len() / kept)
        .collect();
    let scopes: Vec<_> = grants
        .iter()
        .map(|grant| Scope::new(grant.target.clone(), grant.operations).expect("of the kind"))
        .collect();
    let handles: Vec<_> = grants
        .iter()
        .map(|grant| {
            (
                root.resolve(&grant.target).expect("no agent"),
                grant.operations,
            )
        })
        .collect();
    let select = |root: &ThreadPolicy| {
        root.select_resolved(
            handles
                .iter()
                .map(|(target, operations)| (target, *operations)),
        )
    };
    let table = work.table();
    let keys: Vec<_> = grants
        .iter()
        .map(|grant| work::key(&grant.target))
        .collect();
    // A bit an operation of each grant.
    let slots: usize = work.grants.iter().map(|grant| grant.operations.len()).sum();
    let mask: Vec<u64> = vec![0x5555_5555_5555_5555; slots.div_ceil(64)];
    let parent: Arc<[u64]> = vec![u64::MAX; slots.div_ceil(64)].into();
    let artifact = Artifact::new(Id::parse("agent").expect("an id"));

    let selection = root.select(&scopes);
    let [selected, and, by_handle, by_name, look_ups] = contest(
        BUDGET,
        [
            Candidate::timed(|children| {
                let threads = threads("selected", children);
                let start = Instant::now();
                for thread in &threads {
                    let child = root.intersect_selected(&artifact, &selection, thread);
                    let _ = black_box(child.expect("a new thread"));
                }
                start.elapsed()
            }),
            Candidate::new(|| -> Arc<[u64]> {
                parent
                    .iter()
                    .zip(&mask)
                    .map(|(held, kept)| held & kept)
                    .collect()
            }),
            Candidate::new(|| select(&root)),
            Candidate::new(|| root.select(&scopes)),
            Candidate::each(&keys, |key| table.get(key)),
        ],
    );
    let size = format!("k = {} of N = 10,000", grouped(number(kept)));
    let peer = ("an `AND` of every word of the mask", &and);
    report.time(
        "derive by a ready selection",
        &size,
        &selected,
        peer,
        Goal::Nanoseconds(250.0),
    );
    let each = look_ups.times(number(kept));
    let peer = ("`hashbrown` + `foldhash` look-ups of those names", &each);
    report.time("select by names", &size, &by_name, peer, Goal::AtMost(2.0));
    report.time("select by handles", &size, &by_handle, peer, Goal::None);
}

/// Ids that no thread had before.
fn threads(prefix: &str, count: usize) -> Vec<String> {
    static USED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let first = USED.fetch_add(count, std::sync::atomic::Ordering::Relaxed);
    (first..first + count)
        .map(|number| format!("{prefix}-{number}"))
        .collect()
}
