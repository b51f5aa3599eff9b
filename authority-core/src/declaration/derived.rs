//! What stands in a declaration's packed data: its scopes, digests, source lines and the look-up
//! index, in one byte string.
//!
//! The macro computes it while expanding and the builder when it builds, both with [`encode`]; at
//! run time it is sliced where it stands, without a copy. All numbers are little-endian. The texts
//! of the scopes stand in a string of their own.
//!
//! | bytes | what |
//! | --- | --- |
//! | 1 | format version, 3 |
//! | 1 | base-2 logarithm of the number of places in the index |
//! | 4, 4 | number of rows (the entries of the body), number of slots |
//! | 32, 32 | ceiling digest, declaration digest |
//! | 4 a row | offset of the scope's record (0: the entry is no scope) |
//! | a scope | its [record](crate::declaration::row) |
//! | 8 a place | index: the upper half of the key's hash, then the offset of the record (0: empty) |
//!
//! Each operation of each scope has a slot: its bit in the masks of policies. The slots of a scope stand
//! in the order of its operations.
//!
//! The index is an open-addressing hash table at most half full, probed place by place. A decision
//! reads one place of it, and one record with its texts: the whole [`Key`] is compared there.

use crate::declaration::key::{HashedTarget, Key};
use crate::declaration::row::{Place, ScopeEntry, ScopeRow};
use crate::declaration::table::Bytes;
use crate::digest::Digest;
use crate::target::Target;
use crate::text::Text;
use crate::vocabulary::Operation;

const VERSION: u8 = 3;
const HEADER: usize = 10 + 64;

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
    let places_log2 = (scopes.len() * 2).next_power_of_two().trailing_zeros();
    let slots = scopes.iter().map(|row| row.scope.operations.len()).sum();
    let mut bytes = vec![VERSION, places_log2.to_le_bytes()[0]];
    bytes.extend(number(rows));
    bytes.extend(number(slots));
    bytes.extend(ceiling.as_bytes());
    bytes.extend(declaration.as_bytes());
    let table = bytes.len();
    bytes.resize(table + 4 * rows, 0);
    let mut first_slot = 0;
    let mut texts = String::new();
    let mut index = vec![[[0; 4]; 2]; 1 << places_log2];
    for EncodedRow { row, line, scope } in scopes {
        let offset = number(bytes.len());
        bytes[table + 4 * row..][..4].copy_from_slice(&offset);
        let key = Key::of(scope.target);
        let hash = key.hash();
        let mut place = place_of(hash, index.len());
        while index[place] != [[0; 4]; 2] {
            place = (place + 1) & (index.len() - 1);
        }
        index[place] = [tag_of(hash).to_le_bytes(), offset];
        let place = Place {
            row: *row,
            first_slot,
            line: *line,
        };
        scope.push(&key, place, &mut bytes, &mut texts);
        first_slot += scope.operations.len();
    }
    bytes.extend(index.as_flattened().as_flattened());
    (bytes, texts)
}

/// A declaration has far less than 2³² entries and bytes: it is source text.
pub(crate) fn number(number: usize) -> [u8; 4] {
    u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes()
}

/// Where a key's search in an index of that many places starts.
#[inline]
#[allow(clippy::cast_possible_truncation)]
fn place_of(hash: u64, places: usize) -> usize {
    hash as usize & (places - 1)
}

/// What its place holds of its hash.
#[inline]
fn tag_of(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// The packed data and the texts of a declaration, read in place. Data that is cut short has no
/// scopes.
#[derive(Clone, Copy)]
pub(crate) struct Derived<'a> {
    bytes: &'a [u8],
    texts: &'a str,
}

/// A scope as the index finds it: all that a decision needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) row: usize,
    pub(crate) first_slot: usize,
    pub(crate) operations: u64,
}

impl Found {
    /// The slot of an operation, if the scope has it.
    #[inline]
    pub(crate) fn slot(self, operation: Operation) -> Option<usize> {
        let bit = operation.bit();
        let before = (self.operations & (bit - 1)).count_ones() as usize;
        (self.operations & bit != 0).then_some(self.first_slot + before)
    }
}

impl<'a> Derived<'a> {
    #[inline]
    pub(crate) fn of(bytes: &'a Bytes, texts: &'a Text<'static>) -> Self {
        Derived { bytes, texts }
    }

    pub(crate) fn ceiling(self) -> Digest {
        self.digest_at(10)
    }

    pub(crate) fn declaration(self) -> Digest {
        self.digest_at(42)
    }

    /// The number of rows.
    pub(crate) fn rows(self) -> usize {
        self.number_at(2)
    }

    /// The number of slots: operations of scopes.
    pub(crate) fn slots(self) -> usize {
        self.number_at(6)
    }

    /// The row's scope, if it is one.
    pub(crate) fn scope(self, row: usize) -> Option<ScopeRow<'a>> {
        if row >= self.rows() {
            return None;
        }
        match self.number_at(HEADER + 4 * row) {
            0 => None,
            record => ScopeRow::at(self.bytes, self.texts, record),
        }
    }

    /// The scope whose target is this one.
    pub(crate) fn find(self, target: &Target<'_>) -> Option<Found> {
        self.find_key(Key::of(target).hash(), || Some(Key::of(target)))
    }

    /// The same for a target that is hashed already.
    #[inline]
    pub(crate) fn find_hashed(self, target: &HashedTarget<'_>) -> Option<Found> {
        self.find_key(target.exact, || Some(Key::of(target.target())))
    }

    /// The scope of the whole binding that a path lies in.
    pub(crate) fn find_whole_binding(self, target: &Target<'_>) -> Option<Found> {
        let key = || Key::of_whole_binding(target);
        self.find_key(key()?.hash(), key)
    }

    /// The same for a target that is hashed already.
    #[inline]
    pub(crate) fn find_whole_binding_hashed(self, target: &HashedTarget<'_>) -> Option<Found> {
        self.find_key(target.whole?, || Key::of_whole_binding(target.target()))
    }

    /// The scope with the key of this hash. The key is asked for when its hash is found.
    #[inline]
    fn find_key<'k>(self, hash: u64, key: impl Fn() -> Option<Key<'k>>) -> Option<Found> {
        let places = 1_usize << self.bytes.get(1)?;
        let start = self.bytes.len().checked_sub(8 * places)?;
        let (index, _) = self.bytes[start..].as_chunks();
        let (tag, mut place) = (tag_of(hash), place_of(hash, places));
        loop {
            let entry = u64::from_le_bytes(*index.get(place)?);
            let record = tag_of(entry) as usize;
            if record == 0 {
                return None;
            }
            if entry & 0xffff_ffff == u64::from(tag)
                && let Some(found) = self.found_at(record, &key)
            {
                return Some(found);
            }
            place = (place + 1) & (places - 1);
        }
    }

    /// What stands in a record, if it has the key. Kept out of the search for an empty place, which
    /// is what most requests for nothing that is declared end with.
    #[inline(never)]
    fn found_at<'k>(self, record: usize, key: impl Fn() -> Option<Key<'k>>) -> Option<Found> {
        ScopeRow::found_at(self.bytes, self.texts, record, &key()?)
    }

    fn number_at(self, at: usize) -> usize {
        let bytes = self.bytes.get(at..).and_then(|rest| rest.first_chunk());
        bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes) as usize)
    }

    fn digest_at(self, at: usize) -> Digest {
        let bytes = self.bytes.get(at..).and_then(|rest| rest.first_chunk());
        Digest::from_bytes(bytes.copied().unwrap_or_default())
    }
}
