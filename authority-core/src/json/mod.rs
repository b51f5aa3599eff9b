//! A strict reader of JSON (RFC 8259), from which every document of this crate is decoded.
//!
//! It reads in one pass and reports the first error. Stricter than the RFC: a key is there at most
//! once in an object, at any depth and also when two are equal only after their escapes are
//! decoded; no byte order mark, no lone surrogate, at most 64 levels. Numbers stay text: nothing
//! passes through a float. A string without escapes is borrowed from the document.

pub(crate) mod canonical;
mod error;
mod scope;
pub(crate) mod target;

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::RangeInclusive;

use crate::digest::Digest;
use crate::id::{Id, ToolName};
use crate::money::MicroDollars;
use crate::rule::TextError;
use crate::suggest::nearest;
use crate::target::{Origin, RelativePath, Repository};

pub use error::{DecodeError, DecodeRule};

/// Levels of objects and lists that may be open at once.
const DEEPEST: u8 = 64;

/// Decodes a whole document: nothing but white space may stand around the value.
pub(crate) fn decode<'a, T>(
    text: &'a str,
    value: impl FnOnce(&mut Reader<'a>) -> Result<T, DecodeError>,
) -> Result<T, DecodeError> {
    let mut reader = Reader {
        text,
        at: 0,
        depth: 0,
    };
    if text.starts_with('\u{feff}') {
        return Err(reader.syntax("a byte order mark"));
    }
    let value = value(&mut reader)?;
    reader.skip_space();
    if reader.at < text.len() {
        return Err(reader.syntax("text after the document"));
    }
    Ok(value)
}

/// The keys of one kind of object.
pub(crate) trait Member: Copy + 'static {
    /// Every key.
    const NAMES: &'static [&'static str];

    /// The key with this text.
    fn from_name(name: &str) -> Option<Self>;

    /// The key's text.
    fn name(self) -> &'static str;

    /// The key's bit in a word of the keys that were there.
    fn bit(self) -> u32;
}

/// Declares the keys of one kind of object as an enum.
macro_rules! members {
    ($(#[$attribute:meta])* $visibility:vis enum $Name:ident { $( $Key:ident $name:literal, )* }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy)]
        $visibility enum $Name { $( $Key, )* }

        impl crate::json::Member for $Name {
            const NAMES: &'static [&'static str] = &[ $( $name, )* ];

            fn from_name(name: &str) -> Option<Self> {
                match name { $( $name => Some($Name::$Key), )* _ => None }
            }

            fn name(self) -> &'static str {
                match self { $( $Name::$Key => $name, )* }
            }

            fn bit(self) -> u32 {
                1 << self as u32
            }
        }
    };
}
pub(crate) use members;

/// A place in a document. Every method reads one value, or refuses it.
///
/// A clone is a place to come back to.
#[derive(Clone)]
pub(crate) struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: u8,
}

impl<'a> Reader<'a> {
    /// An object whose keys are all known. `member` reads the value of each.
    pub(crate) fn object<M: Member>(
        &mut self,
        mut member: impl FnMut(&mut Self, M) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        let mut seen = 0;
        self.open(b'{', "an object")?;
        let mut first = true;
        while let Some(key) = self.next_key(&mut first)? {
            let Some(known) = M::from_name(&key) else {
                let nearest = nearest(&key, M::NAMES.iter().copied());
                return Err(self.error(DecodeRule::UnknownKey { nearest }));
            };
            if seen & known.bit() != 0 {
                let known = Some(known.name());
                return Err(self.error(DecodeRule::DuplicateKey { known }));
            }
            seen |= known.bit();
            self.colon()?;
            member(self, known).map_err(|error| error.inside(known.name()))?;
        }
        Ok(())
    }

