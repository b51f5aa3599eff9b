//! The authorization engines, each modelled in the fastest way found for exact grants.
//!
//! What an engine can resolve before it is asked is resolved before, as its documentation advises:
//! policies are compiled, data is loaded, requests and inputs are built. What is measured is the
//! decision.

mod biscuit;
mod casbin;
mod cedar;
mod regorus;

use std::time::{Duration, Instant};

use authority_core::target::RelativePath;
use authority_core::{Operation, Request, Target, ToolName};

use crate::figures::decide::Decisions;
use crate::figures::handles;
use crate::measure::{Candidate, contest, number};
use crate::report::{Goal, Report, grouped};
use crate::work::{Grant, Query};

/// An authorization engine that has loaded the grants.
trait Engine: Sized {
    /// Its name, and how the grants are modelled in it.
    const NAME: &'static str;
    /// The most grants that it loads and decides by in reasonable time.
    const MOST: usize;

    /// What is built of a query before it is decided.
    type Prepared;

    fn load(grants: &[Grant]) -> Self;
    fn prepare(&self, query: &Query) -> Self::Prepared;
    fn decide(&mut self, prepared: &Self::Prepared) -> bool;
}

pub fn measure(report: &mut Report, decisions: &Decisions) {
    against::<cedar::Cedar>(report, decisions);
    against::<regorus::Regorus>(report, decisions);
    against::<casbin::Casbin>(report, decisions);
    against::<biscuit::Biscuit>(report, decisions);
}

fn against<E: Engine>(report: &mut Report, decisions: &Decisions) {
    let count = decisions.work.grants.len();
    let size = grouped(number(count));
    if count > E::MOST {
        return report.note(format!(
            "{}: not measured at N = {size}, only up to {}.",
            E::NAME,
            grouped(number(E::MOST))
        ));
    }
    let start = Instant::now();
    let mut engine = E::load(&decisions.work.grants);
    eprintln!(
        "  {} loaded in {:.1} s",
        E::NAME,
        start.elapsed().as_secs_f64()
    );

    let prepared: Vec<_> = decisions
        .queries
        .iter()
        .map(|query| engine.prepare(query))
        .collect();
    let start = Instant::now();
    for (query, prepared) in decisions.queries.iter().zip(&prepared) {
        assert_eq!(engine.decide(prepared), query.is_allowed, "{}", E::NAME);
        if start.elapsed() > Duration::from_secs(5) {
            break;
        }
    }
    let requests: Vec<Request<'_>> = decisions.queries.iter().map(Query::request).collect();
    let handles = handles::resolved(&decisions.queries, &decisions.root);
    let root = &decisions.root;
    let [theirs, parsed, resolved] = contest(
        Duration::from_secs(2),
        [
            Candidate::each(&prepared, |prepared| engine.decide(prepared)),
            Candidate::each(&requests, |request| root.decide(request).is_allowed()),
            Candidate::each(&handles, |(target, query)| {
                root.decide_resolved(target, query.operation).is_allowed()
            }),
        ],
    );
    let (size, peer) = (format!("N = {size}"), (E::NAME, &theirs));
    report.time(
        "decide, parsed target, root",
        &size,
        &parsed,
        peer,
        Goal::Faster(30.0),
    );
    report.time(
        "decide, resolved target, root",
        &size,
        &resolved,
        peer,
        Goal::Faster(100.0),
    );
}

/// A right as one text, for engines whose fastest data structure is keyed by a text.
fn right(target: &Target<'_>, operation: Operation) -> String {
    format!("{}|{}", operation.name(), text(target))
}

/// The rights of all grants.
fn rights(grants: &[Grant]) -> impl Iterator<Item = String> {
    grants.iter().flat_map(|grant| {
        let operations = grant.operations.iter();
        operations.map(|operation| right(&grant.target, operation))
    })
}

/// The identity of a target as one text, its kind in front.
fn text(target: &Target<'_>) -> String {
    let kind = target.kind().title();
    match target {
        Target::Filesystem(target) => {
            let path = target.path.as_ref().map_or(".", RelativePath::as_str);
            format!("{kind}|{}/{path}", target.binding)
        }
        Target::Subprocess(target) => {
            let (arguments, directory) = (target.argv_sha256.to_hex(), target.cwd_sha256.to_hex());
            format!("{kind}|{}|{arguments}|{directory}", target.executable)
        }
        Target::Network(target) => format!("{kind}|{}|{}", target.endpoint, target.redirect.name()),
        Target::Github(repository) => format!("{kind}|{repository}"),
        Target::Browser(target) => format!("{kind}|{}", target.origin),
        Target::Mcp(target) => {
            let tool = target.tool.as_ref().map_or("", ToolName::as_str);
            format!("{kind}|{}|{tool}", target.server)
        }
        Target::Integration(target) => {
            format!(
                "{kind}|{}|{}",
                target.integration,
                target.revision_sha256.to_hex()
            )
        }
        Target::ChildAgent(target) => {
            format!(
                "{kind}|{}|{}",
                target.agent,
                target.parent_ceiling_sha256.to_hex()
            )
        }
    }
}
