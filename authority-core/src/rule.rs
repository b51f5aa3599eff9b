//! What is wrong with a text that is not a canonical one.

use std::fmt::{self, Write as _};

/// The rule that a text breaks. Of several broken rules the first in this order is reported, but
/// [`NotCanonical`](Rule::NotCanonical) comes before the kind's own only where the text is valid in
/// another spelling.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Rule {
    /// A control, bidirectional, zero-width or otherwise invisible character.
    Invisible,
    /// A wildcard: `*` or `?`.
    Wildcard,
    /// A home directory or a variable reference in a path.
    Variable,
    /// Letters of two of the scripts Latin, Cyrillic and Greek in one run.
    MixedScripts,
    /// A path prefix, an absolute path, or an empty, `.` or `..` segment.
    Prefix,
    /// Valid, but in another spelling than the canonical one.
    NotCanonical,
    /// Not an id or a tool name.
    Id,
    /// Not a relative path.
    Path,
    /// Not a host.
    Host,
    /// A port that is missing or invalid.
    Port,
    /// Not one of the protocols.
    Protocol,
    /// Not a GitHub repository.
    Repository,
    /// Not a browser origin.
    Origin,
    /// Not a SHA-256 digest.
    Digest,
    /// An argument that is too long, or one too many.
    Argument,
}

impl Rule {
    /// The rule in words, without any part of the text. This is all that an error about an
    /// untrusted document says.
    pub const fn about(self) -> &'static str {
        match self {
            Rule::Invisible => "a control, bidirectional or invisible character",
            Rule::Wildcard => "a wildcard: a target is exact",
            Rule::Variable => "a home directory or variable reference: nothing expands it",
            Rule::MixedScripts => "letters of two scripts in one run",
            Rule::Prefix => "a prefix, an absolute path, or an empty, `.` or `..` segment",
            Rule::NotCanonical => "not the canonical spelling",
            Rule::Id => "not an id",
            Rule::Path => "not a relative path",
            Rule::Host => "not a host",
            Rule::Port => "a port that is missing or invalid",
            Rule::Protocol => "not a protocol",
            Rule::Repository => "not a repository",
            Rule::Origin => "not an origin",
            Rule::Digest => "not a SHA-256 digest",
            Rule::Argument => "an argument that is too long, or one too many",
        }
    }
}

/// A text that is not a canonical one: the broken rule, what is wrong, and what to write instead.
///
/// [`Display`](fmt::Display) gives the message in one line. It quotes parts of the text, with
/// invisible characters escaped; an error about an untrusted document names the [`Rule`] only.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct TextError {
    rule: Rule,
    message: String,
    help: String,
    suggestion: Option<String>,
}

impl TextError {
    pub(crate) fn new(rule: Rule, message: impl Into<String>, help: impl Into<String>) -> Self {
        TextError {
            rule,
            message: message.into(),
            help: help.into(),
            suggestion: None,
        }
    }

    /// A text that is valid in another spelling.
    pub(crate) fn not_canonical(what: &str, text: &str, canonical: String) -> Self {
        TextError {
            rule: Rule::NotCanonical,
            message: format!("{} is not the canonical spelling of {what}", quoted(text)),
            help: format!("write {}", quoted(&canonical)),
            suggestion: Some(canonical),
        }
    }

    /// The same error with a corrected text.
    pub(crate) fn with_suggestion(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// The same error, with its suggestion only if that is accepted, which its help says too.
    pub(crate) fn verified(mut self, accepts: impl Fn(&str) -> bool) -> Self {
        self.suggestion = self.suggestion.filter(|suggestion| accepts(suggestion));
        if let Some(suggestion) = self.suggestion.as_deref().map(quoted)
            && !self.help.contains(&suggestion)
        {
            self.help = format!("{}; here {suggestion}", self.help);
        }
        self
    }

    /// The rule that the text breaks.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// What to write instead, in words.
    pub fn help(&self) -> &str {
        &self.help
    }

    /// The corrected text, where one can be computed. It is itself accepted by the same rule.
    pub fn suggestion(&self) -> Option<&str> {
        self.suggestion.as_deref()
    }
}

/// The text in back quotes, with invisible characters escaped, cut after 80 characters.
pub(crate) fn quoted(text: &str) -> String {
    format!("`{}`", Escaped(text))
}

/// A character as a message names it: its code point, and an ASCII one itself.
pub(crate) fn named(character: char) -> String {
    let code = u32::from(character);
    if character.is_ascii_graphic() {
        format!("`{character}` (U+{code:04X})")
    } else {
        format!("U+{code:04X}")
    }
}

/// A text for a message: characters that do not show, white space, and marks that would join the
/// character before them are written `\u{…}`.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (count, character) in self.0.chars().enumerate() {
            if count == 80 {
                return formatter.write_char('…');
            }
            if character == ' '
                || (crate::text::is_visible(character) && crate::text::stands_alone(character))
            {
                formatter.write_char(character)?;
            } else {
                write!(formatter, "\\u{{{:X}}}", u32::from(character))?;
            }
        }
        Ok(())
    }
}
