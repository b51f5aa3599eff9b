//! The ledger of one process.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::account::Account;
use super::{Amounts, Guard, Ledger, LedgerDenial, LedgerError, Reservation, Slot};
use crate::clock::Clock;
use crate::id::Id;
use crate::policy::{RootHandle, ThreadPolicy};
use crate::vocabulary::Setting;

/// A ledger in memory. It reserves, commits and releases without a lock; one is taken when it sees a
/// thread for the first time, and once a second by a rate.
///
/// A thread that has reserved nothing for a while costs its account, about a kilobyte for each rate
/// of its own and half of one besides, as long as the ledger lives.
///
/// ```
/// use authority_core::operations::filesystem;
/// use authority_core::vocabulary::Setting;
/// use authority_core::{
///     Amounts, Ledger, ManualClock, MemoryLedger, ThreadIdentity, ThreadPermissions, ThreadPolicy,
/// };
///
/// let permissions = ThreadPermissions::builder()
///     .filesystem("ws", [filesystem::Read])
///     .limit(Setting::TokensPerSession, 1_000)
///     .build()?;
/// let identity = ThreadIdentity::root("alice", "checkout", "run-42")?;
/// let (handle, root) = ThreadPolicy::for_root(identity, &permissions);
/// let ledger = MemoryLedger::new(&handle, ManualClock::new());
///
/// ledger.begin_turn(&root)?;
/// let reservation = ledger.reserve(&root, Amounts::NONE.with_tokens(800))?;
/// assert!(ledger.reserve(&root, Amounts::NONE.with_tokens(201)).is_err());
/// reservation.commit(Amounts::NONE.with_tokens(500))?;
/// assert_eq!(ledger.in_use(&root, Setting::TokensPerSession), Some(500));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MemoryLedger {
    /// Tells the ledgers of the process apart.
    number: u64,
    clock: Arc<dyn Clock>,
    roots: Mutex<Vec<ServedRoot>>,
}

struct ServedRoot {
    policy: ThreadPolicy,
    accounts: HashMap<Id<'static>, Arc<Account>>,
}

/// The account of a thread in the ledger that saw it first.
pub(crate) struct FirstAccount {
    ledger: u64,
    account: Arc<Account>,
}

static LEDGERS: AtomicU64 = AtomicU64::new(0);

impl MemoryLedger {
    /// A ledger for the tree of this root, with nothing in use.
    pub fn new(root: &RootHandle, clock: impl Clock + 'static) -> Self {
        MemoryLedger {
            number: LEDGERS.fetch_add(1, Ordering::Relaxed),
            clock: Arc::new(clock),
            roots: Mutex::new(vec![ServedRoot::new(root)]),
        }
    }

    /// Serves another root too, with budgets of its own.
    ///
    /// # Errors
    ///
    /// `RootInUse` when a live root with the same owner, workspace and run is served already. One
    /// that is closed is forgotten.
    pub fn serve(&self, root: &RootHandle) -> Result<(), LedgerError> {
        let mut roots = self.roots();
        roots.retain(|served| served.policy.is_open());
        if roots.iter().any(|served| served.is_named_as(root.policy())) {
            return Err(LedgerError::RootInUse);
        }
        roots.push(ServedRoot::new(root));
        Ok(())
    }

    /// What the thread and those below it have in use of a budget, a rate of its own or a limit, in
    /// its open turn for a budget by the turn; money in micro-dollars. `None` for a thread of a root
    /// that is not served.
    pub fn in_use(&self, thread: &ThreadPolicy, setting: Setting) -> Option<u64> {
        self.with_account(thread, |account| account.in_use(setting))
    }

    /// `None` for a thread of a root that is not served.
    fn with_account<R>(
        &self,
        thread: &ThreadPolicy,
        work: impl FnOnce(&Arc<Account>) -> R,
    ) -> Option<R> {
        let first = thread.first_account();
        match first.get().filter(|first| first.ledger == self.number) {
            Some(first) => Some(work(&first.account)),
            None => self.account(thread).map(|account| work(&account)),
        }
    }

    /// Finds or makes the account of a thread, and those above it.
    fn account(&self, thread: &ThreadPolicy) -> Option<Arc<Account>> {
        let mut roots = self.roots();
        let served = roots
            .iter_mut()
            .find(|served| served.policy.is_of_the_root_of(thread))?;
        let mut missing = Vec::new();
        let mut parent = None;
        for policy in thread.ancestors() {
            if let Some(account) = served.accounts.get(policy.identity().thread_id()) {
                parent = Some(Arc::clone(account));
                break;
            }
            missing.push(policy);
        }
        for policy in missing.into_iter().rev() {
            let thread = policy.identity().thread_id().clone();
            let account = Account::new(
                thread.clone(),
                *policy.settings(),
                parent.as_ref(),
                &self.clock,
            );
            let account = Arc::new(account);
            served.accounts.insert(thread, Arc::clone(&account));
            policy.first_account().get_or_init(|| FirstAccount {
                ledger: self.number,
                account: Arc::clone(&account),
            });
            parent = Some(account);
        }
        parent
    }

    fn roots(&self) -> MutexGuard<'_, Vec<ServedRoot>> {
        self.roots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ServedRoot {
    fn new(root: &RootHandle) -> Self {
        ServedRoot {
            policy: root.policy().clone(),
            accounts: HashMap::new(),
        }
    }

    fn is_named_as(&self, other: &ThreadPolicy) -> bool {
        let (one, other) = (self.policy.identity(), other.identity());
        one.owner_id() == other.owner_id()
            && one.workspace_id() == other.workspace_id()
            && one.root_run_id() == other.root_run_id()
    }
}

impl Ledger for MemoryLedger {
    fn begin_turn(&self, thread: &ThreadPolicy) -> Result<(), LedgerError> {
        self.with_account(thread, |account| {
            if !thread.is_open() {
                return Err(LedgerError::Closed);
            }
            account.begin_turn()
        })
        .ok_or(LedgerError::ForeignPolicy)?
    }

    fn reserve(
        &self,
        thread: &ThreadPolicy,
        amounts: Amounts,
    ) -> Result<Reservation, LedgerDenial> {
        self.with_account(thread, |account| {
            if !thread.is_open() {
                return Err(LedgerDenial::Closed);
            }
            let turns = account.take(amounts)?;
            Ok(Reservation::of_account(account, amounts, turns))
        })
        .ok_or(LedgerDenial::ForeignPolicy)?
    }

    fn acquire(&self, thread: &ThreadPolicy, slot: Slot) -> Result<Guard, LedgerDenial> {
        self.with_account(thread, |account| {
            if !thread.is_open() {
                return Err(LedgerDenial::Closed);
            }
            account.occupy(slot)?;
            Ok(Guard::of_account(account, slot))
        })
        .ok_or(LedgerDenial::ForeignPolicy)?
    }
}

impl fmt::Debug for MemoryLedger {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("MemoryLedger")
            .field("roots", &self.roots().len())
            .finish_non_exhaustive()
    }
}
