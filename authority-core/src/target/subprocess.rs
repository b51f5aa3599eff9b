//! `subprocess`: one executable, exactly these arguments, exactly this working directory.

use crate::digest::Digest;
use crate::id::Id;
use crate::rule::TextError;
use crate::target::RelativePath;

/// One run: an executable, the digest of its arguments and that of its working directory.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct SubprocessTarget<'a> {
    /// The binding that the host resolves to an executable.
    pub executable: Id<'a>,
    /// Digest of the canonical JSON array of the arguments after the executable.
    pub argv_sha256: Digest,
    /// Digest of the canonical JSON of the working directory.
    pub cwd_sha256: Digest,
}

/// A working directory: a binding, or a directory below it.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct WorkingDirectory<'a> {
    /// The filesystem binding.
    pub binding: Id<'a>,
    /// A directory below the binding, or the binding's own.
    pub path: Option<RelativePath<'a>>,
}

impl WorkingDirectory<'_> {
    /// SHA-256 of `{"relative_path":P,"root_id":ID}`, with P `.` for the binding's own directory.
    pub fn sha256(&self) -> Digest {
        unimplemented!()
    }
}

/// Checks one argument: no NUL, at most 4,096 bytes. Anything else is data.
///
/// # Errors
///
/// [`Rule::Invisible`](crate::Rule::Invisible) for a NUL, [`Rule::Argument`](crate::Rule::Argument)
/// when it is too long.
pub fn check_argument(argument: &str) -> Result<(), TextError> {
    let _ = argument;
    unimplemented!()
}

/// SHA-256 of the canonical JSON array of the arguments, after checking each and their number.
///
/// # Errors
///
/// As [`check_argument`], and [`Rule::Argument`](crate::Rule::Argument) for more than 1,024.
pub fn argv_sha256<S: AsRef<str>>(arguments: &[S]) -> Result<Digest, TextError> {
    let _ = arguments;
    unimplemented!()
}
