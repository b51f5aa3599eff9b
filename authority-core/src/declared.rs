//! What `authority!` expands to. Hidden: only the expansion names these items.

use crate::vocabulary::{Operation, Setting};

/// A kind's name in a declaration. `K` is the kind's number.
#[derive(Clone, Copy, Debug)]
pub struct Keyword<const K: u8>;

/// Operations of one kind, joined in a declaration. `K` is the kind's number.
#[derive(Clone, Copy, Debug)]
pub struct Words<const K: u8>(pub(crate) u64);

impl<const K: u8> Words<K> {
    /// What stands where an operation is missing.
    pub const NONE: Self = Words(0);

    pub(crate) const fn of(operation: Operation) -> Self {
        Words(operation.bit())
    }

    /// These operations and the other ones.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Words(self.0 | other.0)
    }
}

/// A setting's name in a declaration.
#[derive(Clone, Copy, Debug)]
pub struct SettingWord(pub(crate) Option<Setting>);

impl SettingWord {
    /// What stands where a setting is missing.
    pub const NONE: Self = SettingWord(None);

    pub(crate) const fn of(setting: Setting) -> Self {
        SettingWord(Some(setting))
    }
}
