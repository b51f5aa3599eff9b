//! Ids and MCP tool names.

use std::fmt;

use crate::byte;
use crate::rule::{Rule, TextError, quoted};
use crate::text::{self, Text};

/// The name of something that the host resolves: a binding, an executable, a server, an
/// integration, an agent, a tool, a credential binding, a grant. Case-sensitive.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Id<'a>(pub(crate) Text<'a>);

impl<'a> Id<'a> {
    /// Parses an id: `[A-Za-z0-9][A-Za-z0-9._:-]{0,127}`.
    ///
    /// # Errors
    ///
    /// When the text breaks a rule of every text, else [`Rule::Id`](crate::Rule::Id).
    pub fn parse(text: &'a str) -> Result<Self, TextError> {
        Id::of_canonical(text).ok_or_else(|| {
            let error = refused("an id", text, byte::ID, "._:-");
            error.verified(|suggestion| Id::of_canonical(suggestion).is_some())
        })
    }

    /// The id with this text, if it is one.
    pub(crate) fn of_canonical(text: &'a str) -> Option<Self> {
        let first = *text.as_bytes().first()?;
        let is_id = byte::is(first, byte::ALPHANUMERIC) && is_name(text, byte::ID);
        is_id.then(|| Id(text.into()))
    }

    pub(crate) fn borrowed(&self) -> Id<'_> {
        Id(self.0.borrowed())
    }

    /// The id's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same id, owning its text.
    pub fn into_owned(self) -> Id<'static> {
        Id(self.0.into_owned())
    }
}

impl fmt::Display for Id<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

/// The name of a tool as its MCP server advertises it. Case-sensitive, never split or derived.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ToolName<'a>(pub(crate) Text<'a>);

impl<'a> ToolName<'a> {
    /// Parses a tool name: `[A-Za-z0-9_][A-Za-z0-9_./:-]{0,127}`.
    ///
    /// # Errors
    ///
    /// When the text breaks a rule of every text, else [`Rule::Id`](crate::Rule::Id).
    pub fn parse(text: &'a str) -> Result<Self, TextError> {
        ToolName::of_canonical(text).ok_or_else(|| {
            let error = refused("an MCP tool name", text, byte::TOOL, "_./:-");
            error.verified(|suggestion| ToolName::of_canonical(suggestion).is_some())
        })
    }

    /// The tool name with this text, if it is one.
    pub(crate) fn of_canonical(text: &'a str) -> Option<Self> {
        let first = *text.as_bytes().first()?;
        let is_first = byte::is(first, byte::ALPHANUMERIC) || first == b'_';
        (is_first && is_name(text, byte::TOOL)).then(|| ToolName(text.into()))
    }

    pub(crate) fn borrowed(&self) -> ToolName<'_> {
        ToolName(self.0.borrowed())
    }

    /// The name's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same name, owning its text.
    pub fn into_owned(self) -> ToolName<'static> {
        ToolName(self.0.into_owned())
    }
}

impl fmt::Display for ToolName<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

/// The longest id or tool name, in bytes.
const LONGEST: usize = 128;

/// Up to 128 bytes of this sort.
fn is_name(text: &str, sort: u8) -> bool {
    text.len() <= LONGEST && byte::all(text, sort)
}

/// Why a text is no id or tool name, in which bytes of this sort may stand: letters, digits and these
/// signs, of which a tool name may begin with `_`.
fn refused(what: &str, text: &str, sort: u8, signs: &str) -> TextError {
    if let Err(error) = text::check(what, text, Rule::Id) {
        return error;
    }
    let is_first =
        |byte: u8| byte::is(byte, byte::ALPHANUMERIC) || (sort == byte::TOOL && byte == b'_');
    let is_rest = |byte: u8| byte::is(byte, sort);
    let signs = signs
        .chars()
        .map(|sign| format!("`{sign}`"))
        .collect::<Vec<_>>()
        .join(" ");
    let rule = format!("write ASCII letters, digits and {signs}, at most {LONGEST}");
    let message = if text.len() > LONGEST {
        format!(
            "{what} has {} bytes, and at most {LONGEST} are allowed",
            text.len()
        )
    } else if let Some((position, character)) = text::find(text, |character| {
        u8::try_from(character).map_or(true, |byte| !is_rest(byte))
    }) {
        format!(
            "{} (character {position}) may not stand in {what}: {}",
            crate::rule::named(character),
            quoted(text)
        )
    } else {
        format!(
            "{what} may not begin with `{}`: {}",
            &text[..1],
            quoted(text)
        )
    };
    let bare = text.trim_end_matches(['/', '\\']);
    let help = if bare.contains(['/', '\\']) && what == "an id" {
        "the host binds a path, an executable or an address to an id; write that id, as `git` for `/usr/bin/git`"
    } else {
        &rule
    };
    let start: String = bare
        .bytes()
        .skip_while(|byte| !is_first(*byte))
        .map(char::from)
        .collect();
    let fixed: String = start
        .chars()
        .map(|character| match u8::try_from(character) {
            Ok(byte) if is_rest(byte) => character,
            _ => '-',
        })
        .take(LONGEST)
        .collect();
    let error = TextError::new(Rule::Id, message, help);
    let has_path = bare.contains(['/', '\\']);
    if text.is_ascii() && !fixed.is_empty() && !has_path {
        error.with_suggestion(fixed)
    } else {
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids() {
        for text in [
            "a",
            "1",
            "ws",
            "a:b",
            "w.s:x-y_z",
            "git.exe",
            "workspace..x",
            "workspace.",
            &"x".repeat(128),
        ] {
            assert_eq!(
                Id::parse(text).map(|id| id.to_string()),
                Ok(text.to_owned())
            );
        }
        for (text, rule, suggestion) in [
            ("", Rule::Id, None),
            (" a", Rule::Id, Some("a")),
            ("_a", Rule::Id, Some("a")),
            (".a", Rule::Id, Some("a")),
            ("-", Rule::Id, None),
            ("my workspace", Rule::Id, Some("my-workspace")),
            ("a/b", Rule::Id, None),
            ("/usr/bin/git", Rule::Id, None),
            ("\u{430}", Rule::Id, None),
            ("д\u{43e}cs", Rule::MixedScripts, None),
            ("a\u{301}", Rule::Id, None),
            ("a*", Rule::Wildcard, None),
            ("a\u{200b}", Rule::Invisible, Some("a")),
        ] {
            let error = Id::parse(text).unwrap_err();
            assert_eq!(
                (error.rule(), error.suggestion()),
                (rule, suggestion),
                "{text:?}"
            );
            assert!(!error.help().is_empty());
        }
        assert_eq!(Id::parse(&"x".repeat(129)).unwrap_err().rule(), Rule::Id);
        let error = Id::parse("/usr/bin/git").unwrap_err();
        assert_eq!(
            error.to_string(),
            "`/` (U+002F) (character 1) may not stand in an id: `/usr/bin/git`"
        );
    }

    #[test]
    fn tool_names() {
        for text in ["search", "files.read", "_a/b.c:d-e", "a.b-c:d"] {
            assert_eq!(
                ToolName::parse(text).map(|name| name.to_string()),
                Ok(text.to_owned())
            );
        }
        for text in ["", "/a", "a b", "-a", "verify_\u{57d}ser", &"t".repeat(129)] {
            assert_eq!(
                ToolName::parse(text).unwrap_err().rule(),
                Rule::Id,
                "{text}"
            );
        }
    }
}
