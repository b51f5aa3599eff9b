//! SHA-256 digests.

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::rule::{Rule, TextError};
use crate::text;

/// A SHA-256 digest. On the wire it is 64 lower-case hexadecimal digits; in the DSL and in text
/// meant for people it is `sha256:` and the same digits, which is what [`Display`](fmt::Display) gives.
#[derive(Clone, Copy, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Digest(Sha256::digest(bytes).into())
    }

    /// A digest that was computed elsewhere.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Digest(bytes)
    }

    /// The 32 bytes of the digest.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Parses the form of the wire: exactly 64 lower-case hexadecimal digits.
    ///
    /// # Errors
    ///
    /// [`Rule::NotCanonical`] for upper-case digits or a `sha256:` prefix, else [`Rule::Digest`].
    pub fn parse_hex(text: &str) -> Result<Self, TextError> {
        if let Some(digest) = Digest::of_hex(text) {
            return Ok(digest);
        }
        let bare = text
            .strip_prefix("sha256:")
            .unwrap_or(text)
            .to_ascii_lowercase();
        Err(refused(text, Digest::of_hex(&bare).map(Digest::to_hex)))
    }

    /// The digest of the wire with this text, if it is one.
    pub(crate) fn of_hex(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        decode_hex(text, &mut bytes).then_some(Digest(bytes))
    }

    /// Parses the form of the DSL: `sha256:` and exactly 64 lower-case hexadecimal digits.
    ///
    /// # Errors
    ///
    /// [`Rule::NotCanonical`] for upper-case digits or a missing prefix, else [`Rule::Digest`].
    pub fn parse(text: &str) -> Result<Self, TextError> {
        if let Some(digest) = text.strip_prefix("sha256:").and_then(Digest::of_hex) {
            return Ok(digest);
        }
        let lower = text.to_ascii_lowercase();
        let bare = lower.strip_prefix("sha256:").unwrap_or(&lower);
        Err(refused(
            text,
            Digest::of_hex(bare).map(|digest| digest.to_string()),
        ))
    }

    /// The form of the wire: 64 lower-case hexadecimal digits.
    pub fn to_hex(self) -> String {
        let mut hex = String::with_capacity(64);
        self.push_hex(&mut hex);
        hex
    }

    pub(crate) fn push_hex(self, out: &mut String) {
        push_hex(&self.0, out);
    }
}

const HEX: [u8; 16] = *b"0123456789abcdef";

/// Appends lower-case hexadecimal digits.
pub(crate) fn push_hex(bytes: &[u8], out: &mut String) {
    let mut hex = [0; 64];
    for part in bytes.chunks(hex.len() / 2) {
        let mut at = 0;
        // A plain loop: the macro runs without optimisation, and does this for every entry.
        while at < part.len() * 2 {
            let byte = part[at / 2];
            hex[at] = HEX[(byte >> 4) as usize];
            hex[at + 1] = HEX[(byte & 15) as usize];
            at += 2;
        }
        out.push_str(str::from_utf8(&hex[..at]).unwrap_or_default());
    }
}

/// Reads exactly so many bytes from lower-case hexadecimal digits. Says whether they are there.
pub(crate) fn decode_hex(text: &str, bytes: &mut [u8]) -> bool {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() || pairs.len() != bytes.len() {
        return false;
    }
    // Without a branch a digit: the upper half of the value says whether one is wrong.
    let mut all = 0;
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        let [high, low] = [high, low].map(|digit| VALUES[usize::from(*digit)]);
        all |= high | low;
        *byte = high << 4 | low;
    }
    all < 16
}

/// The value of each digit, and 255 for what is none.
const VALUES: [u8; 256] = {
    let mut values = [255; 256];
    let mut value = 0;
    while value < 16 {
        values[HEX[value as usize] as usize] = value;
        value += 1;
    }
    values
};

fn refused(text: &str, canonical: Option<String>) -> TextError {
    if let Err(error) = text::check("a digest", text, Rule::Digest) {
        return error;
    }
    match canonical {
        Some(canonical) => TextError::not_canonical("a digest", text, canonical),
        None => TextError::new(
            Rule::Digest,
            format!(
                "{} is not a SHA-256 digest: it is 64 lower-case hexadecimal digits",
                crate::rule::quoted(text)
            ),
            "write the digest of an immutable revision, as `sha256sum` prints it; a tag or a version can move",
        ),
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(71);
        text.push_str("sha256:");
        self.push_hex(&mut text);
        formatter.write_str(&text)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn forms() {
        let digest = Digest::of(b"");
        assert_eq!(digest.to_hex(), EMPTY);
        assert_eq!(digest.to_string(), format!("sha256:{EMPTY}"));
        assert_eq!(Digest::parse_hex(EMPTY).unwrap(), digest);
        assert_eq!(Digest::parse(&format!("sha256:{EMPTY}")).unwrap(), digest);
    }

    #[test]
    fn other_spellings_are_refused_and_corrected() {
        let upper = EMPTY.to_ascii_uppercase();
        for text in [upper.as_str(), &format!("sha256:{EMPTY}")] {
            let error = Digest::parse_hex(text).unwrap_err();
            assert_eq!(
                (error.rule(), error.suggestion()),
                (Rule::NotCanonical, Some(EMPTY))
            );
        }
        for text in [upper.as_str(), EMPTY, &format!("SHA256:{EMPTY}")] {
            let error = Digest::parse(text).unwrap_err();
            let canonical = format!("sha256:{EMPTY}");
            assert_eq!(
                (error.rule(), error.suggestion()),
                (Rule::NotCanonical, Some(canonical.as_str()))
            );
        }
        for text in [
            "",
            "v45",
            "sha256:",
            &EMPTY[1..],
            "é",
            &EMPTY.replace('e', "g"),
        ] {
            assert_eq!(
                Digest::parse_hex(text).unwrap_err().rule(),
                Rule::Digest,
                "{text}"
            );
            assert_eq!(
                Digest::parse(text).unwrap_err().rule(),
                Rule::Digest,
                "{text}"
            );
        }
    }
}
