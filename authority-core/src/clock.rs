//! Time, which a host passes in.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
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

/// A clock whose wall time never steps back, and moves on at least as fast as the monotonic one.
///
/// What expires at an instant of its wall time therefore expires when either time says so: when the
/// host's wall time reaches the instant, and, should that be set back, when as much time has gone by.
/// A wall time that once jumped ahead stays ahead for the clock's life: nothing is made valid again.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
/// use authority_core::{Clock, ManualClock, SteadyClock};
///
/// let host = Arc::new(ManualClock::new());
/// let steady = SteadyClock::new(Arc::clone(&host));
/// host.advance(Duration::from_secs(60));
/// assert_eq!(steady.wall_nanoseconds(), 60_000_000_000);
///
/// host.set_wall_nanoseconds(0);
/// host.advance(Duration::from_secs(5));
/// assert_eq!(steady.wall_nanoseconds(), 65_000_000_000);
/// ```
pub struct SteadyClock<C> {
    clock: C,
    latest: Mutex<Seen>,
}

/// The latest of each time.
#[derive(Clone, Copy)]
struct Seen {
    monotonic: Duration,
    wall_nanoseconds: u128,
}

impl<C: Clock> SteadyClock<C> {
    /// The steady form of this clock. Its wall time starts at that of the clock.
    pub fn new(clock: C) -> Self {
        let latest = Seen {
            monotonic: clock.monotonic(),
            wall_nanoseconds: clock.wall_nanoseconds(),
        };
        SteadyClock {
            clock,
            latest: Mutex::new(latest),
        }
    }

    /// Both times, of which neither is earlier than any seen before.
    fn look(&self) -> Seen {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let monotonic = self.clock.monotonic().max(latest.monotonic);
        let elapsed = monotonic.saturating_sub(latest.monotonic).as_nanos();
        let least = latest.wall_nanoseconds.saturating_add(elapsed);
        *latest = Seen {
            monotonic,
            wall_nanoseconds: self.clock.wall_nanoseconds().max(least),
        };
        *latest
    }
}

impl<C: Clock> Clock for SteadyClock<C> {
    fn monotonic(&self) -> Duration {
        self.look().monotonic
    }

    fn wall_nanoseconds(&self) -> u128 {
        self.look().wall_nanoseconds
    }
}

impl<C> fmt::Debug for SteadyClock<C> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SteadyClock")
            .finish_non_exhaustive()
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn either_time_moves_a_steady_clock_on() {
        let host = Arc::new(ManualClock::new());
        host.set_wall_nanoseconds(1_000 * SECOND);
        let steady = SteadyClock::new(Arc::clone(&host));
        let wall = || steady.wall_nanoseconds() / u128::from(SECOND);
        assert_eq!(wall(), 1_000);

        // The wall time is set on, and back again: it goes on from where it was.
        host.set_wall_nanoseconds(1_600 * SECOND);
        assert_eq!(wall(), 1_600);
        host.set_wall_nanoseconds(900 * SECOND);
        assert_eq!(wall(), 1_600);
        host.set_monotonic(Duration::from_secs(30));
        assert_eq!(wall(), 1_630);

        // A monotonic time that steps back adds nothing, and nothing twice.
        host.set_monotonic(Duration::from_secs(10));
        assert_eq!((wall(), steady.monotonic().as_secs()), (1_630, 30));
        host.set_monotonic(Duration::from_secs(31));
        assert_eq!((wall(), steady.monotonic().as_secs()), (1_631, 31));
    }
}
