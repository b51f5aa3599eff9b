//! Seals: what makes rewriting a chain detectable.

use std::fmt;

use crate::audit::json::{push_hex, push_number, push_word};
use crate::audit::{AuditError, Head};
use crate::canonical::push_key;
use crate::digest;
use crate::id::Id;
use crate::json::{DecodeError, DecodeRule, Reader, members};
use crate::mac::MacKey;

/// A key of the host's that seals lines or heads. Without it nobody can write a chain that has valid
/// seals.
pub trait Sealer: Send + Sync {
    /// The key's id, which stands in each seal.
    fn key_id(&self) -> &Id<'static>;

    /// The seal of a message: 16 to 1,024 bytes.
    ///
    /// # Errors
    ///
    /// When there is none, as from a key service that does not answer.
    fn seal(&self, message: &[u8]) -> Result<Vec<u8>, AuditError>;
}

impl<S: Sealer + ?Sized> Sealer for Box<S> {
    fn key_id(&self) -> &Id<'static> {
        (**self).key_id()
    }

    fn seal(&self, message: &[u8]) -> Result<Vec<u8>, AuditError> {
        (**self).seal(message)
    }
}

impl fmt::Debug for dyn Sealer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Sealer({})", self.key_id())
    }
}

/// What tells whether a seal is valid.
pub trait SealVerifier {
    /// The key's id.
    fn key_id(&self) -> &Id<'static>;

    /// Whether it is the seal of the message, compared in constant time where the key is secret.
    fn is_valid(&self, message: &[u8], seal: &[u8]) -> bool;
}

/// Seals with HMAC-SHA-256. Whoever can verify them can make them.
#[derive(Clone, Debug)]
pub struct HmacSealer {
    key_id: Id<'static>,
    key: MacKey,
}

impl HmacSealer {
    /// A sealer with this key.
    pub const fn new(key_id: Id<'static>, key: MacKey) -> Self {
        HmacSealer { key_id, key }
    }
}

impl Sealer for HmacSealer {
    fn key_id(&self) -> &Id<'static> {
        &self.key_id
    }

    fn seal(&self, message: &[u8]) -> Result<Vec<u8>, AuditError> {
        Ok(self.key.tag(message).as_bytes().to_vec())
    }
}

impl SealVerifier for HmacSealer {
    fn key_id(&self) -> &Id<'static> {
        &self.key_id
    }

    fn is_valid(&self, message: &[u8], seal: &[u8]) -> bool {
        self.key.is_tag(message, seal)
    }
}

/// A seal, and the id of the key that made it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Seal {
    key_id: Id<'static>,
    bytes: Vec<u8>,
}

impl Seal {
    /// The seal of a head, to be stored beside it.
    ///
    /// # Errors
    ///
    /// When the sealer makes none.
    pub fn of_head(sealer: &dyn Sealer, head: Head) -> Result<Self, AuditError> {
        Seal::of(sealer, &message("authority/receipt-head-seal/v1", head))
    }

    /// The seal of a line, given its number and the hash that it has without a seal.
    pub(super) fn of_line(sealer: &dyn Sealer, line: Head) -> Result<Self, AuditError> {
        Seal::of(sealer, &message(LINE_DOMAIN, line))
    }

    fn of(sealer: &dyn Sealer, message: &[u8]) -> Result<Self, AuditError> {
        let bytes = sealer.seal(message)?;
        let key_id = sealer.key_id().clone();
        match bytes.len() {
            SHORTEST..=LONGEST => Ok(Seal { key_id, bytes }),
            _ => Err(AuditError::Seal),
        }
    }

    /// Whether it is this key's seal of this head.
    pub fn is_of_head(&self, head: Head, verifier: &dyn SealVerifier) -> bool {
        self.is_of(&message("authority/receipt-head-seal/v1", head), verifier)
    }

    pub(super) fn is_of_line(&self, line: Head, verifier: &dyn SealVerifier) -> bool {
        self.is_of(&message(LINE_DOMAIN, line), verifier)
    }

    fn is_of(&self, message: &[u8], verifier: &dyn SealVerifier) -> bool {
        self.key_id == *verifier.key_id() && verifier.is_valid(message, &self.bytes)
    }

    /// The id of the key that made it.
    pub const fn key_id(&self) -> &Id<'static> {
        &self.key_id
    }

    pub(super) fn push_json(&self, out: &mut String) {
        out.push('{');
        push_word(out, "key_id", Some(self.key_id.as_str()));
        push_hex(out, "value", &self.bytes);
        out.push('}');
    }

    pub(super) fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut key_id = None;
        let mut bytes = None;
        reader.object(|reader, key| {
            match key {
                Key::KeyId => key_id = Some(reader.text::<Id<'_>>()?.into_owned()),
                Key::Value => {
                    let start = reader.start();
                    let hex = reader.string()?;
                    let mut value = vec![0; hex.len() / 2];
                    let is_seal = (SHORTEST..=LONGEST).contains(&value.len())
                        && digest::decode_hex(&hex, &mut value);
                    if !is_seal {
                        return Err(DecodeError::new(DecodeRule::Not("a seal"), start));
                    }
                    bytes = Some(value);
                }
            }
            Ok(())
        })?;
        let missing = |key: &'static str| reader.error(DecodeRule::MissingKey(key));
        Ok(Seal {
            key_id: key_id.ok_or_else(|| missing("key_id"))?,
            bytes: bytes.ok_or_else(|| missing("value"))?,
        })
    }
}

members! {
    enum Key {
        KeyId "key_id",
        Value "value",
    }
}

const SHORTEST: usize = 16;
const LONGEST: usize = 1_024;
const LINE_DOMAIN: &str = "authority/receipt-seal/v1";

fn message(domain: &'static str, head: Head) -> Vec<u8> {
    let mut out = String::from("{");
    push_word(&mut out, "domain", Some(domain));
    push_hex(&mut out, "hash", head.sha256.as_bytes());
    push_key(&mut out, "seq");
    push_number(&mut out, head.sequence);
    out.push('}');
    out.into_bytes()
}
