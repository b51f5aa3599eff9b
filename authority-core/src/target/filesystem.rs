//! `filesystem`: a binding, or one exact relative path in it.

use std::fmt;

use crate::byte;
use crate::id::Id;
use crate::rule::{Rule, TextError, named, quoted};
use crate::text::{self, Text};

/// A bound directory (`path` is `None`: the whole of it), or one exact path in it.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct FilesystemTarget<'a> {
    /// The binding that the host resolves to a directory; `root_id` on the wire.
    pub binding: Id<'a>,
    /// One exact path in the binding, or the whole binding.
    pub path: Option<RelativePath<'a>>,
}

impl FilesystemTarget<'_> {
    /// The same target, owning its texts.
    pub fn into_owned(self) -> FilesystemTarget<'static> {
        FilesystemTarget {
            binding: self.binding.into_owned(),
            path: self.path.map(RelativePath::into_owned),
        }
    }
}

/// A relative path: segments joined by single `/`.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct RelativePath<'a>(pub(crate) Text<'a>);

impl<'a> RelativePath<'a> {
    /// Parses a relative path.
    ///
    /// # Errors
    ///
    /// When the text breaks a rule of every text or of paths.
    pub fn parse(text: &'a str) -> Result<Self, TextError> {
        match check(text) {
            Ok(()) => Ok(RelativePath(text.into())),
            Err(error) => Err(error.verified(|suggestion| check(suggestion).is_ok())),
        }
    }

    /// The path with this text, if it is one that needs no closer look.
    pub(crate) fn of_plain(text: &'a str) -> Option<Self> {
        is_plain(text).then(|| RelativePath(text.into()))
    }

    pub(crate) fn borrowed(&self) -> RelativePath<'_> {
        RelativePath(self.0.borrowed())
    }

    /// The same path, owning its text.
    pub fn into_owned(self) -> RelativePath<'static> {
        RelativePath(self.0.into_owned())
    }

    /// The path's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RelativePath<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

const WHAT: &str = "a filesystem path";

fn check(text: &str) -> Result<(), TextError> {
    if is_plain(text) {
        return Ok(());
    }
    text::check_characters(WHAT, text).map_err(|error| match error.rule() {
        Rule::Wildcard => error.with_help(
            "name each file, or declare a binding for the directory: filesystem \"src\" => read;",
        ),
        _ => error,
    })?;
    check_variables(text)?;
    text::check_scripts(WHAT, text)?;
    check_segments(text)?;
    if text.is_empty() {
        let help = "leave the path away: the binding alone is the whole directory";
        return Err(TextError::new(
            Rule::Path,
            format!("{WHAT} cannot be empty"),
            help,
        ));
    }
    text::check_form(WHAT, text, Rule::Path)?;
    if let Some(composed) = text::composed(text) {
        // Whatever else is wrong with it is said first.
        check(&composed)?;
        return Err(TextError::not_canonical(WHAT, text, composed));
    }
    text.split('/')
        .try_for_each(|segment| check_segment(text, segment))
}

/// A path that needs no closer look.
fn is_plain(text: &str) -> bool {
    let mut rest = text;
    loop {
        let slash = rest.bytes().position(|byte| byte == b'/');
        if !is_plain_segment(&rest[..slash.unwrap_or(rest.len())]) {
            return false;
        }
        match slash {
            Some(slash) => rest = &rest[slash + 1..],
            None => return text.len() <= 4096,
        }
    }
}

/// A segment that needs no closer look: ASCII letters, digits, `_` and `-`, with dots between them,
/// and no device name.
fn is_plain_segment(segment: &str) -> bool {
    !segment.is_empty()
        && byte::all(segment, byte::SEGMENT)
        && !segment.ends_with('.')
        && !is_device(segment)
}

