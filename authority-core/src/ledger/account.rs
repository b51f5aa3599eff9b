//! What a thread and its descendants have in use.

use std::cmp::Ordering;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, OnceLock};

use super::amounts::Amounts;
use super::clock::Clock;
use super::counter::{Claim, Counter, Refused, take_all};
use super::rate::Bucket;
use super::{LedgerDenial, LedgerError, Slot};
use crate::id::Id;
use crate::settings::Settings;
use crate::vocabulary::Setting;

/// The account of one thread in one ledger.
pub(crate) struct Account {
    pub(super) thread: Id<'static>,
    settings: Settings,
    /// Those above it, the root's first.
    above: Box<[Arc<Account>]>,
    turns: Turns,
    tokens: Counter,
    cost: Counter,
    requests_a_minute: Option<Bucket>,
    tokens_a_minute: Option<Bucket>,
    slots: [Counter; Slot::ALL.len()],
    is_cut_off: AtomicBool,
    /// Whether it or one above it has a rate.
    has_rates: bool,
}

/// What a reservation counts against. What lasts longest comes first, so that a denial names it.
const COUNTED: [Setting; 6] = [
    Setting::TokensPerSession,
    Setting::CostPerSessionUsd,
    Setting::TokensPerTurn,
    Setting::ToolCallsPerTurn,
    Setting::RequestsPerMinute,
    Setting::TokensPerMinute,
];

/// A counter of an account, and what counts against it.
#[derive(Clone, Copy)]
pub(super) struct Post<'a> {
    account: &'a Account,
    setting: Setting,
    counter: &'a Counter,
    bucket: Option<&'a Bucket>,
}

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
            tokens: Counter::default(),
            cost: Counter::default(),
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

    /// Takes the amounts from this account and all above it. Gives the turns that were charged, in
    /// the order of the path.
    pub(super) fn take(&self, amounts: Amounts) -> Result<ChargedTurns, LedgerDenial> {
        if let Some(account) = self.path().find(|account| account.is_cut_off.load(Acquire)) {
            let thread = account.thread.clone();
            return Err(LedgerDenial::OverUsed { thread });
        }
        let mut turns = ChargedTurns::default();
        for account in self.path() {
            turns.push(account.turns.open().ok_or_else(|| {
                let thread = account.thread.clone();
                LedgerDenial::NoOpenTurn { thread }
            })?);
        }
        self.take_in(&turns, amounts)?;
        Ok(turns)
    }

    fn take_in(&self, turns: &ChargedTurns, amounts: Amounts) -> Result<(), LedgerDenial> {
        let posts = self.posts(turns, move |setting| amounts.of(setting) > 0);
        let rates = posts
            .clone()
            .filter_map(|post| Some((post.bucket?, amounts.of(post.setting))));
        if self.has_rates {
            rates.clone().for_each(|(bucket, _)| {
                bucket.refresh();
            });
        }
        take_all(posts.map(|post| post.claim(amounts))).map_err(|refused| denial(&refused))?;
        if self.has_rates {
            rates.for_each(|(bucket, amount)| bucket.note(amount));
        }
        Ok(())
    }

    /// Settles what was taken in these turns for what was used. What a rate admitted stays.
    pub(super) fn settle(&self, turns: &ChargedTurns, taken: Amounts, used: Amounts) {
        if used == taken {
            return;
        }
        for post in self.posts(turns, move |setting| taken.of(setting) != used.of(setting)) {
            let (taken, used) = (taken.of(post.setting), used.of(post.setting));
            match (post.bucket, used.cmp(&taken)) {
                (_, Ordering::Equal) | (Some(_), Ordering::Less) => {}
                (Some(bucket), Ordering::Greater) => bucket.charge(used - taken),
                (None, Ordering::Greater) => {
                    post.counter.charge(used - taken);
                }
                (None, Ordering::Less) => post.counter.release(taken - used),
            }
        }
    }

    pub(super) fn occupy(&self, slot: Slot) -> Result<(), LedgerDenial> {
        let claims = self.path().map(|account| {
            let counter = &account.slots[slot as usize];
            account.plain(slot.setting(), counter).claim_of(1)
        });
        take_all(claims).map_err(|refused| denial(&refused))
    }

    pub(super) fn vacate(&self, slot: Slot) {
        for account in self.path() {
            account.slots[slot as usize].release(1);
        }
    }

    /// What is in use of a setting, in the open turn for one that is by the turn.
    pub(super) fn in_use(&self, setting: Setting) -> u64 {
        let slot = Slot::ALL.into_iter().find(|slot| slot.setting() == setting);
        if let Some(slot) = slot {
            return self.slots[slot as usize].in_use();
        }
        let Some(turn) = self.turns.open() else {
            return 0;
        };
        let post = self.post(setting, turn);
        post.map_or(0, |post| {
            post.bucket.map(Bucket::refresh);
            post.counter.in_use()
        })
    }

    /// The counters of the path that are asked for, always in the same order.
    fn posts<'a>(
        &'a self,
        turns: &'a ChargedTurns,
        is_wanted: impl Fn(Setting) -> bool + Copy + 'a,
    ) -> impl Iterator<Item = Post<'a>> + Clone {
        let path = self.path().zip(turns.iter());
        path.flat_map(move |(account, turn)| {
            let wanted = COUNTED.iter().filter(move |setting| is_wanted(**setting));
            wanted.filter_map(move |setting| account.post(*setting, turn))
        })
    }

    /// The counter of one of the [`COUNTED`] settings. A rate that is shared has none here.
    fn post(&self, setting: Setting, turn: u32) -> Option<Post<'_>> {
        let bucket = match setting {
            Setting::TokensPerSession => return Some(self.plain(setting, &self.tokens)),
            Setting::CostPerSessionUsd => return Some(self.plain(setting, &self.cost)),
            Setting::TokensPerTurn => {
                return Some(self.plain(setting, &self.turns.get(turn)?.tokens));
            }
            Setting::ToolCallsPerTurn => {
                return Some(self.plain(setting, &self.turns.get(turn)?.tool_calls));
            }
            Setting::RequestsPerMinute => self.requests_a_minute.as_ref(),
            Setting::TokensPerMinute => self.tokens_a_minute.as_ref(),
            _ => None,
        };
        Some(Post {
            account: self,
            setting,
            counter: &bucket?.total,
            bucket,
        })
    }

    fn plain<'a>(&'a self, setting: Setting, counter: &'a Counter) -> Post<'a> {
        Post {
            account: self,
            setting,
            counter,
            bucket: None,
        }
    }
}

