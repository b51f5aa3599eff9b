//! Deciding: by parsed target and by text, at the root and in a child.

use std::hint::black_box;
use std::time::Duration;

use authority_core::{Artifact, Id, Request, RootHandle, ThreadPolicy};

use crate::allocations;
use crate::measure::{Candidate, contest, number};
use crate::report::{Goal, Report, grouped};
use crate::work::{self, Grant, Query, Work};

const BUDGET: Duration = Duration::from_secs(2);

/// Grants, queries, and a child that has lost the network.
pub struct Decisions {
    pub work: Work,
    pub queries: Vec<Query>,
    _handle: RootHandle,
    pub root: ThreadPolicy,
    pub child: ThreadPolicy,
}

impl Decisions {
    pub fn new(count: usize) -> Self {
        let work = Work::new(count);
        // More queries where the tables are larger than the caches.
        let queries = work.queries(if count < 100_000 { 4_096 } else { 32_768 });
        let (handle, root) = work.root("run");
        let child = child(
            &handle,
            &root,
            "child",
            r#"{"version":2,"sandbox":{"network_enabled":false}}"#,
        );
        Decisions {
            work,
            queries,
            _handle: handle,
            root,
            child,
        }
    }

    fn is_allowed_in_child(query: &Query) -> bool {
        query.is_allowed && query.target.kind() != authority_core::Kind::Network
    }
}

/// Makes and starts a child by the text of its restriction.
pub fn child(
    handle: &RootHandle,
    parent: &ThreadPolicy,
    thread: &str,
    restriction: &str,
) -> ThreadPolicy {
    let artifact = Artifact::new(Id::parse("agent").expect("an id"))
        .with_extension(authority_core::THREAD_POLICY_EXTENSION, restriction)
        .expect("a restriction");
    let prepared = parent.intersect(&artifact, thread).expect("a new thread");
    prepared
        .start_by_host(handle)
        .expect("the root's own handle")
}

pub fn measure(report: &mut Report, decisions: &Decisions) {
    by_target(report, decisions);
    by_text(report, decisions);
}

fn by_target(report: &mut Report, decisions: &Decisions) {
    let Decisions {
        work,
        queries,
        root,
        child,
        ..
    } = decisions;
    let table = work.table();
    let keys: Vec<_> = queries
        .iter()
        .map(|query| (work::key(&query.target), query.operation))
        .collect();
    let requests: Vec<_> = queries.iter().map(Query::request).collect();
    for ((query, request), (key, operation)) in queries.iter().zip(&requests).zip(&keys) {
        let found = table.get(key);
        assert_eq!(
            found.is_some_and(|held| held.contains(*operation)),
            query.is_allowed
        );
        assert_eq!(root.decide(request).is_allowed(), query.is_allowed);
        let is_allowed = Decisions::is_allowed_in_child(query);
        assert_eq!(child.decide(request).is_allowed(), is_allowed);
    }

    let [table, at_root, in_child] = contest(
        BUDGET,
        [
            Candidate::each(&keys, |(key, operation)| {
                table.get(key).is_some_and(|held| held.contains(*operation))
            }),
            Candidate::each(&requests, |request| root.decide(request).is_allowed()),
            Candidate::each(&requests, |request| child.decide(request).is_allowed()),
        ],
    );
    let size = size(work);
    let peer = ("`hashbrown` + `foldhash`, the same key", &table);
    report.time(
        "decide, parsed target, root",
        &size,
        &at_root,
        peer,
        Goal::AtMost(1.3),
    );
    report.time(
        "decide, parsed target, child",
        &size,
        &in_child,
        peer,
        Goal::AtMost(1.5),
    );
    let allocations = allocations::made_by(|| {
        for request in &requests {
            let _ = black_box(root.decide(request));
            let _ = black_box(child.decide(request));
        }
    });
    no_allocation(
        report,
        "allocations of decisions, parsed targets",
        decisions,
        allocations,
    );
}

fn by_text(report: &mut Report, decisions: &Decisions) {
    let Decisions {
        work,
        queries,
        root,
        ..
    } = decisions;
    let table = work.request_table();
    let texts: Vec<_> = queries.iter().map(Query::json).collect();
    let decide = |text: &str| {
        Request::from_json(text).is_ok_and(|request| root.decide(&request).is_allowed())
    };
    for (query, text) in queries.iter().zip(&texts) {
        assert_eq!(table.contains(text), query.is_allowed);
        assert_eq!(decide(text), query.is_allowed, "{text}");
    }

    let [table, ours] = contest(
        BUDGET,
        [
            Candidate::each(&texts, |text| table.contains(text)),
            Candidate::each(&texts, |text| decide(text)),
        ],
    );
    let peer = ("`hashbrown` + `foldhash`, the same bytes", &table);
    report.time(
        "decide, from canonical text, root",
        &size(work),
        &ours,
        peer,
        Goal::AtMost(2.0),
    );
    let allocations = allocations::made_by(|| {
        for text in &texts {
            black_box(decide(text));
        }
    });
    no_allocation(
        report,
        "allocations of decisions, canonical text",
        decisions,
        allocations,
    );
}

fn no_allocation(report: &mut Report, figure: &str, decisions: &Decisions, allocations: u64) {
    let allocations = number(usize::try_from(allocations).unwrap_or(usize::MAX));
    let work = size(&decisions.work);
    report.count(figure, &work, (allocations, ""), None, Goal::Count(0.0));
}

fn size(work: &Work) -> String {
    format!("N = {}", grouped(number(work.grants.len())))
}

/// The text of a restriction that names these grants.
pub fn restriction<'a>(grants: impl Iterator<Item = &'a Grant>) -> String {
    let scopes: Vec<_> = grants.map(Grant::json).collect();
    format!(r#"{{"version":2,"scopes":[{}]}}"#, scopes.join(","))
}
