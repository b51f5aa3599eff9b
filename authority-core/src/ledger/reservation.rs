//! What is held of a ledger.

use std::fmt;
use std::mem;
use std::sync::Arc;

use super::account::{Account, ChargedTurns};
use super::{Amounts, OverUse, Slot};
use crate::id::Id;

/// How a ledger other than [`MemoryLedger`](super::MemoryLedger) settles a reservation. Exactly one
/// of the two is called, once.
pub trait Settlement: Send + Sync {
    /// Charges what was used in place of what was reserved: to the turns that were charged when it
    /// was reserved, and in full, also beyond a ceiling or what was reserved. After over-use, which
    /// is more than was reserved, the thread and those below it reserve no more.
    fn commit(self: Box<Self>, used: Amounts, is_over_use: bool);

    /// Gives back what was reserved, except what a rate admitted. What was used of it is nothing.
    fn release(self: Box<Self>);
}

/// Amounts that a thread holds of its budgets and of those above it, until they are committed or
/// the reservation is dropped. It is neither cloned nor made without a ledger.
#[must_use = "a reservation that is dropped is released"]
pub struct Reservation {
    amounts: Amounts,
    is_started: bool,
    held: Held,
}

enum Held {
    Account(Arc<Account>, ChargedTurns),
    Other(Id<'static>, Box<dyn Settlement>),
    Settled,
}

impl Reservation {
    /// A reservation of a ledger that is not the in-memory one.
    pub fn new(thread: Id<'static>, amounts: Amounts, settlement: Box<dyn Settlement>) -> Self {
        Self::of(amounts, Held::Other(thread, settlement))
    }

    pub(super) fn of_account(
        account: &Arc<Account>,
        amounts: Amounts,
        turns: ChargedTurns,
    ) -> Self {
        let held = Held::Account(Arc::clone(account), turns);
        Self::of(amounts, held)
    }

    fn of(amounts: Amounts, held: Held) -> Self {
        Reservation {
            amounts,
            is_started: false,
            held,
        }
    }

    /// The thread that reserved.
    pub fn thread_id(&self) -> &Id<'static> {
        match &self.held {
            Held::Account(account, _) => &account.thread,
            Held::Other(thread, _) => thread,
            Held::Settled => unreachable!("only `commit` and `drop` settle, and both end it"),
        }
    }

    /// What is reserved.
    pub fn amounts(&self) -> Amounts {
        self.amounts
    }

    /// Says that what it was reserved for starts now. From here on dropping it charges all that was
    /// reserved: what was used is then unknown.
    pub fn start(&mut self) {
        self.is_started = true;
    }

    /// Charges what was used and gives back the rest. Tool calls count as they were reserved, also
    /// when fewer are reported: they were started. What a rate admitted is not given back.
    ///
    /// # Errors
    ///
    /// When more was used than reserved. All of it is charged nevertheless, beyond a ceiling if need
    /// be, and the thread reserves no more, nor does a thread below it.
    pub fn commit(mut self, used: Amounts) -> Result<(), OverUse> {
        let reserved = self.amounts;
        let over_use = used.exceeds(reserved).then(|| OverUse {
            thread: self.thread_id().clone(),
            reserved,
            used,
        });
        self.settle(used, over_use.is_some());
        over_use.map_or(Ok(()), Err)
    }

    fn settle(&mut self, used: Amounts, is_over_use: bool) {
        let calls = used.tool_calls().max(self.amounts.tool_calls());
        let used = used.with_tool_calls(calls);
        match mem::replace(&mut self.held, Held::Settled) {
            Held::Account(account, turns) => {
                if is_over_use {
                    account.cut_off();
                }
                account.settle(&turns, self.amounts, used);
            }
            Held::Other(_, settlement) => settlement.commit(used, is_over_use),
            Held::Settled => {}
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if self.is_started {
            return self.settle(self.amounts, false);
        }
        match mem::replace(&mut self.held, Held::Settled) {
            Held::Account(account, turns) => account.settle(&turns, self.amounts, Amounts::NONE),
            Held::Other(_, settlement) => settlement.release(),
            Held::Settled => {}
        }
    }
}

impl fmt::Debug for Reservation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Reservation")
            .field("thread", &self.thread_id().as_str())
            .field("amounts", &self.amounts)
            .field("is_started", &self.is_started)
            .finish_non_exhaustive()
    }
}

/// A place among those that may be there at once. Dropping it gives the place back.
#[must_use = "a guard that is dropped gives its place back"]
pub struct Guard {
    slot: Slot,
    place: Place,
}

enum Place {
    Account(Arc<Account>),
    /// Kept for what it does when it is dropped.
    Other {
        _dropped: Box<dyn Send + Sync>,
    },
}

impl Guard {
    /// A guard of a ledger that is not the in-memory one: dropping `place` gives the place back.
    pub fn new(slot: Slot, place: Box<dyn Send + Sync>) -> Self {
        let place = Place::Other { _dropped: place };
        Guard { slot, place }
    }

    pub(super) fn of_account(account: &Arc<Account>, slot: Slot) -> Self {
        let place = Place::Account(Arc::clone(account));
        Guard { slot, place }
    }

    /// What it is a place for.
    pub fn slot(&self) -> Slot {
        self.slot
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Place::Account(account) = &self.place {
            account.vacate(self.slot);
        }
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Guard").field(&self.slot).finish()
    }
}
