//! Budgets, rates and limits by name.

use crate::budgets::{ThreadBudgets, ThreadLimits};
use crate::money::MicroDollars;
use crate::vocabulary::Setting;

/// The numbers that a declaration sets. `None` is unbounded, and zero is a real bound.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Settings {
    /// Budgets and rates.
    pub budgets: ThreadBudgets,
    /// Limits.
    pub limits: ThreadLimits,
}

impl Settings {
    /// No bound at all.
    pub const UNBOUNDED: Settings = Settings {
        budgets: ThreadBudgets::UNBOUNDED,
        limits: ThreadLimits::UNBOUNDED,
    };

    /// The value of one setting; money in micro-dollars.
    pub fn value(&self, setting: Setting) -> Option<u64> {
        match setting {
            Setting::TokensPerTurn => self.budgets.max_tokens_per_turn,
            Setting::TokensPerSession => self.budgets.max_tokens_per_session,
            Setting::ToolCallsPerTurn => self.budgets.max_tool_calls_per_turn.map(u64::from),
            Setting::CostPerSessionUsd => self
                .budgets
                .max_cost_per_session_usd
                .map(MicroDollars::micros),
            Setting::TimeoutSeconds => self.budgets.timeout_seconds,
            Setting::RequestsPerMinute => {
                self.budgets.rate_limit.requests_per_minute.map(u64::from)
            }
            Setting::TokensPerMinute => self.budgets.rate_limit.tokens_per_minute,
            Setting::ActiveSkills => self.limits.max_active_skills.map(u64::from),
            Setting::ConcurrentTools => self.limits.max_concurrent_tools.map(u64::from),
            Setting::Agents => self.limits.max_agents.map(u64::from),
            Setting::Depth => self.limits.max_depth.map(u64::from),
        }
    }

    /// The same numbers with this one set; money in micro-dollars. A number beyond the setting's
    /// range is its largest.
    #[must_use]
    pub const fn with(mut self, setting: Setting, value: u64) -> Self {
        #[allow(clippy::cast_possible_truncation)]
        let small = Some(if value > u32::MAX as u64 {
            u32::MAX
        } else {
            value as u32
        });
        let large = Some(value);
        match setting {
            Setting::TokensPerTurn => self.budgets.max_tokens_per_turn = large,
            Setting::TokensPerSession => self.budgets.max_tokens_per_session = large,
            Setting::ToolCallsPerTurn => self.budgets.max_tool_calls_per_turn = small,
            Setting::CostPerSessionUsd => {
                self.budgets.max_cost_per_session_usd = Some(MicroDollars::new(value));
            }
            Setting::TimeoutSeconds => self.budgets.timeout_seconds = large,
            Setting::RequestsPerMinute => self.budgets.rate_limit.requests_per_minute = small,
            Setting::TokensPerMinute => self.budgets.rate_limit.tokens_per_minute = large,
            Setting::ActiveSkills => self.limits.max_active_skills = small,
            Setting::ConcurrentTools => self.limits.max_concurrent_tools = small,
            Setting::Agents => self.limits.max_agents = small,
            Setting::Depth => self.limits.max_depth = small,
        }
        self
    }

    /// Setting by setting the lower one.
    #[must_use]
    pub fn tighter(&self, other: &Settings) -> Settings {
        Settings {
            budgets: self.budgets.tighter(other.budgets),
            limits: self.limits.tighter(other.limits),
        }
    }
}
