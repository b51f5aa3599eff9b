//! `network`: protocol, host and port.

use std::fmt;

use crate::host::{self, Parts};
use crate::rule::{Rule, TextError, quoted};
use crate::suggest::nearest;
use crate::text::{self, Text};
use crate::vocabulary::{Protocol, RedirectPolicy};

/// An endpoint, with what happens to redirects.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct NetworkTarget<'a> {
    /// Protocol, host and port.
    pub endpoint: Endpoint<'a>,
    /// What happens to a redirect.
    pub redirect: RedirectPolicy,
}

/// `protocol://host:port`, in its one canonical spelling. `Display` gives the text.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Endpoint<'a> {
    protocol: Protocol,
    host: Text<'a>,
    port: u16,
}

impl<'a> Endpoint<'a> {
    /// Parses the canonical text of an endpoint, as `https://api.example.com:443`.
    ///
    /// # Errors
    ///
    /// When the text breaks a rule of every text, of hosts or of endpoints.
    pub fn parse(text: &'a str) -> Result<Self, TextError> {
        check(text).map_err(|error| error.verified(|suggestion| check(suggestion).is_ok()))
    }

    /// Parses the text of an endpoint as a request may spell it: another case, no default port, a
    /// Unicode host, another form of an IPv6 address.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse), but for the spelling.
    pub fn from_request(text: &'a str) -> Result<Self, TextError> {
        if let Some(endpoint) = canonical(text) {
            return Ok(endpoint);
        }
        let read = || {
            text::check_characters(WHAT, text)?;
            read(text, true)
        };
        match read() {
            Ok((protocol, host, port)) => Ok(Endpoint {
                protocol,
                host: without_brackets(&host).to_owned().into(),
                port,
            }),
            Err(error) => Err(error.verified(|suggestion| check(suggestion).is_ok())),
        }
    }

    /// The endpoint of these parts; an IPv6 host stands without brackets. `None` for a host that is
    /// not canonical, and for port 0.
    pub(crate) fn of_canonical(protocol: Protocol, host: &'a str, port: u16) -> Option<Self> {
        (port > 0 && host::is_canonical(host)).then(|| Endpoint::declared(protocol, host, port))
    }

    /// The endpoint of a whole URL, and the URL as the WHATWG URL standard serialises it, without
    /// fragment.
    ///
    /// # Errors
    ///
    /// When the text is not such a URL, or its endpoint breaks a rule.
    #[cfg(feature = "url")]
    pub fn of_url(url: &str) -> Result<(Endpoint<'static>, String), TextError> {
        let parts = host::check_url(url)?;
        let endpoint = Endpoint::from_request(&url[..url.len() - parts.rest.len()])?.into_owned();
        let refused = || TextError::new(Rule::Host, "not a URL", "write `https://host/path`");
        let canonical = format!("{endpoint}{}", parts.rest);
        let mut parsed = url::Url::parse(&canonical).map_err(|_| refused())?;
        parsed.set_fragment(None);
        // The two parsers must have read the same place.
        let host = parsed.host_str().unwrap_or_default();
        let is_same = parsed.scheme() == endpoint.protocol.name()
            && host.trim_matches(['[', ']']) == endpoint.host()
            && parsed.port_or_known_default().unwrap_or(endpoint.port) == endpoint.port;
        if is_same {
            Ok((endpoint, parsed.into()))
        } else {
            Err(refused())
        }
    }

    /// An endpoint of a declaration that was checked.
    pub(crate) fn declared(protocol: Protocol, host: &'a str, port: u16) -> Self {
        Endpoint {
            protocol,
            host: host.into(),
            port,
        }
    }

    /// The same endpoint, owning its text.
    pub fn into_owned(self) -> Endpoint<'static> {
        Endpoint {
            protocol: self.protocol,
            host: self.host.into_owned(),
            port: self.port,
        }
    }

    pub(crate) fn borrowed(&self) -> Endpoint<'_> {
        Endpoint {
            protocol: self.protocol,
            host: self.host.borrowed(),
            port: self.port,
        }
    }

    /// The protocol.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The host as on the wire: an IPv6 address without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, 1 to 65535.
    pub fn port(&self) -> u16 {
        self.port
    }
}

/// The endpoint's text, `https://api.example.com:443`; an IPv6 host stands in brackets.
impl fmt::Display for Endpoint<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Endpoint {
            protocol,
            host,
            port,
        } = self;
        if host.contains(':') {
            write!(formatter, "{protocol}://[{host}]:{port}")
        } else {
            write!(formatter, "{protocol}://{host}:{port}")
        }
    }
}

const WHAT: &str = "a network endpoint";

