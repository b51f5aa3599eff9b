//! The scopes of a body as they stand in its packed data, read in place.
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | the operations, as a word |
//! | 1, 1, 2 | the kind, [flags](self), nothing |
//! | 4 | where the texts of the scope start in the declaration's texts |
//! | 4, 4, 4 | lengths of the first text, of the second and of the doc comment |
//! | 32 to 96 | the scope's digest; then argv and cwd, revision, or parent ceiling, by kind |
//! | 4, 4, 4, 4 an argument | of a subprocess that was declared with its arguments: lengths of the binding and of the path of its working directory, number of its arguments, their lengths |
//!
//! The first text is the binding, executable, endpoint, repository, origin, server, integration or
//! agent, the second the path or the tool. They are followed by those of a subprocess, and the doc
//! comment is the last one.

use crate::declaration::derived::Derived;
use crate::digest::Digest;
use crate::id::{Id, ToolName};
use crate::operation_set::OperationSet;
use crate::target::{
    BrowserTarget, ChildAgentTarget, Endpoint, FilesystemTarget, IntegrationTarget, McpTarget,
    NetworkTarget, Origin, RelativePath, Repository, SubprocessTarget, Target,
};
use crate::text::Text;
use crate::vocabulary::{Kind, RedirectPolicy};

/// There is a second text.
const SECOND: u8 = 1;
/// The entry says `delegable`.
const DELEGABLE: u8 = 2;
/// A redirect to the same origin may be followed.
const SAME_ORIGIN: u8 = 4;
/// The arguments and the working directory of a subprocess are there, and not only their digests.
const RUN: u8 = 8;
/// The working directory has a path below its binding.
const BELOW: u8 = 16;

/// Bytes in front of the digests.
const HEAD: usize = 28;
const DIGEST: usize = 32;

/// What the record of a scope is made from.
pub(crate) struct ScopeEntry<'a> {
    pub(crate) target: &'a Target<'a>,
    pub(crate) operations: OperationSet,
    pub(crate) digest: Digest,
    pub(crate) delegable: bool,
    pub(crate) run: Option<Run<'a>>,
    pub(crate) doc: &'a str,
}

/// A subprocess as it was declared.
pub(crate) struct Run<'a> {
    pub(crate) arguments: &'a [String],
    pub(crate) binding: &'a str,
    pub(crate) path: Option<&'a str>,
}

impl ScopeEntry<'_> {
    /// Appends the record to the packed data and its texts to the texts.
    pub(crate) fn push(&self, bytes: &mut Vec<u8>, texts: &mut String) {
        let (first, second) = parts(self.target);
        let mut flags = 0;
        for (flag, holds) in [
            (SECOND, second.is_some()),
            (DELEGABLE, self.delegable),
            (SAME_ORIGIN, follows_redirects(self.target)),
            (RUN, self.run.is_some()),
            (
                BELOW,
                self.run.as_ref().is_some_and(|run| run.path.is_some()),
            ),
        ] {
            if holds {
                flags |= flag;
            }
        }
        let second = second.unwrap_or_default();
        bytes.extend(self.operations.word().to_le_bytes());
        bytes.extend([self.target.kind() as u8, flags, 0, 0]);
        push_number(bytes, texts.len());
        for text in [first, second, self.doc] {
            push_number(bytes, text.len());
        }
        texts.push_str(first);
        texts.push_str(second);
        bytes.extend(self.digest.as_bytes());
        for digest in digests(self.target).into_iter().flatten() {
            bytes.extend(digest.as_bytes());
        }
        if let Some(run) = &self.run {
            let path = run.path.unwrap_or_default();
            for number in [run.binding.len(), path.len(), run.arguments.len()] {
                push_number(bytes, number);
            }
            texts.push_str(run.binding);
            texts.push_str(path);
            for argument in run.arguments {
                push_number(bytes, argument.len());
                texts.push_str(argument);
            }
        }
        texts.push_str(self.doc);
    }
}

/// A declaration has far less than 2³² entries and bytes: it is source text.
fn push_number(bytes: &mut Vec<u8>, number: usize) {
    bytes.extend(u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
}

/// The texts of a target.
fn parts<'t>(target: &'t Target<'_>) -> (&'t str, Option<&'t str>) {
    match target {
        Target::Filesystem(target) => (
            target.binding.as_str(),
            target.path.as_ref().map(RelativePath::as_str),
        ),
        Target::Subprocess(target) => (target.executable.as_str(), None),
        Target::Network(target) => (target.endpoint.as_str(), None),
        Target::Github(repository) => (repository.as_str(), None),
        Target::Browser(target) => (target.origin.as_str(), None),
        Target::Mcp(target) => (
            target.server.as_str(),
            target.tool.as_ref().map(ToolName::as_str),
        ),
        Target::Integration(target) => (target.integration.as_str(), None),
        Target::ChildAgent(target) => (target.agent.as_str(), None),
    }
}

/// The digests of a target.
fn digests(target: &Target<'_>) -> [Option<Digest>; 2] {
    match target {
        Target::Subprocess(target) => [Some(target.argv_sha256), Some(target.cwd_sha256)],
        Target::Integration(target) => [Some(target.revision_sha256), None],
        Target::ChildAgent(target) => [Some(target.parent_ceiling_sha256), None],
        _ => [None, None],
    }
}

