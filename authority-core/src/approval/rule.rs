//! What a rule says, by strictness.

use std::cmp::Ordering;

use crate::vocabulary::RuleDecision;

impl RuleDecision {
    const fn strictness(self) -> u8 {
        match self {
            RuleDecision::Allow => 0,
            RuleDecision::Ask => 1,
            RuleDecision::Deny => 2,
        }
    }
}

/// By strictness, which is not the order of the vocabulary: of several rules the greatest counts.
impl Ord for RuleDecision {
    fn cmp(&self, other: &Self) -> Ordering {
        self.strictness().cmp(&other.strictness())
    }
}

impl PartialOrd for RuleDecision {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_is_the_strictest() {
        let mut all = RuleDecision::ALL.to_vec();
        all.sort();
        assert_eq!(
            all,
            [RuleDecision::Allow, RuleDecision::Ask, RuleDecision::Deny]
        );
    }
}
