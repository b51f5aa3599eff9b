//! Deciding a thousand levels down: it does not depend on the depth.

use std::hint::black_box;
use std::time::Duration;

use authority_core::{RootHandle, ThreadPolicy};

use crate::figures::decide::{child, restriction};
use crate::measure::{Candidate, contest};
use crate::report::{Goal, Report};
use crate::work::{Query, Work};

/// Levels of the deepest child.
const DEEP: usize = 1_000;
/// Levels that lose a grant each; those below lose nothing.
const NARROWING: usize = 10;

/// Two children of one root with the same authority, of which one is deep down.
struct Children {
    queries: Vec<Query>,
    _handle: RootHandle,
    deep: ThreadPolicy,
    shallow: ThreadPolicy,
}

impl Children {
    fn new() -> Self {
        let work = Work::without_agents(1_000);
        let (handle, root) = work.root("run");
        let kept = |from: usize| restriction(work.grants.iter().skip(from).step_by(2));
        let mut deep = child(&handle, &root, "level-1", &kept(0));
        for level in 2..=DEEP {
            let from = 2 * (level - 1).min(NARROWING);
            deep = child(&handle, &deep, &format!("level-{level}"), &kept(from));
        }
        Children {
            queries: work.queries(4_096),
            shallow: child(&handle, &root, "shallow", &kept(2 * NARROWING)),
            deep,
            _handle: handle,
        }
    }
}

pub fn measure(report: &mut Report) {
    let children = Children::new();
    let requests: Vec<_> = children.queries.iter().map(Query::request).collect();
    for request in &requests {
        let decision = children.deep.decide(request);
        assert_eq!(decision, children.shallow.decide(request));
    }
    let [deep, shallow] = contest(
        Duration::from_secs(2),
        [&children.deep, &children.shallow]
            .map(|child| Candidate::each(&requests, |request| child.decide(request).is_allowed())),
    );
    report.time(
        "decide, parsed target, depth 1,000",
        "N = 1,000",
        &deep,
        ("a child with the same authority at depth 1", &shallow),
        Goal::AtMost(1.1),
    );
}

/// Decides so many times in one of the two children, for a profiler to count instructions.
pub fn decide(is_deep: bool, decisions: usize) {
    let children = Children::new();
    let child = if is_deep {
        &children.deep
    } else {
        &children.shallow
    };
    let requests: Vec<_> = children.queries.iter().map(Query::request).collect();
    for request in requests.iter().cycle().take(decisions) {
        let _ = black_box(child.decide(black_box(request)));
    }
}
