//! `subprocess`: one executable, exactly these arguments, exactly this working directory.

use crate::canonical;
use crate::digest::Digest;
use crate::id::Id;
use crate::rule::{Rule, TextError};
use crate::target::RelativePath;
use crate::text;

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
    /// The same directory, owning its texts.
    pub fn into_owned(self) -> WorkingDirectory<'static> {
        WorkingDirectory {
            binding: self.binding.into_owned(),
            path: self.path.map(RelativePath::into_owned),
        }
    }

    /// SHA-256 of `{"relative_path":P,"root_id":ID}`, with P `.` for the binding's own directory.
    pub fn sha256(&self) -> Digest {
        let path = self.path.as_ref().map_or(".", RelativePath::as_str);
        let mut json = String::from("{");
        canonical::push_key(&mut json, "relative_path");
        canonical::push_string(&mut json, path);
        canonical::push_key(&mut json, "root_id");
        canonical::push_string(&mut json, self.binding.as_str());
        json.push('}');
        Digest::of(json.as_bytes())
    }
}

/// The longest argument, in bytes.
const LONGEST: usize = 4096;
/// The most arguments of one run.
const MOST: usize = 1024;

/// Checks one argument: no NUL, at most 4,096 bytes. Anything else is data.
///
/// # Errors
///
/// [`Rule::Invisible`] for a NUL, [`Rule::Argument`] when it is too long.
pub fn check_argument(argument: &str) -> Result<(), TextError> {
    if let Some((position, _)) = text::find(argument, |character| character == '\0') {
        let message = format!("NUL character U+0000 (character {position}) in an argument");
        return Err(TextError::new(
            Rule::Invisible,
            message,
            "leave it away: a process cannot be given one",
        ));
    }
    if argument.len() > LONGEST {
        let message = format!(
            "an argument has {} bytes, and at most {LONGEST} are allowed",
            argument.len()
        );
        return Err(TextError::new(
            Rule::Argument,
            message,
            "write it to a file, and pass the file's path",
        ));
    }
    Ok(())
}

/// Checks the arguments of one run: each of them, and that there are at most 1,024.
///
/// # Errors
///
/// As [`check_argument`], and [`Rule::Argument`] for too many.
pub fn check_arguments<S: AsRef<str>>(arguments: &[S]) -> Result<(), TextError> {
    if arguments.len() > MOST {
        let message = format!(
            "{} arguments, and at most {MOST} are allowed",
            arguments.len()
        );
        return Err(TextError::new(
            Rule::Argument,
            message,
            "write them to a file, and pass the file's path",
        ));
    }
    arguments
        .iter()
        .try_for_each(|argument| check_argument(argument.as_ref()))
}

/// SHA-256 of the canonical JSON array of the arguments, after checking them.
///
/// # Errors
///
/// As [`check_arguments`].
pub fn argv_sha256<S: AsRef<str>>(arguments: &[S]) -> Result<Digest, TextError> {
    check_arguments(arguments)?;
    Ok(digest_of_arguments(arguments))
}

/// SHA-256 of the canonical JSON array of arguments that were checked.
pub(crate) fn digest_of_arguments<S: AsRef<str>>(arguments: &[S]) -> Digest {
    Digest::of(arguments_json(arguments).as_bytes())
}

/// The canonical JSON array of arguments.
pub(crate) fn arguments_json<S: AsRef<str>>(arguments: impl IntoIterator<Item = S>) -> String {
    let mut json = String::new();
    canonical::push_list(&mut json, arguments, |out, argument| {
        canonical::push_string(out, argument.as_ref());
    });
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_data() {
        for argument in [
            "",
            "*.rs",
            "--flag=?",
            "e\u{301}",
            "a\nb",
            "\u{202e}",
            &"x".repeat(LONGEST),
        ] {
            assert_eq!(check_argument(argument), Ok(()));
        }
        assert_eq!(check_argument("a\0").unwrap_err().rule(), Rule::Invisible);
        assert_eq!(
            check_argument(&"x".repeat(LONGEST + 1)).unwrap_err().rule(),
            Rule::Argument
        );
        assert_eq!(check_arguments(&vec![""; MOST]), Ok(()));
        assert_eq!(
            argv_sha256(&vec![""; MOST + 1]).unwrap_err().rule(),
            Rule::Argument
        );
    }
}
