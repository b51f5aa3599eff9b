//! The one pipeline: what is looked at, and what a permit takes.

use std::num::NonZeroU32;
use std::sync::Arc;

use crate::approval::{Context, Found, Grant, GrantQuery, Lifetime, Preview, PreviewChange};
use crate::audit::Code;
use crate::clock::Clock as _;
use crate::decision::Decision;
use crate::gate::denied::{DenialReason, Denied, Foreign, refusal_codes};
use crate::gate::facts::{Facts, asked_target};
use crate::gate::permit::{NewPermit, Permit};
use crate::gate::{Attempt, Gate, Inner};
use crate::policy::ThreadPolicy;
use crate::request::Request;
use crate::target::Target;
use crate::vocabulary::{
    Boundary, Cause, DenyReason, OutcomeCode, RevalidationReason, ReviewerKind, RuleDecision,
};

/// What the pipeline says of an attempt, without having had an effect.
pub(super) struct Look {
    pub(super) facts: Facts,
    /// The deciding entry, where the thread holds it.
    pub(super) entry: Option<usize>,
    pub(super) verdict: Result<Verdict, DenialReason>,
}

pub(super) enum Verdict {
    /// A rule allows it, or a grant holds for it.
    Permitted(Basis),
    /// Somebody is to be asked.
    Asked(ToAsk),
}

/// What a permit rests on.
pub(super) struct Basis {
    preview: Preview,
    grant: Option<Grant>,
}

/// What is asked, and why.
pub(super) struct ToAsk {
    pub(super) preview: Preview,
    pub(super) reasons: Vec<Code>,
    pub(super) changes: Vec<PreviewChange>,
}

impl Verdict {
    fn granted(preview: Preview, grant: Grant) -> Self {
        Verdict::Permitted(Basis {
            preview,
            grant: Some(grant),
        })
    }
}

impl Inner {
    /// Looks, and has no effect. `answer` is the grant that this very attempt was answered with: the
    /// decision that a redirect and a retry need.
    pub(super) fn look(&self, attempt: &Attempt<'_>, answer: Option<&Grant>) -> Look {
        let mut facts = Facts::of(attempt);
        let held = self.check_held(attempt.policy, attempt.request);
        let entry = held.as_ref().ok().copied();
        let verdict = held.and_then(|_| self.verdict(attempt, answer, &mut facts));
        Look {
            facts,
            entry,
            verdict,
        }
    }

    fn verdict(
        &self,
        attempt: &Attempt<'_>,
        answer: Option<&Grant>,
        facts: &mut Facts,
    ) -> Result<Verdict, DenialReason> {
        let boundary = self
            .rules
            .of_kind(attempt.request.operation().kind())
            .boundary();
        let preview = Preview::new(attempt.policy, attempt.request, attempt.effect, boundary)
            .map_err(DenialReason::NoPreview)?;
        facts.add_preview(&preview);
        match self.rules.decide(&preview) {
            RuleDecision::Allow => Ok(Verdict::Permitted(Basis {
                preview,
                grant: None,
            })),
            RuleDecision::Deny => Err(DenialReason::RuleDenies),
            RuleDecision::Ask => self.approval(attempt, facts, preview, answer),
        }
    }

    /// Looks at a request whose effect is not known: the entry that holds it, and what the rules say.
    pub(super) fn look_at_request(
        &self,
        policy: &ThreadPolicy,
        request: &Request<'_>,
    ) -> (Option<usize>, Result<RuleDecision, DenialReason>) {
        let held = self.check_held(policy, request);
        let entry = held.as_ref().ok().copied();
        let verdict = held.and_then(|_| match self.rules.decide_request(request) {
            RuleDecision::Deny => Err(DenialReason::RuleDenies),
            decision => Ok(decision),
        });
        (entry, verdict)
    }

    /// What does not depend on effect and rules: that it is held, now, by a thread of this root in
    /// its time. The index of the entry that decides.
    pub(super) fn check_held(
        &self,
        policy: &ThreadPolicy,
        request: &Request<'_>,
    ) -> Result<usize, DenialReason> {
        if !policy.is_of_the_root_of(&self.root) {
            return Err(DenialReason::Foreign(Foreign::Policy));
        }
        let entry = match policy.decide(request) {
            Decision::Allow(entry) => entry,
            Decision::Deny(reason) => return Err(DenialReason::NotHeld(reason)),
        };
        if let Some((file, operation)) = request.file_operation() {
            let file = Request::new(Target::Filesystem(file.clone()), operation)
                .map_err(|_| DenialReason::NotHeld(DenyReason::OperationNotGranted))?;
            if let Decision::Deny(reason) = policy.decide(&file) {
                return Err(DenialReason::NotHeld(reason));
            }
        }
        if policy.is_past_deadline(self.clock.monotonic()) {
            return Err(DenialReason::DeadlinePassed);
        }
        Ok(entry)
    }

