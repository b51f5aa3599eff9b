//! Canonical JSON: sorted keys, no white space, ASCII only.
//!
//! Callers write the members of an object in sorted order; nothing here sorts. Strings escape `"`,
//! `\` and the controls as usual, every other character outside U+0020..U+007E as lower-case
//! `\uXXXX` (two of them beyond the BMP), and never `/`.

/// Appends a JSON string.
pub(crate) fn push_string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(stop) = first_escaped(rest) {
        out.push_str(&rest[..stop]);
        let mut characters = rest[stop..].chars();
        if let Some(character) = characters.next() {
            push_escaped(out, character);
        }
        rest = characters.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

/// Where the first character stands that needs an escape. A plain loop: the macro runs without
/// optimisation, and this is where it would spend its time.
fn first_escaped(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if needs_escape(bytes[at]) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Appends `"key":` and, unless it is the first member, a comma before it. A key of the crate's own
/// has nothing to escape.
pub(crate) fn push_key(out: &mut String, key: &'static str) {
    if !out.ends_with('{') {
        out.push(',');
    }
    out.push('"');
    out.push_str(key);
    out.push_str("\":");
}

/// Appends a list, each element by `push`.
pub(crate) fn push_list<T>(
    out: &mut String,
    elements: impl IntoIterator<Item = T>,
    mut push: impl FnMut(&mut String, T),
) {
    out.push('[');
    for (index, element) in elements.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        push(out, element);
    }
    out.push(']');
}

fn needs_escape(byte: u8) -> bool {
    !matches!(byte, b' '..=b'~') || byte == b'"' || byte == b'\\'
}

fn push_escaped(out: &mut String, character: char) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        _ => {
            for unit in character.encode_utf16(&mut [0; 2]) {
                out.push_str("\\u");
                for shift in [12, 8, 4, 0] {
                    out.push(char::from(
                        b"0123456789abcdef"[usize::from(*unit >> shift & 15)],
                    ));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings() {
        for (text, json) in [
            ("", r#""""#),
            ("a/b~ ", r#""a/b~ ""#),
            ("\u{8}\u{c}\n\r\t\"\\", r#""\b\f\n\r\t\"\\""#),
            (
                "\0\u{1f}\u{7f}é\u{ffff}",
                r#""\u0000\u001f\u007f\u00e9\uffff""#,
            ),
            ("x🦀y", r#""x\ud83e\udd80y""#),
        ] {
            let mut out = String::new();
            push_string(&mut out, text);
            assert_eq!(out, json);
        }
    }
}
