//! The time of the machine.

#[cfg(not(any(target_os = "linux", target_os = "android")))]
use std::sync::LazyLock;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
use std::time::Instant;
use std::time::{Duration, SystemTime};

use authority_core::Clock;

/// The clock of the machine.
///
/// All of a process are one and the same clock: times of two of them can be compared.
///
/// # Suspend
///
/// On Linux and Android the monotonic time is `CLOCK_BOOTTIME`, which counts the time that the
/// machine was suspended. On every other system it is [`std::time::Instant`], which need not: on
/// macOS, for one, it stands still while the machine sleeps. What ends at a monotonic time then ends
/// later, by as long as the machine slept. A grant does not, since it also expires by the wall time.
///
/// # Wall time
///
/// It is [`SystemTime`]: whoever may set the machine's time may set it, also back. What must not go
/// back with it takes a [`SteadyClock`](crate::SteadyClock) of this one. A machine whose time is
/// before 1970 has no wall time: it is given as 2¹²⁸ - 1, at which nothing is valid.
///
/// ```
/// use authority::{Clock, SystemClock, Timestamp};
///
/// let clock = SystemClock::new();
/// let deadline = clock.monotonic() + std::time::Duration::from_secs(30);
/// assert!(clock.monotonic() < deadline);
/// println!("{}", Timestamp::now(&clock)?);
/// # Ok::<(), authority::TimestampError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock(());

impl SystemClock {
    /// The clock of the machine.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Clock for SystemClock {
    fn monotonic(&self) -> Duration {
        monotonic()
    }

    fn wall_nanoseconds(&self) -> u128 {
        wall_nanoseconds(SystemTime::now())
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn monotonic() -> Duration {
    let since_boot = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    // The kernel gives none before the boot. At the end of time every deadline has passed.
    Duration::try_from(since_boot).unwrap_or(Duration::MAX)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn monotonic() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

fn wall_nanoseconds(now: SystemTime) -> u128 {
    now.duration_since(SystemTime::UNIX_EPOCH)
        .map_or(u128::MAX, |since| since.as_nanos())
}

#[cfg(test)]
mod tests {
    use std::thread;

    use authority_core::Timestamp;

    use super::*;

    #[test]
    fn monotonic_time_moves_on_and_is_the_same_for_all() {
        let before = SystemClock::new().monotonic();
        thread::sleep(Duration::from_millis(20));
        let after = SystemClock::new().monotonic();
        assert!(after >= before + Duration::from_millis(20));
        let elsewhere = thread::spawn(|| SystemClock::new().monotonic());
        let elsewhere = elsewhere.join().expect("the thread ends");
        assert!(after <= elsewhere && elsewhere <= SystemClock::new().monotonic());
    }

    /// The boot is the start that says that suspend counts: `CLOCK_MONOTONIC` lacks it.
    #[cfg(target_os = "linux")]
    #[test]
    fn monotonic_time_counts_suspend() {
        use rustix::time::{ClockId, clock_gettime};

        let boottime =
            || Duration::try_from(clock_gettime(ClockId::Boottime)).expect("not negative");
        let before = boottime();
        let monotonic = SystemClock::new().monotonic();
        assert!(before <= monotonic && monotonic <= boottime());
    }

    #[test]
    fn wall_time_is_that_of_the_system() {
        let system = || {
            let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            since.expect("it is after 1970").as_nanos()
        };
        let before = system();
        let wall = SystemClock::new().wall_nanoseconds();
        assert!(before <= wall && wall <= system());
        assert!(Timestamp::now(&SystemClock::new()).is_ok());
    }

    #[test]
    fn a_time_before_the_epoch_is_none() {
        let epoch = SystemTime::UNIX_EPOCH;
        let second = Duration::from_secs(1);
        assert_eq!(wall_nanoseconds(epoch), 0);
        assert_eq!(wall_nanoseconds(epoch + second), 1_000_000_000);
        assert_eq!(wall_nanoseconds(epoch - second), u128::MAX);
    }
}