fn check(text: &str) -> Result<Endpoint<'_>, TextError> {
    if let Some(found) = canonical(text) {
        return Ok(found);
    }
    text::check(WHAT, text, Rule::Host).map_err(|error| {
        let error = host::show_ascii_form(error, text);
        match (error.rule(), Parts::before_query(text)) {
            (Rule::Wildcard, Some(before)) => error
                .with_help("write protocol, host and port only: a query is part of a request")
                .with_suggestion(before.trim_end_matches('/')),
            (Rule::Wildcard, None) => {
                error.with_help("name each host and port with an entry of its own")
            }
            _ => error,
        }
    })?;
    let (protocol, host, port) = read(text, false)?;
    Err(TextError::not_canonical(
        WHAT,
        text,
        format!("{protocol}://{host}:{port}"),
    ))
}

/// The endpoint of a canonical text.
fn canonical(text: &str) -> Option<Endpoint<'_>> {
    let (protocol, after) = text.split_once("://")?;
    let (host, port) = after.rsplit_once(':')?;
    let bare = without_brackets(host);
    let is_bracketed = bare.len() < host.len();
    if is_bracketed != bare.contains(':') {
        return None;
    }
    Endpoint::of_canonical(Protocol::from_name(protocol)?, bare, host::port(port)?)
}

fn without_brackets(host: &str) -> &str {
    host.strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .unwrap_or(host)
}

/// Protocol, host (an IPv6 address in brackets) and port, each made canonical.
fn read(text: &str, may_leave_port: bool) -> Result<(Protocol, String, u16), TextError> {
    let names: Vec<_> = Protocol::ALL
        .iter()
        .map(|protocol| quoted(protocol.name()))
        .collect();
    let names = names.join(", ");
    let Some(parts) = Parts::of(text) else {
        let help = format!("write `protocol://host:port`, with a protocol of {names}");
        let message = format!("{} has no protocol", quoted(text));
        let suggestion = match text.rsplit_once(':') {
            None => format!("https://{text}:443"),
            Some((_, "443")) => format!("https://{text}"),
            Some((_, "80")) => format!("http://{text}"),
            Some((_, "22")) => format!("ssh://{text}"),
            Some(_) => format!("tcp://{text}"),
        };
        return Err(TextError::new(Rule::Protocol, message, help).with_suggestion(suggestion));
    };
    let Some(protocol) = Protocol::from_name(&parts.scheme.to_ascii_lowercase()) else {
        let near = nearest(
            parts.scheme,
            Protocol::ALL.iter().map(|protocol| protocol.name()),
        );
        let help = match near {
            Some(near) => format!("write {}", quoted(near)),
            None => format!("write one of {names}; another protocol over TCP is `tcp://host:port`"),
        };
        let after = &text[parts.scheme.len()..text.len() - parts.rest.len()];
        let message = format!("unknown protocol {}", quoted(parts.scheme));
        return Err(TextError::new(Rule::Protocol, message, help)
            .with_suggestion(format!("{}{after}", near.unwrap_or("tcp"))));
    };
    let authority = &text[..text.len() - parts.rest.len()];
    let with_host = |host: &str| match parts.port {
        Some(port) => format!("{}://{host}:{port}", parts.scheme),
        None => format!("{}://{host}", parts.scheme),
    };
    let host = parts.canonical_host().map_err(|error| {
        let suggestion = error.suggestion().map(with_host);
        suggestion.iter().fold(error, |error, suggestion| {
            let help = format!("write {}", quoted(suggestion));
            error.with_help(help).with_suggestion(suggestion)
        })
    })?;
    if !parts.rest.is_empty() {
        let message = format!("a path or query in {WHAT}");
        let help = "write protocol, host and port only: a path is part of a request, and shown for its approval";
        return Err(TextError::new(Rule::Host, message, help).with_suggestion(authority));
    }
    let port = match parts.port {
        None => default_port(protocol).filter(|_| may_leave_port),
        Some(port) => host::port(port),
    };
    let Some(port) = port else {
        let message = match parts.port {
            None | Some("") => format!("no port in {}", quoted(text)),
            Some(port) => format!("{} is not a port", quoted(port)),
        };
        let help = format!(
            "write a port from 1 to 65535, without a leading zero: `{protocol}://{host}:PORT`"
        );
        let error = TextError::new(Rule::Port, message, help);
        // A port with a leading zero is meant; any other wrong one is not known.
        let meant = match parts.port {
            None | Some("") => default_port(protocol),
            Some(port) => port.trim_start_matches('0').parse().ok(),
        };
        return Err(match meant {
            Some(port) => {
                let suggestion = format!("{protocol}://{host}:{port}");
                error
                    .with_help(format!("write the port: {}", quoted(&suggestion)))
                    .with_suggestion(suggestion)
            }
            None => error,
        });
    };
    Ok((protocol, host.into_owned(), port))
}

