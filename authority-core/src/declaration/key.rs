//! What makes a target's identity, and its hash in the index of a declaration.

use crate::digest::Digest;
use crate::id::ToolName;
use crate::target::{FilesystemTarget, McpTarget, NetworkTarget, RelativePath, Target};
use crate::vocabulary::{Kind, Protocol, RedirectPolicy};

/// What makes a target's identity: its kind, up to two texts and up to two digests.
pub(crate) struct Key<'a> {
    /// The kind; whether a redirect to the same origin may be followed, and the protocol; the length
    /// of each text; the port: two bytes each, but for the first two.
    pub(crate) head: u64,
    pub(crate) texts: [&'a str; 2],
    pub(crate) digests: [Option<&'a Digest>; 2],
}

impl<'a> Key<'a> {
    #[inline]
    pub(crate) fn of(target: &'a Target<'_>) -> Self {
        let mut digests = [None, None];
        let texts = match target {
            Target::Filesystem(target) => {
                let path = target.path.as_ref().map_or("", RelativePath::as_str);
                [target.binding.as_str(), path]
            }
            Target::Subprocess(target) => {
                digests = [Some(&target.argv_sha256), Some(&target.cwd_sha256)];
                [target.executable.as_str(), ""]
            }
            Target::Network(target) => [target.endpoint.host(), ""],
            Target::Github(repository) => [repository.as_str(), ""],
            Target::Browser(target) => [target.origin.as_str(), ""],
            Target::Mcp(McpTarget { server, tool }) => {
                [server.as_str(), tool.as_ref().map_or("", ToolName::as_str)]
            }
            Target::Integration(target) => {
                digests = [Some(&target.revision_sha256), None];
                [target.integration.as_str(), ""]
            }
            Target::ChildAgent(target) => {
                digests = [Some(&target.parent_ceiling_sha256), None];
                [target.agent.as_str(), ""]
            }
        };
        Key {
            head: head(target.kind(), texts) | network(target),
            texts,
            digests,
        }
    }

    /// The key of the whole binding that a path lies in.
    #[inline]
    pub(crate) fn of_whole_binding(target: &'a Target<'_>) -> Option<Self> {
        let Target::Filesystem(FilesystemTarget {
            binding,
            path: Some(_),
        }) = target
        else {
            return None;
        };
        let texts = [binding.as_str(), ""];
        Some(Key {
            head: head(Kind::Filesystem, texts),
            texts,
            digests: [None, None],
        })
    }

    /// The hash in the index: folded multiplications over the head and what follows, two
    /// little-endian words at a time. The last ones of a field overlap those before them, so that no
    /// byte is left over. It is no secret and no digest: the key is always compared in full. It is
    /// the same on every platform and in every version of the packed data.
    #[inline]
    pub(crate) fn hash(&self) -> u64 {
        let mut state = fold(self.head, SEED);
        for text in self.texts {
            state = mix(state, text.as_bytes());
        }
        for digest in self.digests.into_iter().flatten() {
            state = mix(state, digest.as_bytes());
        }
        state
    }
}

/// A text has at most 4,096 bytes.
#[inline]
fn head(kind: Kind, texts: [&str; 2]) -> u64 {
    let [first, second] = texts.map(|text| text.len() as u64 & 0xffff);
    kind as u64 | first << 16 | second << 32
}

/// What a network target has in the head.
#[inline]
fn network(target: &Target<'_>) -> u64 {
    let Target::Network(NetworkTarget { endpoint, redirect }) = target else {
        return 0;
    };
    (*redirect as u64) << 8 | (endpoint.protocol() as u64) << 9 | u64::from(endpoint.port()) << 48
}

/// Protocol, port and what happens to redirects, from the head.
#[allow(clippy::cast_possible_truncation)]
pub(crate) fn network_parts(head: u64) -> (Protocol, u16, RedirectPolicy) {
    let protocol = Protocol::ALL.get((head >> 9 & 0x7f) as usize);
    let redirect = match head >> 8 & 1 {
        0 => RedirectPolicy::Deny,
        _ => RedirectPolicy::SameOrigin,
    };
    (
        protocol.copied().unwrap_or(Protocol::Https),
        (head >> 48) as u16,
        redirect,
    )
}

/// The lengths of the two texts, from the head.
#[inline]
#[allow(clippy::cast_possible_truncation)]
pub(crate) fn lengths(head: u64) -> [usize; 2] {
    [16, 32].map(|shift| (head >> shift & 0xffff) as usize)
}

/// A target with the hash of its key, and that of its whole binding's key if it is a path: what does
/// not depend on a declaration is computed once.
#[derive(Clone, Eq, Hash, PartialEq)]
pub(crate) struct HashedTarget<'a> {
    target: Target<'a>,
    pub(crate) exact: u64,
    pub(crate) whole: Option<u64>,
}

impl<'a> HashedTarget<'a> {
    pub(crate) fn new(target: Target<'a>) -> Self {
        HashedTarget {
            exact: Key::of(&target).hash(),
            whole: Key::of_whole_binding(&target).map(|key| key.hash()),
            target,
        }
    }

    #[inline]
    pub(crate) fn target(&self) -> &Target<'a> {
        &self.target
    }
}

#[inline]
fn mix(state: u64, field: &[u8]) -> u64 {
    let mut state = state;
    let (pairs, rest) = field.as_chunks::<16>();
    for pair in pairs {
        let [low, high] = [&pair[..8], &pair[8..]].map(word);
        state = fold(low ^ state, high ^ STEP);
    }
    let last = match rest.len() {
        0 => return state,
        length @ 9.. => word(&rest[length - 8..]),
        _ => 0,
    };
    fold(word(rest) ^ state, last ^ STEP)
}

/// The first eight bytes as a little-endian word; of fewer, one that has them all in it.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    if let Some(bytes) = bytes.first_chunk() {
        return u64::from_le_bytes(*bytes);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let [first, last] = [first, last].map(|half| u64::from(u32::from_le_bytes(*half)));
        return first | last << 32;
    }
    let byte = |at: usize| bytes.get(at).map_or(0, |byte| u64::from(*byte));
    byte(0) | byte(1) << 8 | byte(2) << 16
}

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
const STEP: u64 = 0xd6e8_feb8_6659_fd93;

/// The upper and lower half of the 128-bit product, joined by exclusive or.
#[inline]
fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    #[allow(clippy::cast_possible_truncation)]
    let (low, high) = (product as u64, (product >> 64) as u64);
    low ^ high
}
