//! What a thread and its descendants have in use.
//!
//! A reservation is one pass down the path from the root's account to the thread's: it notes the
//! open turn of each and collects what the amounts count against as claims, on the stack for up to
//! four levels and eight claims. Then [`take_all`] takes every claim or none.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::amounts::Amounts;
use super::counter::{Claim, Counter, Refused, take_all};
use super::rate::Bucket;
use super::{LedgerDenial, LedgerError, Slot};
use crate::clock::Clock;
use crate::id::Id;
use crate::settings::Settings;
use crate::vocabulary::Setting;

/// The account of one thread in one ledger.
pub(crate) struct Account {
    pub(super) thread: Id<'static>,
    settings: Settings,
    /// Those above it, the root's first.
    above: Box<[Arc<Account>]>,
    is_cut_off: AtomicBool,
    /// Whether it or one above it has a rate.
    has_rates: bool,
    requests_a_minute: Option<Bucket>,
    tokens_a_minute: Option<Bucket>,
    turns: Turns,
    session: Session,
    slots: [Counter; Slot::ALL.len()],
}

/// What is in use in the whole session. Threads that charge it at once pass one cache line, and
/// nothing that only is read lies there.
#[derive(Default)]
#[repr(align(64))]
struct Session {
    tokens: Counter,
    cost: Counter,
}

/// The turns that a reservation charged, the root's first.
pub(super) type ChargedTurns = SmallVec<[u32; 4]>;

/// A claim on the counter of a setting of an account.
type Post<'a> = (&'a Account, Setting);

impl Account {
    /// An account below another. A rate that is not narrower than the one above has no bucket of
    /// its own.
    pub(super) fn new(
        thread: Id<'static>,
        settings: Settings,
        parent: Option<&Arc<Account>>,
        clock: &Arc<dyn Clock>,
    ) -> Self {
        let bucket = |setting| {
            let rate = settings.value(setting)?;
            let shared = parent.and_then(|parent| parent.settings.value(setting));
            (shared != Some(rate)).then(|| Bucket::new(Arc::clone(clock)))
        };
        let requests_a_minute = bucket(Setting::RequestsPerMinute);
        let tokens_a_minute = bucket(Setting::TokensPerMinute);
        let above = parent.into_iter().flat_map(|parent| {
            let above = parent.above.iter();
            above.chain([parent]).cloned()
        });
        Account {
            above: above.collect(),
            has_rates: parent.is_some_and(|parent| parent.has_rates)
                || requests_a_minute.is_some()
                || tokens_a_minute.is_some(),
            requests_a_minute,
            tokens_a_minute,
            thread,
            settings,
            turns: Turns::default(),
            session: Session::default(),
            slots: Default::default(),
            is_cut_off: AtomicBool::new(false),
        }
    }

    /// The root's account and so on down to this one.
    fn path(&self) -> impl Iterator<Item = &Account> + Clone {
        self.above.iter().map(|account| &**account).chain([self])
    }

    pub(super) fn begin_turn(&self) -> Result<(), LedgerError> {
        self.turns.begin().ok_or(LedgerError::Unavailable)
    }

    /// Bars the thread, and those below it, from reserving.
    pub(super) fn cut_off(&self) {
        self.is_cut_off.store(true, Release);
    }

