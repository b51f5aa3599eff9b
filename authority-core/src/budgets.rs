//! Budgets, rates and limits: upper bounds on what a thread and all its descendants use.
//!
//! In all of them `None` is unbounded and zero is a real bound. They are ceilings, not fresh
//! balances: a child's use counts against every ancestor's bounds too.

use crate::money::MicroDollars;

/// How much a thread and all its descendants may use.
///
/// ```
/// use authority_core::{MicroDollars, ThreadBudgets};
///
/// const BUDGETS: ThreadBudgets = ThreadBudgets {
///     max_tool_calls_per_turn: Some(20),
///     max_cost_per_session_usd: Some(MicroDollars::new(2_500_000)),
///     ..ThreadBudgets::UNBOUNDED
/// };
/// assert_eq!(BUDGETS.tighter(ThreadBudgets::UNBOUNDED), BUDGETS);
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct ThreadBudgets {
    /// Model tokens in one turn.
    pub max_tokens_per_turn: Option<u64>,
    /// Model tokens in the whole session.
    pub max_tokens_per_session: Option<u64>,
    /// Tool calls started in one turn.
    pub max_tool_calls_per_turn: Option<u32>,
    /// Money spent in the whole session.
    pub max_cost_per_session_usd: Option<MicroDollars>,
    /// Seconds from the thread's start to its deadline.
    pub timeout_seconds: Option<u64>,
    /// How fast it may go.
    pub rate_limit: ThreadRateLimit,
}

/// How fast a thread and all its descendants may go.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct ThreadRateLimit {
    /// Model requests in any 60 seconds.
    pub requests_per_minute: Option<u32>,
    /// Model tokens in any 60 seconds.
    pub tokens_per_minute: Option<u64>,
}

/// How many at once, and how deep.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct ThreadLimits {
    /// Skills active at once.
    pub max_active_skills: Option<u32>,
    /// Tools running at once.
    pub max_concurrent_tools: Option<u32>,
    /// Live descendants at once.
    pub max_agents: Option<u32>,
    /// Length of the agent path below the root.
    pub max_depth: Option<u32>,
}

impl ThreadBudgets {
    /// No bound at all.
    pub const UNBOUNDED: Self = ThreadBudgets {
        max_tokens_per_turn: None,
        max_tokens_per_session: None,
        max_tool_calls_per_turn: None,
        max_cost_per_session_usd: None,
        timeout_seconds: None,
        rate_limit: ThreadRateLimit::UNBOUNDED,
    };

    /// The lower of each bound.
    #[must_use]
    pub fn tighter(self, other: Self) -> Self {
        ThreadBudgets {
            max_tokens_per_turn: lower(self.max_tokens_per_turn, other.max_tokens_per_turn),
            max_tokens_per_session: lower(
                self.max_tokens_per_session,
                other.max_tokens_per_session,
            ),
            max_tool_calls_per_turn: lower(
                self.max_tool_calls_per_turn,
                other.max_tool_calls_per_turn,
            ),
            max_cost_per_session_usd: lower(
                self.max_cost_per_session_usd,
                other.max_cost_per_session_usd,
            ),
            timeout_seconds: lower(self.timeout_seconds, other.timeout_seconds),
            rate_limit: self.rate_limit.tighter(other.rate_limit),
        }
    }
}

impl ThreadRateLimit {
    /// No bound at all.
    pub const UNBOUNDED: Self = ThreadRateLimit {
        requests_per_minute: None,
        tokens_per_minute: None,
    };

    /// The lower of each bound.
    #[must_use]
    pub fn tighter(self, other: Self) -> Self {
        ThreadRateLimit {
            requests_per_minute: lower(self.requests_per_minute, other.requests_per_minute),
            tokens_per_minute: lower(self.tokens_per_minute, other.tokens_per_minute),
        }
    }
}

impl ThreadLimits {
    /// No bound at all.
    pub const UNBOUNDED: Self = ThreadLimits {
        max_active_skills: None,
        max_concurrent_tools: None,
        max_agents: None,
        max_depth: None,
    };

    /// The lower of each bound.
    #[must_use]
    pub fn tighter(self, other: Self) -> Self {
        ThreadLimits {
            max_active_skills: lower(self.max_active_skills, other.max_active_skills),
            max_concurrent_tools: lower(self.max_concurrent_tools, other.max_concurrent_tools),
            max_agents: lower(self.max_agents, other.max_agents),
            max_depth: lower(self.max_depth, other.max_depth),
        }
    }
}

fn lower<T: Ord>(left: Option<T>, right: Option<T>) -> Option<T> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left.min(right)),
        (bound, None) | (None, bound) => bound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_a_bound_and_none_is_not() {
        assert_eq!(lower(Some(0), None), Some(0));
        assert_eq!(lower(None, Some(3)), Some(3));
        assert_eq!(lower(Some(2), Some(3)), Some(2));
        assert_eq!(lower::<u32>(None, None), None);
    }

    #[test]
    fn the_lower_of_each() {
        let left = ThreadBudgets {
            max_tokens_per_turn: Some(1),
            max_tokens_per_session: Some(9),
            max_tool_calls_per_turn: None,
            max_cost_per_session_usd: Some(MicroDollars::new(5)),
            timeout_seconds: Some(0),
            rate_limit: ThreadRateLimit {
                requests_per_minute: Some(7),
                tokens_per_minute: None,
            },
        };
        let right = ThreadBudgets {
            max_tokens_per_turn: Some(2),
            max_tokens_per_session: Some(8),
            max_tool_calls_per_turn: Some(3),
            max_cost_per_session_usd: None,
            timeout_seconds: Some(4),
            rate_limit: ThreadRateLimit {
                requests_per_minute: Some(6),
                tokens_per_minute: Some(1),
            },
        };
        let both = ThreadBudgets {
            max_tokens_per_turn: Some(1),
            max_tokens_per_session: Some(8),
            max_tool_calls_per_turn: Some(3),
            max_cost_per_session_usd: Some(MicroDollars::new(5)),
            timeout_seconds: Some(0),
            rate_limit: ThreadRateLimit {
                requests_per_minute: Some(6),
                tokens_per_minute: Some(1),
            },
        };
        assert_eq!(left.tighter(right), both);
        assert_eq!(right.tighter(left), both);

        let limits = ThreadLimits {
            max_active_skills: Some(0),
            max_concurrent_tools: Some(2),
            max_agents: None,
            max_depth: Some(4),
        };
        let other = ThreadLimits {
            max_active_skills: Some(1),
            max_concurrent_tools: Some(1),
            max_agents: Some(5),
            max_depth: None,
        };
        let both = ThreadLimits {
            max_active_skills: Some(0),
            max_concurrent_tools: Some(1),
            max_agents: Some(5),
            max_depth: Some(4),
        };
        assert_eq!(limits.tighter(other), both);
        assert_eq!(other.tighter(limits), both);
    }
}
