//! What every record of one attempt says.

use crate::approval::{Holder, Preview, Reviewer, Timestamp};
use crate::audit::{Attempted, Content, Record};
use crate::digest::Digest;
use crate::gate::state::Asked;
use crate::gate::{Attempt, Question};
use crate::id::Id;
use crate::operation_set::OperationSet;
use crate::policy::{ThreadIdentity, ThreadPolicy};
use crate::request::Request;
use crate::scope::Scope;
use crate::target::{Target, arguments_json};
use crate::vocabulary::{Boundary, Operation, OutcomeCode};

/// Who asks for what: digests, but for the identity.
#[derive(Clone)]
pub(super) struct Facts {
    identity: ThreadIdentity,
    pub(super) holder: Holder,
    holder_sha256: Digest,
    operation: Operation,
    pub(super) scope_sha256: Digest,
    request_sha256: Option<Digest>,
    path: Option<Content>,
    arguments: Option<Content>,
    /// Digest and boundary of the preview, once there is one.
    preview: Option<(Digest, Boundary)>,
    /// The id of the operation, from its question or its permit on.
    pub(super) operation_id: Option<Id<'static>>,
    /// Who is asked, of an attempt that waits.
    reviewer: Option<Reviewer>,
}

impl Facts {
    pub(super) fn of(attempt: &Attempt<'_>) -> Self {
        let request = attempt.request;
        let holder = Holder::of(attempt.policy);
        Facts {
            identity: attempt.policy.identity().clone(),
            holder_sha256: holder.sha256(),
            holder,
            operation: request.operation(),
            scope_sha256: scope_sha256(request.target(), request.operation()),
            request_sha256: Some(request.sha256()),
            path: path_of(request),
            arguments: arguments_of(attempt),
            preview: None,
            operation_id: None,
            reviewer: None,
        }
    }

    /// What is known of a question: all but request and effect.
    pub(super) fn of_question(question: &Question, policy: &ThreadPolicy) -> Self {
        let preview = question.preview();
        let holder = question.holder().clone();
        Facts {
            identity: policy.identity().clone(),
            holder_sha256: holder.sha256(),
            holder,
            operation: preview.operation(),
            scope_sha256: preview.scope_sha256(),
            request_sha256: None,
            path: None,
            arguments: None,
            preview: Some((preview.sha256(), preview.boundary())),
            operation_id: None,
            reviewer: None,
        }
    }

    /// The same with the question's id and reviewer.
    pub(super) fn of_operation(mut self, question: &Question) -> Self {
        self.operation_id = Some(question.id().clone());
        self.reviewer = Some(question.reviewer().clone());
        self
    }

    pub(super) fn record(&self, code: OutcomeCode, at: Timestamp) -> Record {
        let mut record = Record::new(code, &self.identity, at)
            .with_operation(self.operation)
            .with_scope_sha256(self.scope_sha256)
            .with_permissions_sha256(self.holder.permissions_sha256())
            .with_holder_sha256(self.holder_sha256);
        if let Some(request) = self.request_sha256 {
            record = record.with_request_sha256(request);
        }
        if let Some(path) = self.path {
            record = record.with_path(path);
        }
        if let Some(arguments) = self.arguments {
            record = record.with_arguments(arguments);
        }
        if let Some(id) = &self.operation_id {
            record = record.with_operation_id(id.clone());
        }
        if let Some(reviewer) = &self.reviewer {
            record = record.with_reviewer(reviewer.clone());
        }
        match self.preview {
            Some((sha256, boundary)) => record.with_preview_sha256(sha256).with_boundary(boundary),
            None => record,
        }
    }

    pub(super) fn add_preview(&mut self, preview: &Preview) {
        self.preview = Some((preview.sha256(), preview.boundary()));
    }

    pub(super) fn preview_sha256(&self) -> Option<Digest> {
        self.preview.map(|(sha256, _)| sha256)
    }

    /// The holder with the preview.
    pub(super) fn asked(&self, preview: &Preview) -> Asked {
        (self.holder_sha256, preview.sha256())
    }

    /// What a later attempt at the same is compared with.
    pub(super) fn attempted(&self, preview: &Preview) -> Attempted {
        let permissions = self.holder.permissions_sha256();
        Attempted::new(&self.identity, permissions, preview.sha256())
    }

    /// The holder with target and operation, whatever the effect.
    pub(super) fn asked_scope(&self) -> Asked {
        (self.holder_sha256, self.scope_sha256)
    }
}

/// The holder that asks for a preview, with the preview's target, whatever the operation.
pub(super) fn asked_target((holder_sha256, _): &Asked, preview: &Preview) -> Asked {
    (*holder_sha256, target_sha256(preview.scope().target()))
}

fn target_sha256(target: &Target<'_>) -> Digest {
    // Every operation that the target allows: one text a target.
    let operations = OperationSet::new(target.kind(), target.kind().operations());
    operations.map_or(Digest::of(&[]), |operations| {
        Scope::trusted(target.clone(), operations).sha256()
    })
}

pub(super) fn scope_sha256(target: &Target<'_>, operation: Operation) -> Digest {
    Scope::trusted(target.clone(), OperationSet::only(operation)).sha256()
}

/// The path in a filesystem binding that the request is about, or that it writes or reads.
fn path_of(request: &Request<'_>) -> Option<Content> {
    let file = match request.target() {
        Target::Filesystem(target) => target,
        _ => request.file()?,
    };
    let path = file.path.as_ref()?;
    Some(Content::of(path.as_str().as_bytes()))
}

/// What a tool or an integration is given, as it is sent; of a process the JSON list of arguments.
fn arguments_of(attempt: &Attempt<'_>) -> Option<Content> {
    if let Target::Subprocess(target) = attempt.request.target() {
        let json = arguments_json(attempt.request.arguments()?);
        return Some(Content::of_digest(json.len() as u64, target.argv_sha256));
    }
    let arguments = attempt.effect.arguments()?;
    Some(Content::of_digest(arguments.bytes(), arguments.sha256()))
}
