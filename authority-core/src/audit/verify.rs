//! Whether a chain is what was written.

use std::collections::HashMap;
use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::audit::chain::{self, LONGEST_LINE};
use crate::audit::json::READ_VERSIONS;
use crate::audit::resume::is_cut_short;
use crate::audit::sealer::{Seal, SealVerifier};
use crate::audit::{Attempts, Content, Entry, Head, Record, Resumption, TornTail};
use crate::digest::Digest;
use crate::id::Id;
use crate::json::{self, DecodeError, Member as _, Reader, members};
use crate::policy::ThreadIdentity;
use crate::vocabulary::OutcomeCode;

/// Verifies a whole chain without an anchor. Accidents are found; that a tail was cut at the end of
/// a line is not, and a rewritten chain is not either. See [`Verifier`] for both.
///
/// # Errors
///
/// The first bad line.
pub fn verify(bytes: &[u8]) -> Result<Verified, Broken> {
    Verifier::new().verify(bytes)
}

/// Verifies a chain, line by line.
///
/// ```
/// use authority_core::audit::{BadLine, Head, Verifier};
///
/// let anchor = Head::parse(&format!("5:{}", "ab".repeat(32))).expect("a head");
/// let broken = Verifier::new().with_head(anchor).verify(b"").unwrap_err();
/// assert_eq!(broken.reason(), BadLine::TailCut);
/// assert!(!Verifier::new().verify(b"")?.excludes_a_cut());
/// # Ok::<(), authority_core::audit::Broken>(())
/// ```
#[derive(Default)]
pub struct Verifier<'v> {
    anchor: Option<Head>,
    seals: Vec<&'v dyn SealVerifier>,
    must_be_sealed: bool,
    verified: Verified,
    open: HashMap<(ThreadIdentity, Id<'static>), Vec<u64>>,
    attempts: Attempts,
    anchor_is_met: bool,
    /// A line that is not of the chain, and all since.
    bad: Option<BadTail>,
    /// What the line before says of itself, for a note that it was torn.
    last_line: Option<Content>,
    lines: u64,
    /// The start of a line whose end is still to come.
    partial: Vec<u8>,
}

struct BadTail {
    line: u64,
    reason: BadLine,
    hasher: Sha256,
    size: u64,
    /// Whether a writer that was stopped can have left each of its lines.
    is_cut_short: bool,
}

impl BadTail {
    /// Size and digest of its lines, without the last line feed.
    fn content(&self) -> Content {
        let sha256 = Digest::from_bytes(self.hasher.clone().finalize().into());
        Content::of_digest(self.size, sha256)
    }
}

/// What is known of a chain whose lines are good.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Verified {
    head: Head,
    unknown: Vec<UnknownOperation>,
    recovered: Vec<Recovered>,
    undecoded: u64,
    excludes_a_cut: bool,
}

/// A line that was verified and joined the chain.
#[derive(Clone, Copy, Debug)]
pub struct VerifiedLine<'l> {
    head: Head,
    record: &'l str,
    entry: Option<&'l Entry>,
    is_sealed: bool,
}

/// An operation that was started and has no end: nobody knows whether its effect happened.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UnknownOperation {
    /// The operation's id.
    pub operation_id: Id<'static>,
    /// Whose it is.
    pub thread: ThreadIdentity,
    /// The number of the record that says that it started.
    pub started: u64,
}

/// A torn line that was closed: bytes that are in the file and no part of the chain.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Recovered {
    /// The number of the record that says so.
    pub sequence: u64,
    /// Size and digest of the bytes.
    pub torn: Content,
}

impl Verified {
    /// The end of the chain: what to compare with an anchor, or to store as one.
    pub const fn head(&self) -> Head {
        self.head
    }

    /// The operations without an end, in the order in which they started.
    pub fn unknown(&self) -> &[UnknownOperation] {
        &self.unknown
    }

    /// The torn lines that were closed.
    pub fn recovered(&self) -> &[Recovered] {
        &self.recovered
    }

