//! `simulate`: what would become of requests, by the gate's own code.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use authority_core::vocabulary::{Preset, RuleDecision};
use authority_core::{
    ApprovalPolicy, Explanation, Gate, ManualClock, Request, Reviewer, Target, Timestamp,
};
use serde::Serialize;

use crate::arguments::Format;
use crate::chain::Chain;
use crate::error::Error;
use crate::grants::Grants;
use crate::lines::{Lines, NOT_UTF8};
use crate::report::json;
use crate::source::Selection;
use crate::{Verdict, print_on};

/// What is simulated.
pub(crate) struct What<'a> {
    pub(crate) root: &'a str,
    pub(crate) artifacts: &'a [PathBuf],
    pub(crate) requests: &'a Path,
    pub(crate) preset: Preset,
    pub(crate) grants: Option<&'a Path>,
}

#[derive(Serialize)]
struct Answer {
    decision: &'static str,
    reason: &'static str,
    /// Position of the entry that holds it, among the entries of its body.
    entry: Option<usize>,
    /// The level of the chain that lost it: 0 is the root.
    level: Option<usize>,
    /// `null` of a line that is no request.
    scope_sha256: Option<String>,
    /// The entry, and where it was lost or what is near: for people.
    #[serde(skip)]
    about: String,
}

pub(crate) fn run(
    selection: &Selection,
    what: &What<'_>,
    format: Format,
) -> Result<Verdict, Error> {
    let grants = what.grants.map(Grants::read).transpose()?;
    let owner = grants.as_ref().and_then(Grants::owner);
    let chain = Chain::read(selection, what.root, what.artifacts, owner.as_ref())?;
    let simulator = Simulator::new(&chain, what.preset, grants.unwrap_or_default())?;
    let mut lines = Lines::open(Some(what.requests))?;
    let mut verdict = Verdict::Fine;
    while let Some(line) = lines.next() {
        let line = line?;
        let request = line.text().ok_or(NOT_UTF8.to_owned());
        let request =
            request.and_then(|text| Request::from_json(text).map_err(|error| error.to_string()));
        let answer = match request {
            Ok(request) => simulator.answer(&request),
            Err(message) => {
                eprintln!("error: {}", lines.error(line.number, &message));
                verdict = Verdict::Undecodable;
                Answer::undecodable()
            }
        };
        let text = match format {
            Format::Json => json::line(&answer)?,
            Format::Text => answer.text(line.number),
        };
        if !print_on(&text)? {
            break;
        }
    }
    Ok(verdict)
}

impl Answer {
    /// What is no request is not allowed.
    fn undecodable() -> Self {
        Answer {
            decision: RuleDecision::Deny.name(),
            reason: "undecodable",
            entry: None,
            level: None,
            scope_sha256: None,
            about: String::new(),
        }
    }

    fn text(&self, number: usize) -> String {
        let mut text = format!("{number}: {}, {}\n", self.decision, self.reason);
        if !self.about.is_empty() {
            text.push_str(&self.about);
            text.push('\n');
        }
        text
    }
}

/// A gate that nobody goes through.
struct Simulator<'c> {
    gate: Gate,
    chain: &'c Chain,
    grants: Grants,
    now: Timestamp,
}

impl<'c> Simulator<'c> {
    fn new(chain: &'c Chain, preset: Preset, grants: Grants) -> Result<Self, Error> {
        let failed = |error: &dyn ToString| Error::Document {
            document: chain.name.clone(),
            message: error.to_string(),
        };
        // All lines are simulated at one instant.
        let clock = ManualClock::new();
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let now = now.map_or(0, |now| now.as_nanos());
        clock.set_wall_nanoseconds(u64::try_from(now).unwrap_or(u64::MAX));
        let now = Timestamp::now(&clock).map_err(|error| failed(&error))?;
        let reviewer = Reviewer::human("reviewer").map_err(|error| failed(&error))?;
        let rules = ApprovalPolicy::new(preset, reviewer);
        let gate = Gate::builder(&chain.handle, rules, clock).build();
        Ok(Simulator {
            gate: gate.map_err(|error| failed(&error))?,
            chain,
            grants,
            now,
        })
    }

    fn answer(&self, request: &Request<'_>) -> Answer {
        let simulation = self.gate.simulate_request(&self.chain.last, request);
        let decision = simulation.decision();
        let grant = match decision {
            RuleDecision::Ask => self.grants.look_up(&self.chain.last, request, self.now),
            RuleDecision::Allow | RuleDecision::Deny => None,
        };
        let reason = match (simulation.reason(), grant) {
            (Some(reason), _) => reason.name(),
            (None, Some(known)) => known.name(),
            (None, None) => self.gate.rules().preset().name(),
        };
        let mut explanation = self.explanation(request);
        let place = explanation
            .entry
            .as_mut()
            .and_then(|entry| entry.place.as_mut());
        if let Some((file, _)) = place {
            // What is lexed without a compiler knows its lines only.
            file.clone_from(&self.chain.file);
        }
        Answer {
            decision: decision.name(),
            reason,
            entry: explanation
                .decision
                .entry()
                .and(explanation.entry.as_ref())
                .map(|entry| entry.index),
            level: explanation.lost_at.as_ref().map(|lost| lost.level),
            scope_sha256: Some(simulation.scope_sha256().to_hex()),
            about: explanation
                .to_string()
                .lines()
                .skip(1)
                .collect::<Vec<_>>()
                .join("\n"),
        }
    }

    /// Why it is held or not: the request, or the file of a download or upload when that is not.
    fn explanation(&self, request: &Request<'_>) -> Explanation {
        let explanation = self.chain.last.explain(request);
        let file = request
            .file_operation()
            .filter(|_| explanation.decision.is_allowed());
        let file = file.and_then(|(file, operation)| {
            Request::new(Target::Filesystem(file.clone()), operation).ok()
        });
        match file.map(|file| self.chain.last.explain(&file)) {
            Some(file) if !file.decision.is_allowed() => file,
            _ => explanation,
        }
    }
}
