//! Requests and scopes in the one canonical form, read in one pass without an allocation.
//!
//! Programs write them so, and then there is nothing to repair and nothing to say: the keys stand in
//! one order, and what stands between the values is always the same. This reader gives up (`None`) on
//! everything else: other orders, white space, escapes, other spellings, texts that need a closer
//! look, mistakes. The [strict reader](super::Reader) then reads the text from the start, and it alone
//! reports errors. Whatever is read here, it reads to the same value.

use crate::digest::Digest;
use crate::host;
use crate::id::{Id, ToolName};
use crate::operation_set::OperationSet;
use crate::scope::Scope;
use crate::target::{
    BrowserTarget, ChildAgentTarget, Endpoint, FilesystemTarget, IntegrationTarget, McpTarget,
    NetworkTarget, Origin, RelativePath, Repository, SubprocessTarget, Target,
};
use crate::vocabulary::{Operation, Protocol, RedirectPolicy};

/// The target and the operation of a request that has nothing else.
pub(crate) fn request(json: &str) -> Option<(Target<'_>, Operation)> {
    let mut rest = Canonical { rest: json };
    rest.literal("{\"operation\":\"")?;
    let name = rest.string()?;
    rest.literal(",\"target\":")?;
    let target = rest.target()?;
    rest.literal("}")?;
    let operation = target.kind().operation(name)?;
    rest.rest.is_empty().then_some((target, operation))
}

/// The scope at the start of a text, without a digest, and what follows it.
pub(crate) fn scope(json: &str) -> Option<(Scope<'_>, &str)> {
    let mut rest = Canonical { rest: json };
    rest.literal("{\"operations\":[")?;
    // No operation has a bracket in its name. They are looked up when the kind is known.
    let (names, after) = rest
        .rest
        .split_at(rest.rest.bytes().position(|byte| byte == b']')?);
    rest.rest = after;
    rest.literal("],\"schema_version\":1,\"target\":")?;
    let target = rest.target()?;
    rest.literal("}")?;
    let mut names = Canonical { rest: names };
    let mut word = 0;
    loop {
        names.literal("\"")?;
        let bit = target.kind().operation(names.string()?)?.bit();
        if word & bit != 0 {
            return None;
        }
        word |= bit;
        if names.rest.is_empty() {
            break;
        }
        names.literal(",")?;
    }
    let scope = Scope::trusted(target, OperationSet::from_word(word)?);
    Some((scope, rest.rest))
}

/// What is left of a text.
struct Canonical<'a> {
    rest: &'a str,
}

impl<'a> Canonical<'a> {
    /// Reads a text that is always the same.
    #[inline]
    fn literal(&mut self, text: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(text)?;
        Some(())
    }

    /// Reads the rest of a string behind its opening quote.
    #[inline]
    fn string(&mut self) -> Option<&'a str> {
        let end = super::plain_run(self.rest);
        let (text, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest.strip_prefix('"')?;
        Some(text)
    }

