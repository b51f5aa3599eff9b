//! Who enforces a decision, by strength.

use std::cmp::Ordering;

use crate::vocabulary::Boundary;

impl Boundary {
    const fn strength(self) -> u8 {
        match self {
            Boundary::AdvisoryOrUnobservable => 0,
            Boundary::DelegatedToCliSandbox => 1,
            Boundary::EnforcedByHarness => 2,
        }
    }
}

/// By strength, which is not the order of the vocabulary.
impl Ord for Boundary {
    fn cmp(&self, other: &Self) -> Ordering {
        self.strength().cmp(&other.strength())
    }
}

impl PartialOrd for Boundary {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_is_stronger() {
        let mut all = Boundary::ALL.to_vec();
        all.sort();
        let sorted = [
            Boundary::AdvisoryOrUnobservable,
            Boundary::DelegatedToCliSandbox,
            Boundary::EnforcedByHarness,
        ];
        assert_eq!(all, sorted);
    }
}
