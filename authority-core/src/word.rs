//! The atomic number of the protocols that a model checker runs as they are.

use std::sync::atomic::{AtomicU64, Ordering};

/// An atomic number: the standard one, or one of a model checker.
pub(crate) trait Word {
    fn zero() -> Self;
    fn load(&self) -> u64;
    fn store(&self, value: u64);
    fn exchange(&self, current: u64, new: u64) -> Result<u64, u64>;
    fn add(&self, amount: u64);
    fn subtract(&self, amount: u64);
    fn set_bits(&self, bits: u64);
    /// Lets others go on, after this many tries.
    fn pause(tries: u32);
}

impl Word for AtomicU64 {
    fn zero() -> Self {
        AtomicU64::new(0)
    }

    #[inline]
    fn load(&self) -> u64 {
        self.load(Ordering::Acquire)
    }

    #[inline]
    fn store(&self, value: u64) {
        self.store(value, Ordering::Release);
    }

    #[inline]
    fn exchange(&self, current: u64, new: u64) -> Result<u64, u64> {
        self.compare_exchange_weak(current, new, Ordering::AcqRel, Ordering::Acquire)
    }

    #[inline]
    fn add(&self, amount: u64) {
        self.fetch_add(amount, Ordering::AcqRel);
    }

    #[inline]
    fn subtract(&self, amount: u64) {
        self.fetch_sub(amount, Ordering::AcqRel);
    }

    #[inline]
    fn set_bits(&self, bits: u64) {
        self.fetch_or(bits, Ordering::AcqRel);
    }

    fn pause(tries: u32) {
        if tries < 32 {
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}

#[cfg(test)]
impl Word for loom::sync::atomic::AtomicU64 {
    fn zero() -> Self {
        Self::new(0)
    }

    fn load(&self) -> u64 {
        self.load(Ordering::Acquire)
    }

    fn store(&self, value: u64) {
        self.store(value, Ordering::Release);
    }

    fn exchange(&self, current: u64, new: u64) -> Result<u64, u64> {
        self.compare_exchange(current, new, Ordering::AcqRel, Ordering::Acquire)
    }

    fn add(&self, amount: u64) {
        self.fetch_add(amount, Ordering::AcqRel);
    }

    fn subtract(&self, amount: u64) {
        self.fetch_sub(amount, Ordering::AcqRel);
    }

    fn set_bits(&self, bits: u64) {
        self.fetch_or(bits, Ordering::AcqRel);
    }

    fn pause(_: u32) {
        loom::thread::yield_now();
    }
}
