//! A rate: at most so many in any 60 seconds.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::counter::Counter;
use crate::clock::Clock;

/// Whole seconds that a use counts for, after the second that it falls into.
const WINDOW: u64 = 60;

/// Any 60 seconds touch at most this many whole seconds.
const SLOTS: usize = 61;

/// What was admitted in the last 60 seconds, rounded up to whole ones.
///
/// The total is a counter like any other. A ring beside it says in which second it was admitted, and
/// a second's part leaves the total when it is 61 seconds back. Only then a lock is taken, once a
/// second. Who is late finds his slot in use for a later second, with which his part then leaves:
/// never too early.
pub(super) struct Bucket {
    pub(super) total: Counter,
    clock: Arc<dyn Clock>,
    /// The latest second that was seen; a clock that steps back does not take it back.
    latest: AtomicU64,
    /// The first second whose part is in the total. Changed under the lock.
    first: AtomicU64,
    draining: Mutex<()>,
    ring: [AtomicU64; SLOTS],
}

impl Bucket {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Bucket {
            total: Counter::default(),
            clock,
            latest: AtomicU64::new(0),
            first: AtomicU64::new(0),
            draining: Mutex::new(()),
            ring: [const { AtomicU64::new(0) }; SLOTS],
        }
    }

    /// Takes out of the total what has expired. Says which second it is.
    pub(super) fn refresh(&self) -> u64 {
        let now = self.now().as_secs();
        let first = now.saturating_sub(WINDOW);
        if self.first.load(Ordering::Acquire) < first {
            let guard = self.draining.lock();
            let _guard = guard.unwrap_or_else(PoisonError::into_inner);
            let old = self.first.load(Ordering::Acquire);
            for second in old..first.min(old.saturating_add(SLOTS as u64)) {
                let expired = self.slot(second).swap(0, Ordering::AcqRel);
                self.total.release(expired);
            }
            self.first.fetch_max(first, Ordering::AcqRel);
        }
        now
    }

    /// Notes in which second something was admitted that is in the total: in this one, which is not
    /// before it was.
    pub(super) fn note(&self, amount: u64) {
        self.slot(self.refresh())
            .fetch_add(amount, Ordering::AcqRel);
    }

    /// Adds what was used without asking.
    pub(super) fn charge(&self, amount: u64) {
        if self.total.charge(amount) {
            self.note(amount);
        }
    }

    /// How long until this much of the total has expired, if nothing else is admitted.
    pub(super) fn expires_in(&self, amount: u64) -> Duration {
        let now = self.now();
        let first = self.first.load(Ordering::Acquire);
        let mut expired = 0_u64;
        let last = (first..first.saturating_add(WINDOW)).find(|second| {
            expired = expired.saturating_add(self.slot(*second).load(Ordering::Acquire));
            expired >= amount
        });
        let last = last.unwrap_or_else(|| first.saturating_add(WINDOW));
        Duration::from_secs(last.saturating_add(SLOTS as u64)).saturating_sub(now)
    }

    fn now(&self) -> Duration {
        let now = self.clock.monotonic();
        let seconds = now.as_secs();
        let latest = self.latest.load(Ordering::Acquire);
        if latest > seconds || (latest < seconds && self.advance(seconds) > seconds) {
            return Duration::from_secs(self.latest.load(Ordering::Acquire));
        }
        now
    }

    fn advance(&self, seconds: u64) -> u64 {
        self.latest.fetch_max(seconds, Ordering::AcqRel)
    }

    fn slot(&self, second: u64) -> &AtomicU64 {
        #[allow(clippy::cast_possible_truncation)]
        let index = (second % SLOTS as u64) as usize;
        &self.ring[index]
    }
}
