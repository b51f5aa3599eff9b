//! Timing on a machine that others use too: many short rounds in which the candidates take turns.
//!
//! What disturbs one candidate of a round disturbs the others alike, so ratios are taken within a
//! round, and their median is reported. The minimum says what the work costs undisturbed.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// One of several ways to do the same work.
pub struct Candidate<'a> {
    batch: Duration,
    steps: usize,
    run: Box<dyn FnMut(usize) -> Duration + 'a>,
    samples: Vec<f64>,
}

impl<'a> Candidate<'a> {
    /// Work that times itself: `run` does this many steps, and says how long they took.
    pub fn timed(run: impl FnMut(usize) -> Duration + 'a) -> Self {
        Candidate {
            batch: BATCH,
            steps: 1,
            run: Box::new(run),
            samples: Vec::new(),
        }
    }

    /// Work whose steps are timed together.
    pub fn new<T>(mut step: impl FnMut() -> T + 'a) -> Self {
        Candidate::timed(move |steps| {
            let start = Instant::now();
            for _ in 0..steps {
                black_box(step());
            }
            start.elapsed()
        })
    }

    /// Work on one item of a list after the other, and again from the start.
    pub fn each<I, T>(items: &'a [I], mut step: impl FnMut(&'a I) -> T + 'a) -> Self {
        let mut next = 0;
        Candidate::timed(move |steps| {
            let start = Instant::now();
            for _ in 0..steps {
                black_box(step(black_box(&items[next])));
                next = if next + 1 == items.len() { 0 } else { next + 1 };
            }
            start.elapsed()
        })
    }

    /// In batches that take about so long, instead of the usual ones.
    pub fn in_batches_of(mut self, batch: Duration) -> Self {
        self.batch = batch;
        self
    }

    /// Finds the number of steps that take about as long as a batch should.
    fn calibrate(&mut self) {
        loop {
            let elapsed = (self.run)(self.steps);
            if elapsed >= self.batch {
                return;
            }
            self.steps *= 2;
        }
    }

    fn sample(&mut self) {
        let elapsed = (self.run)(self.steps);
        self.samples
            .push(elapsed.as_secs_f64() * 1e9 / number(self.steps));
    }
}

/// Long enough for the timer, short enough to take turns before the machine changes its mind.
const BATCH: Duration = Duration::from_micros(100);
const FEWEST_ROUNDS: usize = 9;
const MOST_ROUNDS: usize = 2_000;

/// Measures candidates against each other, for about this long.
pub fn contest<const N: usize>(budget: Duration, candidates: [Candidate<'_>; N]) -> [Figure; N] {
    let mut candidates = candidates;
    for candidate in &mut candidates {
        candidate.calibrate();
    }
    let start = Instant::now();
    let mut round = 0;
    while round < FEWEST_ROUNDS || (start.elapsed() < budget && round < MOST_ROUNDS) {
        for turn in 0..N {
            candidates[(round + turn) % N].sample();
        }
        round += 1;
    }
    candidates.map(|candidate| Figure {
        samples: candidate.samples,
    })
}

/// What a candidate cost a step, in nanoseconds, round by round.
#[derive(Clone)]
pub struct Figure {
    samples: Vec<f64>,
}

impl Figure {
    pub fn median(&self) -> f64 {
        median(self.samples.clone())
    }

    pub fn minimum(&self) -> f64 {
        self.samples.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The cost of so many steps.
    pub fn times(&self, steps: f64) -> Figure {
        let samples = self.samples.iter().map(|sample| sample * steps);
        Figure {
            samples: samples.collect(),
        }
    }

    /// How many times the other one's cost this is: the median over the rounds of both.
    pub fn ratio(&self, other: &Figure) -> f64 {
        let rounds = self.samples.iter().zip(&other.samples);
        median(rounds.map(|(this, other)| this / other).collect())
    }
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    let upper = samples.len() / 2;
    if samples.len() % 2 == 1 {
        samples[upper]
    } else {
        f64::midpoint(samples[upper - 1], samples[upper])
    }
}

/// A count as a number to divide by.
#[allow(clippy::cast_precision_loss)]
pub fn number(count: usize) -> f64 {
    count as f64
}
