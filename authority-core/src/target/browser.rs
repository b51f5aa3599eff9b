//! `browser`: one exact origin.

use std::fmt;

use crate::host::{self, Parts};
use crate::rule::{Rule, TextError, quoted};
use crate::text::{self, Text};

/// A browser origin.
///
/// A page without one (`about:blank`, `data:`, `file:`) is no target: it has no rights, and nothing
/// can be requested for it. The blank page that a new tab starts with is a state of the browser, not
/// a navigation, so an executor opens it without asking.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct BrowserTarget<'a> {
    /// The origin.
    pub origin: Origin<'a>,
}

/// `https://host[:port]`, or `http` for the local host only; a default port is left out.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Origin<'a>(pub(crate) Text<'a>);

impl<'a> Origin<'a> {
    /// Parses the canonical text of an origin, as `https://docs.rs`.
    ///
    /// # Errors
    ///
    /// When the text breaks a rule of every text, of hosts or of origins.
    pub fn parse(text: &'a str) -> Result<Self, TextError> {
        match check(text) {
            Ok(()) => Ok(Origin(text.into())),
            Err(error) => Err(error.verified(|suggestion| check(suggestion).is_ok())),
        }
    }

    /// Parses the text of an origin as a request may spell it: another case, a default port, a
    /// Unicode host, another form of an IPv6 address.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse), but for the spelling.
    pub fn from_request(text: &'a str) -> Result<Self, TextError> {
        if is_canonical(text) {
            return Ok(Origin(text.into()));
        }
        let read = || {
            text::check_characters(WHAT, text)?;
            read(text)
        };
        match read() {
            Ok(origin) => Ok(Origin(origin.into())),
            Err(error) => Err(error.verified(|suggestion| check(suggestion).is_ok())),
        }
    }

    /// The origin of a whole URL, and the URL as the WHATWG URL standard serialises it, without
    /// fragment.
    ///
    /// # Errors
    ///
    /// When the text is not such a URL, or its origin breaks a rule. An opaque origin (`about:`,
    /// `data:`, `file:`) has no rights.
    #[cfg(feature = "url")]
    pub fn of_url(url: &str) -> Result<(Origin<'static>, String), TextError> {
        let refused = || {
            TextError::new(
                Rule::Origin,
                "not a URL of an origin",
                "write `https://host/path`",
            )
        };
        let parts = host::check_url(url).map_err(|_| refused())?;
        let origin = Origin::from_request(&url[..url.len() - parts.rest.len()])?.into_owned();
        let mut parsed = url::Url::parse(url).map_err(|_| refused())?;
        parsed.set_fragment(None);
        // The two parsers must have read the same place.
        if parsed.origin().ascii_serialization() == origin.as_str() {
            Ok((origin, parsed.into()))
        } else {
            Err(refused())
        }
    }

    /// The origin with this text, if it is `https://` and the name of a host, as most are.
    pub(crate) fn of_plain(text: &'a str) -> Option<Self> {
        is_plain(text).then(|| Origin(text.into()))
    }

    /// The same origin, owning its text.
    pub fn into_owned(self) -> Origin<'static> {
        Origin(self.0.into_owned())
    }

    pub(crate) fn borrowed(&self) -> Origin<'_> {
        Origin(self.0.borrowed())
    }

    /// The origin's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Origin<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

const WHAT: &str = "a browser origin";

fn check(text: &str) -> Result<(), TextError> {
    if is_canonical(text) {
        return Ok(());
    }
    text::check(WHAT, text, Rule::Origin).map_err(|error| {
        let error = host::show_ascii_form(error, text);
        match Parts::before_query(text) {
            Some(before) if error.rule() == Rule::Wildcard => {
                let error = error
                    .with_help("write `https://host` without a query: pages are named by requests");
                match read(before.trim_end_matches('/')) {
                    Ok(origin) => error.with_suggestion(origin),
                    Err(_) => error,
                }
            }
            _ => error,
        }
    })?;
    if let Some(bare) = text.strip_suffix('/')
        && let Ok(origin) = read(bare)
    {
        return Err(TextError::not_canonical(WHAT, text, origin));
    }
    let origin = read(text)?;
    Err(TextError::not_canonical(WHAT, text, origin))
}

fn is_canonical(text: &str) -> bool {
    is_plain(text) || read(text).is_ok_and(|origin| origin == text)
}

fn is_plain(text: &str) -> bool {
    text.strip_prefix("https://")
        .is_some_and(host::is_canonical_name)
}

