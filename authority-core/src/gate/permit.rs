//! Permits.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::approval::{Grant, Preview};
use crate::clock::Clock as _;
use crate::gate::Inner;
use crate::gate::facts::Facts;
use crate::id::Id;
use crate::ledger::Reservation;
use crate::policy::ThreadPolicy;
use crate::vocabulary::OutcomeCode;

/// What an executor takes by value, and the only thing it accepts: one run of exactly what was
/// decided, within a short time, in this process.
///
/// Only a gate makes it. It is no value that can be copied, written down or made again:
///
/// ```compile_fail,E0277
/// fn copy(permit: &authority_core::Permit) -> impl Sized + use<> {
///     fn clone<T: Clone>(value: &T) -> T { value.clone() }
///     clone(permit)
/// }
/// ```
///
/// ```compile_fail,E0277
/// fn written_down(permit: &authority_core::Permit) -> impl serde::Serialize {
///     permit
/// }
/// ```
///
/// ```compile_fail,E0382
/// use authority_core::{Capabilities, Effect, Permit, Redeemer, Request};
///
/// fn twice(redeemer: &Redeemer, permit: Permit, request: &Request, effect: &Effect, own: Capabilities) {
///     let _first = redeemer.redeem(permit, request, effect, own);
///     let _second = redeemer.redeem(permit, request, effect, own);
/// }
/// ```
///
/// Once, it compiles:
///
/// ```
/// use authority_core::{Capabilities, Effect, Permit, Redeemer, Request};
///
/// fn once(redeemer: &Redeemer, permit: Permit, request: &Request, effect: &Effect, own: Capabilities) {
///     let _running = redeemer.redeem(permit, request, effect, own);
/// }
/// ```
#[must_use = "a permit that is dropped is cancelled"]
pub struct Permit(Option<Box<NewPermit>>);

pub(super) struct NewPermit {
    pub(super) gate: Arc<Inner>,
    pub(super) policy: ThreadPolicy,
    pub(super) facts: Facts,
    pub(super) preview: Preview,
    pub(super) grant: Option<Grant>,
    pub(super) reservation: Reservation,
    /// By the monotonic clock.
    pub(super) expires_at: Duration,
}

impl Permit {
    pub(super) fn new(parts: NewPermit) -> Self {
        Permit(Some(Box::new(parts)))
    }

    /// The parts, for good: nothing is recorded when the permit is dropped now.
    pub(super) fn into_parts(mut self) -> Option<Box<NewPermit>> {
        self.0.take()
    }

    /// The id that all records of this operation have.
    pub fn operation_id(&self) -> Option<&Id<'static>> {
        self.0.as_ref()?.facts.operation_id.as_ref()
    }
}

impl NewPermit {
    pub(super) fn is_expired(&self) -> bool {
        self.gate.clock.monotonic() >= self.expires_at
    }
}

/// A permit that nobody redeems releases what it reserved, and leaves a record.
impl Drop for Permit {
    fn drop(&mut self) {
        let Some(parts) = self.0.take() else { return };
        let code = if parts.is_expired() {
            OutcomeCode::Expired
        } else {
            OutcomeCode::Cancelled
        };
        if let Ok(now) = parts.gate.now() {
            let record = parts.facts.record(code, now);
            // Nothing ran: what can not be recorded here is only that nothing did.
            let _ = parts.gate.append(&record);
        }
    }
}

/// Ids and digests only.
impl fmt::Debug for Permit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.0.as_ref();
        formatter
            .debug_struct("Permit")
            .field("operation_id", &self.operation_id().map(Id::as_str))
            .field("preview_sha256", &parts.map(|parts| parts.preview.sha256()))
            .finish_non_exhaustive()
    }
}
