//! Counters with ceilings, taken from together or not at all, without a lock.
//!
//! A counter holds what was **taken** and how much of it is **firm**. Taking checks the ceiling and
//! adds in one compare-exchange. What was taken from every counter of a request is then made firm;
//! when one of them refuses, what was taken is put back. A refusal is final when the firm part alone
//! leaves no room. Otherwise a rival is halfway: it will make firm or put back, so one tries again.
//!
//! Everyone takes in the same order, the root's counters first. Who is refused because of a rival is
//! behind it in that order, so that the foremost is only ever refused for good: some request always
//! ends.

use std::sync::atomic::AtomicU64;

use crate::word::Word;

/// What is in use of one budget.
pub(super) struct Counter<W = AtomicU64> {
    taken: W,
    /// At most what is taken: it grows after it and shrinks before it.
    firm: W,
    /// Not 0 once over-use went beyond 64 bits: all is in use, for ever.
    is_full: W,
}

/// Why nothing was taken.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Refusal {
    /// No more than this is left.
    Full { left: u64 },
    /// A rival holds it that may yet put it back.
    Rival,
}

impl<W: Word> Default for Counter<W> {
    fn default() -> Self {
        Counter {
            taken: W::zero(),
            firm: W::zero(),
            is_full: W::zero(),
        }
    }
}

impl<W: Word> Counter<W> {
    /// What is in use for certain.
    pub(super) fn in_use(&self) -> u64 {
        if self.is_full.load() == 0 {
            self.firm.load()
        } else {
            u64::MAX
        }
    }

    fn take(&self, amount: u64, ceiling: u64) -> Result<(), Refusal> {
        let mut taken = self.taken.load();
        loop {
            let sum = taken.checked_add(amount);
            let Some(sum) = sum.filter(|sum| *sum <= ceiling && self.is_full.load() == 0) else {
                let left = ceiling.saturating_sub(self.in_use());
                return Err(if left < amount {
                    Refusal::Full { left }
                } else {
                    Refusal::Rival
                });
            };
            match self.taken.exchange(taken, sum) {
                Ok(_) => return Ok(()),
                Err(now) => taken = now,
            }
        }
    }

    fn put_back(&self, amount: u64) {
        self.taken.subtract(amount);
    }

    fn make_firm(&self, amount: u64) {
        self.firm.add(amount);
    }

    /// Gives back a part of what is firm.
    pub(super) fn release(&self, amount: u64) {
        self.firm.subtract(amount);
        self.taken.subtract(amount);
    }

    /// Adds what was used without asking, whatever the ceiling. Says whether it fitted in 64 bits.
    pub(super) fn charge(&self, amount: u64) -> bool {
        let mut taken = self.taken.load();
        loop {
            let Some(sum) = taken.checked_add(amount) else {
                self.is_full.store(1);
                return false;
            };
            match self.taken.exchange(taken, sum) {
                Ok(_) => {
                    self.firm.add(amount);
                    return true;
                }
                Err(now) => taken = now,
            }
        }
    }
}

/// A part of a request.
pub(super) struct Claim<'a, About, W = AtomicU64> {
    pub(super) counter: &'a Counter<W>,
    pub(super) amount: u64,
    pub(super) ceiling: u64,
    pub(super) about: About,
}

/// A claim that was refused for good, and what is left there.
pub(super) struct Refused<About> {
    pub(super) about: About,
    pub(super) amount: u64,
    pub(super) left: u64,
}

/// Takes every claim, or none. The claims of all requests come in one order.
pub(super) fn take_all<About: Copy, W: Word>(
    claims: &[Claim<'_, About, W>],
) -> Result<(), Refused<About>> {
    let mut tries = 0;
    'again: loop {
        for (index, claim) in claims.iter().enumerate() {
            let Err(refusal) = claim.counter.take(claim.amount, claim.ceiling) else {
                continue;
            };
            for taken in &claims[..index] {
                taken.counter.put_back(taken.amount);
            }
            if let Refusal::Full { left } = refusal {
                return Err(Refused {
                    about: claim.about,
                    amount: claim.amount,
                    left,
                });
            }
            tries += 1;
            W::pause(tries);
            continue 'again;
        }
        // Backwards: what was taken last is still in this processor's cache.
        for claim in claims.iter().rev() {
            claim.counter.make_firm(claim.amount);
        }
        return Ok(());
    }
}
