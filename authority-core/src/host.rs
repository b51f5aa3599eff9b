//! Hosts: DNS names, IPv4 and IPv6 addresses, each in one spelling.

use std::borrow::Cow;
use std::net::{Ipv4Addr, Ipv6Addr};

use crate::byte;
use crate::idna;
use crate::rule::{Rule, TextError, quoted};

/// Whether this is a host in its canonical spelling; an IPv6 address stands without brackets.
pub(crate) fn is_canonical(host: &str) -> bool {
    is_canonical_name(host)
        || (host.contains(':')
            && host
                .parse()
                .is_ok_and(|address| !is_mapped(address) && format_v6(address) == host))
}

/// Whether this is a DNS name or an IPv4 address in its canonical spelling.
pub(crate) fn is_canonical_name(host: &str) -> bool {
    // The parser of the standard library takes four decimals without leading zeros only.
    is_name(host) && (!is_attempted_v4(host) || host.parse::<Ipv4Addr>().is_ok())
}

/// The canonical spelling of a host that a request spells otherwise: another case, a Unicode name,
/// another form of an IPv6 address.
///
/// # Errors
///
/// [`Rule::Host`] for what is no host, or an alias of one.
pub(crate) fn canonical(host: &str) -> Result<Cow<'_, str>, TextError> {
    if is_canonical(host) {
        return Ok(Cow::Borrowed(host));
    }
    let other = if host.contains(':') {
        host.parse()
            .ok()
            .filter(|address| !is_mapped(*address))
            .map(format_v6)
    } else {
        idna::to_ascii(host).filter(|ascii| is_name(ascii) && !is_attempted_v4(ascii))
    };
    other.map(Cow::Owned).ok_or_else(|| refused(host))
}

/// The parts of `scheme://host:port` and what follows, as they stand in the text.
pub(crate) struct Parts<'a> {
    pub(crate) scheme: &'a str,
    /// Without the brackets of an IPv6 address.
    pub(crate) host: &'a str,
    pub(crate) is_bracketed: bool,
    pub(crate) port: Option<&'a str>,
    /// Path, query and fragment.
    pub(crate) rest: &'a str,
}

impl<'a> Parts<'a> {
    /// The parts of a text with `://`.
    pub(crate) fn of(text: &'a str) -> Option<Self> {
        let (scheme, after) = text.split_once("://")?;
        let end = after.find(['/', '?', '#', '\\']).unwrap_or(after.len());
        let (authority, rest) = after.split_at(end);
        if let Some((host, port)) = authority
            .strip_prefix('[')
            .and_then(|inner| inner.split_once(']'))
        {
            // Only a port may follow the bracket; anything else is part of no host.
            let (host, port) = match port.strip_prefix(':') {
                Some(port) => (host, Some(port)),
                None if port.is_empty() => (host, None),
                None => (authority, None),
            };
            return Some(Parts {
                scheme,
                host,
                is_bracketed: true,
                port,
                rest,
            });
        }
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        };
        Some(Parts {
            scheme,
            host,
            is_bracketed: false,
            port,
            rest,
        })
    }

    /// The text before a query, when nothing else in it could be meant as a wildcard.
    pub(crate) fn before_query(text: &'a str) -> Option<&'a str> {
        let (before, _) = text.split_once('?')?;
        (before.contains("://") && !text.contains('*')).then_some(before)
    }

    /// The host in its canonical spelling, an IPv6 address in brackets.
    pub(crate) fn canonical_host(&self) -> Result<Cow<'a, str>, TextError> {
        if self.is_bracketed != self.host.contains(':') {
            let message = if self.is_bracketed {
                "brackets around what is no IPv6 address"
            } else {
                "an IPv6 address without brackets"
            };
            return Err(TextError::new(
                Rule::Host,
                message,
                "write `[2001:db8::1]:443`: brackets around an IPv6 address",
            ));
        }
        let host = canonical(self.host)?;
        Ok(if self.is_bracketed {
            Cow::Owned(format!("[{host}]"))
        } else {
            host
        })
    }
}

/// A port as it must be written: 1 to 65535, without a leading zero.
pub(crate) fn port(text: &str) -> Option<u16> {
    let is_canonical = !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_canonical)
}

/// Adds what a host is compared as to an error about letters of two scripts.
pub(crate) fn show_ascii_form(error: TextError, text: &str) -> TextError {
    let ascii = Parts::of(text).and_then(|parts| idna::to_ascii(parts.host));
    match (error.rule(), ascii) {
        (Rule::MixedScripts, Some(ascii)) => {
            let help = format!(
                "if this is the host that you mean, write its ASCII form {}",
                quoted(&ascii)
            );
            error.with_help(help)
        }
        _ => error,
    }
}

