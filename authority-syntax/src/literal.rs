//! Literals of a declaration.
//!
//! A target's text is what it looks like: a plain string literal in which `\"` is the only escape.
//! Arguments are data, so they may be raw strings and have the escapes of Rust.

use proc_macro2::Literal;

/// The text of a plain string literal, or why it is not one.
pub(crate) fn plain(literal: &Literal) -> Result<String, &'static str> {
    let source = literal.to_string();
    let Some(inner) = source
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
    else {
        return Err(other_than_plain(&source));
    };
    let mut text = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('"') => text.push('"'),
                Some('\\') => {
                    return Err("a backslash in a text: segments of a path are joined by `/`");
                }
                _ => return Err("an escape in a text that must be readable where it stands"),
            },
            _ => text.push(character),
        }
    }
    Ok(text)
}

fn other_than_plain(source: &str) -> &'static str {
    match source.as_bytes() {
        [b'r', b'"' | b'#', ..] => "a raw string in place of a plain one",
        [b'b', ..] => "a byte string in place of a plain one",
        [b'c', ..] => "a C string in place of a plain one",
        [b'\'', ..] => "a character in place of a string",
        [b'"', ..] => "a string with a suffix in place of a plain one",
        _ => "a number in place of a string",
    }
}

/// The text of an argument: a string or raw string with the escapes of Rust.
pub(crate) fn argument(literal: &Literal) -> Option<String> {
    let source = literal.to_string();
    if let Some(raw) = source.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let inner = raw.get(hashes..)?.strip_prefix('"')?;
        let inner = inner.strip_suffix(&raw[..hashes])?.strip_suffix('"')?;
        return Some(inner.to_owned());
    }
    unescape(source.strip_prefix('"')?.strip_suffix('"')?)
}

fn unescape(inner: &str) -> Option<String> {
    let mut text = String::with_capacity(inner.len());
    let mut characters = inner.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        match characters.next()? {
            'n' => text.push('\n'),
            'r' => text.push('\r'),
            't' => text.push('\t'),
            '0' => text.push('\0'),
            '\\' => text.push('\\'),
            '"' => text.push('"'),
            '\'' => text.push('\''),
            'x' => {
                let digits: String = characters.by_ref().take(2).collect();
                text.push(char::from(u8::from_str_radix(&digits, 16).ok()?));
            }
            'u' => {
                let digits: String = characters
                    .by_ref()
                    .skip(1)
                    .take_while(|digit| *digit != '}')
                    .collect();
                text.push(char::from_u32(
                    u32::from_str_radix(&digits.replace('_', ""), 16).ok()?,
                )?);
            }
            '\n' => while characters.next_if(char::is_ascii_whitespace).is_some() {},
            _ => return None,
        }
    }
    Some(text)
}
