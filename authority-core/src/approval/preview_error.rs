//! Why there is no preview.

use crate::approval::coverage::EffectField;
use crate::bindings::RequiredBinding;

/// Why there is no preview, and so no approval: the request is denied.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum PreviewError {
    /// A field of the effect is not given, neither by the request nor by the effect.
    #[error("`{field}` is missing: an approval of this operation covers it")]
    Missing {
        /// The field.
        field: EffectField,
    },
    /// The effect, or its advisory part, has what this operation knows nothing of.
    #[error("`{field}` is given, and the operation has no use for it")]
    Needless {
        /// The field's name.
        field: &'static str,
    },
    /// Request and effect both give a field, and not the same.
    #[error("`{field}` of the request and of the effect differ")]
    Conflict {
        /// The field.
        field: EffectField,
    },
    /// A field has a form that nothing sends or runs.
    #[error("`{field}` is malformed")]
    Malformed {
        /// The field.
        field: EffectField,
    },
    /// The HTTP request is one of the other of `request.safe` and `request.write`, or the child is
    /// one of another agent or thread.
    #[error("the effect is not one of this request's operation and target")]
    OtherEffect,
    /// No scope allows this operation on this target.
    #[error("nothing allows the operation on such a target")]
    NeverAllowed,
    /// The thread does not hold the credential that the request names or the server needs.
    #[error("the thread holds no credential for this")]
    CredentialNotHeld,
    /// The root was made without the revision of a binding: give `RootOptions::revisions` what
    /// `ThreadPermissions::check_bindings` returned.
    #[error("the root was made without the revision of {binding}")]
    Unresolved {
        /// The binding.
        binding: RequiredBinding,
    },
}
