//! What a gate remembers: sessions, open questions, and what was answered.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use crate::approval::{Grant, Preview, Reviewer};
use crate::digest::Digest;
use crate::gate::Question;
use crate::gate::denied::DenialReason;
use crate::id::Id;
use crate::policy::ThreadPolicy;
use crate::vocabulary::Cause;

/// How many questions there may be.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct QuestionLimits {
    /// Open ones a thread: 1 by default.
    pub open_per_thread: usize,
    /// Open ones under the root: 8 by default.
    pub open: usize,
    /// Asked under the root within a minute: 10 by default.
    pub per_minute: usize,
    /// Noes on one target after which it is denied until the session ends: 3 by default.
    pub denials_per_target: usize,
}

impl Default for QuestionLimits {
    fn default() -> Self {
        QuestionLimits {
            open_per_thread: 1,
            open: 8,
            per_minute: 10,
            denials_per_target: 3,
        }
    }
}

/// A holder and something that it asks for: digests.
pub(super) type Asked = (Digest, Digest);

#[derive(Default)]
pub(super) struct State {
    /// The session of each thread that has one.
    pub(super) sessions: HashMap<Id<'static>, Id<'static>>,
    /// Open questions, by holder and preview.
    questions: HashMap<Asked, Arc<Ticket>>,
    /// When the questions of the last minute were asked.
    asked_at: VecDeque<Duration>,
    /// Previews that were denied, with the session.
    denied: HashMap<Asked, Option<Id<'static>>>,
    /// How often targets were denied, with the session.
    denied_targets: HashMap<Asked, (usize, Option<Id<'static>>)>,
    /// What was last approved for a holder and a scope.
    approved: HashMap<Asked, Preview>,
}

impl State {
    pub(super) fn question(&self, asked: &Asked) -> Option<&Arc<Ticket>> {
        self.questions.get(asked)
    }

    pub(super) fn question_with(&self, id: &Id<'_>) -> Option<&Arc<Ticket>> {
        let mut tickets = self.questions.values();
        tickets.find(|ticket| ticket.question.id() == id)
    }

    /// Makes room for one more question of this thread.
    pub(super) fn admit(
        &mut self,
        thread: &Id<'_>,
        now: Duration,
        limits: QuestionLimits,
    ) -> Result<(), Cause> {
        let minute = Duration::from_mins(1);
        while self.asked_at.front().is_some_and(|at| *at + minute <= now) {
            self.asked_at.pop_front();
        }
        let open = self.questions.values();
        let of_thread = open.filter(|ticket| ticket.question.holder().thread_id() == Some(thread));
        if of_thread.count() >= limits.open_per_thread
            || self.questions.len() >= limits.open
            || self.asked_at.len() >= limits.per_minute
        {
            return Err(Cause::TooManyQuestions);
        }
        self.asked_at.push_back(now);
        Ok(())
    }

    pub(super) fn open(&mut self, ticket: &Arc<Ticket>) {
        self.questions.insert(ticket.asked, Arc::clone(ticket));
    }

    /// Ends a question that is still open. `false` when it is not.
    pub(super) fn end(&mut self, ticket: &Arc<Ticket>, how: Resolution) -> bool {
        let is_open = self
            .questions
            .get(&ticket.asked)
            .is_some_and(|open| Arc::ptr_eq(open, ticket));
        if is_open {
            self.questions.remove(&ticket.asked);
            ticket.resolve(how);
        }
        is_open
    }

    pub(super) fn is_denied(
        &self,
        preview: &Asked,
        target: &Asked,
        limits: QuestionLimits,
    ) -> bool {
        let times = self
            .denied_targets
            .get(target)
            .map_or(0, |(times, _)| *times);
        self.denied.contains_key(preview) || times >= limits.denials_per_target
    }

    pub(super) fn remember_denial(
        &mut self,
        preview: Asked,
        target: Asked,
        session: Option<&Id<'static>>,
    ) {
        self.denied.insert(preview, session.cloned());
        let denied = self.denied_targets.entry(target);
        denied.or_insert((0, session.cloned())).0 += 1;
    }

    pub(super) fn approved(&self, scope: &Asked) -> Option<&Preview> {
        self.approved.get(scope)
    }

