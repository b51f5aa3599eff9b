//! How long a grant lives, and for what.

use crate::declaration::json::{Value, object, text};
use crate::id::Id;
use crate::json::{DecodeError, DecodeRule, Member as _, Reader, members};
use crate::vocabulary::Lifetime as Kind;

/// What a grant is good for. When it ends is a time that every grant has: none lives for ever.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum Lifetime {
    /// One operation that was asked about: a single use.
    Operation {
        /// The question's own id, random.
        operation_id: Id<'static>,
    },
    /// A session that the host names.
    Session {
        /// The session.
        session_id: Id<'static>,
    },
    /// A stored policy, in any run.
    PersistedPolicy {
        /// The policy.
        policy_id: Id<'static>,
    },
}

impl Lifetime {
    /// The word of the vocabulary.
    pub const fn kind(&self) -> Kind {
        match self {
            Lifetime::Operation { .. } => Kind::Operation,
            Lifetime::Session { .. } => Kind::Session,
            Lifetime::PersistedPolicy { .. } => Kind::PersistedPolicy,
        }
    }

    /// The operation, session or policy.
    pub const fn id(&self) -> &Id<'static> {
        match self {
            Lifetime::Operation { operation_id } => operation_id,
            Lifetime::Session { session_id } => session_id,
            Lifetime::PersistedPolicy { policy_id } => policy_id,
        }
    }

    pub(super) fn to_value(&self) -> Value<'static> {
        object([
            ("kind", text(self.kind().name())),
            (key(self.kind()).name(), text(self.id().as_str())),
        ])
    }

    pub(super) fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut kind = None;
        let mut ids = Vec::new();
        reader.object(|reader, member| {
            if let Key::Kind = member {
                let names = Kind::ALL.iter().map(|kind| kind.name());
                kind = Some(reader.word(Kind::from_name, names)?);
            } else {
                ids.push((member.name(), reader.text::<Id<'_>>()?.into_owned()));
            }
            Ok(())
        })?;
        let kind = kind.ok_or_else(|| reader.error(DecodeRule::MissingKey("kind")))?;
        let wanted = key(kind).name();
        if ids.iter().any(|(name, _)| *name != wanted) {
            let nearest = Some(wanted);
            return Err(reader.error(DecodeRule::UnknownKey { nearest }));
        }
        let (_, id) = ids
            .pop()
            .ok_or_else(|| reader.error(DecodeRule::MissingKey(wanted)))?;
        Ok(match kind {
            Kind::Operation => Lifetime::Operation { operation_id: id },
            Kind::Session => Lifetime::Session { session_id: id },
            Kind::PersistedPolicy => Lifetime::PersistedPolicy { policy_id: id },
        })
    }
}

/// The key of the kind's id.
const fn key(kind: Kind) -> Key {
    match kind {
        Kind::Operation => Key::OperationId,
        Kind::Session => Key::SessionId,
        Kind::PersistedPolicy => Key::PolicyId,
    }
}

members! {
    enum Key {
        Kind "kind",
        OperationId "operation_id",
        PolicyId "policy_id",
        SessionId "session_id",
    }
}
