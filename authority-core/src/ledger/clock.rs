//! Time, which a host passes in.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A host's clock. The library reads no other.
pub trait Clock: Send + Sync {
    /// The time since an arbitrary start. It counts the time that the machine was suspended and is
    /// not set by anyone: deadlines and rates are measured by it. Should it step back all the same,
    /// a rate is not refilled.
    fn monotonic(&self) -> Duration;

    /// Nanoseconds since the Unix epoch, for what is written down. It may be set, and jump.
    fn wall_nanoseconds(&self) -> u128;
}

impl<C: Clock + ?Sized> Clock for Arc<C> {
    fn monotonic(&self) -> Duration {
        (**self).monotonic()
    }

    fn wall_nanoseconds(&self) -> u128 {
        (**self).wall_nanoseconds()
    }
}

/// A clock for tests, which stands still until it is set.
///
/// ```
/// use std::time::Duration;
/// use authority_core::{Clock, ManualClock};
///
/// let clock = ManualClock::new();
/// clock.advance(Duration::from_millis(1_500));
/// assert_eq!(clock.monotonic(), Duration::from_millis(1_500));
/// assert_eq!(clock.wall_nanoseconds(), 1_500_000_000);
/// ```
#[derive(Debug, Default)]
pub struct ManualClock {
    monotonic_nanoseconds: AtomicU64,
    wall_nanoseconds: AtomicU64,
}

impl ManualClock {
    /// A clock at zero; its wall time is the Unix epoch.
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves both times on. They stop at 2⁶⁴ - 1 nanoseconds, which is 584 years.
    pub fn advance(&self, by: Duration) {
        for time in [&self.monotonic_nanoseconds, &self.wall_nanoseconds] {
            let add = |now: u64| Some(now.saturating_add(nanoseconds(by)));
            let _ = time.fetch_update(Ordering::AcqRel, Ordering::Acquire, add);
        }
    }

    /// Sets the monotonic time, also back.
    pub fn set_monotonic(&self, to: Duration) {
        self.monotonic_nanoseconds
            .store(nanoseconds(to), Ordering::Release);
    }

    /// Sets the wall time, in nanoseconds since the Unix epoch.
    pub fn set_wall_nanoseconds(&self, to: u64) {
        self.wall_nanoseconds.store(to, Ordering::Release);
    }
}

impl Clock for ManualClock {
    fn monotonic(&self) -> Duration {
        Duration::from_nanos(self.monotonic_nanoseconds.load(Ordering::Acquire))
    }

    fn wall_nanoseconds(&self) -> u128 {
        self.wall_nanoseconds.load(Ordering::Acquire).into()
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