    pub(super) fn remember_approval(&mut self, scope: Asked, preview: &Preview) {
        self.approved.insert(scope, preview.clone());
    }

    /// Forgets a session: its threads, its noes, its questions.
    pub(super) fn end_session(&mut self, session: &Id<'_>) {
        self.sessions
            .retain(|_, of| of.as_str() != session.as_str());
        let is_other =
            |of: &Option<Id<'static>>| of.as_ref().map(Id::as_str) != Some(session.as_str());
        self.denied.retain(|_, of| is_other(of));
        self.denied_targets.retain(|_, (_, of)| is_other(of));
        let open = self.questions.values();
        let ended: Vec<_> = open
            .filter(|ticket| ticket.question.session_id().map(Id::as_str) == Some(session.as_str()))
            .cloned()
            .collect();
        for ticket in &ended {
            self.end(ticket, Resolution::Denied(DenialReason::Cancelled));
        }
    }
}

/// An open question with those who wait for its answer.
pub(super) struct Ticket {
    pub(super) question: Question,
    /// The thread that asked first.
    pub(super) policy: ThreadPolicy,
    pub(super) asked: Asked,
    pub(super) quorum: usize,
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    /// How many requests wait.
    requests: usize,
    /// Whether one of them is asking the reviewer.
    is_being_asked: bool,
    /// Who has allowed so far.
    allowed_by: Vec<Reviewer>,
    resolution: Option<Resolution>,
    wakers: Vec<Waker>,
}

/// How a question ended.
#[derive(Clone, Debug)]
pub(super) enum Resolution {
    Granted(Grant),
    Denied(DenialReason),
}

/// What a request does about its question next.
pub(super) enum Next {
    Resolved,
    /// Nobody is asking the reviewer: this request does.
    Ask,
    /// Another request is asking.
    Wait,
}

impl Ticket {
    pub(super) fn new(
        question: Question,
        policy: ThreadPolicy,
        asked: Asked,
        quorum: usize,
    ) -> Arc<Self> {
        Arc::new(Ticket {
            question,
            policy,
            asked,
            quorum,
            waiting: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    pub(super) fn join(&self) {
        self.waiting().requests += 1;
    }

    /// Says whether nobody waits any more.
    pub(super) fn leave(&self) -> bool {
        let mut waiting = self.waiting();
        waiting.requests -= 1;
        waiting.requests == 0
    }

    pub(super) fn resolution(&self) -> Option<Resolution> {
        self.waiting().resolution.clone()
    }

    /// What to do next. Whoever is told to ask says afterwards that it no longer does.
    pub(super) fn next(&self, waker: Option<&Waker>) -> Next {
        let mut waiting = self.waiting();
        if waiting.resolution.is_some() {
            return Next::Resolved;
        }
        if !waiting.is_being_asked {
            waiting.is_being_asked = true;
            return Next::Ask;
        }
        if let Some(waker) = waker {
            waiting.wakers.push(waker.clone());
        }
        Next::Wait
    }

    pub(super) fn stop_asking(&self) {
        let mut waiting = self.waiting();
        waiting.is_being_asked = false;
        self.wake(&mut waiting);
    }

    /// Waits for a change, and a moment at most: time is the host's clock's to tell.
    pub(super) fn wait_a_moment(&self) {
        let waiting = self.waiting();
        if waiting.resolution.is_none() && waiting.is_being_asked {
            let moment = Duration::from_millis(20);
            drop(self.changed.wait_timeout(waiting, moment));
        }
    }

    /// Adds somebody who allows. `None` when that reviewer did before, else how many there are.
    pub(super) fn allow(&self, by: &Reviewer) -> Option<usize> {
        let mut waiting = self.waiting();
        if waiting.allowed_by.contains(by) {
            return None;
        }
        waiting.allowed_by.push(by.clone());
        Some(waiting.allowed_by.len())
    }

    fn resolve(&self, how: Resolution) {
        let mut waiting = self.waiting();
        waiting.resolution.get_or_insert(how);
        self.wake(&mut waiting);
    }

    fn wake(&self, waiting: &mut Waiting) {
        self.changed.notify_all();
        for waker in waiting.wakers.drain(..) {
            waker.wake();
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