    /// An object whose keys are data, each by `key`. `value` reads the value of each.
    pub(crate) fn map<K>(
        &mut self,
        mut key: impl FnMut(Cow<'a, str>) -> Result<K, DecodeRule>,
        mut value: impl FnMut(&mut Self, K) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        let mut keys = Keys::default();
        self.open(b'{', "an object")?;
        let mut first = true;
        while let Some(text) = self.next_key(&mut first)? {
            let parsed = key(text.clone()).map_err(|rule| self.error(rule))?;
            if !keys.insert(text.clone()) {
                return Err(self.error(DecodeRule::DuplicateKey { known: None }));
            }
            self.colon()?;
            value(self, parsed).map_err(|error| error.inside(&text))?;
        }
        Ok(())
    }

    /// A list. `element` reads each element, given its index.
    pub(crate) fn list(
        &mut self,
        mut element: impl FnMut(&mut Self, usize) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        self.open(b'[', "a list")?;
        let mut index = 0;
        while self.next_element(index == 0)? {
            element(self, index).map_err(|error| error.inside(&index.to_string()))?;
            index += 1;
        }
        Ok(())
    }

    /// A string, borrowed unless it has an escape.
    pub(crate) fn string(&mut self) -> Result<Cow<'a, str>, DecodeError> {
        self.skip_space();
        match self.peek() {
            Some(b'"') => self.quoted(),
            _ => Err(self.expected("a string")),
        }
    }

