//! HMAC-SHA-256 (RFC 2104) under a key of the host.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::digest::Digest;

/// A key of the host for HMAC-SHA-256: at least 32 bytes, made at random and kept where whoever
/// writes the stores cannot read it. `Debug` shows nothing of it.
///
/// ```
/// use authority_core::MacKey;
///
/// let key = MacKey::new(&[7; 32])?;
/// assert!(MacKey::new(b"password").is_err());
/// # Ok::<(), authority_core::MacKeyError>(())
/// ```
#[derive(Clone)]
pub struct MacKey(Hmac<Sha256>);

/// A key that is too short to be one.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("a key has at least {} bytes, made at random", MacKey::SHORTEST)]
pub struct MacKeyError;

impl MacKey {
    /// The least bytes that a key has.
    pub const SHORTEST: usize = 32;

    /// A key of these bytes.
    ///
    /// # Errors
    ///
    /// When they are fewer than 32.
    pub fn new(bytes: &[u8]) -> Result<Self, MacKeyError> {
        if bytes.len() < Self::SHORTEST {
            return Err(MacKeyError);
        }
        let mac = Hmac::new_from_slice(bytes).map_err(|_| MacKeyError)?;
        Ok(MacKey(mac))
    }

    /// The MAC of a message.
    pub(crate) fn tag(&self, message: &[u8]) -> Digest {
        let mac = self.0.clone().chain_update(message);
        Digest::from_bytes(mac.finalize().into_bytes().into())
    }

    /// Whether this is the MAC of the message, compared in constant time.
    pub(crate) fn is_tag(&self, message: &[u8], tag: &[u8]) -> bool {
        let mac = self.0.clone().chain_update(message);
        mac.verify_slice(tag).is_ok()
    }
}

impl fmt::Debug for MacKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("MacKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags() {
        // RFC 4231, test case 6: a key of 131 bytes.
        let key = MacKey::new(&[0xaa; 131]).unwrap();
        let message = b"Test Using Larger Than Block-Size Key - Hash Key First";
        let tag = "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54";
        assert_eq!(key.tag(message).to_hex(), tag);

        assert!(key.is_tag(message, key.tag(message).as_bytes()));
        assert!(!key.is_tag(b"other", key.tag(message).as_bytes()));
        assert!(!key.is_tag(message, &key.tag(message).as_bytes()[..31]));
        assert!(!key.is_tag(message, b""));
        let other = MacKey::new(&[0xab; 131]).unwrap();
        assert!(!other.is_tag(message, key.tag(message).as_bytes()));
    }

    #[test]
    fn short_keys() {
        assert_eq!(MacKey::new(&[1; 31]).unwrap_err(), MacKeyError);
        assert_eq!(
            format!("{:?}", MacKey::new(&[1; 32]).unwrap()),
            "MacKey(..)"
        );
    }
}