fn follows_redirects(target: &Target<'_>) -> bool {
    matches!(
        target,
        Target::Network(NetworkTarget {
            redirect: RedirectPolicy::SameOrigin,
            ..
        })
    )
}

/// The record of a scope, in the packed data of its declaration.
#[derive(Clone, Copy)]
pub(crate) struct ScopeRow<'a> {
    derived: Derived<'a>,
    texts: &'a str,
    at: usize,
    pub(crate) operations: OperationSet,
}

impl<'a> ScopeRow<'a> {
    /// The record at this place.
    pub(crate) fn at(derived: Derived<'a>, texts: &'a str, at: usize) -> Option<Self> {
        let (low, high) = (derived.number_at(at), derived.number_at(at + 4));
        let operations = OperationSet::from_word(u64::from(low) | u64::from(high) << 32)?;
        Some(ScopeRow {
            derived,
            texts,
            at,
            operations,
        })
    }

    /// The target in its typed form. The host's own declaration is trusted: its texts were checked
    /// while compiling or building.
    pub(crate) fn target(self) -> Target<'a> {
        let first = Text::Borrowed(self.first());
        let second = self.second().map(Text::Borrowed);
        match self.operations.kind() {
            Kind::Filesystem => Target::Filesystem(FilesystemTarget {
                binding: Id(first),
                path: second.map(RelativePath),
            }),
            Kind::Subprocess => Target::Subprocess(SubprocessTarget {
                executable: Id(first),
                argv_sha256: self.digest(1),
                cwd_sha256: self.digest(2),
            }),
            Kind::Network => Target::Network(NetworkTarget {
                endpoint: Endpoint::declared(first),
                redirect: if self.has(SAME_ORIGIN) {
                    RedirectPolicy::SameOrigin
                } else {
                    RedirectPolicy::Deny
                },
            }),
            Kind::Github => Target::Github(Repository(first)),
            Kind::Browser => Target::Browser(BrowserTarget {
                origin: Origin(first),
            }),
            Kind::McpServer | Kind::McpTool => Target::Mcp(McpTarget {
                server: Id(first),
                tool: second.map(ToolName),
            }),
            Kind::Integration => Target::Integration(IntegrationTarget {
                integration: Id(first),
                revision_sha256: self.digest(1),
            }),
            Kind::ChildAgent => Target::ChildAgent(ChildAgentTarget {
                agent: Id(first),
                parent_ceiling_sha256: self.digest(1),
            }),
        }
    }

    /// Whether the scope has this target.
    pub(crate) fn is(self, target: &Target<'_>) -> bool {
        let (first, second) = parts(target);
        self.kind() == target.kind() as u8
            && self.first() == first
            && self.second() == second
            && self.has(SAME_ORIGIN) == follows_redirects(target)
            && digests(target)
                .into_iter()
                .flatten()
                .zip(1..)
                .all(|(digest, index)| self.digest(index) == digest)
    }

    /// The scope's own digest, then those of its target.
    pub(crate) fn digest(self, index: usize) -> Digest {
        self.derived.digest_at(self.at + HEAD + DIGEST * index)
    }

    pub(crate) fn first(self) -> &'a str {
        self.text(self.start(), self.length(0))
    }

    fn second(self) -> Option<&'a str> {
        self.has(SECOND)
            .then(|| self.text(self.start() + self.length(0), self.length(1)))
    }

    pub(crate) fn doc(self) -> &'a str {
        let length = self.length(2);
        if length == 0 {
            return "";
        }
        let mut start = self.start() + self.length(0) + self.length(1);
        if self.has(RUN) {
            start += self.run_number(0) + self.run_number(1);
            start += (0..self.run_number(2))
                .map(|argument| self.run_number(3 + argument))
                .sum::<usize>();
        }
        self.text(start, length)
    }

    pub(crate) fn is_delegable(self) -> bool {
        self.has(DELEGABLE)
    }

    /// The arguments of a subprocess, and its working directory: binding and path.
    pub(crate) fn run(self) -> Option<(Vec<&'a str>, &'a str, Option<&'a str>)> {
        if !self.has(RUN) {
            return None;
        }
        let mut end = self.start() + self.length(0);
        let mut next = |number| {
            let start = end;
            end += self.run_number(number);
            self.text(start, self.run_number(number))
        };
        let (binding, path) = (next(0), next(1));
        let arguments = (0..self.run_number(2)).map(|argument| next(3 + argument));
        let arguments = arguments.collect();
        Some((arguments, binding, self.has(BELOW).then_some(path)))
    }

    fn kind(self) -> u8 {
        self.derived.byte_at(self.at + 8)
    }

    fn has(self, flag: u8) -> bool {
        self.derived.byte_at(self.at + 9) & flag != 0
    }

    fn start(self) -> usize {
        self.derived.number_at(self.at + 12) as usize
    }

    fn length(self, text: usize) -> usize {
        self.derived.number_at(self.at + 16 + 4 * text) as usize
    }

    /// A number of a subprocess's run, behind its three digests.
    fn run_number(self, number: usize) -> usize {
        let at = self.at + HEAD + 3 * DIGEST + 4 * number;
        self.derived.number_at(at) as usize
    }

    fn text(self, start: usize, length: usize) -> &'a str {
        self.texts.get(start..start + length).unwrap_or_default()
    }
}
