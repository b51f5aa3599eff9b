//! What a record says of a content: its size and a digest.

use std::fmt;

use crate::canonical::push_key;
use crate::digest::Digest;
use crate::json::{DecodeError, DecodeRule, Reader, members};
use crate::mac::MacKey;

/// What a record says of a message, a path or arguments: how many bytes, and a digest of them.
///
/// Whoever reads a plain SHA-256 can guess a content that is one of few. A store with a key writes
/// an HMAC instead, which only the key's holder can compare with a guess. The size stands there in
/// both cases.
///
/// ```
/// use authority_core::audit::Content;
///
/// let content = Content::of(b"permission denied");
/// assert_eq!(content.size(), 17);
/// assert!(content.is_of(b"permission denied", None));
/// ```
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
pub struct Content {
    size: u64,
    digest: ContentDigest,
}

#[derive(Clone, Copy, Eq, Hash, PartialEq)]
enum ContentDigest {
    Sha256(Digest),
    HmacSha256(Digest),
}

impl Content {
    /// What is said of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Content::of_digest(bytes.len() as u64, Digest::of(bytes))
    }

    /// What is said of bytes whose size and SHA-256 are known.
    pub const fn of_digest(size: u64, sha256: Digest) -> Self {
        Content {
            size,
            digest: ContentDigest::Sha256(sha256),
        }
    }

    /// How many bytes it has.
    pub const fn size(self) -> u64 {
        self.size
    }

    /// The SHA-256 of the bytes; `None` when an HMAC stands in its place.
    pub const fn sha256(self) -> Option<Digest> {
        match self.digest {
            ContentDigest::Sha256(digest) => Some(digest),
            ContentDigest::HmacSha256(_) => None,
        }
    }

    /// The same with an HMAC in place of a plain digest.
    #[must_use]
    pub fn keyed(self, key: &MacKey) -> Self {
        let digest = match self.digest {
            ContentDigest::Sha256(digest) => ContentDigest::HmacSha256(key.tag(&message(digest))),
            keyed @ ContentDigest::HmacSha256(_) => keyed,
        };
        Content { digest, ..self }
    }

    /// Whether it is said of these bytes. Without the key nothing is known of what has an HMAC.
    pub fn is_of(self, bytes: &[u8], key: Option<&MacKey>) -> bool {
        self.size == bytes.len() as u64
            && match (self.digest, key) {
                (ContentDigest::Sha256(digest), _) => digest == Digest::of(bytes),
                (ContentDigest::HmacSha256(tag), Some(key)) => {
                    key.is_tag(&message(Digest::of(bytes)), tag.as_bytes())
                }
                (ContentDigest::HmacSha256(_), None) => false,
            }
    }

    pub(super) fn push_json(self, out: &mut String) {
        let (key, digest) = match self.digest {
            ContentDigest::Sha256(digest) => ("sha256", digest),
            ContentDigest::HmacSha256(digest) => ("hmac_sha256", digest),
        };
        out.push('{');
        push_key(out, key);
        out.push('"');
        digest.push_hex(out);
        out.push('"');
        push_key(out, "size");
        super::json::push_number(out, self.size);
        out.push('}');
    }

    pub(super) fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut digest = None;
        let mut size = None;
        reader.object(|reader, key| {
            let second = match (key, digest) {
                (Key::HmacSha256, None) => {
                    digest = Some(ContentDigest::HmacSha256(reader.text()?));
                    false
                }
                (Key::Sha256, None) => {
                    digest = Some(ContentDigest::Sha256(reader.text()?));
                    false
                }
                (Key::Size, _) => {
                    size = Some(reader.integer(0..=u64::MAX)?);
                    false
                }
                _ => true,
            };
            if second {
                let rule = DecodeRule::ExclusiveKeys("hmac_sha256", "sha256");
                return Err(reader.error(rule));
            }
            Ok(())
        })?;
        let missing = |key: &'static str| reader.error(DecodeRule::MissingKey(key));
        Ok(Content {
            digest: digest.ok_or_else(|| missing("sha256"))?,
            size: size.ok_or_else(|| missing("size"))?,
        })
    }
}

members! {
    enum Key {
        HmacSha256 "hmac_sha256",
        Sha256 "sha256",
        Size "size",
    }
}

/// What the HMAC covers.
fn message(sha256: Digest) -> Vec<u8> {
    let mut message = String::with_capacity(128);
    message.push_str(r#"{"domain":"authority/receipt-content/v1","sha256":""#);
    sha256.push_hex(&mut message);
    message.push_str("\"}");
    message.into_bytes()
}

impl fmt::Debug for Content {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, digest) = match self.digest {
            ContentDigest::Sha256(digest) => ("sha256", digest),
            ContentDigest::HmacSha256(digest) => ("hmac_sha256", digest),
        };
        formatter
            .debug_struct("Content")
            .field("size", &self.size)
            .field(name, &digest)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(json: &str) -> Result<Content, DecodeError> {
        crate::json::decode(json, Content::decode)
    }

    #[test]
    fn plain_and_keyed() {
        let plain = Content::of(b"abc");
        let mut json = String::new();
        plain.push_json(&mut json);
        assert_eq!(
            json,
            r#"{"sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","size":3}"#
        );
        assert_eq!(decoded(&json), Ok(plain));

        let key = MacKey::new(&[1; 32]).unwrap();
        let keyed = plain.keyed(&key);
        assert_eq!((keyed.sha256(), keyed.keyed(&key)), (None, keyed));
        let mut json = String::new();
        keyed.push_json(&mut json);
        assert!(json.starts_with(r#"{"hmac_sha256":""#) && !json.contains("ba7816bf"));
        assert_eq!(decoded(&json), Ok(keyed));

        assert!(keyed.is_of(b"abc", Some(&key)));
        assert!(!keyed.is_of(b"abd", Some(&key)));
        assert!(!keyed.is_of(b"abc", None));
        assert!(!keyed.is_of(b"abc", MacKey::new(&[2; 32]).ok().as_ref()));
        assert!(plain.is_of(b"abc", Some(&key)) && plain.is_of(b"abc", None));
    }

    #[test]
    fn one_digest() {
        let hex = Digest::of(b"").to_hex();
        for (json, rule) in [
            (
                format!(r#"{{"hmac_sha256":"{hex}","sha256":"{hex}","size":0}}"#),
                DecodeRule::ExclusiveKeys("hmac_sha256", "sha256"),
            ),
            (r#"{"size":0}"#.into(), DecodeRule::MissingKey("sha256")),
            (
                format!(r#"{{"sha256":"{hex}"}}"#),
                DecodeRule::MissingKey("size"),
            ),
        ] {
            assert_eq!(decoded(&json).unwrap_err().rule(), rule, "{json}");
        }
    }
}