/// The canonical text of an origin.
fn read(text: &str) -> Result<String, TextError> {
    const HELP: &str = "write `https://host`, with `:port` unless it is 443";
    let refused = |message: String| TextError::new(Rule::Origin, message, HELP);
    let Some(parts) = Parts::of(text) else {
        let message = format!("{} is not {WHAT}", quoted(text));
        return Err(if matches!(text, "null") || text.contains(':') {
            refused(message).with_help("an opaque origin has no rights; write `https://host`")
        } else {
            refused(message).with_suggestion(format!("https://{text}"))
        });
    };
    let (scheme, default) = match parts.scheme.to_ascii_lowercase().as_str() {
        "https" => ("https", 443),
        "http" => ("http", 80),
        _ => {
            return Err(refused(format!(
                "{} is not a scheme of an origin",
                quoted(parts.scheme)
            )));
        }
    };
    let host = parts.canonical_host().map_err(|error| {
        let port = parts
            .port
            .map_or_else(String::new, |port| format!(":{port}"));
        let suggestion = error
            .suggestion()
            .map(|host| format!("{scheme}://{host}{port}"));
        suggestion.iter().fold(error, |error, suggestion| {
            error
                .with_help(format!("write {}", quoted(suggestion)))
                .with_suggestion(suggestion)
        })
    })?;
    if scheme == "http" && !matches!(&*host, "localhost" | "127.0.0.1" | "[::1]") {
        let error = refused(format!("{} is not encrypted", quoted(text)));
        return Err(error
            .with_help("write `https`; `http` is for `localhost`, `127.0.0.1` and `[::1]` only")
            .with_suggestion(match parts.port {
                Some(port) => format!("https://{host}:{port}"),
                None => format!("https://{host}"),
            }));
    }
    let port = match parts.port {
        None => None,
        Some(port) => match host::port(port) {
            Some(number) => Some(number).filter(|number| *number != default),
            None => {
                let message = format!("{} is not a port", quoted(port));
                return Err(TextError::new(
                    Rule::Port,
                    message,
                    "write a port from 1 to 65535, without a leading zero",
                ));
            }
        },
    };
    let origin = match port {
        None => format!("{scheme}://{host}"),
        Some(port) => format!("{scheme}://{host}:{port}"),
    };
    if !parts.rest.is_empty() {
        let error = refused(format!("a path, query or fragment in {WHAT}"));
        return Err(error
            .with_help(format!(
                "write {}: an origin is all of a site, its pages are named by requests",
                quoted(&origin)
            ))
            .with_suggestion(origin));
    }
    Ok(origin)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn origins() {
        for text in [
            "https://docs.rs",
            "https://example.com:8443",
            "http://localhost",
            "http://localhost:3000",
            "http://127.0.0.1:8080",
            "https://[::1]:8443",
            "https://1.2.3.4",
            "https://example.test:80",
        ] {
            assert_eq!(
                Origin::parse(text).map(|origin| origin.to_string()),
                Ok(text.to_owned())
            );
        }
        for (text, rule, suggestion) in [
            (
                "https://docs.rs/",
                Rule::NotCanonical,
                Some("https://docs.rs"),
            ),
            (
                "https://docs.rs:443",
                Rule::NotCanonical,
                Some("https://docs.rs"),
            ),
            (
                "HTTPS://Docs.rs",
                Rule::NotCanonical,
                Some("https://docs.rs"),
            ),
            (
                "https://docs.rs/serde",
                Rule::Origin,
                Some("https://docs.rs"),
            ),
            ("https://docs.rs#a", Rule::Origin, Some("https://docs.rs")),
            (
                "http://example.com",
                Rule::Origin,
                Some("https://example.com"),
            ),
            (
                "http://sub.localhost",
                Rule::Origin,
                Some("https://sub.localhost"),
            ),
            ("docs.rs", Rule::Origin, Some("https://docs.rs")),
            ("null", Rule::Origin, None),
            ("about:blank", Rule::Origin, None),
            ("wss://a", Rule::Origin, None),
            ("https://a:0", Rule::Port, None),
            ("https://a:08443", Rule::Port, None),
            (
                "https://[::ffff:1.2.3.4]",
                Rule::Host,
                Some("https://1.2.3.4"),
            ),
            ("https://127.1", Rule::Host, Some("https://127.0.0.1")),
            ("https://u@a", Rule::Host, None),
            ("https://", Rule::Host, None),
            ("https://a?b", Rule::Wildcard, Some("https://a")),
            ("", Rule::Origin, None),
        ] {
            let error = Origin::parse(text).unwrap_err();
            assert_eq!(
                (error.rule(), error.suggestion()),
                (rule, suggestion),
                "{text:?}: {error}"
            );
        }
    }

    #[test]
    fn requests_in_another_spelling() {
        for (text, expected) in [
            ("https://Docs.rs:443", "https://docs.rs"),
            ("HTTP://LOCALHOST:80", "http://localhost"),
        ] {
            assert_eq!(Origin::from_request(text).unwrap().as_str(), expected);
        }
        assert!(Origin::from_request("https://docs.rs/").is_err());
    }

    proptest! {
        #[test]
        fn suggestions_are_accepted_and_nothing_panics(text in any::<String>(), tail in r"[a-zA-Z0-9:\[\].@/ä-]{0,24}") {
            for text in [text, format!("https://{tail}"), format!("Http://{tail}"), tail] {
                if let Err(error) = Origin::parse(&text)
                    && let Some(suggestion) = error.suggestion()
                {
                    prop_assert!(Origin::parse(suggestion).is_ok(), "{} -> {}", text, suggestion);
                }
                if let Ok(requested) = Origin::from_request(&text) {
                    prop_assert!(Origin::parse(requested.as_str()).is_ok());
                }
            }
        }
    }
}
