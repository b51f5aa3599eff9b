//! A count on the terminal while something takes longer than a second.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Counts steps, and shows the count on a terminal once a second has passed.
#[derive(Debug)]
pub(crate) struct Progress {
    count: usize,
    next: Instant,
    is_shown: bool,
}

const FIRST: Duration = Duration::from_secs(1);
const AGAIN: Duration = Duration::from_millis(200);

impl Default for Progress {
    fn default() -> Self {
        Progress {
            count: 0,
            next: Instant::now() + FIRST,
            is_shown: false,
        }
    }
}

impl Progress {
    /// Counts one.
    pub(crate) fn tick(&mut self, what: &str) {
        self.count += 1;
        let now = Instant::now();
        if now < self.next || !std::io::stderr().is_terminal() {
            return;
        }
        self.next = now + AGAIN;
        self.is_shown = true;
        let mut stderr = std::io::stderr().lock();
        let _ = write!(stderr, "\r\x1b[K{} {what}", self.count);
        let _ = stderr.flush();
    }
}

/// Clears the line.
impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_shown {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
