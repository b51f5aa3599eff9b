//! Previews: what exactly is approved.

use std::fmt;

use crate::approval::coverage::{AdvisoryField, EffectField};
use crate::approval::effect::{Advice, Effect};
use crate::approval::maker::{Maker, check_needless};
use crate::approval::preview_error::PreviewError;
use crate::approval::value::{Value, hex};
use crate::bindings::{BindingRevisions, RequiredBinding};
use crate::credential::CredentialGrant;
use crate::declaration::json::{Value as Json, credential as credential_json, object, text};
use crate::digest::Digest;
use crate::operation_set::OperationSet;
use crate::policy::{ThreadIdentity, ThreadPolicy};
use crate::request::Request;
use crate::scope::Scope;
use crate::target::FilesystemTarget;
use crate::vocabulary::{Boundary, Operation};

/// What exactly is approved: one operation on one target, its effect, and what both use.
///
/// A preview is built for every request, also where nobody is asked, and built again from what will
/// really run. Its digest covers what [`Operation::coverage`] lists for the operation, and nothing
/// that is advisory. Equality is that of the digests.
///
/// ```
/// use authority_core::operations::github;
/// use authority_core::vocabulary::Boundary;
/// use authority_core::{
///     Effect, GithubPart, GithubResource, Preview, Request, ThreadIdentity, ThreadPermissions,
///     ThreadPolicy,
/// };
///
/// let permissions = ThreadPermissions::builder().github("acme/checkout", [github::IssueWrite]).build()?;
/// let identity = ThreadIdentity::root("alice", "checkout", "run-42")?;
/// let (_handle, root) = ThreadPolicy::for_root(identity, &permissions);
///
/// let request = Request::github("acme/checkout", github::IssueWrite)?;
/// let issue = GithubResource { repository_id: None, part: GithubPart::Number(7) };
/// let preview = |payload: &str| {
///     let effect = Effect::github_write(issue, payload);
///     Preview::new(&root, &request, &effect, Boundary::EnforcedByHarness)
/// };
/// let (first, second) = (preview("it is done")?, preview("it is undone")?);
/// assert_ne!(first.sha256(), second.sha256());
/// let changes: Vec<_> = second.changes(&first).iter().map(|change| change.field.name()).collect();
/// assert_eq!(changes, ["payload_bytes", "payload_sha256"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Preview {
    scope: Scope<'static>,
    scope_sha256: Digest,
    operation: Operation,
    credential: Option<CredentialGrant>,
    boundary: Boundary,
    bindings: BindingRevisions,
    effect: Vec<(EffectField, Value)>,
    sha256: Digest,
    agent_chain: ThreadIdentity,
    advice: Advice,
}

/// A part in which two previews differ.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct PreviewChange {
    /// The field.
    pub field: EffectField,
    /// Which item of the field: a member of the target, a binding, or the number of an argument.
    pub item: Option<String>,
}

impl fmt::Display for PreviewChange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.item {
            Some(item) => write!(formatter, "{} ({item})", self.field),
            None => fmt::Display::fmt(&self.field, formatter),
        }
    }
}

/// What a reviewer is shown beside the effect. No approval covers it.
#[derive(Clone, Copy)]
pub struct Advisory<'a> {
    preview: &'a Preview,
}

impl Preview {
    /// The preview of a request of this thread with this effect, enforced by this boundary.
    ///
    /// # Errors
    ///
    /// When a part of the effect is missing, needless, malformed or contradicts the request, when the
    /// thread does not hold the credential, or when the root does not know what a binding stands for.
    pub fn new(
        policy: &ThreadPolicy,
        request: &Request<'_>,
        effect: &Effect<'_>,
        boundary: Boundary,
    ) -> Result<Self, PreviewError> {
        let operation = request.operation();
        let coverage = operation.coverage();
        if !request.target().allows(operation) {
            return Err(PreviewError::NeverAllowed);
        }
        check_needless(coverage, effect)?;
        let maker = Maker {
            policy,
            request,
            effect,
        };
        let values = coverage
            .effect
            .iter()
            .map(|field| Ok((*field, maker.value(*field)?)));
        let values: Vec<_> = values.collect::<Result<_, _>>()?;
        let credential = maker.credential()?;
        let bindings = maker.bindings(credential.as_ref())?;
        let scope = Scope::trusted(
            request.target().clone().into_owned(),
            OperationSet::only(operation),
        );
        let scope_json = scope.canonical_json();
        let members = [
            ("bindings", bindings_json(&bindings)),
            ("boundary", text(boundary.name())),
            (
                "credential",
                credential.as_ref().map_or(Json::Null, credential_json),
            ),
            ("domain", text(DOMAIN)),
            (
                "effect",
                object(
                    values
                        .iter()
                        .map(|(field, value)| (field.name(), value.to_json())),
                ),
            ),
            ("scope", Json::Scope(&scope, &scope_json)),
        ];
        let sha256 = Digest::of(object(members).to_canonical_json().as_bytes());
        Ok(Preview {
            scope_sha256: Digest::of(scope_json.as_bytes()),
            scope,
            operation,
            credential,
            boundary,
            bindings,
            effect: values,
            sha256,
            agent_chain: policy.identity().clone(),
            advice: effect.advice.clone(),
        })
    }

