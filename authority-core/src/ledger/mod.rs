//! Budgets and rates as they are used: reserved, then committed or released.

mod account;
mod amounts;
#[cfg(any(test, feature = "conformance"))]
pub(crate) mod conformance;
mod counter;
mod memory;
#[cfg(test)]
mod model;
mod rate;
mod reservation;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use amounts::Amounts;
pub(crate) use memory::FirstAccount;
pub use memory::MemoryLedger;
pub use reservation::{Guard, Reservation, Settlement};

use crate::id::Id;
use crate::policy::ThreadPolicy;
use crate::vocabulary::Setting;

/// What counts the use of a tree of threads against its budgets, rates and limits.
///
/// All use of a thread is charged to it and to every thread above it, up to the root, in one step:
/// each ceiling holds, or nothing is charged. A ledger never admits more than a ceiling, and admits
/// what fits when no rival has it. An implementation passes the suite
/// `authority_core::conformance::ledger` (feature `conformance`).
pub trait Ledger: Send + Sync {
    /// Opens a turn of the thread, and ends the one before. What is reserved from now on counts
    /// against the new turn's ceilings; what was reserved before stays charged to the old turn.
    ///
    /// # Errors
    ///
    /// `ForeignPolicy` for a thread of another root, `Closed` for one that is not
    /// [open](ThreadPolicy::is_open), `Unavailable`.
    fn begin_turn(&self, thread: &ThreadPolicy) -> Result<(), LedgerError>;

    /// Holds the amounts, all of them or none, for the thread and every thread above it, in their
    /// open turns. For a thread that is not [open](ThreadPolicy::is_open) it holds nothing; what was
    /// reserved before is settled as ever.
    ///
    /// # Errors
    ///
    /// The denial says which ceiling was hit, and whose.
    fn reserve(&self, thread: &ThreadPolicy, amounts: Amounts)
    -> Result<Reservation, LedgerDenial>;

    /// Takes a place among the tools, skills or agents that may be there at once below the thread
    /// and every thread above it. For an agent it is the parent that acquires.
    ///
    /// # Errors
    ///
    /// The denial says which limit was hit, and whose.
    fn acquire(&self, thread: &ThreadPolicy, slot: Slot) -> Result<Guard, LedgerDenial>;
}

/// What there may be only so many of at once.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Slot {
    /// A running tool: `max_concurrent_tools`.
    Tool,
    /// An active skill: `max_active_skills`.
    Skill,
    /// A live descendant: `max_agents`.
    Agent,
}

impl Slot {
    /// Every slot.
    pub const ALL: [Slot; 3] = [Slot::Tool, Slot::Skill, Slot::Agent];

    /// The limit on it.
    pub const fn setting(self) -> Setting {
        match self {
            Slot::Tool => Setting::ConcurrentTools,
            Slot::Skill => Setting::ActiveSkills,
            Slot::Agent => Setting::Agents,
        }
    }
}

/// Why a ledger holds nothing.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum LedgerDenial {
    /// More than what is left below a ceiling.
    #[error(
        "the ceiling `{}` of the thread `{}` leaves {left}{}",
        setting.name(), thread.as_str(), retry(*retry_after)
    )]
    LimitReached {
        /// The ceiling.
        setting: Setting,
        /// Whose ceiling it is: the thread itself or one above it.
        thread: Id<'static>,
        /// What is left below it; money in micro-dollars.
        left: u64,
        /// For a rate, how long until the same amounts fit if nothing else is used. `None` is never,
        /// because they are more than the rate, and for every ceiling that is no rate.
        retry_after: Option<Duration>,
    },
    /// A sum that does not fit in 64 bits, where there is no ceiling.
    #[error("the sum for `{}` of the thread `{}` overflows", setting.name(), thread.as_str())]
    Overflow {
        /// What was summed.
        setting: Setting,
        /// Whose sum it is.
        thread: Id<'static>,
    },
    /// The thread, or one above it, has no open turn.
    #[error("the thread `{}` has no open turn", thread.as_str())]
    NoOpenTurn {
        /// The thread without one.
        thread: Id<'static>,
    },
    /// The thread, or one above it, used more than it had reserved.
    #[error("the thread `{}` used more than it had reserved", thread.as_str())]
    OverUsed {
        /// The thread that did.
        thread: Id<'static>,
    },
    /// The thread is of a root that this ledger does not serve.
    #[error("the thread is of a root that this ledger does not serve")]
    ForeignPolicy,
    /// The thread, or one above it, is closed.
    #[error("the thread, or one above it, is closed")]
    Closed,
    /// The ledger cannot answer.
    #[error("the ledger cannot answer")]
    Unavailable,
}

impl LedgerDenial {
    /// The reason's name.
    pub const fn name(&self) -> &'static str {
        match self {
            LedgerDenial::LimitReached { .. } => "limit_reached",
            LedgerDenial::Overflow { .. } => "sum_overflows",
            LedgerDenial::NoOpenTurn { .. } => "no_open_turn",
            LedgerDenial::OverUsed { .. } => "over_used",
            LedgerDenial::ForeignPolicy => "foreign_policy",
            LedgerDenial::Closed => "policy_closed",
            LedgerDenial::Unavailable => "ledger_unavailable",
        }
    }
}

fn retry(after: Option<Duration>) -> String {
    after.map_or_else(String::new, |after| {
        format!("; try again in {} s", after.as_secs_f64().ceil())
    })
}

/// Why a ledger does not open a turn or serve a root.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum LedgerError {
    /// The thread is of a root that this ledger does not serve.
    #[error("the thread is of a root that this ledger does not serve")]
    ForeignPolicy,
    /// A live root with the same owner, workspace and run is served already.
    #[error("a live root with the same owner, workspace and run is served already")]
    RootInUse,
    /// The thread, or one above it, is closed.
    #[error("the thread, or one above it, is closed")]
    Closed,
    /// The ledger cannot answer.
    #[error("the ledger cannot answer")]
    Unavailable,
}

/// A thread used more than it had reserved. All of it was charged.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the thread `{}` used more than it had reserved", thread.as_str())]
pub struct OverUse {
    /// The thread.
    pub thread: Id<'static>,
    /// What it had reserved.
    pub reserved: Amounts,
    /// What it used.
    pub used: Amounts,
}
