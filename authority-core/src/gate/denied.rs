//! Why a gate says no.

use std::fmt;

use crate::approval::{GrantStoreError, PreviewChange, PreviewError, Refusal};
use crate::audit::{AuditError, Code, Head};
use crate::ledger::LedgerDenial;
use crate::vocabulary::{Cause, DenyReason, OutcomeCode, RevalidationReason};

/// A request that the gate, or the redeemer, denies. The record is written already.
#[derive(Clone, Debug)]
pub struct Denied {
    reason: DenialReason,
    receipt: Option<Head>,
}

/// Why it is denied.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum DenialReason {
    /// The thread does not hold it.
    #[error("the thread does not hold this: {}", .0.about())]
    NotHeld(DenyReason),
    /// The policy, or the permit, is of another root.
    #[error("the {0} is of another root")]
    Foreign(Foreign),
    /// The thread's time is over, or that of one above it.
    #[error("the deadline of the thread, or of one above it, has passed")]
    DeadlinePassed,
    /// There is no preview of it, and so no approval.
    #[error("there is no preview of this: {0}")]
    NoPreview(PreviewError),
    /// An explicit rule denies it.
    #[error("a rule of the approval policy denies this")]
    RuleDenies,
    /// A question did not end with an answer that allows.
    #[error("not approved: {}", .0.about())]
    NotApproved(Cause),
    /// The store of grants does nothing.
    #[error(transparent)]
    Grants(#[from] GrantStoreError),
    /// A ceiling is hit, or the ledger cannot answer.
    #[error(transparent)]
    Ledger(#[from] LedgerDenial),
    /// It cannot be recorded.
    #[error("it cannot be recorded, and so is not done")]
    AuditUnavailable(AuditError),
    /// The clock gives no time that can be written down.
    #[error("the clock gives no time between the years 1 and 9999")]
    ClockUnusable,
    /// The request was cancelled while it waited.
    #[error("the request was cancelled")]
    Cancelled,
    /// The permit's time is over.
    #[error("the permit has expired")]
    PermitExpired,
    /// What would run is not what the permit is for.
    #[error("what would run is not what was permitted; it differs in {}", list(.0))]
    PreviewChanged(Vec<PreviewChange>),
    /// The grant that the permit rests on does not hold any more.
    #[error("the approval does not hold any more: {}", .0.about())]
    GrantRefused(RevalidationReason),
    /// The executor's boundary is weaker than the permit's.
    #[error("the executor enforces less than the permit asks for")]
    BoundaryWeaker,
    /// The executor cannot enforce the sandbox that the policy asks for.
    #[error("the policy asks for a sandbox that this executor cannot enforce")]
    UnenforceableSandbox,
    /// The thread holds nothing in the working directory.
    #[error("the thread holds no filesystem scope in the working directory")]
    CwdNotHeld,
}

/// What is of another root.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Foreign {
    /// A policy.
    Policy,
    /// A permit.
    Permit,
}

impl fmt::Display for Foreign {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Foreign::Policy => "policy",
            Foreign::Permit => "permit",
        })
    }
}

impl DenialReason {
    /// The reason's name.
    pub fn name(&self) -> &'static str {
        match self {
            DenialReason::NotHeld(reason) => reason.name(),
            DenialReason::Foreign(Foreign::Policy) => "foreign_policy",
            DenialReason::Foreign(Foreign::Permit) => "foreign_permit",
            DenialReason::DeadlinePassed => "deadline_passed",
            DenialReason::NoPreview(_) => "no_preview",
            DenialReason::RuleDenies => "rule_denies",
            DenialReason::NotApproved(cause) => cause.name(),
            DenialReason::Grants(error) => error.name(),
            DenialReason::Ledger(denial) => denial.name(),
            DenialReason::AuditUnavailable(_) => "audit_unavailable",
            DenialReason::ClockUnusable => "clock_unusable",
            DenialReason::Cancelled => "cancelled",
            DenialReason::PermitExpired => "permit_expired",
            DenialReason::PreviewChanged(_) => "preview_changed",
            DenialReason::GrantRefused(reason) => reason.name(),
            DenialReason::BoundaryWeaker => "boundary_weaker",
            DenialReason::UnenforceableSandbox => "unenforceable_sandbox",
            DenialReason::CwdNotHeld => "cwd_not_held",
        }
    }

    /// What a record says of a permit that is not redeemed for this reason.
    pub(super) fn refusal_code(&self) -> OutcomeCode {
        match self {
            DenialReason::PermitExpired
            | DenialReason::DeadlinePassed
            | DenialReason::GrantRefused(RevalidationReason::Expired) => OutcomeCode::Expired,
            DenialReason::NotHeld(DenyReason::Revoked | DenyReason::PolicyClosed)
            | DenialReason::GrantRefused(RevalidationReason::Revoked) => OutcomeCode::Revoked,
            _ => OutcomeCode::Refused,
        }
    }

    pub(super) fn code(&self) -> Code {
        Code::of_word(self.name())
    }
}

/// The reason's codes, for a question and for records.
pub(super) fn refusal_codes(refusal: &Refusal) -> Vec<Code> {
    match refusal {
        Refusal::Reasons(reasons) => reasons.iter().map(|reason| Code::from(*reason)).collect(),
        Refusal::ClockBeforeCreation => vec![Code::of_word("clock_before_creation")],
        Refusal::Weaker => vec![Code::of_word("weaker_than_policy")],
        Refusal::UsedUp => vec![Code::of_word("used_up")],
    }
}

fn list(changes: &[PreviewChange]) -> String {
    let changes: Vec<_> = changes.iter().map(PreviewChange::to_string).collect();
    changes.join(", ")
}

impl Denied {
    pub(super) fn new(reason: DenialReason, receipt: Option<Head>) -> Self {
        Denied { reason, receipt }
    }

    /// Why.
    pub fn reason(&self) -> &DenialReason {
        &self.reason
    }

    /// Why, in a sentence for people. It repeats no content.
    pub fn explain(&self) -> String {
        self.reason.to_string()
    }

    /// The head of the audit chain with the record of this; `None` when that could not be written.
    pub fn receipt(&self) -> Option<Head> {
        self.receipt
    }
}