    /// Takes the amounts from this account and all above it. Gives the turns that were charged.
    pub(super) fn take(&self, amounts: Amounts) -> Result<ChargedTurns, LedgerDenial> {
        if let Some(account) = self.path().find(|account| account.is_cut_off.load(Acquire)) {
            let thread = account.thread.clone();
            return Err(LedgerDenial::OverUsed { thread });
        }
        let mut turns = ChargedTurns::new();
        let mut claims = SmallVec::<[Claim<'_, Post<'_>>; 8]>::new();
        for account in self.path() {
            let Some((number, turn)) = account.turns.open() else {
                let thread = account.thread.clone();
                return Err(LedgerDenial::NoOpenTurn { thread });
            };
            turns.push(number);
            for (setting, counter) in account.budgets(turn) {
                let amount = amounts.of(setting);
                if amount > 0 {
                    claims.push(account.claim(setting, counter, amount));
                }
            }
            if self.has_rates {
                for (setting, bucket) in account.rates() {
                    let amount = amounts.of(setting);
                    if amount > 0 {
                        bucket.refresh();
                        claims.push(account.claim(setting, &bucket.total, amount));
                    }
                }
            }
        }
        take_all(&claims).map_err(|refused| denial(&refused))?;
        if self.has_rates {
            for (setting, bucket) in self.path().flat_map(Account::rates) {
                let amount = amounts.of(setting);
                if amount > 0 {
                    bucket.note(amount);
                }
            }
        }
        Ok(turns)
    }

    /// Settles what was taken in these turns for what was used. What a rate admitted stays.
    pub(super) fn settle(&self, turns: &ChargedTurns, taken: Amounts, used: Amounts) {
        if used == taken {
            return;
        }
        for (account, turn) in self.path().zip(turns) {
            let Some(turn) = account.turns.get(*turn) else {
                continue;
            };
            for (setting, counter) in account.budgets(turn) {
                let (taken, used) = (taken.of(setting), used.of(setting));
                if used > taken {
                    counter.charge(used - taken);
                } else if used < taken {
                    counter.release(taken - used);
                }
            }
            if self.has_rates {
                for (setting, bucket) in account.rates() {
                    let (taken, used) = (taken.of(setting), used.of(setting));
                    if used > taken {
                        bucket.charge(used - taken);
                    }
                }
            }
        }
    }

    pub(super) fn occupy(&self, slot: Slot) -> Result<(), LedgerDenial> {
        let places = self.path().map(|account| {
            let counter = &account.slots[slot as usize];
            account.claim(slot.setting(), counter, 1)
        });
        take_all(&places.collect::<SmallVec<[_; 8]>>()).map_err(|refused| denial(&refused))
    }

    pub(super) fn vacate(&self, slot: Slot) {
        for account in self.path() {
            account.slots[slot as usize].release(1);
        }
    }

    /// What is in use of a setting, in the open turn for one that is by the turn.
    pub(super) fn in_use(&self, setting: Setting) -> u64 {
        if let Some(slot) = Slot::ALL.into_iter().find(|slot| slot.setting() == setting) {
            return self.slots[slot as usize].in_use();
        }
        if let Some((_, bucket)) = self.rates().find(|(rate, _)| *rate == setting) {
            bucket.refresh();
            return bucket.total.in_use();
        }
        let Some((_, turn)) = self.turns.open() else {
            return 0;
        };
        let mut budgets = self.budgets(turn).into_iter();
        let found = budgets.find(|(budget, _)| *budget == setting);
        found.map_or(0, |(_, counter)| counter.in_use())
    }

    /// The counters of the budgets. What lasts longest comes first, so that a denial names it.
    #[inline]
    fn budgets<'a>(&'a self, turn: &'a Turn) -> [(Setting, &'a Counter); 4] {
        [
            (Setting::TokensPerSession, &self.session.tokens),
            (Setting::CostPerSessionUsd, &self.session.cost),
            (Setting::TokensPerTurn, &turn.tokens),
            (Setting::ToolCallsPerTurn, &turn.tool_calls),
        ]
    }

    /// The buckets of the rates that it does not share with the account above it.
    fn rates(&self) -> impl Iterator<Item = (Setting, &Bucket)> {
        let requests = self.requests_a_minute.as_ref();
        let tokens = self.tokens_a_minute.as_ref();
        let requests = requests.map(|bucket| (Setting::RequestsPerMinute, bucket));
        let tokens = tokens.map(|bucket| (Setting::TokensPerMinute, bucket));
        requests.into_iter().chain(tokens)
    }

    fn bucket(&self, setting: Setting) -> Option<&Bucket> {
        let found = self.rates().find(|(rate, _)| *rate == setting);
        found.map(|(_, bucket)| bucket)
    }

    #[inline]
    fn claim<'a>(
        &'a self,
        setting: Setting,
        counter: &'a Counter,
        amount: u64,
    ) -> Claim<'a, Post<'a>> {
        Claim {
            counter,
            amount,
            ceiling: self.settings.value(setting).unwrap_or(u64::MAX),
            about: (self, setting),
        }
    }
}

