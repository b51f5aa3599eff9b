//! Where a store goes on in a chain that another process left.

use crate::audit::{Broken, Content, Head, Verifier};
use crate::json::{self, DecodeRule};

/// Where a chain goes on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Resumption {
    /// The head that the next line follows.
    pub head: Head,
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
    /// Verifies a chain, and finds where it goes on. A tail without a line feed is torn, and so is a
    /// line that was cut short and closed by a writer that was stopped before it could note that.
    ///
    /// # Errors
    ///
    /// The first bad line, when it is no part of a torn tail; or when the chain ends before the
    /// anchor.
    pub fn of(bytes: &[u8], anchor: Option<Head>) -> Result<Self, Broken> {
        let anchored = || anchor.map_or_else(Verifier::new, |head| Verifier::new().with_head(head));
        let broken = match anchored().verify(bytes) {
            Ok(verified) => {
                let head = verified.head();
                return Ok(Resumption { head, torn: None });
            }
            Err(broken) => broken,
        };
        let good = usize::try_from(broken.line() - 1).unwrap_or(usize::MAX);
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let start: usize = lines.take(good).map(<[u8]>::len).sum();
        let tail = &bytes[start..];
        let closed = tail.split_inclusive(|byte| *byte == b'\n');
        let mut closed = closed.filter_map(|line| line.strip_suffix(b"\n"));
        if tail.is_empty() || !closed.all(is_cut_short) {
            return Err(broken);
        }
        let mut head = broken.before().head();
        if !tail.contains(&b'\n') {
            // Perhaps nothing but the line feed is missing.
            let mut whole = Verifier::new();
            whole.push(bytes);
            whole.push(b"\n");
            if let Ok(verified) = whole.finish() {
                head = verified.head();
            }
        }
        if anchor.is_some_and(|anchor| anchor.sequence > head.sequence) {
            return Err(broken);
        }
        let without_end = tail.strip_suffix(b"\n");
        let torn = TornTail {
            content: Content::of(without_end.unwrap_or(tail)),
            has_end: without_end.is_some(),
        };
        Ok(Resumption {
            head,
            torn: Some(torn),
        })
    }
}

/// Whether it is the start of a line that goes no further, perhaps with zeros where a disk has not
/// written. A whole line that was edited is not.
fn is_cut_short(line: &[u8]) -> bool {
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
