//! Whether a grant still holds for what is about to run.

use crate::approval::{Grant, Timestamp};
use crate::digest::Digest;
use crate::scope::Scope;
use crate::vocabulary::RevalidationReason;

/// What is about to run, and when. Every part is given: none has a default.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The request's target with its operation.
    pub scope: &'a Scope<'a>,
    /// Digest of the preview of now.
    pub preview_sha256: Digest,
    /// Digest of what the bindings stand for now.
    pub bindings_sha256: Digest,
    /// Now, by a clock that never steps back.
    pub now: Timestamp,
    /// Whether it is a hop of a redirect.
    pub redirected: bool,
    /// Whether it is a retry.
    pub retry: bool,
    /// For a grant with a parent: whether all above it are there and not revoked.
    pub has_live_parents: bool,
}

/// Why nothing can be said of a grant, which then does not hold.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum RevalidateError {
    /// The clock is before the grant's creation.
    #[error("the clock is before the creation of the grant")]
    ClockBeforeCreation,
}

impl Grant {
    /// Every reason why this grant does not hold for what is about to run, in the order `revoked`,
    /// `expired`, `stale_preview`, `target_changed`, `redirect`, `retry`. It holds when there is none.
    ///
    /// # Errors
    ///
    /// When the clock is before the grant's creation.
    pub fn revalidate(
        &self,
        context: &Context<'_>,
    ) -> Result<Vec<RevalidationReason>, RevalidateError> {
        if context.now < self.created_at() {
            return Err(RevalidateError::ClockBeforeCreation);
        }
        let is_orphan = self.parent_grant().is_some() && !context.has_live_parents;
        let is_same_target =
            self.scope() == context.scope && self.bindings_sha256() == context.bindings_sha256;
        let reasons = [
            (RevalidationReason::Revoked, self.is_revoked() || is_orphan),
            (
                RevalidationReason::Expired,
                context.now >= self.expires_at(),
            ),
            (
                RevalidationReason::StalePreview,
                self.preview_sha256() != context.preview_sha256,
            ),
            (RevalidationReason::TargetChanged, !is_same_target),
            (RevalidationReason::Redirect, context.redirected),
            (RevalidationReason::Retry, context.retry),
        ];
        let applies = reasons.into_iter().filter(|(_, applies)| *applies);
        Ok(applies.map(|(reason, _)| reason).collect())
    }
}
