//! Texts: how they are stored, and the rules that all of them keep.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use unicode_normalization::{UnicodeNormalization, is_nfc};
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_script::{Script, UnicodeScript};

use crate::rule::{Rule, TextError, named as escaped};

/// A text that is borrowed (from a request, or for ever from the program) or shared.
///
/// Equality, order and hash are those of the text.
#[derive(Clone)]
pub(crate) enum Text<'a> {
    /// Borrowed: from the input, or `'static`.
    Borrowed(&'a str),
    /// Shared between clones.
    Shared(Arc<str>),
}

impl Text<'_> {
    pub(crate) fn into_owned(self) -> Text<'static> {
        match self {
            Text::Borrowed(text) => Text::Shared(text.into()),
            Text::Shared(text) => Text::Shared(text),
        }
    }

    /// The same text, borrowed from this one.
    pub(crate) fn borrowed(&self) -> Text<'_> {
        Text::Borrowed(self)
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Text::Borrowed(text) => text,
            Text::Shared(text) => text,
        }
    }
}

impl Borrow<str> for Text<'_> {
    fn borrow(&self) -> &str {
        self
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Text::Borrowed(text)
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Text::Shared(text.into())
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Text<'_> {}

impl Hash for Text<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl Ord for Text<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (**self).cmp(&**other)
    }
}

impl PartialOrd for Text<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self)
    }
}

/// The longest text, in bytes.
const LONGEST: usize = 4096;

/// The rules of every text, in the order in which they are reported. `what` names the text in
/// messages, and `own` is the rule for what is blank, padded or too long.
pub(crate) fn check(what: &str, text: &str, own: Rule) -> Result<(), TextError> {
    check_characters(what, text)?;
    check_scripts(what, text)?;
    check_form(what, text, own)
}

/// Invisible characters and wildcards.
pub(crate) fn check_characters(what: &str, text: &str) -> Result<(), TextError> {
    if let Some((position, character)) = find(text, |character| !is_visible(character)) {
        let kind = if is_bidirectional(character) {
            "bidirectional control"
        } else {
            "invisible"
        };
        return Err(TextError::new(
            Rule::Invisible,
            format!(
                "{kind} character {} (character {position}) in {what}",
                escaped(character)
            ),
            "leave the character away: what is granted must be readable where it is granted",
        )
        .with_suggestion(remove(text, |character| !is_visible(character))));
    }
    if let Some((position, character)) = find(text, |character| matches!(character, '*' | '?')) {
        return Err(TextError::new(
            Rule::Wildcard,
            format!(
                "wildcard `{character}` (character {position}) in {what}: an authority target is exact"
            ),
            "name each one with an entry of its own",
        ));
    }
    Ok(())
}

/// Runs of letters that mix scripts which look alike.
pub(crate) fn check_scripts(what: &str, text: &str) -> Result<(), TextError> {
    if text.is_ascii() {
        return Ok(());
    }
    let mut first: Option<(Confusable, char)> = None;
    for (character, position) in text.chars().zip(1..) {
        if !is_letter(character) {
            first = None;
            continue;
        }
        let Some(script) = Confusable::of(character) else {
            continue;
        };
        match first {
            Some((other, seen)) if other != script => {
                return Err(TextError::new(
                    Rule::MixedScripts,
                    format!(
                        "{} letter {} (character {position}) beside {} letter {} in {what}",
                        script.name(),
                        escaped(character),
                        other.name(),
                        escaped(seen),
                    ),
                    "write the run of letters in one script, or separate the scripts with a digit or sign",
                ));
            }
            Some(_) => {}
            None => first = Some((script, character)),
        }
    }
    Ok(())
}

/// Blank, padded or too long.
pub(crate) fn check_form(what: &str, text: &str, own: Rule) -> Result<(), TextError> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(TextError::new(
            own,
            format!("{what} cannot be empty"),
            format!("write {what}"),
        ));
    }
    if trimmed.len() != text.len() {
        let help = "write it without white space around it";
        let message = format!("white space around {what}");
        return Err(TextError::new(own, message, help).with_suggestion(trimmed));
    }
    if text.len() > LONGEST {
        let message = format!(
            "{what} has {} bytes, and at most {LONGEST} are allowed",
            text.len()
        );
        return Err(TextError::new(own, message, "write a shorter one"));
    }
    Ok(())
}

/// The text in Unicode's composed form, which is the only spelling of a text that may have other
/// letters than ASCII ones; `None` when it is in this form.
pub(crate) fn composed(text: &str) -> Option<String> {
    (!text.is_ascii() && !is_nfc(text)).then(|| text.nfc().collect())
}

