//! Storage that is either static (from the macro) or shared (from the builder), and looks the same.

use std::sync::Arc;

/// A list that stands in the program, or is shared between clones.
#[derive(Debug)]
pub(crate) enum Table<T: 'static> {
    /// From the macro.
    Static(&'static [T]),
    /// Behind a counter.
    Shared(Arc<[T]>),
}

impl<T> Table<T> {
    pub(crate) const EMPTY: Table<T> = Table::Static(&[]);

    pub(crate) fn len(&self) -> usize {
        self.list().len()
    }

    pub(crate) fn at(&self, index: usize) -> Option<&T> {
        self.list().get(index)
    }

    fn list(&self) -> &[T] {
        match self {
            Table::Static(list) => list,
            Table::Shared(list) => list,
        }
    }

    /// The index of the element that compares as equal, in a list that is sorted so.
    pub(crate) fn search(&self, compare: impl Fn(&T) -> std::cmp::Ordering) -> Option<usize> {
        self.list().binary_search_by(compare).ok()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.list().iter()
    }
}

impl<T> Clone for Table<T> {
    fn clone(&self) -> Self {
        match self {
            Table::Static(list) => Table::Static(list),
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
