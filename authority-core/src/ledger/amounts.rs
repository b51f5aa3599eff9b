//! What one step uses.

use crate::money::MicroDollars;
use crate::vocabulary::Setting;

/// What one step uses, or asks for: model tokens, tool calls, money and model requests.
///
/// ```
/// use authority_core::Amounts;
///
/// let amounts = Amounts::tool_call().with_tokens(1_200);
/// assert_eq!((amounts.tool_calls(), amounts.tokens()), (1, 1_200));
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct Amounts {
    tokens: u64,
    tool_calls: u32,
    cost: MicroDollars,
    requests: u32,
}

impl Amounts {
    /// Nothing.
    pub const NONE: Amounts = Amounts {
        tokens: 0,
        tool_calls: 0,
        cost: MicroDollars::new(0),
        requests: 0,
    };

    /// One tool call.
    pub const fn tool_call() -> Self {
        Self::NONE.with_tool_calls(1)
    }

    /// One model request.
    pub const fn request() -> Self {
        Self::NONE.with_requests(1)
    }

    /// The same with this many model tokens.
    #[must_use]
    pub const fn with_tokens(mut self, tokens: u64) -> Self {
        self.tokens = tokens;
        self
    }

    /// The same with this many tool calls.
    #[must_use]
    pub const fn with_tool_calls(mut self, tool_calls: u32) -> Self {
        self.tool_calls = tool_calls;
        self
    }

    /// The same at this cost.
    #[must_use]
    pub const fn with_cost(mut self, cost: MicroDollars) -> Self {
        self.cost = cost;
        self
    }

    /// The same with this many model requests.
    #[must_use]
    pub const fn with_requests(mut self, requests: u32) -> Self {
        self.requests = requests;
        self
    }

    /// Model tokens.
    pub const fn tokens(self) -> u64 {
        self.tokens
    }

    /// Tool calls.
    pub const fn tool_calls(self) -> u32 {
        self.tool_calls
    }

    /// Money.
    pub const fn cost(self) -> MicroDollars {
        self.cost
    }

    /// Model requests.
    pub const fn requests(self) -> u32 {
        self.requests
    }

    /// The sum; `None` when one of the four does not fit its range.
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        let cost = self.cost.micros().checked_add(other.cost.micros())?;
        Some(Amounts {
            tokens: self.tokens.checked_add(other.tokens)?,
            tool_calls: self.tool_calls.checked_add(other.tool_calls)?,
            cost: MicroDollars::new(cost),
            requests: self.requests.checked_add(other.requests)?,
        })
    }

    /// Whether one of the four is more than the other's.
    pub(super) fn exceeds(self, other: Self) -> bool {
        self.tokens > other.tokens
            || self.tool_calls > other.tool_calls
            || self.cost > other.cost
            || self.requests > other.requests
    }

    /// How much of it counts against a setting; money in micro-dollars.
    pub(super) fn of(self, setting: Setting) -> u64 {
        match setting {
            Setting::TokensPerTurn | Setting::TokensPerSession | Setting::TokensPerMinute => {
                self.tokens
            }
            Setting::ToolCallsPerTurn => self.tool_calls.into(),
            Setting::CostPerSessionUsd => self.cost.micros(),
            Setting::RequestsPerMinute => self.requests.into(),
            Setting::TimeoutSeconds
            | Setting::ActiveSkills
            | Setting::ConcurrentTools
            | Setting::Agents
            | Setting::Depth => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_checked() {
        let most = Amounts::NONE
            .with_tokens(u64::MAX)
            .with_tool_calls(u32::MAX)
            .with_cost(MicroDollars::new(u64::MAX))
            .with_requests(u32::MAX);
        assert_eq!(most.checked_add(Amounts::NONE), Some(most));
        for one in [
            Amounts::NONE.with_tokens(1),
            Amounts::tool_call(),
            Amounts::NONE.with_cost(MicroDollars::new(1)),
            Amounts::request(),
        ] {
            assert_eq!(most.checked_add(one), None);
            assert!(one.exceeds(Amounts::NONE));
            assert!(!one.exceeds(one));
        }
        assert_eq!(
            Amounts::tool_call().checked_add(Amounts::request().with_tokens(2)),
            Some(Amounts::tool_call().with_requests(1).with_tokens(2))
        );
    }
}
