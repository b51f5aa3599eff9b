//! The scopes of a body as they stand in its packed data, read in place.
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | head of the [key](crate::declaration::key): kind, redirects, protocol, lengths of its texts, port |
//! | 8 | the operations, as a word |
//! | 4, 4, 4 | row, first slot, line in the source (0: unknown) |
//! | 4 | where the texts of the scope start in the declaration's texts |
//! | 4 | length of the doc comment |
//! | 1, 3 | flags, nothing |
//! | 32 to 96 | the scope's digest; then argv and cwd, revision, or parent ceiling, by kind |
//! | 4, 4, 4, 4 an argument | of a subprocess that was declared with its arguments: lengths of the binding and of the path of its working directory, number of its arguments, their lengths |
//!
//! The texts are those of the key (the binding, executable, host, repository, origin, server,
//! integration or agent, then the path or the tool), those of a subprocess, and the doc comment.

use crate::declaration::derived::{Found, number};
use crate::declaration::key::{self, Key};
use crate::digest::Digest;
use crate::id::{Id, ToolName};
use crate::operation_set::OperationSet;
use crate::target::{
    BrowserTarget, ChildAgentTarget, Endpoint, FilesystemTarget, IntegrationTarget, McpTarget,
    NetworkTarget, Origin, RelativePath, Repository, SubprocessTarget, Target,
};
use crate::text::Text;
use crate::vocabulary::Kind;

/// The entry says `delegable`.
const DELEGABLE: u8 = 1;
/// The arguments and the working directory of a subprocess are there, and not only their digests.
const RUN: u8 = 2;
/// The working directory has a path below its binding.
const BELOW: u8 = 4;

/// Bytes in front of the digests.
const HEAD: usize = 40;
const DIGEST: usize = 32;

/// What the record of a scope is made from.
pub(crate) struct ScopeEntry<'a> {
    pub(crate) target: &'a Target<'a>,
    pub(crate) operations: OperationSet,
    pub(crate) digest: Digest,
    pub(crate) delegable: bool,
    pub(crate) run: Option<Run<'a>>,
    pub(crate) doc: &'a str,
}

/// A subprocess as it was declared.
pub(crate) struct Run<'a> {
    pub(crate) arguments: &'a [String],
    pub(crate) binding: &'a str,
    pub(crate) path: Option<&'a str>,
}

/// Where a scope stands.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) row: usize,
    pub(crate) first_slot: usize,
    pub(crate) line: u32,
}

impl ScopeEntry<'_> {
    /// Appends the record to the packed data and its texts to the texts. `key` is the target's.
    pub(crate) fn push(
        &self,
        key: &Key<'_>,
        place: Place,
        bytes: &mut Vec<u8>,
        texts: &mut String,
    ) {
        let is_below = |run: &Run<'_>| run.path.is_some();
        let flags = [
            (DELEGABLE, self.delegable),
            (RUN, self.run.is_some()),
            (BELOW, self.run.as_ref().is_some_and(is_below)),
        ];
        let flags = flags.iter().filter(|(_, holds)| *holds);
        bytes.extend(key.head.to_le_bytes());
        bytes.extend(self.operations.word().to_le_bytes());
        bytes.extend(number(place.row));
        bytes.extend(number(place.first_slot));
        bytes.extend(place.line.to_le_bytes());
        bytes.extend(number(texts.len()));
        bytes.extend(number(self.doc.len()));
        bytes.extend([flags.fold(0, |flags, (flag, _)| flags | flag), 0, 0, 0]);
        bytes.extend(self.digest.as_bytes());
        for digest in key.digests.into_iter().flatten() {
            bytes.extend(digest.as_bytes());
        }
        texts.extend(key.texts);
        if let Some(run) = &self.run {
            let path = run.path.unwrap_or_default();
            for length in [run.binding.len(), path.len(), run.arguments.len()] {
                bytes.extend(number(length));
            }
            texts.extend([run.binding, path]);
            for argument in run.arguments {
                bytes.extend(number(argument.len()));
                texts.push_str(argument);
            }
        }
        texts.push_str(self.doc);
    }
}

/// The record of a scope, in the packed data of its declaration.
#[derive(Clone, Copy)]
pub(crate) struct ScopeRow<'a> {
    /// The packed data from the record on.
    bytes: &'a [u8],
    texts: &'a str,
    pub(crate) operations: OperationSet,
}

impl<'a> ScopeRow<'a> {
    /// The record at this place.
    pub(crate) fn at(bytes: &'a [u8], texts: &'a str, record: usize) -> Option<Self> {
        let bytes = bytes.get(record..)?;
        Some(ScopeRow {
            bytes,
            texts,
            operations: OperationSet::from_word(word(bytes, 8))?,
        })
    }

