//! Sorts of ASCII bytes, in one table: every text of every request is checked byte by byte.

/// What may stand in an id: letters, digits, `.` `_` `:` `-`.
pub(crate) const ID: u8 = 1;
/// What may stand in the name of a tool: the same, and `/`.
pub(crate) const TOOL: u8 = 1 << 1;
/// What needs no closer look in a segment of a path: letters, digits, `.` `_` `-`.
pub(crate) const SEGMENT: u8 = 1 << 2;
/// What may stand in the name of a repository: lower-case letters, digits, `.` `_` `-`.
pub(crate) const REPOSITORY: u8 = 1 << 3;
/// Letters and digits.
pub(crate) const ALPHANUMERIC: u8 = 1 << 4;
/// Lower-case letters and digits.
pub(crate) const LOWER: u8 = 1 << 5;

/// The sorts of each byte.
const SORTS: [u8; 256] = {
    let mut sorts = [0; 256];
    let mut byte = 0_u8;
    loop {
        sorts[byte as usize] = match byte {
            b'a'..=b'z' | b'0'..=b'9' => ID | TOOL | SEGMENT | REPOSITORY | ALPHANUMERIC | LOWER,
            b'A'..=b'Z' => ID | TOOL | SEGMENT | ALPHANUMERIC,
            b'.' | b'_' | b'-' => ID | TOOL | SEGMENT | REPOSITORY,
            b':' => ID | TOOL,
            b'/' => TOOL,
            _ => 0,
        };
        if byte == u8::MAX {
            break sorts;
        }
        byte += 1;
    }
};

/// Whether a byte is of this sort.
#[inline]
pub(crate) fn is(byte: u8, sort: u8) -> bool {
    SORTS[byte as usize] & sort != 0
}

/// Whether all bytes of a text are of this sort. A plain loop without an early end: the macro runs
/// without optimisation, and everyone else's processor likes it too.
#[inline]
pub(crate) fn all(text: &str, sort: u8) -> bool {
    let bytes = text.as_bytes();
    let mut common = sort;
    let mut at = 0;
    while at < bytes.len() {
        common &= SORTS[bytes[at] as usize];
        at += 1;
    }
    common != 0
}
