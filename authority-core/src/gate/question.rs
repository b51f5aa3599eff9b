//! Questions, and the answers to them.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use crate::approval::{Holder, Preview, PreviewChange, Reviewer, TextLimits, Timestamp};
use crate::audit::Code;
use crate::digest::Digest;
use crate::id::Id;
use crate::vocabulary::ReviewerKind;

/// A question to a reviewer: may this run?
///
/// It is cheap to clone, and the only way to an [`Answer`].
#[derive(Clone)]
pub struct Question(Arc<Contents>);

/// What a question says.
pub(super) struct Contents {
    pub(super) id: Id<'static>,
    pub(super) preview: Preview,
    pub(super) holder: Holder,
    pub(super) session_id: Option<Id<'static>>,
    pub(super) reviewer: Reviewer,
    pub(super) reasons: Vec<Code>,
    pub(super) changes: Vec<PreviewChange>,
    pub(super) asked_at: Timestamp,
    pub(super) deadline: Timestamp,
    pub(super) deadline_monotonic: Duration,
}

impl Question {
    pub(super) fn new(contents: Contents) -> Self {
        Question(Arc::new(contents))
    }

    /// The question's id, random: also that of the operation, in every record of it.
    pub fn id(&self) -> &Id<'static> {
        &self.0.id
    }

    /// What exactly would run.
    pub fn preview(&self) -> &Preview {
        &self.0.preview
    }

    /// The thread that asks.
    pub fn holder(&self) -> &Holder {
        &self.0.holder
    }

    /// The session of the thread, if the host named one.
    pub fn session_id(&self) -> Option<&Id<'static>> {
        self.0.session_id.as_ref()
    }

    /// Who is asked.
    pub fn reviewer(&self) -> &Reviewer {
        &self.0.reviewer
    }

    /// Why an approval that is there does not hold any more; empty when there is none.
    pub fn reasons(&self) -> &[Code] {
        &self.0.reasons
    }

    /// In what it differs from what was approved last for the same thread, target and operation.
    pub fn changes(&self) -> &[PreviewChange] {
        &self.0.changes
    }

    /// When it was asked.
    pub fn asked_at(&self) -> Timestamp {
        self.0.asked_at
    }

    /// From when on an answer is late.
    pub fn deadline(&self) -> Timestamp {
        self.0.deadline
    }

    pub(super) fn deadline_monotonic(&self) -> Duration {
        self.0.deadline_monotonic
    }

    /// The text for a reviewer: what would run, then why it is asked again, if it is.
    pub fn render(&self) -> String {
        self.render_within(TextLimits::default())
    }

    /// The same with other limits on what is shown of a long text.
    pub fn render_within(&self, limits: TextLimits) -> String {
        let mut text = self.0.preview.render_within(limits);
        let mut push = |title: &str, items: Vec<String>| {
            if !items.is_empty() {
                text.push_str(title);
                text.push_str(&items.join(", "));
                text.push('\n');
            }
        };
        let reasons = self.reasons().iter().map(Code::to_string).collect();
        let changes = self
            .changes()
            .iter()
            .map(PreviewChange::to_string)
            .collect();
        push("asked again: ", reasons);
        push("changed since the last approval: ", changes);
        text
    }

    /// No. It is remembered until the session ends.
    pub fn deny(&self, by: &Reviewer) -> Answer {
        self.answer(by, Says::Deny)
    }

    /// Yes, this once.
    pub fn allow_once(&self, by: &Reviewer) -> Answer {
        self.answer(by, Says::AllowOnce)
    }

    /// Yes, so many times in the thread's session, until a time. Only a person says so.
    pub fn allow_for_session(
        &self,
        by: &Reviewer,
        uses: NonZeroU32,
        expires_at: Timestamp,
    ) -> Answer {
        self.answer(by, Says::AllowForSession { uses, expires_at })
    }

    /// Yes, so many times in any run, until a time, under a policy that the host stores. Only a
    /// person says so.
    pub fn persist_until(
        &self,
        by: &Reviewer,
        policy_id: Id<'static>,
        uses: NonZeroU32,
        expires_at: Timestamp,
    ) -> Answer {
        self.answer(
            by,
            Says::Persist {
                policy_id,
                uses,
                expires_at,
            },
        )
    }

    fn answer(&self, by: &Reviewer, says: Says) -> Answer {
        Answer {
            question_id: self.0.id.clone(),
            preview_sha256: self.0.preview.sha256(),
            by: by.clone(),
            says,
        }
    }
}

/// Ids and digests only.
impl fmt::Debug for Question {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Question")
            .field("id", &self.0.id.as_str())
            .field("preview", &self.0.preview)
            .field("deadline", &self.0.deadline)
            .finish_non_exhaustive()
    }
}

/// A reviewer's answer to one question about one preview. Only the question makes it, and there is
/// no bare "always".
#[derive(Clone, Debug)]
pub struct Answer {
    question_id: Id<'static>,
    preview_sha256: Digest,
    by: Reviewer,
    says: Says,
}

#[derive(Clone, Debug)]
pub(super) enum Says {
    Deny,
    AllowOnce,
    AllowForSession {
        uses: NonZeroU32,
        expires_at: Timestamp,
    },
    Persist {
        policy_id: Id<'static>,
        uses: NonZeroU32,
        expires_at: Timestamp,
    },
}

impl Answer {
    /// The question that it answers.
    pub fn question_id(&self) -> &Id<'static> {
        &self.question_id
    }

    /// Who gives it.
    pub fn by(&self) -> &Reviewer {
        &self.by
    }

    /// Whether it is a no.
    pub fn is_denial(&self) -> bool {
        matches!(self.says, Says::Deny)
    }

    pub(super) fn says(&self) -> &Says {
        &self.says
    }

    /// Whether it is one to this question that this reviewer may give: the reviewer that the policy
    /// names, or where several must allow, any person. A program may not stand among those who ask,
    /// and only denies or allows once.
    pub(super) fn fits(&self, question: &Question, needs_several: bool) -> bool {
        let asked = question.reviewer();
        let is_asked = if needs_several {
            self.by.kind() == ReviewerKind::Human
        } else {
            self.by == *asked
        };
        let is_bounded = match self.by.kind() {
            ReviewerKind::Human => true,
            ReviewerKind::AutoReview => {
                !question.holder().involves(self.by.id())
                    && matches!(self.says, Says::Deny | Says::AllowOnce)
            }
        };
        self.question_id == *question.id()
            && self.preview_sha256 == question.preview().sha256()
            && is_asked
            && is_bounded
    }
}