/// The first character of this sort, with its position from 1.
pub(crate) fn find(text: &str, is: impl Fn(char) -> bool) -> Option<(usize, char)> {
    text.chars()
        .zip(1..)
        .find(|(character, _)| is(*character))
        .map(|(character, position)| (position, character))
}

fn remove(text: &str, is: impl Fn(char) -> bool) -> String {
    text.chars().filter(|character| !is(*character)).collect()
}

/// Whether a character shows: it is of none of the general categories Cc, Cf, Cs, Zl, Zp, and not
/// `Default_Ignorable_Code_Point`.
pub(crate) fn is_visible(character: char) -> bool {
    if character.is_ascii() {
        return !character.is_ascii_control();
    }
    !matches!(
        character.general_category(),
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::Surrogate
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
    ) && !is_default_ignorable(character)
}

/// Whether a character is neither white space nor a mark on the one before it.
pub(crate) fn stands_alone(character: char) -> bool {
    character.is_ascii_graphic()
        || (!character.is_whitespace()
            && character.general_category_group() != GeneralCategoryGroup::Mark)
}

/// `Default_Ignorable_Code_Point` of the Unicode Character Database (`DerivedCoreProperties.txt`),
/// but for the characters of the general category Cf.
fn is_default_ignorable(character: char) -> bool {
    matches!(
        u32::from(character),
        0x034f
            | 0x115f..=0x1160
            | 0x17b4..=0x17b5
            | 0x180b..=0x180f
            | 0x2065
            | 0x3164
            | 0xfe00..=0xfe0f
            | 0xffa0
            | 0xfff0..=0xfff8
            | 0xe0000..=0xe0fff
    )
}

fn is_bidirectional(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Letters and the marks on them: a mark does not end a run.
fn is_letter(character: char) -> bool {
    matches!(
        character.general_category_group(),
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Mark
    )
}

/// A script whose letters look like those of another.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Confusable {
    Latin,
    Cyrillic,
    Greek,
}

impl Confusable {
    fn of(character: char) -> Option<Self> {
        match character.script() {
            Script::Latin => Some(Confusable::Latin),
            Script::Cyrillic => Some(Confusable::Cyrillic),
            Script::Greek => Some(Confusable::Greek),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Confusable::Latin => "Latin",
            Confusable::Cyrillic => "Cyrillic",
            Confusable::Greek => "Greek",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> Option<Rule> {
        check("a text", text, Rule::Id)
            .err()
            .map(|error| error.rule())
    }

    #[test]
    fn common_rules() {
        for (text, expected) in [
            ("a", None),
            ("план.md", None),
            ("αβγ.txt", None),
            ("a1\u{430}/ж-z", None),
            ("emoji/🦀.rs", None),
            ("esc\u{e000}end", None),
            ("", Some(Rule::Id)),
            ("  ", Some(Rule::Id)),
            ("a ", Some(Rule::Id)),
            ("\u{3000}a", Some(Rule::Id)),
            ("a\n", Some(Rule::Invisible)),
            ("a\u{85}", Some(Rule::Invisible)),
            ("a\0b", Some(Rule::Invisible)),
            ("a\u{200b}b", Some(Rule::Invisible)),
            ("a\u{202e}b", Some(Rule::Invisible)),
            ("a\u{ad}b", Some(Rule::Invisible)),
            ("a\u{34f}b", Some(Rule::Invisible)),
            ("a\u{3164}b", Some(Rule::Invisible)),
            ("a\u{fe0f}b", Some(Rule::Invisible)),
            ("a\u{e0041}b", Some(Rule::Invisible)),
            ("\u{2028}x", Some(Rule::Invisible)),
            ("*\u{200b}", Some(Rule::Invisible)),
            ("a*", Some(Rule::Wildcard)),
            ("a?", Some(Rule::Wildcard)),
            ("\u{430}pp.rs", Some(Rule::MixedScripts)),
            ("α\u{430}", Some(Rule::MixedScripts)),
            ("a\u{301}\u{430}", Some(Rule::MixedScripts)),
        ] {
            assert_eq!(rule(text), expected, "{text:?}");
        }
        assert_eq!(rule(&"a".repeat(4096)), None);
        assert_eq!(rule(&"a".repeat(4097)), Some(Rule::Id));
    }

    #[test]
    fn messages_name_the_character() {
        let error = check("an id", "ab\u{202e}c", Rule::Id).unwrap_err();
        assert_eq!(
            error.to_string(),
            "bidirectional control character U+202E (character 3) in an id"
        );
        assert_eq!(error.suggestion(), Some("abc"));
        let error = check("an id", "\u{430}pp", Rule::Id).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Latin letter `p` (U+0070) (character 2) beside Cyrillic letter U+0430 in an id",
        );
    }
}
