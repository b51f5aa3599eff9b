//! W3C trace context.

use std::fmt;

/// A span of a trace, as the W3C recommendation "Trace Context" says: a trace id of 16 bytes and a
/// span id of 8, neither of them all zeros.
///
/// ```
/// use authority_core::audit::TraceContext;
///
/// let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
/// let trace = TraceContext::from_traceparent(parent).expect("a traceparent");
/// assert_eq!(trace.span_id(), [0, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7]);
/// ```
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
pub struct TraceContext {
    trace_id: [u8; 16],
    span_id: [u8; 8],
}

impl TraceContext {
    /// The span with these ids; `None` when one is all zeros.
    pub fn new(trace_id: [u8; 16], span_id: [u8; 8]) -> Option<Self> {
        let both = trace_id != [0; 16] && span_id != [0; 8];
        both.then_some(TraceContext { trace_id, span_id })
    }

    /// The span that a `traceparent` header of version 00 names; `None` for any other text.
    pub fn from_traceparent(header: &str) -> Option<Self> {
        let (trace_id, rest) = header.strip_prefix("00-")?.split_once('-')?;
        let (span_id, flags) = rest.split_once('-')?;
        let _flags: [u8; 1] = bytes(flags)?;
        TraceContext::new(bytes(trace_id)?, bytes(span_id)?)
    }

    pub(super) fn parse(trace_id: &str, span_id: &str) -> Option<Self> {
        TraceContext::new(bytes(trace_id)?, bytes(span_id)?)
    }

    /// The trace's id.
    pub const fn trace_id(self) -> [u8; 16] {
        self.trace_id
    }

    /// The span's id.
    pub const fn span_id(self) -> [u8; 8] {
        self.span_id
    }
}

/// Bytes from lower-case hexadecimal digits.
fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    crate::digest::decode_hex(text, &mut bytes).then_some(bytes)
}

impl fmt::Debug for TraceContext {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::from("TraceContext(");
        crate::digest::push_hex(&self.trace_id, &mut text);
        text.push('-');
        crate::digest::push_hex(&self.span_id, &mut text);
        text.push(')');
        formatter.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
        let trace = TraceContext::from_traceparent(good).unwrap();
        assert_eq!(trace.trace_id()[..3], [0x4b, 0xf9, 0x2f]);
        assert_eq!(
            format!("{trace:?}"),
            "TraceContext(4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7)"
        );
        for bad in [
            "",
            "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-00",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-00",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-00",
            "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-00",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00-",
        ] {
            assert_eq!(TraceContext::from_traceparent(bad), None, "{bad}");
        }
    }
}
