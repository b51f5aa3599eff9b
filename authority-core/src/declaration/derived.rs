//! What is computed from a declaration's rows: digests, source lines and the look-up index, in one
//! packed byte string.
//!
//! The macro computes it while expanding and the builder when it builds, both with [`encode`]; at
//! run time it is sliced where it stands, without a copy. All numbers are little-endian.
//!
//! | bytes | what |
//! | --- | --- |
//! | 1 | format version, 1 |
//! | 1 | base-2 logarithm of the number of index slots |
//! | 4, 4 | number of rows (the entries of the body), number of slots |
//! | 32, 32 | ceiling digest, declaration digest |
//! | 12 a row | line in the source (0: unknown), offset of the row's digests (0: the entry is no scope), its first slot |
//! | 32 to 96 a scope | scope digest; then argv and cwd, revision, or parent ceiling, by kind |
//! | 4 a slot | index: 0 is empty, else the upper bits of the key's hash, then the row's number plus 1 |
//!
//! Each operation of each scope has a slot: its bit in the masks of policies. The slots of a scope stand
//! in the order of its operations.
//!
//! The index is an open-addressing hash table at most half full, probed slot by slot. Its hash is
//! [`KeyHash`], which is the same on every platform and in every version of this format.

use crate::declaration::row::{Row, RowTarget, ScopeRow};
use crate::declaration::table::{Bytes, Table};
use crate::digest::Digest;
use crate::id::ToolName;
use crate::operation_set::OperationSet;
use crate::target::{McpTarget, RelativePath, Target};
use crate::vocabulary::RedirectPolicy;

const VERSION: u8 = 1;
const HEADER: usize = 10 + 64;
const ROW: usize = 12;

/// What [`encode`] is given for each scope.
pub(crate) struct RowDigests {
    /// The row's number: the position of its entry in the body.
    pub(crate) row: usize,
    pub(crate) line: u32,
    pub(crate) scope: Digest,
    /// argv and cwd of a subprocess, revision of an integration, parent ceiling of a child agent.
    pub(crate) parts: Vec<Digest>,
    /// [`KeyHash`] of the row's target.
    pub(crate) hash: u64,
    pub(crate) operations: OperationSet,
}

/// Packs the derived data of a declaration with this many rows, of which some are scopes.
pub(crate) fn encode(
    ceiling: Digest,
    declaration: Digest,
    rows: usize,
    scopes: &[RowDigests],
) -> Vec<u8> {
    let slots_log2 = (scopes.len() * 2).next_power_of_two().trailing_zeros();
    let count = number(rows);
    let mut bytes = vec![VERSION, slots_log2.to_le_bytes()[0]];
    bytes.extend(count.to_le_bytes());
    bytes.extend(number(scopes.iter().map(|scope| scope.operations.len()).sum()).to_le_bytes());
    bytes.extend(ceiling.as_bytes());
    bytes.extend(declaration.as_bytes());
    let mut table = vec![[0; 3]; rows];
    let mut first_slot = 0;
    let mut digests: Vec<u8> = Vec::new();
    let mut slots = vec![0; 1 << slots_log2];
    for scope in scopes {
        let offset = number(HEADER + ROW * rows + digests.len());
        table[scope.row] = [scope.line, offset, number(first_slot)];
        first_slot += scope.operations.len();
        digests.extend(scope.scope.as_bytes());
        digests.extend(scope.parts.iter().flat_map(Digest::as_bytes));
        let probe = Probe::new(scope.hash, count, slots.len() - 1);
        let mut slot = probe.first;
        while slots[slot] != 0 {
            slot = (slot + 1) & (slots.len() - 1);
        }
        slots[slot] = probe.tag | (number(scope.row) + 1);
    }
    bytes.extend(
        table
            .iter()
            .flatten()
            .flat_map(|number| number.to_le_bytes()),
    );
    bytes.extend(digests);
    bytes.extend(slots.iter().flat_map(|slot| slot.to_le_bytes()));
    bytes
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

    pub(crate) fn scope(self, row: usize) -> Digest {
        self.digest_at(self.digests_of(row))
    }

    /// The `index`th digest that belongs to the row's target.
    pub(crate) fn part(self, row: usize, index: usize) -> Digest {
        self.digest_at(self.digests_of(row) + 32 * (1 + index))
    }

    /// The row whose target is this one.
    pub(crate) fn find(self, rows: &Table<Row>, target: &Target<'_>) -> Option<usize> {
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
                let found = rows.at(row).and_then(|row| row.0.as_ref());
                if found.is_some_and(|found| found.is(target, self, row)) {
                    return Some(row);
                }
            }
            slot = (slot + 1) & (slots - 1);
        }
    }

    fn digests_of(self, row: usize) -> usize {
        self.number_at(HEADER + ROW * row + 4) as usize
    }

    fn number_at(self, at: usize) -> u32 {
        let bytes = self.0.get(at..).and_then(|rest| rest.first_chunk());
        bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }

    fn digest_at(self, at: usize) -> Digest {
        let bytes = self.0.get(at..).and_then(|rest| rest.first_chunk());
        Digest::from_bytes(bytes.copied().unwrap_or_default())
    }
}

impl ScopeRow {
    /// Whether the row, the `index`th of its table, has this target.
    fn is(&self, target: &Target<'_>, derived: Derived<'_>, index: usize) -> bool {
        match (&self.target, target) {
            (RowTarget::Filesystem { binding, path, .. }, Target::Filesystem(wanted)) => {
                **binding == *wanted.binding.as_str()
                    && path.as_deref() == wanted.path.as_ref().map(RelativePath::as_str)
            }
            (RowTarget::Subprocess { executable, .. }, Target::Subprocess(wanted)) => {
                **executable == *wanted.executable.as_str()
                    && derived.part(index, 0) == wanted.argv_sha256
                    && derived.part(index, 1) == wanted.cwd_sha256
            }
            (RowTarget::Network { endpoint, redirect }, Target::Network(wanted)) => {
                **endpoint == *wanted.endpoint.as_str() && *redirect == wanted.redirect
            }
            (RowTarget::Github(repository), Target::Github(wanted)) => {
                **repository == *wanted.as_str()
            }
            (RowTarget::Browser(origin), Target::Browser(wanted)) => {
                **origin == *wanted.origin.as_str()
            }
            (RowTarget::Mcp { server, tool }, Target::Mcp(wanted)) => {
                **server == *wanted.server.as_str()
                    && tool.as_deref() == wanted.tool.as_ref().map(ToolName::as_str)
            }
            (RowTarget::Integration(integration), Target::Integration(wanted)) => {
                **integration == *wanted.integration.as_str()
                    && derived.part(index, 0) == wanted.revision_sha256
            }
            (RowTarget::ChildAgent(agent), Target::ChildAgent(wanted)) => {
                **agent == *wanted.agent.as_str()
                    && derived.part(index, 0) == wanted.parent_ceiling_sha256
            }
            _ => false,
        }
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