#[cold]
fn denial(refused: &Refused<Post<'_>>) -> LedgerDenial {
    let Refused {
        about: (account, setting),
        amount,
        left,
    } = *refused;
    let thread = account.thread.clone();
    let Some(ceiling) = account.settings.value(setting) else {
        return LedgerDenial::Overflow { setting, thread };
    };
    let bucket = account.bucket(setting).filter(|_| amount <= ceiling);
    LedgerDenial::LimitReached {
        setting,
        thread,
        left,
        retry_after: bucket.map(|bucket| bucket.expires_in(amount - left)),
    }
}

/// What is in use in one turn.
#[derive(Default)]
#[repr(align(64))]
struct Turn {
    tokens: Counter,
    tool_calls: Counter,
}

/// The size of the first segment, as a power of two.
const FIRST_SEGMENT: u32 = 2;

/// Every turn of a thread, in segments that double and never move: 64 bytes a turn.
#[derive(Default)]
struct Turns {
    /// The number of turns that were begun; the last one is open.
    begun: AtomicU32,
    segments: [OnceLock<Box<[Turn]>>; (u32::BITS - FIRST_SEGMENT) as usize],
}

impl Turns {
    fn open(&self) -> Option<(u32, &Turn)> {
        let number = self.begun.load(Acquire).checked_sub(1)?;
        Some((number, self.get(number)?))
    }

    /// `None` after 2³¹ turns.
    fn begin(&self) -> Option<()> {
        let mut begun = self.begun.load(Acquire);
        loop {
            let (segment, _) = place(begun)?;
            let size = 1_usize << (FIRST_SEGMENT + u32::try_from(segment).ok()?);
            self.segments[segment].get_or_init(|| (0..size).map(|_| Turn::default()).collect());
            let next = begun + 1;
            let exchange = self.begun.compare_exchange(begun, next, AcqRel, Acquire);
            match exchange {
                Ok(_) => return Some(()),
                Err(now) => begun = now,
            }
        }
    }

    fn get(&self, turn: u32) -> Option<&Turn> {
        let (segment, index) = place(turn)?;
        self.segments[segment].get()?.get(index)
    }
}

/// The segment of a turn, and its index in it.
fn place(turn: u32) -> Option<(usize, usize)> {
    let number = turn.checked_add(1 << FIRST_SEGMENT)?;
    let segment = number.ilog2() - FIRST_SEGMENT;
    let index = number - (1 << (segment + FIRST_SEGMENT));
    (number <= u32::MAX / 2).then_some((segment as usize, index as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_have_places_of_their_own() {
        assert_eq!(place(0), Some((0, 0)));
        assert_eq!(place(3), Some((0, 3)));
        assert_eq!(place(4), Some((1, 0)));
        assert_eq!(place(11), Some((1, 7)));
        assert_eq!(place(12), Some((2, 0)));
        assert_eq!(place(u32::MAX), None);

        let turns = Turns::default();
        assert!(turns.open().is_none());
        for turn in 0..100 {
            assert_eq!(turns.begin(), Some(()));
            let (number, opened) = turns.open().unwrap();
            assert_eq!(number, turn);
            opened.tokens.charge(u64::from(turn) + 1);
        }
        for turn in 0..100 {
            assert_eq!(
                turns.get(turn).unwrap().tokens.in_use(),
                u64::from(turn) + 1
            );
        }
    }
}
