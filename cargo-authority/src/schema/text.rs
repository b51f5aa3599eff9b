//! Texts: ids, paths, hosts, digests, times.

use serde_json::{Value, json};

pub(super) fn digest() -> Value {
    json!({ "type": "string", "pattern": "^[0-9a-f]{64}$" })
}

pub(super) fn id() -> Value {
    json!({ "type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$" })
}

pub(super) fn tool_name() -> Value {
    json!({ "type": "string", "pattern": "^[A-Za-z0-9_][A-Za-z0-9_./:-]{0,127}$" })
}

/// A word of a program's: a reason, or what an executor says.
pub(super) fn code() -> Value {
    json!({ "type": "string", "pattern": "^[a-z][a-z0-9_]{0,63}$" })
}

/// A time as RFC 3339 writes it.
pub(super) fn time() -> Value {
    let date = "(?!0000)[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])";
    let hour = "(?:[01][0-9]|2[0-3]):[0-5][0-9]";
    json!({
        "type": "string",
        "pattern": format!("^{date}T{hour}:[0-5][0-9](?:\\.[0-9]{{1,9}})?(?:Z|[+-]{hour})$"),
        "$comment": "Not said: how many days a month has, and that the instant in UTC lies in the years 0001 to 9999.",
    })
}

/// What holds for every text of a target.
pub(super) fn text() -> Value {
    let none = |pattern: &str| json!({ "not": { "pattern": pattern } });
    // A run of letters that starts in one script and goes on in another.
    let mixed = |script: &str, others: &str| {
        none(&format!(
            "(?=[\\p{{L}}\\p{{M}}])\\p{{Script={script}}}[\\p{{L}}\\p{{M}}]*(?=[\\p{{L}}\\p{{M}}]){others}"
        ))
    };
    json!({
        "type": "string",
        "minLength": 1,
        "maxLength": 4096,
        "allOf": [
            none("[*?]"),
            none("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]"),
            none("^\\s"),
            none("\\s$"),
            mixed("Latin", "[\\p{Script=Cyrillic}\\p{Script=Greek}]"),
            mixed("Cyrillic", "[\\p{Script=Latin}\\p{Script=Greek}]"),
            mixed("Greek", "[\\p{Script=Latin}\\p{Script=Cyrillic}]"),
        ],
        "$comment": "Not said: that the text is NFC, and that it has at most 4,096 bytes (a schema counts characters).",
    })
}

/// A relative path, without the word `.` for a whole binding.
pub(super) fn path() -> Value {
    let none = |pattern: &str| json!({ "not": { "pattern": pattern } });
    let devices = "[cC][oO][nN]|[pP][rR][nN]|[aA][uU][xX]|[nN][uU][lL]\
                   |[cC][oO][nN][iI][nN]\\$|[cC][oO][nN][oO][uU][tT]\\$\
                   |[cC][oO][mM][1-9¹²³]|[lL][pP][tT][1-9¹²³]";
    json!({
        "allOf": [
            super::of("text"),
            none("^/|/$|//"),
            none("(?:^|/)\\.\\.?(?:/|$)"),
            none("[\\\\:]"),
            none("^~"),
            none("(?:^|/)\\$[A-Z_][A-Z0-9_]*(?:/|$)"),
            none("\\$\\{"),
            none("%[A-Za-z_][A-Za-z0-9_]*%"),
            none("[. ](?:/|$)"),
            none(&format!("(?:^|/)(?:{devices})(?: *\\.[^/]*)?(?:/|$)")),
        ],
    })
}

/// `owner/name` on github.com; a request may write it in any letter case.
pub(super) fn repository(is_request: bool) -> Value {
    let letters = if is_request { "a-zA-Z" } else { "a-z" };
    let git = if is_request { "[gG][iI][tT]" } else { "git" };
    json!({
        "type": "string",
        "pattern": format!(
            "^(?=[^/]{{1,39}}/)[{letters}0-9](?:-?[{letters}0-9])*/(?!\\.\\.?$)(?!.*\\.{git}$)[{letters}0-9._-]{{1,100}}$"
        ),
    })
}

/// A host as on the wire: an IPv6 address without brackets.
pub(super) fn host() -> Value {
    json!({
        "type": "string",
        "maxLength": 253,
        "pattern": format!("^(?:{}|{IPV4}|{})$", dns("$"), ipv6()),
        "allOf": not_rfc_5952("^", "$"),
        "$comment": HOST_COMMENT,
    })
}

/// A browser origin.
pub(super) fn origin() -> Value {
    let host = format!("(?:{}|{IPV4}|\\[{}\\])", dns(":|$"), ipv6());
    let mut not = not_rfc_5952("\\[", "\\]");
    not.push(json!({ "not": { "pattern": "^https://.*[^:]:443$|^http://.*[^:]:80$" } }));
    json!({
        "type": "string",
        "maxLength": 4096,
        "pattern": format!(
            "^(?:https://{host}|http://(?:localhost|127\\.0\\.0\\.1|\\[::1\\]))(?::{PORT})?$"
        ),
        "allOf": not,
        "$comment": HOST_COMMENT,
    })
}

const HOST_COMMENT: &str = "Not said: which xn-- labels are valid A-labels, and of an IPv6 address that `::` \
                            stands for the longest run of zeros, the first of several.";

const IPV4: &str = "(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\\.){3}(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";

/// Eight groups, or `::` in place of two or more.
fn ipv6() -> String {
    let group = "(?:0|[1-9a-f][0-9a-f]{0,3})";
    let groups = |count: &str| format!("{group}(?::{group}){{{count}}}");
    let mut forms = vec![
        groups("7"),
        "::".to_owned(),
        format!("{}::", groups("0,5")),
        format!("::{}", groups("0,5")),
    ];
    forms.extend((0..=4).map(|before| {
        let (before, after) = (before.to_string(), format!("0,{}", 4 - before));
        format!("{}::{}", groups(&before), groups(&after))
    }));
    format!("(?:{})", forms.join("|"))
}

const PORT: &str =
    "(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])";

/// A DNS name whose last label is no number, in front of `end`.
fn dns(end: &str) -> String {
    let label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
    format!("(?:{label}\\.)*(?!(?:[0-9]+|0x[0-9a-f]*)(?:{end})){label}")
}

/// Spellings of an IPv6 address that another one has: between these ends.
fn not_rfc_5952(start: &str, end: &str) -> Vec<Value> {
    let patterns = [
        // Zeros beside `::`, or two groups of zeros without one.
        format!("(?:{start}|:)0::|::0(?::|{end})"),
        format!("{start}(?!.*::)(?:.*:)?0:0(?::.*)?{end}"),
        // An IPv4 address.
        format!("{start}::ffff:[0-9a-f]+:[0-9a-f]+{end}"),
    ];
    patterns
        .iter()
        .map(|pattern| json!({ "not": { "pattern": pattern } }))
        .collect()
}
