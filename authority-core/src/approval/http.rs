//! Methods and headers of HTTP requests, as an approval covers them.

use crate::declaration::json::{Value as Json, digest_of, text};
use crate::digest::Digest;
use crate::target::Endpoint;
use crate::vocabulary::Protocol;

/// Headers that the transport makes and no digest covers. Where a host names one of them all the
/// same, it must say what the transport will say.
const MANAGED: &[&str] = &[
    "connection",
    "content-length",
    "host",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
];

/// Whether this is a method that an approval can be given for: an RFC 9110 token without small
/// letters, so that `get` is not mistaken for another method than `GET`; not `CONNECT`, which opens a
/// tunnel to some other place.
pub(super) fn is_method(method: &str) -> bool {
    is_token(method) && method != "CONNECT" && !method.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Whether a request with this method, body and headers is a `request.safe`.
pub(super) fn is_safe(method: &str, body_bytes: u64, headers: &[(&str, &str)]) -> bool {
    let has_upgrade = headers
        .iter()
        .any(|(name, _)| name.eq_ignore_ascii_case("upgrade"));
    matches!(method, "GET" | "HEAD" | "OPTIONS") && body_bytes == 0 && !has_upgrade
}

/// Digest of the headers that an approval covers, domain `authority/headers/v1`: sorted by name,
/// values of one name in their order. `None` when one is malformed or belies the request.
pub(super) fn headers_sha256(
    headers: &[(&str, &str)],
    endpoint: &Endpoint<'_>,
    body_bytes: u64,
) -> Option<Digest> {
    let mut covered = Vec::with_capacity(headers.len());
    for (name, value) in headers {
        if !is_token(name) || !is_field_value(value) {
            return None;
        }
        let name = name.to_ascii_lowercase();
        let is_true = match name.as_str() {
            "host" => is_host_of(value, endpoint),
            "content-length" => *value == body_bytes.to_string(),
            _ => true,
        };
        if !is_true {
            return None;
        }
        if !MANAGED.contains(&name.as_str()) {
            covered.push((name, *value));
        }
    }
    covered.sort_by(|left, right| left.0.cmp(&right.0));
    let headers = covered
        .iter()
        .map(|(name, value)| Json::List(vec![text(name), text(value)]));
    let members = [("headers", Json::List(headers.collect()))];
    Some(digest_of("authority/headers/v1", members))
}

/// An RFC 9110 token.
fn is_token(text: &str) -> bool {
    let is_sign = |byte: u8| b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || is_sign(byte))
}

/// A value on one line without white space around it, which a transport would drop.
fn is_field_value(value: &str) -> bool {
    let is_control = |character: char| character.is_control() && character != '\t';
    !value.chars().any(is_control) && value.trim_matches([' ', '\t']) == value
}

/// Whether a `Host` header names the target: with its port, or without a default one.
fn is_host_of(value: &str, endpoint: &Endpoint<'_>) -> bool {
    let text = endpoint.to_string();
    let after = text.split_once("://").map_or(&*text, |(_, after)| after);
    let default = match endpoint.protocol() {
        Protocol::Https | Protocol::Wss => ":443",
        _ => ":80",
    };
    value.eq_ignore_ascii_case(after)
        || after
            .strip_suffix(default)
            .is_some_and(|host| value.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(headers: &[(&str, &str)]) -> Option<Digest> {
        let endpoint = Endpoint::parse("https://api.example.com:443").unwrap();
        headers_sha256(headers, &endpoint, 3)
    }

    #[test]
    fn methods() {
        for method in ["GET", "POST", "PROPFIND", "X-1"] {
            assert!(is_method(method), "{method}");
        }
        for method in ["", "get", "Get", "CONNECT", "GET ", "GE\nT", "É"] {
            assert!(!is_method(method), "{method}");
        }
    }

    #[test]
    fn safe_requests() {
        for method in ["GET", "HEAD", "OPTIONS"] {
            assert!(is_safe(method, 0, &[("accept", "a")]));
            assert!(!is_safe(method, 1, &[]));
            assert!(!is_safe(method, 0, &[("uPGrade", "h2c")]));
        }
        for method in ["POST", "TRACE", "DELETE"] {
            assert!(!is_safe(method, 0, &[]));
        }
    }

    #[test]
    fn the_digest_is_of_sorted_headers_without_managed_ones() {
        let covered = r#"{"domain":"authority/headers/v1","headers":[["accept","b"],["accept","a"],["x","1"]]}"#;
        let headers = [
            ("X", "1"),
            ("Accept", "b"),
            ("Host", "API.example.com"),
            ("accept", "a"),
            ("content-length", "3"),
            ("Transfer-Encoding", "chunked"),
        ];
        assert_eq!(digest(&headers), Some(Digest::of(covered.as_bytes())));
        assert_ne!(digest(&[("x", "1")]), digest(&[("x", "2")]));
        assert_ne!(
            digest(&[("a", "b"), ("a", "c")]),
            digest(&[("a", "c"), ("a", "b")])
        );
        assert_ne!(digest(&[("upgrade", "h2c")]), digest(&[]));
    }

    #[test]
    fn malformed_and_false_headers() {
        for header in [
            ("", "a"),
            (":path", "/"),
            ("a b", "c"),
            ("a", "b\r\nc: d"),
            ("a", "b\0"),
            ("a", " b"),
            ("a", "b\t"),
            ("host", "evil.example"),
            ("host", "api.example.com:80"),
            ("content-length", "4"),
            ("content-length", "03"),
        ] {
            assert_eq!(digest(&[header]), None, "{header:?}");
        }
        assert!(digest(&[("host", "api.example.com:443")]).is_some());
        let v6 = Endpoint::parse("http://[::1]:80").unwrap();
        assert!(headers_sha256(&[("host", "[::1]")], &v6, 0).is_some());
        assert!(headers_sha256(&[("host", "::1")], &v6, 0).is_none());
    }
}