/// Home directories and variable references: nothing expands them.
fn check_variables(text: &str) -> Result<(), TextError> {
    let refused = |reference: &str| {
        Err(TextError::new(
            Rule::Variable,
            format!(
                "{} in {WHAT}: nothing expands a home directory or a variable",
                quoted(reference)
            ),
            "bind the directory to an id in the host, and write the path below it",
        ))
    };
    if text.starts_with('~') {
        return refused("~");
    }
    if text.contains("${") {
        return refused("${");
    }
    if let Some(variable) = text
        .split('/')
        .find(|segment| segment.strip_prefix('$').is_some_and(is_shell_name))
    {
        return refused(variable);
    }
    let mut parts = text.split('%');
    parts.next();
    // Between two percent signs; what follows the last one is not.
    let between: Vec<_> = parts.collect();
    if let Some(name) = between
        .iter()
        .rev()
        .skip(1)
        .find(|name| is_windows_name(name))
    {
        return refused(&format!("%{name}%"));
    }
    Ok(())
}

fn is_shell_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase() || first == '_')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

fn is_windows_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Prefixes, absolute paths, and segments that are none.
fn check_segments(text: &str) -> Result<(), TextError> {
    const HELP: &str = "write the path from the binding's directory, segments joined by single `/`";
    let relative: Vec<_> = text
        .split(['/', '\\'])
        .filter(|segment| !matches!(*segment, "" | "."))
        .collect();
    let suggestion = relative.join("/");
    let refused = |message: String, help: &str| {
        Err(TextError::new(Rule::Prefix, message, help).with_suggestion(&suggestion))
    };
    let is_drive =
        matches!(text.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    if is_drive || text.starts_with('\\') {
        return Err(TextError::new(
            Rule::Prefix,
            format!("{} is an absolute path of Windows", quoted(text)),
            HELP,
        ));
    }
    if text.starts_with('/') {
        let help = "a path is relative to its binding; bind the directory to an id in the host, and write the path below it";
        let message = format!("{} is an absolute path", quoted(text));
        return Err(TextError::new(Rule::Prefix, message, help));
    }
    if text.split('/').any(|segment| segment == "..") {
        let help = "name the path itself; what lies outside needs a binding of its own";
        return Err(TextError::new(
            Rule::Prefix,
            format!("a `..` segment in {WHAT}"),
            help,
        ));
    }
    if text.ends_with('/') {
        let name = suggestion.rsplit('/').next().unwrap_or_default();
        let help = format!(
            "write {} for exactly this path; for all of a directory declare a binding: filesystem \"{name}\" => read;",
            quoted(&suggestion)
        );
        return refused(
            format!("{} ends in `/`: a path is no prefix", quoted(text)),
            &help,
        );
    }
    if text == "." {
        let help = "leave the path away: the binding alone is the whole directory";
        return Err(TextError::new(Rule::Prefix, "`.` in place of a path", help));
    }
    if text.split('/').any(|segment| segment == ".") {
        return refused(format!("a `.` segment in {WHAT}"), HELP);
    }
    if !text.is_empty() && text.split('/').any(str::is_empty) {
        return refused(format!("an empty segment in {WHAT}"), HELP);
    }
    Ok(())
}

fn check_segment(text: &str, segment: &str) -> Result<(), TextError> {
    let refused = |message: String, help: &str| Err(TextError::new(Rule::Path, message, help));
    if let Some((position, character)) =
        text::find(text, |character| matches!(character, '\\' | ':'))
    {
        let message = format!(
            "{} (character {position}) may not stand in {WHAT}",
            named(character)
        );
        let help = if character == ':' {
            "a colon names a drive or a hidden stream on some systems: give the file another name"
        } else {
            "write `/` between segments"
        };
        let error = TextError::new(Rule::Path, message, help);
        return Err(if character == '\\' {
            error.with_suggestion(text.replace('\\', "/"))
        } else {
            error
        });
    }
    if segment.ends_with(['.', ' ']) {
        let help = "some systems drop a dot or space at the end of a name, so that it is another file's: give it another name";
        return refused(format!("{} ends in a dot or space", quoted(segment)), help);
    }
    if is_device(segment) {
        let help = "give the file another name: with or without an extension, this one is a device on Windows";
        return refused(
            format!("{} is a device name on Windows", quoted(segment)),
            help,
        );
    }
    Ok(())
}

/// Device names of Windows, in any case, with or without an extension.
fn is_device(segment: &str) -> bool {
    // All begin with one of these: a quick end for nearly every segment.
    if !matches!(
        segment.as_bytes(),
        [
            b'A' | b'C' | b'L' | b'N' | b'P' | b'a' | b'c' | b'l' | b'n' | b'p',
            ..
        ]
    ) {
        return false;
    }
    let stem = segment
        .split('.')
        .next()
        .unwrap_or(segment)
        .trim_end_matches(' ');
    let is = |name: &str| stem.eq_ignore_ascii_case(name);
    let is_port = |rest: &str| {
        matches!(
            rest,
            "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³"
        )
    };
    let is_numbered = |name: &str| {
        let split = stem.split_at_checked(name.len());
        split.is_some_and(|(start, rest)| start.eq_ignore_ascii_case(name) && is_port(rest))
    };
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
        .into_iter()
        .any(is)
        || is_numbered("COM")
        || is_numbered("LPT")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepted() {
        for text in [
            "src/lib.rs",
            "a",
            ".env",
            ".git/config",
            "..hidden",
            "a/..b",
            "[draft].md",
            "routes/+page.svelte",
            "app/$id.tsx",
            "a~b/~c",
            "%2e%2e/etc",
            "..%2fetc",
            "S\u{130}",
            "план.md",
            "é/ü.txt",
            "a b/c d",
            "quote\"d.txt",
            "COM0",
            "COM10",
            "console",
            "com",
            "a-b_c.d+e@f",
            "..;/etc",
            "$id",
            "100%/50%",
        ] {
            assert_eq!(
                RelativePath::parse(text).map(|path| path.to_string()),
                Ok(text.to_owned())
            );
        }
    }

    #[test]
    fn refused() {
        for (text, rule, suggestion) in [
            ("", Rule::Path, None),
            ("src/", Rule::Prefix, Some("src")),
            ("/etc/passwd", Rule::Prefix, None),
            ("./src", Rule::Prefix, Some("src")),
            ("a//b", Rule::Prefix, Some("a/b")),
            ("a/./b", Rule::Prefix, Some("a/b")),
            ("../x", Rule::Prefix, None),
            ("a/..", Rule::Prefix, None),
            (".", Rule::Prefix, None),
            ("/", Rule::Prefix, None),
            ("\\\\server\\share", Rule::Prefix, None),
            ("C:\\x", Rule::Prefix, None),
            ("C:/x", Rule::Prefix, None),
            ("~/x", Rule::Variable, None),
            ("$HOME/x", Rule::Variable, None),
            ("${HOME}/x", Rule::Variable, None),
            ("%USERPROFILE%/x", Rule::Variable, None),
            ("a%b%c", Rule::Variable, None),
            ("src/*.rs", Rule::Wildcard, None),
            ("**", Rule::Wildcard, None),
            ("cafe\u{301}.md", Rule::NotCanonical, Some("café.md")),
            ("cafe\u{301}:x", Rule::Path, None),
            ("a\\b", Rule::Path, Some("a/b")),
            ("file.txt:stream", Rule::Path, None),
            ("a/b.", Rule::Path, None),
            ("...", Rule::Path, None),
            ("a/.../b", Rule::Path, None),
            ("a /b", Rule::Path, None),
            ("nul", Rule::Path, None),
            ("logs/COM¹.txt", Rule::Path, None),
            ("LPT9", Rule::Path, None),
            ("conin$", Rule::Path, None),
            ("esc\u{7f}end", Rule::Invisible, Some("escend")),
            ("\u{430}pp.rs", Rule::MixedScripts, None),
        ] {
            let error = RelativePath::parse(text).unwrap_err();
            assert_eq!(
                (error.rule(), error.suggestion()),
                (rule, suggestion),
                "{text:?} {error}"
            );
            assert!(!error.help().is_empty());
        }
    }
}
