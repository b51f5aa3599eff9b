//! What the machine itself costs: the limits to read the other figures by.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::measure::{Candidate, contest};
use crate::report::{Goal, Report};
use crate::work::Random;

pub fn measure(report: &mut Report) {
    let (mut near, mut far) = (Lines::new(1 << 14), Lines::new(1 << 27));
    let counter = AtomicU64::new(0);
    let [near, far, block, add] = contest(
        Duration::from_secs(2),
        [
            Candidate::new(|| near.next()),
            Candidate::new(|| far.next()),
            // With its padding it is one block.
            Candidate::new(|| Sha256::digest([0x61; 55])),
            Candidate::new(|| counter.fetch_add(1, Ordering::AcqRel)),
        ],
    );
    for (work, figure) in [
        ("a dependent read of a cache line, of 16 KB", near),
        ("a dependent read of a cache line, of 128 MB", far),
        ("a block of SHA-256", block),
        ("an atomic addition, without a rival", add),
    ] {
        report.alone("limit of the machine", work, &figure, Goal::None);
    }
}

/// Cache lines that lead from one to the next, in random order, through all of them.
struct Lines {
    next: Vec<[u32; 16]>,
    at: u32,
}

impl Lines {
    fn new(bytes: usize) -> Self {
        let count = u32::try_from(bytes / 64).expect("few lines");
        let mut order: Vec<u32> = (0..count).collect();
        let mut random = Random(5);
        for last in (1..order.len()).rev() {
            order.swap(last, random.below(last + 1));
        }
        let mut next = vec![[0; 16]; order.len()];
        for (index, line) in order.iter().enumerate() {
            next[*line as usize][0] = order[(index + 1) % order.len()];
        }
        Lines { next, at: order[0] }
    }

    fn next(&mut self) -> u32 {
        self.at = self.next[self.at as usize][0];
        self.at
    }
}
