//! Lines: how a record becomes one of the chain.

use sha2::{Digest as _, Sha256};

use crate::audit::json::push_number;
use crate::audit::sealer::{Seal, Sealer};
use crate::audit::{AuditError, Entry, Head, Record};
use crate::canonical::push_key;
use crate::digest::Digest;
use crate::mac::MacKey;

/// Bytes that a line may have, with its line feed.
pub(super) const LONGEST_LINE: usize = 1 << 20;

const HASH_KEY: &str = r#"{"hash":""#;
const HASH_DOMAIN: &[u8] = br#"{"domain":"authority/receipt/v1","#;

/// Makes the lines of a chain, one after the other: what a store writes.
///
/// ```
/// use authority_core::audit::{Head, LineWriter, Record, verify};
/// use authority_core::vocabulary::OutcomeCode;
/// use authority_core::{ThreadIdentity, Timestamp};
///
/// let thread = ThreadIdentity::root("alice", "checkout", "run-42")?;
/// let at = Timestamp::parse("2031-03-04T10:30:00Z")?;
/// let mut writer = LineWriter::after(Head::EMPTY);
/// let line = writer.line(&Record::new(OutcomeCode::Denied, &thread, at))?;
/// assert_eq!(verify(line.as_bytes())?.head(), line.head());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LineWriter {
    head: Head,
    key: Option<MacKey>,
    sealer: Option<Box<dyn Sealer>>,
}

/// A line that is not in the chain yet.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Line {
    text: String,
    head: Head,
}

impl Line {
    /// The line, with its line feed.
    pub fn as_bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// The head of the chain that ends in this line.
    pub const fn head(&self) -> Head {
        self.head
    }
}

impl LineWriter {
    /// Makes the lines behind this head.
    pub const fn after(head: Head) -> Self {
        LineWriter {
            head,
            key: None,
            sealer: None,
        }
    }

    /// The same with HMACs under this key in place of the plain digests of contents.
    #[must_use]
    pub fn with_key(mut self, key: MacKey) -> Self {
        self.key = Some(key);
        self
    }

    /// The same with a seal on every line.
    #[must_use]
    pub fn with_sealer(mut self, sealer: impl Sealer + 'static) -> Self {
        self.sealer = Some(Box::new(sealer));
        self
    }

    /// The head of the chain so far.
    pub const fn head(&self) -> Head {
        self.head
    }

    /// The next line. From then on it is the end of the chain: a store that does not get it down
    /// takes no more.
    ///
    /// # Errors
    ///
    /// `TooLong`, `Seal`. The end of the chain is then where it was.
    pub fn line(&mut self, record: &Record) -> Result<Line, AuditError> {
        let (key, mut out) = (self.key.as_ref(), self.opened());
        record.push_json(&mut out, key);
        self.close(out)
    }

    /// The line that closes a torn one.
    ///
    /// # Errors
    ///
    /// `TooLong`, `Seal`.
    pub fn recovered(&mut self, torn: crate::audit::Content) -> Result<Line, AuditError> {
        let mut out = self.opened();
        Entry::Recovered(torn).push_json(&mut out);
        self.close(out)
    }

    /// A line up to its record, with a hash of zeros.
    fn opened(&self) -> String {
        let mut out = String::with_capacity(2_048);
        open(&mut out, self.head.sha256);
        out
    }

    fn close(&mut self, mut out: String) -> Result<Line, AuditError> {
        let sequence = self
            .head
            .sequence
            .checked_add(1)
            .ok_or(AuditError::TooLong)?;
        if let Some(sealer) = &self.sealer {
            let unsealed = hash(&out, sequence);
            let seal = Seal::of_line(
                sealer.as_ref(),
                Head {
                    sequence,
                    sha256: unsealed,
                },
            );
            push_key(&mut out, "seal");
            seal?.push_json(&mut out);
        }
        let head = finish(&mut out, sequence);
        out.push('\n');
        if out.len() > LONGEST_LINE {
            return Err(AuditError::TooLong);
        }
        self.head = head;
        Ok(Line { text: out, head })
    }
}

/// Begins a line: a place for its hash, the one before it, and the key of the record.
pub(super) fn open(out: &mut String, prev: Digest) {
    out.push_str(HASH_KEY);
    Head::EMPTY.sha256.push_hex(out);
    out.push_str(r#"","prev":""#);
    prev.push_hex(out);
    out.push_str(r#"","record":"#);
}

/// Ends a line with its number, and puts its hash in place.
pub(super) fn finish(out: &mut String, sequence: u64) -> Head {
    push_key(out, "seq");
    push_number(out, sequence);
    out.push('}');
    let mut hasher = Sha256::new();
    hasher.update(HASH_DOMAIN);
    hasher.update(&out.as_bytes()[HASHED_FROM..]);
    let sha256 = Digest::from_bytes(hasher.finalize().into());
    out.replace_range(HASH_KEY.len()..HASHED_FROM - 2, &sha256.to_hex());
    Head { sequence, sha256 }
}

/// The hash that a line would have if it ended here with this number.
pub(super) fn hash(open: &str, sequence: u64) -> Digest {
    finish(&mut open.to_owned(), sequence).sha256
}

/// Where `"prev"` stands in a line: from there on all is hashed.
const HASHED_FROM: usize = HASH_KEY.len() + 64 + 2;