    /// How many lines hold a record of a version that is not decoded here. They were verified by
    /// their bytes, and an operation that starts or ends in one is not followed.
    pub const fn undecoded(&self) -> u64 {
        self.undecoded
    }

    /// Whether an anchor shows that nothing up to it was cut off. Without one, a tail that was cut at
    /// the end of a line cannot be excluded.
    pub const fn excludes_a_cut(&self) -> bool {
        self.excludes_a_cut
    }
}

impl Default for Verified {
    fn default() -> Self {
        Verified {
            head: Head::EMPTY,
            unknown: Vec::new(),
            recovered: Vec::new(),
            undecoded: 0,
            excludes_a_cut: false,
        }
    }
}

impl<'l> VerifiedLine<'l> {
    /// The end of the chain with this line: its number and hash.
    pub const fn head(&self) -> Head {
        self.head
    }

    /// What stands in it, as JSON.
    pub const fn record(&self) -> &'l str {
        self.record
    }

    /// What stands in it; `None` for a record of a version that is not decoded here.
    pub const fn entry(&self) -> Option<&'l Entry> {
        self.entry
    }

    /// Whether it has a seal, which is valid where the verifier was given keys.
    pub const fn is_sealed(&self) -> bool {
        self.is_sealed
    }
}

/// A chain that is not what was written.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("line {line} of the audit is bad: {reason}")]
pub struct Broken {
    line: u64,
    reason: BadLine,
    before: Box<Verified>,
}

impl Broken {
    /// The first bad line of the file, counted from 1.
    pub const fn line(&self) -> u64 {
        self.line
    }

    /// What is wrong with it.
    pub const fn reason(&self) -> BadLine {
        self.reason
    }

    /// What is known of the lines before it.
    pub const fn before(&self) -> &Verified {
        &self.before
    }
}

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum BadLine {
    /// It has no line feed: writing it was cut short, or the file was.
    Torn,
    /// It is longer than a line may be.
    TooLong,
    /// It is not a line of the form that is written, byte for byte.
    Form,
    /// Its number is not the next.
    Sequence,
    /// It does not follow the line before.
    Previous,
    /// Its hash is not that of its content.
    Hash,
    /// Its record is not one of the version that it names, byte for byte.
    Record,
    /// It must have a seal, and has none.
    Unsealed,
    /// Its seal is not valid, or of a key that is not known.
    Seal,
    /// It tells of a torn line that is not there.
    Recovered,
    /// The line of the anchor's number is another one.
    Anchor,
    /// The chain ends before the anchor: its tail was cut off.
    TailCut,
}

impl BadLine {
    /// The reason's name.
    pub const fn name(self) -> &'static str {
        match self {
            BadLine::Torn => "torn",
            BadLine::TooLong => "too_long",
            BadLine::Form => "form",
            BadLine::Sequence => "sequence",
            BadLine::Previous => "previous",
            BadLine::Hash => "hash",
            BadLine::Record => "record",
            BadLine::Unsealed => "unsealed",
            BadLine::Seal => "seal",
            BadLine::Recovered => "recovered",
            BadLine::Anchor => "anchor",
            BadLine::TailCut => "tail_cut",
        }
    }
}

impl fmt::Display for BadLine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            BadLine::Torn => "it has no end",
            BadLine::TooLong => "it is too long",
            BadLine::Form => "it does not have the form of a line",
            BadLine::Sequence => "its number is not the next",
            BadLine::Previous => "it does not follow the line before",
            BadLine::Hash => "its hash is not that of its content",
            BadLine::Record => "its record is not of the version that it names",
            BadLine::Unsealed => "it has no seal",
            BadLine::Seal => "its seal is not valid",
            BadLine::Recovered => "the torn line that it tells of is not there",
            BadLine::Anchor => "the anchor is of another line",
            BadLine::TailCut => "the tail before the anchor was cut off",
        })
    }
}

impl<'v> Verifier<'v> {
    /// A verifier at the start of a chain.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with an anchor: a head that was stored elsewhere.
    #[must_use]
    pub fn with_head(mut self, anchor: Head) -> Self {
        self.anchor_is_met = anchor == Head::EMPTY;
        self.anchor = Some(anchor);
        self
    }