    /// A string that is a canonical text.
    pub(crate) fn text<T: FromCow<'a>>(&mut self) -> Result<T, DecodeError> {
        let start = self.start();
        let text = self.string()?;
        T::from_cow(text).map_err(|error| DecodeError::new(error.rule().into(), start))
    }

    /// A string that is one word of a list, by `parse`.
    pub(crate) fn word<T>(
        &mut self,
        parse: impl FnOnce(&str) -> Option<T>,
        words: impl IntoIterator<Item = &'static str>,
    ) -> Result<T, DecodeError> {
        let start = self.start();
        let word = self.string()?;
        parse(&word).ok_or_else(|| {
            let nearest = nearest(&word, words);
            DecodeError::new(DecodeRule::UnknownWord { nearest }, start)
        })
    }

    /// A whole number in plain digits.
    pub(crate) fn integer(&mut self, range: RangeInclusive<u64>) -> Result<u64, DecodeError> {
        let start = self.start();
        let digits = self.number("a whole number")?;
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(DecodeError::new(DecodeRule::NumberForm, start));
        }
        match digits.parse() {
            Ok(number) if range.contains(&number) => Ok(number),
            _ => {
                let (least, most) = range.into_inner();
                Err(DecodeError::new(
                    DecodeRule::NumberRange { least, most },
                    start,
                ))
            }
        }
    }

    /// The version of a document, of which one is read.
    pub(crate) fn version(&mut self, version: u64) -> Result<(), DecodeError> {
        let start = self.start();
        if self.integer(0..=u64::MAX)? == version {
            Ok(())
        } else {
            Err(DecodeError::new(DecodeRule::Version(version), start))
        }
    }

    /// An amount of US dollars.
    pub(crate) fn money(&mut self) -> Result<MicroDollars, DecodeError> {
        let start = self.start();
        let text = self.number("an amount of US dollars")?;
        MicroDollars::parse(text).map_err(|error| DecodeError::new(DecodeRule::Money(error), start))
    }

    /// The text of a number; `what` says what is expected where none is.
    fn number(&mut self, what: &'static str) -> Result<&'a str, DecodeError> {
        let start = self.start();
        if !matches!(self.peek(), Some(b'-' | b'0'..=b'9')) {
            return Err(self.expected(what));
        }
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        } else if matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.syntax("a leading zero"));
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _sign = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        Ok(&self.text[start..self.at])
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&mut self) -> Result<bool, DecodeError> {
        self.skip_space();
        if self.take_word("true") {
            Ok(true)
        } else if self.take_word("false") {
            Ok(false)
        } else {
            Err(self.expected("`true` or `false`"))
        }
    }

    /// `null`, or what `value` reads.
    pub(crate) fn nullable<T>(
        &mut self,
        value: impl FnOnce(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Option<T>, DecodeError> {
        self.skip_space();
        if self.take_word("null") {
            Ok(None)
        } else {
            value(self).map(Some)
        }
    }

    /// Any value, checked like every other. An error is reported at the value itself: what lies in
    /// it has keys that are not ours to repeat.
    pub(crate) fn skip(&mut self) -> Result<(), DecodeError> {
        self.skip_space();
        match self.peek() {
            Some(b'{') => {
                let mut keys = Keys::default();
                self.open(b'{', "an object")?;
                let mut first = true;
                while let Some(key) = self.next_key(&mut first)? {
                    if !keys.insert(key) {
                        return Err(self.error(DecodeRule::DuplicateKey { known: None }));
                    }
                    self.colon()?;
                    self.skip()?;
                }
                Ok(())
            }
            Some(b'[') => {
                self.open(b'[', "a list")?;
                let mut first = true;
                while self.next_element(first)? {
                    self.skip()?;
                    first = false;
                }
                Ok(())
            }
            Some(b'"') => self.quoted().map(drop),
            Some(b't' | b'f') => self.boolean().map(drop),
            Some(b'n') if self.take_word("null") => Ok(()),
            _ => self.number("a value").map(drop),
        }
    }

    /// A value that is written canonically, with two levels of objects or lists. `read` gives it
    /// and what follows it, or leaves it to be read otherwise.
    fn canonical<T>(&mut self, read: impl FnOnce(&'a str) -> Option<(T, &'a str)>) -> Option<T> {
        let start = self.start();
        if self.depth + 2 > DEEPEST {
            return None;
        }
        let (value, rest) = read(&self.text[start..])?;
        self.at = self.text.len() - rest.len();
        Some(value)
    }

    /// The byte at which the next value starts.
    pub(crate) fn start(&mut self) -> usize {
        self.skip_space();
        self.at
    }

    /// The byte behind the last value read.
    pub(crate) fn reached(&self) -> usize {
        self.at
    }

    /// An error at the place reached.
    pub(crate) fn error(&self, rule: impl Into<DecodeRule>) -> DecodeError {
        DecodeError::new(rule.into(), self.at)
    }

    fn syntax(&self, what: &'static str) -> DecodeError {
        self.error(DecodeRule::Syntax(what))
    }

    /// The error where something else than `what` stands: a value of another type, or no value.
    fn expected(&self, what: &'static str) -> DecodeError {
        match self.peek() {
            Some(b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {
                self.error(DecodeRule::Not(what))
            }
            _ => self.syntax("a value is expected"),
        }
    }

    fn open(&mut self, bracket: u8, what: &'static str) -> Result<(), DecodeError> {
        self.skip_space();
        if !self.take(bracket) {
            return Err(self.expected(what));
        }
        if self.depth == DEEPEST {
            return Err(self.error(DecodeRule::TooDeep));
        }
        self.depth += 1;
        Ok(())
    }

    /// Reads up to and with the next key, or the end of the object.
    fn next_key(&mut self, first: &mut bool) -> Result<Option<Cow<'a, str>>, DecodeError> {
        self.skip_space();
        if self.take(b'}') {
            self.depth -= 1;
            return Ok(None);
        }
        if !std::mem::take(first) {
            if !self.take(b',') {
                return Err(self.syntax("`,` or `}` is expected"));
            }
            self.skip_space();
        }
        match self.peek() {
            Some(b'"') => self.quoted().map(Some),
            _ => Err(self.syntax("a key in double quotes is expected")),
        }
    }

    fn colon(&mut self) -> Result<(), DecodeError> {
        self.skip_space();
        if self.take(b':') {
            Ok(())
        } else {
            Err(self.syntax("`:` is expected"))
        }
    }

    /// Reads up to the next element, or over the end of the list.
    fn next_element(&mut self, first: bool) -> Result<bool, DecodeError> {
        self.skip_space();
        if self.take(b']') {
            self.depth -= 1;
            return Ok(false);
        }
        if !first && !self.take(b',') {
            return Err(self.syntax("`,` or `]` is expected"));
        }
        Ok(true)
    }

    /// A string whose opening quote is next.
    fn quoted(&mut self) -> Result<Cow<'a, str>, DecodeError> {
        self.at += 1;
        let run = self.plain_run();
        if self.take(b'"') {
            return Ok(Cow::Borrowed(run));
        }
        let mut text = String::from(run);
        loop {
            if self.take(b'"') {
                return Ok(Cow::Owned(text));
            }
            if !self.take(b'\\') {
                return Err(self.syntax(match self.peek() {
                    Some(_) => "a control character in a string",
                    None => "a string without end",
                }));
            }
            text.push(self.escaped()?);
            text.push_str(self.plain_run());
        }
    }

    /// The characters up to the next quote, escape or control character.
    fn plain_run(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let run = plain_run(rest);
        self.at += run;
        &rest[..run]
    }

    /// The character of an escape whose `\` is read.
    fn escaped(&mut self) -> Result<char, DecodeError> {
        let character = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.escaped_unit(),
            _ => return Err(self.syntax("an unknown escape")),
        };
        self.at += 1;
        Ok(character)
    }

    /// The character of `uXXXX`, or of a pair of surrogates.
    fn escaped_unit(&mut self) -> Result<char, DecodeError> {
        let first = self.unit()?;
        let second = match first {
            0xd800..=0xdbff if self.take(b'\\') => Some(self.unit()?),
            _ => None,
        };
        match char::decode_utf16(std::iter::once(first).chain(second)).next() {
            Some(Ok(character)) => Ok(character),
            _ => Err(self.syntax("a lone surrogate")),
        }
    }

    fn unit(&mut self) -> Result<u16, DecodeError> {
        let hex = self
            .take(b'u')
            .then(|| self.text.get(self.at..self.at + 4))
            .flatten()
            .filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|hex| u16::from_str_radix(hex, 16).ok());
        match hex {
            Some(unit) => {
                self.at += 4;
                Ok(unit)
            }
            None => Err(self.syntax("an escape is `\\u` and four hexadecimal digits")),
        }
    }

    fn digits(&mut self) -> Result<(), DecodeError> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start {
            return Err(self.syntax("a digit is expected"));
        }
        Ok(())
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn take_word(&mut self, word: &str) -> bool {
        let there = self.text.as_bytes()[self.at..].starts_with(word.as_bytes());
        if there {
            self.at += word.len();
        }
        there
    }
}