/// Checks what the URL parser would silently repair in the part of a URL that says where it goes.
#[cfg(feature = "url")]
pub(crate) fn check_url(url: &str) -> Result<Parts<'_>, TextError> {
    let refused = |message: &str| {
        Err(TextError::new(
            Rule::Host,
            message,
            "write `https://host/path`, encoded as it is sent",
        ))
    };
    if url.chars().any(char::is_control) || url.trim() != url {
        return refused("a control character, or white space around a URL");
    }
    let Some(parts) = Parts::of(url) else {
        return refused("a URL without `://`");
    };
    let authority = &url[parts.scheme.len() + 3..url.len() - parts.rest.len()];
    if authority.contains([' ', '%', '@']) || parts.rest.starts_with('\\') {
        return refused(
            "a space, percent sign, backslash or user information in the host of a URL",
        );
    }
    Ok(parts)
}

/// Why this is no host. The suggestion is a host.
fn refused(host: &str) -> TextError {
    let error = |message: String, help: &str| TextError::new(Rule::Host, message, help);
    let shown = quoted(host);
    if host.is_empty() {
        return error(
            "a host is missing".to_owned(),
            "write a DNS name or an IP address after `://`",
        );
    }
    if host.contains('@') {
        let help = "leave user and password away: a credential is declared by an entry of its own";
        return error(format!("user information in {shown}"), help);
    }
    if host.contains('%') {
        return error(
            format!("a zone or percent sign in {shown}"),
            "write the plain address or name",
        );
    }
    if host.contains(':') {
        return match host
            .parse::<Ipv6Addr>()
            .ok()
            .map(|address| address.to_ipv4_mapped())
        {
            Some(Some(v4)) => error(
                format!("{shown} is another spelling of an IPv4 address"),
                &format!("write {}", quoted(&v4.to_string())),
            )
            .with_suggestion(v4.to_string()),
            _ => error(
                format!("{shown} is not an IPv6 address"),
                "write it as in RFC 5952: `2001:db8::1`",
            ),
        };
    }
    if let Some(name) = host.strip_suffix('.')
        && is_canonical(name)
    {
        return TextError::not_canonical("a host", host, name.to_owned());
    }
    if is_attempted_v4(host) {
        let help = "write four decimals from 0 to 255, without leading zeros: `127.0.0.1`";
        let message = format!("{shown} is a number in place of an IPv4 address");
        return match number_address(host) {
            Some(address) => error(message, &format!("write {}", quoted(&address.to_string())))
                .with_suggestion(address.to_string()),
            None => error(message, help),
        };
    }
    if let Some(name) = host.strip_prefix('.') {
        let help = "name each host: a domain does not stand for its subdomains";
        return error(format!("{shown} begins with a dot"), help).with_suggestion(name);
    }
    let help = "write a DNS name in lower-case ASCII (labels of letters, digits and `-`, 1 to 63 each, at most 253 \
                in all), or an IP address";
    error(format!("{shown} is not a host"), help)
}

/// A DNS name: lower-case labels of letters, digits and hyphens, A-labels that are valid.
fn is_name(host: &str) -> bool {
    let mut label = 0;
    let mut last = b'.';
    let mut may_have_a_label = false;
    for byte in host.bytes() {
        match byte {
            b'.' if label == 0 || last == b'-' => return false,
            b'.' => label = 0,
            b'-' if label == 0 => return false,
            b'-' => {
                may_have_a_label |= last == b'-';
                label += 1;
            }
            _ if byte::is(byte, byte::LOWER) => label += 1,
            _ => return false,
        }
        if label > 63 {
            return false;
        }
        last = byte;
    }
    label > 0
        && last != b'-'
        && host.len() <= 253
        && (!may_have_a_label || !host.contains("xn--") || idna::is_ascii_form(host))
}

/// Whether a browser would read this as an IPv4 address: its last label is a number.
fn is_attempted_v4(host: &str) -> bool {
    let name = host.strip_suffix('.').unwrap_or(host);
    let dot = name.bytes().rposition(|byte| byte == b'.');
    let last = dot.map_or(name, |dot| &name[dot + 1..]);
    let hex = last.strip_prefix("0x").or_else(|| last.strip_prefix("0X"));
    (!last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit()))
        || hex.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The address that the number forms of the WHATWG URL standard stand for.
fn number_address(host: &str) -> Option<Ipv4Addr> {
    let parts: Vec<u64> = host
        .strip_suffix('.')
        .unwrap_or(host)
        .split('.')
        .map(number)
        .collect::<Option<_>>()?;
    let (last, first) = parts.split_last()?;
    let free = 4_usize.checked_sub(first.len())?;
    if free == 0 || *last >= 1 << (8 * free) {
        return None;
    }
    let mut address = *last;
    for (position, part) in first.iter().enumerate() {
        let part = u64::from(u8::try_from(*part).ok()?);
        address |= part << (8 * (3 - position));
    }
    u32::try_from(address).ok().map(Ipv4Addr::from_bits)
}

