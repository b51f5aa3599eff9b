//! Making a gate.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::approval::{ApprovalPolicy, GrantSeal, GrantStore, Grants, MemoryGrants, RuleError};
use crate::audit::{AuditSink, MemoryAudit};
use crate::clock::{Clock, SteadyClock};
use crate::gate::random::RandomIds;
use crate::gate::state::{QuestionLimits, State};
use crate::gate::{Gate, Inner, Review, ReviewAsync};
use crate::id::Id;
use crate::ledger::{Ledger, MemoryLedger};
use crate::policy::RootHandle;

/// What a gate is made of. Each part has a default that needs nothing beside the process: no
/// reviewer, so that every question is denied; ledger, grants and audit in memory.
#[must_use = "a gate is there once it is built"]
pub struct GateBuilder<'a> {
    root: &'a RootHandle,
    rules: ApprovalPolicy,
    clock: Arc<dyn Clock>,
    reviewer: Option<Arc<dyn Review>>,
    async_reviewer: Option<Arc<dyn ReviewAsync>>,
    ledger: Option<Arc<dyn Ledger>>,
    store: Option<Grants>,
    seal: Option<GrantSeal>,
    persisted_policies: Vec<Id<'static>>,
    audit: Option<Arc<dyn AuditSink>>,
    limits: Limits,
}

#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) questions: QuestionLimits,
    pub(super) permit: Duration,
}

/// Why there is no gate.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum GateError {
    /// A rule can not stand.
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// The root has a gate already.
    #[error("the root has a gate already: there is one a root")]
    HasGate,
}

impl<'a> GateBuilder<'a> {
    pub(super) fn new(root: &'a RootHandle, rules: ApprovalPolicy, clock: Arc<dyn Clock>) -> Self {
        GateBuilder {
            root,
            rules,
            clock,
            reviewer: None,
            async_reviewer: None,
            ledger: None,
            store: None,
            seal: None,
            persisted_policies: Vec::new(),
            audit: None,
            limits: Limits {
                questions: QuestionLimits::default(),
                permit: Duration::from_secs(30),
            },
        }
    }

    /// Who is asked by [`Gate::authorize`].
    pub fn reviewer(mut self, reviewer: impl Review + 'static) -> Self {
        self.reviewer = Some(Arc::new(reviewer));
        self
    }

    /// Who is asked by [`Gate::authorize_async`].
    pub fn async_reviewer(mut self, reviewer: impl ReviewAsync + 'static) -> Self {
        self.async_reviewer = Some(Arc::new(reviewer));
        self
    }

    /// What budgets are counted by: by default a [`MemoryLedger`] of this root.
    pub fn ledger(mut self, ledger: impl Ledger + 'static) -> Self {
        self.ledger = Some(Arc::new(ledger));
        self
    }

    /// Where grants are kept: by default in [`MemoryGrants`].
    pub fn grants(mut self, store: impl GrantStore + 'static) -> Self {
        self.store = Some(Grants::new(store));
        self
    }

    /// The host's key for grants, without which none is persisted.
    pub fn grant_seal(mut self, seal: GrantSeal) -> Self {
        self.seal = Some(seal);
        self
    }

    /// The stored policies whose persisted grants hold for this root.
    pub fn persisted_policies(mut self, ids: impl IntoIterator<Item = Id<'static>>) -> Self {
        self.persisted_policies = ids.into_iter().collect();
        self
    }

    /// Where records go: by default to a [`MemoryAudit`], which ends with the gate.
    pub fn audit(mut self, sink: impl AuditSink + 'static) -> Self {
        self.audit = Some(Arc::new(sink));
        self
    }

    /// How many questions there may be.
    pub fn question_limits(mut self, limits: QuestionLimits) -> Self {
        self.limits.questions = limits;
        self
    }

    /// How long a permit may wait to be redeemed: 30 seconds by default.
    pub fn permit_lifetime(mut self, lifetime: Duration) -> Self {
        self.limits.permit = lifetime;
        self
    }

    /// The gate.
    ///
    /// # Errors
    ///
    /// When a rule speaks of what the root does not hold, and when the root has a gate already.
    pub fn build(self) -> Result<Gate, GateError> {
        let root = self.root.policy().clone();
        self.rules.check_rules(root.root_permissions())?;
        let clock = Arc::new(SteadyClock::new(self.clock));
        if !root.set_clock(Arc::clone(&clock) as Arc<dyn Clock>) {
            return Err(GateError::HasGate);
        }
        root.started_at();
        let ledger = self.ledger.unwrap_or_else(|| {
            let clock = Arc::clone(&clock);
            Arc::new(MemoryLedger::new(self.root, clock))
        });
        let grants = self
            .store
            .unwrap_or_else(|| Grants::new(MemoryGrants::new()));
        Ok(Gate(Arc::new(Inner {
            root,
            rules: self.rules,
            reviewer: self.reviewer,
            async_reviewer: self.async_reviewer,
            ledger,
            grants: match self.seal {
                Some(seal) => grants.with_seal(seal),
                None => grants,
            },
            persisted_policies: self.persisted_policies,
            audit: self.audit.unwrap_or_else(|| Arc::new(MemoryAudit::new())),
            clock,
            limits: self.limits,
            ids: RandomIds::default(),
            state: Mutex::new(State::default()),
        })))
    }
}