    /// What a decision needs of the record at this place, if it has this key.
    #[inline]
    pub(crate) fn found_at(
        bytes: &[u8],
        texts: &str,
        record: usize,
        key: &Key<'_>,
    ) -> Option<Found> {
        let (head, digests) = bytes.get(record..)?.split_first_chunk::<HEAD>()?;
        let number = |at: usize| u32::from_le_bytes(part(head, at)) as usize;
        let start = number(28);
        let [first, second] = key.texts.map(str::as_bytes);
        let middle = start + first.len();
        let texts = texts.as_bytes();
        let is_same = word(head, 0) == key.head
            && texts.get(start..middle)? == first
            && (second.is_empty() || texts.get(middle..middle + second.len())? == second);
        let mut digests = digests.get(DIGEST..)?;
        for digest in key.digests.into_iter().flatten() {
            let (own, rest) = digests.split_first_chunk::<DIGEST>()?;
            if own != digest.as_bytes() {
                return None;
            }
            digests = rest;
        }
        is_same.then(|| Found {
            operations: word(head, 8),
            row: number(16),
            first_slot: number(20),
        })
    }

    /// The target in its typed form. The host's own declaration is trusted: its texts were checked
    /// while compiling or building.
    pub(crate) fn target(self) -> Target<'a> {
        let first = Text::Borrowed(self.first());
        let second = self.second().map(Text::Borrowed);
        match self.operations.kind() {
            Kind::Filesystem => Target::Filesystem(FilesystemTarget {
                binding: Id(first),
                path: second.map(RelativePath),
            }),
            Kind::Subprocess => Target::Subprocess(SubprocessTarget {
                executable: Id(first),
                argv_sha256: self.digest(1),
                cwd_sha256: self.digest(2),
            }),
            Kind::Network => {
                let (protocol, port, redirect) = key::network_parts(self.head());
                let endpoint = Endpoint::declared(protocol, self.first(), port);
                Target::Network(NetworkTarget { endpoint, redirect })
            }
            Kind::Github => Target::Github(Repository(first)),
            Kind::Browser => Target::Browser(BrowserTarget {
                origin: Origin(first),
            }),
            Kind::McpServer | Kind::McpTool => Target::Mcp(McpTarget {
                server: Id(first),
                tool: second.map(ToolName),
            }),
            Kind::Integration => Target::Integration(IntegrationTarget {
                integration: Id(first),
                revision_sha256: self.digest(1),
            }),
            Kind::ChildAgent => Target::ChildAgent(ChildAgentTarget {
                agent: Id(first),
                parent_ceiling_sha256: self.digest(1),
            }),
        }
    }

    /// The scope's own digest, then those of its target.
    pub(crate) fn digest(self, index: usize) -> Digest {
        let bytes = self.bytes.get(HEAD + DIGEST * index..);
        let bytes = bytes.and_then(|bytes| bytes.first_chunk());
        Digest::from_bytes(bytes.copied().unwrap_or_default())
    }

    pub(crate) fn first(self) -> &'a str {
        let [first, _] = self.lengths();
        self.text(self.start(), first)
    }

    /// The path or the tool, neither of which is ever empty.
    fn second(self) -> Option<&'a str> {
        let [first, second] = self.lengths();
        (second > 0).then(|| self.text(self.start() + first, second))
    }

    pub(crate) fn first_slot(self) -> usize {
        self.number(20)
    }

    pub(crate) fn line(self) -> u32 {
        u32::from_le_bytes(part(self.bytes, 24))
    }

    pub(crate) fn doc(self) -> &'a str {
        let length = self.number(32);
        if length == 0 {
            return "";
        }
        let mut start = self.start() + self.lengths().iter().sum::<usize>();
        if self.has(RUN) {
            start += self.run_number(0) + self.run_number(1);
            start += (0..self.run_number(2))
                .map(|argument| self.run_number(3 + argument))
                .sum::<usize>();
        }
        self.text(start, length)
    }

    pub(crate) fn is_delegable(self) -> bool {
        self.has(DELEGABLE)
    }

    /// The arguments of a subprocess, and its working directory: binding and path.
    pub(crate) fn run(self) -> Option<(Vec<&'a str>, &'a str, Option<&'a str>)> {
        if !self.has(RUN) {
            return None;
        }
        let mut end = self.start() + self.lengths()[0];
        let mut next = |number| {
            let start = end;
            end += self.run_number(number);
            self.text(start, self.run_number(number))
        };
        let (binding, path) = (next(0), next(1));
        let arguments = (0..self.run_number(2)).map(|argument| next(3 + argument));
        let arguments = arguments.collect();
        Some((arguments, binding, self.has(BELOW).then_some(path)))
    }

    fn head(self) -> u64 {
        word(self.bytes, 0)
    }

    fn lengths(self) -> [usize; 2] {
        key::lengths(self.head())
    }

    fn has(self, flag: u8) -> bool {
        self.bytes.get(36).is_some_and(|flags| flags & flag != 0)
    }

    fn start(self) -> usize {
        self.number(28)
    }

    /// A number of a subprocess's run, behind its three digests.
    fn run_number(self, number: usize) -> usize {
        self.number(HEAD + 3 * DIGEST + 4 * number)
    }

    fn number(self, at: usize) -> usize {
        u32::from_le_bytes(part(self.bytes, at)) as usize
    }

    fn text(self, start: usize, length: usize) -> &'a str {
        self.texts.get(start..start + length).unwrap_or_default()
    }
}

#[inline]
fn word(record: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(part(record, at))
}

/// Bytes of a record; zeros where it is cut short.
#[inline]
fn part<const N: usize>(record: &[u8], at: usize) -> [u8; N] {
    let bytes = record.get(at..).and_then(|rest| rest.first_chunk());
    bytes.copied().unwrap_or([0; N])
}