fn number(text: &str) -> Option<u64> {
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    match hex {
        Some("") => Some(0),
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None if text.len() > 1 && text.starts_with('0') => u64::from_str_radix(text, 8).ok(),
        None => text.parse().ok(),
    }
}

fn is_mapped(address: Ipv6Addr) -> bool {
    address.to_ipv4_mapped().is_some()
}

/// RFC 5952, section 4, always in hexadecimal groups: the longest run of two or more zero groups,
/// the first of several, is `::`.
fn format_v6(address: Ipv6Addr) -> String {
    let groups = address.segments();
    let (mut start, mut length) = (0, 0);
    let mut index = 0;
    while index < groups.len() {
        let run = groups[index..]
            .iter()
            .take_while(|group| **group == 0)
            .count();
        if run > length {
            (start, length) = (index, run);
        }
        index += run.max(1);
    }
    let hex = |groups: &[u16]| {
        groups
            .iter()
            .map(|group| format!("{group:x}"))
            .collect::<Vec<_>>()
            .join(":")
    };
    if length < 2 {
        hex(&groups)
    } else {
        format!(
            "{}::{}",
            hex(&groups[..start]),
            hex(&groups[start + length..])
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn canonical_hosts() {
        for host in [
            "localhost",
            "a",
            "example.com",
            "1.2.3.4.example",
            "3com.example",
            "xn--bcher-kva.example",
            "127.0.0.1",
            "255.255.255.255",
            "0.0.0.0",
            "::",
            "::1",
            "2001:db8::1",
            "2001:db8::1:0:0:1",
            "64:ff9b::1",
            "1:2:3:4:5:6:7:8",
            "64:ff9b::7f00:1",
        ] {
            assert!(is_canonical(host), "{host}");
            assert_eq!(canonical(host).unwrap(), host);
        }
    }

    #[test]
    fn requests_in_another_spelling() {
        for (host, expected) in [
            ("API.Example.COM", "api.example.com"),
            ("bücher.example", "xn--bcher-kva.example"),
            ("2001:0DB8:0:0:0:0:0:1", "2001:db8::1"),
            ("::1.2.3.4", "::102:304"),
            ("0:0:0:0:0:0:0:0", "::"),
        ] {
            assert_eq!(canonical(host).unwrap(), expected);
        }
    }

    #[test]
    fn refused_hosts() {
        for (host, suggestion) in [
            ("2130706433", Some("127.0.0.1")),
            ("0x7f.0.0.1", Some("127.0.0.1")),
            ("0177.0.0.1", Some("127.0.0.1")),
            ("127.1", Some("127.0.0.1")),
            ("017700000001", Some("127.0.0.1")),
            ("1.2.3.4.5", None),
            ("256.1.1.1", None),
            ("1.2.3.0x", Some("1.2.3.0")),
            ("::ffff:127.0.0.1", Some("127.0.0.1")),
            ("::ffff:0:0", Some("0.0.0.0")),
            ("fe80::1%eth0", None),
            ("1:2::3::4", None),
            ("example.com.", Some("example.com")),
            (".example.com", Some("example.com")),
            ("user@example.com", None),
            ("my_host", None),
            ("-a.example", None),
            ("a..b", None),
            ("xn--a.example", None),
            ("", None),
        ] {
            let error = canonical(host).unwrap_err();
            assert_eq!(error.suggestion(), suggestion, "{host}");
            assert!(
                matches!(error.rule(), Rule::Host | Rule::NotCanonical),
                "{host}"
            );
        }
        assert!(!is_canonical(&format!("{}.example", "a".repeat(64))));
        assert!(!is_canonical(&["a"; 128].join(".")));
    }

    proptest! {
        #[test]
        fn a_canonical_form_is_canonical(host in "[a-zA-Z0-9:.äа-]{1,20}|[0-9a-f:]{2,20}|[0-9x.]{1,12}") {
            if let Ok(found) = canonical(&host) {
                prop_assert!(is_canonical(&found));
            }
        }

        #[test]
        fn every_ipv6_address_has_one_spelling(bits in any::<u128>(), mask in any::<u128>()) {
            let address = Ipv6Addr::from_bits(bits & mask);
            let text = format_v6(address);
            prop_assert_eq!(text.parse::<Ipv6Addr>().unwrap(), address);
            prop_assert_eq!(is_canonical(&text), !is_mapped(address));
        }

        #[test]
        fn nothing_panics(text in any::<String>()) {
            let _ = canonical(&text);
        }
    }
}