    /// The same with a key whose seals are valid. From then on every line must have a seal.
    #[must_use]
    pub fn with_seals(mut self, verifier: &'v dyn SealVerifier) -> Self {
        self.seals.push(verifier);
        self.must_be_sealed = true;
        self
    }

    /// Verifies a chain that is here as a whole.
    ///
    /// # Errors
    ///
    /// The first bad line.
    pub fn verify(mut self, bytes: &[u8]) -> Result<Verified, Broken> {
        self.push(bytes);
        self.finish()
    }

    /// Takes the next bytes of the chain, cut anywhere.
    pub fn push(&mut self, bytes: &[u8]) {
        self.push_each(bytes, |_| {});
    }

    /// The same, and hands on each line that joins the chain by it. What is behind a bad line joins
    /// it only when a note closes the bad one.
    pub fn push_each(&mut self, bytes: &[u8], mut each: impl FnMut(VerifiedLine<'_>)) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let Some(end) = part.strip_suffix(b"\n") else {
                self.keep(part);
                continue;
            };
            if self.partial.is_empty() {
                self.line(end, &mut each);
            } else {
                self.keep(end);
                let line = std::mem::take(&mut self.partial);
                self.line(&line, &mut each);
            }
        }
    }

    /// Ends the chain.
    ///
    /// # Errors
    ///
    /// The first bad line.
    pub fn finish(self) -> Result<Verified, Broken> {
        let next = self.lines + 1;
        let bad = match &self.bad {
            Some(bad) => Some((bad.line, bad.reason)),
            None if !self.partial.is_empty() => Some((next, BadLine::Torn)),
            None if self.is_behind_the_anchor() => None,
            None => Some((next, BadLine::TailCut)),
        };
        match bad {
            None => Ok(self.verified()),
            Some((line, reason)) => Err(self.broken(line, reason)),
        }
    }

    /// Ends the chain, and finds where it goes on. A tail without a line feed is torn, and so is a
    /// line that was cut short and closed by a writer that was stopped before it could note that.
    ///
    /// # Errors
    ///
    /// The first bad line, when it is no part of a torn tail; or when the chain ends before the
    /// anchor.
    pub fn resume(mut self) -> Result<Resumption, Broken> {
        let is_cut_short = self.bad.as_ref().is_none_or(|bad| bad.is_cut_short);
        let rest = std::mem::take(&mut self.partial);
        if !rest.is_empty() {
            // Perhaps nothing but the line feed is missing.
            self.line(&rest, &mut |_| {});
        }
        let torn = match &self.bad {
            None if rest.is_empty() => None,
            None => Some(Content::of(&rest)),
            Some(bad) if is_cut_short && rest.len() <= LONGEST_LINE => Some(bad.content()),
            Some(bad) => {
                let (line, reason) = (bad.line, bad.reason);
                return Err(self.broken(line, reason));
            }
        };
        if !self.is_behind_the_anchor() {
            let next = self.bad.as_ref().map_or(self.lines + 1, |bad| bad.line);
            return Err(self.broken(next, BadLine::TailCut));
        }
        let has_end = rest.is_empty();
        Ok(Resumption {
            head: self.verified.head,
            attempts: self.attempts,
            torn: torn.map(|content| TornTail { content, has_end }),
        })
    }

    /// Whether the chain holds the anchor, if there is one.
    fn is_behind_the_anchor(&self) -> bool {
        self.anchor.is_none() || self.anchor_is_met
    }

    fn broken(self, line: u64, reason: BadLine) -> Broken {
        let mut before = self.verified();
        before.excludes_a_cut = false;
        Broken {
            line,
            reason,
            before: Box::new(before),
        }
    }

    /// What is known of the lines that are good.
    fn verified(mut self) -> Verified {
        for ((thread, operation_id), starts) in self.open {
            let unknown = starts.into_iter().map(|started| UnknownOperation {
                operation_id: operation_id.clone(),
                thread: thread.clone(),
                started,
            });
            self.verified.unknown.extend(unknown);
        }
        let unknown = &mut self.verified.unknown;
        unknown.sort_by_key(|operation| operation.started);
        self.verified.excludes_a_cut = self.anchor.is_some();
        self.verified
    }

    fn keep(&mut self, part: &[u8]) {
        // One byte more than a line may have shows that it is too long.
        let room = (LONGEST_LINE + 1).saturating_sub(self.partial.len());
        self.partial
            .extend_from_slice(&part[..part.len().min(room)]);
    }

    /// Takes a line, without its line feed.
    fn line(&mut self, bytes: &[u8], each: &mut dyn FnMut(VerifiedLine<'_>)) {
        self.lines += 1;
        // As much as is kept of a line that comes in parts.
        let bytes = &bytes[..bytes.len().min(LONGEST_LINE + 1)];
        match self.link(bytes, each) {
            Ok(()) => {}
            Err(reason) => match &mut self.bad {
                Some(bad) => {
                    bad.hasher.update(b"\n");
                    bad.hasher.update(bytes);
                    bad.size += 1 + bytes.len() as u64;
                    bad.is_cut_short = bad.is_cut_short && is_cut_short(bytes);
                }
                None => {
                    self.bad = Some(BadTail {
                        line: self.lines,
                        reason,
                        hasher: Sha256::new_with_prefix(bytes),
                        size: bytes.len() as u64,
                        is_cut_short: is_cut_short(bytes),
                    });
                }
            },
        }
    }

    /// Adds a line to the chain. Behind a bad one only the note that closes it is added.
    fn link(
        &mut self,
        bytes: &[u8],
        each: &mut dyn FnMut(VerifiedLine<'_>),
    ) -> Result<(), BadLine> {
        if bytes.len() >= LONGEST_LINE {
            return Err(BadLine::TooLong);
        }
        let line = ReadLine::read(bytes).ok_or(BadLine::Form)?;
        let head = line.head;
        if head.sequence.checked_sub(1) != Some(self.verified.head.sequence) {
            return Err(BadLine::Sequence);
        }
        if line.previous != self.verified.head.sha256 {
            return Err(BadLine::Previous);
        }
        line.check_hash(bytes)?;
        self.check_seal(&line)?;
        let entry = line.entry()?;
        match (&entry, &self.bad) {
            (Some(Entry::Recovered(torn)), Some(bad)) if *torn == bad.content() => {}
            (Some(Entry::Recovered(_)), Some(_)) => return Err(BadLine::Recovered),
            (Some(Entry::Recovered(torn)), None) if self.last_line != Some(*torn) => {
                return Err(BadLine::Recovered);
            }
            (_, Some(bad)) => return Err(bad.reason),
            _ => {}
        }
        if self
            .anchor
            .is_some_and(|anchor| anchor.sequence == head.sequence)
        {
            if self.anchor != Some(head) {
                return Err(BadLine::Anchor);
            }
            self.anchor_is_met = true;
        }
        self.bad = None;
        self.last_line = Some(Content::of(bytes));
        self.verified.head = head;
        each(VerifiedLine {
            head,
            record: line.record,
            entry: entry.as_ref(),
            is_sealed: line.seal.is_some(),
        });
        match entry {
            None => self.verified.undecoded += 1,
            Some(Entry::Recovered(torn)) => {
                let sequence = head.sequence;
                self.verified.recovered.push(Recovered { sequence, torn });
            }
            Some(Entry::Outcome(record)) => self.follow(&record, head.sequence),
        }
        Ok(())
    }

    fn check_seal(&self, line: &ReadLine<'_>) -> Result<(), BadLine> {
        let Some(seal) = &line.seal else {
            return if self.must_be_sealed {
                Err(BadLine::Unsealed)
            } else {
                Ok(())
            };
        };
        let unsealed = line.unsealed();
        let is_valid = |key: &&dyn SealVerifier| seal.is_of_line(unsealed, *key);
        if self.must_be_sealed && !self.seals.iter().any(is_valid) {
            return Err(BadLine::Seal);
        }
        Ok(())
    }

    fn follow(&mut self, record: &Record, sequence: u64) {
        self.attempts.follow(record);
        let Some(id) = record.operation_id() else {
            return;
        };
        let key = || (record.thread().clone(), id.clone());
        if record.code() == OutcomeCode::Started {
            self.open.entry(key()).or_default().push(sequence);
        } else if record.code().is_end() {
            let key = key();
            if let Some(starts) = self.open.get_mut(&key) {
                starts.pop();
                if starts.is_empty() {
                    self.open.remove(&key);
                }
            }
        }
    }
}

/// The parts of a line that has the form of one.
struct ReadLine<'b> {
    head: Head,
    previous: Digest,
    record: &'b str,
    seal: Option<Seal>,
}

