//! The words that a record may hold: outcome codes, and codes from the source of a program.

use std::fmt;

use crate::json::DecodeRule;
use crate::ledger::LedgerDenial;
use crate::text::Text;
use crate::vocabulary::{DenyReason, OutcomeCode, RevalidationReason};

impl OutcomeCode {
    /// Whether it ends what was started under the same operation id: `completed`, `failed`,
    /// `cancelled` and `abandoned`. What was started and has no such end is *unknown*.
    pub const fn is_end(self) -> bool {
        matches!(
            self,
            OutcomeCode::Completed
                | OutcomeCode::Failed
                | OutcomeCode::Cancelled
                | OutcomeCode::Abandoned
        )
    }
}

/// A word that stands in the source of a program: a reason, or what an executor says of its end. It
/// is `[a-z][a-z0-9_]{0,63}` and never made from text that a program meets at run time, so that no
/// content gets into a record.
///
/// ```
/// use authority_core::audit::Code;
///
/// const TIMED_OUT: Code = Code::new("timed_out").unwrap();
/// assert_eq!(TIMED_OUT.as_str(), "timed_out");
/// assert_eq!(Code::new("No such file: /etc/shadow"), None);
/// ```
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Code(Text<'static>);

impl Code {
    /// A code with this text; `None` when it is not of the form of one.
    pub const fn new(text: &'static str) -> Option<Self> {
        if is_code(text.as_bytes()) {
            Some(Code(Text::Borrowed(text)))
        } else {
            None
        }
    }

    /// A word of the crate's own, which is of the form.
    pub(crate) const fn of_word(text: &'static str) -> Self {
        Code(Text::Borrowed(text))
    }

    pub(super) fn decode(text: &str) -> Result<Self, DecodeRule> {
        if is_code(text.as_bytes()) {
            Ok(Code(Text::Shared(text.into())))
        } else {
            Err(DecodeRule::Not("a code, as `timed_out`"))
        }
    }

    /// The code's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The longest code, in bytes.
const LONGEST: usize = 64;

const fn is_code(text: &[u8]) -> bool {
    let [b'a'..=b'z', ..] = text else {
        return false;
    };
    let mut at = 1;
    while at < text.len() {
        if !matches!(text[at], b'a'..=b'z' | b'0'..=b'9' | b'_') {
            return false;
        }
        at += 1;
    }
    text.len() <= LONGEST
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl From<DenyReason> for Code {
    fn from(reason: DenyReason) -> Self {
        Code::of_word(reason.name())
    }
}

impl From<RevalidationReason> for Code {
    fn from(reason: RevalidationReason) -> Self {
        Code::of_word(reason.name())
    }
}

impl From<&LedgerDenial> for Code {
    fn from(denial: &LedgerDenial) -> Self {
        Code::of_word(denial.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes() {
        let longest = "a".repeat(64);
        for text in ["a", "http_502", "t0", &longest] {
            let code = Code::decode(text).unwrap();
            assert_eq!(code.as_str(), text);
        }
        let long = "a".repeat(65);
        for text in ["", "A", "_a", "1a", "a-b", "a b", "a.b", "é", "a\n", &long] {
            assert!(Code::decode(text).is_err(), "{text}");
        }
        assert_eq!(Code::new("timed_out"), Some(Code::of_word("timed_out")));
        assert_eq!(Code::new("timed out"), None);
    }

    #[test]
    fn words_are_codes() {
        let outcomes = OutcomeCode::ALL.iter().map(|code| code.name());
        let denials = DenyReason::ALL.iter().map(|reason| reason.name());
        let stale = RevalidationReason::ALL.iter().map(|reason| reason.name());
        for word in outcomes.chain(denials).chain(stale) {
            assert!(Code::new(word).is_some(), "{word}");
        }
    }

    #[test]
    fn ends() {
        let ends = OutcomeCode::ALL.iter().filter(|code| code.is_end());
        let names: Vec<_> = ends.map(|code| code.name()).collect();
        assert_eq!(names, ["completed", "failed", "cancelled", "abandoned"]);
    }
}
