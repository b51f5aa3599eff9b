//! What a child costs on the heap, by the counting allocator.

use authority_core::{Artifact, Id, RootHandle, THREAD_POLICY_EXTENSION, ThreadPolicy};

use crate::allocations;
use crate::figures::decide::restriction;
use crate::measure::number;
use crate::report::{Goal, Report};
use crate::work::Work;

/// Children whose average is taken: the tables of the root grow by and by.
const CHILDREN: usize = 100;
const SIBLINGS: usize = 100_000;

pub fn measure(report: &mut Report) {
    let work = Work::without_agents(10_000);
    let restricted = |kept: usize| {
        let step = work.grants.len() / kept;
        let text = restriction(work.grants.iter().step_by(step));
        let artifact = Artifact::new(Id::parse("agent").expect("an id"));
        artifact
            .with_extension(THREAD_POLICY_EXTENSION, &text)
            .expect("a restriction")
    };
    let inheriting = Artifact::new(Id::parse("agent").expect("an id"));
    let bytes = |artifact: &Artifact| {
        let (handle, root) = work.root("run");
        let (_children, bytes) =
            allocations::held_by(|| children(&handle, &root, artifact, CHILDREN));
        signed(bytes) / number(CHILDREN)
    };

    let table = work.ordered_table();
    let (_half, clone) = allocations::held_by(|| {
        let mut half = table.clone();
        let mut number = 0;
        half.retain(|_, _| {
            number += 1;
            number % 2 == 0
        });
        half
    });
    let inherit = bytes(&inheriting);
    let figure = "memory of a child, with its thread id";
    let size = |kept: &str| format!("{kept} of N = 10,000 kept");
    report.count(figure, &size("all"), (inherit, "B"), None, Goal::None);
    let peer = ("`BTreeMap`, clone and `retain`", signed(clone));
    let dense = bytes(&restricted(5_000));
    report.count(
        figure,
        &size("half"),
        (dense, "B"),
        Some(peer),
        Goal::Count(3_072.0),
    );
    for kept in [10, 100] {
        let entry = (bytes(&restricted(kept)) - inherit) / number(kept);
        let figure = "memory of a sparse child an entry, beyond one that inherits";
        report.count(
            figure,
            &size(&kept.to_string()),
            (entry, "B"),
            None,
            Goal::Count(16.0),
        );
    }

    let artifact = restricted(10);
    let (handle, root) = work.root("run");
    let (_siblings, bytes) = allocations::held_by(|| children(&handle, &root, &artifact, SIBLINGS));
    report.count(
        "memory of 100,000 siblings",
        "k = 10 of N = 10,000",
        (signed(bytes) / f64::from(1 << 20), "MiB"),
        None,
        Goal::Count(64.0),
    );
}

fn children(
    handle: &RootHandle,
    root: &ThreadPolicy,
    artifact: &Artifact,
    count: usize,
) -> Vec<ThreadPolicy> {
    let mut children = Vec::with_capacity(count);
    for child in 0..count {
        let prepared = root.intersect(artifact, &format!("child-{child}"));
        let started = prepared.expect("a new thread").start_by_host(handle);
        children.push(started.expect("the root's own handle"));
    }
    children
}

#[allow(clippy::cast_precision_loss)]
fn signed(bytes: i64) -> f64 {
    bytes as f64
}