/// How many bytes stand before the first quote, escape or control character: eight at a time.
#[inline]
fn plain_run(text: &str) -> usize {
    /// A bit at the top of the lowest byte that ends a run; those above it may have one too.
    fn ends(bytes: [u8; 8]) -> u64 {
        const EACH: u64 = u64::MAX / 255;
        let bytes = u64::from_le_bytes(bytes);
        let below = |bytes: u64, bound: u64| bytes.wrapping_sub(EACH * bound) & !bytes;
        let is = |byte: u8| below(bytes ^ (EACH * u64::from(byte)), 1);
        (below(bytes, 0x20) | is(b'"') | is(b'\\')) & (EACH << 7)
    }
    let (words, rest) = text.as_bytes().as_chunks();
    for (word, bytes) in words.iter().enumerate() {
        let ends = ends(*bytes);
        if ends != 0 {
            return 8 * word + ends.trailing_zeros() as usize / 8;
        }
    }
    let is_end = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    let run = rest.iter().position(is_end).unwrap_or(rest.len());
    8 * words.len() + run
}

/// The keys of an object that were there, for objects whose keys are not known beforehand.
#[derive(Default)]
struct Keys<'a> {
    few: Vec<Cow<'a, str>>,
    many: HashSet<Cow<'a, str>>,
}

impl<'a> Keys<'a> {
    /// Adds a key, unless it is there already.
    fn insert(&mut self, key: Cow<'a, str>) -> bool {
        if self.few.contains(&key) {
            return false;
        }
        if self.few.len() < 16 {
            self.few.push(key);
            return true;
        }
        self.many.insert(key)
    }
}

/// Canonical texts that are parsed from a string of a document.
pub(crate) trait FromCow<'a>: Sized {
    /// Parses the text; borrows it where it can.
    fn from_cow(text: Cow<'a, str>) -> Result<Self, TextError>;
}

macro_rules! from_cow {
    ($($Type:ident)*) => { $(
        impl<'a> FromCow<'a> for $Type<'a> {
            fn from_cow(text: Cow<'a, str>) -> Result<Self, TextError> {
                match text {
                    Cow::Borrowed(text) => $Type::parse(text),
                    Cow::Owned(text) => $Type::parse(&text).map($Type::into_owned),
                }
            }
        }
    )* };
}

from_cow! { Id Origin RelativePath Repository ToolName }

impl FromCow<'_> for Digest {
    fn from_cow(text: Cow<'_, str>) -> Result<Self, TextError> {
        Digest::parse_hex(&text)
    }
}

#[cfg(test)]
mod tests;