    /// The request's target with exactly its operation.
    pub fn scope(&self) -> &Scope<'static> {
        &self.scope
    }

    /// Digest of the scope.
    pub fn scope_sha256(&self) -> Digest {
        self.scope_sha256
    }

    /// The operation.
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// Digest of everything that an approval covers, domain `authority/preview/v1`.
    pub fn sha256(&self) -> Digest {
        self.sha256
    }

    /// The credential that is used: `None` when none is, and a grant without a binding when the
    /// service is used without one, explicitly.
    pub fn credential(&self) -> Option<&CredentialGrant> {
        self.credential.as_ref()
    }

    /// Who enforces an approval.
    pub fn boundary(&self) -> Boundary {
        self.boundary
    }

    /// What the bindings that are used stand for.
    pub fn bindings(&self) -> &BindingRevisions {
        &self.bindings
    }

    /// The file that a browser's download writes or its upload reads, with that operation: it is
    /// decided too.
    pub fn file(&self) -> Option<(&FilesystemTarget<'static>, Operation)> {
        let file = self.effect.iter().find_map(|(_, value)| match value {
            Value::File(file) => Some(file),
            _ => None,
        })?;
        Some((file, self.operation.on_its_file()))
    }

    /// Digest of the permissions of the child that would be started.
    pub(crate) fn child_permissions_sha256(&self) -> Option<Digest> {
        match self.value(EffectField::ChildPermissionsSha256) {
            Some(Value::Digest(digest)) => Some(*digest),
            _ => None,
        }
    }

    /// What a reviewer is shown beside the effect.
    pub fn advisory(&self) -> Advisory<'_> {
        Advisory { preview: self }
    }

    /// The parts in which this preview differs from another: by name, never by content.
    pub fn changes(&self, other: &Preview) -> Vec<PreviewChange> {
        let mut changes = Vec::new();
        let mut push = |field, item| changes.push(PreviewChange { field, item });
        for item in self.scope_changes(other) {
            push(EffectField::Scope, Some(item.to_owned()));
        }
        if self.credential != other.credential {
            push(EffectField::Credential, None);
        }
        if self.boundary != other.boundary {
            push(EffectField::Boundary, None);
        }
        let own: Vec<_> = self.bindings.iter().collect();
        let others: Vec<_> = other.bindings.iter().collect();
        for binding in differing(&own, &others) {
            push(EffectField::Bindings, Some(binding.to_string()));
        }
        for field in EffectField::ALL.iter().copied() {
            match (self.value(field), other.value(field)) {
                (Some(Value::Operands(own)), Some(Value::Operands(others))) => {
                    for argument in differing(own, others) {
                        push(field, Some(format!("argument {argument}")));
                    }
                }
                (own, others) if own != others => push(field, None),
                _ => {}
            }
        }
        changes
    }

    /// The members of the scope that differ.
    fn scope_changes(&self, other: &Preview) -> Vec<&'static str> {
        let (own, others) = (self.scope.target(), other.scope.target());
        if own.kind() != others.kind() {
            return vec!["kind"];
        }
        let members = own.members().into_iter().zip(others.members());
        let mut changes: Vec<_> = members
            .filter(|(own, others)| own != others)
            .map(|((name, _), _)| name)
            .collect();
        if self.operation != other.operation {
            changes.push("operation");
        }
        changes
    }

    pub(super) fn effect(&self) -> &[(EffectField, Value)] {
        &self.effect
    }

    fn value(&self, wanted: EffectField) -> Option<&Value> {
        let mut fields = self.effect.iter();
        fields
            .find(|(field, _)| *field == wanted)
            .map(|(_, value)| value)
    }
}

const DOMAIN: &str = "authority/preview/v1";

impl<'a> Advisory<'a> {
    /// Why it is asked, in the words of whoever asks.
    pub fn reason(self) -> Option<&'a str> {
        self.preview.advice.reason.as_deref()
    }

    /// A model's explanation.
    pub fn explanation(self) -> Option<&'a str> {
        self.preview.advice.explanation.as_deref()
    }

    /// Names and texts that the host added.
    pub fn labels(self) -> &'a [(String, String)] {
        &self.preview.advice.labels
    }

    /// What the server says of its tool.
    pub fn server_claims(self) -> &'a [(String, String)] {
        &self.preview.advice.server_claims
    }

    /// The thread that asks, and the agents from the root's child down to it.
    pub fn agent_chain(self) -> &'a ThreadIdentity {
        &self.preview.agent_chain
    }
}

fn bindings_json(bindings: &BindingRevisions) -> Json<'static> {
    let binding = |(binding, revision): (&RequiredBinding, Digest)| {
        object([
            ("binding", text(&binding.to_string())),
            ("revision_sha256", hex(revision)),
        ])
    };
    Json::List(bindings.iter().map(binding).collect())
}

/// The keys of two sorted lists whose values differ, or that only one of them has.
fn differing<'l, K: Ord, V: PartialEq>(own: &'l [(K, V)], others: &'l [(K, V)]) -> Vec<&'l K> {
    let lacks = |list: &[(K, V)], (key, value): &(K, V)| {
        !list
            .iter()
            .any(|(other, found)| other == key && found == value)
    };
    let mut keys: Vec<_> = own.iter().filter(|item| lacks(others, item)).collect();
    keys.extend(others.iter().filter(|item| lacks(own, item)));
    let mut keys: Vec<_> = keys.into_iter().map(|(key, _)| key).collect();
    keys.sort();
    keys.dedup();
    keys
}

impl PartialEq for Preview {
    fn eq(&self, other: &Self) -> bool {
        self.sha256 == other.sha256
    }
}

impl Eq for Preview {}

/// Operation and digests only.
impl fmt::Debug for Preview {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Preview")
            .field("operation", &self.operation)
            .field("scope_sha256", &self.scope_sha256)
            .field("sha256", &self.sha256)
            .finish_non_exhaustive()
    }
}

/// The names of the given fields only.
impl fmt::Debug for Advisory<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = AdvisoryField::ALL.iter();
        let given = fields.filter(|field| self.preview.advice.has(**field));
        formatter.write_str("Advisory ")?;
        formatter
            .debug_list()
            .entries(given.map(|field| field.name()))
            .finish()
    }
}
