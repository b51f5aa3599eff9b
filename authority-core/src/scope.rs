//! Scopes: one target with the operations that are granted on it (schema version 1).

use crate::canonical::{push_key, push_list, push_string};
use crate::digest::Digest;
use crate::operation_set::OperationSet;
use crate::target::Target;
use crate::vocabulary::Kind;

/// The version of the scope document that is read and written.
pub(crate) const SCHEMA_VERSION: u64 = 1;

/// One target with the operations that are granted on it.
///
/// ```
/// use authority_core::Scope;
///
/// let scope = Scope::from_json(
///     r#"{"operations":["read","issue.write"],"schema_version":1,
///         "target":{"kind":"github","repository":"acme/widgets"}}"#,
/// )?;
/// assert_eq!(
///     scope.canonical_json(),
///     r#"{"operations":["issue.write","read"],"schema_version":1,"target":{"kind":"github","repository":"acme/widgets"}}"#,
/// );
/// # Ok::<(), authority_core::DecodeError>(())
/// ```
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Scope<'a> {
    target: Target<'a>,
    operations: OperationSet,
}

/// Why a scope cannot be built.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum ScopeError {
    /// The operations belong to another kind than the target.
    #[error("`{operations}` are operations of `{}`, not of `{target}`", operations.kind())]
    OtherKind {
        /// The operations.
        operations: OperationSet,
        /// The kind of the target.
        target: Kind,
    },
}

impl<'a> Scope<'a> {
    /// The scope of these operations on this target.
    ///
    /// # Errors
    ///
    /// When the operations are not of the target's kind.
    pub fn new(target: Target<'a>, operations: OperationSet) -> Result<Self, ScopeError> {
        if operations.kind() != target.kind() {
            return Err(ScopeError::OtherKind {
                operations,
                target: target.kind(),
            });
        }
        Ok(Scope { target, operations })
    }

    /// The scope of operations that are known to be of the target's kind.
    pub(crate) fn trusted(target: Target<'a>, operations: OperationSet) -> Self {
        Scope { target, operations }
    }

    /// The target.
    pub fn target(&self) -> &Target<'a> {
        &self.target
    }

    /// The operations.
    pub fn operations(&self) -> OperationSet {
        self.operations
    }

    /// Canonical JSON of the semantic payload, which is what the digest is taken over.
    pub fn canonical_json(&self) -> String {
        let mut json = String::with_capacity(256);
        json.push('{');
        push_key(&mut json, "operations");
        push_list(&mut json, self.operations.sorted_names(), push_string);
        push_key(&mut json, "schema_version");
        json.push_str(&SCHEMA_VERSION.to_string());
        push_key(&mut json, "target");
        self.target.push_canonical_json(&mut json);
        json.push('}');
        json
    }

    /// SHA-256 of the canonical JSON.
    pub fn sha256(&self) -> Digest {
        Digest::of(self.canonical_json().as_bytes())
    }

    /// Whether this scope may be delegated under the other one: the very same target, and a subset
    /// of its operations.
    pub fn is_within(&self, parent: &Scope<'_>) -> bool {
        self.target == parent.target && self.operations.is_subset(parent.operations)
    }

    /// The same scope, owning its texts.
    pub fn into_owned(self) -> Scope<'static> {
        Scope {
            target: self.target.into_owned(),
            operations: self.operations,
        }
    }
}
