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
