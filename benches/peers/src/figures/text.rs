//! Work on texts, each beside what it is compared with, repeated for a profiler to count instructions.

use std::hint::black_box;

use authority_core::{Artifact, Id, Request, Scope, THREAD_POLICY_EXTENSION};
use sha2::{Digest, Sha256};

use crate::figures::decide::{Decisions, restriction};
use crate::figures::load::Load;
use crate::strict::{StrictRestriction, StrictScope};
use crate::work::{Grant, Query, Work};

/// Scopes that a step of `load` loads.
const LOADED: usize = 10_000;

/// Does so many steps of the work of this name, each step on one text.
pub fn repeat(name: &str, steps: usize) {
    match name {
        "decide" | "decode-request" | "look-up" => requests(name, steps),
        "decode-scope" | "strict-scope" | "load" | "digest" | "sha2" => scopes(name, steps),
        "intersect" | "strict-restriction" => restrictions(name, steps),
        _ => panic!("no work has this name"),
    }
}

fn requests(name: &str, steps: usize) {
    let Decisions {
        work,
        queries,
        root,
        ..
    } = &Decisions::new(1_000);
    let table = work.request_table();
    let texts: Vec<_> = queries.iter().map(Query::json).collect();
    let texts = texts.iter().cycle().take(steps).map(black_box);
    match name {
        "decide" => texts.for_each(|text| {
            black_box(Request::from_json(text).is_ok_and(|it| root.decide(&it).is_allowed()));
        }),
        "decode-request" => texts.for_each(|text| {
            black_box(Request::from_json(text).is_ok());
        }),
        _ => texts.for_each(|text| {
            black_box(table.contains(text));
        }),
    }
}

fn scopes(name: &str, steps: usize) {
    if name == "load" {
        let load = Load::new(LOADED);
        return (0..steps).for_each(|_| drop(black_box(load.root())));
    }
    let work = Work::without_agents(1_000);
    let texts: Vec<_> = work.grants.iter().map(Grant::json).collect();
    let scopes: Vec<_> = work.grants.iter().map(Grant::scope).collect();
    let both = texts.iter().zip(&scopes).cycle().take(steps);
    for (text, scope) in both.map(black_box) {
        match name {
            "decode-scope" => drop(black_box(Scope::from_json(text))),
            "strict-scope" => drop(black_box(StrictScope::decode(text))),
            "digest" => drop(black_box(scope.sha256())),
            _ => drop(black_box(Sha256::digest(text))),
        }
    }
}

/// A step is one restriction that keeps ten scopes.
fn restrictions(name: &str, steps: usize) {
    let work = Work::without_agents(1_000);
    let text = restriction(work.grants.iter().step_by(100));
    let (_handle, root) = work.root("run");
    for step in 0..steps {
        if name == "intersect" {
            let artifact = Artifact::new(Id::parse("agent").expect("an id"))
                .with_extension(THREAD_POLICY_EXTENSION, black_box(&text))
                .expect("a restriction");
            let child = root.intersect(&artifact, &format!("child-{step}"));
            drop(black_box(child.expect("a new thread")));
        } else {
            drop(black_box(StrictRestriction::decode(black_box(&text))));
        }
    }
}
