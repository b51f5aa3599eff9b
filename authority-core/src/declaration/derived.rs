//! What stands in a declaration's packed data: its scopes, digests, source lines and the look-up
//! index, in one byte string.
//!
//! The macro computes it while expanding and the builder when it builds, both with [`encode`]; at
//! run time it is sliced where it stands, without a copy. All numbers are little-endian. The texts
//! of the scopes stand in a string of their own.
//!
//! | bytes | what |
//! | --- | --- |
//! | 1 | format version, 1 |
//! | 1 | base-2 logarithm of the number of index slots |
//! | 4, 4 | number of rows (the entries of the body), number of slots |
//! | 32, 32 | ceiling digest, declaration digest |
//! | 12 a row | line in the source (0: unknown), offset of the scope's record (0: the entry is no scope), its first slot |
//! | a scope | its [record](crate::declaration::row) |
//! | 4 a slot | index: 0 is empty, else the upper bits of the key's hash, then the row's number plus 1 |
//!
//! Each operation of each scope has a slot: its bit in the masks of policies. The slots of a scope stand
//! in the order of its operations.
//!
//! The index is an open-addressing hash table at most half full, probed slot by slot. Its hash is
//! [`KeyHash`], which is the same on every platform and in every version of this format.

use crate::declaration::row::{ScopeEntry, ScopeRow};
use crate::declaration::table::Bytes;
use crate::digest::Digest;
use crate::target::{McpTarget, Target};
use crate::vocabulary::RedirectPolicy;

const VERSION: u8 = 1;
const HEADER: usize = 10 + 64;
const ROW: usize = 12;

/// What [`encode`] is given for each scope.
pub(crate) struct EncodedRow<'a> {
    /// The row's number: the position of its entry in the body.
    pub(crate) row: usize,
    pub(crate) line: u32,
    pub(crate) scope: ScopeEntry<'a>,
}

