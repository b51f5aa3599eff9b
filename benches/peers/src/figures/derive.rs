//! Making children: inheriting everything, and narrowing by the text of a restriction.

use std::hint::black_box;
use std::time::{Duration, Instant};

use authority_core::{Artifact, Id, THREAD_POLICY_EXTENSION};

use crate::figures::decide::{child, restriction};
use crate::measure::{Candidate, contest};
use crate::report::{Goal, Report};
use crate::strict::StrictRestriction;
use crate::work::Work;

const BUDGET: Duration = Duration::from_secs(3);

pub fn measure(report: &mut Report) {
    let work = Work::without_agents(10_000);
    inherit_all(report, &work);
    narrow(report, &work, 10);
    narrow(report, &work, 5_000);
}

/// Against a copy of the parent's table that keeps everything.
fn inherit_all(report: &mut Report, work: &Work) {
    let table = work.ordered_table();
    let artifact = Artifact::new(agent());
    let [ours, clone] = contest(
        BUDGET,
        [
            Candidate::timed(|steps| derive(work, steps, || artifact.clone())),
            Candidate::new(|| {
                let mut child = table.clone();
                child.retain(|_, operations| operations.len() > 0);
                child
            }),
        ],
    );
    let (figure, size) = ("intersect, inherit all", "N = 10,000");
    let peer = ("`BTreeMap`, clone and `retain`", &clone);
    report.time(figure, size, &ours, peer, Goal::Faster(10_000.0));
    report.alone(figure, size, &ours, Goal::Nanoseconds(100.0));
}

/// Against strict decoding of the same text alone.
fn narrow(report: &mut Report, work: &Work, kept: usize) {
    let step = work.grants.len() / kept;
    let text = restriction(work.grants.iter().step_by(step));
    let artifact = || {
        let artifact = Artifact::new(agent()).with_extension(THREAD_POLICY_EXTENSION, &text);
        artifact.expect("a restriction")
    };
    let strict = StrictRestriction::decode(&text).expect("the same document");
    assert_eq!(strict.scopes.len(), kept);
    let (handle, root) = work.root("run");
    assert_eq!(child(&handle, &root, "child", &text).scopes().len(), kept);

    let [ours, strict] = contest(
        BUDGET,
        [
            Candidate::timed(|steps| derive(work, steps, artifact)),
            Candidate::new(|| StrictRestriction::decode(&text).is_ok()),
        ],
    );
    report.time(
        "intersect, from the text of a restriction",
        &format!("k = {kept} of N = 10,000"),
        &ours,
        ("`serde_json`, strict decoding of that text alone", &strict),
        Goal::AtMost(1.5),
    );
}

fn agent() -> Id<'static> {
    Id::parse("agent").expect("an id")
}

/// Makes so many children of a new root, each a new thread.
fn derive(work: &Work, children: usize, artifact: impl Fn() -> Artifact) -> Duration {
    let (_handle, root) = work.root("run");
    let threads: Vec<_> = (0..children)
        .map(|child| format!("child-{child}"))
        .collect();
    let start = Instant::now();
    for thread in &threads {
        let child = root.intersect(&artifact(), thread);
        let _ = black_box(child.expect("a new thread"));
    }
    start.elapsed()
}