/// The port that a URL of the protocol may leave away; raw TCP and UDP have none.
fn default_port(protocol: Protocol) -> Option<u16> {
    match protocol {
        Protocol::Https | Protocol::Wss => Some(443),
        Protocol::Http | Protocol::Ws => Some(80),
        Protocol::Ssh => Some(22),
        Protocol::Tcp | Protocol::Udp => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn canonical_endpoints() {
        for (text, protocol, host, port) in [
            (
                "https://api.example.com:443",
                Protocol::Https,
                "api.example.com",
                443,
            ),
            ("ssh://[2001:db8::1]:22", Protocol::Ssh, "2001:db8::1", 22),
            ("tcp://10.0.0.7:5432", Protocol::Tcp, "10.0.0.7", 5432),
            ("udp://a:1", Protocol::Udp, "a", 1),
        ] {
            let endpoint = Endpoint::parse(text).unwrap();
            assert_eq!(
                (endpoint.protocol(), endpoint.host(), endpoint.port()),
                (protocol, host, port)
            );
            assert_eq!(endpoint.to_string(), text);
            assert_eq!(Endpoint::declared(protocol, host, port), endpoint);
        }
    }

    #[test]
    fn refused_endpoints() {
        for (text, rule, suggestion) in [
            (
                "https://api.example.com",
                Rule::Port,
                Some("https://api.example.com:443"),
            ),
            ("ssh://h", Rule::Port, Some("ssh://h:22")),
            ("tcp://db.internal", Rule::Port, None),
            ("https://a:0", Rule::Port, None),
            ("https://a:08443", Rule::Port, Some("https://a:8443")),
            ("https://a:65536", Rule::Port, None),
            ("https://a:", Rule::Port, Some("https://a:443")),
            ("https://a:x", Rule::Port, None),
            ("https://[::1]x:443", Rule::Host, None),
            ("postgres://db:5432", Rule::Protocol, Some("tcp://db:5432")),
            ("db:5432", Rule::Protocol, Some("tcp://db:5432")),
            (
                "HTTPS://API.example.com:443",
                Rule::NotCanonical,
                Some("https://api.example.com:443"),
            ),
            (
                "https://bücher.example:443",
                Rule::NotCanonical,
                Some("https://xn--bcher-kva.example:443"),
            ),
            (
                "https://[2001:DB8::1]:443",
                Rule::NotCanonical,
                Some("https://[2001:db8::1]:443"),
            ),
            (
                "https://example.com.:443",
                Rule::NotCanonical,
                Some("https://example.com:443"),
            ),
            (
                "https://api.example.com:443/v1",
                Rule::Host,
                Some("https://api.example.com:443"),
            ),
            ("https://user@a:443", Rule::Host, None),
            (
                "https://2130706433:443",
                Rule::Host,
                Some("https://127.0.0.1:443"),
            ),
            (
                "https://[::ffff:1.2.3.4]:443",
                Rule::Host,
                Some("https://1.2.3.4:443"),
            ),
            ("https://::1:443", Rule::Host, None),
            (
                "https://.example.com:443",
                Rule::Host,
                Some("https://example.com:443"),
            ),
            ("https://*.example.com:443", Rule::Wildcard, None),
            ("https://a:443?x", Rule::Wildcard, Some("https://a:443")),
            (
                "https://\u{430}pi.example.com:443",
                Rule::MixedScripts,
                None,
            ),
            ("", Rule::Host, None),
        ] {
            let error = Endpoint::parse(text).unwrap_err();
            assert_eq!(
                (error.rule(), error.suggestion()),
                (rule, suggestion),
                "{text:?}: {error}"
            );
            assert!(!error.help().is_empty());
        }
        let error = Endpoint::parse("https://\u{430}pi.example.com:443").unwrap_err();
        assert!(
            error.help().contains("xn--pi-6kc.example.com"),
            "{}",
            error.help()
        );
    }

    #[test]
    fn requests_in_another_spelling() {
        for (text, expected) in [
            ("https://API.example.com", "https://api.example.com:443"),
            ("WSS://a", "wss://a:443"),
            ("ssh://h", "ssh://h:22"),
            (
                "https://\u{430}pi.example.com:443",
                "https://xn--pi-6kc.example.com:443",
            ),
        ] {
            assert_eq!(Endpoint::from_request(text).unwrap().to_string(), expected);
        }
        for text in [
            "tcp://a",
            "https://a/b",
            "https://127.1",
            "https://u@a",
            "https://example.com.",
            "https://[::1]443",
            "https://１.2.3.4:443",
        ] {
            assert!(Endpoint::from_request(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn suggestions_are_accepted_and_nothing_panics(text in any::<String>(), tail in r"[a-zA-Z0-9:\[\].@/ä-]{0,24}") {
            for text in [text, format!("https://{tail}"), format!("Tcp://{tail}:80"), tail] {
                if let Err(error) = Endpoint::parse(&text)
                    && let Some(suggestion) = error.suggestion()
                {
                    prop_assert!(Endpoint::parse(suggestion).is_ok(), "{} -> {}", text, suggestion);
                }
                if let Ok(requested) = Endpoint::from_request(&text) {
                    prop_assert!(Endpoint::parse(&requested.to_string()).is_ok());
                }
            }
        }
    }
}
