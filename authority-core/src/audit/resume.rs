//! Where a store goes on in a chain that another process left.

use crate::audit::chain::LONGEST_LINE;
use crate::audit::{Attempts, Broken, Content, Head, Verifier};
use crate::json::{self, DecodeRule};

/// Where a chain goes on.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Resumption {
    /// The head that the next line follows.
    pub head: Head,
    /// What did not complete.
    pub attempts: Attempts,
    /// What has to be closed first.
    pub torn: Option<TornTail>,
}

/// What a writer left behind the last good line when it was stopped.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct TornTail {
    /// Size and digest of its bytes, without a line feed at their end.
    pub content: Content,
    /// Whether a line feed stands at their end already.
    pub has_end: bool,
}

impl Resumption {
    /// Finds where a chain goes on that is here as a whole: see [`Verifier::resume`].
    ///
    /// # Errors
    ///
    /// Those of [`Verifier::resume`].
    pub fn of(bytes: &[u8], anchor: Option<Head>) -> Result<Self, Broken> {
        let mut verifier =
            anchor.map_or_else(Verifier::new, |head| Verifier::new().with_head(head));
        verifier.push(bytes);
        verifier.resume()
    }
}

/// Whether it is the start of a line that goes no further, perhaps with zeros where a disk has not
/// written. A whole line that was edited is not.
pub(super) fn is_cut_short(line: &[u8]) -> bool {
    if line.len() > LONGEST_LINE {
        return false;
    }
    let zeros = line.iter().rev().take_while(|byte| **byte == 0).count();
    let Ok(text) = str::from_utf8(&line[..line.len() - zeros]) else {
        return false;
    };
    // No string of a line holds a sign that stands between strings: where one does, a quote was
    // edited.
    let is_in_string = text.matches('"').count() % 2 == 1;
    let last = text.rsplit('"').next().unwrap_or_default();
    if is_in_string && last.contains(['{', '}', '[', ']', ',']) {
        return false;
    }
    let error = json::decode(text, json::Reader::skip).err();
    let ended = |error: &json::DecodeError| {
        matches!(error.rule(), DecodeRule::Syntax(_)) && error.offset() == text.len()
    };
    let begins = text.is_empty() || text.starts_with('{');
    !line.is_empty() && begins && error.as_ref().is_some_and(ended)
}
