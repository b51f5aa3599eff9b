//! Storage that is either static (from the macro) or shared (from the builder), and looks the same.

use std::sync::Arc;

use crate::text::Text;

/// Rows of an inner static of the macro's expansion: measured, one long array costs more than
/// linear time to type-check.
pub(crate) const CHUNK: usize = 256;

/// A list that stands in the program, or is shared between clones.
#[derive(Debug)]
pub(crate) enum Table<T: 'static> {
    /// In chunks of [`CHUNK`], the last one shorter.
    Static(&'static [&'static [T]]),
    /// One list behind a counter.
    Shared(Arc<[T]>),
}

impl<T> Table<T> {
    pub(crate) const EMPTY: Table<T> = Table::Static(&[]);

    pub(crate) fn len(&self) -> usize {
        match self {
            Table::Static([]) => 0,
            Table::Static(chunks @ [.., last]) => (chunks.len() - 1) * CHUNK + last.len(),
            Table::Shared(list) => list.len(),
        }
    }

    pub(crate) fn at(&self, index: usize) -> Option<&T> {
        match self {
            Table::Static(chunks) => chunks.get(index / CHUNK)?.get(index % CHUNK),
            Table::Shared(list) => list.get(index),
        }
    }

    /// The index of the element that compares as equal, in a list that is sorted so.
    pub(crate) fn search(&self, compare: impl Fn(&T) -> std::cmp::Ordering) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match compare(self.at(middle)?) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len()).filter_map(|index| self.at(index))
    }
}

impl<T> Clone for Table<T> {
    fn clone(&self) -> Self {
        match self {
            Table::Static(chunks) => Table::Static(chunks),
            Table::Shared(list) => Table::Shared(Arc::clone(list)),
        }
    }
}

impl<T> FromIterator<T> for Table<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Table::Shared(items.into_iter().collect())
    }
}

/// Bytes that stand in the program, or are shared between clones.
#[derive(Clone, Debug)]
pub(crate) enum Bytes {
    Static(&'static [u8]),
    Shared(Arc<[u8]>),
}

impl std::ops::Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Static(bytes) => bytes,
            Bytes::Shared(bytes) => bytes,
        }
    }
}

/// The arguments of a subprocess.
#[derive(Clone, Debug)]
pub(crate) enum Arguments {
    Static(&'static [&'static str]),
    Shared(Arc<[Text<'static>]>),
}

impl Arguments {
    pub(crate) fn iter(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        match self {
            Arguments::Static(list) => Box::new(list.iter().copied()),
            Arguments::Shared(list) => Box::new(list.iter().map(|argument| &**argument)),
        }
    }
}