    /// The grant that holds, or why somebody is to be asked.
    fn approval(
        &self,
        attempt: &Attempt<'_>,
        facts: &Facts,
        preview: Preview,
        answer: Option<&Grant>,
    ) -> Result<Verdict, DenialReason> {
        let asked = facts.asked(&preview);
        let (session, is_denied) = {
            let state = self.state();
            let thread = attempt.policy.identity().thread_id();
            (
                state.sessions.get(thread).cloned(),
                state.is_denied(
                    &asked,
                    &asked_target(&asked, &preview),
                    self.limits.questions,
                ),
            )
        };
        let context = Context {
            scope: preview.scope(),
            preview_sha256: preview.sha256(),
            bindings_sha256: preview.bindings().sha256(),
            now: self.now()?,
            redirected: attempt.is_redirected,
            retry: attempt.is_retry || self.is_retry(facts, &preview)?,
            has_live_parents: false,
        };
        if let Some(answer) = answer {
            let context = Context {
                redirected: false,
                retry: false,
                ..context
            };
            let lifetimes = [answer.lifetime().clone()];
            let (query, asked_for) = self.query(facts, &context, &lifetimes);
            let found = self
                .grants
                .find_only(answer.id(), &query, &context, asked_for)?;
            if let Found::Valid(grant) = found {
                return Ok(Verdict::granted(preview, grant));
            }
        }
        let session = session.map(|session_id| Lifetime::Session { session_id });
        let policies = self.persisted_policies.iter().cloned();
        let policies = policies.map(|policy_id| Lifetime::PersistedPolicy { policy_id });
        let lifetimes: Vec<_> = session.into_iter().chain(policies).collect();
        let (query, asked_for) = self.query(facts, &context, &lifetimes);
        let reasons = match self.grants.find(&query, &context, asked_for)? {
            Found::Valid(grant) => return Ok(Verdict::granted(preview, grant)),
            Found::Refused(_, refusal) => refusal_codes(&refusal),
            Found::Missing if context.retry => {
                vec![RevalidationReason::Retry.into()]
            }
            Found::Missing => Vec::new(),
        };
        if is_denied {
            return Err(DenialReason::NotApproved(Cause::DeniedBefore));
        }
        let state = self.state();
        let before = state.approved(&facts.asked_scope());
        let changes = before.map_or_else(Vec::new, |before| preview.changes(before));
        Ok(Verdict::Asked(ToAsk {
            preview,
            reasons,
            changes,
        }))
    }

    /// Whether the same was attempted with a grant before, and did not complete.
    fn is_retry(&self, facts: &Facts, preview: &Preview) -> Result<bool, DenialReason> {
        let incomplete = self.audit.is_incomplete(&facts.attempted(preview));
        incomplete.map_err(DenialReason::AuditUnavailable)
    }

    fn query<'q>(
        &self,
        facts: &'q Facts,
        context: &Context<'q>,
        lifetimes: &'q [Lifetime],
    ) -> (GrantQuery<'q>, (ReviewerKind, Boundary)) {
        let query = GrantQuery {
            holder: &facts.holder,
            scope: context.scope,
            lifetimes,
        };
        let rules = self.rules.of_kind(context.scope.target().kind());
        (query, (rules.reviewer().kind(), rules.boundary()))
    }

    /// Denies, and records it.
    pub(super) fn deny(&self, facts: &Facts, code: OutcomeCode, reason: DenialReason) -> Denied {
        let receipt = self.now().ok().and_then(|now| {
            let record = facts.record(code, now).with_reason(reason.code());
            self.append(&record).ok()
        });
        Denied::new(reason, receipt)
    }
}

impl Gate {
    /// Takes what a permit takes, and makes it. What was reserved is released when a later step
    /// fails; a use that was consumed is not given back.
    pub(super) fn permit(
        &self,
        attempt: &Attempt<'_>,
        facts: &Facts,
        Basis { preview, grant }: Basis,
    ) -> Result<Permit, DenialReason> {
        let inner = &*self.0;
        let reservation = inner.ledger.reserve(attempt.policy, attempt.amounts)?;
        if let Some(grant) = &grant {
            inner.grants.consume(grant.id(), NonZeroU32::MIN)?;
        }
        let now = inner.now()?;
        let operation_id = match grant.as_ref().map(Grant::lifetime) {
            Some(Lifetime::Operation { operation_id }) => operation_id.clone(),
            _ => inner.ids.id("operation"),
        };
        let expires_at = now
            .after(inner.limits.permit)
            .map_err(|_| DenialReason::ClockUnusable)?;
        let mut facts = facts.clone();
        facts.operation_id = Some(operation_id);
        let mut record = facts
            .record(OutcomeCode::Permitted, now)
            .with_reserved(attempt.amounts)
            .with_expires_at(expires_at);
        if let Some(grant) = &grant {
            record = record
                .with_grant(grant.id().clone(), grant.sha256())
                .with_reviewer(grant.reviewer().clone());
        }
        inner
            .append(&record)
            .map_err(DenialReason::AuditUnavailable)?;
        Ok(Permit::new(NewPermit {
            gate: Arc::clone(&self.0),
            policy: attempt.policy.clone(),
            facts,
            preview,
            grant,
            reservation,
            expires_at: inner.clock.monotonic().saturating_add(inner.limits.permit),
        }))
    }
}