    fn id(&mut self) -> Option<Id<'a>> {
        Id::of_canonical(self.string()?)
    }

    fn digest(&mut self) -> Option<Digest> {
        let (digits, rest) = self.rest.split_at_checked(64)?;
        self.rest = rest.strip_prefix('"')?;
        Digest::of_hex(digits)
    }

    fn target(&mut self) -> Option<Target<'a>> {
        self.literal("{\"")?;
        match self.rest.as_bytes().get(1)? {
            b'i' => self.kind_first(),
            b'r' => self.subprocess().map(Target::Subprocess),
            b'o' => self.network().map(Target::Network),
            b'n' => self.integration().map(Target::Integration),
            b'g' => self.child_agent().map(Target::ChildAgent),
            _ => None,
        }
    }

    /// A target whose first key is `kind`.
    fn kind_first(&mut self) -> Option<Target<'a>> {
        self.literal("kind\":\"")?;
        match self.rest.as_bytes().first()? {
            b'f' => self.filesystem().map(Target::Filesystem),
            b'g' => {
                self.literal("github\",\"repository\":\"")?;
                let repository = Repository::of_canonical(self.string()?)?;
                self.literal("}")?;
                Some(Target::Github(repository))
            }
            b'b' => {
                self.literal("browser\",\"origin\":\"")?;
                let origin = Origin::of_plain(self.string()?)?;
                self.literal("}")?;
                Some(Target::Browser(BrowserTarget { origin }))
            }
            b'm' => self.mcp().map(Target::Mcp),
            _ => None,
        }
    }

    fn filesystem(&mut self) -> Option<FilesystemTarget<'a>> {
        self.literal("filesystem\",\"recursive\":")?;
        let path = if self.literal("false,\"relative_path\":\"").is_some() {
            Some(RelativePath::of_plain(self.string()?)?)
        } else {
            self.literal("true,\"relative_path\":\".\"")?;
            None
        };
        self.literal(",\"root_id\":\"")?;
        let binding = self.id()?;
        self.literal("}")?;
        Some(FilesystemTarget { binding, path })
    }

    fn subprocess(&mut self) -> Option<SubprocessTarget<'a>> {
        self.literal("argv_sha256\":\"")?;
        let argv_sha256 = self.digest()?;
        self.literal(",\"cwd_sha256\":\"")?;
        let cwd_sha256 = self.digest()?;
        self.literal(",\"executable\":\"")?;
        let executable = self.id()?;
        self.literal(",\"kind\":\"subprocess\"}")?;
        Some(SubprocessTarget {
            executable,
            argv_sha256,
            cwd_sha256,
        })
    }

    fn network(&mut self) -> Option<NetworkTarget<'a>> {
        self.literal("host\":\"")?;
        let host = self.string()?;
        self.literal(",\"kind\":\"network\",\"port\":")?;
        let digits = self.rest.bytes().position(|byte| byte == b',')?;
        let (port, rest) = self.rest.split_at(digits);
        let port = host::port(port)?;
        self.rest = rest;
        self.literal(",\"protocol\":\"")?;
        let protocol = Protocol::from_name(self.string()?)?;
        self.literal(",\"redirect_policy\":\"")?;
        let redirect = RedirectPolicy::from_name(self.string()?)?;
        self.literal("}")?;
        Some(NetworkTarget {
            endpoint: Endpoint::of_canonical(protocol, host, port)?,
            redirect,
        })
    }

    fn mcp(&mut self) -> Option<McpTarget<'a>> {
        self.literal("mcp\",\"server_id\":\"")?;
        let server = self.id()?;
        self.literal(",\"tool_name\":")?;
        let tool = if self.literal("\"").is_some() {
            Some(ToolName::of_canonical(self.string()?)?)
        } else {
            self.literal("null")?;
            None
        };
        self.literal("}")?;
        Some(McpTarget { server, tool })
    }

    fn integration(&mut self) -> Option<IntegrationTarget<'a>> {
        self.literal("integration_id\":\"")?;
        let integration = self.id()?;
        self.literal(",\"kind\":\"integration\",\"revision_sha256\":\"")?;
        let revision_sha256 = self.digest()?;
        self.literal("}")?;
        Some(IntegrationTarget {
            integration,
            revision_sha256,
        })
    }

    fn child_agent(&mut self) -> Option<ChildAgentTarget<'a>> {
        self.literal("agent_id\":\"")?;
        let agent = self.id()?;
        self.literal(",\"kind\":\"child_agent\",\"parent_ceiling_sha256\":\"")?;
        let parent_ceiling_sha256 = self.digest()?;
        self.literal("}")?;
        Some(ChildAgentTarget {
            agent,
            parent_ceiling_sha256,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;
    use crate::json::{self, scope::tests::any_target};
    use crate::request::Request;

    /// A request and a scope on one target, in the canonical form.
    fn any_texts() -> impl Strategy<Value = [String; 2]> {
        (any_target(), any::<Index>(), any::<u64>()).prop_map(|((kind, target), one, some)| {
            let names: Vec<_> = kind.operations().map(Operation::name).collect();
            let operation = names[one.index(names.len())];
            let mut sorted: Vec<_> = (0..)
                .zip(&names)
                .filter(|(bit, _)| some >> bit & 1 == 1)
                .map(|(_, name)| *name)
                .collect();
            if sorted.is_empty() {
                sorted.push(operation);
            }
            sorted.sort_unstable();
            [
                format!(r#"{{"operation":"{operation}","target":{target}}}"#),
                format!(
                    r#"{{"operations":["{}"],"schema_version":1,"target":{target}}}"#,
                    sorted.join("\",\"")
                ),
            ]
        })
    }

    /// What is read here, the strict reader reads to the same value.
    fn check(text: &str) -> Result<(), TestCaseError> {
        if let Some((scope, rest)) = scope(text) {
            let whole = &text[..text.len() - rest.len()];
            let strict = json::decode(whole, Scope::decode_strictly);
            prop_assert_eq!(strict.as_ref(), Ok(&scope), "{}", whole);
        }
        let strict = json::decode(text, Request::decode);
        if let Some((target, operation)) = request(text)
            && let Ok(request) = &strict
        {
            prop_assert_eq!(request.target(), &target, "{}", text);
            prop_assert_eq!(request.operation(), operation, "{}", text);
        }
        prop_assert_eq!(Request::from_json(text), strict, "{}", text);
        Ok(())
    }

    #[test]
    fn what_needs_a_closer_look_is_left_to_the_strict_reader() {
        let target = r#"{"kind":"github","repository":"a/b"}"#;
        for text in [
            format!(r#"{{"operation":"read","target":{target}}}"#),
            format!(
                r#"{{"operation":"read","target":{}}}"#,
                target.replace("a/b", "a/c.d")
            ),
        ] {
            assert!(request(&text).is_some(), "{text}");
        }
        for text in [
            format!(r#" {{"operation":"read","target":{target}}}"#),
            format!(r#"{{"operation":"read","target":{target}}} "#),
            format!(r#"{{"target":{target},"operation":"read"}}"#),
            format!(r#"{{"operation":"re\u0061d","target":{target}}}"#),
            format!(r#"{{"operation":"call","target":{target}}}"#),
            format!(r#"{{"operation":"read","target":{}}}"#, target.replace("a/b", "a/B")),
            r#"{"operation":"read","target":{"kind":"filesystem","recursive":false,"relative_path":".","root_id":"ws"}}"#.to_owned(),
            r#"{"operation":"read","target":{"kind":"filesystem","recursive":false,"relative_path":"a/nul.txt","root_id":"ws"}}"#.to_owned(),
            r#"{"operation":"connect","target":{"host":"a","kind":"network","port":0,"protocol":"tcp","redirect_policy":"deny"}}"#.to_owned(),
            r#"{"operation":"connect","target":{"host":"a","kind":"network","port":080,"protocol":"tcp","redirect_policy":"deny"}}"#.to_owned(),
        ] {
            assert!(request(&text).is_none(), "{text}");
        }
        let twice =
            format!(r#"{{"operations":["read","read"],"schema_version":1,"target":{target}}}"#);
        assert!(scope(&twice).is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_048))]

        #[test]
        fn canonical_texts_are_read_to_what_the_strict_reader_reads([request_text, scope_text] in any_texts()) {
            prop_assert!(request(&request_text).is_some(), "{}", request_text);
            prop_assert!(scope(&scope_text).is_some_and(|(_, rest)| rest.is_empty()), "{}", scope_text);
            check(&request_text)?;
            check(&scope_text)?;
        }

        #[test]
        fn changed_texts_are_read_alike(
            texts in any_texts(),
            edits in prop::collection::vec((any::<Index>(), 0_usize..3, r#"["\\\[\]{},:./_A-Za-z0-9\x00 é-]{0,2}"#), 1..4),
        ) {
            for mut text in texts {
                for (place, cut, inserted) in &edits {
                    let start = place.index(text.len() + 1);
                    let end = (start + cut).min(text.len());
                    if text.is_char_boundary(start) && text.is_char_boundary(end) {
                        text.replace_range(start..end, inserted);
                    }
                }
                check(&text)?;
            }
        }
    }
}