/// Packs a declaration with this many rows, of which some are scopes: its data and its texts.
pub(crate) fn encode(
    ceiling: Digest,
    declaration: Digest,
    rows: usize,
    scopes: &[EncodedRow<'_>],
) -> (Vec<u8>, String) {
    let slots_log2 = (scopes.len() * 2).next_power_of_two().trailing_zeros();
    let count = number(rows);
    let mut bytes = vec![VERSION, slots_log2.to_le_bytes()[0]];
    bytes.extend(count.to_le_bytes());
    let operations = scopes.iter().map(|row| row.scope.operations.len());
    bytes.extend(number(operations.sum()).to_le_bytes());
    bytes.extend(ceiling.as_bytes());
    bytes.extend(declaration.as_bytes());
    let mut table = vec![[0; 3]; rows];
    let mut first_slot = 0;
    let mut records: Vec<u8> = Vec::new();
    let mut texts = String::new();
    let mut slots = vec![0; 1 << slots_log2];
    for EncodedRow { row, line, scope } in scopes {
        let offset = number(HEADER + ROW * rows + records.len());
        table[*row] = [*line, offset, number(first_slot)];
        first_slot += scope.operations.len();
        scope.push(&mut records, &mut texts);
        let probe = Probe::new(KeyHash::of(scope.target), count, slots.len() - 1);
        let mut slot = probe.first;
        while slots[slot] != 0 {
            slot = (slot + 1) & (slots.len() - 1);
        }
        slots[slot] = probe.tag | (number(*row) + 1);
    }
    bytes.extend(
        table
            .iter()
            .flatten()
            .flat_map(|number| number.to_le_bytes()),
    );
    bytes.extend(records);
    bytes.extend(slots.iter().flat_map(|slot| slot.to_le_bytes()));
    (bytes, texts)
}

/// A declaration has far less than 2³² entries and bytes: it is source text.
fn number(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Where a key's search in the index starts, and what its slot holds beside the row's number.
struct Probe {
    first: usize,
    tag: u32,
    row_mask: u32,
}

impl Probe {
    #[allow(clippy::cast_possible_truncation)]
    fn new(hash: u64, rows: u32, mask: usize) -> Self {
        // Row numbers run from 1 to `rows`.
        let row_mask = u32::MAX.checked_shr(rows.leading_zeros()).unwrap_or(0);
        Probe {
            first: hash as usize & mask,
            tag: (hash >> 32) as u32 & !row_mask,
            row_mask,
        }
    }
}

/// The packed data of a declaration, read in place.
#[derive(Clone, Copy)]
pub(crate) struct Derived<'a>(&'a [u8]);

impl<'a> Derived<'a> {
    pub(crate) fn of(bytes: &'a Bytes) -> Self {
        Derived(bytes)
    }

    pub(crate) fn ceiling(self) -> Digest {
        self.digest_at(10)
    }

    pub(crate) fn declaration(self) -> Digest {
        self.digest_at(42)
    }

    /// The number of rows.
    pub(crate) fn rows(self) -> usize {
        self.number_at(2) as usize
    }

    /// The number of slots: operations of scopes.
    pub(crate) fn slots(self) -> usize {
        self.number_at(6) as usize
    }

    /// The row's first slot.
    pub(crate) fn first_slot(self, row: usize) -> usize {
        self.number_at(HEADER + ROW * row + 8) as usize
    }

    /// The row's line in the source, 0 when it is unknown.
    pub(crate) fn line(self, row: usize) -> u32 {
        self.number_at(HEADER + ROW * row)
    }

    /// The row's scope, if it is one. `texts` are those of the declaration.
    pub(crate) fn scope(self, texts: &'a str, row: usize) -> Option<ScopeRow<'a>> {
        if row >= self.rows() {
            return None;
        }
        match self.number_at(HEADER + ROW * row + 4) as usize {
            0 => None,
            at => ScopeRow::at(self, texts, at),
        }
    }

    /// The row whose target is this one.
    pub(crate) fn find(self, texts: &'a str, target: &Target<'_>) -> Option<usize> {
        let count = self.number_at(2);
        if count == 0 {
            return None;
        }
        let slots = 1_usize << self.0[1];
        let index = self.0.len() - 4 * slots;
        let probe = Probe::new(KeyHash::of(target), count, slots - 1);
        let mut slot = probe.first;
        loop {
            let entry = self.number_at(index + 4 * slot);
            if entry == 0 {
                return None;
            }
            if entry & !probe.row_mask == probe.tag {
                let row = (entry & probe.row_mask) as usize - 1;
                if self.scope(texts, row).is_some_and(|found| found.is(target)) {
                    return Some(row);
                }
            }
            slot = (slot + 1) & (slots - 1);
        }
    }

    pub(crate) fn byte_at(self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or(0)
    }

    pub(crate) fn number_at(self, at: usize) -> u32 {
        let bytes = self.0.get(at..).and_then(|rest| rest.first_chunk());
        bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }

    pub(crate) fn digest_at(self, at: usize) -> Digest {
        let bytes = self.0.get(at..).and_then(|rest| rest.first_chunk());
        Digest::from_bytes(bytes.copied().unwrap_or_default())
    }
}

/// The hash of a target in the index: 64 bits, folded multiplications over the fields that make
/// the target's identity. It is no secret and no digest: equality is always compared in full.
pub(crate) struct KeyHash(u64);

impl KeyHash {
    pub(crate) fn of(target: &Target<'_>) -> u64 {
        let mut hash = KeyHash(fold(target.kind() as u64 + 1, SEED));
        match target {
            Target::Filesystem(target) => {
                hash.text(target.binding.as_str());
                if let Some(path) = &target.path {
                    hash.text(path.as_str());
                }
            }
            Target::Subprocess(target) => {
                hash.text(target.executable.as_str());
                hash.bytes(target.argv_sha256.as_bytes());
                hash.bytes(target.cwd_sha256.as_bytes());
            }
            Target::Network(target) => {
                hash.text(target.endpoint.as_str());
                hash.bytes(&[u8::from(target.redirect == RedirectPolicy::SameOrigin)]);
            }
            Target::Github(repository) => hash.text(repository.as_str()),
            Target::Browser(target) => hash.text(target.origin.as_str()),
            Target::Mcp(McpTarget { server, tool }) => {
                hash.text(server.as_str());
                if let Some(tool) = tool {
                    hash.text(tool.as_str());
                }
            }
            Target::Integration(target) => {
                hash.text(target.integration.as_str());
                hash.bytes(target.revision_sha256.as_bytes());
            }
            Target::ChildAgent(target) => {
                hash.text(target.agent.as_str());
                hash.bytes(target.parent_ceiling_sha256.as_bytes());
            }
        }
        hash.0
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Folds in a field: its length, then its bytes as little-endian words, the last one padded
    /// with zeros.
    fn bytes(&mut self, bytes: &[u8]) {
        let mut state = fold(self.0 ^ bytes.len() as u64, SEED);
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            state = fold(state ^ u64::from_le_bytes(*word), STEP);
        }
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            state = fold(state ^ u64::from_le_bytes(word), STEP);
        }
        self.0 = state;
    }
}

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
const STEP: u64 = 0xd6e8_feb8_6659_fd93;

/// The upper and lower half of the 128-bit product, joined by exclusive or.
fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    #[allow(clippy::cast_possible_truncation)]
    let (low, high) = (product as u64, (product >> 64) as u64);
    low ^ high
}