members! {
    enum Key {
        Hash "hash",
        Prev "prev",
        Record "record",
        Seal "seal",
        Seq "seq",
    }
}

impl<'b> ReadLine<'b> {
    fn read(bytes: &'b [u8]) -> Option<Self> {
        let text = str::from_utf8(bytes).ok()?;
        let (mut hash, mut previous, mut record, mut seal, mut sequence) =
            (None, None, None, None, None);
        let read = |reader: &mut Reader<'b>| {
            reader.object(|reader, key| {
                match key {
                    Key::Hash => hash = Some(reader.text()?),
                    Key::Prev => previous = Some(reader.text()?),
                    Key::Record => {
                        let start = reader.start();
                        reader.skip()?;
                        record = text.get(start..reader.reached());
                    }
                    Key::Seal => seal = Some(Seal::decode(reader)?),
                    Key::Seq => sequence = Some(reader.integer(0..=u64::MAX)?),
                }
                Ok(())
            })
        };
        json::decode(text, read).ok()?;
        Some(ReadLine {
            head: Head {
                sequence: sequence?,
                sha256: hash?,
            },
            previous: previous?,
            record: record?,
            seal,
        })
    }

    /// Writes the line again, and compares.
    fn check_hash(&self, bytes: &[u8]) -> Result<(), BadLine> {
        let mut again = self.opened();
        if let Some(seal) = &self.seal {
            crate::canonical::push_key(&mut again, Key::Seal.name());
            seal.push_json(&mut again);
        }
        let head = chain::finish(&mut again, self.head.sequence);
        if head.sha256 != self.head.sha256 {
            Err(BadLine::Hash)
        } else if again.as_bytes() != bytes {
            Err(BadLine::Form)
        } else {
            Ok(())
        }
    }

    fn opened(&self) -> String {
        let mut out = String::with_capacity(self.record.len() + 512);
        chain::open(&mut out, self.previous);
        out.push_str(self.record);
        out
    }

    /// What the seal covers: the line's number, and the hash that it has without a seal.
    fn unsealed(&self) -> Head {
        let sequence = self.head.sequence;
        let sha256 = chain::hash(&self.opened(), sequence);
        Head { sequence, sha256 }
    }

    /// The entry; `None` for a version that is not decoded.
    fn entry(&self) -> Result<Option<Entry>, BadLine> {
        let version = version(self.record).map_err(|_| BadLine::Record)?;
        let version = version.ok_or(BadLine::Record)?;
        if !READ_VERSIONS.contains(&version) {
            return Ok(None);
        }
        let entry = Entry::from_json(self.record).map_err(|_| BadLine::Record)?;
        let mut again = String::with_capacity(self.record.len());
        entry.push_json(&mut again);
        if again == self.record {
            Ok(Some(entry))
        } else {
            Err(BadLine::Record)
        }
    }
}

/// The version that a record names.
fn version(record: &str) -> Result<Option<u64>, DecodeError> {
    let mut version = None;
    json::decode(record, |reader| {
        reader.map(
            |key| Ok(key == "version"),
            |reader, is_version| {
                if is_version {
                    version = Some(reader.integer(0..=u64::MAX)?);
                    Ok(())
                } else {
                    reader.skip()
                }
            },
        )
    })?;
    Ok(version)
}
