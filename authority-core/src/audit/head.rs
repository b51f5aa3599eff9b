//! The end of a chain.

use std::fmt;

use crate::digest::Digest;

/// The end of a chain: the number of its last line, and that line's hash.
///
/// Stored where whoever writes the file cannot write, it is an *anchor*: `verify` then finds every
/// change before it, and a tail that was cut. It prints as `NUMBER:DIGEST`.
///
/// ```
/// use authority_core::audit::Head;
///
/// let head = Head::parse(&format!("5:{}", "ab".repeat(32))).expect("a head");
/// assert_eq!(head.sequence, 5);
/// assert_eq!(Head::parse("5"), None);
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Head {
    /// The number of the last line, counted from 1; 0 when there is none.
    pub sequence: u64,
    /// The hash of the last line; zeros when there is none.
    pub sha256: Digest,
}

impl Head {
    /// The head of a chain without a line.
    pub const EMPTY: Head = Head {
        sequence: 0,
        sha256: Digest::from_bytes([0; 32]),
    };

    /// Parses `NUMBER:DIGEST`: plain digits, and 64 lower-case hexadecimal ones.
    pub fn parse(text: &str) -> Option<Self> {
        let (number, hex) = text.split_once(':')?;
        let head = Head {
            sequence: number.parse().ok()?,
            sha256: Digest::parse_hex(hex).ok()?,
        };
        (head.to_string() == text).then_some(head)
    }
}

impl fmt::Display for Head {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.sequence, self.sha256.to_hex())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text() {
        let zeros = "0".repeat(64);
        assert_eq!(Head::EMPTY.to_string(), format!("0:{zeros}"));
        assert_eq!(Head::parse(&format!("0:{zeros}")), Some(Head::EMPTY));
        for bad in [
            "",
            ":",
            "1:",
            "01:",
            "+1:",
            " 1:",
            "1:sha256:",
            "18446744073709551616:",
        ] {
            assert_eq!(
                Head::parse(&format!("{bad}{zeros}")).filter(|_| bad != "1:"),
                None,
                "{bad}"
            );
        }
        assert_eq!(Head::parse(&format!("1:{zeros}0")), None);
    }
}
