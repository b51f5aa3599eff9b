//! Seals that can be verified without the key that makes them.

use std::fmt;

use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};

use crate::audit::{AuditError, SealVerifier, Sealer};
use crate::id::Id;

/// Seals with Ed25519 (RFC 8032). Only who has the secret key can make a seal; whoever has the public
/// one can verify it, with an [`Ed25519Verifier`].
///
/// ```
/// use authority_core::Id;
/// use authority_core::audit::{Ed25519Sealer, Head, LineWriter, Verifier};
///
/// // 32 bytes, made at random and kept secret.
/// let secret = [7; 32];
/// let sealer = Ed25519Sealer::new(Id::parse("audit-1")?.into_owned(), &secret);
/// let verifier = sealer.verifier();
/// let writer = LineWriter::after(Head::EMPTY).with_sealer(sealer);
/// assert!(Verifier::new().with_seals(&verifier).verify(b"")?.head() == writer.head());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Ed25519Sealer {
    key_id: Id<'static>,
    key: SigningKey,
}

/// Verifies the seals of an [`Ed25519Sealer`].
#[derive(Clone)]
pub struct Ed25519Verifier {
    key_id: Id<'static>,
    key: VerifyingKey,
}

/// Bytes that are no public key, or one under which anything verifies.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the bytes are no public key of Ed25519")]
pub struct Ed25519KeyError;

impl Ed25519Sealer {
    /// A sealer with this secret key: 32 bytes, made at random and kept where whoever writes the
    /// stores cannot read it.
    pub fn new(key_id: Id<'static>, secret: &[u8; 32]) -> Self {
        let key = SigningKey::from_bytes(secret);
        Ed25519Sealer { key_id, key }
    }

    /// What verifies its seals.
    pub fn verifier(&self) -> Ed25519Verifier {
        Ed25519Verifier {
            key_id: self.key_id.clone(),
            key: self.key.verifying_key(),
        }
    }
}

impl Sealer for Ed25519Sealer {
    fn key_id(&self) -> &Id<'static> {
        &self.key_id
    }

    fn seal(&self, message: &[u8]) -> Result<Vec<u8>, AuditError> {
        let signature = self.key.try_sign(message).map_err(|_| AuditError::Seal)?;
        Ok(signature.to_bytes().to_vec())
    }
}

impl fmt::Debug for Ed25519Sealer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Ed25519Sealer({})", self.key_id)
    }
}

impl Ed25519Verifier {
    /// A verifier with this public key.
    ///
    /// # Errors
    ///
    /// When the bytes are no point of the curve, or one of small order.
    pub fn new(key_id: Id<'static>, public: &[u8; 32]) -> Result<Self, Ed25519KeyError> {
        let key = VerifyingKey::from_bytes(public).map_err(|_| Ed25519KeyError)?;
        if key.is_weak() {
            return Err(Ed25519KeyError);
        }
        Ok(Ed25519Verifier { key_id, key })
    }

    /// The public key, to be given to who verifies.
    pub fn public_key(&self) -> [u8; 32] {
        self.key.to_bytes()
    }
}

impl SealVerifier for Ed25519Verifier {
    fn key_id(&self) -> &Id<'static> {
        &self.key_id
    }

    /// Strictly: a signature has one form, and its points are of the whole group.
    fn is_valid(&self, message: &[u8], seal: &[u8]) -> bool {
        let signature = Signature::from_slice(seal);
        signature.is_ok_and(|signature| self.key.verify_strict(message, &signature).is_ok())
    }
}

impl fmt::Debug for Ed25519Verifier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Ed25519Verifier({})", self.key_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{BadLine, Head, LineWriter, Record, Seal, Verifier, verify};
    use crate::digest::{decode_hex, push_hex};
    use crate::policy::ThreadIdentity;
    use crate::vocabulary::OutcomeCode;

    fn bytes<const N: usize>(hex: &str) -> [u8; N] {
        let mut bytes = [0; N];
        assert!(decode_hex(hex, &mut bytes));
        bytes
    }

    fn id(text: &'static str) -> Id<'static> {
        Id::parse(text).unwrap()
    }

    /// RFC 8032, 7.1, tests 1 and 2.
    #[test]
    fn signatures_are_the_standard_ones() {
        for (secret, public, message, signature) in [
            (
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
                &b""[..],
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
            ),
            (
                "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
                &[0x72],
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
            ),
        ] {
            let sealer = Ed25519Sealer::new(id("audit-1"), &bytes(secret));
            let verifier = Ed25519Verifier::new(id("audit-1"), &bytes(public)).unwrap();
            assert_eq!(sealer.verifier().public_key(), verifier.public_key());
            let seal = sealer.seal(message).unwrap();
            let mut hex = String::new();
            push_hex(&seal, &mut hex);
            assert_eq!(hex, signature);
            assert!(verifier.is_valid(message, &seal));
            assert!(!verifier.is_valid(b"other", &seal));
            assert!(!verifier.is_valid(message, &seal[..63]));
            for at in 0..64 {
                let mut bad = seal.clone();
                bad[at] ^= 1;
                assert!(!verifier.is_valid(message, &bad), "byte {at}");
            }
        }
    }

    #[test]
    fn foreign_public_keys_are_refused() {
        // No point of the curve; then the neutral one, under which anything verifies.
        let mut no_point = [0; 32];
        no_point[0] = 2;
        let mut neutral = [0; 32];
        neutral[0] = 1;
        for public in [no_point, neutral] {
            let verifier = Ed25519Verifier::new(id("audit-1"), &public);
            assert_eq!(verifier.unwrap_err(), Ed25519KeyError);
        }
    }

    #[test]
    fn lines_and_heads() {
        let sealer = Ed25519Sealer::new(id("audit-1"), &[7; 32]);
        let verifier = sealer.verifier();
        let thread = ThreadIdentity::root("alice", "checkout", "run-42").unwrap();
        let at = crate::Timestamp::parse("2031-03-04T10:30:00Z").unwrap();
        let record = Record::new(OutcomeCode::Denied, &thread, at);
        let mut writer = LineWriter::after(Head::EMPTY).with_sealer(sealer.clone());
        let line = writer.line(&record).unwrap();
        let by = |verifier: &Ed25519Verifier| {
            Verifier::new().with_seals(verifier).verify(line.as_bytes())
        };
        assert_eq!(by(&verifier).unwrap().head(), line.head());
        assert!(verify(line.as_bytes()).is_ok());
        let other_key = Ed25519Sealer::new(id("audit-1"), &[8; 32]).verifier();
        let other_id = Ed25519Sealer::new(id("audit-2"), &[7; 32]).verifier();
        for other in [other_key, other_id] {
            assert_eq!(by(&other).unwrap_err().reason(), BadLine::Seal);
        }
        let seal = Seal::of_head(&sealer, line.head()).unwrap();
        assert!(seal.is_of_head(line.head(), &verifier));
        assert!(!seal.is_of_head(Head::EMPTY, &verifier));
    }

    #[test]
    fn secrets_are_not_printed() {
        let sealer = Ed25519Sealer::new(id("audit-1"), &[7; 32]);
        assert_eq!(format!("{sealer:?}"), "Ed25519Sealer(audit-1)");
        let verifier = sealer.verifier();
        assert_eq!(format!("{verifier:?}"), "Ed25519Verifier(audit-1)");
    }
}
