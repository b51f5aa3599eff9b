//! Redeeming a permit: everything is looked at again, just before it runs.

use std::fmt;
use std::sync::Arc;

use crate::approval::{Effect, Preview};
use crate::audit::Durability;
use crate::gate::denied::{DenialReason, Denied, Foreign};
use crate::gate::permit::NewPermit;
use crate::gate::{Capabilities, Inner, Permit, Running};
use crate::request::Request;
use crate::target::{FilesystemTarget, Target};
use crate::vocabulary::{ExecutionMode, Kind, OutcomeCode, RevalidationReason};

/// What an executor is made with: it turns permits of one gate into runs, and can do nothing else.
#[derive(Clone)]
pub struct Redeemer(Arc<Inner>);

impl Redeemer {
    pub(super) fn new(gate: Arc<Inner>) -> Self {
        Redeemer(gate)
    }

    /// Redeems a permit for what will really run. The preview is built again from `request` and
    /// `effect`, and must be the one that was permitted; what is held, deadlines, and the grant are
    /// looked at again.
    ///
    /// That it starts is recorded, and durable, before this returns: it waits for the disk. An
    /// asynchronous host calls it where a thread may block.
    ///
    /// # Errors
    ///
    /// The first reason in this order: `foreign_permit`, `permit_expired`, what the thread does not
    /// hold any more, `deadline_passed`, `preview_changed`, a grant that was revoked or has expired,
    /// `boundary_weaker`, `unenforceable_sandbox`, `cwd_not_held`, `audit_unavailable`. The permit is
    /// gone, and what it reserved released.
    pub fn redeem(
        &self,
        permit: Permit,
        request: &Request<'_>,
        effect: &Effect<'_>,
        capabilities: Capabilities,
    ) -> Result<Running, Denied> {
        let Some(mut parts) = permit.into_parts() else {
            return Err(Denied::new(DenialReason::PermitExpired, None));
        };
        if let Err(reason) = self.check(&parts, request, effect, capabilities) {
            return Err(refuse(&parts, reason));
        }
        let gate = Arc::clone(&parts.gate);
        let started = gate.now().and_then(|now| {
            let record = parts.facts.record(OutcomeCode::Started, now);
            let record = record.with_reserved(parts.reservation.amounts());
            gate.append_as(&record, Durability::Synced)
                .map_err(DenialReason::AuditUnavailable)
        });
        match started {
            Ok(receipt) => {
                parts.reservation.start();
                Ok(Running::new(*parts, request, receipt))
            }
            Err(reason) => Err(refuse(&parts, reason)),
        }
    }

    fn check(
        &self,
        parts: &NewPermit,
        request: &Request<'_>,
        effect: &Effect<'_>,
        capabilities: Capabilities,
    ) -> Result<(), DenialReason> {
        if !Arc::ptr_eq(&self.0, &parts.gate) {
            return Err(DenialReason::Foreign(Foreign::Permit));
        }
        if parts.is_expired() {
            return Err(DenialReason::PermitExpired);
        }
        let policy = &parts.policy;
        self.0.check_held(policy, request)?;
        let preview = Preview::new(policy, request, effect, parts.preview.boundary())
            .map_err(DenialReason::NoPreview)?;
        if preview.sha256() != parts.preview.sha256() {
            return Err(DenialReason::PreviewChanged(
                preview.changes(&parts.preview),
            ));
        }
        self.check_grant(parts)?;
        if capabilities.boundary() < preview.boundary() {
            return Err(DenialReason::BoundaryWeaker);
        }
        if request.operation().kind() == Kind::Subprocess {
            let must_be_sandboxed = policy.execution_mode() == ExecutionMode::Sandboxed;
            if must_be_sandboxed && !capabilities.enforces_a_sandbox() {
                return Err(DenialReason::UnenforceableSandbox);
            }
            if !is_cwd_held(parts, request) {
                return Err(DenialReason::CwdNotHeld);
            }
        }
        Ok(())
    }

    /// Its use is consumed; what is asked is whether it was taken back, or its time ended, since.
    fn check_grant(&self, parts: &NewPermit) -> Result<(), DenialReason> {
        let Some(grant) = &parts.grant else {
            return Ok(());
        };
        let stored = self.0.grants.grant(grant.id())?;
        let is_live = stored.is_some_and(|stored| {
            let parents = stored.has_live_parents || grant.parent_grant().is_none();
            parents && !stored.sealed.grant().is_revoked()
        });
        if !is_live {
            return Err(DenialReason::GrantRefused(RevalidationReason::Revoked));
        }
        if self.0.now()? >= grant.expires_at() {
            return Err(DenialReason::GrantRefused(RevalidationReason::Expired));
        }
        Ok(())
    }
}

fn refuse(parts: &NewPermit, reason: DenialReason) -> Denied {
    parts.gate.deny(&parts.facts, reason.refusal_code(), reason)
}

/// Whether the thread holds anything at the working directory.
fn is_cwd_held(parts: &NewPermit, request: &Request<'_>) -> bool {
    let Some(directory) = request.working_directory() else {
        return false;
    };
    let target = Target::Filesystem(FilesystemTarget {
        binding: directory.binding.clone(),
        path: directory.path.clone(),
    });
    Kind::Filesystem.operations().any(|operation| {
        let request = Request::new(target.clone(), operation);
        request.is_ok_and(|request| parts.policy.decide(&request).is_allowed())
    })
}

impl fmt::Debug for Redeemer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("Redeemer")
            .field(&self.0.root.identity().root_run_id().as_str())
            .finish()
    }
}
