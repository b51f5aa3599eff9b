//! `network`: protocol, host and port.

use crate::rule::TextError;
use crate::text::Text;
use crate::vocabulary::{Protocol, RedirectPolicy};

/// An endpoint, with what happens to redirects.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct NetworkTarget<'a> {
    /// Protocol, host and port.
    pub endpoint: Endpoint<'a>,
    /// What happens to a redirect.
    pub redirect: RedirectPolicy,
}

/// `protocol://host:port`, in one canonical text.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Endpoint<'a> {
    text: Text<'a>,
    protocol: Protocol,
    port: u16,
}

impl<'a> Endpoint<'a> {
    /// Parses the canonical text of an endpoint.
    ///
    /// # Errors
    ///
    /// When the text breaks a rule of every text, of hosts or of endpoints.
    pub fn parse(text: &'a str) -> Result<Self, TextError> {
        let _ = text;
        unimplemented!()
    }

    /// Parses the text of an endpoint as a request may spell it: another case, no default port, a Unicode host.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse), but for the spelling.
    pub fn from_request(text: &'a str) -> Result<Self, TextError> {
        let _ = text;
        unimplemented!()
    }

    /// The endpoint of a whole URL, and the URL as the WHATWG URL standard serialises it, without
    /// fragment.
    ///
    /// # Errors
    ///
    /// When the text is not such a URL, or its endpoint breaks a rule.
    #[cfg(feature = "url")]
    pub fn of_url(url: &str) -> Result<(Endpoint<'static>, String), TextError> {
        let _ = url;
        unimplemented!()
    }

    /// The same endpoint, owning its text.
    pub fn into_owned(self) -> Endpoint<'static> {
        Endpoint {
            text: self.text.into_owned(),
            protocol: self.protocol,
            port: self.port,
        }
    }

    /// The endpoint's text, `https://api.example.com:443`; an IPv6 host stands in brackets.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The protocol.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The host as on the wire: an IPv6 address without brackets.
    pub fn host(&self) -> &str {
        unimplemented!()
    }

    /// The port, 1 to 65535.
    pub fn port(&self) -> u16 {
        self.port
    }
}