impl<'a> Post<'a> {
    fn claim(self, amounts: Amounts) -> Claim<'a, Post<'a>> {
        self.claim_of(amounts.of(self.setting))
    }

    fn claim_of(self, amount: u64) -> Claim<'a, Post<'a>> {
        Claim {
            counter: self.counter,
            amount,
            ceiling: self.ceiling().unwrap_or(u64::MAX),
            about: self,
        }
    }

    fn ceiling(self) -> Option<u64> {
        self.account.settings.value(self.setting)
    }
}

fn denial(refused: &Refused<Post<'_>>) -> LedgerDenial {
    let post = refused.about;
    let (setting, thread) = (post.setting, post.account.thread.clone());
    let Some(ceiling) = post.ceiling() else {
        return LedgerDenial::Overflow { setting, thread };
    };
    let missing = refused.amount - refused.left;
    let retry_after = post
        .bucket
        .filter(|_| refused.amount <= ceiling)
        .map(|bucket| bucket.expires_in(missing));
    LedgerDenial::LimitReached {
        setting,
        thread,
        left: refused.left,
        retry_after,
    }
}

/// The turns that a reservation charged, the root's first. One at the root needs no allocation.
#[derive(Debug, Default)]
pub(super) struct ChargedTurns {
    root: Option<u32>,
    below: Vec<u32>,
}

impl ChargedTurns {
    fn push(&mut self, turn: u32) {
        match self.root {
            None => self.root = Some(turn),
            Some(_) => self.below.push(turn),
        }
    }

    fn iter(&self) -> impl Iterator<Item = u32> + Clone {
        self.root.into_iter().chain(self.below.iter().copied())
    }
}

/// What is in use in one turn.
#[derive(Default)]
struct Turn {
    tokens: Counter,
    tool_calls: Counter,
}

/// The size of the first segment, as a power of two.
const FIRST_SEGMENT: u32 = 2;

/// Every turn of a thread, in segments that double and never move: 48 bytes a turn.
#[derive(Default)]
struct Turns {
    /// The number of turns that were begun; the last one is open.
    begun: AtomicU32,
    segments: [OnceLock<Box<[Turn]>>; (u32::BITS - FIRST_SEGMENT) as usize],
}

impl Turns {
    fn open(&self) -> Option<u32> {
        self.begun.load(Acquire).checked_sub(1)
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
        assert_eq!(turns.open(), None);
        for turn in 0..100 {
            assert_eq!(turns.begin(), Some(()));
            assert_eq!(turns.open(), Some(turn));
            turns.get(turn).unwrap().tokens.charge(u64::from(turn) + 1);
        }
        for turn in 0..100 {
            assert_eq!(
                turns.get(turn).unwrap().tokens.in_use(),
                u64::from(turn) + 1
            );
        }
    }
}
