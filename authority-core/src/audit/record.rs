//! What one outcome leaves behind.

use crate::Timestamp;
use crate::approval::Reviewer;
use crate::audit::{Code, Content, TraceContext};
use crate::digest::Digest;
use crate::id::Id;
use crate::ledger::Amounts;
use crate::policy::ThreadIdentity;
use crate::vocabulary::{Boundary, Operation, OutcomeCode};

/// One outcome: what became of a request, or of what was asked, granted or started for it.
///
/// It holds codes, ids that the host declared, digests, sizes, numbers and times. There is no way to
/// put a text into it that a program meets at run time: a content leaves its size and digest.
///
/// ```
/// use authority_core::audit::{Code, Content, Record};
/// use authority_core::vocabulary::OutcomeCode;
/// use authority_core::{ThreadIdentity, Timestamp};
///
/// const NO_SPACE: Code = Code::new("no_space").unwrap();
///
/// let thread = ThreadIdentity::root("alice", "checkout", "run-42")?;
/// let at = Timestamp::parse("2031-03-04T10:30:00Z")?;
/// let record = Record::new(OutcomeCode::Failed, &thread, at)
///     .with_executor_code(NO_SPACE)
///     .with_message(Content::of(b"no space left on device /srv/secret"));
/// assert_eq!(record.message().map(Content::size), Some(35));
/// assert!(!record.to_json().contains("secret"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Record {
    pub(super) code: OutcomeCode,
    pub(super) thread: ThreadIdentity,
    pub(super) at: Timestamp,
    pub(super) reasons: Vec<Code>,
    pub(super) operation_id: Option<Id<'static>>,
    pub(super) operation: Option<Operation>,
    pub(super) scope_sha256: Option<Digest>,
    pub(super) permissions_sha256: Option<Digest>,
    pub(super) holder_sha256: Option<Digest>,
    pub(super) request_sha256: Option<Digest>,
    pub(super) preview_sha256: Option<Digest>,
    pub(super) grant: Option<GrantReference>,
    pub(super) boundary: Option<Boundary>,
    pub(super) reviewer: Option<Reviewer>,
    pub(super) reserved: Option<Amounts>,
    pub(super) used: Option<Amounts>,
    pub(super) expires_at: Option<Timestamp>,
    pub(super) executor_code: Option<Code>,
    pub(super) message: Option<Content>,
    pub(super) path: Option<Content>,
    pub(super) arguments: Option<Content>,
    pub(super) trace: Option<TraceContext>,
}

/// What stands in a line.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Entry {
    /// The record of an outcome.
    Outcome(Box<Record>),
    /// The note that the file ended in a torn line, which was closed: size and digest of its bytes.
    Recovered(Content),
}

/// A grant, by its id and digest.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct GrantReference {
    /// The grant's id.
    pub id: Id<'static>,
    /// The digest of the grant as it was then.
    pub sha256: Digest,
}

impl Record {
    /// An outcome of this thread at this time. What else is known of it is added by the `with_`
    /// methods.
    pub fn new(code: OutcomeCode, thread: &ThreadIdentity, at: Timestamp) -> Self {
        Record {
            code,
            thread: thread.clone(),
            at,
            reasons: Vec::new(),
            operation_id: None,
            operation: None,
            scope_sha256: None,
            permissions_sha256: None,
            holder_sha256: None,
            request_sha256: None,
            preview_sha256: None,
            grant: None,
            boundary: None,
            reviewer: None,
            reserved: None,
            used: None,
            expires_at: None,
            executor_code: None,
            message: None,
            path: None,
            arguments: None,
            trace: None,
        }
    }

    /// The same with one more reason, behind those that it has.
    #[must_use]
    pub fn with_reason(mut self, reason: impl Into<Code>) -> Self {
        self.reasons.push(reason.into());
        self
    }

    /// What became of it.
    pub const fn code(&self) -> OutcomeCode {
        self.code
    }

    /// Whose request it was.
    pub const fn thread(&self) -> &ThreadIdentity {
        &self.thread
    }

    /// When that was.
    pub const fn at(&self) -> Timestamp {
        self.at
    }

    /// Why, the main reason first.
    pub fn reasons(&self) -> &[Code] {
        &self.reasons
    }

    /// The id that links the question, the permit, the start and the end of one operation.
    pub const fn operation_id(&self) -> Option<&Id<'static>> {
        self.operation_id.as_ref()
    }

    /// The grant that it rests on, or that was made or revoked.
    pub const fn grant(&self) -> Option<&GrantReference> {
        self.grant.as_ref()
    }

    /// Who answered.
    pub const fn reviewer(&self) -> Option<&Reviewer> {
        self.reviewer.as_ref()
    }

    /// What an executor said of the end.
    pub const fn executor_code(&self) -> Option<&Code> {
        self.executor_code.as_ref()
    }

    /// The same with this operation id.
    #[must_use]
    pub fn with_operation_id(mut self, id: Id<'static>) -> Self {
        self.operation_id = Some(id);
        self
    }

    /// The same with this grant.
    #[must_use]
    pub fn with_grant(mut self, id: Id<'static>, sha256: Digest) -> Self {
        self.grant = Some(GrantReference { id, sha256 });
        self
    }

    /// The same with this reviewer.
    #[must_use]
    pub fn with_reviewer(mut self, reviewer: Reviewer) -> Self {
        self.reviewer = Some(reviewer);
        self
    }

    /// The same with this code of the executor's.
    #[must_use]
    pub fn with_executor_code(mut self, code: Code) -> Self {
        self.executor_code = Some(code);
        self
    }
}

/// A method that reads a part that may be there, and one that adds it, for each part that is copied.
macro_rules! parts {
    ($( $(#[doc = $about:literal])+ $with:ident $part:ident: $Type:ty; )*) => {
        impl Record { $(
            $(#[doc = $about])+
            pub const fn $part(&self) -> Option<$Type> {
                self.$part
            }

            #[doc = concat!("The same with this value of [`", stringify!($part), "`](Self::", stringify!($part), ").")]
            #[must_use]
            pub const fn $with(mut self, value: $Type) -> Self {
                self.$part = Some(value);
                self
            }
        )* }
    };
}

parts! {
    /// The operation, and with it the kind of target.
    with_operation operation: Operation;
    /// The digest of the scope.
    with_scope_sha256 scope_sha256: Digest;
    /// The digest of the permissions of the thread.
    with_permissions_sha256 permissions_sha256: Digest;
    /// The digest of the holder: who a grant for this thread is made to.
    with_holder_sha256 holder_sha256: Digest;
    /// The digest of the request.
    with_request_sha256 request_sha256: Digest;
    /// The digest of the preview, where one was made.
    with_preview_sha256 preview_sha256: Digest;
    /// Who enforces.
    with_boundary boundary: Boundary;
    /// What was reserved.
    with_reserved reserved: Amounts;
    /// What was used.
    with_used used: Amounts;
    /// When what the record tells of is over: the permit, the grant or the question.
    with_expires_at expires_at: Timestamp;
    /// What is said of the executor's message.
    with_message message: Content;
    /// What is said of a path.
    with_path path: Content;
    /// What is said of arguments.
    with_arguments arguments: Content;
    /// The trace that it belongs to.
    with_trace trace: TraceContext;
}
