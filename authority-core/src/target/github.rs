//! `github`: one repository on github.com.

use std::fmt;

use crate::byte;
use crate::rule::{Rule, TextError, quoted};
use crate::text::{self, Text};

/// `owner/name` of a repository on github.com, in lower case.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Repository<'a>(pub(crate) Text<'a>);

impl<'a> Repository<'a> {
    /// Parses the canonical text of a repository.
    ///
    /// # Errors
    ///
    /// When the text breaks a rule of every text or of repositories.
    pub fn parse(text: &'a str) -> Result<Self, TextError> {
        match check(text) {
            Ok(()) => Ok(Repository(text.into())),
            Err(error) => Err(error.verified(|suggestion| check(suggestion).is_ok())),
        }
    }

    /// Parses the text of a repository as a request may spell it: in any letter case.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse), but for the spelling.
    pub fn from_request(text: &'a str) -> Result<Self, TextError> {
        if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            let folded = text.to_ascii_lowercase();
            return Repository::parse(&folded).map(Repository::into_owned);
        }
        Repository::parse(text)
    }

    /// The repository with this text, if it is one.
    pub(crate) fn of_canonical(text: &'a str) -> Option<Self> {
        is_repository(text).then(|| Repository(text.into()))
    }

    pub(crate) fn borrowed(&self) -> Repository<'_> {
        Repository(self.0.borrowed())
    }

    /// The same repository, owning its text.
    pub fn into_owned(self) -> Repository<'static> {
        Repository(self.0.into_owned())
    }

    /// The repository's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Repository<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

const WHAT: &str = "a GitHub repository";

fn check(text: &str) -> Result<(), TextError> {
    if is_repository(text) {
        return Ok(());
    }
    text::check(WHAT, text, Rule::Repository)?;
    let lower = text.to_ascii_lowercase();
    let lower = lower.as_str();
    if is_repository(lower) {
        return Err(TextError::not_canonical(WHAT, text, lower.to_owned()));
    }
    // Only an address of github.com says which repository is meant.
    let schemes = ["https://", "http://", "ssh://git@", "git@", ""];
    let hosts = ["www.github.com", "github.com"];
    let after_host = schemes.iter().flat_map(|scheme| {
        hosts.iter().filter_map(move |host| {
            lower
                .strip_prefix(scheme)?
                .strip_prefix(host)?
                .strip_prefix(['/', ':'])
        })
    });
    let bare = after_host
        .into_iter()
        .next()
        .unwrap_or(lower)
        .trim_end_matches('/');
    let bare = bare.strip_suffix(".git").unwrap_or(bare);
    let help = if is_repository(bare) {
        format!("write {}", quoted(bare))
    } else {
        "write exactly `owner/name`, as in `rust-lang/cargo`: one repository on github.com"
            .to_owned()
    };
    let message = format!("{} is not {WHAT}", quoted(text));
    Err(TextError::new(Rule::Repository, message, help).with_suggestion(bare))
}

fn is_repository(text: &str) -> bool {
    let slash = text.bytes().position(|byte| byte == b'/');
    slash.is_some_and(|slash| is_owner(&text[..slash]) && is_name(&text[slash + 1..]))
}

/// `[a-z0-9](-?[a-z0-9])*`, at most 39.
fn is_owner(owner: &str) -> bool {
    let mut last = b'-';
    for byte in owner.bytes() {
        if !byte::is(byte, byte::LOWER) && (byte != b'-' || last == b'-') {
            return false;
        }
        last = byte;
    }
    last != b'-' && owner.len() <= 39
}

/// `[a-z0-9._-]{1,100}`, not `.` or `..`, not ending in `.git`.
fn is_name(name: &str) -> bool {
    (1..=100).contains(&name.len())
        && byte::all(name, byte::REPOSITORY)
        && !matches!(name, "." | "..")
        && name.strip_suffix(".git").is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories() {
        for text in [
            "rust-lang/cargo",
            "a/b",
            "a-b-c/.github",
            "acme/x.gitx",
            "acme/repo.",
            "x-y-z/a.b_c-d",
        ] {
            assert_eq!(
                Repository::parse(text).map(|repository| repository.to_string()),
                Ok(text.to_owned())
            );
        }
        for (text, rule, suggestion) in [
            (
                "Rust-Lang/Cargo",
                Rule::NotCanonical,
                Some("rust-lang/cargo"),
            ),
            (
                "https://github.com/acme/widgets",
                Rule::Repository,
                Some("acme/widgets"),
            ),
            (
                "github.com/Acme/widgets/",
                Rule::Repository,
                Some("acme/widgets"),
            ),
            (
                "git@github.com:acme/widgets.git",
                Rule::Repository,
                Some("acme/widgets"),
            ),
            ("acme/widgets.git", Rule::Repository, Some("acme/widgets")),
            (
                "ssh://git@github.com/acme/widgets",
                Rule::Repository,
                Some("acme/widgets"),
            ),
            ("https://acme/widgets", Rule::Repository, None),
            ("https://localhost/a", Rule::Repository, None),
            ("cargo", Rule::Repository, None),
            ("-acme/widgets", Rule::Repository, None),
            ("acme--x/y", Rule::Repository, None),
            ("acme/.", Rule::Repository, None),
            ("a/b#1", Rule::Repository, None),
            ("acme/*", Rule::Wildcard, None),
            ("acme/w\u{456}dgets", Rule::MixedScripts, None),
            (" a/b", Rule::Repository, Some("a/b")),
            ("", Rule::Repository, None),
        ] {
            let error = Repository::parse(text).unwrap_err();
            assert_eq!(
                (error.rule(), error.suggestion()),
                (rule, suggestion),
                "{text:?}"
            );
        }
    }

    #[test]
    fn requests_may_use_any_letter_case() {
        let requested = Repository::from_request("Rust-Lang/Cargo").unwrap();
        assert_eq!(requested.as_str(), "rust-lang/cargo");
        assert_eq!(
            Repository::from_request("cargo").unwrap_err().rule(),
            Rule::Repository
        );
    }
}
